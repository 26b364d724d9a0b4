//! The words of the command line, as they are typed and pasted.

use std::ffi::OsString;

use clap::error::{ContextKind, ContextValue};
use clap::{Arg, Command};

use iobound_app::Failure;

/// The words as the program reads them, and what was changed.
///
/// Word processors replace two hyphens by a dash: such a word is taken as the flag. A negative number after a flag is
/// joined to it, because there is no flag `-1`; the parser of the value then reports the error.
///
/// # Errors
/// Returns an error if a word or a value is empty: a shell makes one of a variable that is not set.
pub(crate) fn read(
    program: &Command,
    typed: impl Iterator<Item = OsString>,
) -> Result<(Vec<OsString>, Vec<String>), Failure> {
    let mut flags = Vec::new();
    collect(program, &mut flags);
    let mut words: Vec<OsString> = Vec::new();
    let mut notes = Vec::new();
    for word in typed {
        let Some(text) = word.to_str() else {
            words.push(word);
            continue;
        };
        let before = words.last().and_then(|word| word.to_str()).and_then(|word| word.strip_prefix("--"));
        let before = before.and_then(|name| flags.iter().find(|flag| flag.name == name));
        let of_another_tool = before.is_some_and(|flag| flag.takes_hyphens);
        if text.is_empty() || text.strip_suffix('=').is_some_and(|flag| flags.iter().any(|f| f.is(flag))) {
            let of = match (text.strip_suffix('='), before) {
                (Some(flag), _) => format!("the value of {flag} is empty"),
                (None, Some(flag)) if flag.takes_value => format!("the value of --{} is empty", flag.name),
                (None, _) => "an argument is empty".to_string(),
            };
            return Err(Failure::input(of).help("leave it out, or set the shell variable that it uses"));
        }
        if let Some(flag) = undashed(text, &flags).filter(|_| !of_another_tool) {
            notes.push(format!("`{text}` is read as {flag}"));
            words.push(flag.into());
            continue;
        }
        match before.filter(|flag| flag.takes_value && is_negative(text)) {
            Some(flag) => {
                let joined = format!("--{}={text}", flag.name);
                words.pop();
                words.push(joined.into());
            }
            None => words.push(word),
        }
    }
    Ok((words, notes))
}

/// Names of options in fio, DiskSpd's documents and the clouds' consoles, and the flag that means the same here.
const ELSEWHERE: [(&str, &str); 31] = [
    ("bs", "--block"),
    ("blocksize", "--block"),
    ("block-size", "--block"),
    ("iodepth", "--depth"),
    ("queue-depth", "--depth"),
    ("outstanding", "--depth"),
    ("numjobs", "--threads"),
    ("rw", "--read"),
    ("rwmixread", "--read"),
    ("runtime", "--duration"),
    ("ramp-time", "--warmup"),
    ("instance", "--vm"),
    ("instance-type", "--vm"),
    ("vm-size", "--vm"),
    ("volume", "--disk"),
    ("disks", "--disk"),
    ("vm", "--keep-vm"),
    ("disk", "--keep-disks"),
    ("write", "--read"),
    ("size", "--capacity"),
    ("storage", "--capacity"),
    ("p99", "--latency"),
    ("max-latency", "--latency"),
    ("mbps", "--throughput"),
    ("bandwidth", "--throughput"),
    ("cores", "--vcpus"),
    ("min-vcpus", "--vcpus"),
    ("ram", "--memory"),
    ("min-memory", "--memory"),
    ("budget", "--max-price"),
    ("price", "--max-price"),
];

/// Figures that `explain` takes in `--observed`.
const OBSERVED: [&str; 8] = ["iops", "throughput", "read", "latency", "block", "depth", "access", "bs"];

/// The error of a verb that other builds of the program have.
pub(crate) fn absent_verb(usage: &clap::Error) -> Option<Failure> {
    const VERBS: [&str; 8] = ["diskspd", "emulate", "fio", "fleet", "iometer", "probe", "run", "watch"];
    let ContextValue::String(verb) = usage.get(ContextKind::InvalidSubcommand)? else { return None };
    if !VERBS.contains(&verb.as_str()) {
        return None;
    }
    Some(match cfg!(feature = "load") {
        true => Failure::input(format!("{verb}: the program has this verb on Linux alone"))
            .help("run it on Linux, or see what there is here: iobound --help"),
        false => Failure::input(format!("{verb}: this build has no load generator"))
            .help("install the program, or build it: cargo build --release"),
    })
}

/// Suggests this program's flag where an unknown one is another tool's name for it.
pub(crate) fn suggest(program: &Command, words: &[OsString], error: &mut clap::Error) {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else { return };
    let name = unknown.trim_start_matches('-').replace('_', "-");
    if words.iter().any(|word| word == "explain") && OBSERVED.contains(&name.as_str()) {
        // Its own tip is how to pass the flag as a file's name.
        error.remove(ContextKind::Suggested);
        let key = if name == "bs" { "block" } else { &name };
        let flag = format!("--observed '{key}=...'");
        error.insert(ContextKind::SuggestedArg, ContextValue::String(flag));
        return;
    }
    if !unknown.starts_with('-') && words.iter().any(|word| word == "fleet") {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(format!("-- {unknown}")));
        return;
    }
    let verbs = words.iter().skip(1).filter_map(|word| program.find_subcommand(word));
    let mut flags = Vec::new();
    verbs.for_each(|verb| collect(verb, &mut flags));
    let meant = ELSEWHERE.iter().filter(|(elsewhere, _)| *elsewhere == name).map(|(_, flag)| *flag);
    if let Some(flag) = meant.into_iter().find(|flag| flags.iter().any(|known| known.is(flag))) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(flag.to_string()));
    }
}

struct KnownFlag {
    name: String,
    takes_value: bool,
    /// Its value is a line of another tool's.
    takes_hyphens: bool,
}

impl KnownFlag {
    fn is(&self, word: &str) -> bool {
        word.strip_prefix("--") == Some(self.name.as_str())
    }
}

fn collect(command: &Command, flags: &mut Vec<KnownFlag>) {
    for arg in command.get_arguments() {
        let takes_value = Arg::get_action(arg).takes_values();
        let takes_hyphens = arg.is_allow_hyphen_values_set();
        flags.extend(arg.get_long().map(|name| KnownFlag {
            name: name.to_string(),
            takes_value,
            takes_hyphens,
        }));
    }
    command.get_subcommands().for_each(|verb| collect(verb, flags));
}

/// The flag that a word is but for its dashes: `—vm`, `–-depth=4`. Only a word with a typographic one.
fn undashed(text: &str, flags: &[KnownFlag]) -> Option<String> {
    let is_dash = |c: char| matches!(c, '-' | '\u{2010}'..='\u{2015}' | '\u{2212}');
    let rest = text.trim_start_matches(is_dash);
    let dashes = &text[..text.len() - rest.len()];
    let name = rest.split('=').next().unwrap_or_default();
    let known = name == "help" || name == "version" || flags.iter().any(|flag| flag.name == name);
    (known && !dashes.is_ascii()).then(|| format!("--{rest}"))
}

/// `-1`, `-.5ms`; not `-b4K`.
fn is_negative(text: &str) -> bool {
    let rest = text.strip_prefix('-').map(|rest| rest.strip_prefix('.').unwrap_or(rest));
    rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn read_of(words: &[&str]) -> (Vec<String>, usize) {
        let (read, notes) = read(&crate::Program::command(), words.iter().map(OsString::from)).unwrap();
        (read.into_iter().map(|word| word.into_string().unwrap()).collect(), notes.len())
    }

    #[test]
    fn a_typographic_dash_before_a_flag_is_two_hyphens() {
        assert_eq!(
            read_of(&["predict", "\u{2014}vm", "DS14", "-\u{2013}depth=4", "\u{2013}help"]),
            (vec!["predict".into(), "--vm".into(), "DS14".into(), "--depth=4".into(), "--help".into()], 3)
        );
        // A word that is not a flag of the program belongs to another tool's line.
        for words in [["--diskspd", "\u{2013}b4K"], ["--fio", "\u{2013}size=1g"], ["--vm", "--disk"]] {
            assert_eq!(read_of(&words), (words.map(String::from).to_vec(), 0));
        }
    }

    #[test]
    fn a_number_below_zero_is_the_value_of_the_flag_before_it() {
        assert_eq!(read_of(&["--at", "-1"]).0, ["--at=-1"]);
        assert_eq!(read_of(&["--rate", "-.5MB/s"]).0, ["--rate=-.5MB/s"]);
        for words in [["--json", "-1"], ["--vm", "-x"], ["show", "-1"]] {
            assert_eq!(read_of(&words).0, words);
        }
    }
}
