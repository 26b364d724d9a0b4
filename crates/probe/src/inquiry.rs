//! The state of a probe: what is known of each target while the questions are answered.

use iobound_units::Span;

use crate::answer::{Answer, Counts, FoundLimit, Scope};
use crate::ramp::Ramp;
use crate::session::Session;
use crate::sizes::Between;
use crate::wanted::Wanted;

/// Settings of a probe.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Time that all experiments may take together.
    pub budget: Span,
    /// Time for which a limit in IOPS is loaded to see a burst end; a throughput limit half as long. A budget of more than 3 minutes for
    /// each target repeats this with twice the time, and again twice, once everything else is known.
    pub watch: Span,
    /// True if the targets may be overwritten.
    pub may_write: bool,
    /// Seed of all random choices.
    pub seed: u64,
}

impl Settings {
    /// Budget that suffices for one target.
    pub const EACH: Span = Span::from_secs(180);
}

impl Default for Settings {
    fn default() -> Settings {
        Settings { budget: Settings::EACH, watch: Span::from_secs(40), may_write: false, seed: 0 }
    }
}

/// Findings about a target that the next experiments need.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) ios: Ramp,
    pub(crate) bytes: Option<(u32, Ramp)>,
    /// Limit on small reads, a second.
    pub(crate) small: Option<f64>,
    /// Bytes a second of large I/Os, whatever limits them.
    pub(crate) throughput: Option<f64>,
    /// The cache's hits, where there is one.
    pub(crate) hits: Option<crate::cache::Hits>,
    /// Credits that a second of rest earns at least, of I/Os and of bytes; `None` where no rest has shown it.
    pub(crate) earned: [Option<f64>; 2],
}

/// A probe that goes on.
pub(crate) struct Inquiry<'a, 'b> {
    pub(crate) session: &'a mut Session<'b>,
    pub(crate) settings: &'a Settings,
    pub(crate) answer: &'a mut Answer,
    pub(crate) known: Vec<Option<Known>>,
}

impl Inquiry<'_, '_> {
    /// Findings about a target whose limit in I/Os was looked for.
    pub(crate) fn known(&mut self, target: usize) -> &mut Known {
        self.known[target].as_mut().expect("the limit in I/Os is looked for first")
    }

    pub(crate) fn wanted(&self, target: usize, counts: Counts, scope: Scope, block: u32) -> Wanted {
        Wanted { targets: vec![target], counts, scope, block, region: None }
    }

    /// Place of a target's own limit among all that were found.
    pub(crate) fn place(&self, target: usize, counts: Counts, scope: Scope) -> Option<usize> {
        let is_it =
            |limit: &FoundLimit| limit.targets == [target] && limit.counts == counts && limit.scope == scope;
        self.answer.limits.iter().position(is_it)
    }

    /// Records a limit; it replaces an earlier one of the same I/Os.
    pub(crate) fn put(&mut self, found: FoundLimit) {
        match self.place(found.targets[0], found.counts, found.scope).filter(|_| found.targets.len() == 1) {
            Some(at) => self.answer.limits[at] = found,
            None => self.answer.limits.push(found),
        }
    }

    /// The limits that sizes are between.
    pub(crate) fn between(&mut self, target: usize, ios: f64) -> Option<Between> {
        let known = self.known(target);
        let deep = known.bytes.as_ref().map_or(2, |(_, ramp)| ramp.depth());
        Some(Between { ios, bytes: known.throughput?, depth: deep.max(known.ios.depth()) })
    }

    /// Adds a sentence about what was not reached.
    pub(crate) fn note(&mut self, target: usize, text: String) {
        let name = &self.answer.targets[target].name;
        let text = if self.answer.targets.len() > 1 { format!("{name}: {text}") } else { text };
        self.answer.not_reached.push(text);
    }
}
