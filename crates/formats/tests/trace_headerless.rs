//! Traces without a header: binary records of VMware's SCSI commands, and biosnoop. They are recognised by what their I/Os are,
//! and nothing else is taken for them.

#[path = "common/recognised.rs"]
mod recognised;

use iobound_formats::trace::{TimeUnit, TraceFormat, recognise};
use iobound_trace::Record;
use iobound_units::Op;
use proptest::prelude::*;
use recognised::{Read, read_as};

fn read(bytes: &[u8]) -> Read {
    read_as(bytes, None).unwrap_or_else(|error| panic!("{error}"))
}

fn refused(bytes: &[u8]) -> String {
    read_as(bytes, None).map(|_| ()).unwrap_err().to_string()
}

/// Operation, offset and length of each record.
fn ios(read: &Read) -> Vec<(Op, u64, u64)> {
    read.records.iter().map(|record| (record.op, record.offset, record.length)).collect()
}

/// One command: operation code, length in bytes, block, time in µs, response time in µs.
type Command = (u16, u32, u64, u64, u64);

/// The commands in one of the two versions; `serial` is that of each.
fn binary(version: u16, serial: u32, commands: &[Command]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for (command, length, block, time, response) in commands {
        let words = [serial, *length, 1].map(u32::to_le_bytes).concat();
        let halves = [*command, version << 8].map(u16::to_le_bytes).concat();
        let longs = [*block, *time].map(u64::to_le_bytes).concat();
        match version {
            1 => bytes.extend([words, halves, longs].concat()),
            _ => bytes.extend([halves, words, longs, response.to_le_bytes().to_vec()].concat()),
        }
    }
    bytes
}

/// READ(10), WRITE(16), SYNCHRONIZE CACHE(10), UNMAP and INQUIRY.
const COMMANDS: [Command; 5] = [
    (0x28, 4_096, 2_000, 1_000_000, 450),
    (0x8a, 8_192, 4_000, 1_000_500, 90),
    (0x35, 0, 0, 1_000_600, 7),
    (0x42, 512, 8, 1_000_650, 8),
    (0x12, 36, 0, 1_000_700, 1),
];

#[test]
fn binary_vscsi_records_of_both_versions_are_the_commands_of_the_text() {
    let (mut first, mut second) = (String::new(), String::new());
    for (command, length, block, time, response) in COMMANDS {
        first += &format!("2147483892,{length},1,{command},256,{block},{time}\n");
        second += &format!("{command},512,2147483892,{length},1,{block},{time},{response}\n");
    }
    for (version, text) in [(1, first), (2, second)] {
        let trace = read(&binary(version, 2_147_483_892, &COMMANDS));
        assert_eq!(trace.format, TraceFormat::VscsiBinary);
        assert_eq!(
            ios(&trace),
            [
                (Op::Read, 1_024_000, 4_096),
                (Op::Write, 2_048_000, 8_192),
                (Op::Flush, 0, 0),
                (Op::Discard, 4_096, 512)
            ]
        );
        let latency = (version == 2).then_some(450_000);
        assert_eq!((trace.records[0].at_ns, trace.records[0].latency()), (1_000_000_000, latency));
        let as_text = read(text.as_bytes());
        assert_eq!(as_text.format, TraceFormat::Vscsi);
        assert_eq!((trace.records, trace.devices), (as_text.records, as_text.devices));
        assert_eq!((trace.facts.lines, trace.facts.other_ops, trace.facts.zero_length), (5, 1, 0));
        assert_eq!(trace.facts.time_unit, "us");
    }
}

#[test]
fn binary_vscsi_is_recognised_from_its_first_record_on_and_nothing_else_is_taken_for_it() {
    for version in [1, 2] {
        let whole = binary(version, 7, &COMMANDS);
        let size = whole.len() / COMMANDS.len();
        for end in size..whole.len() {
            assert_eq!(recognise(&whole[..end]).ok(), Some(TraceFormat::VscsiBinary), "cut at {end}");
        }
        for end in 1..size {
            assert!(recognise(&whole[..end]).is_err(), "cut at {end}");
        }
        // A record of another version among the first ones.
        let other = [whole.clone(), binary(3 - version, 7, &COMMANDS)].concat();
        assert!(recognise(&other).is_err());
        // Another version, and a command of two bytes.
        assert!(recognise(&binary(3, 7, &COMMANDS)).is_err());
        assert!(recognise(&binary(version, 7, &[(0x128, 512, 0, 1, 1); 4])).is_err());
    }
    // Serial number and elements are such that a record fits both versions: it is not guessed.
    let mut both = binary(2, 7, &COMMANDS[..1]);
    both[12..16].copy_from_slice(&[0x28, 0, 0, 1]);
    assert!(refused(&both).contains("unknown"));
    let wide: Vec<u8> = "1,R,0,4096,1577808144360767\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert!(recognise(&wide.repeat(10)).is_err());
    assert!(recognise(&[0; 4_096]).is_err());
}

#[test]
fn binary_vscsi_in_another_unit_is_ambiguous_until_the_unit_is_given() {
    // 20,000 commands a second, in nanoseconds.
    let commands: Vec<Command> = (0..2_000).map(|n| (0x28, 4_096, n * 8, n * 50_000, 0)).collect();
    let bytes = binary(1, 7, &commands);
    let error = refused(&bytes);
    assert!(error.contains("ambiguous") && error.contains("--time-unit"), "{error}");
    let given = read_as(&bytes, Some(TimeUnit::Nanoseconds)).unwrap();
    assert_eq!(given.records[1_999].at_ns, 1_999 * 50_000);
    // The same in seconds since 1970.
    let dated: Vec<Command> = (0..2_000).map(|n| (0x28, 4_096, n * 8, 1_577_808_000 + n / 100, 0)).collect();
    assert!(refused(&binary(2, 7, &dated)).contains("ambiguous"));
    assert!(read_as(binary(2, 7, &dated), Some(TimeUnit::Seconds)).is_ok());
    let right: Vec<Command> = (0..2_000).map(|n| (0x28, 4_096, n * 8, n * 50, 0)).collect();
    assert_eq!(read(&binary(1, 7, &right)).records.len(), 2_000);
}

proptest! {
    #[test]
    fn binary_vscsi_keeps_every_command(version in 1..=2u16, serial in 0..0x100_0000u32, commands in prop::collection::vec(
        (prop::sample::select(vec![0x08u16, 0x0a, 0x28, 0x2a, 0x88, 0x8a, 0x12, 0x00]), 0..1u32 << 24, 0..1u64 << 40, 0..1u64 << 32, 0..1u64 << 20), 1..100)
    ) {
        let mut commands = commands;
        commands.sort_by_key(|command| command.3);
        let trace = read_as(binary(version, serial, &commands), Some(TimeUnit::Microseconds));
        let data: Vec<&Command> = commands.iter().filter(|command| command.0 != 0x12 && command.0 != 0).collect();
        let trace = trace.map_err(|error| TestCaseError::fail(error.to_string()))?;
        prop_assert_eq!(trace.records.len(), data.len());
        prop_assert_eq!(trace.facts.other_ops as usize, commands.len() - data.len());
        for (record, (command, length, block, time, _)) in trace.records.iter().zip(data) {
            let op = if command & 0x0f == 8 { Op::Read } else { Op::Write };
            prop_assert_eq!((record.op, record.offset, record.length, record.at_ns),
                (op, block * 512, u64::from(*length), time * 1_000));
        }
    }
}

/// Headers of biosnoop, and two I/Os as the tool prints them: bcc's alone, with -Q, with -P and with both; libbpf's, with -Q
/// and with the time of day; names with spaces and without a letter.
const BIOSNOOP: [(&str, [&str; 2]); 8] = [
    (
        "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES   LAT(ms)",
        [
            "0.000004    supervise      1950   xvda1   W 13092560   4096       0.74",
            "2.004204    my app 3       26040  xvdb    R 41950344   65536      0.34",
        ],
    ),
    (
        "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  QUE(ms) LAT(ms)",
        [
            "0.000000    kworker/u72:1  13379  nvme1n1 W 1142400    4096      0.01    0.55",
            "5.333067    xfsaild/nvme1n 1061   nvme1n1 R 20971528   8192     -1.00    0.65",
        ],
    ),
    (
        "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  P LAT(ms)",
        [
            "0.000000    jbd2/sda1-8    330     sda       W 2187768    65536  ?    0.53",
            "0.000544    kworker/3:1H   206     sda       R 2187896    4096   S    0.38",
        ],
    ),
    (
        "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  P QUE(ms) LAT(ms)",
        [
            "0.000000    jbd2/sda1-8    330     sda       W 2187768    65536  R    0.02    0.53",
            "0.000544    kworker/3:1H   206     sda       R 2187896    4096   S    0.01    0.38",
        ],
    ),
    (
        "TIME(s)     COMM           PID     DISK    T    SECTOR     BYTES   LAT(ms)",
        [
            "0.000000    jbd2/sda1-8    330     sda     WS   2187768    65536     0.530",
            "0.000544    my app         206     sda     RA   2187896    4096      0.380",
        ],
    ),
    (
        "TIME(s)     COMM           PID     DISK    T    SECTOR     BYTES   QUE(ms) LAT(ms)",
        [
            "0.000000    jbd2/sda1-8    330     sda     WS   2187768    65536     0.010   0.530",
            "0.000544                   206     sda     RA   2187896    4096     -1.000   0.380",
        ],
    ),
    (
        "TIMESTAMP    COMM           PID     DISK    T    SECTOR     BYTES   LAT(ms)",
        [
            "23:59:59.999 jbd2/sda1-8    330     sda     W    2187768    65536     0.530",
            "00:00:00.000 kworker/3:1H   206     sda     R    2187896    4096      0.380",
        ],
    ),
    (
        "TIME     TIME(s)     COMM           PID     DISK      T SECTOR     BYTES   LAT(ms)",
        [
            "13:05:07 0.000000    jbd2/sda1-8    330     sda       W 2187768    65536      0.53",
            "13:05:07 0.000544    kworker/3:1H   206     sda       R 2187896    4096       0.38",
        ],
    ),
];

#[test]
fn biosnoop_without_its_header_is_read_as_with_it() {
    for (header, [first, second]) in BIOSNOOP {
        let with = read(format!("{header}\n{first}\n{second}\n").as_bytes());
        let without = read(format!("{first}\n{second}\n").as_bytes());
        assert_eq!((with.format, without.format), (TraceFormat::Biosnoop, TraceFormat::Biosnoop), "{header}");
        assert_eq!(with.records.len(), 2, "{header}");
        assert_eq!((&without.records, &without.devices), (&with.records, &with.devices), "{header}");
        assert!(with.facts.notes.is_empty(), "{:?}", with.facts.notes);
        assert!(without.facts.notes[0].contains("no header"), "{:?}", without.facts.notes);
    }
}

#[test]
fn biosnoop_prints_an_earlier_completion_after_a_later_one() {
    let trace = read(
        b"0.000000 a 1 sda R 8 4096 0.10\n-0.000050 b 2 sda W 16 512 0.10\n0.000100 c 3 sda R 24 4096 0.10\n",
    );
    assert_eq!((trace.records.len(), trace.facts.malformed.count), (3, 0));
    let ends: Vec<u64> = trace.records.iter().filter_map(Record::completed_ns).collect();
    assert_eq!((trace.records[0].op, ends[1] - ends[0], ends[2] - ends[1]), (Op::Write, 50_000, 100_000));
}

#[test]
fn biosnoop_prints_flushes_as_reads_and_ios_whose_begin_it_missed_without_a_disk() {
    let header = "TIME(s)     COMM           PID    DISK    T SECTOR     BYTES  LAT(ms)\n";
    let lines = "1.774198    ThreadPoolFore 5270   nvme0n1 W 520198144  225280    0.48\n\
        1.774300    kworker/23:1   9126           R 18446744073709551615 0         0.61\n\
        1.774381    kworker/23:1   9126   nvme0n1 R 18446744073709551615 0         0.03\n\
        1.774609    ?              0              R 0          8         0.21\n";
    for text in [format!("{header}{lines}"), lines.to_string()] {
        let trace = read(text.as_bytes());
        assert_eq!(ios(&trace), [(Op::Write, 520_198_144 * 512, 225_280), (Op::Flush, 0, 0)]);
        assert_eq!((trace.facts.other_ops, trace.facts.malformed.count), (2, 0));
        assert_eq!(trace.devices, ["nvme0n1"]);
    }
}

#[test]
fn biosnoop_whose_lengths_may_be_sectors_is_refused_without_a_header() {
    let lines =
        "0.000000    a 1 sda     WS   2187768    128      0.530\n0.000544 b 2 sda RA 2187896 8 0.380\n";
    let error = refused(lines.as_bytes());
    assert!(error.contains("sectors") && error.contains("write the header"), "{error}");
    let header = "TIME(s) COMM PID DISK T SECTOR SECTORS LAT(ms)\n";
    let trace = read(format!("{header}{lines}").as_bytes());
    assert_eq!(ios(&trace), [(Op::Write, 2_187_768 * 512, 65_536), (Op::Read, 2_187_896 * 512, 4_096)]);
    // One command with a length of its own among blocks.
    let blocks =
        "0.000000 a 1 sda R 0 4096 0.10\n0.000000 a 1 sda R 8 512 0.10\n0.000100 a 1 sda R 0 36 0.10\n";
    assert_eq!(read(blocks.as_bytes()).records.len(), 3);
}

#[test]
fn biosnoop_of_bpftrace_has_no_places_and_is_refused_with_and_without_a_header() {
    for (header, lines) in [
        ("TIME(ms)     COMM             PID    LAT(ms)", ["611 bash 4179 10", "627 sync 4179 15"]),
        (
            "TIME(ms)     DISK    COMM             PID    LAT(ms)",
            ["611 nvme0n1 bash 4179 10", "627 nvme0n1 sync 4179 15"],
        ),
        (
            "TIME(ms)     DISK ID        COMM             PID    LAT(ms)\n             MAJOR MINOR",
            [
                "611          259   0        sync             4179        10",
                "627          259   0        flush-259:0      4179         0",
            ],
        ),
    ] {
        let lines = lines.join("\n");
        for text in [format!("{header}\n{lines}\n"), format!("{lines}\n")] {
            let error = refused(text.as_bytes());
            assert!(error.contains("SECTOR") && error.contains("bcc"), "{error}: {text}");
        }
    }
}

#[test]
fn lines_that_only_resemble_biosnoop_are_none() {
    for line in [
        // Milliseconds with one decimal; seconds without decimals; a number for the disk; a lower-case operation; 9 MB "4k".
        "0.000004 supervise 1950 xvda1 W 13092560 4096 0.7",
        "4 supervise 1950 xvda1 W 13092560 4096 0.74",
        "0.000004 supervise 1950 8 W 13092560 4096 0.74",
        "0.000004 supervise 1950 xvda1 w 13092560 4096 0.74",
        "0.000004 supervise 1950 xvda1 W 13092560 4k 0.74",
        "0.000004 xvda1 W 13092560 4096 0.74",
    ] {
        assert!(recognise(format!("{line}\n").repeat(20).as_bytes()).is_err(), "{line}");
    }
}

#[test]
fn a_file_with_as_many_lines_of_two_formats_is_refused() {
    let text = "1,R,0,4096,1577808144360767\n1538323200,8,8,0,1063\n".repeat(4);
    let error = refused(text.as_bytes());
    assert!(error.contains("Alibaba") && error.contains("Tencent") && error.contains("split"), "{error}");
}
