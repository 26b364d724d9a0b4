//! Numbers and fields in the bytes of a line.

use super::lines::Time;

/// Bytes of a sector in every format that counts in sectors.
pub(super) const SECTOR: u64 = 512;

/// Ten to the eighth power: the range of eight digits.
const EIGHT_DIGITS: u64 = 100_000_000;

/// A decimal integer.
#[inline]
pub(super) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() || text.len() > 20 {
        return None;
    }
    // Sixteen digits at most are read eight at a time; so are all dates, which have 16 to 19.
    let (mut value, mut rest) = (0u64, text);
    while value < EIGHT_DIGITS
        && let Some((eight, behind)) = rest.split_first_chunk()
    {
        value = value * EIGHT_DIGITS + eight_digits(*eight)?;
        rest = behind;
    }
    // Nineteen digits always fit into 64 bits.
    let may_overflow = text.len() > 19;
    for byte in rest {
        let digit = u64::from(byte.wrapping_sub(b'0'));
        if digit > 9 {
            return None;
        }
        value = match may_overflow {
            false => value * 10 + digit,
            true => value.checked_mul(10)?.checked_add(digit)?,
        };
    }
    Some(value)
}

/// The value of eight digits, which are joined in pairs, then in fours, then to one number.
#[inline]
fn eight_digits(text: [u8; 8]) -> Option<u64> {
    let bytes = u64::from_le_bytes(text);
    // Digits are 0x30 to 0x39: six more does not change their upper half.
    let upper = 0xf0f0_f0f0_f0f0_f0f0;
    let more = bytes.wrapping_add(0x0606_0606_0606_0606);
    if bytes & upper != 0x3030_3030_3030_3030 || more & upper != 0x3030_3030_3030_3030 {
        return None;
    }
    let digits = bytes & 0x0f0f_0f0f_0f0f_0f0f;
    let pairs = (digits * 10 + (digits >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((fours * 10_000 + (fours >> 32)) & 0xffff_ffff)
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
    let behind = text.get(point + 1..).unwrap_or_default();
    if behind.is_empty() {
        return (point == text.len()).then_some(whole);
    }
    decimals(behind).and_then(|value| whole.checked_add(value))
}

/// The digits behind a point, in billionths; more than nine are cut off.
fn decimals(text: &[u8]) -> Option<u64> {
    let kept = &text[..text.len().min(9)];
    let is_number = !text.is_empty() && text.iter().all(u8::is_ascii_digit);
    decimal(kept).filter(|_| is_number).map(|value| value * 10u64.pow(9 - kept.len() as u32))
}

/// A time in the file's unit, which may have decimals.
#[inline]
pub(super) fn time(text: &[u8]) -> Option<Time> {
    match decimal(text) {
        Some(units) => Some(Time::Units(units)),
        None => {
            let point = text.iter().position(|byte| *byte == b'.')?;
            Some(Time::Fraction {
                whole: decimal(&text[..point])?,
                billionths: decimals(&text[point + 1..])?,
            })
        }
    }
}

/// Bytes of so many sectors.
pub(super) fn sectors(text: &[u8]) -> Option<u64> {
    decimal(text)?.checked_mul(SECTOR)
}

/// Fields that are separated by commas.
#[derive(Clone)]
struct CommaFields<'a> {
    /// `None` behind the last field.
    rest: Option<&'a [u8]>,
}

impl<'a> Iterator for CommaFields<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let rest = self.rest.take()?;
        if let Some((field, behind)) = quoted(rest) {
            self.rest = behind;
            return Some(field);
        }
        let end = memchr::memchr(b',', rest);
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(trimmed(&rest[..end.unwrap_or(rest.len())]))
    }
}

/// A field in quotation marks, in which commas are a part of it, and what follows it. `None`: there are no marks, or the second one
/// does not end a field.
fn quoted(text: &[u8]) -> Option<(&[u8], Option<&[u8]>)> {
    let inner = text.trim_ascii_start().strip_prefix(b"\"")?;
    let end = memchr::memchr(b'"', inner)?;
    match inner[end + 1..].trim_ascii_start() {
        [] => Some((inner[..end].trim_ascii(), None)),
        [b',', behind @ ..] => Some((inner[..end].trim_ascii(), Some(behind))),
        _ => None,
    }
}

/// The fields of a line that are separated by commas, trimmed, without quotation marks.
pub(super) fn by_commas(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    CommaFields { rest: Some(line) }
}

/// The fields of a line that are separated by white space.
pub(super) fn by_spaces(line: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty())
}

/// A bit in each byte that is a comma; of eight bytes, the first lowest.
#[inline]
fn commas(bytes: [u8; 8]) -> u64 {
    let low = 0x7f7f_7f7f_7f7f_7f7f;
    let zero_if_comma = u64::from_le_bytes(bytes) ^ 0x2c2c_2c2c_2c2c_2c2c;
    !(((zero_if_comma & low) + low) | zero_if_comma | low)
}

/// A field without the white space and the quotation marks around it, which few have.
#[inline]
pub(super) fn trimmed(field: &[u8]) -> &[u8] {
    // Both are below all digits and letters.
    match field {
        [first, .., last] if *first > b'"' && *last > b'"' => field,
        field => match field.trim_ascii() {
            [b'"', inner @ .., b'"'] => inner.trim_ascii(),
            field => field,
        },
    }
}

/// The first fields of a line that are separated by commas, trimmed, without quotation marks, and their number. Some publishers
/// add columns. A comma in quotation marks is not expected.
#[inline]
pub(super) fn up_to<const N: usize>(line: &[u8]) -> ([&[u8]; N], usize) {
    let mut all: [&[u8]; N] = [&[]; N];
    let (mut count, mut from, mut place) = (0, 0, 0);
    let mut rest = line;
    while !rest.is_empty() {
        let (mut found, length) = match rest.split_first_chunk() {
            Some((eight, behind)) => {
                rest = behind;
                (commas(*eight), 8)
            }
            None => {
                let mut eight = [0; 8];
                eight[..rest.len()].copy_from_slice(rest);
                let length = rest.len();
                rest = &[];
                (commas(eight), length)
            }
        };
        while found != 0 {
            let end = place + found.trailing_zeros() as usize / 8;
            all[count] = trimmed(&line[from..end]);
            count += 1;
            if count == N {
                return (all, N);
            }
            from = end + 1;
            found &= found - 1;
        }
        place += length;
    }
    all[count] = trimmed(&line[from..]);
    (all, count + 1)
}

/// The first so many fields, if there are as many.
#[inline]
pub(super) fn first<const N: usize>(line: &[u8]) -> Option<[&[u8]; N]> {
    let (all, count) = up_to(line);
    (count == N).then_some(all)
}

/// True if all fields of a line are names of columns: words of two letters or more that begin with a letter or an underscore.
pub(super) fn are_names(line: &[u8]) -> bool {
    let is_name = |field: &[u8]| {
        field.len() > 1 && field.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
    };
    by_commas(line).all(is_name)
}

/// A column's name: its letters and digits, in lower case.
pub(super) fn plain(field: &[u8]) -> Vec<u8> {
    field.iter().filter(|byte| byte.is_ascii_alphanumeric()).map(u8::to_ascii_lowercase).collect()
}

/// Reason why lines behind such a header cannot be read.
pub(super) const REORDERED: &str = "the header names the columns in another order than the format has";

/// Names of the columns of block traces in CSV: those of a row mean the same.
const COLUMNS: [&[&str]; 7] = [
    &["timestamp", "time", "ts"],
    &["hostname", "host"],
    &["deviceid", "device", "volumeid", "volume", "disknumber", "disk"],
    &["type", "iotype", "opcode", "op", "operation"],
    &["offset"],
    &["size", "length"],
    &["responsetime", "latency"],
];

/// The column that a name means, of [`COLUMNS`].
fn role(name: &[u8]) -> Option<usize> {
    COLUMNS.iter().position(|names| names.iter().any(|known| known.as_bytes() == name))
}

/// True if a header names a time, a device, an operation, an offset and a size.
pub(super) fn has_columns(header: &[u8]) -> bool {
    let found: Vec<usize> = by_commas(header).filter_map(|field| role(&plain(field))).collect();
    are_names(header) && [0, 2, 3, 4, 5].iter().all(|needed| found.contains(needed))
}

/// True if a header has a name of `order` in another place. A name that is not known says nothing.
pub(super) fn is_reordered(header: &[u8], order: &[&str]) -> bool {
    let roles: Vec<Option<usize>> = order.iter().map(|name| role(name.as_bytes())).collect();
    by_commas(header).enumerate().any(|(place, field)| {
        let found = role(&plain(field));
        found.is_some() && roles.contains(&found) && roles.get(place) != Some(&found)
    })
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
    fn a_number_of_any_length_is_the_sum_of_its_digits() {
        let text = b"98765432109876543210";
        for from in 0..text.len() {
            for to in from + 1..=text.len() {
                let digits = &text[from..to];
                let sum = digits.iter().fold(0u128, |sum, digit| sum * 10 + u128::from(digit - b'0'));
                assert_eq!(
                    decimal(digits).map(u128::from),
                    Some(sum).filter(|sum| *sum <= u128::from(u64::MAX))
                );
            }
        }
        // Every byte that is no digit, in every place.
        for place in 0..text.len() {
            for byte in (0..=u8::MAX).filter(|byte| !byte.is_ascii_digit()) {
                let mut text = *b"12345678901234567890";
                text[place] = byte;
                assert_eq!(decimal(&text), None, "{byte:#x} at {place}");
            }
        }
        assert_eq!(decimal(b"00000000000000000001"), Some(1));
    }

    #[test]
    fn the_first_fields_are_trimmed_and_counted() {
        assert_eq!(up_to::<3>(b" a , b"), ([b"a".as_slice(), b"b", b""], 2));
        assert_eq!(up_to::<2>(b"a,,c"), ([b"a".as_slice(), b""], 2));
        assert_eq!(up_to::<3>(b"a,b,"), ([b"a".as_slice(), b"b", b""], 3));
        // Every byte beside a comma, in every place of two words and a part of one.
        for place in 0..19 {
            for byte in 0..=u8::MAX {
                let mut line = *b"0123,567,,abcdef,hi";
                line[place] = byte;
                let expected: Vec<&[u8]> = by_commas(&line).take(6).collect();
                let (found, count) = up_to::<6>(&line);
                assert_eq!(&found[..count], expected, "{byte:#x} at {place}");
            }
        }
        assert_eq!(up_to::<2>(b""), ([b"".as_slice(), b""], 1));
        assert_eq!(first::<3>(b"a,b"), None);
    }

    #[test]
    fn quotation_marks_around_a_field_are_no_part_of_it() {
        let fields = |line: &'static str| -> Vec<&str> {
            by_commas(line.as_bytes()).map(|field| std::str::from_utf8(field).unwrap()).collect()
        };
        assert_eq!(fields(r#""a", "b, c" ,d,"""#), ["a", "b, c", "d", ""]);
        // Marks that do not surround a field are characters.
        assert_eq!(fields(r#"a "b", c"d, "e"#), [r#"a "b""#, r#"c"d"#, r#""e"#]);
        assert_eq!(fields(r#""a"b, c""#), [r#""a"b"#, r#"c""#]);
        assert_eq!(up_to::<3>(br#""1","Read" ,5"#), ([b"1".as_slice(), b"Read", b"5"], 3));
        assert_eq!(up_to::<1>(br#"""#), ([br#"""#.as_slice()], 1));
    }

    #[test]
    fn times_may_have_decimals() {
        assert!(matches!(time(b"128166372003061629"), Some(Time::Units(128_166_372_003_061_629))));
        let parts = |text: &[u8]| match time(text) {
            Some(Time::Fraction { whole, billionths }) => Some((whole, billionths)),
            _ => None,
        };
        assert_eq!(parts(b"1538323200.25"), Some((1_538_323_200, 250_000_000)));
        assert_eq!(parts(b"128166372003061629.0000000019"), Some((128_166_372_003_061_629, 1)));
        for text in ["1.", ".5", "1.2.3", "1.-2", "1.5s", ""] {
            assert!(time(text.as_bytes()).is_none(), "{text}");
        }
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
