//! Bursts above a limit: a long load that sees one end, and the rate while its credits last.

use iobound_units::{Instant, Span};

use crate::answer::{Burst, Enforcement, Estimate, FoundLimit};
use crate::cumulative::Cumulative;
use crate::limit::{rate_of_burst, seconds, steady};
use crate::ramp::{DEEPEST, FLAT, Ramp};
use crate::session::{Halt, Session};
use crate::wanted::Wanted;

/// The longest rest that earns credits for a burst, in seconds.
const LONGEST_REST: f64 = 20.0;
/// A burst that is over sooner may be what a bucket held, in seconds.
const SHORT_BURST: f64 = 0.5;
/// From this share on of what a queue depth offers, the depth limits a rate.
const DEPTH_LIMITS: f64 = 0.7;

/// Length of a part of a long load, after which the completions so far are looked at.
const PART: Span = Span::from_secs(10);
/// Interval in which the completions of a long load are counted, in seconds.
const INTERVAL: f64 = 0.02;

/// Loads the disk at this depth, in parts no longer than `part`, until its completions are enough, and for the time `at_most`. Returns
/// the completions, and when the load began.
pub(crate) fn load_until(
    session: &mut Session<'_>,
    wanted: &Wanted,
    depth: u32,
    [part, at_most]: [Span; 2],
    is_enough: impl Fn(&Cumulative) -> bool,
) -> Result<(Cumulative, Instant), Halt> {
    let parts = at_most.ns().div_ceil(part.ns()).max(1);
    let step = wanted.step(depth, Span::from_ns(at_most.ns() / parts));
    let recording = session.run(&step)?;
    let (mut sums, began) = (wanted.cumulative(&recording, INTERVAL), recording.began);
    for _ in 1..parts {
        if is_enough(&sums) {
            break;
        }
        sums.append(&wanted.cumulative(&session.run(&step)?, INTERVAL));
    }
    Ok((sums, began))
}

/// Loads the disk at its limit, for this time at most: a burst that ends shows the limit below it. The load ends one part after the
/// burst, so that what a longer budget adds to it takes nothing of the experiments that follow.
pub(crate) fn watch(
    session: &mut Session<'_>,
    wanted: &Wanted,
    found: &mut FoundLimit,
    ramp: &Ramp,
    at_most: Span,
) -> Result<(), Halt> {
    let depth = ramp.depth();
    let offered = f64::from(depth) / ramp.latency.max(1e-7) * wanted.weight();
    let end = |sums: &Cumulative| end_of_burst(sums, found, offered);
    let is_over = |sums: &Cumulative| end(sums).is_some_and(|end| end.at + PART.secs_f64() <= sums.length());
    let (sums, began) = load_until(session, wanted, depth, [PART, at_most], is_over)?;
    let end = end(&sums);
    found.watched = found.watched.max(seconds(sums.length()));
    if let Some(BurstEnd { at, per_second, lasting }) = end {
        found.per_second = lasting;
        if let Enforcement::Slice { length, quota, .. } = &mut found.enforcement {
            *quota = length.value * lasting.value;
        }
        found.burst = Some(Burst::uncounted(per_second, began + seconds(at)));
    }
    Ok(())
}

/// A burst that ended.
struct BurstEnd {
    /// Seconds since the load began.
    at: f64,
    /// Rate of the burst.
    per_second: Estimate,
    /// Rate after it.
    lasting: Estimate,
}

/// The end of a burst above a limit that was taken for one that lasts; `None` where there is none.
fn end_of_burst(sums: &Cumulative, found: &FoundLimit, offered: f64) -> Option<BurstEnd> {
    let known = found.per_second;
    let lasting = steady(sums, 0.6 * sums.length());
    let fell = lasting.value > 0.0 && lasting.high < 0.9 * known.value && lasting.share() < 0.05;
    let change = sums.change(0.05, sums.length() - 1.0).and_then(|change| {
        let after = sums.rate(change.at + 0.2, sums.length());
        let before = sums.rate(0.0, change.at - 0.1);
        let is_burst = change.before >= 1.1 * change.after
            && change.at <= sums.length() - 1.0
            && before >= 1.1 * after
            && before >= 0.9 * known.value;
        is_burst.then_some((change.at, before, after))
    });
    let Some((at, before, after)) = change else {
        // The burst ended in an earlier experiment.
        return fell.then_some(BurstEnd { at: 0.0, per_second: known, lasting });
    };
    // A bucket that was full after a pause, or the quota that a slice carries over, is no burst.
    if at * (before - after) < without_burst(found) && !fell {
        return None;
    }
    // What the depth limits may be more at another depth. Otherwise the limit was flat at the burst's rate; a bucket that was full
    // adds to the rate from the start.
    let per_second = if before > 0.8 * offered { Estimate::at_least(before, 0.0) } else { known };
    Some(BurstEnd { at, per_second, lasting: steady(sums, at + 0.2) })
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
