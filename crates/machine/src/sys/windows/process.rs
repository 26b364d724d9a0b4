use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, SYSTEM_INFO};

/// Users have no numbers here.
pub fn user() -> u32 {
    0
}

/// The parent is not asked for: no launcher of ranks names it on Windows.
pub fn parent() -> u32 {
    0
}

/// Bytes of a page of memory.
pub(crate) fn page_bytes() -> u64 {
    let mut found = SYSTEM_INFO::default();
    // SAFETY: the structure outlives the call, which fills it and cannot fail.
    unsafe { GetSystemInfo(&raw mut found) };
    u64::from(found.dwPageSize)
}
