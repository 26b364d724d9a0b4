use iobound_units::Span;

use crate::error::TraceError;
use crate::record::Record;
use crate::source::{Source, TraceFacts};

/// The part of a trace that is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CutRange {
    /// Time from the first I/O; earlier ones are left out.
    pub from: Span,
    /// Time from the first I/O; I/Os at it or later are left out. `None`: up to the end.
    pub to: Option<Span>,
    /// Names of the devices that are kept; empty: all.
    pub devices: Vec<String>,
}

/// A part of a source: a range of time, some devices, or both.
pub struct Cut<S> {
    inner: S,
    range: CutRange,
    begin_ns: Option<u64>,
    /// By device: true if it is kept.
    kept: Vec<bool>,
    ended: bool,
}

impl<S: Source> Cut<S> {
    /// The part of `inner` in the range.
    pub fn new(inner: S, range: CutRange) -> Cut<S> {
        Cut { inner, range, begin_ns: None, kept: Vec::new(), ended: false }
    }
}

impl<S: Source> Source for Cut<S> {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        let before = batch.len();
        let mut whole = Vec::new();
        while batch.len() == before && !self.ended {
            whole.clear();
            self.inner.read(&mut whole)?;
            self.ended = whole.is_empty();
            for name in &self.inner.devices()[self.kept.len()..] {
                self.kept.push(self.range.devices.is_empty() || self.range.devices.contains(name));
            }
            let begin = *self.begin_ns.get_or_insert(whole.first().map_or(0, |first| first.at_ns));
            let from = begin.saturating_add(self.range.from.ns());
            let to = self.range.to.map_or(u64::MAX, |to| begin.saturating_add(to.ns()));
            let (within, kept) = (|at: u64| at >= from && at < to, &self.kept);
            batch.extend(whole.iter().filter(|one| within(one.at_ns) && kept[usize::from(one.device)]));
            // A source is in order: nothing in the range follows.
            self.ended |= whole.last().is_some_and(|last| last.at_ns >= to);
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        self.inner.devices()
    }

    fn facts(&self) -> TraceFacts {
        self.inner.facts()
    }
}
