use std::path::{Path, PathBuf};

use iobound_load::prepare::{Because, Cause, Unprepared};
use iobound_units::Bytes;

use crate::bench::{Bench, MIB};

#[test]
fn what_does_not_fit_is_refused_before_a_byte_is_written() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(1 << 60), false);
    let refusal = bench.refused(Because::NoSpace);
    assert!(refusal.found.starts_with("1048576 TiB would be written"), "{refusal}");
    assert!(refusal.help.contains("--size"), "{refusal}");
    assert!(!bench.path("a").exists());
}

#[test]
fn each_thing_that_is_no_target_is_called_by_its_name() {
    let bench = Bench::new();
    let fifo = bench.path("fifo");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &fifo,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::from_raw_mode(0o600),
        0,
    )
    .expect("a pipe");
    let socket = bench.path("socket");
    let _bound = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
    let dangling = bench.path("dangling");
    std::os::unix::fs::symlink(bench.path("nothing"), &dangling).expect("a link");
    let cases: [(PathBuf, &str); 7] = [
        (fifo, "a named pipe"),
        (socket, "a socket"),
        ("/dev/null".into(), "a character device"),
        (dangling, "a symbolic link to a missing file"),
        (bench.path("no/folder"), "no does not exist"),
        (bench.path("no/"), "there is no such folder"),
        (Path::new("/dev/sdzzzz").into(), "there is no such device"),
    ];
    for (path, found) in cases {
        let mut bench = Bench::new();
        bench.want(path, Some(MIB), false);
        let refusal = bench.refused(Because::Unsuitable);
        assert!(refusal.found.contains(found), "{refusal}");
        assert!(!refusal.help.is_empty());
    }
}

#[test]
fn a_new_file_needs_a_size_from_somebody() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), None, false);
    bench.refused(Because::NoSize);
    bench.request.new_size = Some(Bytes(MIB as u64));
    assert_eq!(bench.plan().bytes(), Bytes(MIB as u64));
}

#[test]
fn a_target_that_is_too_small_is_refused() {
    let mut bench = Bench::new();
    let path = bench.foreign("small", &[7; 5000]);
    bench.want(path.clone(), None, false).least = Bytes(8192);
    let refusal = bench.refused(Because::TooSmall);
    assert!(refusal.found.contains("needs at least 8 KiB"), "{refusal}");
    bench.request.targets[0].least = Bytes::ZERO;
    bench.request.targets[0].size = Some(Bytes(9000));
    let refusal = bench.refused(Because::Unsuitable);
    assert!(refusal.help.contains(&format!("--overwrite {}", path.display())), "{refusal}");
    let empty = bench.foreign("empty", &[]);
    bench.request.targets.clear();
    bench.want(empty, None, false);
    assert!(bench.refused(Because::NoSize).found.contains("empty"));
}

#[test]
fn everything_that_stands_against_a_run_is_said_at_once() {
    let mut bench = Bench::new();
    bench.want(bench.path("no/folder"), Some(MIB), false);
    bench.want(bench.foreign("precious", &[7; 5000]), None, true);
    bench.want(bench.path("huge"), Some(1 << 60), false);
    let refused = bench.survey().expect_err("all of it is refused");
    assert_eq!(refused.0.len(), 3, "{refused}");
    assert!(refused.is_safety(), "one of them protects data");
}

#[test]
fn a_disk_that_is_full_or_fails_is_said_so() {
    for (code, help) in [(28, "free some space"), (5, "dmesg"), (27, "smaller --size")] {
        let error = std::io::Error::from_raw_os_error(code);
        let ended = Unprepared {
            path: "/data/a".into(),
            cause: Cause::Io { doing: "writing", offset: 12_345, error },
            written: Bytes(3 << 20),
            wanted: Bytes(5 << 20),
            kept: true,
        };
        let text = ended.to_string();
        assert!(text.contains(help) && text.contains("at byte 12345"), "{text}");
        assert!(text.contains("3 MiB of 5 MiB were written, and the next run goes on"), "{text}");
    }
}

#[test]
fn sizes_that_no_number_holds_together_are_refused_too() {
    let mut bench = Bench::new();
    for name in ["a", "b", "c"] {
        bench.want(bench.path(name), Some(usize::MAX), false);
    }
    bench.refused(Because::NoSpace);
}

#[test]
fn a_name_in_advice_can_be_pasted_into_a_shell() {
    let name = "my $(touch x) data";
    let mut bench = Bench::new();
    let path = bench.foreign(name, &[1; 4_096]);
    bench.want(path.clone(), None, true);
    let refusal = bench.refused(Because::NoConsent);
    let quoted = format!("--overwrite '{}'", path.display());
    assert!(refusal.help.contains(&quoted), "{refusal}");
}
