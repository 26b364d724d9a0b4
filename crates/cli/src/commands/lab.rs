use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use clap::Args;
use iobound_drive::Flow;
use iobound_lab::{
    Execute, ExecuteError, Execution, Experiment, Model, PlannedRun, Reached, Row, run_on, shipped,
    shipped_named,
};
use iobound_machine::SystemClock;
use iobound_measure::Interval;
use iobound_report::{Laboratory, Listed, lab_csv, lab_json, lab_list_json, lab_list_text, lab_text};
use iobound_units::{Span, parse_count, parse_span};
use iobound_workload::nearest;

use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::files::{self, WRITTEN};
use crate::progress::Progress;
use crate::settings::{Settings, catalog_of};
use crate::{interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound lab                                     the published experiments, all of them
  iobound lab --only 'E7*,E8' --wide              some rows, everything about them
  iobound lab queue-depth                         another experiment that ships with the program
  iobound lab mine.toml --json                    your own
  iobound lab --only E6 --real-time --duration 10s

An experiment file:
  [base]
  vm = \"DS14\"
  disk = [\"10xP30\"]
  diskspd = '-b4K -d60 -h -o8 -t4 -si -c50000M'

  [[run]]
  name = \"deep\"
  depth = 128                                     # the one thing that changes
  published = { iops = 45512, source = \"where it was printed\" }

  [[sweep]]
  name = \"disks {}\"
  over = \"disks\"
  values = [1, 2, 4, 8]";

/// No more names of rows are listed in a message.
const LISTED: usize = 12;

/// Real time without a choice of rows is refused above this.
const LONGEST_UNASKED: Span = Span::from_secs(120);

/// What happens when one thing changes: runs beside what was published of them, and what no known limit explains.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LabArgs {
    /// An experiment file, or the name of one that ships with the program [default: published]
    #[arg(value_name = "FILE|NAME")]
    experiment: Option<String>,
    /// The experiments that ship with the program
    #[arg(long, conflicts_with_all = ["experiment", "only", "real_time", "duration"])]
    list: bool,
    /// Only these rows: names, and patterns with * and ?
    #[arg(long, value_name = "NAME,...", value_delimiter = ',')]
    only: Vec<String>,
    /// Count every run for this long instead of its own time
    #[arg(long, value_name = "TIME")]
    duration: Option<String>,
    /// Run the same model on the real clock as well: takes as long as the runs
    #[arg(long)]
    real_time: bool,
    /// Comma-separated values
    #[arg(long, conflicts_with = "json")]
    csv: bool,
    /// Your own catalogue file, TOML or CSV: its figures win
    #[arg(long, value_name = "FILE")]
    catalog: Option<String>,
}

/// Reads the experiment, carries out its runs, and shows the table.
pub(crate) fn run(args: &LabArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let seed = settings.parse("seed", common.seed.as_deref(), None, parse_count)?;
    let duration =
        settings.parse("duration", args.duration.as_deref(), None, |text| match parse_span(text) {
            Ok(span) if span.is_zero() => {
                Err("no time at all: write how long runs are counted, 10s".to_string())
            }
            read => read.map_err(|error| error.to_string()),
        })?;
    let catalog = catalog_of(args.catalog.as_deref(), &mut settings)?;
    if let Some(name) = settings.file().and_then(|file| file.says_what_to_run()) {
        let why = format!("the configuration file has `{name}`, and an experiment has its own");
        return Err(Failure::input(why).mend("leave --config out, and write it in [base] of the experiment"));
    }
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    if args.list {
        if let Some(seed) = &common.seed {
            return Err(Failure::input(format!("--seed {seed}: a list draws nothing at random"))
                .mend("leave it out, or leave --list out"));
        }
        return list(&catalog, args.csv, common);
    }
    let (file, text) = text_of(args.experiment.as_deref())?;
    let experiment = Experiment::read(&file, &text, &catalog).map_err(Failure::input)?;
    let runs: Vec<PlannedRun> =
        chosen(&experiment, &args.only)?.into_iter().map(|run| run.with(seed, duration)).collect();
    if args.real_time {
        refuse_long(&runs, &args.only)?;
    }
    let asked = runs.len();
    let rows = carry_out(runs, args.real_time)?;
    let complete = rows.len() == asked;
    let lab = Laboratory {
        name: &experiment.name,
        about: &experiment.about,
        region: &experiment.region,
        rows: &rows,
        asked,
    };
    let written = if args.csv {
        output::write(&lab_csv(&lab))
    } else {
        output::page(common, |style| lab_text(&lab, style), || lab_json(&lab))
    };
    written.map(|exit| if complete { exit } else { Exit::Interrupted })
}

fn list(catalog: &iobound_catalog::Catalog, csv: bool, common: &CommonArgs) -> Result<Exit, Failure> {
    if csv {
        return Err(
            Failure::input("--csv is for a table of runs").mend("take --json for a list that scripts read")
        );
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
    output::page(common, |style| lab_list_text(&listed, style), || lab_list_json(&listed))
}

/// The experiment's name for messages, and its text: a shipped one's name wins over no file at all.
fn text_of(asked: Option<&str>) -> Result<(String, String), Failure> {
    let name = asked.unwrap_or("published");
    if !Path::new(name).is_file() {
        if let Some(of) = shipped_named(name) {
            return Ok((of.name.to_string(), of.text.to_string()));
        }
        if !name.contains(['/', '\\', '.']) {
            let near = nearest(name, shipped().map(|of| of.name));
            let failure = Failure::input(format!("there is no file and no experiment `{name}`"));
            return Err(match near.as_slice() {
                [] => failure.mend("`iobound lab --list` has those that ship with the program"),
                near => failure.mend(format!("did you mean {}?", near.join(" or "))),
            });
        }
    }
    match files::read(name, WRITTEN) {
        Ok(text) => Ok((name.to_string(), text)),
        Err(why) => Err(Failure::unreadable(name, &why)),
    }
}

/// The rows that were asked for, in the experiment's order.
fn chosen(experiment: &Experiment, only: &[String]) -> Result<Vec<PlannedRun>, Failure> {
    let only: Vec<&str> = only.iter().map(|pattern| pattern.trim()).filter(|p| !p.is_empty()).collect();
    let any = |pattern: &str| experiment.runs.iter().any(|run| matches(pattern, &run.name));
    // E9 is of several rows, E9-warm and so on: it means them all where no row has that very name.
    let only: Vec<String> = only
        .into_iter()
        .map(|pattern| {
            let members = format!("{pattern}-*");
            if !any(pattern) && any(&members) { members } else { pattern.to_string() }
        })
        .collect();
    for pattern in &only {
        if !any(pattern) {
            let failure = Failure::input(format!("--only: no row is named `{pattern}`"));
            let near = nearest(pattern, experiment.runs.iter().map(|run| run.name.as_str()));
            return Err(match near.as_slice() {
                [] => {
                    let names = experiment.runs.iter().take(LISTED).map(|run| run.name.as_str());
                    let names: Vec<&str> = names.collect();
                    let more = if experiment.runs.len() > LISTED { ", ..." } else { "" };
                    failure.mend(format!("the rows are {}{more}", names.join(", ")))
                }
                near => failure.mend(format!("did you mean {}?", near.join(" or "))),
            });
        }
    }
    let is_chosen =
        |run: &&PlannedRun| only.is_empty() || only.iter().any(|pattern| matches(pattern, &run.name));
    Ok(experiment.runs.iter().filter(is_chosen).cloned().collect())
}

/// Whether a name fits a pattern with `*` (any characters) and `?` (one), whatever the case.
fn matches(pattern: &str, name: &str) -> bool {
    fn fits(pattern: &[char], name: &[char]) -> bool {
        match (pattern.split_first(), name.split_first()) {
            (None, None) => true,
            (Some(('*', rest)), _) => (0..=name.len()).any(|skip| fits(rest, &name[skip..])),
            (Some(('?', rest)), Some((_, name))) => fits(rest, name),
            (Some((one, rest)), Some((other, name))) => one == other && fits(rest, name),
            _ => false,
        }
    }
    let chars = |text: &str| text.to_lowercase().chars().collect::<Vec<char>>();
    fits(&chars(pattern), &chars(name))
}

fn refuse_long(runs: &[PlannedRun], only: &[String]) -> Result<(), Failure> {
    let total = runs.iter().fold(Span::ZERO, |sum, run| sum + run.length());
    if total <= LONGEST_UNASKED || !only.is_empty() {
        output::note(&format!("real time: {} runs, {} in all", runs.len(), total));
        return Ok(());
    }
    let minutes = total.secs_f64() / 60.0;
    Err(Failure::input(format!("--real-time: all {} rows take {minutes:.0} minutes", runs.len()))
        .mend("choose rows with --only, or shorten them with --duration 1s"))
}

/// Carries out the runs, several at once; the rows that were done when the person interrupted, in order.
fn carry_out(runs: Vec<PlannedRun>, real_time: bool) -> Result<Vec<Row>, Failure> {
    let progress = Progress::new(runs.len());
    // On the real clock each run has the machine to itself.
    let workers =
        if real_time { 1 } else { std::thread::available_parallelism().map_or(1, |count| count.get()) };
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, Result<Execution, ExecuteError>)>> =
        Mutex::new(Vec::with_capacity(runs.len()));
    std::thread::scope(|scope| {
        for _ in 0..workers.min(runs.len()) {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(run) = runs.get(index).filter(|_| !interrupt::asked()) else { break };
                    let execution = execute(run, real_time, &progress);
                    progress.done(&run.name);
                    done.lock().unwrap_or_else(|error| error.into_inner()).push((index, execution));
                }
            });
        }
    });
    drop(progress);
    let mut done = done.into_inner().unwrap_or_else(|error| error.into_inner());
    done.sort_by_key(|(index, _)| *index);
    let mut rows = Vec::with_capacity(done.len());
    let mut runs: Vec<Option<PlannedRun>> = runs.into_iter().map(Some).collect();
    for (index, execution) in done {
        let Some(run) = runs[index].take() else { continue };
        let execution = match execution {
            Ok(execution) => execution,
            Err(ExecuteError::Interrupted) => continue,
            Err(error) => return Err(Failure::input(format!("{}: {error}", run.name))),
        };
        let is_whole =
            execution.simulated.complete && execution.real_time.as_ref().is_none_or(|real| real.complete);
        if is_whole {
            rows.push(Row::of(run, execution));
        }
    }
    Ok(rows)
}

fn execute(run: &PlannedRun, real_time: bool, progress: &Progress) -> Result<Execution, ExecuteError> {
    let mut watch = |_: &Interval| {
        progress.goes_on(&run.name);
        if interrupt::asked() { Flow::Stop } else { Flow::Continue }
    };
    let mut execution = Model.execute(run, &mut watch)?;
    if real_time && !interrupt::asked() {
        let mut clock = SystemClock::default();
        let reached = run_on(&mut clock, run, &mut watch)?;
        execution.real_time = Some(Reached { late: clock.late(), ..reached });
    }
    Ok(execution)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_a_name_or_has_stars() {
        for (pattern, name, fits) in [
            ("E7", "E7", true),
            ("e7", "E7", true),
            ("E7", "E7-r", false),
            ("E7*", "E7-r", true),
            ("E1?", "E13-512B", false),
            ("E1?-*B", "E13-512B", true),
            ("*", "anything", true),
            ("", "x", false),
        ] {
            assert_eq!(matches(pattern, name), fits, "{pattern} {name}");
        }
    }
}
