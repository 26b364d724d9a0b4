//! A disk in a sparse file.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

use iobound_machine::open::{Access, Directory, Identity};
use iobound_machine::{World, guard};
use iobound_units::{Bytes, Problem};
use iobound_workload::shell_path;
use rustix::fs::{FallocateFlags, FlockOperation};

use super::allocation::{Allocation, in_file};
use super::cached::{Beyond, Cached};
use super::cold::Cold;
use super::memory::Memory;
use super::pool::Pool;
use super::{Backing, errno_of, file_name, mark, unusable};
use crate::request::Errno;

/// The bytes of one disk in a file that takes what was written, through the page cache: what was written survives the end of
/// this process, however it ends, and a failure of the machine as far as the kernel has written it back.
///
/// [`Backing::read_cached`] does not wait for data outside the page cache. Writes wait if the machine has no memory for
/// them, or for the rest of a page that they write in part.
#[derive(Debug)]
pub struct SparseFile {
    cached: Cached,
    /// True if holes can be punched here.
    punches: bool,
    /// True if ranges can be made zeroes here.
    zeroes: bool,
    pool: Pool,
    /// The mark of a file that was made here: it is sealed when the disk is dropped.
    mark: Option<Marked>,
}

/// Place of the mark of a disk's file.
#[derive(Debug)]
struct Marked {
    folder: Directory,
    name: OsString,
}

impl Drop for SparseFile {
    fn drop(&mut self) {
        if let Some(Marked { folder, name }) = &self.mark {
            // Without a seal the next start does not compare the content, as after a kill.
            let _ = mark::seal(self.cached.file(), folder, name);
        }
    }
}

impl SparseFile {
    /// The file of a disk of that name and size in a folder, `NAME.img`; created if it does not exist. Host caches
    /// keep what they acknowledge in `pool`.
    ///
    /// An existing file is used if iobound created it for a disk: its mark, owner, links and directory must agree. Any
    /// other file has a user's data, and is used only if `overwrite` has its identity.
    ///
    /// # Errors
    /// Returns an error if a file is not permitted, has another size or is in use by another emulator, a name is not a
    /// valid file name, or the folder is not writable.
    pub fn open(
        folder: &Directory,
        name: &str,
        size: Bytes,
        overwrite: &[Identity],
        pool: &Pool,
    ) -> Result<SparseFile, Problem> {
        let name = file_name(name)
            .map_err(|found| unusable(folder.path(), found, "give the volume another name"))?;
        let place = Place { folder, path: &folder.path_of(&name), name: &name, size };
        let file = match folder.open_existing(&name, Access::READ_WRITE) {
            Ok(file) => place.existing(file, overwrite)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => place.create()?,
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Err(unusable(place.path, error, "move it away, or name another folder"));
            }
            Err(error) => {
                let help = "name a folder whose files you can read and write";
                return Err(unusable(place.path, error, help));
            }
        };
        let failed = |error: io::Error| unusable(place.path, error, "name another folder");
        let mut disk = SparseFile::over(file, pool);
        if mark::is_marked(disk.cached.file(), folder, &name) {
            // From here on its content is the clients'.
            mark::mark(disk.cached.file(), folder, &name).map_err(failed)?;
            disk.mark = Some(Marked { folder: folder.try_clone().map_err(failed)?, name: name.clone() });
        }
        Ok(disk)
    }

    /// A file without a name, in a folder, which is gone with this process: for what lies over an image, and is of no use
    /// without it.
    ///
    /// # Errors
    /// Returns an error if the folder is not writable.
    pub fn scratch(folder: &Directory, size: Bytes, pool: &Pool) -> Result<SparseFile, Problem> {
        let failed = |error: io::Error| unusable(folder.path(), error, "name a folder that you can write to");
        let mut named = folder.temporary(0o600).map_err(failed)?;
        let file = named.file().try_clone().map_err(failed)?;
        drop(named);
        file.set_len(size.get()).map_err(failed)?;
        Ok(SparseFile::over(file, pool))
    }

    fn over(file: File, pool: &Pool) -> SparseFile {
        SparseFile {
            cached: Cached::new(file, Beyond::Fails),
            punches: true,
            zeroes: true,
            pool: pool.clone(),
            mark: None,
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

/// Place of a disk's file, which may not exist yet.
struct Place<'a> {
    folder: &'a Directory,
    path: &'a Path,
    name: &'a OsStr,
    size: Bytes,
}

impl Place<'_> {
    fn existing(&self, file: File, overwrite: &[Identity]) -> Result<File, Problem> {
        let path = self.path;
        let failed = |error: io::Error| unusable(path, error, "name another folder");
        let is_named = overwrite.contains(&Identity::of_open(&file).map_err(failed)?);
        let doubt = mark::doubt(&file, self.folder, self.name).map_err(failed)?;
        match doubt {
            Some(why) if !is_named => {
                return Err(unusable(
                    path,
                    format!("it exists, and {why}"),
                    format!(
                        "add --overwrite {} to use it as this disk with what it holds, move it away, name another \
                         folder, or serve it as an image",
                        shell_path(path)
                    ),
                ));
            }
            // Somebody's file: it may be a mounted image, or swapped to.
            Some(_) => check_guard(&file, path)?,
            None => {}
        }
        lock(&file, path)?;
        match file.metadata().map_err(failed)?.len() {
            is if is == self.size.get() => Ok(file),
            // Made, and interrupted before it had its size.
            0 => sized(file, path, self.size),
            is => {
                let found =
                    format!("it is a disk of {} bytes, and the configuration needs {}", is, self.size.get());
                Err(unusable(path, found, "name another folder, or remove it if its data is not needed"))
            }
        }
    }

    fn create(&self) -> Result<File, Problem> {
        let failed = |error: io::Error| unusable(self.path, error, "name a folder that you can write to");
        let file = self.folder.create_new(self.name, 0o600).map_err(failed)?;
        let identity = Identity::of_open(&file).map_err(failed)?;
        lock(&file, self.path)?;
        // Without a mark it would not be known again, and without its size it is of no use.
        let made = mark::mark(&file, self.folder, self.name).map_err(failed);
        let made = made.and_then(|()| sized(file, self.path, self.size));
        if made.is_err() {
            // A file that cannot be removed is empty.
            let _ = self.folder.remove_same(self.name, identity);
        }
        made
    }
}

fn lock(file: &File, path: &Path) -> Result<(), Problem> {
    rustix::fs::flock(file, FlockOperation::NonBlockingLockExclusive).map_err(|error| {
        let found = format!("it is in use ({error})");
        unusable(path, found, "stop the emulator that serves it, or name another folder")
    })
}

/// Files that may not be overwritten even with consent: mounted, swapped to, in use by a process.
fn check_guard(file: &File, path: &Path) -> Result<(), Problem> {
    let clearance = guard::check(&World::real(), path, Some(file))
        .map_err(|guard::Refusal { found, help, .. }| unusable(path, found, help))?;
    match clearance.is(file) {
        Ok(true) => Ok(()),
        _ => Err(unusable(path, "another file has replaced it", "find what writes to its folder")),
    }
}

fn sized(file: File, path: &Path, size: Bytes) -> Result<File, Problem> {
    let set = file.set_len(size.get());
    set.map_err(|error| {
        let found = format!("cannot extend it to {} bytes ({error})", size.get());
        unusable(path, found, "name a folder on a file system that supports files of this size")
    })?;
    Ok(file)
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
