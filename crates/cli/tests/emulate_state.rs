//! The state that an emulator starts in, and what commands make of a disk: seen by what it says of itself now.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that an emulator leaves")]

mod common;

use common::emulator::{Emulator, in_folder};
use common::ran;
use serde_json::Value;

#[test]
fn one_disk_of_a_stripe_has_a_cache_and_a_tier_of_its_own() {
    let emulator = Emulator::start("--vm DS14 --disk 2xP30");
    let of = |state: &Value, what: &str| -> Vec<Value> {
        state["disks"].as_array().unwrap().iter().map(|disk| disk[what].clone()).collect()
    };
    let limits = |state: &Value| -> Vec<u64> {
        let limits = state["limits"].as_array().unwrap().iter().filter(|limit| limit["name"] == "disk.iops");
        limits.map(|limit| limit["published"].as_u64().unwrap()).collect()
    };
    emulator.told("cache data.0 readonly");
    emulator.told("tier data.1 P40");
    let state = emulator.told("state")["state"].clone();
    assert_eq!(of(&state, "cache"), ["readonly", "none"]);
    assert_eq!((of(&state, "disk"), limits(&state)), (vec!["P30".into(), "P40".into()], vec![5_000, 7_500]));
    // The first stripe unit is read into the cache, and then from there; the second is on a disk without one.
    let mut data = emulator.attach("data");
    assert_eq!(data.size, 2 << 40, "the disks keep their sizes");
    for offset in [0, 0, 64 << 10, 64 << 10] {
        assert_eq!(data.read(offset, 4096).0, 0);
    }
    let state = emulator.told("state")["state"].clone();
    assert_eq!((&state["caches"][0]["hits"], &state["caches"][0]["misses"]), (&1.into(), &1.into()));
    // What is said of the volume is said of every disk of it, and nothing else of the disk is changed by it.
    emulator.told("cache data readwrite");
    let state = emulator.told("state")["state"].clone();
    assert_eq!((of(&state, "cache"), limits(&state)), (vec!["readwrite".into(); 2], vec![5_000, 7_500]));
    emulator.told("tier data P50");
    emulator.told("tier data.0 P30");
    let state = emulator.told("state")["state"].clone();
    assert_eq!((of(&state, "cache"), limits(&state)), (vec!["readwrite".into(); 2], vec![5_000, 7_500]));
    let shown = emulator.ctl_text("state");
    assert!(shown.contains("data.0 P30 (cache readwrite)"), "{shown}");
}

#[test]
fn credits_are_as_the_workload_that_ran_before_has_left_them() {
    let emulator = Emulator::start("--vm D2s_v3 --disk P20 --at 20min");
    let credits = emulator.ready["credits"].as_str().unwrap();
    assert!(
        credits.starts_with("left after 20 min of 4 KiB random read") && credits.contains("disk IOPS 29 %"),
        "{credits}"
    );
    // 1,200 IOPS above the P20's 2,300 for 30 minutes; of the 3,500 × 1.02 that were let through, 2,300 were earned.
    let left_then = 1_200 * 1_800 - (3_570 - 2_300) * 1_200;
    let state = emulator.told("state")["state"].clone();
    let limits = state["limits"].as_array().unwrap();
    let disk = limits.iter().find(|limit| limit["name"] == "disk.iops").unwrap();
    let (left, age) = (disk["credits"]["left"].as_u64().unwrap(), state["at_s"].as_f64().unwrap());
    let earned = left - left_then;
    assert!(earned as f64 <= 2_300.0 * age + 1.0, "{earned} in {age} s");
    // One that asks for less than is earned leaves them full.
    let emulator = Emulator::start("--vm D2s_v3 --disk P20 --at 20min --rate 1000iops");
    assert!(emulator.ready["credits"].as_str().unwrap().contains("disk IOPS 100 %"), "{}", emulator.ready);
}

#[test]
fn what_ran_before_can_stand_in_the_environment_and_nothing_of_it_is_needed_where_it_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let ready = |words: &str| {
        let mut command = in_folder(folder.path());
        command.env("IOBOUND_BLOCK", "8KiB").env("IOBOUND_RAN_FOR", "1min");
        let words =
            format!("{words} --nbd unix:e.sock --transport-cost 0us --memory 16MiB --duration 50ms --json");
        let shown = ran(command.args(words.split_whitespace()).output().unwrap());
        assert_eq!(shown.code, 0, "{shown:?}");
        let first = shown.out.lines().next().unwrap().to_string();
        (serde_json::from_str::<Value>(&first).unwrap(), shown.err)
    };
    let (of_block, said) = ready("--vm D2s_v3 --disk P20 --at 20min");
    let credits = of_block["credits"].as_str().unwrap();
    assert!(credits.contains("8 KiB random read, 32 outstanding, from full"), "{credits}");
    assert!(said.contains("IOBOUND_RAN_FOR 1min: it has no effect here"), "{said}");
    assert_eq!(ready("--vm DS14 --disk P30").0["credits"], Value::Null);
}

#[test]
fn a_cache_is_as_the_first_run_of_a_workload_has_left_it() {
    let before = "--cache-state second-run --sequential --size 1MiB --ran-for 5s";
    let emulator = Emulator::start(&format!("--vm DS14 --disk P10:readonly {before}"));
    let cache = emulator.ready["cache"].as_str().unwrap();
    assert!(
        cache.starts_with("as a first run left it") && cache.contains("in 5 s of 4 KiB sequential read"),
        "{cache}"
    );
    let mut data = emulator.attach("data");
    data.read((1 << 20) - 4096, 4096);
    data.read(1 << 20, 4096);
    let state = emulator.told("state")["state"].clone();
    assert_eq!((&state["caches"][0]["hits"], &state["caches"][0]["misses"]), (&1.into(), &1.into()));
}

#[test]
fn a_cache_smaller_than_its_disks_is_warm_with_the_part_that_is_used() {
    // 576 GiB of cache before 4 TiB of disks, of which 1 GiB is used.
    let emulator = Emulator::start("--vm DS14 --disk 4xP30:readonly --random --size 1GiB");
    let mut data = emulator.attach("data");
    for offset in [0, 512 << 20, 1 << 40] {
        assert_eq!(data.read(offset, 4096).0, 0);
    }
    let state = emulator.told("state")["state"].clone();
    assert_eq!((&state["caches"][0]["hits"], &state["caches"][0]["misses"]), (&2.into(), &1.into()));
}

#[test]
fn the_state_is_that_of_now() {
    let emulator = Emulator::start("--vm DS14 --disk P30");
    let mut data = emulator.attach("data");
    for n in 1..=3_u64 {
        data.write(n << 20, &[1; 4096]);
        let state = emulator.told("state")["state"].clone();
        assert_eq!(state["devices"][0]["write"]["ios"], n);
        // Of the last whole second, and of what has passed since.
        assert!(state["devices"][0]["latency_us"]["mean"].as_f64().is_some_and(|mean| mean > 0.0), "{state}");
        assert!(state["interval_s"].as_f64().unwrap() <= state["at_s"].as_f64().unwrap());
    }
}
