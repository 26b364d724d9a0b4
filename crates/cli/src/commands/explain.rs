use clap::Args;
use iobound_drive::Flow;
use iobound_explain::{Case, Observed, Want, explain};
use iobound_formats::{diskspd, fio, iometer};
use iobound_measure::{Interval, RunResult};
use iobound_report::{Explained, explain_json, explain_text};
#[cfg(target_os = "linux")]
use iobound_units::{Span, parse_span};

use crate::arguments::{CommonArgs, ConfigurationArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::results::{Place, configuration_of_id, place_of, text_of};
use crate::settings::{Given, Settings, configuration_of};
use crate::{interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound explain                       this machine: ten seconds of its own counters, no load
  iobound explain --vm D8s_v3 --disk P30:readonly --observed 'iops=1000 throughput=140MB/s read=30%'
  iobound explain --vm DS14_v2 --disk 6xP30:readonly --separate --observed 'throughput=555MB/s'
  iobound explain --vm DS14 --disk 10xP30 --result fio.json --want 'iops=50000'
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
    /// A run that is kept, as --result
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// A result that was measured: of iobound run, fio (JSON), DiskSpd (text or XML) or Iometer (CSV); or a run that is
    /// kept, r-142, whose configuration holds where none is given
    #[arg(long, value_name = "FILE|RUN", conflicts_with = "run")]
    result: Option<String>,
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
    configuration: ConfigurationArgs,
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
    let is_seen = settings.has("observed", args.observed.as_deref())
        || settings.has("result", args.result.as_deref().or(args.run.as_deref()));
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

/// The one result of a file, whoever's it is.
pub(crate) fn result_of(text: &str) -> Result<RunResult, String> {
    let start = text.trim_start();
    let one = |results: Vec<RunResult>| -> Result<RunResult, String> {
        let count = results.len();
        let mut results = results.into_iter();
        match (results.next(), count) {
            (Some(result), 1) => Ok(result),
            _ => Err(format!("it holds {count} runs: give the file of one")),
        }
    };
    if start.starts_with('{') && text.contains("\"iobound.result/") {
        return serde_json::from_str(text).map_err(|error| error.to_string());
    }
    if start.starts_with('<') || text.contains("Command Line:") {
        return diskspd::result::read(text).map_err(|error| error.to_string()).and_then(one);
    }
    if start.starts_with('\'') || start.starts_with("\"'") {
        return iometer::result::read(text).map_err(|error| error.to_string()).and_then(one);
    }
    if text.contains("\"fio version\"") || start.starts_with('{') || start.starts_with("fio:") {
        return fio::result::read(text).map_err(|error| error.to_string());
    }
    Err("it is no result: give a document of iobound run, fio's JSON, DiskSpd's text or XML, or Iometer's CSV".into())
}

/// What was seen, from the words or the file.
fn observed_of(words: Option<Observed>, file: Option<Given>, place: &Place) -> Result<Observed, Failure> {
    match (words, file) {
        (Some(observed), None) => Ok(observed),
        (None, Some(given)) => {
            let path = given.path();
            let text = text_of(&given, place)?;
            let result = result_of(&text).map_err(|why| given.refuse(format!("{path}: {why}")))?;
            let observed = Observed::of_result(&result);
            match observed.total.has_any() {
                true => Ok(observed),
                false => Err(given
                    .refuse(format!("{path}: no I/O completed in it"))
                    .mend("give the result of a run that did some")),
            }
        }
        (Some(_), Some(_)) => {
            Err(Failure::input("--observed and --result both say what was seen")
                .mend("leave one of the two out"))
        }
        (None, None) => Err(Failure::input("nothing says what was seen")
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
    let place = place_of(args.results.as_deref(), &mut settings)?;
    let result = args.result.as_deref().or(args.run.as_deref());
    let file = settings.text("result", result, None);
    if let Some(given) = file.as_ref().filter(|_| !common.show_config)
        && let Some(kept) = configuration_of_id(given, &place)?
    {
        settings.unless_given(kept, configuration_flag(&args.configuration));
    }
    #[cfg(target_os = "linux")]
    if let Some(question) = here(args, &mut settings)? {
        return crate::doctor::here::run(&question, &args.configuration, settings, common);
    }
    let asked = configuration_of(&args.configuration, &mut settings)?;
    let want = settings.parse("want", args.want.as_deref(), None, Want::parse)?;
    let words = settings.parse("observed", args.observed.as_deref(), None, Observed::parse)?;
    let observed = observed_of(words, file, &place);
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    let mut observed = observed?;
    if result.is_some() {
        // The names of a result's targets are files and devices: what is none of the configuration's is left out.
        observed.parts.retain(|part| {
            asked.resolved.disks.iter().any(|disk| disk.name == part.name)
                || asked.resolved.volumes_of(&part.name).is_some()
        });
    }
    let case = Case::new(&asked.configuration, &asked.catalog, &asked.resolved, &observed, want, asked.cache);
    if let Some(name) = case.unknown_parts().first() {
        let names: Vec<&str> = asked.resolved.disks.iter().map(|disk| disk.name.as_str()).collect();
        return Err(Failure::input(format!("--observed: there is no volume or disk `{name}`"))
            .mend(format!("the disks are {}", names.join(", "))));
    }
    let mut watch = |_: &Interval| if interrupt::asked() { Flow::Stop } else { Flow::Continue };
    let explanation = explain(&case, &mut watch)?;
    let notes: Vec<String> = asked.notes.iter().chain(&asked.resolved.notes).cloned().collect();
    let explained = Explained { resolved: &asked.resolved, explanation: &explanation, notes: &notes };
    output::page(common, |style| explain_text(&explained, style), || explain_json(&explained))
}
