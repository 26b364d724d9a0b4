//! Traces as other tools' versions and copies of them have them: the format is recognised by its content, the unit is right,
//! and each I/O counts once. Layouts are those of the tools' sources and of published excerpts.

#[path = "common/recognised.rs"]
mod recognised;

use iobound_formats::trace::{TimeUnit, TraceFormat};
use iobound_units::Op;
use recognised::{Read, read_as};

fn read(text: &str) -> Read {
    read_as(text, None).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Operation, offset and length of each record.
fn ios(read: &Read) -> Vec<(Op, u64, u64)> {
    read.records.iter().map(|record| (record.op, record.offset, record.length)).collect()
}

/// Times from the first record, in µs.
fn times(read: &Read) -> Vec<u64> {
    read.records.iter().map(|record| (record.at_ns - read.records[0].at_ns) / 1_000).collect()
}

#[test]
fn vscsi_stats_prints_titles_and_words() {
    for title in ["#", ""] {
        let trace = read(&format!(
            "{title}Vscsi Cmd Trace. (Trace Format Version 1)\n\
             {title}Serial Number,IO Data Length,Num SG Entries,Command Type,LBN,Time Stamp (microseconds)\n\
             2147483692,4096,1,write,24048792,2756778716647\n2147483769,4096,1,read,6322464,2756783857269\n\
             2147483658,4608,2,write,23749656,2756797029103\n2147483659,0,0,sync_cache,0,2756797029203\n\
             2147483660,36,1,inquiry,0,2756797029303\n"
        ));
        assert_eq!(trace.format, TraceFormat::Vscsi);
        assert_eq!(
            ios(&trace),
            [
                (Op::Write, 24_048_792 * 512, 4_096),
                (Op::Read, 6_322_464 * 512, 4_096),
                (Op::Write, 23_749_656 * 512, 4_608),
                (Op::Flush, 0, 0)
            ]
        );
        assert_eq!(times(&trace), [0, 5_140_622, 18_312_456, 18_312_556]);
        assert_eq!((trace.facts.malformed.count, trace.facts.passed, trace.facts.other_ops), (0, 2, 1));
    }
}

#[test]
fn xperf_prints_a_summary_and_details_in_one_file() {
    let trace = read(
        "Count,     Size,     SrvT,  R-Count,   R-Size,   R-SrvT,  W-Count,   W-Size,   W-SrvT,   IOTime, Filename\n   \
         3,        0,    95410,        0,        0,        0,        0,        0,        0,    95410, \"Unknown\"\n \
         805, 52690944,   175036,        0,        0,        0,      805, 52690944,   175036,   252839, C:\\kernel.etl\n\n\
         QD/I - Number of outstanding IOs at IO start time.\nQD/C - Number of outstanding IOs at IO Completion time.\n\n   \
         IO Type, Start Time,   End Time,    IO Time,  Disk SrvT,    IO Size,  Byte Offset,  Pri, QD/I, QD/C, IBCB, IBCA, IACB,     Process Name ( PID), Disk, Filename\n \
         DiskWrite,  368013044,  368013253,        209,        209, 0x00010000, 0x00b9523000,    3,    0,    0,    0,    0,    0,           System (   4),    0, C:\\kernel.etl\n  \
         DiskRead,  368013304,  368013686,        382,        382, 0x00001000, 0x00b9533000,    3,    0,    0,    0,    0,    0,     sqlservr.exe (1234),    1, D:\\data, old.mdf\n \
         DiskFlush,  368013728,  368013905,        177,        177, 0x00000000, 0x0000000000,    3,    0,    0,    0,    0,    0,           System (   4),    0, \"Unknown\"\n\n\
         Count,     Size,     SrvT,  R-Count,   R-Size,   R-SrvT,  W-Count,   W-Size,   W-SrvT,   IOTime, Filename\n   \
         3,        0,    95410,        0,        0,        0,        0,        0,        0,    95410, \"Unknown\"\n",
    );
    assert_eq!(trace.format, TraceFormat::Xperf);
    assert_eq!(
        ios(&trace),
        [(Op::Write, 0xb952_3000, 0x1_0000), (Op::Read, 0xb953_3000, 0x1000), (Op::Flush, 0, 0)]
    );
    assert_eq!(times(&trace), [0, 260, 684]);
    assert_eq!(trace.records[1].latency(), Some(382_000));
    assert_eq!(
        (trace.devices.as_slice(), trace.facts.malformed.count),
        (["0".into(), "1".into()].as_slice(), 0)
    );
}

#[test]
fn the_dumper_prints_reads_writes_flushes_and_their_beginnings() {
    let trace = read(
        "BeginHeader\n              DiskRead,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri,  VolSnap,         FileObject, FileName\n             \
         DiskWrite,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,   ByteOffset,     IOSize, ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri,  VolSnap,         FileObject, FileName\n          \
         DiskReadInit,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr\n             \
         DiskFlush,  TimeStamp,     Process Name ( PID),   ThreadID,             IrpPtr,                           ElapsedTime,  DiskNum, IrpFlags, DiskSvcTime, I/O Pri\nEndHeader\n\
         OS Version: 5.2.3790, Trace Size: 1024KB\n              \
         DiskReadInit,  2664772,              p1 ( 980),       6852, 0xfffffade6b0a2010\n               \
         DiskRead,  2664955,               p1 ( 980),       6852, 0xfffffade6b0a2010, 0x6c80556e00, 0x00010000,         183,        3, 0x000043,         183,       0,  Unknown, 0xfffffade72165e40, \"Disk5:\\s71\"\n              \
         DiskWrite,  2665155,               p1 ( 980),       6852, 0xfffffade6b0a2010, 0x1000, 0x00001000,         100,        3, 0x000043,         100,       0,  Unknown, 0xfffffade72165e40, \"Disk5:\\s72\"\n              \
         DiskFlush,  2665300,               p1 ( 980),       6852, 0xfffffade6b0a2010,         50,        2, 0x000043,         50,       0\n",
    );
    assert_eq!(trace.format, TraceFormat::Xperf);
    assert_eq!(
        ios(&trace),
        [(Op::Read, 0x6c_8055_6e00, 0x1_0000), (Op::Write, 0x1000, 0x1000), (Op::Flush, 0, 0)]
    );
    assert_eq!(times(&trace), [0, 283, 478]);
    assert_eq!(trace.records[2].latency(), Some(50_000));
    assert_eq!(
        (trace.devices.as_slice(), trace.facts.malformed.count),
        (["3".into(), "2".into()].as_slice(), 0)
    );
}

#[test]
fn biosnoop_has_columns_that_depend_on_its_options() {
    // bcc with -Q, with -P, and libbpf's with flags of several letters.
    for (header, first, second) in [
        (
            "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  QUE(ms) LAT(ms)",
            "0.000000    jbd2/sda1-8    330     sda       W 2187768    65536    0.12    0.53",
            "0.000544    kworker/3:1H   206     sda       R 2187896    4096    -1.00    0.38",
        ),
        (
            "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  P LAT(ms)",
            "0.000000    jbd2/sda1-8    330     sda       W 2187768    65536  R    0.53",
            "0.000544    kworker/3:1H   206     sda       R 2187896    4096   S    0.38",
        ),
        (
            "TIME(s)     COMM           PID     DISK    T    SECTOR     SECTORS LAT(ms)",
            "0.000000    jbd2/sda1-8    330     sda     WS   2187768    128      0.530",
            "0.000544    my app         206     sda     RA   2187896    8        0.380",
        ),
        (
            "TIME     TIME(s)     COMM           PID     DISK      T SECTOR     BYTES   LAT(ms)",
            "13:05:07 0.000000    jbd2/sda1-8    330     sda       W 2187768    65536      0.53",
            "13:05:07 0.000544    kworker/3:1H   206     sda       R 2187896    4096       0.38",
        ),
        (
            "TIMESTAMP    COMM           PID     DISK    T    SECTOR     BYTES   LAT(ms)",
            "23:59:59.999 jbd2/sda1-8    330     sda     W    2187768    65536     0.530",
            "00:00:00.000 kworker/3:1H   206     sda     R    2187896    4096      0.380",
        ),
    ] {
        let trace =
            read(&format!("Tracing block device I/O... Hit Ctrl-C to end.\n{header}\n{first}\n{second}\n"));
        assert_eq!(trace.format, TraceFormat::Biosnoop, "{header}");
        assert_eq!(
            ios(&trace),
            [(Op::Write, 2_187_768 * 512, 65_536), (Op::Read, 2_187_896 * 512, 4_096)],
            "{header}"
        );
        assert_eq!(
            (trace.records[1].latency(), trace.devices.as_slice()),
            (Some(380_000), ["sda".to_string()].as_slice())
        );
        let wanted = if header.starts_with("TIMESTAMP") { 1_150 } else { 694 };
        assert_eq!(times(&trace)[1], wanted, "{header}");
    }
    let text = "TIME(ms)     DISK    COMM             PID    LAT(ms)\n611          nvme0n1 bash             4179      10\n";
    let error = read_as(text, None).err().expect("it has no sectors").to_string();
    assert!(error.contains("SECTOR"), "{error}");
}

#[test]
fn blkparse_prints_actions_that_are_no_ios() {
    let trace = read(
        "  8,0    3        1     0.000000000   697  A   W 223490 + 8 <- (8,1) 223427\n  \
         8,0    3        2     0.000000829   697  Q   W 223490 + 8 [kjournald]\n  \
         8,0    3        3     0.000005197   697  G   W 223490 + 8 [kjournald]\n  \
         8,0    3        4     0.000005563   697  P   N [kjournald]\n  \
         8,0    3        5     0.000009126   697  I   W 223490 + 8 (    3563) [kjournald]\n  \
         8,0    3        6     0.000010000   697  U   N [kjournald] 1\n  \
         8,0    3        7     0.000010500   697 UT   N [kjournald] 1\n  \
         8,0    3        8     0.000011000   697  D   W 223490 + 8 (    1874) [kjournald]\n  \
         8,0    1        9     0.000511000     0  C   W 223490 + 8 (  500000) [0]\n  \
         8,0    0       10     1.000000000   721  D   R 36 (12 00 00 00 24 00 ..) [hald]\n  \
         8,0    0       11     1.000100000     0  C   R (12 00 00 00 24 00 ..) [0]\n  \
         8,0    0       12     1.100000000   721  Q FWFSM 500 + 8 [jbd2]\n  \
         8,0    0       13     1.100500000     0  C FWFSM 500 + 8 [0]\n  \
         8,0    0       14     1.200000000     0  m   N some message\n  \
         8,0    0       15     1.300000000   721  Q  WS 600 [x]\n\
         CPU0 (sda):\n Reads Queued:           0,        0KiB\t Writes Queued:           2,        8KiB\n\
         Total (sda):\n Reads Queued:           0,        0KiB\t Writes Queued:           2,        8KiB\n\n\
         Throughput (R/W): 0KiB/s / 6KiB/s\nEvents (sda): 15 entries\nSkips: 0 forward (0 -   0.0%)\n",
    );
    assert_eq!(trace.format, TraceFormat::Blkparse);
    assert_eq!(
        ios(&trace),
        [(Op::Write, 223_490 * 512, 4_096), (Op::Write, 500 * 512, 4_096), (Op::Write, 600 * 512, 0)]
    );
    assert_eq!(trace.records[0].latency(), Some(510_171));
    assert_eq!((trace.facts.malformed.count, trace.facts.zero_length), (0, 1));
}

#[test]
fn blkparse_prints_times_before_its_first_event_without_their_sign() {
    // 2^64 ns are 18446744073.709551616 s, of which blkparse prints 32 bits of seconds: 1266874889.709551616.
    let trace = read(
        "1,0 15 1 0.000000000 9 C WS 299456 + 1 [0]\n1,0 15 2 0.000003084 9 C WS 20513 + 1 [0]\n\
         1,0 13 1 1266874889.670077392 9 C WS 284144 + 1 [0]\n1,0 13 2 1266874889.709550616 9 C WS 8 + 1 [0]\n",
    );
    let sectors: Vec<u64> = trace.records.iter().map(|record| record.offset / 512).collect();
    assert_eq!(
        (sectors, times(&trace)),
        (vec![284_144, 8, 299_456, 20_513], vec![0, 39_473, 39_474, 39_477])
    );
}

#[test]
fn csv_copies_have_headers_spaces_and_dates_of_their_own() {
    let msr = read(
        "Timestamp, Hostname, DiskNumber, Type, Offset, Size, ResponseTime\n128166372003061629, hm, 0, Write, 7014912, 4096, 26\n",
    );
    assert_eq!((msr.format, msr.devices.len()), (TraceFormat::Msr, 1));
    // Copies that begin at zero keep the unit.
    let from_zero: String =
        (0..2_000u64).map(|n| format!("{},hm,0,Read,{},4096,900\n", n * 20_000, n * 4_096)).collect();
    assert_eq!(times(&read(&from_zero))[1_999], 1_999 * 2_000);
    let alibaba = read(
        "\u{feff}device_id,opcode,offset,length,timestamp\r\n0,W,126703644672,4096,1577808000000626\r\n",
    );
    assert_eq!(
        (alibaba.format, ios(&alibaba)),
        (TraceFormat::Alibaba, vec![(Op::Write, 126_703_644_672, 4_096)])
    );
    let tencent = read("1538323199,91493864,8,0,1283\n1538323199,82592224,64,1,1360\n");
    assert_eq!((tencent.format, tencent.devices.len()), (TraceFormat::Tencent, 2));
}

#[test]
fn joined_logs_of_fio_have_a_version_line_each() {
    let one = "fio version 3 iolog\n0 a add\n0 a open\n1000 a read 0 4096\n1500 a close\n";
    let trace = read(&format!("\n{one}{one}"));
    assert_eq!((trace.records.len(), trace.facts.malformed.count), (2, 0));
}

#[test]
fn vscsi_copies_have_a_header_and_hexadecimal_commands() {
    // 2a is WRITE(10), 28 READ(10), 35 SYNCHRONIZE CACHE(10), 12 INQUIRY.
    let text = "version,time,op,size,lbn\n1,5633898,2a,512,42932745\n1,5633900,28,4096,8\n1,5633901,35,0,0\n1,5633902,12,96,0\n";
    let trace = read(text);
    assert_eq!(trace.format, TraceFormat::Vscsi);
    assert_eq!(
        ios(&trace),
        [(Op::Write, 42_932_745 * 512, 512), (Op::Read, 4_096, 4_096), (Op::Flush, 0, 0)]
    );
    assert_eq!((times(&trace), trace.facts.other_ops), (vec![0, 2, 3], 1));
    let seconds = read_as(text, Some(TimeUnit::Seconds)).unwrap();
    assert_eq!(times(&seconds), [0, 2_000_000, 3_000_000]);
    // The order is the header's.
    assert_eq!(ios(&read("lbn,size,op,time\n8,4096,28,5\n")), [(Op::Read, 4_096, 4_096)]);
    // Sixteen I/Os a second are 16 million a second if their seconds are read as microseconds.
    let mut published = "version,time,op,size,lbn\n".to_string();
    (0..20_000).for_each(|n| published += &format!("1,{},28,512,{n}\n", 5_633_898 + n / 16));
    let error = read_as(&published, None).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("ambiguous") && error.contains("million a second"), "{error}");
    assert!(read_as(&published, Some(TimeUnit::Seconds)).is_ok());
}

#[test]
fn a_unit_is_refused_where_the_form_has_seconds() {
    let text = "R 0.5 8 8\nW 0.75 16 8\n";
    assert_eq!(times(&read(text)), [0, 250_000]);
    let error = read_as(text, Some(TimeUnit::Milliseconds)).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("leave --time-unit out"), "{error}");
}

#[test]
fn a_header_that_names_another_order_is_refused() {
    for text in [
        // Length and offset, and type and volume, have changed places.
        "device_id,opcode,length,offset,timestamp\n3,R,4096,8192,1577808144360767\n",
        "Timestamp,Offset,Size,VolumeID,IOType\n1538323200,8,8,1,0\n",
        "Timestamp,Hostname,DiskNumber,Type,Size,Offset,ResponseTime\n128166372003061629,hm,0,Read,4096,8192,5\n",
    ] {
        let error = read_as(text, None).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("columns in another order") && error.contains("line 1"), "{error}");
    }
    // Names in the right places, and names that nobody knows, are passed over.
    for header in ["device_id,opcode,offset,length,timestamp", "volume,op,offset,size,ts", "aa,bb,cc,dd,ee"] {
        let trace = read(&format!("{header}\n3,R,4096,8192,1577808144360767\n"));
        assert_eq!(ios(&trace), [(Op::Read, 4_096, 8_192)], "{header}");
    }
}

#[test]
fn other_separators_and_unknown_orders_are_named() {
    for (text, says) in [
        ("3;R;8192;4096;1577808144360767\n", "separated by semicolons"),
        (
            "device_id\topcode\toffset\tlength\ttimestamp\n3\tR\t8192\t4096\t1577808144360767\n",
            "separated by tabs",
        ),
        ("128166372003061629|hm|1|Read|383496192|32768|413\n", "separated by vertical bars"),
        (
            "timestamp,device_id,opcode,offset,length\n1577808144360767,3,R,8192,4096\n",
            "order that no format has",
        ),
    ] {
        let error = read_as(text, None).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains(says), "{text:?}: {error}");
    }
    // Other text has bars, too, and a header in a format's own order is not in another one.
    for text in [
        "| name | reads |\n| --- | --- |\n| a | 1 |\n|1|2|3|40|5|6|\n",
        "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n128166372003061629,hm,1,R,0,512,4\n",
    ] {
        let error = read_as(text, None).map(|_| ()).unwrap_err().to_string();
        assert!(error.contains("format of the trace is unknown"), "{text:?}: {error}");
    }
}

/// A trace of each text format with times in this unit, 20,000 I/Os a second.
fn at_rate(format: TraceFormat, unit: TimeUnit, count: u64) -> String {
    let mut text = String::from(if format == TraceFormat::FioV3 {
        "fio version 3 iolog\n0 f add\n0 f open\n"
    } else {
        ""
    });
    let date = match format {
        TraceFormat::Alibaba | TraceFormat::Tencent => 1_577_808_000,
        TraceFormat::Vscsi => 2_756_778,
        _ => 0,
    };
    for n in 0..count {
        let ns = u128::from(date * 1_000_000_000 + n * 50_000 + n * n % 7 * 1_000);
        let at = ns / u128::from(unit.ns());
        text.push_str(&match format {
            TraceFormat::FioV3 => format!("{at} f read {} 4096\n", n * 4_096),
            TraceFormat::Alibaba => format!("1,R,{},4096,{at}\n", n * 4_096),
            TraceFormat::Tencent => format!("{at},{},8,0,1\n", n * 8),
            TraceFormat::Vscsi => format!("{n},4096,1,40,{},{at}\n", n * 8),
            TraceFormat::Xperf if n == 0 => {
                "IO Type, Start Time, End Time, IO Size, Byte Offset\n".to_string()
            }
            _ => format!("Read, {at}, {}, 4096, {}\n", at + 5, n * 4_096),
        });
    }
    text
}

#[test]
fn every_other_unit_is_refused_until_it_is_given() {
    use TimeUnit::{Microseconds, Milliseconds, Nanoseconds, Seconds};
    for (format, right, wrong) in [
        (TraceFormat::FioV3, Microseconds, vec![Nanoseconds]),
        (TraceFormat::Alibaba, Microseconds, vec![Nanoseconds, Milliseconds, Seconds]),
        (TraceFormat::Tencent, Seconds, vec![Nanoseconds, Microseconds, Milliseconds]),
        (TraceFormat::Vscsi, Microseconds, vec![Nanoseconds]),
    ] {
        assert_eq!(read(&at_rate(format, right, 2_000)).records.len(), 2_000, "{}", format.name());
        for unit in wrong {
            for count in [200, 2_000] {
                let text = at_rate(format, unit, count);
                let error = read_as(&text, None).err();
                let error =
                    error.unwrap_or_else(|| panic!("{} in {}", format.name(), unit.name())).to_string();
                assert!(error.contains("ambiguous") && error.contains("--time-unit"), "{error}");
                let given = read_as(&text, Some(unit)).unwrap_or_else(|error| panic!("{error}"));
                let wanted = if unit == Seconds { 0 } else { (count - 1) * 50 };
                assert!(times(&given)[count as usize - 1].abs_diff(wanted) <= 1_007, "{}", format.name());
            }
        }
    }
}

#[test]
fn csv_fields_may_stand_in_quotation_marks() {
    let plain = [
        "128166372003061629,hm,1,Read,383496192,32768,413\n128166372016382155,usr,0,Write,1024,512,7\n",
        "419,W,8792731648,16384,1577808144360767\n725,R,59110326272,360448,1577808144360813\n",
        "1538323200,12910952,128,0,1063\n1538323201,6338688,8,1,1627\n",
        "2147483692,4096,1,write,24048792,2756778716647\n2147483769,4096,1,read,6322464,2756783857269\n",
        "IO Type, Start Time, IO Time, IO Size, Byte Offset, Disk\nRead, 1000, 450, 0x2000, 0x1000, 0\nWrite, 2000, 9, 4096, 8192, 1\n",
    ];
    for text in plain {
        let quoted: String = text
            .lines()
            .map(|line| {
                line.split(',').map(|field| format!("\"{}\"", field.trim())).collect::<Vec<_>>().join(", ")
                    + "\r\n"
            })
            .collect();
        let (plain, quoted) = (read(text), read(&quoted));
        assert_eq!(
            (plain.format, &plain.records, &plain.devices),
            (quoted.format, &quoted.records, &quoted.devices),
            "{text}"
        );
        assert_eq!((quoted.records.len(), quoted.facts.malformed.count), (2, 0), "{text}");
    }
    // A comma in quotation marks ends no field.
    let xperf = read(
        "IO Type, Start Time, Process Name ( PID), IO Size, Byte Offset\nRead, 1000, \"a, b.exe (12)\", 4096, 8192\n",
    );
    assert_eq!(ios(&xperf), [(Op::Read, 8_192, 4_096)]);
}

#[test]
fn a_device_of_msr_has_one_name_with_and_without_spaces() {
    let trace = read(
        "128166372003061629,hm,1,Read,0,512,413\n128166372003061639, hm , 1 ,Read,512,512,413\n\
         128166372003061649,\"hm\",\"1\",Read,1024,512,413\n",
    );
    assert_eq!((trace.records.len(), trace.devices.as_slice()), (3, ["hm,1".to_string()].as_slice()));
}

#[test]
fn times_of_csv_may_have_decimals() {
    let tencent =
        read("1538323200.000000,8,8,0,1063\n1538323200.250001,8,8,1,1063\n1538323201.5,8,8,1,1063\n");
    assert_eq!((tencent.format, times(&tencent)), (TraceFormat::Tencent, vec![0, 250_001, 1_500_000]));
    assert!(tencent.facts.notes.is_empty(), "{:?}", tencent.facts.notes);
    let alibaba = read("1,R,0,4096,1577808144360767.25\n1,R,0,4096,1577808144360768.75\n");
    assert_eq!(alibaba.records[1].at_ns - alibaba.records[0].at_ns, 1_500);
    let msr = read("128166372003061629.5,hm,1,Read,0,512,413\n128166372003061630,hm,1,Read,0,512,413\n");
    assert_eq!(msr.records[1].at_ns - msr.records[0].at_ns, 50);
    // A copy in seconds is still in another unit than Alibaba's.
    let seconds = "1,R,0,4096,1577808144.360767\n1,R,0,4096,1577808144.360813\n";
    let error = read_as(seconds, None).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("is a date in s"), "{error}");
    assert_eq!(times(&read_as(seconds, Some(TimeUnit::Seconds)).unwrap()), [0, 46]);
}

#[test]
fn xperf_may_have_any_number_of_lines_before_the_disk_events() {
    let event = "    DiskRead, 1450, a.exe (12), 4, 0xffff, 0x1000, 0x2000, 450, 0, 0x1\n";
    let header = "DiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, IrpFlags\n";
    let others: String =
        (0..2_000).map(|n| format!("Event{n}, TimeStamp, Process Name ( PID), ThreadID, More\n")).collect();
    let dumper = read(&format!("BeginHeader\n{others}{header}EndHeader\n{event}"));
    assert_eq!((dumper.format, ios(&dumper)), (TraceFormat::Xperf, vec![(Op::Read, 4_096, 8_192)]));
    let files: String =
        (0..2_000).map(|n| format!("  1, 4096, 10, 0, 0, 0, 1, 4096, 10, 10, C:\\file{n}, old\n")).collect();
    let detail = read(&format!(
        "Count,     Size,     SrvT,  R-Count,   R-Size,   R-SrvT,  W-Count,   W-Size,   W-SrvT,   IOTime, Filename\n{files}\n\
         IO Type, Start Time, End Time, IO Time, IO Size, Byte Offset\nWrite, 1000, 1450, 450, 0x2000, 0x1000\n"
    ));
    assert_eq!((detail.format, ios(&detail)), (TraceFormat::Xperf, vec![(Op::Write, 4_096, 8_192)]));
    assert_eq!(detail.facts.malformed.count, 0);
}

#[test]
fn a_file_without_ios_is_refused_with_what_it_has() {
    for (text, says) in [
        ("", "the file is empty"),
        ("\n\r\n\n", "only empty lines"),
        ("Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n", "a header and no I/O"),
        ("device_id,opcode,offset,length,timestamp\r\n", "a header and no I/O"),
        ("notes\n", "the format of the trace is unknown"),
    ] {
        let error = read_as(text, None).err().expect("no I/O").to_string();
        assert!(error.contains(says) && error.contains("name a f"), "{text:?}: {error}");
    }
}

#[test]
fn a_first_time_beyond_all_centuries_is_of_another_unit() {
    let nanoseconds: String = (0..40u64)
        .map(|n| format!("0,R,{},4096,{}\n", n * 4_096, 1_577_808_144_360_767_000 + n * 700_000))
        .collect();
    let error = read_as(&nanoseconds, None).err().expect("an ambiguous unit").to_string();
    assert!(error.contains("ambiguous: read as us") && error.contains("--time-unit"), "{error}");
    // Behind an I/O, it is a malformed line.
    let torn = format!("0,R,0,4096,1577808144360767\n{}", nanoseconds.lines().next().unwrap());
    assert_eq!(read(&torn).facts.malformed.count, 1);
}
