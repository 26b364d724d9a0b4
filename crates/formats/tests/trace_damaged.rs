//! Traces of every format that are damaged: cut short, out of order, with lines that cannot be read, with numbers that are too
//! large. Each is one clear error or a counted note, and never a panic.

use std::io::Cursor;

use iobound_formats::trace::{TraceFormat, TraceOutput, TraceWriter, read_trace, recognise};
use iobound_trace::{Record, Source, TraceError, TraceFacts};
use iobound_units::Op;
use proptest::prelude::*;

/// The lines before the I/Os of a format, and five I/Os; the fourth has length zero.
const TEXTS: [(TraceFormat, &str, [&str; 5]); 10] = [
    (
        TraceFormat::FioV2,
        "fio version 2 iolog\nf add\nf open\n",
        [
            "f read 0 4096",
            "f wait 5 0\nf write 4096 8192",
            "f wait 6 0\nf trim 0 4096",
            "f read 8192 0",
            "f sync 0 0",
        ],
    ),
    (
        TraceFormat::FioV3,
        "fio version 3 iolog\n0 f add\n0 f open\n",
        ["10 f read 0 4096", "20 f write 4096 8192", "30 g trim 0 4096", "40 f read 8192 0", "50 f sync 0 0"],
    ),
    (
        TraceFormat::Blkparse,
        "",
        [
            "8,0 1 1 0.000000000 7 Q R 8 + 8 [x]",
            "8,0 1 2 0.000010000 7 Q W 16 + 16 [x]",
            "8,1 1 3 0.000020000 7 Q D 0 + 8 [x]",
            "8,0 1 4 0.000030000 7 Q R 32 [x]",
            "8,0 1 5 0.000040000 7 Q FF [x]",
        ],
    ),
    (
        TraceFormat::Msr,
        "",
        [
            "128166372003061629,hm,1,Read,4096,4096,413",
            "128166372003061639,hm,1,Write,8192,8192,413",
            "128166372003061649,usr,0,Read,4096,512,413",
            "128166372003061659,hm,1,Read,4096,0,413",
            "128166372003061669,hm,1,Write,0,512,413",
        ],
    ),
    (
        TraceFormat::Alibaba,
        "",
        [
            "1,R,0,4096,1577808000000001",
            "1,W,4096,8192,1577808000000002",
            "2,R,0,4096,1577808000000003",
            "1,R,0,0,1577808000000004",
            "1,W,0,512,1577808000000005",
        ],
    ),
    (
        TraceFormat::Tencent,
        "",
        [
            "1538323200,0,8,0,1",
            "1538323201,8,16,1,1",
            "1538323202,0,8,0,2",
            "1538323203,0,0,0,1",
            "1538323204,8,1,1,1",
        ],
    ),
    (
        TraceFormat::Vscsi,
        "",
        [
            "0,4096,1,40,8,1000",
            "1,8192,2,42,16,1010",
            "2,512,1,40,0,1020",
            "3,0,1,40,8,1030",
            "4,0,0,53,0,1040",
        ],
    ),
    (
        TraceFormat::Xperf,
        "IO Type, Start Time, End Time, IO Size, Byte Offset, Disk\n",
        [
            "Read, 10, 15, 4096, 0, 0",
            "Write, 20, 25, 8192, 4096, 0",
            "Read, 30, 35, 512, 0, 1",
            "Read, 40, 45, 0, 0, 0",
            "Flush, 50, 55, 0, 0, 0",
        ],
    ),
    (
        TraceFormat::Biosnoop,
        "TIME(s) COMM PID DISK T SECTOR BYTES LAT(ms)\n",
        [
            "0.000000 a 1 sda R 0 4096 0.10",
            "0.000100 a 1 sda W 8 8192 0.10",
            "0.000200 a 1 sdb R 0 512 0.10",
            "0.000300 a 1 sda R 0 0 0.10",
            "0.000400 a 1 sda FF -1 0 0.10",
        ],
    ),
    // Without a header.
    (
        TraceFormat::Biosnoop,
        "",
        [
            "0.000000 a 1 sda R 0 4096 0.100",
            "0.000100 a 1 sda W 8 8192 0.100",
            "0.000200 a 1 sdb R 0 512 0.100",
            "0.000300 a 1 sda R 0 0 0.100",
            "0.000400 a 1 sda FF -1 0 0.100",
        ],
    ),
];

struct Read {
    records: Vec<Record>,
    devices: Vec<String>,
    facts: TraceFacts,
    error: Option<TraceError>,
}

/// All that can be read; of what follows an error, nothing.
fn read_as(format: TraceFormat, bytes: &[u8]) -> Read {
    let mut source = match read_trace(format, Box::new(Cursor::new(bytes.to_vec())), None) {
        Ok(source) => source,
        Err(error) => {
            return Read {
                records: vec![],
                devices: vec![],
                facts: TraceFacts::default(),
                error: Some(error),
            };
        }
    };
    let (mut records, mut error) = (Vec::new(), None);
    while error.is_none() {
        let before = records.len();
        error = source.read(&mut records).err();
        if records.len() == before {
            break;
        }
    }
    Read { records, devices: source.devices().to_vec(), facts: source.facts(), error }
}

fn whole(format: TraceFormat, head: &str, lines: &[&str]) -> Read {
    read_as(format, format!("{head}{}\n", lines.join("\n")).as_bytes())
}

#[test]
fn every_format_counts_devices_zero_lengths_and_ios() {
    for (format, head, lines) in TEXTS {
        let text = format!("{head}{}\n", lines.join("\n"));
        assert_eq!(recognise(text.as_bytes()).ok(), Some(format), "{}", format.name());
        let read = whole(format, head, &lines);
        assert!(read.error.is_none(), "{}: {:?}", format.name(), read.error);
        assert_eq!((read.records.len(), read.facts.zero_length), (5, 1), "{}", format.name());
        let devices = match format {
            TraceFormat::FioV2 | TraceFormat::Vscsi => 1,
            _ => 2,
        };
        assert_eq!(read.devices.len(), devices, "{}", format.name());
    }
}

#[test]
fn a_text_that_is_cut_anywhere_has_the_ios_before_and_at_most_one_malformed_line() {
    for (format, head, lines) in TEXTS {
        let text = format!("{head}{}\n", lines.join("\n"));
        for end in head.len() + 1..text.len() {
            let read = read_as(format, &text.as_bytes()[..end]);
            let before = text[..end].matches('\n').count() - head.matches('\n').count();
            let waits = text[..end].matches("wait").count();
            assert!(read.records.len() + waits >= before, "{} cut at {end}", format.name());
            assert!(read.facts.malformed.count <= 1, "{} cut at {end}", format.name());
            let error = read.error.map(|error| error.to_string());
            assert!(error.is_none() || read.records.is_empty(), "{} cut at {end}: {error:?}", format.name());
        }
    }
}

#[test]
fn lines_out_of_order_are_put_in_order() {
    for (format, head, lines) in TEXTS {
        // Version 2 has no times.
        if format == TraceFormat::FioV2 {
            continue;
        }
        let sorted = whole(format, head, &lines);
        let mut reversed = lines;
        reversed.reverse();
        let read = whole(format, head, &reversed);
        assert!(read.error.is_none() && read.facts.unsorted == 0, "{}", format.name());
        let times = |read: &Read| read.records.iter().map(|record| record.at_ns).collect::<Vec<u64>>();
        assert_eq!(times(&read), times(&sorted), "{}", format.name());
    }
}

#[test]
fn a_line_far_out_of_order_is_counted_and_keeps_its_place() {
    for (format, head, lines) in TEXTS {
        if format == TraceFormat::FioV2 {
            continue;
        }
        let mut all = vec![lines[1]; 150_000];
        all.push(lines[0]);
        let read = whole(format, head, &all);
        assert!(read.error.is_none(), "{}: {:?}", format.name(), read.error);
        assert_eq!((read.records.len(), read.facts.unsorted), (150_001, 1), "{}", format.name());
    }
}

#[test]
fn a_few_torn_lines_are_counted_and_many_are_one_error_with_the_first() {
    for (format, head, lines) in TEXTS {
        let torn = match format {
            TraceFormat::Blkparse => "8,0 torn",
            TraceFormat::Xperf => "Read, torn, 1, 2, 3, 4",
            _ => "torn 1 2, 3",
        };
        let mut all = lines.to_vec();
        all.push(torn);
        let read = whole(format, head, &all);
        assert_eq!((read.records.len(), read.facts.malformed.count), (5, 1), "{}", format.name());
        assert!(read.facts.malformed.first.is_some_and(|(_, text, _)| text == torn), "{}", format.name());
        all.extend([torn; 15]);
        let error = whole(format, head, &all).error.expect("too many lines are torn");
        assert!(
            error.what.contains(torn) && error.what.contains("cannot be read"),
            "{}: {error}",
            format.name()
        );
        assert!(!error.help.is_empty(), "{}", format.name());
    }
}

#[test]
fn gigantic_numbers_are_malformed_or_an_error_and_the_other_ios_stay() {
    for (format, head, lines) in TEXTS {
        for number in ["18446744073709551615", "99999999999999999999999999", "9223372036854775807"] {
            let fields: Vec<&str> = lines[0].split_inclusive([' ', ',']).collect();
            for place in 0..fields.len() {
                let is_number =
                    fields[place].bytes().all(|byte| byte.is_ascii_digit() || b" ,.".contains(&byte));
                if !is_number || fields[place].trim().is_empty() {
                    continue;
                }
                let end = if fields[place].ends_with(',') { "," } else { " " };
                let replaced = format!("{number}{end}");
                let line: String = (0..fields.len())
                    .map(|at| if at == place { replaced.as_str() } else { fields[at] })
                    .collect();
                let read = whole(format, head, &[lines[1], &line, lines[4]]);
                if read.error.is_none() {
                    let known = read.records.len() as u64 + read.facts.malformed.count + read.facts.passed;
                    assert!(read.records.len() >= 2 && known >= 3, "{}: {line}", format.name());
                }
                for record in &read.records {
                    assert!(record.offset.checked_add(record.length).is_some(), "{}: {line}", format.name());
                }
            }
        }
    }
}

/// The same I/Os in the project's own format.
fn own() -> Vec<u8> {
    let records: Vec<Record> = (0..500u64)
        .map(|n| Record {
            at_ns: n * 1_000,
            offset: n * 4_096,
            length: 4_096,
            latency_ns: n,
            device: (n % 2) as u16,
            op: Op::Read,
        })
        .collect();
    let devices = ["a".to_string(), "b".to_string()];
    let mut writer = TraceWriter::new(Vec::new(), TraceOutput::Own).expect("memory");
    writer.write(&records, &devices).expect("memory");
    writer.finish().expect("memory").0
}

/// A binary record of VMware's, version 1.
fn vscsi(length: u32, command: u16, block: u64, time: u64) -> Vec<u8> {
    let mut record = Vec::new();
    [7, length, 1].iter().for_each(|word: &u32| record.extend(word.to_le_bytes()));
    [command, 0x100].iter().for_each(|half| record.extend(half.to_le_bytes()));
    [block, time].iter().for_each(|long| record.extend(long.to_le_bytes()));
    record
}

/// An event of blktrace on device 8,0.
fn event(at_ns: u64, sector: u64, bytes: u32, action: u32) -> Vec<u8> {
    let mut event = Vec::new();
    event.extend(0x6561_7407u32.to_le_bytes());
    event.extend(1u32.to_le_bytes());
    event.extend(at_ns.to_le_bytes());
    event.extend(sector.to_le_bytes());
    for word in [bytes, action, 77, 8 << 20, 0] {
        event.extend(word.to_le_bytes());
    }
    event.extend([0; 4]);
    event
}

const QUEUED_READ: u32 = 1 << 16 | 1 << 20 | 1;

#[test]
fn a_binary_trace_that_is_cut_short_or_damaged_is_an_error_or_a_counted_event() {
    let own = own();
    for end in 8..own.len() {
        assert!(read_as(TraceFormat::Own, &own[..end]).error.is_some(), "cut at {end}");
    }
    let events =
        [event(1, 8, 512, QUEUED_READ), event(2, u64::MAX, 512, QUEUED_READ), event(3, 16, 0, QUEUED_READ)];
    let events = events.concat();
    for end in 1..events.len() {
        let read = read_as(TraceFormat::Blktrace, &events[..end]);
        assert!(read.error.is_none() && read.records.len() <= end / 48, "cut at {end}");
        assert_eq!(
            read.facts.malformed.count,
            u64::from(end % 48 > 0) + u64::from(end >= 96),
            "cut at {end}"
        );
    }
    let whole = read_as(TraceFormat::Blktrace, &events);
    assert_eq!((whole.records.len(), whole.facts.malformed.count, whole.facts.zero_length), (2, 1, 1));
    let mut damaged = events.clone();
    damaged[48] ^= 0xff;
    let error = read_as(TraceFormat::Blktrace, &damaged).error.expect("the second event has no magic number");
    assert!(error.what.contains("damaged") || error.what.contains("version"), "{error}");
}

#[test]
fn a_binary_vscsi_trace_that_is_cut_short_or_damaged_is_an_error_or_a_counted_record() {
    // The second ends beyond 8 EiB, the third has length zero, the fourth is no I/O.
    let records =
        [vscsi(512, 0x28, 8, 1), vscsi(512, 0x2a, u64::MAX, 2), vscsi(0, 0x28, 16, 3), vscsi(36, 0x12, 0, 4)];
    let bytes = records.concat();
    for end in 32..=bytes.len() {
        let read = read_as(TraceFormat::VscsiBinary, &bytes[..end]);
        assert!(read.error.is_none(), "cut at {end}: {:?}", read.error);
        let torn = u64::from(end % 32 > 0);
        let facts = read.facts;
        assert_eq!(
            (read.records.len(), facts.malformed.count, facts.lines, facts.zero_length, facts.other_ops),
            (
                1 + usize::from(end >= 96),
                torn + u64::from(end >= 64),
                (end / 32) as u64 + torn,
                u64::from(end >= 96),
                u64::from(end == 128)
            ),
            "cut at {end}"
        );
    }
    for end in 0..32 {
        assert!(read_as(TraceFormat::VscsiBinary, &bytes[..end]).error.is_some(), "cut at {end}");
    }
    // A record of another version within the file is counted, and many of them are an error.
    let mut damaged = vscsi(512, 0x28, 8, 1).repeat(40);
    damaged[32 * 20 + 15] = 9;
    let read = read_as(TraceFormat::VscsiBinary, &damaged);
    assert_eq!((read.records.len(), read.facts.malformed.count), (39, 1));
    let (number, text, why) = read.facts.malformed.first.expect("one is malformed");
    assert_eq!((number, &text[..8]), (21, "07000000"));
    assert!(why.contains("version"), "{why}");
    (20..31).for_each(|record| damaged[32 * record + 15] = 9);
    let error = read_as(TraceFormat::VscsiBinary, &damaged).error.expect("eleven records are too many");
    assert!(error.what.contains("11 of 31 records") && error.what.contains("record 21"), "{error}");
}

#[test]
fn binary_vscsi_records_out_of_order_are_put_in_order() {
    let records = [vscsi(512, 0x28, 3, 30), vscsi(512, 0x28, 1, 10), vscsi(512, 0x28, 2, 20)];
    let read = read_as(TraceFormat::VscsiBinary, &records.concat());
    let offsets: Vec<u64> = read.records.iter().map(|record| record.offset).collect();
    assert_eq!((offsets, read.facts.unsorted), (vec![512, 1_024, 1_536], 0));
    let mut far = vscsi(512, 0x28, 2, 20).repeat(150_000);
    far.extend(vscsi(512, 0x28, 1, 10));
    let read = read_as(TraceFormat::VscsiBinary, &far);
    assert_eq!((read.records.len(), read.facts.unsorted), (150_001, 1));
}

fn any_line() -> impl Strategy<Value = String> {
    let lines: Vec<&str> =
        TEXTS.iter().flat_map(|(_, head, lines)| head.lines().chain(lines.iter().copied())).collect();
    (prop::sample::select(lines), any::<prop::sample::Index>(), ".{0,3}").prop_map(|(line, at, put)| {
        let mut chars: Vec<char> = line.chars().collect();
        if !chars.is_empty() {
            let at = at.index(chars.len());
            chars.splice(at..at + 1, put.chars());
        }
        chars.into_iter().collect()
    })
}

/// A text of a format whose lines have a character replaced by others.
fn damaged_text() -> impl Strategy<Value = (TraceFormat, String)> {
    let change = (0..5usize, any::<prop::sample::Index>(), ".{0,3}");
    (0..TEXTS.len(), prop::collection::vec(change, 1..30)).prop_map(|(index, changes)| {
        let (format, head, lines) = TEXTS[index];
        let damaged = changes.into_iter().map(|(line, at, put)| {
            let mut chars: Vec<char> = lines[line].chars().collect();
            let at = at.index(chars.len());
            chars.splice(at..at + 1, put.chars());
            chars.into_iter().collect::<String>()
        });
        (format, format!("{head}{}\n", damaged.collect::<Vec<String>>().join("\n")))
    })
}

proptest! {
    #[test]
    fn every_line_is_an_io_or_counted((format, text) in damaged_text()) {
        let read = read_as(format, text.as_bytes());
        prop_assert!(read.error.as_ref().is_none_or(|error| !error.what.is_empty()));
        let facts = read.facts;
        // Of blkparse, several events make an I/O.
        if read.error.is_none() && format != TraceFormat::Blkparse {
            let counted = facts.passed + facts.malformed.count + facts.other_ops;
            prop_assert_eq!(read.records.len() as u64 + counted, facts.lines);
            prop_assert_eq!(facts.lines, text.lines().count() as u64);
        }
        prop_assert_eq!(facts.malformed.count > 0, facts.malformed.first.is_some());
    }

    #[test]
    fn every_binary_vscsi_record_is_an_io_or_counted(count in 17..60usize, changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..12), cut in 0..32usize) {
        let mut bytes: Vec<u8> = (0..count as u64).flat_map(|n| vscsi(4_096, 0x28, n * 8, n * 100)).collect();
        // The first sixteen say which version it is.
        for (at, byte) in changes {
            let at = 16 * 32 + at.index(bytes.len() - 16 * 32);
            bytes[at] = byte;
        }
        bytes.truncate(bytes.len() - cut);
        let read = read_as(TraceFormat::VscsiBinary, &bytes);
        if read.error.is_none() {
            let facts = read.facts;
            prop_assert_eq!(read.records.len() as u64 + facts.malformed.count + facts.other_ops, facts.lines);
            prop_assert_eq!(facts.lines, bytes.len().div_ceil(32) as u64);
        }
    }

    #[test]
    fn no_bytes_are_a_panic(index in 0..TraceFormat::ALL.len(), lines in prop::collection::vec(any_line(), 0..40), tail in prop::collection::vec(any::<u8>(), 0..60)) {
        let format = TraceFormat::ALL[index];
        let mut bytes = match format {
            TraceFormat::Own => own()[..lines.len() * 10].to_vec(),
            TraceFormat::Blktrace => event(1, 8, 512, QUEUED_READ),
            TraceFormat::VscsiBinary => vscsi(512, 0x28, 8, 1).repeat(lines.len() + 1),
            _ => lines.join("\n").into_bytes(),
        };
        bytes.extend(tail);
        let read = read_as(format, &bytes);
        prop_assert!(read.records.iter().all(|record| usize::from(record.device) < read.devices.len()));
        prop_assert!(read.records.iter().all(|record| record.offset.checked_add(record.length).is_some()));
        let _ = recognise(&bytes);
    }
}
