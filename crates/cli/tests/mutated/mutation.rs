//! Figures of a text, replaced by extremes.

/// Replacements of a figure; the empty text is one of them.
pub(crate) fn extremes() -> Vec<String> {
    let texts = [
        "",
        "0",
        "1",
        "-1",
        "-0.0",
        "1e307",
        "1e309",
        "1e300",
        "1e31",
        "1e18",
        "1e13",
        "-1e307",
        "1e-320",
        "NaN",
        "inf",
        "4294967295",
        "4294967296",
        "65535",
        "65536",
        "16777216",
        "9007199254740993",
        "999999999999",
        "1000000000000",
        "18446744073709551615",
        "18446744073709551616",
        "9223372036854775807",
        "-9223372036854775808",
        "18446744073709551615PiB",
        "0.000000000000000001",
    ];
    let mut texts: Vec<String> = texts.into_iter().map(String::from).collect();
    texts.push("9".repeat(400));
    texts.push(format!("0.{}", "0".repeat(400)));
    texts
}

/// A sequence of numbers from a seed (xorshift64).
pub(crate) struct Draw(pub(crate) u64);

impl Draw {
    pub(crate) fn below(&mut self, count: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % count.max(1) as u64) as usize
    }
}

/// Places of the figures in a text.
fn figures(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let start = at;
        while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'.') {
            at += 1;
        }
        // A digit within a name, as in `sda1`, is one as well: names are input too.
        found.push((start, at));
    }
    found
}

/// The text with one to three of its figures replaced.
pub(crate) fn mutate(text: &str, extremes: &[String], draw: &mut Draw) -> String {
    let mut mutated = text.to_string();
    for _ in 0..1 + draw.below(3) * draw.below(2) {
        let places = figures(&mutated);
        if places.is_empty() {
            break;
        }
        let (start, end) = places[draw.below(places.len())];
        mutated.replace_range(start..end, &extremes[draw.below(extremes.len())]);
    }
    mutated
}
