//! What an I/O feels: the media's distribution, the two faces of the algorithms, and the same draws everywhere.

mod common;

use common::build::*;
use common::play::{closed, play, play_with, run, tags};
use common::random::Random;
use iobound_model::{
    Blueprint, CacheMode, Change, Credit, Credits, DiskId, Fault, Latency, LimiterSpec, Media, Stack,
};
use iobound_units::{Bytes, Instant, Io, Ppm, Span};
use proptest::prelude::*;

use common::arbitrary::{any_start, blueprint, cases, sketches, trace};

/// Azure's premium media: 2.4 ms to read, 2 ms to write, a floor of 0.8, 20 µs for each KiB beyond 4.
fn premium_media() -> Media {
    let latency = |us| Latency { mean: Span::from_us(us), floor: Ppm(800_000), per_kib: Span::from_us(20) };
    Media { read: latency(2_400), write: latency(2_000) }
}

fn p30(algorithm: iobound_model::Algorithm) -> Blueprint {
    apart(vec![limited("disk", algorithm, PREMIUM, Some(5_000), None)], vec![disk(premium_media(), &[0])])
}

/// The share of latencies in a range of milliseconds.
fn share(latencies: &[u64], from_ms: f64, to_ms: f64) -> f64 {
    let within = latencies.iter().filter(|ns| (from_ms * 1e6..to_ms * 1e6).contains(&(**ns as f64))).count();
    within as f64 / latencies.len() as f64
}

fn saturated(algorithm: iobound_model::Algorithm, depth: u32) -> Vec<u64> {
    let mut random = Random(11);
    let loops = vec![closed(depth, move |_| Io::read(target(0), random.below(1 << 23) * 4096, 4096))];
    let mut stack = Stack::new(&p30(algorithm), &SPENT, tags(&loops)).expect("a valid blueprint");
    run(&mut stack, loops, 5 * S, 25 * S).remove(0).latencies
}

#[test]
fn under_a_sliced_limiter_latency_is_bimodal() {
    // Depth 64 empties a slice of 255 in four rounds of 2.4 ms; then each of 64 waits for the next slice.
    let latencies = saturated(SLICE, 64);
    let (fast, between, slow) =
        (share(&latencies, 1.9, 6.0), share(&latencies, 6.0, 38.0), share(&latencies, 38.0, 55.0));
    assert!((0.70..0.80).contains(&fast), "{fast}");
    assert!((0.20..0.30).contains(&slow), "{slow}");
    assert!(between < 0.001, "{between}");
}

#[test]
fn under_a_bucket_latency_is_smooth() {
    // Little's law: 64 / 5,100 a second = 12.5 ms, for all.
    let latencies = saturated(BUCKET, 64);
    assert!(share(&latencies, 11.0, 17.0) > 0.99);
    let mean = latencies.iter().sum::<u64>() as f64 / latencies.len() as f64;
    assert!((mean / 12.549e6 - 1.0).abs() < 0.01, "{mean}");
}

#[test]
fn both_algorithms_give_the_same_iops() {
    let rate = |algorithm| saturated(algorithm, 64).len() as f64 / 20.0;
    assert!((rate(SLICE) / 5_100.0 - 1.0).abs() < 0.005 && (rate(BUCKET) / 5_100.0 - 1.0).abs() < 0.005);
}

/// Latencies of I/Os that meet no limiter.
fn media(io: impl Fn(u64) -> Io) -> Vec<u64> {
    let blueprint = apart(vec![], vec![disk(premium_media(), &[])]);
    let trace: Vec<_> = (0..100_000).map(|n| (0, io(n))).collect();
    play(&mut Stack::new(&blueprint, &FULL, trace.len()).expect("a valid blueprint"), &trace).times()
}

fn mean_ms(latencies: &[u64]) -> f64 {
    latencies.iter().sum::<u64>() as f64 / latencies.len() as f64 / 1e6
}

#[test]
fn media_latency_has_a_floor_of_the_mean_and_an_exponential_tail() {
    let reads = media(|_| Io::read(target(0), 0, 4096));
    assert!((mean_ms(&reads) / 2.4 - 1.0).abs() < 0.01, "{}", mean_ms(&reads));
    let floor = *reads.iter().min().expect("some");
    assert!((1_920_000..1_921_000).contains(&floor), "{floor}");
    // P(more than floor + t × 0.48 ms) = e^−t.
    for (t, expected) in [(1.0, 0.3679), (2.0, 0.1353), (4.0, 0.0183)] {
        let beyond = share(&reads, 1.92 + t * 0.48, 1e6);
        assert!((beyond - expected).abs() < 0.005, "{t}: {beyond}");
    }
    let writes = media(|_| Io::write(target(0), 0, 4096));
    assert!((mean_ms(&writes) / 2.0 - 1.0).abs() < 0.01, "{}", mean_ms(&writes));
}

#[test]
fn each_kib_beyond_four_takes_its_time() {
    let expected = [(512, 2.4), (4096, 2.4), (64 * KIB, 2.4 + 60.0 * 0.02), (256 * KIB, 2.4 + 252.0 * 0.02)];
    for (len, expected) in expected {
        let got = mean_ms(&media(|_| Io::read(target(0), 0, len)));
        assert!((got / expected - 1.0).abs() < 0.01, "{len}: {got}");
        let said = premium_media().read.mean_for(u64::from(len)).ns() as f64 / 1e6;
        assert!((said - expected).abs() < 1e-6, "{len}: {said}");
    }
}

#[test]
fn the_nth_io_of_a_disk_draws_the_same_whatever_happens_on_others() {
    let blueprint = apart(vec![], vec![disk(premium_media(), &[]), disk(premium_media(), &[])]);
    let drawn = |trace: &[(u64, Io)], disk: u16, seed| {
        let mut stack = Stack::new(&blueprint, &start(seed), trace.len()).expect("a valid blueprint");
        let played = play(&mut stack, trace);
        let of_disk = trace.iter().zip(&played.done).filter(|((_, io), _)| io.target == target(disk));
        of_disk.map(|(_, done)| done.spent.media.ns()).collect::<Vec<_>>()
    };
    let mut random = Random(1);
    let alone: Vec<_> = (0..500).map(|n| (n * MS, Io::read(target(0), 0, 4096))).collect();
    let mixed: Vec<_> =
        (0..2_000).map(|n| (n * MS, Io::read(target(u16::from(random.below(4) > 0)), 0, 4096))).collect();
    let (one, other) = (drawn(&alone, 0, 9), drawn(&mixed, 0, 9));
    assert_eq!(one[..other.len().min(500)], other[..other.len().min(500)]);
    assert_ne!(drawn(&mixed, 1, 9)[..400], other[..400], "disks draw apart");
    assert_ne!(drawn(&alone, 0, 10), one, "seeds draw apart");
}

proptest! {
    #![proptest_config(cases(60))]

    #[test]
    fn the_same_seed_gives_the_same_events(
        blueprint in blueprint(), start in any_start(), sketches in sketches(60),
    ) {
        let trace = trace(&blueprint, &sketches);
        let played = |start| play(&mut Stack::new(&blueprint, &start, trace.len()).expect("valid"), &trace);
        prop_assert_eq!(played(start), played(start));
    }
}

/// FNV-1a over the events of a run with a bit of everything.
fn hash_of_everything(seed: u64) -> u64 {
    let bursting = |iops: u64| LimiterSpec {
        credits: Some(Credits { ios: Some(Credit { burst: iops * 4, capacity: 20_000 }), bytes: None }),
        ..premium("disk", iops, 60_000_000)
    };
    let bucket = || limited("disk", BUCKET, Ppm::ONE, Some(1_234), Some(77_000_000));
    let mut blueprint = azure(
        premium("vm.cached", 6_000, 150_000_000),
        premium("vm.uncached", 4_000, 120_000_000),
        // Whatever the disks hold, so that no rule of replacement has a say.
        iobound_model::CacheSpec { hit: premium_media().write, ..cache(Bytes::gib(300)) },
        vec![
            (bursting(500), premium_media(), Some(CacheMode::ReadWrite)),
            (bucket(), premium_media(), Some(CacheMode::ReadOnly)),
            (bursting(240), premium_media(), None),
            (bucket(), premium_media(), None),
        ],
    );
    blueprint.caches[0].dirty_high = Bytes::mib(2);
    blueprint.caches[0].dirty_low = Bytes::mib(1);
    blueprint.volumes = vec![blueprint.volumes[0].clone(), volume(&[1, 2, 3], Bytes::gib(190), 3)];
    blueprint.volumes[1].partition_offset = Bytes::kib(31);
    let mut random = Random(seed);
    let mut at = 0;
    let trace: Vec<_> = (0..20_000)
        .map(|_| {
            at += random.below(1_500 * US) * random.below(2);
            let (to, len) = (target(random.below(2) as u16), 512 << random.below(11));
            let offset = random.below(20_000) * 8_192;
            let io = match random.below(50) {
                0 => Io::flush(to),
                1 => Io::discard(to, offset, len),
                2..20 => Io::write(to, offset, len),
                _ => Io::read(to, offset, len),
            };
            (at, io)
        })
        .collect();
    let mut stack = Stack::new(&blueprint, &start(seed), trace.len()).expect("a valid blueprint");
    stack.prefill(0, 0, 40 << 20);
    let fault = Fault {
        latency: Ppm(3_000_000),
        errors: Ppm(100_000),
        stalled_until: Instant::from_ns(6 * S),
        ..Fault::NONE
    };
    let played = play_with(&mut stack, &trace, |stack, n| {
        let fault = match n {
            9_000 => fault,
            12_000 => Fault::NONE,
            _ => return,
        };
        let change = Change::Fault(DiskId(2), fault);
        stack.change(Instant::from_ns(trace[n].0), change).expect("a disk that is there");
    });
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    let mut eat = |value: u64| {
        for byte in value.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for done in &played.done {
        eat(done.at);
        eat(done.outcome as u64);
        eat(done.spent.total().ns());
    }
    for cleaned in &played.cleaned {
        let parts = [u64::from(cleaned.disk), cleaned.offset, u64::from(cleaned.len), cleaned.at];
        parts.into_iter().for_each(&mut eat);
    }
    hash
}

/// The same bytes out on every machine. A change of this figure is a change of the model: of every prediction, and of
/// every result that was stored beside one. It is made on purpose or not at all.
#[test]
fn a_run_with_a_bit_of_everything_is_golden() {
    assert_eq!(format!("{:016x}", hash_of_everything(42)), "b485abce94b6a260");
    assert_ne!(hash_of_everything(43), hash_of_everything(42));
}
