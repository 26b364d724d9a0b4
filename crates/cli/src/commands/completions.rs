use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::Program;
use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound completions bash                   to ~/.local/share/bash-completion/completions/iobound
  iobound completions zsh                    to a file _iobound in a folder of $fpath
  iobound completions fish                   to ~/.config/fish/completions/iobound.fish
  iobound completions powershell             at the end of $PROFILE";

/// What a shell offers while one types: verbs, flags, and the words of flags that have a few. Redirect it to the file
/// that the shell reads.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct CompletionsArgs {
    /// Whose
    #[arg(value_enum)]
    shell: Shell,
}

/// Prints the script.
pub(crate) fn run(args: &CompletionsArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    output::no_document(common, "a script for a shell")?;
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Program::command(), "iobound", &mut script);
    output::write(&String::from_utf8_lossy(&script))
}
