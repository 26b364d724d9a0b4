//! True if one job can run on its targets: everything that a generator takes for granted.

use iobound_units::{Bytes, Grouped, Op, Rate};

use crate::error::QueueError;
use crate::queue::Target;
use crate::zones::lay_zones;
use crate::{Access, CapOf, Distribution, Job, Load, ReadBack};

/// The unit of addressing that every device accepts.
const SECTOR: u64 = 512;

/// Checks the job by itself, then on each of its targets.
pub(crate) fn check_job<'a>(job: &Job, targets: impl Iterator<Item = &'a Target>) -> Result<(), QueueError> {
    check_load(job)?;
    check_mix(job)?;
    check_access(job)?;
    check_units(job)?;
    targets.into_iter().try_for_each(|target| check_target(job, target))
}

fn value(job: &Job, what: &'static str, value: impl ToString, help: impl Into<String>) -> QueueError {
    QueueError::Value { job: job.name.clone(), what, value: value.to_string(), help: help.into() }
}

fn conflict(job: &Job, one: &'static str, other: &'static str, help: &'static str) -> QueueError {
    QueueError::Conflict { job: job.name.clone(), one, other, help }
}

fn check_load(job: &Job) -> Result<(), QueueError> {
    let (depth, rate) = match job.load {
        Load::Closed { depth, cap } => (depth, cap),
        Load::Open { rate, depth, .. } => (depth, Some(rate)),
    };
    if job.threads == 0 {
        return Err(value(job, "the number of threads", 0, "make it 1 or more"));
    }
    if depth == 0 {
        return Err(value(job, "the depth", 0, "make it 1 or more: the number of outstanding I/Os"));
    }
    if let Some(Rate::Ios { count, per } | Rate::Bytes { count, per }) = rate
        && (count == 0 || per.is_zero())
    {
        return Err(value(job, "the rate", 0, "make it more than zero, or leave it out for no bound"));
    }
    if let Some(flow) = job.flow
        && (flow.weight == 0 || flow.pause.is_zero())
    {
        return Err(value(job, "the weight or the pause of a flow", 0, "make both more than zero"));
    }
    let issued = || job.mix.iter().filter(|share| share.weight > 0);
    if let Some(held) = job.cap_of {
        let is_capped = matches!(job.load, Load::Closed { cap: Some(_), .. }) && !job.access.trim_first;
        let is_among = |op: Op| issued().any(|share| share.op == op);
        let (word, is_mixed) = match held {
            CapOf::One(op) => (op.name(), is_among(op) && issued().any(|share| share.op != op)),
            CapOf::Each => {
                ("each", Op::ALL.into_iter().filter(|op| *op != Op::Flush && is_among(*op)).count() > 1)
            }
        };
        if !is_capped || !is_mixed {
            let help = "give a cap, and a mix of this operation and others in any order; or leave it out";
            return Err(value(job, "the operation of the cap", word, help));
        }
    }
    if rate.is_some() && issued().next().is_some() && issued().all(|share| share.op == Op::Flush) {
        return Err(conflict(
            job,
            "a rate",
            "a mix of flushes alone",
            "a flush takes no time at any rate; add reads or writes, or drop the rate",
        ));
    }
    if job.think.is_some_and(|think| think.burst == 0) {
        return Err(value(job, "the burst before a pause", 0, "make it 1 or more I/Os"));
    }
    if job.think.is_some() && matches!(job.load, Load::Open { .. }) {
        return Err(conflict(
            job,
            "a pause between bursts",
            "an open loop",
            "the rate already sets the time of each I/O; drop the pause, or make the rate a cap",
        ));
    }
    if job.flush_every == Some(0) {
        return Err(value(
            job,
            "the number of writes before a flush",
            0,
            "make it 1 or more, or leave it out",
        ));
    }
    if job.flush_range.is_some() && job.flush_every.is_none() {
        return Err(value(
            job,
            "a flush of a range",
            "without a number of writes before it",
            "say after how many writes it is made",
        ));
    }
    if let Some(ReadBack { every, batch }) = job.read_back_after
        && (!(1..=ReadBack::MOST).contains(&every) || batch == 0)
    {
        return Err(value(
            job,
            "reading back",
            format!("{batch} after {every} writes"),
            format!("read back 1 or more, after 1 to {} writes", ReadBack::MOST),
        ));
    }
    Ok(())
}

fn check_mix(job: &Job) -> Result<(), QueueError> {
    if job.mix.iter().all(|share| share.weight == 0) {
        return Err(value(job, "the mix", "empty", "give at least one kind of I/O a weight above zero"));
    }
    let no_block = |op: Op| op != Op::Flush;
    match job.mix.iter().find(|share| no_block(share.op) && share.block == 0) {
        Some(share) => {
            Err(value(job, "a block size", format!("0 for a {}", share.op.name()), "give it a size"))
        }
        None => Ok(()),
    }
}

fn check_access(job: &Job) -> Result<(), QueueError> {
    let Access { distribution, once_each, stride, shared, thread_stride, thread_size, .. } = &job.access;
    if *once_each && *distribution != Distribution::Uniform {
        return Err(conflict(
            job,
            "once each",
            "a skewed distribution",
            "blocks that are touched alike often have no hot ones; drop one of them",
        ));
    }
    if *shared && thread_stride.is_some() {
        return Err(conflict(
            job,
            "one sequential stream for all threads",
            "a thread stride",
            "a shared stream has one start; drop one of them",
        ));
    }
    if *shared && thread_size.is_some() {
        return Err(conflict(
            job,
            "one sequential stream for all threads",
            "a thread size",
            "a shared stream covers the whole region; drop one of them",
        ));
    }
    check_order(job)?;
    for (what, step) in
        [("the stride", stride), ("the thread stride", thread_stride), ("the thread size", thread_size)]
    {
        if *step == Some(Bytes::ZERO) {
            return Err(value(job, what, 0, "make it a size above zero, or leave it out"));
        }
    }
    if job.mix.iter().any(|share| share.align == Some(Bytes::ZERO)) {
        return Err(value(job, "an alignment", 0, "make it a size above zero, or leave it away"));
    }
    match distribution {
        Distribution::Zipf { theta } if theta.0 > 10_000_000 => Err(value(
            job,
            "the exponent of Zipf's law",
            theta.as_f64(),
            "make it 10 or less; 0.99 and 1.2 are usual",
        )),
        Distribution::Pareto { power } if power.0 == 0 || power.0 >= 1_000_000 => Err(value(
            job,
            "the power of Pareto's distribution",
            power.as_f64(),
            "make it more than 0 and less than 1; 0.2 puts 80 % of the I/Os on 20 % of the blocks",
        )),
        Distribution::Normal { deviation } if deviation.0 == 0 || deviation.0 > 1_000_000 => Err(value(
            job,
            "the deviation of the normal distribution",
            format!("{} of the region", deviation.as_f64()),
            "make it more than none and at most the whole of the region",
        )),
        _ => Ok(()),
    }
}

/// Orders that exclude each other: backward, zone by zone, and streams of several threads.
fn check_order(job: &Job) -> Result<(), QueueError> {
    let Access { shared, stride, thread_stride, backward, strided, trim_first, .. } = &job.access;
    let others = [
        ("one sequential stream for all threads", *shared),
        ("a thread stride", thread_stride.is_some()),
        ("sequential I/O backward", backward.is_some()),
    ];
    let own = [("sequential I/O backward", backward.is_some(), 2), ("zones", strided.is_some(), 3)];
    for (what, _, before) in own.into_iter().filter(|(_, is_given, _)| *is_given) {
        if let Some((other, _)) = others[..before].iter().find(|(_, is_given)| *is_given) {
            return Err(conflict(job, what, other, "both set the start of the next I/O; drop one of them"));
        }
    }
    if backward.is_some() && stride.is_none() {
        return Err(value(
            job,
            "sequential I/O backward",
            "without a stride",
            "give the distance between the starts of the I/Os",
        ));
    }
    if let Some(zones) = strided.filter(|zones| zones.range.0 == 0 || zones.size.0 == 0) {
        let what = format!("{} with {} of I/O", zones.range, zones.size);
        return Err(value(job, "a zone", what, "make both sizes larger than zero"));
    }
    let discards = job.mix.iter().any(|share| share.op == Op::Discard && share.weight > 0);
    if *trim_first && !discards {
        return Err(value(job, "discards before writes", "no discard in the mix", "give discards a weight"));
    }
    Ok(())
}

/// Unbuffered I/O is in whole sectors: offset, length and every step.
fn check_units(job: &Job) -> Result<(), QueueError> {
    if job.buffered {
        return Ok(());
    }
    let steps = [
        ("the offset", Some(job.region.offset)),
        ("the stride", job.access.stride),
        ("the thread stride", job.access.thread_stride),
        ("the distance from the end", job.access.backward),
        ("the size of a zone", job.access.strided.map(|zones| zones.range)),
        ("the distance of zones", job.access.strided.map(|zones| zones.skip)),
        ("the thread size", job.access.thread_size),
    ];
    let blocks = job.mix.iter().map(|share| ("a block size", Some(Bytes(u64::from(share.block)))));
    let odd = |size: Bytes| !size.0.is_multiple_of(SECTOR);
    let aligns = job.mix.iter().map(|share| ("an alignment", share.align));
    match steps
        .into_iter()
        .chain(blocks)
        .chain(aligns)
        .find_map(|(what, size)| size.filter(|s| odd(*s)).map(|s| (what, s)))
    {
        Some((what, size)) => {
            let below = format!("{} B", Grouped(size.0 / SECTOR * SECTOR));
            // Above the largest size there is none.
            let near = match size.0.checked_next_multiple_of(SECTOR) {
                Some(above) => format!("{below} or {} B", Grouped(above)),
                None => below,
            };
            let help = format!("make it a multiple of 512 B ({near}), or use the page cache (buffered)");
            Err(value(job, what, format!("{} B", Grouped(size.0)), help))
        }
        None => Ok(()),
    }
}

fn check_target(job: &Job, target: &Target) -> Result<(), QueueError> {
    let region = job.region;
    let end = region.offset.0.checked_add(region.size.map_or(1, |size| size.0));
    if end.is_none_or(|end| end > target.size.0) {
        return Err(QueueError::RegionTooLarge {
            job: job.name.clone(),
            offset: region.offset,
            size: region.size,
            target: target.name.clone(),
            target_size: target.size,
        });
    }
    let len = region.size.map_or(target.size.0 - region.offset.0, |size| size.0);
    let on = |what: String| format!("{what} on {} ({} used)", target.name, Bytes(len));
    let largest = job.mix.iter().map(|share| u64::from(share.block)).max().unwrap_or(0);
    if largest > len {
        let help = "make the block smaller or --size larger: one must fit into the other";
        return Err(value(job, "a block size", on(Bytes(largest).to_string()), help));
    }
    if let Some(from_end) = job.access.backward.filter(|it| it.0 < largest || it.0 > len) {
        let help = "make it at least a block and at most the region";
        return Err(value(job, "the distance from the end", on(from_end.to_string()), help));
    }
    if let Some(zones) = job.access.strided.filter(|zones| zones.range.0 < largest || zones.range.0 > len) {
        let help = "make a zone at least a block and at most the region";
        return Err(value(job, "the size of a zone", on(zones.range.to_string()), help));
    }
    if let Some(stride) = job.access.thread_stride {
        let last = u128::from(stride.0) * u128::from(job.threads - 1) + u128::from(largest);
        if last > u128::from(len) {
            let help = "the last thread would start beyond the end: make it smaller or use fewer threads";
            return Err(value(job, "the thread stride", on(stride.to_string()), help));
        }
    }
    if let Some(size) = job.access.thread_size
        && size.0 < largest
    {
        let help = "make the block smaller or the thread size larger: one must fit into the other";
        return Err(value(job, "the thread size", on(size.to_string()), help));
    }
    let len = job.access.thread_size.map_or(len, |size| len.min(size.0));
    check_zones(job, len).map_err(|(zones, help)| value(job, "the list of zones", on(zones), help))
}

/// Zones that exist on a region of this length, each with room for an I/O of each size.
fn check_zones(job: &Job, len: u64) -> Result<(), (String, String)> {
    let Distribution::Zones(zones) = &job.access.distribution else {
        return Ok(());
    };
    let fail = |help: String| (format!("{} zones", zones.len()), help);
    let laid = lay_zones(zones, len).map_err(fail)?;
    for (index, zone) in laid.iter().enumerate().filter(|(_, zone)| zone.ios.ppm() > 0) {
        for share in job.mix.iter().filter(|share| share.block > 0) {
            let slots = crate::slots::Slots::new(len, share);
            if slots.between(zone.start, zone.end).1 == 0 {
                let block = Bytes(u64::from(share.block));
                return Err((
                    format!("{} zones", zones.len()),
                    format!("zone {} is smaller than a block of {block}: make it larger", index + 1),
                ));
            }
        }
    }
    Ok(())
}
