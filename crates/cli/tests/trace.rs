//! Traces as workloads on the command line: of experiments, of comparisons, from standard input, from a kernel's recording.
#![allow(clippy::disallowed_methods)]

mod common;

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use common::{json, program, ran, run};

/// 4,000 reads of two disks in two seconds; each took 1.2 ms.
fn msr() -> String {
    let mut text = String::new();
    for n in 0..4_000u64 {
        let at = 128_166_372_003_061_629 + n * 5_000;
        let _ = writeln!(text, "{at},usr,{},Read,{},8192,12000", n % 2, n * 7_919 % 1_000 * 8_192);
    }
    text
}

fn write(folder: &Path, name: &str, content: impl AsRef<[u8]>) -> String {
    let path = folder.join(name);
    std::fs::write(&path, content).expect("there is room");
    path.display().to_string()
}

const EXPERIMENT: &str = "[base]\nvm = \"D8s_v5\"\ndisk = [\"P10\"]\nblock = \"8KiB\"\n\n[[run]]\nname = \"one\"\n\n\
    [[run]]\nname = \"deeper\"\ndepth = 8\n\n[[run]]\nname = \"four\"\ndisk = [\"4xP10\"]\n";

#[test]
fn a_lab_replays_a_trace_on_each_configuration() {
    let folder = tempfile::tempdir().expect("there is room");
    let (trace, experiment) =
        (write(folder.path(), "usr.csv", msr()), write(folder.path(), "disks.toml", EXPERIMENT));
    let ran = run(&["lab", &experiment, "--trace", &trace, "--json"]);
    let document = json(&ran);
    assert_eq!(document["schema"], "iobound.lab-replay/1");
    let names: Vec<&str> =
        document["runs"].as_array().unwrap().iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["one", "four"], "the second differs in its workload alone");
    for (row, disk) in [(0, "P10"), (1, "4xP10")] {
        let alone = json(&run(&["predict", "--vm", "D8s_v5", "--disk", disk, "--trace", &trace, "--json"]));
        for key in ["ios", "latency", "slowdown", "duration_s", "credits", "bound_by"] {
            assert_eq!(document["runs"][row][key], alone[key], "{disk}: {key}");
        }
    }
    let text = run(&["lab", &experiment, "--trace", &trace]).out;
    assert!(text.contains("one ") && text.contains("four ") && text.contains("1 run left out"), "{text}");
    for (words, says) in [
        (vec!["--real-time"], "--real-time beside --trace"),
        (vec!["--target", "/mnt"], "iobound run --trace"),
        (vec!["--csv", "--json"], "cannot be used with"),
        (vec!["--map", "usr,1=log"], "--map usr,1=log: there is no volume log"),
        (vec!["--map", "usr,1"], "a map is FROM=TO"),
    ] {
        let all: Vec<&str> = ["lab", &experiment, "--trace", &trace].into_iter().chain(words).collect();
        let refused = run(&all);
        assert!(refused.code == 2 && refused.err.contains(says), "{}", refused.err);
    }
    for (option, value) in [("--replay", "timed"), ("--map", "usr,1=log")] {
        let without = run(&["lab", &experiment, option, value]);
        let says = format!("{option}{} without --trace", if option == "--map" { " usr,1=log" } else { "" });
        assert!(without.code == 2 && without.err.contains(&says), "{}", without.err);
    }
}

const LAYOUTS: &str = "[base]\nvm = \"D8s_v5\"\ndisk = [\"data=P10\", \"log=P10\"]\nblock = \"8KiB\"\n\n[[run]]\n\
    name = \"small\"\n\n[[run]]\nname = \"large\"\ndisk = [\"data=P30\", \"log=P10\"]\n";

#[test]
fn a_lab_places_devices_on_volumes_and_prints_its_table_and_its_page() {
    let folder = tempfile::tempdir().expect("there is room");
    let (trace, experiment) =
        (write(folder.path(), "usr.csv", msr()), write(folder.path(), "layouts.toml", LAYOUTS));
    let map = ["--map", "usr,0=data", "--map", "usr,1=log"];
    let with = |words: &[&str]| {
        let all = [&["lab", &experiment, "--trace", &trace], map.as_slice(), words].concat();
        run(&all)
    };
    let page = folder.path().join("lab.html").display().to_string();
    let document = json(&with(&["--json", "--html", &page]));
    let alone = json(&run(&[
        &[
            "predict", "--vm", "D8s_v5", "--disk", "data=P30", "--disk", "log=P10", "--trace", &trace,
            "--json",
        ],
        map.as_slice(),
    ]
    .concat()));
    for key in ["ios", "latency", "map", "bound_by"] {
        assert_eq!(document["runs"][1][key], alone[key], "{key}");
    }
    let place = |device, volume| serde_json::json!({"device": device, "file": null, "volume": volume});
    assert_eq!(
        document["runs"][0]["map"],
        serde_json::json!([place("usr,0", "data"), place("usr,1", "log")])
    );
    // Two devices on one volume are a remark of each run.
    let on_one = json(&run(&["lab", &experiment, "--trace", &trace, "--json"]));
    assert!(on_one["notes"].to_string().contains("large: 2 devices of the trace share the volume data"));
    assert!(!document["notes"].to_string().contains("share"), "{}", document["notes"]);

    let csv = with(&["--csv"]).out;
    let mut rows = csv.lines().map(|line| line.split(',').collect::<Vec<&str>>());
    let (header, first) = (rows.next().expect("a header"), rows.next().expect("a row"));
    let cell = |name: &str| first[header.iter().position(|known| *known == name).expect("a column")];
    assert_eq!((cell("name"), cell("disks"), cell("ios")), ("small", "data=P10 log=P10", "4000"));
    // The table has hundredths, the document all digits.
    let exact = document["runs"][0]["latency"]["p99_us"].as_f64().expect("a latency");
    assert!((cell("p99_us").parse::<f64>().expect("a latency") - exact).abs() <= 0.005 + 1e-9, "{exact}");
    assert_eq!(csv.lines().count(), 3);

    let html = std::fs::read_to_string(&page).expect("the page was written");
    for words in [
        "on the configurations of",
        "small",
        "large",
        "has the lowest 99th percentile",
        "Places of the devices",
    ] {
        assert!(html.contains(words), "{words}");
    }
    let shown = document["runs"][1]["latency"]["p99_us"].to_string();
    assert!(html.contains(&shown), "{shown}");
    // An existing file that is no page stays, and nothing is replayed.
    let refused = with(&["--html", &trace]);
    assert!(refused.code != 0 && refused.out.is_empty(), "{}", refused.err);
    assert_eq!(std::fs::read_to_string(&trace).unwrap(), msr());
}

#[test]
fn a_replay_shows_the_devices_of_the_trace_whose_files_are_mapped() {
    let folder = tempfile::tempdir().expect("there is room");
    let (one, other) = (write(folder.path(), "a.csv", msr()), write(folder.path(), "b.csv", msr()));
    let (data, log) = (format!("{one}=data"), format!("{other}=log"));
    let on = ["--vm", "D8s_v5", "--disk", "data=P10", "--disk", "log=P10"];
    let words = ["predict", "--trace", &one, "--trace", &other, "--map", &data, "--map", &log, "--json"];
    let document = json(&run(&[words.as_slice(), &on].concat()));
    let place =
        |file: &str, device, volume| serde_json::json!({"device": device, "file": file, "volume": volume});
    assert_eq!(
        document["map"],
        serde_json::json!([
            place(&one, "usr,0", "data"),
            place(&one, "usr,1", "data"),
            place(&other, "usr,0", "log"),
            place(&other, "usr,1", "log"),
        ])
    );
    // Both devices on one volume, one of them because it has its name.
    let words = ["predict", "--trace", &one, "--map", "usr,0=log", "--json"];
    let document = json(&run(&[words.as_slice(), &on].concat()));
    assert_eq!(
        document["map"],
        serde_json::json!([
            {"device": "usr,0", "file": null, "volume": "log"},
            {"device": "usr,1", "file": null, "volume": "data"},
        ])
    );
}

#[test]
fn an_edit_of_a_broken_trace_leaves_a_whole_file_of_the_ios_before_the_break() {
    let folder = tempfile::tempdir().expect("there is room");
    let broken = write(folder.path(), "usr.csv", msr() + &"torn\n".repeat(20));
    let new = folder.path().join("new.trace").display().to_string();
    let edited = run(&["trace", "convert", &broken, "--out", &new]);
    assert_eq!(edited.code, 2, "{}", edited.out);
    assert!(edited.err.contains("11 of 4011 lines cannot be read; the first is line 4001"), "{}", edited.err);
    assert!(edited.err.contains(&format!("{new} has the 4000 I/Os before")), "{}", edited.err);
    assert_eq!(json(&run(&["trace", "info", &new, "--json"]))["ios"], 4_000);
}

#[test]
fn a_map_of_a_device_that_the_trace_lacks_is_told() {
    let folder = tempfile::tempdir().expect("there is room");
    let (trace, experiment) =
        (write(folder.path(), "usr.csv", msr()), write(folder.path(), "layouts.toml", LAYOUTS));
    let says = "--map usr,7=log has no effect: no device and no file of the trace has this name";
    let on = ["--vm", "D8s_v5", "--disk", "data=P10", "--disk", "log=P10"];
    for words in [
        [&["predict", "--trace", &trace], on.as_slice()].concat(),
        vec!["lab", &experiment, "--trace", &trace],
        vec!["trace", "info", &trace],
    ] {
        let all = [words.as_slice(), &["--map", "usr,0=data", "--map", "usr,7=log", "--json"]].concat();
        let document = json(&run(&all)).to_string();
        assert!(document.contains(says), "{words:?}: {document}");
        assert!(!document.contains("usr,0=data has no effect"), "{document}");
    }
    // As text too, where nobody asks for the document.
    for verb in ["info", "fit"] {
        let text = run(&["trace", verb, &trace, "--map", "usr,7=log"]).out;
        let text = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        assert!(text.contains("--map usr,7=log has no effect"), "{verb}: {text}");
    }
}

#[test]
fn replays_on_two_configurations_are_compared() {
    let folder = tempfile::tempdir().expect("there is room");
    let trace = write(folder.path(), "usr.csv", msr());
    let sides: Vec<String> = ["P10", "4xP30"]
        .iter()
        .map(|disk| {
            let replay = run(&["predict", "--vm", "D8s_v5", "--disk", disk, "--trace", &trace, "--json"]);
            write(folder.path(), &format!("{disk}.json"), replay.out)
        })
        .collect();
    let compared = json(&run(&["compare", &sides[0], &sides[1], "--json"]));
    let figures = compared["comparisons"][0]["figures"].as_array().unwrap();
    assert!(figures.iter().any(|figure| figure["figure"] == "iops"), "{figures:?}");
    assert!(figures.len() > 3, "{figures:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_run_takes_a_trace_from_standard_input() {
    let folder = tempfile::tempdir().expect("there is room");
    let file = write(folder.path(), "data", vec![0u8; 16 << 20]);
    let mut command = program();
    command.args(["run", &file, "--trace", "-", "--buffered", "--busy-ok", "--results", "off", "--json"]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    child.stdin.take().expect("a pipe").write_all(msr().as_bytes()).expect("it reads");
    let ran = ran(child.wait_with_output().expect("it ends"));
    let document = json(&ran);
    assert_eq!(
        (document["ios"].as_u64(), document["engine"].is_string()),
        (Some(4_000), true),
        "{}",
        ran.err
    );
}

#[test]
fn a_processor_without_events_has_an_empty_file() {
    let folder = tempfile::tempdir().expect("there is room");
    let mut event = Vec::new();
    for (value, length) in [
        (0x6561_7407u64, 4),
        (1, 4),
        (1_000, 8),
        (8, 8),
        (4_096, 4),
        (0x0011_0001, 4),
        (77, 4),
        (7 << 20, 4),
        (1, 4),
        (0, 4),
    ] {
        event.extend_from_slice(&value.to_le_bytes()[..length]);
    }
    write(folder.path(), "disk.blktrace.0", b"");
    write(folder.path(), "disk.blktrace.1", &event);
    let name = folder.path().join("disk").display().to_string();
    let document = json(&run(&["trace", "info", &name, "--json"]));
    assert_eq!((document["ios"].as_u64(), document["devices"][0]["name"].as_str()), (Some(1), Some("7,0")));
    write(folder.path(), "disk.blktrace.1", b"");
    let refused = run(&["trace", "info", &name]);
    assert!(refused.code == 2 && refused.err.contains("empty"), "{}", refused.err);
}

#[cfg(target_os = "linux")]
#[test]
fn a_recorded_run_is_a_trace_with_latencies_that_replays_in_both_modes() {
    let folder = tempfile::tempdir().expect("there is room");
    let (target, out) = (folder.path().join("disk").display().to_string(), folder.path().join("app.trace"));
    let out = out.display().to_string();
    let recorded = run(&[
        "run",
        &target,
        "--size",
        "4MiB",
        "--read",
        "75%",
        "--block",
        "8KiB",
        "--flush-every",
        "10",
        "--rate",
        "400iops",
        "--duration",
        "500ms",
        "--buffered",
        "--busy-ok",
        "--results",
        "off",
        "--trace-out",
        &out,
        "--json",
    ]);
    let result = json(&recorded);
    let info = json(&run(&["trace", "info", &out, "--json"]));
    assert_eq!(info["read"]["format"], "iobound trace v1");
    let ios = info["ios"].as_u64().unwrap();
    assert!((20..=260).contains(&ios), "at most 200 I/Os and some flushes: {ios}");
    assert!(info["ops"].as_array().unwrap().iter().any(|op| op["op"] == "flush"), "{}", info["ops"]);
    let notes = result["notes"].to_string();
    assert!(notes.contains(&format!("has {ios} I/Os with their latencies")), "{notes}");
    for mode in ["timed", "dependent"] {
        // The same file is replaced: it is a trace of this program.
        let replay = run(&[
            "run",
            &target,
            "--trace",
            &out,
            "--replay",
            mode,
            "--speed",
            "2",
            "--buffered",
            "--busy-ok",
            "--results",
            "off",
            "--trace-out",
            &out,
            "--json",
        ]);
        let facts = &json(&replay)["replays"][0];
        assert_eq!((&facts["mode"], &facts["issued"]), (&mode.into(), &ios.into()), "{facts}");
        assert_eq!(
            (&facts["complete"], &facts["speed"], &facts["trace"]),
            (&true.into(), &2.into(), &"app.trace".into())
        );
    }
    let text = run(&["run", &target, "--trace", &out, "--buffered", "--busy-ok", "--results", "off"]).out;
    assert!(text.starts_with("timed replay of app.trace: "), "{text}");
    assert!(!text.contains("open loop of") && !text.contains("--threads"), "{text}");
    let predicted = run(&["predict", "--vm", "D8s_v5", "--disk", "P10", "--trace", &out]).out;
    assert!(predicted.contains("BOUND BY") && predicted.contains("disk IOPS"), "{predicted}");
    let other = write(folder.path(), "notes.txt", "my notes\n");
    for (words, code, says) in [
        (vec!["--trace-out", other.as_str()], 3, "not a trace of this program"),
        (vec!["--trace-out", &out, "--find-knee"], 2, "--trace-out"),
        (vec!["--trace-out", &out, "--dry-run"], 2, "--trace-out"),
    ] {
        let all: Vec<&str> = ["run", &target, "--buffered", "--busy-ok"].into_iter().chain(words).collect();
        let refused = run(&all);
        assert!(
            refused.code == code && refused.err.contains(says),
            "{all:?}: {} {}",
            refused.code,
            refused.err
        );
    }
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "my notes\n");
}
