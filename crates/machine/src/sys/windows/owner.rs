//! The owner of a file, as a number that can be compared with this process's.

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
use std::sync::OnceLock;

use windows_sys::Win32::Foundation::{HANDLE, LocalFree};
use windows_sys::Win32::Security::Authorization::{GetSecurityInfo, SE_FILE_OBJECT};
use windows_sys::Win32::Security::{
    CopySid, EqualSid, GetSidSubAuthority, GetSidSubAuthorityCount, GetTokenInformation,
    OWNER_SECURITY_INFORMATION, PSID, TOKEN_INFORMATION_CLASS, TOKEN_QUERY, TokenOwner, TokenUser,
};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Number of an owner that the system does not tell.
const UNKNOWN: u32 = u32::MAX;

/// A copy of a security identifier, which has at most 68 bytes (`SECURITY_MAX_SID_SIZE`).
type Sid = [u32; 17];

/// Owners of this user's files: the user, and what this process gives its new files, which may be the group of
/// administrators. Empty if the system does not tell.
fn own() -> &'static [Sid] {
    static OWN: OnceLock<Vec<Sid>> = OnceLock::new();
    OWN.get_or_init(|| [TokenUser, TokenOwner].into_iter().filter_map(|class| told(class).ok()).collect())
}

/// The identifier that this process's token has under a class, both of whose structures begin with its address.
fn told(class: TOKEN_INFORMATION_CLASS) -> io::Result<Sid> {
    let mut token: HANDLE = std::ptr::null_mut();
    // SAFETY: the pseudo handle of this process is always valid, and `token` outlives the call.
    if unsafe { OpenProcessToken(GetCurrentProcess(), TOKEN_QUERY, &raw mut token) } == 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is new, and nobody else closes it.
    let token = unsafe { OwnedHandle::from_raw_handle(token) };
    // Room for the larger structure and the identifier behind it, aligned for both.
    let mut found = [0_u64; 2 + 9];
    let mut length = 0;
    // SAFETY: `found` has as many bytes as are said.
    let done = unsafe {
        GetTokenInformation(
            token.as_raw_handle(),
            class,
            found.as_mut_ptr().cast::<c_void>(),
            size_of_val(&found) as u32,
            &raw mut length,
        )
    };
    if done == 0 {
        return Err(io::Error::last_os_error());
    }
    let mut sid: Sid = [0; 17];
    // SAFETY: the structure begins with the address of a valid identifier, which lies in `found`; `sid` has room for any.
    let copied = unsafe {
        let address: PSID = found.as_ptr().cast::<PSID>().read();
        CopySid(size_of::<Sid>() as u32, sid.as_mut_ptr().cast(), address)
    };
    if copied == 0 { Err(io::Error::last_os_error()) } else { Ok(sid) }
}

fn address(sid: &Sid) -> PSID {
    sid.as_ptr().cast_mut().cast()
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

/// Number of this user.
pub(super) fn user() -> u32 {
    own().first().map_or(UNKNOWN - 1, |sid| number_of(address(sid)))
}

/// Number of a file's owner: [`user`] for one whose files are this user's, and for nobody else.
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
    // SAFETY: all identifiers are valid; `sid` lies in the descriptor.
    let is_own = own().iter().any(|own| unsafe { EqualSid(sid, address(own)) } != 0);
    // SAFETY: the descriptor was allocated for this call, and is not used behind this line.
    unsafe { LocalFree(descriptor) };
    match number {
        _ if is_own => user(),
        // An identifier of another machine or domain with the same last part.
        number if number == user() => !number,
        number => number,
    }
}
