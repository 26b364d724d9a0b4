//! The README and the guide show what the program prints.
#![allow(clippy::disallowed_methods, reason = "it reads the README and the guide")]

use std::path::{Path, PathBuf};
use std::process::Command;

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name)
}

fn page(name: &str) -> String {
    std::fs::read_to_string(path(name)).expect("the page is there")
}

/// The pages that show what the program prints.
const PAGES: [&str; 2] = ["README.md", PREDICT];
const PREDICT: &str = "docs/guide/predict.md";

/// The fenced blocks of one kind.
fn blocks(text: &str, kind: &str) -> Vec<String> {
    let fence = format!("```{kind}\n");
    text.split(fence.as_str())
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap_or_default().to_string())
        .collect()
}

/// A line as a shell takes it apart, as far as the README needs.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for (n, part) in line.split('\'').enumerate() {
        if n % 2 == 1 {
            words.push(part.to_string());
        } else {
            words.extend(part.split(' ').filter(|word| !word.is_empty()).map(str::to_string));
        }
    }
    words
}

fn iobound(arguments: &[String]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_iobound"));
    let output = program
        .args(arguments)
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1")
        .env("IOBOUND_RESULTS", "off")
        .env("LC_ALL", "C.UTF-8")
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the program speaks UTF-8")
}

/// The block as the program prints it now: each line shown is the next one that begins alike.
fn refreshed(block: &str) -> String {
    let (command, lines) = block.split_once('\n').expect("a command and what it prints");
    let arguments = command.strip_prefix("$ ").expect("a command");
    let arguments =
        arguments.strip_prefix("cargo run --release -- ").or_else(|| arguments.strip_prefix("iobound "));
    let printed = iobound(&words(arguments.expect("a command of iobound")));
    let mut rest = printed.lines();
    let mut fresh = vec![command];
    for line in lines.lines() {
        let start = |line: &str| line.split_whitespace().next().map(str::to_string);
        if line == "..." || line.is_empty() {
            fresh.push(line);
            continue;
        }
        let same = rest.find(|other| *other == line || start(other) == start(line));
        fresh.push(same.unwrap_or_else(|| panic!("nothing like `{line}` is, or is here, in\n{printed}")));
    }
    fresh.join("\n") + "\n"
}

/// `IOBOUND_REFRESH=1 cargo test -p iobound --test readme` writes what is printed now into the pages.
#[test]
fn what_is_shown_is_what_the_program_prints() {
    for name in PAGES {
        let text = page(name);
        let shown: Vec<String> =
            blocks(&text, "text").into_iter().filter(|block| block.starts_with("$ ")).collect();
        assert!(!shown.is_empty(), "{name}");
        let fresh: Vec<String> = shown.iter().map(|block| refreshed(block)).collect();
        if std::env::var("IOBOUND_REFRESH").is_ok() {
            let renewed = shown.iter().zip(&fresh).fold(text, |text, (old, new)| text.replace(old, new));
            std::fs::write(path(name), renewed).expect("the page can be written");
        } else {
            assert_eq!(shown, fresh, "{name} shows other figures: IOBOUND_REFRESH=1 renews them");
        }
    }
}

#[test]
fn the_readme_has_at_most_150_lines() {
    let lines = page("README.md").lines().count();
    assert!(lines <= 150, "{lines} lines");
}

#[test]
fn the_configuration_file_that_is_shown_is_read_and_predicted() {
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("readme.toml");
    let block = blocks(&page(PREDICT), "toml").into_iter().next().expect("the guide shows a file");
    std::fs::write(&file, block).expect("a temporary file can be written");
    let printed = iobound(&["predict".into(), "--config".into(), file.display().to_string()]);
    assert!(printed.contains("on Standard_DS14 with 8 x P30 (cache ReadOnly) and 2 x P20"), "{printed}");
}

#[test]
fn every_disk_that_is_shown_is_a_disk() {
    let text = page(PREDICT);
    let shown =
        blocks(&text, "text").into_iter().find(|block| block.starts_with("--disk")).expect("disks are shown");
    let mut disks = 0;
    for line in shown.lines() {
        let flags = line.split("   ").next().unwrap_or_default();
        let vm = match flags {
            of_aws if of_aws.contains("gp3") => "m5.large",
            newer if newer.contains("premiumv2") => "E32bds_v5:scsi",
            _ => "DS14",
        };
        let mut arguments: Vec<String> = ["predict", "--vm", vm, "--size", "1GiB"].map(String::from).to_vec();
        arguments.extend(words(flags));
        assert!(iobound(&arguments).contains("BOUND BY"));
        disks += 1;
    }
    assert_eq!(disks, 8);
}
