//! The program as a whole: help, pipes, interrupts, colour.
#![allow(clippy::disallowed_methods)]

mod common;

use std::process::{Command, Stdio};

#[cfg(target_os = "linux")]
use common::catches_interrupts;
use common::{file, line, program, ran, run};

#[test]
fn without_a_verb_it_prints_commands_that_all_run() {
    let ran = run(&[]);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let lines: Vec<&str> = ran.out.lines().filter_map(|line| line.strip_prefix("  iobound ")).collect();
    assert!(lines.len() >= 6, "{}", ran.out);
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().display().to_string();
    for words in lines {
        // A real run goes to a folder that is there, and is a short one.
        let short = match words.split(' ').next() {
            Some("run") => " --size 4MiB --duration 300ms --buffered",
            // Else it serves until it is ended.
            Some("emulate") => " --duration 100ms",
            // Else it watches for ten seconds.
            Some("explain") => " --duration 1s",
            _ => "",
        };
        let words = words.replace("/mnt/data", &here);
        let quoted = format!("{} {words}{short}", env!("CARGO_BIN_EXE_iobound"));
        let output = Command::new("sh")
            .args(["-c", &quoted])
            .env("IOBOUND_BUSY_OK", "true")
            .env("IOBOUND_RESULTS", "off")
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(output.status.success() && !output.stdout.is_empty(), "{words}: {output:?}");
    }
}

#[test]
fn every_verb_has_help_with_examples_that_can_be_run() {
    let folder = tempfile::tempdir().unwrap();
    for verb in ["predict", "catalog"] {
        let help = run(&[verb, "--help"]);
        assert_eq!(help.code, 0);
        let examples: Vec<&str> =
            help.out.lines().filter_map(|line| line.strip_prefix("  iobound ")).collect();
        assert!(examples.len() >= 5, "{}", help.out);
        for example in examples {
            // The reader has a trace, and listings of a cloud; this folder has none.
            if example.contains("--trace") || example.starts_with("catalog import") {
                continue;
            }
            // What the example is for stands behind it.
            let words = example.split("   ").next().unwrap();
            let quoted = format!("{} {words}", env!("CARGO_BIN_EXE_iobound"));
            // Some write a page where they stand.
            let output = Command::new("sh").args(["-c", &quoted]).current_dir(&folder).output().unwrap();
            assert!(output.status.success(), "{words}: {output:?}");
        }
        for flag in ["--json", "--config", "--no-color", "--show-config", "--wide"] {
            assert!(help.out.contains(flag), "{verb} {flag}");
        }
        // The catalogue draws nothing at random.
        assert_eq!(help.out.contains("--seed"), verb == "predict", "{verb} --seed");
    }
    assert_eq!(line("--version").code, 0);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    for words in ["catalog vms --wide", "predict --vm DS14 --disk 10xP30 --json", "predict --help", ""] {
        let mut child = program()
            .args(words.split_whitespace())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        drop(child.stdout.take());
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{words}: {output:?}");
        assert!(output.stderr.is_empty(), "{words}: {output:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn what_can_not_be_written_is_told_by_the_exit_code() {
    let full = || std::fs::File::options().write(true).open("/dev/full").unwrap();
    let words = |words: &str| {
        let mut command = program();
        command.args(words.split_whitespace()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    };
    let answer = words("catalog").stdout(full()).output().unwrap();
    assert_eq!(answer.status.code(), Some(4), "{answer:?}");
    for refused in ["catalog show zz", "plan", "predict --nope"] {
        let refused = words(refused).stderr(full()).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
}

#[test]
fn what_is_not_a_terminal_gets_no_escapes() {
    let words = ["predict", "--vm", "DS14", "--disk", "P30"];
    assert!(!run(&words).out.contains('\x1b'));
    let help = ran(program().args(["predict", "--help"]).env("CLICOLOR", "1").output().unwrap());
    assert!(!help.out.contains('\x1b'));
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_prints_what_was_done_and_is_told_by_the_exit_code() {
    // Hundreds of stages, each some tens of milliseconds: far more than the signal takes.
    let mut jobs =
        String::from("[global]\nrw=randread\nsize=1g\niodepth=32\ndirect=1\nioengine=libaio\nbs=4k\n");
    for stage in 0..600 {
        jobs.push_str(&format!("[job{stage}]\nstonewall\n"));
    }
    let path = file("interrupt.fio", &jobs);
    let child = program()
        .args(["predict", "--vm", "DS14", "--disk", "10xP30", "--json", "--fio", &path])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while !catches_interrupts(child.id()) {
        std::thread::yield_now();
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, 5, "{}", ran.err);
    // Nothing, or a whole document of the stages that were done.
    assert!(ran.out.is_empty() || serde_json::from_str::<serde_json::Value>(&ran.out).is_ok());
}
