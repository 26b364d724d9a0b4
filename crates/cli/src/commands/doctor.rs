use clap::Args;
use iobound_app::doctor::{DoctorRequest, PreparedDoctor, WINDOWS_SCRIPT};
use iobound_app::{Exit, Failure};
use iobound_report::{doctor_document, doctor_text};

use crate::arguments::{CommonArgs, Typed};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound doctor
  iobound doctor --save vm.toml          # every verb reads it: iobound predict --config vm.toml
  iobound doctor --save vm.toml --overwrite vm.toml
  iobound doctor --metadata off          # no request over the network
  iobound doctor --vm D8s_v3 --disk 4xP30          # as if this machine were another size
  iobound doctor --windows-script > collect.ps1    # run it there: its output is windows.json
  iobound doctor --setup windows.json              # that VM, checked on any machine

A VM cannot see everything about its disks. Give the rest with --disk:
data=4xpremiumv2@1TiB+20000iops+600MB/s.

doctor only reads. It issues no load and needs no credentials. It uses the network only for the \
metadata service, if the firmware names a cloud or --metadata names the service. As root, it also \
reads volume tables and the NVMe pages that only root can read.";

/// Check this machine's disk setup and its limits, without issuing load.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct DoctorArgs {
    /// Print a PowerShell script that prints the setup of a Windows machine, for --setup
    #[arg(long, exclusive = true)]
    windows_script: bool,
    #[command(flatten)]
    request: Typed<DoctorRequest>,
}

/// Looks at the machine, and says what it is.
pub(crate) fn run(args: &DoctorArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    if args.windows_script {
        return output::data(WINDOWS_SCRIPT);
    }
    let env = common.env();
    let prepared = PreparedDoctor::read(&args.request, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    let answer = prepared.answer(&env)?;
    let doctored = answer.doctored();
    output::page(common, |style| doctor_text(&doctored, style), || doctor_document(&doctored))
}
