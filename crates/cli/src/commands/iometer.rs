use clap::Args;
use iobound_app::load::IometerRequest;
use iobound_app::{Exit, Failure};

use super::tools;
use crate::arguments::{CommonArgs, Typed};

const EXAMPLES: &str = "\
Examples:
  iobound iometer test.icf                             # the results on standard output
  iobound iometer test.icf results.csv
  iobound iometer /c test.icf /r results.csv --map 'E:=/mnt/data'

An existing file is not overwritten unless IOBOUND_OVERWRITE names it or iobound made it. The run \
does not start while another process uses the device, unless IOBOUND_BUSY_OK=true.";

/// Measure with an Iometer configuration file, and write Iometer's CSV.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct IometerArgs {
    #[command(flatten)]
    pub(crate) request: Typed<IometerRequest>,
}

/// Runs in the words of the other tool.
pub(crate) fn run(args: &IometerArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    tools::run(&args.request.0, common)
}
