//! Files that a person names and that are something else: one clear error, exit code 2.
#![allow(clippy::disallowed_methods)]

mod common;

use std::io::Write;
use std::process::Stdio;

use common::{file, json, line, program, ran, run};

/// The flags that name a file.
const FLAGS: [&str; 7] =
    ["--config", "--workload", "--catalog", "--calibrate", "--fio", "--iometer", "--diskspd-xml"];

fn bytes(name: &str, content: &[u8]) -> String {
    let path = file(name, "");
    std::fs::write(&path, content).unwrap();
    path
}

/// What each flag that names a file says of this one, and the laboratory of an experiment.
fn everywhere(path: &str) -> Vec<(String, common::Ran)> {
    let flags = FLAGS
        .iter()
        .map(|flag| (flag.to_string(), run(&["predict", "--vm", "DS14", "--disk", "P30", flag, path])));
    flags.chain([("lab".to_string(), run(&["lab", path]))]).collect()
}

#[test]
fn what_is_no_text_file_is_told_by_what_it_is() {
    let folder = env!("CARGO_TARGET_TMPDIR").to_string();
    let huge = bytes("huge.toml", b"");
    // A hole in the file system: it takes no space.
    std::fs::File::options().write(true).open(&huge).unwrap().set_len(1 << 30).unwrap();
    for (path, part) in [
        (folder, "it is a directory"),
        (huge.clone(), "the file is larger than"),
        (bytes("utf16.toml", b"\xff\xfe[\0m\0a\0"), "the file is UTF-16: save it as UTF-8"),
        (bytes("latin1.toml", b"# 1\n# \xe4\n[machine]\n"), "line 2 has bytes that are not UTF-8"),
        (bytes("zero.toml", b"[machine]\0"), "it contains zero bytes"),
        (file("none.toml", "") + ".not", "no such file"),
    ] {
        for (flag, ran) in everywhere(&path) {
            // What is no file's name is a line of fio's own.
            if flag == "--fio" && part == "no such file" {
                continue;
            }
            assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{flag} {path}: {ran:?}");
            assert!(ran.err.contains(part) && ran.err.contains(&path), "{flag} {path}: {}", ran.err);
            assert!(ran.err.len() < 2_000, "{flag} {path}: {}", ran.err.len());
        }
    }
    std::fs::remove_file(huge).unwrap();
}

#[test]
fn an_empty_file_answers_nothing_and_is_refused() {
    for (flag, ran) in everywhere(&file("empty.txt", "")) {
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{flag}: {ran:?}");
        assert!(ran.err.starts_with("error: "), "{flag}: {}", ran.err);
    }
}

#[test]
fn a_file_of_windows_is_read_as_any_other() {
    let path = bytes(
        "windows.toml",
        b"\xef\xbb\xbf[machine]\r\nvm = \"DS14\"\r\n\r\n[[disk]]\r\ndisk = \"P30\"\r\n",
    );
    assert_eq!(json(&run(&["predict", "--config", &path, "--json"]))["configuration"]["vm"], "Standard_DS14");
    let jobs = bytes("windows.fio", b"\xef\xbb\xbf[job]\r\nrw=randread\r\nbs=8k\r\nsize=1g\r\n");
    let document = json(&run(&["predict", "--config", &path, "--json", "--fio", &jobs]));
    assert!(document["workload"]["jobs"][0]["description"].as_str().unwrap().contains("8 KiB random read"));
    let own = bytes("windows.csv", b"\xef\xbb\xbfname,uncached_iops\r\nStandard_DS14,2000\r\n");
    let words = ["predict", "--config", &path, "--json", "--catalog", &own];
    assert_eq!(json(&run(&words))["ceiling"]["iops"], 2_040);
}

#[test]
fn a_file_can_be_a_pipe() {
    let mut child = program()
        .args(["predict", "--config", "/dev/stdin", "--json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let text = b"[machine]\nvm = \"DS14\"\n[[disk]]\ndisk = \"P30\"\n";
    child.stdin.take().unwrap().write_all(text).unwrap();
    assert_eq!(json(&ran(child.wait_with_output().unwrap()))["disks"][0]["disk"], "P30");
}

#[test]
fn an_empty_word_is_a_variable_that_is_not_set() {
    for words in [
        vec!["predict", "--vm", "", "--disk", "P30"],
        vec!["predict", "--vm=", "--disk", "P30"],
        vec!["catalog", "show", ""],
        vec!["lab", "--only", ""],
        vec![""],
    ] {
        let ran = run(&words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}: {ran:?}");
        assert!(ran.err.contains("empty") && ran.err.contains("variable"), "{words:?}: {ran:?}");
    }
    // In the environment an empty variable is one that is not set.
    let words = ["predict", "--vm", "DS14", "--disk", "P30"];
    assert_eq!(ran(program().args(words).env("IOBOUND_ERA", "").output().unwrap()).code, 0);
}

#[test]
fn a_page_keeps_to_its_width_whatever_the_terminal_says() {
    let page = |columns: &str| {
        let words = ["predict", "--vm", "DS14", "--disk", "10xP30:readonly", "--at", "sustained"];
        ran(program().args(words).env("COLUMNS", columns).output().unwrap())
    };
    for columns in ["60", "0", "-5", "abc", "99999999999999999999"] {
        let page = page(columns);
        assert_eq!(page.code, 0, "{columns}: {page:?}");
        let most = if columns == "60" { 60 } else { 100 };
        assert!(page.out.lines().all(|line| line.chars().count() <= most), "{columns}: {}", page.out);
    }
    assert_eq!(line("predict --help").code, 0);
}
