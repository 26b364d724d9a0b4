//! No option is without effect in silence: what says something of what is not there is refused, what says what holds
//! anyway is noted.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{Ran, file, json, line, program, ran, run};

fn refused(ran: &Ran, parts: &[&str]) {
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{ran:?}");
    for part in parts {
        assert!(ran.err.contains(part), "`{part}` is not in {}", ran.err);
    }
}

/// The notes of the answer, joined.
fn notes(ran: &Ran) -> String {
    json(ran)["notes"].to_string()
}

#[test]
fn an_option_about_what_is_not_there_is_refused() {
    let table: [(&str, &[&str]); 15] = [
        ("--disk P30 --stripe 128KiB", &["--stripe", "each volume is one disk", "4xP30"]),
        ("--disk 2xP30 --separate --stripe 128KiB", &["--stripe", "--separate makes no stripe"]),
        ("--disk 2xP30 --columns 1 --stripe 128KiB", &["--stripe", "one disk after the other"]),
        ("--disk P30 --cache-state cold", &["--cache-state", "no disk has a host cache", "P30:readonly"]),
        ("--disk P30 --cache-state second-run", &["--cache-state", "no disk has a host cache"]),
        // Neither a DS14 nor a P30 has a burst figure.
        ("--disk P30 --at 0", &["--at", "burst credits", "D2s_v3"]),
        ("--disk P30 --at 20min", &["--at", "burst credits"]),
        ("--disk temp --media read=1ms", &["--media", "local disks of the VM", "--disk P30"]),
        ("--disk P30 --media write=1ms", &["--media", "nothing is written", "other direction"]),
        ("--disk P30 --media read=1ms --read 0", &["--media", "nothing is read"]),
        ("--disk P30 --accounts shared", &["accounts", "2016"]),
        ("--disk P20 --on-demand-burst", &["on-demand", "P30"]),
        ("--disk P30 --map e:=data", &["--map", "mapping", "DiskSpd, fio and Iometer"]),
        ("--disk P30 --preset kafka --map e:=data", &["--map", "mapping"]),
        (
            "--disk P30 --map f:=data --iometer 4096,100,100,100,0,1,0,0",
            &["--map", "no path", "the start of the workload's paths"],
        ),
    ];
    for (words, parts) in table {
        refused(&line(&format!("predict --vm DS14 {words}")), parts);
    }
    refused(
        &run(&[
            "predict",
            "--vm",
            "DS14",
            "--disk",
            "P30",
            "--diskspd",
            "-c1G e:\\io.dat",
            "--map",
            "f:=data",
        ]),
        &["--map", "`f:=data`", "no path of the workload starts with it"],
    );
}

#[test]
fn an_option_that_says_what_holds_anyway_is_noted() {
    for (words, parts) in [
        ("--disk P30 --stripe 64KiB", ["--stripe 64KiB", "each volume is one disk"]),
        ("--disk P30 --columns 1", ["--columns 1", "each volume is one disk"]),
        ("--disk P30 --separate", ["--separate", "each volume is already one disk"]),
        // The volume is smaller by it, and the start offset splits no I/O otherwise.
        ("--disk P30 --partition-offset 1MiB", ["--partition-offset 1MiB", "the start offset splits no I/O"]),
        (
            "--disk 2xP30 --separate --partition-offset 1MiB",
            ["--partition-offset", "the start offset splits no I/O"],
        ),
        ("--disk P30 --cache-state warm", ["--cache-state warm", "no disk has a host cache"]),
        ("--disk P30 --at sustained", ["--at sustained", "burst credits"]),
        ("--disk P30 --accounts one-each", ["--accounts one-each", "era 2016"]),
        ("--disk P30 --media read=1ms,write=2ms", ["--media", "nothing is written"]),
        ("--disk P30 --duration 5s", ["--duration 5s", "second-run"]),
        ("--disk P30 --warmup 5s", ["--warmup 5s", "second-run"]),
    ] {
        let notes = notes(&line(&format!("predict --vm DS14 {words} --json")));
        for part in parts {
            assert!(notes.contains(part), "{words}: `{part}` is not in {notes}");
        }
    }
    let screen = line("predict --vm DS14 --disk P30 --columns 1").out;
    assert!(screen.contains("--columns 1: it has no effect here"), "{screen}");
    // Instances of AWS have no eras.
    let aws = "--vm m5.large --disk gp3@500GiB --json";
    let notes = notes(&line(&format!("predict {aws} --era 2018-06")));
    assert!(notes.contains("era 2018-06"), "{notes}");
}

#[test]
fn an_option_with_an_effect_is_not_spoken_of() {
    for words in [
        "--disk 2xP30 --stripe 64KiB --columns 2 --partition-offset 31.5KiB",
        "--disk P30:readonly --partition-offset 31.5KiB --cache-state warm",
        "--disk P30:readonly --cache-state second-run --duration 5s --warmup 1s",
        "--disk 2xP30 --separate --media read=1ms",
        "--disk P30 --disk 2xP20 --columns 1 --published",
        "--disk P20 --at 0",
        "--disk standard@1023GiB --era 2016 --accounts shared",
        "--disk P30 --read 50 --media read=1ms,write=2ms",
    ] {
        let notes = notes(&line(&format!("predict --vm DS14 {words} --json")));
        assert!(!notes.contains("has no effect here"), "{words}: {notes}");
    }
    let words = ["predict", "--vm", "DS14", "--disk", "P30", "--json", "--map", "E:=data"];
    let notes = notes(&run(&[&words[..], &["--diskspd", "-c1G e:\\io.dat"]].concat()));
    assert!(!notes.contains("mapping"), "{notes}");
}

#[test]
fn what_stands_in_a_file_or_the_environment_is_for_several_questions_and_noted() {
    let path = file("idle.toml", "[machine]\nvm = \"DS14\"\nstripe = \"128KiB\"\ncache-state = \"cold\"\n");
    let answer = notes(&run(&["predict", "--config", &path, "--disk", "P30", "--json"]));
    for part in ["idle.toml:3 128KiB", "idle.toml:4 cold"] {
        assert!(answer.contains(part), "{part} {answer}");
    }
    let words = ["predict", "--vm", "DS14", "--disk", "P30", "--json"];
    let environment = [("IOBOUND_AT", "0"), ("IOBOUND_MAP", "e:=data")];
    let answer = notes(&ran(program().args(words).envs(environment).output().unwrap()));
    assert!(answer.contains("IOBOUND_AT 0") && answer.contains("IOBOUND_MAP e:=data"), "{answer}");
}

#[test]
fn a_catalogue_file_of_which_nothing_is_used_is_noted() {
    let path = file("idle_catalog.toml", "[[vm]]\nname = \"Standard_DS13\"\nuncached_iops = 20000\n");
    let of = |vm: &str| notes(&run(&["predict", "--vm", vm, "--disk", "P30", "--json", "--catalog", &path]));
    assert!(of("DS14").contains("uses none of its figures"), "{}", of("DS14"));
    assert!(!of("DS13").contains("uses none of its figures"), "{}", of("DS13"));
}
