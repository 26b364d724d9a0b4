//! From fio's jobs to a workload.

use std::collections::{BTreeMap, BTreeSet};

use iobound_units::{Bytes, Op, Percent, Span};
use iobound_workload::{Content, Job, Load, Spread, Targets, Workload};

use super::Context;
use super::asked::Asked;
use super::buffer_pattern;
use super::jobfile::{JobFile, Section};
use super::layout::layout;
use super::pace;
use super::pattern::{Pattern, pattern};
use super::units::Bare;
use crate::error::Trouble;
use crate::notes::Notes;
use crate::{Foreign, ForeignFile, Tool};

/// The duration of a workload whose jobs end when their work is done: a year, so that sums with it stay small.
pub const UNTIL_DONE: Span = Span::from_secs(365 * 24 * 3600);

/// The most files of all jobs together: what a short text can ask for is bounded.
const MOST_LISTED: usize = 100_000;

/// One of fio's jobs as ours, with what a workload has once for all of them.
struct Made {
    job: Job,
    /// Time that it measures; `None` until its work is done.
    runtime: Option<Span>,
    warmup: Span,
    seed: u64,
    exits_all: bool,
}

/// The workload of all jobs; `None` with at least one problem.
pub(super) fn convert(
    file: &JobFile,
    context: &dyn Context,
    trouble: &mut Trouble,
    notes: &mut Notes,
) -> Option<Foreign> {
    let mut made: Vec<Made> = Vec::new();
    let mut files: Vec<ForeignFile> = Vec::new();
    // Where each file is in the list, and how large the jobs so far make it.
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut laid_out: BTreeMap<String, u64> = BTreeMap::new();
    let mut targets = 0;
    let mut stage = 0;
    for (index, section) in file.jobs.iter().enumerate() {
        let waits = waits(file, index, stage, &made, trouble);
        if waits || (index > 0 && section.settings.truth("stonewall")) {
            stage += 1;
        }
        let place = (context, &laid_out);
        if let Some((mut one, own_files)) = job(section, place, trouble, notes) {
            one.job.stage = stage;
            if let Targets::Named(names) = &one.job.targets {
                targets += names.len();
            }
            made.push(one);
            for file in own_files {
                if let Some(size) = file.size {
                    let largest = laid_out.entry(file.name.clone()).or_insert(0);
                    *largest = size.get().max(*largest);
                }
                match known.get(&file.name) {
                    Some(at) => join(&mut files[*at], file),
                    None => {
                        known.insert(file.name.clone(), files.len());
                        files.push(file);
                    }
                }
            }
        }
        if targets > MOST_LISTED || files.len() > MOST_LISTED {
            let what = format!("all jobs together have more than {MOST_LISTED} files");
            trouble.add(section.at, what, "use fewer files: nrfiles, numjobs, filename");
            break;
        }
    }
    if !trouble.is_empty() || made.is_empty() {
        return None;
    }
    part_ways(&mut made, &mut files);
    let duration = made.iter().map(|one| one.runtime.unwrap_or(UNTIL_DONE)).max().unwrap_or(UNTIL_DONE);
    let warmup = made.iter().map(|one| one.warmup).max().unwrap_or(Span::ZERO);
    if made.iter().any(|one| one.warmup != warmup) {
        notes.add("ramp_time", format!("differs between jobs: {warmup} is used for all"));
    }
    let seed = made[0].seed;
    if made.iter().any(|one| one.seed != seed) {
        notes.add("randseed", format!("differs between jobs: {seed} is used for all"));
    }
    if made.iter().any(|one| one.exits_all) && made.iter().any(|one| one.runtime != made[0].runtime) {
        notes.add("exitall", "fio would end all jobs when one ends; here each ends at its own time");
    }
    let mut jobs = Vec::new();
    for mut one in made {
        one.job.runtime = one.runtime.filter(|runtime| *runtime < duration);
        jobs.push(one.job);
    }
    let workload = Workload { jobs, duration, warmup, cooldown: Span::ZERO, seed };
    Some(Foreign { tool: Tool::Fio, workload, then: Vec::new(), notes: Vec::new(), files })
}

/// True if a job waits for all jobs before it by `wait_for`: stages run one after the other, so that the job it names has
/// to be alone in the last one.
fn waits(file: &JobFile, index: usize, stage: u16, made: &[Made], trouble: &mut Trouble) -> bool {
    let section = &file.jobs[index];
    let Some(setting) = section.settings.get("wait_for") else { return false };
    let named = setting.value.as_deref().unwrap_or_default();
    let is_named = |job: &Job| job.name == named;
    let last: Vec<&Job> = made.iter().map(|one| &one.job).filter(|job| job.stage == stage).collect();
    if last.iter().all(|job| is_named(job)) && !last.is_empty() {
        return true;
    }
    // A job that runs beside those that wait for the same one has nothing of its own to wait for.
    let before = stage.checked_sub(1).is_some_and(|before| {
        let mut earlier = made.iter().map(|one| &one.job).filter(|job| job.stage == before).peekable();
        earlier.peek().is_some() && earlier.all(is_named)
    });
    if !before {
        let (what, help) = match file.jobs[..index].iter().any(|job| job.name == named) {
            true => (
                format!("wait_for={named}: other jobs run at the same time as `{named}`"),
                "use stonewall, which waits for all",
            ),
            false => (
                format!("wait_for={named}: no job before it has that name"),
                "name a job above it, or use stonewall",
            ),
        };
        trouble.add(setting.at, what, help);
    }
    false
}

/// A file that some jobs use directly and others through the page cache becomes two targets, each opened one way.
fn part_ways(made: &mut [Made], files: &mut Vec<ForeignFile>) {
    let names_of = |buffered: bool, made: &[Made]| -> BTreeSet<String> {
        let jobs = made.iter().map(|one| &one.job).filter(|job| job.buffered == buffered);
        let names = jobs.filter_map(|job| match &job.targets {
            Targets::Named(names) => Some(names.clone()),
            Targets::All => None,
        });
        names.flatten().collect()
    };
    let both: BTreeSet<String> = names_of(true, made).intersection(&names_of(false, made)).cloned().collect();
    if both.is_empty() {
        return;
    }
    let renamed = |name: &str| format!("{name} (buffered)");
    for job in made.iter_mut().map(|one| &mut one.job).filter(|job| job.buffered) {
        if let Targets::Named(names) = &mut job.targets {
            names.iter_mut().filter(|name| both.contains(*name)).for_each(|name| *name = renamed(name));
        }
    }
    let twice: Vec<ForeignFile> = files
        .iter()
        .filter(|file| both.contains(&file.target))
        .map(|file| ForeignFile { target: renamed(&file.target), ..file.clone() })
        .collect();
    files.extend(twice);
}

/// One file of several jobs is as large as the one that uses most of it asks for.
fn join(file: &mut ForeignFile, other: ForeignFile) {
    file.size = file.size.max(other.size);
    file.create |= other.create;
    file.unlink |= other.unlink;
}

/// One job; `None` with at least one problem.
fn job(
    section: &Section,
    (context, laid_out): (&dyn Context, &BTreeMap<String, u64>),
    trouble: &mut Trouble,
    notes: &mut Notes,
) -> Option<(Made, Vec<ForeignFile>)> {
    let before = trouble.count();
    let mut asked = Asked { context, laid_out, ..Asked::new(section, trouble, notes) };
    asked.remark();
    if asked.text("read_iolog").is_some() {
        return replaying(asked);
    }
    for name in REPLAY_OPTIONS {
        if asked.get(name).is_some() {
            asked.note(name, "without read_iolog it has no effect");
        }
    }
    let pattern = pattern(&mut asked);
    let depth = pace::depth(&mut asked);
    let (mut pattern, depth) = (pattern?, depth?);
    let layout = layout(&mut asked, &pattern)?;
    // `name=` renames the job; its files keep the section's name.
    let mut job = Job::new(asked.text("name").unwrap_or(&section.name));
    let trims_first = pattern.access.trim_first;
    (job.load, job.cap_of) = pace::load(&mut asked, depth, layout.clones, &mut pattern.mix, trims_first)?;
    job.flow = pace::flow(&mut asked);
    job.think = pace::think(&mut asked);
    job.durable = pace::is_durable(&mut asked);
    job.buffered = !pace::is_direct(&asked);
    if let Some((every, steps)) = pace::flush_every(&mut asked, pattern.writes()) {
        (job.flush_every, job.flush_range) = (Some(every), steps);
    }
    job.read_back_after = pace::read_back_after(&mut asked, pattern.writes());
    job.flush_at_end = flush_at_end(&mut asked, pattern.writes());
    job.content = content(&mut asked);
    if job.buffered {
        asked.note(
            "direct",
            "without direct=1, the page cache is used: a run measures memory too, while a prediction assumes that \
             every I/O reaches the disk",
        );
    }
    if asked.truth("readonly") && pattern.mix.iter().any(|share| share.op != Op::Read) {
        asked.refuse(
            "readonly",
            "only reads are allowed, but the job writes or trims",
            "use rw=read or randread",
        );
    }
    let time = time(&mut asked);
    let once = layout.once.map(|once| one_pass(&pattern, once));
    let work = work(&mut asked, &pattern, once, &time);
    job.start_after = start_delay(&mut asked);
    let seed = seed(&mut asked, pattern.is_random());
    let exits_all = asked.truth("exitall");
    job.targets = Targets::Named(layout.targets);
    job.threads = layout.threads;
    job.spread = layout.spread;
    job.region = layout.region;
    job.mix = pattern.mix;
    job.access = pattern.access;
    (job.access.thread_stride, job.access.thread_size) = (layout.thread_stride, layout.thread_size);
    job.stop_after = work.map(Bytes);
    let made = Made { job, runtime: time.runtime, warmup: time.warmup, seed, exits_all };
    (trouble.count() == before).then_some((made, layout.files))
}

/// Options of a replay.
const REPLAY_OPTIONS: [&str; 6] = [
    "replay_no_stall",
    "replay_redirect",
    "replay_scale",
    "replay_align",
    "replay_time_scale",
    "replay_skip",
];

/// A job that replays a log. Its targets and its mix follow from the log, which whoever runs the job reads
/// ([`super::Reporting`]); until then it has neither.
fn replaying(mut asked: Asked<'_>) -> Option<(Made, Vec<ForeignFile>)> {
    let before = asked.trouble.count();
    if !asked.notes.reported {
        asked.cannot(
            "read_iolog",
            "only a run replays a log in the words of fio",
            "use --trace with the log in place of --fio",
        );
        return None;
    }
    for name in ["filename", "size", "rw", "bs", "bssplit", "offset", "rate", "rate_iops", "thinktime"] {
        if asked.get(name).is_some() {
            asked.note(name, "no effect: the log of read_iolog has the operations, places and times");
        }
    }
    if asked.get("directory").is_some() {
        // fio 3.33 puts the folder before names that have it already, looks for them without it, and ends by a signal.
        asked.note("directory", "no effect: the names in the log of read_iolog are complete");
    }
    if asked.truth("verify") {
        asked.cannot("verify", "the blocks of a log are not verified", "leave it out");
    }
    let depth = pace::depth(&mut asked)?;
    let mut job = Job::new(asked.text("name").unwrap_or(&asked.section.name));
    job.load = Load::Closed { depth, cap: None };
    job.spread = Spread::Dealt;
    job.threads = asked.count("numjobs", 1, 1, 4096);
    job.buffered = !pace::is_direct(&asked);
    job.content = content(&mut asked);
    job.targets = Targets::Named(Vec::new());
    job.start_after = start_delay(&mut asked);
    let time = time(&mut asked);
    let seed = seed(&mut asked, false);
    let exits_all = asked.truth("exitall");
    let made = Made { job, runtime: time.runtime, warmup: time.warmup, seed, exits_all };
    (asked.trouble.count() == before).then_some((made, Vec::new()))
}

/// End of a job.
struct JobTime {
    runtime: Option<Span>,
    warmup: Span,
    based: bool,
}

fn time(asked: &mut Asked<'_>) -> JobTime {
    let runtime = asked.time("runtime", Bare::Seconds).filter(|runtime| !runtime.is_zero());
    let mut based = asked.truth("time_based");
    if based && runtime.is_none() {
        asked.note("time_based", "without a runtime fio ignores it: the job ends when its size is done");
        based = false;
    }
    let warmup = asked.time("ramp_time", Bare::Seconds).unwrap_or(Span::ZERO);
    for (name, time) in [("runtime", runtime.unwrap_or(Span::ZERO)), ("ramp_time", warmup)] {
        if time > UNTIL_DONE {
            asked.refuse(name, format!("{name} is longer than a year"), "give a shorter time");
        }
    }
    JobTime { runtime, warmup, based }
}

/// The bytes of one pass over `len` bytes. fio ends where the next I/O would not fit; with gaps between its I/Os also where
/// the last one ends at the end of the file, and else it begins again. Source: `get_next_seq_offset` and `fill_io_u` of
/// `io_u.c`.
fn one_pass(pattern: &Pattern, len: u64) -> u64 {
    let block = u64::from(pattern.mix[0].block);
    if pattern.mix.iter().any(|share| u64::from(share.block) != block) || len < block {
        return len;
    }
    let (Some(Bytes(step)), None) = (pattern.access.stride, pattern.access.backward) else {
        return len / block * block;
    };
    let (whole, rest) = (len / step, len % step);
    match rest {
        0 => len,
        rest if rest < block => whole * block,
        rest if rest == block => (whole + 1) * block,
        _ => len,
    }
}

/// Number of bytes that a thread moves before it is done; `None` where only time ends it.
fn work(asked: &mut Asked<'_>, pattern: &Pattern, once: Option<u64>, time: &JobTime) -> Option<u64> {
    let mix = &pattern.mix;
    // Each block that is trimmed is written too, and fio counts `size` once.
    let loops = asked.number("loops").unwrap_or(1).max(1) * if pattern.access.trim_first { 2 } else { 1 };
    let io_size = asked.number("io_size").filter(|size| *size > 0);
    let count = asked.number("number_ios").filter(|count| *count > 0);
    let sized = io_size.or(once).map(|size| size.saturating_mul(loops));
    let counted = count.map(|count| {
        if mix.iter().any(|share| share.block != mix[0].block) {
            asked.note(
                "number_ios",
                "with several block sizes, the number of bytes follows from the mean size",
            );
        }
        let weights: u128 = mix.iter().map(|share| u128::from(share.weight)).sum();
        let bytes: u128 = mix.iter().map(|share| u128::from(share.weight) * u128::from(share.block)).sum();
        u64::try_from(u128::from(count) * (bytes / weights)).unwrap_or(u64::MAX)
    });
    if time.based {
        return None;
    }
    let bound = match (sized, counted) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    };
    if bound.is_none() && time.runtime.is_none() {
        asked.cannot(
            "runtime",
            format!(
                "the job `{}` would cover a file or device once, and its size is unknown",
                asked.section.name
            ),
            "add size=10g, or runtime=60 and time_based",
        );
    } else if bound.is_none() {
        asked.note(
            "runtime",
            "without time_based, fio stops when the whole file or device is done; here the runtime applies",
        );
    }
    bound
}

/// `startdelay`, which may be a range.
fn start_delay(asked: &mut Asked<'_>) -> Span {
    match asked.text("startdelay") {
        Some(range) if range.contains('-') => {
            asked.cannot("startdelay", "a random delay is not supported", "give one time");
            Span::ZERO
        }
        _ => asked.time("startdelay", Bare::Seconds).unwrap_or(Span::ZERO),
    }
}

fn seed(asked: &mut Asked<'_>, random: bool) -> u64 {
    for name in ["randrepeat", "allrandrepeat"] {
        // A run draws anew as well: `Conduct::draws_anew`.
        let is_off = asked.get(name).is_some() && !asked.truth(name);
        if random && is_off && !asked.notes.reported {
            asked.note(
                name,
                "fio uses a new seed in every run; here the same seed gives the same I/Os, see --seed",
            );
        }
    }
    asked.number("randseed").unwrap_or(0)
}

/// `end_fsync` and `fsync_on_close`: a job closes its files once, at its end.
fn flush_at_end(asked: &mut Asked<'_>, writes: bool) -> bool {
    let named = ["end_fsync", "fsync_on_close"].into_iter().find(|name| asked.truth(name));
    if let Some(name) = named.filter(|_| !writes) {
        asked.note(name, "nothing is written: no effect");
    }
    named.is_some() && writes
}

/// The written data.
fn content(asked: &mut Asked<'_>) -> Content {
    if let Some(pattern) = asked.text("buffer_pattern") {
        if asked.truth("buffer_compress_percentage") || asked.truth("dedupe_percentage") {
            asked.cannot(
                "buffer_pattern",
                "a pattern between random data, as buffer_compress_percentage and dedupe_percentage make it, is not carried",
                "keep one of them",
            );
        }
        return buffer_pattern::parse(pattern).unwrap_or_else(|(what, help)| {
            asked.refuse("buffer_pattern", format!("buffer_pattern: {what}"), help);
            Content::default()
        });
    }
    if asked.truth("zero_buffers") {
        return Content::Zeros;
    }
    match asked.count("buffer_compress_percentage", 0, 0, 100) {
        0 => Content::Incompressible,
        100 => Content::Zeros,
        percent => Content::Compressible(Percent::whole(percent).expect("checked to be at most 100")),
    }
}
