//! The words of DiskSpd, fio and Iometer.

use std::path::Path;

use iobound_formats::{Foreign, diskspd, fio, iometer};
use iobound_report::Wording;

use super::paths::PathMap;
use super::{AskedWorkload, Naming};
use crate::failure::Failure;
use crate::files::{self, RESULT, WRITTEN};
use crate::settings::Given;

/// Reads the workload of another tool. Files that it names are read here.
pub(super) fn read(tool: &str, given: &Given, map: &mut PathMap) -> Result<AskedWorkload, Failure> {
    let text = given.text.as_str();
    let (foreign, wording) = match tool {
        "diskspd" => (
            diskspd::parse_line_with_profile(text, &|name| files::read(name, RESULT).ok())?,
            Wording::DiskSpd,
        ),
        "diskspd-xml" => (diskspd::parse_xml(&given.file(RESULT)?)?, Wording::Plain),
        "fio" => (read_fio(given)?, Wording::Fio),
        _ => (read_iometer(given)?, Wording::Plain),
    };
    let mut workloads: Vec<_> = foreign.workloads().cloned().collect();
    workloads.iter_mut().for_each(|workload| map.apply(workload));
    let mut files = foreign.files;
    files.iter_mut().for_each(|file| map.apply_to_file(file));
    Ok(AskedWorkload { workloads, notes: foreign.notes, files, wording, timed: false, naming: Naming::Files })
}

/// A text that names a file is a job file, any other a command line.
fn read_fio(given: &Given) -> Result<Foreign, Failure> {
    let path = given.path();
    let is_name = path.ends_with(".fio") && !path.contains(char::is_whitespace);
    if is_name || Path::new(&path).exists() {
        return Ok(fio::parse_job_file(&given.file(WRITTEN)?, &path, &Machine)?);
    }
    Ok(fio::parse_line(&given.text, &Machine)?)
}

/// A text of figures is an access specification, any other the name of a file.
fn read_iometer(given: &Given) -> Result<Foreign, Failure> {
    let is_figures = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, ',' | '.' | ';');
    if given.text.contains(',') && given.text.chars().all(is_figures) {
        return Ok(iometer::parse_access_spec(&given.text)?);
    }
    Ok(iometer::parse_icf(&given.file(WRITTEN)?)?)
}

/// What job files ask of this machine.
pub(crate) struct Machine;

impl fio::Context for Machine {
    fn file(&self, name: &str) -> Option<String> {
        files::read(name, WRITTEN).ok()
    }

    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn cpus(&self) -> Option<u32> {
        std::thread::available_parallelism().ok().and_then(|cpus| u32::try_from(cpus.get()).ok())
    }
}
