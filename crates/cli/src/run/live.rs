//! A run as it goes on, on standard error: a few lines that are written over on a terminal, else a line an interval.

use std::io::{IsTerminal, Write};

use iobound_drive::Window;
use iobound_measure::Interval;
use iobound_report::{self as report, Plan, Style, live_line};

/// What shows a run.
pub(crate) struct Live {
    state: report::Live,
    plan: Plan,
    style: Style,
    is_terminal: bool,
    shown: usize,
}

impl Live {
    /// A run of these times; `open_end` where it may end before.
    pub(crate) fn new(window: Window, open_end: bool, style: Style) -> Live {
        let end = (!open_end).then_some(window.end);
        let over = (!open_end).then_some(window.until);
        let plan = Plan { begin: window.begin, start: window.start, end, over };
        let is_terminal = std::io::stderr().is_terminal();
        Live { state: report::Live::new(plan), plan, style, is_terminal, shown: 0 }
    }

    /// Shows an interval that has ended.
    pub(crate) fn take(&mut self, interval: &Interval) {
        self.state.take(interval);
        let mut stderr = std::io::stderr().lock();
        // Who has closed standard error does not want to see it.
        if !self.is_terminal {
            let line = live_line(interval, &self.plan, self.style);
            if !line.is_empty() {
                let _ = writeln!(stderr, "{line}");
            }
            return;
        }
        let lines = self.state.lines(self.style);
        let up = if self.shown > 0 { format!("\x1b[{}A", self.shown) } else { String::new() };
        let mut text = up;
        for line in &lines {
            text.push_str(&format!("\x1b[2K{line}\n"));
        }
        let _ = stderr.write_all(text.as_bytes());
        let _ = stderr.flush();
        self.shown = lines.len();
    }

    /// Takes away what is shown: the answer follows.
    pub(crate) fn clear(&mut self) {
        if self.shown > 0 {
            let _ = write!(std::io::stderr().lock(), "\x1b[{}A\x1b[J", self.shown);
            self.shown = 0;
        }
    }
}
