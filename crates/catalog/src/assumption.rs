//! Assumptions of an answer.

use std::fmt;

/// A value that an answer needs and the question does not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// Subject of the assumption: `media premium`, `cache data`.
    pub what: String,
    /// Assumed value.
    pub value: String,
    /// Reason or origin.
    pub why: String,
    /// True if nothing published and nothing measured stands behind the value.
    pub is_guess: bool,
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.what, self.value, self.why)
    }
}

impl Assumption {
    /// Assumptions of one property, value and reason as one: `algorithm of gp3 and aws-vm limiters`.
    pub fn said_once<'a>(all: impl IntoIterator<Item = &'a Assumption>) -> Vec<Assumption> {
        let all: Vec<Assumption> = all.into_iter().cloned().collect();
        let but_last = |what: &str| what.rsplit_once(' ').map_or(what, |(start, _)| start).to_string();
        let first = |what: &str| what.split(' ').next().unwrap_or_default().to_string();
        merged(&merged(&all, but_last), first)
    }
}

/// Assumptions that differ in their subject alone, of which the same part is the key, as one.
fn merged(all: &[Assumption], key: impl Fn(&str) -> String) -> Vec<Assumption> {
    let mut groups: Vec<(&Assumption, Vec<&str>)> = Vec::new();
    for one in all {
        let is_alike = |(of, _): &&mut (&Assumption, Vec<&str>)| {
            key(&of.what) == key(&one.what) && (&of.value, &of.why) == (&one.value, &one.why)
        };
        match groups.iter_mut().find(is_alike) {
            Some((_, subjects)) if subjects.contains(&one.what.as_str()) => {}
            Some((_, subjects)) => subjects.push(&one.what),
            None => groups.push((one, vec![&one.what])),
        }
    }
    groups.iter().map(|(of, subjects)| Assumption { what: joined(subjects), ..(*of).clone() }).collect()
}

/// Subjects as one: the words that all of them begin and end with are said once.
fn joined(subjects: &[&str]) -> String {
    let words: Vec<Vec<&str>> = subjects.iter().map(|subject| subject.split(' ').collect()).collect();
    let Some(first) = words.first() else { return String::new() };
    // A word of its own stays of each.
    let most = words.iter().map(Vec::len).min().map_or(0, |shortest| shortest - 1);
    let start = (0..most).take_while(|at| words.iter().all(|of| of[*at] == first[*at])).count();
    let from_end = |of: &Vec<&str>, at: usize| of[of.len() - 1 - at].to_string();
    let is_common = |at: &usize| words.iter().all(|of| from_end(of, *at) == from_end(first, *at));
    let end = (0..most - start).take_while(is_common).count();
    let own: Vec<String> = words.iter().map(|of| of[start..of.len() - end].join(" ")).collect();
    let own = match own.as_slice() {
        [before @ .., last] if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        one => one.concat(),
    };
    [&first[..start], &[own.as_str()], &first[first.len() - end..]].concat().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(what: &str, value: &str) -> Assumption {
        Assumption { what: what.into(), value: value.into(), why: "why".into(), is_guess: true }
    }

    #[test]
    fn assumptions_of_one_value_are_said_once() {
        let all = [
            of("algorithm of gcp-vm limiters", "a bucket of 1 s"),
            of("enforcement of gcp-vm limiters", "published x 1"),
            of("algorithm of pd-ssd limiters", "a bucket of 1 s"),
            of("media SSD Persistent Disk read", "2 ms"),
            of("media SSD Persistent Disk write", "2 ms"),
            of("media Hyperdisk Balanced read", "2 ms"),
            of("media Hyperdisk Balanced write", "2 ms"),
            of("media Hyperdisk Balanced write", "2 ms"),
            of("algorithm of gp3 limiters", "a bucket of 2 s"),
            of("files", "written"),
        ];
        let said: Vec<String> = Assumption::said_once(&all).iter().map(|one| one.what.clone()).collect();
        assert_eq!(
            said,
            [
                "algorithm of gcp-vm and pd-ssd limiters",
                "enforcement of gcp-vm limiters",
                "media SSD Persistent Disk and Hyperdisk Balanced read and write",
                "algorithm of gp3 limiters",
                "files",
            ]
        );
        assert_eq!(all[9].to_string(), "files: written (why)");
    }
}
