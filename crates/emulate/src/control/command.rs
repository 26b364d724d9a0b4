//! Commands for a running emulator, as words.

use iobound_model::CacheMode;
use iobound_units::{Percent, Ppm, Problem, Span, parse_percent, parse_span};

/// The action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// Another host-cache setting of a disk, or of all disks of a volume; `None` for no cache.
    Cache {
        /// The disk or volume.
        of: String,
        /// The setting.
        mode: Option<CacheMode>,
    },
    /// Another tier of a volume's disks, in the catalogue's words: `P40`.
    Tier {
        /// The disk or volume.
        of: String,
        /// The tier.
        tier: String,
    },
    /// Another volume, in the words of `--disk`.
    AddDisk {
        /// `log=2xP20:readonly`.
        spec: String,
    },
    /// Burst credits of some limiters.
    Credits {
        /// A disk, a volume, a limiter, or all.
        of: Selection,
        /// True if they are filled, or drained.
        fill: bool,
    },
    /// The host caches hold a volume, or all that they can.
    Warm {
        /// The volume.
        volume: Option<String>,
    },
    /// The host caches hold nothing.
    DropCache,
    /// A disk misbehaves.
    Fault {
        /// A disk, a volume, or all.
        of: Selection,
        /// The fault; `None`: none any more.
        fault: Option<Trouble>,
    },
    /// The VM lies on a host where everything is slower.
    BadHost {
        /// By how much, and for how long; `None`: no more.
        slower: Option<(Ppm, Option<Span>)>,
    },
    /// The host fails: what was acknowledged and not yet written back is lost.
    Crash,
    /// The events now.
    State,
    /// The end.
    Stop,
}

/// Some of the things of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Every one.
    All,
    /// Those of that name.
    Named(String),
}

/// Misbehaviour of a disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trouble {
    /// Latency × this.
    pub latency: Ppm,
    /// The share of I/Os that fail.
    pub errors: Percent,
    /// Nothing completes for so long.
    pub stall: Option<Span>,
    /// Time that it lasts; until it is switched off if nothing is said.
    pub lasts: Option<Span>,
}

/// Every command with what it does, for people.
pub const COMMANDS: [(&str, &str); 12] = [
    ("state", "Show the state"),
    ("cache DISK none|readonly|readwrite", "Change the host-cache setting"),
    ("tier DISK P40", "Change the performance tier, but not the size"),
    ("add-disk SPEC", "Add a volume, as with --disk: log=2xP20"),
    ("credits DISK|LIMITER|all drain|fill", "Spend (drain) or fill the burst credits"),
    ("warm [VOLUME]", "Fill the host caches with the data of the volume, or of all volumes"),
    ("drop-cache", "Empty the host caches, as after a restart"),
    ("fault DISK|all latency=5x errors=1% stall=10s for=30s", "Inject one or more of these faults"),
    ("fault DISK|all off", "Remove the faults of the disk"),
    ("bad-host 5x [for=30s] | off", "Slow down every disk of the VM by this factor"),
    ("crash", "Fail the host: data that its ReadWrite cache has not written back is lost"),
    ("stop", "Stop the emulator, as Ctrl-C does"),
];

impl Command {
    /// Reads words.
    ///
    /// # Errors
    /// Returns an error if the words are not a command.
    pub fn parse(words: &[&str]) -> Result<Command, Problem> {
        let Some((verb, rest)) = words.split_first() else {
            return Err(wrong("there is no command", &list()));
        };
        let usage = COMMANDS.iter().find(|(usage, _)| usage.split(' ').next() == Some(verb));
        let Some((usage, _)) = usage else {
            return Err(wrong(&format!("`{verb}` is not a command"), &list()));
        };
        let misfit = || wrong(&format!("unexpected `{}`", words.join(" ")), &format!("write: {usage}"));
        match (*verb, rest) {
            ("cache", [of, mode]) => {
                let mode = match *mode {
                    "none" => None,
                    "readonly" => Some(CacheMode::ReadOnly),
                    "readwrite" => Some(CacheMode::ReadWrite),
                    _ => return Err(misfit()),
                };
                Ok(Command::Cache { of: of.to_string(), mode })
            }
            ("tier", [of, tier]) => Ok(Command::Tier { of: of.to_string(), tier: tier.to_string() }),
            ("add-disk", [spec]) => Ok(Command::AddDisk { spec: spec.to_string() }),
            ("credits", [of, "drain"]) => Ok(Command::Credits { of: Selection::of(of), fill: false }),
            ("credits", [of, "fill"]) => Ok(Command::Credits { of: Selection::of(of), fill: true }),
            ("warm", []) => Ok(Command::Warm { volume: None }),
            ("warm", [volume]) => Ok(Command::Warm { volume: Some(volume.to_string()) }),
            ("drop-cache", []) => Ok(Command::DropCache),
            ("fault", [of, "off"]) => Ok(Command::Fault { of: Selection::of(of), fault: None }),
            ("fault", [of, how @ ..]) if !how.is_empty() => {
                let fault = Some(Trouble::parse(how)?);
                Ok(Command::Fault { of: Selection::of(of), fault })
            }
            ("bad-host", ["off"]) => Ok(Command::BadHost { slower: None }),
            ("bad-host", [times]) => Ok(Command::BadHost { slower: Some((factor(times)?, None)) }),
            ("bad-host", [times, lasts]) => {
                let Some(lasts) = lasts.strip_prefix("for=") else { return Err(misfit()) };
                Ok(Command::BadHost { slower: Some((factor(times)?, Some(length(lasts)?))) })
            }
            ("crash", []) => Ok(Command::Crash),
            ("state", []) => Ok(Command::State),
            ("stop", []) => Ok(Command::Stop),
            _ => Err(misfit()),
        }
    }
}

impl Selection {
    fn of(word: &str) -> Selection {
        if word == "all" { Selection::All } else { Selection::Named(word.to_string()) }
    }
}

impl Trouble {
    /// `latency=5x errors=1% stall=10s for=30s`, each at most once.
    fn parse(words: &[&str]) -> Result<Trouble, Problem> {
        let mut trouble = Trouble { latency: Ppm::ONE, errors: Percent::ZERO, stall: None, lasts: None };
        let mut seen: Vec<&str> = Vec::new();
        for word in words {
            let Some((key, value)) = word.split_once('=') else { return Err(no_trouble(word)) };
            if seen.contains(&key) {
                return Err(wrong(&format!("{key} is given twice"), "leave one of them out"));
            }
            seen.push(key);
            match key {
                "latency" => trouble.latency = factor(value)?,
                "errors" => {
                    trouble.errors = parse_percent(value)
                        .map_err(|error| wrong(&format!("errors: {error}"), "write errors=1%"))?;
                }
                "stall" => trouble.stall = Some(length(value)?),
                "for" => trouble.lasts = Some(length(value)?),
                _ => return Err(no_trouble(word)),
            }
        }
        if seen == ["for"] {
            return Err(wrong("for= is given without a fault", "add latency=5x, errors=1% or stall=10s"));
        }
        Ok(trouble)
    }
}

pub(super) fn wrong(what: &str, help: &str) -> Problem {
    Problem::new(what).help(help)
}

fn no_trouble(word: &str) -> Problem {
    wrong(&format!("unknown fault `{word}`"), "write latency=5x, errors=1%, stall=10s, for=30s, or off")
}

fn list() -> String {
    let known: Vec<&str> = COMMANDS.iter().map(|(usage, _)| *usage).collect();
    format!("write one of: {}", known.join("; "))
}

/// `5x`, `1.5x`: from 1 to 10,000, in millionths without loss.
fn factor(text: &str) -> Result<Ppm, Problem> {
    let why = || {
        wrong(&format!("`{text}` is not a factor"), "write how many times slower: 5x, 1.5x, at most 4000x")
    };
    let number = text.strip_suffix('x').ok_or_else(why)?;
    let (whole, part) = number.split_once('.').unwrap_or((number, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(part) || part.len() > 6 {
        return Err(why());
    }
    let whole: u64 = whole.parse().map_err(|_| why())?;
    let millionths: u64 = format!("{part:0<6}").parse().map_err(|_| why())?;
    // A share in millionths ends at 4,294.
    let ppm = whole.checked_mul(1_000_000).and_then(|ppm| ppm.checked_add(millionths)).ok_or_else(why)?;
    if !(1_000_000..=4_000_000_000).contains(&ppm) {
        return Err(why());
    }
    Ok(Ppm(ppm as u32))
}

fn length(text: &str) -> Result<Span, Problem> {
    let span =
        parse_span(text).map_err(|error| wrong(&error.to_string(), "write a time: 500ms, 30s, 5min"))?;
    if span.is_zero() {
        return Err(wrong("the time is zero", "write a time: 500ms, 30s, 5min"));
    }
    Ok(span)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parse(line: &str) -> Result<Command, Problem> {
        Command::parse(&line.split_whitespace().collect::<Vec<_>>())
    }

    #[test]
    fn every_command_is_read_as_it_is_listed() {
        let data = || Selection::Named("data".into());
        let trouble = |latency, errors, stall, lasts| Trouble { latency, errors, stall, lasts };
        let one_percent = Percent::whole(1).unwrap();
        let seconds = |s| Some(Span::from_secs(s));
        for (line, command) in [
            ("state", Command::State),
            ("cache data none", Command::Cache { of: "data".into(), mode: None }),
            (
                "cache data.0 readwrite",
                Command::Cache { of: "data.0".into(), mode: Some(CacheMode::ReadWrite) },
            ),
            ("tier data P40", Command::Tier { of: "data".into(), tier: "P40".into() }),
            ("add-disk log=2xP20", Command::AddDisk { spec: "log=2xP20".into() }),
            ("credits all drain", Command::Credits { of: Selection::All, fill: false }),
            ("credits data fill", Command::Credits { of: data(), fill: true }),
            ("warm", Command::Warm { volume: None }),
            ("warm data", Command::Warm { volume: Some("data".into()) }),
            ("drop-cache", Command::DropCache),
            ("fault data off", Command::Fault { of: data(), fault: None }),
            (
                "fault data latency=1.5x errors=1% stall=10s for=30s",
                Command::Fault {
                    of: data(),
                    fault: Some(trouble(Ppm(1_500_000), one_percent, seconds(10), seconds(30))),
                },
            ),
            ("bad-host 5x", Command::BadHost { slower: Some((Ppm(5_000_000), None)) }),
            ("bad-host 5x for=30s", Command::BadHost { slower: Some((Ppm(5_000_000), seconds(30))) }),
            ("bad-host off", Command::BadHost { slower: None }),
            ("crash", Command::Crash),
            ("stop", Command::Stop),
        ] {
            assert_eq!(parse(line), Ok(command), "{line}");
        }
    }

    #[test]
    fn what_is_no_command_is_told_what_to_write() {
        for (line, part) in [
            ("", "state"),
            ("reboot", "add-disk SPEC"),
            ("cache data", "none|readonly|readwrite"),
            ("cache data writeback", "none|readonly|readwrite"),
            ("credits data", "drain|fill"),
            ("fault data", "latency=5x"),
            ("fault data latency=5", "5x"),
            ("fault data latency=0.5x", "5x"),
            ("fault data latency=99999x", "4000x"),
            ("fault data latency=2x latency=3x", "leave one"),
            ("fault data for=30s", "latency=5x"),
            ("fault data errors=200%", "errors=1%"),
            ("fault data stall=0s", "a time"),
            ("fault data noise=2", "latency=5x"),
            ("bad-host", "5x"),
            ("bad-host 5x 30s", "for=30s"),
            ("state now", "write: state"),
        ] {
            let refused = parse(line).expect_err(line);
            assert!(refused.help.contains(part), "{line}: {refused:?}");
        }
    }

    proptest! {
        #[test]
        fn no_words_are_a_panic(words in proptest::collection::vec("[a-z0-9=.%x -]{0,12}", 0..5)) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let _ = Command::parse(&words);
        }
    }
}
