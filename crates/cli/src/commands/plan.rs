use clap::Args;
use iobound_app::plan::{PlanRequest, PreparedPlan};
use iobound_app::replay::ReplayOptions;
use iobound_app::{Exit, Failure};
use iobound_report::{plan_document, plan_text};

use crate::arguments::{CommonArgs, Typed};
use crate::output;
use crate::reading::ReadingLine;
use iobound_app::calendar::{is_a_year_old, today};

const EXAMPLES: &str = "\
Examples:
  iobound plan --iops 50000 --block 8KiB --read 70% --capacity 4TiB --region westeurope
  iobound plan --throughput 1000MB/s --block 32KiB --capacity 2TiB --cloud azure,aws
  iobound plan --iops 20000 --block 8KiB --read 70% --capacity 1TiB --latency p99:5ms
  iobound plan --preset sqlserver-oltp --capacity 1TiB --log 'capacity=256GiB'
  iobound plan --iops 10000 --capacity 2TiB --vcpus 8-16 --memory 64GiB- --max-price 900
  iobound plan --iops 30000 --block 8KiB --capacity 2TiB --keep-vm E16bs_v5
  iobound plan --iops 50000 --block 8KiB --read 70% --capacity 4TiB --build 1
  iobound plan --preset sqlserver-oltp --capacity 1TiB --temp 'iops=5000 read=50% capacity=100GiB'
  iobound plan --iops 5000 --block 8KiB --capacity 1TiB --region westeurope --redundancy zrs
  iobound plan --iops 20000 --block 8KiB --capacity 1TiB --region japaneast --catalog mine.toml
  iobound plan --iops 50000 --capacity 4TiB --html page.html      # with charts
  iobound plan --like --config probed.toml      # disks that `iobound probe --save` measured
  iobound plan --iops 20000..60000 --capacity 2TiB      # the purchase that overpays least
  iobound plan --throughput 16GB/s --block 1MiB --capacity 100TiB --hosts 8..32 --slow-host 50%

The exit code is 1 if nothing meets the need. The answer then shows the nearest configuration.";

/// Find the cheapest VM and disks that meet a need, and say why each cheaper choice does not.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    request: Typed<PlanRequest>,
    #[command(flatten)]
    replay: Typed<ReplayOptions>,
}

/// Reads the need, searches, proves, shows.
pub(crate) fn run(args: &PlanArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let is_of_trace = !args.replay.trace.is_empty();
    let env = if is_of_trace { ReadingLine::env(common.env()) } else { common.env() };
    let prepared = match is_of_trace {
        true => PreparedPlan::of_trace(&args.request, &args.replay, &common.common(), &env)?,
        false => {
            args.replay.refuse_without_trace()?;
            PreparedPlan::read(&args.request, &common.common(), &env)?
        }
    };
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    let page = prepared.page.clone();
    page.can_be_written()?;
    let answer = prepared.answer(&env)?;
    // Beside the answer, which is the same on every day.
    let now = today();
    let is_old = |date: &String| is_a_year_old(date, now);
    for (region, as_of) in answer.places().iter().filter(|(_, as_of)| as_of.as_ref().is_some_and(is_old)) {
        let date = as_of.as_deref().unwrap_or_default();
        env.note(&format!(
            "prices of {region} are from {date} and later, more than a year old: `iobound catalog import --help` shows how to import newer ones"
        ));
    }
    let document = || answer.with_planned(plan_document);
    output::page(common, |style| answer.with_planned(|planned| plan_text(planned, style)), document)?;
    page.write(document)?;
    Ok(answer.exit())
}
