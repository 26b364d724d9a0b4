//! Keys of a job. Each is declared once, with its reader and its writer, and with the keys that a run of an experiment drops
//! when it sets this one.

use iobound_units::{Op, Percent, Span, parse_bytes, parse_percent, parse_span};

use super::DEFAULT_DEPTH;
use super::access::ACCESS;
use super::lines::{Lines, word_of};
use super::mix::MIX;
use super::quantity::{exact_percent, exact_rate, exact_span, parse_exact_rate};
use super::words::{WordError, Words};
use crate::{
    Arrivals, CapOf, Content, Flow, Job, Load, RangeSync, ReadBack, Repeated, Spread, Targets, Think,
};

/// The declaration of a key of a job.
#[derive(Clone, Copy, Debug)]
pub struct JobKey {
    /// The key: `flush-every`.
    pub name: &'static str,
    /// Older keys that a run of an experiment drops when it sets this one; `None` if an experiment cannot set it.
    pub displaces: Option<&'static [&'static str]>,
}

impl JobKey {
    /// A key that displaces no other.
    pub(super) const fn new(name: &'static str) -> JobKey {
        JobKey { name, displaces: Some(&[]) }
    }

    /// A key that displaces older ones.
    pub(super) const fn over(name: &'static str, displaces: &'static [&'static str]) -> JobKey {
        JobKey { name, displaces: Some(displaces) }
    }

    /// A key that an experiment cannot set.
    pub(super) const fn of_jobs(name: &'static str) -> JobKey {
        JobKey { name, displaces: None }
    }
}

/// Keys that are read and written together.
pub(super) struct JobPart {
    /// The keys.
    pub(super) keys: &'static [JobKey],
    /// Reads the keys into a job.
    pub(super) read: fn(&Words, &mut Job) -> Result<(), WordError>,
    /// Writes the keys such that reading them gives the same job. Keys without effect are left out.
    pub(super) write: fn(&mut Lines, &Job),
}

/// All keys of a job, in the order in which they are read and written. The mix decides what other keys may say.
const PARTS: [JobPart; 23] = [
    JobPart {
        keys: &[JobKey::of_jobs("name")],
        read: |words, job| {
            if let Some(name) = words.text("name")? {
                job.name = name.to_string();
            }
            Ok(())
        },
        write: |lines, job| lines.text("name", &job.name),
    },
    JobPart {
        keys: &[JobKey::of_jobs("target"), JobKey::new("targets")],
        read: read_targets,
        write: |lines, job| {
            if let Targets::Named(names) = &job.targets {
                lines.list("targets", names.iter().cloned());
            }
        },
    },
    JobPart {
        keys: &[JobKey::new("threads")],
        read: |words, job| words.count("threads").map(|threads| job.threads = threads.unwrap_or(1)),
        write: |lines, job| lines.raw("threads", job.threads),
    },
    JobPart {
        keys: &[JobKey::new("spread")],
        read: |words, job| {
            words.one_of("spread", &SPREADS).map(|spread| job.spread = spread.unwrap_or(Spread::PerTarget))
        },
        write: |lines, job| {
            if job.spread != Spread::PerTarget {
                lines.text("spread", word_of(&SPREADS, &job.spread));
            }
        },
    },
    JobPart {
        keys: &[
            JobKey::new("depth"),
            JobKey::over("rate", &["cap", "think", "burst", "think-after"]),
            JobKey::new("arrivals"),
            JobKey::over("cap", &["rate", "arrivals"]),
        ],
        read: read_load,
        write: write_load,
    },
    JobPart {
        keys: &[JobKey::of_jobs("cap-of")],
        read: |words, job| {
            words.require("cap-of", "cap")?;
            words.one_of("cap-of", &CAPPED).map(|held| job.cap_of = held)
        },
        write: |lines, job| {
            if let Some(held) = job.cap_of {
                lines.text("cap-of", word_of(&CAPPED, &held));
            }
        },
    },
    JobPart {
        keys: &[JobKey::of_jobs("flow-weight"), JobKey::of_jobs("flow-group"), JobKey::of_jobs("flow-pause")],
        read: read_flow,
        write: |lines, job| {
            if let Some(flow) = job.flow {
                lines.raw("flow-weight", flow.weight);
                lines.raw("flow-group", flow.group);
                lines.text("flow-pause", &exact_span(flow.pause));
            }
        },
    },
    MIX,
    ACCESS,
    JobPart {
        keys: &[JobKey::new("offset"), JobKey::new("size")],
        read: |words, job| {
            job.region.offset = words.parse("offset", parse_bytes)?.unwrap_or_default();
            words.parse("size", parse_bytes).map(|size| job.region.size = size)
        },
        write: |lines, job| {
            lines.size("offset", Some(job.region.offset).filter(|offset| offset.0 > 0));
            lines.size("size", job.region.size);
        },
    },
    JobPart {
        keys: &[JobKey::new("align")],
        read: |words, job| {
            if let Some(align) = words.parse("align", parse_bytes)? {
                // A part of a mix may say its own.
                for share in job.mix.iter_mut().filter(|share| share.op != Op::Flush) {
                    share.align.get_or_insert(align);
                }
            }
            Ok(())
        },
        write: |lines, job| lines.size("align", job.common_align()),
    },
    JobPart {
        keys: &[JobKey::new("think"), JobKey::new("burst"), JobKey::new("think-after")],
        read: read_think,
        write: |lines, job| {
            if let Some(think) = job.think {
                lines.text("think", &exact_span(think.time));
                lines.raw("burst", think.burst);
                lines.text("think-after", word_of(&THINK_AFTER, &think.after_completion));
            }
        },
    },
    JobPart {
        keys: &[JobKey::new("flush-every"), JobKey::new("flush-range")],
        read: read_flushes,
        write: |lines, job| {
            if let Some(every) = job.flush_every.filter(|_| job.writes()) {
                lines.raw("flush-every", every);
                if let Some(steps) = job.flush_range {
                    lines.text("flush-range", &steps.to_string());
                }
            }
        },
    },
    JobPart {
        keys: &[JobKey::of_jobs("read-back-after"), JobKey::of_jobs("read-back-batch")],
        read: read_reads_back,
        write: |lines, job| {
            if let Some(read_back) = job.read_back_after.filter(|_| job.writes()) {
                lines.raw("read-back-after", read_back.every);
                lines.raw("read-back-batch", read_back.batch);
            }
        },
    },
    JobPart {
        keys: &[JobKey::of_jobs("flush-at-end")],
        read: |words, job| {
            job.flush_at_end = words.switch("flush-at-end")?;
            writes(words, job, "flush-at-end", "flushed")
        },
        write: |lines, job| lines.switch("flush-at-end", job.flush_at_end && job.writes()),
    },
    JobPart {
        keys: &[JobKey::new("durable")],
        read: |words, job| words.switch("durable").map(|durable| job.durable = durable),
        write: |lines, job| lines.switch("durable", job.durable),
    },
    JobPart {
        keys: &[JobKey::new("buffered")],
        read: |words, job| words.switch("buffered").map(|buffered| job.buffered = buffered),
        write: |lines, job| lines.switch("buffered", job.buffered),
    },
    JobPart {
        keys: &[JobKey::of_jobs("stage")],
        read: |words, job| words.count("stage").map(|stage| job.stage = stage.unwrap_or(0)),
        write: |lines, job| {
            if job.stage != 0 {
                lines.raw("stage", job.stage);
            }
        },
    },
    JobPart {
        keys: &[JobKey::new("start-after")],
        read: |words, job| {
            words.parse("start-after", parse_span).map(|after| job.start_after = after.unwrap_or_default())
        },
        write: |lines, job| lines.span("start-after", job.start_after),
    },
    JobPart {
        keys: &[JobKey::new("runtime")],
        read: |words, job| words.parse("runtime", parse_span).map(|runtime| job.runtime = runtime),
        write: |lines, job| {
            if let Some(runtime) = job.runtime {
                lines.text("runtime", &exact_span(runtime));
            }
        },
    },
    JobPart {
        keys: &[JobKey::new("stop-after")],
        read: |words, job| words.parse("stop-after", parse_bytes).map(|size| job.stop_after = size),
        write: |lines, job| lines.size("stop-after", job.stop_after),
    },
    JobPart {
        keys: &[JobKey::of_jobs("times-memory")],
        read: |words, job| {
            job.times_memory = words.count("times-memory")?;
            match job.times_memory {
                Some(0) => {
                    let help = "it is zero: write 2 for twice the machine's memory";
                    Err(words.error("times-memory", help))
                }
                _ => Ok(()),
            }
        },
        write: |lines, job| {
            if let Some(times) = job.times_memory {
                lines.raw("times-memory", times);
            }
        },
    },
    JobPart {
        keys: &[JobKey::new("compressible"), JobKey::new("content")],
        read: read_content,
        write: |lines, job| match job.content {
            Content::Incompressible => {}
            Content::Compressible(share) => lines.text("compressible", &exact_percent(share)),
            Content::Repeated(bytes) => lines.text("content", &bytes.to_string()),
            content => lines.text("content", word_of(&CONTENTS, &content)),
        },
    },
];

const SPREADS: [(&str, Spread); 3] =
    [("per-target", Spread::PerTarget), ("every", Spread::Every), ("dealt", Spread::Dealt)];
const ARRIVALS: [(&str, Arrivals); 2] = [("fixed", Arrivals::Fixed), ("poisson", Arrivals::Poisson)];
const CONTENTS: [(&str, Content); 3] =
    [("incompressible", Content::Incompressible), ("zeros", Content::Zeros), ("counting", Content::Counting)];
const CAPPED: [(&str, CapOf); 4] = [
    ("read", CapOf::One(Op::Read)),
    ("write", CapOf::One(Op::Write)),
    ("discard", CapOf::One(Op::Discard)),
    ("each", CapOf::Each),
];
/// The pause of a flow where none is given: short beside the time of any device's I/O.
const FLOW_PAUSE: Span = Span::from_us(10);
const THINK_AFTER: [(&str, bool); 2] = [("issue", false), ("completion", true)];

/// Every key of a `[[job]]`.
pub fn job_keys() -> impl Iterator<Item = &'static JobKey> {
    const { &PARTS }.iter().flat_map(|part| part.keys)
}

/// The names of the keys, in the order of the alphabet.
pub(super) fn key_names() -> Vec<&'static str> {
    let mut names: Vec<&str> = job_keys().map(|key| key.name).collect();
    names.sort_unstable();
    names
}

/// The job that the words describe; `name` is its name where they give none.
pub(super) fn read_job(words: &Words, name: &str) -> Result<Job, WordError> {
    let mut job = Job::new(name);
    PARTS.iter().try_for_each(|part| (part.read)(words, &mut job))?;
    Ok(job)
}

/// Writes the keys of a job.
pub(super) fn write_job(lines: &mut Lines, job: &Job) {
    PARTS.iter().for_each(|part| (part.write)(lines, job));
}

fn read_targets(words: &Words, job: &mut Job) -> Result<(), WordError> {
    words.exclude("target", "targets", "one is a name, the other a list; drop one of them")?;
    job.targets = match (words.text("target")?, words.texts("targets")) {
        (Some(name), _) => Targets::Named(vec![name.to_string()]),
        (None, None) => Targets::All,
        (None, Some([])) => {
            return Err(words.error("targets", "the list is empty: name a target, or leave it out for all"));
        }
        (None, Some(names)) => Targets::Named(names.to_vec()),
    };
    Ok(())
}

fn read_load(words: &Words, job: &mut Job) -> Result<(), WordError> {
    words.exclude("cap", "rate", "a cap bounds a closed loop, a rate makes an open one; drop one of them")?;
    words.require("arrivals", "rate")?;
    words.exclude(
        "think",
        "rate",
        "the rate already sets the time of each I/O; write cap instead of rate",
    )?;
    let depth = words.count("depth")?.unwrap_or(DEFAULT_DEPTH);
    job.load = match words.parse("rate", parse_exact_rate)? {
        Some(rate) => {
            let arrivals = words.one_of("arrivals", &ARRIVALS)?.unwrap_or(Arrivals::Fixed);
            Load::Open { rate, arrivals, depth }
        }
        None => Load::Closed { depth, cap: words.parse("cap", parse_exact_rate)? },
    };
    Ok(())
}

fn write_load(lines: &mut Lines, job: &Job) {
    match job.load {
        Load::Closed { depth, cap } => {
            lines.raw("depth", depth);
            if let Some(cap) = cap {
                lines.text("cap", &exact_rate(cap));
            }
        }
        Load::Open { rate, arrivals, depth } => {
            lines.raw("depth", depth);
            lines.text("rate", &exact_rate(rate));
            lines.text("arrivals", word_of(&ARRIVALS, &arrivals));
        }
    }
}

fn read_flow(words: &Words, job: &mut Job) -> Result<(), WordError> {
    words.require("flow-group", "flow-weight")?;
    words.require("flow-pause", "flow-weight")?;
    let Some(weight) = words.count("flow-weight")? else { return Ok(()) };
    let group = words.count("flow-group")?.unwrap_or(0);
    let pause = words.parse("flow-pause", parse_span)?.unwrap_or(FLOW_PAUSE);
    job.flow = Some(Flow { group, weight, pause });
    Ok(())
}

fn read_think(words: &Words, job: &mut Job) -> Result<(), WordError> {
    words.require("burst", "think")?;
    words.require("think-after", "think")?;
    let Some(time) = words.parse("think", parse_span)? else {
        return Ok(());
    };
    let burst = words.count("burst")?.unwrap_or(1);
    let after_completion = words.one_of("think-after", &THINK_AFTER)?.unwrap_or(true);
    job.think = Some(Think { burst, time, after_completion });
    Ok(())
}

fn read_flushes(words: &Words, job: &mut Job) -> Result<(), WordError> {
    job.flush_every = words.count("flush-every")?;
    words.require("flush-range", "flush-every")?;
    if let Some(text) = words.text("flush-range")? {
        let steps = RangeSync::parse(text);
        let help = "write some of wait-before, write and wait-after, with commas between them";
        job.flush_range = Some(steps.ok_or_else(|| words.error("flush-range", help))?);
    }
    writes(words, job, "flush-every", "flushed")
}

fn read_reads_back(words: &Words, job: &mut Job) -> Result<(), WordError> {
    words.require("read-back-batch", "read-back-after")?;
    if let Some(every) = words.count("read-back-after")? {
        let batch = words.count("read-back-batch")?.unwrap_or(every);
        job.read_back_after = Some(ReadBack { every, batch });
    }
    writes(words, job, "read-back-after", "read back")
}

/// Refuses a key about writes, which are to be `done`, for a job that writes nothing.
fn writes(words: &Words, job: &Job, key: &'static str, done: &str) -> Result<(), WordError> {
    if words.has(key) && !job.writes() {
        let help = format!("nothing is written, so nothing is {done}; add writes or drop it");
        return Err(words.error(key, help));
    }
    Ok(())
}

fn read_content(words: &Words, job: &mut Job) -> Result<(), WordError> {
    words.exclude("compressible", "content", "both set the content of blocks; drop one of them")?;
    let share: Option<Percent> = words.parse("compressible", parse_percent)?;
    job.content = match share {
        Some(share) => Content::Compressible(share),
        None => match words.text("content")?.and_then(Repeated::parse) {
            Some(bytes) => Content::Repeated(bytes),
            None => words.one_of("content", &CONTENTS)?.unwrap_or_default(),
        },
    };
    Ok(())
}
