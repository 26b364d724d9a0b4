/// The known name that is closest to what was written, if any is close enough to be what was meant:
/// at most one letter of three differs.
pub(crate) fn nearest<'a>(written: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let letters: Vec<char> = written.chars().take(64).collect();
    let most = (letters.len() / 3).clamp(1, 4);
    known
        .into_iter()
        .filter(|name| name.chars().count().abs_diff(letters.len()) <= most)
        .map(|name| (distance(&letters, name), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

/// Letters to insert, drop, replace, or swap with a neighbour, to make one word of the other.
fn distance(written: &[char], name: &str) -> usize {
    let name: Vec<char> = name.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=name.len()).collect();
    for (i, a) in written.iter().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in name.iter().enumerate() {
            let replaced = row[j] + usize::from(a != b);
            let mut best = replaced.min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *a == name[j - 1] && written[i - 1] == *b {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
    }
    row[name.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_the_name_that_was_meant() {
        let known = ["iodepth", "ioengine", "direct", "bs", "rw"];
        assert_eq!(nearest("iodpeth", known), Some("iodepth"));
        assert_eq!(nearest("io_engine", known), Some("ioengine"));
        assert_eq!(nearest("dircet", known), Some("direct"));
        assert_eq!(nearest("b", known), Some("bs"));
        assert_eq!(nearest("thermometer", known), None);
    }
}
