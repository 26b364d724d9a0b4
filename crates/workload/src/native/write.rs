//! A workload written back as native TOML, such that reading it gives the same workload.

use std::fmt::Write;

use iobound_units::{Bytes, Op, Percent, Span};

use super::job::{ARRIVALS, CAPPED, CONTENTS, SPREADS, THINK_AFTER};
use super::quantity::{
    exact_bytes, exact_millionths, exact_percent, exact_percent_of, exact_rate, exact_span,
};
use crate::{Content, Distribution, HotZone, Job, Load, Share, Spread, Targets, Workload, ZoneRange};

/// Lines of `key = value`.
struct Lines(String);

impl Lines {
    fn raw(&mut self, key: &str, value: impl std::fmt::Display) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{key} = {value}");
    }

    fn text(&mut self, key: &str, value: &str) {
        self.raw(key, quoted(value));
    }

    fn list(&mut self, key: &str, values: impl Iterator<Item = String>) {
        let values: Vec<String> = values.map(|value| quoted(&value)).collect();
        self.raw(key, format!("[{}]", values.join(", ")));
    }

    fn switch(&mut self, key: &str, on: bool) {
        if on {
            self.raw(key, true);
        }
    }

    fn size(&mut self, key: &str, size: Option<Bytes>) {
        if let Some(size) = size {
            self.text(key, &exact_bytes(size));
        }
    }

    fn span(&mut self, key: &str, span: Span) {
        if !span.is_zero() {
            self.text(key, &exact_span(span));
        }
    }
}

fn quoted(text: &str) -> String {
    toml::Value::String(text.to_string()).to_string()
}

/// The word of a choice; every choice is in its list.
fn word_of<T: PartialEq>(choices: &[(&'static str, T)], choice: &T) -> &'static str {
    choices.iter().find(|(_, value)| value == choice).map_or("", |(word, _)| word)
}

impl Workload {
    /// The workload as native TOML. Fields without effect are left away: a stride where nothing is sequential, a
    /// distribution where nothing is random.
    pub fn to_toml(&self) -> String {
        let mut lines = Lines(String::new());
        lines.text("duration", &exact_span(self.duration));
        lines.span("warmup", self.warmup);
        lines.span("cooldown", self.cooldown);
        if self.seed != 0 {
            // TOML's own numbers end at 2^63.
            lines.text("seed", &self.seed.to_string());
        }
        for job in &self.jobs {
            lines.0.push_str("\n[[job]]\n");
            write_job(&mut lines, job);
        }
        lines.0
    }
}

fn write_job(lines: &mut Lines, job: &Job) {
    lines.text("name", &job.name);
    if let Targets::Named(names) = &job.targets {
        lines.list("targets", names.iter().cloned());
    }
    lines.raw("threads", job.threads);
    if job.spread != Spread::PerTarget {
        lines.text("spread", word_of(&SPREADS, &job.spread));
    }
    write_load(lines, job);
    if let Some(op) = job.cap_of {
        lines.text("cap-of", word_of(&CAPPED, &op));
    }
    if let Some(flow) = job.flow {
        lines.raw("flow-weight", flow.weight);
        lines.raw("flow-group", flow.group);
        lines.text("flow-pause", &exact_span(flow.pause));
    }
    write_mix(lines, job);
    write_access(lines, job);
    lines.size("offset", Some(job.region.offset).filter(|offset| offset.0 > 0));
    lines.size("size", job.region.size);
    lines.size("align", job.common_align());
    if let Some(think) = job.think {
        lines.text("think", &exact_span(think.time));
        lines.raw("burst", think.burst);
        lines.text("think-after", word_of(&THINK_AFTER, &think.after_completion));
    }
    if let Some(every) = job.flush_every.filter(|_| job.writes()) {
        lines.raw("flush-every", every);
        if let Some(steps) = job.flush_range {
            lines.text("flush-range", &steps.to_string());
        }
    }
    if let Some(read_back) = job.read_back_after.filter(|_| job.writes()) {
        lines.raw("read-back-after", read_back.every);
        lines.raw("read-back-batch", read_back.batch);
    }
    lines.switch("flush-at-end", job.flush_at_end && job.writes());
    lines.switch("durable", job.durable);
    lines.switch("buffered", job.buffered);
    if job.stage != 0 {
        lines.raw("stage", job.stage);
    }
    lines.span("start-after", job.start_after);
    if let Some(runtime) = job.runtime {
        lines.text("runtime", &exact_span(runtime));
    }
    lines.size("stop-after", job.stop_after);
    if let Some(times) = job.times_memory {
        lines.raw("times-memory", times);
    }
    match job.content {
        Content::Incompressible => {}
        Content::Compressible(share) => lines.text("compressible", &exact_percent(share)),
        Content::Repeated(bytes) => lines.text("content", &bytes.to_string()),
        content => lines.text("content", word_of(&CONTENTS, &content)),
    }
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
        let _ = write!(words, " {}", exact_bytes(Bytes(u64::from(share.block))));
    }
    if let Some(random) = share.random {
        let _ = write!(words, " random {}", exact_percent(random));
    }
    if let Some(align) = share.align.filter(|align| Some(*align) != common) {
        let _ = write!(words, " align {}", exact_bytes(align));
    }
    words
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
