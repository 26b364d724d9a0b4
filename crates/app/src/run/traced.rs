//! `run --trace`: a recorded trace on real targets.

use std::sync::Arc;

use iobound_drive::ReplayMode;
use iobound_load::run::{OpenSource, TracePlace, TraceReplay};
use iobound_trace::Analysis;
use iobound_units::{Bytes, Grouped, Op, Ppm, Rate, Span, parse_bytes, parse_count};
use iobound_workload::{Arrivals, Job, Load, Share, Spread, Workload};

use super::how::RunOptions;
use super::memory::UNTIL_DONE;
use super::targets::{AskedTarget, RunTargets};
use crate::Failure;
use crate::options::{ConfigurationOptions, WorkloadOptions};
use crate::replay::{ReplayOptions, ReplayWish, refuse};
use crate::settings::Settings;
use crate::trace::{Kept, ReadAgain, analyse, not_opened};
use crate::workload::AskedWorkload;

/// The most outstanding I/Os of a replay; more wait, and are counted. A disk of 5,000 IOPS serves as many in 3.3 s.
const DEPTH: u64 = 16_384;
/// Memory of all buffers, unless fewer than [`LEAST_DEPTH`] would have room.
const BUFFERS: u64 = 256 << 20;
const LEAST_DEPTH: u64 = 16;
/// Lengths of an operation that the result names; the longest is always one of them.
const LENGTHS: usize = 16;
/// New files have whole MiB.
const MIB: u64 = 1 << 20;

/// A trace to run, and where.
#[derive(Clone, Debug)]
pub(crate) struct TraceRun {
    pub(crate) wish: ReplayWish,
    /// Offsets are scaled to targets that are smaller than the device was; else they are wrapped.
    pub(crate) scales: bool,
    /// Size of each target, if it is given.
    pub(crate) size: Option<Bytes>,
    pub(crate) seed: u64,
}

impl TraceRun {
    /// Reads the options of a run with a trace; `None` of a run without.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read, or if an option has no meaning with a trace or needs one.
    pub(crate) fn read(
        own: &ReplayOptions,
        offsets: Option<&str>,
        workload: &WorkloadOptions,
        configuration: &ConfigurationOptions,
        how: &RunOptions,
        seed: Option<&str>,
        settings: &mut Settings,
    ) -> Result<Option<TraceRun>, Failure> {
        if own.trace.is_empty() {
            own.refuse_without_trace()?;
            if let Some(word) = offsets {
                return Err(Failure::input(format!("--offsets {word} without --trace: it is about a trace"))
                    .help("leave it out, or add --trace FILE"));
            }
            return Ok(None);
        }
        refuse(workload, &["map", "size"], "describes a workload, and the trace takes its place")?;
        refuse(configuration, &[], "is about a prediction; `iobound predict --trace` predicts")?;
        let idle = [
            (how.find_knee, "--find-knee", "a search needs a workload whose depth can change"),
            (how.load_goal.is_some(), "--find-load", "a search needs a workload whose depth can change"),
            (how.until.is_some(), "--until", "the trace has an end of its own"),
            (
                how.verify.is_some(),
                "--verify",
                "the trace says where blocks are written, and they may overlap",
            ),
            (how.max_iops.is_some(), "--max-iops", "the trace has its own rate; --speed changes it"),
            (how.write_through, "--write-through", "the trace has its own flushes"),
        ];
        if let Some((_, option, why)) = idle.into_iter().find(|(is_set, ..)| *is_set) {
            return Err(
                Failure::input(format!("{option} beside --trace: {why}")).help("leave one of the two out")
            );
        }
        let scales = match offsets {
            None | Some("wrap") => false,
            Some("scale") => true,
            Some(other) => {
                return Err(Failure::input(format!("--offsets {other}: the word is unknown"))
                    .help("write wrap or scale"));
            }
        };
        let wish = own.read(&workload.jobs.map)?;
        let size = settings.parse("size", workload.jobs.size.as_deref(), None, parse_bytes)?;
        let count = |text: &str| parse_count(text).map_err(|error| error.to_string());
        let seed = settings.parse("seed", seed, None, count)?.unwrap_or(0);
        Ok(Some(TraceRun { wish, scales, size, seed }))
    }

    /// A workload that stands for the trace until it is read: one that reads and writes.
    pub(crate) fn placeholder(&self) -> AskedWorkload {
        let mut job = Job::new("trace");
        job.mix.push(Share { op: Op::Write, ..job.mix[0] });
        AskedWorkload::of_workload(Workload::new(vec![job], UNTIL_DONE))
    }

    /// Reads the trace once, and gives its workload and the sizes of new files. `how` then has the trace.
    ///
    /// # Errors
    /// Returns an error if the trace cannot be read, or if a map names a target that does not exist.
    pub(crate) fn fitted(
        &self,
        places: &mut RunTargets,
        how: &mut RunOptions,
    ) -> Result<(Vec<Workload>, Vec<String>), Failure> {
        for map in &self.wish.maps {
            if !places.targets.iter().any(|target| target.name == map.to) {
                let names: Vec<&str> = places.targets.iter().map(|target| target.name.as_str()).collect();
                return Err(Failure::input(format!(
                    "--map {}={}: there is no target {}",
                    map.from, map.to, map.to
                ))
                .help(format!("write one of {}; NAME=PATH names a target", names.join(", "))));
            }
        }
        let mut trace = self.wish.open(&how.env)?;
        let kept = Kept::behind(&mut trace);
        let (analysis, names) = analyse(&how.env, &mut trace)?.whole(&trace.files)?;
        if self.wish.mode == ReplayMode::Dependent && analysis.with_latency < data_of(&analysis) {
            return Err(Failure::input(format!(
                "--replay dependent needs recorded latencies, and {} of {} reads and writes have none",
                Grouped(data_of(&analysis).saturating_sub(analysis.with_latency)),
                Grouped(data_of(&analysis))
            ))
            .help("use --replay timed, or a trace with latencies"));
        }
        let placed: Vec<usize> = names.iter().map(|name| place_of(name, places)).collect();
        self.set_sizes(places, &analysis, &placed);
        let file_name = |file: &String| file.rsplit('/').next().unwrap_or(file).to_string();
        let name = self.wish.files.iter().map(file_name).collect::<Vec<_>>().join("+");
        let lasts = Span::from_ns(scaled(analysis.last_ns, self.wish.speed));
        let job = trace_job(&name, &analysis, lasts);
        let again = {
            let (env, wish) = (how.env.clone(), self.wish.clone());
            kept.finish(&trace, move || wish.open(&env))?
        };
        let mut notes = Vec::new();
        let on_first = placed.iter().filter(|at| **at == 0).count();
        if on_first > 1 {
            notes.push(format!(
                "{on_first} devices of the trace share the target {}, at the same offsets: --map DEVICE=TARGET separates them",
                places.targets[0].name
            ));
        }
        how.traces = vec![Arc::new(TraceReplay {
            job: job.name.clone(),
            lowers_depth: true,
            open: opener(again),
            mode: self.wish.mode,
            speed: self.wish.speed,
            places: names
                .iter()
                .zip(&placed)
                .zip(&analysis.devices)
                .map(|((device, at), figures)| TracePlace {
                    device: device.clone(),
                    target: places.targets[*at].name.clone(),
                    scaled_from: self.scales.then_some(figures.highest),
                    divisor: 1,
                })
                .collect(),
            align: 1,
            lasts,
        })];
        let mut workload = Workload::new(vec![Job { buffered: how.buffered, ..job }], UNTIL_DONE);
        workload.seed = self.seed;
        Ok((vec![workload], notes))
    }

    /// Files that do not exist get the size that their devices need.
    fn set_sizes(&self, places: &mut RunTargets, analysis: &Analysis, placed: &[usize]) {
        for (index, target) in places.targets.iter_mut().enumerate() {
            let devices = analysis.devices.iter().zip(placed).filter(|(_, at)| **at == index);
            let end = devices.map(|(device, _)| device.highest).max().unwrap_or(0);
            for file in &mut target.files {
                let is_new = !file.path.exists() || file.path.is_dir();
                let own = Bytes(end.max(1).div_ceil(MIB).saturating_mul(MIB));
                file.size = self.size.or(is_new.then_some(own));
            }
        }
    }
}

/// Opens a trace again, in whatever thread asks.
pub(crate) fn opener(again: ReadAgain) -> OpenSource {
    Box::new(move || again.open().map_err(|failure| not_opened(&failure)))
}

fn data_of(analysis: &Analysis) -> u64 {
    analysis.ios_of(Op::Read) + analysis.ios_of(Op::Write)
}

/// A time at a speed.
pub(crate) fn scaled(ns: u64, speed: Ppm) -> u64 {
    u64::try_from(u128::from(ns) * 1_000_000 / u128::from(speed.0)).unwrap_or(u64::MAX)
}

/// The target of a device: the one of its name, else the first.
fn place_of(device: &str, places: &RunTargets) -> usize {
    let named = |target: &AskedTarget| target.name == device;
    places.targets.iter().position(named).unwrap_or(0)
}

/// The job of a trace: its operations and lengths as a mix, its mean rate, and the depth that has room.
pub(crate) fn trace_job(name: &str, analysis: &Analysis, lasts: Span) -> Job {
    let mut job = Job::new(name);
    job.mix.clear();
    let (mut bytes, mut ios) = (0u128, 0u64);
    for op in Op::ALL {
        let (mut lengths, mut longest) = (Vec::new(), 0);
        for device in &analysis.devices {
            let figures = device.of(op);
            ios += figures.ios;
            bytes += figures.bytes;
            longest = longest.max(figures.sizes.longest());
            lengths.extend(figures.sizes.most_frequent(LENGTHS));
        }
        if op == Op::Flush {
            lengths = lengths.into_iter().map(|(_, count)| (0, count)).collect();
            longest = 0;
        }
        lengths.push((longest, 1));
        lengths.sort_unstable_by_key(|(length, _)| *length);
        let has_any = lengths.len() > 1;
        for (length, count) in lengths.into_iter().filter(|_| has_any) {
            let block = length.checked_next_multiple_of(512).and_then(|length| u32::try_from(length).ok());
            let Some(block) = block.filter(|block| op == Op::Flush || *block > 0) else { continue };
            // A discard of a whole device needs no buffer, and no target as large.
            let block = if op == Op::Discard { block.min(1 << 20) } else { block };
            let weight = u32::try_from(count).unwrap_or(u32::MAX);
            match job.mix.last_mut().filter(|share| share.op == op && share.block == block) {
                Some(share) => share.weight = share.weight.saturating_add(weight),
                None => job.mix.push(Share { weight, op, block, random: None, align: None }),
            }
        }
    }
    let moved = job.mix.iter().filter(|share| share.op.moves_data());
    let largest = moved.map(|share| u64::from(share.block)).max().unwrap_or(512);
    let depth = (BUFFERS / largest).clamp(LEAST_DEPTH, DEPTH) as u32;
    job.spread = Spread::Dealt;
    let rate = Rate::Ios { count: ios.max(1), per: lasts.max(Span::from_ms(1)) };
    job.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth };
    job.stop_after = Some(Bytes(u64::try_from(bytes).unwrap_or(u64::MAX).max(1)));
    job
}
