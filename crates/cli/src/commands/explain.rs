use clap::Args;
use iobound_app::explain::{ExplainRequest, PreparedExplaining};
use iobound_app::{Exit, Failure};

use crate::arguments::{CommonArgs, Typed};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound explain                       # this machine: ten seconds of counters, no load
  iobound explain --vm D8s_v3 --disk P30:readonly --observed 'iops=1000 throughput=140MB/s read=30%'
  iobound explain --vm DS14_v2 --disk 6xP30:readonly --separate --observed 'throughput=555MB/s'
  iobound explain --vm DS14 --disk 10xP30 --result fio.json --want 'iops=50000'
  iobound explain --vm DS14 --disk 4xP30 --result iostat.txt --map md0=data
  iobound explain --vm DS14 --disk P30 --result 1.txt --result 2.txt --interval 10s --map sdc=data
  iobound explain --vm DS14 --disk 2xP30 --disk log=P20 --result a.csv --result b.csv
  iobound explain r-142 --vm DS14 --disk 10xP30    # a kept run
  iobound explain --vm m5.large --disk gp3@500GiB --observed 'throughput=81MB/s after=45min'
  iobound explain --vm DS14 --disk 4xP30 --separate --observed 'data.0: iops=5100 data.1: iops=20'";

/// Explain which limit holds the result back: the evidence in figures, and the changes that would move it and by how
/// much.
/// If two causes cannot be told apart, name the next measurement.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    request: Typed<ExplainRequest>,
}

/// Explains what was seen.
pub(crate) fn run(args: &ExplainArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let prepared = PreparedExplaining::read(&args.request, &common.common(), !common.show_config, &env)?;
    if common.show_config {
        return output::settings(prepared.parts().1, common);
    }
    let page = prepared.page().clone();
    page.can_be_written()?;
    let answer = prepared.answer(common.json || page.is_asked(), &env)?;
    let exit = output::page(common, |style| answer.text(style), || answer.document())?;
    page.write(|| answer.document())?;
    Ok(if answer.is_cut_short(&env) { Exit::Interrupted } else { exit })
}
