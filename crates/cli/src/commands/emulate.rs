use clap::{Args, Subcommand};
use iobound_app::emulate::{
    COMMANDS, EmulateRequest, EmulatorEvent, PreparedEmulator, ask_running, guardian,
};
use iobound_app::process::LiveStyle;
use iobound_app::{Exit, Failure};
use iobound_documents::ControlLine;
use iobound_report::{
    Style, emulate_end_json, emulate_line, emulate_ready_json, emulate_start_text, emulate_state_json,
    emulate_summary_text,
};

use crate::arguments::{CommonArgs, Typed};
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound emulate --vm DS14 --disk 10xP30 --nbd unix:iobound.sock
  iobound emulate --vm DS14 --disk data=8xP30:readonly --disk log=2xP20 --fuse disks
  iobound emulate --vm D2s_v3 --disk P20 --at 0 --fuse disks        # with full burst credits
  iobound emulate --vm D2s_v3 --disk P20 --at 20min --block 8KiB --fuse disks   # after 20 minutes
  iobound emulate --vm DS14 --disk 4xP30 --image data=db.raw --memory 8GiB --nbd unix:iobound.sock
  iobound emulate --vm DS14 --disk P30:readwrite --crash --backing folder --fuse disks
  iobound emulate --vm DS14 --disk 10xP30 --nbd tcp:127.0.0.1:10809 --metrics 127.0.0.1:9464 --json
  iobound emulate ctl state                                       # and `iobound emulate ctl --help`

emulate prints the commands that attach each device, with root and without, and then `ready`. It \
runs until Ctrl-C, `emulate ctl stop` or --duration. It then writes back its caches and ends with \
exit code 0. A second Ctrl-C ends it at once. Workload flags describe the workload that ran before; \
emulate does not run it.";

/// Emulate the disks of a VM as real block devices, in real time.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, args_conflicts_with_subcommands = true)]
pub(crate) struct EmulateVerbArgs {
    #[command(subcommand)]
    ctl: Option<Ctl>,
    #[command(flatten)]
    request: Typed<EmulateRequest>,
}

/// The commands of `ctl`, and how they are meant.
fn commands() -> String {
    let mut text = String::from("Commands:\n");
    for (words, does) in COMMANDS {
        text.push_str(&format!("  {words}\n          {does}\n"));
    }
    text.push_str(
        "\nDISK can be a volume, which stands for all of its disks. A setting of one disk of a stripe holds until the volume \
         gets another setting. Without --control, the command goes to the only running emulator; if \
         several run, they are listed. `state --json` prints one line of JSON.",
    );
    text
}

/// Commands for a running emulator.
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
    /// Unmount this folder when the program that started this process ends
    #[command(hide = true)]
    Guard {
        /// Mount point: an absolute path without symbolic links
        directory: std::path::PathBuf,
        /// The directory was created for the mount, and is removed with it
        #[arg(long)]
        made: bool,
    },
}

/// Serves the devices until the end, or asks an emulator that does.
pub(crate) fn run(args: &EmulateVerbArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    match &args.ctl {
        Some(Ctl::Guard { directory, made }) => return guardian::guard(directory, *made),
        Some(Ctl::Ctl { control, words }) => {
            let idle = [
                ("seed", common.seed.is_some()),
                ("config", common.config.is_some()),
                ("show-config", common.show_config),
            ];
            if let Some((flag, _)) = idle.into_iter().find(|(_, is_given)| *is_given) {
                return Err(Failure::input(format!("--{flag} has no effect on a running emulator"))
                    .help("leave it out, or give it when you start the emulator"));
            }
            return ask(control.as_deref(), words, common);
        }
        None => {}
    }
    let prepared = PreparedEmulator::read(&args.request, &common.common(), &env)?;
    if common.show_config {
        return output::settings(&prepared.settings, common);
    }
    serve(prepared, common)
}

/// Serves until the end, and shows where the devices are, each second, and the end.
fn serve(prepared: PreparedEmulator, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let mut view = None;
    let ended = prepared.serve(
        &mut |event| match event {
            EmulatorEvent::Ready(serving) => {
                match common.json {
                    true => output::data(&emulate_ready_json(serving)),
                    false => output::write(&emulate_start_text(serving, output::style(common))),
                }?;
                view = (!common.json).then(|| env.of_process().display(LiveStyle::default()));
                Ok(())
            }
            EmulatorEvent::Second { state, screen } => match &mut view {
                None => output::data_so_far(&emulate_state_json(state)),
                Some(view) => {
                    view.show(screen, &mut |style| emulate_line(state, style));
                    Ok(())
                }
            },
            EmulatorEvent::Ends => {
                view = None;
                Ok(())
            }
        },
        &env,
    )?;
    match common.json {
        true => output::data(&emulate_end_json(&ended.end)),
        false => output::write(&emulate_summary_text(&ended.end, output::style(common))),
    }
}

/// Asks a running emulator, and prints its answer.
fn ask(control: Option<&str>, words: &[String], common: &CommonArgs) -> Result<Exit, Failure> {
    let Style { width, color, ascii } = output::style(common);
    let line = ControlLine { words: words.to_vec(), width, color, ascii };
    let (done, said) = ask_running(control, &line, &common.env())?;
    match common.json {
        true => output::data(&format!("{said}\n")),
        false => output::write(&done.said.iter().map(|line| format!("{line}\n")).collect::<String>()),
    }
}

/// Reads what an emulator is to be, and builds its model; nothing is served.
pub(crate) fn check(args: &EmulateVerbArgs, common: &CommonArgs) -> Result<(), Failure> {
    if args.ctl.is_some() {
        return Ok(());
    }
    let env = common.env();
    let prepared = PreparedEmulator::read(&args.request, &common.common(), &env)?;
    if common.show_config { Ok(()) } else { prepared.check(&env) }
}
