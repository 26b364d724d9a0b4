//! The words of an address as words of the command line.

use std::ffi::OsString;

use clap::{Arg, ArgAction, Command};
use iobound_results::RunId;
use iobound_serve::Word;

use crate::failure::Failure;

/// The command line that asks the same. A page asks with figures and names; what would read or write a file of this
/// machine is not a page's to ask.
///
/// # Errors
/// A name that the verb does not have, or that names a file.
pub(super) fn line(program: &Command, verb: &[&str], words: &[Word]) -> Result<Vec<OsString>, Failure> {
    let mut command = program;
    for word in verb.iter().take_while(|word| !word.starts_with('-')) {
        command = command.find_subcommand(word).expect("the questions are verbs of the program");
    }
    let mut line: Vec<OsString> = vec!["iobound".into()];
    line.extend(verb.iter().map(Into::into));
    for Word { name, value } in words {
        let positional = || command.get_positionals().find(|arg| arg.get_id().as_str() == name);
        let Some(arg) = command.get_arguments().find(|arg| arg.get_long() == Some(name)).or_else(positional)
        else {
            let known: Vec<&str> = command.get_arguments().filter_map(Arg::get_long).collect();
            return Err(Failure::input(format!("`{name}` is nothing that {} takes", verb.join(" ")))
                .mend(format!("it takes {}", known.join(", "))));
        };
        if is_file(arg, value) {
            return Err(Failure::input(format!("{name}={value}: a page reads and writes no files"))
                .mend(format!("ask it on the command line: iobound {} --{name}", verb.join(" "))));
        }
        let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
        let needs_value = !is_switch && arg.get_num_args().is_none_or(|many| many.min_values() > 0);
        match value.as_str() {
            // A field that is left empty says nothing.
            "" if needs_value => {}
            "false" if is_switch => {}
            "" => line.push(format!("--{name}").into()),
            "true" if is_switch => line.push(format!("--{name}").into()),
            _ if arg.is_positional() => line.push(value.into()),
            _ => line.push(format!("--{name}={value}").into()),
        }
    }
    Ok(line)
}

/// Whether a value would be the name of a file. What can be a file or a line of words is a line if it has blanks; what can be
/// a file or a specification is one if it has commas.
fn is_file(arg: &Arg, value: &str) -> bool {
    let names = arg.get_value_names().unwrap_or_default();
    let can_be_file =
        names.iter().any(|name| ["FILE", "RESULT", "PATH", "FOLDER"].iter().any(|word| name.contains(word)));
    let can_be_else = names.iter().any(|name| name.contains('|'));
    // A run that is kept is no file.
    if RunId::of(value).is_some() {
        return false;
    }
    can_be_file && !(can_be_else && (value.contains(' ') || value.contains(',')))
}

/// What the parser says of a line, without the usage of a command line.
pub(crate) fn plain(usage: &clap::Error) -> String {
    let text = usage.to_string();
    let first: Vec<&str> = text.lines().take_while(|line| !line.starts_with("Usage")).collect();
    first.join(" ").trim_start_matches("error: ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    fn ask(verb: &[&str], words: &[(&str, &str)]) -> Result<String, String> {
        let words: Vec<Word> =
            words.iter().map(|(name, value)| Word { name: (*name).into(), value: (*value).into() }).collect();
        let line =
            line(&crate::Program::command(), verb, &words).map_err(|failure| failure.what().to_string())?;
        Ok(line.iter().map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_page_asks_what_the_command_line_asks() {
        let words =
            [("vm", "DS14"), ("disk", "a=P30"), ("disk", "10xP30"), ("random", "true"), ("depth", "")];
        assert_eq!(
            ask(&["predict"], &words).unwrap(),
            "iobound predict --vm=DS14 --disk=a=P30 --disk=10xP30 --random"
        );
        assert_eq!(
            ask(&["catalog", "vms"], &[("premium", "true")]).unwrap(),
            "iobound catalog vms --premium=true"
        );
        assert_eq!(
            ask(&["predict"], &[("diskspd", "-b4K -o32"), ("fio", "--name=a --rw=randread")]).unwrap(),
            "iobound predict --diskspd=-b4K -o32 --fio=--name=a --rw=randread"
        );
    }

    #[test]
    fn a_page_reads_and_writes_no_files() {
        for (name, value) in [
            ("catalog", "mine.toml"),
            ("workload", "/etc/passwd"),
            ("calibrate", "r.json"),
            ("fio", "jobs.fio"),
            ("iometer", "access.icf"),
            ("diskspd-xml", "profile.xml"),
        ] {
            let why = ask(&["predict"], &[(name, value)]).unwrap_err();
            assert!(why.contains("no files"), "{name}: {why}");
        }
        assert_eq!(
            ask(&["compare"], &[("sides", "r-1"), ("sides", "r-2")]).unwrap(),
            "iobound compare r-1 r-2"
        );
        assert!(ask(&["compare"], &[("sides", "/etc/passwd")]).unwrap_err().contains("no files"));
        // Those that every verb takes are not a page's at all.
        assert!(
            ask(&["predict"], &[("config", "vm.toml")]).unwrap_err().contains("nothing that predict takes")
        );
    }

    #[test]
    fn what_a_verb_does_not_take_is_said() {
        assert!(ask(&["predict"], &[("dsik", "P30")]).unwrap_err().contains("nothing that predict takes"));
    }
}
