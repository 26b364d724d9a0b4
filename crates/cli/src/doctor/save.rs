//! The configuration as a file that every verb reads with `--config`.

use std::fs::File;
use std::io::{ErrorKind, Write};

use iobound_catalog::Configuration;
use iobound_units::Bytes;

use crate::failure::Failure;
use crate::settings::{Asked, Given, Settings};

/// The file's text. What was assumed stands in it as comments.
pub(crate) fn as_toml(asked: &Asked, notes: &[String]) -> String {
    let configuration = &asked.configuration;
    let plain = Configuration::of("");
    let mut text = String::from("# Written by iobound doctor: every verb reads it with --config.\n");
    for note in notes {
        for line in note.lines() {
            text.push_str(&format!("# {line}\n"));
        }
    }
    text.push_str("\n[machine]\n");
    let mut key = |name: &str, value: &str| text.push_str(&format!("{name} = {}\n", quoted(value)));
    key("vm", &configuration.vm);
    // A job that names no target runs on every volume: beside data, the operating system's would be one of them.
    let os = configuration.os_disk.as_ref();
    if let Some(os) = os.filter(|_| configuration.volumes.is_empty()) {
        key("os-disk", &os.text);
    }
    if configuration.interleave != plain.interleave {
        key("stripe", &exact(configuration.interleave));
    }
    if let Some(columns) = configuration.columns {
        key("columns", &columns.to_string());
    }
    if configuration.separate {
        key("separate", "true");
    }
    if configuration.partition_offset != plain.partition_offset {
        key("partition-offset", &exact(configuration.partition_offset));
    }
    if let Some(era) = &configuration.era {
        key("era", era);
    }
    if configuration.on_demand_burst {
        key("on-demand-burst", "true");
    }
    if let Some(os) = os.filter(|_| !configuration.volumes.is_empty()) {
        text.push_str(
            "# A job that names no target runs on every volume; with this line, on the system's disk too.\n",
        );
        text.push_str(&format!("# os-disk = {}\n", quoted(&os.text)));
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

/// A size that is read as it is written.
fn exact(bytes: Bytes) -> String {
    match bytes.get() {
        kib if kib.is_multiple_of(1_024) => format!("{}KiB", kib / 1_024),
        bytes => format!("{bytes}B"),
    }
}

/// A string of TOML: what the words of a configuration can have, and anything else escaped.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            c if c.is_control() => quoted.push_str(&format!("\\u{:04X}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// What may be written over: the file of `flag`, where it is named a second time.
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
            .refuse(format!("it is not what {flag} writes"))
            .mend("name the same file with both, or leave it out")),
    }
}

/// Writes the file. One that exists is written over only where it is named as such, too.
pub(crate) fn write(save: &Given, overwrite: &[Given], text: &str) -> Result<(), Failure> {
    let path = save.path();
    let may = overwrite.iter().any(|given| given.path() == path);
    let mut options = File::options();
    options.write(true);
    if may {
        options.create(true).truncate(true)
    } else {
        options.create_new(true)
    };
    let written = options.open(&path).and_then(|mut file| file.write_all(text.as_bytes()));
    written.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::refused(format!("{path} exists, and is left as it is"))
            .mend(format!("add --overwrite {path} if its content may be lost, or name another file")),
        _ => save
            .refuse(format!("{path} can't be written: {error}"))
            .mend("name a file in a folder that you may write to"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_sizes_are_read_as_they_were() {
        assert_eq!(quoted("a\"b\\c\n"), r#""a\"b\\c\u000A""#);
        assert_eq!(
            (exact(Bytes::mib(1)), exact(Bytes(32_256)), exact(Bytes(513))),
            ("1024KiB".to_string(), "32256B".to_string(), "513B".to_string())
        );
    }
}
