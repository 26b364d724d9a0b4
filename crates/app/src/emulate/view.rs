//! Display of the emulator, second by second: lines of JSON on standard output, else the display of all verbs.

use iobound_report::{EmulatorState, LiveScreen, emulate_line, emulate_state_json};

use crate::process::{Display, LiveStyle};
use crate::{Env, Failure};

/// Display of an emulator.
pub(super) struct View {
    view: Box<dyn Display>,
    env: Env,
}

impl View {
    pub(super) fn new(env: &Env) -> View {
        View { view: env.of_process().display(LiveStyle::default()), env: env.clone() }
    }

    /// Shows a second that has passed.
    pub(super) fn take(
        &mut self,
        state: &EmulatorState,
        mut screen: impl FnMut() -> LiveScreen,
    ) -> Result<(), Failure> {
        let process = self.env.of_process();
        if process.is_json() {
            return process.print(&emulate_state_json(state), true).map(drop);
        }
        self.view.show(&mut screen, &mut |style| emulate_line(state, style));
        Ok(())
    }

    /// Takes away what is shown: the end follows.
    pub(super) fn clear(&mut self) {
        self.view.clear();
    }
}
