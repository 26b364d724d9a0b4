//! Help of the verbs: options without effect on a verb are not offered, and `-h` fits one screen.

use std::collections::BTreeSet;

use clap::{Arg, Command};

use crate::windows_help;

/// The options that `-h` shows, by verb. A verb without a row has few options: it shows all of its own.
const COMMON: &[(&str, &[&str])] = &[
    (
        "predict",
        &["vm", "disk", "block", "read", "depth", "threads", "sequential", "rate", "preset", "at", "html"],
    ),
    ("lab", &["list", "measured", "only", "duration", "csv", "html"]),
    (
        "run",
        &[
            "block",
            "read",
            "depth",
            "threads",
            "sequential",
            "rate",
            "size",
            "duration",
            "overwrite",
            "dry-run",
            "html",
        ],
    ),
    ("emulate", &["vm", "disk", "nbd", "fuse", "backing", "at", "duration"]),
    ("explain", &["vm", "disk", "observed", "result", "want", "duration"]),
    ("doctor", &["vm", "disk", "setup", "save"]),
    ("watch", &["vm", "disk", "duration", "interval", "record"]),
    (
        "plan",
        &[
            "iops",
            "throughput",
            "capacity",
            "latency",
            "block",
            "read",
            "log",
            "region",
            "cloud",
            "vcpus",
            "max-price",
            "html",
        ],
    ),
    ("compare", &["fail-if", "html"]),
    ("fleet", &["hosts", "host", "copy", "dry-run"]),
];

/// The options of every verb that `-h` shows.
const OF_EVERY_VERB: [&str; 2] = ["help", "json"];

/// The heading of options that every verb has.
const EVERY_VERB: &str = "Every verb";

/// Number of examples that `-h` shows.
const EXAMPLES: usize = 3;

/// Options without effect on a verb, most of which it refuses. `fleet script` is the verb of a verb.
const IDLE: &[(&str, &[&str])] = &[
    ("predict", &["cooldown"]),
    ("diskspd", &["json", "seed", "show-config"]),
    ("fio", &["json", "seed", "show-config"]),
    ("iometer", &["json", "seed", "show-config"]),
    ("emulate ctl", &["seed", "config", "show-config"]),
    ("doctor", &["seed"]),
    ("watch", &["seed", "media", "calibrate", "cache-state", "at", "stripe", "columns", "partition-offset"]),
    ("trace", &["config", "show-config"]),
    ("trace info", &["seed"]),
    ("trace cut", &["seed"]),
    ("trace scale", &["seed"]),
    ("trace merge", &["seed"]),
    ("trace convert", &["seed"]),
    ("fleet", &["seed"]),
    ("fleet script", &["json"]),
    ("serve", &["json"]),
    ("compare", &["seed"]),
    ("results", &["seed"]),
    ("catalog", &["seed"]),
    ("schema", &["seed", "config", "show-config", "json"]),
    ("completions", &["seed", "config", "show-config", "json"]),
    ("man", &["seed", "config", "show-config", "json"]),
];

/// The same of options that only Linux has.
const IDLE_ON_WINDOWS: &[(&str, &[&str])] = &[
    ("lab", &["live"]),
    ("emulate", &["fuse", "allow-other", "backing", "overwrite"]),
    ("watch", &["trace"]),
];

/// The program, each verb with the options that it takes; with `-h`, those that most people need.
pub(crate) fn of(mut program: Command, is_short: bool) -> Command {
    // From here on the options of every verb are each verb's own.
    program.build();
    // Some platforms and builds lack a verb.
    let verbs: BTreeSet<String> = program.get_subcommands().map(|verb| verb.get_name().to_string()).collect();
    let idle_here: &[(&str, &[&str])] = if cfg!(windows) { IDLE_ON_WINDOWS } else { &[] };
    for (name, idle) in IDLE.iter().chain(idle_here) {
        let is_idle = |option: &str| idle.contains(&option);
        let (verb, own) = name.split_once(' ').map_or((*name, None), |(verb, own)| (verb, Some(own)));
        if verbs.contains(verb) {
            program = program.mut_subcommand(verb, |verb| match own {
                Some(own) => verb.mut_subcommand(own, |own| without(own, &is_idle)),
                None => without(verb, &is_idle),
            });
        }
    }
    if cfg!(windows) {
        for name in &verbs {
            program = program.mut_subcommand(name, windows_help::of);
        }
    }
    for name in verbs.iter().filter(|name| is_short && *name != "help") {
        let common = COMMON.iter().find(|(verb, _)| verb == name).map(|(_, common)| *common);
        program = program.mut_subcommand(name, |verb| shortened(verb, common, name));
    }
    program
}

/// A verb, and its own verbs, whose help leaves options out.
fn without(verb: Command, is_left_out: &dyn Fn(&str) -> bool) -> Command {
    let hide = |arg: Arg| {
        let hidden = arg.is_hide_set() || arg.get_long().is_some_and(is_left_out);
        arg.hide(hidden)
    };
    verb.mut_args(hide).mut_subcommands(|own| without(own, is_left_out))
}

/// A verb, and its own verbs, with the `common` options, or without those that every verb has; and with the first examples.
fn shortened(verb: Command, common: Option<&[&str]>, name: &str) -> Command {
    let verb = verb.mut_args(|arg| {
        let is_general = arg.get_help_heading() == Some(EVERY_VERB);
        let is_shown = |long: &str| {
            OF_EVERY_VERB.contains(&long) || common.map_or(!is_general, |common| common.contains(&long))
        };
        let hidden = arg.is_hide_set() || !arg.get_long().is_none_or(is_shown);
        arg.hide(hidden)
    });
    let own: Vec<String> = verb.get_subcommands().map(|own| own.get_name().to_string()).collect();
    let verb = own.into_iter().filter(|own| own != "help").fold(verb, |verb, own| {
        let name = format!("{name} {own}");
        verb.mut_subcommand(own, |own| shortened(own, None, &name))
    });
    let whole = verb.get_after_help().map(ToString::to_string).unwrap_or_default();
    let examples = if whole.is_empty() { "" } else { " and examples" };
    let rest = format!("All options{examples}: iobound {name} --help");
    // Other text, such as the commands of `emulate ctl`, is needed in whole.
    if !whole.is_empty() && !whole.starts_with("Examples:") {
        return verb;
    }
    let examples = whole.lines().enumerate().take_while(|(n, line)| *n == 0 || line.starts_with("  "));
    let examples: Vec<&str> = examples.map(|(_, line)| line).take(EXAMPLES + 1).collect();
    verb.after_help(format!("{}\n\n{rest}", examples.join("\n")).trim_start().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_build_without_some_verbs_has_help() {
        let program = of(Command::new("iobound").subcommand(Command::new("predict")), true);
        assert_eq!(program.get_subcommands().filter(|verb| verb.get_name() != "help").count(), 1);
    }
}
