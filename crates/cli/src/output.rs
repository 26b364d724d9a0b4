//! Standard output and standard error, and what the terminal is like.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use iobound_report::{Document, Setting, Style, ascii, settings_document, settings_text};
use terminal_size::Width;

use crate::arguments::CommonArgs;
use crate::interrupt;
use crate::visible::visible;
use iobound_app::{Exit, Failure, Finished};

/// The widest a page is, unless all of it is asked for.
pub(crate) const WIDEST: usize = 100;
/// Narrower than this nothing is laid out, whatever the terminal says.
const NARROWEST: usize = 60;

/// True if the output is ASCII only. It applies from the first message on, because errors in the options are printed
/// before the options are read.
static ASCII: AtomicBool = AtomicBool::new(false);

/// True if notes are left out: of a rank whose notes another process says.
static QUIET: AtomicBool = AtomicBool::new(false);

/// Notes that are kept for the answer, of a verb that stands in for another tool; `None` where notes are written at once.
static KEPT: Mutex<Option<KeptNotes>> = Mutex::new(None);

struct KeptNotes {
    notes: Vec<String>,
    /// True if they go to standard error as well.
    written: bool,
}

/// Keeps notes from now on instead of writing them: programs that drive fio or DiskSpd take any word on standard error for
/// a failure. On a terminal a person reads them, so there they are written as well.
pub(crate) fn keep_notes() {
    let kept = KeptNotes { notes: Vec::new(), written: std::io::stderr().is_terminal() };
    *KEPT.lock().unwrap_or_else(PoisonError::into_inner) = Some(kept);
}

/// Writes kept notes to standard error as well: those there are, and all that follow.
pub(crate) fn write_kept_notes() {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = kept.as_mut().filter(|kept| !kept.written) {
        kept.written = true;
        kept.notes.iter().for_each(|text| aside(&format!("note: {text}\n")));
    }
}

/// The notes kept so far.
pub(crate) fn kept_notes() -> Vec<String> {
    let kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    kept.as_ref().map(|kept| kept.notes.clone()).unwrap_or_default()
}

/// Leaves out notes from now on, but not errors.
pub(crate) fn set_quiet() {
    QUIET.store(true, Ordering::Relaxed);
}

/// True if text is ASCII only, where that was asked for or the locale is not UTF-8. Where no locale is set, as in most
/// containers and services, nobody has said that UTF-8 can't be shown.
pub(crate) fn set_ascii(asked: bool) {
    // In the order of POSIX, where a variable that is empty is not set.
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].iter().find_map(|name| {
        std::env::var_os(name).map(|value| value.to_string_lossy().to_lowercase()).filter(|it| !it.is_empty())
    });
    let is_other = locale.is_some_and(|locale| !locale.contains("utf-8") && !locale.contains("utf8"));
    ASCII.store(asked || is_other, Ordering::Relaxed);
}

/// A text as people see it here: ASCII where that is asked for, and without control characters.
pub(crate) fn shown(text: &str) -> String {
    let text = visible(text, false);
    if ASCII.load(Ordering::Relaxed) { ascii(&text) } else { text.into_owned() }
}

/// True if a terminal can be written over: one that knows no more than lines can't.
pub(crate) fn is_screen(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Layout of a page of text.
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

/// Terminal width from the environment.
pub(crate) fn columns() -> Option<usize> {
    std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok())
}

/// Writes an answer for people to standard output.
pub(crate) fn write(text: &str) -> Result<Exit, Failure> {
    if ASCII.load(Ordering::Relaxed) { data(&ascii(text)) } else { data(text) }
}

/// Writes an answer for programs to standard output, in its own form. A control character in it is escaped, as JSON does it.
/// A reader that has closed its end has seen what it wanted.
pub(crate) fn data(text: &str) -> Result<Exit, Failure> {
    interrupt::load_ends();
    write_data(text)
}

fn write_data(text: &str) -> Result<Exit, Failure> {
    let stdout = std::io::stdout();
    let text = visible(text, is_screen(&stdout));
    let mut out = stdout.lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(Exit::Done),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(Exit::Done),
        Err(error) => Err(Failure::io(format!("cannot write the answer: {error}"))),
    }
}

/// Writes the beginning of an answer whose rest follows: the run goes on.
pub(crate) fn data_so_far(text: &str) -> Result<(), Failure> {
    write_data(text).map(|_| ())
}

/// Writes an answer as text or as a document, as was asked.
pub(crate) fn page<D: Into<Document>>(
    common: &CommonArgs,
    text: impl FnOnce(Style) -> String,
    document: impl FnOnce() -> D,
) -> Result<Exit, Failure> {
    if common.json { data(&document().into().text()) } else { write(&text(style(common))) }
}

/// Prints the answer of a verb that ran load, and reports what failed beside it.
pub(crate) fn finished(finished: Finished, common: &CommonArgs) -> Exit {
    let Finished { answer, failures, mut exit } = finished;
    let printed = answer.map_or(Ok(Exit::Done), |answer| match answer.document().filter(|_| common.json) {
        Some(document) => data(&document.text()),
        None if answer.is_data() => data(&answer.text(style(common))),
        None => write(&answer.text(style(common))),
    });
    if let Err(failure) = printed {
        exit = report(&failure);
    }
    for failure in &failures {
        report(failure);
    }
    exit
}

/// Answers without a document, settings or charts are refused for these options.
pub(crate) fn no_document(common: &CommonArgs, what: &str) -> Result<(), Failure> {
    let given = [
        ("--json", common.json),
        ("--show-config", common.show_config),
        ("--config", common.config.is_some()),
        ("--seed", common.seed.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        Some((flag, _)) => {
            Err(Failure::input(format!("{flag}: it has no effect on {what}")).help("leave it out"))
        }
        None => Ok(()),
    }
}

/// Writes to standard error. Where that can't be, nobody wants to hear it.
pub(crate) fn aside(text: &str) {
    let _ = std::io::stderr().lock().write_all(shown(text).as_bytes());
}

/// A message for standard error. On a terminal, its lines are folded between words at the terminal's width. Elsewhere
/// they stay whole, for programs that search them. Lines that begin with a blank quote a file and stay unchanged.
pub(crate) fn folded(text: &str) -> String {
    let Some((Width(columns), _)) = terminal_size::terminal_size_of(std::io::stderr()) else {
        return text.to_string();
    };
    let width = self::columns().unwrap_or(usize::from(columns));
    let lines =
        text.split('\n').map(|line| if line.starts_with(' ') { line.to_string() } else { fold(line, width) });
    lines.collect::<Vec<String>>().join("\n")
}

/// A line in lines of at most `width` characters, those after the first indented. A longer word stays whole, so that a path
/// can be copied.
fn fold(line: &str, width: usize) -> String {
    const INDENT: &str = "      ";
    let width = width.max(NARROWEST);
    let (mut text, mut length) = (String::new(), 0);
    for (n, word) in line.split(' ').enumerate() {
        let chars = word.chars().count();
        if n > 0 && length + 1 + chars > width {
            text.push('\n');
            text.push_str(INDENT);
            length = INDENT.len();
        } else if n > 0 {
            text.push(' ');
            length += 1;
        }
        text.push_str(word);
        length += chars;
    }
    text
}

/// Prints an error on standard error.
pub(crate) fn report(failure: &Failure) -> Exit {
    let mut text = format!("{}\n", folded(&format!("error: {}", failure.what())));
    if let Some(help) = failure.help_text() {
        text.push_str(&format!("{}\n", folded(&format!("help: {help}"))));
    }
    // Where standard error can't be written, the exit code says it.
    aside(&text);
    failure.exit()
}

/// Says something beside the answer. Who has closed standard error does not want to hear it.
pub(crate) fn note(text: &str) {
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(kept) = kept.as_mut() {
        kept.notes.push(text.to_string());
        if !kept.written {
            return;
        }
    }
    if !QUIET.load(Ordering::Relaxed) {
        aside(&format!("{}\n", folded(&format!("note: {text}"))));
    }
}

/// Output of clap: help and version are an answer, the rest is bad input.
pub(crate) fn usage(error: &clap::Error) -> Exit {
    let text = error.render().to_string();
    if error.use_stderr() {
        // The parser's own printing has colours, and shows a typed word with all its escape sequences.
        aside(&text);
        return Exit::BadInput;
    }
    if ASCII.load(Ordering::Relaxed) {
        drop(write(&text));
    } else {
        let _ = error.print();
    }
    Exit::Done
}

/// The answer of `--show-config`.
pub(crate) fn settings(won: &[Setting], common: &CommonArgs) -> Result<Exit, Failure> {
    page(common, |style| settings_text(won, style), || settings_document(won))
}

/// The help of a verb whose words are another tool's, so that clap does not see them. Asked for, it is an answer; else
/// it is what to do about words that are missing.
#[cfg(feature = "load")]
pub(crate) fn verb_help(verb: &str, is_missing: bool) -> Result<Exit, Failure> {
    let mut program = crate::help::of(<crate::Program as clap::CommandFactory>::command(), false);
    let command = program.find_subcommand_mut(verb).expect("the verb is one of the program's");
    let help = command.render_help().to_string();
    if is_missing {
        aside(&help);
        return Err(Failure::input(format!("{verb} needs arguments")).help("see the examples above"));
    }
    write(&help)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_folded_between_words_and_a_path_stays_whole() {
        let path = "/a/very/long/path".repeat(5);
        let text =
            format!("error: {path} is not there, and nothing else in this folder has a name that is like it");
        let lines: Vec<String> = fold(&text, 70).lines().map(str::to_string).collect();
        assert_eq!(lines[0], "error:");
        assert_eq!(lines[1], format!("      {path}"));
        assert_eq!(lines[2], "      is not there, and nothing else in this folder has a name that is");
        assert_eq!(lines[3], "      like it");
        assert_eq!(fold("note: short", 70), "note: short");
    }
}
