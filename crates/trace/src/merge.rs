use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::error::TraceError;
use crate::record::Record;
use crate::source::{BATCH, Source, TraceFacts};

/// Several sources as one, in order of time. Devices of the same name are one device.
pub struct Merged {
    parts: Vec<Part>,
    devices: Vec<String>,
    /// The next time of each part that is not at its end.
    next: BinaryHeap<Reverse<(u64, usize)>>,
    started: bool,
    clock: MergeClock,
}

/// The times of merged files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MergeClock {
    /// As recorded. Files that begin more than a year apart are refused with this advice.
    Recorded {
        /// The way to choose one of the other two.
        advice: String,
    },
    /// As recorded, however far apart the files begin.
    Same,
    /// Each file begins at zero.
    FromZero,
}

struct Part {
    /// Name of its file.
    name: String,
    source: Box<dyn Source>,
    batch: Vec<Record>,
    at: usize,
    /// The index in all devices, by the part's own index.
    device: Vec<u16>,
    begin_ns: Option<u64>,
}

/// Files whose first I/Os are further apart than this may have different clocks: dates, and times since a machine or a
/// recording started. A year in ns.
const APART_NS: u64 = 365 * 86_400 * 1_000_000_000;

impl Merged {
    /// Merges the sources, which have the names of their files.
    pub fn new(sources: Vec<(String, Box<dyn Source>)>, clock: MergeClock) -> Merged {
        let parts = sources
            .into_iter()
            .map(|(name, source)| Part {
                name,
                source,
                batch: Vec::new(),
                at: 0,
                device: Vec::new(),
                begin_ns: None,
            })
            .collect();
        Merged { parts, devices: Vec::new(), next: BinaryHeap::new(), started: false, clock }
    }

    /// Reads the first records of all parts.
    ///
    /// # Errors
    /// Returns an error if a part cannot be read, or the parts may have different clocks.
    fn start(&mut self) -> Result<(), TraceError> {
        for index in 0..self.parts.len() {
            self.advance(index)?;
        }
        let begins = || self.parts.iter().filter_map(|part| part.begin_ns.map(|begin| (begin, &part.name)));
        let (Some(first), Some(last)) = (begins().min(), begins().max()) else { return Ok(()) };
        let apart = last.0 - first.0;
        match &self.clock {
            MergeClock::Recorded { advice } if apart >= APART_NS => {
                let years = apart as f64 / APART_NS as f64;
                Err(TraceError::new(format!(
                    "{} begins {years:.1} years after {}: more than a year apart, the files may have different clocks, such as dates and times since a start",
                    last.1, first.1
                ))
                .help(advice))
            }
            _ => Ok(()),
        }
    }

    /// Makes the next record of a part the one at its place; `false` at the part's end.
    fn advance(&mut self, index: usize) -> Result<(), TraceError> {
        let part = &mut self.parts[index];
        part.at += 1;
        if part.at >= part.batch.len() {
            part.batch.clear();
            part.at = 0;
            part.source.read(&mut part.batch)?;
            for name in &part.source.devices()[part.device.len()..] {
                let known = self.devices.iter().position(|known| known == name);
                let at = known.unwrap_or(self.devices.len());
                if known.is_none() {
                    self.devices.push(name.clone());
                }
                let at = u16::try_from(at)
                    .map_err(|_| TraceError::new("the traces have more than 65,536 devices"))?;
                part.device.push(at);
            }
        }
        if let Some(record) = part.batch.get_mut(part.at) {
            let begin = *part.begin_ns.get_or_insert(record.at_ns);
            if self.clock == MergeClock::FromZero {
                record.at_ns = record.at_ns.saturating_sub(begin);
            }
            self.next.push(Reverse((record.at_ns, index)));
        }
        Ok(())
    }
}

impl Source for Merged {
    fn read(&mut self, batch: &mut Vec<Record>) -> Result<(), TraceError> {
        if !self.started {
            self.started = true;
            self.start()?;
        }
        let before = batch.len();
        while batch.len() - before < BATCH {
            let Some(Reverse((_, index))) = self.next.pop() else { break };
            let part = &self.parts[index];
            let record = part.batch[part.at];
            batch.push(Record { device: part.device[usize::from(record.device)], ..record });
            self.advance(index)?;
        }
        Ok(())
    }

    fn devices(&self) -> &[String] {
        &self.devices
    }

    fn facts(&self) -> TraceFacts {
        let mut facts = TraceFacts::default();
        for part in &self.parts {
            let mut of_part = part.source.facts();
            if self.parts.len() > 1 {
                of_part.notes.iter_mut().for_each(|note| note.insert_str(0, &format!("{}: ", part.name)));
            }
            if facts.format.is_empty() {
                (facts.format, facts.time_unit) = (of_part.format.clone(), of_part.time_unit.clone());
            } else {
                if facts.format != of_part.format {
                    facts.format = "several formats".into();
                }
                if facts.time_unit != of_part.time_unit {
                    facts.time_unit.clear();
                }
            }
            facts.add(&of_part);
        }
        facts
    }
}
