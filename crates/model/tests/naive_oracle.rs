//! The stack against the simplest thing that obeys the rules: a clock that ticks, queues, and nothing clever.
//!
//! Fed with arrival traces: two closed loops would diverge at their first difference. The figures are such that
//! everything falls on the tick (or a whole number of ticks from a slice's edge), so completion times must be equal
//! to the nanosecond.

mod common;

use common::arbitrary::cases;
use std::collections::{BTreeMap, VecDeque};

use common::build::*;
use common::edges::first_edge;
use common::play::play;
use iobound_model::{Algorithm, Blueprint, ByteCharge, CacheMode, Charge, Limit, LimiterSpec, Merge, Stack};
use iobound_units::{Bytes, Io, Op, Span};
use proptest::prelude::*;

const TICK: u64 = 10 * US;
const MICRO: i128 = 1_000_000;
const LATENCY: u64 = 2 * MS;
const HIT: u64 = 60 * US;

/// One limit. A slice's balance is in millionths of a unit, a bucket's in nanoseconds of its rate.
enum Meter {
    Slice { quota: i128, balance: i128 },
    Bucket { unit_ns: i128, depth: i128, level: i128 },
}

impl Meter {
    fn new(limit: Limit, limiter: &LimiterSpec) -> Meter {
        let per_s = i128::from(limit.published) * i128::from(limiter.factor.0);
        match limiter.algorithm {
            Algorithm::Slice { length } => {
                let quota = per_s * i128::from(length.ns());
                assert_eq!(quota % i128::from(S), 0, "the oracle knows no fractions");
                let quota = quota / i128::from(S);
                // An idle limiter has the quota of the slice before as well.
                Meter::Slice { quota, balance: 2 * quota }
            }
            Algorithm::Bucket { depth } => {
                assert_eq!(1_000_000 * i128::from(S) % per_s, 0, "the oracle knows no fractions");
                let depth = i128::from(depth.ns());
                Meter::Bucket { unit_ns: 1_000_000 * i128::from(S) / per_s, depth, level: depth }
            }
        }
    }

    fn time_passes(&mut self, ns: u64) {
        if let Meter::Bucket { depth, level, .. } = self {
            *level = (*level + i128::from(ns)).min(*depth);
        }
    }

    fn slice_begins(&mut self) {
        if let Meter::Slice { quota, balance } = self {
            *balance = (*balance).min(*quota) + *quota;
        }
    }

    fn is_open(&self, charge: u64) -> bool {
        match self {
            _ if charge == 0 => true,
            Meter::Slice { balance, .. } => *balance > 0,
            Meter::Bucket { unit_ns, depth, level } => *level >= (unit_ns * i128::from(charge)).min(*depth),
        }
    }

    fn take(&mut self, charge: u64) {
        match self {
            Meter::Slice { balance, .. } => *balance -= i128::from(charge) * MICRO,
            Meter::Bucket { unit_ns, level, .. } => *level -= *unit_ns * i128::from(charge),
        }
    }
}

/// Counts units by filling them, one after the other.
#[derive(Clone, Copy)]
struct Filling {
    /// End of the last I/O.
    end: u64,
    /// Fill of its last unit.
    filled: u64,
}

struct NaiveCharge {
    spec: Charge,
    /// By disk, and whether it writes.
    fillings: BTreeMap<(u16, bool), Filling>,
}

impl NaiveCharge {
    /// Units, bytes, and the filling as it is behind the I/O.
    fn of(&self, io: Io) -> (u64, u64, Option<Filling>) {
        let len = u64::from(io.len);
        let (unit, least, bytes) = match self.spec {
            Charge::Each => return (1, len, None),
            Charge::Per(unit) => return (len.div_ceil(unit.get()), len, None),
            Charge::Merged(Merge { unit, least, bytes, .. }) => (unit.get(), least.get(), bytes),
        };
        let key = (io.target.0, io.op == Op::Write);
        let before = self.fillings.get(&key).filter(|filling| filling.end == io.offset && len >= least);
        let (mut units, mut filled, mut rest) = (0, before.map_or(unit, |filling| filling.filled), len);
        while rest > 0 {
            if filled == unit {
                (units, filled) = (units + 1, 0);
            }
            let step = rest.min(unit - filled);
            (rest, filled) = (rest - step, filled + step);
        }
        let filled = if len < least { unit } else { filled };
        let bytes = if bytes == ByteCharge::WholeUnits { units * unit } else { len };
        (units, bytes, Some(Filling { end: io.offset + len, filled }))
    }

    fn pass(&mut self, io: Io, filling: Option<Filling>) {
        if let Some(filling) = filling {
            self.fillings.insert((io.target.0, io.op == Op::Write), filling);
        }
    }
}

struct NaiveLimiter {
    charge: NaiveCharge,
    ios: Option<Meter>,
    bytes: Option<Meter>,
    /// The first slice's end, and the length.
    slices: Option<(u64, u64)>,
    queue: VecDeque<usize>,
}

impl NaiveLimiter {
    fn new(spec: &LimiterSpec, seed: u64, index: u16) -> NaiveLimiter {
        let slices = match spec.algorithm {
            Algorithm::Slice { length } => Some((first_edge(seed, index, length.ns()), length.ns())),
            Algorithm::Bucket { .. } => None,
        };
        let meter = |limit: Option<Limit>| limit.map(|limit| Meter::new(limit, spec));
        let charge = NaiveCharge { spec: spec.charge, fillings: BTreeMap::new() };
        NaiveLimiter {
            charge,
            ios: meter(spec.ios),
            bytes: meter(spec.bytes),
            slices,
            queue: VecDeque::new(),
        }
    }

    fn time_passes(&mut self, now: u64, ns: u64) {
        let is_edge =
            self.slices.is_some_and(|(edge, length)| now >= edge && (now - edge).is_multiple_of(length));
        for meter in [&mut self.ios, &mut self.bytes].into_iter().flatten() {
            meter.time_passes(ns);
            if is_edge {
                meter.slice_begins();
            }
        }
    }

    /// The head, if it may pass.
    fn admit(&mut self, trace: &[(u64, Io)]) -> Option<usize> {
        let head = *self.queue.front()?;
        let (units, bytes, filling) = self.charge.of(trace[head].1);
        let open = |meter: &Option<Meter>, charge| meter.as_ref().is_none_or(|meter| meter.is_open(charge));
        if !open(&self.ios, units) || !open(&self.bytes, bytes) {
            return None;
        }
        self.ios.as_mut().into_iter().for_each(|meter| meter.take(units));
        self.bytes.as_mut().into_iter().for_each(|meter| meter.take(bytes));
        self.charge.pass(trace[head].1, filling);
        self.queue.pop_front()
    }
}

struct Oracle<'a> {
    trace: &'a [(u64, Io)],
    /// By I/O: its limiters, and the time behind the last.
    paths: Vec<(Vec<u16>, u64)>,
    steps: Vec<usize>,
    limiters: Vec<NaiveLimiter>,
    done: Vec<Option<u64>>,
}

impl Oracle<'_> {
    /// The I/O stands before its next limiter, or is through.
    fn go_on(&mut self, io: usize, now: u64) {
        let (path, latency) = &self.paths[io];
        match path.get(self.steps[io]) {
            Some(limiter) => self.limiters[usize::from(*limiter)].queue.push_back(io),
            None => self.done[io] = Some(now + latency),
        }
        self.steps[io] += 1;
    }

    /// Limiters are numbered along the paths, so once in that order is enough.
    fn serve(&mut self, now: u64) {
        for limiter in 0..self.limiters.len() {
            while let Some(io) = self.limiters[limiter].admit(self.trace) {
                self.go_on(io, now);
            }
        }
    }

    fn run(mut self) -> Vec<u64> {
        let mut offsets: Vec<u64> = self
            .limiters
            .iter()
            .filter_map(|limiter| limiter.slices.map(|(edge, _)| edge % TICK))
            .chain([0])
            .collect();
        offsets.sort_unstable();
        offsets.dedup();
        let (mut tick, mut last, mut next) = (0, 0, 0);
        while self.done.iter().any(Option::is_none) {
            for offset in &offsets {
                let now = tick + offset;
                for limiter in &mut self.limiters {
                    limiter.time_passes(now, now - last);
                }
                self.serve(now);
                while self.trace.get(next).is_some_and(|(at, _)| *at == now) {
                    self.go_on(next, now);
                    self.serve(now);
                    next += 1;
                }
                last = now;
            }
            tick += TICK;
        }
        self.done.into_iter().flatten().collect()
    }
}

/// What a disk is to its I/Os: without cache, with one that holds what is read, or with one that does not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Uncached,
    Hits,
    Misses,
}

#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    /// VM cached, VM uncached, then the disks'.
    limiters: Vec<LimiterSpec>,
    shapes: Vec<Shape>,
    trace: Vec<(u64, Io)>,
}

fn limiters(count: usize) -> impl Strategy<Value = Vec<LimiterSpec>> {
    let sliced = (
        prop::sample::select(vec![5u64, 10, 20, 50]),
        prop::option::weighted(0.8, 300u64..4_000),
        prop::option::weighted(0.6, 20u64..400),
    )
        .prop_map(|(ms, iops, mb)| {
            let algorithm = Algorithm::Slice { length: Span::from_ms(ms) };
            limited("limiter", algorithm, PREMIUM, iops, mb.map(|mb| mb * 1_000_000))
        });
    // A unit's time and a byte's are such that every I/O costs whole ticks.
    let bucket = (
        prop::sample::select(vec![1u64, 10, 50, 200]),
        prop::option::weighted(0.8, prop::sample::select(vec![400u64, 500, 1_000, 2_000, 4_000])),
        prop::option::weighted(0.6, prop::sample::select(vec![20u64, 50, 100, 200])),
    )
        .prop_map(|(ms, iops, mb)| {
            let algorithm = Algorithm::Bucket { depth: Span::from_ms(ms) };
            limited("limiter", algorithm, iobound_units::Ppm::ONE, iops, mb.map(|mb| mb * 1_000_000))
        });
    // Of units whose bytes take a bucket whole ticks; no I/O is merged below 16 KB.
    let merged =
        (prop::sample::select(vec![256_000u64, 1_000_000]), any::<bool>()).prop_map(|(unit, whole)| {
            let bytes = if whole { ByteCharge::WholeUnits } else { ByteCharge::Moved };
            Charge::Merged(Merge { unit: Bytes(unit), least: Bytes(16_000), bytes, streams: 1 })
        });
    let charge = prop_oneof![1 => Just(Charge::Per(Bytes::kib(256))), 1 => merged];
    let limiter = (prop_oneof![2 => sliced, 1 => bucket], charge)
        .prop_map(|(limiter, charge)| LimiterSpec { charge, ..limiter });
    prop::collection::vec(limiter, count)
}

/// Nothing is read twice, so what was not there before is a miss: each I/O begins in a place of its own, or where the
/// one before it in its place ended (no miss does: what is present is known in sixteenths of a line, so it might hit).
const PLACE: u64 = 2 * MIB as u64;

fn random_case() -> impl Strategy<Value = Case> {
    let shape = prop::sample::select(vec![Shape::Uncached, Shape::Hits, Shape::Misses]);
    prop::collection::vec(shape, 1..=6).prop_flat_map(|shapes| {
        let disks = shapes.len() as u16;
        let gap = prop_oneof![4 => Just(0u64), 6 => 0..50u64, 2 => 0..1_000u64, 1 => 0..20_000u64];
        let len = prop_oneof![
            8 => prop::sample::select(vec![2_000u32, 4_000, 16_000, 64_000]),
            1 => prop::sample::select(vec![262_000u32, 300_000, 1_000_000, 2_000_000]),
        ];
        let io = (gap, 0..disks, len, prop::bool::weighted(0.3), prop::bool::weighted(0.6));
        (any::<u64>(), limiters(2 + shapes.len()), Just(shapes), prop::collection::vec(io, 1..140)).prop_map(
            |(seed, limiters, shapes, ios)| {
                let may_go_on = |disk: u16, is_write| is_write || shapes[usize::from(disk)] != Shape::Misses;
                let mut at = 0;
                let mut ends: BTreeMap<(u16, bool), u64> = BTreeMap::new();
                let trace = ios
                    .into_iter()
                    .enumerate()
                    .map(|(n, (ticks, disk, len, is_write, goes_on))| {
                        at += ticks * TICK;
                        let fits =
                            |end: &u64| !end.is_multiple_of(PLACE) && end % PLACE + u64::from(len) <= PLACE;
                        let end = ends.get(&(disk, is_write)).copied().filter(fits);
                        let offset =
                            end.filter(|_| goes_on && may_go_on(disk, is_write)).unwrap_or(n as u64 * PLACE);
                        ends.insert((disk, is_write), offset + u64::from(len));
                        (at, if is_write { Io::write } else { Io::read }(target(disk), offset, len))
                    })
                    .collect();
                Case { seed, limiters, shapes, trace }
            },
        )
    })
}

impl Case {
    fn blueprint(&self) -> Blueprint {
        let mut disks = Vec::new();
        for (n, shape) in self.shapes.iter().enumerate() {
            let mode = (*shape != Shape::Uncached).then_some(CacheMode::ReadOnly);
            disks.push((self.limiters[2 + n].clone(), constant(LATENCY), mode));
        }
        azure(self.limiters[0].clone(), self.limiters[1].clone(), cache(Bytes::gib(400)), disks)
    }

    fn simulated(&self) -> Vec<u64> {
        let blueprint = self.blueprint();
        let mut stack =
            Stack::new(&blueprint, &start(self.seed), self.trace.len()).expect("a valid blueprint");
        for (n, shape) in self.shapes.iter().enumerate() {
            if *shape == Shape::Hits {
                stack.prefill(n, 0, self.trace.len() as u64 * PLACE);
            }
        }
        play(&mut stack, &self.trace).times()
    }

    fn expected(&self) -> Vec<u64> {
        let paths = self
            .trace
            .iter()
            .map(|(_, io)| {
                let (disk, own) = (usize::from(io.target.0), 2 + io.target.0);
                match (self.shapes[disk], io.op) {
                    (Shape::Uncached, _) => (vec![1, own], LATENCY),
                    (Shape::Hits, Op::Read) => (vec![0], HIT),
                    _ => (vec![0, 1, own], LATENCY),
                }
            })
            .collect();
        let limiters =
            self.limiters.iter().zip(0..).map(|(spec, n)| NaiveLimiter::new(spec, self.seed, n)).collect();
        let count = self.trace.len();
        Oracle { trace: &self.trace, paths, steps: vec![0; count], limiters, done: vec![None; count] }.run()
    }
}

proptest! {
    #![proptest_config(cases(64))]

    #[test]
    fn completion_times_are_those_of_the_naive_oracle(case in random_case()) {
        prop_assert_eq!(case.simulated(), case.expected());
    }
}
