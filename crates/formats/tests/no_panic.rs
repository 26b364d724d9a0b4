//! No text is a panic, whatever it holds: random text, and mutations of texts that are right. A problem's place
//! always lies in its line, and a workload that comes out is one that can be run.

use iobound_formats::fio::{Context, NoContext};
use iobound_formats::{Foreign, FormatError, diskspd, fio, iometer};
use iobound_measure::RunResult;
use iobound_workload::{Load, Targets};
use proptest::prelude::*;

const DISKSPD: [&str; 4] = [
    r"Diskspd.exe –b4K –d60 –h –o8 –t4 –si –c50000M e:\io.dat",
    "diskspd -c200G -w30 -b8K -F4 -rs50 -rdpct90/10:5/5 -O128 -W30 -d30 -Sh -g500i -i5 -j6 testfile.dat #1",
    "-B1G:2G -f3G -T64K -s128K -Z1M,x -ag0,1,g1,2 -Xprofile.xml -z -yse -D100 -Rpxml",
    "PS C:\\x> .\\diskspd.exe -r4K -p -o4 -t2 'a b' > out 2>&1 | more",
];
const XML: [&str; 2] = [
    "<Profile><TimeSpans><TimeSpan><Duration>5</Duration><ThreadCount>2</ThreadCount><RequestCount>8</RequestCount>\
     <Targets><Target><Path>*1</Path><BlockSize>4096</BlockSize><Random>4096</Random><Distribution><Percent>\
     <Range IO=\"90\">10</Range><Range IO=\"10\">90</Range></Percent></Distribution><Throughput unit=\"IOPS\">5\
     </Throughput><ThreadTargets><ThreadTarget><Thread>1</Thread></ThreadTarget></ThreadTargets></Target></Targets>\
     </TimeSpan></TimeSpans></Profile>",
    "<?xml version=\"1.0\"?><Results><System/><Profile><TimeSpans><TimeSpan><Targets><Target><Path>x &amp; &#65;</Path>\
     <WriteBufferContent><Pattern>random</Pattern><RandomDataSource><SizeInBytes>99999</SizeInBytes></RandomDataSource>\
     </WriteBufferContent></Target></Targets></TimeSpan></TimeSpans></Profile></Results>",
];
const FIO: [&str; 3] = [
    "fio --name=a --filename=x:y --size=1g --rw=randrw:8 --bssplit=4k/50:8k/,64k --rate_iops=5,6 --thinktime=5ms \
     --random_distribution=zoned:50/5:50/95 --numjobs=4 --offset_increment=(1*1g) --runtime=5m --time_based",
    "fio --name a --directory=/a:/b --size 20% --ioengine libaio --iodepth=8 --rate=1m --rate_process=poisson",
    "sudo fio —name=a --bsrange=1k-64k --percentage_random=10,20 --nrfiles=3 --size=1GiB --number_ios=7 --loops=3",
];
const JOB_FILE: [&str; 2] = [
    "[global]\nbs=4k,8k ; x\ninclude a.fio\n[a]\nrw=randread\nsize=$ncpus*4k\n[a]\nstonewall\nsize=${X}\n",
    "[a]\nfilename=C\\:\\x\nsize=(1+2)*3\nrandom_distribution=zipf:1.2\nsteadystate=iops:1%\nexec_prerun=x\n",
];
const ICF: &str = "Version 1.1.0\n'TEST SETUP ====\n'Run Time\n'\thours minutes seconds\n\t0 1 0\n'Ramp Up Time (s)\n\t5\n\
'Queue Depth Cycling\n' a\n\t1 32 2 EXPONENTIAL\n'Disk Cycling\n\t1 1 LINEAR\n'Test Type\n\tCYCLE_OUTSTANDING_IOS\n'END test setup\n\
'ACCESS SPECIFICATIONS\n'Access specification name,default assignment\n\ta,ALL\n'size\n\t4096,60,50,100,0,1,0,0\n\
\t512,40,50,0,0,1,0,0\n'END access specifications\n'MANAGER LIST\n'Manager ID, manager name\n\t1,x\n'Worker\n\tw\n\
'Worker type\n\tDISK\n'Default target settings for worker\n'Number of outstanding IOs\n\t4,DISABLED,1,ENABLED,5\n\
'Disk maximum size,starting sector\n\t1000,8\n'End default target settings for worker\n'Assigned access specs\n\ta\n\
'End assigned access specs\n'Target assignments\n'Target\n\tE:\n'Target type\n\tDISK\n'End target\n\
'End target assignments\n'End worker\n'End manager\n'END manager list\n";

const OUTPUTS: [&str; 3] = [
    "Command Line: x\nInput parameters:\n\ttimespan: 1\n\twarm up time: 5s\n\tthread pool with 2 threads\n\
     \tnumber of outstanding I/O operations per thread: 8\n\tpath: 'a'\n\nResults for timespan 1:\n***\n\n\
     actual test time:\t2.00s\nproc count: 4\n\nGroup | CPU |  Usage |  User  |  Kernel |  Idle\n---\n\
     1| 0| 5.00%| 1.00%| 4.00%| 95.00%\n---\n\nTotal IO\n\
     thread | bytes | I/Os | MiB/s | I/O per s | AvgLat | LatStdDev | file\n--\n\
     0 | 8192 | 2 | 0.01 | 1.00 | 4.000 | N/A | a (1GiB)\n--\ntotal: 8192 | 2 | 0.01 | 1.00 | 4.000 | N/A\n\n\
     Read IO\nthread | bytes | I/Os | MiB/s | I/O per s | AvgLat | LatStdDev | file\n\
     0 | 0 | 0 | 0.00 | 0.00 | 0.000 | N/A | a (1GiB)\ntotal: 0 | 0 | 0.00 | 0.00 | 0.000 | N/A\n\ntotal:\n\
     %-ile |  Read (ms) | Write (ms) | Total (ms)\n--\nmin | N/A | 1.000 | 1.000\n3-nines | N/A | 2.000 | 2.000\n",
    "<Results><System><Tool><Version>2.2</Version></Tool></System><TimeSpan><TestTimeSeconds>2.00</TestTimeSeconds>\
     <CpuUtilization><CPU><Id>0</Id><UserPercent>1</UserPercent><KernelPercent>1</KernelPercent><IdlePercent>98\
     </IdlePercent></CPU></CpuUtilization><Latency><Bucket><Percentile>50</Percentile><TotalMilliseconds>1\
     </TotalMilliseconds></Bucket></Latency><Iops><Bucket SampleMillisecond=\"1000\" Read=\"1\" Write=\"0\" Total=\"1\"/>\
     </Iops><Thread><Id>0</Id><Target><Path>x</Path><BytesCount>9</BytesCount><IOCount>1</IOCount><ReadBytes>9\
     </ReadBytes><ReadCount>1</ReadCount><WriteBytes>0</WriteBytes><WriteCount>0</WriteCount><Iops><Bucket/></Iops>\
     </Target></Thread></TimeSpan></Results>",
    "'Version\n1.1.0\n'Time Stamp\n2016-03-01 10:00:00:000\n'Results\n'Target Type,Target Name,\
     Access Specification Name,# Disks,IOps,Read IOps,Write IOps,Average Read Response Time,\
     Average Write Response Time,Maximum Read Response Time,Maximum Write Response Time,Read Errors,Write Errors,\
     Bytes Read,Bytes Written,Read I/Os,Write I/Os,Total Raw Run Time,Queue Depth,Processor Speed,% CPU Utilization,\
     % User Time,% Privileged Time\nALL,All,a, b,2,5,5,0,1,0,2,0,0,0,99,0,9,0,,4,,5,3,2\n\
     PROCESSOR,CPU 0,,,,,,,,,,,,,,,,,,,5,3,2\nWORKER,w,s,2,5,5,0,1,0,2,0,0,0,99,0,9,0,600,4,100,,,\n\
     DISK,d,,,5,5,0,1,0,2,0,0,0,99,0,9,0,600,4,100,,,\n",
];

/// Files that include each other, and variables that hold anything.
struct Odd;

impl Context for Odd {
    fn file(&self, name: &str) -> Option<String> {
        (name.len() % 2 == 1).then(|| format!("include {name}x\nbs=8k\ninclude {name}\n[{name}]\n"))
    }
    fn variable(&self, name: &str) -> Option<String> {
        Some(format!("({name}*$ncpus"))
    }
    fn cpus(&self) -> Option<u32> {
        Some(u32::MAX)
    }
    fn memory_mib(&self) -> Option<u64> {
        Some(u64::MAX)
    }
}

fn check(result: Result<Foreign, FormatError>) {
    match result {
        Ok(foreign) => {
            for job in foreign.workloads().flat_map(|workload| &workload.jobs) {
                assert!(!job.mix.is_empty() && job.threads > 0);
                assert!(job.mix.iter().all(|share| share.weight > 0 && share.block > 0));
                assert!(!matches!(&job.targets, Targets::Named(names) if names.is_empty()));
                assert!(matches!(job.load, Load::Closed { depth: 1.., .. } | Load::Open { depth: 1.., .. }));
                assert!(job.region.size.is_none_or(|size| size.0 > 0));
            }
        }
        Err(error) => {
            assert!(!error.problems.is_empty());
            for problem in &error.problems {
                let place = &problem.place;
                assert!(place.line > 0 && place.column > 0 && place.width > 0);
                assert!((place.caret as usize) <= place.text.chars().count(), "{place:?}");
            }
            assert!(!error.to_string().is_empty());
        }
    }
}

/// A result that can be written, and figures that are.
fn check_results(results: Result<Vec<RunResult>, FormatError>) {
    match results {
        Ok(results) => {
            assert!(!results.is_empty());
            for result in results {
                let figures =
                    [result.total.iops, result.total.throughput_bytes_per_s, result.depth.and(Some(1.0))];
                assert!(figures.into_iter().flatten().all(f64::is_finite));
            }
        }
        Err(error) => assert!(!error.problems.is_empty() && !error.to_string().is_empty()),
    }
}

fn check_all(text: &str) {
    check_results(diskspd::result::read(text));
    check_results(iometer::result::read(text));
    let _ = diskspd::parse_run(text, &|_| Some(XML[0].to_string()));
    let _ = iometer::parse_run(text);
    check(diskspd::parse_line(text));
    check(diskspd::parse_line_with_profile(text, &|_| Some(XML[0].to_string())));
    check(diskspd::parse_xml(text));
    check(fio::parse_line(text, &NoContext));
    check(fio::parse_line(text, &Odd));
    check(fio::parse_job_file(text, "x.fio", &NoContext));
    check(fio::parse_job_file(text, "x.fio", &Odd));
    check(iometer::parse_icf(text));
    check(iometer::parse_access_spec(text));
    let _ = fio::parse_command(text, &Odd).map(|command| fio::show_command(&command.jobs));
    let _ = fio::result::read(text);
    let _ = fio::job_files(text);
}

/// A text that is right, with a few pieces cut out, doubled, replaced or swapped.
fn mutated() -> impl Strategy<Value = String> {
    let texts: Vec<&str> = [&DISKSPD[..], &XML, &FIO, &JOB_FILE, &[ICF], &OUTPUTS].concat();
    let piece = prop_oneof![
        "[-/=:,.%0-9a-zA-Z'\"\\\\<>()\\[\\]\n\t ]{0,6}",
        "\\PC{0,3}",
        Just("0".to_string()),
        Just("18446744073709551615".to_string()),
        Just("4294967295".to_string()),
        Just("=".to_string()),
    ];
    let edits = prop::collection::vec((any::<prop::sample::Index>(), 0usize..8, piece), 1..6);
    (prop::sample::select(texts), edits).prop_map(|(text, edits)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (at, cut, piece) in edits {
            let from = at.index(chars.len() + 1);
            let to = (from + cut).min(chars.len());
            chars.splice(from..to, piece.chars());
        }
        chars.into_iter().collect()
    })
}

#[test]
fn the_texts_themselves_are_no_panic() {
    for text in [&DISKSPD[..], &XML, &FIO, &JOB_FILE, &[ICF], &OUTPUTS].concat() {
        check_all(text);
    }
    check(iometer::parse_icf(ICF).map_err(|error| panic!("{error}")));
    for output in &OUTPUTS[..2] {
        check_results(diskspd::result::read(output).map_err(|error| panic!("{error}")));
    }
    check_results(iometer::result::read(OUTPUTS[2]).map_err(|error| panic!("{error}")));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_random_text_is_a_panic(text in "\\PC*") {
        check_all(&text);
    }

    #[test]
    fn no_text_of_switches_and_values_is_a_panic(
        words in prop::collection::vec("(-{0,2}[a-zA-Z]{1,3}[=]?[0-9]{0,20}[kKmMgGtT%bi:/,.]{0,2}[0-9]{0,3})|#1|x", 0..12)
    ) {
        check_all(&words.join(" "));
    }

    #[test]
    fn no_options_with_odd_values_are_a_panic(
        settings in prop::collection::vec(
            (prop::sample::select(fio::OPTIONS), "[0-9]{0,20}[kmgt%]{0,1}([,:/-][0-9a-z]{0,4}){0,3}"), 0..6
        )
    ) {
        let mut line = "--name=a --size=1g".to_string();
        for (option, value) in settings {
            line.push_str(&format!(" --{}={value}", option.name));
        }
        check(fio::parse_line(&line, &NoContext));
        // What can be reported can be run; a replay is a trace, and no line of a workload.
        if !line.contains("--read_iolog=") && fio::parse_command(&line, &NoContext).is_ok() {
            assert!(fio::parse_line(&line, &NoContext).is_ok(), "{line}");
        }
    }

    #[test]
    fn no_mutated_text_is_a_panic(text in mutated()) {
        check_all(&text);
    }
}
