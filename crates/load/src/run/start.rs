//! Start of the I/O of a run.

use std::fmt;
use std::sync::Arc;
use std::time::Instant as Monotonic;

use iobound_drive::Clock;
use iobound_machine::SystemClock;
use iobound_units::{Instant, Span};

/// Time that before I/O begins the threads are told: they are awake by then.
const LEAD: Span = Span::from_us(500);

/// Start of the I/O of a run.
#[derive(Clone, Default)]
pub enum Start {
    /// As soon as all threads are set up.
    #[default]
    AtOnce,
    /// At a moment of the machine's monotonic clock that another process chooses. It is asked once all threads are set
    /// up, so that it can report that this machine is ready; it may block. `None` calls the run off. A moment in the
    /// past is still the run's zero: the run is late, and its [`behind`](super::Outcome::behind) says by how much.
    Agreed(Arc<dyn Fn() -> Option<Monotonic> + Send + Sync>),
}

impl Start {
    /// The clock of the run, handed out [`LEAD`] before its zero; `None` where the run is called off.
    ///
    /// Threads spin for the zero, so nobody is told earlier than that.
    pub(super) fn clock(&self) -> Option<SystemClock> {
        match self {
            Start::AtOnce => Some(SystemClock::starting_in(LEAD)),
            Start::Agreed(when) => {
                let zero = when()?;
                let clock = SystemClock::starting_at(zero);
                let wait = Span::from_ns(clock.ahead().ns().saturating_sub(LEAD.ns()));
                SystemClock::starting_in(Span::ZERO).sleep_until(Instant::ZERO + wait);
                Some(clock)
            }
        }
    }
}

impl fmt::Debug for Start {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Start::AtOnce => "AtOnce",
            Start::Agreed(_) => "Agreed",
        })
    }
}
