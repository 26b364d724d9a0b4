use crate::sys::facts::Facts;

/// Write permission of the group and of all others. With an access control list the group's bits are the list's
/// mask, so an entry that lets another user write shows here too.
const OTHERS_WRITE: u32 = 0o022;

/// The effective user of this process.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Other users who can add, remove and rename entries of a directory; `None` if only root and this user can.
///
/// The sticky bit is no exception: other users can still create entries and swap their own.
pub(super) fn others_can_write(directory: &Facts) -> Option<String> {
    if !is_ours(directory) {
        return Some(format!("it belongs to user {}", directory.owner));
    }
    match directory.mode & OTHERS_WRITE {
        0 => None,
        _ => Some(format!("other users can write to it (mode {:04o})", directory.mode)),
    }
}

/// Other users who can rename or remove this user's entries of a directory; `None` if only root and this user can. The sticky bit
/// keeps others from that.
pub(super) fn others_can_exchange(directory: &Facts) -> Option<String> {
    const STICKY: u32 = 0o1000;
    others_can_write(directory).filter(|_| !is_ours(directory) || directory.mode & STICKY == 0)
}

/// Root or this user owns it.
pub(super) fn is_ours(facts: &Facts) -> bool {
    facts.owner == 0 || facts.owner == user()
}
