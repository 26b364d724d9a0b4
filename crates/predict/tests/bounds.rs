//! What a prediction simulates is bounded, and it says where it is.

use iobound_catalog::{Catalog, Configuration, Resolved, parse_spec, resolve};
use iobound_drive::{Flow, MOST_OUTSTANDING, WorkerError};
use iobound_predict::{Age, CacheState, Counted, PredictError, Question, find_knee, predict};
use iobound_units::{Percent, Span};
use iobound_workload::{Job, Load, Workload};

fn resolved() -> Resolved {
    let mut configuration = Configuration::of("DS14");
    configuration.volumes = vec![parse_spec("P30").expect("a disk")];
    resolve(&configuration, &Catalog::shipped()).expect("it is in the catalogue")
}

fn reads(threads: u32, depth: u32) -> Workload {
    let mut job = Job::new("reads");
    job.set_mix(4_096, Percent::whole(100).expect("all of them"));
    job.threads = threads;
    job.load = Load::Closed { depth, cap: None };
    Workload::new(vec![job], Span::from_secs(60))
}

#[test]
fn more_outstanding_ios_than_are_simulated_are_refused_at_once() {
    let resolved = resolved();
    for (threads, depth) in [(1, 4_000_000), (4, 16_777_216), (1, u32::MAX), (65_535, u32::MAX), (65_535, 17)]
    {
        let workload = reads(threads, depth);
        let question = Question {
            resolved: &resolved,
            workload: &workload,
            cache: CacheState::Warm,
            age: Age::default(),
            counted: Counted::Lasting,
        };
        let error = predict(&question, &mut |_| Flow::Continue).expect_err("too many");
        let PredictError::Workload(WorkerError::TooDeep { depth: asked, most }) = error else {
            panic!("{error}")
        };
        assert_eq!((asked, most), (u64::from(threads) * u64::from(depth), MOST_OUTSTANDING));
    }
}

#[test]
fn a_search_for_the_knee_tries_no_more_than_is_simulated_and_says_so() {
    // 20,000 queues of one I/O each are far above what a P30 needs: depth 2 gains nothing.
    let resolved = resolved();
    let workload = reads(20_000, 1);
    let question = Question {
        resolved: &resolved,
        workload: &workload,
        cache: CacheState::Warm,
        age: Age::default(),
        counted: Counted::Lasting,
    };
    let knee = find_knee(&question, &resolved.blueprint, &mut |_| Flow::Continue).expect("a knee");
    assert!(!knee.is_cut_short);
    assert!(
        knee.curve.iter().all(|(outstanding, _, _)| *outstanding <= MOST_OUTSTANDING),
        "{:?}",
        knee.curve
    );
}
