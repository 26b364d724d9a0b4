//! `watch` and `explain` on a Windows machine: folders with its setup and the raw values of its counters stand for it.
#![allow(clippy::disallowed_methods, reason = "it makes files")]

mod common;

use common::{Ran, json, run};
use serde_json::{Value, json};

/// Sums of a disk: reads, writes, seconds of response times of each, seconds without requests, seconds at all.
struct Sums {
    ios: [i64; 2],
    response_s: [f64; 2],
    idle_s: f64,
    time_s: f64,
}

/// Counters as Windows passes them: a sum and its base, times in units of 100 ns. Each I/O has 8 KiB.
fn counters(sums: &Sums) -> Value {
    let ticks = |seconds: f64| (seconds * 1e7) as i64;
    let [reads, writes] = sums.ios;
    json!({
        "Disk Reads/sec": [reads & 0xffff_ffff, 77],
        "Disk Writes/sec": [writes & 0xffff_ffff, 77],
        "Disk Read Bytes/sec": [reads * 8_192, 77],
        "Disk Write Bytes/sec": [writes * 8_192, 77],
        "Avg. Disk Read Queue Length": [ticks(sums.response_s[0]), 77],
        "Avg. Disk Write Queue Length": [ticks(sums.response_s[1]), 77],
        "% Idle Time": [ticks(sums.idle_s), ticks(sums.time_s)],
    })
}

/// The SQL Server of `fixtures/windows-sqlvm.json`. Its pool of ten P30, disks 2 to 11, does 5,100 reads of 8 KiB a second on
/// each disk for ten seconds, 20 outstanding; the space on it is disk 14.
fn busy() -> (tempfile::TempDir, tempfile::TempDir) {
    let fixture = format!("{}/tests/fixtures/windows-sqlvm.json", env!("CARGO_MANIFEST_DIR"));
    let setup = std::fs::read_to_string(fixture).unwrap();
    let folder = |seconds: f64| {
        let folder = tempfile::tempdir().unwrap();
        let mut disks = serde_json::Map::new();
        let of = |rate: f64, base: i64| Sums {
            ios: [base + (rate * seconds) as i64, 0],
            response_s: [1e6 + if rate > 0.0 { 20.0 * rate / 5_100.0 } else { 0.0 } * seconds, 0.0],
            idle_s: 5e5 + if rate > 0.0 { 0.0 } else { seconds },
            time_s: 2e6 + seconds,
        };
        disks.insert("0 C:".into(), counters(&of(0.0, 12)));
        disks.insert("1 D:".into(), counters(&of(0.0, 12)));
        // The number of reads overflows on the way.
        (2..12).for_each(|number| {
            disks.insert(number.to_string(), counters(&of(5_100.0, i64::from(u32::MAX) - 100)));
        });
        disks.insert("14 F:".into(), counters(&of(51_000.0, 0)));
        disks.insert("_Total".into(), counters(&of(102_000.0, 0)));
        std::fs::write(folder.path().join("windows.json"), &setup).unwrap();
        std::fs::write(folder.path().join("physicaldisk.json"), Value::from(disks).to_string()).unwrap();
        let volumes = json!({
            "C:": counters(&of(0.0, 12)),
            "F:": counters(&of(51_000.0, 0)),
            "HarddiskVolume1": counters(&of(0.0, 3)),
            "_Total": counters(&of(51_000.0, 0)),
        });
        std::fs::write(folder.path().join("logicaldisk.json"), volumes.to_string()).unwrap();
        // The second of two processors is busy for 9 of 10 seconds, a third of that in the system.
        let processor = |user: f64, system: f64| {
            let ticks = |rate: f64| [(1e9 + rate * seconds * 1e7) as i64, 77];
            json!({
                "% User Time": ticks(user),
                "% Privileged Time": ticks(system),
                "% Idle Time": ticks(1.0 - user - system),
            })
        };
        let processors = json!({
            "0,0": processor(0.1, 0.0), "0,1": processor(0.6, 0.3), "0,_Total": processor(0.35, 0.15),
        });
        std::fs::write(folder.path().join("processor.json"), processors.to_string()).unwrap();
        folder
    };
    (folder(0.0), folder(10.0))
}

fn asked(verb: &str, before: &tempfile::TempDir, after: &tempfile::TempDir, words: &[&str]) -> Ran {
    let [before, after] = [before, after].map(|folder| folder.path().to_str().unwrap());
    run(&[&[verb, "--world", before, "--world-after", after], words].concat())
}

#[test]
fn a_second_of_windows_counters_has_each_disk_and_the_limits_of_the_vm() {
    let (before, after) = busy();
    let ran = asked("watch", &before, &after, &["--interval", "10s", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let second: Value = serde_json::from_str(ran.out.lines().next().unwrap()).unwrap();
    let disks = second["disks"].as_array().unwrap();
    let of = |name: &str| disks.iter().find(|disk| disk["device"] == name).unwrap();
    let disk = of("PhysicalDrive2");
    assert_eq!(
        (disk["iops"].as_f64(), disk["throughput_bytes_per_s"].as_f64()),
        (Some(5_100.0), Some(41_779_200.0))
    );
    // 20 outstanding at 5,100 IOPS are 3.92 ms, by Little's law.
    assert_eq!((disk["queue"].as_f64(), disk["read"].as_f64()), (Some(20.0), Some(1.0)));
    assert!((disk["latency_us"].as_f64().unwrap() - 3_921.57).abs() < 0.01, "{disk}");
    // The space has counters as well, and is no disk of the configuration; the sum of all disks is left out.
    assert_eq!((&of("PhysicalDrive14")["disk"], disks.len()), (&Value::Null, 13));
    let limits = second["limits"].as_array().unwrap();
    let used = |name: &str| limits.iter().find(|limit| limit["name"] == name).unwrap()["used"].as_f64();
    assert_eq!(used("vm.uncached.iops"), Some(51_000.0), "{limits:?}");
}

#[test]
fn volumes_stand_beside_the_disks_and_add_nothing_to_them() {
    let (before, after) = busy();
    let ran = asked("watch", &before, &after, &["--interval", "10s", "--json"]);
    let lines: Vec<Value> = ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let volumes = lines[0]["volumes"].as_array().expect("Windows counts volumes");
    let names: Vec<&str> = volumes.iter().map(|volume| volume["device"].as_str().unwrap()).collect();
    assert_eq!(names, ["C:", "F:", "HarddiskVolume1"]);
    // 200 outstanding at 51,000 IOPS are 3.92 ms.
    assert_eq!((volumes[1]["iops"].as_f64(), volumes[1]["queue"].as_f64()), (Some(51_000.0), Some(200.0)));
    assert!((volumes[1]["latency_us"].as_f64().unwrap() - 3_921.57).abs() < 0.01, "{volumes:?}");
    let disks = lines[0]["disks"].as_array().unwrap();
    assert!(disks.iter().all(|disk| disk["device"] != "F:"), "{disks:?}");
    let summary = lines.last().unwrap();
    assert_eq!((&summary["event"], &summary["volumes"][0]["device"]), (&json!("summary"), &json!("F:")));
    let explained = json(&asked("explain", &before, &after, &["--duration", "10s", "--json"]));
    assert_eq!(explained["watched"]["volumes"][1]["device"], "F:");
    let screen = asked("explain", &before, &after, &["--duration", "10s"]);
    assert!(screen.out.contains("HarddiskVolume1"), "{screen:?}");
    // Counters of disks are enough.
    let (before, after) = busy();
    std::fs::remove_file(after.path().join("logicaldisk.json")).unwrap();
    let ran = asked("watch", &before, &after, &["--interval", "10s", "--json"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(!ran.out.contains("\"volumes\""), "{ran:?}");
}

#[test]
fn explain_names_the_limit_that_windows_counters_show() {
    let (before, after) = busy();
    let document = json(&asked("explain", &before, &after, &["--duration", "10s", "--json"]));
    let rules: Vec<&str> = document["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| finding["rule"].as_str().unwrap())
        .collect();
    // Ten P30 enforce 51,000 IOPS, which are used; the setup's own faults are only possible behind that.
    assert_eq!(rules[0], "disk-iops", "{rules:?}");
    assert!(rules.contains(&"fewer-columns"), "{rules:?}");
    // 0.6 of programs and 0.3 of the system; the sums of a node and of all are no processors.
    let busiest = document["watched"]["busiest_cpu"].as_f64().expect("there are counters of processors");
    assert!((busiest - 0.9).abs() < 1e-6, "{busiest}");
}

#[test]
fn missing_counters_and_traces_of_requests_are_errors_that_say_why() {
    let (before, after) = busy();
    std::fs::remove_file(before.path().join("physicaldisk.json")).unwrap();
    let ran = asked("watch", &before, &after, &["--interval", "10s"]);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(
        ran.err.contains("no counters of the object PhysicalDisk") && ran.err.contains("lodctr"),
        "{ran:?}"
    );
    let (before, after) = busy();
    let ran = asked("watch", &before, &after, &["--trace", "app.trace", "PhysicalDrive2"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("requests are not traced on Windows"), "{ran:?}");
}
