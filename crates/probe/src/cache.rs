//! A read cache before the media: whether there is one, and how much it holds.

use crate::arithmetic::squared;
use iobound_units::Span;

use crate::answer::{Estimate, FoundCache};
use crate::ramp::quantile;
use crate::session::{Border, Halt, Session};
use crate::step::{LARGE, Pace, Recording, SMALL, Step};

const MIB: u64 = 1 << 20;
/// A second read of the same blocks takes less than this share of the first where a cache holds them.
const FASTER: f64 = 0.7;

/// Pause before a pass whose latencies are compared: limits that hold it back have let nothing through by then.
const PAUSE: Span = Span::from_ms(500);

/// Time that is left in any case when a reading ends.
const LEAST_SPARE: Span = Span::from_secs(5);

/// Other regions that are read for the first time before a cache is believed.
const FRESH: u64 = 3;

/// Latencies of a cache's hits, in seconds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hits {
    pub(crate) hit: Estimate,
    pub(crate) hit_median: f64,
    /// Region of the blocks that it holds now.
    pub(crate) region: (u64, u64),
}

/// Each block of a part of the target once, in random order, one after the other.
fn once(target: usize, offset: u64, size: u64) -> Step {
    let step = Step::reads(target, SMALL, 1, Span::from_secs(5));
    Step { region: Some((offset, size)), once: true, with_hits: true, ..step }
}

/// The latency for a share of I/Os that no limit holds back: limits hold the slower ones.
fn fast(recording: &Recording) -> f64 {
    quantile(recording, 0.3)
}

/// Reads blocks twice. `None` where the second time is not faster.
pub(crate) fn find(session: &mut Session<'_>, target: usize) -> Result<Option<Hits>, Halt> {
    let size = session.size(target);
    let region = (size / 3 / MIB * MIB, MIB.min(size));
    let first = session.run(&once(target, region.0, region.1))?;
    // A limit on hits lets none of a pass through at once that the pass before has used.
    let mut again = || {
        session.rest(PAUSE)?;
        session.run(&once(target, region.0, region.1))
    };
    let (second, third) = (again()?, again()?);
    let (miss, hit) = (fast(&first), fast(&second).max(fast(&third)));
    if hit > FASTER * miss || hit <= 0.0 {
        return Ok(None);
    }
    // A disturbance of the first read looks like misses: blocks elsewhere must be as slow when they are read for the first time.
    for eighths in 1..=FRESH {
        session.rest(PAUSE)?;
        let fresh = session.run(&once(target, (size / 3 + size / 8 * eighths) / MIB * MIB, region.1))?;
        if hit > FASTER * fast(&fresh) {
            return Ok(None);
        }
    }
    // The mean without I/Os that a limit held back.
    let latencies = second.ios.iter().chain(&third.ios).map(|io| io.end.since(io.issued).secs_f64());
    let free: Vec<f64> = latencies.filter(|latency| *latency < 5.0 * hit).collect();
    let count = free.len().max(2) as f64;
    let mean = free.iter().sum::<f64>() / count;
    let variance = free.iter().map(|value| squared(value - mean)).sum::<f64>() / (count - 1.0);
    let hit_estimate = Estimate::around(mean, 1.96 * (variance / count).sqrt());
    let border = border(session, target, region, [&first, &second, &third])?;
    session.leave_out_hits(target, border);
    Ok(Some(Hits { hit: hit_estimate, hit_median: hit, region }))
}

/// The border between hits and misses: by the fastest of each, because a limit may hold the others back.
fn border(
    session: &mut Session<'_>,
    target: usize,
    region: (u64, u64),
    [first, second, third]: [&Recording; 3],
) -> Result<Border, Halt> {
    let fastest = |recording: &Recording| quantile(recording, 0.0);
    let hit = fastest(second).min(fastest(third));
    session.rest(PAUSE)?;
    let large = session.run(&Step { block: LARGE, ..once(target, region.0, region.1) })?;
    Ok(Border::of(hit, fastest(first), fastest(&large)))
}

/// Reads the blocks again, so that the cache holds them.
pub(crate) fn refresh(session: &mut Session<'_>, target: usize, hits: Hits) -> Result<(), Halt> {
    session.run(&once(target, hits.region.0, hits.region.1)).map(|_| ())
}

/// Reads ever more from the start, until the first of it is gone; then finds the oldest that is there. Also returns true if the budget,
/// less the time to spare, ended the reading.
pub(crate) fn size(
    session: &mut Session<'_>,
    target: usize,
    hits: Hits,
    depth: u32,
    spare: Span,
) -> Result<(FoundCache, bool), Halt> {
    let whole = session.size(target);
    let mut found = FoundCache { hit: hits.hit, size: None, at_least: hits.region.1 };
    // Misses that no limit holds back, as a look after a rest meets them: the misses that `find` read may have waited for a limit.
    session.rest(PAUSE)?;
    let miss = look(session, target, whole / 3 * 2 / MIB * MIB)?;
    if hits.hit_median > FASTER * miss {
        return Ok((found, false));
    }
    let border = (hits.hit_median * miss).sqrt();
    let mut read = 0;
    let mut until = 128 * MIB;
    // What has been looked at is new again in the cache: each look goes to a place of its own.
    let mut looks = 0;
    loop {
        if until > whole {
            return Ok((found, false));
        }
        while read < until {
            if session.left() < spare.max(LEAST_SPARE) + Span::from_secs(12) {
                return Ok((found, true));
            }
            let fill = Step {
                sequential: true,
                once: true,
                with_hits: true,
                region: Some((read, until - read)),
                pace: Pace::Depth(depth),
                ..Step::reads(target, LARGE, depth, Span::from_secs(10))
            };
            let recording = session.run(&fill)?;
            let moved: u64 = recording.ios.iter().map(|io| u64::from(io.len)).sum();
            if moved < MIB {
                return Ok((found, false));
            }
            read = (read + moved / MIB * MIB).min(until);
        }
        if look(session, target, looks * MIB)? >= border {
            break;
        }
        looks += 1;
        found.at_least = until;
        until += until / 2 / MIB * MIB;
    }
    // Bytes before the end of what was read: the nearer are there, the farther are gone.
    let (mut near, mut far) = (found.at_least.min(read) / 2, read);
    while far - near > near / 24 + MIB {
        let age = near + (far - near) / 2;
        if look(session, target, (read - age) / MIB * MIB)? < border {
            near = age;
        } else {
            far = age;
        }
    }
    let middle = (near + far) as f64 / 2.0;
    found.size = Some(Estimate { value: middle, low: near as f64, high: far as f64 });
    found.at_least = near;
    Ok((found, false))
}

/// The latency of 24 blocks at this place: of hits where the cache holds them.
fn look(session: &mut Session<'_>, target: usize, offset: u64) -> Result<f64, Halt> {
    let part = Step {
        region: Some((offset, 96 << 10)),
        once: true,
        with_hits: true,
        ..Step::reads(target, SMALL, 1, Span::from_secs(2))
    };
    Ok(quantile(&session.run(&part)?, 0.4))
}
