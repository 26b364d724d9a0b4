//! `buffer_pattern` and `verify_pattern`: the bytes that blocks repeat.
//!
//! Numbers and strings, one after the other: `0xdeadface"abcd"-12`. In `verify_pattern`, `%o` is the offset of the block.
//! Source: `lib/pattern.c` of fio 3.42, and what fio 3.33 writes.

use iobound_workload::{BlockPattern, Content, Repeated};

use super::units::Wrong;

/// The content that a value of the option means.
pub(super) fn parse(text: &str) -> Result<Content, Wrong> {
    let bytes = read(text, None)?;
    if bytes.iter().all(|byte| *byte == 0) && !bytes.is_empty() {
        return Ok(Content::Zeros);
    }
    let content = Repeated::new(&bytes).map(Content::Repeated);
    content.ok_or_else(|| wrong_size(text, &bytes, Repeated::MOST))
}

/// The blocks that a value of `verify_pattern` means.
pub(super) fn parse_blocks(text: &str) -> Result<BlockPattern, Wrong> {
    let mut fields = Vec::new();
    let bytes = read(text, Some(&mut fields))?;
    BlockPattern::new(bytes.clone(), fields).ok_or_else(|| wrong_size(text, &bytes, BlockPattern::MOST))
}

fn wrong_size(text: &str, bytes: &[u8], most: usize) -> Wrong {
    (format!("`{text}` has {} bytes", bytes.len()), format!("1 to {most} are possible"))
}

/// The bytes of a pattern. The indexes of offsets go to `fields`, where the pattern may have any.
fn read(text: &str, mut fields: Option<&mut Vec<usize>>) -> Result<Vec<u8>, Wrong> {
    let mut bytes = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        rest = match (rest.chars().next(), &mut fields) {
            (Some('%'), Some(fields)) => {
                let after = rest.strip_prefix("%o").ok_or_else(|| no_part(rest))?;
                fields.push(bytes.len());
                bytes.extend([0; BlockPattern::FIELD]);
                after
            }
            (Some('"'), _) => string(rest, &mut bytes)?,
            (Some('\''), _) => {
                let help = "write the bytes themselves: 0xdeadbeef, or \"text\"";
                return Err(("the content of a file is not supported".into(), help.into()));
            }
            _ if rest.starts_with("0x") || rest.starts_with("0X") => hexadecimal(rest, &mut bytes)?,
            _ => decimal(rest, &mut bytes)?,
        };
    }
    Ok(bytes)
}

fn no_part(rest: &str) -> Wrong {
    (
        format!("`{rest}` is neither a number nor a string"),
        "write 0xdeadbeef, a decimal number, or \"text\"".to_string(),
    )
}

fn string<'a>(rest: &'a str, bytes: &mut Vec<u8>) -> Result<&'a str, Wrong> {
    let (inside, after) = rest[1..].split_once('"').ok_or_else(|| no_part(rest))?;
    bytes.extend(inside.bytes());
    Ok(after)
}

/// The length of what is before the next `0x`; of all where there is none.
fn to_next_hexadecimal(text: &str) -> usize {
    [text.find("0x"), text.find("0X")].into_iter().flatten().min().unwrap_or(text.len())
}

/// As written, the first digits first; half a byte more at the front where they are odd.
fn hexadecimal<'a>(rest: &'a str, bytes: &mut Vec<u8>) -> Result<&'a str, Wrong> {
    let digits = &rest[2..];
    let length = digits[..to_next_hexadecimal(digits)].bytes().take_while(u8::is_ascii_hexdigit).count();
    if length == 0 {
        return Err(no_part(rest));
    }
    let padded = format!("{}{}", if length % 2 == 1 { "0" } else { "" }, &digits[..length]);
    let byte = |at| u8::from_str_radix(&padded[at..at + 2], 16).map_err(|_| no_part(rest));
    for at in (0..padded.len()).step_by(2) {
        bytes.push(byte(at)?);
    }
    Ok(&digits[length..])
}

/// The lowest byte first: as many as the number has, all four of one below zero.
fn decimal<'a>(rest: &'a str, bytes: &mut Vec<u8>) -> Result<&'a str, Wrong> {
    // `100xab` is 10 and 0xab.
    let number = &rest[..to_next_hexadecimal(rest)];
    let sign = usize::from(rest.starts_with('-'));
    let length = sign + number.bytes().skip(sign).take_while(u8::is_ascii_digit).count();
    let number: i32 = rest.get(..length).and_then(|text| text.parse().ok()).ok_or_else(|| no_part(rest))?;
    let all = number.to_le_bytes();
    let used =
        if number < 0 { 4 } else { all.iter().rposition(|byte| *byte != 0).map_or(1, |last| last + 1) };
    bytes.extend(&all[..used]);
    Ok(&rest[length..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_those_that_fio_writes() {
        // Each as fio 3.33 wrote it to a file.
        for (text, written) in [
            ("0xdeadbeef", "0xdeadbeef"),
            ("123", "0x7b"),
            ("\"abcd\"", "0x61626364"),
            ("0xdeadface\"abcd\"-12", "0xdeadface61626364f4ffffff"),
            ("0xabc", "0x0abc"),
            ("65536", "0x000001"),
            ("-1", "0xffffffff"),
            ("0xff0X1", "0xff01"),
            ("-100xab", "0xf6ffffffab"),
        ] {
            let expected = Repeated::parse(written).map(Content::Repeated).unwrap();
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
        assert_eq!(parse("0").unwrap(), Content::Zeros);
    }

    #[test]
    fn an_offset_is_eight_bytes_of_a_block() {
        // `lib/pattern.c`, examples 7 and 9.
        for (text, bytes, fields) in [
            ("-100xab\"1\"%o\"2\"", &b"\xf6\xff\xff\xff\xab1\0\0\0\0\0\0\0\x002"[..], vec![6]),
            ("%o0xdeadbeef%o", b"\0\0\0\0\0\0\0\0\xde\xad\xbe\xef\0\0\0\0\0\0\0\0", vec![0, 12]),
        ] {
            assert_eq!(
                parse_blocks(text).unwrap(),
                BlockPattern::new(bytes.to_vec(), fields).unwrap(),
                "{text}"
            );
        }
        assert!(parse("%o").is_err(), "a buffer has no offset");
        for wrong in ["%", "%x", "%o%", ""] {
            assert!(parse_blocks(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn what_is_no_pattern_is_refused() {
        for wrong in ["", "x", "'file'", "\"open", "0x", "99999999999", "-", "1 2", "é"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert!(parse(&format!("\"{}\"", "x".repeat(65))).unwrap_err().0.contains("65 bytes"));
    }
}
