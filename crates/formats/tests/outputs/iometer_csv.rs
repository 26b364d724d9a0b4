//! Iometer's CSV of runs, read by its columns; its layout is that of `ManagerList.cpp` and its like of
//! iometer-org/iometer 1.1.

use std::collections::BTreeMap;

use iobound_formats::iometer::{self, IcfInvocation, out};
use iobound_units::{Op, Span};

use crate::ran::{Io, Run, mean_ms, run};

/// A configuration: results to keep, test type, and workers with their targets and specifications.
pub(crate) fn icf(record: &str, test_type: &str, workers: &[(&str, u32, &[&str], &[&str])]) -> String {
    let workers: String = workers
        .iter()
        .map(|(name, depth, specs, targets)| {
            let specs: String = specs.iter().map(|spec| format!("\t{spec}\n")).collect();
            let targets: String = targets
                .iter()
                .map(|target| format!("'Target\n\t{target}\n'Target type\n\tDISK\n'End target\n"))
                .collect();
            format!(
                "'Worker\n\t{name}\n'Worker type\n\tDISK\n'Default target settings for worker\n\
                 'Number of outstanding IOs,test connection rate,transactions per connection,use fixed seed,fixed seed \
                 value\n\t{depth},DISABLED,1,DISABLED,0\n'Disk maximum size,starting sector,Data pattern\n\t2000,8,0\n\
                 'End default target settings for worker\n'Assigned access specs\n{specs}'End assigned access specs\n\
                 'Target assignments\n{targets}'End target assignments\n'End worker\n"
            )
        })
        .collect();
    format!(
        "Version 1.1.0\n'TEST SETUP ====\n'Test Description\n\tnightly, twice\n'Run Time\n'\thours minutes seconds\n\
         \t0 0 4\n'Ramp Up Time (s)\n\t1\n'Default Disk Workers to Spawn\n\t1\n'Default Network Workers to Spawn\n\t0\n\
         'Record Results\n\t{record}\n'Worker Cycling\n'\tstart step step type\n\t1 1 LINEAR\n'Disk Cycling\n\
         '\tstart step step type\n\t1 1 LINEAR\n'Queue Depth Cycling\n'\tstart end step step type\n\
         \t1 4 4 EXPONENTIAL\n'Test Type\n\t{test_type}\n'END test setup\n'ACCESS SPECIFICATIONS ====\n\
         'Access specification name,default assignment\n\tmixed, 4K,ALL\n\
         'size,% of size,% reads,% random,delay,burst,align,reply\n\t4096,100,67,100,0,1,4096,0\n\
         'Access specification name,default assignment\n\treads,NONE\n\
         'size,% of size,% reads,% random,delay,burst,align,reply\n\t65536,100,100,0,0,1,0,0\n\
         'END access specifications\n'MANAGER LIST ====\n'Manager ID, manager name\n\t1,VM\n'Manager network address\n\
         \t\n{workers}'End manager\n'END manager list\nVersion 1.1.0\n"
    )
}

pub(crate) fn runs_of(text: &str) -> (IcfInvocation, Vec<Run>) {
    let invocation = iometer::parse_run(text).unwrap_or_else(|error| panic!("{error}"));
    let count = invocation.foreign.workloads().count();
    assert_eq!(invocation.tests.len(), count);
    let one = |index| run(&invocation.foreign, index, Span::from_secs(1), "iometer /c x.icf");
    let runs = (0..count).map(one).collect();
    (invocation, runs)
}

pub(crate) fn csv_of(text: &str) -> (String, Vec<Run>) {
    let (invocation, runs) = runs_of(text);
    let rans: Vec<_> = runs.iter().map(Run::ran).collect();
    (out::csv(&invocation.config, &invocation.tests, &rans), runs)
}

/// The rows of each block of results, by the names of the columns.
fn blocks(csv: &str) -> Vec<Vec<BTreeMap<String, String>>> {
    let mut blocks = Vec::new();
    for block in csv.split("'Results\n").skip(1) {
        let mut lines = block.lines();
        let header: Vec<&str> = lines.next().unwrap().trim_start_matches('\'').split(',').collect();
        let rows = lines
            .take_while(|line| !line.starts_with('\''))
            .map(|line| {
                let cells: Vec<&str> = line.split(',').collect();
                assert_eq!(cells.len(), header.len(), "{line}");
                header.iter().zip(cells).map(|(name, cell)| (name.to_string(), cell.to_string())).collect()
            })
            .collect();
        blocks.push(rows);
    }
    blocks
}

fn check(row: &BTreeMap<String, String>, ios: &[Io]) {
    let number = |name: &str| row[name].parse::<f64>().unwrap_or_else(|_| panic!("{name}: `{}`", row[name]));
    let near = |name: &str, value: f64| {
        assert!(
            (number(name) - value).abs() <= 0.6e-6 * value.max(1.0),
            "{name}: {} and {value}",
            number(name)
        );
    };
    let of = |op: Op| ios.iter().filter(|io| io.op == op).copied().collect::<Vec<_>>();
    let bytes = |ios: &[Io]| ios.iter().map(|io| u64::from(io.bytes)).sum::<u64>() as f64;
    let max_ms = |ios: &[Io]| ios.iter().map(|io| io.latency_ns as f64 / 1e6).fold(0.0, f64::max);
    let (reads, writes) = (of(Op::Read), of(Op::Write));
    for (prefix, part) in [("", ios), ("Read ", reads.as_slice()), ("Write ", writes.as_slice())] {
        near(&format!("{prefix}IOps"), part.len() as f64 / 4.0);
        near(&format!("{prefix}MiBps (Binary)"), bytes(part) / 1_048_576.0 / 4.0);
        near(&format!("{prefix}MBps (Decimal)"), bytes(part) / 1e6 / 4.0);
        if !part.is_empty() {
            near(&format!("Average {prefix}Response Time"), mean_ms(part));
            near(&format!("Maximum {prefix}Response Time"), max_ms(part));
        }
    }
    near("Transactions per Second", ios.len() as f64 / 4.0);
    near("Average Transaction Time", mean_ms(ios));
    near("Bytes Read", bytes(&reads));
    near("Bytes Written", bytes(&writes));
    near("Read I/Os", reads.len() as f64);
    near("Write I/Os", writes.len() as f64);
    near("Errors", 0.0);
    // Bins are counted to 1 % at their ends.
    let inside = |from_ms: f64, to_ms: f64| {
        ios.iter().filter(|io| (from_ms..to_ms).contains(&(io.latency_ns as f64 / 1e6))).count() as f64
    };
    for (name, from_ms, to_ms) in
        [("1 to 2 mS", 1.0, 2.0), ("2 to 5 mS", 2.0, 5.0), ("200 to 500 uS", 0.2, 0.5)]
    {
        let width = inside(from_ms * 0.99, from_ms * 1.01) + inside(to_ms * 0.99, to_ms * 1.01);
        assert!((number(name) - inside(from_ms, to_ms)).abs() <= width, "{name}");
    }
    let bins: f64 = row
        .iter()
        .filter(|(name, _)| name.ends_with('S') || name.ends_with(" s"))
        .map(|(_, cell)| cell.parse::<f64>().unwrap_or(0.0))
        .sum();
    assert_eq!(bins, ios.len() as f64, "every I/O is in a bin");
}

#[test]
fn every_row_is_what_the_ios_say() {
    let text = icf(
        "ALL",
        "NORMAL",
        &[
            ("Worker 1", 4, &["mixed, 4K"], &["E: \"Data\"", "F:"]),
            ("Worker 2", 2, &["mixed, 4K"], &["E: \"Data\""]),
        ],
    );
    let (csv, runs) = csv_of(&text);
    let run = &runs[0];
    let blocks = blocks(&csv);
    assert_eq!(blocks.len(), 1);
    let kinds: Vec<(&str, &str)> =
        blocks[0].iter().map(|row| (row["Target Type"].as_str(), row["Target Name"].as_str())).collect();
    assert_eq!(
        kinds,
        [
            ("ALL", "All"),
            ("MANAGER", "VM"),
            ("PROCESSOR", "CPU 0"),
            ("PROCESSOR", "CPU 1"),
            ("PROCESSOR", "CPU 2"),
            ("PROCESSOR", "CPU 3"),
            ("WORKER", "Worker 1"),
            ("DISK", "E: \"Data\""),
            ("DISK", "F:"),
            ("WORKER", "Worker 2"),
            ("DISK", "E: \"Data\""),
        ]
    );
    let rows = &blocks[0];
    check(&rows[0], &run.ios);
    check(&rows[1], &run.ios);
    check(&rows[6], &run.of(|io| io.thread == 0));
    check(&rows[7], &run.of(|io| io.thread == 0 && io.target == 0));
    check(&rows[8], &run.of(|io| io.thread == 0 && io.target == 1));
    check(&rows[9], &run.of(|io| io.thread == 1));
    let cells = |row: usize, names: [&str; 4]| names.map(|name| rows[row][name].clone());
    let counts = ["# Managers", "# Workers", "# Disks", "Queue Depth"];
    assert_eq!(cells(0, counts), ["1", "2", "3", "-1"]);
    assert_eq!(cells(1, counts), ["", "2", "3", "-1"]);
    assert_eq!(cells(6, counts), ["", "", "2", "4"]);
    assert_eq!(cells(7, counts), ["", "", "", "4"]);
    let settings = ["Starting Sector", "Maximum Size", "Connections", "Transactions per Connection"];
    assert_eq!(cells(0, settings), ["8", "2000", "0", "-1"]);
    // Raw times are ticks of the column `Processor Speed`: here nanoseconds.
    let raw =
        ["Total Raw Run Time", "Processor Speed", "Maximum Raw Read Response Time", "% CPU Utilization"];
    assert_eq!(cells(0, raw), ["", "", "", "20.000000"]);
    let max = run.of(|io| io.op == Op::Read).iter().map(|io| io.latency_ns).max().unwrap();
    assert_eq!(cells(1, raw), ["4000000000", "1000000000.000000", &max.to_string(), "20.000000"]);
    assert_eq!(rows[2]["% CPU Utilization"], "55.000000");
    assert_eq!(rows[2]["IOps"], "");
    let effectiveness: f64 = rows[0]["CPU Effectiveness"].parse().unwrap();
    assert!((effectiveness - run.ios.len() as f64 / 4.0 / 20.0).abs() < 1e-6);
    // What nobody looks at is empty, and no zero.
    for name in ["Interrupts per Second", "Packets/Second", "% DPC Time", "% Interrupt Time"] {
        assert_eq!(rows[1][name], "", "{name}");
    }
}

/// `'Test Type,Test Description`, version and time, then for each specification what it is, and results with a time
/// stamp behind them.
#[test]
fn the_file_has_the_blocks_that_iometer_writes() {
    let text = icf("ALL", "CYCLE_OUTSTANDING_IOS", &[("Worker 1", 9, &["mixed, 4K", "reads"], &["E:"])]);
    let (csv, _) = csv_of(&text);
    let labels: Vec<&str> = csv
        .lines()
        .filter(|line| line.starts_with('\''))
        .map(|line| line.split(',').next().unwrap())
        .collect();
    let spec =
        ["'Access specifications", "'Access specification name", "'size", "'End access specifications"];
    let results = ["'Results", "'Target Type", "'Time Stamp"];
    let expected: Vec<&str> = [
        &["'Test Type", "'Version", "'Time Stamp"][..],
        &spec,
        &results,
        &results,
        &spec,
        &results,
        &results,
        &["'End Test"],
    ]
    .concat();
    assert_eq!(labels, expected);
    assert!(csv.starts_with(
        "'Test Type,Test Description\n6,nightly  twice\n'Version\n1.1.0 (iobound 0.1.0)\n'Time Stamp\n\
         2026-06-22 22:16:45:000\n'Access specifications\n'Access specification name,default assignment\nmixed  4K,1\n\
         'size,% of size,% reads,% random,delay,burst,align,reply\n4096,100,67,100,0,1,4096,0,\n"
    ), "{csv}");
    assert!(csv.ends_with("\n'Time Stamp\n2026-06-22 22:17:00:250\n'End Test\n"), "{csv}");
    let blocks = blocks(&csv);
    let depths: Vec<(&str, &str)> = blocks
        .iter()
        .map(|rows| (rows[0]["Access Specification Name"].as_str(), rows[0]["Queue Depth"].as_str()))
        .collect();
    assert_eq!(depths, [("mixed  4K", "1"), ("mixed  4K", "4"), ("reads", "1"), ("reads", "4")]);
}

#[test]
fn a_file_of_some_of_the_tests_does_not_say_that_it_is_complete() {
    let text = icf("ALL", "NORMAL", &[("Worker 1", 1, &["mixed, 4K", "reads"], &["E:"])]);
    let (invocation, runs) = runs_of(&text);
    let csv = out::csv(&invocation.config, &invocation.tests, &[runs[0].ran()]);
    assert!(!csv.contains("'End Test"));
    assert_eq!(csv.matches("'Results").count(), 1);
}

#[test]
fn results_are_recorded_as_far_as_the_configuration_says() {
    let workers: &[(&str, u32, &[&str], &[&str])] = &[("Worker 1", 1, &["reads"], &["E:"])];
    for (record, kinds) in [
        (
            "ALL",
            &["ALL", "MANAGER", "PROCESSOR", "PROCESSOR", "PROCESSOR", "PROCESSOR", "WORKER", "DISK"][..],
        ),
        ("NO_TARGETS", &["ALL", "MANAGER", "PROCESSOR", "PROCESSOR", "PROCESSOR", "PROCESSOR", "WORKER"]),
        ("NO_WORKERS", &["ALL", "MANAGER", "PROCESSOR", "PROCESSOR", "PROCESSOR", "PROCESSOR"]),
        ("NO_MANAGERS", &["ALL"]),
        // The number that old files have for NO_MANAGERS.
        ("3", &["ALL"]),
    ] {
        let (csv, _) = csv_of(&icf(record, "NORMAL", workers));
        let rows = blocks(&csv).pop().unwrap();
        let found: Vec<&str> = rows.iter().map(|row| row["Target Type"].as_str()).collect();
        assert_eq!(found, kinds, "{record}");
    }
    assert_eq!(csv_of(&icf("NONE", "NORMAL", workers)).0, "");
    let error = iometer::parse_run(&icf("NO_TARGET", "NORMAL", workers)).unwrap_err().to_string();
    assert!(error.contains("did you mean NO_TARGETS?"), "{error}");
}

/// Workers that are alike are threads of one job, and others lie between them: each has its own row none the less.
#[test]
fn a_worker_has_its_own_row_however_the_jobs_are_put_together() {
    let text = icf(
        "ALL",
        "NORMAL",
        &[
            ("one", 4, &["reads"], &["E:"]),
            ("two", 8, &["reads"], &["E:"]),
            ("three", 4, &["reads"], &["E:"]),
        ],
    );
    let (csv, runs) = csv_of(&text);
    let rows = blocks(&csv).pop().unwrap();
    let workers: Vec<_> = rows.iter().filter(|row| row["Target Type"] == "WORKER").collect();
    // Jobs: depth 4 with two threads (`one` and `three`: threads 0 and 1), then depth 8 (`two`: thread 2).
    for (row, (name, thread, depth)) in
        workers.iter().zip([("one", 0, "4"), ("two", 2, "8"), ("three", 1, "4")])
    {
        assert_eq!((row["Target Name"].as_str(), row["Queue Depth"].as_str()), (name, depth));
        check(row, &runs[0].of(|io| io.thread == thread));
    }
}
