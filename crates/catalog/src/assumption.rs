//! Assumptions of an answer.

use std::fmt;

use iobound_units::Op;

/// A value that an answer needs and the question does not give.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assumption {
    /// The assumed property.
    pub property: Property,
    /// Assumed value.
    pub value: String,
    /// Reason or origin.
    pub why: String,
    /// True if nothing published and nothing measured stands behind the value.
    pub is_guess: bool,
}

/// An assumed property of a subject.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    /// Kind of the property.
    pub kind: PropertyKind,
    /// The disk type, the limiters, the volume; of [`PropertyKind::Other`] all words: `cache data`.
    pub subject: String,
}

/// Kind of an assumed property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// Algorithm of limiters: slices or a bucket.
    Algorithm,
    /// Enforced limit of limiters, as a factor of the published one.
    Enforcement,
    /// Size up to which limiters count adjacent I/Os as one.
    Merging,
    /// Latency of a disk's media in one direction; `None`: in both.
    Media(Option<Op>),
    /// Latency of the host cache's media.
    CacheMedia,
    /// Content of files before they are read.
    Files,
    /// Any other.
    Other,
}

impl PropertyKind {
    /// The property of a subject.
    pub fn of(self, subject: impl Into<String>) -> Property {
        Property { kind: self, subject: subject.into() }
    }

    /// True if the property is the latency of media.
    pub fn is_media(self) -> bool {
        matches!(self, PropertyKind::Media(_) | PropertyKind::CacheMedia)
    }

    /// The kind of two properties of one subject; `None` if they are not told together.
    fn and(self, other: PropertyKind) -> Option<PropertyKind> {
        match (self, other) {
            (PropertyKind::Media(one), PropertyKind::Media(other)) if one != other => {
                Some(PropertyKind::Media(None))
            }
            (one, other) => (one == other).then_some(one),
        }
    }
}

impl From<&str> for Property {
    fn from(words: &str) -> Property {
        PropertyKind::Other.of(words)
    }
}

impl From<String> for Property {
    fn from(words: String) -> Property {
        PropertyKind::Other.of(words)
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let subject = &self.subject;
        match self.kind {
            PropertyKind::Algorithm => write!(f, "algorithm of {subject}"),
            PropertyKind::Enforcement => write!(f, "enforcement of {subject}"),
            PropertyKind::Merging => write!(f, "merging at {subject}"),
            PropertyKind::Media(Some(direction)) => write!(f, "media {subject} {}", direction.name()),
            PropertyKind::Media(None) => write!(f, "media {subject} read and write"),
            PropertyKind::CacheMedia => write!(f, "media of {subject}"),
            PropertyKind::Files | PropertyKind::Other => f.write_str(subject),
        }
    }
}

impl fmt::Display for Assumption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {} ({})", self.property, self.value, self.why)
    }
}

impl Assumption {
    /// The property in words: `media gp3 read`, `cache data`.
    pub fn what(&self) -> String {
        self.property.to_string()
    }

    /// Assumptions of one kind, value and reason as one: `algorithm of gp3 and aws-vm limiters`.
    pub fn said_once<'a>(all: impl IntoIterator<Item = &'a Assumption>) -> Vec<Assumption> {
        // Both directions of one subject first, so that the subjects are then alike.
        let mut each: Vec<Assumption> = Vec::new();
        for one in all {
            let is_said = each.iter_mut().filter(|of| of.property.subject == one.property.subject);
            let mut is_said = is_said.filter(|of| of.has_value_of(one));
            let both = is_said.find_map(|of| of.property.kind.and(one.property.kind).map(|kind| (of, kind)));
            match both {
                Some((of, kind)) => of.property.kind = kind,
                None => each.push(one.clone()),
            }
        }
        let mut groups: Vec<(&Assumption, Vec<&str>)> = Vec::new();
        for one in &each {
            let subject = one.property.subject.as_str();
            let is_alike = |(of, _): &&mut (&Assumption, Vec<&str>)| {
                of.property.kind == one.property.kind && of.has_value_of(one)
            };
            match groups.iter_mut().find(is_alike) {
                Some((_, subjects)) => subjects.push(subject),
                None => groups.push((one, vec![subject])),
            }
        }
        let of_group = |(of, subjects): &(&Assumption, Vec<&str>)| Assumption {
            property: of.property.kind.of(joined(subjects)),
            ..(*of).clone()
        };
        groups.iter().map(of_group).collect()
    }

    /// Assumptions in sentences, those of one reason in one: `algorithm of gp3 limiters: a bucket of 1 s; enforcement of gp3
    /// limiters: published x 1 (assumption: …)`.
    pub fn sentences<'a>(all: impl IntoIterator<Item = &'a Assumption>) -> Vec<String> {
        let mut reasons: Vec<(String, String)> = Vec::new();
        for Assumption { property, value, why, .. } in Assumption::said_once(all) {
            let said = format!("{property}: {value}");
            match reasons.iter_mut().find(|(_, reason)| *reason == why) {
                Some((before, _)) => before.push_str(&format!("; {said}")),
                None => reasons.push((said, why)),
            }
        }
        reasons.into_iter().map(|(said, why)| format!("{said} ({why})")).collect()
    }

    /// True if value and reason are those of another assumption.
    fn has_value_of(&self, other: &Assumption) -> bool {
        (&self.value, &self.why) == (&other.value, &other.why)
    }
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

    fn of(property: impl Into<Property>, value: &str) -> Assumption {
        Assumption { property: property.into(), value: value.into(), why: "why".into(), is_guess: true }
    }

    #[test]
    fn assumptions_of_one_value_are_said_once() {
        use PropertyKind::{Algorithm, Enforcement, Files, Media};
        let [read, write] = [Op::Read, Op::Write].map(|direction| Media(Some(direction)));
        let all = [
            of(Algorithm.of("gcp-vm limiters"), "a bucket of 1 s"),
            of(Enforcement.of("gcp-vm limiters"), "published x 1"),
            of(Algorithm.of("pd-ssd limiters"), "a bucket of 1 s"),
            of(read.of("SSD Persistent Disk"), "2 ms"),
            of(write.of("SSD Persistent Disk"), "2 ms"),
            of(read.of("Hyperdisk Balanced"), "2 ms"),
            of(write.of("Hyperdisk Balanced"), "2 ms"),
            of(write.of("Hyperdisk Balanced"), "2 ms"),
            of(Algorithm.of("gp3 limiters"), "a bucket of 2 s"),
            of("cache data", "none"),
            of("cache log", "none"),
            of(Files.of("files"), "written"),
        ];
        let said: Vec<String> = Assumption::said_once(&all).iter().map(Assumption::what).collect();
        assert_eq!(
            said,
            [
                "algorithm of gcp-vm and pd-ssd limiters",
                "enforcement of gcp-vm limiters",
                "media SSD Persistent Disk and Hyperdisk Balanced read and write",
                "algorithm of gp3 limiters",
                "cache data and log",
                "files",
            ]
        );
        assert_eq!(all[11].to_string(), "files: written (why)");
        let other = Assumption { why: "given".into(), ..of(read.of("gp3"), "1 ms") };
        assert_eq!(
            Assumption::sentences([&all[0], &other, &all[1]]),
            [
                "algorithm of gcp-vm limiters: a bucket of 1 s; enforcement of gcp-vm limiters: published x 1 (why)",
                "media gp3 read: 1 ms (given)",
            ]
        );
    }
}
