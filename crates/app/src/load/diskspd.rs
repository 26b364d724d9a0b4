//! `diskspd`: a run in the words of DiskSpd, and its answer in their form.

use iobound_formats::diskspd::{self, Affinity, Profile};
use iobound_formats::{Foreign, Tool};
use iobound_load::run::Placement;
use iobound_measure::Keep;
use iobound_units::Span;
use iobound_workload::shell_line;

use crate::outfile::Unwritten;
use crate::process::LiveWhen;
use crate::results::Keeping;
use crate::results::place_of;
use crate::settings::Settings;
use crate::{Exit, Failure, Finished, PlainAnswer};

use super::foreign::{ForeignCall, Foreigns, how_of, line_of, run_foreign, verbose, without_verbose};
use super::words::{InToolsWords, ToolCall, ToolFlags};
use crate::options::options;
use crate::run::RunOptions;

options! {
    /// Asks for I/O in the words of DiskSpd.
    pub struct DiskspdRequest {
        /// Local folder for a Windows path: e:=/mnt/data
        map: Vec<String> = Form::Many, "FROM=TO";
        /// DiskSpd's own switches and targets
        words: Vec<String> = Form::Rest, "WORDS";
    }
    tool: ToolFlags;
}

impl InToolsWords for DiskspdRequest {
    const TOOL: Tool = Tool::DiskSpd;

    fn carry_out(&self, ToolCall { common, refused, at, env }: ToolCall<'_>) -> Result<Finished, Failure> {
        let args = self;
        let (words, is_verbose) = without_verbose(&args.words);
        let line = line_of(&words);
        let invocation = diskspd::parse_run(&line, &|name| std::fs::read_to_string(name).ok())?;
        let command = format!("diskspd {}", shell_line(args.words.iter().map(String::as_str)));
        let Some(mut foreign) = invocation.foreign else {
            let report = diskspd::out::profile_report(&invocation.profile, &command);
            return Ok(Finished::with(PlainAnswer::for_programs(report), Exit::Done));
        };
        if let Some(volume) = foreign.files.iter().map(|file| &file.name).find(|name| is_own_volume(name))
            && args.map.is_empty()
        {
            return Err(Failure::refused(format!(
                "{volume} is a raw volume for DiskSpd, which this program does not open on Windows"
            ))
            .help(format!("name a file on it, such as {volume}\\io.dat")));
        }
        // The answer is that report. Only a workload for another machine has no report.
        foreign.notes.retain(|note| !["-R", "-L", "-D"].contains(&note.about.as_str()));
        let mut settings = Settings::load(env, common.config.as_deref())?;
        verbose(args.tool.verbose || is_verbose, &mut settings)?;
        let mut how = how_of(&mut settings)?;
        let spans = &invocation.profile.time_spans;
        how.interval = spans.iter().filter_map(|span| span.interval()).min().unwrap_or(Span::from_secs(1));
        if spans.iter().any(|span| span.interval().is_some()) {
            how.thread_series = Keep::Intervals;
        }
        if how.placement == Placement::Anywhere {
            bind(&invocation.profile, &mut foreign, &mut how)?;
        }
        let keeping =
            Keeping::new(place_of(args.tool.results.as_deref(), &mut settings)?, "diskspd", None, env);
        let ran = match run_foreign(
            foreign,
            &args.map,
            &how,
            true,
            keeping,
            &mut settings,
            ForeignCall { common, refused, at, shown: LiveWhen::OnTerminal },
        )? {
            Foreigns::Ran(ran) => ran,
            Foreigns::Over(finished) => return Ok(finished),
        };
        let report = diskspd::out::report(&invocation.profile, &ran.runs());
        ran.say_checks(env);
        Ok(ran.finished(Some(PlainAnswer::for_programs(report)), Unwritten::default()))
    }
}

/// True if DiskSpd takes a target for a volume of this machine: `E:`. Elsewhere it is a path that needs a mapping.
fn is_own_volume(name: &str) -> bool {
    cfg!(windows) && name.len() == 2 && name.ends_with(':')
}

/// A group of processors on Windows, which `-ag1,0` counts from.
const GROUP: u32 = 64;

/// `-a0,1`: threads are bound to these processors in turn. Without a list the system places them, as everywhere here.
///
/// # Errors
/// Returns an error if a processor does not exist or the time spans differ.
fn bind(profile: &Profile, foreign: &mut Foreign, how: &mut RunOptions) -> Result<(), Failure> {
    let mut lists = profile.time_spans.iter().map(|span| &span.affinity);
    let Some(first @ Affinity::Processors(listed)) = lists.next() else { return Ok(()) };
    if lists.any(|other| other != first) {
        return Err(Failure::input("time spans bind their threads to different processors")
            .help("give all of them the same, or run them apart"));
    }
    let allowed = iobound_load::run::processors();
    let mut processors = Vec::with_capacity(listed.len());
    for processor in listed {
        let cpu = u32::from(processor.group) * GROUP + u32::from(processor.core);
        if !allowed.contains(&cpu) {
            let list: Vec<String> = allowed.iter().map(u32::to_string).collect();
            return Err(Failure::input(format!("-a: this process may not use processor {cpu}"))
                .help(format!("name some of {}", list.join(","))));
        }
        processors.push(cpu);
    }
    how.placement = Placement::InTurn(processors);
    foreign.notes.retain(|note| note.about != "-a" && note.about != "Affinity");
    Ok(())
}
