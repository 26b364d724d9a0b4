//! Bytes that written blocks repeat.

use std::fmt;

/// A few bytes, again and again.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Repeated {
    bytes: [u8; Repeated::MOST],
    length: u8,
}

impl Repeated {
    /// The most bytes that there can be: what is longer than this looks like data.
    pub const MOST: usize = 64;

    /// These bytes; `None` where there are none, or too many.
    pub fn new(of: &[u8]) -> Option<Repeated> {
        let mut bytes = [0; Repeated::MOST];
        bytes.get_mut(..of.len())?.copy_from_slice(of);
        (!of.is_empty()).then_some(Repeated { bytes, length: of.len() as u8 })
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }

    /// Fills a buffer that begins `at` bytes after a beginning.
    pub fn fill(&self, at: u64, buffer: &mut [u8]) {
        let bytes = self.bytes();
        let first = (at % bytes.len() as u64) as usize;
        let endless = bytes.iter().cycle().skip(first);
        buffer.iter_mut().zip(endless).for_each(|(place, byte)| *place = *byte);
    }

    /// Reads what [`Repeated`] prints: `0xdeadbeef`; `None` where it is something else.
    pub fn parse(text: &str) -> Option<Repeated> {
        let digits = text.strip_prefix("0x")?;
        if !digits.len().is_multiple_of(2) || !digits.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            return None;
        }
        let byte = |at| u8::from_str_radix(&digits[at..at + 2], 16).ok();
        let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
        Repeated::new(&bytes?)
    }
}

impl fmt::Display for Repeated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("0x")?;
        self.bytes().iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Repeated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_go_on_where_they_are_at_an_offset() {
        let three = Repeated::new(b"abc").unwrap();
        let mut buffer = [0; 7];
        three.fill(4, &mut buffer);
        assert_eq!(&buffer, b"bcabcab");
    }

    #[test]
    fn what_is_printed_is_read_back() {
        let four = Repeated::new(&[0xde, 0xad, 0, 0x0f]).unwrap();
        assert_eq!(four.to_string(), "0xdead000f");
        assert_eq!(Repeated::parse("0xdead000f"), Some(four));
        for wrong in ["", "0x", "0xabc", "dead", "0xzz", &format!("0x{}", "00".repeat(65))] {
            assert_eq!(Repeated::parse(wrong), None, "{wrong}");
        }
    }
}
