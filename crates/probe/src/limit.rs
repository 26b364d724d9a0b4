//! One limit: its rate and its enforcement in time, once a depth ramp is flat.

use iobound_units::Span;

use crate::answer::{Burst, Enforcement, Estimate, Evidence, FoundLimit};
use crate::arithmetic::squared;
use crate::cumulative::{Change, Cumulative};
use crate::period::period;
use crate::ramp::{FLAT, Ramp};
use crate::session::{Halt, Session};
use crate::simulated::misfit;
use crate::step::Recording;
use crate::wanted::Wanted;

/// An experiment that something disturbed is repeated this often at most.
const DISTURBED: u32 = 3;
/// Fewer I/Os a slice than this cannot be told from I/Os that are spaced evenly.
const LEAST_QUOTA: f64 = 1.6;

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

/// The rate of a burst. What a bucket held passes before it, as fast as the depth lets it: the burst's own rate follows. `None`
/// where only a bucket was emptied.
pub(crate) fn rate_of_burst(sums: &Cumulative, change: Change, sustained: f64) -> Option<f64> {
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
pub(crate) fn steady(sums: &Cumulative, from: f64) -> Estimate {
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
