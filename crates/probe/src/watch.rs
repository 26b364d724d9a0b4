//! Bursts above a limit: a long load that sees one end, and the rate while its credits last.

use iobound_units::{Instant, Span};

use crate::answer::{Burst, Enforcement, Estimate, FoundLimit};
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
