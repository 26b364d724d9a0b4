use clap::Args;
use iobound_formats::Foreign;
use iobound_formats::fio::{self, Action, Conduct, JobFile, Section};
use iobound_load::engine::Kind;
use iobound_load::run::Placement;
use iobound_units::Op;
use iobound_workload::Note;

use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::fleet::desk::OfRanks;
use crate::output;
use crate::results::{Keeping, place_of};
use crate::run::{At, Foreigns, How, allowed, answer_can_be_written, how_of, line_of, run_foreign};
use crate::settings::Settings;
use crate::workload::Machine;

const EXAMPLES: &str = "\
Examples:
  iobound fio --name=test --directory=/mnt/data --size=10g --rw=randread --bs=4k --iodepth=32 \\
    --ioengine=io_uring --direct=1 --runtime=60 --time_based --group_reporting
  iobound fio --output-format=json jobs.fio
  iobound fio --showcmd jobs.fio

What exists is not written over unless IOBOUND_OVERWRITE names it or it was made here. Others at
work on the device end it unless IOBOUND_BUSY_OK=true.";

/// The same run in fio's words, answered in its text, JSON or terse lines.
#[derive(Debug, Args)]
#[command(disable_help_flag = true, override_usage = "iobound fio [--map FROM=TO]... OPTIONS... JOBFILES...", after_help = EXAMPLES)]
pub(crate) struct FioArgs {
    /// Where other machines' paths lie here: /mnt/nocache=/mnt/data
    #[arg(long, value_name = "FROM=TO")]
    map: Vec<String>,
    /// Where the result is kept, or off [default: IOBOUND_RESULTS, else in the user's data]
    #[arg(long, value_name = "FILE|off")]
    results: Option<String>,
    /// fio's own options and job files
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    words: Vec<String>,
}

/// Runs an fio command line.
pub(crate) fn run(args: &FioArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    carry_out(args, common, None)
}

/// Answers for ranks whose desk is in this process, which issues no load itself.
pub(crate) fn at_desk(at: OfRanks<'_>, args: &FioArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    carry_out(args, common, Some(at))
}

fn carry_out(args: &FioArgs, common: &CommonArgs, at: At<'_>) -> Result<Exit, Failure> {
    if args.words.is_empty() || args.words == ["--help"] || args.words == ["-h"] {
        return output::verb_help("fio", args.words.is_empty());
    }
    if args.words == ["--version"] || args.words == ["-v"] {
        return output::data(&format!("{}\n", fio::out::LAYOUT));
    }
    let command = fio::parse_command(&line_of(&args.words), &Machine)?;
    let mut foreign = match command.action {
        Action::ShowCommand => return output::data(&fio::show_command(&command.jobs)),
        Action::ParseOnly => return Ok(Exit::Done),
        Action::Run(foreign) => *foreign,
    };
    if let Some(path) = &command.reporting.output {
        answer_can_be_written(path)?;
    }
    let mut settings = Settings::load(common)?;
    let mut how = how_of(&mut settings)?;
    how.interval = command.reporting.interval();
    how.engine = match how.engine {
        Some(engine) => Some(engine),
        None => engine_of(&command.jobs)?,
    };
    how.apart = command.reporting.jobs.iter().any(|job| !job.disable_slat || !job.disable_clat);
    conduct(&command.conduct, &mut how)?;
    keep_going(&command.jobs, &mut how);
    verify(&command.jobs, &mut foreign, &mut how);
    let threads: usize = foreign.workload.jobs.iter().map(|job| job.threads as usize).sum();
    let jobs: Vec<_> = foreign.workloads().collect();
    let opening = fio::out::opening(&jobs, threads, &command.jobs, &command.reporting);
    let keeping = Keeping::new(place_of(args.results.as_deref(), &mut settings)?, "fio", None);
    let ran = match run_foreign(foreign, &args.map, &how, false, keeping, &mut settings, (common, at))? {
        Foreigns::Ran(ran) => ran,
        Foreigns::Over(exit) => return Ok(exit),
    };
    let runs = ran.runs();
    let report = fio::out::report(&runs, &command.jobs, &command.reporting);
    let text = format!("{opening}{report}");
    match &command.reporting.output {
        None => drop(output::data(&text)?),
        Some(path) => write_file(path, &text)?,
    }
    for log in fio::out::logs(&runs, &command.jobs, &command.reporting)? {
        let path = match &command.reporting.log_directory {
            Some(folder) => format!("{folder}/{}", log.name),
            None => log.name,
        };
        write_file(&path, &log.text)?;
    }
    ran.say_checks();
    ran.ended()
}

fn write_file(path: &str, text: &str) -> Result<(), Failure> {
    std::fs::write(path, text).map_err(|error| Failure::io(format!("{path} can't be written: {error}")))
}

/// The engine that the jobs name, where it is one of ours; the first job's, since all share one.
///
/// # Errors
/// An engine that is about no file or device.
fn engine_of(jobs: &JobFile) -> Result<Option<Kind>, Failure> {
    let named = jobs.jobs.iter().find_map(|section| section.settings.get("ioengine")?.value.as_deref());
    match named {
        None | Some("psync" | "sync" | "vsync" | "pvsync" | "pvsync2") => Ok(Some(Kind::Sync)),
        Some("libaio") => Ok(Some(Kind::Libaio)),
        Some("io_uring") => Ok(Some(Kind::IoUring)),
        Some(other @ ("posixaio" | "windowsaio" | "solarisaio" | "io_uring_cmd")) => {
            output::note(&format!(
                "ioengine: {other} is not here; the first engine that works takes its place"
            ));
            Ok(None)
        }
        Some(other) => Err(Failure::input(format!("ioengine={other} is not about files or devices here"))
            .mend("write ioengine=io_uring, libaio or psync")),
    }
}

/// `verify`: what jobs write is read back at the end, by stamps of our own whatever fio's checksum would be.
fn verify(jobs: &JobFile, foreign: &mut Foreign, how: &mut How) {
    let value = |section: &Section, name: &str| {
        let setting = section.settings.get(name)?;
        Some(setting.value.clone().unwrap_or_else(|| "1".into()))
    };
    let is_asked = |section: &Section| {
        let asked = value(section, "verify").filter(|kind| !matches!(kind.as_str(), "none" | "0" | "null"));
        asked.filter(|_| value(section, "do_verify").as_deref() != Some("0"))
    };
    let Some(kind) = jobs.jobs.iter().find_map(is_asked) else { return };
    let jobs = || foreign.workloads().flat_map(|workload| &workload.jobs);
    if !jobs().flat_map(|job| &job.mix).any(|share| share.op == Op::Write) {
        return;
    }
    how.verify = true;
    foreign.notes.retain(|note| !note.about.starts_with("verify=") && !note.about.starts_with("do_verify"));
    foreign.notes.push(Note {
        about: format!("verify={kind}"),
        says: "blocks carry offset, generation and CRC-32C, whatever the kind, and are read back at the end"
            .into(),
    });
}

/// What fio's words ask for of the run as a whole.
///
/// # Errors
/// Processors that are not there.
fn conduct(asked: &Conduct, how: &mut How) -> Result<(), Failure> {
    if let Some(processors) = &asked.processors {
        let numbers = allowed(processors.numbers.clone())
            .map_err(|why| Failure::input(format!("cpus_allowed: {why}")))?;
        how.placement = if processors.split { Placement::InTurn(numbers) } else { Placement::Among(numbers) };
    }
    how.dedupe = asked.dedupe.unwrap_or(how.dedupe);
    how.max_latency = asked.max_latency;
    Ok(())
}

/// `continue_on_error`: fio's default is to end.
fn keep_going(jobs: &JobFile, how: &mut How) {
    let continues = |value: &str| !matches!(value, "none" | "0");
    let asked =
        jobs.jobs.iter().find_map(|section| section.settings.get("continue_on_error")?.value.as_deref());
    if asked.is_some_and(continues) {
        how.on_error = iobound_load::engine::OnError::Continue;
    }
}
