//! The desk of a run: its ranks are shown while they run, and answered for together.

use std::collections::BTreeSet;
use std::time::Duration;

use iobound_drive::Window;
use iobound_fleet::{Desk, Event, RankPhase};
use iobound_machine::World;
use iobound_machine::kernel::Kernel;
use iobound_measure::result::fleet::{MissingRank, labels};
use iobound_measure::{Interval, Together};
use iobound_report::{FleetLive, Plan, fleet_line};
use iobound_units::{Instant, Span};
use iobound_workload::Workload;

use super::cluster::{Cluster, Of};
use crate::arguments::{CommonArgs, Verb};
use crate::commands;
use crate::live::{LiveStyle, LiveView};
use crate::run::{Outputs, RunOptions, Told};
use crate::{interrupt, output};
use iobound_app::Exit;
use iobound_app::Failure;

/// Time that the desk is listened to until it is looked whether the person wants to end it.
const LOOK: Duration = Duration::from_millis(100);

/// Time that a rank may say nothing of its I/O: a device that hangs is a matter of two minutes, and an interval, a flush at
/// the end or reading back what was written may take longer than that.
pub(crate) fn patience(how: &RunOptions) -> Duration {
    const HANGS: Duration = Duration::from_secs(120);
    const READS_BACK: Duration = Duration::from_secs(24 * 3_600);
    if how.verify.is_some() { READS_BACK } else { HANGS + 2 * Duration::from_nanos(how.interval.ns()) }
}

/// Time from a stage's start within which every rank has to report: twice what the stages plan, and at least 30 s more
/// than that. `None` where a stage's end is not known before, or where what follows it takes a time that nobody knows:
/// reading back what was written, or flushing the page cache.
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

/// A desk that was opened for the ranks of a command.
pub(crate) struct OfRanks<'a> {
    pub(crate) desk: Desk,
    /// Who started the ranks, as documents have it: `ssh`.
    pub(crate) launcher: &'a str,
    /// Why it is for nothing, once it is: a rank that has ended before it came.
    pub(crate) hopeless: &'a dyn Fn(&Desk) -> Option<String>,
}

/// Drives a desk that was opened for the ranks of a command to its end, and answers as the command would for one machine:
/// one live view, Ctrl-C that ends all, one merged result, the document, the results store, the exit code. The desk's
/// process issues no load. The command is `run`, `diskspd`, `fio` or `iometer` as it was parsed for the ranks.
///
/// # Errors
/// The command can't have several machines, is wrong, or nothing was measured; what a rank says is told with its name.
pub(crate) fn drive(at: OfRanks<'_>, command: &Verb, common: &CommonArgs) -> Result<Exit, Failure> {
    match command {
        Verb::Run(args) => commands::run::at_desk(at, args, common),
        Verb::Diskspd(args) => commands::diskspd::at_desk(at, args, common),
        Verb::Fio(args) => commands::fio::at_desk(at, args, common),
        Verb::Iometer(args) => commands::iometer::at_desk(at, args, common),
        _ => Err(Failure::input("this verb issues no load, and cannot run on several machines")
            .mend("write run, diskspd, fio or iometer")),
    }
}

/// Time that after the desk opened all ranks must be there, and how patient it is with them: for who opens a desk for
/// [`drive`].
///
/// # Errors
/// The command is wrong.
pub(crate) fn patience_of(command: &Verb, common: &CommonArgs) -> Result<Duration, Failure> {
    match command {
        Verb::Run(args) => commands::run::patience(args, common),
        _ => Ok(patience(&RunOptions::default())),
    }
}

/// Listens to a desk until its ranks are done, shows them, and puts together what they handed in.
///
/// # Errors
/// Nothing was measured.
pub(crate) fn gather(
    at: OfRanks<'_>,
    workloads: &[Workload],
    how: &RunOptions,
    outputs: &mut Outputs,
    style: LiveStyle,
) -> Result<Cluster, Failure> {
    let OfRanks { desk, launcher, hopeless } = at;
    if let Some(within) = report_within(workloads, how) {
        desk.expect(within);
    }
    let mut watched = Watched::new(launcher, workloads, style);
    interrupt::load_begins();
    let (mut is_interrupted, mut is_over) = (false, false);
    loop {
        if !is_over && let Some(why) = hopeless(&desk) {
            is_over = true;
            desk.stop(&why);
        }
        if interrupt::asked() && !is_interrupted {
            is_interrupted = true;
            desk.stop("interrupted: the user who started the run stopped it");
        }
        match desk.next(LOOK) {
            None => {}
            Some(Event::Over) => break,
            Some(event) => watched.take(&desk, &event, outputs),
        }
    }
    watched.view.clear();
    let gathered = desk.gathered();
    let host = Kernel::of(&World::real()).host;
    let cluster = Cluster::of(&gathered, &Of { workloads, launcher, host, is_interrupted })?;
    for (n, stage) in cluster.stages.iter().enumerate() {
        outputs.total(n + 1, &stage.measured);
    }
    Ok(cluster)
}

/// Display while ranks run.
struct Watched<'a> {
    launcher: &'a str,
    workloads: &'a [Workload],
    stage: u32,
    plan: Plan,
    live: FleetLive,
    view: LiveView,
    told: Told,
    /// Ranks whose loss was said.
    lost: BTreeSet<u32>,
}

impl<'a> Watched<'a> {
    fn new(launcher: &'a str, workloads: &'a [Workload], style: LiveStyle) -> Watched<'a> {
        let plan = plan_of(workloads.first());
        Watched {
            launcher,
            workloads,
            stage: 0,
            plan,
            live: FleetLive::new(launcher.to_string(), plan),
            view: LiveView::new(style),
            told: Told::new("a fleet".into()),
            lost: BTreeSet::new(),
        }
    }

    fn take(&mut self, desk: &Desk, event: &Event, outputs: &mut Outputs) {
        match event {
            Event::Interval { stage, together, ranks, .. } => {
                self.goes_on_to(*stage);
                self.shows(desk, together, *ranks as usize);
                outputs.take(*stage as usize + 1, together);
            }
            Event::Lost { rank, host, why } => {
                self.lost.insert(*rank);
                let host = (!host.is_empty()).then(|| host.clone());
                let missing = MissingRank { rank: *rank, host, why: why.clone() };
                let of = missing.host.as_ref().map_or(String::new(), |host| format!(" ({host})"));
                self.view.clear();
                output::note(&format!("rank {rank}{of} is missing: {why}"));
                self.live.lost(&missing);
            }
            Event::Refused { why } => {
                self.view.clear();
                output::note(&format!("a connection was refused: {why}"));
            }
            Event::Joined { there, of, .. } if there == of => {
                self.view.clear();
                output::note(&format!("{of} ranks are there, by {}", self.launcher));
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

    fn shows(&mut self, desk: &Desk, together: &Together, ranks: usize) {
        let interval = together.interval();
        self.live.take(interval);
        self.told.take(interval);
        let state = desk.state();
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
        self.view.show(
            || live.screen(),
            |style| Some(fleet_line(interval, plan, ranks, style)).filter(|line| !line.is_empty()),
        );
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
