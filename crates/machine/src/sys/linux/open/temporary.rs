use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;

use rustix::fs::RenameFlags;
use rustix::io::Errno;

use super::directory::Directory;
use super::facts::facts;
use crate::sys::facts::Identity;
use crate::sys::linux::files::random_number;

/// A new file under a name that nobody expects. It is removed unless [`Temporary::commit`] gives it its own name.
#[derive(Debug)]
pub struct Temporary<'a> {
    directory: &'a Directory,
    name: OsString,
    file: File,
    identity: Identity,
    is_committed: bool,
}

impl<'a> Temporary<'a> {
    pub(super) fn create(directory: &'a Directory, mode: u32) -> io::Result<Temporary<'a>> {
        loop {
            let name = OsString::from(format!(".iobound-{:016x}", random_number()?));
            let file = match directory.create_new(&name, mode) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                created => created?,
            };
            let identity = facts(&file)?.identity;
            return Ok(Temporary { directory, name, file, identity, is_committed: false });
        }
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        &mut self.file
    }

    /// Makes the content durable and gives the file its name. `replaces` is the file that may lose that name for it,
    /// from [`Directory::replaceable`]; `None`: the name must be free.
    ///
    /// # Errors
    /// Returns `ErrorKind::AlreadyExists` if the name belongs to anything else by now; that is left unchanged.
    pub fn commit(mut self, name: &OsStr, replaces: Option<Identity>) -> io::Result<()> {
        self.file.sync_all()?;
        match replaces {
            None => self.take(name)?,
            Some(old) => self.exchange(name, old)?,
        }
        self.directory.sync();
        Ok(())
    }

    fn rename(&self, name: &OsStr, flags: RenameFlags) -> Result<(), Errno> {
        rustix::fs::renameat_with(self.directory, &self.name, self.directory, name, flags)
    }

    fn take(&mut self, name: &OsStr) -> io::Result<()> {
        match self.rename(name, RenameFlags::NOREPLACE) {
            Ok(()) => {}
            // The file system has no such rename: a second link fails just as well if the name exists.
            Err(Errno::INVAL | Errno::NOSYS) => self.link(name)?,
            Err(error) => return Err(error.into()),
        }
        self.is_committed = true;
        Ok(())
    }

    fn link(&self, name: &OsStr) -> io::Result<()> {
        let here = self.directory;
        match rustix::fs::linkat(here, &self.name, here, name, rustix::fs::AtFlags::empty()) {
            Ok(()) => here.remove_same(&self.name, self.identity).map(drop),
            // No links either (FAT, some of FUSE): what remains is to look first.
            Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) if here.entry(name)?.is_none() => {
                Ok(self.rename(name, RenameFlags::empty())?)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Swaps the two names, so that the replaced file can be inspected before it is removed.
    fn exchange(&mut self, name: &OsStr, old: Identity) -> io::Result<()> {
        let changed = || io::Error::new(io::ErrorKind::AlreadyExists, "another file has replaced it");
        match self.rename(name, RenameFlags::EXCHANGE) {
            Ok(()) => {
                let was = self.directory.entry(&self.name)?.map(|found| found.identity);
                if was != Some(old) {
                    self.rename(name, RenameFlags::EXCHANGE)?;
                    return Err(changed());
                }
                self.is_committed = true;
                self.directory.remove_same(&self.name, old).map(drop)
            }
            // It was removed meanwhile.
            Err(Errno::NOENT) => self.take(name),
            Err(Errno::INVAL | Errno::NOSYS) => {
                let is = self.directory.entry(name)?.map(|found| found.identity);
                if is.is_some_and(|is| is != old) {
                    return Err(changed());
                }
                self.rename(name, RenameFlags::empty())?;
                self.is_committed = true;
                Ok(())
            }
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            // It has a name that only this program uses, and nothing in it that anybody waits for.
            let _ = self.directory.remove_same(&self.name, self.identity);
        }
    }
}
