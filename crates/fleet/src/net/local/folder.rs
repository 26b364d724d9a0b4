//! The folder of a socket. Every process that can enter it can connect, so it must belong to the user.

use std::fs;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::Path;

use iobound_units::Problem;

/// The longest path of a socket: `sun_path` of unix(7), with its end.
const LONGEST: usize = 107;

/// This process's user.
pub(super) fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Checks that a socket's folder belongs to this user alone; creates it if it does not exist.
///
/// # Errors
/// Returns an error if the folder belongs to another user or others can enter it; it names the fix.
pub(super) fn own(socket: &Path) -> Result<(), Problem> {
    let other = |what| {
        Problem::new(what).help("name a socket in a folder of your own: --meet /run/user/UID/iobound/NAME")
    };
    if socket.as_os_str().len() > LONGEST {
        let what =
            format!("{} is longer than {LONGEST} bytes, the limit of a socket's path", socket.display());
        return Err(other(what));
    }
    let Some(folder) = socket.parent().filter(|folder| folder.is_absolute()) else {
        return Err(other(format!("{} is not an absolute path of a socket", socket.display())));
    };
    match fs::DirBuilder::new().mode(0o700).recursive(true).create(folder) {
        Ok(()) => {}
        Err(error) => return Err(other(format!("cannot create {}: {error}", folder.display()))),
    }
    // Not through a link, which another user may have put there.
    let found = fs::symlink_metadata(folder)
        .map_err(|error| other(format!("cannot inspect {}: {error}", folder.display())))?;
    if !found.is_dir() || found.uid() != user() {
        return Err(other(format!("{} is not a folder of this user (uid {})", folder.display(), user())));
    }
    let mode = found.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let what =
            format!("{} has mode {mode:03o}: other users could reach a socket in it", folder.display());
        return Err(Problem::new(what).help(format!("chmod 700 {}", folder.display())));
    }
    Ok(())
}
