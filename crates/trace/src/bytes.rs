//! Variable-length integers: seven bits a byte, the lowest first.

/// Appends an integer.
#[inline]
pub(crate) fn put(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a difference, as its absolute value times two, plus one if it is negative.
#[inline]
pub(crate) fn put_signed(out: &mut Vec<u8>, value: i64) {
    put(out, ((value << 1) ^ (value >> 63)) as u64);
}

/// Bytes that are read from the front.
pub(crate) struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Cursor<'a> {
        Cursor { bytes, at: 0 }
    }

    /// The next integer; `None` at the end, or if it has more than 64 bits.
    #[inline]
    pub(crate) fn take(&mut self) -> Option<u64> {
        let first = *self.bytes.get(self.at)?;
        self.at += 1;
        if first < 0x80 {
            return Some(u64::from(first));
        }
        let mut value = u64::from(first & 0x7f);
        let mut shift = 7;
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            if shift == 63 && byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
            shift += 7;
        }
    }

    /// The next difference.
    #[inline]
    pub(crate) fn take_signed(&mut self) -> Option<i64> {
        let value = self.take()?;
        Some((value >> 1) as i64 ^ -((value & 1) as i64))
    }

    /// True if all bytes were read.
    pub(crate) fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_integer_that_is_written_is_read_back() {
        for value in [0, 1, 0x7f, 0x80, 0x3fff, 0x4000, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            put_signed(&mut bytes, value as i64);
            let mut cursor = Cursor::new(&bytes);
            assert_eq!((cursor.take(), cursor.take_signed()), (Some(value), Some(value as i64)));
            assert!(cursor.is_at_end());
        }
    }

    #[test]
    fn an_integer_of_more_than_64_bits_is_none() {
        let mut bytes = vec![0xff; 9];
        bytes.push(2);
        assert_eq!(Cursor::new(&bytes).take(), None);
        assert_eq!(Cursor::new(&[0x80]).take(), None);
    }
}
