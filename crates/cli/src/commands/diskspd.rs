use clap::Args;
use iobound_formats::diskspd::{self, Affinity, Profile};
use iobound_formats::{Foreign, Tool};
use iobound_load::run::Placement;
use iobound_measure::Keep;
use iobound_units::Span;
use iobound_workload::shell_line;

use crate::arguments::CommonArgs;
use crate::fleet::desk::OfRanks;
use crate::live::LiveWhen;
use crate::output;
use crate::results::Keeping;
use crate::run::{
    At, Foreigns, RunOptions, how_of, in_words_of, line_of, run_foreign, verbose, without_verbose,
};
use iobound_app::Exit;
use iobound_app::Failure;
use iobound_app::results::place_of;
use iobound_app::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  iobound diskspd -b4K -d60 -o8 -t4 -r -Sh -L -c10G /mnt/data/io.dat
  iobound diskspd --map e:=/mnt/data -b4K -d60 -h -o8 -t4 -si -c50000M 'e:\\io.dat'
  iobound diskspd -Xprofile.xml -Rxml

An existing file is not overwritten unless IOBOUND_OVERWRITE names it. -c recreates files that
iobound made. The run does not start while another process uses the device, unless
IOBOUND_BUSY_OK=true.";

/// Measure with DiskSpd's options, and print DiskSpd's text or XML.
#[derive(Debug, Args)]
#[command(disable_help_flag = true, override_usage = "iobound diskspd [--map FROM=TO]... SWITCHES... TARGETS...", after_help = EXAMPLES)]
pub(crate) struct DiskspdArgs {
    /// Local folder for a Windows path: e:=/mnt/data
    #[arg(long, value_name = "FROM=TO")]
    map: Vec<String>,
    /// Results store, or off [default: IOBOUND_RESULTS, else in the user's data folder]
    #[arg(long, value_name = "FILE|off")]
    results: Option<String>,
    /// Write notes to standard error [default: only on a terminal]
    #[arg(long)]
    verbose: bool,
    /// DiskSpd's own switches and targets
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS")]
    words: Vec<String>,
}

/// Runs a DiskSpd command line.
pub(crate) fn run(args: &DiskspdArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    carry_out(args, common, None).map_err(in_own_words)
}

/// Answers for ranks whose desk is in this process, which issues no load itself.
pub(crate) fn at_desk(at: OfRanks<'_>, args: &DiskspdArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    carry_out(args, common, Some(at)).map_err(in_own_words)
}

/// Advice names the variables and the options that this verb takes.
fn in_own_words(failure: Failure) -> Failure {
    failure.reworded(|text| in_words_of(Tool::DiskSpd, text))
}

fn carry_out(args: &DiskspdArgs, common: &CommonArgs, at: At<'_>) -> Result<Exit, Failure> {
    let (words, is_verbose) = without_verbose(&args.words);
    if words.is_empty() || words == ["--help"] {
        return output::verb_help("diskspd", words.is_empty());
    }
    let line = line_of(&words);
    let invocation = diskspd::parse_run(&line, &|name| std::fs::read_to_string(name).ok())?;
    let command = format!("diskspd {}", shell_line(args.words.iter().map(String::as_str)));
    let Some(mut foreign) = invocation.foreign else {
        return output::data(&diskspd::out::profile_report(&invocation.profile, &command));
    };
    // The answer is that report: only a workload elsewhere has none of it.
    foreign.notes.retain(|note| !["-R", "-L", "-D"].contains(&note.about.as_str()));
    let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
    verbose(args.verbose || is_verbose, &mut settings)?;
    let mut how = how_of(&mut settings)?;
    let spans = &invocation.profile.time_spans;
    how.interval = spans.iter().filter_map(|span| span.interval()).min().unwrap_or(Span::from_secs(1));
    if spans.iter().any(|span| span.interval().is_some()) {
        how.thread_series = Keep::Intervals;
    }
    if how.placement == Placement::Anywhere {
        bind(&invocation.profile, &mut foreign, &mut how)?;
    }
    let keeping = Keeping::new(place_of(args.results.as_deref(), &mut settings)?, "diskspd", None);
    let ran = match run_foreign(
        foreign,
        &args.map,
        &how,
        true,
        keeping,
        &mut settings,
        (common, at, LiveWhen::OnTerminal),
    )? {
        Foreigns::Ran(ran) => ran,
        Foreigns::Over(exit) => return Ok(exit),
    };
    output::data(&diskspd::out::report(&invocation.profile, &ran.runs()))?;
    ran.say_checks();
    ran.ended()
}

/// A group of processors on Windows, which `-ag1,0` counts from.
const GROUP: u32 = 64;

/// `-a0,1`: threads are bound to these processors in turn. Without a list the system places them, as everywhere here.
///
/// # Errors
/// A processor that is not there; time spans that differ.
fn bind(profile: &Profile, foreign: &mut Foreign, how: &mut RunOptions) -> Result<(), Failure> {
    let mut lists = profile.time_spans.iter().map(|span| &span.affinity);
    let Some(first @ Affinity::Processors(listed)) = lists.next() else { return Ok(()) };
    if lists.any(|other| other != first) {
        return Err(Failure::input("time spans bind their threads to different processors")
            .mend("give all of them the same, or run them apart"));
    }
    let allowed = iobound_load::run::processors();
    let mut processors = Vec::with_capacity(listed.len());
    for processor in listed {
        let cpu = u32::from(processor.group) * GROUP + u32::from(processor.core);
        if !allowed.contains(&cpu) {
            let list: Vec<String> = allowed.iter().map(u32::to_string).collect();
            return Err(Failure::input(format!("-a: this process may not use processor {cpu}"))
                .mend(format!("name some of {}", list.join(","))));
        }
        processors.push(cpu);
    }
    how.placement = Placement::InTurn(processors);
    foreign.notes.retain(|note| note.about != "-a" && note.about != "Affinity");
    Ok(())
}
