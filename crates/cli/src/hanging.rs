//! The end of the program after a run on a device that does not answer.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_app::Exit;

static HANGS: AtomicBool = AtomicBool::new(false);

/// Something of a run hangs.
pub(crate) fn hangs() {
    HANGS.store(true, Ordering::Relaxed);
}

/// Ends the program if something hangs: at once, with nothing given back. What a device holds in a call to the kernel
/// ends when it answers; whoever reads what was printed does not wait for that.
pub(crate) fn end(exit: Exit) {
    if !HANGS.load(Ordering::Relaxed) {
        return;
    }
    // Nobody is left to be told of a failure.
    let _ = std::io::stdout().flush();
    #[cfg(feature = "load")]
    let _ = iobound_app::load::close_output();
    std::process::exit(exit as i32);
}
