//! SIGINT and SIGTERM: the first asks the verb to stop and to print what it has, the second ends the program at once.
//!
//! A verb that does not see the first signal in time is ended: it may be blocked on a pipe, or computing. No data is lost by
//! that: the program survives a kill at any moment. A verb that has seen it gets more time, since it prints what it has. While
//! load runs the program waits as long as it takes, since the run ends its I/Os first, within bounds of its own, and its
//! figures are wanted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use iobound_app::Exit;

static ASKED: AtomicBool = AtomicBool::new(false);

/// A verb has seen the signal: its answer follows.
static SEEN: AtomicBool = AtomicBool::new(false);

/// Load runs, or devices are served: their end has bounds of its own.
static LOAD: AtomicBool = AtomicBool::new(false);

/// Signals that come so soon after the first are the same one: timeout(1), service managers and terminals tell a process and
/// then its whole group. Nobody presses a key twice as fast.
const SAME: Duration = Duration::from_millis(200);

/// The wait for the end of a verb is counted in turns of this length. On a busy machine a turn takes longer, as does all that
/// the verb does.
const TURN: Duration = Duration::from_millis(10);
/// Turns in which a verb has to see the signal: 400 ms.
const TURNS_TO_SEE: u32 = 40;
/// Turns in which a verb that has seen it has to print its answer: 2 s. A pipe that nobody reads takes no answer.
const TURNS_TO_ANSWER: u32 = 200;

/// Flags of work that can't ask.
static FLAGS: Mutex<Vec<Weak<AtomicBool>>> = Mutex::new(Vec::new());

/// Handles SIGINT and SIGTERM from here on. Where that is not possible, the system's default stays: the process ends.
pub(crate) fn install() {
    let mut first: Option<Instant> = None;
    let _ = ctrlc::set_handler(move || {
        let is_first = first.is_none();
        let is_second = first.get_or_insert_with(Instant::now).elapsed() > SAME;
        ASKED.store(true, Ordering::Relaxed);
        if is_second {
            std::process::exit(Exit::Interrupted as i32);
        }
        // Without a thread for it, the second signal ends what does not end by itself.
        if is_first {
            let _ = std::thread::Builder::new().name("interrupt".into()).spawn(end_in_time);
        }
        for flag in FLAGS.lock().unwrap_or_else(PoisonError::into_inner).iter().filter_map(Weak::upgrade) {
            flag.store(true, Ordering::Relaxed);
        }
    });
}

/// Ends the program once the verb has had its time.
fn end_in_time() {
    let mut turns = 0;
    while turns < if SEEN.load(Ordering::Relaxed) { TURNS_TO_ANSWER } else { TURNS_TO_SEE } {
        turns = if LOAD.load(Ordering::Relaxed) { 0 } else { turns + 1 };
        std::thread::sleep(TURN);
    }
    // Standard error may be a pipe that nobody reads: the end does not wait for it.
    let _ = std::thread::Builder::new().spawn(|| eprintln!("interrupted before there was an answer"));
    std::thread::sleep(Duration::from_millis(20));
    std::process::exit(Exit::Interrupted as i32);
}

/// Load begins on real targets, or devices are served: after a signal the program waits for its end.
pub(crate) fn load_begins() {
    LOAD.store(true, Ordering::Relaxed);
}

/// The load has ended and its figures are kept: only the answer is still to be printed.
pub(crate) fn load_ends() {
    LOAD.store(false, Ordering::Relaxed);
    // After a signal during the load, the program still has its usual time to print the answer.
    asked();
}

/// True if a signal came: a verb asks between its parts, and a simulation after each interval.
pub(crate) fn asked() -> bool {
    let is_asked = ASKED.load(Ordering::Relaxed);
    if is_asked {
        SEEN.store(true, Ordering::Relaxed);
    }
    is_asked
}

/// A flag that a signal sets, and that others may set too.
#[cfg(feature = "serve")]
pub(crate) fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    also(&flag);
    flag
}

/// Makes a signal set a flag of the caller.
pub(crate) fn also(flag: &Arc<AtomicBool>) {
    let mut flags = FLAGS.lock().unwrap_or_else(PoisonError::into_inner);
    flags.retain(|flag| flag.strong_count() > 0);
    flags.push(Arc::downgrade(flag));
    drop(flags);
    // A signal in between would have been missed.
    if ASKED.load(Ordering::Relaxed) {
        flag.store(true, Ordering::Relaxed);
    }
}
