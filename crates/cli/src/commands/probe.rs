use clap::Args;
use iobound_app::probe::{PreparedProbe, ProbeRequest};
use iobound_app::{Exit, Failure};

use crate::arguments::{CommonArgs, Typed};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound probe /dev/nvme1n1                                # reads only: nothing is written
  iobound probe /mnt/data/file --save probed.toml           # a configuration for every verb
  iobound predict --config probed.toml --block 8KiB --depth 32
  iobound probe /dev/sdc --html probe.html --json           # with the evidence of each limit
  iobound probe /dev/sdc /dev/sdd --budget 10min            # and the limits that they share
  iobound probe /dev/sdc --overwrite /dev/sdc               # writes as well: the data on it is lost
  iobound probe /dev/sdc --contribute rows.csv              # anonymous rows, to review and send
  iobound fleet --hosts FILE -- probe /dev/sdc              # this disk of several machines

Exit code 0 includes probes that ran out of budget or processor time. The line `ended`, or `ending` in --json, says so;
the line `open` lists what was not measured.";

/// Measure the limits of an unknown disk: IOPS, throughput, how both are enforced, bursts, cache, latency, and which
/// offers of the catalogue match. Reads only, unless --overwrite names the targets.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ProbeArgs {
    #[command(flatten)]
    pub(crate) request: Typed<ProbeRequest>,
}

/// Probes the targets, and writes what was asked for.
pub(crate) fn run(args: &ProbeArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let prepared = PreparedProbe::read(&args.request, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    prepared.run(&env).map(|finished| output::finished(finished, common))
}
