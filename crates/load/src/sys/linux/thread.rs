//! The calling thread, and the process.

use std::io;

use iobound_measure::Usage;
use iobound_units::Span;
use rustix::stdio::{dup2_stderr, dup2_stdout};
use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The system's accounting of the calling thread since it began.
fn of_this_thread() -> libc::rusage {
    // SAFETY: a zeroed rusage is a valid value of that plain C structure, which the call fills.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: `usage` outlives the call. It can't fail with a known `who` and a valid address.
    unsafe { libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage) };
    usage
}

/// Number of times that the calling thread gave up its processor since it began. Preemption does not count.
pub(crate) fn times_slept() -> u64 {
    of_this_thread().ru_nvcsw.unsigned_abs()
}

/// Time that the calling thread was ready to run and had no processor (`run_delay` of proc_pid_schedstat(5)); `None` on kernels
/// without `CONFIG_SCHED_INFO`.
#[expect(clippy::disallowed_methods, reason = "the system says it in a file")]
fn waited() -> Option<Span> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Span::from_ns)
}

/// Cost of the calling thread since it began.
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
        waited: waited(),
    }
}

/// Binds the calling thread to processors. A processor that went offline is not an error.
pub(crate) fn bind(processors: &[u32]) {
    let mut set = CpuSet::new();
    processors.iter().for_each(|processor| set.set(*processor as usize));
    let _ = sched_setaffinity(None, &set);
}

/// The processors that this process may use.
pub fn processors() -> Vec<u32> {
    let Ok(set) = sched_getaffinity(None) else { return Vec::new() };
    (0..CpuSet::MAX_CPU).filter(|cpu| set.is_set(*cpu)).map(|cpu| cpu as u32).collect()
}

/// Has the calling thread woken at the time that it asked for: otherwise it is woken 50 µs late.
pub(crate) fn wake_on_time() {
    // SAFETY: this call takes no address.
    unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1_u64, 0_u64, 0_u64, 0_u64) };
}

/// Closes standard output and standard error. A process that a device holds back keeps its descriptors until the device
/// answers, and a reader that waits for the end of the output would wait with it.
///
/// # Errors
/// Returns an error if there is no `/dev/null`.
pub fn close_output() -> io::Result<()> {
    let nothing = std::fs::File::options().write(true).open("/dev/null")?;
    dup2_stdout(&nothing)?;
    dup2_stderr(&nothing)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wait_for_a_processor_is_known_where_the_kernel_counts_it() {
        let before = thread_usage();
        assert_eq!(before.waited.is_some(), std::path::Path::new("/proc/thread-self/schedstat").exists());
        std::thread::yield_now();
        assert!(thread_usage().waited >= before.waited);
    }
}
