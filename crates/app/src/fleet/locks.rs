//! Locks between ranks. Ranks that were started by hand do not know which others share their machine, and several
//! machines may share a folder. A rank that writes to a file holds it exclusively while it runs; ranks that read share
//! it.

use std::fs::File;
use std::time::{Duration, Instant};

use iobound_machine::files::hold as hold_file;
use iobound_machine::open::Access;

use crate::Failure;
use crate::run::Ready;

/// The system's own daemons hold a device for a moment when it was opened.
const PATIENCE: Duration = Duration::from_secs(2);

/// Holds the targets for this run, until the returned guard is dropped. File systems without locks are not protected.
///
/// # Errors
/// Returns an error if another run holds one of the targets.
pub(super) fn hold(ready: &Ready, writes: impl Fn(usize) -> bool) -> Result<Vec<File>, Failure> {
    let mut held = Vec::new();
    for (target, files) in ready.files.iter().enumerate() {
        for file in files {
            let open = match &file.handle {
                Some(handle) => handle.reopen(Access::READ),
                None => File::open(&file.path),
            };
            let Ok(open) = open else { continue };
            let began = Instant::now();
            loop {
                match hold_file(&open, writes(target)) {
                    true => break,
                    false if began.elapsed() < PATIENCE => std::thread::sleep(Duration::from_millis(20)),
                    false => {
                        let path = file.path.display();
                        return Err(Failure::refused(format!(
                            "{path} is in use by another rank, of this fleet or another one, and one of them writes"
                        ))
                        .help("give each rank a file of its own: {rank} in its path, or a folder"));
                    }
                }
            }
            held.push(open);
        }
    }
    Ok(held)
}

#[cfg(test)]
mod tests {
    use iobound_load::engine::FileToOpen;
    use iobound_load::prepare::Filling;

    use super::*;

    fn ready(path: &std::path::Path) -> Ready {
        Ready {
            names: Vec::new(),
            files: vec![vec![FileToOpen { path: path.into(), handle: None, size: None }]],
            prepared: Vec::new(),
            in_memory: None,
            never_written: None,
            emulated: false,
            filling: Filling::incompressible(0),
            made: Vec::new(),
            unlinked: Vec::new(),
            marks: crate::run::Marks::default(),
            env: crate::Env::default(),
        }
    }

    #[test]
    fn who_writes_to_a_file_has_it_alone_and_readers_share_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, b"x").unwrap();
        let ready = ready(&path);
        let first = hold(&ready, |_| false).unwrap();
        let second = hold(&ready, |_| false).unwrap();
        assert_eq!(first.len() + second.len(), 2);
        let refused = hold(&ready, |_| true).unwrap_err();
        assert!(refused.help_text().unwrap().contains("{rank}"), "{refused:?}");
        drop((first, second));
        let writer = hold(&ready, |_| true).unwrap();
        assert!(hold(&ready, |_| false).is_err());
        drop(writer);
    }
}
