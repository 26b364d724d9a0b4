//! Standard output and standard error, and what the terminal is like.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::PoisonError;

use iobound_report::{Document, Setting, Style, settings_json, settings_text};
use terminal_size::{Height, Width};

use crate::arguments::{AnswerTo, CommonArgs};
use crate::exit::Exit;
use crate::failure::Failure;

/// The widest a page is, unless all of it is asked for.
const WIDEST: usize = 100;
/// Narrower than this nothing is laid out, whatever the terminal says.
const NARROWEST: usize = 60;

/// How a page of text is laid out here.
pub(crate) fn style(common: &CommonArgs) -> Style {
    let stdout = std::io::stdout();
    style_on(stdout.is_terminal(), terminal_size::terminal_size_of(&stdout), common)
}

/// How progress is laid out on standard error, which may be a terminal where standard output is none.
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) fn style_of_progress(common: &CommonArgs) -> Style {
    let stderr = std::io::stderr();
    style_on(stderr.is_terminal(), terminal_size::terminal_size_of(&stderr), common)
}

fn style_on(is_terminal: bool, size: Option<(Width, Height)>, common: &CommonArgs) -> Style {
    let columns = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || size.map(|(width, _)| usize::from(width.0));
    let width = columns.or_else(terminal).unwrap_or(WIDEST).clamp(NARROWEST, WIDEST);
    let no_color = common.no_color || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    Style { width: (!common.wide).then_some(width), color: is_terminal && !no_color, ascii: false }
}

/// Writes an answer to standard output. A reader that has closed its end has seen what it wanted.
pub(crate) fn write(text: &str) -> Result<Exit, Failure> {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(Failure::io(format!("the answer can't be written: {error}"))),
    }
}

/// Writes an answer as text or as a document, as was asked.
pub(crate) fn page(
    common: &CommonArgs,
    text: impl FnOnce(Style) -> String,
    document: impl FnOnce() -> Document,
) -> Result<Exit, Failure> {
    if let AnswerTo::Program(kept) = &common.to {
        *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(document().text());
        return Ok(Exit::Done);
    }
    if common.json { write_document(&document()) } else { write(&text(style(common))) }
}

/// What is no answer has no document, and no settings.
pub(crate) fn no_document(common: &CommonArgs, what: &str) -> Result<(), Failure> {
    for (flag, is_given) in [("--json", common.json), ("--show-config", common.show_config)] {
        if is_given {
            return Err(Failure::input(format!("{flag}: {what} is no document")).mend("leave it out"));
        }
    }
    Ok(())
}

/// Writes a document, alone on standard output.
fn write_document(document: &Document) -> Result<Exit, Failure> {
    write(&document.text())
}

/// Says something beside the answer. Who has closed standard error does not want to hear it.
pub(crate) fn note(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "note: {text}");
}

/// What clap has to say: help and version are an answer, the rest is bad input.
pub(crate) fn usage(error: &clap::Error) -> Exit {
    let _ = error.print();
    if error.use_stderr() { Exit::BadInput } else { Exit::Done }
}

/// The answer of `--show-config`.
pub(crate) fn settings(won: &[Setting], unused: &[String], common: &CommonArgs) -> Result<Exit, Failure> {
    unused_variables(unused);
    page(common, |style| settings_text(won, style), || settings_json(won))
}

/// Variables that are set and mean nothing here: they may be misspelt.
pub(crate) fn unused_variables(unused: &[String]) {
    for name in unused {
        note(&format!("{name} is set, and means nothing to this verb"));
    }
}

/// The help of a verb whose words are another tool's, so that clap does not see them. Asked for, it is an answer; else
/// it is what to do about words that are missing.
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) fn verb_help(verb: &str, is_missing: bool) -> Result<Exit, Failure> {
    let mut program = <crate::Program as clap::CommandFactory>::command();
    program.build();
    let command = program.find_subcommand_mut(verb).expect("the verb is one of the program's");
    let help = command.render_help().to_string();
    if is_missing {
        let _ = write!(std::io::stderr().lock(), "{help}");
        return Err(Failure::input(format!("nothing is asked of {verb}")).mend("see the examples above"));
    }
    write(&help)
}
