use std::fs::OpenOptions;
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;

use iobound_emulate::transport::median_round_trip;
use iobound_units::Span;

/// Median of so many direct reads of the first block of a file.
///
/// # Errors
/// Returns an error if the file cannot be opened or read.
pub(super) fn median_of_file(path: &Path, block: usize, count: usize) -> io::Result<Span> {
    let flags = rustix::fs::OFlags::DIRECT.bits() as i32;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    // Direct I/O wants an aligned buffer.
    let mut memory = vec![0; 2 * block];
    let start = memory.as_ptr().align_offset(block);
    let buffer = &mut memory[start..start + block];
    median_round_trip(count, || file.read_exact_at(buffer, 0))
}
