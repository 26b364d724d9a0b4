//! What comparisons promise: that their intervals hold the truth as often as they say, on seconds that remember the ones
//! before too, and that equals are seldom told apart. By simulation, with seeds.

use iobound_measure::compare::{Compared, Comparison, Pairing, Verdict};
use iobound_measure::result::{Direction, Figure, RunResult, Source};
use iobound_measure::{Cell, CellId, JobLayout, Layout, Loop, Measured, Recorder};
use iobound_units::{Instant, Op, Span, TargetId};

/// A stream of uniform numbers between 0 and 1, the same on every machine: splitmix64.
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Mean 0 and deviation 1: the sum of twelve.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

/// A disk whose seconds remember the one before by `memory`.
#[derive(Clone, Copy)]
struct Disk {
    seconds: u64,
    iops: f64,
    scatter: f64,
    memory: f64,
    /// Additional latency of all I/Os.
    slower: f64,
}

const DISK: Disk = Disk { seconds: 60, iops: 2_000.0, scatter: 0.05, memory: 0.0, slower: 1.0 };

fn measured(disk: Disk, seed: u64) -> Measured {
    let second = 1_000_000_000;
    let mut recorder = Recorder::new(Layout {
        jobs: vec![JobLayout {
            name: "a".into(),
            kind: Loop::Closed,
            requested_depth: Some(1),
            requested_iops: None,
        }],
        threads: 1,
        targets: vec!["t".into()],
        cells: vec![Cell { job: 0, thread: 0, target: TargetId(0) }],
        begin: Instant::ZERO,
        start: Instant::ZERO,
        end: Instant::from_ns(disk.seconds * second),
        interval: Span::from_secs(1),
    });
    let mut draw = Draw(seed.wrapping_mul(0x1234_5678_9abc_def1));
    // It begins as it goes on: with the deviation that it has in the long run, which is 1.
    let mut state = draw.normal();
    let innovation = (1.0 - disk.memory * disk.memory).sqrt();
    for n in 0..disk.seconds {
        let load = 1.0 + disk.scatter * state;
        let count = (disk.iops * load) as u64;
        for k in 0..count {
            let at = Instant::from_ns(n * second + (k + 1) * second / (count + 1));
            // Half of the I/Os between 0.5 and 1.5 ms, the others up to 4 ms, and slower in busy seconds.
            let uniform = draw.next();
            let ms = if uniform < 0.5 { 0.5 + 2.0 * uniform } else { 1.5 + 5.0 * (uniform - 0.5) };
            let latency = (ms * 1e6 * load * disk.slower) as u64;
            let issued = Instant::from_ns(at.ns().saturating_sub(latency));
            recorder.record(CellId(0), Op::Read, 4096, issued, issued, at, true);
        }
        while recorder.advance(Instant::from_ns((n + 1) * second)).is_some() {}
        state = disk.memory * state + innovation * draw.normal();
    }
    recorder.finish(Instant::from_ns(disk.seconds * second), &[])
}

fn result(disk: Disk, seed: u64) -> RunResult {
    RunResult::from_measured(&measured(disk, seed), Source::Measured)
}

/// Of so many pairs of equal disks: how many intervals of each figure's difference hold 0, and the share of comparisons
/// that tell the two apart.
fn equals<const N: usize>(disk: Disk, pairs: u64, figures: [Figure; N]) -> ([f64; N], f64) {
    let (mut held, mut apart) = ([0; N], 0);
    for pair in 0..pairs {
        let (a, b) = (result(disk, 2 * pair + 1), result(disk, 2 * pair + 2));
        for (held, figure) in held.iter_mut().zip(figures) {
            let compared = Compared::of(&a, &b, Pairing::Independent, Direction::All, figure).unwrap();
            let bounds = compared.bounds.expect("there is a series");
            *held += u64::from(bounds.low <= 0.0 && bounds.high >= 0.0);
        }
        apart += u64::from(Comparison::of(&a, &b, Pairing::Independent).verdict == Verdict::Differs);
    }
    (held.map(|held| held as f64 / pairs as f64), apart as f64 / pairs as f64)
}

#[test]
fn intervals_of_independent_seconds_hold_the_truth() {
    // 95 % of 200 comparisons, less three deviations of 1.54 %.
    let figures = [Figure::Iops, Figure::Mean, Figure::P50, Figure::P99];
    let (held, apart) = equals(Disk { iops: 1_200.0, ..DISK }, 200, figures);
    assert!(held.iter().all(|held| *held >= 0.904), "{held:?} held");
    // All of them together are to be told apart in 5 % of the comparisons at most.
    assert!(apart <= 0.05, "{apart} of equals were told apart");
}

#[test]
fn intervals_of_seconds_that_remember_hold_the_truth_nearly_as_often() {
    // With a memory of 0.7 sixty seconds say no more than eleven: (1 + 0.7) / (1 - 0.7) = 5.7. 95 % of 200, less three
    // deviations of 1.54 % (of 100: 2.2 %), and less what the correction can't make up for.
    for (memory, seconds, pairs, least, most) in
        [(0.5, 60, 200, 0.88, 0.06), (0.7, 60, 200, 0.87, 0.06), (0.7, 300, 100, 0.88, 0.06)]
    {
        let ([held], apart) = equals(Disk { memory, seconds, iops: 150.0, ..DISK }, pairs, [Figure::Iops]);
        assert!(held >= least, "{memory} over {seconds} s: {held} held");
        assert!(apart <= most, "{memory} over {seconds} s: {apart} of equals were told apart");
    }
}

#[test]
fn a_disk_that_is_slower_is_told_from_one_that_is_not() {
    let (a, b) = (result(DISK, 1), result(Disk { iops: 1_700.0, slower: 1.3, ..DISK }, 2));
    let comparison = Comparison::of(&a, &b, Pairing::Independent);
    assert_eq!(comparison.verdict, Verdict::Differs);
    // Of a 99.9th percentile a section holds too few I/Os.
    for compared in comparison.figures.iter().filter(|compared| compared.figure != Figure::P999) {
        // 1,700 / 2,000 is 15 % less; latencies are 30 % longer; one deviation of sixty seconds' 5 % is 0.9 % in the difference.
        let truth = if compared.figure.more_is_better() { -0.15 } else { 0.3 };
        let (low, high) = compared.bounds.and_then(|bounds| bounds.relative).expect("it scatters by little");
        assert_eq!(compared.differs, Some(true), "{compared:?}");
        assert!(low - 0.02 <= truth && truth <= high + 0.02, "{compared:?}");
    }
}

#[test]
fn a_figure_without_enough_ios_has_no_interval() {
    // 60 s of 100 IOPS: ten sections of 600 I/Os are too few for a 99th percentile, which the whole has.
    let disk = Disk { iops: 100.0, ..DISK };
    let (a, b) = (result(disk, 1), result(disk, 2));
    let of = |figure| Compared::of(&a, &b, Pairing::Independent, Direction::All, figure).unwrap();
    assert!(of(Figure::P90).bounds.is_some());
    let p99 = of(Figure::P99);
    assert_eq!((p99.bounds, p99.differs), (None, None));
}

#[test]
fn a_series_alone_tells_how_the_rates_scatter() {
    let with = result(DISK, 3);
    let mut without = with.clone();
    without.standard_errors.clear();
    let other = result(DISK, 4);
    let of = |a: &RunResult| {
        Compared::of(a, &other, Pairing::Independent, Direction::All, Figure::Iops).unwrap().bounds.unwrap()
    };
    let (kept, derived) = (of(&with), of(&without));
    assert!(
        (kept.low - derived.low).abs() < 0.5 && (kept.high - derived.high).abs() < 0.5,
        "{kept:?} {derived:?}"
    );
}

#[test]
fn rounds_take_out_what_both_had_in_common() {
    // A machine that gets slower by a quarter: runs that stand for themselves scatter by it, those that take turns do not.
    let rounds: Vec<(RunResult, RunResult)> = (0..10)
        .map(|n| {
            let slowing = 1.0 - f64::from(n) / 40.0;
            let of = |iops: f64, seed| {
                result(Disk { seconds: 2, iops: iops * slowing, scatter: 0.002, ..DISK }, seed)
            };
            (of(2_000.0, u64::try_from(n).unwrap()), of(1_900.0, 100 + u64::try_from(n).unwrap()))
        })
        .collect();
    let whole = |pick: fn(&(RunResult, RunResult)) -> &RunResult| {
        let mut whole = pick(&rounds[0]).clone();
        let mean = rounds.iter().map(|round| pick(round).total.iops.unwrap()).sum::<f64>() / 10.0;
        whole.total.iops = Some(mean);
        whole
    };
    let (a, b) = (whole(|round| &round.0), whole(|round| &round.1));
    let compared = Compared::of(&a, &b, Pairing::Rounds(&rounds), Direction::All, Figure::Iops).unwrap();
    let (low, high) = compared.bounds.unwrap().relative.unwrap();
    // 1,900 / 2,000 is 5 % less; the machine's 25 % are in neither end.
    assert!(low < -0.05 && -0.05 < high && high - low < 0.02, "{low} {high}");
}
