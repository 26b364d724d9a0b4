//! Greeting of the two ends of an ssh connection, before it carries the meeting: a line each, in JSON.
//!
//! The far end greets first. Output of a login shell before the greeting is skipped. The line of the near end (options,
//! a token) appears in no list of processes and in no environment of another user.

use serde_json::{Value, json};

/// Prefix of the far end's line.
const MARK: &str = "iobound-fleet ";

/// The longest line that either end takes, in bytes: thousands of words, and far less than memory.
pub(crate) const LONGEST: usize = 1 << 20;

/// The most bytes that a login shell may print before the greeting.
pub(crate) const BEFORE: usize = 64 << 10;

/// Self-description of the far end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Greeting {
    /// The version of the program there.
    pub(crate) version: String,
    /// Name of the machine.
    pub(crate) host: String,
    /// Boot of the machine; empty if the kernel does not report it.
    pub(crate) boot: String,
}

impl Greeting {
    /// The line, with its end.
    pub(crate) fn line(&self) -> String {
        format!("{MARK}{}\n", json!({ "version": self.version, "host": self.host, "boot": self.boot }))
    }

    /// The greeting of a line, or `None` where it is something else that is printed there.
    pub(crate) fn of(line: &str) -> Option<Greeting> {
        let value: Value = serde_json::from_str(line.trim_end().strip_prefix(MARK)?).ok()?;
        let text = |key: &str| value.get(key)?.as_str().map(str::to_string);
        Some(Greeting { version: text("version")?, host: text("host")?, boot: text("boot")? })
    }
}

/// Request of the near end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Start {
    /// The rank it that will be.
    pub(crate) rank: u32,
    /// Of how many.
    pub(crate) of: u32,
    /// The words of the run, from its verb on.
    pub(crate) words: Vec<String>,
    /// Meeting place; `None`: through this connection.
    pub(crate) meet: Option<Direct>,
    /// True if the command is no rank of a run: the connection carries what it prints.
    pub(crate) prints: bool,
}

/// A meeting that does not go through the connection.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Direct {
    /// The address of the coordinator.
    pub(crate) meet: String,
    /// The secret.
    pub(crate) token: String,
    /// The authority of the coordinator's certificate, as PEM.
    pub(crate) ca: Option<String>,
}

impl std::fmt::Debug for Direct {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Direct").field("meet", &self.meet).finish_non_exhaustive()
    }
}

impl Start {
    /// The line, with its end.
    pub(crate) fn line(&self) -> String {
        let meet = self.meet.as_ref();
        let direct = meet.map(|it| json!({ "meet": it.meet, "token": it.token, "ca": it.ca }));
        let start = json!({
            "rank": self.rank, "of": self.of, "words": self.words, "direct": direct, "prints": self.prints
        });
        format!("{start}\n")
    }

    /// The start that a line asks for.
    pub(crate) fn of(line: &str) -> Option<Start> {
        let value: Value = serde_json::from_str(line).ok()?;
        let number = |key: &str| value.get(key)?.as_u64().and_then(|number| u32::try_from(number).ok());
        let text = |of: &Value, key: &str| of.get(key)?.as_str().map(str::to_string);
        let words: Option<Vec<String>> =
            value.get("words")?.as_array()?.iter().map(|word| word.as_str().map(str::to_string)).collect();
        let meet = match value.get("direct")? {
            Value::Null => None,
            direct => Some(Direct {
                meet: text(direct, "meet")?,
                token: text(direct, "token")?,
                ca: text(direct, "ca"),
            }),
        };
        let prints = value.get("prints")?.as_bool()?;
        Some(Start { rank: number("rank")?, of: number("of")?, words: words?, meet, prints })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_end_reads_what_the_other_says() {
        let greeting = Greeting { version: "1.2".into(), host: "db\"1".into(), boot: "b".into() };
        assert_eq!(Greeting::of(&greeting.line()), Some(greeting));
        let direct = Direct { meet: "db0:7711".into(), token: "secret".into(), ca: Some("-----\n".into()) };
        for meet in [None, Some(direct.clone()), Some(Direct { ca: None, ..direct })] {
            let words = ["run", "/mnt/a b", "--vs", "'x'\n\"", "\u{e9}"].map(String::from).to_vec();
            let start = Start { rank: 3, of: 4, words, prints: meet.is_none(), meet };
            assert_eq!(start.line().matches('\n').count(), 1, "one line, whatever the words hold");
            assert_eq!(Start::of(&start.line()), Some(start));
        }
    }

    #[test]
    fn what_a_login_shell_prints_is_no_greeting() {
        for line in ["Welcome to db1", "", "iobound-fleet", "iobound-fleet {}", "{\"version\":\"1\"}"] {
            assert_eq!(Greeting::of(line), None, "{line}");
        }
        assert_eq!(Start::of("{}"), None);
    }

    #[test]
    fn a_secret_is_not_shown() {
        let direct = Direct { meet: "db0:7711".into(), token: "secret".into(), ca: None };
        assert!(!format!("{direct:?}").contains("secret"));
    }
}
