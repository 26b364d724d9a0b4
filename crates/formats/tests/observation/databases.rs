use iobound_formats::observation::{DeviceKind, Observer, Role};
use iobound_units::Span;

use crate::{device, near, says, seen, tried};

const SQL_BEFORE: &str = include_str!("fixtures/file-stats-before.csv");
const SQL_AFTER: &str = include_str!("fixtures/file-stats-after.csv");
const SQLCMD: &str = include_str!("fixtures/file-stats-sqlcmd.txt");
const PG16: &str = include_str!("fixtures/pg-stat-io-16.txt");
const PG18_BEFORE: &str = include_str!("fixtures/pg-stat-io-18-before.csv");
const PG18_AFTER: &str = include_str!("fixtures/pg-stat-io-18-after.csv");

const MINUTE: Option<Span> = Some(Span::from_secs(60));

#[test]
fn the_files_of_sql_server_are_told_by_drive_and_by_what_they_are_for() {
    for texts in [vec![SQL_BEFORE, SQL_AFTER], vec![SQLCMD]] {
        let observation = seen(&texts, None);
        assert_eq!((observation.observer, observation.duration), (Observer::SqlServer, MINUTE));
        let by_drive = texts.len() == 2;
        let (data, log) = if by_drive { ("E:", "F:") } else { ("data", "log") };
        let data = device(&observation, data);
        // Without its path, the file of C: is among the data: 2 reads more in a minute.
        let reads = if by_drive { 3_150.0 } else { 3_150.0 + 2.0 / 60.0 };
        near(data.read.ios_per_s, reads);
        assert!((data.latency_us().unwrap() - 10_000.0).abs() < 1.0, "{:?}", data.latency_us());
        assert_eq!((data.kind, data.off_littles_law()), (DeviceKind::Files(Role::Data), None));
        let log = device(&observation, log);
        near(log.write.bytes_per_s, 450.0 * 61_440.0);
        near(log.write.latency_us, 2_000.0);
        // 450 a second of 2 ms
        near(log.queue, 0.9);
        assert_eq!(log.kind, DeviceKind::Files(Role::Log));
        says(&observation, "2 samples of 3 files");
    }
}

#[test]
fn both_samples_may_be_in_one_table() {
    let rows = |text: &str| text.lines().skip(1).map(|line| format!("{line}\n")).collect::<String>();
    let header = SQL_BEFORE.lines().next().unwrap();
    let text = format!("{header}\n{}{}", rows(SQL_BEFORE), rows(SQL_AFTER)).replace(',', "\t");
    assert_eq!(seen(&[&text], None).devices, seen(&[SQL_BEFORE, SQL_AFTER], None).devices);
}

#[test]
fn samples_of_sql_server_that_tell_nothing_are_refused() {
    let no_time = |text: &str| text.replace("sample_ms", "sampled");
    for (texts, part) in [
        (vec![SQL_BEFORE.to_string()], "there is only one sample"),
        (vec![SQL_AFTER.to_string(), SQL_BEFORE.to_string()], "--interval"),
        (vec![no_time(SQL_BEFORE), no_time(SQL_AFTER)], "add --interval"),
        (vec![no_time(SQL_AFTER), no_time(SQL_BEFORE)], "add --interval"),
        (
            vec![SQL_BEFORE.replace("io_stall_read_ms", "stall"), SQL_AFTER.to_string()],
            "no column io_stall_read_ms",
        ),
        (vec![SQL_BEFORE.replace("2000000,", "2.000.000,"), SQL_AFTER.to_string()], "is not a counter"),
    ] {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let error = tried(&texts, None).expect_err(part).to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
    let (after, before) = (no_time(SQL_AFTER), no_time(SQL_BEFORE));
    let error = tried(&[&after, &before], MINUTE).unwrap_err().to_string();
    assert!(error.contains("smaller than in the previous sample"), "{error}");
}

#[test]
fn pg_stat_io_of_16_counts_ios_of_op_bytes() {
    let observation = seen(&[PG16], None);
    assert_eq!(observation.observer, Observer::Postgres);
    assert_eq!((observation.duration, observation.buffered), (Some(Span::from_secs(10)), Some(true)));
    let relations = device(&observation, "relations");
    near(relations.read.ios_per_s, 5_100.0);
    near(relations.read.bytes_per_s, 5_100.0 * 8_192.0);
    near(relations.read.latency_us, 2_500.0);
    // 40 of a backend and 960 of the checkpointer in 10 s
    near(relations.write.ios_per_s, 100.0);
    says(&observation, "page cache");
    says(&observation, "counted in blocks of op_bytes");
}

#[test]
fn pg_stat_io_of_18_counts_bytes_and_has_the_log_by_itself() {
    let observation = seen(&[PG18_BEFORE, PG18_AFTER], None);
    assert_eq!(observation.duration, MINUTE);
    let relations = device(&observation, "relations");
    near(relations.read.ios_per_s, 200.0);
    near(relations.read.bytes_per_s, 200.0 * 32_768.0);
    let wal = device(&observation, "wal");
    assert_eq!(wal.kind, DeviceKind::Files(Role::Log));
    // 8,000 writes of 0.5 ms
    near(wal.write.latency_us, 500.0);
    near(wal.write.bytes_per_s, 8_000.0 / 60.0 * 16_384.0);
}

#[test]
fn samples_of_postgresql_that_tell_nothing_are_refused() {
    for (texts, interval, part) in [
        (vec![PG18_BEFORE.to_string()], None, "there is only one sample"),
        (
            vec![PG18_BEFORE.to_string(), PG18_AFTER.replace("2026-06-01 00:00:00", "2026-06-22 20:16:50")],
            None,
            "were reset between",
        ),
        (vec![PG16.replace("10:16:45 PM", "later").replace("10:16:35 PM", "now")], None, "add --interval"),
        (vec![PG16.replace("op_bytes", "op_sizes")], None, "no column op_bytes"),
    ] {
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let error = tried(&texts, interval).expect_err(part).to_string();
        assert!(error.contains(part), "{part}: {error}");
    }
    // Where times are not counted there is no latency, and that is said.
    let untimed = |text: &str| {
        text.lines()
            .map(|line| {
                line.split(',')
                    .enumerate()
                    .map(|(n, cell)| {
                        let is_time = matches!(n, 6 | 9) && cell.parse::<f64>().is_ok();
                        if is_time { "0" } else { cell }.to_string()
                    })
                    .collect::<Vec<_>>()
                    .join(",")
                    + "\n"
            })
            .collect::<String>()
    };
    let observation = seen(&[&untimed(PG18_BEFORE), &untimed(PG18_AFTER)], None);
    assert_eq!(device(&observation, "relations").latency_us(), None);
    says(&observation, "track_io_timing");
}
