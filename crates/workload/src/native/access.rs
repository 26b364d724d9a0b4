//! Pattern of the offsets: random or sequential, and which distribution.

use iobound_units::{Bytes, Percent, Ppm, parse_bytes, parse_percent};

use super::job::{JobKey, JobPart};
use super::lines::Lines;
use super::quantity::{exact_bytes, exact_millionths, exact_percent, exact_percent_of, parse_millionths};
use super::words::{WordError, Words};
use crate::{Access, Distribution, HotZone, Job, StridedZones, ZoneRange};

/// The keys that choose a distribution: at most one of them.
const DISTRIBUTIONS: [&str; 4] = ["zipf", "hot", "pareto", "normal"];

/// Keys of the places of I/Os.
pub(super) const ACCESS: JobPart = JobPart {
    keys: &[
        JobKey::over("random", &["sequential", "random-share", "stride", "thread-stride", "backward"]),
        JobKey::over(
            "sequential",
            &["random", "random-share", "zipf", "hot", "pareto", "normal", "once-each"],
        ),
        JobKey::over("random-share", &["random", "sequential"]),
        JobKey::over("zipf", &["hot", "pareto", "normal", "once-each"]),
        JobKey::over("hot", &["zipf", "pareto", "normal", "once-each"]),
        JobKey::over("pareto", &["zipf", "hot", "normal", "once-each"]),
        JobKey::over("normal", &["zipf", "hot", "pareto", "once-each"]),
        JobKey::over("once-each", &["zipf", "hot", "pareto", "normal"]),
        JobKey::new("stride"),
        JobKey::new("thread-stride"),
        JobKey::of_jobs("thread-size"),
        JobKey::new("backward"),
        JobKey::new("zone-range"),
        JobKey::new("zone-size"),
        JobKey::new("zone-skip"),
        JobKey::new("trim-first"),
    ],
    read: read_access,
    write: write_access,
};

/// Reads everything about places into the job, whose mix has been read.
fn read_access(words: &Words, job: &mut Job) -> Result<(), WordError> {
    let help = "choose one; for a mix of both write random-share";
    words.exclude("random", "sequential", help)?;
    words.exclude(
        "random-share",
        "random",
        "random-share sets the share of random I/Os; drop one of them",
    )?;
    let random = words.switch("random")?;
    let sequential = words.one_of("sequential", &[("true", false), ("shared", true)])?;
    let share = words.parse("random-share", parse_percent)?;
    job.access = Access {
        random: match (share, sequential) {
            (Some(share), _) => share,
            (None, Some(_)) => Percent::ZERO,
            (None, None) => Percent::HUNDRED,
        },
        distribution: read_distribution(words)?,
        once_each: words.switch("once-each")?,
        stride: words.parse("stride", parse_bytes)?,
        shared: sequential.unwrap_or(false),
        thread_stride: words.parse("thread-stride", parse_bytes)?,
        backward: words.parse("backward", parse_bytes)?,
        strided: read_strided(words)?,
        trim_first: words.switch("trim-first")?,
        thread_size: words.parse("thread-size", parse_bytes)?,
    };
    let skew = DISTRIBUTIONS.into_iter().find(|key| words.has(key));
    let about_random = skew.or(words.has("once-each").then_some("once-each"));
    if let Some(key) = about_random.filter(|_| !job.any_random()) {
        let other = if sequential.is_some() { "sequential" } else { "random-share" };
        return Err(words.conflict(
            key,
            other,
            "it applies to random I/Os, and the job has none; drop one of them",
        ));
    }
    if words.has("thread-size") {
        words.require("thread-size", "thread-stride")?;
    }
    if !job.any_sequential() {
        let sequential_only = ["stride", "thread-stride", "backward"].into_iter();
        let of_parts = |key: &&str| *key == "thread-stride" && words.has("thread-size");
        for key in sequential_only.filter(|key| words.has(key) && !of_parts(key)) {
            if random || share.is_some() {
                let other = if random { "random" } else { "random-share" };
                let help = "it applies to sequential I/Os, and the job has none; drop one of them";
                return Err(words.conflict(key, other, help));
            }
            words.require(key, "sequential")?;
        }
        if job.access.shared {
            let help = "every I/O is random; drop one of them";
            return Err(words.conflict("sequential", "random-share", help));
        }
    }
    if let Some(skew) = skew {
        words.exclude("once-each", skew, "blocks touched alike often have no hot ones; drop one of them")?;
    }
    Ok(())
}

/// Zones that are visited one after the other: a zone's size, the bytes of I/O in it, the distance to the next.
fn read_strided(words: &Words) -> Result<Option<StridedZones>, WordError> {
    let range = words.parse("zone-range", parse_bytes)?;
    let size = words.parse("zone-size", parse_bytes)?;
    let skip = words.parse("zone-skip", parse_bytes)?;
    words.require("zone-size", "zone-range")?;
    words.require("zone-skip", "zone-range")?;
    Ok(range.map(|range| StridedZones { range, size: size.unwrap_or(range), skip: skip.unwrap_or_default() }))
}

fn read_distribution(words: &Words) -> Result<Distribution, WordError> {
    let mut given = DISTRIBUTIONS.into_iter().filter(|key| words.has(key));
    let Some(key) = given.next() else {
        return Ok(Distribution::Uniform);
    };
    if let Some(other) = given.next() {
        return Err(words.conflict(key, other, "both set the distribution; drop one of them"));
    }
    let read = |text: &str| match key {
        "zipf" => Ok(Distribution::Zipf { theta: parse_millionths(text)? }),
        "pareto" => Ok(Distribution::Pareto { power: parse_millionths(text)? }),
        "normal" => {
            let deviation = parse_percent(text).map_err(|error| error.to_string())?;
            Ok(Distribution::Normal { deviation: Ppm(deviation.ppm()) })
        }
        _ => parse_zones(text).map(Distribution::Zones),
    };
    Ok(words.parse::<_, String>(key, read)?.unwrap_or(Distribution::Uniform))
}

/// `90/10`, `95/5,4/10`, `90/100GiB,10/rest`: shares of the I/Os and where each goes, in order.
fn parse_zones(text: &str) -> Result<Vec<HotZone>, String> {
    text.split([',', ':'])
        .map(|zone| {
            let (ios, range) = zone.split_once('/').ok_or_else(|| {
                format!("`{zone}` is not a zone: write the share of the I/Os and the share of the range, as in 90/10")
            })?;
            let ios = parse_percent(ios).map_err(|error| error.to_string())?;
            let range = range.trim();
            let range = if range == "rest" {
                ZoneRange::Rest
            } else if range.ends_with(|c: char| c.is_ascii_alphabetic()) {
                ZoneRange::Bytes(parse_bytes(range).map_err(|error| error.to_string())?)
            } else {
                ZoneRange::Share(parse_percent(range).map_err(|error| error.to_string())?)
            };
            Ok(HotZone { ios, range })
        })
        .collect()
}

fn write_access(lines: &mut Lines, job: &Job) {
    let access = &job.access;
    let (any_random, any_sequential) = (job.any_random(), job.any_sequential());
    let shared = access.shared && any_sequential;
    match (shared, access.random) {
        (true, _) => lines.text("sequential", "shared"),
        (false, Percent::ZERO) => lines.switch("sequential", true),
        (false, Percent::HUNDRED) if !any_sequential => lines.switch("random", true),
        _ => {}
    }
    let said =
        matches!(access.random, Percent::ZERO) || (access.random == Percent::HUNDRED && !any_sequential);
    if !said {
        lines.text("random-share", &exact_percent(access.random));
    }
    if any_random {
        match &access.distribution {
            Distribution::Uniform => {}
            Distribution::Zipf { theta } => lines.raw("zipf", exact_millionths(*theta)),
            Distribution::Pareto { power } => lines.raw("pareto", exact_millionths(*power)),
            Distribution::Normal { deviation } => lines.text("normal", &exact_percent_of(*deviation)),
            Distribution::Zones(zones) => lines.text("hot", &zone_words(zones)),
        }
        lines.switch("once-each", access.once_each);
    }
    if any_sequential {
        lines.size("stride", access.stride);
    }
    if any_sequential || access.thread_size.is_some() {
        lines.size("thread-stride", access.thread_stride);
        lines.size("thread-size", access.thread_size);
    }
    if any_sequential {
        lines.size("backward", access.backward);
    }
    if let Some(zones) = access.strided {
        lines.size("zone-range", Some(zones.range));
        lines.size("zone-size", Some(zones.size));
        lines.size("zone-skip", Some(zones.skip).filter(|skip| *skip > Bytes::ZERO));
    }
    lines.switch("trim-first", access.trim_first);
}

fn zone_words(zones: &[HotZone]) -> String {
    let zones: Vec<String> = zones
        .iter()
        .map(|zone| {
            let range = match zone.range {
                ZoneRange::Share(share) => exact_percent(share),
                ZoneRange::Bytes(size) => exact_bytes(size),
                ZoneRange::Rest => "rest".to_string(),
            };
            format!("{}/{range}", exact_percent(zone.ios))
        })
        .collect();
    zones.join(",")
}
