//! Standard error of a host: passed on with its name in front, up to a limit.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::Env;

/// The most lines of a host that are passed on.
const LINES: usize = 200;
/// The longest line that is shown, in characters.
const WIDEST: usize = 400;
/// The last lines, which tell why it ended.
const KEPT: usize = 8;
/// Time that the last words of a process may take.
const LATE: Duration = Duration::from_millis(500);

/// Output of a host.
#[derive(Debug, Default)]
pub(crate) struct Said {
    state: Mutex<SaidState>,
    changed: Condvar,
    env: Env,
}

#[derive(Debug, Default)]
struct SaidState {
    /// The last lines.
    last: VecDeque<String>,
    passed: usize,
    /// Name to put in front, once lines are passed on; before they are only kept.
    name: Option<String>,
    /// There will be no more.
    over: bool,
}

impl Said {
    pub(super) fn new(env: &Env) -> Said {
        Said { env: env.clone(), ..Said::default() }
    }

    /// From now on lines are passed on, with this name in front. Those before were of ssh and the login: banners.
    pub(crate) fn pass_on(&self, name: &str) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.last.clear();
        state.name = Some(name.to_string());
    }

    /// The last lines, as one, of a process that has ended: what it said may still be on its way, or be held open by what
    /// it left behind.
    pub(crate) fn last(&self) -> Option<String> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(state, LATE, |state| !state.over);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let lines: Vec<&str> = state.last.iter().map(String::as_str).collect();
        (!lines.is_empty()).then(|| lines.join("; "))
    }

    fn line(&self, line: &[u8]) {
        let text = shown(line);
        if text.is_empty() {
            return;
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(name) = state.name.clone() {
            state.passed += 1;
            match state.passed.cmp(&LINES) {
                std::cmp::Ordering::Less => self.env.of_process().aside(&format!("{name}: {text}\n")),
                std::cmp::Ordering::Equal => {
                    self.env
                        .of_process()
                        .aside(&format!("{name}: {text}\n{name}: (further output is not shown)\n"));
                }
                std::cmp::Ordering::Greater => {}
            }
        }
        state.last.push_back(text);
        if state.last.len() > KEPT {
            state.last.pop_front();
        }
    }

    /// Reads a stream to its end.
    pub(crate) fn read(self: Arc<Said>, mut stream: impl Read) {
        let (mut line, mut buffer) = (Vec::new(), vec![0; 8 << 10]);
        loop {
            let read = match stream.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                Err(_) => break,
            };
            for byte in &buffer[..read] {
                match byte {
                    // Text that a terminal overwrites is a line of its own here.
                    b'\n' | b'\r' => {
                        self.line(&line);
                        line.clear();
                    }
                    // Of a line that does not end the beginning is enough.
                    _ if line.len() < 4 * WIDEST => line.push(*byte),
                    _ => {}
                }
            }
        }
        self.line(&line);
        self.state.lock().unwrap_or_else(PoisonError::into_inner).over = true;
        self.changed.notify_all();
    }
}

/// A line as text that can't move a cursor or change a colour.
fn shown(line: &[u8]) -> String {
    let text = String::from_utf8_lossy(line);
    let mut shown = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // An escape sequence with parameters ends with a letter.
        if c == '\u{1b}' && chars.next_if_eq(&'[').is_some() {
            chars.by_ref().find(|c| ('@'..='~').contains(c));
        } else if !c.is_control() || c == '\t' {
            shown.push(c);
        }
    }
    let trimmed = shown.trim_end();
    match trimmed.char_indices().nth(WIDEST) {
        Some((at, _)) => format!("{}…", &trimmed[..at]),
        None => trimmed.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_lines_are_kept_and_no_line_moves_the_cursor() {
        let said = Arc::new(Said::default());
        let text: String = (0..20).map(|n| format!("line {n}\n")).collect();
        Arc::clone(&said).read(format!("{text}\x1b[31mred\x1b[0m\x07\r\n").as_bytes());
        let last = said.last().unwrap();
        assert!(last.starts_with("line 13; ") && last.ends_with("line 19; red"), "{last}");
        assert_eq!(shown(&vec![b'x'; 5_000]).chars().count(), WIDEST + 1);
    }

    #[test]
    fn what_was_said_before_the_greeting_is_forgotten_then() {
        let said = Arc::new(Said::default());
        Arc::clone(&said).read(&b"a banner\n"[..]);
        said.pass_on("db1");
        assert_eq!(said.last(), None);
    }
}
