//! Which files fio's jobs use and how much of them, as fio 3.33 itself did with files of these sizes.

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use std::collections::BTreeMap;

use iobound_formats::fio::{self, Context};
use iobound_formats::{Foreign, FormatError};
use iobound_units::{Bytes, Op, Rate, Span};
use iobound_workload::{CapOf, Job, Load, Region, Target, Targets};

const MIB: u64 = 1 << 20;

/// A machine with files of known sizes and texts.
#[derive(Default)]
struct Machine {
    sizes: BTreeMap<&'static str, u64>,
    texts: BTreeMap<&'static str, &'static str>,
}

impl Context for Machine {
    fn file(&self, name: &str) -> Option<String> {
        self.texts.get(name).map(|text| text.to_string())
    }
    fn variable(&self, _name: &str) -> Option<String> {
        None
    }
    fn size_of(&self, path: &str) -> Option<u64> {
        self.sizes.get(path).copied()
    }
}

fn machine() -> Machine {
    Machine {
        sizes: BTreeMap::from([("x", 8 * MIB), ("y", 8 * MIB), ("z", 4 * MIB), ("/dev/d", 8 * MIB)]),
        ..Machine::default()
    }
}

fn parse(line: &str) -> Result<Foreign, FormatError> {
    fio::parse_line(line, &machine())
}

fn read(line: &str) -> Foreign {
    parse(line).unwrap_or_else(|error| panic!("{line}\n{error}"))
}

fn names(job: &Job) -> Vec<&str> {
    match &job.targets {
        Targets::Named(names) => names.iter().map(String::as_str).collect(),
        Targets::All => Vec::new(),
    }
}

/// The targets of each job.
fn targets(foreign: &Foreign) -> Vec<Vec<&str>> {
    foreign.workload.jobs.iter().map(names).collect()
}

/// Start and length in MiB of each queue's part of its first target, on targets of 8 MiB, and its bound.
fn parts(foreign: &Foreign) -> Vec<(u64, u64, Option<u64>)> {
    let target = |(id, file): (u16, &iobound_formats::ForeignFile)| Target {
        name: file.target.clone(),
        id: iobound_units::TargetId(id),
        size: file.size.unwrap_or(Bytes(8 * MIB)),
        members_of: None,
    };
    let targets: Vec<Target> = (0..).zip(&foreign.files).map(target).collect();
    let queues = foreign.workload.queues(&targets).unwrap_or_else(|error| panic!("{error}"));
    let part = |queue: &iobound_workload::Queue| {
        let extent = queue.extents[0];
        (extent.start / MIB, extent.len / MIB, queue.stop_after.map(|bound| bound.get() / MIB))
    };
    queues.iter().map(part).collect()
}

#[test]
fn every_filename_adds_a_file() {
    for (line, expected) in [
        ("--name=a --size=8m --filename=p --filename=q", vec![vec!["p", "q"]]),
        ("--name=a --size=8m --filename=p:q", vec![vec!["p", "q"]]),
        ("--filename=g --size=8m --name=a --filename=p", vec![vec!["g", "p"]]),
        ("--filename=g --size=8m --name=a --filename=p --name=b", vec![vec!["g", "p"], vec!["g"]]),
        (
            "--name=global --filename=g --name=a --size=8m --name=global --filename=h --name=b --size=8m",
            vec![vec!["g"], vec!["g", "h"]],
        ),
        // The directory that is set by then.
        ("--name=a --size=8m --filename=p --directory=/d --filename=q", vec![vec!["p", "/d/q"]]),
        ("--name=a --size=8m --directory=/d:/e --filename=q", vec![vec!["/d/q"]]),
        // nrfiles after the names: only so many of them. Before them it says nothing.
        ("--name=a --size=8m --filename=p:q --nrfiles=1", vec![vec!["p"]]),
        ("--name=a --size=8m --nrfiles=1 --filename=p:q", vec![vec!["p", "q"]]),
        ("--name=a --size=8m --filename=p:q --nrfiles=3", vec![vec!["p", "q"]]),
        ("--name=a --size=8m --filename=p --filename=p", vec![vec!["p", "p"]]),
    ] {
        assert_eq!(targets(&read(line)), expected, "{line}");
    }
    let foreign = read("--name=a --size=8m --filename=p --filename=q");
    assert_eq!(foreign.workload.jobs[0].region.size, Some(Bytes(4 * MIB)));
    assert_eq!(foreign.workload.jobs[0].stop_after, Some(Bytes(8 * MIB)));
}

#[test]
fn a_section_adds_its_files_to_those_of_global_after_its_other_options() {
    let text =
        "[global]\nfilename=g\nsize=6m\n[a]\nfilename=p\ndirectory=/d\n[b]\nfilename=p\nfilename=q\n[c]\n";
    let foreign = fio::parse_job_file(text, "j.fio", &machine()).unwrap();
    assert_eq!(targets(&foreign), [vec!["g", "/d/p"], vec!["g", "p", "q"], vec!["g"]]);
    // Of three files 2 MiB each, of two 3, of one 6: a file is as large as the job that uses most of it wants.
    let sizes: BTreeMap<_, _> =
        foreign.files.iter().map(|file| (file.name.as_str(), file.size.unwrap().get() / MIB)).collect();
    assert_eq!(sizes, BTreeMap::from([("g", 6), ("/d/p", 3), ("p", 2), ("q", 2)]));
}

#[test]
fn name_global_sets_options_for_all_jobs_after_it() {
    let foreign = read("fio --name=global --size=8m --rw=write --name=a --name=global --rw=read --name=b");
    let ops: Vec<_> = foreign.workload.jobs.iter().map(|job| (job.name.as_str(), job.mix[0].op)).collect();
    assert_eq!(ops, [("a", Op::Write), ("b", Op::Read)]);
}

#[test]
fn what_exists_says_its_own_size() {
    for (options, offset, size, once) in [
        ("--filename=x", 0, None, 8),
        ("--filename=/dev/d", 0, None, 8),
        ("--filename=x --size=100%", 0, None, 8),
        ("--filename=x --size=50%", 0, Some(4), 4),
        ("--filename=x --offset=50%", 4, None, 4),
        ("--filename=x --offset=75% --size=50%", 6, Some(2), 2),
        ("--filename=x:z", 0, None, 12),
        ("--filename=x --io_size=16m", 0, None, 16),
        ("--filename=x --filesize=8m --offset=2m", 2, Some(6), 6),
        ("--filename=x --runtime=60", 0, None, 8),
    ] {
        let foreign = read(&format!("fio --name=a {options}"));
        let job = &foreign.workload.jobs[0];
        let expected = Region { offset: Bytes(offset * MIB), size: size.map(|size: u64| Bytes(size * MIB)) };
        assert_eq!(job.region, expected, "{options}");
        assert_eq!(job.stop_after, Some(Bytes(once * MIB)), "{options}");
    }
    // Time alone ends a job with time_based, or one of unknown size.
    for options in ["--filename=x --time_based --runtime=9", "--filename=nowhere --runtime=9"] {
        assert_eq!(read(&format!("fio --name=a {options}")).workload.jobs[0].stop_after, None, "{options}");
    }
    assert!(parse("fio --name=a --filename=nowhere").unwrap_err().to_string().contains("size=10g"));
    assert!(
        parse("fio --name=a --filename=x:z --size=50%")
            .unwrap_err()
            .to_string()
            .contains("files with different sizes")
    );
}

#[test]
fn a_job_finds_the_file_that_a_job_before_it_makes() {
    let foreign = read(
        "fio --name=w --rw=write --filename=new --size=6m --name=r --stonewall --rw=read --filename=new",
    );
    assert_eq!(foreign.workload.jobs[1].stop_after, Some(Bytes(6 * MIB)));
    assert_eq!(foreign.files.len(), 1);
    assert_eq!(foreign.files[0].size, Some(Bytes(6 * MIB)));
}

#[test]
fn jobs_at_different_offsets_share_one_new_file() {
    let foreign =
        read("fio --filename=new --size=2m --rw=write --name=a --name=b --offset=2m --name=c --offset=4m");
    assert_eq!(foreign.files.len(), 1);
    assert_eq!(foreign.files[0].size, Some(Bytes(6 * MIB)));
    assert_eq!(parts(&foreign), [(0, 2, Some(2)), (2, 2, Some(2)), (4, 2, Some(2))]);
}

#[test]
fn every_clone_has_a_part_of_its_own_and_the_last_what_is_left() {
    let clones = "fio --name=a --rw=randread --numjobs=4 --offset_increment=2m";
    // A new file grows with its clones.
    let new = read(&format!("{clones} --filename=new --size=3m"));
    assert_eq!(new.files[0].size, Some(Bytes(9 * MIB)));
    assert_eq!(parts(&new), [(0, 3, Some(3)), (2, 3, Some(3)), (4, 3, Some(3)), (6, 3, Some(3))]);
    // A device does not.
    let device = read(&format!("{clones} --filename=/dev/d --size=3m"));
    assert_eq!(parts(&device), [(0, 3, Some(3)), (2, 3, Some(3)), (4, 3, Some(3)), (6, 2, Some(2))]);
    // Without a size each goes to the end.
    let rest = read(&format!("{clones} --filename=x"));
    assert_eq!(parts(&rest), [(0, 8, Some(8)), (2, 6, Some(6)), (4, 4, Some(4)), (6, 2, Some(2))]);
    let percent = read("fio --name=a --numjobs=4 --offset_increment=25% --filename=x");
    assert_eq!(parts(&percent), parts(&rest));
    assert!(
        parse(&format!("{clones} --numjobs=5 --filename=/dev/d")).unwrap_err().to_string().contains("clones")
    );
    // Clones with files of their own stay in them, whatever the pattern.
    let own = read("fio --name=a --rw=randwrite --numjobs=2 --size=4m");
    let target =
        Target { name: "a".into(), id: iobound_units::TargetId(0), size: Bytes(8 * MIB), members_of: None };
    let queues = own.workload.queues(&[target]).unwrap();
    let starts: Vec<_> =
        queues.iter().map(|queue| (queue.extents[0].start / MIB, queue.extents[0].len / MIB)).collect();
    assert_eq!(starts, [(0, 4), (4, 4)]);
}

#[test]
fn filename_format_names_files_and_may_share_them() {
    let names = |options: &str| -> Vec<String> {
        let foreign = read(&format!("fio --name=a --size=4m {options}"));
        foreign.files.iter().map(|file| file.name.clone()).collect()
    };
    assert_eq!(names("--filename_format=f.$jobnum.$filenum --numjobs=2"), ["f.0.0", "f.1.0"]);
    assert_eq!(names("--filename_format=$jobname-$filenum --nrfiles=2 --directory=/d"), ["/d/a-0", "/d/a-1"]);
    // Without $jobnum the clones share the file.
    assert_eq!(names("--filename_format=$jobname.$filenum --numjobs=3"), ["a.0"]);
}

#[test]
fn files_are_made_and_removed_as_the_job_says() {
    let file = |options: &str| read(&format!("fio --name=a --size=4m {options}")).files.remove(0);
    assert_eq!((file("").create, file("").unlink), (true, false));
    assert!(!file("--allow_file_create=0 --filename=new").create);
    assert!(file("--unlink=1").unlink);
}

#[test]
fn a_file_that_is_used_directly_and_through_the_page_cache_is_two_targets() {
    let foreign = read("fio --filename=x --size=4m --name=a --direct=1 --name=b --direct=0");
    assert_eq!(targets(&foreign), [["x"], ["x (buffered)"]]);
    let files: Vec<_> = foreign.files.iter().map(|file| (file.name.as_str(), file.target.as_str())).collect();
    assert_eq!(files, [("x", "x"), ("x", "x (buffered)")]);
}

#[test]
fn an_included_file_may_lie_beside_the_one_that_includes_it() {
    let texts = BTreeMap::from([
        ("jobs/main.fio", "[global]\ninclude common/base.inc\n[a]\nsize=4m\n"),
        ("jobs/common/base.inc", "include more.inc\nrw=write\n"),
        ("jobs/common/more.inc", "bs=8k\n"),
        ("-", "[a]\nsize=4m\nrw=randread\n"),
    ]);
    let machine = Machine { texts, ..Machine::default() };
    let foreign = fio::parse_line("fio jobs/main.fio", &machine).unwrap();
    assert_eq!(
        (foreign.workload.jobs[0].mix[0].op, foreign.workload.jobs[0].mix[0].block),
        (Op::Write, 8192)
    );
    // A job file from standard input.
    assert!(fio::parse_line("fio -", &machine).unwrap().workload.jobs[0].any_random());
}

fn rates(options: &str) -> (Rate, Vec<(Op, f64)>) {
    let foreign = read(&format!("fio --name=a --size=1g --direct=1 {options}"));
    let job = &foreign.workload.jobs[0];
    let Load::Closed { cap: Some(rate), .. } = job.load else { panic!("{options}: {:?}", job.load) };
    let sum: f64 = job.mix.iter().map(|share| f64::from(share.weight)).sum();
    let share = |op: Op| {
        let own = job.mix.iter().filter(|share| share.op == op).map(|share| f64::from(share.weight));
        own.sum::<f64>() / sum
    };
    (rate, [Op::Read, Op::Write].into_iter().map(|op| (op, share(op))).collect())
}

#[test]
fn each_direction_keeps_its_own_rate() {
    let second = Span::from_secs(1);
    let close = |shares: Vec<(Op, f64)>, reads: f64| (shares[0].1 - reads).abs() < 1e-6;
    // fio 3.33: 1,000 reads and 101 writes a second of 4 KiB.
    let (rate, shares) = rates("--rw=randrw --rate_iops=1000,100");
    assert_eq!(rate, Rate::Ios { count: 1_100, per: second });
    assert!(close(shares, 1_000.0 / 1_100.0));
    // Whatever rwmixread says.
    let (rate, shares) = rates("--rw=randrw --rwmixread=70 --rate_iops=1000");
    assert_eq!(rate, Rate::Ios { count: 2_000, per: second });
    assert!(close(shares, 0.5));
    // 1 MiB/s in blocks of 4 KiB is 256 reads, 4 MiB/s in blocks of 64 KiB 64 writes.
    let (rate, shares) = rates("--rw=randrw --rwmixread=70 --rate=1m,4m --bs=4k,64k");
    assert_eq!(rate, Rate::Bytes { count: 5 << 20, per: second });
    assert!(close(shares, 256.0 / 320.0));
    // Of one direction alone.
    let job =
        |options: &str| read(&format!("fio --name=a --size=1g --direct=1 {options}")).workload.jobs.remove(0);
    let of_one = job("--rw=randrw --rwmixread=70 --rate_iops=,100");
    assert_eq!(of_one.cap_of, Some(CapOf::One(Op::Write)));
    assert_eq!(job("--rw=randrw --rate_iops=700,300").cap_of, Some(CapOf::Each));
    assert_eq!(of_one.load, Load::Closed { depth: 1, cap: Some(Rate::Ios { count: 100, per: second }) });
    assert_eq!(of_one.read_fraction(), 0.7);
    // A trim and its write go together, at the lower rate of both.
    let pairs = job("--rw=randtrimwrite --rate_iops=,,100");
    assert_eq!(pairs.cap_of, None);
    assert_eq!(pairs.load, Load::Closed { depth: 1, cap: Some(Rate::Ios { count: 200, per: second }) });
}

#[test]
fn a_rate_of_ios_counts_the_smallest_block_where_they_differ() {
    // fio 3.33 read 4,124,672 bytes in the second: 1,000 times 4 KiB, of blocks of 4 and 64 KiB.
    let bytes = Rate::Bytes { count: 4_096_000, per: Span::from_secs(1) };
    assert_eq!(rates("--rw=randread --bssplit=4k/50:64k/50 --rate_iops=1000").0, bytes);
    assert_eq!(rates("--rw=randread --bsrange=4k-64k --rate_iops=1000").0, bytes);
    assert_eq!(
        rates("--rw=randread --rate_iops=1000").0,
        Rate::Ios { count: 1_000, per: Span::from_secs(1) }
    );
}
