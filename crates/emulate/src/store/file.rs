//! A disk in a sparse file.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use iobound_units::Bytes;
use rustix::fs::{FallocateFlags, FlockOperation};

use super::allocation::{Allocation, in_file};
use super::cached::{Beyond, Cached};
use super::cold::Cold;
use super::memory::Memory;
use super::pool::Pool;
use super::{Backing, Unusable, mark};
use crate::request::Errno;

/// The bytes of one disk in a file that takes what was written, through the page cache: what was written survives the end of
/// this process, however it ends, and a failure of the machine as far as the kernel has written it back.
///
/// What the page cache does not have is not waited for by who reads with [`Backing::read_cached`]. Writes are: they wait where
/// the machine has no memory for them, or for the rest of a page that they write a part of and that is not there.
#[derive(Debug)]
pub struct SparseFile {
    cached: Cached,
    /// Whether holes can be punched here.
    punches: bool,
    /// Whether ranges can be made zeroes here.
    zeroes: bool,
    pool: Pool,
}

impl SparseFile {
    /// The file of a disk of that name and size in a folder, `NAME.img`; made if it is not there. What host caches acknowledge
    /// goes to `pool`.
    ///
    /// # Errors
    /// A file that was not made here for this, or is of another size, or is in use by another emulator; a name that is no
    /// file's; a folder that is not there or can't be written to.
    pub fn open(folder: &Path, name: &str, size: Bytes, pool: &Pool) -> Result<SparseFile, Unusable> {
        let path = path_of(folder, name)?;
        let file = match OpenOptions::new().read(true).write(true).custom_flags(nonblocking()).open(&path) {
            Ok(file) => own(file, &path, size)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => make(&path, size)?,
            Err(error) => {
                return Err(Unusable::new(&path, error, "name a folder whose files can be read and written"));
            }
        };
        Ok(SparseFile::over(file, pool))
    }

    /// A file without a name, in a folder, which is gone with this process: for what lies over an image, and is of no use
    /// without it.
    ///
    /// # Errors
    /// A folder that is not there or can't be written to.
    pub fn scratch(folder: &Path, size: Bytes, pool: &Pool) -> Result<SparseFile, Unusable> {
        let unusable =
            |error: io::Error| Unusable::new(folder, error, "name a folder that can be written to");
        let path = folder.join(format!(".iobound-{}", std::process::id()));
        let new = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path);
        let file = new.map_err(unusable)?;
        std::fs::remove_file(&path).and_then(|()| file.set_len(size.get())).map_err(unusable)?;
        Ok(SparseFile::over(file, pool))
    }

    fn over(file: File, pool: &Pool) -> SparseFile {
        SparseFile {
            cached: Cached::new(file, Beyond::Fails),
            punches: true,
            zeroes: true,
            pool: pool.clone(),
        }
    }

    /// `fallocate(2)`; says whether the file system knows this mode.
    fn fallocate(&self, mode: FallocateFlags, offset: u64, len: u64) -> Result<bool, Errno> {
        loop {
            match rustix::fs::fallocate(self.cached.file(), mode | FallocateFlags::KEEP_SIZE, offset, len) {
                Ok(()) => return Ok(true),
                Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => return Ok(false),
                Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(errno_of(&error.into())),
            }
        }
    }

    fn write_zeroes(&self, offset: u64, len: u64) -> Result<(), Errno> {
        super::write_zeroes(offset, len, |at, zeroes| {
            self.cached.file().write_all_at(zeroes, at).map_err(|error| errno_of(&error))
        })
    }
}

/// From here on zeroes are a matter of the file system's tables, and below of its pages: what the call costs beside a copy.
const LONG: u64 = 64 << 10;

/// Opening what is no file must not wait for somebody.
pub(super) fn nonblocking() -> i32 {
    rustix::fs::OFlags::NONBLOCK.bits() as i32
}

fn path_of(folder: &Path, name: &str) -> Result<PathBuf, Unusable> {
    let file = format!("{name}.img");
    if name.is_empty() || name.contains(['/', '\0']) {
        let found = format!("the disk {name:?} can't be a file's name");
        return Err(Unusable::new(folder, found, "give the volume another name"));
    }
    Ok(folder.join(file))
}

fn lock(file: &File, path: &Path) -> Result<(), Unusable> {
    rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive).map_err(|error| {
        let found = format!("it is in use ({error})");
        Unusable::new(path, found, "end the emulator that serves it, or name another folder")
    })
}

fn own(file: File, path: &Path, size: Bytes) -> Result<File, Unusable> {
    let metadata = file.metadata().map_err(|error| Unusable::new(path, error, "name another folder"))?;
    if !metadata.is_file() || !mark::is_marked(&file, path) {
        let found = "it is there, and was not made by this program for a disk";
        return Err(Unusable::new(path, found, "move it away, name another folder, or serve it as an image"));
    }
    lock(&file, path)?;
    match metadata.len() {
        is if is == size.get() => Ok(file),
        // Made, and interrupted before it had its size.
        0 => sized(file, path, size),
        is => {
            let found = format!("it is a disk of {} bytes, this one has {}", is, size.get());
            Err(Unusable::new(path, found, "name another folder, or remove it if its data is not needed"))
        }
    }
}

fn make(path: &Path, size: Bytes) -> Result<File, Unusable> {
    let unusable = |error: io::Error| Unusable::new(path, error, "name a folder that can be written to");
    let new = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(path);
    let file = new.map_err(unusable)?;
    lock(&file, path)?;
    // Without a mark it would not be known again, and without its size it is of no use.
    let made = mark::mark(&file, path).map_err(unusable).and_then(|()| sized(file, path, size));
    if made.is_err() {
        let _ = std::fs::remove_file(path);
    }
    made
}

fn sized(file: File, path: &Path, size: Bytes) -> Result<File, Unusable> {
    let set = file.set_len(size.get());
    set.map_err(|error| {
        let found = format!("it can't be of {} bytes ({error})", size.get());
        Unusable::new(path, found, "name a folder on a file system with files so large")
    })?;
    Ok(file)
}

/// What a client is told of what happened to a file.
pub(super) fn errno_of(error: &io::Error) -> Errno {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded | io::ErrorKind::FileTooLarge => {
            Errno::NoSpace
        }
        _ => Errno::Io,
    }
}

impl Backing for SparseFile {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        self.cached.read(offset, into)
    }

    fn read_cached(&mut self, offset: u64, into: &mut [u8], cold: &mut Cold) -> Result<(), Errno> {
        self.cached.read_cached(offset, into, cold)
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        self.cached.file().write_all_at(data, offset).map_err(|error| errno_of(&error))
    }

    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.punches = self.punches && self.fallocate(FallocateFlags::PUNCH_HOLE, offset, len)?;
        // A file system without holes keeps the place.
        if self.punches { Ok(()) } else { self.write_zeroes(offset, len) }
    }

    fn zero(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        if len < LONG {
            return self.write_zeroes(offset, len);
        }
        self.zeroes = self.zeroes && self.fallocate(FallocateFlags::ZERO_RANGE, offset, len)?;
        if self.zeroes { Ok(()) } else { self.write_zeroes(offset, len) }
    }

    fn reserve(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        // A file system that does not know it takes the place when it is written.
        self.fallocate(FallocateFlags::empty(), offset, len).map(drop)
    }

    fn allocation(&mut self, offset: u64, end: u64) -> Result<(Allocation, u64), Errno> {
        Ok(in_file(self.cached.file(), offset, end))
    }

    fn held(&self) -> Bytes {
        Bytes(self.cached.file().metadata().map_or(0, |metadata| metadata.blocks() * 512))
    }

    fn volatile(&self) -> Memory {
        self.pool.disk()
    }
}
