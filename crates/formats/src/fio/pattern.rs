//! Access pattern of a job's I/Os: `rw`, the mix, `random_distribution`.

use iobound_units::{Bytes, Op, Percent, Ppm};
use iobound_workload::{Access, Distribution, HotZone, Share, StridedZones, ZoneRange};

use super::asked::{Asked, with_percent};
use super::sizes::{block_sizes, index, mix};
use super::units::{Wrong, parse_bytes, parse_millionths};
use crate::nearest::nearest;

/// The I/Os of a job and their places.
pub(super) struct Pattern {
    pub mix: Vec<Share>,
    pub access: Access,
}

impl Pattern {
    /// True if some I/Os are random.
    pub(super) fn is_random(&self) -> bool {
        self.access.random > Percent::ZERO
    }

    /// True if something is written.
    pub(super) fn writes(&self) -> bool {
        self.mix.iter().any(|share| share.op == Op::Write)
    }
}

const KINDS: [&str; 11] = [
    "read",
    "write",
    "trim",
    "rw",
    "readwrite",
    "trimwrite",
    "randread",
    "randwrite",
    "randtrim",
    "randrw",
    "randtrimwrite",
];

/// The pattern of a job; `None` with a problem.
pub(super) fn pattern(asked: &mut Asked<'_>) -> Option<Pattern> {
    let written = asked.text("rw").unwrap_or("read");
    let (kind, postfix) = written.split_once(':').map_or((written, None), |(kind, nr)| (kind, Some(nr)));
    if !KINDS.contains(&kind) {
        let help = match nearest(kind, KINDS) {
            Some(known) => format!("did you mean rw={known}?"),
            None => format!("rw is one of {}", KINDS.join(", ")),
        };
        asked.refuse("rw", format!("`rw={written}` is not a kind of I/O"), help);
        return None;
    }
    let random = kind.starts_with("rand");
    let operations = operations(asked, kind.strip_prefix("rand").unwrap_or(kind))?;
    let mut sizes = block_sizes(asked)?;
    if kind.ends_with("trimwrite") {
        // Each write is as large as the trim before it.
        sizes[index(Op::Write)] = sizes[index(Op::Discard)].clone();
    }
    let mut mix = mix(&operations, &sizes);
    let mut access = if random { Access::random() } else { Access::sequential() };
    if random {
        random_shares(asked, &mut access, &mut mix, postfix)?;
        access.distribution = distribution(asked)?;
        // fio's LFSR goes through every number once, whether a map is kept or not.
        let keeps_map = !asked.truth("norandommap") || asked.text("random_generator") == Some("lfsr");
        access.once_each = keeps_map && access.distribution == Distribution::Uniform;
        align(asked, &mut mix, &mut access)?;
    } else {
        for name in ["percentage_random", "random_distribution", "norandommap"] {
            if asked.get(name).is_some() && asked.text(name) != Some("random") {
                asked.note(name, "has no effect on sequential I/O");
            }
        }
        if asked.get("blockalign").is_some() {
            asked.note("blockalign", "has no effect on sequential I/O");
        }
        (access.stride, access.backward) = stride(asked, &mix, postfix)?;
    }
    access.trim_first = kind.ends_with("trimwrite");
    access.strided = strided(asked)?;
    Some(Pattern { mix, access })
}

/// The operations of a kind and their weights.
fn operations(asked: &mut Asked<'_>, kind: &str) -> Option<Vec<(Op, u32)>> {
    Some(match kind {
        "read" => vec![(Op::Read, 100)],
        "write" => vec![(Op::Write, 100)],
        "trim" => vec![(Op::Discard, 100)],
        "trimwrite" => vec![(Op::Discard, 1), (Op::Write, 1)],
        _ => {
            let reads = asked.count("rwmixread", 50, 0, 100);
            let writes = asked.count("rwmixwrite", 50, 0, 100);
            let (read, write) = (asked.get("rwmixread"), asked.get("rwmixwrite"));
            let reads = match (read, write) {
                (Some(read), Some(write)) if read.order < write.order => 100 - writes,
                (None, Some(_)) => 100 - writes,
                _ => reads,
            };
            vec![(Op::Read, reads), (Op::Write, 100 - reads)]
        }
    })
}

/// `percentage_random` and `rw=randread:8`: how many of the I/Os jump.
fn random_shares(
    asked: &mut Asked<'_>,
    access: &mut Access,
    mix: &mut [Share],
    postfix: Option<&str>,
) -> Option<()> {
    if let Some(text) = asked.text("percentage_random") {
        let mut percents = [Percent::HUNDRED; 3];
        for (percent, part) in percents.iter_mut().zip(Asked::three_numbers(text)) {
            let Some(part) = part else { continue };
            match (part.parse().ok().and_then(Percent::whole), part.strip_suffix('%')) {
                (Some(read), _) => *percent = read,
                (None, bare) => {
                    let what = bare.map_or(format!("percentage_random: `{part}`"), |bare| {
                        with_percent("percentage_random", bare)
                    });
                    asked.refuse("percentage_random", what, "0 to 100 is possible, without a sign: 50");
                    return None;
                }
            }
        }
        access.random = percents[mix.first().map_or(0, |share| index(share.op))];
        for share in mix.iter_mut() {
            share.random = Some(percents[index(share.op)]).filter(|percent| *percent != access.random);
        }
    }
    let Some(postfix) = postfix else { return Some(()) };
    match parse_bytes(postfix, asked.kb_base) {
        Ok(every @ 1..=1_000_000) => {
            // One jump in so many I/Os, of those that would jump.
            let jumps = access.random.ppm() / every as u32;
            access.random = Percent::from_ppm(jumps).unwrap_or(access.random);
            for share in mix {
                let jumps = share.random.map(|percent| percent.ppm() / every as u32);
                share.random = jumps.and_then(Percent::from_ppm);
            }
            if every > 1 {
                asked.note(
                    "rw",
                    format!(
                        "fio jumps at every {every}th I/O; here each jumps with a chance of 1 in {every}"
                    ),
                );
            }
            Some(())
        }
        _ => {
            asked.refuse("rw", format!("`:{postfix}` is not a number of I/Os"), "write rw=randread:8");
            None
        }
    }
}

/// Steps of sequential I/O: the step, and for steps backward the first offset.
type Steps = (Option<Bytes>, Option<Bytes>);

/// `rw=write:4k`: a gap after every sequential I/O; `rw=read:-8k` goes backward.
fn stride(asked: &mut Asked<'_>, mix: &[Share], postfix: Option<&str>) -> Option<Steps> {
    let Some(postfix) = postfix else { return Some((None, None)) };
    let block = u64::from(mix[0].block);
    let one_size = mix.iter().all(|share| u64::from(share.block) == block);
    let (digits, is_backward) = postfix.strip_prefix('-').map_or((postfix, false), |digits| (digits, true));
    let gap = parse_bytes(digits, asked.kb_base).ok().filter(|_| one_size);
    let steps = gap.and_then(|gap| match is_backward {
        false => Some((gap.checked_add(block).filter(|_| gap > 0).map(Bytes), None)),
        // fio adds the gap to the end of the last I/O, and to the end of the file for the first.
        true => {
            gap.checked_sub(block).filter(|step| *step > 0).map(|step| (Some(Bytes(step)), Some(Bytes(gap))))
        }
    });
    if steps.is_none() {
        asked.refuse(
            "rw",
            format!("`:{postfix}` is not a gap in bytes, is not larger than a block backward, or there are several block sizes"),
            "write rw=write:4k, or rw=read:-8k with bs=4k",
        );
    }
    steps
}

/// `zonemode=strided`: a zone's size, the bytes of I/O in each, the distance to the next. Source: `fixup_options` of
/// `init.c`.
fn strided(asked: &mut Asked<'_>) -> Option<Option<StridedZones>> {
    let sizes = ["zonesize", "zonerange", "zoneskip"];
    let mode = match asked.text("zonemode") {
        // Before there was zonemode, zonesize alone asked for zones.
        None if asked.get("zonesize").is_some() => "strided",
        mode => mode.unwrap_or("none"),
    };
    if mode != "strided" {
        for name in sizes {
            if asked.get(name).is_some() {
                asked.note(name, "has no effect without zonemode=strided");
            }
        }
        return Some(None);
    }
    let [size, range, skip] = sizes.map(|name| asked.number(name));
    let Some(size) = size.filter(|size| *size > 0) else {
        asked.refuse("zonemode", "zonemode=strided without zonesize", "add zonesize=256m");
        return None;
    };
    let range = range.filter(|range| *range > 0).unwrap_or(size);
    Some(Some(StridedZones { range: Bytes(range), size: Bytes(size), skip: Bytes(skip.unwrap_or(0)) }))
}

/// `blockalign`: the boundaries of random I/Os. With others than the smallest block of a direction, fio keeps no map of the
/// blocks that it touched (`fixup_options` of its `init.c`).
fn align(asked: &mut Asked<'_>, mix: &mut [Share], access: &mut Access) -> Option<()> {
    let Some(text) = asked.text("blockalign") else { return Some(()) };
    let parts = Asked::three_numbers(text);
    let smallest =
        |op: Op| mix.iter().filter(|share| share.op == op).map(|share| u64::from(share.block)).min();
    let smallest = Op::ALL.map(|op| (op, smallest(op)));
    for share in mix {
        let Some(part) = parts[index(share.op)] else { continue };
        match parse_bytes(part, asked.kb_base) {
            Ok(0) => {}
            Ok(align) if smallest.contains(&(share.op, Some(align))) => {}
            Ok(align) => share.align = Some(Bytes(align)),
            Err((what, help)) => {
                asked.refuse("blockalign", format!("blockalign: {what}"), help);
                return None;
            }
        }
        access.once_each &= share.align.is_none();
    }
    Some(())
}

/// `random_distribution`.
fn distribution(asked: &mut Asked<'_>) -> Option<Distribution> {
    let Some(text) = asked.text("random_distribution") else { return Some(Distribution::Uniform) };
    match read_distribution(text, asked.kb_base) {
        Ok((distribution, center)) => {
            if center {
                asked.note("random_distribution", "the centre is not used: hot blocks are scattered");
            } else if let Distribution::Zipf { .. } | Distribution::Pareto { .. } = distribution {
                asked.note(
                    "random_distribution",
                    "fio scatters the hot blocks by a hash, here a permutation does",
                );
            }
            Some(distribution)
        }
        Err((what, help)) => {
            asked.refuse("random_distribution", format!("random_distribution: {what}"), help);
            None
        }
    }
}

/// A distribution, and whether a centre was given that is not kept.
fn read_distribution(text: &str, kb_base: u64) -> Result<(Distribution, bool), Wrong> {
    let (kind, value) = text.split_once(':').map_or((text, None), |(kind, value)| (kind, Some(value)));
    let help =
        || "write random, zipf:1.2, pareto:0.9, normal:20, zoned:60/10:40/90 or zoned_abs:95/10g".to_string();
    let known = ["random", "zipf", "pareto", "normal", "gauss", "zoned", "zoned_abs"];
    if !known.contains(&kind) {
        return Err((format!("`{text}` is not a distribution"), help()));
    }
    if kind.starts_with("zoned") {
        let value = value.ok_or_else(|| (format!("`{text}` has no zones"), help()))?;
        return zones(value, kind == "zoned_abs", kb_base).map(|zones| (zones, false));
    }
    // fio's own values where none is given.
    let value = value.unwrap_or(match kind {
        "zipf" => "1.1",
        "pareto" => "0.2",
        _ => "0",
    });
    let (number, center) = value.split_once('/').map_or((value, false), |(number, _)| (number, true));
    let millionths = parse_millionths(number)?;
    let outside = |range: &str| (format!("`{text}` is out of range"), format!("{range} is possible"));
    let distribution = match kind {
        "zipf" if millionths == 0 || millionths == 1_000_000 => {
            return Err(outside("a theta above 0 other than 1"));
        }
        "zipf" => Distribution::Zipf { theta: Ppm(millionths) },
        "pareto" if millionths == 0 || millionths >= 1_000_000 => {
            return Err(outside("a power between 0 and 1"));
        }
        "pareto" => Distribution::Pareto { power: Ppm(millionths) },
        "normal" | "gauss" if millionths == 0 || millionths > 100_000_000 => {
            return Err(outside("a deviation above 0, up to 100 percent"));
        }
        "normal" | "gauss" => Distribution::Normal { deviation: Ppm(millionths / 100) },
        _ => Distribution::Uniform,
    };
    Ok((distribution, center))
}

/// `50/5:30/15:20/`: percent of the I/Os / size of the zone; the last size may be all that is left.
fn zones(text: &str, bytes: bool, kb_base: u64) -> Result<Distribution, Wrong> {
    let help = || "write percent of I/Os / size of the zone, adding to 100: 60/10:40/90".to_string();
    let parts = Asked::three(text);
    let text = parts[0].unwrap_or("");
    if parts.iter().any(|part| *part != parts[0]) {
        return Err(("different zones for reads, writes and trims are not supported".to_string(), help()));
    }
    let mut zones = Vec::new();
    let (mut ios, mut sizes) = (0u32, 0u32);
    let count = text.split(':').count();
    for (number, zone) in text.split(':').enumerate() {
        let wrong = || (format!("`{zone}` is not a zone"), help());
        let (share, size) = zone.split_once('/').unwrap_or((zone, ""));
        let share: u32 = share.parse().ok().filter(|n| *n <= 100).ok_or_else(wrong)?;
        ios += share;
        let range = match size.trim_end_matches('%') {
            "" if number + 1 == count => ZoneRange::Rest,
            size if bytes => ZoneRange::Bytes(Bytes(parse_bytes(size, kb_base)?)),
            size => {
                let percent: u32 = size.parse().ok().filter(|n| *n <= 100).ok_or_else(wrong)?;
                sizes += percent;
                ZoneRange::Share(Percent::whole(percent).ok_or_else(wrong)?)
            }
        };
        zones.push(HotZone { ios: Percent::whole(share).ok_or_else(wrong)?, range });
        if ios > 100 || sizes > 100 || zones.len() > 256 {
            return Err((format!("`{text}` adds to more than 100 percent"), help()));
        }
    }
    let open = matches!(zones.last(), Some(HotZone { range: ZoneRange::Rest, .. }));
    if ios != 100 || (!bytes && !open && sizes != 100) {
        return Err((format!("`{text}` does not add to 100 percent"), help()));
    }
    Ok(Distribution::Zones(zones))
}
