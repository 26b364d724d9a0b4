//! An I/O completion port, and overlapped I/O on the files of a run.

use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

use iobound_machine::files::open_overlapped;
use windows_sys::Win32::Foundation::{ERROR_IO_PENDING, HANDLE, INVALID_HANDLE_VALUE, WAIT_TIMEOUT};
use windows_sys::Win32::Storage::FileSystem::{FlushFileBuffers, ReadFile, WriteFile};
use windows_sys::Win32::System::IO::{
    CancelIoEx, CreateIoCompletionPort, GetQueuedCompletionStatusEx, OVERLAPPED, OVERLAPPED_ENTRY,
};

/// A completion port of one thread. It is closed when it is dropped.
pub(super) struct Port(OwnedHandle);

/// A file of the run with a handle of this engine's own: a handle belongs to one port.
pub(super) struct PortFile {
    file: File,
    /// Writes past every cache, `None` for a file that is only read.
    write_through: Option<File>,
}

/// One I/O as the system keeps it while it is outstanding. Its place does not move.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Request {
    /// First, so that its address is that of the request.
    overlapped: OVERLAPPED,
    pub(super) tag: u32,
}

/// A completion.
#[derive(Clone, Copy)]
pub(super) struct Completion {
    pub(super) tag: u32,
    /// Bytes moved, or the negative error number.
    pub(super) result: i32,
}

impl Port {
    /// A port for one thread.
    ///
    /// # Errors
    /// As `CreateIoCompletionPort`.
    pub(super) fn new() -> io::Result<Port> {
        // SAFETY: no handle is given, so that a new port is made.
        let port = unsafe { CreateIoCompletionPort(INVALID_HANDLE_VALUE, std::ptr::null_mut(), 0, 1) };
        if port.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is new, and nobody else closes it.
        Ok(Port(unsafe { OwnedHandle::from_raw_handle(port) }))
    }

    /// Opens a file of the run once more, for overlapped I/O that completes at this port.
    ///
    /// # Errors
    /// Returns an error if the file cannot be opened for overlapped I/O, or the port refuses it.
    pub(super) fn take(&self, of: &File, writes: bool, direct: bool) -> io::Result<PortFile> {
        let file = open_overlapped(of, writes, direct, false)?;
        let write_through = if writes { Some(open_overlapped(of, writes, direct, true)?) } else { None };
        for handle in [Some(&file), write_through.as_ref()].into_iter().flatten() {
            // SAFETY: both handles are open.
            let port = unsafe { CreateIoCompletionPort(handle.as_raw_handle(), self.handle(), 0, 0) };
            if port.is_null() {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(PortFile { file, write_through })
    }

    fn handle(&self) -> HANDLE {
        self.0.as_raw_handle()
    }

    /// Takes completions; none if the time is up. `entries` is the room for them.
    ///
    /// # Errors
    /// As `GetQueuedCompletionStatusEx`.
    pub(super) fn completions<'a>(
        &self,
        entries: &'a mut [OVERLAPPED_ENTRY],
        milliseconds: u32,
    ) -> io::Result<impl Iterator<Item = Completion> + use<'a>> {
        let mut found = 0_u32;
        // SAFETY: `entries` has room for as many as are said, and `found` outlives the call.
        let done = unsafe {
            GetQueuedCompletionStatusEx(
                self.handle(),
                entries.as_mut_ptr(),
                entries.len() as u32,
                &raw mut found,
                milliseconds,
                0,
            )
        };
        if done == 0 {
            let error = io::Error::last_os_error();
            if error.raw_os_error() != Some(WAIT_TIMEOUT as i32) {
                return Err(error);
            }
            found = 0;
        }
        Ok(entries[..found as usize].iter().map(|entry| {
            let request = entry.lpOverlapped.cast::<Request>();
            // SAFETY: the port is this engine's own, so every entry is of a request that was started and lives as long as
            // the engine. The system is done with it.
            let (tag, status) = unsafe { ((*request).tag, (*request).overlapped.Internal) };
            let result = match status {
                0 => i32::try_from(entry.dwNumberOfBytesTransferred).unwrap_or(i32::MAX),
                status => -(error_of(status as i32).max(1)),
            };
            Completion { tag, result }
        }))
    }
}

#[link(name = "ntdll")]
unsafe extern "system" {
    /// The error number of Windows that an NTSTATUS stands for.
    fn RtlNtStatusToDosError(status: i32) -> u32;
}

fn error_of(status: i32) -> i32 {
    // SAFETY: the call takes a number and looks it up.
    unsafe { RtlNtStatusToDosError(status) as i32 }
}

impl Request {
    pub(super) fn new(tag: u32) -> Request {
        Request { overlapped: OVERLAPPED::default(), tag }
    }
}

impl PortFile {
    /// Starts a read or a write. Its completion comes by the port, unless an error number is returned.
    ///
    /// # Safety
    /// `buffer` has room for `len` bytes and, like `request`, stays where it is until the completion was taken.
    pub(super) unsafe fn start(
        &self,
        request: *mut Request,
        buffer: *mut u8,
        len: u32,
        offset: u64,
        write: Option<bool>,
    ) -> Result<(), i32> {
        // SAFETY: the request is this call's own until it is started.
        let overlapped = unsafe {
            (*request).overlapped = OVERLAPPED::default();
            (*request).overlapped.Anonymous.Anonymous.Offset = offset as u32;
            (*request).overlapped.Anonymous.Anonymous.OffsetHigh = (offset >> 32) as u32;
            (&raw mut (*request).overlapped)
        };
        let file = match (write, &self.write_through) {
            (Some(true), Some(file)) => file,
            _ => &self.file,
        };
        let handle = file.as_raw_handle();
        let none = std::ptr::null_mut();
        // SAFETY: the handle is open as long as the engine; the caller keeps buffer and request in place.
        let done = unsafe {
            match write {
                None => ReadFile(handle, buffer, len, none, overlapped),
                Some(_) => WriteFile(handle, buffer, len, none, overlapped),
            }
        };
        if done != 0 {
            return Ok(());
        }
        match io::Error::last_os_error().raw_os_error() {
            Some(number) if number == ERROR_IO_PENDING as i32 => Ok(()),
            number => Err(number.unwrap_or(1)),
        }
    }

    /// Makes the file durable; waits for it. Bytes moved (none), or the negative error number.
    pub(super) fn flush(&self) -> i32 {
        let file = self.write_through.as_ref().unwrap_or(&self.file);
        // SAFETY: the handle is open.
        if unsafe { FlushFileBuffers(file.as_raw_handle()) } != 0 {
            return 0;
        }
        -io::Error::last_os_error().raw_os_error().unwrap_or(1)
    }

    /// Asks the system to give up what is outstanding.
    pub(super) fn cancel(&self) {
        for file in [Some(&self.file), self.write_through.as_ref()].into_iter().flatten() {
            // SAFETY: the handle is open; no I/O in particular is named.
            unsafe { CancelIoEx(file.as_raw_handle(), std::ptr::null()) };
        }
    }
}
