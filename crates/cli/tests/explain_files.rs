//! `explain --result`: what load generators reached, and what other tools saw, from their own files to the finding.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{Ran, file, json, run};
use serde_json::Value;

/// A file of another tool's form: those that are only watched are the readers' own.
fn seen(name: &str) -> String {
    let folders = ["formats/tests/observation", "catalog/tests/monitoring"];
    let paths = folders.map(|of| format!("{}/../{of}/fixtures/{name}", env!("CARGO_MANIFEST_DIR")));
    let found = paths.into_iter().find(|path| std::path::Path::new(path).exists());
    found.unwrap_or_else(|| panic!("there is no fixture {name}"))
}

fn result(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn explain(configuration: &str, files: &[&str], more: &[&str]) -> Ran {
    let mut words: Vec<&str> = vec!["explain", "--json"];
    words.extend(configuration.split(' '));
    for file in files {
        words.extend(["--result", file]);
    }
    words.extend(more);
    run(&words)
}

#[track_caller]
fn explained(configuration: &str, files: &[&str], more: &[&str]) -> Value {
    json(&explain(configuration, files, more))
}

#[track_caller]
fn refused(configuration: &str, files: &[&str], more: &[&str], parts: &[&str]) {
    let ran = explain(configuration, files, more);
    assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{files:?}: {ran:?}");
    for part in parts {
        assert!(ran.err.contains(part), "{part}: {}", ran.err);
    }
}

#[track_caller]
fn says(document: &Value, part: &str) {
    let notes = document["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note.as_str().unwrap().contains(part)), "{part}: {notes:?}");
}

#[track_caller]
fn near(document: &Value, pointer: &str, value: f64) {
    let read = document.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer}"));
    // iostat -h prints 39.8M of 39.84.
    assert!((read - value).abs() <= 2e-3 * value, "{pointer}: {read} and {value}");
}

/// A P30 lets 5,000 x 1.02 IOPS through; 64 outstanding wait 12.55 ms for it.
#[test]
fn the_same_load_is_the_same_finding_whoever_watched_it() {
    for (files, name) in [
        (vec![result("fio.json")], "fio's JSON"),
        (vec![result("diskspd.txt")], "DiskSpd's output"),
        (vec![seen("iostat-10.txt")], "iostat -x"),
        (vec![seen("iostat-sectors.txt")], "iostat -x"),
        (vec![seen("iostat-12-comma.txt")], "iostat -x"),
        (vec![seen("iostat-12-h.txt")], "iostat -x"),
        (vec![seen("iostat-12-short.txt")], "iostat -x"),
        (vec![seen("iostat-12.json")], "iostat -x"),
        (vec![seen("diskstats-one-busy.txt")], "/proc/diskstats"),
    ] {
        let paths: Vec<&str> = files.iter().map(String::as_str).collect();
        let document = explained("--vm D8s_v3 --disk P30", &paths, &[]);
        assert_eq!(document["findings"][0]["rule"], "disk-iops", "{paths:?}: {}", document["findings"][0]);
        near(&document, "/observed/iops", 5_100.0);
        near(&document, "/observed/throughput_bytes_per_s", 5_100.0 * 8_192.0);
        says(&document, &format!("read as {name}"));
    }
}

#[test]
fn members_of_a_stripe_are_told_apart_and_add_up() {
    let files = [seen("diskstats-20-before.txt"), seen("diskstats-20-after.txt")];
    let paths: Vec<&str> = files.iter().map(String::as_str).collect();
    let document = explained("--vm DS14 --disk 4xP30", &paths, &["--interval", "10s"]);
    assert_eq!(document["findings"][0]["rule"], "disk-iops");
    near(&document, "/observed/iops", 4.0 * 4_998.0);
    near(&document, "/observed/mean_us", 6_400.0);
    // 4 x 4,998 x 6.4 ms
    near(&document, "/observed/outstanding", 127.9);
    near(&document, "/observed/duration_s", 10.0);
    near(&document, "/observed/disks/3/iops", 4_998.0);
    says(&document, "sdc is data.0, sdd is data.1, sde is data.2, sdf is data.3");
    says(
        &document,
        "left out, because they are not in the configuration (--map DEVICE=NAME says which they are): sda (13 IOPS)",
    );
}

#[test]
fn a_volume_with_one_busy_disk_is_linear_once_it_is_said_which_disks_are_its() {
    let file = seen("diskstats-one-busy.txt");
    let parts = ["cannot tell which", "sdc (5100 IOPS)", "--map sdc=data.0"];
    refused("--vm DS14 --disk 4xP30", &[&file], &[], &parts);
    let maps = ["--map", "sdc=data.0", "--map", "sdd=data.1", "--map", "sde=data.2", "--map", "sdf=data.3"];
    let document = explained("--vm DS14 --disk 4xP30", &[&file], &maps);
    assert_eq!(document["findings"][0]["rule"], "linear-volume");
    says(&document, "of 4 disks, the busiest is data.0, with 3.99 x the mean");
}

#[test]
fn performance_monitor_is_read_as_it_writes_whatever_the_locale() {
    // openshift/installer#4326: 140 MB/s are the VM's cached limit.
    for name in ["typeperf.csv", "perfmon-utf16.csv"] {
        let document = explained("--vm D8s_v3 --disk P30:readonly", &[&seen(name)], &[]);
        assert_eq!(document["findings"][0]["rule"], "vm-cached-throughput", "{name}");
        near(&document, "/observed/throughput_bytes_per_s", 140e6);
        near(&document, "/observed/read", 0.3);
        says(&document, "2 E: is data");
        says(&document, "0 C: (5.00 IOPS)");
    }
    // A drive's letter or number is enough.
    let file = seen("typeperf.csv");
    for device in ["E:", "2", "2 e:"] {
        let map = format!("{device}=data");
        near(&explained("--vm D8s_v3 --disk P30", &[&file], &["--map", &map]), "/observed/iops", 1_000.0);
    }
}

#[test]
fn a_databases_files_are_on_the_volumes_that_are_named_for_them() {
    let files = [seen("file-stats-before.csv"), seen("file-stats-after.csv")];
    let paths: Vec<&str> = files.iter().map(String::as_str).collect();
    let document = explained("--vm DS14 --disk data=P30 --disk log=P20", &paths, &[]);
    // 3,150 x 64 KiB are 206 of 200 MB/s, x 1.02 enforced: the log's disk is beside it, with room.
    assert_eq!(document["findings"][0]["rule"], "disk-throughput");
    let claim = document["findings"][0]["claim"].as_str().unwrap();
    assert!(
        claim.starts_with("data: your 206.4 MB/s are all that its limit allows: 1.03 x 200 MB/s"),
        "{claim}"
    );
    says(&document, "E: is on data, F: is on log");
    near(&document, "/observed/disks/0/throughput_bytes_per_s", 3_150.0 * 65_536.0);
    near(&document, "/observed/disks/1/mean_us", 2_000.0);
    let document = explained("--vm DS14 --disk P30", &[&seen("pg-stat-io-16.txt")], &[]);
    assert_eq!(document["findings"][0]["rule"], "disk-iops");
    says(&document, "the server's calls to the operating system");
    let files = [seen("pg-stat-io-18-before.csv"), seen("pg-stat-io-18-after.csv")];
    let paths: Vec<&str> = files.iter().map(String::as_str).collect();
    let document = explained("--vm DS14 --disk P30 --disk wal=P10", &paths, &[]);
    says(&document, "wal is on wal, relations is on data");
    refused("--vm DS14 --disk a=P30 --disk b=P10", &paths, &[], &["cannot tell which", "--map"]);
}

#[test]
fn the_clouds_own_metrics_tell_of_limits_and_credits() {
    let document = explained("--vm DS14 --disk 2xP30", &[&seen("azure-chart-by-lun.csv")], &[]);
    assert_eq!(document["findings"][0]["rule"], "disk-iops");
    // 32 outstanding of each of two disks
    near(&document, "/observed/outstanding", 64.0);
    says(&document, "LUN 0 is data.0, LUN 1 is data.1");
    // 99.5 % of 5,000
    let table = seen("azure-consumed-table.txt");
    let document = explained("--vm DS14 --disk P30", &[&table], &[]);
    assert_eq!(document["findings"][0]["rule"], "disk-iops");
    near(&document, "/observed/iops", 4_975.0);
    refused(
        "--vm DS14 --disk 2xP30",
        &[&table],
        &[],
        &["averages over the data disks", "split the chart by LUN"],
    );
    let document = explained("--vm DS14 --disk 2xP20", &[&seen("azure-metrics.json")], &[]);
    assert_eq!(document["findings"][0]["rule"], "burst-spent-disk");
    let evidence = document["findings"][0]["evidence"].to_string();
    assert!(evidence.contains("0 % of the credits are left"), "{evidence}");
    // Only a share of the VM's limit: half of 51,200.
    let vm = file(
        "vm-share.csv",
        "TimeStamp,VM Uncached IOPS Consumed Percentage\n2026-06-22 20:10,50\n2026-06-22 20:11,50\n",
    );
    let document = explained("--vm DS14_v2 --disk 16xP30", &[&vm], &[]);
    near(&document, "/observed/iops", 25_600.0);
    says(&document, "the VM's published limit vm.uncached");
    let mixed = "--vm DS14_v2 --disk data=2xP30:readonly --disk log=P20";
    refused(mixed, &[&vm], &[], &["no share of a limit that all I/Os pass", "by LUN"]);
}

#[test]
fn targets_that_are_none_of_the_configurations_are_said() {
    let figures = |iops: u32| format!("\"iops\": {iops}, \"throughput_bytes_per_s\": {}", iops * 8192);
    let text = format!(
        "{{ \"schema\": \"iobound.result/1\", \"source\": \"measured\", {}, \"targets\": [\
         {{ \"name\": \"/mnt/a\", {} }}, {{ \"name\": \"/mnt/b\", {} }} ] }}",
        figures(5_200),
        figures(5_100),
        figures(100)
    );
    let path = file("two-targets.json", &text);
    let document = explained("--vm DS14 --disk 4xP30", &[&path], &[]);
    says(&document, "on which disks of the configuration the targets /mnt/a, /mnt/b are");
    assert_eq!(document["observed"]["disks"], Value::Array(Vec::new()));
    // Two volumes of a disk each, and two targets: one is on each.
    let document = explained("--vm DS14 --disk 2xP30 --separate", &[&path], &[]);
    near(&document, "/observed/disks/0/iops", 5_100.0);
    let maps = ["--map", "/mnt/a=data.3", "--map", "/mnt/b=data.0"];
    let document = explained("--vm DS14 --disk 4xP30 --separate", &[&path], &maps);
    near(&document, "/observed/disks/0/iops", 5_100.0);
    assert_eq!(document["observed"]["disks"][0]["name"], "data.3");
}

#[test]
fn iometers_csv_is_read_with_its_targets() {
    // 500 IOPS at 200 ms: 100 outstanding on a Standard disk.
    let document = explained("--vm DS3 --era 2016 --disk standard@100GiB", &[&result("iometer.csv")], &[]);
    assert_eq!(document["findings"][0]["rule"], "disk-iops");
    near(&document, "/observed/iops", 500.0);
    near(&document, "/observed/mean_us", 200_000.0);
    says(&document, "read as Iometer's CSV");
    says(&document, "cannot tell on which disks of the configuration the targets E: \"a\", F: \"b\" are");
}

#[test]
fn a_step_to_a_limit_without_credits_is_seen_in_the_seconds() {
    // An m5.large: 3,600 IOPS without credits; ten seconds at 7,900 before. The first report is since the start.
    let report = |iops: f64| {
        format!(
            "Device r/s w/s rkB/s wkB/s r_await w_await aqu-sz\nnvme1n1 {iops:.2} 0.00 {:.2} 0.00 2.00 0.00 {:.2}\n\n",
            iops * 16.0,
            iops * 2e-3
        )
    };
    let rates = std::iter::once(50.0).chain([7_900.0; 10]).chain([3_600.0; 10]);
    let path = file("step.txt", &rates.map(report).collect::<String>());
    let more = ["--map", "nvme1n1=data", "--interval", "1s"];
    let document = explained("--vm m5.large --disk gp3@500GiB+12000iops", &[&path], &more);
    let first = &document["findings"][0];
    assert_eq!(
        (&first["rule"], &first["confidence"]),
        (&"burst-spent-vm".into(), &"strong".into()),
        "{document}"
    );
    says(&document, "the rate stepped down from 7,900 to 3,600 IOPS after 10 s");
    near(&document, "/observed/iops", 3_600.0);
}

#[test]
fn what_can_not_be_read_or_mapped_says_how_to_mend_it() {
    let (iostat, stats) = (seen("iostat-12.json"), seen("diskstats-20-before.txt"));
    let (fio, poem) = (result("fio.json"), file("not-counters.txt", "roses are red\n"));
    let one = "--vm DS14 --disk P30";
    refused(
        one,
        &[&poem],
        &[],
        &["unrecognised file format", "or name the format with --from", "azure-monitor"],
    );
    refused(one, &[&poem], &["--from", "iostat"], &["the file has no report of devices", "iostat -x 10 3"]);
    refused(one, &[&poem], &["--from", "vmstat"], &["unknown format `vmstat`", "diskstats"]);
    refused(
        one,
        &[&iostat, &stats],
        &[],
        &["is /proc/diskstats, but the previous file is iostat -x", "files of the same format"],
    );
    refused(one, &[&stats], &["--interval", "10s"], &["there is only one sample", "sleep 60"]);
    refused(one, &[&stats, &stats], &["--interval", "0s"], &["the two samples have the same time"]);
    refused(one, &[&fio], &["--interval", "10s"], &["leave --interval out"]);
    refused(one, &[&fio, &fio], &[], &["is the result of one run, and 2 files are given"]);
    refused(one, &[&iostat], &["--map", "nvme0n1"], &["--map sdc=data.0"]);
    refused(one, &[&iostat], &["--map", "sdz=data"], &["the measurements have no device `sdz`", "nvme0n1"]);
    refused(
        one,
        &[&iostat],
        &["--map", "nvme0n1=dta"],
        &["there is no volume or disk `dta`", "the disks are data"],
    );
    let both = ["--map", "nvme0n1=data", "--map", "sda=data.0"];
    refused("--vm DS14 --disk 2xP30", &[&iostat], &both, &["count twice"]);
    refused(one, &[], &["--observed", "iops=5", "--map", "a=b"], &["no file is given", "--result"]);
    let still = file("still.txt", "Device r/s w/s rkB/s wkB/s r_await w_await aqu-sz\nsdc 0 0 0 0 0 0 0\n");
    refused(one, &[&still], &["--map", "sdc=data"], &["no I/O completed", "while the load ran"]);
}

#[test]
fn the_screen_says_what_was_seen() {
    let path = seen("iostat-12.json");
    let ran = run(&["explain", "--vm", "D8s_v3", "--disk", "P30", "--result", &path]);
    assert_eq!(ran.code, 0, "{ran:?}");
    let line = ran.out.lines().find(|line| line.contains("observed")).unwrap();
    for part in ["5,100 IOPS", "41.8 MB/s", "blocks of 8.0 KiB", "64.0 outstanding", "100 % reads"] {
        assert!(line.contains(part), "{part}: {line}");
    }
}
