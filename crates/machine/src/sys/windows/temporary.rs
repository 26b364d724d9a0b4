use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;

use super::files::random_number;
use super::open::Directory;
use crate::sys::facts::Identity;

/// A new file under a name that nobody expects. It is removed unless [`Temporary::commit`] gives it its own name.
#[derive(Debug)]
pub struct Temporary<'a> {
    directory: &'a Directory,
    name: OsString,
    /// `None` once it is closed: an open file of Windows cannot be renamed.
    file: Option<File>,
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
            return Ok(Temporary { directory, name, file: Some(file), is_committed: false });
        }
    }

    /// The open file.
    pub fn file(&mut self) -> &mut File {
        self.file.as_mut().expect("it is open until it is committed")
    }

    /// Makes the content durable and gives the file its name. `replaces` is the file that may lose that name for it;
    /// `None`: the name must be free.
    ///
    /// # Errors
    /// Returns `ErrorKind::AlreadyExists` if the name belongs to anything else by now; that is left unchanged.
    pub fn commit(mut self, name: &OsStr, replaces: Option<Identity>) -> io::Result<()> {
        self.file().sync_all()?;
        drop(self.file.take());
        let is = self.directory.entry(name)?.map(|found| found.identity);
        if is.is_some() && is != replaces {
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, "another file has replaced it"));
        }
        std::fs::rename(self.directory.path_of(&self.name), self.directory.path_of(name))?;
        self.is_committed = true;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_committed {
            drop(self.file.take());
            let _ = std::fs::remove_file(self.directory.path_of(&self.name));
        }
    }
}
