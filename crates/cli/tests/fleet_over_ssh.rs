//! Ranks over an ssh that runs them on this machine: one result of all, and what becomes of one that is cut off.
#![allow(clippy::disallowed_methods, reason = "it makes files and runs programs")]
#![cfg(all(feature = "load", target_os = "linux"))]

mod common;

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::fake_ssh::{fleet, on_hosts, place};
use common::ran;
use serde_json::Value;
use tempfile::TempDir;

/// A folder for targets, by a name that no other test has: processes are found by it.
fn data(at: &TempDir) -> PathBuf {
    let data = at.path().join("data");
    std::fs::create_dir(&data).unwrap();
    data
}

fn small(data: &Path, duration: &'static str) -> Vec<String> {
    let words =
        ["run", data.to_str().unwrap(), "--size", "4MiB", "--buffered", "--duration", duration, "--json"];
    words.map(String::from).to_vec()
}

fn words<'a>(hosts: &[&'a str], run: &'a [String]) -> Vec<&'a str> {
    let hosts = hosts.iter().flat_map(|host| ["--host", host]);
    hosts.chain(["--"]).chain(run.iter().map(String::as_str)).collect()
}

/// Processes whose words or environment name this folder, but for this test's own.
fn at_work(folder: &Path) -> Vec<String> {
    let name = folder.to_str().unwrap();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let process = entry.path();
        let text = |file: &str| {
            std::fs::read(process.join(file)).map(|it| String::from_utf8_lossy(&it).into_owned())
        };
        let is_own = process.ends_with(std::process::id().to_string());
        let state = text("stat").unwrap_or_default();
        // One that has ended and was not waited for by its parent, which ended too, is nobody's any more.
        let is_over = state.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z'));
        if !is_own
            && !is_over
            && (text("environ").unwrap_or_default() + &text("cmdline").unwrap_or_default()).contains(name)
        {
            found.push(text("cmdline").unwrap_or_default().replace('\0', " "));
        }
    }
    found
}

/// What a run left in the temporary folder, but for the one folder of a user's locks, which stays.
fn left_in(folder: &Path) -> Vec<String> {
    let names = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
    let of_ours = |name: &str| name.strip_prefix("iobound-").is_some_and(|rest| rest.parse::<u32>().is_err());
    names.map(|name| name.to_string_lossy().into_owned()).filter(|name| of_ours(name)).collect()
}

/// Waits until nothing of a run is left; what is, where that takes longer than a rank may take to end.
fn left_after_a_while(folder: &Path) -> Vec<String> {
    let began = Instant::now();
    loop {
        let left = at_work(folder);
        if left.is_empty() || began.elapsed() > Duration::from_secs(40) {
            return left;
        }
        std::thread::yield_now();
    }
}

#[test]
fn all_hosts_are_one_result_and_nothing_is_left() {
    let at = place();
    let run = small(&data(&at), "1s");
    let done = ran(on_hosts(&at, &words(&["a", "b", "c"], &run)).output().unwrap());
    assert_eq!(done.code, 0, "{}", done.err);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["fleet"]["launcher"], "ssh");
    assert_eq!((&document["fleet"]["ranks"], &document["fleet"]["reported"]), (&3.into(), &3.into()));
    let hosts = document["hosts"].as_array().unwrap();
    assert_eq!(hosts.iter().map(|host| host["rank"].as_u64().unwrap()).collect::<Vec<_>>(), [0, 1, 2]);
    // Each rank had a file of its own in the folder that they share.
    let files = std::fs::read_dir(at.path().join("data")).unwrap().count();
    assert!(files >= 3, "{files}");
    assert!(done.err.contains("a, b, c are the same machine"), "{}", done.err);
    assert_eq!(at_work(at.path()), Vec::<String>::new());
    assert_eq!(left_in(at.path()), Vec::<String>::new(), "no socket and no secret is left");
}

#[test]
fn one_host_is_a_fleet_too_and_a_copy_of_the_program_does_as_well() {
    let at = place();
    let run = small(&data(&at), "1s");
    let mut all = vec!["--copy"];
    all.extend(words(&["a"], &run));
    let done = ran(fleet(&at, &all).output().unwrap());
    assert_eq!(done.code, 0, "{}", done.err);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!((&document["fleet"]["ranks"], &document["fleet"]["reported"]), (&1.into(), &1.into()));
    assert_eq!(left_in(at.path()), Vec::<String>::new(), "the copy has removed itself");
}

#[test]
fn ranks_may_reach_the_coordinator_by_themselves_with_a_secret_that_nobody_sees() {
    let at = place();
    let run = small(&data(&at), "1s");
    let mut all = vec!["--meet", "127.0.0.1:0"];
    all.extend(words(&["a", "b"], &run));
    let token = "a-secret-of-this-test-0123456789";
    let mut command = on_hosts(&at, &all);
    command.env("IOBOUND_TOKEN", token);
    let done = ran(command.output().unwrap());
    assert_eq!(done.code, 0, "{}", done.err);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["fleet"]["reported"], 2);
    let asked = std::fs::read_to_string(at.path().join("asked")).unwrap();
    assert!(!asked.contains(token) && !done.err.contains(token), "the secret is in no list of processes");
}

#[test]
fn a_rank_that_ends_before_it_comes_to_the_coordinator_is_named_at_once() {
    let at = place();
    let run = small(&data(&at), "30s");
    let began = Instant::now();
    let done = ran(on_hosts(&at, &words(&["a", "wrong"], &run)).output().unwrap());
    assert_ne!(done.code, 0);
    assert!(
        done.err.contains("wrong: error: ") && done.err.contains("unknown engine `none`"),
        "{}",
        done.err
    );
    assert!(done.err.contains("ended with exit code 2"), "{}", done.err);
    // The coordinator waits two minutes for who may still come.
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    assert_eq!(left_after_a_while(at.path()), Vec::<String>::new());
}

/// A fleet that is at work: until it has told of an interval.
fn at_work_now(command: &mut Command) -> (Child, BufReader<std::process::ChildStderr>, String) {
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut said = String::new();
    while !said.lines().last().is_some_and(|line| line.contains("IOPS")) {
        assert_ne!(stderr.read_line(&mut said).unwrap(), 0, "it ended early: {said}");
    }
    (child, stderr, said)
}

/// Its result.
fn ended(mut child: Child, mut stderr: impl Read, mut said: String) -> (i32, String, String) {
    let mut stdout = child.stdout.take().unwrap();
    // Both at once: neither may wait for the other to be read.
    let reader = std::thread::spawn(move || {
        let mut out = String::new();
        stdout.read_to_string(&mut out).map(|_| out)
    });
    stderr.read_to_string(&mut said).unwrap();
    let code = child.wait().unwrap().code().unwrap_or(-1);
    (code, reader.join().unwrap().unwrap(), said)
}

#[test]
fn an_interrupt_ends_all_and_shows_what_was_measured() {
    let at = place();
    let run = small(&data(&at), "600s");
    let (child, stderr, said) = at_work_now(&mut on_hosts(&at, &words(&["a", "b"], &run)));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let (code, out, said) = ended(child, stderr, said);
    assert_eq!(code, 5, "{said}");
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document["fleet"]["reported"], 2, "{said}");
    assert_eq!(left_after_a_while(at.path()), Vec::<String>::new());
}

#[test]
fn a_host_that_is_cut_off_is_named_the_others_go_on_and_its_rank_ends() {
    let at = place();
    let run = small(&data(&at), "8s");
    let (child, stderr, said) = at_work_now(&mut on_hosts(&at, &words(&["a", "cut", "b"], &run)));
    let asked = std::fs::read_to_string(at.path().join("asked")).unwrap();
    let group = asked.lines().find(|line| line.contains(" -- cut ")).unwrap().split(' ').next().unwrap();
    // The ssh alone: what it started is not in its group.
    assert!(Command::new("kill").args(["-KILL", "--", &format!("-{group}")]).status().unwrap().success());
    let (code, out, said) = ended(child, stderr, said);
    assert_eq!(code, 4, "{said}");
    assert!(said.contains("rank 1"), "{said}");
    let document: Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&document["fleet"]["ranks"], &document["fleet"]["reported"]), (&3.into(), &2.into()));
    assert_eq!(document["fleet"]["missing"][0]["rank"], 1);
    assert_eq!(left_after_a_while(at.path()), Vec::<String>::new());
}

#[test]
fn a_fleet_that_is_killed_leaves_no_rank_at_work() {
    let at = place();
    let run = small(&data(&at), "600s");
    let (mut child, stderr, _) = at_work_now(&mut on_hosts(&at, &words(&["a", "b"], &run)));
    child.kill().unwrap();
    child.wait().unwrap();
    drop(stderr);
    assert_eq!(left_after_a_while(at.path()), Vec::<String>::new());
}
