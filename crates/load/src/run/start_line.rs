//! All threads begin at the same time, or none does.

use std::sync::{Condvar, Mutex, PoisonError};

use iobound_machine::SystemClock;

/// Barrier at which the threads of a run wait for each other.
#[derive(Default)]
pub(super) struct StartLine {
    state: Mutex<LineState>,
    changed: Condvar,
}

#[derive(Default)]
struct LineState {
    ready: usize,
    decided: Option<Decision>,
}

/// The outcome of the run.
#[derive(Clone, Copy)]
pub(super) enum Decision {
    /// It begins at the zero of this clock.
    Go(SystemClock),
    /// Some thread can't.
    Abort,
}

impl StartLine {
    /// A thread is set up: waits for what becomes of the run.
    pub(super) fn wait(&self) -> Decision {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.ready += 1;
        self.changed.notify_all();
        loop {
            if let Some(decision) = state.decided {
                return decision;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A thread can't be set up, or can't be made: nobody begins.
    pub(super) fn abort(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.decided = Some(Decision::Abort);
        self.changed.notify_all();
    }

    /// Waits until so many threads are ready, asks `clock` when they begin, and lets them go; `None` where some can't, or
    /// where `clock` says that nobody does. It may take its time to answer: nobody is kept from giving up meanwhile.
    pub(super) fn go(
        &self,
        threads: usize,
        clock: impl FnOnce() -> Option<SystemClock>,
    ) -> Option<SystemClock> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        while state.ready < threads && state.decided.is_none() {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.decided.is_none() {
            drop(state);
            let decision = clock().map_or(Decision::Abort, Decision::Go);
            state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.decided.get_or_insert(decision);
        }
        self.changed.notify_all();
        match state.decided {
            Some(Decision::Go(clock)) => Some(clock),
            Some(Decision::Abort) | None => None,
        }
    }
}
