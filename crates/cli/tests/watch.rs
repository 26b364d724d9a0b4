//! `iobound watch`: counters against limits, and what an application does as a workload.
#![cfg(target_os = "linux")]
#![allow(clippy::disallowed_methods, reason = "a test reads and writes files")]

mod common;
mod machines;

use common::{Ran, json, line, program, ran, run};
use machines::{Machine, ec2};
use serde_json::Value;

/// A gp3 volume, before and after ten seconds of 2,000 reads of 4 KiB and 1,000 writes of 16 KiB a second.
fn busy() -> (Machine, Machine) {
    let (before, after) = (ec2([0; 4]), ec2([1_000_000, 0, 0, 0]));
    before.counters(&[("259:2", "nvme1n1", [0; 7])]);
    // Reads, bytes read, ms of reading; the same of writes; ms of all that was outstanding.
    let counted = [20_000, 20_000 * 4_096, 20_000, 10_000, 10_000 * 16_384, 20_000, 40_000];
    after.counters(&[("259:2", "nvme1n1", counted)]);
    (before, after)
}

fn watch(before: &Machine, after: &Machine, words: &[&str]) -> Ran {
    let (one, other) = (before.shown(), after.shown());
    let asked = ["watch", "--metadata", "off", "--interval", "10s", "--world", &one, "--world-after", &other];
    run(&[&asked, words].concat())
}

fn lines(ran: &Ran) -> Vec<Value> {
    assert_eq!(ran.code, 0, "{ran:?}");
    ran.out.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

#[test]
fn a_second_has_each_disk_its_share_and_what_the_volume_itself_counted() {
    let (before, after) = busy();
    let lines = lines(&watch(&before, &after, &["--json"]));
    assert_eq!(lines.len(), 2, "an interval, and what it came to");
    let disk = lines[0]["disks"].as_array().unwrap().iter().find(|disk| disk["device"] == "nvme1n1").unwrap();
    // 30,000 I/Os in 10 s; 20,000 of them read; 40,000 ms outstanding are 4 on average, and by Little's law 1.33 ms each.
    assert_eq!(disk["iops"], 3_000);
    assert_eq!(disk["throughput_bytes_per_s"], 2_000 * 4_096 + 1_000 * 16_384);
    assert_eq!((disk["read"].as_f64(), disk["queue"].as_f64()), (Some(0.6667), Some(4.0)));
    assert!((disk["latency_us"].as_f64().unwrap() - 1_333.333).abs() < 0.01, "{disk}");
    assert_eq!(lines[0]["exceeded"][0]["us"], 1_000_000, "EBS's own count, in its log page");
    assert_eq!(lines[1]["event"], "summary");
}

#[test]
fn the_limits_are_those_of_the_machine_or_of_what_it_is_said_to_be() {
    let (before, after) = busy();
    let lines = lines(&watch(&before, &after, &["--json"]));
    let limits = lines[0]["limits"].as_array().unwrap();
    // A gp3 that was never raised has 3,000 IOPS, which 3,000 fill.
    let fullest = &limits[0];
    assert_eq!(fullest["name"], "disk.iops", "{limits:?}");
    assert!((fullest["share"].as_f64().unwrap() - 1.0).abs() < 0.05, "{fullest}");
    let shares: Vec<f64> = limits.iter().map(|limit| limit["share"].as_f64().unwrap()).collect();
    assert!(shares.is_sorted_by(|a, b| a >= b), "the fullest first: {shares:?}");
    let text = watch(&before, &after, &[]);
    assert!(
        text.out.contains("disk IOPS") && text.out.lines().all(|line| line.chars().count() <= 100),
        "{}",
        text.out
    );
}

#[test]
fn what_is_recorded_is_what_was_done_and_every_verb_takes_it() {
    let (before, after) = busy();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("app.toml").display().to_string();
    assert_eq!(watch(&before, &after, &["--record", &file]).code, 0);
    let text = std::fs::read_to_string(&file).unwrap();
    assert!(text.contains("outstanding: p50 4, p95 4, p99 4, most 4"), "{text}");
    let document = json(&line(&format!("predict --vm DS14 --disk 4xP30 --workload {file} --json")));
    // 3,000 I/Os a second, two thirds of them reads of 4 KiB, the others writes of 16 KiB: 24.6 MB/s.
    let expected = &document["expected"];
    assert!((expected["iops"].as_f64().unwrap() / 3_000.0 - 1.0).abs() < 0.02, "{expected}");
    let bytes = 2_000.0 * 4_096.0 + 1_000.0 * 16_384.0;
    assert!((expected["throughput_bytes_per_s"].as_f64().unwrap() / bytes - 1.0).abs() < 0.03, "{expected}");
    let plan = json(&line(&format!("plan --workload {file} --capacity 1TiB --candidates 1 --json")));
    assert_eq!(plan["need"]["data"]["iops"], 3_000);
    let dry = ran(program()
        .args(["run", folder.path().to_str().unwrap(), "--size", "1MiB", "--workload", &file, "--dry-run"])
        .env("IOBOUND_BUSY_OK", "true")
        .output()
        .unwrap());
    assert_eq!(dry.code, 0, "{dry:?}");
    let served = ran(program()
        .args(["emulate", "--vm", "DS14", "--disk", "4xP30", "--workload", &file, "--nbd", "unix:e.sock"])
        .args(["--duration", "100ms", "--memory", "16MiB", "--transport-cost", "0us"])
        .current_dir(&folder)
        .output()
        .unwrap());
    assert!(served.code == 0 && served.err.contains("still served"), "{served:?}");
    // What is there is not written over unasked.
    assert_eq!(watch(&before, &after, &["--record", &file]).code, 3);
    assert_eq!(watch(&before, &after, &["--record", &file, "--overwrite", &file]).code, 0);
}

#[test]
fn an_idle_machine_is_watched_and_nothing_is_recorded_of_it() {
    let machine = ec2([0; 4]);
    machine.counters(&[("259:2", "nvme1n1", [0; 7])]);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("app.toml").display().to_string();
    let ran = watch(&machine, &machine, &["--record", &file]);
    assert!(ran.code == 0 && ran.out.contains("nothing was recorded"), "{ran:?}");
    assert!(!std::path::Path::new(&file).exists());
}

#[test]
fn options_that_make_no_sense_are_refused_with_their_mend() {
    for (words, part) in [
        ("watch --interval 1ms", "write 100ms or more"),
        ("watch --duration 0s", "too short"),
        ("watch --record-rate p95", "nothing is recorded"),
        ("watch --record a.toml --record-rate p42", "p50, p95, p99 or max"),
        ("watch --overwrite a.toml", "not a target of --record"),
        ("watch --seed 1", "uses no random numbers"),
    ] {
        let ran = line(words);
        assert!(ran.code == 2 && ran.err.contains(part), "{words}: {ran:?}");
    }
}

#[test]
fn this_machine_can_be_watched_whatever_it_is() {
    let ran = line("watch --duration 200ms --interval 100ms --metadata off --json");
    let lines = lines(&ran);
    assert!(lines.len() >= 2 && lines.last().unwrap()["event"] == "summary", "{ran:?}");
}

#[test]
fn a_device_is_the_disk_that_it_is_said_to_be_and_its_limits_are_shown() {
    let (before, after) = busy();
    // Said to have other disks than it says itself: which is which nobody can tell.
    let words = ["--json", "--disk", "2xgp3@100GiB"];
    let disk_of = |lines: &[Value]| {
        let disks = lines[0]["disks"].as_array().unwrap().clone();
        disks.into_iter().find(|disk| disk["device"] == "nvme1n1").unwrap()
    };
    let unknown = disk_of(&lines(&watch(&before, &after, &words)));
    assert!(unknown["disk"].is_null() && unknown["share"].is_null(), "{unknown}");
    let mapped = lines(&watch(&before, &after, &[&words[..], &["--map", "/dev/nvme1n1=data.1"]].concat()));
    let disk =
        mapped[0]["disks"].as_array().unwrap().iter().find(|disk| disk["device"] == "nvme1n1").unwrap();
    assert_eq!(disk["disk"], "data.1");
    // 3,000 I/Os a second of the 3,000 that a gp3 has which was never raised.
    assert!((disk["share"].as_f64().unwrap() - 1.0).abs() < 0.05, "{disk}");
    assert!(!mapped[0]["limits"].as_array().unwrap().is_empty());
}

/// What a disk that rests has left is full, and stays so, whatever another one spends.
#[test]
fn credits_are_of_each_disk_and_one_that_rests_earns_none_for_another() {
    let (before, after) = (ec2([0; 4]), ec2([0; 4]));
    before.counters(&[("259:0", "nvme0n1", [0; 7]), ("259:2", "nvme1n1", [0; 7])]);
    // For ten seconds 100 and 3,000 reads of 4 KiB a second.
    let reads = |count: u64| [count, count * 4_096, count, 0, 0, 0, count];
    after.counters(&[("259:0", "nvme0n1", reads(1_000)), ("259:2", "nvme1n1", reads(30_000))]);
    let words = ["--json", "--disk", "2xgp2@100GiB", "--map", "nvme0n1=data.0", "--map", "nvme1n1=data.1"];
    let lines = lines(&watch(&before, &after, &words));
    let limits = lines[0]["limits"].as_array().unwrap();
    let limit = limits.iter().find(|limit| limit["name"] == "disk.iops").expect("there is one");
    // A gp2 of 100 GiB earns 300 I/Os a second and holds 5.4 million (AWS): 2,700 a second are spent of the one, and nothing of
    // the other. Together they would have lost 2,500 only.
    let left = (2.0 * 5.4e6 - 10.0 * 2_700.0) / (2.0 * 5.4e6);
    assert!((limit["credits_at_most"].as_f64().unwrap() - left).abs() < 0.00006, "{limit} and not {left}");
}

#[test]
fn a_map_of_what_is_not_there_or_twice_is_refused() {
    let (before, after) = busy();
    for (words, said) in [
        (&["--disk", "gp3@100GiB", "--map", "sdz=data"][..], "this machine has no disk `sdz`"),
        (&["--disk", "gp3@100GiB", "--map", "nvme1n1=log"][..], "the configuration has no disk `log`"),
        (&["--disk", "gp3@100GiB", "--map", "nvme1n1"][..], "write --map sdc=data.0"),
        (
            &["--disk", "2xgp3@100GiB", "--map", "nvme1n1=data.0", "--map", "nvme1n1=data.1"][..],
            "nvme1n1 is data.0 already",
        ),
    ] {
        let ran = watch(&before, &after, words);
        assert!(ran.code == 2 && ran.err.contains(said), "{words:?}: {ran:?}");
    }
}
