//! The file of `--config`: `[machine]`, `[[disk]]` and `[[job]]` in TOML.

use std::ops::Range;

use iobound_workload::{Place, Workload, nearest};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Origin, SettingValue};
use crate::Env;
use crate::failure::Failure;
use crate::files::{self, WRITTEN};
use crate::options::{ClusterOptions, ConfigurationOptions, Options};

/// The keys of `[machine]`: the options of the configuration and of the cluster by the same names, in the order of the
/// alphabet. Disks have tables of their own.
fn machine_keys() -> Vec<&'static str> {
    let specs = ConfigurationOptions::specs().into_iter().chain(ClusterOptions::specs());
    let mut keys: Vec<&str> = specs.map(|spec| spec.name).filter(|name| *name != "disk").collect();
    keys.sort_unstable();
    keys
}

/// The keys of `[[disk]]`.
const DISK_KEYS: [&str; 2] = ["disk", "name"];

/// A configuration file that has been read.
#[derive(Clone, Debug)]
pub struct ConfigFile {
    path: String,
    values: Vec<(String, SettingValue)>,
    workload: Option<(Workload, Origin)>,
    /// The whole text, where it has probed disks.
    probed: Option<String>,
}

impl ConfigFile {
    /// The first thing in the file that says what runs on what, for a verb that has its own.
    pub fn says_what_to_run(&self) -> Option<&str> {
        let of_a_run = |(key, _): &&(String, SettingValue)| key != "catalog";
        let job = self.workload.as_ref().map(|_| "[[job]]");
        self.values.iter().find(of_a_run).map(|(key, _)| key.as_str()).or(job)
    }

    /// Its path.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The path and the text of a file with `[[probed]]` tables.
    pub fn probed(&self) -> Option<(&str, &str)> {
        self.probed.as_deref().map(|text| (self.path.as_str(), text))
    }

    /// Reads the file.
    pub fn read(env: &Env, path: &str) -> Result<ConfigFile, Failure> {
        let text = files::read(env, path, WRITTEN).map_err(|why| Failure::unreadable(path, &why))?;
        ConfigFile::of_text(path, &text)
    }

    /// Reads the text of a file of that name. The jobs, and every key beside the tables, are the workload's.
    pub fn of_text(path: &str, text: &str) -> Result<ConfigFile, Failure> {
        let workload = Workload::from_toml(path, text)?;
        // It has been read once, as a workload.
        let document = DeTable::parse(text).map_err(|error| Failure::input(format!("{path}: {error}")))?;
        let document = document.get_ref();
        let jobs = document.get("job").map_or(0..0, Spanned::span);
        let workload =
            workload.map(|workload| (workload, Origin::File(Box::new(Place::of(path, text, jobs)))));
        let probed = document.get("probed").map(|_| text.to_string());
        let mut file = ConfigFile { path: path.to_string(), values: Vec::new(), workload, probed };
        if let Some((key, value)) = document.iter().find(|(key, _)| key.get_ref() == "preset") {
            let place = Place::of(path, text, key.span().start..value.span().end);
            return Err(Failure::at(place, "[preset] is only for the files of presets: leave it out"));
        }
        if let Some(machine) = document.get("machine") {
            let Some(table) = machine.get_ref().as_table() else {
                let place = Place::of(path, text, machine.span());
                return Err(Failure::at(place, "`machine` is a table: write [machine] above its keys"));
            };
            for (key, given) in file.words(text, table, &machine_keys())? {
                file.values.push((key, given));
            }
        }
        if let Some(disks) = document.get("disk") {
            let wrong = |span: Range<usize>| {
                let place = Place::of(path, text, span);
                Failure::at(place, "`disk` is a list of tables: write [[disk]] above each disk's keys")
            };
            let list = disks.get_ref().as_array().ok_or_else(|| wrong(disks.span()))?;
            for disk in list.iter() {
                let table = disk.get_ref().as_table().ok_or_else(|| wrong(disk.span()))?;
                let given = file.disk(text, table, disk.span())?;
                file.values.push(("disk".into(), given));
            }
        }
        if file.values.is_empty() && file.workload.is_none() {
            return Err(Failure::input(format!("{path} has no tables"))
                .help("add [machine], [[disk]] or [[job]], or leave the file out"));
        }
        Ok(file)
    }

    /// The values of a key.
    pub fn all(&self, name: &str) -> Vec<SettingValue> {
        self.values.iter().filter(|(key, _)| key == name).map(|(_, given)| given.clone()).collect()
    }

    /// The jobs, and where they begin.
    pub fn workload(&self) -> Option<&(Workload, Origin)> {
        self.workload.as_ref()
    }

    /// True if it says anything of a machine or its disks.
    pub fn has_machine(&self) -> bool {
        !self.values.is_empty()
    }

    /// A `[[disk]]` as `--disk` would have it.
    fn disk(&self, text: &str, table: &DeTable<'_>, span: Range<usize>) -> Result<SettingValue, Failure> {
        let words = self.words(text, table, &DISK_KEYS)?;
        let find = |name: &str| words.iter().find(|(key, _)| key == name).map(|(_, given)| given);
        let Some(disk) = find("disk") else {
            let place = Place::of(&self.path, text, span);
            return Err(Failure::at(place, "a [[disk]] has a `disk`: disk = \"10xP30:readonly\""));
        };
        let mut given = disk.clone();
        if let Some(name) = find("name") {
            if disk.text.contains('=') {
                return Err(name.refuse("`disk` contains a volume name as well: write the name once"));
            }
            given.text = format!("{}={}", name.text, disk.text);
        }
        Ok(given)
    }

    fn words(
        &self,
        text: &str,
        table: &DeTable<'_>,
        known: &[&str],
    ) -> Result<Vec<(String, SettingValue)>, Failure> {
        let mut words = Vec::new();
        for (key, value) in table.iter() {
            let name = key.get_ref().to_string();
            if !known.contains(&name.as_str()) {
                let place = Place::of(&self.path, text, key.span());
                let near = nearest(&name, known.iter().copied());
                let failure = Failure::at(place, format!("unknown key `{name}`"));
                let all = format!("the keys are {}", known.join(", "));
                return Err(match near.as_slice() {
                    [] => failure.help(all),
                    near => failure.help(format!("did you mean {}? {all}", near.join(" or "))),
                });
            }
            let place = Place::of(&self.path, text, value.span());
            let Some(word) = word(value) else {
                return Err(Failure::at(place, format!("`{name}` must be text, a number, true or false")));
            };
            words.push((name, SettingValue { text: word, from: Origin::File(Box::new(place)) }));
        }
        Ok(words)
    }
}

fn word(value: &Spanned<DeValue<'_>>) -> Option<String> {
    Some(match value.get_ref() {
        DeValue::String(text) => text.to_string(),
        DeValue::Integer(number) if number.radix() == 10 => number.as_str().to_string(),
        DeValue::Float(number) => number.as_str().to_string(),
        DeValue::Boolean(on) => on.to_string(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_disks_and_jobs_are_read_from_one_file() {
        let text = "[machine]\nvm = \"DS14\"\ncolumns = 4\n\n[[disk]]\nname = \"log\"\ndisk = \"2xP20\"\n\n[[job]]\nread = 70\n";
        let file = ConfigFile::of_text("vm.toml", text).unwrap();
        let first = |name: &str| file.all(name).first().map(|given| given.text.clone());
        assert_eq!(
            (first("vm").as_deref(), first("columns").as_deref(), first("disk").as_deref()),
            (Some("DS14"), Some("4"), Some("log=2xP20"))
        );
        assert_eq!(file.workload().unwrap().0.jobs.len(), 1);
        assert!(first("era").is_none());
    }

    #[test]
    fn a_path_in_a_file_is_relative_to_the_file() {
        let file = ConfigFile::of_text("configs/vm.toml", "[machine]\ncatalog = \"mine.toml\"\n").unwrap();
        assert_eq!(file.all("catalog")[0].path(), "configs/mine.toml");
        let file = ConfigFile::of_text("configs/vm.toml", "[machine]\ncatalog = \"/mine.toml\"\n").unwrap();
        assert_eq!(file.all("catalog")[0].path(), "/mine.toml");
    }
}
