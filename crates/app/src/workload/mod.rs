//! The workload that is asked for: one job in flags, or one from elsewhere.

mod foreign;
mod paths;

use iobound_catalog::Resolved;
use iobound_formats::ForeignFile;
use iobound_predict::{behind_the_page_cache, name_targets};
use iobound_report::Wording;
use iobound_units::parse_bytes;
use iobound_workload::{Note, Workload, preset};

use crate::Env;
use crate::failure::Failure;
use crate::options::{FOREIGN, JobOptions, Options, WorkloadOptions, native};
use crate::settings::{ConfigFile, Origin, SettingValue, Settings};

pub use foreign::Machine;
pub use paths::PathMap;

/// Workload for the I/O.
#[derive(Debug)]
pub struct AskedWorkload {
    /// The workloads, one after the other; never empty.
    pub workloads: Vec<Workload>,
    /// The outcome of the words of another tool.
    pub notes: Vec<Note>,
    /// The files that another tool would use, where `--map` puts them.
    pub files: Vec<ForeignFile>,
    /// Tool in whose syntax it was written.
    pub wording: Wording,
    /// True if a duration is given outside of the workload's own description.
    pub timed: bool,
    naming: Naming,
}

/// Meaning of a job's target names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    /// Volumes; another name is an error.
    Volumes,
    /// A job goes to the volume of its own name.
    Jobs,
    /// Files of another tool: a volume, else the first.
    Files,
}

/// Flags that may be laid over a workload from elsewhere: its times, its seed, and how much of a volume it uses.
const OVER: [&str; 4] = ["cooldown", "duration", "size", "warmup"];

/// True if a flag describes a job: it makes a workload of its own where it is given.
pub fn describes_a_job(name: &str) -> bool {
    !OVER.contains(&name)
}

/// Reads the workload that flags, environment and file describe together.
pub fn workload_of(
    args: &WorkloadOptions,
    seed: Option<&str>,
    settings: &mut Settings,
) -> Result<AskedWorkload, Failure> {
    read_workload(args, seed, settings, false)
}

/// The same for a workload that this machine runs: the sizes of its own files and devices count.
pub fn workload_to_run(
    args: &WorkloadOptions,
    seed: Option<&str>,
    settings: &mut Settings,
) -> Result<AskedWorkload, Failure> {
    read_workload(args, seed, settings, true)
}

fn read_workload(
    args: &WorkloadOptions,
    seed: Option<&str>,
    settings: &mut Settings,
    runs_here: bool,
) -> Result<AskedWorkload, Failure> {
    let (mut asked, map) = described_in(&args.jobs, settings, runs_here)?;
    lay_over(&mut asked, args, seed, settings)?;
    mapped(&map, &mut asked)?;
    Ok(asked)
}

/// Reads a workload whose times and seed are not settings: one that ran before, and is not run now.
pub fn jobs_of(args: &JobOptions, settings: &mut Settings) -> Result<AskedWorkload, Failure> {
    let (mut asked, map) = described_in(args, settings, false)?;
    lay_size_over(&mut asked, args, settings)?;
    mapped(&map, &mut asked)?;
    Ok(asked)
}

fn described_in(
    args: &JobOptions,
    settings: &mut Settings,
    runs_here: bool,
) -> Result<(AskedWorkload, PathMap), Failure> {
    let flag = |name: &str| {
        args.get(name).map(|text| SettingValue { text: text.into(), from: Origin::Flag(format!("--{name}")) })
    };
    let flags: Vec<(&str, SettingValue)> = named(flag);
    let environment: Vec<(&str, SettingValue)> = named(|name| settings.in_environment(name));
    let mut map = PathMap::of(&settings.texts("map", &args.map))?;
    let describes = |words: &[(&str, SettingValue)]| words.iter().any(|(name, _)| describes_a_job(name));
    // Who describes a job describes all of it: half of one from here and half from there is nobody's workload.
    let asked = if describes(&flags) {
        described(&flags, &mut map, settings, runs_here)?
    } else if describes(&environment) {
        described(&environment, &mut map, settings, runs_here)?
    } else if let Some((workload, from)) = settings.file().and_then(ConfigFile::workload).cloned() {
        settings.won("workload", Some("[[job]]".into()), Some(&from));
        AskedWorkload::of_workload(workload)
    } else {
        settings.won("workload", Some("random 4KiB reads, 32 outstanding".into()), None);
        described(&[], &mut map, settings, runs_here)?
    };
    Ok((asked, map))
}

/// A mapping that no path begins with is refused where it was typed for this workload, else noted.
fn mapped(map: &PathMap, asked: &mut AskedWorkload) -> Result<(), Failure> {
    let of_paths = asked.naming == Naming::Files;
    for given in map.unused() {
        let (why, help) = if of_paths {
            (
                "no path of the workload starts with it",
                "leave it out, or write the start of the workload's paths",
            )
        } else {
            (
                "only workloads of DiskSpd, fio and Iometer name paths",
                "leave it out; a job given as options runs on every volume",
            )
        };
        match given.from {
            Origin::Flag(_) => {
                return Err(given
                    .refuse(format!("mapping `{}` has no effect: {why}", given.text))
                    .help(help));
            }
            _ => asked.notes.push(Note {
                about: format!("{} {}", given.place(), given.text),
                says: format!("it has no effect here: {why}"),
            }),
        }
    }
    Ok(())
}

fn named(mut find: impl FnMut(&str) -> Option<SettingValue>) -> Vec<(&'static str, SettingValue)> {
    native().into_iter().chain(FOREIGN).filter_map(|name| Some((name, find(name)?))).collect()
}

/// The workload of one level: native words, or exactly one from elsewhere.
fn described(
    words: &[(&str, SettingValue)],
    map: &mut PathMap,
    settings: &mut Settings,
    runs_here: bool,
) -> Result<AskedWorkload, Failure> {
    let is_foreign = |name: &str| FOREIGN.contains(&name);
    for (name, given) in words.iter().filter(|(name, _)| !OVER.contains(name)) {
        settings.won(name, Some(given.text.clone()), Some(&given.from));
    }
    let mut foreign = words.iter().filter(|(name, _)| is_foreign(name));
    let Some((name, given)) = foreign.next() else {
        return native_job(words);
    };
    if let Some((other, _)) = foreign.next() {
        return Err(Failure::input(format!("--{name} and --{other} are both complete workloads"))
            .help("leave one of them out"));
    }
    if let Some((other, _)) = words.iter().find(|(word, _)| !is_foreign(word) && !OVER.contains(word)) {
        return Err(Failure::input(format!(
            "--{other} cannot change --{name}, which is a complete workload"
        ))
        .help(how_to_change(name, &given.text, runs_here)));
    }
    match *name {
        "preset" => {
            let preset = preset(&given.text)?;
            Ok(AskedWorkload {
                workloads: vec![preset.workload],
                notes: vec![Note { about: format!("preset {}", preset.name), says: preset.note }],
                files: Vec::new(),
                wording: Wording::Native,
                timed: false,
                naming: Naming::Jobs,
            })
        }
        "workload" => workload_file(given, settings.env()),
        tool => foreign::read(tool, given, map, runs_here, settings.env()),
    }
}

/// A sentence that tells how to change a complete workload, with the options that override a part of it.
fn how_to_change(name: &str, given: &str, runs_here: bool) -> String {
    // A prediction has no cool-down.
    let over: Vec<&str> = OVER.into_iter().filter(|option| runs_here || *option != "cooldown").collect();
    let itself = match name {
        "preset" => format!(
            "write the TOML that `iobound catalog show {given}` prints to a file, change it there and give the file with --workload"
        ),
        _ => "change it in the workload itself".to_string(),
    };
    format!("{itself}; only --{} and --seed can override it", over.join(", --"))
}

fn native_job(words: &[(&str, SettingValue)]) -> Result<AskedWorkload, Failure> {
    let flags: Vec<(&str, &str)> = words
        .iter()
        .filter(|(name, _)| !OVER.contains(name))
        .filter(|(name, given)| *name != "random" || given.text == "true")
        .map(|(name, given)| (*name, if given.text.is_empty() { "true" } else { given.text.as_str() }))
        .collect();
    let workload = Workload::from_flags(&flags)?;
    Ok(AskedWorkload::of_workload(workload))
}

fn workload_file(given: &SettingValue, env: &Env) -> Result<AskedWorkload, Failure> {
    let path = given.path();
    let file = ConfigFile::read(env, &path)?;
    if file.has_machine() {
        return Err(given
            .refuse(format!("{path} describes the machine as well"))
            .help(format!("use --config {path}, which reads both")));
    }
    let Some((workload, _)) = file.workload() else {
        return Err(given.refuse(format!("{path} has no job")).help("add a [[job]] table"));
    };
    Ok(AskedWorkload::of_workload(workload.clone()))
}

/// Times, seed and size, for jobs of any description.
fn lay_over(
    asked: &mut AskedWorkload,
    args: &WorkloadOptions,
    seed: Option<&str>,
    settings: &mut Settings,
) -> Result<(), Failure> {
    let given = [
        ("duration", args.get("duration")),
        ("warmup", args.get("warmup")),
        ("cooldown", args.get("cooldown")),
        ("seed", seed),
    ];
    let times: Vec<(&str, String)> = given
        .into_iter()
        .filter_map(|(name, flag)| Some((name, settings.text(name, flag, None)?.text)))
        .collect();
    let times: Vec<(&str, &str)> = times.iter().map(|(name, text)| (*name, text.as_str())).collect();
    asked.timed = times.iter().any(|(name, _)| *name == "duration");
    for workload in &mut asked.workloads {
        workload.set_times(&times)?;
    }
    lay_size_over(asked, &args.jobs, settings)
}

fn lay_size_over(
    asked: &mut AskedWorkload,
    args: &JobOptions,
    settings: &mut Settings,
) -> Result<(), Failure> {
    let Some(size) = settings.parse("size", args.get("size"), None, parse_bytes)? else { return Ok(()) };
    for job in asked.workloads.iter_mut().flat_map(|workload| &mut workload.jobs) {
        job.region.size = Some(size);
    }
    Ok(())
}

impl AskedWorkload {
    /// A workload in the project's own words.
    pub(crate) fn of_workload(workload: Workload) -> AskedWorkload {
        AskedWorkload {
            workloads: vec![workload],
            notes: Vec::new(),
            files: Vec::new(),
            wording: Wording::Native,
            timed: false,
            naming: Naming::Volumes,
        }
    }

    /// True if its jobs' names are those of the targets that they go to, as presets have it.
    pub fn is_named_by_jobs(&self) -> bool {
        self.naming == Naming::Jobs
    }

    /// Settles what the jobs' target names mean on these volumes and what the page cache makes of buffered jobs, and takes
    /// the stages apart: jobs that run together are a workload of their own.
    pub fn stages(mut self, resolved: &Resolved) -> (Vec<Workload>, Vec<Note>) {
        for workload in &mut self.workloads {
            match self.naming {
                Naming::Volumes => {}
                Naming::Jobs => {
                    workload.place_by_name(resolved.names.iter().map(|named| named.name.as_str()));
                }
                Naming::Files => {
                    for note in name_targets(workload, resolved) {
                        if !self.notes.contains(&note) {
                            self.notes.push(note);
                        }
                    }
                }
            }
        }
        for workload in &mut self.workloads {
            let (seen, notes) = behind_the_page_cache(workload, resolved);
            *workload = seen;
            self.notes.extend(notes);
        }
        (self.taken_apart(), self.notes)
    }

    /// The workloads with their stages taken apart: jobs that run together are a workload of their own.
    pub fn taken_apart(&self) -> Vec<Workload> {
        self.workloads.iter().flat_map(Workload::stages).collect()
    }
}
