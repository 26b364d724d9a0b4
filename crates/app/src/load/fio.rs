//! `fio`: a run in the words of fio, and its answer in their form.

use std::sync::{Arc, Mutex, PoisonError};

use iobound_formats::fio::{self, Action, Conduct, Eta, JobFile, Reporting, Section};
use iobound_formats::{Foreign, Problem, Ran, Tool};
use iobound_load::engine::{Kind, WrongBlock};
use iobound_load::run::Placement;
use iobound_machine::files::random_number;
use iobound_measure::Keep;
use iobound_units::Op;
use iobound_workload::Note;

use crate::outfile::{DocumentKind, OutFile, Unwritten};
use crate::process::LiveWhen;
use crate::results::Keeping;
use crate::results::place_of;
use crate::settings::Settings;
use crate::workload::{Machine, PathMap};
use crate::{Env, Exit, Failure, Finished, PlainAnswer};

use super::fio_replay;
use super::foreign::{
    ForeignCall, ForeignRun, Foreigns, answer, how_of, line_of, run_foreign, verbose, without_verbose,
};
use super::words::{InToolsWords, ToolCall, ToolFlags};
use crate::options::options;
use crate::run::{JobsToVerify, LoadGoal, ReportInParts, RunOptions, StatusReports, Then, Verify, allowed};

options! {
    /// Asks for I/O in the words of fio.
    pub struct FioRequest {
        /// Local folder for another machine's path: /mnt/nocache=/mnt/data
        map: Vec<String> = Form::Many, "FROM=TO";
        /// fio's own options and job files
        words: Vec<String> = Form::Rest, "WORDS";
    }
    tool: ToolFlags;
}

impl InToolsWords for FioRequest {
    const TOOL: Tool = Tool::Fio;

    fn carry_out(&self, ToolCall { common, refused, at, env }: ToolCall<'_>) -> Result<Finished, Failure> {
        let args = self;
        let (words, is_verbose) = without_verbose(&args.words);
        if words == ["--version"] || words == ["-v"] {
            let version = PlainAnswer::for_programs(format!("{}\n", fio::out::LAYOUT));
            return Ok(Finished::with(version, Exit::Done));
        }
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let paths = PathMap::of(&settings.texts("map", &args.map))?;
        let command = fio::parse_command(&line_of(&words), &Machine::that_runs(env, &paths))?;
        let mut foreign = match command.action {
            Action::ShowCommand => {
                let command = PlainAnswer::for_programs(format!("{}\n", fio::show_command(&command.jobs)));
                return Ok(Finished::with(command, Exit::Done));
            }
            Action::ParseOnly(unfit) => {
                for Problem { what, help, .. } in unfit {
                    env.note(&format!("a run would refuse this: {what}: {help}"));
                }
                return Ok(Finished::without_answer(Exit::Done));
            }
            Action::Run(foreign) => *foreign,
        };
        let report_file = command.reporting.output.as_deref();
        let report_file =
            report_file.map(|path| OutFile::named(path, DocumentKind::FioReport, env)).transpose()?;
        let shown = match command.reporting.eta {
            Eta::Auto => LiveWhen::OnTerminal,
            Eta::Always => LiveWhen::Always,
            Eta::Never => LiveWhen::Never,
        };
        verbose(args.tool.verbose || is_verbose, &mut settings)?;
        let mut how = how_of(&mut settings)?;
        fio_replay::fill(&command.reporting, &mut foreign, &mut how)?;
        how.interval = command.reporting.interval();
        how.engine = match how.engine {
            Some(engine) => Some(engine),
            None => engine_of(&command.jobs, &foreign, env)?,
        };
        let jobs = &command.reporting.jobs;
        let has_bins_log = jobs.iter().any(|job| job.bins_log.is_some());
        how.thread_series = if has_bins_log { Keep::All } else { Keep::Intervals };
        how.apart = jobs.iter().any(|job| !job.disable_slat || !job.disable_clat).then(|| {
            let has_log = jobs.iter().any(|job| job.lat_log.is_some());
            let kept = if has_log { Keep::Intervals } else { Keep::Nothing };
            if has_bins_log { Keep::All } else { kept }
        });
        how.log_ios = command.reporting.logs_ios();
        how.keep_warmup = true;
        goals(&command.reporting, &foreign, &mut how);
        conduct(&command.conduct, &mut how)?;
        keep_going(&command.jobs, &mut how);
        verify(&command.jobs, &mut foreign, &mut how)?;
        if command.conduct.draws_anew {
            foreign.workload.seed = new_seed()?;
        }
        let threads: usize = foreign.workload.jobs.iter().map(|job| job.threads as usize).sum();
        let jobs: Vec<_> = foreign.workloads().collect();
        let log_place = |name: &str| {
            let path = match &command.reporting.log_directory {
                Some(folder) => format!("{folder}/{name}"),
                None => name.to_string(),
            };
            OutFile::named(&path, DocumentKind::FioLog, env)
        };
        // Which of them there will be is known at the end; whatever can be one must be free for it.
        let names = fio::out::log_names(&command.reporting, threads);
        how.claims.extend(report_file.as_ref().and_then(OutFile::claim));
        for name in &names {
            how.claims.extend(log_place(name)?.claim());
        }
        let iolog_place = |name: &str| OutFile::named(name, DocumentKind::FioLog, env);
        for name in fio::out::iolog_names(&command.reporting) {
            how.claims.extend(iolog_place(&name)?.claim());
        }
        let opening = fio::out::opening(&jobs, threads, &command.jobs, &command.reporting);
        let parts = Arc::new(Mutex::new(ReportInParts::new(report_file.clone(), env)));
        how.status = command.reporting.status_every.map(|every| {
            let (jobs, reporting, opening) =
                (command.jobs.clone(), command.reporting.clone(), opening.clone());
            let parts = Arc::clone(&parts);
            let write = move |runs: &[Ran<'_>]| {
                let text = fio::out::report_so_far(runs, &jobs, &reporting);
                let head = || head(runs, &reporting, &opening);
                parts.lock().unwrap_or_else(PoisonError::into_inner).write(head, &text);
            };
            StatusReports { every, write: Arc::new(write), env: env.clone() }
        });
        let keeping = Keeping::new(place_of(args.tool.results.as_deref(), &mut settings)?, "fio", None, env);
        let mut ran = match run_foreign(
            foreign,
            &args.map,
            &how,
            false,
            keeping,
            &mut settings,
            ForeignCall { common, refused, at, shown },
        )? {
            Foreigns::Ran(ran) => ran,
            Foreigns::Over(finished) => return Ok(finished),
        };
        ran.take_notes(env);
        say_wrong_blocks(&command.jobs, &ran, env);
        let runs = ran.runs();
        let report = fio::out::report(&runs, &command.jobs, &command.reporting);
        let head = || head(&runs, &command.reporting, &opening);
        let mut unwritten = Unwritten::default();
        let mut printed = None;
        if how.status.is_some() {
            let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
            parts.write(head, &report);
            unwritten = parts.take_unwritten();
        } else {
            printed = answer(report_file.as_ref(), head() + &report, &mut unwritten);
        }
        for log in unwritten
            .take(fio::out::logs(&runs, &command.jobs, &command.reporting).map_err(Failure::from))
            .into_iter()
            .flatten()
        {
            unwritten.take(log_place(&log.name).and_then(|file| file.write(&log.text)));
        }
        for log in fio::out::iologs(&runs, &command.reporting) {
            unwritten.take(iolog_place(&log.name).and_then(|file| file.write(&log.text)));
        }
        ran.say_checks(env);
        Ok(ran.finished(printed, unwritten))
    }
}

/// Text before the first report.
fn head(runs: &[Ran<'_>], reporting: &Reporting, opening: &str) -> String {
    let seeds = if reporting.seeds { seeds(runs) } else { String::new() };
    seeds + opening
}

/// Output of `--debug=random`: one seed for all jobs, from which each queue's random numbers come.
fn seeds(runs: &[Ran<'_>]) -> String {
    let process = std::process::id();
    let line = |ran: &Ran<'_>| format!("random   {process} rand_seeds[0]={}\n", ran.workload.seed);
    let mut text = format!("random   {process} FIO_RAND_NR_OFFS=1\n");
    runs.iter().for_each(|ran| text.push_str(&line(ran)));
    text
}

/// A seed of the system's entropy.
fn new_seed() -> Result<u64, Failure> {
    random_number().map_err(|error| Failure::io(format!("the system gives no random number: {error}")))
}

/// The engine that the jobs name, where it is one of ours; the first job's, since all share one.
///
/// fio trims with a call that waits, whatever its engine. An engine of ours that can't trim makes way for one that can.
///
/// # Errors
/// Returns an error if the engine does not use files or devices.
fn engine_of(jobs: &JobFile, foreign: &Foreign, env: &Env) -> Result<Option<Kind>, Failure> {
    let named = jobs.jobs.iter().find_map(|section| section.settings.get("ioengine")?.value.as_deref());
    let engine = named_engine(named, foreign, env)?;
    if let (Some(engine), Some(name)) = (engine.filter(|engine| !engine.is_here()), named) {
        env.note(&format!(
            "ioengine: {name} would be {engine}, which is not on this system; its own engine is used"
        ));
    }
    Ok(engine.filter(|engine| engine.is_here()))
}

fn named_engine(named: Option<&str>, foreign: &Foreign, env: &Env) -> Result<Option<Kind>, Failure> {
    let mut mixes = foreign.workloads().flat_map(|workload| &workload.jobs).flat_map(|job| &job.mix);
    let trims = mixes.any(|share| share.op == Op::Discard && share.weight > 0);
    let mut jobs = foreign.workloads().flat_map(|workload| &workload.jobs);
    let range_syncs = jobs.any(|job| job.flush_range.is_some());
    match named {
        Some(engine @ ("libaio" | "io_uring")) if range_syncs => {
            env.note(&format!(
                "ioengine: sync_file_range is a call that waits, so plain calls take the place of {engine}"
            ));
            Ok(Some(Kind::Sync))
        }
        Some(engine @ ("libaio" | "io_uring")) if trims => {
            env.note(&format!(
                "ioengine: a job trims, so the first engine that can trim on these targets takes the place of {engine}"
            ));
            Ok(None)
        }
        None | Some("psync" | "sync" | "vsync" | "pvsync" | "pvsync2") => Ok(Some(Kind::Sync)),
        Some("libaio") => Ok(Some(Kind::Libaio)),
        Some("null" | "cpp_null") => Ok(Some(Kind::Null)),
        Some("io_uring") => Ok(Some(Kind::IoUring)),
        Some(other @ ("posixaio" | "windowsaio" | "solarisaio" | "io_uring_cmd")) => {
            env.note(&format!(
                "ioengine: {other} is not supported; the first engine that works takes its place"
            ));
            Ok(None)
        }
        Some(other) => Err(Failure::input(format!("ioengine={other} is not supported"))
            .help("write ioengine=io_uring, libaio or psync")),
    }
}

/// `verify`: what jobs write is read back at the end, and what jobs read must have been written so, by stamps of our own
/// whatever fio's checksum would be.
///
/// Of a job with `verify=pattern`, blocks hold the pattern alone, as fio writes and reads it.
///
/// # Errors
/// Returns an error if the pattern cannot be checked.
fn verify(jobs: &JobFile, foreign: &mut Foreign, how: &mut RunOptions) -> Result<(), Failure> {
    let value = |section: &Section, name: &str| {
        let setting = section.settings.get(name)?;
        Some(setting.value.clone().unwrap_or_else(|| "1".into()))
    };
    let kind = |section: &Section| {
        value(section, "verify").filter(|kind| !matches!(kind.as_str(), "none" | "0" | "null"))
    };
    let mut asked = JobsToVerify::default();
    let mut kinds: Vec<String> = Vec::new();
    let carried = foreign.workloads().flat_map(|workload| &workload.jobs);
    for (section, job) in jobs.jobs.iter().zip(carried) {
        let Some(kind) = kind(section) else { continue };
        let writes = job.mix.iter().any(|share| share.op == Op::Write && share.weight > 0);
        // do_verify=0 leaves out reading back alone: a later run or job reads what carries stamps.
        let reads_back = !writes || value(section, "do_verify").as_deref() != Some("0");
        if kind == "pattern" {
            let pattern = fio::verify_pattern(section, job);
            let pattern = pattern.map_err(|(what, help)| Failure::input(what).help(help))?;
            asked.patterns.push((job.name.clone(), pattern));
        } else if !writes && kind == "pattern_hdr" {
            return Err(Failure::input(format!(
                "the job {} only reads, and verify=pattern_hdr checks headers of fio's own",
                section.name
            ))
            .help("use verify=pattern for blocks that fio wrote with it, or verify=crc32c"));
        } else {
            asked.stamps = true;
        }
        if reads_back {
            asked.read_back.push(job.name.clone());
        }
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() {
        return Ok(());
    }
    how.verify = Some(Verify::Jobs(asked));
    if let Some(kind) = kinds.iter().find(|kind| *kind != "pattern") {
        foreign.notes.push(Note {
            about: format!("verify={kind}"),
            says: "blocks carry offset, generation and CRC-32C, whatever the kind".into(),
        });
    }
    Ok(())
}

/// Says which blocks do not hold what was written, as fio does.
fn say_wrong_blocks(jobs: &JobFile, ran: &ForeignRun, env: &Env) {
    let kind = jobs.jobs.iter().find_map(|section| section.settings.get("verify")?.value.clone());
    let kind = kind.unwrap_or_else(|| "verify".into());
    let kind: String = kind.chars().take(8).collect();
    for (_, block) in ran.stages.iter().flat_map(|stage| &stage.wrong) {
        let WrongBlock { path, offset, len, why } = block;
        let at = format!(
            "at file {} offset {offset}, length {len} (requested block: offset={offset}, length={len})",
            path.display()
        );
        let why = why.lines().next().unwrap_or_default();
        env.of_process().aside(&format!("verify: a block failed {at}: {why}\n{kind}: verify failed {at}\n"));
    }
}

/// Request of fio's words of the run as a whole.
///
/// # Errors
/// Returns an error if a processor does not exist.
fn conduct(asked: &Conduct, how: &mut RunOptions) -> Result<(), Failure> {
    if let Some(processors) = &asked.processors {
        let numbers = allowed(processors.numbers.clone())
            .map_err(|why| Failure::input(format!("cpus_allowed: {why}")))?;
        how.placement = if processors.split { Placement::InTurn(numbers) } else { Placement::Among(numbers) };
    }
    how.dedupe = asked.dedupe.unwrap_or(how.dedupe);
    how.max_latency = asked.max_latency;
    Ok(())
}

/// Goals that end jobs early: `steadystate`, `latency_target`.
fn goals(reporting: &Reporting, foreign: &Foreign, how: &mut RunOptions) {
    let jobs = || {
        let carried = foreign.workloads().flat_map(|workload| &workload.jobs);
        carried.map(|job| &job.name).zip(&reporting.jobs)
    };
    how.steady = jobs().filter_map(|(name, job)| Some((name.clone(), job.steady?))).collect();
    if !how.steady.is_empty() && jobs().count() > 1 {
        how.env.note(
            "steadystate: all jobs of a stage are judged together, and end together where each of them asks for it",
        );
    }
    let asked = jobs().find_map(|(_, job)| job.latency).map(|goal| LoadGoal {
        target: goal.target,
        percent: goal.percent,
        probe: goal.window,
        then: if goal.runs_on { Then::Rest } else { Then::OneProbe },
        option: "latency_target",
    });
    how.load_goal = asked.or(how.load_goal);
}

/// `continue_on_error`: fio's default is to end.
fn keep_going(jobs: &JobFile, how: &mut RunOptions) {
    let continues = |value: &str| !matches!(value, "none" | "0");
    let asked =
        jobs.jobs.iter().find_map(|section| section.settings.get("continue_on_error")?.value.as_deref());
    if asked.is_some_and(continues) {
        how.on_error = iobound_load::engine::OnError::Continue;
    }
}
