//! The configuration as a file that every verb reads with `--config`.

use crate::outfile::{DocumentKind, OutFile};
use crate::{Env, Failure};
use crate::options::details;
use crate::settings::{ConfigurationRequest, Given, Origin, Settings};

/// The file's text: every option of the configuration that has a value, from wherever it came, so that `--config` with this
/// file gives the same configuration. Notes become comments.
pub(crate) fn as_toml(asked: &ConfigurationRequest, settings: &Settings, notes: &[String]) -> String {
    let configuration = &asked.configuration;
    let mut text = String::from("# Written by iobound doctor: every verb reads it with --config.\n");
    for note in notes {
        for line in note.lines() {
            text.push_str(&format!("# {line}\n"));
        }
    }
    text.push_str("\n[machine]\n");
    let mut key = |name: &str, value: &str| text.push_str(&format!("{name} = {}\n", quoted(value)));
    key("vm", &configuration.vm);
    let details = details();
    for name in details.into_iter().chain(["catalog"]) {
        match settings.given(name) {
            Some(given) if ["catalog", "calibrate"].contains(&name) => key(name, &place_independent(given)),
            Some(given) => key(name, &given.text),
            None => {}
        }
    }
    // A job that names no target runs on every volume: beside data, the operating system's would be one of them.
    if let Some(os) = &configuration.os_disk {
        if configuration.volumes.is_empty() || !is_found(settings, "os-disk") {
            key("os-disk", &os.text);
        } else {
            text.push_str(
                "# A job that names no target runs on every volume; with this line, on the system's disk too.\n",
            );
            text.push_str(&format!("# os-disk = {}\n", quoted(&os.text)));
        }
    }
    for volume in &configuration.volumes {
        // The name has its own key; what is left is the disk.
        let (name, disk) = match (&volume.name, volume.text.split_once('=')) {
            (Some(name), Some((_, disk))) => (Some(name), disk),
            _ => (None, volume.text.as_str()),
        };
        text.push_str("\n[[disk]]\n");
        if let Some(name) = name {
            text.push_str(&format!("name = {}\n", quoted(name)));
        }
        text.push_str(&format!("disk = {}\n", quoted(disk)));
    }
    text
}

/// True if the value is only what was seen of the machine.
fn is_found(settings: &Settings, name: &str) -> bool {
    settings.given(name).is_some_and(|given| matches!(given.from, Origin::Machine))
}

/// The file that a setting names, as a path that means the same from any folder; anything else (the id of a result) as it is.
fn place_independent(given: &Given) -> String {
    let path = given.path();
    let absolute = std::path::absolute(&path).ok().filter(|path| path.exists());
    absolute.and_then(|path| path.to_str().map(str::to_string)).unwrap_or(path)
}

/// A string of TOML.
fn quoted(text: &str) -> String {
    toml::Value::from(text).to_string()
}

/// File that may be overwritten: that of `flag`, if it is named a second time.
///
/// # Errors
/// Another file is named.
pub(crate) fn overwrite_of(
    flag: &str,
    file: Option<&Given>,
    named: &[String],
    settings: &mut Settings,
) -> Result<Vec<Given>, Failure> {
    let overwrite = settings.texts("overwrite", named);
    match overwrite.iter().find(|given| file.is_none_or(|file| file.path() != given.path())) {
        None => Ok(overwrite),
        Some(other) => Err(other
            .refuse(format!("it is not a target of {flag}"))
            .mend("name the same file with both, or leave it out")),
    }
}

/// The place of the file. A file that exists is replaced only if it is named as such, too.
///
/// # Errors
/// Another file is there, or nothing can be written there.
pub(crate) fn place_of(save: &Given, overwrite: &[Given], env: &Env) -> Result<OutFile, Failure> {
    let path = save.path();
    let consented = overwrite.iter().any(|given| given.path() == path);
    OutFile::given(save, DocumentKind::Settings { consented }, env)
}
