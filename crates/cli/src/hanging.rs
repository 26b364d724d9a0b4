//! The end of the program after a run on a device that does not answer.

use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_app::Exit;

static HANGS: AtomicBool = AtomicBool::new(false);

/// Something of a run hangs: from now on nothing of its targets is closed or removed, since that could wait for ever.
#[cfg(all(feature = "load", any(target_os = "linux", windows)))]
pub(crate) fn hangs<T>(held: T) {
    HANGS.store(true, Ordering::Relaxed);
    std::mem::forget(held);
}

/// True if something hangs.
pub(crate) fn is_so() -> bool {
    HANGS.load(Ordering::Relaxed)
}

/// Ends the program if something hangs: at once, with nothing given back. What a device holds in a call to the kernel
/// ends when it answers; whoever reads what was printed does not wait for that.
pub(crate) fn end(exit: Exit) {
    if !is_so() {
        return;
    }
    // Nobody is left to be told of a failure.
    let _ = std::io::stdout().flush();
    #[cfg(all(feature = "load", any(target_os = "linux", windows)))]
    let _ = iobound_load::run::close_output();
    std::process::exit(exit as i32);
}
