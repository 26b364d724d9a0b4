//! Progress of long work, on standard error: one line that is overwritten on a terminal, else
//! a line now and then.

use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use iobound_app::process::Progress;

use crate::output;

/// A terminal is written to no more often than this.
const OFTEN: Duration = Duration::from_millis(100);
/// A file or a pipe gets a line this often.
const SELDOM: Duration = Duration::from_secs(5);

/// Parts of a work that are done, of so many.
#[derive(Debug)]
pub(crate) struct PartsDone {
    of: usize,
    is_terminal: bool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    done: usize,
    last: Instant,
    shown: usize,
}

impl PartsDone {
    /// Nothing done of `of` parts.
    pub(crate) fn new(of: usize) -> PartsDone {
        let state = Mutex::new(State { done: 0, last: Instant::now(), shown: 0 });
        PartsDone { of, is_terminal: output::is_screen(&std::io::stderr()), state }
    }

    fn say(&self, name: &str, more: usize) {
        let Ok(mut state) = self.state.lock() else { return };
        state.done += more;
        let pause = if self.is_terminal { OFTEN } else { SELDOM };
        if state.last.elapsed() < pause {
            return;
        }
        state.last = Instant::now();
        let text = output::shown(&format!("{} of {} done, {name}", state.done, self.of));
        let mut stderr = std::io::stderr().lock();
        // Who has closed standard error does not want to see it.
        if self.is_terminal {
            let _ = write!(stderr, "\r{text:<width$}", width = state.shown);
            let _ = stderr.flush();
            state.shown = text.chars().count();
        } else {
            let _ = writeln!(stderr, "{text}");
        }
    }
}

impl Progress for PartsDone {
    fn done(&self, name: &str) {
        self.say(name, 1);
    }

    fn goes_on(&self, name: &str) {
        self.say(name, 0);
    }
}

impl Drop for PartsDone {
    fn drop(&mut self) {
        let Ok(state) = self.state.lock() else { return };
        if self.is_terminal && state.shown > 0 {
            let _ = write!(std::io::stderr().lock(), "\r{:width$}\r", "", width = state.shown);
        }
    }
}

/// The characters of the line that is shown.
static SHOWN: AtomicUsize = AtomicUsize::new(0);

/// Shows a line in place of the last one, on a terminal alone; `None` takes it away.
pub(crate) fn overwrite_line(line: Option<&str>) {
    let mut stderr = std::io::stderr().lock();
    let width = SHOWN.load(Ordering::Relaxed);
    match line.map(output::shown) {
        Some(_) if !output::is_screen(&stderr) => {}
        Some(text) => {
            let _ = write!(stderr, "\r{text:<width$}");
            let _ = stderr.flush();
            SHOWN.store(text.chars().count(), Ordering::Relaxed);
        }
        None if width > 0 => {
            let _ = write!(stderr, "\r{:width$}\r", "");
            SHOWN.store(0, Ordering::Relaxed);
        }
        None => {}
    }
}
