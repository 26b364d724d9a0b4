//! Options of `iobound run` and its kin that would change nothing, or that can't be kept: said before anything is
//! written, never ignored.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that a run leaves")]

mod common;

use std::fs;
use std::path::Path;

use common::{Ran, beside_others as command, json};
use tempfile::{TempDir, tempdir};

fn ran(words: &[&str]) -> Ran {
    common::ran(command(words).output().unwrap())
}

fn text(folder: &TempDir) -> String {
    folder.path().display().to_string()
}

/// A short run that any temporary directory allows, with these words more.
fn short(folder: &TempDir, more: &[&str]) -> Vec<String> {
    let here = text(folder);
    let words = ["run", &here, "--size", "1MiB", "--buffered"];
    words.iter().chain(more).map(|word| word.to_string()).collect()
}

fn refused(folder: &TempDir, more: &[&str], says: &[&str]) {
    let words = short(folder, more);
    let answer = ran(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(answer.code, 2, "{more:?}: {answer:?}");
    assert_eq!(answer.out, "", "{more:?}");
    for part in says {
        assert!(answer.err.contains(part), "{part} in {}", answer.err);
    }
    assert!(answer.err.contains("help: "), "no help: {}", answer.err);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{more:?} has made something");
}

#[test]
fn what_changes_nothing_is_refused_before_a_file_is_made() {
    let folder = tempdir().unwrap();
    refused(&folder, &["--find-knee", "--duration", "1s"], &["--duration", "has no effect"]);
    refused(&folder, &["--find-knee", "--csv", "x.csv"], &["--csv", "has no effect"]);
    refused(&folder, &["--find-knee", "--until", "steady"], &["--until", "has no effect"]);
    refused(&folder, &["--find-knee", "--find-load", "p99:5ms"], &["--find-load", "has no effect"]);
    refused(&folder, &["--find-load", "p99:5ms", "--vs", "--depth 2"], &["--find-load", "has no effect"]);
    refused(&folder, &["--find-load", "p99:5ms", "--rate", "100iops"], &["--find-load", "rate"]);
    for wrong in ["5ms", "p0:5ms", "p101:5ms", "99:5ms", "p99:0ms", "p99:x"] {
        let words = short(&folder, &["--find-load", wrong]);
        let answer = ran(&words.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!((answer.code, answer.err.contains("--find-load")), (2, true), "{wrong}: {answer:?}");
    }
    refused(&folder, &["--write-through"], &["--write-through", "nothing is written"]);
    refused(&folder, &["--verify"], &["--verify", "the workload writes nothing"]);
    refused(&folder, &["--era", "2016"], &["--era", "none is given"]);
    refused(&folder, &["--disk", "P30"], &["no VM size is given"]);
    let cold = ["--vm", "DS14", "--disk", "P30", "--cache-state", "cold"];
    refused(&folder, &cold, &["--cache-state", "no disk has a host cache"]);
}

#[test]
fn a_depth_that_an_engine_has_no_room_for_is_refused_with_what_it_has() {
    let folder = tempdir().unwrap();
    let words = short(&folder, &["--duration", "1s", "--engine", "sync", "--depth", "2000"]);
    let answer = ran(&words.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((answer.code, answer.out.as_str()), (2, ""), "{answer:?}");
    for part in ["2000 I/Os outstanding", "sync supports 1024", "--threads 2"] {
        assert!(answer.err.contains(part), "{part} in {}", answer.err);
    }
}

#[test]
fn there_is_no_document_of_a_dry_run() {
    refused(&tempdir().unwrap(), &["--dry-run", "--json"], &["--dry-run", "leave out --json"]);
}

#[test]
fn a_file_that_can_not_be_written_is_named_before_the_run() {
    let folder = tempdir().unwrap();
    for option in ["--csv", "--ndjson", "--hlog"] {
        refused(&folder, &[option, "/nonexistent/file"], &[option, "cannot write /nonexistent/file"]);
    }
}

#[test]
fn a_configuration_may_stand_in_the_environment() {
    let folder = tempdir().unwrap();
    let words = short(&folder, &["--duration", "200ms", "--json"]);
    let mut command = command(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let output = command.env("IOBOUND_VM", "DS14").env("IOBOUND_DISK", "10xP30").output().unwrap();
    let document = json(&common::ran(output));
    assert!(document["predicted"]["expected"]["iops"].as_f64().is_some(), "{document}");
}

/// A run ends after `--duration` whatever is predicted beside it: the note that it changes nothing was false.
#[test]
fn the_duration_of_a_run_with_a_configuration_has_its_effect() {
    let folder = tempdir().unwrap();
    let words = ["--duration", "200ms", "--warmup", "100ms", "--vm", "DS14", "--disk", "10xP30", "--json"];
    let answer = ran(&short(&folder, &words).iter().map(String::as_str).collect::<Vec<_>>());
    assert!(!answer.err.contains("has no effect"), "{}", answer.err);
    let document = json(&answer);
    assert!(!document["predicted"]["binding"].is_null(), "{document}");
    assert!(!document["notes"].to_string().contains("has no effect"), "{document}");
}

#[test]
fn jobs_that_write_different_contents_are_not_run_as_one() {
    let folder = tempdir().unwrap();
    let jobs = folder.path().join("jobs.toml");
    let job = |name: &str, more: &str| format!("[[job]]\nname = \"{name}\"\nread = \"0%\"\n{more}\n");
    fs::write(&jobs, job("one", "") + &job("other", "compressible = \"50%\"")).unwrap();
    let (here, jobs) = (text(&folder), jobs.display().to_string());
    let answer = ran(&["run", &here, "--buffered", "--size", "1MiB", "--workload", &jobs]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.err.contains("jobs one and other write different contents"), "{}", answer.err);
}

#[test]
fn the_other_tools_verbs_have_no_documents_of_ours() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("io.dat").display().to_string();
    let answer = ran(&["diskspd", "--json", "-c1M", "-d1", "-W0", &file]);
    assert_eq!((answer.code, answer.out.as_str()), (2, ""), "{answer:?}");
    assert!(answer.err.contains("--json"), "{}", answer.err);
    assert!(!Path::new(&file).exists());
}

/// fio's job on files of this folder, answered in JSON.
fn fio(folder: &TempDir, more: &[&str]) -> Ran {
    let directory = format!("--directory={}", text(folder));
    let words = ["fio", "--name=a", &directory, "--bs=4k", "--output-format=json"];
    ran(&words.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
}

#[test]
fn completion_takes_no_longer_than_all_of_it_with_plain_calls_too() {
    let folder = tempdir().unwrap();
    let read = &json(&fio(&folder, &["--size=1m", "--ioengine=psync"]))["jobs"][0]["read"];
    let mean = |name: &str| read[name]["mean"].as_f64().unwrap();
    assert!(mean("lat_ns") > 0.0);
    // lat is slat and clat together.
    assert!(mean("clat_ns") <= mean("lat_ns"), "{read}");
}

#[test]
fn a_file_that_fio_makes_reaches_to_the_end_of_what_its_job_uses() {
    let folder = tempdir().unwrap();
    let document = json(&fio(&folder, &["--size=1m", "--offset=1m"]));
    assert_eq!(document["jobs"][0]["read"]["io_bytes"], 1 << 20);
    assert_eq!(fs::metadata(folder.path().join("a.0.0")).unwrap().len(), 2 << 20);
}

#[test]
fn files_of_one_target_that_differ_in_size_are_bad_input() {
    let folder = tempdir().unwrap();
    assert_eq!(fio(&folder, &["--size=2m"]).code, 0);
    let answer = fio(&folder, &["--size=2m", "--nrfiles=2"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.err.contains("a.0.0") && answer.err.contains("remove it"), "{}", answer.err);
    assert!(!folder.path().join("a.0.1").exists());
}

#[test]
fn what_an_earlier_run_has_stamped_is_no_mismatch_of_this_one() {
    let folder = tempdir().unwrap();
    let words =
        short(&folder, &["--verify", "--read", "50%", "--sequential", "--duration", "200ms", "--json"]);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    for _ in 0..3 {
        let document = json(&ran(&words));
        let checks = document["checks"].as_array().unwrap();
        let verify = checks.iter().find(|check| check["name"] == "verify").unwrap();
        assert_eq!(verify["outcome"], "ok", "{verify}");
    }
}

#[test]
fn what_fio_would_verify_is_verified() {
    let folder = tempdir().unwrap();
    let answer = fio(&folder, &["--size=1m", "--rw=write", "--verify=sha256", "--do_verify=1"]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert_eq!(json(&answer)["jobs"][0]["read"]["io_bytes"], 1 << 20);
    // Each sector begins with a stamp.
    let written = fs::read(folder.path().join("a.0.0")).unwrap();
    assert!(written.chunks(512).all(|sector| sector.starts_with(b"iob1")));
}

#[test]
fn an_answer_that_can_not_be_kept_is_said_before_the_run() {
    let folder = tempdir().unwrap();
    let answer = fio(&folder, &["--size=1m", "--output=/nonexistent/file"]);
    assert_eq!(answer.code, 2, "{answer:?}");
    assert!(answer.err.contains("cannot write /nonexistent/file"), "{}", answer.err);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn harnesses_that_ask_for_fios_version_get_one() {
    let answer = ran(&["fio", "--version"]);
    assert_eq!((answer.code, answer.out.as_str()), (0, "fio-3.42\n"));
}

#[test]
fn threads_go_where_diskspd_would_bind_them() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("io.dat").display().to_string();
    let words = |list| ["diskspd", list, "-c1M", "-d1", "-W0", &file].map(String::from);
    let diskspd = |list| ran(&words(list).iter().map(String::as_str).collect::<Vec<_>>());
    let absent = diskspd("-ag900,7");
    assert_eq!(absent.code, 2, "{absent:?}");
    assert!(absent.err.contains("processor 57607"), "{}", absent.err);
    let allowed = fs::read_to_string("/proc/self/status").unwrap();
    let allowed = allowed.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).unwrap().trim();
    let first = allowed.split(['-', ',']).next().unwrap();
    let bound = diskspd(&format!("-a{first}"));
    assert_eq!(bound.code, 0, "{bound:?}");
    assert!(!bound.err.contains("not bound"), "{}", bound.err);
}

#[test]
fn what_diskspds_report_has_is_not_said_to_have_no_effect() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("io.dat").display().to_string();
    let answer = ran(&["diskspd", "-c1M", "-d1", "-W0", "-L", "-Rxml", &file]);
    assert_eq!(answer.code, 0, "{answer:?}");
    assert!(answer.out.contains("<Results>"), "{}", answer.out);
    assert!(!answer.err.contains("no effect"), "{}", answer.err);
}

#[test]
fn a_run_without_a_result_of_its_own_refuses_a_file_for_it() {
    let folder = tempdir().unwrap();
    let (target, file) = (folder.path().join("data"), folder.path().join("own.json"));
    let (target, file) = (target.to_str().unwrap(), file.to_str().unwrap());
    for option in ["--find-knee", "--dry-run", "--vs=--depth 2"] {
        let words = ["run", target, "--size", "1MiB", "--own-result", file, option];
        let answer = ran(&words);
        let flag = option.split('=').next().unwrap();
        assert_eq!(answer.code, 2, "{answer:?}");
        assert!(answer.err.contains("--own-result") && answer.err.contains(flag), "{answer:?}");
        assert!(!folder.path().join("own.json").exists());
    }
}
