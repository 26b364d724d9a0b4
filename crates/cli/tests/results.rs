//! Results kept: what of a run is found again, by whom, and that a store that can't be written takes no run away.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write files")]

mod common;
#[path = "../../report/tests/common/page.rs"]
mod page;

use std::fs;
use std::path::Path;
use std::process::Command;

use common::{Ran, beside_others, json};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

/// A folder for the targets and the store of a test.
struct Bench(TempDir);

impl Bench {
    fn new() -> Bench {
        Bench(tempdir().unwrap())
    }

    fn store(&self) -> String {
        self.0.path().join("store/results.db").display().to_string()
    }

    fn here(&self) -> String {
        self.0.path().display().to_string()
    }

    fn ran(&self, words: &[&str]) -> Ran {
        common::ran(beside_others(words).env("IOBOUND_RESULTS", self.store()).output().unwrap())
    }

    fn run(&self, more: &[&str]) -> Ran {
        let here = self.here();
        let words =
            ["run", &here, "--size", "1MiB", "--buffered", "--duration", "1100ms", "--interval", "100ms"];
        self.ran(&[&words, more].concat())
    }
}

#[test]
fn a_run_is_kept_under_an_id_that_is_printed_and_shown_again() {
    let bench = Bench::new();
    let screen = bench.run(&[]);
    assert_eq!(screen.code, 0, "{screen:?}");
    assert!(screen.out.contains("kept as   r-1"), "{}", screen.out);
    let second = json(&bench.run(&["--json"]));
    assert_eq!(second["id"], "r-2");
    let shown = json(&bench.ran(&["results", "show", "r-2", "--json"]));
    // What is kept is what was printed; only what carries on from here is not.
    for key in
        ["iops", "latency_us", "series", "jobs", "workload", "checks", "standard_errors", "ended", "prepared"]
    {
        assert_eq!(shown[key], second[key], "{key}");
    }
    let page = bench.ran(&["results", "show", "r-1"]);
    let line =
        |text: &str| text.lines().find(|line| line.trim_start().starts_with("IOPS")).map(str::to_string);
    assert_eq!(line(&page.out), line(&screen.out));
    let list = json(&bench.ran(&["results", "list", "--json"]));
    assert_eq!((list["schema"].as_str(), list["count"].as_u64()), (Some("iobound.results/1"), Some(2)));
    assert_eq!(list["runs"][0]["id"], "r-2");
    assert_eq!(list["runs"][0]["iops"], second["iops"]);
}

#[test]
fn the_page_of_a_run_that_is_kept_is_that_of_the_run() {
    let bench = Bench::new();
    let [own, kept] = ["own.html", "kept.html"].map(|name| bench.0.path().join(name).display().to_string());
    let ran = bench.run(&["--html", &own, "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(bench.ran(&["results", "html", "r-1", &kept]).code, 0);
    let [own, kept] = [own, kept].map(|path| page::read(&fs::read_to_string(path).unwrap()));
    let titles: Vec<&str> =
        kept.charts.as_array().unwrap().iter().map(|chart| chart["title"].as_str().unwrap()).collect();
    assert!(titles.contains(&"Latency heat map") && titles.contains(&"Percentile curve"), "{titles:?}");
    assert_eq!(own.charts, kept.charts);
    assert_eq!(own.figures(), kept.figures());
    // The export has what the page is made of.
    let exported = json(&bench.ran(&["results", "export", "r-1", "--json"]));
    assert_eq!(exported["results"][0]["series"], json(&ran)["series"]);
    assert_eq!(exported["results"][0]["jobs"], json(&ran)["jobs"]);
}

#[test]
fn a_store_that_can_not_be_written_is_a_note_and_no_failed_run() {
    let bench = Bench::new();
    for place in ["/proc/nowhere/results.db", "/dev/null/results.db"] {
        let ran = bench.run(&["--results", place]);
        assert_eq!(ran.code, 0, "{ran:?}");
        assert!(
            ran.err.contains("results are not kept") && ran.err.contains(place.rsplit_once('/').unwrap().0),
            "{}",
            ran.err
        );
        assert!(ran.out.contains("IOPS") && !ran.out.contains("kept as"), "{}", ran.out);
    }
}

#[test]
fn a_file_that_is_no_store_is_refused_before_the_run() {
    let bench = Bench::new();
    let other = bench.0.path().join("text");
    fs::write(&other, "a text that somebody wrote, which is longer than the header of a database is")
        .unwrap();
    let ran = bench.run(&["--results", &other.display().to_string()]);
    assert_eq!(
        (ran.code, ran.err.contains("not a results store"), ran.out.as_str()),
        (2, true, ""),
        "{ran:?}"
    );
    assert!(ran.err.contains("--results off"), "{}", ran.err);
    assert!(fs::read_to_string(&other).unwrap().starts_with("a text"));
}

#[test]
fn results_that_are_off_are_kept_nowhere() {
    let bench = Bench::new();
    let ran = bench.run(&["--results", "off"]);
    assert_eq!((ran.code, ran.out.contains("kept as"), ran.err.contains("not kept")), (0, false, false));
    assert!(!Path::new(&bench.store()).exists());
    let list = bench.ran(&["results", "list", "--results", "off"]);
    assert_eq!(list.code, 2, "{list:?}");
    assert!(list.err.contains("--results FILE"), "{}", list.err);
}

#[test]
fn without_a_word_results_are_in_the_users_data() {
    let bench = Bench::new();
    let (here, data) = (bench.here(), bench.0.path().join("data"));
    let words = ["run", &here, "--size", "1MiB", "--buffered", "--duration", "200ms"];
    for (name, folder, file) in [
        ("XDG_DATA_HOME", data.clone(), data.join("iobound/results.db")),
        ("HOME", bench.0.path().to_path_buf(), bench.0.path().join(".local/share/iobound/results.db")),
    ] {
        let mut command = beside_others(&words);
        command.env_remove("IOBOUND_RESULTS").env(name, folder);
        assert_eq!(common::ran(command.output().unwrap()).code, 0);
        assert!(file.exists(), "{name}");
    }
    let homeless = common::ran(beside_others(&words).env_remove("IOBOUND_RESULTS").output().unwrap());
    assert_eq!((homeless.code, homeless.err.contains("HOME is not set")), (0, true), "{homeless:?}");
}

#[test]
fn the_other_tools_verbs_and_the_lab_keep_theirs_too() {
    let bench = Bench::new();
    let file = bench.0.path().join("io.dat").display().to_string();
    let diskspd = bench.ran(&["diskspd", "--verbose", "-c1M", "-d1", "-W0", "-b4K", "-Su", &file]);
    assert!(diskspd.code == 0 && diskspd.err.contains("kept as r-1"), "{diskspd:?}");
    let directory = format!("--directory={}", bench.here());
    let fio = bench.ran(&[
        "fio",
        "--verbose",
        "--name=a",
        &directory,
        "--size=1m",
        "--bs=4k",
        "--rw=randread",
        "--runtime=1",
        "--time_based",
    ]);
    assert!(fio.code == 0 && fio.err.contains("kept as r-2"), "{fio:?}");
    let rows = bench.0.path().join("rows.toml");
    let text = "[base]\nsize = \"1MiB\"\nbuffered = true\nduration = \"300ms\"\nvm = \"DS14\"\ndisk = [\"P30\"]\n\
                [[run]]\nname = \"one\"\n[[run]]\nname = \"two\"\ndepth = 4\n";
    fs::write(&rows, text).unwrap();
    let (rows, here) = (rows.display().to_string(), bench.here());
    let lab = json(&bench.ran(&["lab", &rows, "--target", &here, "--json"]));
    assert_eq!(lab["runs"][0]["measured"]["id"], "r-3", "{lab}");
    assert_eq!(lab["runs"][1]["measured"]["id"], "r-4");
    let list = json(&bench.ran(&["results", "list", "--json"]));
    let verbs: Vec<&str> =
        list["runs"].as_array().unwrap().iter().map(|run| run["verb"].as_str().unwrap()).collect();
    assert_eq!(verbs, ["lab", "lab", "fio", "diskspd"]);
    assert_eq!(
        (&list["runs"][0]["name"], &list["runs"][0]["first_of_command"]),
        (&"two".into(), &"r-3".into())
    );
    // The row had a configuration, and so explain needs none.
    let explained = json(&bench.ran(&["explain", "r-3", "--json"]));
    assert_eq!(explained["vm"], "Standard_DS14", "{explained}");
}

#[test]
fn a_run_with_a_configuration_is_explained_by_its_id_alone() {
    let bench = Bench::new();
    let words = [
        "--vm",
        "ds14",
        "--disk",
        "log=2xP20:readonly",
        "--disk",
        "data=4xP30",
        "--stripe",
        "128KiB",
        "--media",
        "read=2ms",
    ];
    let ran = json(&bench.run(&[&words[..], &["--json"]].concat()));
    let next: Vec<&str> = ran["next"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(next.contains(&"iobound explain r-1"), "{next:?}");
    let explained = json(&bench.ran(&["explain", "r-1", "--json"]));
    let direct = json(&bench.ran(&[&["explain", "--result", "r-1"][..], &words, &["--json"]].concat()));
    assert_eq!(explained, direct);
    let other = json(&bench.ran(&["explain", "r-1", "--vm", "DS2", "--disk", "P30", "--json"]));
    assert_eq!(other["vm"], "Standard_DS2");
    // A run without one needs it said.
    bench.run(&[]);
    let none = bench.ran(&["explain", "r-2"]);
    assert!(none.code == 2 && none.err.contains("--vm"), "{none:?}");
}

#[test]
fn ids_stand_where_files_of_results_do() {
    let bench = Bench::new();
    bench.run(&["--depth", "1"]);
    // A result of memory reaches every limit there is.
    let calibrated = bench.ran(&["predict", "--vm", "DS14", "--disk", "P30", "--calibrate", "r-1"]);
    assert!(calibrated.err.contains("r-1: it reached"), "{calibrated:?}");
    for words in [
        &["explain", "r-9", "--vm", "DS14", "--disk", "P30"][..],
        &["compare", "r-1", "r-9"],
        &["results", "show", "r-9"],
    ] {
        let missing = bench.ran(words);
        assert_eq!(missing.code, 2, "{missing:?}");
        assert!(
            missing.err.contains("there is no") && missing.err.contains("results list"),
            "{}",
            missing.err
        );
    }
}

#[test]
fn runs_are_exported_as_tables_with_their_units_and_deleted() {
    let bench = Bench::new();
    bench.run(&[]);
    bench.run(&["--read", "50%"]);
    let runs = bench.ran(&["results", "export", "--csv"]).out;
    let mut lines = runs.lines();
    assert!(lines.next().unwrap().starts_with("id,first_of_command,at,verb,"), "{runs}");
    assert_eq!(lines.map(|line| line.split(',').next().unwrap()).collect::<Vec<_>>(), ["r-1", "r-2"]);
    let series = bench.ran(&["results", "export", "r-2", "--series", "--csv"]).out;
    assert!(series.lines().next().unwrap().ends_with("write_p99_us,write_max_us"), "{series}");
    assert!(series.lines().count() >= 11 && series.lines().skip(1).all(|line| line.starts_with("r-2,")));
    let whole = json(&bench.ran(&["results", "export", "r-2", "--json"]));
    assert!(whole["results"][0]["jobs"][0]["histograms"]["write"]["count"].as_u64().unwrap() > 0);
    let unsaid = bench.ran(&["results", "export"]);
    assert!(unsaid.code == 2 && unsaid.err.contains("--csv"), "{unsaid:?}");
    assert_eq!(bench.ran(&["results", "delete", "r-1"]).out, "deleted r-1\n");
    let again = bench.ran(&["results", "delete", "r-1", "r-2"]);
    assert!(again.code == 2 && again.err.contains("no r-1"), "{again:?}");
    assert_eq!(json(&bench.ran(&["results", "list", "--json"]))["count"], 1);
    for (words, part) in [
        (&["results", "list", "--since", "yesterday"][..], "7d"),
        (&["results", "list", "--limit", "0"], "1 or more"),
        (&["results", "show", "142"], "r-142"),
    ] {
        let wrong = bench.ran(words);
        assert!(wrong.code == 2 && wrong.err.contains(part), "{wrong:?}");
    }
}

/// The lines of a block of docs/results.md that begins with this.
fn documented(kind: &str, start: &str) -> String {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results.md");
    let text = fs::read_to_string(page).unwrap();
    let fence = format!("```{kind}\n{start}");
    let block = text.split(&fence).nth(1).unwrap_or_else(|| panic!("no {kind} block begins with {start}"));
    format!("{start}{}", block.split("```").next().unwrap())
}

#[test]
fn the_lines_of_the_documentation_read_the_store() {
    let bench = Bench::new();
    bench.run(&[]);
    let home = bench.0.path();
    fs::create_dir_all(home.join(".local/share/iobound")).unwrap();
    fs::copy(bench.store(), home.join(".local/share/iobound/results.db")).unwrap();
    let shell = |program: &str, flag: &str, lines: &str| {
        let output = Command::new(program).args([flag, lines]).env("HOME", home).output().unwrap();
        assert!(output.status.success(), "{lines}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let has = |program: &str, words: &[&str]| {
        Command::new(program).args(words).output().is_ok_and(|output| output.status.success())
    };
    // What is not installed here is a tool of other people: its lines are read where it is.
    if has("sqlite3", &["--version"]) {
        assert!(shell("sh", "-c", &documented("sh", "sqlite3")).contains("run"), "no run is printed");
    }
    if has("python3", &["-c", "import sqlite3"]) {
        assert!(shell("python3", "-c", &documented("python", "import sqlite3, os")).contains("r-1"));
    }
    if has("python3", &["-c", "import pandas"]) {
        shell("python3", "-c", &documented("python", "import pandas"));
    }
    if has("python3", &["-c", "import duckdb"]) {
        shell("python3", "-c", &documented("python", "import duckdb"));
    }
}
