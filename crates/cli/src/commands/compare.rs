use clap::Args;
use iobound_app::compare::{CompareRequest, PreparedComparison};
use iobound_app::{Exit, Failure};
use iobound_report::{compare_document, compare_text};

use crate::arguments::{CommonArgs, Typed};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound compare r-141 r-142                   # two kept runs
  iobound compare before.json after.json        # two documents of iobound run --json
  iobound compare fio-before.json r-142         # another tool's result
  iobound compare r-141 r-142 --html page.html  # as a page, with both curves and series
  iobound compare r-138 r-139 r-140             # several, each against the first
  iobound compare r-141 r-142 --fail-if 'p99 > +5%' --fail-if 'iops < -2%'

--fail-if 'FIGURE < VALUE' or 'FIGURE > VALUE' ends the program with exit code 1 if the condition \
holds. FIGURE is iops, throughput, mean, p50, p90, p95, p99, p99.9, p99.99, max or errors. It covers \
all I/Os, or one direction: read.p99. A VALUE with a sign is a difference from the first result: \
+5%, +2ms. A VALUE without a sign is compared with the other result. The measured figure decides. \
With `surely`, the whole 95 % interval must meet the condition: --fail-if 'surely p99 > +5%'.";

/// Compare results: differences with confidence intervals, latencies that moved,
/// and other conditions that changed.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompareArgs {
    #[command(flatten)]
    request: Typed<CompareRequest>,
}

/// Compares results with the first of them.
pub(crate) fn run(args: &CompareArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let prepared = PreparedComparison::read(&args.request, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    prepared.check()?;
    let page = prepared.page.clone();
    page.can_be_written()?;
    let answer = prepared.answer(&env)?;
    let document = || answer.with_screen(compare_document);
    output::page(common, |style| answer.with_screen(|screen| compare_text(screen, style)), document)?;
    page.write(document)?;
    Ok(answer.exit(&env))
}
