//! fio's report of a run, read as those read it who were made for fio's.

mod common {
    pub(crate) mod made;
}

use std::collections::BTreeSet;

use common::made::{BEGAN_MS, made};
use iobound_formats::{Ran, RanMachine, fio};
use iobound_measure::result::{Check, Outcome};
use serde_json::Value;

/// Two clones of mixed reads and writes, then a writer that flushes.
const JOBS: &str = "--size=1g --runtime=2 --time_based --bs=4k --name=a --rw=randrw --numjobs=2 --ioengine=libaio \
    --iodepth=4 --direct=1 --name=b --stonewall --rw=randwrite --fsync=8 --direct=1";

fn report(options: &str, apart: bool) -> String {
    let made = made(&format!("fio {options}"), apart);
    fio::out::report(&made.rans(), &made.command.jobs, &made.command.reporting)
}

fn json(options: &str, apart: bool) -> Value {
    serde_json::from_str(&report(&format!("--output-format=json {options}"), apart)).expect("it is JSON")
}

/// The keys of fio's JSON, in its order: those that `stat.c` of 3.42 writes for a job without steady state, zones,
/// priorities or errors. A run of 3.33 has the same but for `job_start`, sectors, and units in two names.
const TOP: [&str; 6] = ["fio version", "timestamp", "timestamp_ms", "time", "global options", "jobs"];
const JOB: [&str; 28] = [
    "jobname",
    "groupid",
    "job_start",
    "error",
    "eta",
    "elapsed",
    "job options",
    "read",
    "write",
    "trim",
    "sync",
    "job_runtime",
    "usr_cpu",
    "sys_cpu",
    "ctx",
    "majf",
    "minf",
    "iodepth_level",
    "iodepth_submit",
    "iodepth_complete",
    "latency_ns",
    "latency_us",
    "latency_ms",
    "latency_depth",
    "latency_target",
    "latency_target_ns",
    "latency_percentile",
    "latency_window",
];
const DIRECTION: [&str; 23] = [
    "io_bytes",
    "io_kbytes",
    "bw_bytes",
    "bw",
    "iops",
    "runtime",
    "total_ios",
    "short_ios",
    "drop_ios",
    "slat_ns",
    "clat_ns",
    "lat_ns",
    "bw_min",
    "bw_max",
    "bw_agg",
    "bw_mean",
    "bw_dev",
    "bw_samples",
    "iops_min",
    "iops_max",
    "iops_mean",
    "iops_stddev",
    "iops_samples",
];
const DISK: [&str; 11] = [
    "name",
    "read_ios",
    "write_ios",
    "read_sectors",
    "write_sectors",
    "read_merges",
    "write_merges",
    "read_ticks",
    "write_ticks",
    "in_queue",
    "util",
];

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}

#[test]
fn the_keys_of_the_json_are_fios_in_fios_order() {
    let document = json(JOBS, true);
    assert_eq!(keys(&document), [&TOP[..], &["disk_util", "iobound"]].concat());
    let job = &document["jobs"][0];
    assert_eq!(keys(job), [&JOB[..], &["latency_window_us"]].concat());
    for direction in ["read", "write", "trim"] {
        assert_eq!(keys(&job[direction]), DIRECTION);
    }
    assert_eq!(keys(&job["sync"]), ["total_ios", "lat_ns"]);
    assert_eq!(keys(&job["read"]["slat_ns"]), ["min", "max", "mean", "stddev", "N"]);
    assert_eq!(keys(&job["read"]["clat_ns"]), ["min", "max", "mean", "stddev", "N", "percentile"]);
    assert_eq!(keys(&job["read"]["lat_ns"]), ["min", "max", "mean", "stddev", "N"]);
    assert_eq!(keys(&job["trim"]["clat_ns"]), ["min", "max", "mean", "stddev", "N"], "there were no trims");
    assert_eq!(keys(&document["disk_util"][0]), DISK);
    assert_eq!(keys(&job["iodepth_level"]), ["1", "2", "4", "8", "16", "32", ">=64"]);
    assert_eq!(keys(&job["iodepth_submit"]), ["0", "4", "8", "16", "32", "64", ">=64"]);
    assert_eq!(keys(&job["latency_us"]), ["2", "4", "10", "20", "50", "100", "250", "500", "750", "1000"]);
    assert_eq!(keys(&job["latency_ms"]).last(), Some(&">=2000"));
}

#[test]
fn the_options_are_those_that_were_written_with_a_value_and_where() {
    let document = json(JOBS, true);
    // fio 3.33 lists `name` of a job of the line, and leaves out what has no value: time_based, stonewall.
    assert_eq!(keys(&document["global options"]), ["size", "runtime", "bs"]);
    assert_eq!(
        keys(&document["jobs"][0]["job options"]),
        ["name", "rw", "numjobs", "ioengine", "iodepth", "direct"]
    );
    assert_eq!(document["jobs"][2]["job options"]["fsync"], "8");
}

#[test]
fn figures_of_a_clone_are_of_its_thread_alone() {
    let document = json(JOBS, true);
    assert_eq!(document["jobs"].as_array().unwrap().len(), 3, "each clone is an entry");
    let read = &document["jobs"][1]["read"];
    // 1,000 I/Os a second, every other one a read, for two seconds: 1,000 reads of 4 KiB.
    let expected = [
        ("total_ios", 1_000),
        ("io_bytes", 4_096_000),
        ("io_kbytes", 4_000),
        ("bw_bytes", 2_048_000),
        ("bw", 2_000),
        ("runtime", 2_000),
        ("short_ios", 0),
        ("drop_ios", 0),
        ("bw_min", 2_000),
        ("bw_max", 2_000),
        ("bw_samples", 4),
        ("iops_min", 500),
        ("iops_max", 500),
        ("iops_samples", 4),
    ];
    for (key, value) in expected {
        assert_eq!(read[key], value, "{key}");
    }
    assert_eq!((read["iops"].as_f64(), read["bw_mean"].as_f64()), (Some(500.0), Some(2_000.0)));
    // Both clones read as much: half of the group's bandwidth each.
    assert_eq!(read["bw_agg"], 50.0);
    // The 1st, 3rd, ... I/O: 101, 103, ... 109 µs, 105 on average, of which 1 µs is submission.
    let (slat, clat, lat) = (&read["slat_ns"], &read["clat_ns"], &read["lat_ns"]);
    assert_eq!(
        (&lat["min"], &lat["max"], lat["mean"].as_f64()),
        (&101_000.into(), &109_000.into(), Some(105_000.0))
    );
    assert_eq!(
        (&clat["min"], clat["mean"].as_f64(), &clat["N"]),
        (&100_000.into(), Some(104_000.0), &1_000.into())
    );
    assert_eq!((&slat["max"], slat["mean"].as_f64()), (&1_000.into(), Some(1_000.0)));
    // Deviations 4, 2, 0, 2, 4 µs: the sum of squares is 1,000 × 8 µs², divided by 999.
    let deviation = (8.0e6 * 1_000.0 / 999.0_f64).sqrt();
    assert!((lat["stddev"].as_f64().unwrap() - deviation).abs() < 1e-3);
    // Half of the completion latencies are at most 104 µs, in the bin 103,424 to 104,447 ns with the middle 103,936.
    assert_eq!(clat["percentile"]["50.000000"], 103_936);
}

#[test]
fn without_submission_apart_there_is_none_and_completion_is_from_issue() {
    let read = &json(JOBS, false)["jobs"][0]["read"];
    assert_eq!((&read["slat_ns"]["N"], &read["slat_ns"]["max"]), (&0.into(), &0.into()));
    assert_eq!(read["clat_ns"]["min"], read["lat_ns"]["min"]);
    assert_eq!(read["clat_ns"]["N"], 1_000);
}

#[test]
fn jobs_behind_a_stonewall_are_a_group_of_their_own_with_their_own_time() {
    let document = json(JOBS, true);
    let groups: Vec<u64> =
        document["jobs"].as_array().unwrap().iter().map(|job| job["groupid"].as_u64().unwrap()).collect();
    assert_eq!(groups, [0, 0, 1]);
    assert_eq!(document["jobs"][2]["job_start"], BEGAN_MS + 60_000);
    // The second stage began a minute later and took two seconds.
    assert_eq!(document["timestamp_ms"], BEGAN_MS + 62_000);
    assert_eq!(document["jobs"][0]["elapsed"], 62);
    assert_eq!(document["time"], "Fri Jan  2 03:05:07 2026");
    let grouped = json("--size=1g --runtime=1 --time_based --name=a --name=b --new_group --name=c", true);
    let groups: Vec<u64> =
        grouped["jobs"].as_array().unwrap().iter().map(|job| job["groupid"].as_u64().unwrap()).collect();
    assert_eq!(groups, [0, 1, 1]);
}

#[test]
fn group_reporting_makes_one_entry_of_a_group() {
    let document = json(&format!("--group_reporting=1 {JOBS}"), true);
    let jobs = document["jobs"].as_array().unwrap();
    assert_eq!(jobs.len(), 2);
    let read = &jobs[0]["read"];
    assert_eq!((&read["total_ios"], &read["runtime"]), (&2_000.into(), &2_000.into()));
    assert_eq!(read["iops"].as_f64(), Some(1_000.0));
    // Samples add up, as those of both clones are of the same time.
    assert_eq!(
        (&read["bw_min"], &read["bw_samples"], read["bw_agg"].as_f64()),
        (&4_000.into(), &8.into(), Some(100.0))
    );
    assert_eq!(jobs[0]["job_runtime"], 4_000, "the threads' times add up");
    // 200 ms of 2,000 each.
    assert_eq!((jobs[0]["usr_cpu"].as_f64(), jobs[0]["sys_cpu"].as_f64()), (Some(10.0), Some(25.0)));
    assert_eq!((&jobs[0]["ctx"], &jobs[0]["majf"], &jobs[0]["minf"]), (&154.into(), &2.into(), &16.into()));
    // What PerfKitBenchmarker looks at before it adds jobs up.
    assert_eq!(document["global options"]["group_reporting"], "1");
}

#[test]
fn an_option_that_a_later_job_sets_itself_is_still_a_global_option() {
    let document = json("--bs=4k --size=1g --runtime=2 --time_based --name=a --name=b --bs=8k", true);
    assert_eq!(document["global options"]["bs"], "4k");
    assert_eq!(document["jobs"][1]["job options"]["bs"], "8k");
}

#[test]
fn a_job_ends_when_it_has_read_back_what_it_wrote() {
    let made = made("fio --output-format=json --size=1g --runtime=2 --time_based --name=a --rw=write", true);
    let json = |rans: &[Ran<'_>]| -> Value {
        let text = fio::out::report(rans, &made.command.jobs, &made.command.reporting);
        serde_json::from_str(&text).expect("it is JSON")
    };
    let mut rans = made.rans();
    let written = json(&rans)["jobs"][0].clone();
    // The pass that reads back takes as long here.
    rans[0].read_back = rans[0].threads;
    let both = json(&rans)["jobs"][0].clone();
    for key in ["job_runtime", "ctx", "minf"] {
        assert_eq!(both[key].as_u64(), written[key].as_u64().map(|once| 2 * once), "{key}");
    }
    assert_eq!(both["usr_cpu"], written["usr_cpu"], "a share of the time");
}

#[test]
fn checks_name_their_jobs_and_notes_have_one_line() {
    let made = made("fio --output-format=json --size=1g --runtime=2 --time_based --name=a --name=b", true);
    let checks = [Check { name: "depth".into(), outcome: Outcome::Ok, says: "4 of 4".into() }];
    let mut rans = made.rans();
    let machine = RanMachine { notes: vec!["one\n  two".into()], ..rans[0].machine.clone() };
    (rans[0].checks, rans[0].machine) = (&checks, &machine);
    let text = fio::out::report(&rans, &made.command.jobs, &made.command.reporting);
    let document: Value = serde_json::from_str(&text).expect("it is JSON");
    assert_eq!(document["iobound"]["checks"][0]["jobs"], serde_json::json!(["a", "b"]));
    assert_eq!(document["iobound"]["notes"], serde_json::json!(["one; two"]));
}

#[test]
fn flushes_are_counted_and_timed_apart() {
    let writer = &json(JOBS, true)["jobs"][2];
    assert_eq!((&writer["write"]["total_ios"], &writer["sync"]["total_ios"]), (&2_000.into(), &250.into()));
    assert_eq!(writer["sync"]["lat_ns"]["mean"], 500_000.0);
    assert_eq!(writer["read"]["runtime"], 0, "it did not read");
}

#[test]
fn distributions_are_shares_in_percent() {
    let job = &json(JOBS, true)["jobs"][0];
    // Batches of four, all of them.
    for key in ["iodepth_level", "iodepth_submit", "iodepth_complete"] {
        assert_eq!(job[key]["4"], 100.0, "{key}");
    }
    // Of ten I/Os one is a read that completes within 100 µs exactly, the others take longer, below 250.
    assert_eq!(
        (job["latency_us"]["100"].as_f64(), job["latency_us"]["250"].as_f64()),
        (Some(10.0), Some(90.0))
    );
}

#[test]
fn devices_are_as_the_kernel_counted_them() {
    let disk = &json("--size=1g --runtime=2 --time_based --name=a", true)["disk_util"][0];
    assert_eq!(
        (&disk["name"], &disk["read_ios"], &disk["write_sectors"]),
        (&"nvme0n1".into(), &1_000.into(), &4_000.into())
    );
    // 1,000 reads of 100 µs; a quarter of a request for two seconds; busy half of the time.
    assert_eq!(
        (&disk["read_ticks"], &disk["in_queue"], disk["util"].as_f64()),
        (&100.into(), &500.into(), Some(50.0))
    );
}

#[test]
fn json_plus_has_every_bin_and_they_hold_all_ios() {
    let document: Value =
        serde_json::from_str(&report(&format!("--output-format=json+ {JOBS}"), true)).expect("it is JSON");
    let bins = document["jobs"][0]["read"]["clat_ns"]["bins"].as_object().expect("bins");
    assert_eq!(bins.values().map(|count| count.as_u64().unwrap()).sum::<u64>(), 1_000);
    // fio's bins of 65,536 to 131,071 ns are 1,024 wide; each is named by its middle.
    assert!(bins.keys().all(|middle| middle.parse::<u64>().unwrap() % 1_024 == 512), "{bins:?}");
}

#[test]
fn unified_directions_are_reported_together() {
    let mixed = json(&format!("--unified_rw_reporting=mixed {JOBS}"), true);
    let job = &mixed["jobs"][0];
    let there: BTreeSet<&str> = keys(job).into_iter().collect();
    assert!(there.contains("mixed") && !there.contains("read") && !there.contains("sync"));
    assert_eq!((&job["mixed"]["total_ios"], job["mixed"]["iops"].as_f64()), (&2_000.into(), Some(1_000.0)));
    let both = json(&format!("--unified_rw_reporting=both {JOBS}"), true);
    let job = &both["jobs"][0];
    assert_eq!((&job["read"]["total_ios"], &job["mixed"]["total_ios"]), (&1_000.into(), &2_000.into()));
    assert_eq!(job["mixed"]["bw_agg"], 50.0, "two clones share the bandwidth of all directions");
}

#[test]
fn what_is_disabled_is_not_reported() {
    let job = &json(&format!("--gtod_reduce=1 {JOBS}"), true)["jobs"][0];
    for part in ["slat_ns", "clat_ns", "lat_ns"] {
        assert_eq!(job["read"][part]["N"], 0, "{part}");
    }
    assert_eq!((&job["read"]["bw_samples"], &job["read"]["total_ios"]), (&0.into(), &1_000.into()));
    assert_eq!(job["latency_us"]["250"], 0.0);
    let job = &json(
        &format!("--lat_percentiles=1 --clat_percentiles=0 --percentile_list=90:50 {JOBS}"),
        true,
    )["jobs"][0];
    assert_eq!(keys(&job["read"]["lat_ns"]["percentile"]), ["50.000000", "90.000000"]);
    assert!(job["read"]["clat_ns"].get("percentile").is_none());
}

/// The terse line's fields by their number from 1, as the table of fio's HOWTO has them.
struct Terse(Vec<String>);

impl Terse {
    fn of(line: &str) -> Terse {
        Terse(line.split(';').map(str::to_string).collect())
    }

    fn field(&self, number: usize) -> &str {
        &self.0[number - 1]
    }

    fn number(&self, number: usize) -> f64 {
        self.field(number).trim_end_matches('%').parse().unwrap_or_else(|_| panic!("field {number}"))
    }
}

#[test]
fn terse_version_3_has_its_130_fields_in_their_places() {
    let text = report(&format!("--output-format=terse {JOBS}"), true);
    let lines: Vec<Terse> = text.lines().map(Terse::of).collect();
    assert_eq!(lines.iter().map(|line| line.0.len()).collect::<Vec<_>>(), [130, 130, 130]);
    let line = &lines[0];
    assert_eq!((line.field(1), line.field(3), line.field(4), line.field(5)), ("3", "a", "0", "0"));
    assert!(line.field(2).starts_with("fio-3."));
    // Reads: KiB, KiB/s, IOPS, ms; submission; completion; 20 percentiles; total; bandwidth.
    assert_eq!([6, 7, 8, 9].map(|n| line.number(n)), [4_000.0, 2_000.0, 500.0, 2_000.0]);
    assert_eq!([10, 11, 12, 13].map(|n| line.number(n)), [1.0, 1.0, 1.0, 0.0]);
    assert_eq!([14, 15, 16].map(|n| line.number(n)), [100.0, 108.0, 104.0]);
    assert_eq!(
        (line.field(18), line.field(24), line.field(34)),
        ("1.000000%=99", "50.000000%=103", "99.990000%=108")
    );
    assert_eq!([35, 36, 37].map(|n| line.field(n)), ["0%=0"; 3], "17 of 20 are used");
    assert_eq!([38, 39, 40].map(|n| line.number(n)), [101.0, 109.0, 105.0]);
    assert_eq!([42, 43, 44, 45, 46].map(|n| line.number(n)), [2_000.0, 2_000.0, 50.0, 2_000.0, 0.0]);
    // Writes, 41 fields further on.
    assert_eq!([47, 48, 49, 50].map(|n| line.number(n)), [4_000.0, 2_000.0, 500.0, 2_000.0]);
    assert_eq!([79, 80].map(|n| line.number(n)), [200.0, 216.0]);
    // CPU, depths, microseconds, milliseconds.
    assert_eq!([88, 89, 90, 91, 92].map(|n| line.number(n)), [10.0, 25.0, 77.0, 1.0, 8.0]);
    assert_eq!([93, 94, 95, 96, 97, 98, 99].map(|n| line.number(n)), [0.0, 0.0, 100.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!((line.number(105), line.number(106)), (10.0, 90.0), "up to 100 µs and up to 250");
    assert_eq!((110..=121).map(|n| line.number(n)).sum::<f64>(), 0.0, "none took milliseconds");
    assert_eq!(line.field(122), "nvme0n1");
    // Two stages of the same device: reads, writes, merges, ticks, time in queue, busy.
    assert_eq!(
        [123, 124, 125, 126, 127, 128, 129, 130].map(|n| line.number(n)),
        [2_000.0, 1_000.0, 6.0, 10.0, 200.0, 200.0, 1_000.0, 50.0]
    );
}

#[test]
fn terse_versions_4_and_5_have_trims_and_samples_and_all_a_description() {
    let fields = |version: u8| {
        let text = report(&format!("--terse-version={version} --minimal --description=why {JOBS}"), true);
        Terse::of(text.lines().next().unwrap()).0
    };
    // A direction is 41 fields; of version 5 it has six more.
    assert_eq!((fields(3).len(), fields(4).len(), fields(5).len()), (131, 131 + 41, 131 + 41 + 18));
    assert_eq!(fields(3).last().unwrap(), "why");
}

#[test]
fn the_text_has_fios_lines() {
    let text = report(&format!("--group_reporting=1 {JOBS}"), true);
    let lines: Vec<&str> = text.lines().collect();
    for line in [
        "a: (groupid=0, jobs=2): err= 0: pid=1: Fri Jan  2 03:05:07 2026",
        "  read: IOPS=1000, BW=4000KiB/s (4096kB/s)(8000KiB/2000msec)",
        "    slat (nsec): min=1000, max=1000, avg=1000.00, stdev= 0.00",
        "    clat (usec): min=100, max=108, avg=104.00, stdev= 2.83",
        "     lat (usec): min=101, max=109, avg=105.00, stdev= 2.83",
        "    clat percentiles (usec):",
        "     |  1.00th=[  100],  5.00th=[  100], 10.00th=[  100], 20.00th=[  100],",
        "     | 99.99th=[  109]",
        "   bw (  KiB/s): min= 4000, max= 4000, per=100.00%, avg=4000.00, stdev= 0.00, samples=8",
        "   iops        : min= 1000, max= 1000, avg=1000.00, stdev= 0.00, samples=8",
        "  lat (usec)   : 100=10.00%, 250=90.00%",
        "  fsync/fdatasync/sync_file_range/syncfs:",
        "  cpu          : usr=10.00%, sys=25.00%, ctx=154, majf=2, minf=16",
        "  IO depths    : 1=0.0%, 2=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, >=64=0.0%",
        "     submit    : 0=0.0%, 4=100.0%, 8=0.0%, 16=0.0%, 32=0.0%, 64=0.0%, >=64=0.0%",
        "     issued rwts: total=2000,2000,0,0 short=0,0,0,0 dropped=0,0,0,0",
        "     latency   : target=0.00ns, window=0.00ns, percentile=100.00%, depth=4",
        "Run status group 0 (all jobs):",
        "   READ: bw=4000KiB/s (4096kB/s), 4000KiB/s-4000KiB/s (4096kB/s-4096kB/s), io=8000KiB (8192kB), run=2000-2000msec",
        "Disk stats (read/write):",
        "  nvme0n1: ios=2000/1000, sectors=16000/8000, merge=6/10, ticks=200/200, in_queue=1000, util=50.00%",
    ] {
        assert!(lines.contains(&line), "there is no line\n{line}\nin\n{text}");
    }
}

#[test]
fn the_opening_says_what_starts() {
    let made = made(&format!("fio {JOBS}"), false);
    let workloads: Vec<_> = made.stages.iter().map(|stage| &stage.workload).collect();
    let opening = fio::out::opening(&workloads, 3, &made.command.jobs, &made.command.reporting);
    let expected = "a: (g=0): rw=randrw, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=libaio, iodepth=4\n\
        ...\n\
        b: (g=1): rw=randwrite, bs=(R) 4096B-4096B, (W) 4096B-4096B, (T) 4096B-4096B, ioengine=psync, iodepth=1\n\
        fio-3.42\nStarting 3 threads\n";
    assert_eq!(opening, expected);
}

#[test]
fn several_forms_come_in_fios_order_each_once() {
    let text = report(&format!("--output-format=normal,json,terse,json+,json {JOBS}"), true);
    let place = |what: &str| text.find(what).unwrap_or_else(|| panic!("no {what}"));
    assert!(place("3;fio-3.") < place("\n{\n") && place("\n{\n") < place("Run status group 0"));
    assert_eq!(text.matches("\"fio version\"").count(), 1);
}

#[test]
fn a_job_without_stats_is_left_out() {
    let document = json("--size=1g --runtime=1 --time_based --name=a --stats=0 --name=b", false);
    let names: Vec<&str> =
        document["jobs"].as_array().unwrap().iter().map(|job| job["jobname"].as_str().unwrap()).collect();
    assert_eq!(names, ["b"]);
}
