//! The calling thread, and the process.

use std::io;

use iobound_machine::NotOnThisPlatform;
use iobound_measure::Usage;
use iobound_units::Span;
use windows_sys::Win32::Foundation::FILETIME;
use windows_sys::Win32::System::Threading::{
    GetCurrentProcess, GetCurrentThread, GetProcessAffinityMask, GetThreadTimes, SetThreadAffinityMask,
};

/// Cost of the calling thread since it began: its processor time. Windows counts no faults and switches of a thread.
pub(crate) fn thread_usage() -> Usage {
    let mut times = [FILETIME::default(); 4];
    let [created, ended, kernel, user] = &mut times;
    // SAFETY: the handle of the calling thread is always valid, and the times outlive the call.
    let done = unsafe {
        GetThreadTimes(
            GetCurrentThread(),
            &raw mut *created,
            &raw mut *ended,
            &raw mut *kernel,
            &raw mut *user,
        )
    };
    if done == 0 {
        return Usage::default();
    }
    let span = |time: &FILETIME| {
        let hundreds = u64::from(time.dwHighDateTime) << 32 | u64::from(time.dwLowDateTime);
        Span::from_ns(hundreds.saturating_mul(100))
    };
    Usage { user: span(user), system: span(kernel), ..Usage::default() }
}

/// Binds the calling thread to processors of its group.
pub(crate) fn bind(processors: &[u32]) {
    let mask = processors.iter().filter(|n| **n < usize::BITS).fold(0_usize, |mask, n| mask | 1 << n);
    if mask != 0 {
        // SAFETY: the handle of the calling thread is always valid. A processor that went offline is not an error.
        unsafe { SetThreadAffinityMask(GetCurrentThread(), mask) };
    }
}

/// The standard library's sleep uses timers of high resolution already.
pub(crate) fn wake_on_time() {}

/// The processors that this process may use.
pub fn processors() -> Vec<u32> {
    let (mut own, mut all) = (0_usize, 0_usize);
    // SAFETY: the handle of this process is always valid, and the two masks outlive the call.
    let done = unsafe { GetProcessAffinityMask(GetCurrentProcess(), &raw mut own, &raw mut all) };
    if done == 0 {
        return Vec::new();
    }
    (0..usize::BITS).filter(|n| own & 1 << n != 0).collect()
}

/// Closes standard output and standard error.
///
/// # Errors
/// Always returns an error: on Windows, only another process can end one that a device holds back.
pub fn close_output() -> io::Result<()> {
    Err(NotOnThisPlatform { what: "closing the output" }.into())
}
