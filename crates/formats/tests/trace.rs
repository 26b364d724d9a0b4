//! Traces of other tools: samples made by hand from each tool's documentation, and damaged ones.

use std::io::Cursor;

use iobound_formats::trace::{
    BlktraceReader, TimeUnit, TraceFormat, TraceOutput, TraceWriter, read_trace, recognise,
};
use iobound_trace::{Record, Source, TraceError, TraceFacts};
use iobound_units::Op;

struct Whole {
    records: Vec<Record>,
    devices: Vec<String>,
    facts: TraceFacts,
    format: TraceFormat,
}

fn rest(source: &mut dyn Source) -> Result<Vec<Record>, TraceError> {
    let mut records = Vec::new();
    loop {
        let before = records.len();
        source.read(&mut records)?;
        if records.len() == before {
            return Ok(records);
        }
    }
}

fn whole_as(bytes: &[u8], unit: Option<TimeUnit>) -> Result<Whole, TraceError> {
    let format = recognise(bytes)?;
    let mut source = read_trace(format, Box::new(Cursor::new(bytes.to_vec())), unit)?;
    let records = rest(&mut source)?;
    Ok(Whole { records, devices: source.devices().to_vec(), facts: source.facts(), format })
}

fn whole(text: &str) -> Whole {
    whole_as(text.as_bytes(), None).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// Operation, offset and length of each record.
fn ios(whole: &Whole) -> Vec<(Op, u64, u64)> {
    whole.records.iter().map(|record| (record.op, record.offset, record.length)).collect()
}

/// Times from the first record, in ns.
fn times(whole: &Whole) -> Vec<u64> {
    whole.records.iter().map(|record| record.at_ns - whole.records[0].at_ns).collect()
}

#[test]
fn fio_version_3_has_microseconds() {
    let trace = whole(
        "fio version 3 iolog\n2 /dev/sdb add\n5 /dev/sdb open\n10 /dev/sdb read 0 4096\n1010 /dev/sdb write 8192 16384\n\
         1020 /dev/sdb sync 0 0\n1030 /dev/sdb datasync 0 0\n1040 /dev/sdb trim 4096 4096\n1050 /dev/sdb close\n",
    );
    assert_eq!(trace.format, TraceFormat::FioV3);
    assert_eq!(
        ios(&trace),
        [
            (Op::Read, 0, 4096),
            (Op::Write, 8192, 16384),
            (Op::Flush, 0, 0),
            (Op::Flush, 0, 0),
            (Op::Discard, 4096, 4096)
        ]
    );
    assert_eq!(times(&trace)[1], 1_000_000);
    assert_eq!((trace.devices, trace.facts.passed), (vec!["/dev/sdb".to_string()], 4));
}

#[test]
fn fio_version_2_waits_in_milliseconds_since_the_start() {
    let trace = whole(
        "fio version 2 iolog\n/data/my file add\n/data/my file open\n/data/my file read 0 4096\n/data/my file wait 250 0\n\
         /data/my file write 4096 512\n/data/my file close\n",
    );
    assert_eq!(trace.format, TraceFormat::FioV2);
    assert_eq!(ios(&trace), [(Op::Read, 0, 4096), (Op::Write, 4096, 512)]);
    assert_eq!(times(&trace), [0, 250_000_000]);
    assert_eq!(trace.devices, ["/data/my file"]);
    assert!(trace.facts.notes[0].contains("1 waits"), "{:?}", trace.facts.notes);
}

#[test]
fn fio_version_2_waits_in_microseconds_since_the_last_wait_if_the_user_says_so() {
    let text = "fio version 2 iolog\nf add\nf open\nf read 0 4096\nf wait 1500 0\nf read 0 4096\nf wait 500 0\nf read 0 4096\n";
    let of_fio = whole(text);
    assert_eq!(times(&of_fio), [0, 1_500_000_000, 1_500_000_000]);
    assert!(
        of_fio.facts.notes[1].starts_with("waits that end no later than an earlier one: 1,"),
        "{:?}",
        of_fio.facts.notes
    );
    let documented = whole_as(text.as_bytes(), Some(TimeUnit::Microseconds)).unwrap();
    assert_eq!(times(&documented), [0, 1_500_000, 2_000_000]);
    assert_eq!(documented.facts.notes.len(), 1);
    let error = whole_as(text.as_bytes(), Some(TimeUnit::Seconds)).err().unwrap().to_string();
    assert!(error.contains("ms") && error.contains("us"), "{error}");
    assert!(
        whole_as(text.replace("500", "99999999999999").as_bytes(), None).unwrap().facts.malformed.count > 0
    );
}

#[test]
fn msr_has_filetimes_and_response_times_of_100_ns() {
    let trace = whole(
        "128166372003061629,hm,1,Read,383496192,32768,413\n128166372016382155,hm,1,Write,2822144,4096,2326\n\
         128166372026382245,usr,0,write,1024,512,7\n",
    );
    assert_eq!(trace.format, TraceFormat::Msr);
    assert_eq!(
        ios(&trace),
        [(Op::Read, 383_496_192, 32_768), (Op::Write, 2_822_144, 4_096), (Op::Write, 1_024, 512)]
    );
    assert_eq!(times(&trace)[1], 1_332_052_600);
    // 22 February 2007, 17:00:00.306 UTC, in ns since 1970 as in every other format with dates.
    assert_eq!(trace.records[0].at_ns, 1_172_163_600_306_162_900);
    let decimals = whole("128166372003061629.5,hm,1,Read,0,512,4\n");
    assert_eq!(decimals.records[0].at_ns, 1_172_163_600_306_162_950);
    // In another unit there is no FILETIME.
    let millis = whole_as(b"128166372003,hm,1,Read,0,512,4\n", Some(TimeUnit::Milliseconds)).unwrap();
    assert_eq!(millis.records[0].at_ns, 128_166_372_003_000_000);
    let since_start = whole("20000,hm,1,Read,0,512,4\n");
    assert_eq!(since_start.records[0].at_ns, 2_000_000);
    assert_eq!(trace.records[0].latency(), Some(41_300));
    assert_eq!(trace.devices, ["hm,1", "usr,0"]);
    let header = whole(
        "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime\n128166372003061629,hm,1,Read,0,512,4\n",
    );
    assert_eq!((header.records.len(), header.facts.passed), (1, 1));
}

#[test]
fn alibaba_has_bytes_and_microseconds() {
    let trace = whole("419,W,8792731648,16384,1577808144360767\n725,R,59110326272,360448,1577808144360813\n");
    assert_eq!(trace.format, TraceFormat::Alibaba);
    assert_eq!(ios(&trace), [(Op::Write, 8_792_731_648, 16_384), (Op::Read, 59_110_326_272, 360_448)]);
    assert_eq!(times(&trace), [0, 46_000]);
    let header = whole("device_id,opcode,offset,length,timestamp\n1,R,0,4096,1577808144360767\n");
    assert_eq!((header.format, header.records.len()), (TraceFormat::Alibaba, 1));
}

#[test]
fn comments_repeated_headers_further_columns_and_carriage_returns_are_passed_over() {
    let msr = whole(
        "# SNIA IOTTA 388\r\nTimestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime,Pool\r\n\
         128166372003061629,hm,1,Read,0,512,413,a\r\n\r\n\
         Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime,Pool\r\n\
         128166372016382155,hm,1,Write,4096,-512,2326,a\r\n128166372016382156,hm,1,Write,4096,0,2326,a\r\n",
    );
    assert_eq!(ios(&msr), [(Op::Read, 0, 512), (Op::Write, 4_096, 0)]);
    assert_eq!((msr.facts.passed, msr.facts.malformed.count, msr.facts.zero_length), (4, 1, 1));
    let without_response = whole("128166372003061629,hm,1,Read,0,512\n");
    assert_eq!(without_response.records[0].latency(), None);
    let alibaba =
        whole("# a\ndevice_id,opcode,offset,length,timestamp,zone\n1,R,0,4096,1577808144360767,7\n");
    assert_eq!((alibaba.format, alibaba.records.len(), alibaba.facts.passed), (TraceFormat::Alibaba, 1, 2));
    let tencent = whole("Timestamp,Offset,Size,IOType,VolumeID\r\n1538323200,8,8,0,1063\r\n");
    assert_eq!((tencent.format, ios(&tencent)), (TraceFormat::Tencent, vec![(Op::Read, 4_096, 4_096)]));
    let vscsi = whole("# vscsiStats\nserial,length,elements,command,block,time\n1,4096,1,0x28,8,100\n");
    assert_eq!((vscsi.format, ios(&vscsi)), (TraceFormat::Vscsi, vec![(Op::Read, 4_096, 4_096)]));
}

#[test]
fn tencent_has_seconds_and_sectors() {
    let trace = whole("1538323200,12910952,128,0,1063\n1538323201,6338688,8,1,1627\n");
    assert_eq!(trace.format, TraceFormat::Tencent);
    assert_eq!(ios(&trace), [(Op::Read, 12_910_952 * 512, 128 * 512), (Op::Write, 6_338_688 * 512, 8 * 512)]);
    assert_eq!(times(&trace), [0, 1_000_000_000]);
    assert_eq!(trace.devices, ["1063", "1627"]);
}

#[test]
fn blkparse_counts_queued_ios_and_matches_merges_splits_and_flushes() {
    let trace = whole(
        "  8,0    3        1     0.000000000   697  Q   W 1000 + 8 [kjournald]\n\
         \x20 8,0    3        2     0.000001000   697  G   W 1000 + 8 [kjournald]\n\
         \x20 8,0    3        3     0.000002000   697  Q   W 1008 + 8 [kjournald]\n\
         \x20 8,0    3        4     0.000003000   697  M   W 1008 + 8 [kjournald]\n\
         \x20 8,0    3        5     0.000004000   697  D   W 1000 + 16 [kjournald]\n\
         \x20 8,0    1        6     0.000500000     0  C   W 1000 + 16 [0]\n\
         \x20 8,0    1        7     0.001000000   700  Q  RA 5000 + 256 [dd]\n\
         \x20 8,0    1        8     0.001001000   700  X  RA 5000 / 5128 [dd]\n\
         \x20 8,0    1        9     0.001100000     0  C  RA 5000 + 128 [0]\n\
         \x20 8,0    1       10     0.001200000     0  C  RA 5128 + 128 [0]\n\
         \x20 8,0    1       11     0.002000000   700  Q FWS [dd]\n\
         \x20 8,0    1       12     0.002300000     0  C FWS 0 [0]\n\
         \x20 8,0    1       13     0.003000000   700  Q  DS 4096 + 2048 [fstrim]\n\
         \x20 8,0    1       14     0.004000000   700  m   N cfq workload slice:100\n\
         CPU0 (8,0):\n Reads Queued:           1,      128KiB\t Writes Queued:           2,        8KiB\n\
         Throughput (R/W): 0KiB/s / 0KiB/s\nEvents (8,0): 14 entries\nSkips: 0 forward (0 -   0.0%)\n",
    );
    assert_eq!(trace.format, TraceFormat::Blkparse);
    assert_eq!(
        ios(&trace),
        [
            (Op::Write, 512_000, 4_096),
            (Op::Write, 516_096, 4_096),
            (Op::Read, 2_560_000, 131_072),
            (Op::Flush, 0, 0),
            (Op::Discard, 2_097_152, 1_048_576)
        ]
    );
    let latencies: Vec<Option<u64>> = trace.records.iter().map(Record::latency).collect();
    assert_eq!(latencies, [Some(500_000), Some(498_000), Some(200_000), Some(300_000), None]);
    assert_eq!((trace.facts.malformed.count, trace.devices), (0, vec!["8,0".to_string()]));
}

#[test]
fn blkparse_without_queued_ios_counts_those_issued_and_forgets_requeued_ones() {
    let trace = whole(
        "8,16 0 1 0.000000000 7 D R 0 + 8 [x]\n8,16 0 2 0.000010000 7 R R 0 + 8 [0]\n8,16 0 3 0.000020000 7 D R 0 + 8 [x]\n\
         8,16 0 4 0.000120000 7 C R 0 + 8 [0]\n",
    );
    assert_eq!(trace.records.len(), 1);
    assert_eq!(trace.records[0].latency(), Some(100_000));
}

/// An event of blktrace.
fn event(at_ns: u64, sector: u64, bytes: u32, action: u32, data: &[u8], is_big: bool) -> Vec<u8> {
    let mut event = Vec::new();
    let mut put = |value: u64, len: usize| {
        let (little, big) = (value.to_le_bytes(), value.to_be_bytes());
        event.extend_from_slice(if is_big { &big[8 - len..] } else { &little[..len] });
    };
    for (value, len) in [
        (0x6561_7407, 4),
        (1, 4),
        (at_ns, 8),
        (sector, 8),
        (u64::from(bytes), 4),
        (u64::from(action), 4),
        (77, 4),
        (8 << 20 | 16, 4),
        (0, 4),
        (0, 2),
        (data.len() as u64, 2),
    ] {
        put(value, len);
    }
    event.extend_from_slice(data);
    event
}

const READ: u32 = 1 << 16;
const WRITE: u32 = 1 << 17;
const QUEUE: u32 = 1 << 20 | 1;
const COMPLETE: u32 = 1 << 23 | 8;

#[test]
fn blktrace_files_of_several_processors_are_merged() {
    for is_big in [false, true] {
        let of = |at, sector, bytes, action, data: &[u8]| event(at, sector, bytes, action, data, is_big);
        let notify = of(0, 0, 0, 1 << 26 | 1, &[1, 2, 3, 4, 5, 6, 7, 8]);
        let first =
            [notify, of(1_000, 8, 4_096, READ | QUEUE, b"abc"), of(9_000, 16, 8_192, WRITE | COMPLETE, b"")];
        let second = [of(2_000, 16, 8_192, WRITE | QUEUE, b""), of(4_000, 8, 4_096, READ | COMPLETE, b"")];
        assert_eq!(recognise(&first[0]).unwrap(), TraceFormat::Blktrace);
        let files = [first.concat(), second.concat()]
            .map(|file| Box::new(Cursor::new(file)) as Box<dyn std::io::Read>);
        let mut reader = BlktraceReader::new(files.into());
        let records = rest(&mut reader).unwrap();
        let seen: Vec<_> = records.iter().map(|r| (r.at_ns, r.op, r.offset, r.length, r.latency())).collect();
        assert_eq!(
            seen,
            [(1_000, Op::Read, 4_096, 4_096, Some(3_000)), (2_000, Op::Write, 8_192, 8_192, Some(7_000))]
        );
        assert_eq!(reader.devices(), ["8,16"]);
    }
}

#[test]
fn vscsi_is_read_in_each_of_its_forms() {
    for text in [
        "0,4096,1,40,2000,1000000\n1,8192,2,42,4000,1000500\n2,0,0,53,0,1000600\n3,0,0,0,0,1000700\n",
        "0 4096 1 0x28 513 2000 1000000\n1 8192 2 0x2a 513 4000 1000500\n2 0 0 0x35 513 0 1000600\n3 0 0 0x0 513 0 1000700\n",
    ] {
        let trace = whole(text);
        assert_eq!(trace.format, TraceFormat::Vscsi);
        assert_eq!(
            ios(&trace),
            [(Op::Read, 1_024_000, 4_096), (Op::Write, 2_048_000, 8_192), (Op::Flush, 0, 0)]
        );
        assert_eq!(times(&trace), [0, 500_000, 600_000]);
        assert_eq!(trace.facts.other_ops, 1);
    }
    let letters = whole("R 0.5 2000 8\nW 0.75 4000 16\n");
    assert_eq!(ios(&letters), [(Op::Read, 1_024_000, 4_096), (Op::Write, 2_048_000, 8_192)]);
    assert_eq!(times(&letters), [0, 250_000_000]);
}

#[test]
fn xperf_is_read_by_its_header() {
    let detail = whole(
        "Disk I/O details\n\n IO Type, Start Time, End Time, IO Time, Disk Svc Time, IO Pri, Process Name ( PID), Disk, Byte Offset, IO Size, FileName\n\
         Read, 1000, 1450, 450, 400, Normal, sqlservr.exe (1234), 0, 0x1000, 0x2000, \"C:\\data, old.mdf\"\n\
         Write, 2000, 2100, 100, 90, Normal, sqlservr.exe (1234), 1, 8192, 4096, \"C:\\log.ldf\"\n",
    );
    assert_eq!(detail.format, TraceFormat::Xperf);
    assert_eq!(ios(&detail), [(Op::Read, 4_096, 8_192), (Op::Write, 8_192, 4_096)]);
    assert_eq!(times(&detail), [0, 1_000_000]);
    assert_eq!(detail.records[0].latency(), Some(450_000));
    let dumper = whole(
        "BeginHeader\nDiskRead, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, IrpFlags\n\
         DiskWrite, TimeStamp, Process Name ( PID), ThreadID, IrpPtr, ByteOffset, IOSize, ElapsedTime, DiskNum, IrpFlags\nEndHeader\n\
         DiskRead, 1450, a.exe (12), 4, 0xffff, 0x1000, 0x2000, 450, 0, 0x1\nDiskWrite, 2100, a.exe (12), 4, 0xffff, 0x2000, 0x1000, 100, 0, 0x1\n",
    );
    assert_eq!(ios(&dumper), ios(&detail));
    assert_eq!(times(&dumper), times(&detail));
}

#[test]
fn biosnoop_has_completion_times_and_names_with_spaces() {
    let trace = whole(
        "TIME(s)     COMM           PID     DISK      T SECTOR     BYTES  LAT(ms)\n\
         0.000000    kworker/u8:1   12      sda       W 1000       4096      0.50\n\
         0.000200    my app         13      sda       R 2000       8192      0.10\n\
         0.001000                   0       sda       F -1         0         0.30\n",
    );
    assert_eq!(trace.format, TraceFormat::Biosnoop);
    assert_eq!(ios(&trace), [(Op::Write, 512_000, 4_096), (Op::Read, 1_024_000, 8_192), (Op::Flush, 0, 0)]);
    // Issued at -0.5 ms, 0.1 ms and 0.7 ms.
    assert_eq!(times(&trace), [0, 600_000, 1_200_000]);
    assert_eq!(trace.records[1].latency(), Some(100_000));
}

#[test]
fn a_few_malformed_lines_are_counted_and_more_are_an_error() {
    let good = "1,R,0,4096,1577808144360767\n".repeat(50);
    let trace = whole(&format!("{good}1,R,0,40\n{good}"));
    assert_eq!((trace.records.len(), trace.facts.malformed.count), (100, 1));
    let (line, text, _) = trace.facts.malformed.first.unwrap();
    assert_eq!((line, text.as_str()), (51, "1,R,0,40"));
    let bad = "x,R,0,4096,1\n".repeat(11);
    let error = whole_as(format!("{good}{bad}").as_bytes(), None).err().unwrap();
    assert!(error.what.contains("line 51") && error.what.contains("11 of 61"), "{error}");
}

#[test]
fn what_is_no_trace_is_refused() {
    for (bytes, part) in [
        (b"".as_slice(), "empty"),
        (b"hello world\n", "unknown"),
        (b"fio version 4 iolog\n", "only versions 2 and 3"),
        (b"fio version 1 iolog\n", "only versions 2 and 3"),
        (b"\xfd7zXZ\0\0\x04", "its compression"),
        (b"BZh91AY&SY", "bzip2 -dc FILE"),
    ] {
        let error = recognise(bytes).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    }
}

#[test]
fn an_ambiguous_unit_is_refused_until_it_is_given() {
    // 10,000 I/Os a second, in nanoseconds.
    let mut text = String::from("fio version 3 iolog\n0 f add\n0 f open\n");
    for n in 0..2_000u64 {
        text.push_str(&format!("{} f read {} 4096\n", n * 100_000, n * 4_096));
    }
    let error = whole_as(text.as_bytes(), None).err().unwrap().to_string();
    assert!(error.contains("ambiguous") && error.contains("--time-unit"), "{error}");
    let given = whole_as(text.as_bytes(), Some(TimeUnit::Nanoseconds)).unwrap();
    assert_eq!(times(&given)[1_999], 199_900_000);
}

#[test]
fn what_is_written_is_read_back() {
    let source = whole(
        "128166372003061629,hm,1,Read,383496192,32768,413\n128166372016382155,hm,1,Write,2822144,4096,2326\n\
         128166372026382245,usr,0,write,1024,512,7\n",
    );
    for format in TraceOutput::ALL {
        let mut writer = TraceWriter::new(Vec::new(), format).unwrap();
        writer.write(&source.records, &source.devices).unwrap();
        let (bytes, left_out) = writer.finish().unwrap();
        let back = whole_as(&bytes, None).unwrap_or_else(|error| panic!("{}: {error}", format.word()));
        assert_eq!((ios(&back), left_out), (ios(&source), 0), "{}", format.word());
        let shift = if format == TraceOutput::Tencent { 1_000_000_000 } else { 1_000 };
        for (one, other) in times(&back).iter().zip(times(&source)) {
            assert!(one.abs_diff(other) < shift, "{}: {one} {other}", format.word());
        }
        if format == TraceOutput::Own || format == TraceOutput::Msr {
            assert_eq!(back.records[1].latency(), Some(232_600));
            assert_eq!(back.devices, source.devices);
        }
    }
}

/// Notes on a trace that is written in a format.
fn lost(source: &Whole, format: TraceOutput) -> Vec<String> {
    let mut writer = TraceWriter::new(Vec::new(), format).unwrap();
    writer.write(&source.records, &source.devices).unwrap();
    writer.notes(&source.devices)
}

#[test]
fn what_a_format_does_not_keep_is_a_note_with_a_count() {
    let without_latency = whole("725,W,8792731648,16384,1577808144360767\n419,R,100,4096,1577808144360813\n");
    let with_latency = whole("128166372003061629,hm,1,Read,383496192,32768,413\n");
    // Dates of Alibaba are microseconds since 1970, and the source's clock is not kept.
    for (format, begins) in [
        (TraceOutput::Own, "times begin at zero"),
        (TraceOutput::Fio, "times begin at zero"),
        (TraceOutput::Alibaba, "times begin on 1 January 2020"),
    ] {
        let notes = lost(&without_latency, format);
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with(begins) && notes[0].ends_with("(2 I/Os)"), "{notes:?}");
        assert!(notes[0].contains(format.name()), "{notes:?}");
    }
    let tencent = lost(&without_latency, TraceOutput::Tencent);
    // The first I/O is at the begin of a second.
    assert!(tencent[0].contains("whole seconds") && tencent[0].ends_with("(1 I/O)"), "{tencent:?}");
    assert!(tencent[1].contains("512 bytes") && tencent[1].ends_with("(1 I/O)"), "{tencent:?}");
    assert_eq!(tencent.len(), 3);
    let msr = lost(&without_latency, TraceOutput::Msr);
    assert!(msr[0].contains("written as 0") && msr[0].ends_with("(2 I/Os)"), "{msr:?}");
    assert!(msr[1].contains("725 is 725,0, 419 is 419,1"), "{msr:?}");
    assert_eq!(lost(&with_latency, TraceOutput::Msr).len(), 1, "the date alone");
    let fio = lost(&with_latency, TraceOutput::Fio);
    assert!(fio[0].contains("latencies are left out") && fio[0].ends_with("(1 I/O)"), "{fio:?}");
    assert!(lost(&with_latency, TraceOutput::Alibaba)[1].contains("hm,1 is 0"));
}

#[test]
fn a_trace_whose_times_begin_at_zero_is_not_moved() {
    let source =
        whole("fio version 3 iolog\n0 f add\n0 f open\n0 f read 0 4096\n9 f write 0 4096\n9 f close\n");
    for format in [TraceOutput::Own, TraceOutput::Fio] {
        assert_eq!(lost(&source, format), Vec::<String>::new(), "{}", format.word());
    }
}

#[test]
fn a_negative_latency_is_unknown_and_counted() {
    let msr = "128166372003061629,hm,1,Read,383496192,32768,-413\n128166372003061630,hm,1,Read,0,512,7\n";
    let xperf = "     Start Time,       End Time,  IO Type,  Offset,  IO Size, Disk Number\n 5000, 4000, Read, 4096, 512, 0\n \
                 6000, 6100, Read, 8192, 512, 0\n";
    for text in [msr, xperf] {
        let trace = whole(text);
        let known: Vec<bool> = trace.records.iter().map(|record| record.latency().is_some()).collect();
        assert_eq!(known, [false, true], "{text}");
        let notes = &trace.facts.notes;
        assert!(notes[0].contains("negative latencies") && notes[0].ends_with("(1 I/O)"), "{notes:?}");
    }
}

#[test]
fn a_coarse_clock_is_told_by_the_times_and_not_by_the_format() {
    let tencent: String = (0..40).map(|n| format!("{},{},8,0,7\n", 1_538_323_200 + n / 10, n * 8)).collect();
    let alibaba: String = (0..40)
        .map(|n| format!("7,R,{},4096,{}\n", n * 4_096, 1_577_808_144_000_000u64 + n / 10 * 10_000))
        .collect();
    for (text, step) in [(&tencent, "1 s"), (&alibaba, "10 ms")] {
        let notes = whole(text).facts.notes;
        assert!(notes[0].starts_with(&format!("all times are multiples of {step}")), "{notes:?}");
        assert!(notes[0].contains("issued together") && notes[0].contains("36 I/Os"), "{notes:?}");
    }
    // Copies of Tencent's traces have decimals.
    let fine: String =
        (0..40).map(|n| format!("{}.000{:03},{},8,0,7\n", 1_538_323_200, n / 2, n * 8)).collect();
    assert_eq!(whole(&fine).facts.notes, Vec::<String>::new());
}

#[test]
fn an_io_that_no_replay_can_issue_is_counted() {
    let trace = whole("7,R,0,4294967296,1577808144360767\n7,R,0,4096,1577808144360813\n");
    assert_eq!(trace.records.len(), 2);
    assert!(trace.facts.notes[0].contains("longer than 4 GiB: 1 I/O"), "{:?}", trace.facts.notes);
}

#[test]
fn numbers_of_devices_are_kept() {
    let source = whole("725,W,8792731648,16384,1577808144360767\n419,R,4096,4096,1577808144360813\n");
    for format in [TraceOutput::Alibaba, TraceOutput::Tencent] {
        let mut writer = TraceWriter::new(Vec::new(), format).unwrap();
        writer.write(&source.records, &source.devices).unwrap();
        let back = whole_as(&writer.finish().unwrap().0, None).unwrap();
        assert_eq!(back.devices, ["725", "419"]);
    }
}

#[test]
fn a_truncated_or_damaged_trace_of_our_own_is_an_error() {
    let source =
        whole("419,W,8792731648,16384,1577808144360767\n725,R,59110326272,360448,1577808144360813\n");
    let mut writer = TraceWriter::new(Vec::new(), TraceOutput::Own).unwrap();
    writer.write(&source.records, &source.devices).unwrap();
    let (bytes, _) = writer.finish().unwrap();
    for end in 8..bytes.len() {
        let error = whole_as(&bytes[..end], None).err();
        assert!(error.is_some(), "cut at {end}");
    }
    let mut damaged = bytes.clone();
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    assert!(whole_as(&damaged, None).err().unwrap().what.contains("damaged"));
}

#[test]
fn times_out_of_order_are_sorted() {
    let trace = whole("1,R,0,4096,1577808144360813\n1,R,4096,4096,1577808144360767\n");
    assert_eq!(ios(&trace), [(Op::Read, 4_096, 4_096), (Op::Read, 0, 4_096)]);
    assert_eq!(trace.facts.unsorted, 0);
}

#[test]
fn gigantic_numbers_are_malformed_and_zero_lengths_counted() {
    let good = "1538323200,1,8,0,7\n".repeat(3);
    let trace = whole(&format!("{good}1538323200,18446744073709551615,8,0,7\n1538323200,1,0,1,7\n"));
    assert_eq!((trace.records.len(), trace.facts.malformed.count, trace.facts.zero_length), (4, 1, 1));
}
