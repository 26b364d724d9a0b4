//! Hosts that are put beside each other come to what one recorder of all their I/Os holds.

use iobound_measure::result::Source;
use iobound_measure::{
    Cell, CellId, Completion, JobLayout, Layout, Loop, Measured, Recorder, RunResult, first_and_last_done,
};
use iobound_units::{Instant, Op, Span, TargetId};
use proptest::prelude::*;

fn s(seconds: f64) -> Instant {
    Instant::from_ns((seconds * 1e9) as u64)
}

/// Two jobs, the second in an open loop, on so many targets, by one thread; a second of warm-up, three that count.
fn layout(targets: u16) -> Layout {
    let job = |name: &str, kind| JobLayout {
        name: name.to_string(),
        kind,
        requested_depth: Some(8),
        requested_iops: (kind == Loop::Open).then_some(100.0),
    };
    let cells = (0..2)
        .flat_map(|job| (0..targets).map(move |target| Cell { job, thread: 0, target: TargetId(target) }));
    Layout {
        jobs: vec![job("scan", Loop::Closed), job("log", Loop::Open)],
        threads: 1,
        targets: (0..targets).map(|target| format!("host{target}")).collect(),
        cells: cells.collect(),
        begin: Instant::ZERO,
        start: s(1.0),
        end: s(4.0),
        interval: Span::from_secs(1),
    }
}

/// One I/O of a host.
#[derive(Clone, Debug)]
struct Io {
    host: u16,
    job: u16,
    op: Op,
    intended_ns: u64,
    waited_ns: u64,
    took_ns: u64,
    len: u32,
    ok: bool,
}

const HOSTS: u16 = 3;

fn io() -> impl Strategy<Value = Io> {
    let times =
        (0..4_500_000_000_u64, 0..50_000_000_u64, prop_oneof![1..1_000_000_u64, 1..2_000_000_000_u64]);
    let what = (0..HOSTS, 0..2_u16, 0..4_usize, 1..1_u32 << 20, prop::bool::weighted(0.95));
    (times, what).prop_map(|((intended_ns, waited_ns, took_ns), (host, job, op, len, ok))| Io {
        host,
        job,
        op: Op::ALL[op],
        intended_ns,
        waited_ns,
        took_ns,
        len,
        ok,
    })
}

/// The I/Os in the order in which they complete, at most until the end of the run.
fn record(mut recorder: Recorder, ios: &[Io], cell: impl Fn(&Io) -> CellId) -> Measured {
    let end = s(5.0);
    let mut ios = ios.to_vec();
    ios.retain(|io| io.intended_ns + io.waited_ns + io.took_ns <= end.ns());
    ios.sort_by_key(|io| io.intended_ns + io.waited_ns + io.took_ns);
    for io in &ios {
        let issued = Instant::from_ns(io.intended_ns + io.waited_ns);
        let completion = Completion {
            issued,
            completed: issued + Span::from_ns(io.took_ns),
            intended: Instant::from_ns(io.intended_ns),
            cell: cell(io),
            len: io.len,
            op: io.op,
            ok: io.ok,
        };
        recorder.record_alike(completion, 1);
    }
    recorder.finish(end, &[])
}

fn of_host(ios: &[Io], host: u16) -> Measured {
    let own: Vec<Io> = ios.iter().filter(|io| io.host == host).cloned().collect();
    record(Recorder::new(layout(1)), &own, |io| CellId(u32::from(io.job)))
}

fn beside(hosts: &[Measured]) -> Measured {
    let names: Vec<String> = (0..hosts.len()).map(|host| format!("host{host}")).collect();
    let hosts: Vec<(&str, &Measured)> = names.iter().map(String::as_str).zip(hosts).collect();
    Measured::beside(&hosts).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn hosts_beside_each_other_are_what_one_recorder_of_all_their_ios_holds(
        ios in prop::collection::vec(io(), 0..400)
    ) {
        let hosts: Vec<Measured> = (0..HOSTS).map(|host| of_host(&ios, host)).collect();
        let together = beside(&hosts);
        let oracle = record(Recorder::new(layout(HOSTS)), &ios, |io| {
            CellId(u32::from(io.job * HOSTS + io.host))
        });
        prop_assert_eq!(&together.jobs, &oracle.jobs);
        prop_assert_eq!(&together.cells, &oracle.cells);
        prop_assert_eq!(&together.series, &oracle.series);
        prop_assert_eq!(&together.latencies, &oracle.latencies);
        prop_assert_eq!((together.start, together.end), (oracle.start, oracle.end));
        // Depth and rate are asked for by each host.
        prop_assert_eq!(together.layout.jobs[0].requested_depth, Some(24));
        prop_assert_eq!(together.layout.jobs[1].requested_iops, Some(300.0));
        // The document's figures, its percentiles among them, follow.
        let document = |measured: &Measured| RunResult::from_measured(measured, Source::Measured);
        prop_assert_eq!(document(&together).total, document(&oracle).total);
        prop_assert_eq!(document(&together).targets, document(&oracle).targets);
    }

    #[test]
    fn every_bin_is_the_sum_of_the_hosts_bins(ios in prop::collection::vec(io(), 0..400)) {
        let hosts: Vec<Measured> = (0..HOSTS).map(|host| of_host(&ios, host)).collect();
        let together = beside(&hosts);
        for job in 0..2 {
            for op in Op::ALL {
                let mut sum = std::collections::BTreeMap::new();
                for host in &hosts {
                    for (bin, count) in host.jobs[job].op(op).response.bins() {
                        *sum.entry(bin).or_insert(0) += count;
                    }
                }
                prop_assert_eq!(together.jobs[job].op(op).response.bins().collect::<Vec<_>>(), sum.into_iter().collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn a_host_whose_threads_and_targets_were_put_together_first_comes_to_the_same(
        ios in prop::collection::vec(io(), 0..200)
    ) {
        let whole = record(Recorder::new(layout(HOSTS)), &ios, |io| CellId(u32::from(io.job * HOSTS + io.host)));
        let host = whole.of_host("host0");
        prop_assert_eq!(host.check(), Ok(()));
        prop_assert_eq!(host.cells.len(), 2);
        prop_assert_eq!(beside(&[host]), beside(&[whole]));
    }
}

/// Reads of 4 KiB at an even rate until a moment, when the work is done.
fn done_at(iops: u64, seconds: f64) -> Measured {
    let mut recorder = Recorder::new(layout(1));
    let count = (seconds * iops as f64) as u64;
    for n in 0..count {
        let completed = Instant::from_ns(((n + 1) as f64 / iops as f64 * 1e9) as u64);
        let issued = Instant::from_ns(completed.ns() - 1_000);
        recorder.record(CellId(0), Op::Read, 4096, issued, issued, completed, true);
    }
    recorder.finish(s(seconds), &[])
}

#[test]
fn until_the_first_host_is_done_all_are_at_work_and_until_the_last_some_wait() {
    // 1,000 a second until 2.5 s and 500 until 4: counted from 1 s. First done: (1,000 + 500) × 1.5 s in 1.5 s. Last:
    // 1,500 and 1,500 in 3 s.
    let hosts = [done_at(500, 4.0), done_at(1_000, 2.5)];
    let (first, last) = first_and_last_done(&[&hosts[0], &hosts[1]]).unwrap();
    assert_eq!((first.host, first.after), (1, Span::from_ms(1_500)));
    assert!((first.iops - 1_500.0).abs() < 1e-6, "{first:?}");
    assert_eq!((last.host, last.after), (0, Span::from_secs(3)));
    assert!((last.iops - 1_000.0).abs() < 1e-6, "{last:?}");
    assert!((last.bytes_per_s - 4_096_000.0).abs() < 1e-3, "{last:?}");
    // The document's figures are those until the last was done.
    let together = beside(&hosts);
    assert_eq!(together.window(), Span::from_secs(3));
    assert_eq!(RunResult::from_measured(&together, Source::Measured).total.iops, Some(1_000.0));
    // The interval that the first host's end cut short goes on in the other.
    assert_eq!(together.series.len(), 4);
    assert_eq!((together.series[2].end, together.series[2].whole), (s(3.0), true));
    assert_eq!((together.series[2].count(), together.series[3].count()), (1_000, 500));
}

#[test]
fn hosts_that_are_done_at_one_time_are_first_and_last_at_once() {
    let hosts = [done_at(500, 4.0), done_at(300, 4.0)];
    let (first, last) = first_and_last_done(&[&hosts[0], &hosts[1]]).unwrap();
    assert_eq!((first, first.host), (last, 0));
    assert!((first.iops - 800.0).abs() < 1e-6);
    assert_eq!(first_and_last_done(&[]), None);
    let warmed_up_only = done_at(500, 0.5);
    assert_eq!(first_and_last_done(&[&hosts[0], &warmed_up_only]), None);
}

#[test]
fn runs_of_different_workloads_are_not_put_together_and_it_is_said_whose_differs() {
    let one = done_at(500, 4.0);
    let with = |change: fn(&mut Measured)| {
        let mut other = done_at(500, 4.0);
        change(&mut other);
        Measured::beside(&[("db1", &one), ("db2", &other)]).unwrap_err().to_string()
    };
    assert_eq!(
        with(|other| other.layout.jobs[0].name = "other".into()),
        "db2: its jobs are not those of the first host"
    );
    assert_eq!(
        with(|other| other.layout.end = s(9.0)),
        "db2: its warm-up, duration or interval is not that of the first host"
    );
    assert!(with(|other| other.series[1].start = s(0.5)).contains("db2: intervals out of order"));
    assert!(with(|other| drop(other.jobs.pop())).contains("db2: 2 jobs, and figures of 1"));
    assert!(with(|other| other.jobs[0].by_op[0].bytes = u64::MAX).contains("more than can be counted"));
    let moved = with(|other| {
        for interval in &mut other.series {
            (interval.start, interval.end) =
                (interval.start + Span::from_ms(300), interval.end + Span::from_ms(300));
        }
    });
    assert_eq!(moved, "the hosts' intervals do not begin at the same times");
    assert_eq!(Measured::beside(&[]).unwrap_err().to_string(), "no host has reported figures");
}
