//! Ctrl-C: the first asks the verb to stop and to print what it has, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::exit::Exit;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Takes over Ctrl-C. Where that can't be, it ends the program as the system has it.
pub(crate) fn install() {
    let _ = ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::Relaxed) {
            std::process::exit(Exit::Interrupted as i32);
        }
    });
}

/// Whether Ctrl-C was pressed: a verb asks between its parts, and a simulation after each interval.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}
