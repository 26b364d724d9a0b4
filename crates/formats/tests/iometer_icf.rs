//! Iometer's configuration files, in the form that Iometer 1.1 and 2006.07.27 write.

mod common;

use common::{about, assert_refused, says};
use iobound_formats::{Foreign, FormatError, iometer};
use iobound_units::{Bytes, Op, Percent, Span, TargetId};
use iobound_workload::{Access, Job, Load, Region, Share, Spread, Target, Targets, Think};

/// A file of one worker: its run time, specification line, outstanding I/Os and sectors.
fn file(line: &str, outstanding: u32, sectors: u64) -> String {
    format!(
        "Version 1.1.0 \n'TEST SETUP ====================================================================\n\
'Test Description\n\t\n'Run Time\n'\thours      minutes    seconds\n\t0          1          30\n\
'Ramp Up Time (s)\n\t5\n'Default Disk Workers to Spawn\n\tNUMBER_OF_CPUS\n'Default Network Workers to Spawn\n\t0\n\
'Record Results\n\tALL\n'Worker Cycling\n'\tstart      step       step type\n\t1          1          LINEAR\n\
'Disk Cycling\n'\tstart      step       step type\n\t1          1          LINEAR\n'Queue Depth Cycling\n\
'\tstart      end        step       step type\n\t1          32         2          EXPONENTIAL\n\
'Test Type\n\tNORMAL\n'END test setup\n\
'RESULTS DISPLAY ===============================================================\n\
'Record Last Update Results,Update Frequency,Update Type\n\tDISABLED,1,WHOLE_TEST\n\
'Bar chart 1 statistic\n\tTotal I/Os per Second\n'Bar chart 2 manager ID, manager name\n\t1,ALL\n\
'END results display\n'ACCESS SPECIFICATIONS =========================================================\n\
'Access specification name,default assignment\n\tone, two; 100%,NONE\n\
'size,% of size,% reads,% random,delay,burst,align,reply\n\t{line}\n'END access specifications\n\
'MANAGER LIST ==================================================================\n\
'Manager ID, manager name\n\t1,VM\n'Manager network address\n\t\n'Worker\n\tWorker 1\n'Worker type\n\tDISK\n\
'Default target settings for worker\n'Number of outstanding IOs,test connection rate,transactions per connection,\
use fixed seed,fixed seed value\n\t{outstanding},DISABLED,1,DISABLED,0\n\
'Disk maximum size,starting sector,Data pattern\n\t{sectors},0,0\n'End default target settings for worker\n\
'Assigned access specs\n\tone, two; 100%\n'End assigned access specs\n'Target assignments\n'Target\n\tE: \"Data\"\n\
'Target type\n\tDISK\n'End target\n'End target assignments\n'End worker\n'End manager\n'END manager list\n\
Version 1.1.0 \n"
    )
}

fn read(text: &str) -> Foreign {
    iometer::parse_icf(text).unwrap_or_else(|error| panic!("{error}"))
}

fn reads(block: u32) -> Vec<Share> {
    vec![Share { weight: 10_000, op: Op::Read, block, random: None, align: None }]
}

/// What a sequential read of one worker on `E:` is.
fn bare(block: u32, depth: u32) -> Job {
    let mut job = Job {
        targets: Targets::Named(vec!["E: \"Data\"".into()]),
        spread: Spread::Every,
        load: Load::Closed { depth, cap: None },
        mix: reads(block),
        access: Access::sequential(),
        ..Job::new("one, two; 100%")
    };
    job.set_align(Some(Bytes(512)).filter(|_| block != 512));
    job
}

/// "Understanding Azure Virtual Machine IOPS, throughput and disk latency – Part 1": 512 bytes and 256 KiB at 100
/// outstanding, then one outstanding; the first with a maximum disk size of 1,000 sectors.
#[test]
fn the_published_iometer_experiments() {
    for (size, outstanding, sectors) in
        [(512, 100, 1000), (262_144, 100, 1000), (512, 1, 1000), (262_144, 1, 1000)]
    {
        let foreign = read(&file(&format!("{size},100,100,0,0,1,0,0"), outstanding, sectors));
        let expected = Job {
            region: Region { offset: Bytes::ZERO, size: Some(Bytes(sectors * 512)) },
            ..bare(size, outstanding)
        };
        assert_eq!(foreign.workload.jobs, [expected]);
        assert_eq!(
            (foreign.workload.warmup, foreign.workload.duration),
            (Span::from_secs(5), Span::from_secs(90))
        );
        assert_eq!(about(&foreign), ["'RESULTS DISPLAY"]);
        assert_eq!(foreign.files[0].size, Some(Bytes(512_000)));
    }
}

#[test]
fn a_specification_is_a_mix_with_its_own_shares_of_random() {
    let text = file("4096,60,67,100,0,1,4096,0\n\t65536,40,100,0,0,1,65536,0", 16, 0);
    let job = &read(&text).workload.jobs[0];
    assert_eq!(
        job.mix,
        [
            Share { weight: 4020, op: Op::Read, block: 4096, random: None, align: Some(Bytes(4096)) },
            Share { weight: 1980, op: Op::Write, block: 4096, random: None, align: Some(Bytes(4096)) },
            Share {
                weight: 4000,
                op: Op::Read,
                block: 65536,
                random: Some(Percent::ZERO),
                align: Some(Bytes(65536))
            },
        ]
    );
    assert_eq!(job.region, Region::default());
    assert_eq!(job.access, Access::random());
}

#[test]
fn delays_and_alignments_are_carried() {
    let job = &read(&file("4096,100,100,100,7,10,8192,0", 4, 0)).workload.jobs[0];
    assert_eq!(job.mix[0].align, Some(Bytes(8192)));
    assert_eq!(job.think, Some(Think { burst: 10, time: Span::from_ms(7), after_completion: false }));
    let job = &read(&file("4096,100,100,0,0,1,8192,0", 4, 0)).workload.jobs[0];
    assert_eq!(job.access, Access { stride: Some(Bytes(8192)), ..Access::sequential() });
}

/// Iometer rounds each I/O up to the boundary of its own line, random or not; 0 is the next sector.
#[test]
fn each_line_of_a_specification_keeps_its_own_alignment() {
    let text =
        file("4096,50,100,100,0,1,0,0\n\t4096,30,0,100,0,1,8192,0\n\t65536,20,100,0,0,1,65536,0", 1, 0);
    let mut workload = read(&text).workload;
    let align = |bytes| Some(Bytes(bytes));
    let aligns: Vec<_> =
        workload.jobs[0].mix.iter().map(|share| (share.op, share.block, share.align)).collect();
    let expected =
        [(Op::Read, 4096, align(512)), (Op::Write, 4096, align(8192)), (Op::Read, 65536, align(65536))];
    assert_eq!(aligns, expected);
    workload.jobs[0].targets = Targets::All;
    let target = Target { name: "disk".into(), id: TargetId(0), size: Bytes::gib(1), members_of: None };
    let queues = workload.queues(&[target]).unwrap();
    let generator = &mut workload.generators(&queues)[0];
    let (mut end, mut on_odd_sectors) = (0, 0);
    for _ in 0..10_000 {
        let io = generator.next();
        match (io.op, io.len) {
            (Op::Read, 4096) => on_odd_sectors += u32::from(!io.offset.is_multiple_of(4096)),
            (Op::Write, _) => assert_eq!(io.offset % 8192, 0),
            // Sequential: the first boundary of 64 KiB after the last I/O, or the start where that does not fit.
            _ => assert!(io.offset == u64::next_multiple_of(end, 65536) || io.offset == 0),
        }
        end = io.offset + u64::from(io.len);
    }
    // 7 of 8 of the 5,000 reads on sectors.
    assert!((4_200..4_550).contains(&on_odd_sectors), "{on_odd_sectors}");
}

#[test]
fn alike_workers_are_threads_and_specifications_are_tests() {
    let worker = "'Worker\n\tWorker 2\n'Worker type\n\tDISK\n'Default target settings for worker\n\
'Number of outstanding IOs,test connection rate,transactions per connection\n\t16,DISABLED,1\n\
'Disk maximum size,starting sector\n\t0,0\n'End default target settings for worker\n\
'Assigned access specs\n\tone, two; 100%\n\tsecond\n'End assigned access specs\n\
'Target assignments\n'Target\n\tE: \"Data\"\n'Target type\n\tDISK\n'End target\n'End target assignments\n'End worker\n";
    let second = "'Access specification name,default assignment\n\tsecond,ALL\n\
'size,% of size,% reads,% random,delay,burst,align,reply\n\t8192,100,0,100,0,1,8192,0\n'END access specifications\n";
    let text = file("4096,100,100,100,0,1,4096,0", 16, 0)
        .replace("'End manager\n", &format!("{worker}'End manager\n"))
        .replace("'END access specifications\n", second);
    let foreign = read(&text);
    let mut both = Job { threads: 2, access: Access::random(), ..bare(4096, 16) };
    both.set_align(None);
    assert_eq!(foreign.workload.jobs, std::slice::from_ref(&both));
    let write = vec![Share { weight: 10_000, op: Op::Write, block: 8192, random: None, align: None }];
    let second = Job { name: "second".into(), threads: 1, mix: write, ..both };
    assert_eq!(foreign.then.len(), 1);
    assert_eq!(foreign.then[0].jobs, [second]);
    assert!(says(&foreign, "tests", "2 tests"));
}

#[test]
fn cycling_makes_a_test_of_each_step() {
    let text = file("4096,100,100,100,0,1,4096,0", 16, 0).replace("\tNORMAL", "\tCYCLE_OUTSTANDING_IOS");
    let foreign = read(&text);
    let depths: Vec<_> = foreign.workloads().map(|w| w.jobs[0].load).collect();
    let expected = [1, 2, 4, 8, 16, 32].map(|depth| Load::Closed { depth, cap: None });
    assert_eq!(depths, expected);
    assert!(says(&foreign, "tests", "6 tests"));
}

#[test]
fn a_file_of_access_specifications_alone_is_a_test_each() {
    let text = "'ACCESS SPECIFICATIONS ====\n'Access specification name,default assignment\n\ta,ALL\n'size,…\n\
                \t4096,100,100,100,0,1,0,0\n'Access specification name,default assignment\n\tb,ALL\n'size,…\n\
                \t8192,100,0,0,0,1,0,0\n'END access specifications\n";
    let foreign = read(text);
    assert_eq!(foreign.workloads().count(), 2);
    assert_eq!(foreign.workload.jobs[0].targets, Targets::All);
    assert!(says(&foreign, "workers", "1 outstanding"));
    assert!(says(&foreign, "'Run Time", "60 s here"));
    assert_eq!(iometer::parse_access_spec(text), Ok(foreign));
}

#[test]
fn a_bare_specification_is_one_job() {
    for text in
        ["4096,100,100,100,0,0,0,0", " 4096, 100, 100, 100, 0, 1, 0, 0 ;", "\"4096,100,100,100,0,0,0,0\""]
    {
        let foreign = iometer::parse_access_spec(text).unwrap();
        let expected = Job {
            targets: Targets::All,
            load: Load::Closed { depth: 1, cap: None },
            access: Access::random(),
            name: "access specification".into(),
            ..bare(4096, 1)
        };
        assert_eq!(foreign.workload.jobs, [expected], "{text}");
    }
    let foreign = iometer::parse_access_spec("4096,60,100,100,0,0,0,0;8192,40,0,100,0,0,0,0").unwrap();
    assert_eq!(foreign.workload.jobs[0].mix.len(), 2);
}

#[test]
fn older_files_have_fewer_fields() {
    let text = file("4096,100,0,0,0,1,4096,0", 8, 0)
        .replace("Version 1.1.0", "Version 2006.07.27")
        .replace(",use fixed seed,fixed seed value", "")
        .replace("8,DISABLED,1,DISABLED,0", "8,DISABLED,1")
        .replace(",Data pattern", "")
        .replace("0,0,0\n'End default", "0,0\n'End default");
    let foreign = read(&text);
    assert_eq!(foreign.workload.jobs[0].load, Load::Closed { depth: 8, cap: None });
    assert_eq!(iometer::parse_config(&text).unwrap().version, "2006.07.27");
    let seeded = file("4096,100,0,0,0,1,4096,0", 8, 0).replace("1,DISABLED,0\n", "1,ENABLED,42\n");
    assert_eq!(read(&seeded).workload.seed, 42);
}

#[test]
fn what_is_wrong_is_pointed_at() {
    let good = "4096,100,100,100,0,1,0,0";
    let changed = |from: &str, to: &str| {
        let text = file(good, 16, 0);
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    };
    let texts: Vec<(String, &str, Vec<&str>)> = vec![
        (file("4096,90,100,100,0,1,0,0", 1, 0), "one, two", vec!["add to 90"]),
        (file("4096,100,101,100,0,1,0,0", 1, 0), "4096,100,101", vec!["% reads is 101"]),
        (file("4096,100,100,100,0,1,0", 1, 0), "4096", vec!["7 numbers, not 8"]),
        (file("4k,100,100,100,0,1,0,0", 1, 0), "4k", vec!["not a whole number"]),
        (file("0,100,100,100,0,1,0,0", 1, 0), "0,100", vec!["an I/O of zero bytes"]),
        (
            file("4096,50,100,100,0,1,0,0\n\t4096,50,0,100,9,1,0,0", 1, 0),
            "one, two",
            vec!["different delays"],
        ),
        (file("262144,100,100,100,0,1,0,0", 1, 100), "one, two", vec!["100 sectors are less"]),
        (changed("0          1          30", "4294967295 1 30"), "4294967295", vec!["more than ten years"]),
        (
            changed("Ramp Up Time (s)\n\t5", "Ramp Up Time (s)\n\t4294967295"),
            "4294967295",
            vec!["more than ten years"],
        ),
        (changed("\tNORMAL", "\tNORMALL"), "NORMALL", vec!["did you mean NORMAL"]),
        (changed("\tNORMAL", "\tINCREMENT_TARGETS_SERIAL"), "'TEST SETUP", vec!["not supported"]),
        (
            changed("Assigned access specs\n\tone", "Assigned access specs\n\tnone"),
            "Worker 1",
            vec!["not in the file", "did you mean"],
        ),
        (changed("16,DISABLED,1", "16,ENABLED,1"), "Worker 1", vec!["test connection rate"]),
        (changed("16,DISABLED,1", "0,DISABLED,1"), "0,DISABLED", vec!["16,DISABLED,1,DISABLED,0"]),
        (changed("'Worker type\n\tDISK", "'Worker type\n\tNETWORK,TCP"), "Worker 1", vec!["network worker"]),
        (changed("'END test setup", "'END of it"), "'END of it", vec!["TEST SETUP has no"]),
        (changed("'Ramp Up Time (s)\n\t5", "'Ramp Up Time (s)"), "'Ramp Up", vec!["no value"]),
        (
            changed("Version 1.1.0", "Version 1998.01.01"),
            "Version",
            vec!["is older than named access specifications"],
        ),
        (changed("'MANAGER LIST", "'MANAGRE LIST"), "'MANAGRE", vec!["did you mean 'MANAGER LIST"]),
        ("hello\n".to_string(), "hello", vec!["unexpected `hello`"]),
        (String::new(), "", vec!["not a configuration file"]),
        ("'TEST SETUP\n'Run Time\n\t0 1 0\n".to_string(), "", vec!["in the middle of the test setup"]),
    ];
    for (text, under, words) in &texts {
        assert_refused(iometer::parse_icf, &[(text.as_str(), *under, words.as_slice())]);
    }
    let refused: fn(&str) -> Result<Foreign, FormatError> = iometer::parse_access_spec;
    assert_refused(refused, &[("4096,100", "4096", &["2 numbers, not 8"]), ("", "", &["add to 0"])]);
}
