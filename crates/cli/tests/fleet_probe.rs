//! A probe of the disks of several machines, over an ssh that runs the words on this machine.
#![allow(clippy::disallowed_methods, reason = "it makes files and runs programs")]
#![cfg(all(feature = "load", target_os = "linux"))]

mod common;

use std::io::Write;

use common::fake_ssh::{on_hosts, place};
use common::ran;
use serde_json::Value;
use tempfile::TempDir;

/// A file that is large enough to probe.
fn disk(at: &TempDir) -> String {
    let path = at.path().join("disk");
    let mut file = std::fs::File::create(&path).unwrap();
    let block: Vec<u8> = (0..1u32 << 18).flat_map(u32::to_le_bytes).collect();
    (0..64).for_each(|_| file.write_all(&block).unwrap());
    file.sync_all().unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn each_host_probes_its_own_disk_and_the_answers_stand_beside_each_other() {
    let at = place();
    let disk = disk(&at);
    let page = at.path().join("page.html");
    let words = ["--host", "a", "--host", "b", "--", "probe", &disk, "--budget", "5s", "--json", "--html"];
    let words: Vec<&str> = words.into_iter().chain([page.to_str().unwrap()]).collect();
    let done = ran(on_hosts(&at, &words).output().unwrap());
    assert_eq!(done.code, 0, "{}", done.err);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["schema"], "iobound.fleet-probe/1");
    let hosts = document["hosts"].as_array().unwrap();
    assert_eq!(hosts.iter().map(|host| &host["host"]).collect::<Vec<_>>(), ["a", "b"]);
    for host in hosts {
        assert_eq!(host["failure"], Value::Null, "{}", done.err);
        assert_eq!(host["probe"]["targets"][0]["name"].as_str(), Some(disk.as_str()));
        assert_eq!(host["probe"]["cost"]["written_bytes"], 0);
        // A short probe says what it did not reach.
        assert!(!host["probe"]["open"].as_array().unwrap().is_empty(), "{host:#}");
    }
    let page = std::fs::read_to_string(&page).unwrap();
    assert!(page.contains("Limits of the disks of several machines"));
}

#[test]
fn a_host_that_cannot_probe_is_named_and_the_others_answer() {
    let at = place();
    let disk = disk(&at);
    std::fs::rename(&disk, at.path().join("disk0")).unwrap();
    // The second rank finds no such file.
    let pattern = format!("{disk}{{rank}}");
    let words = ["--host", "a", "--host", "b", "--", "probe", &pattern, "--budget", "5s", "--json"];
    let done = ran(on_hosts(&at, &words).output().unwrap());
    assert_eq!(done.code, 4, "{}", done.err);
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert!(document["hosts"][0]["probe"].is_object() && document["hosts"][1]["probe"].is_null());
    let why = document["hosts"][1]["failure"].as_str().unwrap();
    assert!(why.contains("disk1"), "{why}");
}

#[test]
fn a_probe_is_no_rank_of_another_launcher_and_its_hosts_do_not_meet() {
    let at = place();
    for (words, why) in [
        (vec!["script", "--slurm", "--hosts", "2", "--", "probe", "/dev/sdc"], "another launcher"),
        (vec!["--host", "a", "--meet", "127.0.0.1:0", "--", "probe", "/dev/sdc"], "--meet"),
        (vec!["--host", "a", "--", "probe", "/dev/sdc", "--budget", "1s"], "1 s holds no experiment"),
    ] {
        let done = ran(on_hosts(&at, &words).output().unwrap());
        assert_eq!(done.code, 2, "{}", done.err);
        assert!(done.err.contains(why), "{}", done.err);
    }
}
