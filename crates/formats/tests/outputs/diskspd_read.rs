//! What DiskSpd printed, as result documents: its own forms from 2.0.15 to 2.2, and ours.

use iobound_formats::diskspd::{self, out, result};
use iobound_measure::RunResult;
use iobound_measure::result::{Figures, LoopLabel, Source};
use iobound_units::{Op, Span};

use crate::ran::{mean_ms, run, stdev_ms};

fn read(text: &str) -> RunResult {
    let mut all = result::read(text).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(all.len(), 1);
    all.pop().unwrap()
}

fn near(read: Option<f64>, value: f64, width: f64) {
    let read = read.expect("a figure");
    assert!((read - value).abs() <= width, "{read} and {value}");
}

/// As 2.0.15 writes it: MB/s for 2^20 bytes, no system section, sizes in MB.
const V2_0_15: &str = "
Command Line: diskspd.exe -b4K -d60 -h -o8 -t2 -w30 -L e:\\io.dat

Input parameters:

\ttimespan:   1
\t-------------
\tduration: 60s
\twarm up time: 5s
\tcool down time: 0s
\tmeasuring latency
\trandom seed: 0
\tpath: 'e:\\io.dat'
\t\tthink time: 0ms
\t\tburst size: 0
\t\tsoftware and hardware write cache disabled
\t\tperforming mix test (write/read ratio: 30/100)
\t\tblock size: 4096
\t\tnumber of outstanding I/O operations: 8
\t\tstride size: 4096
\t\tthread stride size: 0
\t\tthreads per file: 2
\t\tusing I/O Completion Ports
\t\tIO priority: normal

Results for timespan 1:
*******************************************************************************

actual test time:\t60.01s
thread count:\t\t2
proc count:\t\t4

CPU |  Usage |  User  |  Kernel |  Idle
-------------------------------------------
   0|  10.00%|   2.00%|    8.00%|  90.00%
   1|   0.00%|   0.00%|    0.00%| 100.00%
-------------------------------------------
avg.|   5.00%|   1.00%|    4.00%|  95.00%

Total IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |       409600000 |       100000 |       6.51 |    1666.39 |    4.000 |     1.000 | e:\\io.dat (50000MB)
     1 |       204800000 |        50000 |       3.25 |     833.19 |    7.000 |     2.000 | e:\\io.dat (50000MB)
-----------------------------------------------------------------------------------------------------
total:         614400000 |       150000 |       9.76 |    2499.58 |    5.000 |     2.000

Read IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |       286720000 |        70000 |       4.56 |    1166.47 |    4.000 |     1.000 | e:\\io.dat (50000MB)
     1 |       143360000 |        35000 |       2.28 |     583.24 |    7.000 |     2.000 | e:\\io.dat (50000MB)
-----------------------------------------------------------------------------------------------------
total:         430080000 |       105000 |       6.83 |    1749.71 |    5.000 |     2.000

Write IO
thread |       bytes     |     I/Os     |     MB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |       122880000 |        30000 |       1.95 |     499.92 |    4.000 |     1.000 | e:\\io.dat (50000MB)
     1 |        61440000 |        15000 |       0.98 |     249.96 |    7.000 |     2.000 | e:\\io.dat (50000MB)
-----------------------------------------------------------------------------------------------------
total:         184320000 |        45000 |       2.93 |     749.88 |    5.000 |     2.000



total:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    min |      0.100 |      0.200 |      0.100
   25th |      2.000 |      2.100 |      2.010
   50th |      4.000 |      4.100 |      4.010
   75th |      6.000 |      6.100 |      6.010
   90th |      8.000 |      8.100 |      8.010
   95th |      9.000 |      9.100 |      9.010
   99th |     10.000 |     10.100 |     10.010
3-nines |     11.000 |     11.100 |     11.010
4-nines |     12.000 |     12.100 |     12.010
5-nines |     13.000 |     13.100 |     13.010
6-nines |     13.000 |     13.100 |     13.100
7-nines |     13.000 |     13.100 |     13.100
8-nines |     13.000 |     13.100 |     13.100
9-nines |     13.000 |     13.100 |     13.100
    max |     13.000 |     13.100 |     13.100
";

/// Its title of the distribution of all, and that of 2.2; its unit and sizes, and those since 2.0.18; both ends of a
/// line.
#[test]
fn the_text_of_2_0_15_and_of_later_versions_is_read() {
    for text in [
        V2_0_15.to_string(),
        V2_0_15.replace("    MB/s   |", "   MiB/s   |").replace("50000MB", "48.83GiB"),
        V2_0_15.replace("\ntotal:\n", "\nTotal latency distribution:\n").replace('\n', "\r\n"),
    ] {
        let result = read(&text);
        assert_eq!(result.source, Source::Foreign);
        assert_eq!(result.tool.as_ref().unwrap().name, "diskspd");
        let start = result.start.as_ref().unwrap();
        assert_eq!(start.command.as_deref(), Some(r"diskspd.exe -b4K -d60 -h -o8 -t2 -w30 -L e:\io.dat"));
        assert_eq!((start.counted_s, start.warmup_s, start.seed), (Some(60.01), Some(5.0), Some(0)));
        assert_eq!((result.total.ios, result.total.bytes), (Some(150_000), Some(614_400_000)));
        assert_eq!(result.total.iops, Some(2499.58));
        // 4 KiB an I/O: the rate says more than 60.01 s, which is known to a hundredth.
        near(result.total.throughput_bytes_per_s, 2499.58 * 4096.0, 1.0);
        assert_eq!(result.total.errors, None, "DiskSpd counts none");
        let latency = result.total.latency_us.unwrap();
        assert_eq!(latency.label, Some(LoopLabel::Closed));
        assert_eq!((latency.min, latency.mean, latency.stdev), (Some(100.0), Some(5000.0), Some(2000.0)));
        assert_eq!((latency.p50, latency.p99, latency.p99_9), (Some(4010.0), Some(10_010.0), Some(11_010.0)));
        // Ten of 150,000 lie above p99.99, one and a half above p99.999.
        assert_eq!((latency.p99_99, latency.p99_999), (Some(12_010.0), None));
        assert_eq!(latency.max, Some(13_100.0));
        let read = result.by_operation.read.as_ref().unwrap();
        assert_eq!((read.ios, read.iops), (Some(105_000), Some(1749.71)));
        assert_eq!(result.by_operation.write.as_ref().unwrap().latency_us.unwrap().p50, Some(4100.0));
        assert_eq!(result.depth.unwrap().requested, Some(16));
        let cpu = result.cpu.as_ref().unwrap();
        assert_eq!((cpu.online, cpu.processors.len()), (4, 2));
        assert_eq!((cpu.processors[0].system, cpu.processors[0].idle), (0.08, 0.9));
        assert_eq!(result.threads.len(), 2);
        assert_eq!(result.threads[1].total.iops, Some(833.19));
        assert_eq!(result.threads[1].total.latency_us.unwrap().mean, Some(7000.0));
        assert_eq!((result.targets.len(), result.targets[0].name.as_str()), (1, r"e:\io.dat"));
        assert_eq!(result.targets[0].total.ios, Some(150_000));
        // Parts put together: (100,000 × 4 + 50,000 × 7) ÷ 150,000 is 5 ms, and their deviation
        // √((100,000 × (1 + 16) + 50,000 × (4 + 49)) ÷ 150,000 − 25) = 2 ms.
        let of_target = result.targets[0].total.latency_us.unwrap();
        near(of_target.mean, 5000.0, 0.001);
        near(of_target.stdev, 2000.0, 0.001);
    }
}

/// Columns that grow with the machine, and processors counted in groups of 64.
#[test]
fn the_processors_of_2_2_are_read_by_the_names_of_their_columns() {
    let table = "Socket | Node | Group | Core | CPU |  Usage |  User  | Kernel |  Idle
-----------------------------------------------------------------------
      0|     0|      0|     0|    0|  98.74%|   0.89%|  97.85%|   1.26%
      1|     3|      4|     1|    3| 100.00%|   0.94%|  99.06%|   0.00%
-----------------------------------------------------------------------
                               avg.|  98.59%|   0.75%|  97.84%|   1.41%
";
    let from = V2_0_15.find("CPU |  Usage").unwrap();
    let to = V2_0_15.find("\nTotal IO").unwrap();
    let text = format!("{}{table}{}", &V2_0_15[..from], &V2_0_15[to..]);
    let processors = read(&text).cpu.unwrap().processors;
    assert_eq!(processors.len(), 2);
    let last = &processors[1];
    assert_eq!((last.cpu, last.socket, last.node, last.core), (4 * 64 + 3, Some(1), Some(3), Some(1)));
    near(Some(processors[0].system), 0.9785, 1e-9);
}

#[test]
fn without_latency_the_result_says_so_and_has_none() {
    let from = V2_0_15.find("\n\ntotal:\n").unwrap();
    let text = V2_0_15[..from].replace("|  AvgLat  ", "").replace("| LatStdDev ", "");
    // The cells of both columns.
    let text: String = text
        .lines()
        .map(|line| {
            let cells: Vec<&str> = line.split('|').collect();
            let kept = match cells.len() {
                8 if !line.starts_with("thread") => [&cells[..5], &cells[7..]].concat().join("|"),
                6 if line.starts_with("total:") => cells[..4].join("|"),
                _ => line.to_string(),
            };
            format!("{kept}\n")
        })
        .collect();
    let result = read(&text);
    assert_eq!(result.total.ios, Some(150_000));
    assert!(result.total.latency_us.is_none() && result.threads[0].total.latency_us.is_none());
    assert_eq!(result.targets[0].name, r"e:\io.dat");
    assert_eq!(result.notes, ["latency was not measured (-L)"]);
}

#[test]
fn what_is_no_result_is_refused_with_its_place() {
    for (text, words) in [
        ("", "not a result of DiskSpd"),
        ("hello\nworld", "not a result of DiskSpd"),
        ("Results for timespan 1:\n", "no table `Total IO`"),
        (&V2_0_15.replace("60.01s", "fasts"), "actual test time: `fast` is not a figure"),
        (&V2_0_15.replace("   1666.39", "    -1.00"), "I/O per s: `-1.00` is not a figure"),
        (&V2_0_15.replace("       100000 |", "       1e5 |"), "I/Os: `1e5` is not a whole number"),
        (&V2_0_15.replace("     1 |       143360000", "     2 |       143360000"), "no such row"),
        ("<Results></Results>", "no TimeSpan"),
        ("<Results><TimeSpan></TimeSpan></Results>", "no TestTimeSeconds"),
        ("<Profile></Profile>", "no Results element"),
        ("<Results><TimeSpan>", "not closed"),
    ] {
        let error = result::read(text).unwrap_err().to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
}

#[test]
fn an_interrupted_run_is_a_result_without_figures() {
    let text = "Results for timespan 1:\n***\nThe test was interrupted before the measurements began. No results are displayed.\n";
    let xml = "<Results><TimeSpan><Error>The test was interrupted before the measurements began.</Error></TimeSpan></Results>";
    for text in [text, xml] {
        let result = read(text);
        assert!(result.notes.iter().any(|note| note.contains("interrupted")));
        assert_eq!(result.total, Figures::default());
        assert!(result.jobs.is_empty());
    }
}

/// As 2.0.17 writes it: elements run together, no topology, no core.
#[test]
fn the_xml_of_older_versions_is_read() {
    let text = "<Results><System><ComputerName>old</ComputerName><Tool><Version>2.0.17</Version><VersionDate>2016/5/01\
                </VersionDate></Tool><RunTime>2017/01/02 03:04:05 UTC</RunTime></System><Profile><Progress>0</Progress>\
                <ResultFormat>xml</ResultFormat><Verbose>false</Verbose><TimeSpans><TimeSpan><MeasureLatency>true\
                </MeasureLatency><CalculateIopsStdDev>true</CalculateIopsStdDev><IoBucketDuration>1000\
                </IoBucketDuration><Duration>2</Duration><Warmup>5</Warmup><ThreadCount>0</ThreadCount><Targets><Target>\
                <Path>x</Path><BlockSize>4096</BlockSize><DisableAllCache>true</DisableAllCache><RequestCount>8\
                </RequestCount><ThreadsPerFile>2</ThreadsPerFile></Target></Targets></TimeSpan></TimeSpans></Profile>\
                <TimeSpan><TestTimeSeconds>2.00</TestTimeSeconds><ThreadCount>2</ThreadCount><ProcCount>2</ProcCount>\
                <CpuUtilization><CPU><Group>0</Group><Id>1</Id><UsagePercent>9.00</UsagePercent><UserPercent>4.00\
                </UserPercent><KernelPercent>5.00</KernelPercent><IdlePercent>91.00</IdlePercent></CPU></CpuUtilization>\
                <Latency><Bucket><Percentile>0</Percentile><ReadMilliseconds>0.5</ReadMilliseconds><TotalMilliseconds>0.5\
                </TotalMilliseconds></Bucket><Bucket><Percentile>50</Percentile><TotalMilliseconds>1.5</TotalMilliseconds>\
                </Bucket></Latency><Iops><Bucket SampleMillisecond=\"1000\" Read=\"40\" Write=\"0\" Total=\"40\"/>\
                <Bucket SampleMillisecond=\"2000\" Read=\"60\" Write=\"0\" Total=\"60\"/></Iops><Thread><Id>0</Id><Target>\
                <Path>x</Path><BytesCount>409600</BytesCount><FileSize>1048576</FileSize><IOCount>100</IOCount><ReadBytes>\
                409600</ReadBytes><ReadCount>100</ReadCount><WriteBytes>0</WriteBytes><WriteCount>0</WriteCount>\
                <AverageLatencyMilliseconds>2.5</AverageLatencyMilliseconds></Target></Thread></TimeSpan></Results>";
    let result = read(text);
    assert_eq!(result.tool.as_ref().unwrap().version.as_deref(), Some("2.0.17"));
    let start = result.start.as_ref().unwrap();
    assert_eq!((start.host.as_deref(), start.at.as_deref()), (Some("old"), Some("2017-01-02T03:04:05Z")));
    assert_eq!((result.total.ios, result.total.iops), (Some(100), Some(50.0)));
    assert_eq!(result.total.throughput_bytes_per_s, Some(204_800.0));
    let latency = result.total.latency_us.unwrap();
    assert_eq!((latency.mean, latency.min, latency.p50), (Some(2500.0), Some(500.0), Some(1500.0)));
    assert!(result.by_operation.write.is_none());
    assert_eq!(result.depth.unwrap().requested, Some(16));
    let per_second = result.per_second.unwrap();
    assert_eq!((per_second.min, per_second.max), (40.0, 60.0));
    // The intervals begin after the warm-up.
    assert_eq!((result.series[1].start_s, result.series[1].end_s), (6.0, 7.0));
    assert_eq!(result.cpu.as_ref().unwrap().processors[0].cpu, 1);
}

#[test]
fn both_of_our_own_forms_are_read_back_as_the_same_figures() {
    let line = "diskspd -b8K -r -w30 -t2 -o4 -d20 -W1 -Sh -L -D -z9 -c1G a.dat b.dat";
    let invocation = diskspd::parse_run(line, &|_| None).unwrap();
    let run = run(invocation.foreign.as_ref().unwrap(), 0, Span::from_secs(1), line);
    let truth = RunResult::from_measured(&run.total, Source::Measured);
    let forms = [out::text(&invocation.profile, &[run.ran()]), out::xml(&invocation.profile, &[run.ran()])];
    for (text, is_xml) in forms.iter().zip([false, true]) {
        let result = read(text);
        let start = result.start.as_ref().unwrap();
        assert_eq!(
            (start.host.as_deref(), start.at.as_deref()),
            (Some("vm-1"), Some("2026-06-22T22:16:45Z"))
        );
        assert_eq!((start.counted_s, start.warmup_s, start.seed), (Some(20.0), Some(1.0), Some(9)));
        assert_eq!(start.interval_s, Some(1.0));
        assert_eq!(result.depth.unwrap().requested, Some(16));
        assert_eq!((result.total.ios, result.total.bytes), (truth.total.ios, truth.total.bytes));
        assert_eq!(result.total.iops, truth.total.iops);
        near(result.total.throughput_bytes_per_s, truth.total.throughput_bytes_per_s.unwrap(), 1.0);
        let pairs = [
            (result.total.latency_us, truth.total.latency_us),
            (
                result.by_operation.read.as_ref().unwrap().latency_us,
                truth.by_operation.read.as_ref().unwrap().latency_us,
            ),
            (
                result.by_operation.write.as_ref().unwrap().latency_us,
                truth.by_operation.write.as_ref().unwrap().latency_us,
            ),
        ];
        for (read, exact) in pairs {
            let (read, exact) = (read.unwrap(), exact.unwrap());
            // Three decimals of a millisecond: half a microsecond. XML has no total of both, but those of its parts.
            for (read, exact) in [
                (read.min, exact.min),
                (read.p50, exact.p50),
                (read.p90, exact.p90),
                (read.p99, exact.p99),
                (read.max, exact.max),
                (read.mean, exact.mean),
                (read.stdev, exact.stdev),
            ] {
                near(read, exact.unwrap(), 1.0);
            }
            assert_eq!(read.p99_99, exact.p99_99);
        }
        for (index, part) in result.threads.iter().enumerate() {
            let ios = run.of(|io| usize::from(io.thread) == index);
            assert_eq!(part.total.ios, Some(ios.len() as u64));
            let latency = part.total.latency_us.unwrap();
            near(latency.mean, mean_ms(&ios) * 1e3, 0.6);
            near(latency.stdev, stdev_ms(&ios) * 1e3, 0.6);
        }
        for (index, part) in result.targets.iter().enumerate() {
            assert_eq!(part.name, ["a.dat", "b.dat"][index]);
            let ios = run.of(|io| usize::from(io.target) == index && io.op == Op::Write);
            assert_eq!(part.by_operation.write.as_ref().unwrap().ios, Some(ios.len() as u64));
            // Only the text has the distribution of a target.
            assert_eq!(part.total.latency_us.unwrap().p50.is_some(), !is_xml);
        }
        assert_eq!(result.cpu.as_ref().unwrap().processors, run.machine.cpu.processors);
        if is_xml {
            let exact: Vec<f64> = truth.series.iter().skip(1).map(|point| point.iops).collect();
            assert_eq!(result.series.iter().map(|point| point.iops).collect::<Vec<_>>(), exact);
            assert_eq!(result.per_second, truth.per_second);
        }
        assert_eq!(result.notes, Vec::<String>::new());
    }
}

#[test]
fn each_time_span_is_a_result() {
    let xml = "<Profile><TimeSpans><TimeSpan><Duration>1</Duration><Targets><Target><Path>x</Path></Target></Targets>\
               </TimeSpan><TimeSpan><Duration>2</Duration><Targets><Target><Path>x</Path></Target></Targets></TimeSpan>\
               </TimeSpans></Profile>";
    let invocation = diskspd::parse_run("diskspd -Xp", &|_| Some(xml.to_string())).unwrap();
    let foreign = invocation.foreign.as_ref().unwrap();
    let runs: Vec<_> = (0..2).map(|index| run(foreign, index, Span::from_secs(1), "")).collect();
    let rans: Vec<_> = runs.iter().map(|run| run.ran()).collect();
    for text in [out::text(&invocation.profile, &rans), out::xml(&invocation.profile, &rans)] {
        let results = result::read(&text).unwrap();
        let seconds: Vec<_> = results.iter().map(|result| result.start.as_ref().unwrap().counted_s).collect();
        assert_eq!(seconds, [Some(1.0), Some(2.0)]);
        for (result, run) in results.iter().zip(&runs) {
            assert_eq!(result.total.ios, Some(run.ios.len() as u64));
        }
    }
}
