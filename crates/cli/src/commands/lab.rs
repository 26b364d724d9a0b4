use clap::Args;
use iobound_app::lab::{LabRequest, PreparedLab};
use iobound_app::{Exit, Failure};

use crate::arguments::{CommonArgs, Typed};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound lab                                     # all published experiments
  iobound lab --only 'E7*,E8' --wide              # some rows, with all columns
  iobound lab queue-depth                         # another experiment that ships with the program
  iobound lab mine.toml --json                    # your own
  iobound lab --html lab.html                     # as a page, with charts
  iobound lab --measured                          # coverage of the bands, by published runs
  iobound lab --only E6 --real-time --duration 10s
  iobound lab --only 'E6,E11' --live --duration 10s    # the load generator on the emulated disks
  iobound lab mine.toml --trace monday.trace      # each configuration replays a recording
  iobound lab mine.toml --trace monday.trace --map sdb=log --html monday.html
  iobound lab real-depth --target /mnt/data       # on a real disk: in a folder, a file of its own

An experiment file:
  [base]
  vm = \"DS14\"
  disk = [\"10xP30\"]
  diskspd = '-b4K -d60 -h -o8 -t4 -si -c50000M'

  target = \"/mnt/data\"                            # a real target as well; without vm, only this

  [[run]]
  name = \"deep\"
  depth = 128                                     # the one setting that changes
  published = { iops = 45512, source = \"where it was printed\" }

  [[sweep]]
  name = \"disks {}\"
  over = \"disks\"
  values = [1, 2, 4, 8]";

/// Run an experiment on the model, beside published figures. Without a file, run the published experiments.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct LabArgs {
    #[command(flatten)]
    request: Typed<LabRequest>,
}

/// Reads the experiment, carries out its runs, and shows the table.
pub(crate) fn run(args: &LabArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let prepared = PreparedLab::read(&args.request, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    prepared.run(&args.request, &common.common(), &env).map(|finished| output::finished(finished, common))
}

/// Reads the experiment and the words; no row is run.
pub(crate) fn check(args: &LabArgs, common: &CommonArgs) -> Result<(), Failure> {
    let env = common.env();
    let prepared = PreparedLab::read(&args.request, &common.common(), &env)?;
    if common.show_config { Ok(()) } else { prepared.check(&args.request, &common.common(), &env) }
}
