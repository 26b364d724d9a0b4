//! fio's lines as read, and the jobs that are expected of them.

use iobound_formats::fio::{self, NoContext};
use iobound_formats::{Foreign, FormatError};
use iobound_units::{Bytes, GIB, Op, Rate, Span};
use iobound_workload::{Access, Job, Region, Share, Spread, Targets};

pub(crate) fn parse(line: &str) -> Result<Foreign, FormatError> {
    fio::parse_line(line, &NoContext)
}

pub(crate) fn read(line: &str) -> Foreign {
    parse(line).unwrap_or_else(|error| panic!("{line}\n{error}"))
}

/// The one job of `--name=a --filename=x --size=1g` and these options.
pub(crate) fn job(options: &str) -> Job {
    let mut foreign = read(&format!("fio --name=a --filename=x --size=1g --direct=1 {options}"));
    assert_eq!(foreign.workload.jobs.len(), 1);
    foreign.workload.jobs.remove(0)
}

pub(crate) fn named(names: &[&str]) -> Targets {
    Targets::Named(names.iter().map(|name| name.to_string()).collect())
}

pub(crate) fn sized(bytes: u64) -> Region {
    Region { offset: Bytes::ZERO, size: Some(Bytes(bytes)) }
}

/// What a job of fio's is by default: 4 KiB sequential reads, one at a time, until 1 GiB is done.
pub(crate) fn bare() -> Job {
    Job {
        targets: named(&["x"]),
        spread: Spread::Dealt,
        mix: vec![Share { weight: 1, op: Op::Read, block: 4096, random: None, align: None }],
        access: Access::sequential(),
        region: sized(GIB),
        stop_after: Some(Bytes(GIB)),
        ..Job::new("a")
    }
}

pub(crate) fn one(op: Op, block: u32) -> Vec<Share> {
    vec![Share { weight: 1, op, block, random: None, align: None }]
}

pub(crate) fn every_block_once() -> Access {
    Access { once_each: true, ..Access::random() }
}

pub(crate) fn ios(count: u64, seconds: u64) -> Rate {
    Rate::Ios { count, per: Span::from_secs(seconds) }
}
