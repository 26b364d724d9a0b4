//! Transport overhead, and a blueprint that subtracts it: a client that waits for the modelled latency
//! and for the transport sees the modelled latency.

use std::time::Instant;

use iobound_model::{Blueprint, Latency};
use iobound_units::{Ppm, Span};

/// A latency that is smaller than the transport's cost: it is felt longer than it is modelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Short {
    /// Latency that is concerned, in words: `reads of data.0`, `hits of the host cache`.
    pub of: String,
    /// Overhead that cannot be subtracted.
    pub by: Span,
}

/// A blueprint whose latencies are smaller by `cost` in the mean, and where that was more than there is.
pub fn make_up(blueprint: &Blueprint, cost: Span) -> (Blueprint, Vec<Short>) {
    let (mut blueprint, mut short) = (blueprint.clone(), Vec::new());
    if cost.is_zero() {
        return (blueprint, short);
    }
    let mut take = |latency: &mut Latency, of: &dyn Fn() -> String| {
        let by = cost.ns().saturating_sub(latency.mean.ns());
        *latency = less(*latency, cost);
        if by > 0 {
            short.push(Short { of: of(), by: Span::from_ns(by) });
        }
    };
    for disk in &mut blueprint.disks {
        let name = &disk.name;
        take(&mut disk.media.read, &|| format!("reads of {name}"));
        take(&mut disk.media.write, &|| format!("writes of {name}"));
    }
    let several = blueprint.caches.len() > 1;
    for (n, cache) in blueprint.caches.iter_mut().enumerate() {
        let which = if several { format!("host cache {n}") } else { "the host cache".to_string() };
        take(&mut cache.hit, &|| format!("hits of {which}"));
        take(&mut cache.ack, &|| format!("acknowledgements of {which}"));
    }
    (blueprint, short)
}

/// A latency whose mean is less by `cost`. What no I/O is faster than is shortened first, so that the scatter stays; what
/// that lacks is taken from the scatter.
fn less(latency: Latency, cost: Span) -> Latency {
    let (mean, floor) = (latency.mean.ns(), latency.floor.of(latency.mean.ns()));
    let mean_left = mean.saturating_sub(cost.ns());
    let floor_left = floor.saturating_sub(cost.ns());
    let share = match mean_left {
        0 => Ppm::ONE,
        left => Ppm((u128::from(floor_left) * 1_000_000 / u128::from(left)) as u32),
    };
    Latency { mean: Span::from_ns(mean_left), floor: share, ..latency }
}

/// Time of every I/O of [`resting`], at least and at most: so long that client and emulator sleep in between, as they do while they
/// wait for a disk.
const RESTS: [Span; 2] = [Span::from_us(200), Span::from_ms(2)];

/// A blueprint in which nothing is held back and every I/O takes the same time, and that time: what a client waits longer is the
/// transport. It is about the least latency of the blueprint, because a processor that slept for longer takes longer to wake.
pub fn resting(blueprint: &Blueprint) -> (Blueprint, Span) {
    let media = blueprint.disks.iter().flat_map(|disk| [disk.media.read, disk.media.write]);
    let all = media.chain(blueprint.caches.iter().flat_map(|cache| [cache.hit, cache.ack]));
    let least = all.map(|latency| latency.mean).min().unwrap_or_default();
    let [shortest, longest] = RESTS;
    let rest = least.clamp(shortest, longest);
    let mut blueprint = without_limits(blueprint);
    let constant = Latency::constant(rest);
    for disk in &mut blueprint.disks {
        (disk.media.read, disk.media.write) = (constant, constant);
    }
    (blueprint, rest)
}

/// A blueprint without limits and latencies, which leaves the transport.
pub fn without_limits(blueprint: &Blueprint) -> Blueprint {
    let mut blueprint = blueprint.clone();
    let none = Latency::constant(Span::ZERO);
    blueprint.limiters.clear();
    blueprint.caches.clear();
    for disk in &mut blueprint.disks {
        disk.media.read = none;
        disk.media.write = none;
        disk.routes = Default::default();
        disk.cache = None;
    }
    blueprint
}

/// The median of so many round trips, one after the other; the first tenth is not counted.
///
/// # Errors
/// Returns the error of the first round trip that fails.
pub fn median_round_trip<E>(count: usize, mut round_trip: impl FnMut() -> Result<(), E>) -> Result<Span, E> {
    assert!(count > 0, "a median of nothing");
    for _ in 0..count / 10 {
        round_trip()?;
    }
    let mut took = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        round_trip()?;
        took.push(start.elapsed().as_nanos() as u64);
    }
    took.sort_unstable();
    Ok(Span::from_ns(took[count / 2]))
}

/// Measurements of the cost, at most.
const MOST_MEASUREMENTS: usize = 6;

/// Two measurements agree within this share of the lower one, or within [`NEAR`].
const AGREEMENT: f64 = 0.10;

/// Costs that are this close are equal to a client.
const NEAR: Span = Span::from_us(10);

/// The lowest of several measurements of a cost, and the highest where the two lowest do not agree. Other work on the machine
/// can only add to a cost, so it is measured until the two lowest agree.
///
/// # Errors
/// Returns the error of the first measurement that fails.
pub fn lowest<E>(mut measure: impl FnMut() -> Result<Span, E>) -> Result<(Span, Option<Span>), E> {
    let mut all = Vec::with_capacity(MOST_MEASUREMENTS);
    loop {
        all.push(measure()?);
        all.sort_unstable();
        let agree = all.len() > 1 && {
            let apart = all[1].ns() - all[0].ns();
            apart <= NEAR.ns().max((all[0].ns() as f64 * AGREEMENT) as u64)
        };
        if agree {
            return Ok((all[0], None));
        }
        if all.len() == MOST_MEASUREMENTS {
            return Ok((all[0], all.pop()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_units::Bytes;
    use proptest::prelude::*;

    fn one_disk(read: Latency, write: Latency) -> Blueprint {
        let mut blueprint = Blueprint::striped("data", 1, Bytes::mib(1), read);
        blueprint.disks[0].media.write = write;
        blueprint
    }

    #[test]
    fn a_cost_is_the_lowest_on_which_two_measurements_agree() {
        let of = |costs: &[u64]| {
            let mut costs = costs.iter().copied();
            let (found, highest) =
                lowest(|| costs.next().map(Span::from_us).ok_or("too many measurements")).unwrap();
            (found.ns() / 1_000, highest.map(|highest| highest.ns() / 1_000), costs.count())
        };
        assert_eq!(of(&[40, 45]), (40, None, 0));
        // A machine that was busy at first: 3.8 ms is no cost of the transport.
        assert_eq!(of(&[3_800, 60, 900, 64, 70]), (60, None, 1));
        // A machine that is busy all the time.
        assert_eq!(of(&[3_800, 900, 60, 2_000, 90, 3_000]), (60, Some(3_800), 0));
        assert_eq!(lowest(|| Err::<Span, _>("broken")), Err("broken"));
    }

    #[test]
    fn the_floor_is_shortened_before_the_scatter() {
        // 2 ms of which 0.8 is the floor: 1.6 ms, and 0.4 ms of scatter in the mean.
        let azure = Latency { mean: Span::from_ms(2), floor: Ppm(800_000), per_kib: Span::from_us(20) };
        let left = less(azure, Span::from_us(100));
        assert_eq!((left.mean, left.per_kib), (Span::from_us(1_900), azure.per_kib));
        // 1.5 of 1.9 ms.
        assert_eq!(left.floor, Ppm(789_473));
        // Without a floor left, the scatter gives: 0.3 ms in the mean, all of it scatter.
        let left = less(azure, Span::from_us(1_700));
        assert_eq!((left.mean, left.floor), (Span::from_us(300), Ppm(0)));
    }

    #[test]
    fn the_transport_is_measured_with_ios_as_fast_as_the_fastest() {
        let rest = |read_us, write_us| {
            let latency = |us| Latency::constant(Span::from_us(us));
            resting(&one_disk(latency(read_us), latency(write_us))).1
        };
        assert_eq!(rest(900, 700), Span::from_us(700));
        assert_eq!(rest(20, 9_000), Span::from_us(200));
        assert_eq!(rest(7_000, 9_000), Span::from_ms(2));
        assert_eq!(rest(0, 0), Span::from_us(200));
        let (resting, rest) =
            resting(&one_disk(Latency::constant(Span::from_us(900)), Latency::constant(Span::from_us(800))));
        assert_eq!(resting.disks[0].media.read, Latency::constant(rest));
    }

    #[test]
    fn what_cannot_be_made_up_is_said() {
        let blueprint = one_disk(Latency::constant(Span::from_us(30)), Latency::constant(Span::from_us(500)));
        let (made_up, short) = make_up(&blueprint, Span::from_us(50));
        assert_eq!(made_up.disks[0].media.read.mean, Span::ZERO);
        assert_eq!(made_up.disks[0].media.write, Latency::constant(Span::from_us(450)));
        assert_eq!(short, [Short { of: "reads of data.0".into(), by: Span::from_us(20) }]);
        assert_eq!(make_up(&blueprint, Span::ZERO), (blueprint, vec![]));
    }

    #[test]
    fn the_median_is_of_what_was_counted() {
        let mut calls = 0;
        let median = median_round_trip(20, || {
            calls += 1;
            Ok::<(), ()>(())
        });
        assert!(median.is_ok());
        assert_eq!(calls, 22);
        assert_eq!(median_round_trip(20, || Err("gone")), Err("gone"));
    }

    proptest! {
        #[test]
        fn the_mean_is_less_by_the_cost_and_the_floor_stays_below_it(
            mean in 0u64..10_000_000,
            floor in 0u32..=1_000_000,
            cost in 0u64..10_000_000,
        ) {
            let latency = Latency { mean: Span::from_ns(mean), floor: Ppm(floor), per_kib: Span::ZERO };
            let left = less(latency, Span::from_ns(cost));
            prop_assert_eq!(left.mean.ns(), mean.saturating_sub(cost));
            prop_assert!(left.floor <= Ppm::ONE);
            // No I/O becomes slower than it was.
            prop_assert!(left.floor.of(left.mean.ns()) <= latency.floor.of(mean));
        }
    }
}
