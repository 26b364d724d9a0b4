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
    shift: bool,
}

struct Part {
    source: Box<dyn Source>,
    batch: Vec<Record>,
    at: usize,
    /// The index in all devices, by the part's own index.
    device: Vec<u16>,
    begin_ns: Option<u64>,
}

impl Merged {
    /// Merges the sources on one clock, or, if `each_from_zero`, lets each begin at zero.
    pub fn new(sources: Vec<Box<dyn Source>>, each_from_zero: bool) -> Merged {
        let parts = sources
            .into_iter()
            .map(|source| Part { source, batch: Vec::new(), at: 0, device: Vec::new(), begin_ns: None })
            .collect();
        Merged { parts, devices: Vec::new(), next: BinaryHeap::new(), started: false, shift: each_from_zero }
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
            if self.shift {
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
            for index in 0..self.parts.len() {
                self.advance(index)?;
            }
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
            let of_part = part.source.facts();
            if facts.format.is_empty() {
                (facts.format, facts.time_unit) = (of_part.format.clone(), of_part.time_unit.clone());
            } else if facts.format != of_part.format {
                facts.format = "several formats".into();
            }
            facts.add(&of_part);
        }
        facts
    }
}
