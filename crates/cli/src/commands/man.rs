use std::path::{Path, PathBuf};

use clap::builder::ValueRange;
use clap::{Arg, Args, Command, CommandFactory};
use clap_mangen::Man;
use iobound_workload::shell_word;

use crate::Program;
use crate::arguments::CommonArgs;
use crate::output;
use iobound_app::Exit;
use iobound_app::outfile::{DocumentKind, OutFile};
use iobound_app::{Env, Failure};

const EXAMPLES: &str = "\
Examples:
  iobound man predict | man -l -             # the page of one verb
  iobound man emulate ctl | man -l -
  iobound man --folder man1                  # all pages: iobound.1, iobound-predict.1, ...";

/// Release date of this version: a page has a date, and the same program makes the same page.
const RELEASED: &str = "2026-11-22";

/// Print a manual page, or write all pages as files. They have the texts of --help.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ManArgs {
    /// Verb of the page [default: the program]
    verb: Vec<String>,
    /// Write all pages as files into this existing folder
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
        return write_all(folder, &pages, &common.env());
    }
    let mut command = &program;
    let mut name = "iobound".to_string();
    for verb in &args.verb {
        command = command.find_subcommand(verb).ok_or_else(|| {
            let own = command.get_subcommands().map(Command::get_name);
            let there: Vec<&str> = own.filter(|name| *name != "help").collect();
            Failure::input(format!("{name} has no verb `{verb}`")).help(match there.is_empty() {
                true => format!("use `iobound man {}`", args.verb[0]),
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
    let mut command = command.clone();
    if command.get_overridden_usage().is_none() {
        let usage = synopsis(&command);
        command = command.override_usage(usage);
    }
    Man::new(command)
        .title(name.to_uppercase())
        .date(RELEASED)
        .manual("iobound")
        .source(format!("iobound {}", env!("CARGO_PKG_VERSION")))
        .render(&mut roff)
        .expect("memory takes what is written");
    String::from_utf8_lossy(&roff).into_owned()
}

/// All options of a command with the names of their values, which clap_mangen's own synopsis leaves out.
fn synopsis(command: &Command) -> String {
    let mut words = vec![command.get_bin_name().unwrap_or_else(|| command.get_name()).to_string()];
    let is_shown = |arg: &&Arg| !arg.is_hide_set();
    let bracketed = |arg: &Arg, word: String| if arg.is_required_set() { word } else { format!("[{word}]") };
    for arg in command.get_arguments().filter(is_shown).filter(|arg| !arg.is_positional()) {
        let name = match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, Some(short)) => format!("-{short}"),
            (None, None) => continue,
        };
        words.push(bracketed(arg, format!("{name}{}", value_of(arg))));
    }
    for arg in command.get_positionals().filter(is_shown) {
        let values = arg.get_value_names().unwrap_or_default();
        let many = if arg.get_num_args().is_some_and(|count| count.max_values() > 1) { "..." } else { "" };
        words.push(bracketed(arg, format!("{}{many}", values.join(" "))));
    }
    if command.has_subcommands() {
        words.push(if command.is_subcommand_required_set() { "COMMAND" } else { "[COMMAND]" }.into());
    }
    words.join(" ")
}

/// The value of an option: ` VM`, `[=true|false]`, nothing for one that takes none.
fn value_of(arg: &Arg) -> String {
    let count = arg.get_num_args().unwrap_or(ValueRange::EMPTY);
    if !count.takes_values() {
        return String::new();
    }
    let names = arg.get_value_names().unwrap_or_default().join(" ");
    match (count.min_values() == 0, arg.is_require_equals_set()) {
        (true, true) => format!("[={names}]"),
        (true, false) => format!(" [{names}]"),
        (false, true) => format!("={names}"),
        (false, false) => format!(" {names}"),
    }
}

fn collect(command: &Command, name: &str, pages: &mut Vec<(String, String)>) {
    pages.push((format!("{name}.1"), page(command, name)));
    for verb in command.get_subcommands().filter(|verb| verb.get_name() != "help" && !verb.is_hide_set()) {
        collect(verb, &format!("{name}-{}", verb.get_name()), pages);
    }
}

fn write_all(folder: &Path, pages: &[(String, String)], env: &Env) -> Result<Exit, Failure> {
    if !folder.is_dir() {
        return Err(Failure::input(format!("--folder: {} is not an existing folder", folder.display()))
            .help(format!("create it: mkdir -p {}", shell_word(&folder.display().to_string()))));
    }
    let place =
        |name: &str| OutFile::named(&folder.join(name).to_string_lossy(), DocumentKind::ManualPage, env);
    // All are looked at before the first is written.
    let files: Vec<OutFile> = pages.iter().map(|(name, _)| place(name)).collect::<Result<_, Failure>>()?;
    for (file, (_, text)) in files.iter().zip(pages) {
        file.write(text)?;
    }
    output::write(&format!("{} pages in {}\n", pages.len(), folder.display()))
}
