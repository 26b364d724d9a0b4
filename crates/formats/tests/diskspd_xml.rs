//! DiskSpd's XML profiles, by `diskspd.xsd` of microsoft/diskspd 2.2.

mod common;

use common::{about, assert_refused, says};
use iobound_formats::{Foreign, diskspd};
use iobound_units::{Bytes, Percent, Rate, Span};
use iobound_workload::{Access, Distribution, HotZone, Load, Spread, Targets, ZoneRange};

fn read(text: &str) -> Foreign {
    diskspd::parse_xml(text).unwrap_or_else(|error| panic!("{error}"))
}

/// A profile of one time span with these targets and these elements of its own.
fn profile(targets: &str, span: &str) -> String {
    format!(
        "<?xml version=\"1.0\"?>\n<Profile>\n<TimeSpans>\n<TimeSpan>\n{span}<Targets>\n{targets}</Targets>\n\
         </TimeSpan>\n</TimeSpans>\n</Profile>\n"
    )
}

fn target(elements: &str) -> String {
    format!("<Target><Path>x.dat</Path><DisableOSCache>true</DisableOSCache>\n{elements}\n</Target>\n")
}

#[test]
fn a_profile_and_the_command_line_mean_the_same() {
    for (line, elements, span) in [
        (
            "-b4K -d60 -h -o8 -t4 -si -c50000M x.dat",
            "<BlockSize>4096</BlockSize><WriteThrough>true</WriteThrough><RequestCount>8</RequestCount>\
             <ThreadsPerFile>4</ThreadsPerFile><InterlockedSequential>true</InterlockedSequential>\
             <FileSize>52428800000</FileSize>",
            "<Duration>60</Duration>",
        ),
        (
            "-b8K -r -w30 -F4 -W30 -C2 -z7 -Su -g500i x.dat",
            "<BlockSize>8192</BlockSize><Random>8192</Random><WriteRatio>30</WriteRatio>\
             <Throughput unit=\"IOPS\">500</Throughput>",
            "<ThreadCount>4</ThreadCount><Warmup>30</Warmup><Cooldown>2</Cooldown><RandSeed>7</RandSeed>",
        ),
        (
            "-rs40 -r64K -B1M -f1G -i8 -j3 -Z -Su x.dat",
            "<Random>65536</Random><RandomRatio>40</RandomRatio><BaseFileOffset>1048576</BaseFileOffset>\
             <MaxFileSize>1073741824</MaxFileSize><BurstSize>8</BurstSize><ThinkTime>3</ThinkTime>\
             <WriteBufferContent><Pattern>zero</Pattern></WriteBufferContent>",
            "",
        ),
        (
            "-t2 -T1G -s128K -g100 -Su x.dat",
            "<ThreadsPerFile>2</ThreadsPerFile><ThreadStride>1073741824</ThreadStride>\
             <StrideSize>131072</StrideSize><Throughput>100</Throughput>",
            "",
        ),
    ] {
        let mut from_line = diskspd::parse_line(line).unwrap().workload;
        let from_xml = read(&profile(&target(elements), span)).workload;
        from_line.jobs[0].name = "x.dat".into();
        assert_eq!(from_xml, from_line, "{line}");
    }
}

#[test]
fn time_spans_run_one_after_the_other() {
    let span = |seconds: u32| {
        format!(
            "<TimeSpan><Duration>{seconds}</Duration><Targets>{}</Targets></TimeSpan>",
            target("<Random>65536</Random>")
        )
    };
    let text = format!("<Profile><TimeSpans>{}{}</TimeSpans></Profile>", span(10), span(20));
    let foreign = read(&text);
    let durations: Vec<_> = foreign.workloads().map(|workload| workload.duration).collect();
    assert_eq!(durations, [Span::from_secs(10), Span::from_secs(20)]);
    assert_eq!(foreign.files.len(), 1);
}

#[test]
fn targets_that_differ_are_jobs_of_their_own() {
    let two = "<Target><Path>a</Path><DisableOSCache>1</DisableOSCache><BlockSize>4096</BlockSize><Random>4096</Random>\
               </Target><Target><Path>b</Path><DisableOSCache>1</DisableOSCache><BlockSize>4096</BlockSize>\
               <Random>4096</Random></Target><Target><Path>c &amp; d</Path><DisableOSCache>1</DisableOSCache>\
               <WriteRatio>100</WriteRatio><Random>65536</Random></Target>";
    let foreign = read(&profile(two, "<ThreadCount>2</ThreadCount>"));
    let jobs = &foreign.workload.jobs;
    assert_eq!(jobs.len(), 2);
    assert_eq!(jobs[0].targets, Targets::Named(vec!["a".into(), "b".into()]));
    assert_eq!(jobs[1].targets, Targets::Named(vec!["c & d".into()]));
    assert!(jobs.iter().all(|job| job.spread == Spread::Every && job.threads == 2));
}

#[test]
fn threads_with_targets_of_their_own_are_jobs() {
    let with = |path: &str, threads: &str| {
        format!(
            "<Target><Path>{path}</Path><DisableOSCache>1</DisableOSCache><Random>65536</Random>{threads}</Target>"
        )
    };
    let only = "<ThreadTargets><ThreadTarget><Thread>0</Thread></ThreadTarget></ThreadTargets>";
    let text = profile(
        &(with("a", "") + &with("b", only)),
        "<ThreadCount>4</ThreadCount><RequestCount>8</RequestCount>",
    );
    let foreign = read(&text);
    let jobs: Vec<_> = foreign.workload.jobs.iter().map(|job| (job.targets.clone(), job.threads)).collect();
    assert_eq!(
        jobs,
        [(Targets::Named(vec!["a".into(), "b".into()]), 1), (Targets::Named(vec!["a".into()]), 3)]
    );
    assert!(foreign.workload.jobs.iter().all(|job| job.spread == Spread::Dealt));
    assert_eq!(foreign.workload.jobs[0].load, Load::Closed { depth: 8, cap: None });
}

#[test]
fn a_distribution_is_read() {
    let elements = "<Random>65536</Random><Distribution><Absolute><Range IO=\"90\">1073741824</Range>\
                    <Range IO=\"10\">0</Range></Absolute></Distribution>";
    let job = &read(&profile(&target(elements), "")).workload.jobs[0];
    let hot = |ios, range| HotZone { ios: Percent::whole(ios).unwrap(), range };
    let zones = vec![hot(90, ZoneRange::Bytes(Bytes(1 << 30))), hot(10, ZoneRange::Rest)];
    assert_eq!(job.access, Access { distribution: Distribution::Zones(zones), ..Access::random() });
}

#[test]
fn the_profile_inside_a_result_is_found() {
    let inner = profile(&target("<Random>65536</Random><Throughput>5</Throughput>"), "");
    let inner = inner.trim_start_matches("<?xml version=\"1.0\"?>\n");
    let text = format!(
        "<Results><System><ComputerName>VM</ComputerName></System>{inner}<TimeSpan><TestTimeSeconds>9</TestTimeSeconds>\
         <Thread><Target><Path>x.dat</Path></Target></Thread></TimeSpan></Results>"
    );
    let job = &read(&text).workload.jobs[0];
    let cap = Some(Rate::Bytes { count: 5, per: Span::from_ms(1) });
    assert_eq!(job.load, Load::Closed { depth: 2, cap });
}

#[test]
fn what_leaves_the_io_as_it_is_is_noted() {
    let span = "<MeasureLatency>true</MeasureLatency><DisableAffinity>true</DisableAffinity>\
                <CompletionRoutines>false</CompletionRoutines>";
    let foreign = read(&profile(&target("<Random>65536</Random><UseLargePages>true</UseLargePages>"), span));
    assert_eq!(about(&foreign), ["MeasureLatency", "DisableAffinity", "UseLargePages"]);
    assert!(says(&foreign, "MeasureLatency", "always measured"));
}

#[test]
fn a_command_line_may_name_a_profile_and_change_its_times_and_templates() {
    let text = profile(
        "<Target><Path>*1</Path><DisableOSCache>true</DisableOSCache><Random>4096</Random></Target>",
        "<Duration>60</Duration>",
    );
    let by_name = |name: &str| (name == "p.xml").then(|| text.clone());
    let foreign = diskspd::parse_line_with_profile("diskspd -Xp.xml -d5 -W1 -z3 data.dat", &by_name).unwrap();
    assert_eq!(foreign.workload.duration, Span::from_secs(5));
    assert_eq!((foreign.workload.warmup, foreign.workload.seed), (Span::from_secs(1), 3));
    assert_eq!(foreign.workload.jobs[0].targets, Targets::Named(vec!["data.dat".into()]));
    let read = |line: &str| diskspd::parse_line_with_profile(line, &by_name);
    assert_refused(
        read,
        &[
            ("-Xp.xml", "<Path>", &["template target *1", "p.xml:"]),
            ("-Xp.xml -b4K a", "-b4K", &["combined with -X"]),
            ("-Xq.xml a", "-Xq.xml", &["was not found"]),
            ("-Xp.xml a b", "b", &["no template target"]),
        ],
    );
}

#[test]
fn what_is_wrong_is_pointed_at() {
    let deep = "<Profile>".repeat(100_000);
    let cases: Vec<(String, &str, &[&str])> = vec![
        (
            profile(&target("<BlockSize>4K</BlockSize>"), ""),
            "<BlockSize>",
            &["not such a number", "4096, not 4K"],
        ),
        (profile(&target("<BlokSize>4096</BlokSize>"), ""), "<BlokSize>", &["did you mean BlockSize"]),
        (profile(&target("<WriteRatio>101</WriteRatio>"), ""), "<WriteRatio>", &["0 to 100"]),
        (profile(&target("<RandomRatio>50</RandomRatio>"), ""), "<Target>", &["without Random"]),
        (
            profile(&target("<InterlockedSequential>maybe</InterlockedSequential>"), ""),
            "<Interlocked",
            &["neither true"],
        ),
        (
            profile(&target("<Random>4096</Random><InterlockedSequential>true</InterlockedSequential>"), ""),
            "<Interlocked",
            &["InterlockedSequential conflicts with Random"],
        ),
        (profile(&target("<BurstSize>5</BurstSize>"), ""), "<BurstSize>", &["BurstSize", "ThinkTime"]),
        (
            profile(&target("<MemoryMappedIo>true</MemoryMappedIo>"), ""),
            "<DisableOSCache>",
            &["conflicts with MemoryMappedIo"],
        ),
        (profile(&target("<Throughput unit=\"MB\">5</Throughput>"), ""), "<Throughput", &["BPMS or IOPS"]),
        (profile("", ""), "<TimeSpan>", &["no target"]),
        ("<Profile></Profile>".into(), "<Profile>", &["no time span"]),
        ("<Profile><TimeSpans>".into(), "<", &["not closed"]),
        ("<Results/>".into(), "<", &["no Profile element"]),
        ("".into(), "", &["no Profile element"]),
        ("<a></b>".into(), "<", &["not well-formed XML"]),
        (deep, "<Profile>", &["64 levels"]),
    ];
    for (text, under, words) in &cases {
        assert_refused(diskspd::parse_xml, &[(text.as_str(), *under, *words)]);
    }
}
