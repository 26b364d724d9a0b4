//! Loss of a stripe whose disks differ and stall now and then: the low end of its band.
//!
//! A disk stalls 1 to 2 % of the time, so a simulation that met enough stalls of all disks would be long. The disks stall more
//! often in it, and the loss is counted in proportion. Stalls overlap more often then than they do, so it is the most that is
//! lost: over whole periods at 2 % and 0.5 s a stripe of ten P30 at its limit loses 4.5 %.

use iobound_catalog::Resolved;
use iobound_drive::Flow;
use iobound_measure::Interval;
use iobound_model::{LimiterId, Stalls};
use iobound_units::{Ppm, Span};

use crate::conditions::{Conditions, Known};
use crate::error::PredictError;
use crate::scatter::{PossibleHosts, own_limiter};

/// The share of time that each disk stalls in the simulation.
const SIMULATED: Ppm = Ppm(100_000);

/// The limiters that stall as often as simulated.
struct Stalling {
    limiters: Vec<(LimiterId, Stalls)>,
    /// The share of time that they really stall ÷ the simulated one.
    really: f64,
    /// One period of the simulated stalls.
    period: Span,
}

fn stalling(resolved: &Resolved) -> Option<Stalling> {
    let mut found: Option<Stalling> = None;
    let stripes = resolved.blueprint.volumes.iter().filter(|volume| volume.columns > 1);
    for disk in stripes.flat_map(|volume| &volume.disks) {
        let Some(limiter) = own_limiter(&resolved.blueprint, usize::from(disk.0)) else { continue };
        let Some(stalls) = resolved.limiter_bands[usize::from(limiter.0)].stalls else { continue };
        let period = Span::from_ns(stalls.length.ns() * (1_000_000 / u64::from(SIMULATED.0)));
        let found = found.get_or_insert(Stalling { limiters: Vec::new(), really: 0.0, period });
        found.limiters.push((limiter, Stalls { share: SIMULATED, length: stalls.length }));
        found.really = found.really.max(stalls.share.as_f64() / SIMULATED.as_f64());
        found.period = found.period.max(period);
    }
    found
}

/// I/Os a second of stripes whose disks differ and stall; `None` where there is no stripe whose disks do, and where a cache
/// acknowledges writes, which do not wait for the disks behind it.
pub(crate) fn of_stripes(
    conditions: &Conditions<'_>,
    watch: &mut dyn FnMut(&Interval) -> Flow,
) -> Result<Option<f64>, PredictError> {
    let resolved = conditions.question.resolved;
    if conditions.acknowledges() {
        return Ok(None);
    }
    let Some(Stalling { limiters, really, period }) = stalling(resolved) else { return Ok(None) };
    let blueprint = PossibleHosts::of(resolved, conditions.outstanding).of_disks();
    let differing = conditions.settle(&blueprint, Known::Band, watch)?.iops();
    let Some(stalled) = conditions.stalled(&blueprint, &limiters, period, watch)? else {
        return Ok(Some(differing));
    };
    let lost = (1.0 - stalled.iops() / differing).max(0.0) * really;
    Ok(Some(differing * (1.0 - lost.min(1.0))))
}
