//! Time that a simulation runs before it counts.

use iobound_model::{Blueprint, Dimension};
use iobound_units::Span;

use crate::ceiling::{ceiling, enforced_limits};
use crate::demand::Flow as Demanding;

/// Time that the parts of a second run take to come to rest: until all that is outstanding has passed twice, and the
/// limiters have forgotten two slices.
pub(crate) fn time_to_rest(flows: &[Demanding], blueprint: &Blueprint, outstanding: u64) -> Span {
    let iops = ceiling(flows, &enforced_limits(blueprint)).iops.filter(|iops| *iops > 0.0);
    let seconds = iops.map_or(0.0, |iops| 2.0 * outstanding as f64 / iops);
    Span::from_ns(((seconds * 1e9) as u64).clamp(250_000_000, 600_000_000_000))
}

/// Time that the queues take to come to rest: until all that is outstanding has passed twice, and, where two
/// limits are nearly equal, until the queue has moved from the one to the other (`patient`: the figures at the
/// limiters are asked for as well).
pub(crate) fn settling_time(
    flows: &[Demanding],
    blueprint: &Blueprint,
    outstanding: u64,
    patient: bool,
) -> Span {
    const LONGEST_MOVE: f64 = 4.0;
    let limits = enforced_limits(blueprint);
    let at_most = ceiling(flows, &limits);
    let Some(iops) = at_most.iops.filter(|iops| *iops > 0.0) else { return Span::from_ms(500) };
    let mut seconds = 2.0 * outstanding as f64 / iops;
    if patient {
        for (limiter, limits) in limits.iter().enumerate() {
            for dimension in Dimension::ALL {
                let Some(limit) = limits[dimension as usize] else { continue };
                let asks = |flow: &Demanding| -> f64 {
                    let of = |d: &&crate::demand::Demand| {
                        usize::from(d.limiter.0) == limiter && d.dimension == dimension
                    };
                    flow.demands.iter().find(of).map_or(0.0, |d| d.amount)
                };
                let rates = at_most.shares.iter().map(|share| share.iops.unwrap_or(0.0));
                let share =
                    flows.iter().zip(rates).map(|(flow, rate)| asks(flow) * rate).sum::<f64>() / limit;
                if share > 0.9 && share < 0.9999 {
                    let moving = outstanding as f64 / (iops / share - iops);
                    seconds = seconds.max(moving.min(LONGEST_MOVE));
                }
            }
        }
    }
    // The figures at the limiters of slow disks take longer to even out than a band's mean does.
    let least = if patient { 500_000_000 } else { 300_000_000 };
    Span::from_ns(((seconds * 1e9) as u64).clamp(least, 600_000_000_000))
}
