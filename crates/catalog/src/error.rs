use std::fmt;

/// Reason why a configuration or a catalogue file can't be taken: what was read, what was expected, how to fix it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CatalogError {
    /// A `--disk` that does not follow the grammar `[NAME=][COUNTx]WHAT[:CACHE]`.
    Spec {
        /// The text as it was given.
        text: String,
        /// The problem with it, and what to write.
        why: String,
    },
    /// A name that the catalogue does not have.
    Unknown {
        /// Expected kind: "VM size", "disk", "era".
        what: &'static str,
        /// The name as it was given.
        name: String,
        /// Names like it, nearest first.
        nearest: Vec<String>,
    },
    /// An entry that exists, but whose figure nobody has published or recorded.
    UnknownLimit {
        /// The entry: `Standard_E192ids_v6`.
        of: String,
        /// The figure that is missing, as the catalogue's column names: `uncached_mbps`.
        missing: Vec<String>,
        /// Advice: how to give it.
        help: String,
    },
    /// Things that exist but do not go together.
    Refused {
        /// The request.
        what: String,
        /// Reason why it can't be.
        why: String,
        /// Alternative to request instead.
        help: String,
    },
    /// A catalogue file with a line that can't be read.
    File {
        /// The file.
        file: String,
        /// The line, from one; zero where the file has none.
        line: usize,
        /// The problem with it, and what to write.
        why: String,
    },
}

impl CatalogError {
    pub(crate) fn refused(
        what: impl Into<String>,
        why: impl Into<String>,
        help: impl Into<String>,
    ) -> CatalogError {
        CatalogError::Refused { what: what.into(), why: why.into(), help: help.into() }
    }
}

impl fmt::Display for CatalogError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CatalogError::Spec { text, why } => write!(f, "--disk `{text}`: {why}"),
            CatalogError::Unknown { what, name, nearest } => {
                write!(f, "the catalogue has no {what} `{name}`: {}", instead_of(what, nearest))
            }
            CatalogError::UnknownLimit { of, missing, help } => {
                write!(f, "{of}: {} not known: {help}", listed(missing))
            }
            CatalogError::Refused { what, why, help } => write!(f, "{what}: {why}; {help}"),
            CatalogError::File { file, line: 0, why } => write!(f, "{file}: {why}"),
            CatalogError::File { file, line, why } => write!(f, "{file}, line {line}: {why}"),
        }
    }
}

impl std::error::Error for CatalogError {}

/// Fix of an unknown name: at most three near ones, and the command that lists all; of a few choices, all of them.
pub fn instead_of(what: &str, nearest: &[String]) -> String {
    if matches!(what, "era" | "bandwidth weighting" | "disk interface") {
        return format!("write one of {}", nearest.join(", "));
    }
    let all = match what {
        "region" => "`iobound catalog prices` lists the regions with prices",
        "VM size" => "`iobound catalog vms` lists all sizes",
        "disk" => "`iobound catalog disks` lists all disks",
        _ => "`iobound catalog --help` shows how to list all",
    };
    match nearest {
        [] => all.to_string(),
        near => format!("did you mean {}? {all}", near[..near.len().min(3)].join(", ")),
    }
}

/// `a is`, `a and b are`.
fn listed(names: &[String]) -> String {
    match names {
        [] => "a limit is".to_string(),
        [one] => format!("{one} is"),
        [most @ .., last] => format!("{} and {last} are", most.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_name_comes_with_its_neighbours() {
        let error = CatalogError::Unknown {
            what: "VM size",
            name: "DS41".into(),
            nearest: vec!["Standard_DS4".into(), "Standard_DS14".into()],
        };
        assert_eq!(
            error.to_string(),
            "the catalogue has no VM size `DS41`: did you mean Standard_DS4, Standard_DS14? `iobound catalog vms` lists all sizes"
        );
    }

    #[test]
    fn at_most_three_neighbours_are_named() {
        let near: Vec<String> = (1..=9).map(|n| format!("eu-west-{n}")).collect();
        let fix = instead_of("region", &near);
        assert!(fix.starts_with("did you mean eu-west-1, eu-west-2, eu-west-3?"), "{fix}");
        assert!(instead_of("region", &[]).starts_with("`iobound catalog prices`"));
    }
}
