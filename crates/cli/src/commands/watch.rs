use clap::Args;
use iobound_units::{Span, parse_span};

use crate::arguments::{CommonArgs, ConfigurationArgs, MachineArgs};
use crate::doctor::{metadata_of, overwrite_of};
use crate::watch::{Of, Question, watch};
use iobound_app::Exit;
use iobound_app::Failure;
use iobound_app::settings::Settings;

const EXAMPLES: &str = "\
Examples:
  iobound watch                              # until Ctrl-C
  iobound watch --duration 60s --json        # one line of JSON each second, then a summary
  iobound watch --record app.toml            # record the application's workload
  iobound watch --record app.toml --record-rate max --duration 10min
  iobound watch --vm D8s_v3 --disk 4xP30     # for a machine that does not name its size
  iobound watch --vm D8s_v3 --disk 2xP30 --map sdc=data.0 --map sdd=data.1   # which device is which
  iobound plan --workload app.toml --capacity 1TiB      # use the recorded workload

watch issues no load. It reads /proc/diskstats. As root and with --record, it also traces the size and
offset of each request.";

/// Show this machine's disk activity, second by second, against the limits.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct WatchArgs {
    /// Time to watch [default: until Ctrl-C]
    #[arg(long, value_name = "TIME")]
    duration: Option<String>,
    /// Length of an interval [default: 1s]
    #[arg(long, value_name = "TIME")]
    interval: Option<String>,
    /// File for the application's workload; predict, plan and run read it with --workload
    #[arg(long, value_name = "FILE")]
    record: Option<String>,
    /// Rate to record, over all intervals: mean, p50, p95, p99, max [default: p95]
    #[arg(long, value_name = "WHICH")]
    record_rate: Option<String>,
    /// Existing file that --record may overwrite; must be the same file
    #[arg(long, value_name = "FILE")]
    overwrite: Vec<String>,
    /// Disk of the configuration for a device, if the machine does not tell: sdc=data.0; repeat for more
    #[arg(long, value_name = "DEVICE=DISK")]
    map: Vec<String>,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    configuration: ConfigurationArgs,
}

/// The counters are of milliseconds, and processors count in ticks: less says nothing.
const LEAST: Span = Span::from_ms(100);

/// Watches.
pub(crate) fn run(args: &WatchArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
    let metadata = metadata_of(&args.machine, &mut settings)?;
    let duration =
        settings.parse("duration", args.duration.as_deref(), None, |text| positive(text, Span::ZERO))?;
    let interval =
        settings.parse("interval", args.interval.as_deref(), Some("1s"), |text| positive(text, LEAST))?;
    let record = settings.text("record", args.record.as_deref(), None);
    let rate = settings.parse("record-rate", args.record_rate.as_deref(), Some("p95"), |text| {
        Of::parse(text).ok_or_else(|| format!("`{text}` is not known: write mean, p50, p95, p99 or max"))
    })?;
    if let (None, Some(given)) = (&record, settings.given("record-rate")) {
        return Err(given.refuse("nothing is recorded").mend("add --record app.toml, or leave it out"));
    }
    let overwrite = overwrite_of("--record", record.as_ref(), &args.overwrite, &mut settings)?;
    if let Some(seed) = &common.seed {
        return Err(
            Failure::input(format!("--seed {seed}: this verb uses no random numbers")).mend("leave it out")
        );
    }
    let maps = settings.texts("map", &args.map);
    let question = Question {
        machine: &args.machine,
        metadata,
        duration,
        interval: interval.unwrap_or(Span::from_secs(1)),
        record,
        overwrite,
        rate: rate.unwrap_or(Of::P95),
        maps,
    };
    watch(&question, &args.configuration, settings, common)
}

fn positive(text: &str, least: Span) -> Result<Span, String> {
    let span = parse_span(text).map_err(|error| error.to_string())?;
    if span.is_zero() || span < least {
        return Err(format!(
            "`{text}` is too short for counters in milliseconds: write 100ms or more, such as 1s"
        ));
    }
    Ok(span)
}
