use clap::{Args, Subcommand};

use crate::arguments::{BeforeArgs, CommonArgs, ConfigurationArgs, EmulateArgs};
use crate::emulate::{Before, EmulateOptions, ask_running, guardian, model, serve};
use crate::output;
use iobound_app::Exit;
use iobound_app::Failure;
use iobound_app::effect;
use iobound_app::settings::{self, Settings, configuration_of};

const EXAMPLES: &str = "\
Examples:
  iobound emulate --vm DS14 --disk 10xP30 --nbd unix:iobound.sock
  iobound emulate --vm DS14 --disk data=8xP30:readonly --disk log=2xP20 --fuse disks
  iobound emulate --vm D2s_v3 --disk P20 --at 0 --fuse disks        # with full burst credits
  iobound emulate --vm D2s_v3 --disk P20 --at 20min --block 8KiB --fuse disks   # as that leaves it
  iobound emulate --vm DS14 --disk 4xP30 --image data=db.raw --memory 8GiB --nbd unix:iobound.sock
  iobound emulate --vm DS14 --disk P30:readwrite --crash --backing folder --fuse disks
  iobound emulate --vm DS14 --disk 10xP30 --nbd tcp:127.0.0.1:10809 --metrics 127.0.0.1:9464 --json
  iobound emulate ctl state                                       # and `iobound emulate ctl --help`

It prints lines that attach each device, with root and without, and `ready`. It runs until Ctrl-C,
`emulate ctl stop` or --duration, writes back what its caches hold, and ends with exit code 0; a
second Ctrl-C ends it at once. The flags of a workload say what ran before: nothing of it is run.";

/// Emulate the disks of a VM as real block devices, in real time.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct EmulateVerbArgs {
    #[command(subcommand)]
    ctl: Option<Ctl>,
    #[command(flatten)]
    emulate: EmulateArgs,
    #[command(flatten)]
    configuration: ConfigurationArgs,
    #[command(flatten)]
    before: BeforeArgs,
}

/// The commands of `ctl`, and how they are meant.
fn commands() -> String {
    let mut text = String::from("Commands:\n");
    for (words, does) in iobound_emulate::control::COMMANDS {
        text.push_str(&format!("  {words}\n          {does}\n"));
    }
    text.push_str(
        "\nDISK may be a volume: then it is all of its disks. What one disk of a stripe was given, it has until the volume is \
         given something else. Without --control the emulator that runs is asked; if \
         several do, they are listed. `state --json` is a line of JSON.",
    );
    text
}

/// What is said to an emulator that runs.
#[derive(Debug, Subcommand)]
enum Ctl {
    /// Query or change a running emulator
    #[command(after_help = commands())]
    Ctl {
        /// Path of the control socket [default: that of the only running emulator]
        #[arg(long, value_name = "PATH")]
        control: Option<String>,
        /// A command: state, cache DISK MODE, fault DISK latency=5x, ...
        #[arg(value_name = "WORDS", required = true)]
        words: Vec<String>,
    },
    /// Take the mount of the program that started this away when that program ends
    #[command(hide = true)]
    Guard {
        /// What is mounted on: absolute, without links
        directory: std::path::PathBuf,
        /// The directory was made for the mount, and is removed with it
        #[arg(long)]
        made: bool,
    },
}

/// Serves the devices until the end, or asks an emulator that does.
pub(crate) fn run(args: &EmulateVerbArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    if let Some(Ctl::Guard { directory, made }) = &args.ctl {
        return guardian::guard(directory, *made);
    }
    if let Some(Ctl::Ctl { control, words }) = &args.ctl {
        let idle = [("seed", common.seed.is_some()), ("config", common.config.is_some())];
        let idle = idle.into_iter().chain([("show-config", common.show_config)]);
        if let Some((flag, _)) = idle.into_iter().find(|(_, is_given)| *is_given) {
            return Err(Failure::input(format!("--{flag}: it says nothing to an emulator that runs"))
                .mend("leave it out, or give it to the emulator when it starts"));
        }
        return ask_running(control.as_deref(), words, common);
    }
    match ConfigurationRequest::read(args, common)? {
        Ok(ConfigurationRequest { how, configuration, before, notes }) => {
            serve(configuration, before, &how, notes, common)
        }
        Err(exit) => Ok(exit),
    }
}

/// Reads what an emulator is to be, and builds its model; nothing is served.
pub(crate) fn check(args: &EmulateVerbArgs, common: &CommonArgs) -> Result<(), Failure> {
    if args.ctl.is_some() {
        return Ok(());
    }
    if let Ok(ConfigurationRequest { how, configuration, before, .. }) =
        ConfigurationRequest::read(args, common)?
    {
        model(configuration, before, &how)?;
    }
    Ok(())
}

/// The emulator that is asked for, once all words are read.
struct ConfigurationRequest {
    how: EmulateOptions,
    configuration: settings::ConfigurationRequest,
    before: Option<Before>,
    notes: Vec<String>,
}

impl ConfigurationRequest {
    /// Reads all words; or, where only the settings were wanted, shows them.
    fn read(
        args: &EmulateVerbArgs,
        common: &CommonArgs,
    ) -> Result<Result<ConfigurationRequest, Exit>, Failure> {
        let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
        let how = EmulateOptions::of(&args.emulate, common, &mut settings)?;
        let configuration = configuration_of(&args.configuration, &mut settings)?;
        let idle = effect::check_standing(&configuration, how.gates, &settings);
        let before = Before::of(&args.before, &configuration, how.gates, how.seed, &mut settings)?;
        let jobs = settings.file().filter(|file| file.workload().is_some());
        let jobs = jobs.map(|file| {
            let are = if before.is_some() { "what ran before" } else { "not run" };
            format!("the jobs of {} are {are}: I/O is the clients'", file.path())
        });
        let (won, unused) = settings.finish();
        if common.show_config {
            return output::settings(&won, &unused, common).map(Err);
        }
        output::unused_variables(&unused);
        let mut notes = idle?;
        notes.extend(jobs);
        Ok(Ok(ConfigurationRequest { how, configuration, before, notes }))
    }
}
