//! Charge of large I/Os, and of sequential ones.

use crate::arithmetic::squared;
use iobound_units::{Bytes, Span};

use crate::answer::{Accounting, SizePoint};
use crate::cumulative::Cumulative;
use crate::session::{Halt, Session};
use crate::step::Step;

const TIME: Span = Span::from_ms(2_000);
/// Experiments that spend tokens and credits, at most.
pub(crate) const SPENDING: usize = 6;
/// The largest unit that is looked for.
const LARGEST: u64 = 1 << 20;

/// Limits of a target, a second, that the sizes are between.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Between {
    pub(crate) ios: f64,
    /// Bytes a second of the largest I/Os.
    pub(crate) bytes: f64,
    /// Depth that reaches both.
    pub(crate) depth: u32,
}

impl Between {
    /// The size above which the largest I/Os' throughput is the lower limit.
    pub(crate) fn crossing(&self) -> f64 {
        self.bytes / self.ios
    }

    /// I/Os a second of a size, where each begun unit is charged.
    fn expected(&self, block: u32, unit: Option<u64>, has_bytes: bool) -> f64 {
        let units = unit.map_or(1, |unit| u64::from(block).div_ceil(unit));
        let by_ios = self.ios / units as f64;
        if has_bytes { by_ios.min(self.bytes / f64::from(block)) } else { by_ios }
    }

    /// Largest relative difference between points and a hypothesis.
    fn worst(&self, points: &[SizePoint], unit: Option<u64>, has_bytes: bool) -> f64 {
        let of = |point: &SizePoint| apart(point.iops, self.expected(point.block, unit, has_bytes)).abs();
        points.iter().map(of).fold(0.0, f64::max)
    }

    /// Mean squared relative difference between points and a hypothesis.
    fn misfit(&self, points: &[SizePoint], unit: Option<u64>, has_bytes: bool) -> f64 {
        let of = |point: &SizePoint| squared(apart(point.iops, self.expected(point.block, unit, has_bytes)));
        points.iter().map(of).sum::<f64>() / points.len().max(1) as f64
    }
}

/// Rates of sizes just above each candidate of a unit: an I/O of one sector more than a unit is charged twice.
pub(crate) fn sizes(
    session: &mut Session<'_>,
    target: usize,
    between: Between,
) -> Result<Vec<SizePoint>, Halt> {
    let mut points = Vec::new();
    let units = (0..).map(|n| 4_096_u64 << n);
    let mut units: Vec<u64> =
        units.take_while(|unit| *unit <= LARGEST && (*unit as f64) < 2.0 * between.crossing()).collect();
    // The largest first: they empty the bucket of bytes, which the smaller do not fill again.
    units.reverse();
    if let Some(largest) = units.first() {
        spend(session, target, (largest + 4_096) as u32, between)?;
    }
    for unit in units {
        let block = (unit + 4_096) as u32;
        let rate = random_rate(session, target, block, between.depth)?;
        points.push(SizePoint { block, iops: rate });
    }
    points.reverse();
    Ok(points)
}

/// Loads the target until the tokens and credits that a rest has earned are spent: small I/Os pass at the limit, and large ones
/// at a rate that does not fall any more.
fn spend(session: &mut Session<'_>, target: usize, large: u32, between: Between) -> Result<(), Halt> {
    for _ in 0..3 * SPENDING {
        if random_rate(session, target, 4_096, between.depth)? < 1.1 * between.ios {
            break;
        }
    }
    for _ in 0..SPENDING {
        let recording = session.run(&Step::reads(target, large, between.depth, TIME))?;
        let counts = Cumulative::of(&recording, 0.005, |_| 1.0);
        let part = |from: f64| counts.rate(from * counts.length(), (from + 0.4) * counts.length());
        if part(0.1) < 1.05 * part(0.6) {
            break;
        }
    }
    Ok(())
}

/// True if an I/O of one sector more than this size passes half as often as the limit in I/Os allows.
pub(crate) fn charged_twice(
    session: &mut Session<'_>,
    target: usize,
    size: u32,
    ios: f64,
    depth: u32,
) -> Result<bool, Halt> {
    let between = Between { ios, bytes: f64::from(size) * ios, depth };
    spend(session, target, size + 4_096, between)?;
    Ok((random_rate(session, target, size + 4_096, depth)? / ios - 0.5).abs() < 0.05)
}

fn random_rate(session: &mut Session<'_>, target: usize, block: u32, depth: u32) -> Result<f64, Halt> {
    let recording = session.run(&Step::reads(target, block, depth, TIME))?;
    let counts = Cumulative::of(&recording, 0.005, |_| 1.0);
    Ok(counts.rate(0.5 * counts.length(), counts.length()))
}

/// The charge that explains the points best: each candidate of a unit, with and without a throughput limit, is compared.
pub(crate) fn accounting(points: &[SizePoint], between: Between) -> Accounting {
    let mut best: Option<(f64, u64, bool)> = None;
    let mut unit = 4_096_u64;
    while unit <= LARGEST {
        for has_bytes in [false, true] {
            let misfit = between.misfit(points, Some(unit), has_bytes);
            if best.is_none_or(|(least, ..)| misfit < least) {
                best = Some((misfit, unit, has_bytes));
            }
        }
        unit *= 2;
    }
    let crossing = Bytes((between.crossing() / 4096.0).round().max(1.0) as u64 * 4_096);
    let plain = between.misfit(points, None, true).min(between.misfit(points, None, false));
    match best {
        Some((misfit, unit, has_bytes))
            if misfit < 0.3 * plain
                && (plain > 6e-3
                    || between.worst(points, None, true) > 0.15
                        && between.worst(points, Some(unit), has_bytes) < 0.05) =>
        {
            Accounting::Unit(Bytes(unit))
        }
        _ if crossing.get() as f64 > 0.9 * LARGEST as f64 => Accounting::EachUpTo(Bytes(LARGEST)),
        _ => Accounting::HiddenFrom(crossing),
    }
}

/// The size up to which sequential reads are charged as one.
pub(crate) fn merging(
    session: &mut Session<'_>,
    target: usize,
    between: Between,
) -> Result<Option<Bytes>, Halt> {
    const BLOCK: u32 = 32 << 10;
    if between.crossing() < 1.25 * f64::from(BLOCK) {
        return Ok(None);
    }
    // Credits that pauses have earned would make sequential reads faster as well.
    let mut before = random_rate(session, target, BLOCK, between.depth)?;
    for _ in 0..3 * SPENDING {
        if before < 1.1 * between.ios {
            break;
        }
        before = random_rate(session, target, BLOCK, between.depth)?;
    }
    if before > 1.1 * between.ios {
        return Ok(None);
    }
    // Where nothing else has read, so that no cache holds it.
    let size = session.size(target);
    let part = |eighths: u64| size / 8 * eighths / (1 << 20) * (1 << 20);
    let region = (size >= 64 << 20).then(|| (part(5), part(3)));
    let recording = session.run(&Step {
        sequential: true,
        region,
        ..Step::reads(target, BLOCK, 2 * between.depth, TIME)
    })?;
    let counts = Cumulative::of(&recording, 0.005, |_| 1.0);
    let sequential = counts.rate(0.5 * counts.length(), counts.length());
    let random = before.max(random_rate(session, target, BLOCK, between.depth)?);
    if random < 0.9 * between.ios || sequential < 1.2 * random {
        return Ok(None);
    }
    // The nearest power of two.
    let merged = sequential / random * f64::from(BLOCK);
    let mut size = u64::from(BLOCK);
    while size as f64 * std::f64::consts::SQRT_2 < merged {
        size *= 2;
    }
    Ok(Some(Bytes(size)))
}

/// Difference of two rates relative to their mean: near that of their logarithms, and the same on every machine.
fn apart(one: f64, other: f64) -> f64 {
    2.0 * (one - other) / (one + other).max(1e-9)
}
