//! `iobound fio`, `diskspd` and `iometer` in place of the tools whose words they take: programs that drive those tools take
//! any word on standard error for a failure.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read the files that a run leaves")]

mod common;

use std::fs;

use common::{Ran, beside_others, json};
use serde_json::Value;
use tempfile::TempDir;

fn ran(words: &[&str]) -> Ran {
    common::ran(beside_others(words).output().unwrap())
}

/// A short fio job on files of this folder, with an option that has no effect here.
fn fio(folder: &TempDir, more: &[&str]) -> Ran {
    let directory = format!("--directory={}", folder.path().display());
    let words = ["fio", "--name=a", &directory, "--size=1m", "--rw=randread", "--ioscheduler=none"];
    ran(&words.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
}

fn notes(document: &Value) -> Vec<&str> {
    document["iobound"]["notes"].as_array().unwrap().iter().map(|note| note.as_str().unwrap()).collect()
}

#[test]
fn a_foreign_verb_writes_nothing_to_standard_error_when_all_is_well() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("io.dat").display().to_string();
    let results = [
        fio(&folder, &[]),
        fio(&folder, &["--output-format=json+", "--eta=never"]),
        // DiskSpd's -P has no effect here.
        ran(&["diskspd", "-c1M", "-d1", "-W0", "-b4K", "-P", &file]),
    ];
    for done in results {
        assert_eq!((done.code, done.err.as_str()), (0, ""), "{}", done.out);
    }
}

#[test]
fn notes_and_checks_are_in_fios_json_under_a_key_of_our_own() {
    let folder = tempfile::tempdir().unwrap();
    let document = json(&fio(&folder, &["--output-format=json"]));
    assert!(notes(&document).iter().any(|note| note.starts_with("ioscheduler=none: ")), "{document}");
    let checks = document["iobound"]["checks"].as_array().unwrap();
    assert!(
        checks.iter().all(|check| check["name"].is_string() && check["outcome"].is_string()),
        "{document}"
    );
    assert!(!checks.is_empty());
    // It is beside fio's own keys, which stay the first.
    assert_eq!(document.as_object().unwrap().keys().next_back().unwrap(), "iobound");
}

#[test]
fn verbose_writes_the_notes_wherever_it_stands() {
    let folder = tempfile::tempdir().unwrap();
    let directory = format!("--directory={}", folder.path().display());
    let words = ["--name=a", &directory, "--size=1m", "--rw=randread", "--ioscheduler=none"];
    for before in [true, false] {
        let verbose: Vec<&str> = if before {
            ["fio", "--verbose"].into_iter().chain(words).collect()
        } else {
            ["fio"].into_iter().chain(words).chain(["--verbose"]).collect()
        };
        let done = ran(&verbose);
        assert!(done.code == 0 && done.err.contains("note: ioscheduler=none: "), "{done:?}");
    }
    let words: Vec<&str> = ["fio"].into_iter().chain(words).collect();
    let asked = common::ran(beside_others(&words).env("IOBOUND_VERBOSE", "true").output().unwrap());
    assert!(asked.code == 0 && asked.err.contains("note: ioscheduler=none: "), "{asked:?}");
}

#[test]
fn what_is_wrong_is_written_to_standard_error() {
    let folder = tempfile::tempdir().unwrap();
    let refused = fio(&folder, &["--ioengine=rbd"]);
    assert_eq!((refused.code, refused.out.as_str()), (2, ""), "{refused:?}");
    assert!(refused.err.starts_with("error: ") && refused.err.contains("rbd"), "{}", refused.err);
}

#[test]
fn several_forms_go_to_one_output_in_fios_order() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.txt").display().to_string();
    let done = fio(&folder, &["--output-format=json,normal,terse", &format!("--output={path}")]);
    assert_eq!((done.code, done.out.as_str(), done.err.as_str()), (0, "", ""), "{done:?}");
    let text = fs::read_to_string(path).unwrap();
    let (terse, json, normal) =
        (text.find("\n3;").unwrap(), text.find("\n{").unwrap(), text.find("\na: (groupid=0").unwrap());
    assert!(terse < json && json < normal, "{text}");
}
