//! Durability of the store: kept data is read back unchanged, also if another process writes or the program is killed.

#![allow(clippy::disallowed_methods, reason = "tests of a file read and write files")]

use std::fs;
use std::path::{Path, PathBuf};

use iobound_measure::result::{RunResult, Source, Start};
use iobound_measure::{Cell, CellId, JobLayout, Layout, Loop, Measured, Recorder};
use iobound_results::{NewRun, Query, RunId, Since, Store, StoreError, VERSION};
use iobound_units::{Instant, Op, Span, TargetId};
use proptest::prelude::*;
use rusqlite::Connection;
use serde_json::{Map, Value, json};

fn measured(seed: u64) -> Measured {
    let mut recorder = Recorder::new(Layout {
        jobs: vec![JobLayout {
            name: "data".into(),
            kind: Loop::Closed,
            requested_depth: Some(1),
            requested_iops: None,
        }],
        threads: 1,
        targets: vec!["/mnt/data".into()],
        cells: vec![Cell { job: 0, thread: 0, target: TargetId(0) }],
        begin: Instant::ZERO,
        start: Instant::from_ns(1_000_000_000),
        end: Instant::from_ns(13_000_000_000),
        interval: Span::from_secs(1),
    });
    for n in 1..=13_000_u64 {
        let at = Instant::from_ns(n * 1_000_000);
        let latency = 200_000 + n.wrapping_mul(seed | 1).wrapping_mul(0x9e37_79b9) % 700_001;
        let issued = Instant::from_ns(at.ns() - latency.min(at.ns()));
        let op = if n % 3 == 0 { Op::Write } else { Op::Read };
        recorder.record(CellId(0), op, 4096, issued, issued, at, n % 5_000 != 0);
        while recorder.advance(at).is_some() {}
    }
    recorder.finish(Instant::from_ns(13_000_000_000), &[])
}

fn result(seed: u64) -> RunResult {
    let measured = measured(seed);
    let mut result = RunResult::from_measured(&measured, Source::Measured);
    result.attach_histograms(&measured);
    result.attach_latencies(&measured);
    result.device = Some("/mnt/data".into());
    result.kernel = Some("6.1".into());
    result.start = Some(Start {
        at: Some(format!("2026-11-{:02}T03:00:00Z", 1 + seed % 28)),
        host: Some("vm1".into()),
        seed: Some(seed),
        ..result.start.unwrap_or_default()
    });
    result
}

fn document(result: &RunResult) -> Map<String, Value> {
    let Value::Object(mut keys) = serde_json::to_value(result).unwrap() else { panic!("no object") };
    keys.insert("workload".into(), json!({"jobs": [{"description": "reads"}], "toml": "[[job]]\n"}));
    keys.insert("ended".into(), "complete".into());
    keys
}

fn new(result: &RunResult) -> NewRun<'_> {
    let configuration = Some("[machine]\nvm = \"DS14\"\n");
    NewRun {
        verb: "run",
        name: None,
        side: None,
        result,
        document: document(result),
        configuration,
        first_of_command: None,
        program: "t",
    }
}

fn keep(store: &mut Store, seed: u64) -> RunId {
    let result = result(seed);
    store.keep(&[new(&result)]).unwrap()[0]
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/results.db");
    (folder, path)
}

#[test]
fn a_run_comes_back_with_its_histograms_and_its_series() {
    let (_folder, path) = folder();
    let mut store = Store::open(&path).unwrap();
    let result = result(1);
    let id = store.keep(&[new(&result)]).unwrap()[0];
    let kept = Store::open_to_read(&path).unwrap().get(id).unwrap().unwrap();
    assert_eq!(kept.result, RunResult { id: Some("r-1".into()), ..result.clone() });
    assert_eq!(kept.workload.as_deref(), Some("[[job]]\n"));
    assert_eq!(kept.configuration.as_deref(), Some("[machine]\nvm = \"DS14\"\n"));
    // The document has all its keys but for the histograms and the latencies of intervals, which tables have.
    let mut whole = document(&RunResult { jobs: result.jobs.clone(), ..result });
    whole["jobs"][0].as_object_mut().unwrap().shift_remove("histograms");
    for point in whole["series"].as_array_mut().unwrap() {
        for direction in ["read", "write"] {
            let latencies = point[direction].as_object_mut().unwrap().shift_remove("latencies").unwrap();
            assert!(latencies.as_array().unwrap().len() > 3, "{latencies}");
        }
    }
    let mut own = kept.document;
    assert_eq!(own.shift_remove("id"), Some("r-1".into()));
    assert_eq!(Value::Object(own), Value::Object(whole));
    assert_eq!(store.get(RunId(99)).unwrap().map(|kept| kept.id), None);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_figures_of_a_series_come_back_to_the_last_bit(
        values in proptest::collection::vec(0.0..1e12_f64, 12),
        seed in any::<u64>(),
    ) {
        let (_folder, path) = folder();
        let mut store = Store::open(&path).unwrap();
        let mut result = result(seed);
        for (point, value) in result.series.iter_mut().zip(&values) {
            point.iops = *value;
            point.read.as_mut().unwrap().p99_us = Some(value / 3.0);
        }
        let id = store.keep(&[new(&result)]).unwrap()[0];
        let kept = store.get(id).unwrap().unwrap();
        prop_assert_eq!(kept.result.series, result.series);
        prop_assert_eq!(kept.result.jobs, result.jobs);
        prop_assert_eq!(kept.result.start, result.start);
    }
}

#[test]
fn ids_are_never_given_twice() {
    let (_folder, path) = folder();
    let mut store = Store::open(&path).unwrap();
    assert_eq!((keep(&mut store, 1), keep(&mut store, 2)), (RunId(1), RunId(2)));
    assert_eq!(store.delete(&[RunId(2), RunId(7)]).unwrap(), [RunId(2)]);
    drop(store);
    let mut store = Store::open(&path).unwrap();
    assert_eq!(keep(&mut store, 3), RunId(3));
    // Nothing of it is left in any table.
    let connection = Connection::open(&path).unwrap();
    for table in ["summaries", "series", "histograms"] {
        let left: i64 = connection
            .query_row(&format!("SELECT count(*) FROM {table} WHERE run = 2"), [], |row| row.get(0))
            .unwrap();
        assert_eq!(left, 0, "{table}");
    }
}

#[test]
fn runs_of_one_command_are_kept_together_or_not_at_all() {
    let (_folder, path) = folder();
    let mut store = Store::open(&path).unwrap();
    keep(&mut store, 1);
    let (one, other) = (result(2), result(3));
    store.keep(&[new(&one), new(&other)]).unwrap();
    let firsts: Vec<i64> =
        store.list(&Query::default()).unwrap().iter().map(|row| row.first_of_command.0).collect();
    assert_eq!(firsts, [2, 2, 1]);
}

#[test]
fn a_list_is_by_date_target_verb_and_number_the_newest_first() {
    let (_folder, path) = folder();
    let mut store = Store::open(&path).unwrap();
    (1..=5).for_each(|seed| assert!(keep(&mut store, seed).0 > 0));
    let ids = |query: Query| -> Vec<i64> { store.list(&query).unwrap().iter().map(|row| row.id.0).collect() };
    assert_eq!(ids(Query::default()), [5, 4, 3, 2, 1]);
    assert_eq!(ids(Query { limit: Some(2), ..Query::default() }), [5, 4]);
    // Seed 3 began on the fourth.
    let since = Some(Since::Time("2026-11-04".into()));
    assert_eq!(ids(Query { since, ..Query::default() }), [5, 4, 3]);
    assert_eq!(ids(Query { since: Some(Since::Ago(0)), ..Query::default() }).len(), 0);
    assert_eq!(ids(Query { target: Some("data".into()), ..Query::default() }).len(), 5);
    assert_eq!(ids(Query { target: Some("%".into()), ..Query::default() }).len(), 0);
    assert_eq!(ids(Query { verb: Some("fio".into()), ..Query::default() }).len(), 0);
    assert_eq!(ids(Query { host: Some("vm1".into()), ..Query::default() }).len(), 5);
    assert_eq!(ids(Query { ids: vec![RunId(2), RunId(4)], ..Query::default() }), [4, 2]);
}

#[test]
fn the_same_machine_has_one_row() {
    let (_folder, path) = folder();
    let mut store = Store::open(&path).unwrap();
    (1..=3).for_each(|seed| assert!(keep(&mut store, seed).0 > 0));
    let count = |connection: &Connection| -> i64 {
        connection.query_row("SELECT count(*) FROM machines", [], |row| row.get(0)).unwrap()
    };
    assert_eq!(count(&Connection::open(&path).unwrap()), 1);
    store.delete(&[RunId(1), RunId(2), RunId(3)]).unwrap();
    assert_eq!(count(&Connection::open(&path).unwrap()), 0);
}

#[test]
fn several_write_at_once_and_nothing_is_lost() {
    let (_folder, path) = folder();
    std::thread::scope(|scope| {
        for writer in 0..4_u64 {
            let path = &path;
            scope.spawn(move || {
                // Each opens it by itself, the first of them makes it: as processes do.
                for n in 0..8 {
                    keep(&mut Store::open(path).unwrap(), 100 * writer + n);
                }
            });
        }
    });
    let rows = Store::open_to_read(&path).unwrap().list(&Query::default()).unwrap();
    let mut ids: Vec<i64> = rows.iter().map(|row| row.id.0).collect();
    ids.sort_unstable();
    assert_eq!(ids, (1..=32).collect::<Vec<i64>>());
}

#[test]
fn a_crash_in_the_middle_leaves_the_runs_before() {
    let (folder, path) = folder();
    keep(&mut Store::open(&path).unwrap(), 1);
    // A transaction whose pages are in the log, and whose end is not: what a crash leaves is a copy of the files.
    let half = Connection::open(&path).unwrap();
    half.pragma_update(None, "cache_size", 2).unwrap();
    half.execute_batch("BEGIN IMMEDIATE").unwrap();
    for n in 0..2_000 {
        let values = format!(
            "INSERT INTO series (run, interval, start_s, end_s, phase, cut_short, iops) VALUES (1, {}, 0, 1, 'counted', 0, 1)",
            n + 1_000
        );
        half.execute_batch(&values).unwrap();
    }
    let after = folder.path().join("after.db");
    fs::copy(&path, &after).unwrap();
    let log = path.with_extension("db-wal");
    assert!(fs::metadata(&log).unwrap().len() > 50_000, "nothing of the half transaction is in the log");
    fs::copy(&log, after.with_extension("db-wal")).unwrap();
    let mut store = Store::open(&after).unwrap();
    let kept = store.get(RunId(1)).unwrap().unwrap();
    assert_eq!(kept.result.series.len(), result(1).series.len());
    assert_eq!(keep(&mut store, 2), RunId(2));
}

#[test]
fn a_store_of_the_first_version_is_brought_up_to_date_with_its_runs() {
    let (_folder, path) = folder();
    let mut store = Store::open(&path).unwrap();
    keep(&mut store, 1);
    drop(store);
    // The second version added two columns, and the third two others.
    let connection = Connection::open(&path).unwrap();
    connection
        .execute_batch(
            "ALTER TABLE runs DROP COLUMN first_of_command; ALTER TABLE runs DROP COLUMN side;
             ALTER TABLE series DROP COLUMN read_latencies; ALTER TABLE series DROP COLUMN write_latencies;
             PRAGMA user_version = 1;",
        )
        .unwrap();
    drop(connection);
    let store = Store::open_to_read(&path).unwrap();
    let rows = store.list(&Query::default()).unwrap();
    assert_eq!((rows.len(), rows[0].first_of_command), (1, RunId(1)));
    // All that was kept is there; of latencies by interval there is nothing to say.
    let mut without = result(1);
    for point in &mut without.series {
        [&mut point.read, &mut point.write]
            .into_iter()
            .flatten()
            .for_each(|figures| figures.latencies.clear());
    }
    let kept = store.get(RunId(1)).unwrap().unwrap();
    assert_eq!(kept.result, RunResult { id: Some("r-1".into()), ..without });
    drop(store);
    // What is kept from now on has them.
    let mut store = Store::open(&path).unwrap();
    keep(&mut store, 2);
    assert_eq!(store.get(RunId(2)).unwrap().unwrap().result.series, result(2).series);
}

#[test]
fn what_is_no_store_or_a_later_one_is_told_and_left_alone() {
    let (folder, path) = folder();
    let error = |path: &Path| Store::open(path).unwrap_err();
    let file = folder.path().join("text");
    fs::write(&file, "a file of text that is long enough to have a header, and is none of a database")
        .unwrap();
    assert!(error(&file).to_string().contains("not an SQLite database"), "{}", error(&file));
    let other = folder.path().join("other.db");
    Connection::open(&other).unwrap().execute_batch("CREATE TABLE runs (run INTEGER)").unwrap();
    assert!(error(&other).to_string().contains("another program's database"));
    assert!(matches!(Store::open_to_read(&path), Err(StoreError::Missing(_))));
    keep(&mut Store::open(&path).unwrap(), 1);
    Connection::open(&path).unwrap().pragma_update(None, "user_version", VERSION + 1).unwrap();
    for opened in [Store::open(&path), Store::open_to_read(&path)] {
        assert!(opened.unwrap_err().to_string().contains("a later version of iobound"));
    }
}

#[test]
fn a_store_that_can_not_be_made_is_an_error_with_the_reason() {
    let (folder, _) = folder();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Store::open(&file.join("results.db")).unwrap_err().to_string();
    assert!(error.contains("cannot create"), "{error}");
}

#[test]
fn what_is_damaged_of_one_run_is_told_and_others_are_read() {
    let (_folder, path) = folder();
    let mut store = Store::open(&path).unwrap();
    keep(&mut store, 1);
    keep(&mut store, 2);
    let connection = Connection::open(&path).unwrap();
    connection.execute_batch("UPDATE histograms SET hdr_v2 = x'00112233' WHERE run = 1").unwrap();
    let error = store.get(RunId(1)).unwrap_err().to_string();
    assert!(error.contains("r-1") && error.contains("no histogram"), "{error}");
    keep(&mut store, 3);
    connection.execute_batch("UPDATE series SET read_latencies = x'80' WHERE run = 3").unwrap();
    let error = store.get(RunId(3)).unwrap_err().to_string();
    assert!(error.contains("r-3") && error.contains("latencies of an interval are damaged"), "{error}");
    assert!(store.get(RunId(2)).unwrap().is_some());
}

#[test]
fn who_only_reads_or_deletes_makes_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.db");
    std::fs::write(&path, "").unwrap();
    for opened in [Store::open_to_read(&path), Store::open_existing(&path)] {
        assert!(matches!(opened, Err(StoreError::NotAStore { .. })), "{opened:?}");
        assert_eq!(std::fs::metadata(&path).unwrap().len(), 0);
    }
    std::fs::remove_file(&path).unwrap();
    for opened in [Store::open_to_read(&path), Store::open_existing(&path)] {
        assert!(matches!(opened, Err(StoreError::Missing(_))), "{opened:?}");
        assert!(!path.exists());
    }
}

#[test]
fn another_programs_database_is_not_touched_not_even_its_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.db");
    let foreign = Connection::open(&path).unwrap();
    foreign.pragma_update(None, "journal_mode", "wal").unwrap();
    foreign.execute_batch("CREATE TABLE a (b); INSERT INTO a VALUES (1);").unwrap();
    foreign.pragma_update(None, "wal_checkpoint", "TRUNCATE").unwrap();
    foreign.execute_batch("INSERT INTO a VALUES (2);").unwrap();
    let log = folder.path().join("results.db-wal");
    let before = (std::fs::read(&path).unwrap(), std::fs::read(&log).unwrap());
    assert!(matches!(Store::open(&path), Err(StoreError::NotAStore { .. })));
    assert_eq!((std::fs::read(&path).unwrap(), std::fs::read(&log).unwrap()), before);
}

/// Another program's database as it lies there after that program was killed, with the end of its name.
fn killed_database(journal: &str, beside: &str) -> (tempfile::TempDir, PathBuf, [Vec<u8>; 2]) {
    let folder = tempfile::tempdir().unwrap();
    let (live, path) = (folder.path().join("live.db"), folder.path().join("results.db"));
    let foreign = Connection::open(&live).unwrap();
    foreign.pragma_update(None, "journal_mode", journal).unwrap();
    foreign.pragma_update(None, "cache_size", 1).unwrap();
    if journal == "delete" {
        foreign.execute_batch("CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(100000)); BEGIN;").unwrap();
        foreign.execute_batch("UPDATE a SET b = randomblob(100000); DROP TABLE a;").unwrap();
    } else {
        foreign.execute_batch("CREATE TABLE a (b); INSERT INTO a VALUES (1);").unwrap();
    }
    let log = |of: &Path| PathBuf::from(format!("{}{beside}", of.display()));
    let content = [std::fs::read(&live).unwrap(), std::fs::read(log(&live)).unwrap()];
    std::fs::write(&path, &content[0]).unwrap();
    std::fs::write(log(&path), &content[1]).unwrap();
    assert!(!content[1].is_empty());
    (folder, path, content)
}

#[test]
fn what_another_program_left_beside_its_database_when_it_was_killed_stays() {
    for (journal, beside) in [("wal", "-wal"), ("delete", "-journal")] {
        let (folder, path, before) = killed_database(journal, beside);
        let log = folder.path().join(format!("results.db{beside}"));
        type Opener = fn(&Path) -> Result<Store, StoreError>;
        for open in [Store::open as Opener, Store::open_existing, Store::open_to_read] {
            let opened = open(&path);
            assert!(matches!(opened, Err(StoreError::NotAStore { .. })), "{journal}: {opened:?}");
            assert_eq!([std::fs::read(&path).unwrap(), std::fs::read(&log).unwrap()], before, "{journal}");
        }
    }
}

#[test]
fn another_programs_log_stays_though_its_database_is_away_or_empty() {
    for is_empty in [false, true] {
        let (folder, path, before) = killed_database("wal", "-wal");
        let log = folder.path().join("results.db-wal");
        std::fs::remove_file(&path).unwrap();
        if is_empty {
            std::fs::write(&path, "").unwrap();
        }
        for opened in [Store::open(&path).map(drop), Store::check(&path)] {
            assert!(matches!(opened, Err(StoreError::NotAStore { .. })), "{opened:?}");
        }
        assert!(Store::open_to_read(&path).is_err() && Store::open_existing(&path).is_err());
        assert_eq!(path.exists(), is_empty);
        assert_eq!(std::fs::read(&log).unwrap(), before[1]);
        assert!(!folder.path().join("results.db-shm").exists());
    }
}

#[test]
fn a_check_finds_another_programs_database_in_its_log_and_changes_nothing() {
    let (folder, path, before) = killed_database("wal", "-wal");
    let refused = Store::check(&path);
    assert!(matches!(&refused, Err(StoreError::NotAStore { .. })), "{refused:?}");
    assert_eq!(std::fs::read(&path).unwrap(), before[0]);
    assert!(!folder.path().join("results.db-shm").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_beside_a_store_that_is_not_sqlites_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.db");
    keep(&mut Store::open(&path).unwrap(), 1);
    for ending in ["-wal", "-shm", "-journal"] {
        let notes = PathBuf::from(format!("{}{ending}", path.display()));
        std::fs::write(&notes, "my notes on this store").unwrap();
        for opened in [Store::open(&path), Store::open_existing(&path), Store::open_to_read(&path)] {
            assert!(
                matches!(&opened, Err(StoreError::NotAStore { what, .. }) if what.contains(ending)),
                "{opened:?}"
            );
        }
        assert_eq!(std::fs::read_to_string(&notes).unwrap(), "my notes on this store");
        std::fs::remove_file(&notes).unwrap();
    }
    assert!(Store::open(&path).is_ok());
    let refused = Store::check(Path::new("/proc/self/oom_score_adj"));
    assert!(matches!(&refused, Err(StoreError::NotAStore { .. })), "{refused:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_store_lies_where_no_other_user_can_exchange_its_folder() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let shared = folder.path().join("shared");
    let path = shared.join("mine").join("results.db");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mode = |mode| std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(0o777);
    let refused = Store::open(&path).unwrap_err().to_string();
    assert!(refused.contains("other users can write to it") && refused.contains("shared"), "{refused}");
    assert!(!path.exists());
    // The sticky bit keeps others from renaming it.
    for safe in [0o1777, 0o755] {
        mode(safe);
        keep(&mut Store::open(&path).unwrap(), 1);
    }
    mode(0o777);
    assert!(Store::open_to_read(&path).is_err());
}

#[cfg(target_os = "linux")]
#[test]
fn a_store_is_a_regular_file_and_nothing_beside_it_leads_elsewhere() {
    use std::os::unix::fs::symlink;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("results.db");
    for device in ["/dev/null", "/dev/zero", "/dev/tty"] {
        assert!(matches!(Store::open(Path::new(device)), Err(StoreError::NotAStore { .. })), "{device}");
    }
    let pipe = folder.path().join("pipe");
    rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    assert!(
        matches!(Store::open(&pipe), Err(StoreError::NotAStore { .. })),
        "and nothing waits for a writer"
    );
    let victim = folder.path().join("victim");
    std::fs::write(&victim, "precious").unwrap();
    keep(&mut Store::open(&path).unwrap(), 1);
    for ending in ["-wal", "-shm", "-journal"] {
        let beside = PathBuf::from(format!("{}{ending}", path.display()));
        let _ = std::fs::remove_file(&beside);
        symlink(&victim, &beside).unwrap();
        for opened in [Store::open(&path), Store::open_to_read(&path)] {
            let error = opened.unwrap_err().to_string();
            assert!(error.contains(ending), "{error}");
        }
        std::fs::remove_file(&beside).unwrap();
        std::fs::hard_link(&victim, &beside).unwrap();
        assert!(Store::open(&path).is_err(), "a file with two names");
        std::fs::remove_file(&beside).unwrap();
    }
    assert_eq!(std::fs::read(&victim).unwrap(), b"precious");
    // A link of one's own is followed.
    let link = folder.path().join("link.db");
    symlink(&path, &link).unwrap();
    assert_eq!(Store::open_to_read(&link).unwrap().list(&Query::default()).unwrap().len(), 1);
}
