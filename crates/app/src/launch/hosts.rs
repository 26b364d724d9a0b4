//! Hosts: those of a file, or of one group of it, and those that are named.

use iobound_formats::hosts::{self, Host};

use crate::files;
use crate::settings::{SettingValue, Settings};
use crate::{Env, Failure};

/// Requested hosts, before a file is read.
pub(crate) struct AskedHosts {
    /// The file, or where that may be a number, that.
    pub(crate) file: Option<SettingValue>,
    named: Vec<SettingValue>,
    group: Option<SettingValue>,
}

impl AskedHosts {
    /// Hosts from flags and environment.
    pub(crate) fn of(
        file: Option<&str>,
        (host, group): (&[String], Option<&str>),
        settings: &mut Settings,
    ) -> AskedHosts {
        AskedHosts {
            // For `predict` and `plan`, the setting `hosts` is their number.
            file: match file {
                Some(file) => settings.text("hosts", Some(file), None),
                None => settings.text("hosts-file", None, None),
            },
            named: settings.texts("host", host),
            group: settings.text("group", group, None),
        }
    }

    /// True if hosts are named one by one.
    pub(crate) fn has_names(&self) -> bool {
        !self.named.is_empty()
    }

    /// The hosts, in the order in which they are written, each once.
    ///
    /// # Errors
    /// Returns an error if there is no host, the file is not a host list, or a name is not a host name.
    pub(crate) fn read(&self, env: &Env) -> Result<Vec<Host>, Failure> {
        let mut all: Vec<Host> = Vec::new();
        let group = self.group.as_ref();
        match (&self.file, group) {
            (Some(given), _) => {
                let path = given.path();
                let text = files::read(env, &path, files::WRITTEN)
                    .map_err(|why| Failure::unreadable(&path, &why))?;
                let read = hosts::read(Some(&path), &text, group.map(|group| group.text.as_str()))?;
                for note in &read.notes {
                    env.note(&format!("{path}: {}: {}", note.about, note.says));
                }
                all.extend(read.hosts);
            }
            (None, Some(group)) => {
                return Err(group
                    .refuse("--group selects hosts of a file")
                    .help("add --hosts FILE, or name hosts: --host NAME"));
            }
            (None, None) => {}
        }
        for given in &self.named {
            let host = given.parse(hosts::host)?;
            match all.iter().any(|known| known.name == host.name) {
                true => env.note(&format!("{} is named twice", host.name)),
                false => all.push(host),
            }
        }
        if all.is_empty() {
            return Err(Failure::input("no host is named")
                .help("add --hosts FILE (one host on each line, or an Ansible inventory), or --host NAME for each host"));
        }
        Ok(all)
    }
}
