//! `iobound lab` on real targets: small files of the temporary directory, through the page cache, since not every
//! temporary directory has direct I/O.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that a run leaves")]

mod common;

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, ChildStderr, Command, Stdio};

use common::folder::Folder;
use common::{Ran, beside_others, json, line, ran};
use serde_json::Value;

impl Folder {
    /// A file with this text beside the target, which is the folder `disk`.
    fn experiment(&self, text: &str) -> String {
        fs::create_dir_all(self.path("disk")).unwrap();
        let path = self.path("mine.toml");
        fs::write(&path, text.replace("DISK", &self.disk())).unwrap();
        path.display().to_string()
    }

    fn disk(&self) -> String {
        self.path("disk").display().to_string()
    }

    /// Files that were made on the target.
    fn made(&self) -> Vec<PathBuf> {
        let found = fs::read_dir(self.path("disk")).unwrap().map(|entry| entry.unwrap().path());
        found.filter(|path| path.extension().is_some_and(|end| end == "data")).collect()
    }
}

fn command(words: &[&str]) -> Command {
    beside_others(&[&["lab"], words].concat())
}

fn lab(words: &[&str]) -> Ran {
    ran(command(words).output().unwrap())
}

fn rows(document: &Value) -> &[Value] {
    document["runs"].as_array().unwrap()
}

/// The cells of a line of comma-separated values; none here has a quote in it.
fn cells(line: &str) -> Vec<String> {
    let parts = line.split('"').enumerate();
    // Every second part stands in quotes: its commas part nothing.
    let marked: String =
        parts.map(|(n, part)| if n % 2 == 0 { part.replace(',', "\n") } else { part.into() }).collect();
    marked.split('\n').map(str::to_string).collect()
}

const REAL: &str = "size = \"4MiB\"\nbuffered = true\nduration = \"200ms\"\n";
const MODEL: &str = "vm = \"DS4_v2\"\ndisk = [\"P30\"]\n";
const DEPTHS: &str = "[[sweep]]\nname = \"depth {}\"\nover = \"depth\"\nvalues = [1, 4]\n";

#[test]
fn a_row_stands_measured_beside_what_was_predicted() {
    let folder = Folder::new();
    let file = folder.experiment(&format!("[base]\n{MODEL}{REAL}target = \"DISK\"\n{DEPTHS}"));
    let document = json(&lab(&[&file, "--json"]));
    assert_eq!((&document["complete"], &document["error"]), (&true.into(), &Value::Null));
    for row in rows(&document) {
        let of =
            |pointer: &str| row.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{row}"));
        assert_eq!(row["targets"], serde_json::json!([folder.disk()]));
        // 4 KiB I/Os; the ratio is of the figures beside it, printed to four digits.
        assert!((of("/measured/throughput_bytes_per_s") / of("/measured/iops") / 4096.0 - 1.0).abs() < 1e-3);
        let ratio = of("/measured/iops") / of("/expected/iops");
        assert!((of("/measured_to_predicted") - ratio).abs() < 1e-3 * ratio.max(1.0));
        assert!((of("/measured/seconds") - 0.2).abs() < 0.05, "{row}");
        assert!(of("/measured/latency_us/mean") > 0.0 && of("/simulated/iops") > 0.0);
        assert!(row["measured"]["checks"].as_array().unwrap().iter().any(|check| check["name"] == "engine"));
    }
    // The depths share one file: made once, read by both.
    assert_eq!(folder.made().len(), 1);
    let text = lab(&[&file]);
    let titles = text.out.lines().find(|line| line.starts_with("row ")).unwrap();
    let titles: Vec<&str> = titles.split_whitespace().collect();
    let columns =
        ["row", "configuration", "workload", "predicted", "simulated", "measured", "ratio", "bound", "by"];
    assert_eq!(titles, columns, "{text:?}");
    assert!(text.out.contains("ratio: measured / predicted"), "{text:?}");
    assert!(
        text.err.contains("1 of 2, depth 1 on ") && text.err.contains("real targets: 2 runs"),
        "{text:?}"
    );
}

#[test]
fn a_sweep_without_a_configuration_is_measured_alone() {
    let folder = Folder::new();
    let file = folder.experiment(&format!("[base]\n{REAL}target = \"DISK\"\n{DEPTHS}"));
    let document = json(&lab(&[&file, "--json"]));
    for row in rows(&document) {
        for key in ["configuration", "expected", "ceiling", "binding", "limits", "simulated", "band", "price"]
        {
            assert_eq!(row.get(key), Some(&Value::Null), "{key}");
        }
        assert_eq!((&row["verdict"], &row["measured_to_predicted"]), (&"no_figure".into(), &Value::Null));
        assert!(row["measured"]["iops"].as_f64().unwrap() > 0.0);
        assert!(row["workload"]["jobs"][0]["description"].as_str().unwrap().contains("4 KiB random read"));
    }
    assert_eq!(rows(&document)[1]["changed"], "depth 32 -> 4");
    // Scripts find the keys of every other row.
    let modelled = json(&line("lab --only E11 --duration 1s --json"));
    let keys = |row: &Value| row.as_object().unwrap().keys().cloned().collect::<BTreeSet<String>>();
    assert_eq!(keys(&rows(&document)[0]), keys(&rows(&modelled)[0]));
    let text = lab(&[&file]);
    let titles = text.out.lines().find(|line| line.starts_with("row ")).unwrap();
    assert_eq!(
        titles.split_whitespace().collect::<Vec<_>>(),
        ["row", "workload", "measured", "MB/s", "mean", "p99"]
    );
    let table = lab(&[&file, "--csv"]);
    let lines: Vec<Vec<String>> = table.out.lines().map(cells).collect();
    let cell = |name: &str| &*lines[1][lines[0].iter().position(|title| title == name).unwrap()];
    assert_eq!((cell("targets"), cell("expected_iops"), cell("verdict")), (&*folder.disk(), "", "no_figure"));
    assert!(cell("measured_iops").parse::<f64>().unwrap() > 0.0 && cell("measured_to_predicted").is_empty());
}

#[test]
fn a_model_without_a_target_has_nothing_measured() {
    let folder = Folder::new();
    let file = folder.experiment(&format!("[base]\n{MODEL}duration = \"1s\"\n{DEPTHS}"));
    let document = json(&lab(&[&file, "--json"]));
    for row in rows(&document) {
        assert!(row["measured"].is_null() && row["measured_to_predicted"].is_null());
        assert_eq!(row["targets"], serde_json::json!([]));
    }
    let out = lab(&[&file]).out;
    let header = out.lines().find(|line| line.starts_with("row ")).expect("the table has a header");
    assert!(!header.contains("measured"), "{header}");
}

#[test]
fn the_target_of_the_command_line_wins_and_only_the_rows_that_were_chosen_run() {
    let folder = Folder::new();
    let file = folder.experiment(&format!("[base]\n{REAL}target = \"/nowhere/at/all\"\n{DEPTHS}"));
    let words = [&file, "--target", &folder.disk(), "--only", "depth 4", "--duration", "300ms", "--json"];
    let document = json(&lab(&words));
    let [row] = rows(&document) else { panic!("{document}") };
    assert_eq!((&row["name"], &row["targets"][0]), (&"depth 4".into(), &folder.disk().into()));
    assert!((row["measured"]["seconds"].as_f64().unwrap() - 0.3).abs() < 0.05);
    let missing = lab(&[&file]);
    assert_eq!((missing.code, missing.out.as_str()), (2, ""));
    assert!(
        missing.err.contains("there is no /nowhere/at/all") || missing.err.contains("/nowhere"),
        "{missing:?}"
    );
}

#[test]
fn the_shipped_depths_need_a_target_and_say_so() {
    let ran = lab(&["real-depth"]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    assert!(
        ran.err.contains("no configuration and no target") && ran.err.contains("--target /mnt/data"),
        "{ran:?}"
    );
    assert!(lab(&["--list"]).out.contains("  real-depth "));
    let folder = Folder::new();
    folder.experiment("");
    let plan = lab(&["real-depth", "--target", &folder.disk(), "--dry-run"]);
    assert_eq!(plan.code, 0, "{plan:?}");
    assert!(plan.out.contains("to write") && folder.made().is_empty(), "{plan:?}");
}

#[test]
fn what_others_wrote_is_not_written_over_without_consent_and_no_row_runs() {
    let folder = Folder::new();
    let file = folder.experiment(&format!(
        "[base]\n{REAL}target = \"DISK/theirs\"\n[[run]]\nname = \"reads\"\n[[run]]\nname = \"writes\"\nread = \"0%\"\n"
    ));
    let theirs = folder.path("disk/theirs");
    fs::write(&theirs, vec![0x5a; 4 << 20]).unwrap();
    let refused = lab(&[&file, "--json"]);
    assert_eq!((refused.code, refused.out.as_str()), (3, ""), "{refused:?}");
    assert!(refused.err.contains(&format!("add --overwrite {}", theirs.display())), "{refused:?}");
    assert!(fs::read(&theirs).unwrap().iter().all(|byte| *byte == 0x5a));
    let named = theirs.display().to_string();
    let done = json(&lab(&[&file, "--json", "--overwrite", &named]));
    assert_eq!(rows(&done).len(), 2);
    assert!(fs::read(&theirs).unwrap().iter().any(|byte| *byte != 0x5a));
    let by_variable = command(&[&file]).env("IOBOUND_OVERWRITE", &named).output().unwrap();
    assert!(by_variable.status.success());
}

#[test]
fn files_that_were_made_are_removed_where_that_is_asked_for() {
    let folder = Folder::new();
    let file = folder.experiment(&format!("[base]\n{REAL}target = \"DISK\"\n{DEPTHS}"));
    assert!(command(&[&file]).env("IOBOUND_REMOVE", "true").output().unwrap().status.success());
    assert!(folder.made().is_empty());
    assert!(lab(&[&file]).code == 0 && folder.made().len() == 1);
}

#[test]
fn consent_is_for_the_rows_of_its_own_target() {
    let folder = Folder::new();
    let file = folder.experiment(&format!(
        "[base]\n{REAL}[[run]]\nname = \"reads\"\ntarget = \"DISK\"\n[[run]]\nname = \"writes\"\ntarget = \"DISK/theirs\"\nread = \"0%\"\n"
    ));
    let theirs = folder.path("disk/theirs");
    fs::write(&theirs, vec![0x5a; 4 << 20]).unwrap();
    let named = theirs.display().to_string();
    assert_eq!(lab(&[&file]).code, 3);
    let text = lab(&[&file, "--overwrite", &named]);
    assert_eq!(text.code, 0, "{text:?}");
    // Two targets: a column says which is whose.
    assert!(text.out.lines().any(|line| line.starts_with("row ") && line.contains("target")), "{text:?}");
    let mistaken = lab(&[&file, "--overwrite", &named, "--overwrite", "/nothing/of/it"]);
    assert_eq!(mistaken.code, 2, "{mistaken:?}");
    assert!(mistaken.err.contains("/nothing/of/it"), "{mistaken:?}");
}

#[test]
fn flags_about_real_runs_are_refused_where_there_are_none() {
    let folder = Folder::new();
    let file = folder.experiment(&format!("[base]\n{MODEL}duration = \"1s\"\n{DEPTHS}"));
    for flag in [&["--overwrite", "/x"][..], &["--dry-run"], &["--busy-ok"]] {
        let ran = lab(&[&[&*file][..], flag].concat());
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
        assert!(ran.err.contains(flag[0]) && ran.err.contains("--target"), "{ran:?}");
    }
    let real = folder.experiment(&format!("[base]\n{REAL}target = \"DISK\"\n{DEPTHS}"));
    let ran = lab(&[&real, "--real-time"]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no row has a configuration"), "{ran:?}");
}

/// Two rows on the folder, the second of which would take ten minutes, and the program in the midst of that one.
fn in_the_second_row(folder: &Folder) -> (Child, BufReader<ChildStderr>) {
    let file = folder.experiment(&format!(
        "[base]\n{REAL}target = \"DISK\"\n[[run]]\nname = \"short\"\n[[run]]\nname = \"long\"\nduration = \"600s\"\n"
    ));
    let mut child =
        command(&[&file, "--json"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stderr = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while !line.contains("2 of 2, long") {
        line.clear();
        assert!(stderr.read_line(&mut line).unwrap() > 0, "it ended before its second row");
    }
    (child, stderr)
}

/// The document of a program that ended early with this code, and what it said in the end.
fn ended(child: Child, mut stderr: BufReader<ChildStderr>, code: i32) -> (Value, String) {
    let mut said = String::new();
    stderr.read_to_string(&mut said).unwrap();
    let ran = ran(child.wait_with_output().unwrap());
    assert_eq!(ran.code, code, "{said}");
    let document: Value = serde_json::from_str(&ran.out).unwrap();
    assert_eq!(document["complete"], false);
    let names: Vec<&Value> = rows(&document).iter().map(|row| &row["name"]).collect();
    assert_eq!(names, ["short"], "what was measured is kept, and no part of a row stands for all of it");
    (document, said)
}

#[test]
fn an_interrupt_ends_with_the_rows_that_were_measured() {
    let folder = Folder::new();
    let (child, stderr) = in_the_second_row(&folder);
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let (document, _) = ended(child, stderr, 5);
    assert_eq!(document["error"], Value::Null);
}

#[test]
fn a_target_that_fails_keeps_the_rows_before_it_and_says_which_row_and_why() {
    let folder = Folder::new();
    let (child, stderr) = in_the_second_row(&folder);
    let [made] = &folder.made()[..] else { panic!("both rows go to one file") };
    // What lay beyond is there no more: reads of it end short.
    fs::File::options().write(true).open(made).unwrap().set_len(1 << 20).unwrap();
    let (document, said) = ended(child, stderr, 4);
    let error = document["error"].as_str().unwrap();
    assert!(error.starts_with("long: ") && said.contains(&format!("error: {error}")), "{error}: {said}");
}
