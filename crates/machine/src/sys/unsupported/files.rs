//! Open files: nothing beyond the standard library.

use std::fs::File;
use std::io;

use crate::sys::error::NotOnThisPlatform;

const NOT_HERE: NotOnThisPlatform = NotOnThisPlatform { what: "I/O on files and devices" };

/// Reads at an offset.
///
/// # Errors
/// Always returns an error.
pub fn read_exact_at(_file: &File, _buffer: &mut [u8], _offset: u64) -> io::Result<()> {
    Err(NOT_HERE.into())
}

/// Writes at an offset.
///
/// # Errors
/// Always returns an error.
pub fn write_at(_file: &File, _data: &[u8], _offset: u64) -> io::Result<usize> {
    Err(NOT_HERE.into())
}

/// Writes at an offset.
///
/// # Errors
/// Always returns an error.
pub fn write_all_at(_file: &File, _data: &[u8], _offset: u64) -> io::Result<()> {
    Err(NOT_HERE.into())
}

/// Nothing is known of direct I/O.
pub fn direct_alignment(_file: &File) -> Option<u64> {
    None
}

/// There is no such hint.
pub fn expect_random(_file: &File) {}

/// Takes a file out of the page cache.
///
/// # Errors
/// Always returns an error.
pub fn leave_page_cache(_file: &File) -> io::Result<()> {
    Err(NOT_HERE.into())
}

/// Sets space aside.
///
/// # Errors
/// Always returns an error.
pub fn set_space_aside(_file: &File, _from: u64, _length: u64) -> io::Result<bool> {
    Err(NOT_HERE.into())
}

/// There are no attributes.
pub fn attribute(_file: &File, _name: &str, _buffer: &mut [u8]) -> Option<usize> {
    None
}

/// Sets an attribute.
///
/// # Errors
/// Always returns an error.
pub fn set_attribute(_file: &File, _name: &str, _value: &[u8]) -> io::Result<()> {
    Err(NOT_HERE.into())
}

/// Removes an attribute.
///
/// # Errors
/// Always returns an error.
pub fn remove_attribute(_file: &File, _name: &str) -> io::Result<()> {
    Err(NOT_HERE.into())
}

/// No error is known to be a device's own.
pub fn is_media_error(_error: &io::Error) -> bool {
    false
}

/// There is no limit that could be raised.
pub fn allow_descriptors() {}

/// A random number from the system.
///
/// # Errors
/// Always returns an error.
pub fn random_number() -> io::Result<u64> {
    Err(NOT_HERE.into())
}
