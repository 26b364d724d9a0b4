use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, Stat, StatxFlags};

use crate::sys::facts::{Birth, Facts, FileKind, Identity};

/// The facts of an open file or directory.
pub(crate) fn facts(file: impl AsFd) -> io::Result<Facts> {
    Ok(of(&rustix::fs::fstat(file)?))
}

/// The facts of what a path leads to.
pub(crate) fn facts_at(path: &Path) -> io::Result<Facts> {
    Ok(of(&rustix::fs::stat(path)?))
}

/// The facts in the result of a `stat`.
#[allow(clippy::useless_conversion, reason = "the number of links has 32 bits on some processors")]
pub(super) fn of(stat: &Stat) -> Facts {
    let kind = match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => FileKind::File,
        FileType::Directory => FileKind::Directory,
        FileType::Symlink => FileKind::Link,
        FileType::BlockDevice => FileKind::BlockDevice,
        FileType::CharacterDevice => FileKind::CharacterDevice,
        FileType::Fifo => FileKind::Pipe,
        FileType::Socket => FileKind::Socket,
        FileType::Unknown => FileKind::Other,
    };
    let is_device = matches!(kind, FileKind::BlockDevice | FileKind::CharacterDevice);
    Facts {
        kind,
        identity: match kind {
            FileKind::BlockDevice => Identity::Device(stat.st_rdev),
            _ => Identity::File { filesystem: stat.st_dev, inode: stat.st_ino },
        },
        filesystem: stat.st_dev,
        size: u64::try_from(stat.st_size).unwrap_or(0),
        links: u64::from(stat.st_nlink),
        owner: stat.st_uid,
        mode: stat.st_mode & 0o7777,
        device: if is_device { stat.st_rdev } else { 0 },
        modified_ns: i128::from(stat.st_mtime) * 1_000_000_000 + i128::from(stat.st_mtime_nsec),
    }
}

/// The identity that outlives mounts; the file system's number is `f_fsid`.
pub(crate) fn birth(file: impl AsFd) -> io::Result<Birth> {
    let stat = rustix::fs::fstat(&file)?;
    let fsid = rustix::fs::fstatvfs(&file).map_or(0, |system| system.f_fsid);
    let found = rustix::fs::statx(&file, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME);
    let born = found.ok().filter(|found| found.stx_mask & StatxFlags::BTIME.bits() != 0);
    let ns =
        |time: rustix::fs::StatxTimestamp| i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    Ok(Birth {
        filesystem: if fsid == 0 { stat.st_dev } else { fsid },
        inode: stat.st_ino,
        born_ns: born.map(|found| ns(found.stx_btime)),
    })
}
