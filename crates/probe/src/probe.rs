//! The order of the experiments: each reduces the largest uncertainty that is left, and the probe ends when none is.

use crate::arithmetic::squared;
use iobound_units::Span;

use crate::answer::{
    Accounting, Answer, Burst, Counts, Ending, Estimate, FoundLimit, Noise, Scope, TargetAnswer,
};
use crate::limit::{Ramp, burst_rate, limit, quantile, ramp, watch};
use crate::session::{Halt, Session};
use crate::shared::{Alone, shared};
use crate::sizes::{Between, accounting, merging, sizes};
use crate::step::{Disk, Mix, Step};
use crate::wanted::Wanted;
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
/// Time to measure charges again after a burst.
const AFTER_BURST: Span = Span::from_secs(18);

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
    let ended = probe.all();
    probe.burst_sizes();
    if let Err(halt) = ended {
        answer.ending = halt.ending();
    }
    answer.cost = session.cost;
    answer
}

/// What is known of a target while the probe goes on.
#[derive(Clone, Debug)]
struct Known {
    ios: Ramp,
    bytes: Option<(u32, Ramp)>,
    /// Bytes a second of large I/Os, whatever limits them.
    throughput: Option<f64>,
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
        // First what every target is about, then what they share, then the details of each.
        let mut ios = Vec::new();
        for target in 0..count {
            let hits = cache::find(self.session, target)?;
            ios.push((hits, self.small(target)?));
        }
        self.shared(Counts::Ios)?;
        let mut bytes = Vec::new();
        for (target, (_, ios)) in ios.iter_mut().enumerate() {
            bytes.push(self.throughput(target, *ios)?);
            if let Some(before) = *ios {
                let now = self.recheck(target)?;
                *ios = Some(now);
                // Large reads that the limit in I/Os held below the burst showed no limit in bytes.
                let block = self.known[target].bytes.as_ref().map_or(LARGE, |(block, _)| *block);
                let was_ios =
                    bytes[target].is_some_and(|bytes| (bytes / f64::from(block) / now - 1.0).abs() < 0.07);
                if now < 0.9 * before && was_ios {
                    let is_it =
                        |limit: &FoundLimit| limit.targets == [target] && limit.counts == Counts::Bytes;
                    self.answer.limits.retain(|limit| !is_it(limit));
                    bytes[target] = self.throughput(target, Some(now))?;
                }
            }
        }
        self.shared(Counts::Bytes)?;
        for (target, (hits, ios)) in ios.into_iter().enumerate() {
            self.charges(target, ios, bytes[target])?;
            self.latencies(target, Mix::Reads, ios, bytes[target])?;
            if let Some(hits) = hits {
                self.cache(target, hits)?;
            }
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

    /// The limit on small reads, a second.
    fn small(&mut self, target: usize) -> Result<Option<f64>, Halt> {
        let wanted = self.wanted(target, Counts::Ios, Scope::Reads, SMALL);
        let ios = ramp(self.session, &wanted)?;
        self.answer.targets[target].reached_iops = ios.highest();
        self.known.push(Known { ios: ios.clone(), bytes: None, throughput: None });
        if ios.flat.is_none() {
            let reached = ios.highest();
            self.note(
                target,
                format!("no limit up to {reached:.0} IOPS, the most that 256 outstanding I/Os reach"),
            );
            return Ok(None);
        }
        let found = limit(self.session, &wanted, &ios)?;
        let rate = found.per_second.value;
        self.answer.limits.push(found);
        Ok(Some(rate))
    }

    /// The limit on small reads after large ones: a burst may have ended, and then the limit is the one below it.
    fn recheck(&mut self, target: usize) -> Result<f64, Halt> {
        let wanted = self.wanted(target, Counts::Ios, Scope::Reads, SMALL);
        let is_it = |limit: &FoundLimit| {
            limit.targets == [target] && limit.counts == Counts::Ios && limit.scope == Scope::Reads
        };
        let at = self.answer.limits.iter().position(is_it).expect("the limit that is looked at again");
        let before = self.answer.limits[at].per_second;
        let recording = self.session.run(&wanted.step(self.known[target].ios.depth(), Span::from_secs(3)))?;
        let sums = wanted.cumulative(&recording, 0.005);
        let now = sums.rate(0.5 * sums.length(), sums.length());
        if now > 0.9 * before.value {
            return Ok(before.value);
        }
        let ended = recording.began;
        self.known[target].ios.flat = Some(now);
        let ramp = self.known[target].ios.clone();
        let mut found = limit(self.session, &wanted, &ramp)?;
        let size = Estimate::around(0.0, 0.0);
        found.burst = Some(match found.burst {
            Some(burst) => Burst { per_second: before, ended: burst.ended.max(ended), ..burst },
            None => Burst { per_second: before, size, ended },
        });
        let rate = found.per_second.value;
        self.answer.limits[at] = found;
        Ok(rate)
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
            self.known[target].throughput = Some(rate);
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
            self.answer.targets[target].accounting =
                Some(Accounting::EachUpTo(iobound_units::Bytes(1 << 20)));
            return Ok(());
        };
        let Some(between) = self.between(target, ios) else { return Ok(()) };
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
                format!(
                    "no throughput limit up to {:.1} MB/s: units of {unit} limit large reads first",
                    bytes / 1e6
                ),
            );
        }
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
            let step = Step { mix, ..Step::reads(target, block, 1, Span::ZERO) };
            let found = latency::latency(self.session, &step, at_most, expected)?;
            self.answer.targets[target].latencies.extend(found);
        }
        Ok(())
    }

    /// The limit on what the cache serves, and its size.
    fn cache(&mut self, target: usize, hits: cache::Hits) -> Result<(), Halt> {
        let wanted =
            Wanted { region: Some(hits.region), ..self.wanted(target, Counts::Ios, Scope::Hits, SMALL) };
        // What other experiments have pushed out is read again.
        cache::refresh(self.session, target, hits)?;
        let served = ramp(self.session, &wanted)?;
        let mut hits = hits;
        if served.flat.is_some() {
            let found = limit(self.session, &wanted, &served)?;
            let rate = found.per_second.value;
            self.answer.limits.push(found);
            // Hits that the limit held back are slower than the cache.
            if let Some(paced) =
                latency::latency(self.session, &wanted.step(1, Span::ZERO), rate, hits.hit_median)?
            {
                hits.hit = paced.mean;
            }
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
    fn shared(&mut self, counts: Counts) -> Result<(), Halt> {
        let block = match counts {
            Counts::Ios => SMALL,
            Counts::Bytes => {
                let blocks =
                    self.known.iter().map(|known| known.bytes.as_ref().map_or(LARGE, |(block, _)| *block));
                blocks.max().unwrap_or(LARGE)
            }
        };
        if self.known.len() < 2 {
            return Ok(());
        }
        let of = |(target, known): (usize, &Known)| {
            let ramp = match (counts, &known.bytes) {
                (Counts::Bytes, Some((_, ramp))) => ramp,
                _ => &known.ios,
            };
            // Without a limit of its own a target adds what this depth reaches, which the others do not change.
            let depth = if ramp.flat.is_some() { ramp.depth() } else { 64 };
            Alone { target, depth }
        };
        let alone: Vec<Alone> = self.known.iter().enumerate().map(of).collect();
        let found = shared(self.session, &alone, counts, Scope::Reads, block)?;
        self.answer.limits.extend(found);
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
                limit.targets.len() == 1
                    && limit.burst.is_none()
                    && matches!(limit.scope, Scope::Reads | Scope::Both)
            })
            .collect();
        for (n, at) in own.iter().enumerate() {
            let share = Span::from_ns(self.session.left().ns() / (own.len() - n) as u64);
            let time =
                Span::from_ns(share.ns().saturating_sub(AFTER_BURST.ns()).min(self.settings.watch.ns()));
            if time < Span::from_secs(5) {
                break;
            }
            let (target, counts) = (self.answer.limits[*at].targets[0], self.answer.limits[*at].counts);
            let known = &self.known[target];
            let (block, ramp) = match (counts, &known.bytes) {
                (Counts::Bytes, Some((block, ramp))) => (*block, ramp.clone()),
                _ => (SMALL, known.ios.clone()),
            };
            let wanted = self.wanted(target, counts, Scope::Reads, block);
            watch(self.session, &wanted, &mut self.answer.limits[*at], &ramp, time)?;
            let limit = &self.answer.limits[*at];
            if limit.burst.is_some() && counts == Counts::Ios {
                // Below the burst the throughput limit lets larger units be seen.
                let ios = limit.per_second.value;
                let large = self.known[target].throughput;
                self.charges(target, Some(ios), large)?;
                self.burst_rate(*at)?;
            }
        }
        for target in 0..self.known.len() {
            self.merges(target)?;
        }
        for at in own {
            let limit = &self.answer.limits[at];
            if limit.burst.is_none() && limit.watched > Span::ZERO {
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

    /// The rate of a burst that was over before it was flat: it is reached again with what a rest earns.
    fn burst_rate(&mut self, at: usize) -> Result<(), Halt> {
        let limit = &self.answer.limits[at];
        let Some(burst) = limit.burst.filter(|burst| burst.per_second.high.is_infinite()) else {
            return Ok(());
        };
        let (target, sustained) = (limit.targets[0], limit.per_second.value);
        let depth = (burst.per_second.value * self.known[target].ios.latency).ceil() as u32;
        let wanted = self.wanted(target, Counts::Ios, Scope::Reads, SMALL);
        let rate = burst_rate(self.session, &wanted, sustained, depth)?;
        if let (Some(rate), Some(burst)) = (rate, &mut self.answer.limits[at].burst)
            && rate.value > burst.per_second.value
        {
            burst.per_second = rate;
        }
        Ok(())
    }

    /// The charge of sequential reads: last, because they use less of a burst than their number.
    fn merges(&mut self, target: usize) -> Result<(), Halt> {
        let limit = self.answer.limit(target, Counts::Ios, Scope::Reads);
        let both = || self.answer.limit(target, Counts::Ios, Scope::Both);
        let Some(ios) = limit.or_else(both).map(|limit| limit.per_second.value) else { return Ok(()) };
        let Some(between) = self.between(target, ios) else { return Ok(()) };
        let merges = merging(self.session, target, between)?;
        self.answer.targets[target].merges_up_to = merges;
        Ok(())
    }

    /// The limits that sizes are between.
    fn between(&self, target: usize, ios: f64) -> Option<Between> {
        let known = &self.known[target];
        let deep = known.bytes.as_ref().map_or(2, |(_, ramp)| ramp.depth());
        Some(Between { ios, bytes: known.throughput?, depth: deep.max(known.ios.depth()) })
    }

    /// Credits of each burst that ended: what the target used beyond the limit until then, by the charge that was found.
    fn burst_sizes(&mut self) {
        let accountings: Vec<Option<Accounting>> =
            self.answer.targets.iter().map(|target| target.accounting).collect();
        for limit in &mut self.answer.limits {
            let Some(burst) = &mut limit.burst else { continue };
            let target = limit.targets[0];
            let charge = |len: u32| match (limit.counts, accountings[target]) {
                (Counts::Bytes, _) => f64::from(len),
                (Counts::Ios, Some(Accounting::Unit(unit))) => u64::from(len).div_ceil(unit.get()) as f64,
                (Counts::Ios, _) => 1.0,
            };
            let used = self.session.history.overdraft(target, limit.per_second.value, burst.ended, charge);
            burst.size = Estimate::around(used, 0.05 * used);
        }
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
        let square =
            medians.iter().map(|value| squared(value - mean)).sum::<f64>() / medians.len().max(1) as f64;
        self.answer.noise = Noise { drift, variation: if mean > 0.0 { square.sqrt() / mean } else { 0.0 } };
        Ok(())
    }

    fn note(&mut self, target: usize, text: String) {
        let name = &self.answer.targets[target].name;
        let text = if self.answer.targets.len() > 1 { format!("{name}: {text}") } else { text };
        self.answer.not_reached.push(text);
    }
}
