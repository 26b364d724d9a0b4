use clap::Args;
use iobound_app::load::{self, PreparedRun, RunRequest};
use iobound_app::{Exit, Failure};

use crate::arguments::{CommonArgs, Typed};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound run /mnt/data                        # 30 s of 4 KiB random reads on a file of its own
  iobound run /mnt/data --sequential=shared --block 64KiB --threads 4 --depth 32 --duration 60s
  iobound run /mnt/data --random --read 70% --rate 5000iops --arrivals poisson
  iobound run /mnt/data --find-knee            # the lowest depth with the most IOPS
  iobound run /mnt/data --find-load p99:5ms    # the highest depth whose p99 is at most 5 ms
  iobound run /mnt/a --vs /mnt/b               # two targets in turns: differences with intervals
  iobound run /mnt/a --depth 8 --vs '--depth 16' --fail-if 'p99 > +5%'
  iobound run /dev/sdc --duration 60s --json   # a device is opened read-only
  iobound run /dev/sdc --read 0% --overwrite /dev/sdc --dry-run
  iobound run /mnt/data --fail-if 'p99 > 5ms'  # exit code 1 if the condition holds
  iobound run /mnt/data --vm DS14 --disk 10xP30    # with the expected figures
  iobound run /mnt/data --vm DS14 --disk 10xP30 --html page.html    # and as a page, with charts
  iobound run /mnt/data --trace monday.trace   # replays a recording; see docs/guide/trace.md
  iobound run /mnt/data --trace-out app.trace  # records every I/O as a trace, with latencies
  iobound run /mnt/data --rank 1 --of 4 --meet db0:7711 --token-file token   # one of four machines

Existing files and devices are opened read-only unless --overwrite names them. In a folder, the run \
creates a file of its own and keeps it for the next run. Its size is a tenth of the free space and at \
most 4 GiB, unless --size is larger.

Several ranks can start together: with mpirun, with srun, as a Kubernetes Indexed Job, or with --rank, \
--of and --meet. Rank 0 prints the answer of all ranks. --json, --ndjson, --csv, --hlog, --html, \
--fail-if and --results apply to all ranks together, and only rank 0 writes these files. Give every \
rank the same options. In a target, {rank} and {host} are replaced by the rank and the host name. In a \
folder, each rank has its own file. The shared secret is in --token-file or IOBOUND_TOKEN. Ranks that \
a launcher started on one machine need no secret.";

/// Measure the I/O of real files and devices.
///
/// Existing files and devices are opened read-only unless --overwrite names them. In a folder, the run creates a file
/// of its own and keeps it for the next run.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunVerbArgs {
    #[command(flatten)]
    pub(crate) request: Typed<RunRequest>,
}

/// Runs every stage, and shows what it reached.
pub(crate) fn run(args: &RunVerbArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let prepared = PreparedRun::read(&args.request, &common.common(), &common.env())?;
    if common.json && prepared.is_dry_run() {
        return Err(Failure::input("--dry-run prints text: it has no JSON document").help("leave out --json"));
    }
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    load::run_prepared(prepared, &args.request, &common.common())
        .map(|finished| output::finished(finished, common))
}

/// Reads what a run is to be, and counts what it needs of memory; no target is opened.
pub(crate) fn check(args: &RunVerbArgs, common: &CommonArgs) -> Result<(), Failure> {
    let prepared = PreparedRun::read(&args.request, &common.common(), &common.env())?;
    if common.show_config {
        return Ok(());
    }
    load::check(prepared, &args.request, &common.common())
}
