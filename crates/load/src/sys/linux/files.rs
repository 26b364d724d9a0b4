use std::os::fd::{AsRawFd, RawFd};

use crate::engine::target::Targets;

/// The descriptors of all files of a run, in the order of their places.
pub(super) fn descriptors(targets: &Targets) -> Vec<RawFd> {
    targets.files().iter().map(|file| file.file().as_raw_fd()).collect()
}
