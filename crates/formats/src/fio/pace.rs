//! How fast: engine and depth, rates, pauses, flushes.

use iobound_units::{Op, Percent, Rate, Span};
use iobound_workload::{Arrivals, Load, Share, Think};

use super::asked::Asked;
use super::units::{Bare, parse_bytes};

/// Engines that keep several I/Os outstanding.
const ASYNCHRONOUS: [&str; 12] = [
    "libaio",
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

/// How many I/Os a thread keeps outstanding.
pub(super) fn depth(asked: &mut Asked<'_>) -> Option<u32> {
    let written = asked.text("ioengine");
    let asked_for = asked.count("iodepth", 1, 1, 1 << 20);
    match written.unwrap_or("psync") {
        engine if ASYNCHRONOUS.contains(&engine) => {
            if engine == "libaio" && asked_for > 1 && !is_direct(asked) {
                asked.note(
                    "ioengine",
                    "with direct=0 Linux carries libaio out one I/O at a time; the depth asked for is kept here",
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
            asked.refuse("ioengine", "memory-mapped I/O is not carried", "use ioengine=libaio with direct=1");
            None
        }
        other => {
            asked.refuse(
                "ioengine",
                format!("the engine {other} is not carried: it is not I/O on files or devices, or not known"),
                format!("use one of {}, {}", ASYNCHRONOUS.join(", "), SYNCHRONOUS.join(", ")),
            );
            None
        }
    }
}

/// Whether the page cache is bypassed: of `direct`, `buffered` and `atomic`, the last one set.
pub(super) fn is_direct(asked: &Asked<'_>) -> bool {
    let said = ["direct", "buffered", "atomic"].into_iter().filter_map(|name| asked.get(name));
    said.max_by_key(|setting| setting.order)
        .is_some_and(|setting| (setting.value.as_deref() != Some("0")) != (setting.option.name == "buffered"))
}

/// Whether writes are durable when they complete: `sync=1`, `sync=sync`, `sync=dsync`.
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

/// A flush after so many writes.
pub(super) fn flush_every(asked: &mut Asked<'_>, writes: bool) -> Option<u64> {
    let fsync = asked.number("fsync").filter(|n| *n > 0);
    let fdatasync = asked.number("fdatasync").filter(|n| *n > 0);
    if fsync.is_some() && fdatasync.is_some() {
        asked.note("fdatasync", "fsync and fdatasync are both asked for: the more frequent counts");
    }
    let every = match (fsync, fdatasync) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    if every.is_some() && !writes {
        asked.note(if fsync.is_some() { "fsync" } else { "fdatasync" }, "nothing is written: no effect");
        return None;
    }
    every
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
        asked.refuse("thinktime_blocks", "a pause after no I/O at all", "give 1 or more");
    }
    let time = time?;
    Some(Think { burst: blocks.max(1), time, after_completion })
}

/// Closed or open loop. `threads` are the clones of the job, each with its own rate.
pub(super) fn load(asked: &mut Asked<'_>, depth: u32, threads: u32, mix: &[Share]) -> Option<Load> {
    let in_bytes = limit(asked, "rate", mix)?;
    let in_ios = limit(asked, "rate_iops", mix)?;
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
            Load::Closed { depth, cap: None }
        }
        Some(rate) if poisson => {
            asked.note(
                "rate_process",
                "an open loop: arrivals are due whatever completes, and latency counts from then; fio waits when \
                 its depth is used up",
            );
            Load::Open { rate: times(rate, threads), arrivals: Arrivals::Poisson, depth }
        }
        Some(rate) => Load::Closed { depth, cap: Some(rate) },
    })
}

fn times(rate: Rate, n: u32) -> Rate {
    match rate {
        Rate::Ios { count, per } => Rate::Ios { count: count.saturating_mul(u64::from(n)), per },
        Rate::Bytes { count, per } => Rate::Bytes { count: count.saturating_mul(u64::from(n)), per },
    }
}

/// `rate=r,w,t` in bytes or I/Os a second, for each direction by itself. A mix meets the first limit of its
/// directions: so many I/Os in all as let that direction have its rate.
fn limit(asked: &mut Asked<'_>, name: &str, mix: &[Share]) -> Option<Option<Rate>> {
    let Some(text) = asked.text(name) else { return Some(None) };
    let bytes = name == "rate";
    let mut limits: [Option<u64>; 3] = [None; 3];
    for (limit, part) in limits.iter_mut().zip(Asked::three_numbers(text)) {
        match part.map(|part| parse_bytes(part, asked.kb_base)) {
            None | Some(Ok(0)) => {}
            Some(Ok(rate)) => *limit = Some(rate),
            Some(Err((what, mend))) => {
                asked.refuse(name, format!("{name}: {what}"), mend);
                return None;
            }
        }
    }
    if !bytes && text.contains(|c: char| c.is_ascii_alphabetic()) {
        let said = limits.iter().flatten().map(u64::to_string).collect::<Vec<_>>().join(",");
        asked.note(name, format!("fio counts a suffix in bytes' way here too: {said} I/Os a second"));
    }
    let amount = |share: &Share| u128::from(share.weight) * if bytes { u128::from(share.block) } else { 1 };
    let all: u128 = mix.iter().map(amount).sum();
    let mut strictest: Option<(u64, u128)> = None;
    for (op, limit) in [Op::Read, Op::Write, Op::Discard].into_iter().zip(limits) {
        let own: u128 = mix.iter().filter(|share| share.op == op).map(amount).sum();
        let (Some(limit), true) = (limit, own > 0) else { continue };
        // limit / own is the smallest
        let cross = |a: u64, b: u128| u128::from(a) * (b * 1_000_000 / all);
        if strictest.is_none_or(|(rate, part)| cross(limit, part) < cross(rate, own)) {
            strictest = Some((limit, own));
        }
    }
    let Some((limit, own)) = strictest else { return Some(None) };
    if own < all {
        let share = Percent::from_ppm((own * 1_000_000 / all) as u32).unwrap_or(Percent::HUNDRED);
        asked.note(
            name,
            format!("fio limits each direction by itself; here all I/Os together, by the one that has {share} of them"),
        );
    }
    // limit x all / own in a second, as a fraction of whole numbers that stay small.
    let divisor = gcd(all, own);
    let (mut times, mut seconds) = (all / divisor, own / divisor);
    while times > 1 << 20 {
        (times, seconds) = (times / 2, (seconds / 2).max(1));
    }
    let (times, seconds) = (times as u64, seconds as u64);
    let Some(count) = limit.checked_mul(times) else {
        asked.refuse(name, format!("{name}: the rate is too large"), "give a smaller one");
        return None;
    };
    let per = Span::from_secs(seconds);
    Some(Some(if bytes { Rate::Bytes { count, per } } else { Rate::Ios { count, per } }))
}

fn gcd(a: u128, b: u128) -> u128 {
    if b == 0 { a } else { gcd(b, a % b) }
}
