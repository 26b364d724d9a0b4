use std::path::Path;

use clap::Args;
use iobound_lab::{Experiment, PlannedRun, shipped, shipped_named};
use iobound_report::{Laboratory, Listed, lab_csv, lab_document, lab_list_document, lab_list_text, lab_text};
use iobound_units::{Span, parse_count, parse_span};
use iobound_workload::nearest;

use crate::arguments::CommonArgs;
use crate::arguments::PageArgs;
use crate::lab::{
    CarriedOut, Real, RealArgs, Rehearsal, RunOptions, carry_out, chosen, how_of, measured, shelf_at,
};
use crate::live::LiveStyle;
use crate::output;
use crate::page::WritePage;
use iobound_app::Exit;
use iobound_app::files::{self, WRITTEN};
use iobound_app::page::PageChoice;
use iobound_app::results::{Place, place_of};
use iobound_app::settings::{Settings, catalog_of};
use iobound_app::{Env, Failure};

const EXAMPLES: &str = "\
Examples:
  iobound lab                                     # all published experiments
  iobound lab --only 'E7*,E8' --wide              # some rows, with all columns
  iobound lab queue-depth                         # another experiment that ships with the program
  iobound lab mine.toml --json                    # your own
  iobound lab --html lab.html                     # as a page, with charts
  iobound lab --measured                          # coverage of the bands, by published runs
  iobound lab --only E6 --real-time --duration 10s
  iobound lab --only 'E6,E11' --live --duration 10s    # the load generator on the emulated disks
  iobound lab real-depth --target /mnt/data       # on a real disk: in a folder, a file of its own

An experiment file:
  [base]
  vm = \"DS14\"
  disk = [\"10xP30\"]
  diskspd = '-b4K -d60 -h -o8 -t4 -si -c50000M'

  target = \"/mnt/data\"                            # also on a real target; without vm, only there

  [[run]]
  name = \"deep\"
  depth = 128                                     # the one setting that changes
  published = { iops = 45512, source = \"where it was printed\" }

  [[sweep]]
  name = \"disks {}\"
  over = \"disks\"
  values = [1, 2, 4, 8]";

/// Real time without a choice of rows is refused above this.
const LONGEST_UNASKED: Span = Span::from_secs(120);

/// Run an experiment on the model, beside published figures. Without a file, run the published experiments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LabArgs {
    /// An experiment file, or the name of one that ships with the program [default: published]
    #[arg(value_name = "FILE|NAME")]
    experiment: Option<String>,
    /// List the experiments that ship with the program
    #[arg(long, conflicts_with_all = ["experiment", "only", "real_time", "live", "duration", "target", "overwrite", "dry_run", "busy_ok"])]
    list: bool,
    /// Compare the bands with all published measurements of measured.csv; --only takes sources and runs
    #[arg(long, conflicts_with_all = ["experiment", "list", "real_time", "live", "duration", "target", "overwrite", "dry_run", "busy_ok", "results", "csv"])]
    measured: bool,
    /// Rows to run: names, and patterns with * and ?
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Measurement time of every run, instead of its own
    #[arg(long, value_name = "TIME")]
    duration: Option<String>,
    /// Also run the model in real time; takes as long as the runs
    #[arg(long)]
    real_time: bool,
    /// Also run the load generator on emulated disks (FUSE); takes as long as the runs
    #[arg(long)]
    live: bool,
    #[command(flatten)]
    real: RealArgs,
    /// Results store for real targets and emulated disks, or off [default: IOBOUND_RESULTS, else in the user's data
    /// folder]
    #[arg(long, value_name = "FILE|off")]
    results: Option<String>,
    /// Print comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Your own catalogue file (TOML or CSV); its figures override the shipped ones
    #[arg(long, value_name = "FILE")]
    catalog: Option<String>,
    #[command(flatten)]
    page: PageArgs,
}

impl LabArgs {
    /// The flags that take as long as the runs.
    fn in_real_time(&self) -> impl Iterator<Item = &'static str> {
        let flags = [("--real-time", self.real_time), ("--live", self.live)];
        flags.into_iter().filter_map(|(name, given)| given.then_some(name))
    }
}

/// Reads the experiment, carries out its runs, and shows the table.
pub(crate) fn run(args: &LabArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let ConfigurationRequest { experiment, runs, how, place, page } =
        match ConfigurationRequest::read(args, common)? {
            Ok(asked) => asked,
            Err(exit) => return Ok(exit),
        };
    page.can_be_written()?;
    let shelf = shelf_at(place);
    let Some(real) = Real::ready(&runs, &how, &shelf)? else { return Ok(Exit::Done) };
    let rehearsal = if args.live { Rehearsal::ready(&runs, &shelf)? } else { None };
    let asked = runs.len();
    let carried_out = carry_out(runs, args.real_time, rehearsal.as_ref(), &real, LiveStyle::of(common));
    let removed = real.remove();
    let CarriedOut { rows, failure } = carried_out?;
    let complete = rows.len() == asked;
    let lab = Laboratory {
        name: &experiment.name,
        about: &experiment.about,
        region: &experiment.region,
        rows: &rows,
        asked,
        error: failure.as_ref().map(Failure::what),
    };
    let written = if args.csv {
        output::data(&lab_csv(&lab))
    } else {
        output::page(common, |style| lab_text(&lab, style), || lab_document(&lab))
    };
    let exit = written?;
    page.write(|| lab_document(&lab))?;
    removed?;
    match failure {
        Some(failure) => Err(failure),
        None if complete => Ok(exit),
        None => Ok(Exit::Interrupted),
    }
}

/// Reads the experiment and the words; no row is run.
pub(crate) fn check(args: &LabArgs, common: &CommonArgs) -> Result<(), Failure> {
    ConfigurationRequest::read(args, common).map(drop)
}

/// The runs that are asked for, once the experiment and all words are read.
struct ConfigurationRequest {
    experiment: Experiment,
    runs: Vec<PlannedRun>,
    how: RunOptions,
    place: Place,
    page: PageChoice,
}

impl ConfigurationRequest {
    /// Reads all of it; or, where only the settings or the list were wanted, shows them.
    fn read(args: &LabArgs, common: &CommonArgs) -> Result<Result<ConfigurationRequest, Exit>, Failure> {
        let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
        let seed = settings.parse("seed", common.seed.as_deref(), None, parse_count)?;
        let duration =
            settings.parse("duration", args.duration.as_deref(), None, |text| match parse_span(text) {
                Ok(span) if span.is_zero() => {
                    Err("the time is zero: write a measurement time, such as 10s".to_string())
                }
                read => read.map_err(|error| error.to_string()),
            })?;
        let targets: Vec<String> =
            settings.texts("target", &args.real.target).into_iter().map(|given| given.text).collect();
        let how = how_of(&args.real, &mut settings)?;
        let place = place_of(args.results.as_deref(), &mut settings)?;
        let page = PageChoice::of(&args.page, &mut settings)?;
        let catalog = catalog_of(args.catalog.as_deref(), &mut settings)?;
        if let Some(name) = settings.file().and_then(|file| file.says_what_to_run()) {
            let why = format!("the configuration file has `{name}`, and an experiment has its own");
            return Err(
                Failure::input(why).mend("leave --config out, and write it in [base] of the experiment")
            );
        }
        let (won, unused) = settings.finish();
        if common.show_config {
            return output::settings(&won, &unused, common).map(Err);
        }
        output::unused_variables(&unused);
        if args.list {
            page.refuse("--list runs nothing", "leave it out, or leave --list out")?;
            if let Some(seed) = &common.seed {
                return Err(Failure::input(format!(
                    "--seed {seed} has no effect: a list uses no random numbers"
                ))
                .mend("leave it out, or leave --list out"));
            }
            return list(&catalog, args.csv, common).map(Err);
        }
        if args.measured {
            page.refuse("--measured has a text and a document", "leave it out, or add --json")?;
            if let Some(seed) = &common.seed {
                return Err(Failure::input(format!(
                    "--seed {seed}: the factors of the bands are of one seed"
                ))
                .mend("leave it out, or leave --measured out"));
            }
            return measured(&catalog, &args.only, common).map(Err);
        }
        let (file, text) = text_of(&common.env(), args.experiment.as_deref())?;
        let experiment = Experiment::read_on(&targets, &file, &text, &catalog).map_err(Failure::input)?;
        let runs: Vec<PlannedRun> =
            chosen(&experiment, &args.only)?.into_iter().map(|run| run.with(seed, duration)).collect();
        for flag in args.in_real_time() {
            refuse_long(flag, &runs, &args.only)?;
        }
        refuse_nowhere(&experiment, &runs)?;
        refuse_without_effect(&runs, args)?;
        if how.dry_run {
            page.refuse("nothing is run", "leave it out, or leave --dry-run out")?;
        }
        Ok(Ok(ConfigurationRequest { experiment, runs, how, place, page }))
    }
}

/// An experiment that is for whatever target it is given, and was given none.
fn refuse_nowhere(experiment: &Experiment, runs: &[PlannedRun]) -> Result<(), Failure> {
    if runs.iter().all(PlannedRun::is_somewhere) {
        return Ok(());
    }
    let why = format!("{} has no configuration and no target", experiment.name);
    Err(Failure::input(why).mend(
        "add --target /mnt/data (in a folder, the run creates its own file), or write vm and disk in [base] of the file",
    ))
}

/// Flags about the model's clock without a model, and about real runs without a target.
fn refuse_without_effect(runs: &[PlannedRun], args: &LabArgs) -> Result<(), Failure> {
    if let Some(flag) = args.in_real_time().next().filter(|_| runs.iter().all(|run| run.on_model.is_none())) {
        return Err(Failure::input(format!("{flag}: no row has a configuration to model"))
            .mend("leave it out, or write vm and disk in [base] of the file"));
    }
    if let Some(place) =
        args.results.as_ref().filter(|_| !args.live && runs.iter().all(|run| run.targets.is_empty()))
    {
        return Err(Failure::input(format!("--results {place}: results of the model are not stored"))
            .mend("leave it out, or run on disks: --target /mnt/data, --live"));
    }
    match args.real.flag() {
        Some(flag) if runs.iter().all(|run| run.targets.is_empty()) => {
            Err(Failure::input(format!("{flag}: no row runs on a real target"))
                .mend("add --target /mnt/data, or leave it out"))
        }
        _ => Ok(()),
    }
}

fn list(catalog: &iobound_catalog::Catalog, csv: bool, common: &CommonArgs) -> Result<Exit, Failure> {
    if csv {
        return Err(Failure::input("--csv prints a table of runs, and --list has none")
            .mend("use --json for a list in a script"));
    }
    let experiments: Vec<(&str, Experiment)> = shipped()
        .map(|of| {
            let read = Experiment::read(of.name, of.text, catalog);
            read.map(|read| (of.name, read)).map_err(Failure::input)
        })
        .collect::<Result<_, _>>()?;
    let listed: Vec<Listed> = experiments
        .iter()
        .map(|(name, read)| Listed { name, about: &read.about, runs: read.runs.len() })
        .collect();
    output::page(common, |style| lab_list_text(&listed, style), || lab_list_document(&listed))
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
                [] => failure.mend("`iobound lab --list` shows the experiments that ship with the program"),
                near => failure.mend(format!("did you mean {}?", near.join(" or "))),
            });
        }
    }
    match files::read(env, name, WRITTEN) {
        Ok(text) => Ok((name.to_string(), text)),
        Err(why) => Err(Failure::unreadable(name, &why)),
    }
}

fn refuse_long(flag: &str, runs: &[PlannedRun], only: &[String]) -> Result<(), Failure> {
    let runs: Vec<&PlannedRun> = runs.iter().filter(|run| run.on_model.is_some()).collect();
    let total = runs.iter().fold(Span::ZERO, |sum, run| sum + run.length());
    if total <= LONGEST_UNASKED || !only.is_empty() {
        output::note(&format!("{flag}: {} runs, {} in all", runs.len(), total));
        return Ok(());
    }
    let minutes = total.secs_f64() / 60.0;
    Err(Failure::input(format!("{flag}: all {} rows take {minutes:.0} minutes", runs.len()))
        .mend("choose rows with --only, or shorten them with --duration 1s"))
}
