//! Ctrl-C: the first asks the verb to stop and to print what it has, the second ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use crate::asking;
use crate::exit::Exit;

static ASKED: AtomicBool = AtomicBool::new(false);

/// Signals that come so soon after the first are the same one: timeout(1), service managers and terminals tell a process and
/// then its whole group. Nobody presses a key twice as fast.
const SAME: Duration = Duration::from_millis(200);

/// Flags of work that can't ask.
static FLAGS: Mutex<Vec<Weak<AtomicBool>>> = Mutex::new(Vec::new());

/// Takes over Ctrl-C, and the system's wish to end the program. Where that can't be, it ends as the system has it.
pub(crate) fn install() {
    let mut first: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || {
        let is_second = first.get_or_insert_with(Instant::now).elapsed() > SAME;
        ASKED.store(true, Ordering::Relaxed);
        if is_second {
            std::process::exit(Exit::Interrupted as i32);
        }
        for flag in FLAGS.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade) {
            flag.store(true, Ordering::Relaxed);
        }
    });
}

/// Whether Ctrl-C was pressed, or whoever asked in this process wants no answer any more: a verb asks between its parts, and
/// a simulation after each interval.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::Relaxed) || asking::is_stopped()
}

/// A flag that Ctrl-C sets, and that others may set too.
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    also(&flag);
    flag
}

/// Makes Ctrl-C set a flag that somebody else has.
pub(crate) fn also(flag: &Arc<AtomicBool>) {
    let mut flags = FLAGS.lock().unwrap_or_else(PoisonError::into_inner);
    flags.retain(|flag| flag.strong_count() > 0);
    flags.push(Arc::downgrade(flag));
    drop(flags);
    // Pressed in between, it would have been missed.
    if asked() {
        flag.store(true, Ordering::Relaxed);
    }
}
