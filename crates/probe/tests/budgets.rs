//! Budgets that an answer names for its open questions.

#[allow(dead_code, reason = "the score and other tests use more of it")]
mod common;

use common::hidden::{Hidden, hidden};
use iobound_probe::{Answer, Counts, ModelDisk, Scope, Settings, probe};
use iobound_units::Span;

/// A disk probed for this long.
fn probed(hidden: &Hidden, budget: Span) -> Answer {
    let mut disk = ModelDisk::new(&hidden.blueprint, 1).expect("a valid blueprint");
    probe(&mut disk, &Settings { budget, ..Settings::default() })
}

#[test]
fn a_probe_with_the_budget_that_an_answer_named_leaves_none_of_its_questions_open() {
    for seed in [512, 3417, 3447, 3449, 3848, 3858] {
        let hidden = hidden(seed);
        for seconds in [60, 180] {
            let mut answer =
                probed(&hidden, Span::from_secs(seconds * hidden.blueprint.volumes.len() as u64));
            // What a longer probe finds may raise new questions.
            for _ in 0..4 {
                let Some(budget) = answer.budget_for_open else { break };
                let longer = probed(&hidden, budget);
                let open: Vec<_> = answer.open.iter().filter(|open| longer.open.contains(open)).collect();
                assert!(open.is_empty(), "seed {seed}, {budget} named after {seconds} s: {open:?} is open");
                answer = longer;
            }
            assert_eq!(answer.open, Vec::<String>::new(), "seed {seed}, {seconds} s first");
        }
    }
}

#[test]
fn a_longer_budget_finds_a_burst_that_lasts_longer() {
    // Credits for 100 seconds.
    let mut hidden = hidden(502);
    let (rate, _) = hidden.burst.expect("a disk with credits");
    let store = hidden.blueprint.limiters[0].credits.as_mut().and_then(|credits| credits.ios.as_mut());
    store.expect("a store of credits").capacity = (100.0 * (rate - hidden.iops)) as u64;
    let limit =
        |answer: &Answer| answer.limit(0, Counts::Ios, Scope::Reads).cloned().expect("there is a limit");
    let usual = limit(&probed(&hidden, Settings::EACH));
    assert!((usual.per_second.value / rate - 1.0).abs() < 0.02 && usual.burst.is_none(), "{usual:?}");
    let longer = limit(&probed(&hidden, Span::from_secs(900)));
    assert!((longer.per_second.value / hidden.iops - 1.0).abs() < 0.02, "{longer:?}");
    let burst = longer.burst.expect("it ended");
    assert!((burst.per_second.value / rate - 1.0).abs() < 0.02, "{burst:?}");
}
