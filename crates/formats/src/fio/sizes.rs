//! Block sizes: `bs`, `bsrange`, `bssplit`, each for reads, writes and trims.

use std::borrow::Cow;

use iobound_units::Op;
use iobound_workload::Share;

use super::asked::Asked;
use super::units::{Wrong, parse_bytes};

/// Block sizes with their weights.
type SizeSplit = Vec<(u32, u32)>;

/// fio's default block.
const DEFAULT: u32 = 4096;
/// A range of more sizes than this is dealt over its powers of two.
const MOST_SIZES: u64 = 64;

/// The block sizes of reads, writes and trims; `None` with a problem.
pub(super) fn block_sizes(asked: &mut Asked<'_>) -> Option<[SizeSplit; 3]> {
    // Of the three, the one set last counts.
    let of_three = ["bs", "bsrange", "bssplit"];
    let last = of_three.into_iter().filter_map(|name| asked.get(name)).max_by_key(|setting| setting.order);
    let plain = || vec![(DEFAULT, 1)];
    let Some(setting) = last else { return Some([plain(), plain(), plain()]) };
    let text = setting.value.as_deref().unwrap_or("");
    for other in of_three.into_iter().filter(|name| *name != setting.option.name) {
        if asked.get(other).is_some() {
            asked.note(other, format!("{} is given later and is used", setting.option.name));
        }
    }
    let read: fn(&str, u64) -> Result<SizeSplit, Wrong> = match setting.option.name {
        "bs" => one,
        "bsrange" => range,
        _ => split,
    };
    let mut sizes = Vec::new();
    let parts = if setting.option.name == "bs" { Asked::three_numbers(text) } else { Asked::three(text) };
    if setting.option.name == "bs" && !text.contains(',') && text.contains([':', '-']) {
        asked.note(
            "bs",
            "fio reads this as the blocks of reads, writes and trims; a range of blocks is bsrange",
        );
    }
    for part in parts {
        let part =
            part.map(|part| if setting.option.name == "bsrange" { as_read(part) } else { part.into() });
        match part.map(|part| read(&part, asked.kb_base)) {
            None => sizes.push(plain()),
            Some(Ok(split)) => sizes.push(split),
            Some(Err((what, help))) => {
                asked.refuse(setting.option.name, format!("{}: {what}", setting.option.name), help);
                return None;
            }
        }
    }
    if setting.option.name == "bssplit" && Asked::three(text).into_iter().flatten().any(falls_short) {
        asked
            .note("bssplit", "the percentages add up to less than 100: fio gives the rest to the last block");
    }
    if let Some(read) = Asked::three(text).into_iter().flatten().map(as_read).next()
        && setting.option.name == "bsrange"
        && !text.contains(&*read)
    {
        asked.note("bsrange", format!("fio reads {read} and drops the rest; bssplit takes shares"));
    }
    if setting.option.name == "bsrange" {
        asked.note(
            "bsrange",
            "fio draws sizes from the range at random; here all sizes of an even split are equally likely",
        );
    }
    sizes.try_into().ok()
}

fn block(text: &str, kb_base: u64) -> Result<u32, Wrong> {
    let bytes = parse_bytes(text, kb_base)?;
    u32::try_from(bytes)
        .ok()
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| (format!("a block of {text}"), "1 byte to 4 GiB is possible".to_string()))
}

fn one(text: &str, kb_base: u64) -> Result<SizeSplit, Wrong> {
    Ok(vec![(block(text, kb_base)?, 1)])
}

/// A range as fio reads it: of each of its two numbers what stands before `/` or `:`. Source: `check_range_bytes` and
/// `get_mult_bytes` of `parse.c`.
fn as_read(part: &str) -> Cow<'_, str> {
    let number = |text: &str| text.split(['/', ':']).next().unwrap_or_default().to_string();
    match part.split_once('-').or_else(|| part.split_once(':')) {
        Some((from, to)) if [from, to].iter().any(|text| text.contains(['/', ':'])) => {
            format!("{}-{}", number(from), number(to)).into()
        }
        _ => part.into(),
    }
}

/// `1k-4k`: every multiple of the smallest, or every power of two times it where those are too many.
fn range(text: &str, kb_base: u64) -> Result<SizeSplit, Wrong> {
    let wrong = || {
        (format!("`{text}` is not a range"), "write the smallest and the largest block: 4k-64k".to_string())
    };
    let (from, to) = text.split_once('-').or_else(|| text.split_once(':')).ok_or_else(wrong)?;
    let (from, to) = (block(from, kb_base)?, block(to, kb_base)?);
    let (from, to) = (from.min(to), from.max(to));
    let sizes = u64::from(to / from);
    if sizes <= MOST_SIZES {
        return Ok((1..=to / from).map(|n| (from * n, 1)).collect());
    }
    let doubled = std::iter::successors(Some(from), |size| size.checked_mul(2));
    Ok(doubled.take_while(|size| *size <= to).map(|size| (size, 1)).collect())
}

/// True if every size of a split has a percentage, and they add to less than 100.
fn falls_short(text: &str) -> bool {
    let percent =
        |part: &str| part.split_once('/').and_then(|(_, percent)| percent.trim_end_matches('%').parse().ok());
    let percents: Option<Vec<u32>> = text.split(':').map(percent).collect();
    percents.is_some_and(|percents| percents.iter().sum::<u32>() < 100)
}

/// `4k/10:64k/50:32k/40`: sizes and their percentages; those without one share what is left.
fn split(text: &str, kb_base: u64) -> Result<SizeSplit, Wrong> {
    let mut sizes: Vec<(u32, Option<u32>)> = Vec::new();
    for part in text.split(':') {
        let (size, percent) = part.split_once('/').unwrap_or((part, ""));
        let percent = match percent.trim_end_matches('%') {
            "" => None,
            percent => Some(percent.parse::<u32>().ok().filter(|n| *n <= 100).ok_or_else(|| {
                (format!("`{part}`: {percent} is not a percentage"), "write 4k/10:64k/90".to_string())
            })?),
        };
        sizes.push((block(size, kb_base)?, percent));
        if sizes.len() > 256 {
            return Err(("more than 256 block sizes".to_string(), "use fewer".to_string()));
        }
    }
    let said: u32 = sizes.iter().filter_map(|(_, percent)| *percent).sum();
    let silent = sizes.iter().filter(|(_, percent)| percent.is_none()).count() as u32;
    if said > 100 {
        return Err((format!("the percentages add to {said}"), "make them add to 100".to_string()));
    }
    // What no size has goes to the last one: fio 3.33 makes 70 % of the I/Os 8k of 16k/10:4k/20:8k/30.
    if let (0, Some((_, Some(last)))) = (silent, sizes.last_mut()) {
        *last += 100 - said;
    }
    // In parts of a percent, so that what is left divides evenly.
    let parts = silent.max(1);
    let weigh = |percent: Option<u32>| percent.map_or(100 - said, |percent| percent * parts);
    let split: SizeSplit = sizes
        .into_iter()
        .map(|(size, percent)| (size, weigh(percent)))
        .filter(|(_, weight)| *weight > 0)
        .collect();
    Ok(split)
}

/// The mix of a job: each operation's weight spread over its block sizes.
pub(super) fn mix(operations: &[(Op, u32)], sizes: &[SizeSplit; 3]) -> Vec<Share> {
    let mut shares = Vec::new();
    let total = |op: &Op| sizes[index(*op)].iter().map(|(_, weight)| u64::from(*weight)).sum::<u64>();
    let common = operations.iter().map(|(op, _)| total(op)).fold(1, lcm);
    for (op, weight) in operations.iter().filter(|(_, weight)| *weight > 0) {
        let scale = common / total(op);
        for (block, part) in &sizes[index(*op)] {
            let weight = u64::from(*weight) * u64::from(*part) * scale;
            shares.push((weight, *op, *block));
        }
    }
    let divisor = shares.iter().map(|(weight, ..)| *weight).fold(0, gcd).max(1);
    // Weights are relative: where exact ones are too large, the same ones rounded.
    let largest = shares.iter().map(|(weight, ..)| weight / divisor).max().unwrap_or(1);
    let shift = (64 - largest.leading_zeros()).saturating_sub(31);
    shares
        .into_iter()
        .map(|(weight, op, block)| Share {
            weight: ((weight / divisor) >> shift).max(1) as u32,
            op,
            block,
            random: None,
            align: None,
        })
        .collect()
}

/// The place of an operation among reads, writes and trims.
pub(super) fn index(op: Op) -> usize {
    match op {
        Op::Read => 0,
        Op::Write => 1,
        Op::Flush | Op::Discard => 2,
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}

/// The least common multiple. Totals are at most 100 × 256 parts of a percent, so three of them fit easily.
fn lcm(a: u64, b: u64) -> u64 {
    a / gcd(a, b).max(1) * b
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_split_gives_what_is_left_to_sizes_without_a_share() {
        assert_eq!(split("4k/10:64k/50:32k/40", 1024), Ok(vec![(4096, 10), (65536, 50), (32768, 40)]));
        assert_eq!(split("4k/:8k/", 1024), Ok(vec![(4096, 100), (8192, 100)]));
        assert_eq!(split("4k/50:1k/:2k", 1024), Ok(vec![(4096, 100), (1024, 50), (2048, 50)]));
        assert_eq!(split("4k/100:8k/0", 1024), Ok(vec![(4096, 100)]));
        // The last has what none has.
        assert_eq!(split("4k/50", 1024), Ok(vec![(4096, 100)]));
        assert_eq!(split("8k/10:4k/20", 1024), Ok(vec![(8192, 10), (4096, 90)]));
        for text in ["4k/60:8k/60", "4k/x", "/50", "4k/101"] {
            assert!(split(text, 1024).is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_is_an_even_split() {
        assert_eq!(range("4k-16k", 1024), Ok(vec![(4096, 1), (8192, 1), (12288, 1), (16384, 1)]));
        assert_eq!(range("16k:16k", 1024), Ok(vec![(16384, 1)]));
        assert_eq!(range("512-1m", 1024).unwrap().len(), 12);
        assert!(range("4k", 1024).is_err());
    }

    #[test]
    fn a_mix_keeps_the_shares_of_operations_whatever_their_splits() {
        let sizes = [vec![(4096, 1), (8192, 1)], vec![(65536, 10), (131_072, 20)], vec![(4096, 1)]];
        let shares = mix(&[(Op::Read, 70), (Op::Write, 30)], &sizes);
        let weight = |op: Op| shares.iter().filter(|s| s.op == op).map(|s| s.weight).sum::<u32>();
        assert_eq!(weight(Op::Read) * 30, weight(Op::Write) * 70);
        assert_eq!(shares.len(), 4);
    }
}
