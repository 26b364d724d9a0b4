use clap::{Args, Subcommand};

use crate::arguments::{CommonArgs, ConfigurationArgs, EmulateArgs};
use crate::emulate::{How, ask_running, serve};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::settings::{Settings, configuration_of};
use crate::{effect, output};

const EXAMPLES: &str = "\
Examples:
  iobound emulate --vm DS14 --disk 10xP30 --nbd unix:iobound.sock
  iobound emulate --vm DS14 --disk data=8xP30:readonly --disk log=2xP20 --fuse disks
  iobound emulate --vm D2s_v3 --disk P20 --at 0 --fuse disks        with full burst credits
  iobound emulate --vm DS14 --disk 4xP30 --image data=db.raw --memory 8GiB --nbd unix:iobound.sock
  iobound emulate --vm DS14 --disk P30:readwrite --crash --backing folder --fuse disks
  iobound emulate --vm DS14 --disk 10xP30 --nbd tcp:127.0.0.1:10809 --metrics 127.0.0.1:9464 --json
  iobound emulate ctl state                                         and `iobound emulate ctl --help`

It prints lines that attach each device, with root and without, and `ready`. It runs until Ctrl-C, `emulate ctl stop` or
--duration, writes back what its caches hold, and ends with exit code 0; a second Ctrl-C ends it at once.";

/// Let my application feel it: the modelled VM's disks as real block devices, in real time.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct EmulateVerbArgs {
    #[command(subcommand)]
    ctl: Option<Ctl>,
    #[command(flatten)]
    emulate: EmulateArgs,
    #[command(flatten)]
    configuration: ConfigurationArgs,
}

const COMMANDS: &str = "\
Commands:
  state                                      what happens now (--json: as a line of JSON)
  cache DISK none|readonly|readwrite         another host-cache setting
  tier DISK P40                              another tier; the size stays, as on Azure
  add-disk log=2xP20                         another volume, as --disk has it
  credits DISK|GATE|all drain|fill           burst credits spent, or full
  warm [VOLUME]                              the host cache holds it
  drop-cache                                 the host cache holds nothing, as after a restart
  fault DISK|all latency=5x errors=1% stall=10s for=30s     one of these, or several; `fault DISK off`
  bad-host 5x [for=30s]                      everything is so much slower; `bad-host off`
  crash                                      the host fails: what its ReadWrite cache holds is lost
  stop                                       ends it, as Ctrl-C does

DISK may be a volume: then it is all of its disks. Without --control the emulator that runs is asked; if several do, they
are listed.";

/// What is said to an emulator that runs.
#[derive(Debug, Subcommand)]
enum Ctl {
    /// Ask or change an emulator that runs
    #[command(after_help = COMMANDS)]
    Ctl {
        /// The control socket, as the emulator printed it [default: of the only one that runs]
        #[arg(long, value_name = "PATH")]
        control: Option<String>,
        /// A command: state, cache DISK MODE, fault DISK latency=5x, ...
        #[arg(value_name = "WORDS", required = true)]
        words: Vec<String>,
    },
}

/// Serves the devices until the end, or asks an emulator that does.
pub(crate) fn run(args: &EmulateVerbArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    if let Some(Ctl::Ctl { control, words }) = &args.ctl {
        return ask_running(control.as_deref(), words, common);
    }
    let mut settings = Settings::load(common)?;
    let how = How::of(&args.emulate, common, &mut settings)?;
    let asked = configuration_of(&args.configuration, &mut settings)?;
    let idle = effect::check_standing(&asked, &settings);
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    serve(asked, &how, idle?, common)
}
