//! DiskSpd command lines that people have, and what each becomes. The meaning of a line is in the sources of
//! microsoft/diskspd 2.2 (`CmdLineParser.cpp`, `IORequestGenerator.cpp`).

mod common;

use common::{about, assert_refused, says};
use iobound_formats::{Foreign, diskspd};
use iobound_units::{Bytes, GIB, Op, Percent, Rate, Span};
use iobound_workload::{
    Access, Content, Distribution, HotZone, Job, Load, Region, Share, Spread, Targets, Think, ZoneRange,
};

fn read(line: &str) -> Foreign {
    diskspd::parse_line(line).unwrap_or_else(|error| panic!("{error}"))
}

fn percent(n: u32) -> Percent {
    Percent::whole(n).unwrap()
}

/// What a job of DiskSpd's is when only a target is named: 64 KiB sequential cached reads, two outstanding.
fn bare(target: &str) -> Job {
    Job {
        targets: Targets::Named(vec![target.to_string()]),
        load: Load::Closed { depth: 2, cap: None },
        mix: vec![Share { weight: 1_000_000, op: Op::Read, block: 65536, random: None, align: None }],
        access: Access::sequential(),
        buffered: true,
        content: Content::Counting,
        ..Job::new("diskspd")
    }
}

fn reads(block: u32) -> Vec<Share> {
    vec![Share { weight: 1_000_000, op: Op::Read, block, random: None, align: None }]
}

fn writes(block: u32) -> Vec<Share> {
    vec![Share { weight: 1_000_000, op: Op::Write, block, random: None, align: None }]
}

fn sized(bytes: u64) -> Region {
    Region { offset: Bytes::ZERO, size: Some(Bytes(bytes)) }
}

#[test]
fn a_target_alone_is_diskspds_defaults() {
    let foreign = read("diskspd testfile.dat");
    assert_eq!(foreign.workload.jobs, [bare("testfile.dat")]);
    assert_eq!(
        (
            foreign.workload.warmup,
            foreign.workload.duration,
            foreign.workload.cooldown,
            foreign.workload.seed
        ),
        (Span::from_secs(5), Span::from_secs(10), Span::ZERO, 0)
    );
    assert!(foreign.then.is_empty());
    assert_eq!(foreign.files.len(), 1);
    assert_eq!((foreign.files[0].size, foreign.files[0].create), (None, false));
    assert!(says(&foreign, "-S", "system's cache"));
}

/// Petri, "50,000 IOPS with an Azure VM: Is It Possible?": printed with typographic dashes.
#[test]
fn the_published_command_of_the_50_000_iops_experiment() {
    let published = [
        (r"Diskspd.exe –b4K –d60 –h –o8 –t4 –si –c50000M e:\io.dat", 8, 4),
        (r"Diskspd.exe -b4K -d60 -h -o128 -t32 -si -c50000M e:\io.dat", 128, 32),
    ];
    for (line, depth, threads) in published {
        let foreign = read(line);
        let expected = Job {
            threads,
            spread: Spread::PerTarget,
            load: Load::Closed { depth, cap: None },
            mix: reads(4096),
            access: Access { shared: true, ..Access::sequential() },
            // 50,000 x 2^20
            region: sized(52_428_800_000),
            durable: true,
            buffered: false,
            ..bare(r"e:\io.dat")
        };
        assert_eq!(foreign.workload.jobs, [expected], "{line}");
        assert_eq!(foreign.workload.duration, Span::from_secs(60));
        assert_eq!(foreign.workload.warmup, Span::from_secs(5));
        assert_eq!(foreign.files[0].size, Some(Bytes(52_428_800_000)));
        assert!(foreign.files[0].create);
        let dashes = if line.contains('–') { vec!["–"] } else { vec![] };
        assert_eq!(about(&foreign), dashes);
    }
}

#[test]
fn the_commands_of_the_azure_disk_tutorial() {
    let foreign = read("diskspd -c200G -w100 -b8K -F4 -r -o128 -W30 -d30 -Sh testfile.dat");
    let expected = Job {
        threads: 4,
        spread: Spread::Every,
        load: Load::Closed { depth: 128, cap: None },
        mix: writes(8192),
        access: Access::random(),
        region: sized(200 * GIB),
        durable: true,
        buffered: false,
        ..bare("testfile.dat")
    };
    assert_eq!(foreign.workload.jobs, std::slice::from_ref(&expected));
    assert_eq!(
        (foreign.workload.warmup, foreign.workload.duration),
        (Span::from_secs(30), Span::from_secs(30))
    );
    assert!(foreign.notes.is_empty());

    let foreign = read("diskspd -c200G -b4K -F4 -r -o128 -W7200 -d30 -Sh testfile.dat");
    assert_eq!(foreign.workload.jobs, [Job { mix: reads(4096), ..expected }]);
    assert_eq!(foreign.workload.warmup, Span::from_secs(7200));
}

/// Microsoft VirtualClient's profile, with its placeholders filled in, and its fill before it.
#[test]
fn the_commands_of_the_azure_test_harness() {
    let foreign =
        read("DiskSpd.exe -c496G -b8K -r4K -t2 -o256 -w100 -d480 -Suw -W15 -D -L -Rtext X:\\disk.dat");
    let expected = Job {
        threads: 2,
        load: Load::Closed { depth: 256, cap: None },
        mix: vec![Share { align: Some(Bytes(4096)), ..writes(8192)[0] }],
        access: Access::random(),
        region: sized(496 * GIB),
        durable: true,
        buffered: false,
        ..bare(r"X:\disk.dat")
    };
    assert_eq!(foreign.workload.jobs, [expected]);
    assert_eq!(about(&foreign), ["-R", "-L", "-D"]);

    let foreign = read("DiskSpd.exe -c496G -b256K -si4K -t1 -o64 -w100 -Suw X:\\disk.dat");
    let job = &foreign.workload.jobs[0];
    assert_eq!(job.access, Access { stride: Some(Bytes(4096)), ..Access::sequential() });
    assert!(says(&foreign, "-si", "single thread"));

    let foreign = read("DiskSpd.exe -c496G -b1024k -si4K -t2 -o256 -w0 -Suw X:\\disk.dat");
    let job = &foreign.workload.jobs[0];
    assert_eq!(job.access, Access { stride: Some(Bytes(4096)), shared: true, ..Access::sequential() });
}

#[test]
fn every_switch_that_shapes_the_io() {
    let base = |job: Job| Job { buffered: false, ..job };
    let table: Vec<(&str, Job)> = vec![
        ("-Su -B1G", Job { region: Region { offset: Bytes(GIB), size: None }, ..bare("x") }),
        (
            "-Su -B1G:2G",
            Job { region: Region { offset: Bytes(GIB), size: Some(Bytes(2 * GIB)) }, ..bare("x") },
        ),
        (
            "-Su -f3G -B1G",
            Job { region: Region { offset: Bytes(GIB), size: Some(Bytes(2 * GIB)) }, ..bare("x") },
        ),
        ("-Su -c4G -f3G", Job { region: sized(3 * GIB), ..bare("x") }),
        ("-Su -b8K -c100b", Job { mix: reads(8192), region: sized(819_200), ..bare("x") }),
        ("-Su -c100b -b8K", Job { mix: reads(8192), region: sized(819_200), ..bare("x") }),
        ("-S -w100", Job { mix: writes(65536), ..bare("x") }),
        (
            "-Su -w30",
            Job {
                mix: vec![
                    Share { weight: 700_000, op: Op::Read, block: 65536, random: None, align: None },
                    Share { weight: 300_000, op: Op::Write, block: 65536, random: None, align: None },
                ],
                ..bare("x")
            },
        ),
        (
            "-Su -g1024",
            Job {
                load: Load::Closed {
                    depth: 2,
                    cap: Some(Rate::Bytes { count: 1024, per: Span::from_ms(1) }),
                },
                ..bare("x")
            },
        ),
        (
            "-Su -g500i",
            Job {
                load: Load::Closed { depth: 2, cap: Some(Rate::Ios { count: 500, per: Span::from_secs(1) }) },
                ..bare("x")
            },
        ),
        (
            "-Su -i10 -j5",
            Job {
                think: Some(Think { burst: 10, time: Span::from_ms(5), after_completion: false }),
                ..bare("x")
            },
        ),
        (
            "-Su -s128K",
            Job { access: Access { stride: Some(Bytes(131_072)), ..Access::sequential() }, ..bare("x") },
        ),
        ("-Su -s0", Job { region: sized(65536), ..bare("x") }),
        (
            "-Su -t4 -T1G",
            Job {
                threads: 4,
                access: Access { thread_stride: Some(Bytes(GIB)), ..Access::sequential() },
                ..bare("x")
            },
        ),
        ("-Su -rs50", Job { access: Access { random: percent(50), ..Access::random() }, ..bare("x") }),
        (
            "-Su -rs50 -r4K",
            Job {
                access: Access { random: percent(50), ..Access::random() },
                mix: vec![Share { align: Some(Bytes(4096)), ..reads(65536)[0] }],
                ..bare("x")
            },
        ),
        ("-Su -Zr", Job { content: Content::Incompressible, ..bare("x") }),
        ("-Su -Z", Job { content: Content::Zeros, ..bare("x") }),
        ("-Sb", Job { buffered: true, ..bare("x") }),
        (
            "-F2 -O7 -Su",
            Job {
                threads: 2,
                spread: Spread::Dealt,
                load: Load::Closed { depth: 7, cap: None },
                ..bare("x")
            },
        ),
        (
            "/Su /t3 /T64K",
            Job {
                threads: 3,
                access: Access { thread_stride: Some(Bytes(65536)), ..Access::sequential() },
                ..bare("x")
            },
        ),
    ];
    for (switches, job) in table {
        let job = if switches == "-Sb" { job } else { base(job) };
        assert_eq!(read(&format!("{switches} x")).workload.jobs, [job], "{switches}");
    }
    assert!(read("-Sw x").workload.jobs[0].durable && read("-Sw x").workload.jobs[0].buffered);
}

#[test]
fn zones_take_what_is_left_as_the_last() {
    let hot = |ios: u32, range: ZoneRange| HotZone { ios: percent(ios), range };
    let share = |n: u32| ZoneRange::Share(percent(n));
    for (switches, zones) in [
        ("-rdpct90/10:10/90", vec![hot(90, share(10)), hot(10, share(90))]),
        ("-rdpct90/10:5/5", vec![hot(90, share(10)), hot(5, share(5)), hot(5, ZoneRange::Rest)]),
        (
            "-rdabs10/1G:90/1G",
            vec![hot(10, ZoneRange::Bytes(Bytes(GIB))), hot(90, ZoneRange::Bytes(Bytes(GIB)))],
        ),
        ("-rdabs95/10G", vec![hot(95, ZoneRange::Bytes(Bytes(10 * GIB))), hot(5, ZoneRange::Rest)]),
        ("-rdpct0/10:100/90", vec![hot(0, share(10)), hot(100, share(90))]),
    ] {
        let foreign = read(&format!("-r {switches} -Su x"));
        assert_eq!(foreign.workload.jobs[0].access.distribution, Distribution::Zones(zones), "{switches}");
    }
}

#[test]
fn several_targets_share_one_job_and_threads_meet_them_as_asked() {
    for (switches, spread) in [("-t2", Spread::PerTarget), ("-F2", Spread::Every), ("-F2 -O8", Spread::Dealt)]
    {
        let foreign = read(&format!("-r -Su {switches} #1 e: /mnt/data/x.dat"));
        let [job] = foreign.workload.jobs.as_slice() else { panic!("one job") };
        assert_eq!(job.spread, spread);
        assert_eq!(job.threads, 2);
        assert_eq!(job.targets, Targets::Named(vec!["#1".into(), "e:".into(), "/mnt/data/x.dat".into()]));
        assert_eq!(foreign.files.len(), 3);
    }
}

#[test]
fn parallel_slots_are_threads_of_depth_one() {
    let foreign = read("-p -o4 -t2 -Su -g800 x");
    let job = &foreign.workload.jobs[0];
    assert_eq!(job.threads, 8);
    assert_eq!(
        job.load,
        Load::Closed { depth: 1, cap: Some(Rate::Bytes { count: 800, per: Span::from_ms(4) }) }
    );
    assert!(says(&foreign, "-p", "8 threads"));
}

#[test]
fn what_diskspd_warns_about_is_noted() {
    for (line, of, words) in [
        ("-si -Su x", "-si", "single thread"),
        ("-t2 -Su x", "-t", "consider -si"),
        ("-F2 -Su x", "-t", "consider -si"),
        ("-p -o1 -Su x", "-p", "no effect with one outstanding"),
        ("-z7 -Su x", "-z", "no effect on sequential"),
        ("-r -z -Su x", "-z", "time since boot"),
        ("-b64K -g100000i -Su x", "-g", "32 bits"),
        ("-rs50 -w50 -Su x", "-rs", "the direction of each I/O is random"),
        ("-Z1M,random.bin -w100 -Su x", "-Z", "random.bin"),
        ("-Su -o4 -o8 x", "-o8", "given twice"),
        ("-r -F2 -O4 -o4 -Su x y", "-o", "no effect beside -O"),
        ("-r -F2 -O4 -Su x y", "-O", "take turns"),
        ("-n -Su x", "-n", "not bound"),
        ("-ag0,0,1 -Su x", "-a", "not bound"),
        ("-I1 -Su x", "-I", "not set"),
        ("-ysgo -Su x", "-y", "neither signalled"),
    ] {
        let foreign = read(line);
        assert!(says(&foreign, of, words), "{line}: {:#?}", foreign.notes);
    }
}

#[test]
fn a_line_without_a_target_is_for_every_volume() {
    let foreign = read("-b4K -d60 -h -o8 -t4 -si -c50000M");
    assert_eq!(foreign.workload.jobs[0].targets, Targets::All);
    assert!(foreign.files.is_empty());
    assert!(foreign.notes.iter().any(|note| note.says.contains("every volume")), "{:?}", foreign.notes);
}

#[test]
fn what_diskspd_refuses_is_refused_with_its_place_and_mend() {
    let table: Vec<(&str, &str, &[&str])> = vec![
        ("", "", &["no target"]),
        ("-w x", "-w", &["no percentage", "-w0"]),
        ("-w101 x", "-w101", &["at most 100"]),
        ("-b 4K -d60 x", "-b", &["separated from its value", "write -b4K"]),
        ("-b4K x -d60", "-d60", &["follows the target `x`"]),
        ("-b4KB x", "-b4KB", &["not a unit", "write 4K"]),
        ("-b1.5M x", "-b1.5M", &["whole numbers"]),
        ("-b0 x", "-b0", &["1 to 4,294,967,295"]),
        ("-b4G x", "-b4G", &["1 to 4,294,967,295"]),
        ("-d0 x", "-d0", &["at least 1"]),
        ("-d60s x", "-d60s", &["not a whole number", "-d60"]),
        ("-o x", "-o", &["no number"]),
        ("-si -r x", "-r", &["conflicts"]),
        ("-t4 -si -T1M x", "-si", &["-si conflicts with -T"]),
        ("-t4 -si -p x", "-si", &["-si conflicts with -p"]),
        ("-r -t4 -T1M x", "-T1M", &["-T conflicts with -r"]),
        ("-r -p x", "-p", &["-p conflicts with -r"]),
        ("-s -r x", "-r", &["conflicts"]),
        ("-r -r4K x", "-r4K", &["twice"]),
        ("-T1M x", "-T1M", &["several threads"]),
        ("-F4 -t2 x", "-F4", &["exclude each other"]),
        ("-h -Su x", "-Su", &["conflicts with an earlier"]),
        ("-Sw -h x", "-h", &["conflicts with an earlier"]),
        ("-Subx x", "-Subx", &["conflicts"]),
        ("-Sx x", "-Sx", &["no `x`"]),
        ("-g100 -x x", "-g100", &["-g conflicts with -x"]),
        ("-g100 -F2 -O4 x", "-g100", &["-g conflicts with -O"]),
        ("-O4 x", "-O4", &["needs -F"]),
        ("-i5 x", "-i5", &["need each other"]),
        ("-j5 x", "-j5", &["need each other"]),
        ("-f1G -B0:1G x", "-B0:1G", &["already given"]),
        ("-B1G -f1G x", "-B1G", &["0 bytes"]),
        ("-c4K x", "-c4K", &["less than a block"]),
        ("-r -rdpct90/10:10/50 x", "-rdpct", &["60 percent"]),
        ("-r -rdpct90/100 x", "-rdpct", &["10 percent of the I/Os are left"]),
        ("-r -rdabs10/4K x", "-rdabs", &["smaller than a block"]),
        ("-rdpct90/10:10/90 x", "-rdpct", &["add -r"]),
        ("-r -rdxyz x", "-rdxyz", &["pct or abs"]),
        ("-Sm x", "-Sm", &["memory-mapped"]),
        ("-Nv x", "-Nv", &["needs -Sm"]),
        ("-Sr x", "-Sr", &["remote"]),
        ("-yego x", "-yego", &["no I/O"]),
        ("-Xprofile.xml", "-Xprofile.xml", &["was not found"]),
        ("-G100 x", "-G100", &["did you mean -g100"]),
        ("-q x", "-q", &["not a switch", "a b B"]),
        ("--help x", "--help", &["not a switch"]),
        ("-L5 x", "-L5", &["takes no value"]),
        ("-n -a0 x", "-n", &["exclude each other"]),
        ("-Z1K x", "-Z1K", &["smaller than a block"]),
        ("-ag0 x", "-ag0", &["without processors"]),
        ("*1", "*1", &["template"]),
        ("-I4 x", "-I4", &["at most 3"]),
    ];
    assert_refused(diskspd::parse_line, &table);
}

#[test]
fn several_problems_are_all_listed() {
    let error = diskspd::parse_line("diskspd -b4KB -w -o x").unwrap_err();
    assert_eq!(error.problems.len(), 3);
    assert_eq!(error.problems[1].place.column, 15);
}
