//! What fio's words mean, seen in what `iobound fio` does: files, verification, logs.
#![cfg(all(feature = "load", target_os = "linux"))]
#![allow(clippy::disallowed_methods, reason = "tests read and write the files that a run uses")]

mod common;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::Stdio;

use common::{Ran, beside_others as command, json};
use serde_json::Value;
use tempfile::{TempDir, tempdir};

/// Runs `iobound fio` in this folder.
fn fio(folder: &TempDir, words: &[&str]) -> Ran {
    let all: Vec<&str> = ["fio", "--results", "off", "--output-format=json"]
        .into_iter()
        .chain(words.iter().copied())
        .collect();
    common::ran(command(&all).current_dir(folder.path()).output().unwrap())
}

/// The jobs of a run that ended well.
fn jobs(folder: &TempDir, words: &[&str]) -> Vec<Value> {
    let ran = fio(folder, words);
    assert_eq!(ran.code, 0, "{words:?}: {ran:?}");
    json(&ran)["jobs"].as_array().unwrap().clone()
}

/// The error of the first job, however the run ended.
fn error_of(ran: &Ran) -> Value {
    let document: Value = serde_json::from_str(&ran.out).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    document["jobs"][0]["error"].clone()
}

fn size(folder: &TempDir, name: &str) -> u64 {
    fs::metadata(folder.path().join(name)).map_or(0, |file| file.len())
}

#[test]
fn every_filename_is_a_file_of_the_job() {
    let folder = tempdir().unwrap();
    let done = jobs(&folder, &["--filename=g", "--rw=write", "--size=2m", "--name=a", "--filename=x"]);
    assert_eq!(done[0]["write"]["io_bytes"], 2 << 20);
    assert_eq!((size(&folder, "g"), size(&folder, "x")), (1 << 20, 1 << 20));
}

#[test]
fn jobs_at_different_offsets_share_a_new_file() {
    let folder = tempdir().unwrap();
    let words = ["--filename=x", "--rw=write", "--size=1m", "--name=a", "--name=b", "--offset=1m"];
    let done = jobs(&folder, &words);
    assert_eq!((done.len(), size(&folder, "x")), (2, 2 << 20));
    // What exists says its own size, also to `run`.
    let read = jobs(&folder, &["--name=r", "--filename=x", "--size=100%"]);
    assert_eq!(read[0]["read"]["io_bytes"], 2 << 20);
    let read = jobs(&folder, &["--name=r", "--filename=x", "--offset=50%"]);
    assert_eq!(read[0]["read"]["io_bytes"], 1 << 20);
    let path = folder.path().join("x").display().to_string();
    let line = format!("fio --name=r --filename={path} --size=100%");
    let ran = common::ran(command(&["run", "--results", "off", "--json", "--fio", &line]).output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
}

#[test]
fn the_null_engine_touches_no_file() {
    let folder = tempdir().unwrap();
    let words = ["--name=a", "--ioengine=null", "--size=64m", "--rw=randrw", "--iodepth=8"];
    let done = jobs(&folder, &words);
    let moved = |way: &str| done[0][way]["io_bytes"].as_u64().unwrap();
    assert_eq!(moved("read") + moved("write"), 64 << 20);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

/// fio 3.33 prints the report up to now at each interval, in each form that is asked for, and at the end.
#[test]
fn status_interval_repeats_the_report_while_the_run_goes_on() {
    let folder = tempdir().unwrap();
    let words =
        ["--name=a", "--size=1m", "--rw=randread", "--ioengine=null", "--rate_iops=400", "--time_based"];
    let more = ["--runtime=900ms", "--status-interval=300ms", "--name=b", "--stonewall", "--size=4k"];
    let all: Vec<&str> = words.into_iter().chain(more).collect();
    let ran = fio(&folder, &all);
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{ran:?}");
    let documents: Vec<Value> =
        serde_json::Deserializer::from_str(&ran.out).into_iter().collect::<Result<_, _>>().unwrap();
    // At 300 and 600 ms, and at the end; a slow machine has more intervals.
    assert!(documents.len() >= 3, "{} documents", documents.len());
    let ios = |document: &Value, job: usize| document["jobs"][job]["read"]["total_ios"].as_u64().unwrap();
    let counts: Vec<u64> = documents.iter().map(|document| ios(document, 0)).collect();
    assert!(counts.is_sorted() && counts[0] > 0 && counts[0] < counts[2], "{counts:?}");
    assert_eq!((ios(&documents[0], 1), documents[0]["jobs"][1]["jobname"].as_str()), (0, Some("b")));
    assert!(documents[0]["jobs"][0]["eta"].as_u64().unwrap() > 0);
    let last = documents.last().unwrap();
    assert_eq!((ios(last, 1), &last["jobs"][0]["eta"]), (1, &Value::from(0)));
    // A file gets the same, from the opening on.
    let ran = fio(&folder, &[&all[..], &["--output-format=normal", "--output=report"]].concat());
    assert_eq!((ran.code, ran.out.as_str()), (0, ""), "{ran:?}");
    let text = fs::read_to_string(folder.path().join("report")).unwrap();
    assert_eq!(text.matches("Starting 2 threads").count(), 1, "{text}");
    assert!(text.matches("\na: (groupid=0, jobs=1)").count() >= 3, "{text}");
}

#[test]
fn ranges_are_synced_after_every_nth_write() {
    let folder = tempdir().unwrap();
    let words = ["--name=a", "--rw=write", "--size=64k", "--bs=4k", "--sync_file_range=write,wait_after:4"];
    for engine in ["psync", "io_uring", "libaio"] {
        let ioengine = format!("--ioengine={engine}");
        let done = jobs(&folder, &[&words[..], &[&ioengine]].concat());
        assert_eq!((&done[0]["write"]["total_ios"], &done[0]["sync"]["total_ios"]), (&16.into(), &3.into()));
    }
    let ran = fio(&folder, &[&words[..], &["--fsync=2"]].concat());
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("keep one of them"), "{}", ran.err);
}

/// A file of 16 blocks of 4 KiB that fio 3.33 writes with `--verify=pattern --verify_pattern=0xdead%o"x"`: each block begins
/// the pattern anew, with its own offset in it.
fn blocks_of_fio() -> Vec<u8> {
    let once = |offset: u64| [&[0xde, 0xad][..], &offset.to_le_bytes(), b"x"].concat();
    (0..16).flat_map(|block| once(block * 4_096).into_iter().cycle().take(4_096)).collect()
}

const PATTERN: [&str; 4] = ["--bs=4k", "--size=64k", "--verify=pattern", "--verify_pattern=0xdead%o\"x\""];

#[test]
fn reads_are_compared_with_the_pattern_that_fio_writes() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("x");
    let read = |rw: &str| fio(&folder, &[&["--name=a", "--filename=x", rw], &PATTERN[..]].concat());
    fs::write(&file, blocks_of_fio()).unwrap();
    for rw in ["--rw=read", "--rw=randread"] {
        let ran = read(rw);
        assert_eq!((ran.code, error_of(&ran)), (0, Value::from(0)), "{ran:?}");
        assert_eq!(json(&ran)["jobs"][0]["read"]["total_ios"], 16);
    }
    let mut damaged = blocks_of_fio();
    damaged[8_195] ^= 0x10;
    fs::write(&file, &damaged).unwrap();
    for rw in ["--rw=read", "--rw=randread"] {
        let ran = read(rw);
        assert_eq!((ran.code, error_of(&ran)), (4, Value::from(84)), "{ran:?}");
        // The offset of the third block is 0x2000, and its second byte is byte 3 of the block.
        assert!(ran.err.contains("got pattern '30', wanted '20'"), "{}", ran.err);
        assert!(
            ran.err.contains("pattern: verify failed at file") && ran.err.contains("offset 8192"),
            "{}",
            ran.err
        );
    }
    // A block of another place is not this one's.
    let mut moved = blocks_of_fio();
    moved.copy_within(4_096..8_192, 12_288);
    fs::write(&file, &moved).unwrap();
    assert_eq!(error_of(&read("--rw=read")), 84);
}

#[test]
fn blocks_with_a_pattern_hold_nothing_else() {
    let folder = tempdir().unwrap();
    for rw in ["--rw=write", "--rw=randwrite"] {
        let words = [&["--name=a", "--filename=x", rw], &PATTERN[..]].concat();
        let done = jobs(&folder, &words);
        // Written, and read back.
        assert_eq!((&done[0]["write"]["total_ios"], &done[0]["read"]["total_ios"]), (&16.into(), &16.into()));
        assert!(fs::read(folder.path().join("x")).unwrap() == blocks_of_fio(), "{rw}");
    }
    let one = ["--name=a", "--filename=x", "--rw=randwrite", "--size=64k", "--bs=4k", "--verify=pattern"];
    let ran = fio(&folder, &one);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("without verify_pattern"), "{}", ran.err);
    // Each job has its own, and a job without one is not compared with it.
    let two = ["--name=b", "--filename=y", "--rw=write", "--verify_pattern=7", "--name=c", "--filename=z"];
    let more = ["--rw=write", "--verify=none"];
    let done = jobs(&folder, &[&PATTERN[..], &two[..], &more[..]].concat());
    assert_eq!((&done[0]["read"]["total_ios"], &done[1]["read"]["total_ios"]), (&16.into(), &0.into()));
    assert!(fs::read(folder.path().join("y")).unwrap().iter().all(|byte| *byte == 7));
}

/// fio 3.33 reads back 64 blocks after each 64 writes, and at the end the 16 that are left: 272 reads of 272 writes.
#[test]
fn verify_backlog_reads_back_while_the_writing_goes_on() {
    let folder = tempdir().unwrap();
    let words = ["--name=a", "--size=1088k", "--bs=4k", "--rw=randwrite", "--verify=crc32c"];
    let more = ["--verify_backlog=64", "--write_iolog=log"];
    let done = jobs(&folder, &[&words[..], &more].concat());
    let ios = |way: &str| done[0][way]["total_ios"].as_u64().unwrap();
    assert_eq!((ios("read"), ios("write")), (272, 272), "{done:?}");
    let log = fs::read_to_string(folder.path().join("log")).unwrap();
    let order: Vec<(&str, &str)> = log
        .lines()
        .filter_map(|line| {
            let words: Vec<&str> = line.split(' ').collect();
            let word = words.iter().position(|word| ["read", "write"].contains(word))?;
            Some((words[word], *words.get(word + 1)?))
        })
        .collect();
    // The log is of the job itself, without what is read back when all is written.
    assert_eq!(order.len(), 272 + 256);
    for (n, block) in order.chunks(128).enumerate() {
        assert!(block.iter().take(64).all(|(what, _)| *what == "write"), "block {n}: {order:?}");
        let offsets = |what: &str| block.iter().filter(|io| io.0 == what).map(|io| io.1).collect::<Vec<_>>();
        if n < 4 {
            assert_eq!(offsets("read"), offsets("write"), "block {n}");
        }
    }
    // Nothing of it changes how long the job writes.
    let timed = ["--time_based", "--runtime=300ms", "--verify_backlog=16", "--verify_backlog_batch=4"];
    let done = jobs(&folder, &[&words[..], &timed].concat());
    let ios = |way: &str| done[0][way]["total_ios"].as_u64().unwrap();
    assert!(ios("read") + 32 > ios("write") && ios("write") > 272, "{done:?}");
}

/// What fio 3.33 wrote with `--rw=write --size=512 --bs=512 --verify=crc32c --verify_interval=128`.
const WRITTEN_BY_FIO: &[u8] = include_bytes!("fixtures/fio-3.33-crc32c.bin");

#[test]
fn data_that_fio_wrote_with_crc32c_is_checked() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("x");
    fs::write(&file, WRITTEN_BY_FIO).unwrap();
    let words = ["--name=a", "--filename=x", "--rw=read", "--bs=512", "--verify=crc32c"];
    let done = jobs(&folder, &words);
    assert_eq!((&done[0]["error"], &done[0]["read"]["total_ios"]), (&Value::from(0), &Value::from(1)));
    let mut damaged = WRITTEN_BY_FIO.to_vec();
    damaged[300] ^= 1;
    fs::write(&file, damaged).unwrap();
    let ran = fio(&folder, &words);
    assert_eq!(error_of(&ran), 84, "{ran:?}");
    assert!(
        ran.err.contains("crc32c: verify failed at file") && ran.err.contains("carries crc32c"),
        "{}",
        ran.err
    );
}

#[test]
fn a_file_is_removed_where_the_job_says_so_and_it_was_made_here() {
    let folder = tempdir().unwrap();
    jobs(&folder, &["--name=a", "--size=1m", "--rw=write", "--unlink=1"]);
    assert!(!folder.path().join("a.0.0").exists());
    fs::write(folder.path().join("mine"), vec![1; 1 << 20]).unwrap();
    let ran = fio(&folder, &["--name=a", "--filename=mine", "--unlink=1"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert!(
        ran.err.contains("unlink=1 would remove it") && ran.err.contains("IOBOUND_OVERWRITE="),
        "{}",
        ran.err
    );
    assert!(folder.path().join("mine").exists());
}

#[test]
fn advice_names_what_the_verb_takes() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("mine"), vec![1; 1 << 20]).unwrap();
    let ran = fio(&folder, &["--name=a", "--filename=mine", "--rw=write", "--size=1m"]);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert!(ran.err.contains("IOBOUND_OVERWRITE=") && !ran.err.contains("--overwrite"), "{}", ran.err);
    let ran = fio(&folder, &["--name=a", "--filename=none", "--allow_file_create=0", "--size=1m"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.err.contains("does not create files"), "{}", ran.err);
}

#[test]
fn a_job_file_comes_from_standard_input() {
    let folder = tempdir().unwrap();
    let mut fio = command(&["fio", "--results", "off", "--output-format=json", "-"]);
    fio.current_dir(folder.path()).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut fio = fio.spawn().unwrap();
    fio.stdin.take().unwrap().write_all(b"[a]\nsize=1m\nrw=write\n").unwrap();
    let ran = common::ran(fio.wait_with_output().unwrap());
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(json(&ran)["jobs"][0]["write"]["io_bytes"], 1 << 20);
}

#[test]
fn what_is_read_back_is_counted_as_reads() {
    let folder = tempdir().unwrap();
    let words = ["--name=a", "--size=1m", "--verify=crc32c"];
    let with = |more: &[&'static str]| [&words[..], more].concat();
    let done = jobs(&folder, &with(&["--rw=write"]));
    assert_eq!(
        (&done[0]["write"]["io_bytes"], &done[0]["read"]["io_bytes"]),
        (&(1 << 20).into(), &(1 << 20).into())
    );
    assert_eq!(done[0]["error"], 0);
    // Of random writes and reads, what was written: all in all each block is read once.
    let done = jobs(&folder, &with(&["--rw=randrw"]));
    assert_eq!(done[0]["read"]["io_bytes"], 1 << 20);
    // Where the time ends the job there is none left.
    let done = jobs(&folder, &with(&["--rw=write", "--time_based", "--runtime=1"]));
    assert_eq!(done[0]["read"]["io_bytes"], 0);
}

#[test]
fn headers_that_a_run_does_not_read_back_are_verified_by_a_later_one() {
    let folder = tempdir().unwrap();
    let words = ["--name=a", "--size=1m", "--filename=x", "--verify=crc32c", "--verify_fatal=1"];
    let write = [&words[..], &["--rw=randwrite", "--do_verify=0"]].concat();
    let ran = fio(&folder, &write);
    assert_eq!(ran.code, 0, "{ran:?}");
    let document = json(&ran);
    assert_eq!(document["jobs"][0]["read"]["io_bytes"], 0);
    let notes = document["iobound"]["notes"].to_string();
    assert!(!notes.contains("not verified") && !notes.contains("verify_fatal"), "{notes}");
    let done = jobs(&folder, &[&words[..], &["--rw=read"]].concat());
    assert_eq!((&done[0]["read"]["io_bytes"], &done[0]["error"]), (&(1 << 20).into(), &0.into()));
}

#[test]
fn a_block_that_does_not_hold_what_was_written_is_error_84() {
    let folder = tempdir().unwrap();
    let words = ["--name=a", "--size=1m", "--filename=x", "--verify=crc32c"];
    jobs(&folder, &[&words[..], &["--rw=write"]].concat());
    let read = [&words[..], &["--rw=read"]].concat();
    assert_eq!(jobs(&folder, &read)[0]["read"]["io_bytes"], 1 << 20);
    let path = folder.path().join("x");
    let mut bytes = fs::read(&path).unwrap();
    bytes[700_000] ^= 1;
    write_over(&path, &bytes);
    let ran = fio(&folder, &read);
    assert_ne!(ran.code, 0, "{ran:?}");
    assert_eq!(error_of(&ran), 84);
    let line =
        ran.err.lines().find(|line| line.starts_with("verify:")).unwrap_or_else(|| panic!("{}", ran.err));
    // The block of 4,096 bytes that the byte is in.
    assert!(line.contains("failed at file x offset 696320, length 4096"), "{line}");
    assert!(ran.err.contains("crc32c: verify failed at file x offset 696320"), "{}", ran.err);
    // What was written without verify has no stamps.
    jobs(&folder, &["--name=b", "--size=1m", "--filename=y", "--rw=write"]);
    let ran = fio(&folder, &["--name=b", "--size=1m", "--filename=y", "--rw=read", "--verify=md5"]);
    assert_eq!(error_of(&ran), 84);
    assert!(ran.err.contains("bad magic header"), "{}", ran.err);
}

/// Changes a file in place, so that it stays the one that was made here.
fn write_over(path: &Path, bytes: &[u8]) {
    fs::File::options().write(true).open(path).unwrap().write_all(bytes).unwrap();
}

#[test]
fn a_log_without_an_interval_has_every_io() {
    let folder = tempdir().unwrap();
    let words = [
        "--name=a",
        "--size=1m",
        "--rw=write",
        "--write_lat_log=l",
        "--write_bw_log=l",
        "--write_iops_log=l",
    ];
    jobs(&folder, &words);
    for kind in ["lat", "clat", "bw", "iops"] {
        let text = fs::read_to_string(folder.path().join(format!("l_{kind}.1.log"))).unwrap();
        assert_eq!(text.lines().count(), 256, "{kind}");
        assert!(text.lines().all(|line| line.ends_with(", 1, 4096, 0")), "{kind}: {text}");
    }
}

#[test]
fn a_job_that_ends_within_its_ramp_time_counts_all_of_it() {
    let folder = tempdir().unwrap();
    // As in fio, whose figures begin anew only when the ramp time is over.
    let done = jobs(&folder, &["--name=a", "--size=1m", "--rw=write", "--ramp_time=600"]);
    assert_eq!(done[0]["write"]["io_bytes"], 1 << 20);
    assert_eq!(done[0]["write"]["lat_ns"]["N"], 256);
}

#[test]
fn an_engine_that_cannot_trim_makes_way() {
    let folder = tempdir().unwrap();
    for engine in ["libaio", "io_uring"] {
        let engine = format!("--ioengine={engine}");
        let done = jobs(&folder, &["--name=a", "--size=1m", "--rw=randtrim", &engine]);
        assert_eq!(done[0]["trim"]["io_bytes"], 1 << 20, "{engine}");
    }
}

#[test]
fn a_job_that_only_trims_runs_beside_one_that_verifies() {
    let folder = tempdir().unwrap();
    let words = ["--size=1m", "--name=w", "--rw=write", "--verify=crc32c", "--name=t", "--rw=randtrim"];
    let done = jobs(&folder, &words);
    assert_eq!(
        (&done[0]["read"]["io_bytes"], &done[1]["trim"]["io_bytes"]),
        (&(1 << 20).into(), &(1 << 20).into())
    );
}

fn total(job: &Value, way: &str) -> f64 {
    job[way]["total_ios"].as_f64().unwrap()
}

#[test]
fn jobs_of_a_flow_keep_the_ratio_of_their_weights() {
    let folder = tempdir().unwrap();
    let words = ["--ioengine=null", "--size=100g", "--runtime=1", "--time_based", "--name=a", "--flow=1"];
    let done = jobs(&folder, &[&words[..], &["--name=b", "--flow=4"]].concat());
    // `--flow` stands after the first name: both inherit nothing of it.
    let ratio = total(&done[1], "read") / total(&done[0], "read");
    assert!((3.5..4.5).contains(&ratio), "{ratio}: {} I/Os", total(&done[0], "read"));
}

#[test]
fn the_rate_of_one_direction_leaves_the_other_as_fast_as_it_is() {
    let folder = tempdir().unwrap();
    let words = ["--ioengine=null", "--size=100g", "--runtime=1", "--time_based", "--name=a", "--rw=randrw"];
    let done = jobs(&folder, &[&words[..], &["--rate_iops=500,"]].concat());
    let (reads, writes) = (total(&done[0], "read"), total(&done[0], "write"));
    assert!(reads <= 505.0 && writes > 10.0 * reads, "{reads} reads, {writes} writes");
}

/// Offsets and lengths of a log with a line for each I/O.
fn logged(folder: &TempDir, name: &str) -> Vec<(u64, u64)> {
    let text = fs::read_to_string(folder.path().join(name)).unwrap();
    let line = |line: &str| {
        let fields: Vec<u64> = line.split(", ").map(|field| field.parse().unwrap()).collect();
        (fields[4], fields[3])
    };
    text.lines().map(line).collect()
}

#[test]
fn every_block_is_touched_once_whatever_the_sizes() {
    let folder = tempdir().unwrap();
    let words = ["--ioengine=null", "--size=1m", "--write_bw_log=l", "--log_offset=1", "--per_job_logs=0"];
    for (more, each_once) in [
        (&["--rw=randread", "--bsrange=512-4k"][..], true),
        (&["--rw=randread", "--norandommap", "--random_generator=lfsr"][..], true),
        (&["--rw=randread", "--norandommap"][..], false),
    ] {
        jobs(&folder, &[&words[..], &["--name=a"], more].concat());
        let mut touched = vec![0; 2048];
        for (offset, len) in logged(&folder, "l_bw.log") {
            (offset / 512..(offset + len) / 512).for_each(|sector| touched[sector as usize] += 1);
        }
        assert_eq!(touched.iter().all(|times| *times == 1), each_once, "{more:?}");
    }
}

#[test]
fn a_trim_and_its_write_have_the_size_of_trims() {
    let folder = tempdir().unwrap();
    let done =
        jobs(&folder, &["--name=a", "--size=1m", "--rw=randtrimwrite", "--bs=4k,4k,8k", "--ioengine=psync"]);
    assert_eq!((total(&done[0], "trim"), total(&done[0], "write")), (128.0, 128.0));
    assert_eq!(done[0]["write"]["io_bytes"], 1 << 20);
}

#[test]
fn a_log_is_replayed_on_the_files_that_it_names() {
    // fio 3.33 puts `directory` before the names of a log, which have it already, and ends by a signal. A job file that
    // records and replays in one folder works here.
    let folder = tempdir().unwrap();
    fs::create_dir(folder.path().join("d")).unwrap();
    let of = |word: &'static str| ["--name=a", "--directory=d", "--size=64k", "--rw=write", word];
    jobs(&folder, &of("--write_iolog=io.log"));
    let text = fs::read_to_string(folder.path().join("io.log")).unwrap();
    assert!(text.contains(" d/a.0.0 write 0 4096\n"), "{text}");
    let ran = fio(&folder, &["--name=b", "--directory=d", "--read_iolog=io.log", "--verbose"]);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(json(&ran)["jobs"][0]["write"]["io_bytes"], 64 << 10);
    assert!(!folder.path().join("d/d").exists(), "no folder twice");
    assert!(ran.err.contains("directory=d") && ran.err.contains("complete"), "{ran:?}");
}

#[test]
fn a_shown_command_ends_with_its_line() {
    let folder = tempdir().unwrap();
    fs::write(folder.path().join("x.fio"), "[a]\nsize=8m\n").unwrap();
    let ran = fio(&folder, &["--showcmd", "x.fio"]);
    assert_eq!((ran.code, ran.out.as_str()), (0, "fio --name=a --size=8m\n"));
}

#[test]
fn an_iolog_names_the_file_of_every_io() {
    let folder = tempdir().unwrap();
    jobs(&folder, &["--name=a", "--size=64k", "--rw=write", "--numjobs=2", "--write_iolog=io.log"]);
    let text = fs::read_to_string(folder.path().join("io.log")).unwrap();
    assert!(text.starts_with("fio version 3 iolog\n0 a.0.0 add\n0 a.1.0 add\n"), "{text}");
    for file in ["a.0.0", "a.1.0"] {
        assert_eq!(text.lines().filter(|line| line.contains(&format!("{file} write "))).count(), 16);
        assert!(text.contains(&format!("{file} write 61440 4096\n")), "{text}");
    }
}

#[test]
fn a_steady_job_ends_before_its_time() {
    let folder = tempdir().unwrap();
    let words = ["--name=a", "--ioengine=null", "--size=1g", "--time_based", "--runtime=600"];
    let done = jobs(&folder, &[&words[..], &["--ss=iops:95%", "--ss_dur=2"]].concat());
    let steady = &done[0]["steadystate"];
    assert_eq!((&steady["attained"], &steady["ss"]), (&1.into(), &"iops:95.000000%".into()));
    assert_eq!(steady["data"]["iops"].as_array().unwrap().len(), 2);
    assert!(done[0]["job_runtime"].as_u64().unwrap() < 600_000);
    let done = jobs(&folder, &["--name=a", "--size=64k", "--rw=write", "--ss=iops:95%", "--ss_dur=2"]);
    assert_eq!(done[0]["steadystate"]["attained"], 0);
}

#[test]
fn a_latency_target_finds_the_deepest_queue_that_meets_it() {
    let folder = tempdir().unwrap();
    let words = ["--name=a", "--ioengine=null", "--size=1g", "--iodepth=8", "--latency_window=100ms"];
    let done = jobs(&folder, &[&words[..], &["--latency_target=60s", "--latency_percentile=99"]].concat());
    assert_eq!((&done[0]["latency_depth"], &done[0]["latency_window"]), (&8.into(), &100_000.into()));
    assert_eq!(done[0]["latency_target"], 60_000_000);
    // No write is durable in a microsecond.
    let words = ["--name=a", "--size=1m", "--rw=write", "--sync=1", "--direct=1", "--latency_target=1us"];
    let words = [&words[..], &["--latency_window=100ms"]].concat();
    let ran = fio(&folder, &words);
    assert_eq!(ran.code, 4, "{ran:?}");
    assert!(ran.err.contains("at depth 1 fewer than 100 %"), "{}", ran.err);
}
