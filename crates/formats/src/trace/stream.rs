//! Bytes of a stream that are looked at before they are read.

use std::io::{Cursor, ErrorKind, Read};

/// A stream that ended with an error, once its bytes were read.
struct Broken(std::io::Error);

impl Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::Error::new(self.0.kind(), self.0.to_string()))
    }
}

/// The first bytes of a stream, at most `most`, and the whole of it. A stream that breaks within its first bytes has those
/// before; the error follows them.
///
/// # Errors
/// Returns an error if the stream breaks before its first byte.
pub fn peeked(mut input: Box<dyn Read>, most: usize) -> std::io::Result<(Vec<u8>, Box<dyn Read>)> {
    let mut head = Vec::new();
    let rest: Box<dyn Read> = match (&mut input).take(most as u64).read_to_end(&mut head) {
        Ok(_) => input,
        Err(error) if head.is_empty() => return Err(error),
        Err(error) => Box::new(Broken(error)),
    };
    Ok((head.clone(), Box::new(Cursor::new(head).chain(rest))))
}

/// Reads until the buffer is full or the stream ends, and returns the number of bytes.
pub(super) fn fill(input: &mut impl Read, bytes: &mut [u8]) -> std::io::Result<usize> {
    let mut got = 0;
    while got < bytes.len() {
        match input.read(&mut bytes[got..]) {
            Ok(0) => break,
            Ok(more) => got += more,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(got)
}
