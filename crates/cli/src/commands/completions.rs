use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Program;
use crate::arguments::CommonArgs;
use crate::offered::{self, Kind};
use crate::output;
use iobound_app::Exit;
use iobound_app::Failure;
use iobound_app::results::place_of;
use iobound_app::settings::{Settings, catalog_of};

const EXAMPLES: &str = "\
Examples:
  iobound completions bash                   # to ~/.local/share/bash-completion/completions/iobound
  iobound completions zsh                    # to a file _iobound in a folder of $fpath
  iobound completions fish                   # to ~/.config/fish/completions/iobound.fish
  iobound completions powershell             # at the end of $PROFILE";

/// Print completions for a shell: verbs, options and their values. For bash, zsh and fish also VM sizes, disks, presets and
/// ids of results. Redirect the output to the file that the shell reads.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// Shell
    #[arg(value_enum, required_unless_present = "of")]
    shell: Option<Shell>,
    /// Print the names of this kind, one on each line: used by the scripts
    #[arg(long, value_enum, value_name = "KIND", hide = true, conflicts_with = "shell")]
    of: Option<Kind>,
    /// Print only names that start with this
    #[arg(long, value_name = "TEXT", hide = true, requires = "of", allow_hyphen_values = true)]
    typed: Option<String>,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    output::no_document(common, "a script for a shell")?;
    if let Some(kind) = args.of {
        return names(kind, args.typed.as_deref().unwrap_or_default(), common);
    }
    let Some(shell) = args.shell else { return Err(Failure::input("no shell is given")) };
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Program::command(), "iobound", &mut script);
    output::write(&offered::script(shell, &String::from_utf8_lossy(&script)))
}

/// Names of a kind, with those of the person's own catalogue and store.
fn names(kind: Kind, typed: &str, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(&common.env(), common.config.as_deref())?;
    let names = match kind {
        Kind::Vm => offered::vms(&catalog_of(None, &mut settings)?, typed).map_err(Failure::input)?,
        Kind::Disk => offered::disks(&catalog_of(None, &mut settings)?, typed).map_err(Failure::input)?,
        Kind::Preset => offered::presets(typed),
        Kind::Era => offered::eras(typed),
        Kind::Region => offered::regions(&catalog_of(None, &mut settings)?, typed),
        Kind::Run => offered::runs(&place_of(None, &mut settings)?, typed),
    };
    output::write(&names.iter().map(|name| format!("{name}\n")).collect::<String>())
}
