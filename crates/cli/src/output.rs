//! Standard output and standard error, and what the terminal is like.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_report::{Document, Setting, Style, ascii, settings_json, settings_text};
use terminal_size::Width;

use crate::arguments::{AnswerTo, CommonArgs};
use crate::asking;
use crate::exit::Exit;
use crate::failure::Failure;

/// The widest a page is, unless all of it is asked for.
pub(crate) const WIDEST: usize = 100;
/// Narrower than this nothing is laid out, whatever the terminal says.
const NARROWEST: usize = 60;

/// Whether text is ASCII only. One answer for all that the program says, from its first word on: what is said of words that
/// are wrong is said before they are read.
static ASCII: AtomicBool = AtomicBool::new(false);

/// Whether notes are left out: of a rank whose notes another process says.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Leaves out notes from now on. What is wrong is said all the same.
#[cfg(all(feature = "load", target_os = "linux"))]
pub(crate) fn set_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// Whether text is ASCII only, where that was asked for or the locale is not UTF-8. Where no locale is set, as in most
/// containers and services, nobody has said that UTF-8 can't be shown.
pub(crate) fn set_ascii(asked: bool) {
    // In the order of POSIX, where a variable that is empty is not set.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| {
        std::env::var_os(name).map(|value| value.to_string_lossy().to_lowercase()).filter(|it| !it.is_empty())
    });
    let is_other = locale.is_some_and(|locale| !locale.contains("utf-8") && !locale.contains("utf8"));
    ASCII.store(asked || is_other, Ordering::Relaxed);
}

/// A text as it is shown here.
pub(crate) fn shown(text: &str) -> String {
    if ASCII.load(Ordering::Relaxed) { ascii(text) } else { text.to_string() }
}

/// Whether a terminal can be written over: one that knows no more than lines can't.
pub(crate) fn is_screen(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// How a page of text is laid out here.
pub(crate) fn style(common: &CommonArgs) -> Style {
    let stdout = std::io::stdout();
    let terminal = terminal_size::terminal_size_of(&stdout);
    let columns = columns().or_else(|| terminal.map(|(Width(columns), _)| usize::from(columns)));
    let width = columns.unwrap_or(WIDEST).clamp(NARROWEST, WIDEST);
    Style { width: (!common.wide).then_some(width), ..plain(&stdout, common) }
}

/// A style of any width.
pub(crate) fn plain(stream: &impl IsTerminal, common: &CommonArgs) -> Style {
    let no_color = common.no_color || std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    let color = is_screen(stream) && !no_color;
    Style { width: None, color, ascii: ASCII.load(Ordering::Relaxed) }
}

/// What the environment says of the width.
pub(crate) fn columns() -> Option<usize> {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok())
}

/// Writes an answer for people to standard output.
pub(crate) fn write(text: &str) -> Result<Exit, Failure> {
    data(&shown(text))
}

/// Writes what programs read to standard output, in its own form. A reader that has closed its end has seen what it wanted.
pub(crate) fn data(text: &str) -> Result<Exit, Failure> {
    if asking::is_within() {
        // Standard output is another program's.
        return Err(Failure::input("that has no document for an answer").mend("leave out --csv"));
    }
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
    let asked_here = matches!(common.to, AnswerTo::Program(_));
    if asked_here || common.json {
        self::document(common, document().text())
    } else {
        write(&text(style(common)))
    }
}

/// Hands a document's text, alone, to whoever asked for it.
pub(crate) fn document(common: &CommonArgs, text: String) -> Result<Exit, Failure> {
    match &common.to {
        AnswerTo::Output => data(&text),
        AnswerTo::Program(kept) => {
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(text);
            Ok(Exit::Done)
        }
    }
}

/// What is no answer has no document, no settings, and nothing to draw.
pub(crate) fn no_document(common: &CommonArgs, what: &str) -> Result<(), Failure> {
    let given = [
        ("--json", common.json),
        ("--show-config", common.show_config),
        ("--config", common.config.is_some()),
        ("--seed", common.seed.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => {
            Err(Failure::input(format!("{flag}: it changes nothing of {what}")).mend("leave it out"))
        }
        None => Ok(()),
    }
}

/// Writes to standard error. Where that can't be, nobody wants to hear it.
pub(crate) fn aside(text: &str) {
    let _ = std::io::stderr().lock().write_all(shown(text).as_bytes());
}

/// Says something beside the answer. Who has closed standard error does not want to hear it.
pub(crate) fn note(text: &str) {
    if asking::note(text) {
        return;
    }
    if !QUIET.load(Ordering::Relaxed) {
        aside(&format!("note: {text}\n"));
    }
}

/// What clap has to say: help and version are an answer, the rest is bad input.
pub(crate) fn usage(error: &clap::Error) -> Exit {
    if ASCII.load(Ordering::Relaxed) {
        let text = error.render().to_string();
        if error.use_stderr() { aside(&text) } else { drop(write(&text)) }
    } else {
        let _ = error.print();
    }
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
        aside(&help);
        return Err(Failure::input(format!("nothing is asked of {verb}")).mend("see the examples above"));
    }
    write(&help)
}
