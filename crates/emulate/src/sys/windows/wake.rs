use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle, RawHandle};

use windows_sys::Win32::System::Threading::{CreateEventW, SetEvent};

use super::socket::Source;

/// Wakes a thread that waits for it: an event that resets itself.
#[derive(Debug)]
pub(crate) struct Wake(OwnedHandle);

impl Wake {
    pub(crate) fn new() -> io::Result<Wake> {
        // SAFETY: the call takes no attributes and no name, and returns a new handle or null.
        let handle = unsafe { CreateEventW(std::ptr::null(), 0, 0, std::ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new, and nobody else closes it.
        Ok(Wake(unsafe { OwnedHandle::from_raw_handle(handle) }))
    }

    pub(crate) fn up(&self) {
        // SAFETY: the handle is open as long as `self`. The call fails for no open event.
        unsafe { SetEvent(self.0.as_raw_handle()) };
    }

    /// An event is not a socket, so that a poll cannot wait for it.
    pub(crate) fn source(&self) -> Option<Source<'_>> {
        None
    }

    pub(super) fn handle(&self) -> RawHandle {
        self.0.as_raw_handle()
    }
}
