//! fio job files: fio's own dialect of INI.

mod common;

use std::collections::BTreeMap;

use common::{about, assert_refused, says};
use iobound_formats::fio::{self, Context};
use iobound_formats::{Foreign, FormatError};
use iobound_units::{Bytes, GIB, Op, Span};
use iobound_workload::{Load, Targets};

struct Given(BTreeMap<String, String>);

impl Given {
    fn new(list: &[(&str, &str)]) -> Given {
        Given(list.iter().map(|(name, text)| (name.to_string(), text.to_string())).collect())
    }
}

impl Context for Given {
    fn file(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
    fn variable(&self, name: &str) -> Option<String> {
        self.0.get(name).cloned()
    }
    fn memory_mib(&self) -> Option<u64> {
        Some(16_384)
    }
    fn cpus(&self) -> Option<u32> {
        Some(8)
    }
}

fn parse(text: &str) -> Result<Foreign, FormatError> {
    let given = Given::new(&[
        ("SIZE", "2g"),
        ("common.fio", "direct=1\nioengine=libaio\ninclude depth.fio\n"),
        ("depth.fio", "iodepth=8\n"),
        ("circle.fio", "include circle.fio\n"),
        ("section.fio", "[x]\nbs=4k\n"),
    ]);
    fio::parse_job_file(text, "test.fio", &given)
}

fn read(text: &str) -> Foreign {
    parse(text).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn global_sections_apply_downward_and_names_repeat() {
    let foreign = read(
        "; two globals\n[global]\nsize=1g\ndirect=1\nbs=4k\n\n[a]\nrw=randread\n\n[global]\nbs=8k # larger\n[a]\n[b]\n\
         bs=64k\nstonewall\n",
    );
    let jobs: Vec<_> =
        foreign.workload.jobs.iter().map(|j| (j.name.as_str(), j.mix[0].block, j.stage)).collect();
    assert_eq!(jobs, [("a", 4096, 0), ("a", 8192, 0), ("b", 65536, 1)]);
}

/// The Azure disk tutorial's `fiowrite.ini`.
#[test]
fn the_job_file_of_the_azure_disk_tutorial() {
    let foreign = read(
        "[global]\nsize=30g\ndirect=1\niodepth=256\nioengine=libaio\nbs=4k\nnumjobs=4\nruntime=30\n\n[writer1]\n\
         rw=randwrite\ndirectory=/mnt/nocache\n",
    );
    let job = &foreign.workload.jobs[0];
    assert_eq!((job.threads, job.load), (4, Load::Closed { depth: 256, cap: None }));
    assert_eq!(job.mix[0].op, Op::Write);
    assert_eq!(job.targets, Targets::Named(vec!["/mnt/nocache/writer1".into()]));
    assert_eq!(foreign.workload.duration, Span::from_secs(30));
}

/// kubestr's default: four jobs without stonewall, so all four run at once (kastenhq/kubestr#68).
#[test]
fn the_job_file_of_kubestr_runs_all_at_once() {
    let foreign = read(
        "[global]\nrandrepeat=0\nverify=0\nioengine=libaio\ndirect=1\ngtod_reduce=1\n[job1]\nname=read_iops\nbs=4K\n\
         iodepth=64\nsize=2G\nreadwrite=randread\ntime_based\nramp_time=2s\nruntime=15s\n[job2]\nname=write_iops\nbs=4K\n\
         iodepth=64\nsize=2G\nreadwrite=randwrite\ntime_based\nramp_time=2s\nruntime=15s\n[job3]\nname=read_bw\nbs=128K\n\
         iodepth=64\nsize=2G\nreadwrite=randread\ntime_based\nramp_time=2s\nruntime=15s\n[job4]\nname=write_bw\nbs=128k\n\
         iodepth=64\nsize=2G\nreadwrite=randwrite\ntime_based\nramp_time=2s\nruntime=15s\n",
    );
    assert_eq!(foreign.workload.jobs.len(), 4);
    assert!(foreign.workload.jobs.iter().all(|job| job.stage == 0));
    assert_eq!(foreign.workload.jobs[3].name, "write_bw");
    assert_eq!(foreign.workload.warmup, Span::from_secs(2));
    assert_eq!(foreign.workload.duration, Span::from_secs(15));
    assert_eq!(about(&foreign), ["gtod_reduce=1", "randrepeat=0"]);
    assert!(says(&foreign, "gtod_reduce", "always measured"));
}

#[test]
fn variables_keywords_and_arithmetic_are_put_in() {
    for (size, bytes) in [
        ("${SIZE}", 2 * GIB),
        ("${SIZE}", 2 * GIB),
        ("(2*512m)", GIB),
        ("$pagesize", 4096),
        ("8*$mb_memory", 131_072),
        ("($ncpus*1g)", 8 * GIB),
    ] {
        let foreign = read(&format!("[a]\nfilename=x\nrw=read\nsize={size}\n"));
        assert_eq!(foreign.workload.jobs[0].region.size, Some(Bytes(bytes)), "{size}");
    }
}

#[test]
fn includes_stand_for_their_lines() {
    let foreign = read("[global]\ninclude common.fio\n[a]\nsize=1g\n");
    let job = &foreign.workload.jobs[0];
    assert_eq!(job.load, Load::Closed { depth: 8, cap: None });
    assert!(!job.buffered);
}

#[test]
fn bytes_of_a_file_that_no_keyboard_types_are_no_matter() {
    let foreign = read("\u{feff}[global]\r\nsize=1g\r\n[globals]\r\ndirect=1\r\n[a]\r\n");
    assert!(!foreign.workload.jobs[0].buffered);
    assert!(says(&foreign, "[globals]", "as fio does"));
}

#[test]
fn what_is_wrong_is_pointed_at() {
    assert_refused(
        parse,
        &[
            ("bs=4k\n[a]\nsize=1g\n", "bs=4k", &["before the first section", "test.fio:1:1"]),
            ("[a]\nsize=1g\n  bs = 4q ; x\n", "bs = 4q", &["test.fio:3:3", "has no unit of fio's"]),
            ("[a\nsize=1g\n", "[a", &["closing bracket"]),
            ("[global]\nsize=1g\n", "[", &["no job"]),
            ("[a]\nsize=${NONE}\n", "size=${NONE}", &["NONE is not set"]),
            ("[a]\nsize=${NONE\n", "size=${NONE", &["without `}`"]),
            ("[a]\nsize=1g\ninclude nowhere.fio\n", "include nowhere.fio", &["does not exist"]),
            ("[a]\ninclude circle.fio\n", "include circle.fio", &["16 deep", "circle.fio:1:1"]),
            ("[a]\ninclude section.fio\n", "[x]", &["section.fio:1:1", "does not allow"]),
            ("[a]\nsize=1g\nnorandomap\n", "norandomap", &["did you mean norandommap"]),
        ],
    );
}

#[test]
fn the_first_level_keeps_every_option() {
    let given = Given::new(&[]);
    let file = fio::parse_jobs("[a]\nlatency_target=5ms\nbs=4k\nbs=8k\n", "x.fio", &given).unwrap();
    let settings = &file.jobs[0].settings;
    assert_eq!(settings.get("latency_target").unwrap().value.as_deref(), Some("5ms"));
    assert_eq!(settings.get("bs").unwrap().value.as_deref(), Some("8k"));
    assert!(fio::parse_job_file("[a]\nzonemode=zbd\nsize=1g\n", "x.fio", &given).is_err());
}
