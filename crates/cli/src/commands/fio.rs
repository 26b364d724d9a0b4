use clap::Args;
use iobound_app::load::FioRequest;
use iobound_app::{Exit, Failure};

use super::tools;
use crate::arguments::{CommonArgs, Typed};

const EXAMPLES: &str = "\
Examples:
  iobound fio --name=test --directory=/mnt/data --size=10g --rw=randread --bs=4k --iodepth=32 \\
    --ioengine=io_uring --direct=1 --runtime=60 --time_based --group_reporting
  iobound fio --output-format=json jobs.fio
  iobound fio --showcmd jobs.fio

An existing file is not overwritten unless IOBOUND_OVERWRITE names it or iobound made it. The run \
does not start while another process uses the device, unless IOBOUND_BUSY_OK=true.";

/// Measure with fio's options and job files, and print fio's text, JSON or terse output.
#[derive(Debug, Args)]
#[command(disable_help_flag = true, override_usage = "iobound fio [--map FROM=TO]... OPTIONS... JOBFILES...", after_help = EXAMPLES)]
pub(crate) struct FioArgs {
    #[command(flatten)]
    pub(crate) request: Typed<FioRequest>,
}

/// Runs in the words of the other tool.
pub(crate) fn run(args: &FioArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    help(&args.request.words).unwrap_or_else(|| tools::run(&args.request.0, common))
}

/// The help of the verb, if it is requested or there are no words.
pub(crate) fn help(words: &[String]) -> Option<Result<Exit, Failure>> {
    tools::help("fio", &["--help", "-h"], words)
}
