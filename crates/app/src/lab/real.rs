//! Rows on real targets: all that they need is prepared before the first of them, then each is one run.

use std::cell::RefCell;
use std::rc::Rc;

use iobound_lab::{PlannedRun, Reached, RealRun};
use iobound_machine::World;
use iobound_report::Ended;
use iobound_units::Span;
use iobound_workload::Workload;

use super::LabRequest;
use crate::process::LiveStyle;
use crate::results::{Keeping, ToKeep};
use crate::results::{Place, toml_of};
pub(crate) use crate::run::RunOptions;
use crate::run::{
    Outputs, Ready, RunFlags, RunTargets, consents, failure_of, fit_to, make_ready, run_stages,
};
use crate::settings::Settings;
use crate::{Env, Failure};

/// Conduct of runs on real targets: the lab's own flags, else the environment.
pub(crate) fn how_of(args: &LabRequest, settings: &mut Settings) -> Result<RunOptions, Failure> {
    let flags = RunFlags {
        overwrite: args.overwrite.clone(),
        dry_run: args.dry_run,
        busy_ok: args.busy_ok,
        ..RunFlags::default()
    };
    let how = RunOptions::of(&flags, settings)?;
    if how.find_knee {
        return Err(Failure::input("IOBOUND_FIND_KNEE (environment): rows run as the file defines them")
            .help("unset it, and sweep over depth"));
    }
    if how.load_goal.is_some() {
        return Err(Failure::input("IOBOUND_FIND_LOAD (environment): rows run as the file defines them")
            .help("unset it, and sweep over depth"));
    }
    Ok(how)
}

/// Store of the rows' results, on real targets and on emulated ones.
pub(crate) type Shelf = Rc<RefCell<Keeping>>;

/// A shelf for the rows of a lab.
pub(crate) fn shelf_at(place: Place, env: &Env) -> Shelf {
    Rc::new(RefCell::new(Keeping::new(place, "lab", None, env)))
}

/// Keeps what a row reached, and says under which id.
pub(super) fn keep_row(shelf: &Shelf, run: &PlannedRun, keep: ToKeep<'_>, env: &Env) -> Option<String> {
    let toml = run.on_model.as_ref().map(|on_model| {
        let machine = &on_model.machine;
        toml_of(&machine.configuration, machine.cache, machine.age, None)
    });
    let id = shelf.borrow_mut().keep_with(&[keep], toml.as_deref()).pop()?;
    env.note(&format!("{} is kept as {id}", run.name));
    Some(id)
}

/// Rows that go to the same targets, which are ready.
struct Group {
    ready: Ready,
    /// The rows by name, with what each asks of these targets.
    workloads: Vec<(String, Workload)>,
}

/// Targets that are ready for the rows.
pub(crate) struct Real {
    keeping: Shelf,
    world: World,
    how: RunOptions,
    groups: Vec<Group>,
}

/// Rows that go to the same targets, before these are looked at.
struct TargetGroup {
    targets: Vec<String>,
    places: RunTargets,
    names: Vec<String>,
    workloads: Vec<Workload>,
}

impl Real {
    /// Looks at all targets, and prepares each once for all rows that go there. `None` where only the plan was wanted: it
    /// has been printed.
    pub(crate) fn ready(
        runs: &[PlannedRun],
        how: &RunOptions,
        keeping: &Shelf,
        env: &Env,
    ) -> Result<Option<Real>, Failure> {
        let world = World::real();
        let asked = asked(runs, how)?;
        let length = runs.iter().filter(|run| !run.targets.is_empty());
        let length = length.fold(Span::ZERO, |sum, run| sum + run.length());
        let count: usize = asked.iter().map(|group| group.names.len()).sum();
        if count > 0 {
            let runs = if count == 1 { "run" } else { "runs" };
            env.note(&format!("real targets: {count} {runs}, {length} in all"));
        }
        let consents = consents(&asked.iter().map(|group| &group.places).collect::<Vec<_>>(), &how.overwrite);
        let mut groups = Vec::with_capacity(asked.len());
        for (TargetGroup { targets, places, names, workloads }, overwrite) in asked.into_iter().zip(consents)
        {
            let how = RunOptions { overwrite, ..how.clone() };
            let Some(ready) = make_ready(&world, &places, &workloads, &how)? else { continue };
            for (name, workload) in names.iter().zip(&workloads) {
                workload
                    .queues(&ready.names)
                    .map_err(|error| Failure::input(format!("{name} on {}: {error}", targets.join(", "))))?;
            }
            groups.push(Group { ready, workloads: names.into_iter().zip(workloads).collect() });
        }
        let is_plan = how.dry_run && count > 0;
        Ok((!is_plan).then(|| Real { keeping: Rc::clone(keeping), world, how: how.clone(), groups }))
    }

    /// Measures a row; `None` where the person interrupted it.
    ///
    /// # Errors
    /// Returns an error if the run could not start, failed, or stopped because another process needed the device.
    pub(crate) fn measure(&self, run: &PlannedRun, style: LiveStyle) -> Result<Option<RealRun>, Failure> {
        let found = self.groups.iter().find_map(|group| {
            let (_, workload) = group.workloads.iter().find(|(name, _)| *name == run.name)?;
            Some((group, workload))
        });
        let (group, workload) = found.expect("every row with a target was made ready");
        let mut outputs = Outputs::default();
        let stages = std::slice::from_ref(workload);
        let mut ran = run_stages(&self.world, &group.ready, stages, &self.how, &mut outputs, style)
            .map_err(|failure| failure.of(&run.name))?;
        let stage = ran.pop().expect("a stage ran");
        match &stage.ended {
            Ended::Interrupted => return Ok(None),
            Ended::Failed(why) => return Err(failure_of(&stage, why).of(&run.name)),
            Ended::Complete => {}
        }
        let Some(mut reached) = Reached::measured(&stage.result, stage.outcome.total.window()) else {
            return Err(Failure::io(format!("{}: it ended before the measurement began", run.name)));
        };
        let keep = ToKeep { name: Some(&run.name), ..stage.to_keep(&group.ready.prepared) };
        reached.id = keep_row(&self.keeping, run, keep, &self.how.env);
        let result = stage.result;
        Ok(Some(RealRun { reached, checks: result.checks }))
    }

    /// Removes the files that were made for the rows, where that was asked for.
    pub(crate) fn remove(&self) -> Result<(), Failure> {
        if !self.how.remove {
            return Ok(());
        }
        self.groups.iter().try_for_each(|group| group.ready.remove_made())
    }
}

/// The rows by their targets, in the order in which these are first named.
fn asked(runs: &[PlannedRun], how: &RunOptions) -> Result<Vec<TargetGroup>, Failure> {
    let mut groups: Vec<TargetGroup> = Vec::new();
    let mut notes: Vec<String> = Vec::new();
    for run in runs.iter().filter(|run| !run.targets.is_empty()) {
        let at = match groups.iter().position(|group| group.targets == run.targets) {
            Some(at) => at,
            None => {
                let (targets, places) = (run.targets.clone(), RunTargets::named(&run.targets)?);
                groups.push(TargetGroup { targets, places, names: Vec::new(), workloads: Vec::new() });
                groups.len() - 1
            }
        };
        let group = &mut groups[at];
        let mut workload = [run.workload.clone()];
        let said = fit_to(&mut workload, &group.places, how).map_err(|failure| failure.of(&run.name))?;
        notes.extend(said.iter().map(|note| format!("{}: {}", note.about, note.says)));
        group.names.push(run.name.clone());
        group.workloads.extend(workload);
    }
    notes.sort_unstable();
    notes.dedup();
    notes.iter().for_each(|note| how.env.note(note));
    Ok(groups)
}
