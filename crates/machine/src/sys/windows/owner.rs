//! The owner of a file, as a number that can be compared with this process's.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{HANDLE, LocalFree};
use windows_sys::Win32::Security::Authorization::{GetSecurityInfo, SE_FILE_OBJECT};
use windows_sys::Win32::Security::{
    EqualSid, GetSidSubAuthority, GetSidSubAuthorityCount, GetTokenInformation, OWNER_SECURITY_INFORMATION,
    PSID, TOKEN_OWNER, TOKEN_QUERY, TokenOwner,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Number of an owner that the system does not tell.
const UNKNOWN: u32 = u32::MAX;

/// What this process gives its new files as their owner: a user, or the group of administrators. It has the room and the
/// alignment of a `TOKEN_OWNER` with the largest security identifier behind it (68 bytes).
type Token = [u64; 16];

/// The owner of this process's new files; `None` if the system does not tell.
fn own() -> Option<&'static Token> {
    static OWN: OnceLock<Option<Token>> = OnceLock::new();
    OWN.get_or_init(|| ask().ok()).as_ref()
}

fn ask() -> io::Result<Token> {
    let mut token: HANDLE = std::ptr::null_mut();
    // SAFETY: the pseudo handle of this process is always valid, and `token` outlives the call.
    if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nobody else closes it.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    let mut found: Token = [0; 16];
    let mut length = 0;
    // SAFETY: `found` has as many bytes as are said. The identifier that it points to lies in it; it is copied below with its
    // address, which is set anew when it is used.
    let done = unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            TokenOwner,
            found.as_mut_ptr().cast::<c_void>(),
            size_of::<Token>() as u32,
            &raw mut length,
        )
    };
    if done == 0 { Err(io::Error::last_os_error()) } else { Ok(found) }
}

/// The identifier behind a `TOKEN_OWNER`, which the system puts right behind the structure.
fn sid_of(token: &'static Token) -> PSID {
    // SAFETY: the room is larger than the structure.
    unsafe { token.as_ptr().cast::<u8>().add(size_of::<TOKEN_OWNER>()).cast_mut().cast() }
}

/// The last part of an identifier: 500 for the first administrator, 544 for the group of administrators.
fn number_of(sid: PSID) -> u32 {
    // SAFETY: the identifier comes from the system, so it is valid; it has at least one part, or none is read.
    unsafe {
        match *GetSidSubAuthorityCount(sid) {
            0 => 0,
            count => *GetSidSubAuthority(sid, u32::from(count) - 1),
        }
    }
}

/// Number of the owner that this process gives its files.
pub(super) fn user() -> u32 {
    own().map_or(UNKNOWN - 1, |token| number_of(sid_of(token)))
}

/// Number of a file's owner: [`user`] for an owner that is the same, and for nobody else.
pub(super) fn owner(file: &File) -> u32 {
    let mut sid: PSID = std::ptr::null_mut();
    let mut descriptor = std::ptr::null_mut();
    // SAFETY: the handle is open, and what the call fills outlives it.
    let error = unsafe {
        GetSecurityInfo(
            file.as_raw_handle(),
            SE_FILE_OBJECT,
            OWNER_SECURITY_INFORMATION,
            &raw mut sid,
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            std::ptr::null_mut(),
            &raw mut descriptor,
        )
    };
    if error != 0 || sid.is_null() {
        return UNKNOWN;
    }
    let number = number_of(sid);
    // SAFETY: both identifiers are valid; `sid` lies in the descriptor, which is freed once, behind its last use.
    let is_own = own().is_some_and(|token| unsafe { EqualSid(sid, sid_of(token)) } != 0);
    // SAFETY: as above.
    unsafe { LocalFree(descriptor) };
    match number {
        number if is_own => number,
        // An identifier of another machine or domain with the same last part.
        number if number == user() => !number,
        number => number,
    }
}
