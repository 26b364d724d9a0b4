//! The coordinator of a run: its ranks are shown while they run, and answered for together.

use std::collections::BTreeSet;
use std::time::Duration;

use iobound_drive::Window;
use iobound_fleet::{Coordinator, Event, RankPhase};
use iobound_machine::World;
use iobound_machine::kernel::Kernel;
use iobound_measure::result::fleet::{MissingRank, labels};
use iobound_measure::{Interval, Together};
use iobound_report::{FleetLive, Plan, fleet_line};
use iobound_units::{Counted, Instant, Span};
use iobound_workload::Workload;

use super::cluster::{Cluster, ClusterFacts};
use crate::process::{Display, LiveStyle};
use crate::run::{Outputs, RunOptions, StatusFile};
use crate::{Env, Failure, RunProgress};

/// Time that the coordinator is listened to until it is looked whether the person wants to end it.
const LOOK: Duration = Duration::from_millis(100);

/// Time that a rank may say nothing of its I/O: a device that hangs is a matter of two minutes, and an interval, a flush at
/// the end or reading back what was written may take longer than that.
pub(crate) fn patience(how: &RunOptions) -> Duration {
    const HANGS: Duration = Duration::from_secs(120);
    const READS_BACK: Duration = Duration::from_secs(24 * 3_600);
    if how.verify.is_some() { READS_BACK } else { HANGS + 2 * Duration::from_nanos(how.interval.ns()) }
}

/// Time after a stage's start within which every rank must report: twice the planned time, and at least 30 s more than
/// that. `None` if the end of a stage is not known in advance, or work of unknown length follows it: reading back, or
/// flushing the page cache.
fn report_within(workloads: &[Workload], how: &RunOptions) -> Option<Duration> {
    const LEAST: Span = Span::from_secs(30);
    let is_buffered = |workload: &Workload| workload.jobs.iter().any(|job| job.buffered);
    if how.verify.is_some() || how.buffered || workloads.iter().any(is_buffered) {
        return None;
    }
    let mut longest = Span::ZERO;
    for workload in workloads {
        longest = longest.max(plan_of(Some(workload)).over?.since(Instant::ZERO));
    }
    let whole = longest.ns().saturating_add(longest.max(LEAST).ns());
    (longest > Span::ZERO).then_some(Duration::from_nanos(whole))
}

/// A coordinator that was opened for the ranks of a command.
pub(crate) struct OfRanks<'a> {
    pub(crate) coordinator: Coordinator,
    /// Launcher that started the ranks, as documents have it: `ssh`.
    pub(crate) launcher: &'a str,
    /// Reason why it is for nothing, once it is: a rank that has ended before it came.
    pub(crate) hopeless: &'a dyn Fn(&Coordinator) -> Option<String>,
}

/// Listens to a coordinator until its ranks are done, shows them, and puts together what they handed in.
///
/// # Errors
/// Returns an error if nothing was measured.
pub(crate) fn gather(
    at: OfRanks<'_>,
    workloads: &[Workload],
    how: &RunOptions,
    outputs: &mut Outputs,
    style: LiveStyle,
) -> Result<Cluster, Failure> {
    let OfRanks { coordinator, launcher, hopeless } = at;
    if let Some(within) = report_within(workloads, how) {
        coordinator.expect(within);
    }
    let mut watched = RanksView::new(launcher, workloads, style, &how.env);
    how.env.of_process().load_begins();
    let (mut is_interrupted, mut is_over) = (false, false);
    loop {
        if !is_over && let Some(why) = hopeless(&coordinator) {
            is_over = true;
            coordinator.stop(&why);
        }
        if how.env.is_stopped() && !is_interrupted {
            is_interrupted = true;
            coordinator.stop("interrupted: the user who started the run stopped it");
        }
        match coordinator.next(LOOK) {
            None => {}
            Some(Event::Over) => break,
            Some(event) => watched.take(&coordinator, &event, outputs),
        }
    }
    watched.view.clear();
    let gathered = coordinator.gathered();
    let host = Kernel::of(&World::real()).host;
    let cluster = Cluster::of(
        &gathered,
        &ClusterFacts {
            workloads,
            launcher,
            host,
            is_interrupted,
            command: how.env.of_process().command().join(" "),
        },
    )?;
    for (n, stage) in cluster.stages.iter().enumerate() {
        outputs.total(n + 1, &stage.measured);
    }
    Ok(cluster)
}

/// Display while ranks run.
struct RanksView<'a> {
    launcher: &'a str,
    workloads: &'a [Workload],
    stage: u32,
    plan: Plan,
    live: FleetLive,
    view: Box<dyn Display>,
    told: StatusFile,
    /// Ranks whose loss was said.
    lost: BTreeSet<u32>,
    env: Env,
}

impl<'a> RanksView<'a> {
    fn new(launcher: &'a str, workloads: &'a [Workload], style: LiveStyle, env: &Env) -> RanksView<'a> {
        let plan = plan_of(workloads.first());
        RanksView {
            launcher,
            workloads,
            stage: 0,
            plan,
            live: FleetLive::new(launcher.to_string(), plan),
            view: env.of_process().display(style),
            told: StatusFile::new("a fleet".into(), env),
            lost: BTreeSet::new(),
            env: env.clone(),
        }
    }

    fn take(&mut self, coordinator: &Coordinator, event: &Event, outputs: &mut Outputs) {
        match event {
            Event::Interval { stage, together, ranks, .. } => {
                self.goes_on_to(*stage);
                self.shows(coordinator, together, *ranks as usize);
                outputs.take(*stage as usize + 1, together);
            }
            Event::Lost { rank, host, why } => {
                self.lost.insert(*rank);
                let host = (!host.is_empty()).then(|| host.clone());
                let missing = MissingRank { rank: *rank, host, why: why.clone() };
                let of = missing.host.as_ref().map_or(String::new(), |host| format!(" ({host})"));
                self.view.clear();
                self.env.note(&format!("rank {rank}{of} is missing: {why}"));
                self.live.lost(&missing);
            }
            Event::Refused { why } => {
                self.view.clear();
                self.env.note(&format!("a connection was refused: {why}"));
            }
            Event::Joined { there, of, .. } if there == of => {
                self.view.clear();
                self.env.note(&format!(
                    "all ranks have joined: {}, by {}",
                    Counted(u64::from(*of), "rank"),
                    self.launcher
                ));
                self.live = FleetLive::new(format!("{of} by {}", self.launcher), self.plan);
            }
            Event::Starts { stage, .. } => self.goes_on_to(*stage),
            Event::Joined { .. } | Event::Ready { .. } | Event::Reported { .. } | Event::Over => {}
        }
    }

    /// Another stage has times of its own.
    fn goes_on_to(&mut self, stage: u32) {
        if stage == self.stage {
            return;
        }
        self.stage = stage;
        self.plan = plan_of(self.workloads.get(stage as usize));
        self.live = FleetLive::new(format!("stage {}, by {}", stage + 1, self.launcher), self.plan);
    }

    fn shows(&mut self, coordinator: &Coordinator, together: &Together, ranks: usize) {
        let interval = together.interval();
        self.live.take(interval);
        self.told.take(interval);
        let state = coordinator.state();
        let names: Vec<(u32, &str)> =
            state.ranks.iter().map(|rank| (rank.rank, rank.host.as_str())).collect();
        for (label, rank) in labels(&names).iter().zip(&state.ranks) {
            let at = rank.rank as usize;
            match (&rank.phase, &rank.last) {
                (RankPhase::Running, Some(last)) => self.takes_rank(at, label, last),
                (RankPhase::Running, None) | (RankPhase::Ready, _) => self.live.says(at, label, "waits"),
                (RankPhase::Preparing, _) => self.live.says(at, label, "prepares"),
                (RankPhase::Reported | RankPhase::Left, _) => self.live.says(at, label, "done"),
                (RankPhase::Awaited, _) => self.live.says(at, label, "awaited"),
                (RankPhase::Lost(_), _) => {}
            }
        }
        let (live, plan) = (&self.live, &self.plan);
        self.env.interval(&RunProgress { targets: self.launcher, plan, interval });
        self.view.show(&mut || live.screen(), &mut |style| {
            Some(fleet_line(interval, plan, ranks, style)).filter(|line| !line.is_empty())
        });
    }

    fn takes_rank(&mut self, rank: usize, label: &str, last: &Interval) {
        self.live.take_rank(rank, label, last.end.since(Instant::ZERO), last);
    }
}

/// The times of a stage.
fn plan_of(workload: Option<&Workload>) -> Plan {
    let none = Workload::new(Vec::new(), Span::ZERO);
    let workload = workload.unwrap_or(&none);
    let window = Window::of(workload, Instant::ZERO);
    let has_end = !workload.jobs.iter().all(|job| job.stop_after.is_some() || job.times_memory.is_some());
    Plan {
        begin: window.begin,
        start: window.start,
        end: has_end.then_some(window.end),
        over: has_end.then_some(window.until),
    }
}
