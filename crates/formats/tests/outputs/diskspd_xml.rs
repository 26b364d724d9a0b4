//! DiskSpd's XML of a run, read as the scripts that read it do; its schema is that of `XmlResultParser.cpp` and
//! `Common.cpp` of microsoft/diskspd 2.2.

use std::collections::{BTreeMap, BTreeSet};

use crate::ran::{Io, Run, iops_stdev, mean_ms, run, stdev_ms};
use crate::tree::{Node, parse};
use iobound_formats::diskspd::{self, Profile, out};
use iobound_units::{Op, Span};

fn xml_of(line: &str) -> (String, Run) {
    let invocation = diskspd::parse_run(line, &|_| None).unwrap_or_else(|error| panic!("{error}"));
    let interval = invocation.profile.time_spans[0].interval().unwrap_or(Span::from_secs(1));
    let run = run(invocation.foreign.as_ref().unwrap(), 0, interval, line);
    (out::report(&invocation.profile, &[run.ran()]), run)
}

fn near(read: f64, value: f64, width: f64) {
    assert!((read - value).abs() <= width, "{read} and {value}");
}

/// `Process-DiskSpd.ps1` of microsoft/diskspd: its sums, its coefficients of variation, its choice of latencies.
#[test]
fn microsofts_own_script_reads_it() {
    let (text, run) = xml_of("diskspd -b8K -r -w30 -t2 -o4 -d6 -W1 -Sh -L -D -Rxml a.dat b.dat");
    assert_eq!(text.lines().next(), Some("<Results>"), "the script asks for this first line");
    let root = parse(&text);
    assert_eq!(root.at(&["System", "ComputerName"]), "vm-1");
    let span = root.find("TimeSpan").unwrap();
    let seconds = span.number(&["TestTimeSeconds"]);
    near(seconds, 6.0, 0.005);
    let targets: Vec<&Node> = span.all("Thread").iter().flat_map(|thread| thread.all("Target")).collect();
    assert_eq!(targets.len(), 4);
    for (op, name) in [(Op::Read, "Read"), (Op::Write, "Write")] {
        let ios = run.of(|io| io.op == op);
        let sum = |what: &str| targets.iter().map(|t| t.number(&[&format!("{name}{what}")])).sum::<f64>();
        let bytes: u64 = ios.iter().map(|io| u64::from(io.bytes)).sum();
        near(sum("Count"), ios.len() as f64, 0.0);
        near(sum("Bytes"), bytes as f64, 0.0);
        let variation = span.number(&["Iops", &format!("{name}IopsStdDev")]) / (sum("Count") / seconds);
        near(variation, iops_stdev(&ios, 6) / (ios.len() as f64 / 6.0), 1e-3);
        near(span.number(&["Latency", &format!("Average{name}Milliseconds")]), mean_ms(&ios), 0.0006);
        // Its table of percentiles by the text of each.
        let buckets: BTreeMap<&str, &Node> =
            span.find("Latency").unwrap().all("Bucket").iter().map(|b| (b.at(&["Percentile"]), *b)).collect();
        let mut sorted: Vec<f64> = ios.iter().map(|io| io.latency_ns as f64 / 1e6).collect();
        sorted.sort_by(f64::total_cmp);
        for wanted in ["25", "50", "75", "90", "95", "99", "99.9", "99.99", "99.999", "100"] {
            let read = buckets[wanted].number(&[&format!("{name}Milliseconds")]);
            let percentile: f64 = wanted.parse().unwrap();
            let rank = ((percentile / 100.0 * sorted.len() as f64).ceil() as usize).clamp(1, sorted.len());
            near(read, sorted[rank - 1], sorted[rank - 1] * 0.001 + 0.0005);
        }
    }
    let profile = root.find("Profile").unwrap();
    let target = profile.find("TimeSpans").unwrap().find("TimeSpan").unwrap().find("Targets").unwrap();
    let target = target.find("Target").unwrap();
    for (name, value) in
        [("Random", "8192"), ("WriteRatio", "30"), ("RequestCount", "4"), ("BlockSize", "8192")]
    {
        assert_eq!(target.at(&[name]), value);
    }
    assert_eq!(span.at(&["ThreadCount"]), "4");
    near(span.number(&["CpuUtilization", "Average", "UsagePercent"]), 20.0, 0.0);
    let hot = span
        .find("CpuUtilization")
        .unwrap()
        .all("CPU")
        .iter()
        .map(|c| c.number(&["UsagePercent"]))
        .fold(0.0, f64::max);
    near(hot, 55.0, 0.0);
}

/// PerfKitBenchmarker's `ParseDiskSpdResults`: every element of a `Target` but path, size and latencies is a number
/// that it adds up; each bucket has a percentile and a total; each processor has its four percentages.
#[test]
fn perfkitbenchmarker_reads_it() {
    let (text, run) = xml_of("diskspd -c1G -d4 -t3 -o8 -L -W1 -C0 -Rxml -w40 -Sh -b64K -r F:\\testfile.dat");
    let root = parse(&text);
    let mut metadata: BTreeMap<String, f64> = BTreeMap::new();
    for span in root.all("TimeSpan") {
        for thread in span.all("Thread") {
            for item in &thread.find("Target").unwrap().children {
                if !["Path", "FileSize"].contains(&item.name.as_str())
                    && !item.name.to_lowercase().contains("latency")
                {
                    *metadata.entry(item.name.clone()).or_default() += item.text.parse::<f64>().unwrap();
                }
            }
        }
        for bucket in span.find("Latency").unwrap().all("Bucket") {
            assert!(bucket.number(&["Percentile"]) <= 100.0);
            assert!(bucket.number(&["TotalMilliseconds"]) > 0.0);
        }
        let cpu = span.find("CpuUtilization").unwrap();
        for item in cpu.all("CPU").into_iter().chain(cpu.all("Average")) {
            for name in ["UsagePercent", "UserPercent", "KernelPercent", "IdlePercent"] {
                assert!((0.0..=100.0).contains(&item.number(&[name])));
            }
        }
        for (name, value) in [("ThreadCount", "3"), ("RequestCount", "0"), ("ProcCount", "4")] {
            assert_eq!(span.at(&[name]), value);
        }
    }
    let reads = run.of(|io| io.op == Op::Read).len() as f64;
    assert_eq!(metadata["IOCount"], run.ios.len() as f64);
    assert_eq!(metadata["ReadCount"], reads);
    assert_eq!(metadata["WriteCount"], run.ios.len() as f64 - reads);
    assert_eq!(metadata["BytesCount"], metadata["ReadBytes"] + metadata["WriteBytes"]);
    let target = root.find("Profile").unwrap().find("TimeSpans").unwrap().find("TimeSpan").unwrap();
    let target = target.find("Targets").unwrap().find("Target").unwrap();
    assert_eq!(target.at(&["WriteBufferContent", "Pattern"]), "sequential");
}

#[test]
fn the_latencies_have_a_bucket_for_each_percent_and_seven_nines() {
    let (text, run) = xml_of("diskspd -b4K -d3 -W0 -Su -L -Rxml x.dat");
    let root = parse(&text);
    let latency = root.find("TimeSpan").unwrap().find("Latency").unwrap();
    let names: Vec<String> =
        latency.all("Bucket").iter().map(|b| b.at(&["Percentile"]).to_string()).collect();
    let mut expected: Vec<String> = (0..100).map(|percent| percent.to_string()).collect();
    let nines = ["99.9", "99.99", "99.999", "99.9999", "99.99999", "99.999999", "99.9999999", "100"];
    expected.extend(nines.map(str::to_string));
    assert_eq!(names, expected);
    // Reads alone: no element says anything of writes.
    assert!(!text.contains("WriteMilliseconds") && !text.contains("WriteLatencyStdev"));
    near(latency.number(&["LatencyStdev"]), stdev_ms(&run.ios), 0.0006);
    let distinct = |name: &str| latency.attribute(name).parse::<usize>().unwrap();
    assert!(distinct("ReadHistoBuckets") > 100);
    assert_eq!(distinct("WriteHistoBuckets"), 0);
    assert_eq!(distinct("TotalHistoBuckets"), distinct("ReadHistoBuckets"));
}

#[test]
fn the_intervals_are_those_of_the_switch() {
    let (text, run) = xml_of("diskspd -b4K -w50 -r -d3 -W1 -t2 -Su -D500 -Rxml x.dat");
    let root = parse(&text);
    let span = root.find("TimeSpan").unwrap();
    assert!(span.find("Latency").is_none(), "-L was not given");
    let check = |iops: &Node, thread: Option<u16>| {
        let buckets = iops.all("Bucket");
        assert_eq!(buckets.len(), 6);
        for (index, bucket) in buckets.iter().enumerate() {
            let end_s = (index + 1) as f64 / 2.0;
            assert_eq!(bucket.attribute("SampleMillisecond"), ((index + 1) * 500).to_string());
            let inside = |op: Option<Op>| {
                run.of(|io| {
                    io.completed_s > end_s - 0.5
                        && io.completed_s <= end_s
                        && op.is_none_or(|op| io.op == op)
                        && thread.is_none_or(|thread| io.thread == thread)
                })
            };
            for (name, op) in [("Read", Some(Op::Read)), ("Write", Some(Op::Write)), ("Total", None)] {
                let ios = inside(op);
                assert_eq!(bucket.attribute(name), (ios.len() * 2).to_string(), "{name} of {index}");
                if name != "Total" {
                    let number = |what: &str| {
                        bucket.attribute(&format!("{name}{what}LatencyMilliseconds")).parse::<f64>().unwrap()
                    };
                    let ms = |io: &Io| io.latency_ns as f64 / 1e6;
                    near(number("Avg"), mean_ms(&ios), 0.0006);
                    near(number("Max"), ios.iter().map(ms).fold(0.0, f64::max), 0.0006);
                    near(number("Min"), ios.iter().map(ms).fold(1e9, f64::min), 0.0006);
                    let deviation: f64 = bucket.attribute(&format!("{name}LatencyStdDev")).parse().unwrap();
                    near(deviation, stdev_ms(&ios), 0.0006);
                }
            }
        }
    };
    check(span.find("Iops").unwrap(), None);
    for (thread, node) in span.all("Thread").iter().enumerate() {
        assert_eq!(node.at(&["Id"]), thread.to_string());
        check(node.find("Target").unwrap().find("Iops").unwrap(), Some(thread as u16));
    }
}

#[test]
fn intervals_that_do_not_add_up_to_those_of_the_switch_are_left_out() {
    let line = "diskspd -b4K -d3 -W0 -Su -D700 -Rxml x.dat";
    let invocation = diskspd::parse_run(line, &|_| None).unwrap();
    let run = run(invocation.foreign.as_ref().unwrap(), 0, Span::from_secs(1), line);
    assert!(!out::xml(&invocation.profile, &[run.ran()]).contains("<Iops>"));
    let text = out::text(&invocation.profile, &[run.ran()]);
    assert!(text.lines().any(|line| line.starts_with("total:") && line.ends_with("|        N/A")), "{text}");
}

#[test]
fn a_path_that_looks_like_markup_is_read_back() {
    let (text, _) = xml_of("diskspd -d1 -W0 -Su -Rxml \"a & b <c>.dat\"");
    assert_eq!(parse(&text).at(&["TimeSpan", "Thread", "Target", "Path"]), "a & b <c>.dat");
}

#[test]
fn the_topology_names_every_processor_once() {
    let (text, _) = xml_of("diskspd -d1 -W0 -Su -Rxml x.dat");
    let root = parse(&text);
    let topology = root.find("System").unwrap().find("ProcessorTopology").unwrap();
    let group = topology.find("Group").unwrap();
    assert_eq!((group.attribute("ActiveProcessors"), group.attribute("ActiveProcessorMask")), ("4", "0xf"));
    let masks = |name: &str| -> Vec<String> {
        topology.all(name).iter().map(|n| n.find("Group").unwrap().attribute("Mask").to_string()).collect()
    };
    assert_eq!(masks("Node"), ["0x3", "0xc"]);
    assert_eq!(masks("Socket"), ["0x3", "0xc"]);
    let cores: Vec<&str> = topology.all("Core").iter().map(|core| core.attribute("Mask")).collect();
    assert_eq!(cores, ["0x3", "0xc"]);
}

/// The elements and attributes below `node`, each by its path from the root.
fn paths(node: &Node, path: &str, all: &mut BTreeSet<String>) {
    all.insert(path.to_string());
    all.extend(node.attributes.iter().map(|(name, _)| format!("{path}@{name}")));
    node.children.iter().for_each(|child| paths(child, &format!("{path}/{}", child.name), all));
}

/// The result that `XmlResultParser.UnitTests.cpp` of microsoft/diskspd 2.2 expects for a machine with two kinds of cores has
/// exactly these elements and attributes outside `Profile`.
#[test]
fn a_machine_with_two_kinds_of_cores_has_all_elements_of_diskspd_2_2() {
    let invocation = diskspd::parse_run("diskspd -b4K -d2 -W0 -Su -w50 -D -Rxml x.dat", &|_| None).unwrap();
    let mut run = run(invocation.foreign.as_ref().unwrap(), 0, Span::from_secs(1), "diskspd");
    for processor in &mut run.machine.cpu.processors {
        processor.efficiency_class = Some(processor.cpu / 2);
    }
    let root = parse(&out::xml(&invocation.profile, &[run.ran()]));
    let mut written = BTreeSet::new();
    paths(&root, "", &mut written);
    written.retain(|path| !path.starts_with("/Profile"));
    let mut expected = BTreeSet::from([String::new()]);
    for (parent, names) in [
        ("", "System TimeSpan"),
        (
            "/System",
            "ComputerName Tool RunTime PowerScheme PowerScheme@Name PowerScheme@Guid ProcessorTopology",
        ),
        ("/System/Tool", "Version VersionDate"),
        ("/System/ProcessorTopology@", "Heterogeneous"),
        ("/System/ProcessorTopology", "Group Node Socket Core"),
        ("/System/ProcessorTopology/Group@", "Group MaximumProcessors ActiveProcessors ActiveProcessorMask"),
        ("/System/ProcessorTopology/Core@", "Group Core Mask EfficiencyClass"),
        ("/System/ProcessorTopology/Node", "Group Group@Group Group@Mask"),
        ("/System/ProcessorTopology/Node@", "Node"),
        ("/System/ProcessorTopology/Socket", "Group Group@Group Group@Mask"),
        ("/System/ProcessorTopology/Socket@", "Socket"),
        ("/TimeSpan", "TestTimeSeconds ThreadCount RequestCount ProcCount CpuUtilization Iops Thread"),
        ("/TimeSpan/CpuUtilization", "CPU Average"),
        ("/TimeSpan/CpuUtilization/CPU", "Socket Node Group Core EfficiencyClass Id"),
        ("/TimeSpan/CpuUtilization/CPU", "UsagePercent UserPercent KernelPercent IdlePercent"),
        ("/TimeSpan/CpuUtilization/Average", "UsagePercent UserPercent KernelPercent IdlePercent"),
        ("/TimeSpan/Thread", "Id Target"),
        (
            "/TimeSpan/Thread/Target",
            "Path BytesCount FileSize IOCount ReadBytes ReadCount WriteBytes WriteCount",
        ),
        ("/TimeSpan/Thread/Target", "Iops"),
    ] {
        let join = if parent.ends_with('@') { "" } else { "/" };
        expected.extend(names.split(' ').map(|name| format!("{parent}{join}{name}")));
    }
    for iops in ["/TimeSpan/Iops", "/TimeSpan/Thread/Target/Iops"] {
        let deviations = ["ReadIopsStdDev", "WriteIopsStdDev", "IopsStdDev", "Bucket"];
        expected.extend(deviations.map(|name| format!("{iops}/{name}")));
        let totals = ["SampleMillisecond", "Read", "Write", "Total"];
        expected.extend(totals.map(|name| format!("{iops}/Bucket@{name}")));
        for direction in ["Read", "Write"] {
            let of = [
                "MinLatencyMilliseconds",
                "MaxLatencyMilliseconds",
                "AvgLatencyMilliseconds",
                "LatencyStdDev",
            ];
            expected.extend(of.map(|name| format!("{iops}/Bucket@{direction}{name}")));
        }
    }
    assert_eq!(written, expected);
    let system = root.find("System").unwrap();
    assert_eq!(system.at(&["Tool", "VersionDate"]), "2024/6/3");
    assert_eq!(system.find("PowerScheme").unwrap().attribute("Name"), "<unknown>");
    let topology = system.find("ProcessorTopology").unwrap();
    assert_eq!(topology.attribute("Heterogeneous"), "true");
    let classes: Vec<&str> =
        topology.all("Core").iter().map(|core| core.attribute("EfficiencyClass")).collect();
    assert_eq!(classes, ["0", "1"]);
}

/// The text of such a machine marks the fastest class, and both forms are read back.
#[test]
fn kinds_of_cores_are_read_back_from_both_forms() {
    let invocation = diskspd::parse_run("diskspd -d1 -W0 -Su x.dat", &|_| None).unwrap();
    let mut run = run(invocation.foreign.as_ref().unwrap(), 0, Span::from_secs(1), "diskspd");
    for processor in &mut run.machine.cpu.processors {
        processor.efficiency_class = Some(processor.cpu / 2);
    }
    let text = out::text(&invocation.profile, &[run.ran()]);
    assert!(text.contains("\theterogeneous cores:\ty\n\n\tactive power scheme:\t<unknown>\n"), "{text}");
    assert!(text.contains("\n      1|     1|     0|     1P|    2|"), "{text}");
    for form in [text, out::xml(&invocation.profile, &[run.ran()])] {
        let read = diskspd::result::read(&form).unwrap();
        let processors = &read[0].cpu.as_ref().unwrap().processors;
        let classes: Vec<Option<u32>> = processors.iter().map(|cpu| cpu.efficiency_class).collect();
        assert_eq!(classes, [Some(0), Some(0), Some(1), Some(1)], "{form}");
    }
}

/// What a profile means: defaults that are written out stand for those that are not.
fn settled(mut profile: Profile) -> Profile {
    for span in &mut profile.time_spans {
        for target in &mut span.targets {
            target.align_bytes = Some(target.align());
            target.threads_per_target = Some(target.threads());
        }
    }
    profile
}

#[test]
fn a_profile_that_is_printed_is_the_profile_that_was_read() {
    for line in [
        "diskspd -Rpxml x.dat",
        r"diskspd -Rpxml -b4K -d60 -h -o8 -t4 -si -c50000M e:\io.dat",
        "diskspd -Rpxml -c200G -w100 -b8K -F4 -r -o128 -W30 -d30 -Sh testfile.dat",
        "diskspd -Rpxml -F4 -O32 -r64K -rs40 -rdabs90/10G:5/10G -b16K -Su -Z1M,fill.bin a.dat #1",
        "diskspd -Rpxml -t2 -T1G -s128K -i8 -j3 -g500i -Sw -Zr -z7 -ag0,0,1,g1,2 -I1 -fst -l -P1000 -L -D100 -C3 x.dat",
        "diskspd -Rpxml -n -v -vs -p -o4 -Sr -g1024 -B1G:2G -Z -x- x.dat",
        "diskspd -Rpxml -Sm -Nn -w10 -eDISK_IO -eq -:1 x.dat",
    ] {
        let line = line.replace(" -x-", "");
        let invocation = diskspd::parse_run(&line, &|_| None).unwrap_or_else(|error| panic!("{error}"));
        assert!(invocation.foreign.is_none(), "-Rp runs nothing");
        let text = out::profile_report(&invocation.profile, &line);
        let again = diskspd::parse_profile("diskspd -Xp.xml -Rpxml", &|_| Some(text.clone()));
        let mut again = again.unwrap_or_else(|error| panic!("{line}: {error}\n{text}"));
        // The element's name is what it is traced by in XML.
        if let (Some(etw), Some(said)) = (&mut again.etw, &invocation.profile.etw) {
            assert_eq!(etw.words, ["DiskIO", "UsePerfTimer"]);
            etw.words.clone_from(&said.words);
        }
        assert_eq!(settled(again), settled(invocation.profile), "{line}\n{text}");
    }
}

#[test]
fn a_profile_as_text_ends_with_its_parameters() {
    let line = "diskspd -Rp -b4K -r -w30 *1";
    let invocation = diskspd::parse_run(line, &|_| None).unwrap();
    let text = out::profile_report(&invocation.profile, line);
    assert!(text.starts_with(
        "\nCommand Line: diskspd -Rp -b4K -r -w30 *1\n\nInput parameters:\n\n\ttimespan:   1\n"
    ));
    assert!(text.contains("\tpath: template target '1'\n"));
    assert!(text.contains("\t\tperforming mix test (read/write ratio: 70/30)\n"));
    assert!(text.ends_with("\t\tIO priority: normal\n\n"));
}
