//! The order of the experiments: each reduces the largest uncertainty that is left, and the probe ends when none is.

use iobound_units::Span;

use crate::answer::{Accounting, Answer, Counts, Ending, FoundLimit, Noise, Scope, TargetAnswer};
use crate::limit::{Ramp, Wanted, limit, quantile, ramp, watch};
use crate::session::{Halt, Session};
use crate::shared::{Own, shared};
use crate::sizes::{Between, accounting, merging, sizes};
use crate::step::{Disk, Mix, Step};
use crate::{cache, latency};

/// Settings of a probe.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Time that all experiments may take together.
    pub budget: Span,
    /// Longest time that a limit is watched for the end of a burst.
    pub watch: Span,
    /// True if the targets may be overwritten.
    pub may_write: bool,
    /// Seed of all random choices.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Settings {
        let budget = Span::from_secs(180);
        Settings { budget, watch: Span::from_secs(60), may_write: false, seed: 0 }
    }
}

const SMALL: u32 = 4_096;
const LARGE: u32 = 256 << 10;
const LARGEST: u32 = 1 << 20;

/// Probes the targets of a disk.
pub fn probe(disk: &mut dyn Disk, settings: &Settings) -> Answer {
    let targets = disk.targets().iter().map(|target| TargetAnswer {
        name: target.name.clone(),
        size: target.size.get(),
        ..TargetAnswer::default()
    });
    let mut answer = Answer {
        targets: targets.collect(),
        limits: Vec::new(),
        not_reached: Vec::new(),
        noise: Noise::default(),
        cost: Default::default(),
        ending: Ending::Complete,
    };
    let mut session = Session::new(disk, settings.budget, settings.seed);
    let mut probe = Probe { session: &mut session, settings, answer: &mut answer, known: Vec::new() };
    if let Err(halt) = probe.all() {
        let ending = halt.ending();
        answer.ending = ending;
    }
    answer.cost = session.cost;
    answer
}

/// What is known of a target while the probe goes on.
#[derive(Clone, Debug)]
struct Known {
    ios: Ramp,
    bytes: Option<(u32, Ramp)>,
}

struct Probe<'a, 'b> {
    session: &'a mut Session<'b>,
    settings: &'a Settings,
    answer: &'a mut Answer,
    known: Vec<Known>,
}

impl Probe<'_, '_> {
    fn all(&mut self) -> Result<(), Halt> {
        let count = self.answer.targets.len();
        for target in 0..count {
            self.target(target)?;
        }
        if count > 1 {
            self.topology()?;
        }
        if self.settings.may_write {
            for target in 0..count {
                self.writes(target)?;
            }
        }
        self.bursts()
    }

    fn wanted(&self, target: usize, counts: Counts, scope: Scope, block: u32) -> Wanted {
        Wanted { targets: vec![target], counts, scope, block, region: None }
    }

    /// Everything that reads tell of one target.
    fn target(&mut self, target: usize) -> Result<(), Halt> {
        let hits = cache::find(self.session, target)?;
        let wanted = self.wanted(target, Counts::Ios, Scope::Reads, SMALL);
        let ios = ramp(self.session, &wanted)?;
        self.answer.targets[target].reached_iops = ios.highest();
        self.known.push(Known { ios: ios.clone(), bytes: None });
        let mut small = None;
        if ios.flat.is_some() {
            let found = limit(self.session, &wanted, &ios)?;
            small = Some(found.per_second.value);
            self.answer.limits.push(found);
        } else {
            let reached = ios.highest();
            self.note(target, format!("no limit up to {reached:.0} IOPS, the most that 256 outstanding I/Os reach"));
        }
        let bytes = self.throughput(target, small)?;
        self.charges(target, small, bytes)?;
        self.latencies(target, Mix::Reads, small, bytes)?;
        if let Some(hits) = hits {
            self.cache(target, hits)?;
        }
        Ok(())
    }

    /// The throughput of large reads: a limit, unless the limit in I/Os is lower there as well.
    fn throughput(&mut self, target: usize, small: Option<f64>) -> Result<Option<f64>, Halt> {
        for block in [LARGE, LARGEST] {
            let wanted = self.wanted(target, Counts::Bytes, Scope::Reads, block);
            let large = ramp(self.session, &wanted)?;
            let reached = large.highest() * f64::from(block);
            let best = &mut self.answer.targets[target].reached_bytes;
            *best = best.max(reached);
            self.known[target].bytes = Some((block, large.clone()));
            let Some(flat) = large.flat else { continue };
            // At the limit in I/Os it is that limit which holds.
            if small.is_some_and(|small| flat > 0.93 * small) {
                continue;
            }
            let found = limit(self.session, &wanted, &large)?;
            let rate = found.per_second.value;
            self.answer.limits.push(found);
            return Ok(Some(rate));
        }
        Ok(None)
    }

    /// The charge of large and of sequential I/Os. A throughput limit that is only the charge of units is none.
    fn charges(&mut self, target: usize, small: Option<f64>, bytes: Option<f64>) -> Result<(), Halt> {
        let Some(ios) = small else {
            self.answer.targets[target].accounting = Some(Accounting::NoLimit);
            return Ok(());
        };
        let Some(bytes) = bytes else {
            self.answer.targets[target].accounting = Some(Accounting::EachUpTo(iobound_units::Bytes(1 << 20)));
            return Ok(());
        };
        let deep = self.known[target].bytes.as_ref().map_or(2, |(_, ramp)| ramp.depth());
        let between = Between { ios, bytes, depth: deep.max(self.known[target].ios.depth()) };
        let points = sizes(self.session, target, between)?;
        let accounting = accounting(&points, between);
        let answer = &mut self.answer.targets[target];
        (answer.sizes, answer.accounting) = (points, Some(accounting));
        if let Accounting::Unit(unit) = accounting
            && (between.crossing() / unit.get() as f64 - 1.0).abs() < 0.05
        {
            let is_units = |limit: &FoundLimit| {
                limit.targets == [target] && limit.counts == Counts::Bytes && limit.scope == Scope::Reads
            };
            self.answer.limits.retain(|limit| !is_units(limit));
            self.note(
                target,
                format!("no throughput limit up to {:.1} MB/s: units of {unit} limit large reads first", bytes / 1e6),
            );
        }
        let merges = merging(self.session, target, between)?;
        self.answer.targets[target].merges_up_to = merges;
        Ok(())
    }

    fn latencies(
        &mut self,
        target: usize,
        mix: Mix,
        ios: Option<f64>,
        bytes: Option<f64>,
    ) -> Result<(), Halt> {
        let known = &self.known[target];
        let small = known.ios.latency;
        let large = known.bytes.as_ref().map_or(small, |(_, ramp)| ramp.latency);
        for block in [SMALL, 16 << 10, 64 << 10, LARGE] {
            let by_bytes = bytes.map_or(f64::MAX, |bytes| bytes / f64::from(block));
            let at_most = ios.unwrap_or(f64::MAX).min(by_bytes);
            let expected = small + (large - small).max(0.0) * f64::from(block) / f64::from(LARGE);
            let found = latency::latency(self.session, target, mix, block, at_most, expected)?;
            self.answer.targets[target].latencies.extend(found);
        }
        Ok(())
    }

    /// The limit on what the cache serves, and its size.
    fn cache(&mut self, target: usize, hits: cache::Hits) -> Result<(), Halt> {
        let wanted = Wanted { region: Some(hits.region), ..self.wanted(target, Counts::Ios, Scope::Hits, SMALL) };
        // What other experiments have pushed out is read again.
        cache::refresh(self.session, target, hits)?;
        let served = ramp(self.session, &wanted)?;
        if served.flat.is_some() {
            let found = limit(self.session, &wanted, &served)?;
            self.answer.limits.push(found);
        } else {
            self.note(target, format!("no limit on cache hits up to {:.0} IOPS", served.highest()));
        }
        let depth = self.known[target].bytes.as_ref().map_or(16, |(_, ramp)| ramp.depth());
        let found = cache::size(self.session, target, hits, depth, Span::from_secs(5))?;
        if found.size.is_none() {
            let mib = found.at_least >> 20;
            self.note(target, format!("the cache holds {mib} MiB or more: a longer --budget reads more"));
        }
        self.answer.targets[target].cache = Some(found);
        Ok(())
    }

    /// Limits that the targets share.
    fn topology(&mut self) -> Result<(), Halt> {
        let own = |counts: Counts| {
            let of = |(target, known): (usize, &Known)| {
                let (ramp, block) = match (counts, &known.bytes) {
                    (Counts::Ios, _) => (&known.ios, 1.0),
                    (Counts::Bytes, Some((block, ramp))) => (ramp, f64::from(*block)),
                    (Counts::Bytes, None) => return None,
                };
                let found = self.answer.limit(target, counts, Scope::Reads);
                let rate = found.map_or(ramp.highest() * block, |found| found.per_second.value);
                // Without a limit of its own a target adds what the depth reaches, which the others do not change.
                let depth = if found.is_some() { ramp.depth() } else { 64 };
                let reached = ramp.points.iter().find(|point| point.depth == 64);
                let rate = if found.is_some() { rate } else { reached.map_or(rate, |at| at.per_second * block) };
                Some(Own { target, rate, depth })
            };
            self.known.iter().enumerate().filter_map(of).collect::<Vec<Own>>()
        };
        let (ios, bytes) = (own(Counts::Ios), own(Counts::Bytes));
        let found = shared(self.session, &ios, Counts::Ios, Scope::Reads, SMALL)?;
        self.answer.limits.extend(found);
        let block = self.known.iter().filter_map(|known| known.bytes.as_ref()).map(|(block, _)| *block).max();
        if let Some(block) = block.filter(|_| bytes.len() == self.known.len()) {
            let found = shared(self.session, &bytes, Counts::Bytes, Scope::Reads, block)?;
            self.answer.limits.extend(found);
        }
        Ok(())
    }

    /// Limits of writes, and whether reads share them.
    fn writes(&mut self, target: usize) -> Result<(), Halt> {
        let large = self.known[target].bytes.as_ref().map_or(LARGE, |(block, _)| *block);
        let (mut ios, mut bytes) = (None, None);
        for (counts, block) in [(Counts::Ios, SMALL), (Counts::Bytes, large)] {
            let wanted = self.wanted(target, counts, Scope::Writes, block);
            let writes = ramp(self.session, &wanted)?;
            let Some(flat) = writes.flat else { continue };
            if counts == Counts::Bytes && ios.is_some_and(|ios| flat > 0.93 * ios) {
                continue;
            }
            let found = limit(self.session, &wanted, &writes)?;
            let rate = found.per_second.value;
            match counts {
                Counts::Ios => ios = Some(rate),
                Counts::Bytes => bytes = Some(rate),
            }
            let reads = self.answer.limits.iter().position(|limit| {
                limit.targets == [target] && limit.counts == counts && limit.scope == Scope::Reads
            });
            if let Some(at) = reads
                && (self.answer.limits[at].per_second.value / rate - 1.0).abs() < 0.03
            {
                let mixed = self.wanted(target, counts, Scope::Both, block);
                let recording = self.session.run(&mixed.step(2 * writes.depth(), Span::from_secs(3)))?;
                let sums = mixed.cumulative(&recording, 0.005);
                if sums.rate(0.4 * sums.length(), sums.length()) < 1.2 * rate {
                    self.answer.limits[at].scope = Scope::Both;
                    continue;
                }
            }
            self.answer.limits.push(found);
        }
        self.latencies(target, Mix::Writes, ios, bytes)
    }

    /// Loads each limit for as long as the budget allows: a burst that ends shows a lower limit. Measures the first experiment
    /// again for the drift.
    fn bursts(&mut self) -> Result<(), Halt> {
        self.noise()?;
        let own: Vec<usize> = (0..self.answer.limits.len())
            .filter(|at| {
                let limit = &self.answer.limits[*at];
                limit.targets.len() == 1 && limit.burst.is_none() && limit.scope == Scope::Reads
            })
            .collect();
        for (n, at) in own.iter().enumerate() {
            let share = Span::from_ns(self.session.left().ns() / (own.len() - n) as u64);
            let time = Span::from_ns(share.ns().saturating_sub(1_000_000).min(self.settings.watch.ns()));
            if time < Span::from_secs(5) {
                break;
            }
            let (target, counts) = (self.answer.limits[*at].targets[0], self.answer.limits[*at].counts);
            let known = &self.known[target];
            let (block, depth) = match (counts, &known.bytes) {
                (Counts::Bytes, Some((block, ramp))) => (*block, ramp.depth()),
                _ => (SMALL, known.ios.depth()),
            };
            let wanted = self.wanted(target, counts, Scope::Reads, block);
            watch(self.session, &wanted, &mut self.answer.limits[*at], depth, time)?;
        }
        for at in own {
            let limit = &self.answer.limits[at];
            if limit.burst.is_none() {
                let (target, time) = (limit.targets[0], limit.watched);
                let what = if limit.counts == Counts::Ios { "IOPS" } else { "throughput" };
                self.note(
                    target,
                    format!("a burst of {what} that lasts longer than {time} was not seen to end: a longer --budget watches longer"),
                );
            }
        }
        Ok(())
    }

    fn noise(&mut self) -> Result<(), Halt> {
        let Some(known) = self.known.first() else { return Ok(()) };
        self.session.rest(Span::from_ms(500))?;
        let recording = self.session.run(&Step::reads(0, SMALL, 1, Span::from_secs(2)))?;
        let now = quantile(&recording, 0.5).min(1.15 * quantile(&recording, 0.1));
        let drift = if known.ios.latency > 0.0 { now / known.ios.latency - 1.0 } else { 0.0 };
        let mut medians = Vec::new();
        for start in 0..20u64 {
            let from = recording.began.ns() + start * 100_000_000;
            let within = |io: &&crate::step::Completed| (from..from + 100_000_000).contains(&io.end.ns());
            let mut values: Vec<f64> =
                recording.ios.iter().filter(within).map(|io| io.end.since(io.issued).secs_f64()).collect();
            values.sort_unstable_by(f64::total_cmp);
            medians.extend(values.get(values.len() / 4).copied());
        }
        let mean = medians.iter().sum::<f64>() / medians.len().max(1) as f64;
        let square = medians.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / medians.len().max(1) as f64;
        self.answer.noise = Noise { drift, variation: if mean > 0.0 { square.sqrt() / mean } else { 0.0 } };
        Ok(())
    }

    fn note(&mut self, target: usize, text: String) {
        let name = &self.answer.targets[target].name;
        let text = if self.answer.targets.len() > 1 { format!("{name}: {text}") } else { text };
        self.answer.not_reached.push(text);
    }
}
