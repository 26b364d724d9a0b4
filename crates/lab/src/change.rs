//! Differences between two runs, thing by thing: an experiment changes one at a time.

use std::fmt;

use iobound_catalog::{Accounts, CacheSetting, Configuration, Enforcement, VolumeRequest, What};
use iobound_predict::Age;
use iobound_workload::Workload;
use toml::{Table, Value};

use crate::configuration::Machine;

/// One thing that is otherwise in a run than in the one that it starts from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The setting: `disks`, `host cache`, `depth`.
    pub what: String,
    /// Its value before.
    pub from: String,
    /// Its value after.
    pub to: String,
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.from.is_empty(), self.to.is_empty()) {
            (true, _) => write!(f, "{} {}", self.what, self.to),
            (_, true) => write!(f, "without {} ({})", self.what, self.from),
            _ => write!(f, "{} {} -> {}", self.what, self.from, self.to),
        }
    }
}

/// Configuration and workload of a run.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Side<'a> {
    pub(crate) machine: Option<&'a Machine>,
    pub(crate) targets: &'a [String],
    pub(crate) workload: &'a Workload,
}

/// Everything that differs, in the order configuration, state, targets, workload.
pub(crate) fn changes(from: Side<'_>, to: Side<'_>) -> Vec<Change> {
    let mut found = Found::default();
    match (from.machine, to.machine) {
        (Some(one), Some(other)) => machine_changes(one, other, &mut found),
        (one, other) => found.compare("configuration", &whole_words(one), &whole_words(other)),
    }
    found.compare("target", &from.targets.join(" + "), &to.targets.join(" + "));
    workload_changes(from.workload, to.workload, &mut found);
    found.changes
}

fn machine_changes(from: &Machine, to: &Machine, found: &mut Found) {
    let (one, other) = (&from.configuration, &to.configuration);
    configuration_changes(one, other, found);
    let cached =
        |configuration: &Configuration| volumes(configuration).any(|v| v.cache != CacheSetting::None);
    // What a cache holds is no change where there was none.
    if cached(one) && cached(other) {
        found.compare("cache state", from.cache.name(), to.cache.name());
    }
    found.compare("at", &age_words(from.age), &age_words(to.age));
}

/// The configuration in a word or two; nothing where there is none.
fn whole_words(machine: Option<&Machine>) -> String {
    machine.map_or(String::new(), |Machine { configuration, .. }| {
        format!("{} {}", configuration.vm, list_words(configuration))
    })
}

fn list_words(configuration: &Configuration) -> String {
    volumes(configuration).map(|volume| volume.text.clone()).collect::<Vec<_>>().join(" + ")
}

#[derive(Default)]
struct Found {
    changes: Vec<Change>,
}

impl Found {
    fn compare(&mut self, what: &str, from: &str, to: &str) {
        if from != to {
            self.changes.push(Change { what: what.into(), from: from.into(), to: to.into() });
        }
    }
}

fn volumes(configuration: &Configuration) -> impl Iterator<Item = &VolumeRequest> {
    configuration.volumes.iter().chain(&configuration.os_disk)
}

fn configuration_changes(one: &Configuration, other: &Configuration, found: &mut Found) {
    let plain = |vm: &str| vm.to_lowercase().replace(' ', "_").trim_start_matches("standard_").to_string();
    if plain(&one.vm) != plain(&other.vm) {
        found.compare("VM", &one.vm, &other.vm);
    }
    if one.volumes.len() == other.volumes.len() && one.os_disk.is_some() == other.os_disk.is_some() {
        for (one, other) in volumes(one).zip(volumes(other)) {
            found.compare("disks", &one.count.to_string(), &other.count.to_string());
            if one.what != other.what || one.redundancy != other.redundancy {
                found.compare("disk", &what_words(one), &what_words(other));
            }
            found.compare("host cache", one.cache.name(), other.cache.name());
        }
    } else {
        found.compare("disks", &list_words(one), &list_words(other));
    }
    let striped = |configuration: &Configuration| {
        !configuration.separate && volumes(configuration).any(|v| v.count > 1)
    };
    if striped(one) && striped(other) {
        found.compare("stripe", &one.interleave.to_string(), &other.interleave.to_string());
    }
    let number = |columns: Option<u16>| columns.map_or("all".to_string(), |columns| columns.to_string());
    found.compare("columns", &number(one.columns), &number(other.columns));
    let laid = |separate: bool| if separate { "separate" } else { "striped" };
    found.compare("volumes", laid(one.separate), laid(other.separate));
    let offset = |of: &Configuration| of.partition_offset.to_string();
    found.compare("partition offset", &offset(one), &offset(other));
    let era = |era: &Option<String>| era.clone().unwrap_or_else(|| "current".into());
    found.compare("era", &era(&one.era), &era(&other.era));
    let span =
        |span: Option<iobound_units::Span>| span.map_or("typical".to_string(), |span| span.to_string());
    found.compare("media read", &span(one.media.read), &span(other.media.read));
    found.compare("media write", &span(one.media.write), &span(other.media.write));
    let accounts = |accounts: Accounts| if accounts == Accounts::Shared { "shared" } else { "own" };
    found.compare("accounts", accounts(one.accounts), accounts(other.accounts));
    let on = |on: bool| if on { "on" } else { "off" };
    found.compare("on-demand burst", on(one.on_demand_burst), on(other.on_demand_burst));
    let enforced = |enforcement: Enforcement| match enforcement {
        Enforcement::Measured => "measured",
        Enforcement::Published => "published",
    };
    found.compare("enforcement", enforced(one.enforcement), enforced(other.enforcement));
}

fn what_words(volume: &VolumeRequest) -> String {
    match &volume.what {
        What::Tier { name, .. } => name.clone(),
        What::Temp => "temp".into(),
        What::Nvme => "nvme".into(),
        What::TierFor { .. } | What::Sized { .. } => {
            let text = volume.text.split(':').next().unwrap_or_default();
            let text = text.rsplit('=').next().unwrap_or_default();
            let plain = text.trim_start_matches(|c: char| c.is_ascii_digit());
            plain.strip_prefix('x').unwrap_or(text).to_string()
        }
    }
}

fn age_words(age: Age) -> String {
    match age {
        Age::Sustained => "sustained".into(),
        Age::At(span) => span.to_string(),
    }
}

/// Keys that say one thing together.
const ACCESS: [&str; 3] = ["random", "sequential", "random-share"];

fn workload_changes(one: &Workload, other: &Workload, found: &mut Found) {
    let (one, other) = (tables(one), tables(other));
    for key in keys_of([&one.0, &other.0]) {
        found.compare(&key, &shown(one.0.get(&key)), &shown(other.0.get(&key)));
    }
    if one.1.len() != other.1.len() {
        found.compare("jobs", &one.1.len().to_string(), &other.1.len().to_string());
        return;
    }
    for (one, other) in one.1.iter().zip(&other.1) {
        found.compare("access", &access_words(one), &access_words(other));
        for key in keys_of([one, other]) {
            // Names are names; which file is meant is part of the configuration.
            if !ACCESS.contains(&key.as_str()) && !matches!(key.as_str(), "name" | "targets") {
                found.compare(&key, &shown(one.get(&key)), &shown(other.get(&key)));
            }
        }
    }
}

/// A workload's own keys, and those of its jobs.
fn tables(workload: &Workload) -> (Table, Vec<Table>) {
    let mut document: Table = workload
        .to_toml()
        .parse()
        .unwrap_or_else(|error| panic!("a workload's own form can't be read: {error}"));
    let jobs = match document.remove("job") {
        Some(Value::Array(jobs)) => jobs.into_iter().filter_map(|job| job.as_table().cloned()).collect(),
        _ => Vec::new(),
    };
    (document, jobs)
}

fn keys_of(tables: [&Table; 2]) -> Vec<String> {
    let mut keys: Vec<String> = tables.iter().flat_map(|table| table.keys().cloned()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn shown(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => {
            items.iter().map(|item| shown(Some(item))).collect::<Vec<_>>().join(", ")
        }
        Some(other) => other.to_string(),
    }
}

fn access_words(job: &Table) -> String {
    if let Some(share) = job.get("random-share") {
        return format!("{} random", shown(Some(share)));
    }
    match job.get("sequential") {
        Some(Value::String(how)) if how == "shared" => "shared sequential".into(),
        Some(_) => "sequential".into(),
        None => "random".into(),
    }
}
