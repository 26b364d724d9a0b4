use std::io::{self, ErrorKind};
use std::path::Path;

use iobound_units::Span;

/// Median of reads of a file of FUSE.
///
/// # Errors
/// Always returns an error: FUSE is Linux's.
pub(super) fn median_of_file(path: &Path, _block: usize, _count: usize) -> io::Result<Span> {
    Err(io::Error::new(ErrorKind::Unsupported, format!("{}: FUSE is Linux's", path.display())))
}
