//! The end of the program after a run on a device that does not answer.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_app::Exit;

static HANGS: AtomicBool = AtomicBool::new(false);

/// Something of a run hangs.
pub(crate) fn hangs() {
    HANGS.store(true, Ordering::Relaxed);
}

/// Ends the program at once if something hangs, and releases nothing. A call that a device holds in the kernel ends
/// when the device answers; readers of the output do not wait for that.
pub(crate) fn end(exit: Exit) {
    if !HANGS.load(Ordering::Relaxed) {
        return;
    }
    // Nobody is left to be told of a failure.
    let _ = std::io::stdout().flush();
    #[cfg(all(feature = "load", target_os = "linux"))]
    let _ = iobound_app::load::close_output();
    std::process::exit(exit as i32);
}
