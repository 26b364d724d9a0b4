//! Live display on standard error: a screen that is overwritten on a terminal, else a line at a time. The one way
//! for all verbs; what is shown is `iobound_report`'s.

use std::io::Write;

use iobound_app::process::{Display, LiveStyle, LiveWhen};
use iobound_report::{LiveScreen, Style};
use terminal_size::{Height, Width};

use crate::arguments::CommonArgs;
use crate::output;
use crate::visible::visible;

/// Narrower than this nothing can be read, whatever is done.
const NARROWEST: usize = 20;

/// The place where something is shown while it goes on.
pub(crate) struct LiveView {
    style: LiveStyle,
    plain: Style,
    wide: bool,
    /// The characters of each line that is shown: of a terminal that became narrower since, they are more lines.
    shown: Vec<usize>,
}

impl LiveView {
    /// Nothing is shown yet.
    pub(crate) fn new(common: &CommonArgs, style: LiveStyle) -> LiveView {
        let plain = output::plain(&std::io::stderr(), common);
        LiveView { style, plain, wide: common.wide, shown: Vec::new() }
    }
}

impl Display for LiveView {
    fn show(
        &mut self,
        screen: &mut dyn FnMut() -> LiveScreen,
        line: &mut dyn FnMut(Style) -> Option<String>,
    ) {
        if self.style.silent || self.style.shown == LiveWhen::Never {
            return;
        }
        let stderr = std::io::stderr();
        let mut out = stderr.lock();
        // Who has closed standard error does not want to see it.
        if !output::is_screen(&stderr) {
            if self.style.shown == LiveWhen::OnTerminal {
                return;
            }
            let most = if self.wide { None } else { Some(output::columns().unwrap_or(output::WIDEST)) };
            if let Some(line) = line(Style { width: most, ..self.plain }) {
                let _ = writeln!(out, "{}", visible(&line, false));
            }
            return;
        }
        let (columns, height) = size(&stderr);
        let width = columns.min(if self.wide { usize::MAX } else { output::WIDEST }).max(NARROWEST);
        // The cursor has the last line.
        let most = height.map(|height| height.saturating_sub(1).max(1));
        let mut lines = screen().lines(Style { width: Some(width), ..self.plain }, most);
        lines.iter_mut().for_each(|line| *line = visible(line, true).into_owned());
        let _ = out.write_all(written_over(&self.shown, &lines, columns, height).as_bytes());
        let _ = out.flush();
        self.shown = lines.iter().map(|line| line.chars().count()).collect();
    }

    fn clear(&mut self) {
        if self.shown.is_empty() {
            return;
        }
        let (columns, height) = size(&std::io::stderr());
        let _ = write!(std::io::stderr().lock(), "{}\x1b[J", back_over(&self.shown, columns, height));
        self.shown.clear();
    }
}

impl Drop for LiveView {
    fn drop(&mut self) {
        self.clear();
    }
}

/// The columns and lines of a terminal; of one that does not say, what the environment says.
fn size(terminal: &std::io::Stderr) -> (usize, Option<usize>) {
    match terminal_size::terminal_size_of(terminal) {
        Some((Width(columns), Height(lines))) if columns > 0 => {
            (usize::from(columns), Some(usize::from(lines)).filter(|lines| *lines > 0))
        }
        _ => (output::columns().unwrap_or(80), None),
    }
}

/// Moves to the beginning of the display, as far as it is still on the terminal.
fn back_over(shown: &[usize], columns: usize, height: Option<usize>) -> String {
    let lines: usize = shown.iter().map(|chars| chars.div_ceil(columns.max(1)).max(1)).sum();
    let up = lines.min(height.map_or(usize::MAX, |height| height.saturating_sub(1)));
    if up > 0 { format!("\r\x1b[{up}A") } else { String::new() }
}

/// The lines in place of those that are shown: in one piece, and nothing is empty in between, so that nothing flickers.
fn written_over(shown: &[usize], lines: &[String], columns: usize, height: Option<usize>) -> String {
    let mut text = back_over(shown, columns, height);
    for line in lines {
        text.push_str(line);
        text.push_str("\x1b[K\n");
    }
    text.push_str("\x1b[J");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Content of a terminal of 20 columns and 6 lines after writing to it: as much of ECMA-48 as is used.
    fn terminal(text: &str) -> Vec<String> {
        const COLUMNS: usize = 20;
        const LINES: usize = 6;
        let mut lines = vec![String::new()];
        let (mut row, mut column) = (0, 0);
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '\n' => {
                    (row, column) = (row + 1, 0);
                    lines.resize(lines.len().max(row + 1), String::new());
                }
                '\r' => column = 0,
                '\x1b' => {
                    assert_eq!(chars.next(), Some('['));
                    let mut number = String::new();
                    while let Some(digit) = chars.next_if(char::is_ascii_digit) {
                        number.push(digit);
                    }
                    match chars.next() {
                        // Lines that have left the screen cannot be reached.
                        Some('A') => {
                            row = (row - number.parse::<usize>().unwrap())
                                .max(lines.len().saturating_sub(LINES))
                        }
                        Some('K') => lines[row].truncate(column),
                        Some('J') => {
                            lines[row].truncate(column);
                            lines.truncate(row + 1);
                        }
                        other => panic!("{other:?}"),
                    }
                }
                c => {
                    if column == COLUMNS {
                        (row, column) = (row + 1, 0);
                        lines.resize(lines.len().max(row + 1), String::new());
                    }
                    let rest = lines[row].get(column + 1..).unwrap_or_default().to_string();
                    lines[row].truncate(column);
                    lines[row].push(c);
                    lines[row].push_str(&rest);
                    column += 1;
                }
            }
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    fn of(lines: &[&str]) -> Vec<String> {
        lines.iter().map(|line| line.to_string()).collect()
    }

    fn lengths(lines: &[String]) -> Vec<usize> {
        lines.iter().map(String::len).collect()
    }

    #[test]
    fn a_screen_takes_the_place_of_the_one_before_whatever_their_sizes() {
        let screens =
            [of(&["one", "two", "three"]), of(&["a longer first line", "2"]), of(&["1", "2", "3", "4"])];
        let mut text = "above\n".to_string();
        let mut shown: Vec<usize> = Vec::new();
        for screen in screens {
            text.push_str(&written_over(&shown, &screen, 20, Some(6)));
            assert_eq!(terminal(&text), [of(&["above"]), screen.clone()].concat());
            shown = lengths(&screen);
        }
        text.push_str(&format!("{}\x1b[J", back_over(&shown, 20, Some(6))));
        assert_eq!(terminal(&text), ["above"]);
    }

    #[test]
    fn lines_of_a_terminal_that_became_narrower_are_counted_as_it_breaks_them() {
        // 30 characters that were one line are two of 20.
        let wide = of(&["123456789012345678901234567890", "end"]);
        let mut text = format!("above\n{}", written_over(&[], &wide, 40, Some(6)));
        assert_eq!(terminal(&text).len(), 4);
        text.push_str(&written_over(&lengths(&wide), &of(&["narrow"]), 20, Some(6)));
        assert_eq!(terminal(&text), ["above", "narrow"]);
    }
}
