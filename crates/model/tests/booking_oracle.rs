//! The stack against booking at admission: where paths do not join, an I/O's whole path can be known when it
//! arrives. (Where they join it cannot: then an I/O that still waits at one limiter takes places at the next.)

mod common;

use common::arbitrary::cases;
use common::build::*;
use common::edges::first_edge;
use common::play::play;
use iobound_model::{Algorithm, LimiterSpec, Stack};
use iobound_units::{Io, Ppm, Span};
use proptest::prelude::*;

/// One limit; amounts are exact, whatever the rate.
enum Booking {
    /// Millionths of a unit; `granted` is ⌊n × limit × length⌋ after n slices.
    Slice { per_slice: u128, slices: u128, end: u64, length: u64, quota: i128, balance: i128 },
    /// Time at which the bucket is full again, and its depth, in ns × `rate` (millionths of a unit a second).
    Bucket { rate: u128, depth: u128, full_at: u128 },
}

impl Booking {
    fn new(per_s: u64, limiter: &LimiterSpec, edge: impl Fn(u64) -> u64) -> Booking {
        let rate = u128::from(per_s) * u128::from(limiter.factor.0);
        match limiter.algorithm {
            Algorithm::Slice { length } => {
                let length = length.ns();
                let per_slice = rate * u128::from(length);
                let granted = |slices: u128| (per_slice * slices / u128::from(S)) as i128;
                // An idle limiter has the quota of the slice before as well.
                let (balance, quota) = (granted(2), granted(2) - granted(1));
                Booking::Slice { per_slice, slices: 2, end: edge(length), length, quota, balance }
            }
            Algorithm::Bucket { depth } => {
                Booking::Bucket { rate, depth: u128::from(depth.ns()) * rate, full_at: 0 }
            }
        }
    }

    /// The earliest time from `at` on that `charge` may pass.
    fn earliest(&mut self, at: u64, charge: u64) -> u64 {
        match self {
            Booking::Slice { per_slice, slices, end, length, quota, balance } => {
                let mut at = at;
                while at >= *end || *balance <= 0 {
                    at = at.max(*end);
                    let granted = |slices: u128| (*per_slice * slices / u128::from(S)) as i128;
                    let grant = granted(*slices + 1) - granted(*slices);
                    (*balance, *quota) = ((*balance).min(*quota) + grant, grant);
                    *slices += 1;
                    *end += *length;
                }
                at
            }
            Booking::Bucket { rate, depth, full_at } => {
                let cost = (u128::from(charge) * 1_000_000 * u128::from(S)).min(*depth);
                at.max((*full_at + cost).saturating_sub(*depth).div_ceil(*rate) as u64)
            }
        }
    }

    fn take(&mut self, at: u64, charge: u64) {
        match self {
            Booking::Slice { balance, .. } => *balance -= i128::from(charge) * 1_000_000,
            Booking::Bucket { rate, full_at, .. } => {
                *full_at =
                    (*full_at).max(u128::from(at) * *rate) + u128::from(charge) * 1_000_000 * u128::from(S);
            }
        }
    }
}

/// A limiter: its limits (of bytes or not), and when the last I/O passed.
type BookedLimiter = (Vec<(bool, Booking)>, u64);

/// Books an I/O at a limiter: when it passes, who came before it having passed at `free` or earlier.
fn book(limits: &mut [(bool, Booking)], free: &mut u64, arrives: u64, len: u32) -> u64 {
    let charge = |is_bytes: bool| if is_bytes { u64::from(len) } else { u64::from(len).div_ceil(256 << 10) };
    let mut at = arrives.max(*free);
    loop {
        let both = limits.iter_mut().fold(at, |at, (is_bytes, limit)| limit.earliest(at, charge(*is_bytes)));
        if both == at {
            break;
        }
        at = both;
    }
    limits.iter_mut().for_each(|(is_bytes, limit)| limit.take(at, charge(*is_bytes)));
    *free = at;
    at
}

fn expected(seed: u64, routes: &[Vec<LimiterSpec>], latency: u64, trace: &[(u64, Io)]) -> Vec<u64> {
    let mut index = 0;
    let mut limiters: Vec<Vec<BookedLimiter>> = Vec::new();
    for route in routes {
        limiters.push(Vec::new());
        for spec in route {
            let limits = [(false, spec.ios), (true, spec.bytes)];
            let edge = |length| first_edge(seed, index, length);
            let booking = |(is_bytes, limit): (bool, Option<iobound_model::Limit>)| {
                limit.map(|limit| (is_bytes, Booking::new(limit.published, spec, edge)))
            };
            let limits = limits.into_iter().filter_map(booking).collect();
            limiters.last_mut().expect("just pushed").push((limits, 0));
            index += 1;
        }
    }
    let path = |(at, io): &(u64, Io)| {
        let limiters = &mut limiters[usize::from(io.target.0)];
        limiters.iter_mut().fold(*at, |at, (limits, free)| book(limits, free, at, io.len)) + latency
    };
    trace.iter().map(path).collect()
}

/// Any slice; of the buckets those whose unit's time is a whole number of 2^−32 ns, as the model keeps it.
fn limiter_spec() -> impl Strategy<Value = LimiterSpec> {
    let sliced = (1_000_000..120 * MS, 800_000u32..1_100_000).prop_flat_map(|(length, factor)| {
        let algorithm = Algorithm::Slice { length: Span::from_ns(length) };
        let limits =
            (prop::option::weighted(0.8, 50u64..9_000), prop::option::weighted(0.6, 1u64..900_000_000));
        limits.prop_map(move |(iops, bytes)| {
            let bytes = bytes.map(|bytes| bytes + 3_000_000);
            limited("limiter", algorithm, Ppm(factor), iops, bytes)
        })
    });
    let bucket = (
        MS..1_500 * MS,
        prop::option::weighted(0.8, prop::sample::select(vec![125u64, 500, 1_024, 2_500, 4_000, 8_192])),
        prop::option::weighted(
            0.6,
            prop::sample::select(vec![8_388_608u64, 25_000_000, 125_000_000, 1 << 29]),
        ),
    )
        .prop_map(|(depth, iops, bytes)| {
            limited("limiter", Algorithm::Bucket { depth: Span::from_ns(depth) }, Ppm::ONE, iops, bytes)
        });
    prop_oneof![sliced, bucket]
}

type Arrival = (u64, u16, u32);

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let gap = prop_oneof![5 => Just(0u64), 5 => 0..MS, 2 => 0..30 * MS, 1 => 0..2 * S];
    let len = prop_oneof![6 => Just(4_096u32), 3 => 1..300_000u32, 1 => 300_000..4_000_000u32];
    prop::collection::vec((gap, 0..4u16, len), 1..400)
}

proptest! {
    #![proptest_config(cases(256))]

    #[test]
    fn without_joins_completion_times_are_those_booked_at_admission(
        seed: u64, arrivals in arrivals(), latency in 0..5 * MS,
        routes in prop::collection::vec(prop::collection::vec(limiter_spec(), 0..=4), 4),
    ) {
        let mut at = 0;
        let trace: Vec<(u64, Io)> = arrivals
            .into_iter()
            .map(|(gap, disk, len)| {
                at += gap;
                (at, Io::read(target(disk), 0, len))
            })
            .collect();
        let mut next = 0;
        let disks = routes
            .iter()
            .map(|route| {
                let ids: Vec<u16> = (next..).take(route.len()).collect();
                next += route.len() as u16;
                disk(constant(latency), &ids)
            })
            .collect();
        let blueprint = apart(routes.concat(), disks);
        let mut stack = Stack::new(&blueprint, &start(seed), trace.len()).expect("a valid blueprint");
        prop_assert_eq!(play(&mut stack, &trace).times(), expected(seed, &routes, latency, &trace));
    }
}
