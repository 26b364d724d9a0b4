//! One job, from its words.

use iobound_units::{Op, Percent, Span, parse_bytes, parse_percent, parse_span};

use super::DEFAULT_DEPTH;
use super::access::read_access;
use super::mix::read_mix;
use super::quantity::parse_exact_rate;
use super::words::{WordError, Words};
use crate::{
    Arrivals, Content, Flow, Job, Load, RangeSync, ReadBack, Region, Repeated, Spread, Targets, Think,
};

/// Every key of a `[[job]]`.
pub const JOB_KEYS: [&str; 52] = [
    "align",
    "arrivals",
    "backward",
    "block",
    "buffered",
    "burst",
    "cap",
    "cap-of",
    "compressible",
    "content",
    "depth",
    "durable",
    "flow-group",
    "flow-pause",
    "flow-weight",
    "flush-at-end",
    "flush-every",
    "flush-range",
    "hot",
    "mix",
    "name",
    "normal",
    "offset",
    "once-each",
    "pareto",
    "random",
    "random-share",
    "rate",
    "read",
    "read-back-after",
    "read-back-batch",
    "runtime",
    "sequential",
    "size",
    "spread",
    "stage",
    "start-after",
    "stop-after",
    "stride",
    "target",
    "targets",
    "think",
    "think-after",
    "thread-stride",
    "thread-size",
    "threads",
    "times-memory",
    "trim-first",
    "zipf",
    "zone-range",
    "zone-size",
    "zone-skip",
];

pub(super) const SPREADS: [(&str, Spread); 3] =
    [("per-target", Spread::PerTarget), ("every", Spread::Every), ("dealt", Spread::Dealt)];
pub(super) const ARRIVALS: [(&str, Arrivals); 2] =
    [("fixed", Arrivals::Fixed), ("poisson", Arrivals::Poisson)];
pub(super) const CONTENTS: [(&str, Content); 3] =
    [("incompressible", Content::Incompressible), ("zeros", Content::Zeros), ("counting", Content::Counting)];
pub(super) const CAPPED: [(&str, Op); 3] =
    [("read", Op::Read), ("write", Op::Write), ("discard", Op::Discard)];
/// The pause of a flow where none is given: short beside the time of any device's I/O.
pub(super) const FLOW_PAUSE: Span = Span::from_us(10);
pub(super) const THINK_AFTER: [(&str, bool); 2] = [("issue", false), ("completion", true)];

/// The job that the words describe; `name` is its name where they give none.
pub(super) fn read_job(words: &Words, name: &str) -> Result<Job, WordError> {
    let mut job = Job::new(words.text("name")?.unwrap_or(name));
    read_mix(words, &mut job)?;
    if let Some(align) = words.parse("align", parse_bytes)? {
        // A part of a mix may say its own.
        for share in job.mix.iter_mut().filter(|share| share.op != Op::Flush) {
            share.align.get_or_insert(align);
        }
    }
    read_access(words, &mut job)?;
    job.targets = read_targets(words)?;
    job.threads = words.count("threads")?.unwrap_or(1);
    job.spread = words.one_of("spread", &SPREADS)?.unwrap_or(Spread::PerTarget);
    job.load = read_load(words)?;
    words.require("cap-of", "cap")?;
    job.cap_of = words.one_of("cap-of", &CAPPED)?;
    job.flow = read_flow(words)?;
    job.region = Region {
        offset: words.parse("offset", parse_bytes)?.unwrap_or_default(),
        size: words.parse("size", parse_bytes)?,
    };
    job.think = read_think(words)?;
    job.flush_every = words.count("flush-every")?;
    words.require("flush-range", "flush-every")?;
    if let Some(text) = words.text("flush-range")? {
        let steps = RangeSync::parse(text);
        let help = "write some of wait-before, write and wait-after, with commas between them";
        job.flush_range = Some(steps.ok_or_else(|| words.error("flush-range", help))?);
    }
    words.require("read-back-batch", "read-back-after")?;
    if let Some(every) = words.count("read-back-after")? {
        let batch = words.count("read-back-batch")?.unwrap_or(every);
        job.read_back_after = Some(ReadBack { every, batch });
    }
    job.flush_at_end = words.switch("flush-at-end")?;
    job.durable = words.switch("durable")?;
    job.buffered = words.switch("buffered")?;
    job.stage = words.count("stage")?.unwrap_or(0);
    job.start_after = words.parse("start-after", parse_span)?.unwrap_or_default();
    job.runtime = words.parse("runtime", parse_span)?;
    job.stop_after = words.parse("stop-after", parse_bytes)?;
    job.times_memory = words.count("times-memory")?;
    if job.times_memory == Some(0) {
        return Err(words.error("times-memory", "it is zero: write 2 for twice the machine's memory"));
    }
    job.content = read_content(words)?;
    if job.flush_every.is_some() && !job.writes() {
        let help = "nothing is written, so nothing is flushed; add writes or drop it";
        return Err(words.error("flush-every", help));
    }
    if job.read_back_after.is_some() && !job.writes() {
        let help = "nothing is written, so nothing is read back; add writes or drop it";
        return Err(words.error("read-back-after", help));
    }
    if job.flush_at_end && !job.writes() {
        return Err(
            words.error("flush-at-end", "nothing is written, so nothing is flushed; add writes or drop it")
        );
    }
    Ok(job)
}

fn read_targets(words: &Words) -> Result<Targets, WordError> {
    words.exclude("target", "targets", "one is a name, the other a list; drop one of them")?;
    if let Some(name) = words.text("target")? {
        return Ok(Targets::Named(vec![name.to_string()]));
    }
    match words.texts("targets") {
        None => Ok(Targets::All),
        Some([]) => Err(words.error("targets", "the list is empty: name a target, or leave it out for all")),
        Some(names) => Ok(Targets::Named(names.to_vec())),
    }
}

fn read_load(words: &Words) -> Result<Load, WordError> {
    words.exclude("cap", "rate", "a cap bounds a closed loop, a rate makes an open one; drop one of them")?;
    words.require("arrivals", "rate")?;
    words.exclude(
        "think",
        "rate",
        "the rate already sets the time of each I/O; write cap instead of rate",
    )?;
    let depth = words.count("depth")?.unwrap_or(DEFAULT_DEPTH);
    Ok(match words.parse("rate", parse_exact_rate)? {
        Some(rate) => {
            let arrivals = words.one_of("arrivals", &ARRIVALS)?.unwrap_or(Arrivals::Fixed);
            Load::Open { rate, arrivals, depth }
        }
        None => Load::Closed { depth, cap: words.parse("cap", parse_exact_rate)? },
    })
}

fn read_flow(words: &Words) -> Result<Option<Flow>, WordError> {
    words.require("flow-group", "flow-weight")?;
    words.require("flow-pause", "flow-weight")?;
    let Some(weight) = words.count("flow-weight")? else { return Ok(None) };
    let group = words.count("flow-group")?.unwrap_or(0);
    let pause = words.parse("flow-pause", parse_span)?.unwrap_or(FLOW_PAUSE);
    Ok(Some(Flow { group, weight, pause }))
}

fn read_think(words: &Words) -> Result<Option<Think>, WordError> {
    words.require("burst", "think")?;
    words.require("think-after", "think")?;
    let Some(time) = words.parse("think", parse_span)? else {
        return Ok(None);
    };
    let burst = words.count("burst")?.unwrap_or(1);
    let after_completion = words.one_of("think-after", &THINK_AFTER)?.unwrap_or(true);
    Ok(Some(Think { burst, time, after_completion }))
}

fn read_content(words: &Words) -> Result<Content, WordError> {
    words.exclude("compressible", "content", "both set the content of blocks; drop one of them")?;
    let share: Option<Percent> = words.parse("compressible", parse_percent)?;
    Ok(match share {
        Some(share) => Content::Compressible(share),
        None => match words.text("content")?.and_then(Repeated::parse) {
            Some(bytes) => Content::Repeated(bytes),
            None => words.one_of("content", &CONTENTS)?.unwrap_or_default(),
        },
    })
}
