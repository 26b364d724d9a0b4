use clap::Args;
use iobound_app::load::DiskspdRequest;
use iobound_app::{Exit, Failure};

use super::tools;
use crate::arguments::{CommonArgs, Typed};

const EXAMPLES: &str = "\
Examples:
  iobound diskspd -b4K -d60 -o8 -t4 -r -Sh -L -c10G /mnt/data/io.dat
  iobound diskspd --map e:=/mnt/data -b4K -d60 -h -o8 -t4 -si -c50000M 'e:\\io.dat'
  iobound diskspd -Xprofile.xml -Rxml

An existing file is not overwritten unless IOBOUND_OVERWRITE names it. -c recreates files that \
iobound made. The run does not start while another process uses the device, unless \
IOBOUND_BUSY_OK=true.";

/// Measure with DiskSpd's options, and print DiskSpd's text or XML.
#[derive(Debug, Args)]
#[command(disable_help_flag = true, override_usage = "iobound diskspd [--map FROM=TO]... SWITCHES... TARGETS...", after_help = EXAMPLES)]
pub(crate) struct DiskspdArgs {
    #[command(flatten)]
    pub(crate) request: Typed<DiskspdRequest>,
}

/// Runs in the words of the other tool.
pub(crate) fn run(args: &DiskspdArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    help(&args.request.words).unwrap_or_else(|| tools::run(&args.request.0, common))
}

/// The help of the verb, if it is requested or there are no words.
pub(crate) fn help(words: &[String]) -> Option<Result<Exit, Failure>> {
    tools::help("diskspd", &["--help"], words)
}
