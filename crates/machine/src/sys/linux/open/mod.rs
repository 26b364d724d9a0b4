//! Files and directories by their descriptors.

mod directory;
mod facts;
mod filesystem;
mod resolve;
mod socket;
mod temporary;
mod trust;
mod watch;

pub use directory::Directory;
pub(crate) use facts::{birth, facts, facts_at};
pub use filesystem::unstable_identity;
pub use resolve::{Resolved, reopen, resolve, resolve_in};
pub use socket::SocketName;
pub use temporary::Temporary;
pub use trust::user;
pub use watch::OpenWatch;

use rustix::fs::OFlags;

use crate::sys::facts::Access;

/// The flags of `open` for an access.
fn flags_of(access: Access) -> OFlags {
    let mut flags = match (access.read, access.write) {
        (true, true) => OFlags::RDWR,
        (false, true) => OFlags::WRONLY,
        (_, false) => OFlags::RDONLY,
    };
    flags.set(OFlags::APPEND, access.append);
    flags.set(OFlags::DIRECT, access.direct);
    // On a block device O_EXCL without O_CREAT asks to be its only user of that kind (open(2)): mounts, swap, arrays and
    // volumes ask the same, of a partition also on behalf of its disk.
    flags.set(OFlags::EXCL, access.exclusive);
    flags.set(OFlags::NONBLOCK, access.nonblocking);
    flags
}

/// True if a path names a disk by its form alone: here a device is a file like any other.
pub fn names_device(_path: &std::path::Path) -> bool {
    false
}
