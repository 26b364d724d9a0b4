use std::os::unix::fs::FileExt;

use iobound_load::prepare::{Doubt, Filling, What};
use iobound_units::{Bytes, Percent, Span};
use iobound_workload::Content;

use crate::bench::{Bench, MIB, content, mark, read};

#[test]
fn a_folder_gets_a_file_of_its_own_that_is_filled_marked_and_ready_the_next_time() {
    let mut bench = Bench::new();
    bench.want(bench.path(""), Some(5 * MIB), false);
    let plan = bench.plan();
    assert_eq!(plan.bytes(), Bytes(5 * MIB as u64));
    // 5.24 MB at 200 MB/s.
    assert_eq!(plan.takes(), Span::from_ns(26_214_400));
    let path = bench.path("iobound.0.data");
    assert!(!path.exists(), "a survey writes nothing");
    let prepared = bench.prepare();
    assert_eq!((&prepared[0].path, prepared[0].what), (&path, What::New));
    assert_eq!(prepared[0].written, Bytes(5 * MIB as u64));
    assert_eq!(read(&path), content(bench.request.filling, 5 * MIB));
    let mark = mark(&path).expect("it is marked");
    assert_eq!((mark.size, mark.filled, mark.created), (5 << 20, 5 << 20, 1_800_000_000));
    bench.assert_ready();
    let again = bench.prepare();
    assert_eq!((again[0].what, again[0].written), (What::Made, Bytes::ZERO));
    assert_eq!(again[0].identity, prepared[0].identity);
}

#[test]
fn a_size_that_is_no_whole_sector_is_filled_to_its_last_byte() {
    let mut bench = Bench::new();
    let size = MIB + 4096 + 77;
    bench.want(bench.path("odd"), Some(size), false);
    bench.prepare();
    assert_eq!(read(&bench.path("odd")), content(bench.request.filling, size));
    bench.assert_ready();
}

#[test]
fn a_file_made_here_may_be_written_over_and_used_in_part_without_consent() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(3 * MIB), true);
    bench.prepare();
    bench.request.targets[0].size = Some(Bytes(MIB as u64));
    bench.assert_ready();
    assert_eq!(bench.plan().steps()[0].size, Bytes(MIB as u64));
    bench.request.targets[0].size = None;
    assert_eq!(bench.plan().steps()[0].size, Bytes(3 * MIB as u64));
}

#[test]
fn a_file_made_here_grows_by_what_is_missing() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(2 * MIB), false);
    bench.prepare();
    bench.request.targets[0].size = Some(Bytes(5 * MIB as u64));
    assert_eq!(bench.plan().bytes(), Bytes(3 * MIB as u64));
    bench.prepare();
    assert_eq!(read(&bench.path("a")), content(bench.request.filling, 5 * MIB));
    bench.assert_ready();
}

#[test]
fn other_content_is_another_filling_of_the_whole_file_and_another_seed_is_none() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(2 * MIB), false);
    bench.prepare();
    bench.request.filling.seed += 1;
    bench.assert_ready();
    let half = Content::Compressible(Percent::whole(50).expect("a share"));
    bench.request.filling = Filling { content: half, ..bench.request.filling };
    assert_eq!(bench.plan().bytes(), Bytes(2 * MIB as u64));
    bench.prepare();
    assert_eq!(read(&bench.path("a")), content(bench.request.filling, 2 * MIB));
    bench.assert_ready();
}

#[test]
fn made_anew_as_it_is_means_nothing_to_do_and_another_size_exactly_that() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(3 * MIB), true).recreate = true;
    bench.prepare();
    // What was conditioned before stays so: DiskSpd's -c in every step of a series would undo it.
    bench.assert_ready();
    bench.request.targets[0].size = Some(Bytes(2 * MIB as u64));
    assert_eq!(bench.plan().bytes(), Bytes::ZERO);
    bench.prepare();
    assert_eq!(read(&bench.path("a")), content(bench.request.filling, 2 * MIB));
    bench.assert_ready();
}

#[test]
fn one_folder_named_twice_gets_two_files_and_one_file_named_twice_is_written_once() {
    let mut bench = Bench::new();
    bench.want(bench.path(""), Some(MIB), false);
    bench.want(bench.path("."), Some(MIB), false);
    bench.want(bench.path("a"), Some(MIB), false);
    bench.want(bench.path("./a"), Some(2 * MIB), false);
    let plan = bench.plan();
    assert_eq!(plan.bytes(), Bytes(4 * MIB as u64), "{plan}");
    assert_eq!(plan.steps()[3].same_as, Some(2));
    let prepared = bench.prepare();
    assert_eq!(prepared.len(), 4);
    assert!(bench.path("iobound.0.data").exists() && bench.path("iobound.1.data").exists());
    assert_eq!(prepared[3].identity, prepared[2].identity);
    assert_eq!(prepared[3].size, Bytes(2 * MIB as u64));
    bench.assert_ready();
}

#[test]
fn zeros_and_memory_beneath_a_target_are_doubts_and_with_strict_refusals() {
    let mut bench = Bench::new();
    let path = bench.foreign("zeros", &vec![0; MIB]);
    // Of a file that lies there as zeros, holes know nothing.
    std::fs::File::open(&path).and_then(|file| file.sync_all()).expect("it is kept");
    bench.want(path.clone(), None, false);
    bench.machine.backing.memory = Some("zram0 is memory".to_string());
    let plan = bench.plan();
    let doubts = &plan.steps()[0].doubts;
    assert!(doubts.contains(&Doubt::InMemory("zram0 is memory".to_string())), "{plan}");
    assert!(doubts.iter().any(|doubt| matches!(doubt, Doubt::Zeros(_))), "{plan}");
    assert!(plan.to_string().contains("256 of 256 sampled blocks hold zeros"), "{plan}");
    bench.request.strict = true;
    assert_eq!(bench.survey().expect_err("it is refused").0.len(), 2);
    let file = std::fs::File::options().write(true).open(&path).expect("it is there");
    file.write_all_at(&content(bench.request.filling, MIB), 0).expect("it takes data");
    bench.machine.backing.memory = None;
    assert_eq!(bench.plan().steps()[0].doubts, []);
}

/// The emulator's reads pass its model whatever was written: zeros are no sign that the disk was spared.
#[test]
fn zeros_of_an_emulated_disk_are_no_doubt() {
    let mut bench = Bench::new();
    let path = bench.foreign("zeros", &vec![0; MIB]);
    std::fs::File::open(&path).and_then(|file| file.sync_all()).expect("it is kept");
    bench.want(path, None, false);
    assert!(!bench.plan().steps()[0].emulated);
    bench.machine.backing.emulated = true;
    bench.request.strict = true;
    let plan = bench.plan();
    assert_eq!(
        (plan.steps()[0].emulated, plan.steps()[0].doubts.as_slice()),
        (true, [].as_slice()),
        "{plan}"
    );
}

#[test]
fn a_plan_says_what_is_written_for_how_long_and_what_stays_free() {
    let mut bench = Bench::new();
    bench.want(bench.path("a"), Some(2000 * MIB), false);
    let text = bench.plan().to_string();
    assert!(text.contains("a  new file, 2000 MiB; 2000 MiB to write, about 10.5 s"), "{text}");
    assert!(text.contains("stay free"), "{text}");
    assert!(text.ends_with("in all 2000 MiB to write, about 10.5 s at 200 MB/s, assumed"), "{text}");
}
