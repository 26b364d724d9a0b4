//! Precedence of settings: flag, then environment, then file, then default.

mod configuration;
mod file;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::Path;

use iobound_report::Setting;
use iobound_workload::Place;

use crate::Env;
use crate::failure::Failure;
use crate::files;

pub use configuration::configuration_if_any;
pub use configuration::{ConfigurationRequest, catalog_of, configuration_of, configuration_with};
pub use file::ConfigFile;

/// Everything that can be set, and what has been asked of it so far.
#[derive(Debug)]
pub struct Settings {
    env: Env,
    environment: BTreeMap<String, String>,
    file: Option<ConfigFile>,
    /// Facts of this machine, used if nothing else states them.
    found: Vec<(String, SettingValue)>,
    won: Vec<Setting>,
    /// SettingValue settings by name, with the value that is used.
    given: BTreeMap<String, SettingValue>,
    /// The variables that were looked for.
    known: BTreeSet<String>,
}

/// Settings that a person has in the environment for good.
const FOR_ALL: [&str; 8] =
    ["results", "ssh", "hosts", "host", "group", "at-once", "connect-timeout", "remote-program"];

/// A value and where it comes from.
#[derive(Clone, Debug)]
pub struct SettingValue {
    /// The value as given.
    pub text: String,
    /// Origin of the value.
    pub from: Origin,
}

/// Origin of a value.
#[derive(Clone, Debug)]
pub enum Origin {
    /// `--stripe`.
    Flag(String),
    /// `IOBOUND_STRIPE`.
    Environment(String),
    /// A key of the configuration file.
    File(Box<Place>),
    /// Measurements of this machine.
    Machine,
}

impl Origin {
    fn word(&self) -> &'static str {
        match self {
            Origin::Flag(_) => "flag",
            Origin::Environment(_) => "environment",
            Origin::File(_) => "file",
            Origin::Machine => "machine",
        }
    }

    fn place(&self) -> String {
        match self {
            Origin::Flag(name) | Origin::Environment(name) => name.clone(),
            Origin::File(place) => format!("{}:{}", place.file, place.line),
            Origin::Machine => "this machine".to_string(),
        }
    }
}

impl SettingValue {
    /// Place that gave the value: `--stripe`, `IOBOUND_STRIPE`, `vm.toml:3`.
    pub fn place(&self) -> String {
        self.from.place()
    }

    /// The same, where the flag has another name than the setting.
    pub fn called(mut self, flag: &str) -> SettingValue {
        if let Origin::Flag(name) = &mut self.from {
            *name = format!("--{flag}");
        }
        self
    }

    /// The failure of a value that can't be taken, told where it was written.
    pub fn refuse(&self, why: impl fmt::Display) -> Failure {
        match &self.from {
            Origin::Flag(name) => Failure::input(format!("{name}: {why}")),
            Origin::Environment(name) => Failure::input(format!("{name} (environment): {why}")),
            Origin::File(place) => Failure::at(Place::clone(place), why),
            Origin::Machine => Failure::input(format!("this machine: {why}")),
        }
    }

    /// The value, read by `parse`.
    pub fn parse<T, E: fmt::Display>(&self, parse: impl FnOnce(&str) -> Result<T, E>) -> Result<T, Failure> {
        parse(&self.text).map_err(|why| self.refuse(why))
    }

    /// The text of the file that the value names, of at most so many bytes.
    pub fn file(&self, env: &Env, most: u64) -> Result<String, Failure> {
        let path = self.path();
        files::read(env, &path, most).map_err(|why| self.unreadable(&path, &why))
    }

    /// Refuses the value, whose file cannot be read.
    pub(crate) fn unreadable(&self, path: &str, why: &str) -> Failure {
        self.refuse(format!("cannot read {path}: {why}")).help(Failure::NAME_A_FILE)
    }

    /// The path that the value names: in a file, it is relative to the file.
    pub fn path(&self) -> String {
        let Origin::File(place) = &self.from else { return self.text.clone() };
        match Path::new(&place.file).parent() {
            Some(folder) if Path::new(&self.text).is_relative() => {
                folder.join(&self.text).to_string_lossy().into_owned()
            }
            _ => self.text.clone(),
        }
    }
}

impl Settings {
    /// Reads the environment, and the configuration file that a flag or the environment names.
    ///
    /// # Errors
    /// Returns an error if a variable is not UTF-8 or a file cannot be read.
    pub fn load(env: &Env, config: Option<&str>) -> Result<Settings, Failure> {
        let mut environment = BTreeMap::new();
        for (name, value) in env.variables() {
            let Some(name) = name.to_str().filter(|name| name.starts_with("IOBOUND_")) else { continue };
            let Some(value) = value.to_str() else {
                return Err(Failure::input(format!("{name} (environment): its value is not UTF-8")));
            };
            // Empty is not set, as everywhere in a shell.
            if !value.is_empty() {
                environment.insert(name.to_string(), value.to_string());
            }
        }
        let mut settings = Settings {
            env: env.clone(),
            environment,
            file: None,
            found: Vec::new(),
            won: Vec::new(),
            given: BTreeMap::new(),
            // Where results are, and how hosts are reached, is said once for all verbs, also for those that need it not.
            known: FOR_ALL.iter().map(|name| variable_of(name)).collect(),
        };
        if let Some(path) = settings.text("config", config, None) {
            settings.file = Some(ConfigFile::read(env, &path.text)?);
        }
        Ok(settings)
    }

    /// Uses the configuration of a run as `--config`, if no flag, variable or file describes the machine.
    pub fn unless_given(&mut self, kept: ConfigFile, by_flag: bool) {
        let named = ["IOBOUND_VM", "IOBOUND_DISK", "IOBOUND_OS_DISK"];
        let by_environment = named.iter().any(|name| self.environment.contains_key(*name));
        if !by_flag && !by_environment && !self.file.as_ref().is_some_and(ConfigFile::has_machine) {
            self.file = Some(kept);
        }
    }

    /// Facts of this machine are used for settings that nothing else states.
    pub fn found(&mut self, values: Vec<(String, String)>) {
        let given = |text| SettingValue { text, from: Origin::Machine };
        self.found = values.into_iter().map(|(name, text)| (name, given(text))).collect();
    }

    /// True if a setting is given, or the machine has it.
    pub fn has(&mut self, name: &str, flag: Option<&str>) -> bool {
        self.find(name, flag).is_some()
    }

    /// The same settings, to be asked for something that is asked for again: what wins there is not shown.
    pub fn aside(&self) -> Settings {
        Settings {
            env: self.env.clone(),
            environment: self.environment.clone(),
            file: self.file.clone(),
            found: self.found.clone(),
            won: Vec::new(),
            given: BTreeMap::new(),
            known: BTreeSet::new(),
        }
    }

    /// The environment that they are of.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// The configuration file.
    pub fn file(&self) -> Option<&ConfigFile> {
        self.file.as_ref()
    }

    /// The value of a requested setting, if it was given.
    pub fn given(&self, name: &str) -> Option<&SettingValue> {
        self.given.get(name)
    }

    /// The value of a setting; `default` is only shown.
    pub fn text(&mut self, name: &str, flag: Option<&str>, default: Option<&str>) -> Option<SettingValue> {
        let given = self.find(name, flag);
        let shown = given.as_ref().map(|given| given.text.clone());
        self.won(name, shown.or(default.map(str::to_string)), given.as_ref().map(|given| &given.from));
        if let Some(given) = &given {
            self.given.insert(name.to_string(), given.clone());
        }
        given
    }

    /// The values of a setting that may be repeated: those of the first place that has any.
    pub fn texts(&mut self, name: &str, flags: &[String]) -> Vec<SettingValue> {
        let variable = variable_of(name);
        self.known.insert(variable.clone());
        let given: Vec<SettingValue> = if !flags.is_empty() {
            let from = || Origin::Flag(format!("--{name}"));
            flags.iter().map(|text| SettingValue { text: text.clone(), from: from() }).collect()
        } else if let Some(value) = self.environment.get(&variable) {
            let from = || Origin::Environment(variable.clone());
            value.split_whitespace().map(|text| SettingValue { text: text.into(), from: from() }).collect()
        } else {
            let file = self.file.as_ref().map(|file| file.all(name)).unwrap_or_default();
            let found = || self.found.iter().filter(|(key, _)| key == name).map(|(_, given)| given.clone());
            if file.is_empty() { found().collect() } else { file }
        };
        if given.is_empty() {
            self.won(name, None, None);
        }
        for given in &given {
            self.won(name, Some(given.text.clone()), Some(&given.from));
        }
        given
    }

    /// A switch: `true` or `false`.
    pub fn switch(&mut self, name: &str, flag: Option<&str>) -> Result<bool, Failure> {
        let Some(given) = self.text(name, flag, Some("false")) else { return Ok(false) };
        given.parse(|text| match text {
            "true" => Ok(true),
            "false" => Ok(false),
            other => Err(format!("`{other}` is not true or false")),
        })
    }

    /// The value of a setting, read by `parse`.
    pub fn parse<T, E: fmt::Display>(
        &mut self,
        name: &str,
        flag: Option<&str>,
        default: Option<&str>,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, Failure> {
        let Some(given) = self.text(name, flag, default) else { return Ok(None) };
        let value = given.parse(parse)?;
        if let Some(note) = iobound_units::size_note(&given.text) {
            self.env.note(&format!("{}: {note}", given.place()));
        }
        Ok(Some(value))
    }

    /// The value of a setting in the environment.
    pub fn in_environment(&mut self, name: &str) -> Option<SettingValue> {
        let variable = variable_of(name);
        self.known.insert(variable.clone());
        let text = self.environment.get(&variable)?.clone();
        Some(SettingValue { text, from: Origin::Environment(variable) })
    }

    /// Keeps what won, for `--show-config`.
    pub fn won(&mut self, name: &str, value: Option<String>, from: Option<&Origin>) {
        self.won.push(Setting {
            name: name.to_string(),
            value,
            from: from.map_or("default", Origin::word),
            place: from.map(Origin::place),
        });
    }

    /// Used values, in the order of the queries.
    pub fn used(self) -> Vec<Setting> {
        self.won
    }

    /// Used values, in the order of the queries. A variable that is of no option of
    /// any verb is named in a note, since it may be misspelt.
    pub fn finish(self) -> Vec<Setting> {
        let is_of_another_verb = |variable: &str| {
            let name = variable.strip_prefix("IOBOUND_").unwrap_or(variable);
            self.env.of_process().is_option(&name.replace('_', "-").to_ascii_lowercase())
        };
        for name in self.environment.keys().filter(|name| !self.known.contains(*name)) {
            if name != PROGRAM_OF_PYTHON && !is_of_another_verb(name) {
                self.env.note(&format!("{name} is set, and no option has that name"));
            }
        }
        self.won
    }

    fn find(&mut self, name: &str, flag: Option<&str>) -> Option<SettingValue> {
        let environment = self.in_environment(name);
        if let Some(text) = flag {
            return Some(SettingValue { text: text.to_string(), from: Origin::Flag(format!("--{name}")) });
        }
        let found = || self.found.iter().find(|(key, _)| key == name).map(|(_, given)| given.clone());
        environment.or_else(|| self.file.as_ref()?.all(name).into_iter().next()).or_else(found)
    }
}

/// The program that `iobound.run` of the Python module starts. No verb has an option for it.
const PROGRAM_OF_PYTHON: &str = "IOBOUND_PROGRAM";

fn variable_of(name: &str) -> String {
    format!("IOBOUND_{}", name.replace('-', "_").to_ascii_uppercase())
}
