//! Whoever watches a prediction may end it in the middle of a simulation.

mod common;

use common::Case;
use iobound_drive::Flow;
use iobound_predict::{CacheState, PredictError, Question, find_knee, predict};
use iobound_units::KIB;

#[test]
fn a_prediction_that_is_stopped_at_any_interval_ends_there_without_figures() {
    for state in [CacheState::Warm, CacheState::Cold, CacheState::SecondRun] {
        let case = Case::new("DS14", &["2xP30:readonly"]).cache(state).reads(4 * KIB, 32);
        let (resolved, workload) = (case.resolved(), case.workload());
        let question = Question { resolved: &resolved, workload: &workload, cache: state, age: case.age };
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
