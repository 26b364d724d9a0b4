//! fio's JSON, ours and others', read as a result.

mod common {
    pub(crate) mod made;
}

use common::made::made;
use iobound_formats::fio::{self, result::read};
use iobound_measure::RunResult;
use iobound_measure::result::{Outcome, Source};
use proptest::prelude::*;

#[track_caller]
fn result(text: &str) -> RunResult {
    read(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A direction as fio 3.33 prints it, with figures of nobody's.
fn direction(ios: u64, iops: f64, latency: &str) -> String {
    format!(
        r#"{{"io_bytes": {bytes}, "io_kbytes": {kb}, "bw_bytes": {bw}, "bw": 1, "iops": {iops}, "runtime": 10000,
        "total_ios": {ios}, "short_ios": 0, "drop_ios": 0, {latency}, "bw_min": 0, "bw_samples": 0}}"#,
        bytes = ios * 4096,
        kb = ios * 4,
        bw = iops * 4096.0
    )
}

fn latencies(count: u64, percentiles: &str) -> String {
    format!(
        r#""slat_ns": {{"min": 1, "max": 9, "mean": 2.0, "stddev": 1.0, "N": {count}}},
        "clat_ns": {{"min": 50000, "max": 900000, "mean": 100000.5, "stddev": 20000.0, "N": {count}{percentiles}}},
        "lat_ns": {{"min": 51000, "max": 901000, "mean": 101000.5, "stddev": 20000.0, "N": {count}}}"#
    )
}

const NONE: &str =
    r#"{"io_bytes": 0, "iops": 0.0, "runtime": 0, "total_ios": 0, "lat_ns": {"min": 0, "max": 0, "N": 0}}"#;

fn job(name: &str, group: u64, read: &str, error: u64) -> String {
    format!(
        r#"{{"jobname": "{name}", "groupid": {group}, "error": {error}, "job options": {{"ioengine": "libaio"}},
        "read": {read}, "write": {NONE}, "trim": {NONE}, "sync": {{"total_ios": 0, "lat_ns": {{"N": 0}}}}}}"#
    )
}

fn document(jobs: &[String]) -> String {
    format!(
        "{{\"fio version\": \"fio-3.33\", \"timestamp\": 1, \"jobs\": [{}],\n\"disk_util\": [{{\"name\": \"sda\"}}]}}\n",
        jobs.join(",")
    )
}

fn reader(ios: u64) -> String {
    let percentiles = r#", "percentile": {"50.000000": 95000, "99.000000": 150000, "99.990000": 800000}"#;
    direction(ios, ios as f64 / 10.0, &latencies(ios, percentiles))
}

#[test]
fn what_fio_says_of_a_job_is_its_result() {
    let result = result(&document(&[job("a", 0, &reader(20_000), 0)]));
    assert_eq!((result.source, result.engine.as_deref()), (Source::Foreign, Some("libaio")));
    let tool = result.tool.expect("the tool is known");
    assert_eq!((tool.name.as_str(), tool.version.as_deref()), ("fio", Some("fio-3.33")));
    assert_eq!((result.total.ios, result.total.bytes), (Some(20_000), Some(81_920_000)));
    assert_eq!((result.total.iops, result.total.throughput_bytes_per_s), (Some(2_000.0), Some(8_192_000.0)));
    assert_eq!(result.start.and_then(|start| start.counted_s), Some(10.0));
    let latency = result.total.latency_us.expect("it was measured");
    // The percentiles are of clat, so that the other figures are too, and it is said.
    assert_eq!((latency.mean, latency.min, latency.max), (Some(100.001), Some(50.0), Some(900.0)));
    assert_eq!((latency.p50, latency.p90, latency.p99), (Some(95.0), None, Some(150.0)));
    assert_eq!(latency.p99_99, None, "20,000 I/Os do not support it, whatever fio printed");
    assert!(result.notes.iter().any(|note| note.contains("clat")));
    assert_eq!(result.devices[0].name, "sda");
    assert!(result.by_operation.write.is_none() && result.by_operation.flush.is_none());
}

#[test]
fn without_percentiles_latency_is_from_issue() {
    let result = result(&document(&[job("a", 0, &direction(500, 50.0, &latencies(500, "")), 0)]));
    assert_eq!(result.total.latency_us.unwrap().mean, Some(101.001));
    assert!(result.notes.is_empty());
}

#[test]
fn jobs_of_one_group_add_up_and_their_percentiles_do_not() {
    let jobs = [job("a", 0, &reader(10_000), 0), job("b", 0, &reader(30_000), 0)];
    let both = result(&document(&jobs));
    assert_eq!((both.total.ios, both.total.iops), (Some(40_000), Some(4_000.0)));
    let latency = both.total.latency_us.unwrap();
    assert_eq!((latency.mean, latency.p50), (Some(100.001), None));
    assert_eq!(both.jobs.len(), 2);
    assert_eq!(both.jobs[1].total.latency_us.unwrap().p50, Some(95.0));
}

#[test]
fn groups_that_follow_each_other_have_no_iops_together() {
    let jobs = [job("a", 0, &reader(10_000), 0), job("b", 1, &reader(30_000), 0)];
    let both = result(&document(&jobs));
    assert_eq!(
        (both.total.ios, both.total.iops, both.total.throughput_bytes_per_s),
        (Some(40_000), None, None)
    );
    assert!(both.notes[0].contains("one after the other"));
    assert_eq!(both.jobs[0].total.iops, Some(1_000.0));
}

#[test]
fn bins_of_several_jobs_give_percentiles_of_all() {
    let binned = |middle: u64| {
        let percentiles =
            format!(r#", "percentile": {{"50.000000": {middle}}}, "bins": {{"{middle}": 1000}}"#);
        direction(1_000, 100.0, &latencies(1_000, &percentiles))
    };
    let jobs = [job("a", 0, &binned(65_792), 0), job("b", 0, &binned(131_584), 0)];
    let latency = result(&document(&jobs)).total.latency_us.unwrap();
    // Half of 2,000 are in the first bin, 1,000 ns × 65.5 to 66.5; the 1,800th in the second.
    assert_eq!((latency.p50, latency.p90), (Some(66.048), Some(132.096)));
}

#[test]
fn a_job_that_failed_is_a_failed_check() {
    let result = result(&document(&[job("a", 0, &reader(100), 5)]));
    assert_eq!((result.checks[0].outcome, result.checks[0].name.as_str()), (Outcome::Failed, "fio-error"));
    assert!(result.checks[0].says.contains("error 5"));
}

#[test]
fn what_stands_around_the_document_is_passed_over_and_the_last_one_counts() {
    let (first, last) =
        (document(&[job("a", 0, &reader(100), 0)]), document(&[job("a", 0, &reader(200), 0)]));
    let text =
        format!("note: both iodepth >= 1 and synchronous\n3;fio-3.33;a\n{first}{last}\na: (groupid=0)\n");
    let result = result(&text);
    assert_eq!(result.total.ios, Some(200));
    assert!(result.notes.iter().any(|note| note.starts_with("1 earlier document")));
}

#[test]
fn what_is_not_fios_json_is_refused_with_the_mend() {
    let whole = document(&[job("a", 0, &reader(100), 0)]);
    let fio_2 =
        r#"{"fio version": "fio-2.2", "jobs": [{"jobname": "a", "read": {"total_ios": 4, "clat": {}}}]}"#;
    for (text, says, help) in [
        ("", "no JSON document", "--output-format=json"),
        ("a: (groupid=0, jobs=1)", "no JSON document", "--output-format=json"),
        (&whole[..whole.len() / 2], "the file is not JSON", "complete, unchanged document"),
        ("{\"jobs\": []}", "no `jobs`", "--output-format=json"),
        ("{\"client_stats\": []}", "no `jobs`", "several clients"),
        (r#"{"jobs": [{"read": {}}]}"#, "no `jobname`", "give fio's"),
        (r#"{"jobs": [{"jobname": "a"}]}"#, "neither `read` nor `write`", "give fio's"),
        (r#"{"jobs": [{"jobname": "a", "read": {"total_ios": -1}}]}"#, "`total_ios` is -1", "give fio's"),
        (fio_2, "fio 2", "give fio's"),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains(says) && error.contains(help), "{text}\n{error}");
    }
}

const JOBS: &str = "--size=1g --runtime=30 --time_based --bs=4k --ioengine=libaio --iodepth=4 --direct=1 --name=a \
    --rw=randrw --fsync=10 --numjobs=2";

#[test]
fn our_own_report_read_back_has_the_same_figures() {
    let made = made(&format!("fio --output-format=json+ --lat_percentiles=1 {JOBS}"), true);
    let read = result(&fio::out::report(&made.rans(), &made.command.jobs, &made.command.reporting));
    let stage = made.rans()[0];
    let own = RunResult::from_measured(stage.total, Source::Measured);
    assert_eq!(
        (read.total.ios, read.total.bytes, read.total.iops),
        (own.total.ios, own.total.bytes, own.total.iops)
    );
    assert_eq!(read.total.throughput_bytes_per_s, own.total.throughput_bytes_per_s);
    let (theirs, ours) = (read.total.latency_us.unwrap(), own.total.latency_us.unwrap());
    assert_eq!((theirs.mean, theirs.min, theirs.max), (ours.mean, ours.min, ours.max));
    // fio's deviation is divided by n - 1, its bins are a 64th of a power of two wide: a middle is off by 0.8 %.
    let close =
        |a: Option<f64>, b: Option<f64>, share: f64| (a.unwrap() - b.unwrap()).abs() <= b.unwrap() * share;
    assert!(close(theirs.stdev, ours.stdev, 1e-4));
    for (theirs, ours) in [(theirs.p50, ours.p50), (theirs.p99, ours.p99), (theirs.p99_9, ours.p99_9)] {
        assert!(close(theirs, ours, 0.008), "{theirs:?} {ours:?}");
    }
    let (theirs, ours) = (read.by_operation, own.by_operation);
    assert_eq!(theirs.flush.unwrap().ios, ours.flush.unwrap().ios);
    assert_eq!(theirs.write.unwrap().iops, ours.write.unwrap().iops);
    assert_eq!(read.jobs.len(), 2, "each clone is a job of fio's");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn no_text_is_a_panic(cut in 0usize..4_000, with in "[-0-9eE.\"{}:, a-z\\[\\]]{0,12}", len in 0usize..40) {
        let percentiles = r#", "percentile": {"50.000000": 95000}, "bins": {"95744": 100}"#;
        let text = document(&[
            job("a", 0, &direction(1_000, 100.0, &latencies(1_000, percentiles)), 0),
            job("b", 0, &reader(10), 3),
        ]);
        let from = cut.min(text.len());
        let to = (from + len).min(text.len());
        let mutated = format!("{}{with}{}", &text[..from], &text[to..]);
        let _ = read(&mutated).map_err(|error| error.to_string());
    }
}
