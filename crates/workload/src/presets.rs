//! Workloads of real systems by name, each with its source. A preset is a workload file like any other; its
//! `[preset]` table says where its figures are from.

use thiserror::Error;

use crate::nearest::nearest;
use crate::{Targets, Workload};

/// A preset's name and its file.
type Entry = (&'static str, &'static str);

macro_rules! entries {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../presets/", $name, ".toml")))),*]
    };
}

const ENTRIES: [Entry; 24] = entries![
    "cassandra",
    "crdb-tpcc",
    "elasticsearch",
    "etcd-wal",
    "google-hyperdisk",
    "google-pd",
    "greenplum-scan",
    "hana-kpi",
    "iometer-db",
    "iometer-exchange",
    "iometer-file",
    "iometer-web",
    "kafka",
    "mongodb-wt",
    "mysql-innodb",
    "oracle-dss",
    "oracle-oltp",
    "peak-4k",
    "postgres-oltp",
    "spc1-like",
    "sqlserver-log",
    "sqlserver-oltp",
    "sqlserver-scan",
    "vdi-steady",
];

/// A workload of a real system.
#[derive(Clone, Debug, PartialEq)]
pub struct Preset {
    /// Its name: `sqlserver-oltp`.
    pub name: &'static str,
    /// Its description, in one line.
    pub about: String,
    /// Source of its figures.
    pub source: String,
    /// Share of the preset that the source states.
    pub confidence: Confidence,
    /// Caveats to read before using its figures.
    pub note: String,
    /// The jobs. None names a target: see [`Workload::place_by_name`].
    pub workload: Workload,
}

/// Share of a preset that its source states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Confidence {
    /// All of it; depths where no source gives one are said in the note.
    Published,
    /// A part; the note says which part is ours.
    Partly,
    /// Little: general knowledge of the system, to be checked against a trace of your own.
    Memory,
}

impl Confidence {
    /// The word for it in every output.
    pub const fn name(self) -> &'static str {
        match self {
            Confidence::Published => "published",
            Confidence::Partly => "partly",
            Confidence::Memory => "memory",
        }
    }
}

/// A name that no preset has.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("there is no preset `{name}`: {}", suggestion(near))]
pub struct UnknownPreset {
    /// The name as given.
    pub name: String,
    /// The nearest names there are.
    pub near: Vec<&'static str>,
}

fn suggestion(near: &[&str]) -> String {
    match near {
        [] => "choose another".into(),
        near => format!("did you mean {}?", near.join(" or ")),
    }
}

/// The names of all presets, sorted.
pub fn preset_names() -> impl Iterator<Item = &'static str> {
    ENTRIES.iter().map(|(name, _)| *name)
}

/// All presets, sorted by name.
pub fn presets() -> Vec<Preset> {
    ENTRIES.iter().map(read).collect()
}

/// The preset of this name.
///
/// # Errors
/// Returns an error if no preset has the name; it suggests the nearest.
pub fn preset(name: &str) -> Result<Preset, UnknownPreset> {
    match ENTRIES.iter().find(|(known, _)| *known == name) {
        Some(entry) => Ok(read(entry)),
        None => Err(UnknownPreset { name: name.to_string(), near: nearest(name, preset_names()) }),
    }
}

/// Reads one of our own files; that each can be read is tested.
fn read((name, text): &Entry) -> Preset {
    let workload = Workload::from_toml(name, text).unwrap_or_else(|error| panic!("{error}"));
    let document: toml::Table = text.parse().expect("it was read as a workload");
    let said = |key: &str| match document.get("preset").and_then(|preset| preset.get(key)) {
        Some(toml::Value::String(text)) => text.clone(),
        _ => panic!("preset {name} says no {key}"),
    };
    let confidence = match said("confidence").as_str() {
        "published" => Confidence::Published,
        "partly" => Confidence::Partly,
        "memory" => Confidence::Memory,
        other => panic!("preset {name} has the confidence {other}"),
    };
    Preset {
        name,
        about: said("about"),
        source: said("source"),
        confidence,
        note: said("note"),
        workload: workload.unwrap_or_else(|| panic!("preset {name} has no job")),
    }
}

impl Workload {
    /// Puts each job that names no target onto the target (or the members) of the job's own name, where there is
    /// one: a preset's `log` goes to the volume `log`, beside `data` on `data`.
    pub fn place_by_name<'a>(&mut self, names: impl IntoIterator<Item = &'a str> + Clone) {
        for job in self.jobs.iter_mut().filter(|job| job.targets == Targets::All) {
            if names.clone().into_iter().any(|name| name == job.name) {
                job.targets = Targets::Named(vec![job.name.clone()]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;
    use iobound_units::{Bytes, TargetId};

    #[test]
    fn every_preset_has_a_source_and_runs_on_a_large_volume() {
        let volume =
            Target { name: "data".into(), id: TargetId(0), size: Bytes::gib(4_096), members_of: None };
        for preset in presets() {
            assert!(preset.source.len() > 10 && preset.about.len() > 10 && preset.note.len() > 10);
            let queues = preset.workload.queues(std::slice::from_ref(&volume)).unwrap();
            let mut generators = preset.workload.generators(&queues);
            assert!(generators.iter_mut().all(|generator| generator.next().len > 0), "{}", preset.name);
            assert_eq!(
                Workload::from_toml(preset.name, &preset.workload.to_toml()),
                Ok(Some(preset.workload)),
                "{}",
                preset.name
            );
        }
    }

    #[test]
    fn names_are_sorted_and_each_once() {
        let names: Vec<&str> = preset_names().collect();
        assert!(names.is_sorted_by(|a, b| a < b), "{names:?}");
    }

    #[test]
    fn an_unknown_preset_names_the_nearest() {
        let text = |name| preset(name).unwrap_err().to_string();
        let near = "there is no preset `sqlserver-oltpp`: did you mean sqlserver-oltp or ";
        assert!(text("sqlserver-oltpp").starts_with(near));
        assert!(text("sqlserver").contains("sqlserver-log or sqlserver-oltp or sqlserver-scan"));
        assert!(text("zzz").starts_with("there is no preset `zzz`: "), "{}", text("zzz"));
    }

    #[test]
    fn jobs_go_to_the_volumes_of_their_names() {
        let mut workload = preset("sqlserver-oltp").unwrap().workload;
        workload.place_by_name(["log", "backup"]);
        assert_eq!(workload.jobs[0].targets, Targets::All);
        assert_eq!(workload.jobs[1].targets, Targets::Named(vec!["log".into()]));
    }
}
