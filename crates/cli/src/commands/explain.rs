use clap::Args;
use iobound_catalog::Resolved;
use iobound_drive::Flow;
use iobound_explain::{Case, Observed, Want, explain, stacks};
use iobound_measure::Interval;
use iobound_report::{Explained, explain_json, explain_text};
#[cfg(target_os = "linux")]
use iobound_units::{Span, parse_span};

use crate::arguments::{CommonArgs, ConfigurationArgs, ObservedArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::observed::{self, Seen};
use crate::page::{AskedPage, PageArgs};
use crate::results::{Place, configuration_of_id, place_of};
use crate::settings::{Settings, configuration_of};
use crate::{interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound explain                       this machine: ten seconds of its own counters, no load
  iobound explain --vm D8s_v3 --disk P30:readonly --observed 'iops=1000 throughput=140MB/s read=30%'
  iobound explain --vm DS14_v2 --disk 6xP30:readonly --separate --observed 'throughput=555MB/s'
  iobound explain --vm DS14 --disk 10xP30 --result fio.json --want 'iops=50000'
  iobound explain --vm DS14 --disk 4xP30 --result iostat.txt --map md0=data
  iobound explain --vm DS14 --disk P30 --result 1.txt --result 2.txt --interval 10s --map sdc=data
  iobound explain --vm DS14 --disk 2xP30 --disk log=P20 --result a.csv --result b.csv
  iobound explain r-142 --vm DS14 --disk 10xP30    a run that is kept, as --result
  iobound explain --vm m5.large --disk gp3@500GiB --observed 'throughput=81MB/s after=45min'
  iobound explain --vm DS14 --disk 4xP30 --separate --observed 'data.0: iops=5100 data.1: iops=20'";

/// Why this and not more: what binds, the evidence in figures, what would move it and by how much, and what to
/// measure next when two causes can't be told apart.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    /// What was seen: 'iops=1000 throughput=140MB/s read=30% latency=p99:5ms block=32KiB depth=16 access=random
    /// duration=30s after=45min', and 'data.0: iops=500' for a volume or disk; depth is of all together
    #[arg(long, value_name = "FIGURES")]
    observed: Option<String>,
    /// A run that is kept, as --result; its configuration holds where none is given
    #[arg(value_name = "RUN", conflicts_with = "result")]
    run: Option<String>,
    /// Where runs are kept [default: IOBOUND_RESULTS, else in the user's data]
    #[arg(long, value_name = "FILE")]
    results: Option<String>,
    /// What is wished for, to judge the changes by: 'iops=5000 latency=p99:5ms'
    #[arg(long, value_name = "FIGURES")]
    want: Option<String>,
    /// How long this machine is watched, where nothing else says what was seen [default: 10s]
    #[cfg(target_os = "linux")]
    #[arg(long, value_name = "TIME")]
    duration: Option<String>,
    #[cfg(target_os = "linux")]
    #[command(flatten)]
    machine: crate::arguments::MachineArgs,
    #[command(flatten)]
    files: ObservedArgs,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    #[command(flatten)]
    page: PageArgs,
}

/// Watches this machine, where neither an observation nor a VM is named; `None`: one is.
///
/// # Errors
/// Options of watching, where nothing is watched.
#[cfg(target_os = "linux")]
fn here<'a>(
    args: &'a ExplainArgs,
    settings: &mut Settings,
) -> Result<Option<crate::doctor::here::Question<'a>>, Failure> {
    let files = &args.files;
    let result = args.run.as_deref().or(files.result.first().map(String::as_str));
    let is_seen = settings.has("observed", args.observed.as_deref()) || settings.has("result", result);
    let is_said = settings.has("vm", args.configuration.vm.as_deref());
    if is_seen || is_said {
        let given = [
            ("--duration", args.duration.is_some()),
            ("--metadata", args.machine.metadata.is_some()),
            ("--world", args.machine.world.is_some()),
        ];
        return match given.iter().find(|(_, given)| *given) {
            None => Ok(None),
            Some((flag, _)) => Err(Failure::input(format!(
                "{flag} is about watching this machine, and something else is to be explained"
            ))
            .mend("leave it out, or leave out --vm, --observed and --result")),
        };
    }
    let about_files = [
        ("--from", files.from.is_some()),
        ("--interval", files.interval.is_some()),
        ("--map", !files.map.is_empty()),
    ];
    if let Some((flag, _)) = about_files.iter().find(|(_, given)| *given) {
        return Err(Failure::input(format!("{flag} is about a file of what was seen, and there is none"))
            .mend("add --result FILE, or leave it out"));
    }
    let metadata = crate::doctor::metadata_of(&args.machine, settings)?;
    let duration =
        settings.parse("duration", args.duration.as_deref(), Some("10s"), |text| match parse_span(text) {
            Ok(span) if span < SHORTEST => {
                Err(format!("{span} shows nothing: write 1s or more, such as 10s"))
            }
            read => read.map_err(|error| error.to_string()),
        })?;
    let want = settings.parse("want", args.want.as_deref(), None, Want::parse)?;
    let duration = duration.unwrap_or(Span::from_secs(10));
    Ok(Some(crate::doctor::here::Question { machine: &args.machine, metadata, duration, want }))
}

/// The kernel's counters of waiting move every two seconds, those of time in steps of up to 10 ms.
#[cfg(target_os = "linux")]
const SHORTEST: Span = Span::from_secs(1);

/// What was seen, from the words or the files.
fn seen_of(
    words: Option<Observed>,
    files: &observed::Asked,
    place: &Place,
    resolved: &Resolved,
) -> Result<Seen, Failure> {
    match (words, files.has_files()) {
        (Some(observed), false) => match files.about_files() {
            None => Ok(Seen { observed, notes: Vec::new() }),
            Some(given) => Err(given
                .refuse("it is about a file of what was seen, and there is none")
                .mend("add --result FILE, or leave it out")),
        },
        (None, true) => files.seen(place, resolved),
        (Some(_), true) => {
            Err(Failure::input("--observed and --result both say what was seen")
                .mend("leave one of the two out"))
        }
        (None, false) => Err(Failure::input("nothing says what was seen")
            .mend("add --observed 'iops=1000 throughput=140MB/s', or --result FILE")),
    }
}

/// Whether the command line says what the configuration is.
fn configuration_flag(args: &ConfigurationArgs) -> bool {
    args.vm.is_some() || !args.disk.is_empty() || args.os_disk.is_some()
}

/// Explains what was seen.
pub(crate) fn run(args: &ExplainArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let page = AskedPage::of(&args.page, &mut settings)?;
    let place = place_of(args.results.as_deref(), &mut settings)?;
    let mut named = args.files.clone();
    named.result.extend(args.run.clone());
    let files = observed::Asked::read(&named, &mut settings);
    if let Some(given) = files.first().filter(|_| !common.show_config)
        && let Some(kept) = configuration_of_id(given, &place)?
    {
        settings.unless_given(kept, configuration_flag(&args.configuration));
    }
    #[cfg(target_os = "linux")]
    if let Some(question) = here(args, &mut settings)? {
        return crate::doctor::here::run(&question, &args.configuration, &page, settings, common);
    }
    let asked = configuration_of(&args.configuration, &mut settings)?;
    let want = settings.parse("want", args.want.as_deref(), None, Want::parse)?;
    let words = settings.parse("observed", args.observed.as_deref(), None, Observed::parse);
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    page.can_be_written()?;
    let Seen { observed, notes: seen } = seen_of(words?, &files, &place, &asked.resolved)?;
    let case = Case::new(&asked.configuration, &asked.catalog, &asked.resolved, &observed, want, asked.cache)
        .aged(asked.age);
    if let Some(name) = case.unknown_parts().first() {
        let names: Vec<&str> = asked.resolved.disks.iter().map(|disk| disk.name.as_str()).collect();
        return Err(Failure::input(format!("--observed: there is no volume or disk `{name}`"))
            .mend(format!("the disks are {}", names.join(", "))));
    }
    let mut watch = |_: &Interval| if interrupt::asked() { Flow::Stop } else { Flow::Continue };
    let explanation = explain(&case, &mut watch)?;
    // The screen does not tell them.
    let stacks = match common.json || page.is_asked() {
        true => stacks(&case, &explanation, &mut watch)?,
        false => Vec::new(),
    };
    let notes: Vec<String> = asked.notes.iter().chain(&asked.resolved.notes).chain(&seen).cloned().collect();
    let explained = Explained {
        resolved: &asked.resolved,
        observed: &observed,
        explanation: &explanation,
        stacks: &stacks,
        notes: &notes,
    };
    let exit = output::page(common, |style| explain_text(&explained, style), || explain_json(&explained))?;
    page.write(|| explain_json(&explained))?;
    Ok(exit)
}
