//! A depth ramp: the depth is doubled until the rate is flat.

use iobound_units::Span;

use crate::answer::{Enforcement, Estimate, Evidence, FoundLimit, RampPoint};
use crate::cumulative::Cumulative;
use crate::session::{Halt, Session};
use crate::step::Recording;
use crate::wanted::Wanted;

/// Twice the depth gains less than this where the rate is flat.
pub(crate) const FLAT: f64 = 1.15;
/// Rates that differ by less are equal.
const REACHED: f64 = 0.97;
/// The deepest queue of a target.
pub(crate) const DEEPEST: u32 = 256;
/// Length of an experiment of a ramp.
const RAMP: Span = Span::from_ms(1_500);

/// Result of a depth ramp.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ramp {
    pub(crate) points: Vec<RampPoint>,
    /// Median latency of an I/O that nothing holds back, in seconds.
    pub(crate) latency: f64,
    /// The rate at which it is flat, in I/Os a second; `None` where it still grew.
    pub(crate) flat: Option<f64>,
}

impl Ramp {
    /// Twice the depth that the flat rate needs by the latency of an I/O that nothing holds back. A disk that gets slower under load
    /// needs more: then the least depth that reached the rate.
    pub(crate) fn depth(&self) -> u32 {
        let flat = self.flat.unwrap_or(0.0);
        let reached = self.points.iter().find(|point| point.per_second >= REACHED * flat);
        let least = reached.map_or(0, |point| point.depth);
        ((2.0 * flat * self.latency).ceil() as u32).max(least).clamp(2, DEEPEST)
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
    let mut ramp = Ramp::default();
    climb(session, wanted, &mut ramp)?;
    Ok(ramp)
}

/// The same, up to the depth at which the client lacks processor time: what is faster than the client has no limit that it sees.
pub(crate) fn ramp_of_client(session: &mut Session<'_>, wanted: &Wanted) -> Result<Ramp, Halt> {
    let mut ramp = Ramp::default();
    match climb(session, wanted, &mut ramp) {
        Err(Halt::Starved) if !ramp.points.is_empty() => Ok(ramp),
        climbed => climbed.map(|()| ramp),
    }
}

fn climb(session: &mut Session<'_>, wanted: &Wanted, ramp: &mut Ramp) -> Result<(), Halt> {
    let mut depth = 1;
    loop {
        let point = measure(session, wanted, depth, ramp)?;
        let before = ramp.points.len().checked_sub(1).map(|at| ramp.points[at].per_second);
        ramp.points.push(point);
        if before.is_some_and(|before| point.per_second < FLAT * before) {
            let (mut low, mut high) = (Vec::new(), vec![point.per_second]);
            for _ in 0..2 {
                low.push(measure(session, wanted, depth / 2, ramp)?.per_second);
                high.push(measure(session, wanted, depth, ramp)?.per_second);
            }
            let flat = median(&mut high);
            if flat < FLAT * median(&mut low) {
                ramp.flat = Some(flat);
                return Ok(());
            }
        }
        if depth >= deepest(wanted.block) {
            return Ok(());
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_that_gets_slower_under_load_is_loaded_with_the_depth_that_it_needs() {
        let ramp = |rates: &[f64], flat| {
            let point = |(n, per_second): (usize, &f64)| RampPoint {
                depth: 1 << n,
                per_second: *per_second,
                latency: 0.0,
            };
            let points = rates.iter().enumerate().map(point).collect();
            Ramp { points, latency: 0.0022, flat: Some(flat) }
        };
        // 10 outstanding would do at the latency of depth 1.
        assert_eq!(ramp(&[430.0, 858.0, 1_362.0, 1_905.0, 2_305.0, 2_303.0], 2_303.0).depth(), 16);
        assert_eq!(ramp(&[430.0, 860.0, 1_720.0, 2_303.0, 2_305.0], 2_303.0).depth(), 11);
    }
}
