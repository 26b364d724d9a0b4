//! The lines and files of the published experiments, as they are pasted, and the tutorials': what runs them is told
//! what to answer.

use iobound_formats::{diskspd, iometer};
use iobound_units::{Bytes, Span};

#[test]
fn the_published_diskspd_lines_run_as_pasted() {
    let lines = [
        // E6 and E7, with the dashes that they are printed with.
        (r"Diskspd.exe –b4K –d60 –h –o8 –t4 –si –c50000M e:\io.dat", 60, 5, 52_428_800_000),
        (r"Diskspd.exe –b4K –d60 –h –o128 –t32 –si –c50000M e:\io.dat", 60, 5, 52_428_800_000),
        // The Azure disk tutorial's.
        ("diskspd -c200G -w100 -b8K -F4 -r -o128 -W30 -d30 -Sh testfile.dat", 30, 30, 200 << 30),
        ("diskspd -c200G -b4K -F4 -r -o128 -W7200 -d30 -Sh testfile.dat", 30, 7200, 200 << 30),
        // PerfKitBenchmarker's, with its default flags.
        (
            r"-c8K -d300 -t1 -o1 -L -W120 -C30 -Rxml -w0   -Sh  -b4K -s  F:\testfile.dat > result.xml",
            300,
            120,
            8192,
        ),
    ];
    for (line, seconds, warmup, bytes) in lines {
        let invocation =
            diskspd::parse_run(line, &|_| None).unwrap_or_else(|error| panic!("{line}: {error}"));
        let foreign = invocation.foreign.unwrap();
        assert_eq!(foreign.workload.duration, Span::from_secs(seconds), "{line}");
        assert_eq!(foreign.workload.warmup, Span::from_secs(warmup), "{line}");
        let file = &foreign.files[0];
        assert_eq!((file.size, file.create), (Some(Bytes(bytes)), true), "{line}");
        let span = &invocation.profile.time_spans[0];
        let is_xml = invocation.profile.result_format == diskspd::ResultFormat::Xml;
        assert_eq!((span.measure_latency, is_xml), (line.contains("-L"), line.contains("-Rxml")), "{line}");
    }
}

/// E11 to E13: 512 bytes and 256 KiB, 100 outstanding and one, on 1,000 sectors.
#[test]
fn the_published_iometer_experiments_run_from_their_files() {
    for (size, depth) in [(512u32, 100u32), (262_144, 100), (512, 1), (262_144, 1)] {
        let text =
            crate::iometer_csv::icf("ALL", "NORMAL", &[("Worker 1", depth, &["reads"], &["E: \"Data\""])])
                .replace("65536,100,100,0", &format!("{size},100,100,0"))
                .replace("\t2000,8,0", "\t1000,0,0");
        let invocation = iometer::parse_run(&text).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(invocation.foreign.files[0].size, Some(Bytes(512_000)));
        let [test] = invocation.tests.as_slice() else { panic!("one test") };
        assert_eq!((test.workers[0].depth, test.workers[0].spec.as_str()), (depth, "reads"));
        let (csv, _) = crate::iometer_csv::csv_of(&text);
        assert!(csv.contains(&format!(",0,1000,{depth},")), "{csv}");
    }
}
