//! Open files: nothing beyond the standard library.

use std::fs::File;
use std::io;

use crate::sys::error::NotOnThisPlatform;

const NOT_HERE: NotOnThisPlatform = NotOnThisPlatform { what: "I/O on files and devices" };

refused! { NOT_HERE:
    pub fn read_exact_at(_file: &File, _buffer: &mut [u8], _offset: u64) -> io::Result<()>;
    pub fn write_at(_file: &File, _data: &[u8], _offset: u64) -> io::Result<usize>;
    pub fn write_all_at(_file: &File, _data: &[u8], _offset: u64) -> io::Result<()>;
    pub fn leave_page_cache(_file: &File) -> io::Result<()>;
    pub fn set_space_aside(_file: &File, _from: u64, _length: u64) -> io::Result<bool>;
    pub fn set_attribute(_file: &File, _name: &str, _value: &[u8]) -> io::Result<()>;
    pub fn remove_attribute(_file: &File, _name: &str) -> io::Result<()>;
    pub fn random_number() -> io::Result<u64>;
}

/// Nothing is known of direct I/O.
pub fn direct_alignment(_file: &File) -> Option<u64> {
    None
}

/// There is no such hint.
pub fn expect_random(_file: &File) {}

/// There are no attributes.
pub fn attribute(_file: &File, _name: &str, _buffer: &mut [u8]) -> Option<usize> {
    None
}

/// No error is known to be a device's own.
pub fn is_media_error(_error: &io::Error) -> bool {
    false
}

/// There is no limit that could be raised.
pub fn allow_descriptors() {}

/// There is no lock that leaves reads and writes of others alone: the file is not held.
pub fn hold(_file: &File, _alone: bool) -> bool {
    true
}
