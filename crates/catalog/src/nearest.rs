use strsim::generic_damerau_levenshtein;

/// The names most like `text`, nearest first: names that begin with it, then others by edit distance over letters and digits,
/// whatever the case.
pub(crate) fn nearest<'a>(text: &str, names: impl Iterator<Item = &'a str>, count: usize) -> Vec<String> {
    let wanted = plain(text);
    // A name longer than any is nothing like any: measuring it would only take long.
    if wanted.len() > 64 {
        return Vec::new();
    }
    // Among names as near, those that begin alike come first: P30 before E1 for P31.
    // Before them, names of the same letters: DS14 before DS1 for DS41.
    let letters = |text: &[u8]| {
        let mut letters = text.to_vec();
        letters.sort_unstable();
        letters
    };
    let mut scored: Vec<(bool, usize, bool, usize, &str)> = names
        .map(|name| {
            let have = plain(name);
            let alike = have.iter().zip(&wanted).take_while(|(a, b)| a == b).count();
            let distance = generic_damerau_levenshtein(&wanted, &have);
            let begins_so = !wanted.is_empty() && alike == wanted.len();
            (!begins_so, distance, letters(&have) != letters(&wanted), wanted.len() - alike, name)
        })
        .filter(|(other, distance, _, _, name)| {
            !other || *distance <= 1 + wanted.len().max(plain(name).len()) / 4
        })
        .collect();
    scored.sort();
    scored.dedup_by(|a, b| a.4 == b.4);
    scored.truncate(count);
    scored.into_iter().map(|(_, _, _, _, name)| name.to_string()).collect()
}

/// Edit distance of two names over letters and digits, ignoring case.
pub(crate) fn unlike(one: &str, other: &str) -> usize {
    generic_damerau_levenshtein(&plain(one), &plain(other))
}

/// Lower-case letters and digits, without the vendor's prefix that everybody leaves out.
fn plain(text: &str) -> Vec<u8> {
    let lower = text.to_ascii_lowercase();
    let short = lower.strip_prefix("standard_").unwrap_or(&lower);
    short.bytes().filter(u8::is_ascii_alphanumeric).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_comes_first() {
        let names = ["Standard_D8s_v3", "Standard_D8s_v4", "Standard_E8s_v3", "Standard_M416ms_v2"];
        assert_eq!(nearest("D8s_v33", names.into_iter(), 2), ["Standard_D8s_v3", "Standard_D8s_v4"]);
        assert_eq!(nearest("P31", ["E1", "P1", "P30", "S30"].into_iter(), 1), ["P30"]);
        assert_eq!(nearest("DS41", ["DS4", "DS11", "DS14", "DS1"].into_iter(), 4)[0], "DS14");
        let sizes = ["c3-highmem-22", "z3-highmem-88", "z3-highmem-22-standardlssd"];
        assert_eq!(nearest("z3-highmem-22", sizes.into_iter(), 2)[0], "z3-highmem-22-standardlssd");
        assert!(nearest("foo", ["F1", "E1", "P30"].into_iter(), 3).is_empty());
        assert!(nearest("zzzzzzzzzzzz", names.into_iter(), 3).is_empty());
    }
}
