//! What happens, second by second: lines of JSON on standard output, else on standard error a screen that is written over,
//! or lines where that is no terminal.

use std::io::{IsTerminal, Write};

use iobound_report::{EmulatorState, Style, emulate_line, emulate_state_json, emulate_view};

use crate::arguments::CommonArgs;
use crate::failure::Failure;
use crate::output;

/// What shows an emulator.
pub(super) struct View {
    json: bool,
    style: Style,
    is_terminal: bool,
    shown: usize,
}

impl View {
    pub(super) fn new(common: &CommonArgs) -> View {
        let is_terminal = std::io::stderr().is_terminal();
        View { json: common.json, style: output::style_of_progress(common), is_terminal, shown: 0 }
    }

    /// Shows a second that has passed.
    pub(super) fn take(&mut self, state: &EmulatorState) -> Result<(), Failure> {
        if self.json {
            return output::write(&emulate_state_json(state)).map(|_| ());
        }
        let mut stderr = std::io::stderr().lock();
        // Who has closed standard error does not want to see it.
        if !self.is_terminal {
            if let Some(line) = emulate_line(state, self.style) {
                let _ = writeln!(stderr, "{line}");
            }
            return Ok(());
        }
        let lines = emulate_view(state, self.style);
        let mut text = if self.shown > 0 { format!("\x1b[{}A\x1b[J", self.shown) } else { String::new() };
        lines.iter().for_each(|line| text.push_str(&format!("{line}\n")));
        let _ = stderr.write_all(text.as_bytes());
        let _ = stderr.flush();
        self.shown = lines.len();
        Ok(())
    }

    /// Takes away what is shown: the end follows.
    pub(super) fn clear(&mut self) {
        if self.shown > 0 {
            let _ = write!(std::io::stderr().lock(), "\x1b[{}A\x1b[J", self.shown);
            self.shown = 0;
        }
    }
}
