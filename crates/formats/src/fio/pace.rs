//! Pace of the I/Os: engine and depth, rates, pauses, flushes.

use iobound_units::{Op, Rate, Span};
use iobound_workload::{Arrivals, CapOf, Flow, Load, RangeSync, ReadBack, Share, Think};

use super::asked::Asked;
use super::units::{Bare, parse_bytes};

/// Engines that keep several I/Os outstanding.
const ASYNCHRONOUS: [&str; 14] = [
    "libaio",
    "null",
    "cpp_null",
    "io_uring",
    "posixaio",
    "windowsaio",
    "solarisaio",
    "io_uring_cmd",
    "libblkio",
    "xnvme",
    "rbd",
    "nbd",
    "guasi",
    "sg",
];
/// Engines that issue one at a time, whatever `iodepth` says.
const SYNCHRONOUS: [&str; 5] = ["psync", "sync", "vsync", "pvsync", "pvsync2"];

/// Time that a job that is ahead of its `flow` waits without `flow_sleep`, where fio would spin.
const FLOW_PAUSE: Span = Span::from_us(10);

/// Number of I/Os that a thread keeps outstanding.
pub(super) fn depth(asked: &mut Asked<'_>) -> Option<u32> {
    let written = asked.text("ioengine");
    let asked_for = asked.count("iodepth", 1, 1, 1 << 20);
    match written.unwrap_or("psync") {
        engine if ASYNCHRONOUS.contains(&engine) => {
            if engine == "libaio" && asked_for > 1 && !is_direct(asked) {
                asked.note(
                    "ioengine",
                    "with direct=0, Linux runs libaio one I/O at a time; here the requested depth is used",
                );
            }
            Some(asked_for)
        }
        engine if SYNCHRONOUS.contains(&engine) => {
            if asked_for > 1 {
                let default = if written.is_none() { "the default engine psync" } else { engine };
                asked.note(
                    "iodepth",
                    format!(
                        "{default} issues one I/O at a time: depth 1 (ioengine=libaio or io_uring keeps more)"
                    ),
                );
            }
            Some(1)
        }
        "mmap" => {
            asked.cannot(
                "ioengine",
                "memory-mapped I/O is not supported",
                "use ioengine=libaio with direct=1",
            );
            None
        }
        other => {
            asked.cannot(
                "ioengine",
                format!(
                    "the engine {other} is not supported: it does no I/O on files or devices, or is unknown"
                ),
                format!("use one of {}, {}", ASYNCHRONOUS.join(", "), SYNCHRONOUS.join(", ")),
            );
            None
        }
    }
}

/// True if the page cache is bypassed: of `direct`, `buffered` and `atomic`, the last one set.
pub(super) fn is_direct(asked: &Asked<'_>) -> bool {
    let said = ["direct", "buffered", "atomic"].into_iter().filter_map(|name| asked.get(name));
    said.max_by_key(|setting| setting.order)
        .is_some_and(|setting| (setting.value.as_deref() != Some("0")) != (setting.option.name == "buffered"))
}

/// True if writes are durable when they complete: `sync=1`, `sync=sync`, `sync=dsync`.
pub(super) fn is_durable(asked: &mut Asked<'_>) -> bool {
    match asked.text("sync") {
        None | Some("0" | "none") => false,
        Some("1" | "sync" | "dsync") => true,
        Some(other) => {
            asked.refuse("sync", format!("sync is `{other}`"), "it is none, sync or dsync");
            false
        }
    }
}

/// A flush after so many writes, and its steps where it is `sync_file_range`.
pub(super) fn flush_every(asked: &mut Asked<'_>, writes: bool) -> Option<(u64, Option<RangeSync>)> {
    let fsync = asked.number("fsync").filter(|n| *n > 0);
    let fdatasync = asked.number("fdatasync").filter(|n| *n > 0);
    if fsync.is_some() && fdatasync.is_some() {
        asked.note("fdatasync", "fsync and fdatasync are both given: the more frequent one is used");
    }
    let range = asked.text("sync_file_range");
    for (name, is_given) in
        [("fsync", fsync.is_some()), ("fdatasync", fdatasync.is_some()), ("sync_file_range", range.is_some())]
    {
        if is_given && !writes {
            asked.note(name, "nothing is written: no effect");
        }
    }
    if !writes {
        return None;
    }
    let every = [fsync, fdatasync].into_iter().flatten().min();
    let Some(range) = range else { return Some((every?, None)) };
    match (range_sync(range), every) {
        (None, _) => asked.refuse(
            "sync_file_range",
            format!("sync_file_range is `{range}`"),
            "write steps and a number of writes: wait_before,write,wait_after:8",
        ),
        (Some(_), Some(_)) => asked.cannot(
            "sync_file_range",
            "sync_file_range and fsync or fdatasync are both asked for",
            "keep one of them",
        ),
        (Some((0, _)), None) => {}
        (Some((every, steps)), None) => return Some((every, Some(steps))),
    }
    None
}

/// `write:8,wait_after:8`: the steps, and how many writes are before them, which is what follows the first colon
/// (`str_sfr_cb` of `options.c`) and 1 without it.
fn range_sync(text: &str) -> Option<(u64, RangeSync)> {
    let count = match text.split_once(':') {
        None => 1,
        Some((_, after)) => after.split([',', ':']).next()?.trim().parse().ok()?,
    };
    let mut steps = RangeSync::default();
    for part in text.split(',') {
        let step = match part.split_once(':').map_or(part, |(step, _)| step).trim() {
            "wait_before" => &mut steps.wait_before,
            "write" => &mut steps.write,
            "wait_after" => &mut steps.wait_after,
            _ => return None,
        };
        *step = true;
    }
    Some((count, steps))
}

/// Reading back what was written after so many writes (`verify_backlog`).
pub(super) fn read_back_after(asked: &mut Asked<'_>, writes: bool) -> Option<ReadBack> {
    let every = asked.number("verify_backlog").filter(|every| *every > 0);
    let batch = asked.number("verify_backlog_batch").filter(|batch| *batch > 0);
    let Some(every) = every else {
        if batch.is_some() {
            asked.note("verify_backlog_batch", "without verify_backlog fio ignores it: no effect");
        }
        return None;
    };
    let is_verified = asked.text("verify").is_some_and(|kind| !matches!(kind, "none" | "0" | "null"));
    if !writes || !is_verified {
        let why =
            if writes { "nothing is verified (verify): no effect" } else { "nothing is written: no effect" };
        asked.note("verify_backlog", why);
        return None;
    }
    let Some(every) = u32::try_from(every).ok().filter(|every| *every <= ReadBack::MOST) else {
        asked.refuse(
            "verify_backlog",
            format!("{every} writes would have to be remembered"),
            format!("give {} or fewer", ReadBack::MOST),
        );
        return None;
    };
    let batch = batch.map_or(every, |batch| u32::try_from(batch).unwrap_or(u32::MAX));
    Some(ReadBack { every, batch })
}

/// Pauses between I/Os.
pub(super) fn think(asked: &mut Asked<'_>) -> Option<Think> {
    let time = asked.time("thinktime", Bare::Microseconds).filter(|time| !time.is_zero());
    let blocks = asked.number("thinktime_blocks").unwrap_or(1);
    let after_completion = match asked.text("thinktime_blocks_type") {
        None | Some("complete") => true,
        Some("issue") => false,
        Some(other) => {
            asked.refuse("thinktime_blocks_type", format!("`{other}` is unknown"), "it is complete or issue");
            true
        }
    };
    if blocks == 0 {
        asked.refuse("thinktime_blocks", "a pause after zero I/Os", "give 1 or more");
    }
    let time = time?;
    Some(Think { burst: blocks.max(1), time, after_completion })
}

/// Closed or open loop, and the operations that its cap holds apart from the others. `threads` are the clones of the
/// job, each with its own rate.
pub(super) fn load(
    asked: &mut Asked<'_>,
    depth: u32,
    threads: u32,
    mix: &mut [Share],
    trims_first: bool,
) -> Option<(Load, Option<CapOf>)> {
    let in_bytes = limit(asked, "rate", mix, trims_first)?;
    let in_ios = limit(asked, "rate_iops", mix, trims_first)?;
    let rate = match (in_bytes, in_ios) {
        (Some(_), Some(_)) => {
            asked.refuse("rate", "rate and rate_iops are both given", "keep one of them");
            return None;
        }
        (bytes, ios) => bytes.or(ios),
    };
    let poisson = match asked.text("rate_process") {
        None | Some("linear") => false,
        Some("poisson") => true,
        Some(other) => {
            asked.refuse("rate_process", format!("`{other}` is unknown"), "it is linear or poisson");
            return None;
        }
    };
    Some(match rate {
        None => {
            if poisson {
                asked.note("rate_process", "no rate is given: no effect");
            }
            (Load::Closed { depth, cap: None }, None)
        }
        Some((_, Some(CapOf::One(_)))) if poisson => {
            let what = "rate_process=poisson needs a rate for every direction of the mix";
            asked.refuse("rate_process", what, "give reads and writes a rate: rate_iops=1000,500");
            return None;
        }
        Some((rate, _)) if poisson => {
            asked.note(
                "rate_process",
                "an open loop: I/Os are due at fixed times, and latency counts from these times; fio waits when \
                 its depth is used up",
            );
            (Load::Open { rate: times(rate, threads), arrivals: Arrivals::Poisson, depth }, None)
        }
        Some((rate, held)) => (Load::Closed { depth, cap: Some(rate) }, held),
    })
}

fn times(rate: Rate, n: u32) -> Rate {
    match rate {
        Rate::Ios { count, per } => Rate::Ios { count: count.saturating_mul(u64::from(n)), per },
        Rate::Bytes { count, per } => Rate::Bytes { count: count.saturating_mul(u64::from(n)), per },
    }
}

/// `rate=r,w,t` in bytes or I/Os a second, for each direction by itself. Where each direction of a mix has a rate, the
/// rates make the mix, and no direction exceeds its own, as in fio (`rate_ddir` of `io_u.c`). Where one has, it alone is
/// held back: fio issues the other direction in its place.
fn limit(
    asked: &mut Asked<'_>,
    name: &str,
    mix: &mut [Share],
    trims_first: bool,
) -> Option<Option<(Rate, Option<CapOf>)>> {
    let Some(text) = asked.text(name) else { return Some(None) };
    let bytes = name == "rate";
    let mut limits: [Option<u64>; 3] = [None; 3];
    for (limit, part) in limits.iter_mut().zip(Asked::three_numbers(text)) {
        match part.map(|part| parse_bytes(part, asked.kb_base)) {
            None | Some(Ok(0)) => {}
            Some(Ok(rate)) => *limit = Some(rate),
            Some(Err((what, help))) => {
                asked.refuse(name, format!("{name}: {what}"), help);
                return None;
            }
        }
    }
    if !bytes && text.contains(|c: char| c.is_ascii_alphabetic()) {
        let said = limits.iter().flatten().map(u64::to_string).collect::<Vec<_>>().join(",");
        asked.note(name, format!("fio reads the suffix as for bytes: {said} I/Os a second"));
    }
    let blocks = |op: Op| mix.iter().filter(move |share| share.op == op).map(|share| u64::from(share.block));
    let several_sizes = mix.iter().any(|share| blocks(share.op).any(|block| block != u64::from(share.block)));
    // fio keeps a rate of I/Os as one of bytes: that of as many I/Os of the smallest block.
    let in_bytes = bytes || several_sizes;
    if !bytes && in_bytes {
        for (limit, op) in limits.iter_mut().zip([Op::Read, Op::Write, Op::Discard]) {
            let smallest = blocks(op).min().unwrap_or(0);
            *limit = limit.map(|ios| ios.saturating_mul(smallest));
        }
    }
    let used: Vec<(Op, Option<u64>)> = [Op::Read, Op::Write, Op::Discard]
        .into_iter()
        .zip(limits)
        .filter(|(op, _)| mix.iter().any(|share| share.op == *op && share.weight > 0))
        .collect();
    let all: Option<Vec<(Op, u64)>> = used.iter().map(|(op, limit)| Some((*op, (*limit)?))).collect();
    let second = |count: u64| {
        let per = Span::from_secs(1);
        if in_bytes { Rate::Bytes { count, per } } else { Rate::Ios { count, per } }
    };
    match all.as_deref() {
        Some([]) | None if used.iter().all(|(_, limit)| limit.is_none()) => Some(None),
        Some([(_, limit)]) => Some(Some((second(*limit), None))),
        Some(several) if !trims_first => {
            weigh(mix, several, in_bytes);
            let sum = several.iter().fold(0, |sum: u64, (_, limit)| sum.saturating_add(*limit));
            Some(Some((second(sum), Some(CapOf::Each))))
        }
        _ => {
            let least =
                used.iter().filter_map(|(op, limit)| Some(((*limit)?, *op))).min_by_key(|(it, _)| *it);
            // Each trim is followed by its write: both go at the lower rate.
            Some(least.map(|(limit, op)| match trims_first {
                true => (second(limit.saturating_mul(2)), None),
                false => (second(limit), Some(CapOf::One(op))),
            }))
        }
    }
}

/// `flow`: the weight of each clone among those of its group.
pub(super) fn flow(asked: &mut Asked<'_>) -> Option<Flow> {
    let text = asked.text("flow").filter(|text| *text != "0")?;
    let Some(weight) = text.parse().ok().filter(|weight: &u32| *weight > 0) else {
        asked.refuse("flow", format!("flow={text}: a weight is above zero"), "write flow=1 and flow=8");
        return None;
    };
    let group = asked.count("flow_id", 0, 0, u32::MAX);
    let pause = asked.number("flow_sleep").filter(|us| *us > 0).map(Span::from_us);
    Some(Flow { group, weight, pause: pause.unwrap_or(FLOW_PAUSE) })
}

/// Gives the directions of a mix the weights that let each have its own rate.
fn weigh(mix: &mut [Share], limits: &[(Op, u64)], bytes: bool) {
    let amount = |share: &Share| u128::from(share.weight) * if bytes { u128::from(share.block) } else { 1 };
    let own = |mix: &[Share], op: Op| mix.iter().filter(|share| share.op == op).map(amount).sum::<u128>();
    let sums: Vec<(Op, u128, u128)> =
        limits.iter().map(|(op, limit)| (*op, own(mix, *op), u128::from(*limit))).collect();
    let mut weights: Vec<f64> = Vec::with_capacity(mix.len());
    for share in mix.iter() {
        let (_, sum, limit) =
            sums.iter().find(|(op, ..)| *op == share.op).copied().unwrap_or((share.op, 1, 0));
        weights.push(f64::from(share.weight) * limit as f64 / sum as f64);
    }
    // Whole weights, the largest of which has 30 bits: the rates are kept to a millionth.
    let largest = weights.iter().copied().fold(0.0, f64::max);
    for (share, weight) in mix.iter_mut().zip(weights) {
        let kept = (weight / largest * f64::from(1 << 30)).round() as u32;
        share.weight = if share.weight == 0 { 0 } else { kept.max(1) };
    }
    let divisor = mix.iter().map(|share| u128::from(share.weight)).fold(0, gcd).max(1);
    mix.iter_mut().for_each(|share| share.weight = (u128::from(share.weight) / divisor) as u32);
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
