//! Whoever watches a prediction may end it in the middle of a simulation.

mod common;

use common::Case;
use iobound_drive::Flow;
use iobound_predict::{CacheState, Counted, PredictError, Question, find_knee, predict, simulated_run};
use iobound_units::KIB;

#[test]
fn a_prediction_that_is_stopped_at_any_interval_ends_there_without_figures() {
    for state in [CacheState::Warm, CacheState::Cold, CacheState::SecondRun] {
        let case = Case::new("DS14", &["2xP30:readonly"]).cache(state).reads(4 * KIB, 32);
        let (resolved, workload) = (case.resolved(), case.workload());
        let question = Question {
            resolved: &resolved,
            workload: &workload,
            cache: state,
            age: case.age,
            counted: Counted::Lasting,
        };
        let mut all = 0;
        predict(&question, &mut |_| {
            all += 1;
            Flow::Continue
        })
        .expect("a prediction");
        for last in [1, all / 3, all / 2, all] {
            let mut seen = 0;
            let stopped = predict(&question, &mut |_| {
                seen += 1;
                if seen == last { Flow::Stop } else { Flow::Continue }
            });
            assert!(matches!(stopped, Err(PredictError::Interrupted)), "{state:?}: interval {last} of {all}");
            assert_eq!(seen, last, "{state:?}: intervals after the stop");
        }
        let mut seen = 0;
        let stopped = find_knee(&question, &resolved.blueprint, &mut |_| {
            seen += 1;
            if seen == 5 { Flow::Stop } else { Flow::Continue }
        });
        assert!(matches!(stopped, Err(PredictError::Interrupted)) && seen == 5, "{state:?}: the knee");
    }
}

#[test]
fn a_run_of_more_ios_than_a_person_waits_for_is_refused_after_its_first_intervals() {
    let case = Case::new("DS14", &["10xP30"]).reads(4 * KIB, 32);
    let (resolved, mut workload) = (case.resolved(), case.workload());
    workload.duration = iobound_units::Span::from_secs(12 * 86_400);
    let question = Question {
        resolved: &resolved,
        workload: &workload,
        cache: CacheState::Warm,
        age: case.age,
        counted: Counted::Lasting,
    };
    let mut intervals = 0;
    let refused = simulated_run(&question, &mut |_| {
        intervals += 1;
        Flow::Continue
    });
    let Err(PredictError::TooManyIos { seconds, ios }) = refused else { panic!("{refused:?}") };
    assert!(seconds >= 12.0 * 86_400.0 && ios > 4e9, "{seconds} s, {ios} I/Os");
    assert!(intervals < 20, "{intervals} intervals");
    let shown = PredictError::TooManyIos { seconds, ios }.to_string();
    assert!(shown.contains("at most 4000 million") && shown.contains("shorter duration"), "{shown}");
}
