//! Values of which fio makes something else than they look like, as fio 3.33 itself showed with `--debug=parse` and on
//! its null engine.

#[allow(dead_code, reason = "each test file uses a part of it")]
mod common;

use common::{assert_refused, says};
use iobound_formats::fio::{self, NoContext};
use iobound_formats::{Foreign, FormatError};
use iobound_units::{Op, Rate, Span};
use iobound_workload::{Job, Load};

fn parse(line: &str) -> Result<Foreign, FormatError> {
    fio::parse_line(line, &NoContext)
}

fn read(line: &str) -> Foreign {
    parse(line).unwrap_or_else(|error| panic!("{line}\n{error}"))
}

fn job(options: &str) -> Job {
    let mut foreign = read(&format!("fio --name=a --size=1g --direct=1 {options}"));
    assert_eq!(foreign.workload.jobs.len(), 1);
    foreign.workload.jobs.remove(0)
}

#[test]
fn what_fio_reads_as_another_number_is_refused_with_what_is_meant() {
    let table: Vec<(&str, &str, &[&str])> = vec![
        // fio 3.33 reads all I/Os and makes all of them random: 2^32 - 1 - 70 and 2^32 - 1 - 50 are above 100.
        (
            "--name=a --size=1g --rw=randrw --rwmixread=70%",
            "--rwmixread=70%",
            &["as 4294967225", "write rwmixread=70"],
        ),
        (
            "--name=a --size=1g --rw=randread --percentage_random=50%",
            "--percentage_random=50%",
            &["as 4294967245", "without a sign"],
        ),
        // out=2, microseconds, with --debug=parse.
        ("--name=a --size=1g --runtime=2min", "--runtime=2min", &["as 2 us", "write 2m"]),
        ("--name=a --size=1g --thinktime=1sec", "--thinktime=1sec", &["as 1 us", "write 1s"]),
        ("--name=a --size=1g --rate_iops=-5", "--rate_iops=-5", &["is not a number"]),
    ];
    assert_refused(parse, &table);
}

#[test]
fn numbers_for_each_direction_part_at_commas_colons_and_dashes() {
    // Oracle: fio 3.33 on its null engine, bytes of the I/Os of rw=rw and rw=trim.
    for (text, read, write, trim) in [
        ("16k", 16, 16, 16),
        ("16k,8k", 16, 8, 8),
        ("16k,8k,", 16, 8, 4),
        ("16k,", 16, 4, 4),
        ("16k,,8k", 16, 4, 8),
        (",8k", 4, 8, 8),
        (",,8k", 4, 4, 8),
        ("16k:8k:4k", 16, 8, 4),
        ("16k-8k", 16, 8, 8),
    ] {
        let block = |rw: &str, op: Op| {
            let job = job(&format!("--rw={rw} --bs={text}"));
            job.mix.iter().find(|share| share.op == op).unwrap().block
        };
        let blocks = (block("rw", Op::Read), block("rw", Op::Write), block("trim", Op::Discard));
        assert_eq!(blocks, (read * 1024, write * 1024, trim * 1024), "{text}");
    }
    // 100 reads or 50 writes a second.
    for text in ["100,50", "100:50", "100-50"] {
        for (rw, limit) in [("read", 100), ("write", 50)] {
            let load = job(&format!("--rw={rw} --rate_iops={text}")).load;
            assert_eq!(
                load,
                Load::Closed { depth: 1, cap: Some(Rate::Ios { count: limit, per: Span::from_secs(1) }) },
                "{rw} {text}"
            );
        }
    }
    let foreign = read("--name=a --size=1g --rw=rw --bs=4k-8k");
    assert!(says(&foreign, "bs", "bsrange"), "{:?}", foreign.notes);
}

#[test]
fn what_a_split_leaves_over_goes_to_its_last_block() {
    // Oracle: fio 3.33 on its null engine: 10.1 % of 16k, 19.9 % of 4k, 70.0 % of 8k.
    let options = "--name=a --size=1g --rw=read --bssplit=16k/10:4k/20:8k/30";
    let foreign = read(options);
    let mix: Vec<(u32, u32)> =
        foreign.workload.jobs[0].mix.iter().map(|share| (share.block >> 10, share.weight)).collect();
    let of = |block: u32| mix.iter().find(|(have, _)| *have == block).unwrap().1;
    assert_eq!((of(4), of(8)), (2 * of(16), 7 * of(16)), "{mix:?}");
    assert!(says(&foreign, "bssplit", "less than 100"), "{:?}", foreign.notes);
    let whole = read("--name=a --size=1g --rw=read --bssplit=4k/50:64k");
    assert!(!says(&whole, "bssplit", "less than 100"), "{:?}", whole.notes);
}
