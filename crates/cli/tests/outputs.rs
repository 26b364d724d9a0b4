//! Files beside the answer of a run: whose they replace, what is refused before the run, and what becomes of an answer whose
//! file can't be written.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that a run leaves")]

mod common;

use std::fs;
use std::os::unix::fs::symlink;

use common::folder::Folder;
use common::{Ran, beside_others, json};

/// The words of each output, and what it is called in an error.
const OUTPUTS: [&str; 5] = ["--csv", "--ndjson", "--hlog", "--trace-out", "--html"];

impl Folder {
    fn names(&self) -> Vec<String> {
        let listed = fs::read_dir(self.root()).unwrap();
        let mut names: Vec<String> =
            listed.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// A run of a tenth of a second on a small file of this folder.
    fn run(&self, more: &[&str]) -> Ran {
        let target = self.text("target");
        let words = ["run", &target, "--size", "1MiB", "--buffered", "--duration", "100ms", "--warmup", "0s"];
        let words: Vec<&str> = words.into_iter().chain(more.iter().copied()).collect();
        common::ran(beside_others(&words).output().unwrap())
    }

    fn foreign(&self, words: &[&str]) -> Ran {
        common::ran(beside_others(words).current_dir(self.root()).output().unwrap())
    }

    fn fio(&self, more: &[&str]) -> Ran {
        let words = [
            "fio",
            "--name=a",
            "--filename=target",
            "--size=1m",
            "--rw=randread",
            "--runtime=1",
            "--time_based",
        ];
        self.foreign(&words.into_iter().chain(more.iter().copied()).collect::<Vec<_>>())
    }
}

#[test]
fn a_file_of_somebody_else_is_refused_before_the_run_and_an_own_one_is_replaced() {
    for output in OUTPUTS {
        let folder = Folder::new();
        let file = folder.write("out", "what somebody wrote\n");
        let refused = folder.run(&[output, &file]);
        assert!(matches!(refused.code, 2 | 3), "{output}: {refused:?}");
        assert!(refused.err.contains(&file) && refused.err.contains("help: "), "{output}: {}", refused.err);
        assert_eq!(
            (refused.out.as_str(), folder.names()),
            ("", vec!["out".to_string()]),
            "{output}: nothing ran"
        );
        assert_eq!(fs::read_to_string(&file).unwrap(), "what somebody wrote\n");
        fs::remove_file(&file).unwrap();
        for _ in 0..2 {
            let ran = folder.run(&[output, &file]);
            assert_eq!(ran.code, 0, "{output}: {ran:?}");
            assert!(fs::metadata(&file).unwrap().len() > 0);
        }
        // Of another name it is somebody else's, and so is a file of another kind.
        fs::hard_link(&file, folder.path("second")).unwrap();
        assert_eq!(folder.run(&[output, &file]).code, 3, "{output}");
    }
}

#[test]
fn an_output_is_never_the_target_nor_another_output_nor_the_store() {
    let folder = Folder::new();
    let (target, here) = (folder.text("target"), folder.here());
    for output in OUTPUTS {
        let refused = folder.run(&[output, &target]);
        assert_eq!(refused.code, 3, "{output}: {refused:?}");
        assert!(refused.err.contains("target of this run"), "{output}: {}", refused.err);
        assert!(folder.names().is_empty(), "{output}: {:?}", folder.names());
        // The file that the run would make in a folder, under another spelling.
        let made = format!("{here}/./iobound.0.data");
        let words = ["run", &here, "--size", "1MiB", "--buffered", "--duration", "100ms", output, &made];
        let refused = common::ran(beside_others(&words).output().unwrap());
        assert_eq!(refused.code, 3, "{output}: {refused:?}");
        assert!(folder.names().is_empty(), "{output}: {:?}", folder.names());
    }
    let both = folder.text("both");
    let refused = folder.run(&["--csv", &both, "--hlog", &both]);
    assert_eq!((refused.code, folder.names().len()), (2, 0), "{refused:?}");
    // A target that is there and only read, by another of its names.
    folder.write("target", "a".repeat(1 << 20));
    symlink(&target, folder.path("link")).unwrap();
    let refused = folder.run(&["--csv", &folder.text("link")]);
    assert_eq!(refused.code, 3, "{refused:?}");
}

#[test]
fn a_link_or_a_device_is_not_written_through() {
    let folder = Folder::new();
    let victim = folder.write("victim", "precious");
    symlink(&victim, folder.path("link")).unwrap();
    for output in OUTPUTS {
        for place in [folder.text("link"), "/dev/urandom".into(), folder.here()] {
            let refused = folder.run(&[output, &place]);
            assert!(matches!(refused.code, 2 | 3), "{output} {place}: {refused:?}");
        }
    }
    assert_eq!(fs::read_to_string(victim).unwrap(), "precious");
    assert_eq!(folder.names(), ["link", "victim"]);
}

#[test]
fn standard_streams_pipes_and_null_take_what_is_written() {
    let folder = Folder::new();
    for output in ["--csv", "--ndjson", "--hlog"] {
        assert_eq!(folder.run(&[output, "/dev/null"]).code, 0);
        for place in ["-", "/dev/stdout", "fd:1", "/dev/fd/1"] {
            let ran = folder.run(&[output, place]);
            assert_eq!(ran.code, 0, "{output} {place}: {ran:?}");
            let begins = match output {
                "--csv" => "stage,start_s,end_s",
                "--ndjson" => "{\"schema\":\"iobound.interval/1\"",
                _ => "#[iobound: ",
            };
            assert!(ran.out.contains(begins), "{output} {place}: {}", ran.out);
        }
    }
    // Standard output that is a file keeps what the caller has written there.
    let file = folder.write("log", "before\n");
    let append = fs::OpenOptions::new().append(true).open(&file).unwrap();
    let target = folder.text("target");
    let words =
        ["run", &target, "--size", "1MiB", "--buffered", "--duration", "100ms", "--csv", "/dev/stdout"];
    assert!(beside_others(&words).stdout(append).status().unwrap().success());
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.starts_with("before\n") && text.contains("stage,start_s"), "{text}");
}

#[test]
fn an_answer_whose_files_can_not_be_written_is_printed_and_kept() {
    let folder = Folder::new();
    let store = folder.text("store/results.db");
    let full = ["--hlog", "--ndjson", "--csv", "--html"].into_iter().flat_map(|output| [output, "/dev/full"]);
    let words: Vec<&str> = full.chain(["--results", &store, "--json"]).collect();
    let ran = folder.run(&words);
    assert_eq!(ran.code, 4, "{ran:?}");
    let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(answer["id"], "r-1");
    assert!(answer["iops"].as_f64().unwrap() > 0.0);
    assert_eq!(ran.err.matches("error: cannot write /dev/full").count(), 4, "{}", ran.err);
    let shown = common::ran(
        beside_others(&["results", "show", "r-1", "--json", "--results", &store]).output().unwrap(),
    );
    assert_eq!(json(&shown)["iops"], answer["iops"]);
    for (words, begins) in
        [(&["--output=/dev/full"][..], "a: (g=0)"), (&["--output=/dev/full", "--output-format=json"], "{")]
    {
        let ran = folder.fio(words);
        assert_eq!(ran.code, 4, "{ran:?}");
        assert!(ran.out.starts_with(begins), "{ran:?}");
    }
}

#[test]
fn fios_report_and_logs_replace_those_of_earlier_runs_and_nothing_else() {
    let folder = Folder::new();
    let logs = ["--write_bw_log=w", "--write_lat_log=w", "--log_avg_msec=1000"];
    for format in ["normal", "json", "terse", "json+"] {
        let format = format!("--output-format={format}");
        let words = [&logs[..], &["--output=report", &format]].concat();
        for _ in 0..2 {
            let ran = folder.fio(&words);
            assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{format}: {ran:?}");
        }
    }
    assert!(folder.names().contains(&"w_bw.1.log".to_string()), "{:?}", folder.names());
    for (name, words) in [("report", &["--output=report"][..]), ("w_bw.1.log", &logs[..])] {
        folder.write(name, "what somebody wrote\n");
        fs::remove_file(folder.path("target")).unwrap();
        let refused = folder.fio(words);
        assert_eq!((refused.code, refused.out.as_str()), (3, ""), "{name}: {refused:?}");
        assert!(!folder.path("target").exists(), "{name}: it ran");
        assert_eq!(fs::read_to_string(folder.path(name)).unwrap(), "what somebody wrote\n");
        fs::remove_file(folder.path(name)).unwrap();
        assert_eq!(folder.fio(&[]).code, 0);
    }
}

#[test]
fn no_escape_sequence_of_a_name_reaches_the_terminal() {
    let folder = Folder::new();
    let name = "a\u{1b}]0;owned\u{7}\u{9b}31m";
    let target = folder.text(name);
    let words = ["run", &target, "--size", "1MiB", "--buffered", "--duration", "100ms"];
    for more in [&[][..], &["--json"], &["--dry-run"], &["--read", "0%", "--strict", "--csv", &target]] {
        let words: Vec<&str> = words.into_iter().chain(more.iter().copied()).collect();
        let ran = common::ran(beside_others(&words).output().unwrap());
        let is_raw = |c: char| c.is_control() && c != '\n' && c != '\t';
        assert!(!ran.out.contains(is_raw) && !ran.err.contains(is_raw), "{more:?}: {ran:?}");
        if more.contains(&"--json") {
            let answer: serde_json::Value = serde_json::from_str(&ran.out).unwrap();
            assert!(answer["files"].to_string().contains("owned") || answer.to_string().contains("owned"));
        }
    }
    let unknown = common::run(&["predict", "--\u{1b}[31m"]);
    assert_eq!((unknown.code, unknown.err.contains('\u{1b}')), (2, false), "{unknown:?}");
    let file = folder.write("hostile.toml", "[machine]\nvm = \"\\u001b]0;owned\\u0007\"\n");
    let refused = common::run(&["predict", "--config", &file, "--disk", "P30"]);
    assert!(refused.code == 2 && !refused.err.contains('\u{1b}'), "{refused:?}");
}

#[test]
fn the_next_line_of_a_run_is_quoted_so_that_a_shell_expands_nothing() {
    let folder = Folder::new();
    fs::create_dir(folder.path("$(touch owned)")).unwrap();
    let target = folder.text("$(touch owned)");
    let words = ["run", &target, "--size", "1MiB", "--buffered", "--duration", "100ms", "--json"];
    let answer = json(&common::ran(beside_others(&words).output().unwrap()));
    let next = answer["next"][0].as_str().unwrap();
    assert!(next.contains(&format!("'{target}'")), "{next}");
    let echoed = std::process::Command::new("sh")
        .args(["-c", &format!("printf '%s\n' {}", next.strip_prefix("iobound ").unwrap())])
        .current_dir(folder.root())
        .output()
        .unwrap();
    assert!(String::from_utf8(echoed.stdout).unwrap().contains("$(touch owned)"));
    assert!(!folder.path("owned").exists());
}
