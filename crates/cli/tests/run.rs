//! `iobound run` and its kin on small files of the temporary directory: what is written, what is refused, what is
//! answered, how it ends.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that a run leaves")]

mod common;

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::folder::Folder;
use common::{Ran, beside_others as command, json};
use serde_json::Value;

impl Folder {
    /// A file that somebody else wrote.
    fn file(&self, name: &str, bytes: usize) -> String {
        fs::write(self.path(name), vec![0x5a; bytes]).unwrap();
        self.text(name)
    }
}

// Not every temporary directory has direct I/O, so that what is not about it goes through the page cache.
fn ran(words: &[&str]) -> Ran {
    common::ran(command(words).output().unwrap())
}

/// A run that goes on: its first interval has ended.
fn under_way(words: &[&str]) -> Child {
    let mut child = command(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Its first line on standard error comes with its first interval.
    let mut seen = String::new();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    while !seen.contains("counted") {
        seen.clear();
        assert!(std::io::BufRead::read_line(&mut stderr, &mut seen).unwrap() > 0, "it ended by itself");
    }
    // What it says from now on is read away, so that it never waits for a reader.
    std::thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::sink()));
    child
}

const SHORT: [&str; 4] = ["--buffered", "--duration", "300ms", "--json"];

fn with<'a>(words: &[&'a str]) -> Vec<&'a str> {
    [words, &SHORT].concat()
}

fn number(document: &Value, pointer: &str) -> f64 {
    document.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer} in {document}"))
}

#[test]
fn a_folder_gets_a_file_of_its_own_that_the_next_run_reads_again() {
    let folder = Folder::new();
    let first = ran(&with(&["run", &folder.here(), "--size", "4MiB"]));
    assert_eq!(first.code, 0, "{first:?}");
    let document = json(&first);
    assert_eq!(document["schema"], "iobound.result/1");
    assert_eq!(document["prepared"][0]["did"], "created");
    assert!(number(&document, "/iops") > 0.0);
    let second = json(&ran(&with(&["run", &folder.here(), "--size", "4MiB"])));
    assert_eq!(second["prepared"][0]["did"], "reused");
    assert_eq!(number(&second, "/prepared/0/written_bytes"), 0.0);
}

#[test]
fn what_somebody_else_wrote_is_only_read() {
    let folder = Folder::new();
    let file = folder.file("theirs", 4 << 20);
    let before = fs::read(&file).unwrap();
    assert_eq!(ran(&with(&["run", &file])).code, 0);
    let refused = ran(&with(&["run", &file, "--read", "0%"]));
    assert_eq!(refused.code, 3, "{refused:?}");
    assert!(refused.err.contains(&format!("--overwrite {file}")), "{}", refused.err);
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn what_is_named_twice_is_written_over() {
    let folder = Folder::new();
    let file = folder.file("theirs", 4 << 20);
    let before = fs::read(&file).unwrap();
    let written = ran(&with(&["run", &file, "--read", "0%", "--overwrite", &file]));
    assert_eq!(written.code, 0, "{written:?}");
    assert_ne!(fs::read(&file).unwrap(), before);
    let other = ran(&with(&["run", &file, "--read", "0%", "--overwrite", &folder.text("another")]));
    assert_ne!(other.code, 0, "consent to another file is none to this one");
}

#[test]
fn a_path_that_is_not_there_is_no_wish_for_a_file() {
    let folder = Folder::new();
    let refused = ran(&with(&["run", &folder.text("not-mounted")]));
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("--size"), "{}", refused.err);
    assert!(!folder.path("not-mounted").exists());
    assert_eq!(ran(&["run"]).code, 2);
}

#[test]
fn a_dry_run_says_what_it_would_write_and_writes_nothing() {
    let folder = Folder::new();
    let said = ran(&["run", &folder.here(), "--size", "64MiB", "--dry-run"]);
    assert_eq!(said.code, 0);
    assert!(said.out.contains("64 MiB to write"), "{}", said.out);
    assert_eq!(fs::read_dir(folder.root()).unwrap().count(), 0);
}

#[test]
fn a_dry_run_names_the_file_system_that_overwriting_would_destroy() {
    let folder = Folder::new();
    let image = folder.file("disk.img", 1 << 20);
    let mut bytes = fs::read(&image).unwrap();
    // XFS keeps its UUID at byte 32 and its label at byte 108.
    bytes[..4].copy_from_slice(b"XFSB");
    bytes[108..120].copy_from_slice(b"orders\0\0\0\0\0\0");
    fs::write(&image, &bytes).unwrap();
    let said = ran(&["run", &image, "--read", "0%", "--overwrite", &image, "--dry-run"]);
    assert_eq!(said.code, 0, "{said:?}");
    let uuid = "5a5a5a5a-5a5a-5a5a-5a5a-5a5a5a5a5a5a";
    let lost = format!("lost   {image} (1 MiB): an XFS file system, label \"orders\", UUID {uuid}");
    assert!(said.out.contains(&lost), "{}", said.out);
    assert_eq!(fs::read(&image).unwrap(), bytes);
    let read = ran(&["run", &image, "--dry-run"]);
    assert!(!read.out.contains("lost"), "{}", read.out);
}

#[test]
fn more_than_there_is_room_for_is_refused_before_a_byte_is_written() {
    let folder = Folder::new();
    let refused = ran(&["run", &folder.here(), "--size", "900TiB"]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("free"), "{}", refused.err);
    assert_eq!(fs::read_dir(folder.root()).unwrap().count(), 0);
}

#[test]
fn holes_of_a_file_that_is_only_read_are_refused_with_the_mend() {
    let folder = Folder::new();
    let path = folder.text("sparse");
    fs::File::create(&path).unwrap().set_len(8 << 20).unwrap();
    let refused = ran(&with(&["run", &path]));
    assert_ne!(refused.code, 0, "reads of what was never written need no disk: {refused:?}");
    assert!(refused.err.contains("never written"), "{}", refused.err);
}

#[test]
fn intervals_go_to_files_as_they_end() {
    let folder = Folder::new();
    let (ndjson, csv, hlog) = (folder.text("a.ndjson"), folder.text("a.csv"), folder.text("a.hlog"));
    let words = [
        "run",
        &folder.here(),
        "--size",
        "4MiB",
        "--buffered",
        "--duration",
        "500ms",
        "--interval",
        "100ms",
        "--ndjson",
        &ndjson,
        "--csv",
        &csv,
        "--hlog",
        &hlog,
    ];
    let done = ran(&words.map(|word| word));
    assert_eq!(done.code, 0, "{done:?}");
    let lines: Vec<Value> = fs::read_to_string(&ndjson)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 5);
    assert!(lines.iter().all(|line| line["schema"] == "iobound.interval/1"));
    assert_eq!(fs::read_to_string(&csv).unwrap().lines().count(), 6, "a head and five intervals");
    let hlog = fs::read_to_string(&hlog).unwrap();
    // One head, although the file was opened before the preparation.
    assert_eq!(hlog.matches("#[Histogram log format version 1.3]").count(), 1);
    assert!(hlog.starts_with("#["), "{hlog}");
}

#[test]
fn the_series_of_a_run_adds_up_to_its_total() {
    let folder = Folder::new();
    let document = json(&ran(&with(&[
        "run",
        &folder.here(),
        "--size",
        "4MiB",
        "--interval",
        "100ms",
        "--threads",
        "2",
    ])));
    let series = document["series"].as_array().unwrap();
    let sum: f64 = series.iter().map(|point| number(point, "/iops") * 0.1).sum();
    let total = number(&document, "/iops") * 0.3;
    assert!((sum - total).abs() <= 0.001 * total + 1.0, "{sum} and {total}");
}

#[test]
fn blocks_that_are_verified_hold_what_was_written() {
    let folder = Folder::new();
    let words = ["run", &folder.here(), "--size", "4MiB", "--read", "30%", "--verify", "--threads", "2"];
    let done = ran(&with(&words));
    assert_eq!(done.code, 0, "{done:?}");
    let checks = json(&done)["checks"].clone();
    let verify = checks.as_array().unwrap().iter().find(|check| check["name"] == "verify").unwrap().clone();
    assert_eq!(verify["outcome"], "ok", "{verify}");
}

#[test]
fn no_more_io_is_issued_than_was_allowed() {
    let folder = Folder::new();
    let words = [
        "run",
        &folder.here(),
        "--size",
        "4MiB",
        "--max-iops",
        "200",
        "--threads",
        "3",
        "--buffered",
        "--duration",
        "1s",
    ];
    let document = json(&ran(&[&words[..], &["--json"]].concat()));
    let iops = number(&document, "/iops");
    assert!(iops <= 215.0, "{iops} IOPS where 200 were allowed");
}

#[test]
fn an_open_loop_has_response_and_service_times() {
    let folder = Folder::new();
    let document = json(&ran(&with(&["run", &folder.here(), "--size", "4MiB", "--rate", "500iops"])));
    assert_eq!(document.pointer("/latency_us/loop").unwrap(), "open");
    assert!(number(&document, "/latency_us/mean") >= number(&document, "/service_us/mean"));
}

#[test]
fn a_run_ends_when_its_figures_are_known_well_enough() {
    let folder = Folder::new();
    let words = [
        "run",
        &folder.here(),
        "--size",
        "4MiB",
        "--buffered",
        "--duration",
        "60s",
        "--interval",
        "50ms",
        "--rate",
        "400iops",
        "--until",
        "ci=20%",
        "--json",
    ];
    let began = Instant::now();
    let done = ran(&words.map(|word| word));
    assert_eq!(done.code, 0, "{done:?}");
    assert!(began.elapsed() < Duration::from_secs(50));
    assert!(number(&json(&done), "/confidence/relative") <= 0.2);
}

#[test]
fn the_knee_of_a_search_is_one_of_its_probes() {
    let folder = Folder::new();
    let words = [
        "run",
        &folder.here(),
        "--size",
        "4MiB",
        "--buffered",
        "--find-knee",
        "--depth",
        "2",
        "--threads",
        "2",
        "--json",
    ];
    let document = json(&ran(&words.map(|word| word)));
    let depth = number(&document, "/knee/depth");
    let curve = document["curve"].as_array().unwrap();
    assert!(curve.iter().any(|point| number(point, "/depth") == depth), "{document}");
}

#[test]
fn an_interrupted_run_says_what_was_done() {
    let folder = Folder::new();
    let child =
        under_way(&["run", &folder.here(), "--size", "4MiB", "--buffered", "--duration", "60s", "--json"]);
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(interrupt.success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["ended"], "interrupted");
    assert!(number(&document, "/iops") > 0.0);
}

#[test]
fn a_target_that_fails_ends_the_run_with_what_was_done() {
    let folder = Folder::new();
    let file = folder.file("shrinks", 8 << 20);
    let child = under_way(&[
        "run",
        &file,
        "--buffered",
        "--sequential",
        "--duration",
        "60s",
        "--interval",
        "100ms",
        "--json",
    ]);
    fs::File::options().write(true).open(&file).unwrap().set_len(1 << 20).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(4));
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["ended"], "failed");
    assert!(number(&document, "/iops") > 0.0);
}

#[test]
fn options_that_can_not_be_taken_are_named() {
    let folder = Folder::new();
    for (words, part) in [
        (&["--engine", "spdk"][..], "io_uring, libaio, sync"),
        (&["--until", "soon"], "ci=2%"),
        (&["--cpus", "99999"], "cannot use"),
        (&["--max-iops", "0"], "1 or more"),
        (&["--max-pressure", "disk=5%"], "memory=10%"),
        (&["--interval", "1us"], "10ms"),
        (&["--on-error", "ignore"], "stop or continue"),
    ] {
        let refused = ran(&[&["run", &folder.here(), "--size", "4MiB"], words].concat());
        assert_eq!(refused.code, 2, "{words:?}: {refused:?}");
        assert!(refused.err.contains(part), "{words:?}: {}", refused.err);
    }
    assert_eq!(
        fs::read_dir(folder.root()).unwrap().count(),
        0,
        "nothing was written for a question that was wrong"
    );
}

#[test]
fn diskspds_words_are_answered_in_its_text() {
    let folder = Folder::new();
    let file = folder.text("io.dat");
    let done = ran(&["diskspd", "-b4K", "-d1", "-W0", "-o4", "-t2", "-r", "-L", "-c4M", &file]);
    assert_eq!(done.code, 0, "{done:?}");
    for part in [
        "Input parameters:",
        "actual test time:",
        "thread |       bytes     |",
        "Total latency distribution:",
        "%-ile |",
    ] {
        assert!(done.out.contains(part), "{part} in {}", done.out);
    }
    // Made here, so that -c may make it anew; what others wrote it may not.
    assert_eq!(ran(&["diskspd", "-b4K", "-d1", "-W0", "-c4M", &file]).code, 0);
    let theirs = folder.file("theirs.dat", 4 << 20);
    let refused = ran(&["diskspd", "-b4K", "-d1", "-W0", "-c8M", &theirs]);
    assert_eq!(refused.code, 3, "{refused:?}");
    assert_eq!(fs::metadata(&theirs).unwrap().len(), 4 << 20);
}

#[test]
fn what_holds_for_a_run_holds_in_another_tools_words() {
    let folder = Folder::new();
    let output = command(&["diskspd", "-b4K", "-d1", "-W0", "-o8", "-t2", "-c4M", &folder.text("io.dat")])
        .env("IOBOUND_MAX_IOPS", "100")
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let total = text.lines().find(|line| line.starts_with("total:")).unwrap();
    let iops: f64 = total.split('|').nth(3).unwrap().trim().parse().unwrap();
    assert!(iops > 0.0 && iops <= 110.0, "{total}");
}

#[test]
fn windows_paths_lie_where_the_map_has_them() {
    let folder = Folder::new();
    let map = format!("e:={}", folder.here());
    let done = ran(&["diskspd", "--map", &map, "-b4K", "-d1", "-W0", "-o2", "-c4M", "e:\\io.dat"]);
    assert_eq!(done.code, 0, "{done:?}");
    assert!(folder.path("io.dat").exists());
    for path in ["e:\\io.dat", "#1"] {
        let refused = ran(&["diskspd", "-b4K", "-d1", "-W0", "-c4M", path]);
        assert_eq!(refused.code, 2, "{refused:?}");
        assert!(refused.err.contains("--map"), "{}", refused.err);
    }
}

#[test]
fn a_job_that_names_none_of_several_targets_is_a_slip() {
    let folder = Folder::new();
    let (data, log) = (folder.file("a", 1 << 20), folder.file("b", 1 << 20));
    let jobs = folder.text("jobs.toml");
    fs::write(&jobs, "duration = \"300ms\"\n[[job]]\nname = \"j\"\nbuffered = true\ntarget = \"lgo\"\n")
        .unwrap();
    let (data, log) = (format!("data={data}"), format!("log={log}"));
    let refused = ran(&["run", &data, &log, "--workload", &jobs]);
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(refused.err.contains("lgo") && refused.err.contains("data, log"), "{}", refused.err);
}

#[test]
fn fios_words_are_answered_in_its_json() {
    let folder = Folder::new();
    let directory = format!("--directory={}", folder.here());
    let done = ran(&[
        "fio",
        "--name=test",
        &directory,
        "--rw=randrw",
        "--rwmixread=70",
        "--bs=4k",
        "--size=4m",
        "--runtime=1",
        "--time_based",
        "--numjobs=2",
        "--group_reporting",
        "--output-format=json",
    ]);
    assert_eq!(done.code, 0, "{done:?}");
    let document: Value = serde_json::from_str(&done.out).unwrap();
    let job = &document["jobs"][0];
    assert_eq!(job["jobname"], "test");
    assert!(number(job, "/read/iops") > number(job, "/write/iops"));
    assert!(number(job, "/read/clat_ns/mean") > 0.0);
    assert!(Path::new(&folder.path("test.0.0")).exists() && folder.path("test.1.0").exists());
}

#[test]
fn what_fio_can_and_a_run_can_not_is_refused_by_name() {
    let folder = Folder::new();
    let directory = format!("--directory={}", folder.here());
    for option in ["--ioengine=rbd", "--merge_blktrace_file=x"] {
        let refused = ran(&["fio", "--name=a", &directory, "--size=4m", "--rw=read", option]);
        assert_eq!(refused.code, 2, "{option}: {refused:?}");
        let name = option.trim_start_matches("--").split('=').next().unwrap();
        assert!(refused.err.contains(name), "{option}: {}", refused.err);
    }
}

#[test]
fn the_highest_load_below_a_latency_is_found_and_run() {
    let folder = Folder::new();
    let words = |goal: &'static str| {
        [
            "run",
            &folder.here(),
            "--find-load",
            goal,
            "--depth",
            "2",
            "--size",
            "4MiB",
            "--duration",
            "1s",
            "--json",
        ]
        .map(str::to_string)
    };
    let run = |goal| ran(&words(goal).iter().map(String::as_str).collect::<Vec<_>>());
    let done = run("p50:60s");
    assert_eq!(done.code, 0, "{done:?}");
    let document: Value = serde_json::from_str(&done.out).unwrap();
    assert_eq!(document["depth"]["requested"], 2.0);
    let checks = document["checks"].as_array().unwrap();
    let found = checks.iter().find(|check| check["name"] == "find-load").unwrap();
    assert!(found["says"].as_str().unwrap().starts_with("2 is the highest depth, up to 2"), "{found}");
    let none = run("p50:1ns");
    assert_eq!(none.code, 4, "{none:?}");
    assert!(none.err.contains("at depth 1 fewer than 50 %"), "{}", none.err);
}

#[test]
fn an_iometer_configuration_is_answered_in_its_csv() {
    let folder = Folder::new();
    let icf = folder.text("test.icf");
    let lines = [
        "Version 1.1.0",
        "'TEST SETUP ====================================================================",
        "'Test Description",
        "\tsmall",
        "'Run Time",
        "'\thours      minutes    seconds",
        "\t0          0          1",
        "'Ramp Up Time (s)",
        "\t0",
        "'Default Disk Workers to Spawn",
        "\t1",
        "'Record Results",
        "\tALL",
        "'Test Type",
        "\tNORMAL",
        "'END test setup",
        "'ACCESS SPECIFICATIONS =========================================================",
        "'Access specification name,default assignment",
        "\t4K read,NONE",
        "'size,% of size,% reads,% random,delay,burst,align,reply",
        "\t4096,100,100,100,0,1,0,0",
        "'END access specifications",
        "'MANAGER LIST ==================================================================",
        "'Manager ID, manager name",
        "\t1,HERE",
        "'Manager network address",
        "\t",
        "'Worker",
        "\tWorker 1",
        "'Worker type",
        "\tDISK",
        "'Default target settings for worker",
        "'Number of outstanding IOs,test connection rate,transactions per connection,use fixed seed,fixed seed value",
        "\t4,DISABLED,1,DISABLED,0",
        "'Disk maximum size,starting sector,Data pattern",
        "\t8192,0,0",
        "'End default target settings for worker",
        "'Assigned access specs",
        "\t4K read",
        "'End assigned access specs",
        "'Target assignments",
        "'Target",
        "\tE: \"data\"",
        "'Target type",
        "\tDISK",
        "'End target",
        "'End target assignments",
        "'End worker",
        "'End manager",
        "'END manager list",
        "Version 1.1.0",
        "",
    ];
    fs::write(&icf, lines.join("\r\n")).unwrap();
    let map = format!("E:={}", folder.here());
    let done = ran(&["iometer", &icf, "--map", &map]);
    assert_eq!(done.code, 0, "{done:?}");
    for part in ["'Test Type,Test Description", "'Results", "'Target Type,Target Name", "ALL,All"] {
        assert!(done.out.contains(part), "{part} in {}", done.out);
    }
    // The label that Iometer shows behind the drive is no part of a path: the target is the folder.
    assert!(folder.path("iobound.0.data").is_file());
    assert!(!Path::new(&format!("{} \"data\"", folder.here())).exists());
}

#[test]
fn a_verb_of_another_tool_without_words_says_what_to_write() {
    for verb in ["diskspd", "fio", "iometer"] {
        let bare = ran(&[verb]);
        assert_eq!(bare.code, 2, "{bare:?}");
        let help = ran(&[verb, "--help"]);
        assert_eq!(help.code, 0, "{help:?}");
        assert!(help.out.contains("Examples:"), "{}", help.out);
    }
}
