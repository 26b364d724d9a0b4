//! One limit: a depth ramp until the rate is flat, then the rate and its enforcement in time.

use crate::arithmetic::squared;
use iobound_units::{Instant, Span};

use crate::answer::{Burst, Enforcement, Estimate, Evidence, FoundLimit, RampPoint};
use crate::cumulative::{Change, Cumulative};
use crate::period::period;
use crate::session::{Halt, Session};
use crate::simulated::misfit;
use crate::step::Recording;
use crate::wanted::Wanted;

/// Twice the depth gains less than this where the rate is flat.
const FLAT: f64 = 1.15;
/// The deepest queue of a target.
const DEEPEST: u32 = 256;
/// Length of an experiment of a ramp.
const RAMP: Span = Span::from_ms(1_500);
/// An experiment that something disturbed is repeated this often at most.
const DISTURBED: u32 = 3;
/// The longest rest that earns credits for a burst, in seconds.
const LONGEST_REST: f64 = 20.0;
/// A burst that is over sooner may be what a bucket held, in seconds.
const SHORT_BURST: f64 = 0.5;
/// From this share on of what a queue depth offers, the depth limits a rate.
const DEPTH_LIMITS: f64 = 0.7;
/// Fewer I/Os a slice than this cannot be told from I/Os that are spaced evenly.
const LEAST_QUOTA: f64 = 1.6;

/// Result of a depth ramp.
#[derive(Clone, Debug)]
pub(crate) struct Ramp {
    pub(crate) points: Vec<RampPoint>,
    /// Median latency of an I/O that nothing holds back, in seconds.
    pub(crate) latency: f64,
    /// The rate at which it is flat, in I/Os a second; `None` where it still grew.
    pub(crate) flat: Option<f64>,
}

impl Ramp {
    /// Twice the depth that the flat rate needs.
    pub(crate) fn depth(&self) -> u32 {
        let flat = self.flat.unwrap_or(0.0);
        ((2.0 * flat * self.latency).ceil() as u32).clamp(2, DEEPEST)
    }

    /// The depth of its flat rate, or the deepest that was tried.
    pub(crate) fn deep(&self) -> u32 {
        let last = self.points.last().map_or(2, |point| point.depth);
        if self.flat.is_some() { self.depth() } else { last }
    }

    /// The highest rate of all depths.
    pub(crate) fn highest(&self) -> f64 {
        self.points.iter().map(|point| point.per_second).fold(0.0, f64::max)
    }
}

/// Quantile of latencies in seconds; zero where there are none.
pub(crate) fn quantile(recording: &Recording, share: f64) -> f64 {
    let mut all: Vec<u64> = recording.ios.iter().map(|io| io.end.since(io.issued).ns()).collect();
    if all.is_empty() {
        return 0.0;
    }
    let at = ((all.len() - 1) as f64 * share) as usize;
    *all.select_nth_unstable(at).1 as f64 / 1e9
}

/// Doubles the depth until the rate is flat, and repeats the last two depths so that a disturbance does not look like a limit.
pub(crate) fn ramp(session: &mut Session<'_>, wanted: &Wanted) -> Result<Ramp, Halt> {
    let mut ramp = Ramp { points: Vec::new(), latency: 0.0, flat: None };
    let mut depth = 1;
    loop {
        let point = measure(session, wanted, depth, &mut ramp)?;
        let before = ramp.points.len().checked_sub(1).map(|at| ramp.points[at].per_second);
        ramp.points.push(point);
        if before.is_some_and(|before| point.per_second < FLAT * before) {
            let (mut low, mut high) = (Vec::new(), vec![point.per_second]);
            for _ in 0..2 {
                low.push(measure(session, wanted, depth / 2, &mut ramp)?.per_second);
                high.push(measure(session, wanted, depth, &mut ramp)?.per_second);
            }
            let flat = median(&mut high);
            if flat < FLAT * median(&mut low) {
                ramp.flat = Some(flat);
                return Ok(ramp);
            }
        }
        if depth >= deepest(wanted.block) {
            return Ok(ramp);
        }
        depth *= 2;
    }
}

/// The deepest queue for a size: all I/Os outstanding on a target take 64 MiB at most, unless they are few.
pub(crate) fn deepest(block: u32) -> u32 {
    ((64 << 20) / block).clamp(32, DEEPEST)
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 { values[middle] } else { (values[middle - 1] + values[middle]) / 2.0 }
}

fn measure(
    session: &mut Session<'_>,
    wanted: &Wanted,
    depth: u32,
    ramp: &mut Ramp,
) -> Result<RampPoint, Halt> {
    let recording = session.run(&wanted.step(depth, RAMP))?;
    let counts = Cumulative::of(&recording, 0.005, |_| 1.0);
    let per_second = counts.rate(0.3 * counts.length(), counts.length());
    if depth == 1 && ramp.points.is_empty() {
        // A limit holds I/Os back at depth 1 as well where it is low: those that it lets through at once are the fastest.
        ramp.latency = quantile(&recording, 0.5).min(1.15 * quantile(&recording, 0.1));
    }
    let sum: f64 = recording.ios.iter().map(|io| io.end.since(io.issued).secs_f64()).sum();
    let latency = sum / recording.ios.len().max(1) as f64;
    Ok(RampPoint { depth, per_second, latency })
}

/// The limit where a ramp became flat: rests, loads the disk at twice the knee, and looks at the completions.
pub(crate) fn limit(session: &mut Session<'_>, wanted: &Wanted, ramp: &Ramp) -> Result<FoundLimit, Halt> {
    let weight = wanted.weight();
    let depth = ramp.depth();
    let offered = f64::from(depth) * wanted.targets.len() as f64 / ramp.latency.max(1e-7) * weight;
    let mut rest = 2.0;
    let mut disturbed = 0;
    loop {
        session.rest(seconds(rest))?;
        let time = 3.5 + 1.5 * rest;
        let recording = session.run(&wanted.step(depth, seconds(time)))?;
        let sums = wanted.cumulative(&recording, 0.005);
        let change = sums.change(0.01, time - 1.5).filter(|change| change.before > 1.1 * change.after);
        let from = change.map_or(0.3, |change| change.at + 0.2).min(time - 1.2);
        let steady = steady(&sums, from);
        // A rate below that of the ramp is a burst that ended, unless it comes back at once: then something else was slow.
        if disturbed < DISTURBED
            && let Some(flat) = ramp.flat.map(|flat| flat * weight).filter(|flat| steady.value < 0.9 * flat)
            && sustained(session, wanted, ramp, Span::from_secs(3))?.value > 0.95 * flat
        {
            disturbed += 1;
            continue;
        }
        let surplus = match change {
            Some(change) => change.surplus,
            None => sums.change(from.max(0.02), from + 0.02).map_or(0.0, |change| change.surplus),
        };
        let depth_seconds = (surplus + steady.value * ramp.latency) / steady.value.max(1e-9);
        // The rest refilled all that was used: more rest shows whether there is more.
        let is_refill = depth_seconds > 0.85 * rest;
        if is_refill && rest < 7.0 {
            rest *= 2.0;
            continue;
        }
        let ios = steady.value / weight;
        let slice = period(&recording, from).filter(|period| period.seconds * ios >= LEAST_QUOTA);
        let mut bursts = change.is_some_and(|change| change.before < 0.85 * offered);
        // A disk that gets slower under load offers less than that: what a bucket holds passes faster from a deeper queue.
        if let Some(shallow) = change.filter(|_| bursts && !is_refill && depth_seconds > 0.1) {
            session.rest(seconds(rest))?;
            let deeper = session.run(&wanted.step(2 * depth, seconds(time)))?;
            let deep = wanted.cumulative(&deeper, 0.005).change(0.01, time - 1.5);
            bursts = deep.is_none_or(|deep| deep.before < FLAT * shallow.before);
        }
        let enforcement = match slice {
            Some(slice) => Enforcement::Slice {
                length: Estimate::around(slice.seconds, 0.01 * slice.seconds),
                quota: slice.seconds * steady.value,
                correlation: slice.correlation,
            },
            None if is_refill => Enforcement::Unresolved,
            None if bursts && depth_seconds > 0.1 => Enforcement::Unresolved,
            None => Enforcement::Bucket { depth: bucket_depth(depth_seconds, 2.0 / ios.max(1e-9)) },
        };
        // A change where only a bucket was emptied shows no burst's rate: the ramp may, and a later question asks for it.
        let burst = change.filter(|_| bursts && depth_seconds > 0.5).and_then(|change| {
            let rate = rate_of_burst(&sums, change, steady.value)?;
            let ended = recording.began + seconds(change.at);
            Some(Burst::uncounted(Estimate::around(rate, 0.01 * rate), ended))
        });
        // The ramp was flat at a higher rate for longer than a bucket lasts, or a rest earns more than a bucket holds: that is a
        // burst, at the rate of that depth.
        // What a bucket held made the first depths faster: the last one is the nearest to the burst's rate.
        let last = ramp.points.last().map(|point| point.per_second);
        let seen = if is_refill { last } else { ramp.flat };
        let higher = seen.map(|seen| seen * weight).filter(|seen| *seen > 1.3 * steady.value);
        // The ramp's depths may have limited it, or it ended within them: a later question asks for its rate.
        let burst = burst
            .or(higher.map(|seen| Burst::uncounted(Estimate::at_least(seen, 0.25 * seen), recording.began)));
        let evidence = Evidence {
            ramp: ramp.points.clone(),
            staircase: staircase(&recording, from),
            // The simulation knows no burst.
            misfit: if burst.is_none() {
                misfit(wanted, steady.value, enforcement, ramp.latency, depth, &sums)
            } else {
                None
            },
        };
        return Ok(FoundLimit {
            counts: wanted.counts,
            scope: wanted.scope,
            targets: wanted.targets.clone(),
            per_second: steady,
            enforcement,
            burst,
            watched: seconds(time),
            evidence,
        });
    }
}

/// The depth of a bucket from its measured depth; `step` is the time of two I/Os at the limit. All in seconds.
///
/// A negative depth shows that the measurement is wrong by at least as much: the depth is then known to be below that.
fn bucket_depth(measured: f64, step: f64) -> Estimate {
    let error = step + if measured < 0.0 { -measured } else { 0.03 * measured };
    Estimate::around(measured.max(0.0), error)
}

/// The limit that a ramp alone shows, before it is looked at in time: the flat rate within the scatter of its three measurements.
pub(crate) fn preliminary(wanted: &Wanted, ramp: &Ramp) -> FoundLimit {
    let value = ramp.flat.unwrap_or(0.0) * wanted.weight();
    FoundLimit {
        counts: wanted.counts,
        scope: wanted.scope,
        targets: wanted.targets.clone(),
        per_second: Estimate::around(value, 0.05 * value),
        enforcement: Enforcement::Unresolved,
        burst: None,
        watched: RAMP,
        evidence: Evidence { ramp: ramp.points.clone(), ..Evidence::default() },
    }
}

/// The rate of a limit that was loaded before, from the last two thirds of this time.
pub(crate) fn sustained(
    session: &mut Session<'_>,
    wanted: &Wanted,
    ramp: &Ramp,
    time: Span,
) -> Result<Estimate, Halt> {
    let recording = session.run(&wanted.step(ramp.depth(), time))?;
    Ok(steady(&wanted.cumulative(&recording, 0.005), time.secs_f64() / 3.0))
}

/// Loads the disk at its limit for this time: a burst that ends shows the limit below it.
pub(crate) fn watch(
    session: &mut Session<'_>,
    wanted: &Wanted,
    found: &mut FoundLimit,
    ramp: &Ramp,
    time: Span,
) -> Result<(), Halt> {
    let depth = ramp.depth();
    let recording = session.run(&wanted.step(depth, time))?;
    found.watched = time;
    let sums = wanted.cumulative(&recording, 0.02);
    let known = found.per_second;
    let lasting = steady(&sums, 0.6 * sums.length());
    let fell = lasting.value > 0.0 && lasting.high < 0.9 * known.value && lasting.share() < 0.05;
    let change = sums.change(0.05, sums.length() - 1.0).and_then(|change| {
        let after = sums.rate(change.at + 0.2, sums.length());
        let before = sums.rate(0.0, change.at - 0.1);
        let is_burst = change.before >= 1.1 * change.after
            && change.at <= sums.length() - 1.0
            && before >= 1.1 * after
            && before >= 0.9 * known.value;
        is_burst.then_some((change, before, after))
    });
    let Some((change, before, after)) = change else {
        if fell {
            // The burst ended in an earlier experiment.
            end_burst(found, lasting, known, recording.began);
        }
        return Ok(());
    };
    // A bucket that was full after a pause, or the quota that a slice carries over, is no burst.
    let used = change.at * (before - after);
    if used < without_burst(found) && !fell {
        return Ok(());
    }
    let offered = f64::from(depth) / ramp.latency.max(1e-7) * wanted.weight();
    // What the depth limits may be more at another depth.
    let per_second = match before > 0.8 * offered {
        true => Estimate::at_least(before, 0.0),
        // The limit was flat at the burst's rate; a bucket that was full adds to the rate from the start.
        false => known,
    };
    let ended = recording.began + seconds(change.at);
    end_burst(found, steady(&sums, change.at + 0.2), per_second, ended);
    Ok(())
}

/// The most that passes beyond a limit's rate where it has no burst: what a bucket held, or a slice carried over.
fn without_burst(found: &FoundLimit) -> f64 {
    match found.enforcement {
        Enforcement::Bucket { depth } => 1.5 * depth.high * found.per_second.value,
        Enforcement::Slice { quota, .. } => 4.0 * quota,
        Enforcement::Unresolved => 0.5 * found.per_second.value,
    }
}

/// A burst that ended during the ramp: `used` passed beyond the limit's rate until then, and the ramp was faster than the limit.
/// Its rate is at least the ramp's highest.
pub(crate) fn burst_in_ramp(found: &FoundLimit, ramp: &Ramp, used: f64, ended: Instant) -> Option<Burst> {
    let (highest, sustained) = (ramp.highest(), found.per_second.value);
    let is_burst = highest > 1.3 * sustained && used > without_burst(found).max(0.5 * sustained);
    is_burst.then(|| Burst::uncounted(Estimate::at_least(highest, 0.0), ended))
}

/// A limit whose burst has ended: the limit is what lasts, and the burst had this rate until then.
fn end_burst(found: &mut FoundLimit, lasting: Estimate, per_second: Estimate, ended: Instant) {
    found.per_second = lasting;
    if let Enforcement::Slice { length, quota, .. } = &mut found.enforcement {
        *quota = length.value * lasting.value;
    }
    found.burst = Some(Burst::uncounted(per_second, ended));
}

/// The rate of a burst whose credits a rest has earned: the depth is doubled until the rate before the credits are spent is
/// flat. The rest is doubled where all that it earned passed as fast as the depth lets it: a bucket that holds more hides the burst.
/// `None` where no rate above the limit was seen.
pub(crate) fn burst_rate(
    session: &mut Session<'_>,
    wanted: &Wanted,
    ramp: &Ramp,
    sustained: f64,
    depth: u32,
) -> Result<Option<Estimate>, Halt> {
    let mut depth = depth.clamp(1, DEEPEST) * 2;
    let mut rest = 5.0_f64;
    let mut flat = None::<f64>;
    while depth <= 2 * DEEPEST {
        let time = (0.6 * rest).max(3.0);
        session.rest(seconds(rest))?;
        let recording = session.run(&wanted.step(depth, seconds(time)))?;
        let sums = wanted.cumulative(&recording, 0.005);
        let change = sums.change(0.01, time - 0.2).filter(|change| change.before > 1.1 * change.after);
        let rate = match change {
            Some(change) => rate_of_burst(&sums, change, sustained),
            // The burst outlasts the experiment.
            None => Some(sums.rate(0.0, sums.length())).filter(|whole| *whole > 1.1 * sustained),
        };
        let offered = f64::from(depth) / ramp.latency.max(1e-7) * wanted.weight();
        if let Some(rate) = rate.filter(|rate| *rate < DEPTH_LIMITS * offered) {
            // A disk that gets slower under load offers less than that: twice the depth tells.
            if rate < 0.5 * offered || flat.is_some_and(|flat| rate < FLAT * flat) {
                return Ok(Some(Estimate::around(rate, 0.02 * rate)));
            }
            flat = Some(rate);
        } else if change.is_some_and(|change| change.at < SHORT_BURST) && rest < LONGEST_REST {
            // All that the rest earned passed as fast as the depth lets it: a bucket may hold more, and says nothing of the burst.
            rest *= 2.0;
            continue;
        }
        depth *= 2;
    }
    Ok(flat.map(|flat| Estimate::at_least(flat, 0.0)))
}

/// The rate of a burst. What a bucket held passes before it, as fast as the depth lets it: the burst's own rate follows. `None`
/// where only a bucket was emptied.
fn rate_of_burst(sums: &Cumulative, change: Change, sustained: f64) -> Option<f64> {
    // The burst goes on after a bucket was emptied, and may end later.
    if change.after > 1.1 * sustained {
        let later = sums.part(change.at, sums.length());
        let end = later.change(0.1, later.length() - 0.3);
        let end = end.filter(|end| end.before > 1.1 * end.after && end.after < 1.1 * sustained);
        return Some(end.map_or(change.after, |end| end.before));
    }
    let until = sums.part(0.0, 0.97 * change.at);
    let bucket = until.change(0.02, until.length() - 0.05);
    if let Some(bucket) = bucket
        && bucket.before > 1.1 * bucket.after
        && bucket.after > 1.1 * sustained
    {
        return Some(bucket.after);
    }
    // A burst that is over at once is what a bucket holds.
    if change.at < 0.1 {
        return None;
    }
    let late = sums.rate(0.4 * change.at, 0.95 * change.at);
    Some(if late > 1.1 * sustained { late } else { change.before })
}

/// The rate from this second on, with its interval: from the rates of four parts.
fn steady(sums: &Cumulative, from: f64) -> Estimate {
    let part = (sums.length() - from) / 4.0;
    let at = |n: f64| from + n * part;
    let value = sums.rate(from, sums.length());
    let rates = [0.0, 1.0, 2.0, 3.0].map(|n| sums.rate(at(n), at(n + 1.0)));
    let variance = rates.iter().map(|rate| squared(rate - value)).sum::<f64>() / 3.0;
    // Student's t of 3 degrees of freedom, and the ends of the window.
    Estimate::around(value, (3.18 * (variance / 4.0).sqrt()).max(0.002 * value))
}

/// I/Os in each millisecond from this second on.
fn staircase(recording: &Recording, from: f64) -> Vec<u32> {
    let mut counts = vec![0; 400];
    for io in &recording.ios {
        let at = (io.end.since(recording.began).secs_f64() - from) * 1e3;
        if at >= 0.0 && (at as usize) < counts.len() {
            counts[at as usize] += 1;
        }
    }
    counts
}

/// A time in seconds.
pub(crate) fn seconds(time: f64) -> Span {
    Span::from_ns((time * 1e9) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_whose_measured_depth_is_negative_is_below_a_bound() {
        let close = |one: f64, other: f64| (one - other).abs() < 1e-12;
        let depth = bucket_depth(-0.050, 0.000_2);
        assert!(close(depth.value, 0.0) && close(depth.low, 0.0), "{depth:?}");
        assert!(close(depth.high, 0.050_2), "50 ms and two I/Os: {depth:?}");
        let depth = bucket_depth(0.1, 0.001);
        assert!(close(depth.low, 0.096) && close(depth.high, 0.104), "3 % and two I/Os: {depth:?}");
    }
}
