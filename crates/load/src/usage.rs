//! Cost of a thread the machine.

use iobound_measure::Usage;
use iobound_units::Span;

/// `later` less `earlier`, of the same thread.
pub(crate) fn between(earlier: Usage, later: Usage) -> Usage {
    Usage {
        user: less(later.user, earlier.user),
        system: less(later.system, earlier.system),
        context_switches: later.context_switches - earlier.context_switches,
        minor_faults: later.minor_faults - earlier.minor_faults,
        major_faults: later.major_faults - earlier.major_faults,
        waited: later.waited.zip(earlier.waited).map(|(later, earlier)| less(later, earlier)),
    }
}

/// The system's two clocks of a thread are estimates that may step back by a tick.
fn less(later: Span, earlier: Span) -> Span {
    Span::from_ns(later.ns().saturating_sub(earlier.ns()))
}
