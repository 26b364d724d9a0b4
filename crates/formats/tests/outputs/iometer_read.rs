//! What Iometer wrote, as result documents: the forms of 2006 and 1.1, and ours.

use iobound_formats::iometer::result;
use iobound_measure::RunResult;
use iobound_measure::result::{LoopLabel, Source};

use crate::iometer_csv::{csv_of, icf};
use crate::ran::mean_ms;

/// As 2006.07.27 writes it: one unit of throughput, no bins, a specification with commas in its name.
const V2006: &str = "'Test Type,Test Description
0,weekly
'Version
2006.07.27
'Time Stamp
2016-03-01 10:00:00:000
'Access specifications
'Access specification name,default assignment
4K; 100% read, 0% random,1
'size,% of size,% reads,% random,delay,burst,align,reply
4096,100,100,0,0,1,0,0
'End access specifications
'Results
'Target Type,Target Name,Access Specification Name,# Managers,# Workers,# Disks,IOps,Read IOps,Write IOps,MBps,Read MBps,Write MBps,Transactions per Second,Connections per Second,Average Response Time,Average Read Response Time,Average Write Response Time,Average Transaction Time,Average Connection Time,Maximum Response Time,Maximum Read Response Time,Maximum Write Response Time,Maximum Transaction Time,Maximum Connection Time,Errors,Read Errors,Write Errors,Bytes Read,Bytes Written,Read I/Os,Write I/Os,Connections,Transactions per Connection,Total Raw Read Response Time,Total Raw Write Response Time,Total Raw Transaction Time,Total Raw Connection Time,Maximum Raw Read Response Time,Maximum Raw Write Response Time,Maximum Raw Transaction Time,Maximum Raw Connection Time,Total Raw Run Time,Starting Sector,Maximum Size,Queue Depth,% CPU Utilization,% User Time,% Privileged Time,% DPC Time,% Interrupt Time,Processor Speed,Interrupts per Second,CPU Effectiveness,Packets/Second,Packet Errors,Segments Retransmitted/Second
ALL,All,4K; 100% read, 0% random,1,1,2,500.000000,500.000000,0.000000,1.953125,1.953125,0.000000,500.000000,0.000000,200.000000,200.000000,0.000000,200.000000,0.000000,412.500000,412.500000,0.000000,412.500000,0.000000,3,3,0,122880000,0,30000,0,0,-1,,,,,,,,,,0,1000,100,2.500000,0.500000,2.000000,0.000000,0.100000,,1000.000000,200.000000,0.000000,0.000000,0.000000
MANAGER,VM,4K; 100% read, 0% random,,1,2,500.000000,500.000000,0.000000,1.953125,1.953125,0.000000,500.000000,0.000000,200.000000,200.000000,0.000000,200.000000,0.000000,412.500000,412.500000,0.000000,412.500000,0.000000,3,3,0,122880000,0,30000,0,0,-1,1,0,1,0,1,0,1,0,600000000,0,1000,100,2.500000,0.500000,2.000000,0.000000,0.100000,10000000.000000,1000.000000,200.000000,0.000000,0.000000,0.000000
PROCESSOR,CPU 0,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,2.500000,0.500000,2.000000,0.000000,0.100000,10000000.000000,1000.000000,,,,
WORKER,Worker 1,4K; 100% read, 0% random,,,2,500.000000,500.000000,0.000000,1.953125,1.953125,0.000000,500.000000,0.000000,200.000000,200.000000,0.000000,200.000000,0.000000,412.500000,412.500000,0.000000,412.500000,0.000000,3,3,0,122880000,0,30000,0,0,-1,1,0,1,0,1,0,1,0,600000000,0,1000,100,,,,,,10000000.000000,,,,,
DISK,E: \"a\",,,,,300.000000,300.000000,0.000000,1.171875,1.171875,0.000000,300.000000,0.000000,150.000000,150.000000,0.000000,150.000000,0.000000,400.000000,400.000000,0.000000,400.000000,0.000000,3,3,0,73728000,0,18000,0,0,-1,1,0,1,0,1,0,1,0,600000000,0,1000,100,,,,,,10000000.000000,,,,,
DISK,F: \"b\",,,,,200.000000,200.000000,0.000000,0.781250,0.781250,0.000000,200.000000,0.000000,275.000000,275.000000,0.000000,275.000000,0.000000,412.500000,412.500000,0.000000,412.500000,0.000000,0,0,0,49152000,0,12000,0,0,-1,1,0,1,0,1,0,1,0,600000000,0,1000,100,,,,,,10000000.000000,,,,,
'Time Stamp
2016-03-01 10:01:10:000
";

fn read(text: &str) -> Vec<RunResult> {
    result::read(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn the_results_of_2006_are_read() {
    for text in [V2006.to_string(), V2006.replace('\n', "\r\n")] {
        let results = read(&text);
        let [result] = results.as_slice() else { panic!("{} results", results.len()) };
        assert_eq!(result.source, Source::Foreign);
        let tool = result.tool.as_ref().unwrap();
        assert_eq!((tool.name.as_str(), tool.version.as_deref()), ("iometer", Some("2006.07.27")));
        let start = result.start.as_ref().unwrap();
        assert_eq!(start.counted_s, Some(60.0), "600,000,000 ticks at 10 MHz");
        assert_eq!(start.at, None, "nobody knows the zone of its clock");
        assert_eq!(
            result.notes,
            ["it began at 2016-03-01 10:00:00:000, local time", "its description: weekly"]
        );
        assert_eq!(
            (result.total.ios, result.total.bytes, result.total.errors),
            (Some(30_000), Some(122_880_000), Some(3))
        );
        assert_eq!(
            (result.total.iops, result.total.throughput_bytes_per_s),
            (Some(500.0), Some(2_048_000.0))
        );
        let latency = result.total.latency_us.unwrap();
        assert_eq!(
            (latency.label, latency.mean, latency.max),
            (Some(LoopLabel::Closed), Some(200_000.0), Some(412_500.0))
        );
        assert_eq!((latency.p99, latency.stdev), (None, None));
        assert!(result.by_operation.write.is_none());
        assert_eq!(result.depth.unwrap().requested, Some(200), "100 on each of two disks");
        assert_eq!(result.jobs[0].name, "4K; 100% read, 0% random");
        assert_eq!(result.threads[0].name, "Worker 1");
        let targets: Vec<_> = result.targets.iter().map(|t| (t.name.as_str(), t.total.iops)).collect();
        assert_eq!(targets, [("E: \"a\"", Some(300.0)), ("F: \"b\"", Some(200.0))]);
        assert_eq!((result.cells.len(), result.cells[1].thread), (2, 0));
        let processor = &result.cpu.as_ref().unwrap().processors[0];
        assert_eq!((processor.user, processor.system), (0.005, 0.02));
    }
}

#[test]
fn our_own_file_is_read_back_as_the_same_figures() {
    let text = icf(
        "ALL",
        "CYCLE_OUTSTANDING_IOS",
        &[("Worker 1", 4, &["mixed, 4K", "reads"], &["E:", "F:"]), ("Worker 2", 2, &["reads"], &["E:"])],
    );
    let (csv, runs) = csv_of(&text);
    let results = read(&csv);
    assert_eq!(results.len(), 4);
    for (result, run) in results.iter().zip(&runs) {
        assert_eq!(result.total.ios, Some(run.ios.len() as u64));
        assert_eq!(result.total.bytes, Some(run.ios.iter().map(|io| u64::from(io.bytes)).sum()));
        let near = |read: Option<f64>, value: f64, width: f64| {
            assert!((read.unwrap() - value).abs() <= width, "{read:?} and {value}");
        };
        near(result.total.iops, run.ios.len() as f64 / 4.0, 0.006);
        near(result.total.latency_us.unwrap().mean, mean_ms(&run.ios) * 1e3, 0.01);
        let start = result.start.as_ref().unwrap();
        assert_eq!((start.counted_s, start.at.as_deref()), (Some(4.0), Some("2026-06-22T22:16:45Z")));
        for (index, part) in result.threads.iter().enumerate() {
            let ios = run.of(|io| usize::from(io.thread) == index);
            assert_eq!(part.total.ios, Some(ios.len() as u64));
        }
        for cell in &result.cells {
            let name = |target: u16| run.targets[usize::from(target)].path.clone();
            let ios = run.of(|io| io.thread == cell.thread && name(io.target) == cell.target);
            assert_eq!(cell.total.ios, Some(ios.len() as u64));
        }
        let cpu = result.cpu.as_ref().unwrap();
        assert_eq!((cpu.online, cpu.processors[0].user), (4, 0.3));
    }
    // First both workers with the first of their own specifications, on three targets; then the one that has a second.
    let requested: Vec<_> = results.iter().map(|result| result.depth.unwrap().requested).collect();
    assert_eq!(requested, [Some(3), Some(12), Some(2), Some(8)]);
}

#[test]
fn sums_alone_are_a_result_too() {
    let (csv, runs) = csv_of(&icf("NO_MANAGERS", "NORMAL", &[("Worker 1", 4, &["reads"], &["E:", "F:"])]));
    let result = read(&csv).pop().unwrap();
    assert_eq!(result.total.ios, Some(runs[0].ios.len() as u64));
    assert_eq!(result.depth.unwrap().requested, Some(8));
    assert_eq!((result.jobs.len(), result.jobs[0].name.as_str()), (1, "reads"));
    assert!(result.threads.is_empty() && result.cpu.is_none());
    // I/Os ÷ their rate.
    assert!((result.start.unwrap().counted_s.unwrap() - 4.0).abs() < 1e-3);
}

#[test]
fn what_is_no_result_is_refused_with_its_place() {
    for (text, words) in [
        ("", "not a result of Iometer"),
        ("a,b\n1,2\n", "not a result of Iometer"),
        ("'Results\n'Target Type,Target Name,x\n", "no row ALL"),
        ("'Results\n'Target Type,Target Name,x\nALL\n", "does not have the columns"),
        (&V2006.replace(",30000,", ",many,"), "Read I/Os: `many` is not a whole number"),
        (&V2006.replacen("500.000000", "fast", 2), "Read IOps: `fast` is not a figure"),
    ] {
        let error = result::read(text).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn counts_that_fill_64_bits_are_added_without_a_panic() {
    let text = V2006.replace(",3,3,0,122880000,0,30000,0,", ",3,3,0,122880000,0,18446744073709551615,0,");
    assert_ne!(text, V2006);
    // Refused or read: the figures are no panic.
    let read = result::read(&text);
    assert!(read.is_ok() || read.is_err_and(|error| !error.to_string().is_empty()));
}
