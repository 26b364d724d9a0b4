//! The tests that one configuration makes: one for each access specification, and each step of what grows.

use super::config::{Config, Cycling, Step, TestType, Worker};
use crate::error::{At, Trouble};

/// Limits of a test; `None` is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Limits {
    /// The first so many workers of each manager.
    pub workers: Option<usize>,
    /// The first so many targets of each worker.
    pub targets: Option<usize>,
    /// Outstanding I/Os on each target, for the workers' own number.
    pub depth: Option<u32>,
}

/// The most steps of one thing that grows.
const MOST_STEPS: usize = 1000;

/// The steps of a configuration, in the order they are run; `None` with a problem.
pub(super) fn steps(config: &Config, at: At, trouble: &mut Trouble) -> Option<Vec<Limits>> {
    let setup = &config.setup;
    let every = || config.managers.iter().flat_map(|manager| &manager.workers);
    let most_workers = config.managers.iter().map(|manager| manager.workers.len()).max().unwrap_or(1).max(1);
    let most_targets = every().map(|worker: &Worker| worker.targets.len()).max().unwrap_or(1).max(1);
    let mut counts = |cycling: Option<Cycling>, most: usize| counts(cycling, most as u64, at, trouble);
    let none = Limits::default();
    Some(match setup.test_type {
        TestType::Normal => vec![none],
        TestType::CycleTargets => counts(setup.target_cycling, most_targets)?
            .into_iter()
            .map(|targets| Limits { targets: Some(targets as usize), ..none })
            .collect(),
        TestType::CycleWorkers => counts(setup.worker_cycling, most_workers)?
            .into_iter()
            .map(|workers| Limits { workers: Some(workers as usize), ..none })
            .collect(),
        TestType::CycleWorkersAndTargets => {
            let targets = counts(setup.target_cycling, most_targets)?;
            let workers = counts(setup.worker_cycling, most_workers)?;
            pairs(&workers, &targets, |workers, targets| Limits {
                workers: Some(workers as usize),
                targets: Some(targets as usize),
                ..none
            })
        }
        TestType::CycleOutstanding => counts(setup.depth_cycling, 1)?
            .into_iter()
            .map(|depth| Limits { depth: Some(depth), ..none })
            .collect(),
        TestType::CycleOutstandingAndTargets => {
            let depths = counts(setup.depth_cycling, 1)?;
            let targets = counts(setup.target_cycling, most_targets)?;
            pairs(&targets, &depths, |targets, depth| Limits {
                targets: Some(targets as usize),
                depth: Some(depth),
                ..none
            })
        }
        TestType::IncrementTargetsParallel | TestType::IncrementTargetsSerial => {
            trouble.add(
                at,
                "tests that add targets manager by manager are not supported",
                "use CYCLE_TARGETS, or NORMAL with the targets of one step",
            );
            return None;
        }
    })
}

fn pairs(outer: &[u32], inner: &[u32], limits: impl Fn(u32, u32) -> Limits) -> Vec<Limits> {
    outer.iter().flat_map(|a| inner.iter().map(|b| limits(*a, *b)).collect::<Vec<_>>()).collect()
}

/// The values of a number that grows: to its end, or to all there are.
fn counts(cycling: Option<Cycling>, most: u64, at: At, trouble: &mut Trouble) -> Option<Vec<u32>> {
    let Some(cycling) = cycling else {
        trouble.add(at, "the test type needs a cycling that is not given", "add start, step and its kind");
        return None;
    };
    let end = cycling.end.map_or(most, u64::from);
    let stuck = cycling.step == 0 || (cycling.kind == Step::Exponential && cycling.step < 2);
    if cycling.start == 0 || (stuck && u64::from(cycling.start) < end) {
        trouble.add(
            at,
            "a cycling starts at zero or never grows",
            "give a start and a step that reach the end",
        );
        return None;
    }
    let mut values = vec![cycling.start];
    let mut value = u64::from(cycling.start);
    while value < end {
        value = match cycling.kind {
            Step::Linear => value + u64::from(cycling.step),
            Step::Exponential => value.saturating_mul(u64::from(cycling.step)),
        };
        // All there are come last even where the step leaps over them.
        let next = if cycling.end.is_none() { value.min(end) } else { value };
        if next <= end {
            values.push(next as u32);
        }
        if values.len() > MOST_STEPS {
            trouble.add(at, format!("a cycling has more than {MOST_STEPS} steps"), "give a larger step");
            return None;
        }
    }
    Some(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tool;

    fn values(start: u32, end: Option<u32>, step: u32, kind: Step, most: u64) -> Option<Vec<u32>> {
        let mut trouble = Trouble::new(Tool::Iometer);
        trouble.source(None, "x");
        counts(Some(Cycling { start, end, step, kind }), most, At::default(), &mut trouble)
    }

    #[test]
    fn a_number_grows_to_its_end_or_to_all_there_are() {
        assert_eq!(values(1, Some(32), 2, Step::Exponential, 0), Some(vec![1, 2, 4, 8, 16, 32]));
        assert_eq!(values(1, Some(9), 4, Step::Linear, 0), Some(vec![1, 5, 9]));
        assert_eq!(values(1, Some(8), 4, Step::Linear, 0), Some(vec![1, 5]));
        assert_eq!(values(1, None, 2, Step::Linear, 4), Some(vec![1, 3, 4]));
        assert_eq!(values(4, Some(4), 1, Step::Exponential, 0), Some(vec![4]));
        assert_eq!(values(1, Some(4), 1, Step::Exponential, 0), None);
        assert_eq!(values(1, Some(u32::MAX), 1, Step::Linear, 0), None);
    }
}
