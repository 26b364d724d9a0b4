use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
use rustix::io::Errno;

/// Notices that a file is opened, by this process or by another one on this machine.
#[derive(Debug)]
pub struct OpenWatch {
    events: OwnedFd,
}

impl OpenWatch {
    /// Watches an open file from now on.
    ///
    /// # Errors
    /// As `inotify_init1` and `inotify_add_watch`: this user has too many watches, or `/proc` is not mounted.
    pub fn begin(file: &File) -> io::Result<OpenWatch> {
        let events = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC)?;
        add_watch(&events, format!("/proc/self/fd/{}", file.as_raw_fd()), WatchFlags::OPEN)?;
        Ok(OpenWatch { events })
    }

    /// True if the file was opened since the last time this was asked.
    ///
    /// # Errors
    /// As `read`.
    pub fn was_opened(&self) -> io::Result<bool> {
        let mut was_opened = false;
        let mut events = [0_u8; 1024];
        loop {
            match rustix::io::read(&self.events, &mut events) {
                Ok(0) | Err(Errno::WOULDBLOCK) => return Ok(was_opened),
                Ok(_) => was_opened = true,
                Err(Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_open_is_noticed_once_and_reads_and_writes_are_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let file = File::create_new(&path).expect("a new file");
        let watch = OpenWatch::begin(&file).expect("a watch");
        std::os::unix::fs::FileExt::write_all_at(&file, b"x", 0).expect("it takes data");
        file.metadata().expect("its facts");
        std::fs::metadata(&path).expect("its facts");
        assert!(!watch.was_opened().expect("events"));
        drop(File::open(&path).expect("it is there"));
        assert!(watch.was_opened().expect("events"));
        assert!(!watch.was_opened().expect("events"));
    }
}
