//! Mix of I/Os: block sizes, their split, the share of reads, or a mix written out.

use iobound_units::{Bytes, Op, Percent, parse_bytes, parse_count, parse_percent};

use super::DEFAULT_BLOCK;
use super::job::{JobKey, JobPart};
use super::lines::Lines;
use super::quantity::{exact_bytes, exact_percent, parse_op};
use super::words::{WordError, Words};
use crate::{Job, Share};

/// Keys of the mix.
pub(super) const MIX: JobPart = JobPart {
    keys: &[JobKey::new("block"), JobKey::new("read"), JobKey::over("mix", &["block", "read"])],
    read: read_mix,
    write: write_mix,
};

/// Reads `block` and `read`, or `mix`, into the job.
fn read_mix(words: &Words, job: &mut Job) -> Result<(), WordError> {
    let help = "a mix sets this for each kind of I/O; drop one of them";
    words.exclude("mix", "block", help)?;
    words.exclude("mix", "read", help)?;
    if let Some(lines) = words.texts("mix") {
        job.mix = lines
            .iter()
            .map(|line| parse_share(line))
            .collect::<Result<_, _>>()
            .map_err(|why| words.error("mix", why))?;
        return Ok(());
    }
    let read = words.parse("read", parse_percent)?.unwrap_or(Percent::HUNDRED);
    let split = words.parse("block", parse_split)?.unwrap_or_else(|| vec![(DEFAULT_BLOCK, 1)]);
    match split.as_slice() {
        [(block, _)] => job.set_mix(*block, read),
        split => job.mix = split_mix(split, read).map_err(|why| words.error("block", why))?,
    }
    Ok(())
}

/// One block size, or `4KiB:60,64KiB:40`: sizes with their weights.
fn parse_split(text: &str) -> Result<Vec<(u32, u32)>, String> {
    if !text.contains(':') {
        return Ok(vec![(parse_block(text)?, 1)]);
    }
    let split: Vec<(u32, u32)> = text.split(',').map(parse_part).collect::<Result<_, _>>()?;
    let total: u64 = split.iter().map(|(_, weight)| u64::from(*weight)).sum();
    if text.contains('%') && total != 100 {
        return Err(format!("`{text}` adds up to {total} %: make it 100 %, or write weights without %"));
    }
    Ok(split)
}

fn parse_part(part: &str) -> Result<(u32, u32), String> {
    let Some((block, weight)) = part.split_once(':') else {
        return Err(format!(
            "`{part}` has no weight: write a weight for each size, such as 4KiB:60,64KiB:40"
        ));
    };
    let weight = weight.trim().trim_end_matches('%');
    let weight = parse_count(weight).map_err(|error| error.to_string())?;
    match u32::try_from(weight) {
        Ok(weight) if (1..=1_000_000).contains(&weight) => Ok((parse_block(block)?, weight)),
        _ => Err(format!("the weight of `{part}` is not between 1 and 1,000,000")),
    }
}

fn parse_block(text: &str) -> Result<u32, String> {
    let Bytes(size) = parse_bytes(text).map_err(|error| error.to_string())?;
    match u32::try_from(size) {
        Ok(0) => Err(format!("`{text}` is not a block size: it is zero")),
        Ok(block) => Ok(block),
        Err(_) => Err(format!("`{text}` is too large for one I/O: make it less than 4GiB")),
    }
}

/// Each size read and written in the same proportion.
fn split_mix(split: &[(u32, u32)], read: Percent) -> Result<Vec<Share>, String> {
    let ops = [(Op::Read, read), (Op::Write, read.complement())];
    let pairs =
        ops.iter().flat_map(|(op, part)| split.iter().map(move |(block, weight)| (op, part, block, weight)));
    let weights: Vec<(Op, u32, u64)> = pairs
        .map(|(op, part, block, weight)| (*op, *block, u64::from(*weight) * u64::from(part.ppm())))
        .filter(|(_, _, weight)| *weight > 0)
        .collect();
    let common = weights.iter().fold(0, |common, (_, _, weight)| gcd(common, *weight));
    let share = |(op, block, weight): (Op, u32, u64)| {
        let weight = u32::try_from(weight / common)
            .map_err(|_| "the weights are too fine: write smaller ones, such as percentages".to_string())?;
        Ok(Share { weight, op, block, random: None, align: None })
    };
    weights.into_iter().map(share).collect()
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// `60 read 4KiB`, `40 write 64KiB random 50% align 4KiB`, `1 flush`.
fn parse_share(line: &str) -> Result<Share, String> {
    let form = || {
        format!(
            "`{line}` is not part of a mix: write weight, operation and size, as in `60 read 4KiB` or `40 write 64KiB random 50% align 4KiB`"
        )
    };
    let parts: Vec<&str> = line.split_whitespace().collect();
    let (weight, op, rest) = match parts.as_slice() {
        [weight, op, rest @ ..] => (parse_count(weight).map_err(|_| form())?, parse_op(op)?, rest),
        _ => return Err(form()),
    };
    let weight = u32::try_from(weight).map_err(|_| format!("the weight of `{line}` is too large"))?;
    let (block, rest) = match rest {
        [size, rest @ ..] if op != Op::Flush => (parse_block(size)?, rest),
        rest if op == Op::Flush => (0, rest),
        _ => return Err(form()),
    };
    let mut share = Share { weight, op, block, random: None, align: None };
    for pair in rest.chunks(2) {
        match *pair {
            ["random", text] if share.random.is_none() => {
                share.random = Some(parse_percent(text).map_err(|error| error.to_string())?);
            }
            ["align", text] if share.align.is_none() && op != Op::Flush => {
                share.align = Some(parse_bytes(text).map_err(|error| error.to_string())?);
            }
            _ => return Err(form()),
        }
    }
    Ok(share)
}

/// `block` and `read` where they say it all, else the mix share by share.
fn write_mix(lines: &mut Lines, job: &Job) {
    let block = job.mix.first().map_or(0, |share| share.block);
    let reads = job.mix.iter().find(|share| share.op == Op::Read).map_or(0, |share| share.weight);
    if let Some(read) = Percent::from_ppm(reads) {
        let mut simple = job.clone();
        simple.set_mix(block, read);
        if simple.mix == job.mix {
            lines.text("block", &exact_bytes(Bytes(u64::from(block))));
            return lines.text("read", &exact_percent(read));
        }
    }
    let common = job.common_align();
    lines.list("mix", job.mix.iter().map(|share| share_words(share, common)));
}

/// One part of a mix; an alignment that all parts have is the job's.
fn share_words(share: &Share, common: Option<Bytes>) -> String {
    let mut words = format!("{} {}", share.weight, share.op.name());
    if share.op != Op::Flush {
        words.push_str(&format!(" {}", exact_bytes(Bytes(u64::from(share.block)))));
    }
    if let Some(random) = share.random {
        words.push_str(&format!(" random {}", exact_percent(random)));
    }
    if let Some(align) = share.align.filter(|align| Some(*align) != common) {
        words.push_str(&format!(" align {}", exact_bytes(align)));
    }
    words
}
