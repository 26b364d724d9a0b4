//! DiskSpd's sizes: a whole number, and at most one letter.

/// A size as DiskSpd reads it: digits, then nothing (bytes), `K`, `M`, `G`, `T` (2^10 to 2^40, either case) or
/// `b` (blocks of `block` bytes). In bytes; the error says what is wrong and what to write.
pub(super) fn parse_size(text: &str, block: Option<u64>) -> Result<u64, (String, String)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, letter) = text.split_at(digits);
    let help =
        || "write a whole number and K, M, G, T (powers of 1,024) or b (blocks): 4K, 50000M".to_string();
    if number.is_empty() {
        return Err((format!("`{text}` is not a size"), help()));
    }
    let factor = match (letter, block) {
        ("", _) => Some(1),
        ("k" | "K", _) => Some(1 << 10),
        ("m" | "M", _) => Some(1 << 20),
        ("g" | "G", _) => Some(1 << 30),
        ("t" | "T", _) => Some(1u64 << 40),
        ("b" | "B", Some(block)) => Some(block),
        _ => None,
    };
    let Some(factor) = factor else {
        let why = if letter.starts_with('.') || letter.starts_with(',') {
            "DiskSpd takes whole numbers only".to_string()
        } else if letter.eq_ignore_ascii_case("b") {
            "a block size cannot be given in blocks".to_string()
        } else {
            format!("`{letter}` is not a unit of DiskSpd's")
        };
        let first = letter.chars().next().filter(|c| "kmgtKMGT".contains(*c) && letter.len() <= 3);
        return Err((
            format!("`{text}`: {why}"),
            first.map_or_else(help, |first| format!("write {number}{first}: it is a power of 1,024")),
        ));
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|n| n.checked_mul(factor))
        .ok_or_else(|| (format!("`{text}` does not fit in 64 bits"), "write a smaller size".to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_a_whole_number_and_one_letter() {
        for (text, bytes) in [
            ("0", 0),
            ("512", 512),
            ("4K", 4096),
            ("4k", 4096),
            ("50000M", 52_428_800_000),
            ("200G", 200 << 30),
            ("2T", 2 << 40),
            ("3b", 3 * 8192),
            ("3B", 3 * 8192),
        ] {
            assert_eq!(parse_size(text, Some(8192)), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn any_other_size_is_refused_with_the_mend() {
        for (text, help) in [
            ("4KB", "write 4K"),
            ("4KiB", "write 4K"),
            ("1.5G", "whole number"),
            ("", "whole number"),
            ("K", "whole number"),
            ("-4", "whole number"),
            ("4P", "whole number"),
            ("18446744073709551616", "smaller"),
            ("99999999999T", "smaller"),
        ] {
            let (_, said) = parse_size(text, Some(8192)).unwrap_err();
            assert!(said.contains(help), "{text}: {said}");
        }
        assert!(parse_size("2b", None).is_err());
    }
}
