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

/// The stream as UTF-8 if it begins with the byte order mark of UTF-16, which Windows' shell writes; else the stream as it is.
///
/// # Errors
/// Returns an error if the stream breaks before its first byte.
pub fn utf8(input: Box<dyn Read>) -> std::io::Result<Box<dyn Read>> {
    let (mark, input) = peeked(input, 2)?;
    let unit: fn([u8; 2]) -> u16 = match mark.as_slice() {
        [0xff, 0xfe] => u16::from_le_bytes,
        [0xfe, 0xff] => u16::from_be_bytes,
        _ => return Ok(input),
    };
    Ok(Box::new(Utf16 { input, unit, text: Cursor::default(), high: None }))
}

/// A stream of UTF-16, decoded. Half a character is replaced by U+FFFD.
struct Utf16 {
    input: Box<dyn Read>,
    unit: fn([u8; 2]) -> u16,
    /// Characters that were decoded and not yet read.
    text: Cursor<String>,
    /// The first half of a character whose second half is to come.
    high: Option<u16>,
}

impl Read for Utf16 {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        while self.text.position() == self.text.get_ref().len() as u64 {
            let mut bytes = vec![0; 1 << 16];
            let got = fill(&mut self.input, &mut bytes)?;
            if got == 0 && self.high.is_none() {
                return Ok(0);
            }
            let mut units: Vec<u16> = self.high.take().into_iter().collect();
            units.extend(bytes[..got].chunks(2).map(|pair| match *pair {
                [first, second] => (self.unit)([first, second]),
                _ => 0xfffd,
            }));
            if got == bytes.len() {
                self.high = units.pop_if(|last| (0xd800..0xdc00).contains(last));
            }
            let text: String =
                char::decode_utf16(units).map(|found| found.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
            self.text = Cursor::new(text);
        }
        self.text.read(buffer)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf_16_is_decoded_wherever_the_reads_end() {
        // Characters of one, two, three and four bytes; the last one has two units, which lie in two reads.
        let text = "\u{feff}".to_string() + &"aé€".repeat(10_922) + "\u{1f4be}b";
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let bytes: Vec<u8> = text.encode_utf16().flat_map(order).collect();
            let read = |bytes: Vec<u8>| {
                let mut read = String::new();
                utf8(Box::new(Cursor::new(bytes))).unwrap().read_to_string(&mut read).unwrap();
                read
            };
            assert_eq!(bytes[(1 << 16) - 2..1 << 16], order(0xd83d));
            assert_eq!(read(bytes.clone()), text);
            // Cut within the last character but one, and within a unit.
            let cut = read(bytes[..bytes.len() - 4].to_vec());
            assert_eq!(cut.chars().last(), Some(char::REPLACEMENT_CHARACTER));
            let cut = read(bytes[..bytes.len() - 1].to_vec());
            assert_eq!(cut.chars().rev().take(2).collect::<String>(), "\u{fffd}\u{1f4be}");
        }
        let mut plain = String::new();
        utf8(Box::new(Cursor::new(b"1,R".to_vec()))).unwrap().read_to_string(&mut plain).unwrap();
        assert_eq!(plain, "1,R");
    }
}
