//! The scripts of shells: clap's, with a question to the program where a flag takes a name that it knows. clap's own engine for
//! that is not stable (`unstable-dynamic`).

use clap_complete::Shell;

use super::{FLAGS, Kind};

const BASH: &str = include_str!("iobound.bash");
const ZSH: &str = include_str!("iobound.zsh");
const FISH: &str = include_str!("iobound.fish");

/// clap's script for a shell, with what is offered. A shell that is not told how has clap's alone.
pub(crate) fn script(shell: Shell, plain: &str) -> String {
    match shell {
        Shell::Bash => format!("{plain}{}", BASH.replace("@FLAGS@", &bash_flags())),
        Shell::Zsh => zsh(plain),
        Shell::Fish => fish(plain),
        _ => plain.to_string(),
    }
}

fn bash_flags() -> String {
    let cases = FLAGS.iter().map(|(flag, kind)| format!("--{flag}) kind={} ;;", kind.word()));
    cases.collect::<Vec<String>>().join("\n        ")
}

/// In zsh each flag and each argument has its action at the end of its line: `'--vm=[...]:NAME:_default'`.
fn zsh(plain: &str) -> String {
    // Where the name of a run stands for a file as well, files are offered with it.
    let names_of = |line: &str| {
        let spec = line.trim_start().trim_start_matches('\'').trim_start_matches('*');
        let argument = spec.trim_start_matches(':');
        if argument.len() < spec.len() {
            let is_run = argument.starts_with("run -- ") || argument.starts_with("runs -- ");
            let runs = is_run.then_some("run");
            return runs.or(argument.starts_with("sides -- ").then_some("run files"));
        }
        let flag = spec.strip_prefix("--")?.split_once("=[")?.0;
        match FLAGS.iter().find(|(name, _)| *name == flag)?.1 {
            Kind::Run => Some("run files"),
            kind => Some(kind.word()),
        }
    };
    let mut script = String::with_capacity(plain.len() + ZSH.len());
    let mut lines = plain.lines();
    // The first line says whose completion the file is, and has to stay the first.
    for line in lines.by_ref().take(1) {
        script.push_str(line);
        script.push('\n');
    }
    script.push_str(ZSH);
    for line in lines {
        match names_of(line).zip(line.rfind(":_default'")) {
            Some((names, at)) => {
                let after = &line[at + ":_default'".len()..];
                script.push_str(&format!("{}: _iobound_offered {names}'{after}\n", &line[..at]));
            }
            None => {
                script.push_str(line);
                script.push('\n');
            }
        }
    }
    script
}

/// In fish each flag has a line of its own: `complete -c iobound ... -l vm -d '...' -r`.
fn fish(plain: &str) -> String {
    let mut script = String::with_capacity(plain.len() + FISH.len());
    for line in plain.lines() {
        script.push_str(line);
        let flag = FLAGS.iter().find(|(flag, _)| line.contains(&format!(" -l {flag} ")));
        if let Some((_, kind)) = flag.filter(|_| line.ends_with(" -r")) {
            // Where files are results too, they stay.
            let alone = if *kind == Kind::Run { "" } else { " -f" };
            script.push_str(&format!("{alone} -a \"(__iobound_offered {})\"", kind.word()));
        }
        script.push('\n');
    }
    script.push_str(FISH);
    script
}
