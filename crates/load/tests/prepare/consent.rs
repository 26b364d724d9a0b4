use std::os::unix::fs::FileExt;

use std::path::Path;
use std::sync::atomic::AtomicBool;

use iobound_load::prepare::{Backing, Because, Cause, Guard, Leftover, Wanted, What, carry_out, survey};
use iobound_machine::World;
use iobound_units::{Bytes, Problem};

use crate::bench::{Bench, MIB, content, mark, read};

#[test]
fn what_exists_is_written_over_by_nobody_who_did_not_name_it_twice() {
    let mut bench = Bench::new();
    let path = bench.foreign("precious", &[7; 10_000]);
    bench.want(path.clone(), None, true);
    let refusal = bench.refused(Because::NoConsent);
    assert!(refusal.help.contains(&format!("--overwrite {}", path.display())), "{refusal}");
    assert!(bench.survey().expect_err("it is refused").is_safety());
    bench.request.overwrite.push(path.clone());
    bench.prepare();
    assert_eq!(read(&path), [7; 10_000], "preparation has nothing to write: it is written already");
    assert_eq!(mark(&path), None, "consent is for this run, and the file stays somebody's");
    bench.request.overwrite.clear();
    bench.refused(Because::NoConsent);
}

#[test]
fn reading_what_exists_needs_no_consent() {
    let mut bench = Bench::new();
    let path = bench.foreign("precious", &content(bench.request.filling, MIB));
    bench.want(path.clone(), None, false);
    bench.assert_ready();
    assert_eq!(bench.prepare()[0].what, What::Foreign);
}

#[test]
fn consent_is_for_the_file_whatever_it_is_called() {
    let mut bench = Bench::new();
    let path = bench.foreign("precious", &[7; 10_000]);
    let (link, hard) = (bench.path("link"), bench.path("hard"));
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    std::fs::hard_link(&path, &hard).expect("a link");
    bench.want(path.clone(), None, true);
    for name in [&link, &hard, &bench.path("./precious")] {
        bench.request.overwrite = vec![name.clone()];
        bench.assert_ready();
    }
    let other = bench.foreign("other", &[7; 10_000]);
    bench.request.overwrite = vec![other];
    let refused = bench.survey().expect_err("it is another file");
    let because: Vec<Because> = refused.0.iter().map(|refusal| refusal.because).collect();
    assert_eq!(because, [Because::Misnamed, Because::NoConsent]);
}

#[test]
fn consent_to_what_is_no_target_is_a_mistake_and_to_what_is_not_there_yet_is_none() {
    let mut bench = Bench::new();
    bench.want(bench.path("new"), Some(MIB), true);
    bench.request.overwrite = vec![bench.path("new")];
    assert!(!bench.plan().is_ready());
    bench.request.overwrite = vec![bench.path("gnu")];
    let refusal = bench.refused(Because::Misnamed);
    assert!(refusal.help.contains("/new"), "{refusal}");
    bench.request.overwrite = vec![bench.folder.path().to_path_buf()];
    bench.refused(Because::Misnamed);
}

#[test]
fn what_the_guard_forbids_no_consent_allows() {
    let mut bench = Bench::new();
    let path = bench.foreign("swap", &[7; 10_000]);
    bench.want(path.clone(), None, true);
    bench.request.overwrite.push(path);
    bench.machine.denied = Some(Problem { what: "it is swapped to".into(), help: "swapoff it".into() });
    let refusal = bench.refused(Because::Guarded);
    assert!(refusal.to_string().contains("it is swapped to; swapoff it"), "{refusal}");
    bench.request.targets[0].writes = false;
    bench.request.overwrite.clear();
    bench.assert_ready();
}

#[test]
fn the_guard_is_asked_again_right_before_writing() {
    let mut bench = Bench::new();
    let path = bench.foreign("sparse", &[]);
    std::fs::File::options().write(true).open(&path).and_then(|file| file.set_len(1 << 20)).expect("a hole");
    bench.want(path.clone(), None, true);
    bench.request.overwrite.push(path.clone());
    let plan = bench.plan();
    bench.machine.denied = Some(Problem { what: "it is swapped to".into(), help: "swapoff it".into() });
    let ended = bench.carry_out(&plan).expect_err("it changed");
    assert!(matches!(ended.cause, Cause::Changed(_)), "{ended}");
    assert!(read(&path).iter().all(|byte| *byte == 0));
}

#[test]
fn holes_in_somebody_elses_file_are_refused_and_filled_with_consent_around_its_data() {
    let mut bench = Bench::new();
    let path = bench.foreign("sparse", &[]);
    let file = std::fs::File::options().write(true).open(&path).expect("it is there");
    file.set_len(4 * MIB as u64).expect("it is sparse");
    file.write_all_at(&vec![9; MIB], MIB as u64).expect("it takes data");
    file.sync_all().expect("it is kept");
    bench.want(path.clone(), None, false);
    let refusal = bench.refused(Because::Unwritten);
    assert!(refusal.found.contains("3 MiB of the 4 MiB to be read were never written"), "{refusal}");
    bench.request.overwrite.push(path.clone());
    let plan = bench.plan();
    assert_eq!((plan.bytes(), plan.rooms()[0].needed), (Bytes(3 << 20), Bytes(3 << 20)));
    bench.prepare();
    let mut expected = content(bench.request.filling, 4 * MIB);
    expected[MIB..2 * MIB].fill(9);
    assert_eq!(read(&path), expected);
    bench.request.overwrite.clear();
    bench.assert_ready();
    // A part that is written could have been read from the first.
}

#[test]
fn a_file_of_somebody_else_is_made_anew_only_with_consent_and_is_ours_then() {
    let mut bench = Bench::new();
    let path = bench.foreign("precious", &[7; 10_000]);
    bench.want(path.clone(), Some(2 * MIB), true).recreate = true;
    bench.refused(Because::NoConsent);
    bench.request.overwrite.push(path.clone());
    bench.prepare();
    assert_eq!(read(&path), content(bench.request.filling, 2 * MIB));
    bench.request.overwrite.clear();
    bench.assert_ready();
}

#[test]
fn a_copy_of_a_file_made_here_is_somebodys() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(MIB), true);
    bench.prepare();
    let copied = std::process::Command::new("cp")
        .args(["--preserve=all", "a", "b"])
        .current_dir(bench.folder.path())
        .status()
        .expect("cp is there");
    assert!(copied.success());
    bench.want(bench.path("b"), None, true);
    bench.refused(Because::NoConsent);
    // Renamed, it is the same file.
    std::fs::rename(bench.path("a"), bench.path("b")).expect("it can be renamed");
    bench.request.targets.remove(0);
    bench.assert_ready();
}

#[test]
fn a_file_that_took_the_place_of_another_after_the_look_is_left_alone() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(MIB), true);
    let plan = bench.plan();
    let path = bench.foreign("a", b"meanwhile");
    let ended = bench.carry_out(&plan).expect_err("somebody was first");
    assert!(ended.to_string().contains("another process created a file with that name since"), "{ended}");
    assert_eq!(read(&path), b"meanwhile");

    bench.request.overwrite.push(path.clone());
    bench.request.targets[0].size = Some(Bytes(2 << 20));
    let plan = bench.plan();
    std::fs::rename(&path, bench.path("old")).expect("it can be renamed");
    bench.foreign("a", b"another");
    let ended = bench.carry_out(&plan).expect_err("it is another file");
    assert!(ended.to_string().contains("another file has replaced it since"), "{ended}");
    assert_eq!(read(&path), b"another");
}

/// With the guard of this machine: what holds on every machine.
#[test]
fn the_machine_itself_is_a_guard() {
    let machine = World::real();
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(MIB), true);
    let stop = AtomicBool::new(false);
    let plan = survey(&bench.request, &machine).unwrap_or_else(|refused| panic!("{refused}"));
    let prepared = carry_out(&plan, &machine, Leftover::Keep, &mut |_| (), &stop);
    assert_eq!(prepared.unwrap_or_else(|ended| panic!("{ended}")).len(), 1);
    let again = survey(&bench.request, &machine).unwrap_or_else(|refused| panic!("{refused}"));
    assert!(again.is_ready(), "{again}");
    // Whoever asks for it: files of the kernel are no targets.
    bench.request.targets = vec![Wanted { size: Some(Bytes(1 << 20)), ..Wanted::read("/proc/iobound.data") }];
    let refused = survey(&bench.request, &machine).expect_err("it is the kernel's");
    assert_eq!(refused.0[0].because, Because::Guarded, "{refused}");
    assert_eq!(machine.backing(Path::new("/proc")), Backing::default());
}

#[test]
fn a_plan_names_the_file_system_that_would_be_lost_and_only_where_it_would_be() {
    let mut bench = Bench::new();
    let path = bench.foreign("image", &[7; 10_000]);
    bench.machine.lost = vec!["image (9.8 KiB): an ext4 file system, label \"data\"".to_string()];
    bench.want(path.clone(), None, false);
    assert!(!bench.plan().to_string().contains("lost"), "it is only read");
    bench.request.targets[0].writes = true;
    bench.request.overwrite.push(path);
    let plan = bench.plan();
    assert_eq!(plan.steps()[0].lost, bench.machine.lost);
    assert!(
        plan.to_string().contains("\n  lost   image (9.8 KiB): an ext4 file system, label \"data\"\n"),
        "{plan}"
    );
}
