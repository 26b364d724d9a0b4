//! Answers to the questions about a target: an experiment or a few for each.

use iobound_units::{Bytes, Span};

use crate::answer::{Accounting, Burst, Counts, Enforcement, Estimate, Scope};
use crate::inquiry::{Inquiry, Known};
use crate::latency::Below;
use crate::limit::limit;
use crate::ramp::{preliminary, ramp, ramp_of_client};
use crate::session::Halt;
use crate::shared::{Alone, shared};
use crate::sizes::{accounting, charged_twice, sizes};
use crate::step::{LARGE, LARGEST, Mix, SMALL, Step};
use crate::wanted::Wanted;
use crate::watch::burst_in_ramp;
use crate::{cache, latency};

/// Sizes whose latency is measured.
pub(crate) const LATENCIES: [u32; 4] = [SMALL, 16 << 10, 64 << 10, LARGE];

impl Inquiry<'_, '_> {
    /// The cache's hits and the limit on small reads.
    pub(crate) fn ios(&mut self, target: usize) -> Result<(), Halt> {
        let hits = cache::find(self.session, target)?;
        let wanted = self.wanted(target, Counts::Ios, Scope::Reads, SMALL);
        let ios = ramp(self.session, &wanted)?;
        self.answer.targets[target].reached_iops = ios.highest();
        self.answer.targets[target].ramps_ended[0] = true;
        self.answer.targets[target].unloaded = Some(ios.latency);
        self.known[target] = Some(Known {
            ios: ios.clone(),
            bytes: None,
            small: ios.flat,
            throughput: None,
            hits,
            earned: [None; 2],
        });
        if ios.flat.is_none() {
            let reached = ios.highest();
            self.note(
                target,
                format!("no limit up to {reached:.0} IOPS, the most that 256 outstanding I/Os reach"),
            );
            return Ok(());
        }
        self.put(preliminary(&wanted, &ios));
        let ended = self.session.now();
        let mut found = limit(self.session, &wanted, &ios)?;
        let sustained = found.per_second.value;
        self.known(target).small = Some(sustained);
        // A cache's hits pass beyond the limit as well.
        if found.burst.is_none() && hits.is_none() {
            let used = self.session.history.overdraft(target, sustained, ended, |_| 1.0);
            found.burst = burst_in_ramp(&found, &ios, used, ended);
        }
        self.put(found);
        Ok(())
    }

    /// The limit on small reads after large ones: a burst may have ended, and then the limit is the one below it.
    fn recheck(&mut self, target: usize) -> Result<f64, Halt> {
        let wanted = self.wanted(target, Counts::Ios, Scope::Reads, SMALL);
        let at = self.place(target, Counts::Ios, Scope::Reads).expect("the limit that is looked at again");
        let before = self.answer.limits[at].per_second;
        let depth = self.known(target).ios.depth();
        let recording = self.session.run(&wanted.step(depth, Span::from_secs(3)))?;
        let sums = wanted.cumulative(&recording, 0.005);
        let now = sums.rate(0.5 * sums.length(), sums.length());
        if now > 0.9 * before.value {
            return Ok(before.value);
        }
        let ended = recording.began;
        self.known(target).ios.flat = Some(now);
        let ramp = self.known(target).ios.clone();
        let mut found = limit(self.session, &wanted, &ramp)?;
        if found.per_second.value > 0.9 * before.value {
            // It came back: something else was slow for a moment.
            self.known(target).ios.flat = Some(before.value);
            return Ok(before.value);
        }
        let ended = found.burst.map_or(ended, |burst| burst.ended.max(ended));
        found.burst = Some(Burst::uncounted(before, ended));
        let rate = found.per_second.value;
        self.answer.limits[at] = found;
        Ok(rate)
    }

    /// Small reads once more, where their rate still grew at the deepest queue: credits may have been spent since, and the limit
    /// below them shows.
    fn after_unlimited(&mut self, target: usize) -> Result<(), Halt> {
        let mut ramp = self.known(target).ios.clone();
        let Some(deepest) = ramp.points.last().map(|point| point.depth) else { return Ok(()) };
        let wanted = self.wanted(target, Counts::Ios, Scope::Reads, SMALL);
        let recording = self.session.run(&wanted.step(deepest, Span::from_secs(12)))?;
        let sums = wanted.cumulative(&recording, 0.005);
        let now = sums.rate(0.8 * sums.length(), sums.length());
        if now > 0.8 * ramp.highest() {
            return Ok(());
        }
        let (reached, ended) = (ramp.highest(), recording.began);
        ramp.flat = Some(now);
        let mut found = limit(self.session, &wanted, &ramp)?;
        let rate = found.per_second.value;
        // A disk that was only disturbed is faster at the depth of that rate.
        if (rate / now - 1.0).abs() > 0.1 {
            return Ok(());
        }
        found.burst = Some(Burst::uncounted(Estimate::at_least(reached, 0.0), ended));
        self.known(target).ios = ramp;
        self.known(target).small = Some(rate);
        self.put(found);
        Ok(())
    }

    /// The throughput of large reads, and the limit on small ones once a burst has ended.
    pub(crate) fn large(&mut self, target: usize) -> Result<(), Halt> {
        let before = self.known(target).small;
        let bytes = self.throughput(target, before)?;
        let Some(before) = before else { return self.after_unlimited(target) };
        let now = self.recheck(target)?;
        self.known(target).small = Some(now);
        // Large reads that the limit in I/Os held below the burst showed no limit in bytes.
        let block = self.known(target).bytes.as_ref().map_or(LARGE, |(block, _)| *block);
        let was_ios = bytes.is_some_and(|bytes| (bytes / f64::from(block) / now - 1.0).abs() < 0.07);
        if now < 0.9 * before && was_ios {
            if let Some(at) = self.place(target, Counts::Bytes, Scope::Reads) {
                self.answer.limits.remove(at);
            }
            self.throughput(target, Some(now))?;
        }
        Ok(())
    }

    /// The throughput of large reads: a limit, unless the limit in I/Os is lower there as well.
    fn throughput(&mut self, target: usize, small: Option<f64>) -> Result<Option<f64>, Halt> {
        self.known(target).throughput = None;
        for block in [LARGE, LARGEST] {
            let wanted = self.wanted(target, Counts::Bytes, Scope::Reads, block);
            let large = ramp(self.session, &wanted)?;
            let reached = large.highest() * f64::from(block);
            self.answer.targets[target].ramps_ended[1] = true;
            let best = &mut self.answer.targets[target].reached_bytes;
            *best = best.max(reached);
            self.known(target).bytes = Some((block, large.clone()));
            let Some(flat) = large.flat else { continue };
            // At the limit in I/Os it is that limit which holds.
            if small.is_some_and(|small| flat > 0.93 * small) {
                continue;
            }
            self.put(preliminary(&wanted, &large));
            let found = limit(self.session, &wanted, &large)?;
            let rate = found.per_second.value;
            self.put(found);
            self.known(target).throughput = Some(rate);
            return Ok(Some(rate));
        }
        Ok(None)
    }

    /// The charge of large I/Os. A throughput limit that is only the charge of units is none.
    pub(crate) fn charge(&mut self, target: usize) -> Result<(), Halt> {
        let known = self.known(target).clone();
        let Some(ios) = known.small else {
            self.answer.targets[target].accounting = Some(Accounting::NoLimit);
            return Ok(());
        };
        let Some(bytes) = known.throughput else {
            let whole = Bytes(LARGEST.into());
            // Large I/Os take longer than small ones, and so need a deeper queue.
            let large = known.bytes.as_ref().map_or(0, |(_, ramp)| ramp.deep());
            let depth = known.ios.depth().max(large);
            let is_unit = charged_twice(self.session, target, LARGEST, ios, depth)?;
            self.answer.targets[target].accounting =
                Some(if is_unit { Accounting::Unit(whole) } else { Accounting::EachUpTo(whole) });
            return Ok(());
        };
        let Some(between) = self.between(target, ios) else { return Ok(()) };
        let points = sizes(self.session, target, between)?;
        let accounting = accounting(&points, between);
        let answer = &mut self.answer.targets[target];
        (answer.sizes, answer.accounting) = (points, Some(accounting));
        if let Accounting::Unit(unit) = accounting
            && (between.crossing() / unit.get() as f64 - 1.0).abs() < 0.05
            && let Some(at) = self.place(target, Counts::Bytes, Scope::Reads)
        {
            self.answer.limits.remove(at);
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

    /// Number of I/Os of one size that the limits of a target let through, a second and at once.
    pub(crate) fn below(&self, target: usize, block: u32) -> Below {
        let known = self.known[target].as_ref();
        let small = known.and_then(|known| known.small).unwrap_or(f64::MAX);
        let bytes = known.and_then(|known| known.throughput).unwrap_or(f64::MAX);
        let per_second = small.min(bytes / f64::from(block));
        // A large I/O takes as much of the limit as it is slower than a small one.
        let limit_at_once = |counts, charge: f64| {
            let limit = self.read_limit(target, counts).map(|at| &self.answer.limits[at]);
            limit.map_or(f64::MAX, |limit| limit.at_once() / charge)
        };
        let at_once = limit_at_once(Counts::Ios, small / per_second)
            .min(limit_at_once(Counts::Bytes, f64::from(block)));
        Below { per_second, at_once }
    }

    /// The latency of one size, below every limit.
    pub(crate) fn latency(&mut self, target: usize, mix: Mix, block: u32) -> Result<(), Halt> {
        let known = self.known(target).clone();
        let small = known.ios.latency;
        let large = known.bytes.as_ref().map_or(small, |(_, ramp)| ramp.latency);
        let expected = small + (large - small).max(0.0) * f64::from(block) / f64::from(LARGE);
        let step = Step { mix, ..Step::reads(target, block, 1, Span::ZERO) };
        let below = self.below(target, block);
        // How limits on writes are enforced is not asked.
        let below = if mix == Mix::Reads { below } else { Below { at_once: 0.0, ..below } };
        let Some(found) = latency::latency(self.session, &step, below, expected)? else { return Ok(()) };
        let all = &mut self.answer.targets[target].latencies;
        let same =
            |one: &&mut crate::answer::FoundLatency| (one.is_write, one.block) == (found.is_write, block);
        match all.iter_mut().find(same) {
            Some(before) => *before = before.with(&found),
            None => all.push(found),
        }
        Ok(())
    }

    /// The limit on what the cache serves, and its size, as far as a budget reads that leaves this time to spare. Returns true if
    /// that ended the reading.
    pub(crate) fn cache(&mut self, target: usize, spare: Span) -> Result<bool, Halt> {
        let Some(mut hits) = self.known(target).hits else { return Ok(false) };
        let wanted =
            Wanted { region: Some(hits.region), ..self.wanted(target, Counts::Ios, Scope::Hits, SMALL) };
        // What other experiments have pushed out is read again.
        cache::refresh(self.session, target, hits)?;
        let served = ramp_of_client(self.session, &wanted)?;
        if served.flat.is_some() {
            let found = limit(self.session, &wanted, &served)?;
            let below = Below { per_second: found.per_second.value, at_once: found.at_once() };
            self.put(found);
            // Hits that the limit held back are slower than the cache.
            if let Some(paced) =
                latency::latency(self.session, &wanted.step(1, Span::ZERO), below, hits.hit_median)?
            {
                hits.hit = paced.mean;
            }
        }
        let depth = self.known(target).bytes.as_ref().map_or(16, |(_, ramp)| ramp.depth());
        let (found, is_cut) = cache::size(self.session, target, hits, depth, spare)?;
        if served.flat.is_none() {
            self.note(target, format!("no limit on cache hits up to {:.0} IOPS", served.highest()));
        }
        if found.size.is_none() {
            let mib = found.at_least >> 20;
            self.note(target, format!("the cache holds {mib} MiB or more: a longer --budget reads more"));
        }
        self.answer.targets[target].cache = Some(found);
        Ok(is_cut)
    }

    /// Limits that the targets share.
    pub(crate) fn shared(&mut self, counts: Counts) -> Result<(), Halt> {
        let block = match counts {
            Counts::Ios => SMALL,
            Counts::Bytes => {
                let of = |known: &Known| known.bytes.as_ref().map_or(LARGE, |(block, _)| *block);
                self.known.iter().flatten().map(of).max().unwrap_or(LARGE)
            }
        };
        let of = |(target, known): (usize, &Known)| {
            let ramp = match (counts, &known.bytes) {
                (Counts::Bytes, Some((_, ramp))) => ramp,
                _ => &known.ios,
            };
            let found = self.read_limit(target, counts).map(|at| &self.answer.limits[at]);
            // Without a limit of its own a target adds what this depth reaches, which the others do not change.
            let depth = if ramp.flat.is_some() { ramp.depth() } else { 64 };
            let bucket = match found.map(|found| found.enforcement) {
                Some(Enforcement::Bucket { depth }) => depth.value,
                _ => 0.0,
            };
            Alone { target, depth, limit: found.map(|found| found.per_second.value), bucket }
        };
        let known = self.known.iter().enumerate();
        let alone: Vec<Alone> =
            known.filter_map(|(at, known)| known.as_ref().map(|known| of((at, known)))).collect();
        let found = shared(self.session, &alone, counts, Scope::Reads, block)?;
        self.answer.limits.extend(found);
        Ok(())
    }

    /// Limits of writes, and whether reads share them.
    pub(crate) fn writes(&mut self, target: usize) -> Result<(), Halt> {
        let large = self.known(target).bytes.as_ref().map_or(LARGE, |(block, _)| *block);
        let (mut ios, mut bytes) = (None::<f64>, None);
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
            let reads = self.place(target, counts, Scope::Reads);
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
            self.put(found);
        }
        // Latencies stay below the limits of writes.
        let reads = self.known(target).clone();
        (self.known(target).small, self.known(target).throughput) =
            (ios.or(reads.small), bytes.or(reads.throughput));
        let all = LATENCIES.into_iter().try_for_each(|block| self.latency(target, Mix::Writes, block));
        *self.known(target) = reads;
        all
    }
}
