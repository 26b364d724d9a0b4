//! The write-ahead log of a database, read without SQLite (sqlite.org/fileformat2.html, section 4).

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

/// Length of the log's header, and of the header of each page in it.
const HEADER: usize = 32;
const FRAME: usize = 24;
/// Offset of the application's number in the first page of a database.
const APPLICATION_AT: usize = 68;

/// The application's number on the first page, as of the last transaction in a log; `None` where the log does not have that page.
pub(crate) fn application_in_log(path: &Path) -> Option<u32> {
    let mut log = BufReader::new(File::open(path).ok()?);
    let mut header = [0; HEADER];
    log.read_exact(&mut header).ok()?;
    let number = |bytes: &[u8], at: usize| {
        bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes)
    };
    let page_size = i64::from(number(&header, 8));
    let (mut found, mut committed) = (None, None);
    let mut frame = [0; FRAME];
    while page_size > 0 && log.read_exact(&mut frame).is_ok() {
        // Frames of an earlier use of the log have other salts.
        if frame[8..16] != header[16..24] {
            break;
        }
        let mut read = 0;
        if number(&frame, 0) == 1 {
            let mut page = [0; APPLICATION_AT + 4];
            log.read_exact(&mut page).ok()?;
            read = page.len() as i64;
            found = Some(number(&page, APPLICATION_AT));
        }
        // The last frame of a transaction has the number of pages.
        if number(&frame, 4) != 0 {
            committed = found;
        }
        log.seek(SeekFrom::Current(page_size - read)).ok()?;
    }
    committed
}
