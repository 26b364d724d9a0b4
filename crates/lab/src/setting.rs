//! Settings of a run, key by key, and the rule by which one run's settings lie over another's.

use iobound_workload::{JobKey, TIME_KEYS, job_keys};

use crate::error::{Problem, Spot};
use crate::target::TARGET_KEY;

/// The keys of a configuration: those of the configuration file, and two that change all disks at once.
pub(crate) const CONFIGURATION_KEYS: [&str; 16] = [
    "accounts",
    "at",
    "cache",
    "cache-state",
    "columns",
    "disk",
    "disks",
    "enforcement",
    "era",
    "media",
    "on-demand-burst",
    "os-disk",
    "partition-offset",
    "separate",
    "stripe",
    "vm",
];

/// The keys that give a whole workload.
pub(crate) const SOURCE_KEYS: [&str; 4] = ["diskspd", "fio", "iometer", "preset"];

/// The declaration of a key of a job that an experiment sets.
fn job_key(key: &str) -> Option<&'static JobKey> {
    job_keys().find(|known| known.name == key && known.displaces.is_some())
}

/// True if an experiment sets this key of a job.
pub(crate) fn is_job_key(key: &str) -> bool {
    job_key(key).is_some()
}

/// Older settings that the key displaces.
pub(crate) fn displaced(key: &str) -> &'static [&'static str] {
    match key {
        "disk" => &["disks", "cache"],
        _ => job_key(key).and_then(|key| key.displaces).unwrap_or_default(),
    }
}

/// A value as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    One(String),
    Many(Vec<String>),
}

impl Value {
    pub(crate) fn texts(&self) -> &[String] {
        match self {
            Value::One(text) => std::slice::from_ref(text),
            Value::Many(texts) => texts,
        }
    }
}

/// A key that is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Setting {
    pub(crate) key: &'static str,
    pub(crate) value: Value,
    pub(crate) spot: Spot,
}

/// The key by its name, if runs have it.
pub(crate) fn key_of(name: &str) -> Option<&'static str> {
    all_keys().find(|key| *key == name)
}

/// Every key that a run can set.
pub(crate) fn all_keys() -> impl Iterator<Item = &'static str> {
    let machines = CONFIGURATION_KEYS.into_iter().chain([TARGET_KEY]);
    let jobs = job_keys().filter(|key| key.displaces.is_some()).map(|key| key.name);
    machines.chain(SOURCE_KEYS).chain(jobs).chain(TIME_KEYS)
}

fn is_of_workload(key: &str) -> bool {
    is_job_key(key) || TIME_KEYS.contains(&key) || SOURCE_KEYS.contains(&key)
}

/// The settings of a run: its own over those of the run that it starts from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    list: Vec<Setting>,
}

impl Settings {
    /// These settings with others laid over them. A workload that is given whole displaces all that was said
    /// about the one before; a key displaces those that it excludes.
    pub(crate) fn under(&self, over: &[Setting]) -> Settings {
        let whole = over.iter().any(|setting| SOURCE_KEYS.contains(&setting.key));
        let is_displaced = |key: &str| {
            over.iter().any(|setting| setting.key == key || displaced(setting.key).contains(&key))
                || (whole && is_of_workload(key))
        };
        let mut list: Vec<Setting> =
            self.list.iter().filter(|setting| !is_displaced(setting.key)).cloned().collect();
        list.extend(over.iter().cloned());
        Settings { list }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&Setting> {
        self.list.iter().find(|setting| setting.key == key)
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &Setting> {
        self.list.iter()
    }

    /// The text of a key that has one value.
    pub(crate) fn text(&self, key: &str) -> Result<Option<(&str, &Spot)>, Problem> {
        match self.get(key) {
            None => Ok(None),
            Some(Setting { value: Value::One(text), spot, .. }) => Ok(Some((text, spot))),
            Some(Setting { value: Value::Many(_), spot, .. }) => {
                Err(Problem::new(spot, format!("`{key}`: write one value, not a list")))
            }
        }
    }

    /// The value of a key, read by `parse`.
    pub(crate) fn parse<T, E: std::fmt::Display>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Problem> {
        let Some((text, spot)) = self.text(key)? else { return Ok(None) };
        match parse(text) {
            Ok(value) => Ok(Some(value)),
            Err(error) => {
                let message = error.to_string();
                // Parsers of other crates name the key as a flag of the program; here it is a key.
                let message = message.strip_prefix(&format!("--{key} ")).unwrap_or(&message);
                Err(Problem::new(spot, format!("`{key}`: {message}")))
            }
        }
    }

    /// A switch: `true` or `false`.
    pub(crate) fn switch(&self, key: &str) -> Result<bool, Problem> {
        let read = |text: &str| match text {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err(format!("`{text}` is not a switch: write true or false")),
        };
        Ok(self.parse(key, read)?.unwrap_or(false))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(key: &'static str, value: &str) -> Setting {
        Setting { key, value: Value::One(value.into()), spot: 0..0 }
    }

    fn shown(settings: &Settings) -> Vec<String> {
        settings
            .iter()
            .map(|setting| format!("{}={}", setting.key, setting.value.texts().join(", ")))
            .collect()
    }

    #[test]
    fn a_key_displaces_its_older_value_and_what_it_excludes() {
        let base =
            Settings::default().under(&[set("vm", "DS2"), set("sequential", "shared"), set("depth", "8")]);
        let over = base.under(&[set("random", "true")]);
        assert_eq!(shown(&over), ["vm=DS2", "depth=8", "random=true"]);
        assert_eq!(shown(&over.under(&[set("depth", "128")])), ["vm=DS2", "random=true", "depth=128"]);
    }

    #[test]
    fn a_whole_workload_displaces_all_that_was_said_about_the_one_before() {
        let base = Settings::default().under(&[set("disk", "P30"), set("depth", "8"), set("duration", "5s")]);
        let over = base.under(&[set("diskspd", "-b4K x.dat"), set("threads", "2")]);
        assert_eq!(shown(&over), ["disk=P30", "diskspd=-b4K x.dat", "threads=2"]);
    }

    #[test]
    fn every_key_is_known_once() {
        let mut keys: Vec<&str> = all_keys().collect();
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
        for key in all_keys() {
            assert!(displaced(key).iter().all(|older| key_of(older).is_some()), "{key}");
        }
    }
}
