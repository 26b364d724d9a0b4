//! A file is ours only while it holds what was written here.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;

use iobound_load::prepare::{Because, Mark, Payload, Prepared, What};
use iobound_units::Bytes;

use crate::bench::{Bench, MIB, content, mark, read};

/// A file of 4 MiB that was made here and is used by a workload that writes.
fn made() -> Bench {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(4 * MIB), true);
    bench.prepare();
    bench.request.targets[0].size = None;
    bench.assert_ready();
    bench
}

fn change(bench: &Bench, change: impl FnOnce(&File)) {
    change(&File::options().read(true).write(true).open(bench.path("a")).expect("it is there"));
}

/// Check that the file is foreign now, to writers and to readers, and that nothing is written to it.
fn assert_foreign(mut bench: Bench, why: &str) {
    let before = read(&bench.path("a"));
    let refusal = bench.refused(Because::NoConsent);
    assert!(refusal.found.contains(why), "{refusal}");
    assert!(refusal.help.contains("--overwrite"), "{refusal}");
    bench.request.targets[0].writes = false;
    match bench.survey() {
        Ok(plan) => {
            assert_eq!((plan.bytes(), plan.steps()[0].what), (Bytes::ZERO, What::Foreign), "{plan}");
            bench.prepare();
        }
        Err(refused) => assert_eq!(refused.0[0].because, Because::Unwritten, "{refused}"),
    }
    assert!(read(&bench.path("a")) == before);
    bench.request.targets[0].writes = true;
    bench.request.overwrite.push(bench.path("a"));
    bench.plan();
}

#[test]
fn a_database_that_was_copied_over_a_file_made_here_is_somebodys() {
    // Of the same size, and of another.
    for size in [4 * MIB, 3 * MIB] {
        let bench = made();
        let database = bench.foreign("database", &vec![0xdb; size]);
        let copied = Command::new("cp").arg(&database).arg(bench.path("a")).status().expect("cp is there");
        assert!(copied.success());
        assert!(mark(&bench.path("a")).is_some(), "cp keeps the inode and its attributes");
        assert_foreign(bench, "but ");
    }
}

#[test]
fn a_file_system_that_was_made_in_it_is_somebodys() {
    let bench = made();
    change(&bench, |file| file.write_all_at(&[0x53; 200], 1024).expect("a superblock"));
    assert_foreign(bench, "it was modified after the last run");
}

#[test]
fn content_counts_even_if_the_modification_time_was_set_back() {
    let bench = made();
    let was = std::fs::metadata(bench.path("a")).and_then(|facts| facts.modified()).expect("a time");
    change(&bench, |file| {
        file.write_all_at(&vec![0xdb; 4 * MIB], 0).expect("it takes data");
        file.set_modified(was).expect("it is ours");
    });
    assert_foreign(bench, "its content differs from what the last run wrote");
}

#[test]
fn a_file_that_was_grown_or_cut_is_somebodys() {
    let bench = made();
    change(&bench, |file| file.write_all_at(&vec![0xdb; 4 * MIB], 4 * MIB as u64).expect("more data"));
    assert_foreign(bench, "its size was 4194304 bytes");
    let bench = made();
    change(&bench, |file| file.set_len(8 * MIB as u64).expect("a hole at its end"));
    assert_foreign(bench, "its size was 4194304 bytes");
    let bench = made();
    change(&bench, |file| file.set_len(3 * MIB as u64).expect("it can be cut"));
    assert_foreign(bench, "its size was 4194304 bytes");
}

#[test]
fn a_single_sector_in_the_middle_is_noticed() {
    let bench = made();
    change(&bench, |file| file.write_all_at(&[1; 512], 2 * MIB as u64 + 512).expect("it takes data"));
    assert_foreign(bench, "it was modified");
}

/// Writes as a run does, from its own buffers, at multiples of 8 KiB.
fn write_as_a_run(bench: &Bench, prepared: &[Prepared]) {
    let file = prepared[0].handle.reopen(iobound_machine::open::Access::READ_WRITE).expect("it is there");
    let payload = Payload::new(bench.request.filling);
    let mut buffer = vec![0; 8192];
    for n in 0..400u64 {
        payload.fill(n % 32, &mut buffer);
        let at = n * 7 % 512 * 8192;
        payload.refresh(n * 2, at, &mut buffer);
        file.write_all_at(&buffer, at).expect("it takes data");
    }
}

#[test]
fn what_a_run_wrote_is_known_the_next_time() {
    let bench = made();
    let prepared = bench.prepare();
    let marked = Mark::read(&prepared[0].handle).expect("it is marked");
    assert!(marked.seal.is_none(), "a run may be writing to it");
    // Anything at all: what counts is that the run wrote it.
    let file = prepared[0].handle.reopen(iobound_machine::open::Access::READ_WRITE).expect("it is there");
    file.write_all_at(&vec![0x11; MIB], 0).expect("it takes data");
    drop(file);
    drop(prepared);
    bench.assert_ready();
    assert_eq!(bench.plan().steps()[0].what, What::Made);
}

#[test]
fn after_a_kill_our_own_blocks_are_known_and_others_are_asked_about() {
    let bench = made();
    let prepared = bench.prepare();
    write_as_a_run(&bench, &prepared);
    // Killed: nothing was dropped.
    std::mem::forget(prepared);
    bench.assert_ready();
    let prepared = bench.prepare();
    std::mem::forget(prepared);
    change(&bench, |file| file.write_all_at(&vec![0xdb; 2 * MIB], 0).expect("a database"));
    assert_foreign(bench, "the run that wrote it was killed");
}

#[test]
fn a_file_that_is_only_read_keeps_its_mark() {
    let mut bench = made();
    bench.request.targets[0].writes = false;
    let before = mark(&bench.path("a")).expect("it is marked");
    let prepared = bench.prepare();
    assert!(prepared[0].unsealed.is_none());
    assert_eq!(mark(&bench.path("a")), Some(before));
    assert_eq!(read(&bench.path("a")), content(bench.request.filling, 4 * MIB));
}

#[test]
fn a_file_in_a_directory_that_others_can_write_to_is_asked_about() {
    use std::os::unix::fs::PermissionsExt;
    let bench = made();
    for mode in [0o777, 0o1777, 0o770] {
        let permissions = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(bench.folder.path(), permissions).expect("it is ours");
        let refusal = bench.refused(Because::NoConsent);
        assert!(refusal.found.contains("other users can write to it"), "{refusal}");
    }
    std::fs::set_permissions(bench.folder.path(), std::fs::Permissions::from_mode(0o700))
        .expect("it is ours");
    bench.assert_ready();
}

#[test]
fn a_file_of_two_names_is_asked_about() {
    let bench = made();
    std::fs::hard_link(bench.path("a"), bench.path("b")).expect("a second name");
    assert!(bench.refused(Because::NoConsent).found.contains("2 names"));
    std::fs::remove_file(bench.path("b")).expect("it is there");
    bench.assert_ready();
    assert!(Path::new(&bench.path("a")).exists());
}

#[test]
fn a_file_that_another_process_opens_while_a_run_writes_is_asked_about() {
    let bench = made();
    let prepared = bench.prepare();
    write_as_a_run(&bench, &prepared);
    // Outside all that samples look at.
    change(&bench, |file| file.write_all_at(b"row", 3 * MIB as u64 + 4321).expect("it takes data"));
    drop(prepared);
    assert_foreign(bench, "another process opened it while a run wrote to it");
}

#[test]
fn a_file_that_another_process_opens_between_the_look_and_the_run_is_asked_about() {
    let bench = made();
    let plan = bench.plan();
    change(&bench, |file| file.write_all_at(b"row", 3 * MIB as u64 + 4321).expect("it takes data"));
    let prepared = bench.carry_out(&plan).expect("it was looked at before");
    write_as_a_run(&bench, &prepared);
    drop(prepared);
    assert_foreign(bench, "another process opened it while a run wrote to it");
}
