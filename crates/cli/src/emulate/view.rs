//! Display of the emulator, second by second: lines of JSON on standard output, else the display of all verbs.

use iobound_report::{EmulatorState, LiveScreen, emulate_line, emulate_state_json};

use crate::arguments::CommonArgs;
use crate::live::{LiveStyle, LiveView};
use crate::output;
use iobound_app::Failure;

/// Display of an emulator.
pub(super) struct View {
    json: bool,
    view: LiveView,
}

impl View {
    pub(super) fn new(common: &CommonArgs) -> View {
        View { json: common.json, view: LiveView::new(LiveStyle::of(common)) }
    }

    /// Shows a second that has passed.
    pub(super) fn take(
        &mut self,
        state: &EmulatorState,
        screen: impl FnOnce() -> LiveScreen,
    ) -> Result<(), Failure> {
        if self.json {
            return output::data(&emulate_state_json(state)).map(|_| ());
        }
        self.view.show(screen, |style| emulate_line(state, style));
        Ok(())
    }

    /// Takes away what is shown: the end follows.
    pub(super) fn clear(&mut self) {
        self.view.clear();
    }
}
