//! A second run is predicted in small and in parts; a run of its own length is the oracle.

mod common;

use common::{Case, near, shared_sequential};
use iobound_drive::Flow;
use iobound_predict::{CacheState, Counted, Effort, Question, Simulated, simulate};
use iobound_units::{Bytes, KIB};
use iobound_workload::Access;

const K: u64 = KIB;

fn whole(case: &Case) -> Simulated {
    let (resolved, workload) = (case.resolved(), case.workload());
    let question = Question {
        resolved: &resolved,
        workload: &workload,
        cache: case.cache,
        age: case.age,
        counted: Counted::Lasting,
    };
    simulate(&question, &resolved.blueprint, Effort::Full, &mut |_| Flow::Continue).expect("a run")
}

fn second(vm: &str, disk: &str, seconds: u64) -> Case {
    let mut case = Case::new(vm, &[disk]).era("2016").cache(CacheState::SecondRun);
    case.seconds = seconds;
    case
}

#[test]
fn a_second_run_in_small_is_as_fast_as_one_of_its_own_length() {
    let ds14 = |seconds| second("DS14", "10xP30:readonly", seconds);
    let sized = |gib: u64, job: &mut iobound_workload::Job| job.region.size = Some(Bytes::gib(gib));
    for (name, case) in [
        // E9 of the published experiments, whose disks save quota while the cache answers.
        (
            "shared sequential",
            ds14(60).job(4 * K, 100, 128, |job| {
                job.threads = 32;
                shared_sequential(job);
            }),
        ),
        (
            "the same, shorter",
            ds14(20).job(4 * K, 100, 128, |job| {
                job.threads = 32;
                shared_sequential(job);
            }),
        ),
        (
            "sequential",
            ds14(40).job(8 * K, 100, 64, |job| {
                job.access = Access::sequential();
                sized(100, job);
            }),
        ),
        ("random", ds14(40).job(4 * K, 100, 256, |job| sized(100, job))),
        ("random, few outstanding", ds14(40).job(4 * K, 100, 8, |job| sized(100, job))),
        ("large", ds14(30).job(64 * K, 100, 64, |job| sized(200, job))),
        ("one disk", second("DS4", "P20:readonly", 60).job(8 * K, 100, 32, |job| sized(50, job))),
        ("fits in one pass", ds14(30).job(4 * K, 100, 64, |job| sized(4, job))),
    ] {
        let (small, whole) = (case.predict(), whole(&case));
        let (expected, iops) = (small.expected.iops, whole.iops());
        assert!(near(expected, iops, 0.015), "{name}: {expected:.0} in small, {iops:.0} whole");
        // Each part is simulated in its middle, and what a random one hits changes on the way.
        let (hits, all) = (small.hit_rate.expect("reads"), whole.hit_rate().expect("reads"));
        assert!((hits - all).abs() < 0.04, "{name}: {hits:.3} in small, {all:.3} whole");
    }
}

#[test]
fn no_part_of_a_second_run_is_faster_than_its_limits_let_it() {
    let case = second("DS14", "10xP30:readonly", 60).job(4 * K, 100, 128, |job| {
        job.threads = 32;
        shared_sequential(job);
    });
    let prediction = case.predict();
    for limiter in &prediction.limiters {
        assert!(limiter.share <= 1.01, "{} is used to {:.3}", limiter.name, limiter.share);
    }
    // 65,280 while it hits what the first run read (51,000 x 65 s), 51,000 after that; the first 5 s do not count.
    let hits = 51_000.0 * 65.0 / 65_280.0;
    let oracle = ((hits - 5.0) * 65_280.0 + (65.0 - hits) * 51_000.0) / 60.0;
    assert!(near(prediction.expected.iops, oracle, 0.01), "{:?}, not {oracle}", prediction.expected);
}
