//! DiskSpd's text of a run, read as the scripts that scan it do; its layout is that of `ResultParser.cpp` of
//! microsoft/diskspd 2.2.

use std::collections::BTreeMap;

use crate::ran::{Run, iops_stdev, mean_ms, run, stdev_ms};
use iobound_formats::diskspd::{self, Invocation, out};
use iobound_units::{Op, Span};

fn invoked(line: &str) -> Invocation {
    diskspd::parse_run(line, &|_| None).unwrap_or_else(|error| panic!("{error}"))
}

/// A line, run.
fn text_of(line: &str) -> (String, Run) {
    let invocation = invoked(line);
    let interval = invocation.profile.time_spans[0].interval().unwrap_or(Span::from_secs(1));
    let run = run(invocation.foreign.as_ref().unwrap(), 0, interval, line);
    (out::report(&invocation.profile, &[run.ran()]), run)
}

/// The text in sections, as Microsoft's VirtualClient reads it: lines of dashes away, sections between empty lines,
/// the first line the name, cells between bars. `total:` becomes a row of its table.
fn sections(text: &str) -> BTreeMap<String, Vec<Vec<String>>> {
    let dashes = |line: &str| line.len() > 1 && line.trim().chars().all(|c| c == '-');
    let kept: Vec<&str> = text.lines().filter(|line| !dashes(line)).collect();
    let kept = kept.join("\n").replace("CPU |", "\u{1}").replace("total:", "total|").replace('%', "");
    let mut all = BTreeMap::new();
    for section in kept.split("\n\n").map(|section| section.trim_matches('\n')) {
        // The table of processors has no name of its own.
        let named = if section.lines().next().unwrap_or("").contains('\u{1}') {
            format!("CPU\n{}", section.replace('\u{1}', "CPU |"))
        } else {
            section.to_string()
        };
        let mut lines = named.lines();
        let Some(name) = lines.next() else { continue };
        let rows = lines.map(|line| line.split('|').map(|cell| cell.trim().to_string()).collect()).collect();
        all.insert(name.trim_end_matches(':').to_string(), rows);
    }
    all
}

fn column(rows: &[Vec<String>], name: &str) -> usize {
    rows[0].iter().position(|cell| cell == name).unwrap_or_else(|| panic!("no {name} in {:?}", rows[0]))
}

fn close(text: &str, value: f64, what: &str) {
    let read: f64 = text.parse().unwrap_or_else(|_| panic!("{what}: `{text}`"));
    let decimals = text.split_once('.').map_or(0, |(_, after)| after.len() as i32);
    assert!((read - value).abs() <= 0.500_001 * 10f64.powi(-decimals), "{what}: {read} and {value}");
}

#[test]
fn every_column_is_what_the_ios_say() {
    let (text, run) = text_of("diskspd -b8K -r -w30 -t2 -o4 -d6 -W1 -Sh -L -D -c1G a.dat b.dat");
    let all = sections(&text);
    let wanted: [(&str, &[Op]); 3] =
        [("Total IO", &[Op::Read, Op::Write]), ("Read IO", &[Op::Read]), ("Write IO", &[Op::Write])];
    for (name, ops) in wanted {
        let rows = &all[name];
        assert_eq!(rows.len(), 1 + 4 + 1, "{name}");
        for (index, row) in rows[1..].iter().enumerate() {
            let ios = run.of(|io| ops.contains(&io.op) && (index == 4 || usize::from(io.thread) == index));
            let cell = |name: &str| row[column(rows, name)].as_str();
            let bytes: u64 = ios.iter().map(|io| u64::from(io.bytes)).sum();
            let what = format!("{name}, row {index}");
            assert_eq!(cell("bytes"), bytes.to_string(), "{what}");
            assert_eq!(cell("I/Os"), ios.len().to_string(), "{what}");
            close(cell("MiB/s"), bytes as f64 / 1_048_576.0 / 6.0, &what);
            close(cell("I/O per s"), ios.len() as f64 / 6.0, &what);
            close(cell("AvgLat"), mean_ms(&ios), &what);
            close(cell("LatStdDev"), stdev_ms(&ios), &what);
            close(cell("IopsStdDev"), iops_stdev(&ios, 6), &what);
            if index < 4 {
                // Two threads on the first target, then two on the second.
                let file = ["a.dat (1GiB)", "b.dat (1GiB)"][index / 2];
                assert_eq!((cell("thread"), cell("file")), (index.to_string().as_str(), file));
            } else {
                assert_eq!(cell("thread"), "total");
            }
        }
    }
}

#[test]
fn the_distributions_are_of_each_target_and_of_all() {
    let (text, run) = text_of("diskspd -b4K -r -w50 -t1 -d5 -W0 -Su -L a.dat b.dat");
    let all = sections(&text);
    let names = ["Latency distribution: a.dat", "Latency distribution: b.dat", "Total latency distribution"];
    for (index, name) in names.into_iter().enumerate() {
        let rows = &all[name];
        assert_eq!(rows[0], ["-ile", "Read (ms)", "Write (ms)", "Total (ms)"]);
        let labels: Vec<&str> = rows[1..].iter().map(|row| row[0].as_str()).collect();
        assert_eq!(
            labels,
            [
                "min", "25th", "50th", "75th", "90th", "95th", "99th", "3-nines", "4-nines", "5-nines",
                "6-nines", "7-nines", "8-nines", "9-nines", "max"
            ]
        );
        for (column, ops) in [(1, vec![Op::Read]), (2, vec![Op::Write]), (3, vec![Op::Read, Op::Write])] {
            let ios = run.of(|io| ops.contains(&io.op) && (index == 2 || usize::from(io.target) == index));
            let mut sorted: Vec<f64> = ios.iter().map(|io| io.latency_ns as f64 / 1e6).collect();
            sorted.sort_by(f64::total_cmp);
            let value = |row: usize| rows[row][column].parse::<f64>().unwrap();
            close(&rows[1][column], sorted[0], "min");
            close(&rows[15][column], *sorted.last().unwrap(), "max");
            for (row, percentile) in [(2, 25.0), (3, 50.0), (4, 75.0), (5, 90.0), (6, 95.0), (7, 99.0)] {
                let rank = (percentile / 100.0 * sorted.len() as f64).ceil() as usize - 1;
                // Two digits of a target's, three of all.
                let width = if index == 2 { 0.001 } else { 0.01 };
                let (read, exact) = (value(row), sorted[rank]);
                assert!(
                    (read - exact).abs() <= width * exact + 0.0005,
                    "{name} {percentile}: {read} {exact}"
                );
            }
        }
    }
}

#[test]
fn columns_that_are_not_asked_for_are_not_there() {
    let plain = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file";
    let latency =
        "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file";
    let deviation = "thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s | IopsStdDev |  file";
    for (switch, header) in [("", plain), ("-L ", latency), ("-D ", deviation)] {
        let (text, _) = text_of(&format!("diskspd {switch}-d2 -W0 x.dat"));
        let at = text.find("\nthread |").unwrap() + 1;
        assert_eq!(text[at..].lines().next(), Some(header));
        // The border is as wide as the names of the columns, and five more.
        let border = text[at..].lines().nth(1).unwrap();
        assert_eq!(border, "-".repeat(header.len() + 5), "{switch}");
        assert_eq!(text.contains("latency distribution"), switch == "-L ");
    }
}

/// The widths of `printf("%6u | %15llu | %12llu | %10.2f | %10.2f | %8.3f | %10.2f |  %8.3f | %s (", …)`.
#[test]
fn a_row_has_the_widths_of_diskspds_printf() {
    let (text, _) = text_of("diskspd -b4K -L -D -d2 -W0 -c50000M x.dat");
    let reads = text.split("\nRead IO\n").nth(1).unwrap();
    let row = reads.lines().nth(2).unwrap();
    let bars: Vec<usize> = row.match_indices('|').map(|(at, _)| at).collect();
    let widths = [6, 15, 12, 10, 10, 8, 10, 9];
    let mut at = 0;
    for (bar, width) in bars.iter().zip(widths) {
        assert_eq!(*bar, at + width + 1, "{row}");
        at = bar + 2;
    }
    assert!(row.ends_with(" | x.dat (48.83GiB)"), "{row}");
    let writes = text.split("\nWrite IO\n").nth(1).unwrap();
    let total = writes.lines().nth(4).unwrap();
    assert_eq!(
        total,
        "total:                 0 |            0 |       0.00 |       0.00 |    0.000 |       0.00 |       N/A"
    );
}

#[test]
fn the_whole_text_is_laid_out_as_diskspds() {
    let line = "diskspd -b64K -d2 -W0 -Sh -t1 -o2 testfile1.dat";
    let (text, run) = text_of(line);
    let (ios, bytes) = (run.ios.len(), run.ios.len() * 65536);
    let figures = format!(
        "{bytes:>15} | {ios:>12} | {:>10.2} | {:>10.2}",
        bytes as f64 / 1_048_576.0 / 2.0,
        ios as f64 / 2.0
    );
    let none = "              0 |            0 |       0.00 |       0.00";
    let table = |name: &str, figures: &str| {
        format!(
            "\n{name}\nthread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file\n\
             ------------------------------------------------------------------------------\n     \
             0 | {figures} | testfile1.dat (10MiB)\n\
             ------------------------------------------------------------------------------\ntotal:   {figures}\n"
        )
    };
    let expected = format!(
        "\nCommand Line: {line}\n\nInput parameters:\n\n\ttimespan:   1\n\t-------------\n\tduration: 2s\n\
         \twarm up time: 0s\n\tcool down time: 0s\n\trandom seed: 0\n\tpath: 'testfile1.dat'\n\t\tthink time: 0ms\n\
         \t\tburst size: 0\n\t\tsoftware cache disabled\n\t\thardware write cache disabled, writethrough on\n\
         \t\tperforming read test\n\t\tblock size: 64KiB\n\t\tusing sequential I/O (stride: 64KiB)\n\
         \t\tnumber of outstanding I/O operations per thread: 2\n\t\tthreads per file: 1\n\t\tIO priority: normal\n\n\
         System information:\n\n\tcomputer name: vm-1\n\tstart time: 2026/06/22 22:16:45 UTC\n\n\tcpu count:\t\t4\n\
         \tcore count:\t\t2\n\tgroup count:\t\t1\n\tnode count:\t\t2\n\tsocket count:\t\t2\n\n\tactive power scheme:\t<unknown>\n\n\
         Results for timespan 1:\n\
         *******************************************************************************\n\n\
         actual test time:\t2.00s\nthread count:\t\t1\n\n\
         Socket | Node | Core | CPU |  Usage |  User  | Kernel |  Idle\n\
         ---------------------------------------------------------------\n\
         \u{20}     0|     0|     0|    0|  55.00%|  30.00%|  25.00%|  45.00%\n\
         \u{20}     0|     0|     0|    1|   0.00%|   0.00%|   0.00%| 100.00%\n\
         \u{20}     1|     1|     0|    2|  15.00%|  10.00%|   5.00%|  85.00%\n\
         \u{20}     1|     1|     0|    3|  10.00%|   0.00%|  10.00%|  90.00%\n\
         ---------------------------------------------------------------\n\
         \u{20}                      avg.|  20.00%|  10.00%|  10.00%|  80.00%\n{}{}{}",
        table("Total IO", &figures),
        table("Read IO", &figures),
        table("Write IO", none),
    );
    assert_eq!(text, expected);
}

#[test]
fn a_machine_without_sockets_or_cores_to_tell_apart_has_a_column_for_the_processor_alone() {
    let invocation = invoked("diskspd -d2 -W0 x.dat");
    let mut run = run(invocation.foreign.as_ref().unwrap(), 0, Span::from_secs(1), "");
    for processor in &mut run.machine.cpu.processors {
        (processor.socket, processor.node, processor.core) = (Some(0), Some(0), None);
    }
    let text = out::text(&invocation.profile, &[run.ran()]);
    let table =
        "\nCPU |  Usage |  User  | Kernel |  Idle\n----------------------------------------\n   0|  55.00%|";
    assert!(text.contains(table), "{text}");
    assert!(text.contains("\navg.|  20.00%|"));
    assert!(!text.contains("core count"));
}

#[test]
fn a_thread_on_several_targets_has_no_deviation_of_iops_for_each() {
    let (text, run) = text_of("diskspd -b4K -F2 -o4 -d4 -W0 -Su -D a.dat b.dat");
    let rows = &sections(&text)["Total IO"];
    let deviation = column(rows, "IopsStdDev");
    let cells: Vec<&str> = rows[1..].iter().map(|row| row[deviation].as_str()).collect();
    assert_eq!(cells[..4], ["N/A"; 4]);
    close(cells[4], iops_stdev(&run.ios, 4), "all of them");
    assert!(text.contains("\nthread count:\t\t2\n"));
    assert!(text.contains("\n\tthread pool with 2 threads\n"));
}

#[test]
fn several_time_spans_have_results_of_their_own_and_totals() {
    let span = |seconds: u32, write: u32| {
        format!(
            "<TimeSpan><Duration>{seconds}</Duration><Warmup>0</Warmup><Targets><Target><Path>x.dat</Path>\
             <DisableOSCache>true</DisableOSCache><WriteRatio>{write}</WriteRatio></Target></Targets></TimeSpan>"
        )
    };
    let xml = format!("<Profile><TimeSpans>{}{}</TimeSpans></Profile>", span(2, 0), span(3, 100));
    let line = "diskspd -Xp.xml";
    let invocation = diskspd::parse_run(line, &|_| Some(xml.clone())).unwrap();
    let foreign = invocation.foreign.as_ref().unwrap();
    let runs: Vec<Run> = (0..2).map(|index| run(foreign, index, Span::from_secs(1), line)).collect();
    let rans: Vec<_> = runs.iter().map(Run::ran).collect();
    let text = out::text(&invocation.profile, &rans);
    assert_eq!(text.matches("Results for timespan").count(), 2);
    let (reads, writes) = (runs[0].ios.len(), runs[1].ios.len());
    let line = |name: &str, ios: usize| {
        format!(
            "{name:<6} | {:>15} | {ios:>12} | {:>10.2} | {:>10.2}\n",
            ios * 65536,
            ios as f64 / 16.0 / 5.0,
            ios as f64 / 5.0
        )
    };
    let border = "-".repeat(79);
    let expected = format!(
        "\n\nTotals:\n{}\n\ntype   |       bytes     |     I/Os     |    MiB/s   |  I/O per s\n{border}\n{}{}{border}\n\
         {}\ntotal test time:\t5.00s\n",
        "*".repeat(79),
        line("write", writes),
        line("read", reads),
        line("total", reads + writes),
    );
    assert!(text.ends_with(&expected), "{text}");
    // Interrupted in the first: the second is not there, and there is nothing to add up.
    let text = out::text(&invocation.profile, &rans[..1]);
    assert!(!text.contains("timespan 2:\n*") && !text.contains("Totals:"));
}

#[test]
fn zones_are_shown_as_they_lay_on_the_target() {
    let (text, _) = text_of("diskspd -b4K -r -rdpct90/10:5/10 -t3 -d1 -W0 -Su -c1G x.dat");
    // 1 TiB is what the run's targets have; -c bounds the I/Os to 1 GiB.
    let expected = "\nEffective IO Distributions\n--------------------------\ntarget: x.dat [thread: 0 - 2]\n\
                    \u{20}   90% of IO => [     0    - 102.40MiB)\n\
                    \u{20}    5% of IO => [102.40MiB - 204.80MiB)\n\
                    \u{20}    5% of IO => [204.80MiB -      1GiB)\n";
    assert!(text.contains(expected), "{text}");
    assert!(text.contains("\t\tIO Distribution:\n\t\t    90% of IO => [ 0% -  10%) of target\n"), "{text}");
}

#[test]
fn a_run_that_was_interrupted_before_it_counted_says_so() {
    let invocation = invoked("diskspd -d2 -W3 x.dat");
    let mut run = run(invocation.foreign.as_ref().unwrap(), 0, Span::from_secs(1), "");
    run.total.end = run.total.start;
    let text = out::text(&invocation.profile, &[run.ran()]);
    assert!(
        text.ends_with(
            "*\nThe test was interrupted before the measurements began. No results are displayed.\n"
        )
    );
}

#[test]
fn what_windows_alone_does_is_refused_by_name_in_a_run() {
    for (line, words) in [
        ("diskspd -vs x.dat", "-vs"),
        ("diskspd -eDISK_IO x.dat", "-e"),
        ("diskspd -ysgo x.dat", "-y"),
        ("diskspd -b4K", "no target"),
    ] {
        let error = diskspd::parse_run(line, &|_| None).unwrap_err().to_string();
        assert!(error.contains(words), "{line}: {error}");
    }
    // A prediction needs none of these.
    assert!(diskspd::parse_line("diskspd -vs -eDISK_IO -ysgo x.dat").is_ok());
}

#[test]
fn what_shapes_the_answer_is_in_the_profile() {
    let profile = invoked("diskspd -Rxml -L -D250 -v -z -d2 x.dat").profile;
    let span = &profile.time_spans[0];
    assert_eq!(profile.result_format, diskspd::ResultFormat::Xml);
    assert!(profile.verbose && span.measure_latency);
    assert_eq!((span.interval(), span.seed), (Some(Span::from_ms(250)), None));
    assert_eq!(invoked("diskspd x.dat").profile.time_spans[0].interval(), None);
    // The seed that a bare -z leaves to the run is the one that the run had.
    let invocation = invoked("diskspd -z -r -d1 -W0 x.dat");
    let mut run = run(invocation.foreign.as_ref().unwrap(), 0, Span::from_secs(1), "");
    run.workload.seed = 4711;
    assert!(out::text(&invocation.profile, &[run.ran()]).contains("\n\trandom seed: 4711\n"));
}
