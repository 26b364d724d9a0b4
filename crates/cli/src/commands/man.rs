use std::path::{Path, PathBuf};

use clap::{Args, Command, CommandFactory};
use clap_mangen::Man;

use crate::Program;
use crate::arguments::CommonArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;

const EXAMPLES: &str = "\
Examples:
  iobound man predict | man -l -             a verb's page
  iobound man emulate ctl | man -l -
  iobound man --folder man1                  all pages: iobound.1, iobound-predict.1, ...";

/// When this version was released: a page has a date, and the same program makes the same page.
const RELEASED: &str = "2026-11-22";

/// The manual, from the same words as --help: a page, or all of them as files.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// Of this verb [default: of the program]
    verb: Vec<String>,
    /// All pages as files, in a folder that is there
    #[arg(long, value_name = "FOLDER", conflicts_with = "verb")]
    folder: Option<PathBuf>,
}

/// Prints the page, or writes all of them.
pub(crate) fn run(args: &ManArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    output::no_document(common, "the manual")?;
    let mut program = Program::command();
    program.build();
    if let Some(folder) = &args.folder {
        let mut pages = Vec::new();
        collect(&program, "iobound", &mut pages);
        return write_all(folder, &pages);
    }
    let mut command = &program;
    let mut name = "iobound".to_string();
    for verb in &args.verb {
        command = command.find_subcommand(verb).ok_or_else(|| {
            let there: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
            Failure::input(format!("{name} has no verb `{verb}`")).mend(match there.is_empty() {
                true => format!("its page is that of `iobound man {}`", args.verb[0]),
                false => format!("it has {}", there.join(", ")),
            })
        })?;
        name = format!("{name}-{verb}");
    }
    output::write(&page(command, &name))
}

/// The page of a command, as roff.
fn page(command: &Command, name: &str) -> String {
    let mut roff = Vec::new();
    Man::new(command.clone())
        .title(name.to_uppercase())
        .date(RELEASED)
        .manual("iobound")
        .source(format!("iobound {}", env!("CARGO_PKG_VERSION")))
        .render(&mut roff)
        .expect("memory takes what is written");
    String::from_utf8_lossy(&roff).into_owned()
}

fn collect(command: &Command, name: &str, pages: &mut Vec<(String, String)>) {
    pages.push((format!("{name}.1"), page(command, name)));
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set()) {
        collect(verb, &format!("{name}-{}", verb.get_name()), pages);
    }
}

fn write_all(folder: &Path, pages: &[(String, String)]) -> Result<Exit, Failure> {
    if !folder.is_dir() {
        return Err(Failure::input(format!("--folder: {} is no folder that is there", folder.display()))
            .mend(format!("make it: mkdir -p {}", folder.display())));
    }
    for (name, text) in pages {
        let path = folder.join(name);
        // A page of this program may be replaced; anything else that is there is somebody's.
        let is_ours = std::fs::read_to_string(&path).is_ok_and(|there| there.contains(".TH IOBOUND"));
        if path.exists() && !is_ours {
            return Err(Failure::refused(format!(
                "{} is there, and is no page of this manual",
                path.display()
            ))
            .mend("choose another folder, or remove it"));
        }
        std::fs::write(&path, text).map_err(|error| Failure::io(format!("{}: {error}", path.display())))?;
    }
    output::write(&format!("{} pages in {}\n", pages.len(), folder.display()))
}
