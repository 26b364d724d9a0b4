//! Ends a stage in fio's words once its jobs are steady (`steadystate`).

use iobound_formats::fio::SteadyGoal;
use iobound_formats::fio::out::Steadiness;
use iobound_measure::{Interval, Phase};
use iobound_units::{Instant, Span};
use iobound_workload::Workload;

/// The goals of a stage, and what was seen so far.
pub(super) struct SteadyWatch {
    /// Empty where the stage has jobs that run their time.
    goals: Vec<SteadyGoal>,
    counted: Vec<Interval>,
    judged_at: Instant,
    /// All goals are met.
    pub(super) attained: bool,
}

impl SteadyWatch {
    /// The goals by the names of their jobs. A stage ends early only where every job of it has one.
    pub(super) fn new(goals: &[(String, SteadyGoal)], workload: &Workload) -> SteadyWatch {
        let goal = |name: &String| goals.iter().find(|(job, _)| job == name).map(|(_, goal)| *goal);
        let all: Option<Vec<SteadyGoal>> = workload.jobs.iter().map(|job| goal(&job.name)).collect();
        let goals = all.unwrap_or_default();
        SteadyWatch { goals, counted: Vec::new(), judged_at: Instant::ZERO, attained: false }
    }

    /// Takes the next interval of all threads; says whether the stage is over.
    pub(super) fn take(&mut self, interval: &Interval) -> bool {
        if self.goals.is_empty() || interval.phase != Phase::Counted {
            return false;
        }
        self.counted.push(*interval);
        // A sample is a second: in between nothing new can be said.
        if interval.end.since(self.judged_at) >= Span::from_secs(1) {
            self.judged_at = interval.end;
            self.attained = self.goals.iter().all(|goal| Steadiness::of(*goal, &self.counted).attained);
        }
        self.attained
    }
}
