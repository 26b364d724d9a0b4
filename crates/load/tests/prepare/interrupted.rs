use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_load::prepare::{Leftover, Progress, carry_out};
use iobound_units::Bytes;
use iobound_workload::Content;

use crate::bench::{Bench, MIB, content, mark, read};

/// Carries the bench's plan out, and stops when half of it is written.
fn stop_at_half(bench: &Bench, leftover: Leftover) -> iobound_load::prepare::Unprepared {
    let stop = AtomicBool::new(false);
    let mut watch = |progress: &Progress| {
        assert!(progress.done_in_all <= progress.of_all);
        if progress.done.get() * 2 >= progress.of.get() {
            stop.store(true, Ordering::Relaxed);
        }
    };
    carry_out(&bench.plan(), &bench.machine, leftover, &mut watch, &stop).expect_err("it was stopped")
}

#[test]
fn what_was_stopped_goes_on_where_it_was() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(64 * MIB), false);
    let ended = stop_at_half(&bench, Leftover::Keep);
    assert!(ended.is_stopped() && ended.kept, "{ended}");
    // Eight chunks at most are on their way when it is told of half.
    assert!((32 * MIB as u64..=48 * MIB as u64).contains(&ended.written.get()), "{ended}");
    let left = bench.plan().bytes();
    assert!(left >= Bytes(16 << 20) && left <= Bytes(40 << 20), "{left} are left");
    bench.prepare();
    assert!(read(&bench.path("a")) == content(bench.request.filling, 64 * MIB));
    assert_eq!(mark(&bench.path("a")).map(|mark| mark.filled), Some(64 << 20));
    bench.assert_ready();
}

#[test]
fn a_file_that_was_being_filled_with_something_else_goes_on_with_that() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(64 * MIB), false);
    bench.prepare();
    // Nothing in the file's extents tells what is old and what is new: only the mark does.
    bench.request.filling.content = Content::Counting;
    stop_at_half(&bench, Leftover::Keep);
    assert!(bench.plan().bytes() <= Bytes(40 << 20));
    bench.prepare();
    assert!(read(&bench.path("a")) == content(bench.request.filling, 64 * MIB));
    bench.assert_ready();
}

#[test]
fn a_new_file_that_was_stopped_is_removed_on_request() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(32 * MIB), false);
    let ended = stop_at_half(&bench, Leftover::Remove);
    assert!(ended.is_stopped() && !ended.kept, "{ended}");
    assert_eq!(std::fs::read_dir(bench.folder.path()).expect("the folder is there").count(), 0);
}

/// Variable with the folder of the child of the test below.
const FOLDER: &str = "IOBOUND_TEST_KILLED_IN";

fn bench_in(folder: Option<PathBuf>) -> Bench {
    let mut bench = Bench::new();
    let path = folder.unwrap_or_else(|| bench.folder.path().to_path_buf()).join("a");
    bench.want(path, Some(32 * MIB), false);
    bench
}

/// As the child of the next test: prepares, says so at half, and waits there to be killed.
#[test]
fn half_is_prepared_for_the_test_that_kills() {
    #[expect(clippy::disallowed_methods, reason = "the parent tells its child where")]
    let Ok(folder) = std::env::var(FOLDER) else { return };
    let bench = bench_in(Some(folder.into()));
    let mut watch = |progress: &Progress| {
        if progress.done.get() * 2 >= progress.of.get() {
            let mut out = std::io::stdout();
            writeln!(out, "\nhalf").and_then(|()| out.flush()).expect("the parent listens");
            loop {
                std::thread::park();
            }
        }
    };
    let stop = AtomicBool::new(false);
    carry_out(&bench.plan(), &bench.machine, Leftover::Keep, &mut watch, &stop).expect("it is killed before");
}

#[test]
fn what_was_killed_goes_on_and_is_whole_in_the_end() {
    let bench = bench_in(None);
    let mut child = Command::new(std::env::current_exe().expect("this test has a file"))
        .args(["--exact", "interrupted::half_is_prepared_for_the_test_that_kills", "--nocapture"])
        .env(FOLDER, bench.folder.path())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let output = BufReader::new(child.stdout.take().expect("it is piped"));
    let half = output.lines().map_while(Result::ok).any(|line| line == "half");
    child.kill().expect("it waits for it");
    child.wait().expect("it is gone");
    assert!(half, "the child got to half of it");
    let path = bench.path("a");
    let before = mark(&path).expect("it was marked before its first byte");
    assert!(before.filled < 32 << 20);
    let plan = bench.plan();
    assert!(!plan.is_ready(), "{plan}");
    bench.prepare();
    assert!(read(&path) == content(bench.request.filling, 32 * MIB));
    bench.assert_ready();
}
