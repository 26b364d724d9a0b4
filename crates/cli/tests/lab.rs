//! `iobound lab`: exit codes, the table, its documents, and what it says of a file that can't be run.
#![allow(clippy::disallowed_methods)]

mod common;

use std::process::{Command, Stdio};

use common::{file, json, line, program, ran, run};

/// Rows that are quick even where the program is not optimised.
const QUICK: &str = "lab --only E1,E11,E14-256K,E15-2-rand --duration 2s";

#[test]
fn the_table_has_configuration_workload_published_predicted_simulated_binding_and_verdict() {
    let ran = line(QUICK);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""));
    let row = |name: &str| {
        let line = ran
            .out
            .lines()
            .find(|line| line.starts_with(&format!("{name} ")))
            .unwrap_or_else(|| panic!("{name}: {}", ran.out));
        line.split_whitespace().map(str::to_string).collect::<Vec<String>>().join(" ")
    };
    assert_eq!(row("row"), "row configuration workload published predicted simulated bound by explained");
    let first = row("E1");
    assert!(first.starts_with("E1 DS2 Standard 4K seq 4x8 500 500 50"), "{first}");
    assert!(first.ends_with(" disk IOPS yes"), "{first}");
    assert!(row("E11").starts_with("E11 DS3 Standard 512B seq 100 500 56"), "{}", row("E11"));
    assert!(row("E14-256K").ends_with("uncached MB/s NO"), "{}", row("E14-256K"));
    assert!(row("E15-2-rand").contains("~555 MB/s 537 MB/s"), "{}", row("E15-2-rand"));
    assert!(ran.out.contains("not explained by any known limit"), "{}", ran.out);
    assert!(
        ran.out.contains("vm.uncached.throughput of 128 MB/s would have to be 196.1 MB/s x 1.02"),
        "{}",
        ran.out
    );
    assert!(ran.out.contains("assumed"), "{}", ran.out);
    assert!(ran.out.lines().all(|line| line.chars().count() <= 100), "{}", ran.out);
    assert!(!ran.out.contains('\x1b'));
}

#[test]
fn scripts_get_a_versioned_document_with_the_keys_of_predict() {
    let ran = run(&["lab", "--only", "E5,E11,E6c-cold", "--duration", "2s", "--json"]);
    let document = json(&ran);
    assert_eq!(document["schema"], "iobound.lab/2");
    assert_eq!(document["complete"], true);
    let runs = document["runs"].as_array().unwrap();
    let names: Vec<&str> = runs.iter().map(|run| run["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["E5", "E6c-cold", "E11"], "the rows are in the experiment's order");
    for run in runs {
        for key in [
            "name",
            "changed",
            "published",
            "ceiling",
            "expected",
            "latency_us",
            "binding",
            "limits",
            "burst",
            "knee",
            "volumes",
            "disks",
            "assumed",
            "notes",
            "simulated",
            "per_second",
            "measured",
            "rehearsed",
            "verdict",
            "would_need",
            "configuration",
            "workload",
        ] {
            assert!(run.get(key).is_some(), "{key}: {run}");
        }
        assert!(run["measured"].is_null() && run["rehearsed"].is_null() && run["real_time"].is_null());
        assert!(run["per_second"]["min"].as_f64().unwrap() <= run["per_second"]["max"].as_f64().unwrap());
    }
    let (unexplained, none, explained) = (&runs[0], &runs[1], &runs[2]);
    assert_eq!(unexplained["verdict"], "unexplained");
    assert_eq!(unexplained["changed"], "block 4KiB -> 64KiB");
    assert_eq!(unexplained["published"]["iops"], 793.02);
    assert_eq!(unexplained["binding"], "vm.uncached.throughput");
    assert!(unexplained["would_need"].as_str().unwrap().contains("40.4 ms at 32 outstanding"));
    assert_eq!((&none["verdict"], &none["published"]), (&"no_figure".into(), &serde_json::Value::Null));
    assert_eq!(
        (&explained["verdict"], &explained["would_need"]),
        (&"explained".into(), &serde_json::Value::Null)
    );
    assert_eq!(explained["published"]["latency_us"], 200_000);
    assert!(explained["published"]["source"].as_str().unwrap().contains("2016"));
    assert!(explained["assumed"][0].as_str().unwrap().contains("sequential"));
}

#[test]
fn only_takes_names_patterns_and_the_beginnings_of_names() {
    let names = |only: &str| -> Vec<String> {
        let document = json(&run(&["lab", "--only", only, "--duration", "1s", "--json"]));
        let runs = document["runs"].as_array().unwrap().clone();
        runs.iter().map(|run| run["name"].as_str().unwrap().to_string()).collect()
    };
    assert_eq!(names("e13"), ["E13-512B", "E13-256K"]);
    assert_eq!(names("E1?, E10p*"), ["E10p-P10", "E10p-P30", "E10p-4K", "E11", "E12"]);
    let ran = line("lab --only E99");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("no row is named `E99`") && ran.out.is_empty(), "{ran:?}");
}

#[test]
fn the_same_seed_gives_the_same_bytes() {
    let ran = |seed: &str| line(&format!("{QUICK} --json --seed {seed}")).out;
    assert_eq!(ran("7"), ran("7"));
    assert_ne!(ran("7"), ran("8"));
}

#[test]
fn a_table_for_other_tools_is_comma_separated() {
    let ran = line(&format!("{QUICK} --csv"));
    assert_eq!(ran.code, 0);
    let lines: Vec<&str> = ran.out.lines().collect();
    assert_eq!(lines.len(), 5);
    assert!(lines[0].starts_with("name,from,changed,configuration,workload,published_iops"));
    assert!(lines[1].starts_with("E1,,,\"DS2, 1 x Standard"), "{}", lines[1]);
    assert_eq!(line(&format!("{QUICK} --csv --json")).code, 2);
}

#[test]
fn a_bad_line_is_shown_with_its_mend_and_nothing_runs() {
    let path =
        file("lab-bad.toml", "[base]\nvm = \"DS14\"\ndisk = [\"P30\"]\n\n[[run]]\nname = \"a\"\ndepht = 8\n");
    let ran = run(&["lab", &path]);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""));
    for part in ["lab-bad.toml:7:1: unknown key `depht`: did you mean depth", "7 | depht = 8", "^^^^^"] {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

#[test]
fn a_persons_own_experiment_runs() {
    let path = file(
        "lab-own.toml",
        "[base]\nvm = \"DS4_v2\"\ndisk = [\"P30\"]\nduration = \"1s\"\n[[sweep]]\nname = \"x{}\"\nover = \"disks\"\nvalues = [1, 2]\n",
    );
    let ran = run(&["lab", &path]);
    assert_eq!(ran.code, 0, "{ran:?}");
    // Nothing is published: a band and a price stand where the figure and the verdict would.
    let titles = ran.out.lines().find(|line| line.starts_with("row ")).unwrap();
    assert!(
        titles.contains("band") && titles.contains("USD/month") && !titles.contains("explained"),
        "{titles}"
    );
    let document = json(&run(&["lab", &path, "--json"]));
    let price = |index: usize| document["runs"][index]["price"]["month"].as_f64().unwrap();
    assert!(price(0) < price(1));
}

#[test]
fn the_shipped_experiments_are_listed_and_found() {
    let ran = line("lab --list");
    assert_eq!(ran.code, 0);
    for name in [
        "published",
        "queue-depth",
        "disks",
        "cache",
        "block-size",
        "stripe",
        "google-defaults",
        "real-depth",
    ] {
        assert!(ran.out.contains(&format!("  {name} ")), "{name}: {}", ran.out);
    }
    let document = json(&line("lab --list --json"));
    assert_eq!(document["experiments"][0]["name"], "published");
    let missing = line("lab que-depth");
    assert_eq!(missing.code, 2);
    assert!(missing.err.contains("did you mean queue-depth"), "{missing:?}");
    assert_eq!(line("lab nowhere.toml").code, 2);
}

#[test]
fn google_disks_deliver_the_consoles_figures() {
    let document = json(&line("lab google-defaults --json"));
    // IOPS; of 1 MiB an IOPS is a MiB/s.
    let expected = [3_600.0, 168.0, 9_000.0, 3_600.0, 290.0, 100_000.0, 180.0];
    let runs = document["runs"].as_array().unwrap();
    assert_eq!(runs.len(), expected.len());
    for (run, expected) in runs.iter().zip(expected) {
        let iops = run["simulated"]["iops"].as_f64().unwrap();
        assert!((iops / expected - 1.0).abs() < 0.02, "{}: {iops}", run["name"]);
    }
}

#[test]
fn real_time_shows_the_same_stack_on_the_real_clock_and_refuses_to_take_an_hour() {
    let document = json(&line("lab --only E11 --duration 1s --real-time --json"));
    let run = &document["runs"][0];
    let real = run["real_time"]["iops"].as_f64().unwrap();
    let simulated = run["simulated"]["iops"].as_f64().unwrap();
    // A bucket of 500 a second, 100 outstanding: however late this machine wakes, the rate is the limiter's.
    assert!((real / simulated - 1.0).abs() < 0.2, "{real} beside {simulated}");
    assert!(run["real_time"]["late_us"].as_f64().is_some());
    let refused = line("lab --real-time");
    assert_eq!(refused.code, 2);
    assert!(refused.err.contains("minutes") && refused.err.contains("--only"), "{refused:?}");
}

#[test]
fn a_configuration_file_is_not_silently_left_out() {
    let path = file("lab-config.toml", "[machine]\nvm = \"DS14\"\n");
    let ran = run(&["lab", "--only", "E11", "--config", &path]);
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("an experiment has its own"), "{ran:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn an_interrupt_ends_with_the_rows_that_are_done() {
    let interrupted = || {
        let child = program()
            .args(["lab", "published"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        while !common::catches_interrupts(child.id()) {
            std::thread::yield_now();
        }
        assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
        let ran = ran(child.wait_with_output().unwrap());
        assert_eq!(ran.code, 5, "{ran:?}");
        ran
    };
    // A busy machine may not give the verb the time that it has to end by itself: then there is no answer.
    let answered =
        (0..20).map(|_| interrupted()).find(|ran| !ran.out.is_empty()).expect("no answer in 20 tries");
    assert!(
        answered.out.contains("interrupted: ") && answered.out.contains("of 61 rows are done"),
        "{answered:?}"
    );
}

#[test]
#[cfg(not(all(feature = "load", target_os = "linux")))]
fn a_program_without_runs_refuses_real_targets_and_says_how_to_get_them() {
    let refused = line("lab real-depth --target /mnt/data");
    assert_eq!((refused.code, refused.out.as_str()), (2, ""));
    assert!(
        refused.err.contains("this build cannot run on real targets")
            && refused.err.contains("feature `load`"),
        "{refused:?}"
    );
}
