//! Numbers in the bytes of a line.

/// Bytes of a sector in every format that counts in sectors.
pub(super) const SECTOR: u64 = 512;

/// A decimal integer.
#[inline]
pub(super) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 {
        return None;
    }
    let mut value = 0u64;
    for byte in text {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value.checked_mul(10)?.checked_add(u64::from(digit))?;
    }
    Some(value)
}

/// A decimal integer, or a hexadecimal one after `0x`.
pub(super) fn integer(text: &[u8]) -> Option<u64> {
    match text {
        [b'0', b'x' | b'X', digits @ ..] => {
            let digits = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
            u64::from_str_radix(digits, 16).ok()
        }
        _ => decimal(text),
    }
}

/// A decimal fraction in billionths: `0.000000001` is 1. More than nine decimals are cut off.
pub(super) fn billionths(text: &[u8]) -> Option<u64> {
    let point = text.iter().position(|byte| *byte == b'.').unwrap_or(text.len());
    let whole = decimal(&text[..point])?.checked_mul(1_000_000_000)?;
    let decimals = text.get(point + 1..).unwrap_or_default();
    if decimals.is_empty() {
        return (point == text.len()).then_some(whole);
    }
    let kept = &decimals[..decimals.len().min(9)];
    let scale = 10u64.pow(9 - kept.len() as u32);
    let rest = decimals.iter().all(u8::is_ascii_digit);
    decimal(kept).filter(|_| rest).and_then(|value| whole.checked_add(value * scale))
}

/// Bytes of so many sectors.
pub(super) fn sectors(text: &[u8]) -> Option<u64> {
    decimal(text)?.checked_mul(SECTOR)
}

/// The fields of a line that are separated by commas, trimmed.
pub(super) fn by_commas(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| *byte == b',').map(<[u8]>::trim_ascii)
}

/// The fields of a line that are separated by white space.
pub(super) fn by_spaces(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

/// The first fields, at most so many, and their number. Some publishers add columns.
pub(super) fn up_to<'a, const N: usize>(fields: impl Iterator<Item = &'a [u8]>) -> ([&'a [u8]; N], usize) {
    let mut all: [&[u8]; N] = [&[]; N];
    let mut count = 0;
    for (place, field) in all.iter_mut().zip(fields) {
        *place = field;
        count += 1;
    }
    (all, count)
}

/// The first so many fields, if there are as many.
pub(super) fn first<'a, const N: usize>(fields: impl Iterator<Item = &'a [u8]>) -> Option<[&'a [u8]; N]> {
    let (all, count) = up_to(fields);
    (count == N).then_some(all)
}

/// True if all fields are names of columns: words of two letters or more that begin with a letter or an underscore.
pub(super) fn are_names<'a>(mut fields: impl Iterator<Item = &'a [u8]>) -> bool {
    let is_name = |field: &[u8]| {
        field.len() > 1 && field.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
    };
    fields.all(is_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_that_are_none_are_refused() {
        assert_eq!(decimal(b"18446744073709551615"), Some(u64::MAX));
        for text in ["", "18446744073709551616", "-1", "+1", "1.5", "1e9", " 1"] {
            assert_eq!(decimal(text.as_bytes()), None, "{text}");
        }
        assert_eq!(integer(b"0x1F"), Some(31));
        assert_eq!(integer(b"0x"), None);
        assert_eq!(integer(b"0x+1"), None);
    }

    #[test]
    fn fractions_have_nine_decimals() {
        assert_eq!(billionths(b"0.000000001"), Some(1));
        assert_eq!(billionths(b"12.5"), Some(12_500_000_000));
        assert_eq!(billionths(b"7"), Some(7_000_000_000));
        assert_eq!(billionths(b"1.1234567891"), Some(1_123_456_789));
        for text in ["1.", ".5", "1.2.3", "1,5", "99999999999999999999.0"] {
            assert_eq!(billionths(text.as_bytes()), None, "{text}");
        }
    }
}
