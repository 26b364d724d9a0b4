//! What the calling thread cost the machine.

use iobound_measure::Usage;
use iobound_units::Span;

/// The system's accounting of the calling thread since it began.
fn of_this_thread() -> libc::rusage {
    // SAFETY: a zeroed rusage is a valid value of that plain C structure, which the call fills.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` outlives the call. It can't fail with a known `who` and a valid address.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    usage
}

/// How often the calling thread gave up its processor since it began: to have it taken away is no sleep.
pub(crate) fn times_slept() -> u64 {
    of_this_thread().ru_nvcsw.unsigned_abs()
}

/// What the calling thread cost since it began.
pub(crate) fn thread_usage() -> Usage {
    let usage = of_this_thread();
    let span = |time: libc::timeval| {
        Span::from_ns(time.tv_sec.unsigned_abs() * 1_000_000_000 + time.tv_usec.unsigned_abs() * 1_000)
    };
    let count = |n: libc::c_long| n.unsigned_abs();
    Usage {
        user: span(usage.ru_utime),
        system: span(usage.ru_stime),
        context_switches: count(usage.ru_nvcsw) + count(usage.ru_nivcsw),
        minor_faults: count(usage.ru_minflt),
        major_faults: count(usage.ru_majflt),
    }
}

/// `later` less `earlier`, of the same thread.
pub(crate) fn between(earlier: Usage, later: Usage) -> Usage {
    Usage {
        user: less(later.user, earlier.user),
        system: less(later.system, earlier.system),
        context_switches: later.context_switches - earlier.context_switches,
        minor_faults: later.minor_faults - earlier.minor_faults,
        major_faults: later.major_faults - earlier.major_faults,
    }
}

/// The system's two clocks of a thread are estimates that may step back by a tick.
fn less(later: Span, earlier: Span) -> Span {
    Span::from_ns(later.ns().saturating_sub(earlier.ns()))
}
