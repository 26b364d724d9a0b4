//! A run's settings become a workload: one that is given whole, in native words or another tool's, with the keys
//! that are set laid over every job of it.

use iobound_formats::{Foreign, diskspd, fio, iometer};
use iobound_units::{Op, Percent, Span};
use iobound_workload::{
    DEFAULT_DEPTH, DEFAULT_DURATION, Job, Load, NativeError, Note, Share, TIME_KEYS, Workload, preset,
};
use toml::{Table, Value as Toml};

use crate::error::Problem;
use crate::setting::{SOURCE_KEYS, Setting, Settings, Value, displaced, is_job_key};

/// A workload and what became of the words it was given in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Asked {
    pub(crate) workload: Workload,
    pub(crate) notes: Vec<Note>,
    /// Jobs run on every volume, whatever names the foreign words have.
    pub(crate) on_all: bool,
}

/// Reads the workload out of a run's settings.
pub(crate) fn read_workload(settings: &Settings) -> Result<Asked, Problem> {
    let (base, notes) = read_source(settings)?;
    let over: Vec<&Setting> = settings
        .iter()
        .filter(|setting| is_job_key(setting.key) || TIME_KEYS.contains(&setting.key))
        .collect();
    let on_all =
        matches!(settings.get("targets"), Some(Setting { value: Value::One(all), .. }) if all == "all");
    if over.is_empty() {
        return Ok(Asked { workload: base, notes, on_all });
    }
    Ok(Asked { workload: lay_over(&base, &over)?, notes, on_all })
}

/// The workload that is given whole; without one, the native default.
fn read_source(settings: &Settings) -> Result<(Workload, Vec<Note>), Problem> {
    let (mut workload, notes) = read_source_as_written(settings)?;
    workload.jobs.iter_mut().for_each(simplify_mix);
    Ok((workload, notes))
}

/// Weights as parts of a million where the mix is reads and writes of one size, as the native keys `block` and
/// `read` give it: so that these keys can be laid over it.
fn simplify_mix(job: &mut Job) {
    let Some(first) = job.mix.first().copied() else { return };
    let is_plain = |share: &Share| {
        share.block == first.block
            && share.random.is_none()
            && share.align == first.align
            && matches!(share.op, Op::Read | Op::Write)
    };
    if !job.mix.iter().all(is_plain) {
        return;
    }
    let total: u64 = job.mix.iter().map(|share| u64::from(share.weight)).sum();
    let reads: u64 = job.mix.iter().filter(|s| s.op == Op::Read).map(|s| u64::from(s.weight)).sum();
    if total == 0 || !(reads * 1_000_000).is_multiple_of(total) {
        return;
    }
    if let Some(read) = Percent::from_ppm((reads * 1_000_000 / total) as u32) {
        job.set_mix(first.block, read);
    }
}

fn read_source_as_written(settings: &Settings) -> Result<(Workload, Vec<Note>), Problem> {
    let mut sources = SOURCE_KEYS.into_iter().filter_map(|key| settings.get(key));
    let Some(source) = sources.next() else {
        let mut job = Job::new("job");
        job.load = Load::Closed { depth: DEFAULT_DEPTH, cap: None };
        return Ok((Workload::new(vec![job], DEFAULT_DURATION), Vec::new()));
    };
    if let Some(other) = sources.next() {
        let message = format!(
            "`{}` does not go with `{}`: each is a whole workload; drop one of them",
            other.key, source.key
        );
        return Err(Problem::new(&other.spot, message));
    }
    let (text, spot) = settings.text(source.key)?.unwrap_or(("", &source.spot));
    let read = match source.key {
        "diskspd" => diskspd::parse_line(text).map_err(|error| error.to_string()).and_then(only_one),
        "fio" => read_fio(text).and_then(only_one),
        "iometer" => iometer::parse_access_spec(text).map_err(|error| error.to_string()).and_then(only_one),
        _ => preset(text).map(|preset| (preset.workload, Vec::new())).map_err(|error| error.to_string()),
    };
    read.map_err(|message| Problem::new(spot, format!("`{}`: {message}", source.key)))
}

/// A command line, or the text of a job file: that begins with a section.
fn read_fio(text: &str) -> Result<Foreign, String> {
    let is_job_file = text.lines().map(str::trim).any(|line| line.starts_with('[') && line.ends_with(']'));
    let read = if is_job_file {
        fio::parse_job_file(text, "fio", &fio::NoContext)
    } else {
        fio::parse_line(text, &fio::NoContext)
    };
    read.map_err(|error| error.to_string())
}

/// The workload of foreign words that are one run.
fn only_one(foreign: Foreign) -> Result<(Workload, Vec<Note>), String> {
    match foreign.then.len() {
        0 => Ok((foreign.workload, foreign.notes)),
        more => Err(format!("it is {} runs one after the other: give each a [[run]] of its own", more + 1)),
    }
}

/// Writes the keys into the workload's own native form and reads that again, so that they mean what they mean
/// everywhere.
fn lay_over(base: &Workload, over: &[&Setting]) -> Result<Workload, Problem> {
    let mut document: Table =
        base.to_toml().parse().unwrap_or_else(|error| panic!("a workload's own form can't be read: {error}"));
    for setting in over.iter().filter(|setting| TIME_KEYS.contains(&setting.key)) {
        document.insert(setting.key.to_string(), written(setting));
    }
    let over: Vec<&&Setting> = over.iter().filter(|setting| is_job_key(setting.key)).collect();
    let Some(Toml::Array(jobs)) = document.get_mut("job") else { panic!("a workload has jobs") };
    for job in jobs.iter_mut().filter_map(Toml::as_table_mut) {
        for setting in &over {
            refuse_half_of_a_mix(job, setting, &over)?;
        }
        for setting in &over {
            for key in
                displaced(setting.key).iter().filter(|key| !over.iter().any(|other| other.key == **key))
            {
                job.remove(*key);
            }
        }
        for setting in &over {
            match (setting.key, &setting.value) {
                ("targets", Value::One(all)) if all == "all" => drop(job.remove("targets")),
                _ => drop(job.insert(setting.key.to_string(), written(setting))),
            }
        }
        if over.iter().any(|setting| matches!(setting.key, "block" | "read")) {
            job.remove("mix");
        }
    }
    let text = toml::to_string(&document).unwrap_or_else(|error| panic!("a table can't be written: {error}"));
    match Workload::from_toml("", &text) {
        Ok(Some(workload)) => Ok(workload),
        Ok(None) => panic!("a workload has jobs"),
        Err(error) => Err(at_its_key(&error, &over)),
    }
}

fn written(setting: &Setting) -> Toml {
    match &setting.value {
        Value::One(text) => Toml::String(text.clone()),
        Value::Many(texts) => Toml::Array(texts.iter().cloned().map(Toml::String).collect()),
    }
}

/// A mix that is written out says both sizes and directions: one alone would silently replace the other.
fn refuse_half_of_a_mix(job: &Table, setting: &Setting, over: &[&&Setting]) -> Result<(), Problem> {
    let other = match setting.key {
        "block" => "read",
        "read" => "block",
        _ => return Ok(()),
    };
    let given = over.iter().any(|setting| setting.key == other);
    if !job.contains_key("mix") || given {
        return Ok(());
    }
    let message = format!(
        "`{}`: the workload below has a mix of several kinds of I/O: give `{other}` as well, or the whole `mix`",
        setting.key
    );
    Err(Problem::new(&setting.spot, message))
}

/// The problem at the key of the run that it is about, else at the first.
fn at_its_key(error: &NativeError, over: &[&&Setting]) -> Problem {
    let named = |setting: &&&&Setting| error.message.contains(&format!("`{}`", setting.key));
    let spot = over.iter().find(named).or(over.first()).map_or(0..0, |setting| setting.spot.clone());
    Problem { spot, message: error.message.clone() }
}

/// Duration of a workload's run, with warm-up, cool-down and all stages.
pub(crate) fn length(workload: &Workload) -> Span {
    let stages = workload.jobs.iter().map(|job| u64::from(job.stage) + 1).max().unwrap_or(1);
    workload.warmup + Span::from_ns(workload.duration.ns().saturating_mul(stages)) + workload.cooldown
}
