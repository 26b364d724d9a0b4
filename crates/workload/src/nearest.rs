//! The known names that a mistyped one may have meant.

use strsim::levenshtein;

/// Up to three of `known`, the likeliest first: those that contain the name or differ in few letters.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let name = name.to_lowercase();
    let mut close: Vec<(usize, &str)> = known
        .into_iter()
        .filter_map(|candidate| {
            let distance = levenshtein(&name, candidate);
            let contained = !name.is_empty() && (candidate.contains(&name) || name.contains(candidate));
            let near = distance <= 1 + name.len().min(candidate.len()) / 3;
            (contained || near).then_some((distance, candidate))
        })
        .collect();
    close.sort_unstable();
    close.into_iter().take(3).map(|(_, candidate)| candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_finds_its_name() {
        let known = ["block", "depth", "duration", "threads", "flush-every"];
        assert_eq!(nearest("blok", known), ["block"]);
        assert_eq!(nearest("thread", known), ["threads"]);
        assert_eq!(nearest("flush", known), ["flush-every"]);
        assert!(nearest("qwertz", known).is_empty());
    }
}
