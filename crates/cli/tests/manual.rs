//! Help, manual and completions: from one source, with examples that hold.
#![allow(clippy::disallowed_methods)]

mod common;

use std::process::Command;

use common::{line, program, ran, run};

/// The verbs that the program lists.
fn verbs() -> Vec<String> {
    let help = run(&["--help"]).out;
    let listed = help.split("Commands:").nth(1).expect("verbs are listed").split("\n\n").next().unwrap();
    let names =
        listed.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| !line.starts_with(' '));
    let names: Vec<String> = names.filter_map(|line| line.split(' ').next()).map(String::from).collect();
    assert!(names.len() >= 12, "{names:?}");
    names.into_iter().filter(|name| name != "help").collect()
}

/// The lines of a help that can be copied, without what is said behind them.
fn examples(help: &str) -> Vec<String> {
    let after = help.split("\nExamples:\n").nth(1).unwrap_or_default();
    let lines =
        after.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with("iobound "));
    lines.map(|line| line.split("  #").next().unwrap().trim().to_string()).collect()
}

#[test]
fn every_verb_has_examples_that_fit_a_line() {
    for verb in verbs() {
        let help = run(&[&verb, "--help"]);
        assert_eq!(help.code, 0, "{verb}");
        assert!(!examples(&help.out).is_empty(), "{verb}: no examples");
        let after = help.out.split("\nExamples:\n").nth(1).unwrap();
        let block: Vec<&str> = after.lines().take_while(|line| !line.is_empty()).collect();
        for (line, next) in block.iter().zip(block.iter().skip(1)) {
            // A line that goes on says so to the shell too.
            let goes_on = next.starts_with("    ") && line.ends_with('\\');
            assert!(
                next.trim_start().starts_with("iobound ") || next.starts_with("  ssh ") || goes_on,
                "{verb}: wrapped: {next}"
            );
        }
    }
}

#[test]
fn a_short_help_fits_a_screen_of_80_by_50() {
    let of = |words: &[&str]| {
        let all: Vec<&str> = words.iter().copied().chain(["-h"]).collect();
        let help = ran(program().args(&all).env("COLUMNS", "80").output().unwrap());
        assert_eq!(help.code, 0, "{all:?}");
        help.out
    };
    let mut pages = vec![(String::new(), of(&[]))];
    // To DiskSpd, -h is a switch.
    for verb in verbs().into_iter().filter(|verb| verb != "diskspd") {
        let help = of(&[&verb]);
        let own = help.split("Commands:\n").nth(1).filter(|_| help.contains("\nCommands:\n")).unwrap_or("");
        let own = own.split("\n\n").next().unwrap_or("").lines().filter(|line| !line.starts_with("   "));
        for own in own.filter_map(|line| line.split_whitespace().next()).filter(|own| *own != "help") {
            pages.push((format!("{verb} {own}"), of(&[&verb, own])));
        }
        pages.push((verb, help));
    }
    for (verb, help) in pages {
        // Two lines of the screen are the prompt's.
        assert!(help.lines().count() <= 48, "iobound {verb} -h: {} lines", help.lines().count());
        assert!(help.lines().all(|line| line.chars().count() <= 80), "iobound {verb} -h");
    }
}

#[test]
fn every_example_is_taken() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().display().to_string();
    for verb in verbs() {
        // Words of other tools have no settings to show; those lines are run beside the tools themselves. Schemas and traces have none.
        if ["diskspd", "fio", "iometer", "schema", "trace", "completions", "man"].contains(&verb.as_str()) {
            continue;
        }
        for example in examples(&run(&[&verb, "--help"]).out) {
            // To a shell as it is typed; what would be done is not done.
            let typed =
                example.replace("/mnt/data", &here).replacen("iobound", env!("CARGO_BIN_EXE_iobound"), 1);
            let is_asked_of_another = example.contains(" ctl ");
            // The script has no settings: it is printed into this test's folder.
            let typed = if example.contains("--windows-script") {
                typed
            } else if is_asked_of_another {
                format!("{typed} --help")
            } else {
                format!("{typed} --show-config")
            };
            let done = ran(Command::new("sh").args(["-c", &typed]).current_dir(&folder).output().unwrap());
            // A file of the reader's is not here.
            let is_missing = done.code == 2 && done.err.to_lowercase().contains("no such file");
            assert!(done.code == 0 || is_missing, "{example}\n{}", done.err);
        }
    }
}

#[test]
fn what_makes_no_sense_says_what_to_do() {
    for verb in verbs() {
        if ["diskspd", "fio", "iometer"].contains(&verb.as_str()) {
            continue;
        }
        for words in [vec!["--no-such-flag"], vec!["--seed"], vec!["--config", "/no/such/file"]] {
            let all: Vec<&str> = std::iter::once(verb.as_str()).chain(words.iter().copied()).collect();
            let done = run(&all);
            assert_eq!(done.code, 2, "{all:?}: {done:?}");
            let says =
                ["help:", "tip:", "For more information, try"].iter().any(|word| done.err.contains(word));
            assert!(says || done.err.contains("No such file"), "{all:?}: {}", done.err);
        }
    }
}

#[test]
fn the_manual_has_a_page_for_each_verb_and_replaces_only_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().to_str().unwrap();
    assert_eq!(run(&["man", "--folder", here]).code, 0);
    for verb in verbs() {
        let page = std::fs::read_to_string(folder.path().join(format!("iobound-{verb}.1"))).unwrap();
        assert!(page.contains(".SH NAME") && page.contains("Examples:"), "{verb}");
        assert_eq!(page, line(&format!("man {verb}")).out, "{verb}: the same page, printed");
    }
    assert_eq!(run(&["man", "--folder", here]).code, 0, "its own pages are made anew");
    std::fs::write(folder.path().join("iobound.1"), "somebody's").unwrap();
    assert_eq!(run(&["man", "--folder", here]).code, 3);
    assert_eq!(line("man prdict").code, 2);
    assert_eq!(line("man --folder /no/such/folder").code, 2);
}

#[test]
fn completions_are_scripts_that_shells_take() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = line(&format!("completions {shell}"));
        assert_eq!(script.code, 0);
        for word in ["predict", "emulate", "find-knee"] {
            assert!(script.out.contains(word), "{shell}: {word}");
        }
    }
    // Where bash is, it completes with it.
    let script = line("completions bash").out;
    let asks = format!(
        "{script}\nCOMP_WORDS=(iobound pred); COMP_CWORD=1; _iobound iobound pred iobound; echo \"${{COMPREPLY[@]}}\""
    );
    if let Ok(done) = Command::new("bash").args(["-c", &asks]).output() {
        assert_eq!(String::from_utf8_lossy(&done.stdout).trim(), "predict");
    }
    assert_eq!(line("completions tcsh").code, 2);
}

#[test]
fn what_takes_a_name_is_offered_names_in_every_shell_that_can() {
    // How each script asks for the names of `predict --vm`, `--disk`, `--preset` and of `results show`.
    let zsh = line("completions zsh").out;
    for (flag, kind) in
        [("--vm=", "vm"), ("*--disk=", "disk"), ("--preset=", "preset"), ("--calibrate=", "run files")]
    {
        let lines: Vec<&str> =
            zsh.lines().filter(|line| line.trim_start().starts_with(&format!("'{flag}["))).collect();
        let asks = format!(": _iobound_offered {kind}'");
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(&asks)), "{flag}: {lines:?}");
    }
    // results show and html; results export and delete; explain.
    assert_eq!(zsh.lines().filter(|line| line.contains(": _iobound_offered run'")).count(), 5);
    let fish = line("completions fish").out;
    for (flag, kind) in
        [(" -l vm ", "vm"), (" -l disk ", "disk"), (" -l preset ", "preset"), (" -l result ", "run")]
    {
        let lines: Vec<&str> = fish.lines().filter(|line| line.contains(flag)).collect();
        let asks = format!("(__iobound_offered {kind})");
        assert!(!lines.is_empty() && lines.iter().all(|line| line.contains(&asks)), "{flag}: {lines:?}");
    }
    assert_eq!(line("completions --of vm --typed m5.larg").out, "m5.large\n");
    assert_eq!(line("completions --of disk --typed 10xP30:reado").out, "10xP30:readonly\n");
    assert_eq!(
        line("completions --of era").out,
        "current\n2026-07-27\n2026-03-30\n2026-03-23\n2020-08\n2018-06\n2016\n"
    );
    assert_eq!(line("completions --of era --typed 2018").out, "2018-06\n");
    assert_eq!(line("completions --of vm --typed nothing").code, 0);
    assert_eq!(line("completions --of vm bash").code, 2);
    assert_eq!(line("completions").code, 2);
}

#[test]
fn a_manual_page_names_the_value_of_every_option_in_its_synopsis() {
    let page = line("man predict").out.replace("\\-", "-");
    let synopsis = page.split(".SH SYNOPSIS").nth(1).and_then(|rest| rest.split(".SH").next()).unwrap();
    for option in ["[--vm NAME]", "[--disk SPEC]", "[--separate[=true|false]]"] {
        assert!(synopsis.contains(option), "{option}: {synopsis}");
    }
}

/// The command lines of all verbs and of their own verbs, with `--help`.
fn all_help() -> Vec<(String, String)> {
    let mut open: Vec<Vec<String>> = vec![Vec::new()];
    let mut pages = Vec::new();
    while let Some(words) = open.pop() {
        let mut typed: Vec<&str> = words.iter().map(String::as_str).collect();
        typed.push("--help");
        let help = run(&typed).out;
        // A verb that passes its words on prints the help of the verb above.
        if pages.iter().any(|(_, seen)| *seen == help) {
            continue;
        }
        let below = help.split("Commands:\n").nth(1).map_or("", |rest| rest.split("\n\n").next().unwrap());
        for line in below.lines().filter_map(|line| line.strip_prefix("  ")) {
            let name = line.split(' ').next().unwrap_or_default();
            if !name.is_empty() && name != "help" {
                open.push(words.iter().cloned().chain([name.to_string()]).collect());
            }
        }
        pages.push((words.join(" "), help));
    }
    pages
}

/// The descriptions of a help: paragraphs, options, arguments and verbs, each in one line.
///
/// A description begins after two spaces on the line of its option, or on a deeper line below it. The usage and lines to
/// copy are left out.
fn descriptions(help: &str) -> Vec<String> {
    let mut texts: Vec<String> = Vec::new();
    let mut is_going_on = false;
    for line in help.lines() {
        let text = line.trim();
        let is_to_copy =
            ["Usage:", "iobound ", "ssh ", "az ", "aws ", "curl ", "[", "vm = ", "...", "--data"];
        if text.is_empty() || text.ends_with(':') || is_to_copy.iter().any(|start| text.starts_with(start)) {
            is_going_on = false;
            continue;
        }
        let is_indented = line.starts_with("  ");
        let named = is_indented.then(|| text.split_once("  ")).flatten();
        let is_name_alone =
            named.is_none() && (is_indented && !line.starts_with("   ") || text.starts_with(['-', '<', '[']));
        match named {
            Some((_, described)) => {
                texts.push(described.trim().to_string());
                is_going_on = true;
            }
            None if is_name_alone => is_going_on = false,
            None if is_going_on => {
                let last = texts.last_mut().expect("something goes on");
                last.push(' ');
                last.push_str(text);
            }
            None => {
                texts.push(text.to_string());
                is_going_on = true;
            }
        }
    }
    texts
}

/// The sentences of a text that have more than thirty words.
fn long_sentences(text: &str) -> Vec<String> {
    let sentences = text.split(". ").flat_map(|part| part.split("? "));
    sentences.filter(|part| part.split_whitespace().count() > 30).map(str::to_string).collect()
}

#[test]
fn help_names_things_and_its_sentences_are_short() {
    let riddles = ["So", "How", "What", "Whose", "Whether", "Which"];
    let mut wrong = Vec::new();
    for (verb, help) in all_help() {
        for text in descriptions(&help) {
            let first = text.split_whitespace().next().unwrap_or_default();
            if riddles.contains(&first) {
                wrong.push(format!("iobound {verb}: begins with {first}: {text}"));
            }
            wrong.extend(long_sentences(&text).iter().map(|long| format!("iobound {verb}: long: {long}")));
        }
    }
    assert!(wrong.is_empty(), "name the thing, or give an imperative:\n{}", wrong.join("\n"));
}

/// The paragraphs and list items of a page in Markdown, without code, tables and headings.
fn paragraphs(page: &str) -> Vec<String> {
    let mut texts = vec![String::new()];
    let mut is_code = false;
    for line in page.lines().map(str::trim) {
        is_code ^= line.starts_with("```");
        let is_prose = !is_code && !line.starts_with(['`', '#', '|', '<', '!']);
        if line.is_empty() || !is_prose || line.starts_with("- ") {
            texts.push(String::new());
        }
        if is_prose {
            let last = texts.last_mut().expect("there is a first");
            last.push_str(line);
            last.push(' ');
        }
    }
    texts
}

#[test]
fn the_sentences_of_the_readme_are_short() {
    let long: Vec<String> =
        paragraphs(include_str!("../../../README.md")).iter().flat_map(|text| long_sentences(text)).collect();
    assert!(long.is_empty(), "split these:\n{}", long.join("\n"));
}

/// One screen: what most people need. The rest is in `--help`.
#[test]
fn short_help_fits_one_screen() {
    for verb in verbs() {
        // DiskSpd's own -h turns caches off.
        if verb == "diskspd" {
            continue;
        }
        let help = run(&[&verb, "-h"]);
        assert_eq!(help.code, 0, "{verb}");
        assert!(help.out.lines().count() <= 48, "{verb}: {} lines\n{}", help.out.lines().count(), help.out);
    }
    let short = run(&["predict", "-h"]).out;
    assert!(short.contains("--depth") && !short.contains("--partition-offset"), "{short}");
    assert!(short.contains("iobound predict --help"), "{short}");
    assert!(run(&["predict", "--help"]).out.contains("--partition-offset"));
}

#[test]
fn options_that_a_verb_refuses_are_not_in_its_help() {
    for verb in ["doctor", "watch", "compare", "results", "catalog", "schema", "completions", "man"] {
        let help = run(&[verb, "--help"]).out;
        assert!(!help.contains("--seed"), "{verb}: {help}");
    }
    for (words, option) in [
        ("trace", "--show-config"),
        ("trace cut", "--seed"),
        ("emulate ctl", "--config"),
        ("fleet", "--seed"),
        ("fleet script", "--json"),
        ("fio", "--json"),
        ("serve", "--json"),
        ("predict", "--cooldown"),
        ("watch", "--media"),
    ] {
        let help = line(&format!("{words} --help")).out;
        let mut offered = help.split("\nExamples:").next().unwrap().lines().map(str::trim_start);
        assert!(!offered.any(|text| text.starts_with(option)), "{words} offers {option}:\n{help}");
    }
    assert!(run(&["predict", "--help"]).out.contains("--seed"));
    assert!(run(&["trace", "fit", "--help"]).out.contains("--seed"));
    assert_eq!(line("fleet --seed 3 --host a --dry-run -- run x").code, 2);
}

#[test]
fn an_option_of_another_tool_is_answered_with_ours() {
    for (words, ours) in [
        ("plan --iops 5000 --size 1TiB", "--capacity"),
        ("plan --iops 5000 --p99 5ms", "--latency"),
        ("run x --bs 4k", "--block"),
        ("explain --depth 3", "--observed 'depth=...'"),
        ("fleet --host a run /mnt", "-- run"),
        ("explain --vm DS14 --disk P30 --result none.json", "name an existing, readable file"),
    ] {
        let ran = line(words);
        assert_eq!(ran.code, 2, "{words}");
        assert!(ran.err.contains(ours), "{words}: {}", ran.err);
    }
}

#[test]
fn the_lines_of_other_tools_that_help_shows_are_taken() {
    for words in ["--fio=--name=a --size=10g --rw=randread", "--diskspd=-b4K -o8 -t4 -r"] {
        let text = words.split_once('=').unwrap().1;
        assert!(run(&["predict", "--help"]).out.contains(&format!("'{text}'")), "{text}");
        assert_eq!(run(&["predict", "--vm", "DS14", "--disk", "P30", words]).code, 0, "{words}");
    }
}
