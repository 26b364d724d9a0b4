//! fio command lines that people have, and what each becomes. The meaning of an option is in fio's HOWTO.

mod common;
#[path = "common/fio_jobs.rs"]
mod fio_jobs;

use std::collections::BTreeMap;

use common::{about, assert_refused, says};
use fio_jobs::{bare, every_block_once, ios, job, named, one, parse, read, sized};
use iobound_formats::fio::{self, Context, UNTIL_DONE};
use iobound_units::{Bytes, GIB, Op, Span};
use iobound_workload::{Access, Arrivals, Job, Load, Share, Spread};

#[test]
fn a_job_alone_is_fios_defaults() {
    assert_eq!(job(""), bare());
    let foreign = read("fio --name=a --size=1g");
    assert_eq!(foreign.workload.duration, UNTIL_DONE);
    assert_eq!(foreign.workload.warmup, Span::ZERO);
    let [job] = foreign.workload.jobs.as_slice() else { panic!("one job") };
    assert!(job.buffered);
    assert_eq!(job.targets, named(&["a"]));
    assert_eq!(foreign.files[0].name, "a.0.0");
    assert_eq!((foreign.files[0].size, foreign.files[0].create), (Some(Bytes(GIB)), true));
    assert!(says(&foreign, "direct", "page cache"));
}

/// "Azure IO Testing": one to six disks, each its own directory; random and sequential.
#[test]
fn the_published_commands_of_the_jbod_experiment() {
    let line = "fio --rw=randread --name=/tests/disk1/fio --size=1g --bs=32k --direct=1 --iodepth=16 \
                --ioengine=libaio --time_based --runtime=30 --group_reporting";
    let foreign = read(line);
    let expected = Job {
        name: "/tests/disk1/fio".into(),
        targets: named(&["/tests/disk1/fio"]),
        spread: Spread::PerTarget,
        load: Load::Closed { depth: 16, cap: None },
        mix: one(Op::Read, 32768),
        access: every_block_once(),
        stop_after: None,
        ..bare()
    };
    // `--rw` stands before the first `--name`: a default.
    assert_eq!(foreign.workload.jobs, std::slice::from_ref(&expected));
    assert_eq!(foreign.workload.duration, Span::from_secs(30));
    assert_eq!(foreign.files[0].name, "/tests/disk1/fio.0.0");
    assert_eq!(about(&foreign), ["group_reporting"]);

    let six: String = (1..=6).map(|n| format!(" --name=/tests/disk{n}/fio")).collect();
    let line = format!(
        "fio --rw=read --size=1g --bs=32k --direct=1 --iodepth=16 --ioengine=libaio --time_based --runtime=30 \
         --group_reporting{six}"
    );
    let foreign = read(&line);
    assert_eq!(foreign.workload.jobs.len(), 6);
    let sixth = Job {
        name: "/tests/disk6/fio".into(),
        targets: named(&["/tests/disk6/fio"]),
        access: Access::sequential(),
        ..expected
    };
    assert_eq!(foreign.workload.jobs[5], sixth);
}

#[test]
fn the_commands_of_the_azure_test_harness() {
    let line = "fio --name=disk_fio --filename=/mnt/x/f --size=496G --numjobs=4 --rw=randwrite --bs=4k --iodepth=128 \
                --ioengine=libaio --direct=1 --ramp_time=30 --runtime=300 --time_based --overwrite=1 --thread \
                --group_reporting --output-format=json";
    let foreign = read(line);
    let expected = Job {
        name: "disk_fio".into(),
        targets: named(&["/mnt/x/f"]),
        threads: 4,
        load: Load::Closed { depth: 128, cap: None },
        mix: one(Op::Write, 4096),
        access: every_block_once(),
        region: sized(496 * GIB),
        stop_after: None,
        ..bare()
    };
    assert_eq!(foreign.workload.jobs, [expected]);
    assert_eq!(
        (foreign.workload.warmup, foreign.workload.duration),
        (Span::from_secs(30), Span::from_secs(300))
    );
    let notes = ["--output-format=json", "overwrite=1", "thread", "group_reporting"];
    assert_eq!(about(&foreign), notes);

    let foreign = read(&format!("{line} --verify=sha256 --do_verify=1"));
    assert!(says(&foreign, "verify=sha256", "written data is not verified"));
}

#[test]
fn the_commands_of_the_google_cloud_documentation() {
    let line = "sudo fio --name=write_throughput --directory=/mnt/disks/mnt_dir --numjobs=16 --size=10G --time_based \
                --runtime=5m --ramp_time=2s --ioengine=libaio --direct=1 --verify=0 --bs=1M --iodepth=64 --rw=write \
                --group_reporting=1 --iodepth_batch_submit=64 --iodepth_batch_complete_max=64";
    let foreign = read(line);
    let expected = Job {
        name: "write_throughput".into(),
        targets: named(&["/mnt/disks/mnt_dir/write_throughput"]),
        threads: 16,
        spread: Spread::PerTarget,
        load: Load::Closed { depth: 64, cap: None },
        mix: one(Op::Write, 1 << 20),
        // The files of 16 clones, end to end; each stream begins in its own.
        access: Access {
            thread_stride: Some(Bytes(10 * GIB)),
            thread_size: Some(Bytes(10 * GIB)),
            ..Access::sequential()
        },
        region: sized(160 * GIB),
        stop_after: None,
        ..bare()
    };
    assert_eq!(foreign.workload.jobs, [expected]);
    assert_eq!(
        (foreign.workload.warmup, foreign.workload.duration),
        (Span::from_secs(2), Span::from_secs(300))
    );
    assert_eq!(foreign.files.len(), 16);
    assert_eq!(foreign.files[3].name, "/mnt/disks/mnt_dir/write_throughput.3.0");
    assert_eq!(foreign.files[3].offset, Bytes(30 * GIB));
    assert_eq!(
        about(&foreign),
        [
            "sudo",
            "group_reporting=1",
            "iodepth_batch_submit=64",
            "iodepth_batch_complete_max=64",
            "numjobs=16"
        ]
    );
}

/// PerfKit Benchmarker's own additions to that.
#[test]
fn the_options_of_perfkit_benchmarker() {
    let options = "--invalidate=1 --do_verify=0 --verify_fatal=0 --randrepeat=0 --stonewall --rw=randrw --rwmixread=90 \
                   --disable_lat=1 --disable_slat=1 --disable_clat=0 --latency_percentile=99 --latency_run=1";
    let job = job(options);
    assert_eq!(
        job.mix,
        [
            Share { weight: 9, op: Op::Read, block: 4096, random: None, align: None },
            Share { weight: 1, op: Op::Write, block: 4096, random: None, align: None }
        ]
    );
}

#[test]
fn the_command_of_the_aws_documentation_runs_one_at_a_time_in_16_threads() {
    let line = "sudo fio --directory=/mnt/p_iops_vol0 --name fio_test_file --direct=1 --rw=randwrite --bs=16k --size=1G \
                --numjobs=16 --time_based --runtime=180 --group_reporting --norandommap";
    let foreign = read(line);
    let expected = Job {
        name: "fio_test_file".into(),
        targets: named(&["/mnt/p_iops_vol0/fio_test_file"]),
        threads: 16,
        spread: Spread::PerTarget,
        load: Load::Closed { depth: 1, cap: None },
        mix: one(Op::Write, 16384),
        access: Access { thread_stride: Some(Bytes(GIB)), thread_size: Some(Bytes(GIB)), ..Access::random() },
        region: sized(16 * GIB),
        stop_after: None,
        ..bare()
    };
    assert_eq!(foreign.workload.jobs, [expected]);
    assert_eq!(foreign.workload.duration, Span::from_secs(180));
}

#[test]
fn every_way_to_write_an_option_is_read() {
    let plain = read("fio --name=a --size=1g --direct=1 --rw=randread");
    for line in [
        "fio --name a --size 1g --direct 1 --rw randread",
        "fio -name=a -size=1g -direct=1 -rw=randread",
        "fio —name=a —size=1g —direct=1 —rw=randread",
        "--direct=1 --rw=randread --size=1g --name=a",
        "fio --name=a --size=1g \\\n --direct=1 \\\n --readwrite=randread",
        "./fio.exe \"--name=a\" '--size=1g' --direct=1 --rw=randread",
    ] {
        assert_eq!(read(line).workload, plain.workload, "{line}");
    }
}

#[test]
fn the_engine_decides_whether_depth_counts() {
    for (engine, depth) in [
        ("", 1),
        ("--ioengine=psync", 1),
        ("--ioengine=sync", 1),
        ("--ioengine=pvsync2", 1),
        ("--ioengine=libaio", 32),
        ("--ioengine=io_uring", 32),
        ("--ioengine=posixaio", 32),
        ("--ioengine=windowsaio", 32),
    ] {
        let foreign = read(&format!("fio --name=a --size=1g --direct=1 --iodepth=32 {engine}"));
        assert_eq!(foreign.workload.jobs[0].load, Load::Closed { depth, cap: None }, "{engine}");
        assert_eq!(says(&foreign, "iodepth=32", "one I/O at a time"), depth == 1, "{engine}");
    }
}

#[test]
fn files_are_laid_out_as_fio_does() {
    let foreign = read("fio --name=a --directory=/m --size=4g --nrfiles=2 --numjobs=2 --rw=randread");
    let names: Vec<_> = foreign.files.iter().map(|f| (f.name.as_str(), f.offset.0 / GIB)).collect();
    assert_eq!(names, [("/m/a.0.0", 0), ("/m/a.0.1", 2), ("/m/a.1.0", 4), ("/m/a.1.1", 6)]);
    assert_eq!(foreign.workload.jobs[0].region, sized(8 * GIB));

    let foreign = read(r"fio --name=a --filename=/dev/sda:/dev/disk/by\:id --runtime=9 --time_based");
    assert_eq!(foreign.workload.jobs[0].targets, named(&["/dev/sda", "/dev/disk/by:id"]));
    assert_eq!(foreign.workload.jobs[0].spread, Spread::Dealt);
    assert_eq!((foreign.files[0].size, foreign.files[0].create), (None, false));

    let foreign = read("fio --name=a --directory=/m1:/m2 --size=1g --numjobs=4");
    assert_eq!(foreign.workload.jobs[0].targets, named(&["/m1/a", "/m2/a"]));
    assert_eq!((foreign.workload.jobs[0].threads, foreign.workload.jobs[0].spread), (2, Spread::PerTarget));
    assert_eq!(
        foreign.files.iter().map(|f| f.name.as_str()).collect::<Vec<_>>(),
        ["/m1/a.0.0", "/m1/a.2.0", "/m2/a.1.0", "/m2/a.3.0"]
    );

    let line = "fio --name=a --directory=/m1:/m2 --size=1g --numjobs=4 --rate_iops=10 --rate_process=poisson";
    let open = Load::Open { rate: ios(40, 1), arrivals: Arrivals::Poisson, depth: 1 };
    assert_eq!(read(line).workload.jobs[0].load, open);

    // Beside x: every filename adds to the files there are. 2^30 / 3 is 357,913,941.3.
    let job = job("--filename=p:q --size=1g");
    assert_eq!(job.targets, named(&["x", "p", "q"]));
    assert_eq!(job.region, sized(357_913_941));
    // Whole blocks of each file.
    assert_eq!(job.stop_after, Some(Bytes(3 * (357_913_941 / 4096 * 4096))));
}

#[test]
fn stonewall_begins_a_stage() {
    let foreign = read(
        "fio --size=1g --name=a --stonewall --name=b --name=c --stonewall --runtime=20 --name=d --wait_for_previous \
         --runtime=9 --time_based",
    );
    let stages: Vec<u16> = foreign.workload.jobs.iter().map(|job| job.stage).collect();
    assert_eq!(stages, [0, 0, 1, 2]);
    assert_eq!(foreign.workload.duration, UNTIL_DONE);
    let runtimes: Vec<_> = foreign.workload.jobs.iter().map(|job| job.runtime).collect();
    assert_eq!(runtimes, [None, None, Some(Span::from_secs(20)), Some(Span::from_secs(9))]);
}

/// Job files and variables by name.
#[derive(Default)]
struct Given(BTreeMap<&'static str, &'static str>);

impl Context for Given {
    fn file(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|text| text.to_string())
    }
    fn variable(&self, name: &str) -> Option<String> {
        self.0.get(name).map(|text| text.to_string())
    }
    fn cpus(&self) -> Option<u32> {
        Some(8)
    }
}

#[test]
fn job_files_on_the_line_are_asked_for_and_inherit_its_options() {
    let line = "sudo fio --runtime 30 fiowrite.ini";
    assert_eq!(fio::job_files(line), Ok(vec!["fiowrite.ini".to_string()]));
    let text = "[global]\nsize=30g\ndirect=1\niodepth=256\nioengine=libaio\nbs=4k\nnumjobs=4\n[writer1]\nrw=randwrite\n\
                directory=/mnt/nocache\n";
    let given = Given(BTreeMap::from([("fiowrite.ini", text)]));
    let foreign = fio::parse_line(line, &given).unwrap();
    let expected = Job {
        name: "writer1".into(),
        targets: named(&["/mnt/nocache/writer1"]),
        threads: 4,
        spread: Spread::PerTarget,
        load: Load::Closed { depth: 256, cap: None },
        mix: one(Op::Write, 4096),
        access: Access {
            thread_stride: Some(Bytes(30 * GIB)),
            thread_size: Some(Bytes(30 * GIB)),
            ..every_block_once()
        },
        region: sized(120 * GIB),
        // Each clone is done with its 30 GiB, or after 30 s.
        stop_after: Some(Bytes(30 * GIB)),
        ..bare()
    };
    assert_eq!(foreign.workload.jobs, [expected]);
    assert_eq!(foreign.workload.duration, Span::from_secs(30));
    let one = fio::parse_line("fio --section=writer1 fiowrite.ini", &given).unwrap();
    assert_eq!(one.workload.jobs.len(), 1);
    assert!(fio::parse_line("fio --section=reader fiowrite.ini", &given).is_err());
    assert_refused(parse, &[(line, "fiowrite.ini", &["the job file fiowrite.ini does not exist"])]);
}

#[test]
fn what_leaves_the_io_as_it_is_is_noted() {
    for (options, of, words) in [
        ("--output=x.json", "--output=x.json", "what fio prints"),
        ("--ioscheduler=none", "ioscheduler=none", "is not changed"),
        ("--write_lat_log=x", "write_lat_log=x", "not written here"),
        ("--exec_prerun=reboot", "exec_prerun=reboot", "never run"),
        ("--randrepeat=0 --rw=randread", "randrepeat=0", "--seed"),
        ("--rate_iops=10k", "rate_iops=10k", "10240"),
        ("--percentage_random=50", "percentage_random=50", "no effect on sequential"),
        ("--fsync=1", "fsync=1", "nothing is written"),
        ("--latency_target=10ms --latency_window=1s", "latency_target=10ms", "the requested depth is used"),
        ("--rw=randread --bsrange=512/25:1k:25", "bsrange=512/25:1k:25", "reads 512-1k"),
        ("--time_based", "time_based", "without a runtime"),
        ("--bs=8k --bssplit=4k/100", "bs=8k", "given later"),
        ("--rw=randread --random_distribution=zipf:1.2/0.5", "zipf", "centre"),
        ("--ss=iops:0.3%", "ss=iops:0.3%", "runs for its full time"),
        ("--refill_buffers", "refill_buffers", "incompressible"),
    ] {
        let foreign = read(&format!("fio --name=a --filename=x --size=1g --direct=1 {options}"));
        assert!(says(&foreign, of, words), "{options}: {:#?}", foreign.notes);
    }
    assert!(read("fio --name=a --filename=x --size=1g --direct=1 --thread=0 --verify=0").notes.is_empty());
}

#[test]
fn what_can_not_be_carried_or_read_is_refused_with_its_place_and_mend() {
    let table: Vec<(&str, &str, &[&str])> = vec![
        ("", "", &["there is no job"]),
        ("--size=1g", "-", &["there is no job"]),
        (
            "--name=a --size=1g --iodpeth=4",
            "--iodpeth=4",
            &["not an option of fio", "did you mean --iodepth"],
        ),
        ("--name=a --size=1g --rw=randraed", "--rw=randraed", &["not a kind of I/O", "randread"]),
        ("--name=a --size=1.5g", "--size=1.5g", &["decimals"]),
        ("--name=a --size=1x", "--size=1x", &["has no unit of fio's"]),
        ("--name=a --size=20%", "--size=20%", &["share of a file", "size=10g"]),
        ("--name=a", "--name=a", &["neither size nor filename"]),
        ("--name=a --filename=/dev/sda", "--name=a", &["cover a file or device once", "runtime=60"]),
        ("--name=a --size=4k --bs=8k", "--size=4k", &["smaller than a block"]),
        ("--name=a --size=4k --nrfiles=2", "--size=4k", &["smaller than a block"]),
        ("--name=a --size=1g --direct", "--direct", &["no value"]),
        ("--name=a --size=1g --direct=yes", "--direct=yes", &["neither 0 nor 1"]),
        ("--name=a --size=1g --ioengine=mmap", "--ioengine=mmap", &["memory-mapped"]),
        ("--name=a --size=1g --ioengine=net", "--ioengine=net", &["engine net"]),
        ("--name=a --size=1g --flow=-8", "--flow=-8", &["above zero"]),
        ("--name=a --size=1g --zonemode=zbd", "--zonemode=zbd", &["zoned"]),
        ("--name=a --size=1g --read_iolog=x", "--read_iolog=x", &["trace"]),
        (
            "--name=a --size=1g --verify_only",
            "--verify_only",
            &["verifying the data of an earlier run is not supported"],
        ),
        ("--name=a --size=1g --trim_percentage=5", "--trim_percentage=5", &["another kind"]),
        ("--name=a --size=1g --create_only=1", "--create_only=1", &["no I/O to run"]),
        ("--name=a --size=1g --filesize=1m-2m", "--filesize=1m-2m", &["random sizes"]),
        ("--name=a --size=1g --startdelay=1-5", "--startdelay=1-5", &["random delay"]),
        ("--name=a --size=1g --rw=write --readonly", "--readonly", &["only reads"]),
        ("--name=a --size=1g --bssplit=4k/60:64k/50", "--bssplit=4k/60:64k/50", &["add to 110"]),
        (
            "--name=a --size=1g --rw=randread --random_distribution=zipf:1",
            "--random_distribution",
            &["other than 1"],
        ),
        (
            "--name=a --size=1g --rw=randread --random_distribution=cauchy",
            "--random_distribution",
            &["not a distribution"],
        ),
        (
            "--name=a --size=1g --rw=randread --random_distribution=zoned:50/50",
            "--random_distribution",
            &["100 percent"],
        ),
        ("--name=a --size=1g --rate=1m --rate_iops=5", "--rate=1m", &["both given"]),
        ("--name=a --size=1g --numjobs=0", "--numjobs=0", &["1 to 4096"]),
        ("--name=a --size=1g --numjobs=1000000", "--numjobs=1000000", &["1 to 4096"]),
        (
            "--name=a --size=1g --nrfiles=2 --file_service_type=sequential",
            "--file_service_type",
            &["one after the other"],
        ),
        (r"--name=a --filename=C:\x --size=1g", "--filename=C", &["splits", r"C\:\x"]),
        ("--name=a --size=1g --directory=/a:/b --numjobs=3", "--directory", &["multiple"]),
        ("--name=a --size=1g --server", "--server", &["other machines"]),
        ("--name=a --size=1g --parse-only", "--parse-only", &["run nothing"]),
        ("--name=a --size=${SIZE}", "--size=", &["SIZE is not set"]),
        ("--name=a --size=$mb_memory", "--size=", &["not known here"]),
        ("--name=a --size=(1/0)", "--size=", &["divides by zero"]),
        ("--name=a --size=1g --kb_base=10", "--kb_base=10", &["1024 (the default) or 1000"]),
        ("--name=a --size", "--size", &["no value"]),
        ("fio --name=a --size=1g && fio --name=b", "&&", &["second command"]),
        ("fio --name='a", "'", &["not closed"]),
        ("--name=a --size=1g --wait_for=b", "--wait_for=b", &["stonewall"]),
    ];
    assert_refused(parse, &table);
}
