//! `lab`: an experiment, carried out row by row, beside what was published.

use std::path::Path;

use iobound_catalog::Catalog;
use iobound_lab::{Experiment, PlannedRun, Row, shipped, shipped_named};
use iobound_report::{
    Document, Laboratory, Listed, Setting, Style, lab_csv, lab_document, lab_list_document, lab_list_text,
    lab_text,
};
use iobound_units::{Counted, Span, parse_count, parse_span};
use iobound_workload::nearest;

use super::{
    CarriedOut, LabReplayOutput, Real, Rehearsal, RunOptions, carry_out, chosen, how_of, measured,
    replay_runs, shelf_at,
};
use crate::files::{self, WRITTEN};
use crate::options::{PageOptions, options};
use crate::outfile::Unwritten;
use crate::page::PageChoice;
use crate::replay::{ReplayOptions, ReplayWish, TraceMapOptions};
use crate::results::{Place, place_of};
use crate::settings::{Settings, catalog_of};
use crate::{Common, Env, Exit, Failure, Finished, PlainAnswer, ShownAnswer};

options! {
    /// Asks for an experiment on the model, on emulated disks or on real targets. Variables `IOBOUND_...` set what else a run on
    /// real targets has, as for `run`.
    pub struct LabRequest {
        /// An experiment file, or the name of one that ships with the program [default: published]
        experiment: Option<String> = Form::MaybeWord, "FILE|NAME";
        /// List the experiments that ship with the program
        list: bool = Form::Switch, "", not with "experiment" and "only" and "real-time" and "live" and "duration" and "target"
            and "overwrite" and "dry-run" and "busy-ok";
        /// Compare predicted bands with all published measurements; --only selects sources and runs
        measured: bool = Form::Switch, "", not with "experiment" and "list" and "real-time" and "live" and "duration"
            and "target" and "overwrite" and "dry-run" and "busy-ok" and "results" and "csv";
        /// Rows to run: names, and patterns with * and ?
        only: Vec<String> = Form::Many, "NAME,...";
        /// Measurement time of every run, instead of its own
        duration: Option<String> = Form::One, "TIME";
        /// Also run the model in real time; takes as long as the runs
        real_time: bool = Form::Switch;
        /// Also run the load generator on emulated disks (FUSE); takes as long as the runs
        live: bool = Form::Switch;
        /// Run all rows on this folder, file or block device instead of the file's own targets; repeat for more
        target: Vec<String> = Form::Many, "PATH";
        /// Existing file or device that may be overwritten; must be a target; repeat for more
        overwrite: Vec<String> = Form::Many, "PATH";
        /// Show what would be written to the targets, and the time it would take, and stop
        dry_run: bool = Form::Switch;
        /// Run although other processes use the device
        busy_ok: bool = Form::Switch;
        /// Results store for real targets and emulated disks, or off [default: IOBOUND_RESULTS, else in the user's data
        /// folder]
        results: Option<String> = Form::One, "FILE|off";
        /// Print comma-separated values
        csv: bool = Form::Switch, "", not with "json";
        /// Your own catalogue file (TOML or CSV); its figures override the shipped ones
        catalog: Option<String> = Form::One, "FILE";
    }
    replay: ReplayOptions;
    place: TraceMapOptions;
    page: PageOptions;
}

/// Real time without a choice of rows is refused above this.
const LONGEST_UNASKED: Span = Span::from_secs(120);

impl LabRequest {
    /// The flags that take as long as the runs.
    fn in_real_time(&self) -> impl Iterator<Item = &'static str> {
        let flags = [("--real-time", self.real_time), ("--live", self.live)];
        flags.into_iter().filter_map(|(name, given)| given.then_some(name))
    }

    /// The names and patterns of rows.
    fn only(&self) -> Vec<&str> {
        self.only.iter().flat_map(|names| names.split(',')).collect()
    }

    /// The first flag that is nothing without a target.
    fn flag(&self) -> Option<&'static str> {
        let flags = [
            ("--overwrite", !self.overwrite.is_empty()),
            ("--dry-run", self.dry_run),
            ("--busy-ok", self.busy_ok),
        ];
        flags.into_iter().find_map(|(name, given)| given.then_some(name))
    }
}

/// A request whose options have been read.
pub struct PreparedLab {
    seed: Option<u64>,
    duration: Option<Span>,
    targets: Vec<String>,
    how: RunOptions,
    place: Place,
    page: PageChoice,
    /// The trace in place of the workloads.
    trace: Option<ReplayWish>,
    catalog: Catalog,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// The rows that are asked for.
struct Rows {
    experiment: Experiment,
    runs: Vec<PlannedRun>,
}

impl PreparedLab {
    /// Reads the options of a request.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn read(request: &LabRequest, common: &Common, env: &Env) -> Result<PreparedLab, Failure> {
        let trace = if request.replay.trace.is_empty() {
            request.replay.refuse_without_trace()?;
            if let Some(map) = request.place.map.first() {
                let why = format!("--map {map} without --trace: it places a device of a trace on a volume");
                return Err(Failure::input(why).help("leave it out, or add --trace FILE"));
            }
            None
        } else {
            refuse_beside_trace(request)?;
            Some(request.replay.read(&request.place.map)?)
        };
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let seed = settings.parse("seed", common.seed.as_deref(), None, parse_count)?;
        let duration =
            settings.parse("duration", request.duration.as_deref(), None, |text| match parse_span(text) {
                Ok(span) if span.is_zero() => {
                    Err("the time is zero: write a measurement time, such as 10s".to_string())
                }
                read => read.map_err(|error| error.to_string()),
            })?;
        let targets: Vec<String> =
            settings.texts("target", &request.target).into_iter().map(|given| given.text).collect();
        let how = how_of(request, &mut settings)?;
        let place = place_of(request.results.as_deref(), &mut settings)?;
        let page = PageChoice::of(&request.page, &mut settings)?;
        let catalog = catalog_of(request.catalog.as_deref(), &mut settings)?;
        // A file of probed disks adds them to the catalogue: runs name them with vm = "probed".
        let file = settings.file().filter(|file| file.probed().is_none());
        if let Some(name) = file.and_then(|file| file.says_what_to_run()) {
            let why = format!("the configuration file has `{name}`, and an experiment has its own");
            return Err(
                Failure::input(why).help("leave --config out, and write it in [base] of the experiment")
            );
        }
        let settings = settings.finish();
        Ok(PreparedLab { seed, duration, targets, how, place, page, trace, catalog, settings })
    }

    /// Reads the experiment; no row is run. `None` for a list or a comparison, which have no experiment.
    ///
    /// # Errors
    /// Returns an error if an experiment or a row does not exist, cannot be read, or cannot run this way.
    fn rows(&self, request: &LabRequest, common: &Common, env: &Env) -> Result<Option<Rows>, Failure> {
        if request.list {
            self.page.refuse("--list runs nothing", "leave it out, or leave --list out")?;
            if let Some(seed) = &common.seed {
                return Err(Failure::input(format!(
                    "--seed {seed} has no effect: a list uses no random numbers"
                ))
                .help("leave it out, or leave --list out"));
            }
            return Ok(None);
        }
        if request.measured {
            self.page.refuse("--measured has a text and a document", "leave it out, or add --json")?;
            if let Some(seed) = &common.seed {
                return Err(Failure::input(format!(
                    "--seed {seed}: the factors of the bands are of one seed"
                ))
                .help("leave it out, or leave --measured out"));
            }
            return Ok(None);
        }
        let (file, text) = text_of(env, request.experiment.as_deref())?;
        let experiment =
            Experiment::read_on(&self.targets, &file, &text, &self.catalog).map_err(Failure::input)?;
        let only = request.only();
        let runs: Vec<PlannedRun> =
            chosen(&experiment, &only)?.into_iter().map(|run| run.with(self.seed, self.duration)).collect();
        for flag in request.in_real_time() {
            refuse_long(flag, &runs, &only, env)?;
        }
        refuse_nowhere(&experiment, &runs)?;
        refuse_without_effect(&runs, request)?;
        if self.how.dry_run {
            self.page.refuse("nothing is run", "leave it out, or leave --dry-run out")?;
        }
        Ok(Some(Rows { experiment, runs }))
    }

    /// Reads the experiment and the options; no row is run.
    ///
    /// # Errors
    /// Returns the errors of [`PreparedLab::run`] that are known before the run.
    pub fn check(self, request: &LabRequest, common: &Common, env: &Env) -> Result<(), Failure> {
        self.rows(request, common, env).map(drop)
    }

    /// Carries out the runs: the answer is the table; or the list, or the comparison.
    ///
    /// # Errors
    /// Returns an error if an experiment or a row does not exist, cannot be read, cannot run this way, or fails.
    pub fn run(self, request: &LabRequest, common: &Common, env: &Env) -> Result<Finished, Failure> {
        let Some(Rows { experiment, runs }) = self.rows(request, common, env)? else {
            let answer: Option<Box<dyn ShownAnswer>> = match request.list {
                true => Some(Box::new(list(&self.catalog, request.csv)?)),
                false => measured(&self.catalog, &request.only(), env)?.map(|answers| Box::new(answers) as _),
            };
            return Ok(match answer {
                Some(answer) => Finished::with(answer, Exit::Done),
                None => Finished::without_answer(Exit::Interrupted),
            });
        };
        if let Some(wish) = &self.trace {
            let output = LabReplayOutput { page: &self.page, csv: request.csv };
            return replay_runs(&experiment, &runs, wish, self.seed, output, env);
        }
        self.page.can_be_written()?;
        let shelf = shelf_at(self.place, env);
        let real = match Real::ready(&runs, &self.how, &shelf, env)? {
            Ok(real) => real,
            Err(plan) => return Ok(Finished::with(PlainAnswer::for_people(plan), Exit::Done)),
        };
        let rehearsal = if request.live { Rehearsal::ready(&runs, &shelf, env)? } else { None };
        let asked = runs.len();
        let carried_out = carry_out(runs, request.real_time, rehearsal.as_ref(), &real, env);
        let removed = real.remove();
        let CarriedOut { rows, failure } = carried_out?;
        let complete = rows.len() == asked;
        let answer = LabAnswer {
            name: experiment.name,
            about: experiment.about,
            region: experiment.region,
            rows,
            asked,
            error: failure.as_ref().map(|failure| failure.what().to_string()),
        };
        let mut unwritten = Unwritten::default();
        unwritten.take(self.page.write(|| answer.with_laboratory(lab_document)));
        let answer = match request.csv {
            true => PlainAnswer::for_programs(answer.with_laboratory(lab_csv)),
            false => Box::new(answer),
        };
        let ended = match failure {
            Some(failure) => Err(failure),
            None if complete => Ok(Exit::Done),
            None => Ok(Exit::Interrupted),
        };
        Ok(Finished::beside(Some(answer), unwritten, removed.and(ended)))
    }
}

/// The table of an experiment.
pub struct LabAnswer {
    /// Name of the experiment.
    pub name: String,
    /// Question that the experiment answers.
    pub about: String,
    /// The region of its prices.
    pub region: String,
    /// The rows that are done, in order.
    pub rows: Vec<Row>,
    /// Number of rows that were asked for.
    pub asked: usize,
    /// Reason why it ended before its last row, unless the user ended it.
    pub error: Option<String>,
}

impl LabAnswer {
    /// Hands on the answer in the form that texts and documents are made of.
    pub fn with_laboratory<T>(&self, show: impl FnOnce(&Laboratory<'_>) -> T) -> T {
        let LabAnswer { name, about, region, rows, asked, error } = self;
        show(&Laboratory { name, about, region, rows, asked: *asked, error: error.as_deref() })
    }
}

impl ShownAnswer for LabAnswer {
    fn text(&self, style: Style) -> String {
        self.with_laboratory(|lab| lab_text(lab, style))
    }

    fn document(&self) -> Option<Document> {
        Some(self.with_laboratory(lab_document).into())
    }
}

/// The experiments that ship with the program.
pub struct ExperimentList(Vec<(&'static str, Experiment)>);

impl ExperimentList {
    fn with_list<T>(&self, show: impl FnOnce(&[Listed<'_>]) -> T) -> T {
        let listed =
            self.0.iter().map(|(name, read)| Listed { name, about: &read.about, runs: read.runs.len() });
        show(&listed.collect::<Vec<_>>())
    }
}

impl ShownAnswer for ExperimentList {
    fn text(&self, style: Style) -> String {
        self.with_list(|listed| lab_list_text(listed, style))
    }

    fn document(&self) -> Option<Document> {
        Some(self.with_list(lab_list_document).into())
    }
}

/// An experiment that is for whatever target it is given, and was given none.
fn refuse_nowhere(experiment: &Experiment, runs: &[PlannedRun]) -> Result<(), Failure> {
    if runs.iter().all(PlannedRun::is_somewhere) {
        return Ok(());
    }
    let why = format!("{} has no configuration and no target", experiment.name);
    Err(Failure::input(why).help(
        "add --target /mnt/data (in a folder, the run creates its own file), or write vm and disk in [base] of the file",
    ))
}

/// Refuses options that are about a workload, real time or real targets.
///
/// # Errors
/// Returns an error if one of them is given.
fn refuse_beside_trace(request: &LabRequest) -> Result<(), Failure> {
    let given = [
        ("--list", request.list),
        ("--measured", request.measured),
        ("--duration", request.duration.is_some()),
        ("--real-time", request.real_time),
        ("--live", request.live),
        ("--target", !request.target.is_empty()),
        ("--overwrite", !request.overwrite.is_empty()),
        ("--dry-run", request.dry_run),
        ("--busy-ok", request.busy_ok),
        ("--results", request.results.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::input(format!(
            "{option} beside --trace: runs replay the trace on the model, in virtual time"
        ))
        .help("leave one of the two out; `iobound run --trace` replays on real targets")),
        None => Ok(()),
    }
}

/// Flags about the model's clock without a model, and about real runs without a target.
fn refuse_without_effect(runs: &[PlannedRun], args: &LabRequest) -> Result<(), Failure> {
    if let Some(flag) = args.in_real_time().next().filter(|_| runs.iter().all(|run| run.on_model.is_none())) {
        return Err(Failure::input(format!("{flag}: no row has a configuration to model"))
            .help("leave it out, or write vm and disk in [base] of the file"));
    }
    if let Some(place) =
        args.results.as_ref().filter(|_| !args.live && runs.iter().all(|run| run.targets.is_empty()))
    {
        return Err(Failure::input(format!("--results {place}: results of the model are not stored"))
            .help("leave it out, or run on disks: --target /mnt/data, --live"));
    }
    match args.flag() {
        Some(flag) if runs.iter().all(|run| run.targets.is_empty()) => {
            Err(Failure::input(format!("{flag}: no row runs on a real target"))
                .help("add --target /mnt/data, or leave it out"))
        }
        _ => Ok(()),
    }
}

fn list(catalog: &Catalog, csv: bool) -> Result<ExperimentList, Failure> {
    if csv {
        return Err(Failure::input("--csv prints a table of runs, and --list has none")
            .help("use --json for a list in a script"));
    }
    let experiments = shipped().map(|of| {
        let read = Experiment::read(of.name, of.text, catalog);
        read.map(|read| (of.name, read)).map_err(Failure::input)
    });
    experiments.collect::<Result<_, _>>().map(ExperimentList)
}

/// The experiment's name for messages, and its text: a shipped one's name wins over no file at all.
fn text_of(env: &Env, asked: Option<&str>) -> Result<(String, String), Failure> {
    let name = asked.unwrap_or("published");
    if !Path::new(name).is_file() {
        if let Some(of) = shipped_named(name) {
            return Ok((of.name.to_string(), of.text.to_string()));
        }
        if !name.contains(['/', '\\', '.']) {
            let near = nearest(name, shipped().map(|of| of.name));
            let failure = Failure::input(format!("no file and no experiment is named `{name}`"));
            return Err(match near.as_slice() {
                [] => failure.help("`iobound lab --list` shows the experiments that ship with the program"),
                near => failure.help(format!("did you mean {}?", near.join(" or "))),
            });
        }
    }
    match files::read(env, name, WRITTEN) {
        Ok(text) => Ok((name.to_string(), text)),
        Err(why) => Err(Failure::unreadable(name, &why)),
    }
}

fn refuse_long(flag: &str, runs: &[PlannedRun], only: &[&str], env: &Env) -> Result<(), Failure> {
    let runs: Vec<&PlannedRun> = runs.iter().filter(|run| run.on_model.is_some()).collect();
    let total = runs.iter().fold(Span::ZERO, |sum, run| sum + run.length());
    if total <= LONGEST_UNASKED || !only.is_empty() {
        env.note(&format!("{flag}: {}, {total} in all", Counted(runs.len() as u64, "run")));
        return Ok(());
    }
    let minutes = total.secs_f64() / 60.0;
    Err(Failure::input(format!("{flag}: {} take {minutes:.0} minutes", Counted(runs.len() as u64, "row")))
        .help("choose rows with --only, or shorten them with --duration 1s"))
}
