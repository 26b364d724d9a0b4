//! The words of DiskSpd, fio and Iometer.

use std::io::{Seek, SeekFrom};
use std::path::Path;

use iobound_formats::{Foreign, diskspd, fio, iometer};
use iobound_machine::memory::{memory, page_bytes};
use iobound_machine::{Node, NodeKind, World};
use iobound_report::Wording;

use super::paths::PathMap;
use super::{AskedWorkload, Naming};
use crate::Env;
use crate::failure::Failure;
use crate::files::{self, RESULT, WRITTEN};
use crate::settings::SettingValue;

/// Reads the workload of another tool. Files that it names are read here.
pub(super) fn read(
    tool: &str,
    given: &SettingValue,
    map: &mut PathMap,
    runs_here: bool,
    env: &Env,
) -> Result<AskedWorkload, Failure> {
    let text = given.text.as_str();
    let (foreign, wording) = match tool {
        "diskspd" => (
            diskspd::parse_line_with_profile(text, &|name| files::read(env, name, RESULT).ok())?,
            Wording::DiskSpd,
        ),
        "diskspd-xml" => (diskspd::parse_xml(&given.file(env, RESULT)?)?, Wording::Plain),
        "fio" => {
            let machine = if runs_here { Machine::that_runs(env, map) } else { Machine::that_reads(env) };
            (read_fio(given, &machine)?, Wording::Fio)
        }
        _ => (read_iometer(given, env)?, Wording::Plain),
    };
    let mut workloads: Vec<_> = foreign.workloads().cloned().collect();
    workloads.iter_mut().for_each(|workload| map.apply(workload));
    let mut files = foreign.files;
    files.iter_mut().for_each(|file| map.apply_to_file(file));
    Ok(AskedWorkload { workloads, notes: foreign.notes, files, wording, timed: false, naming: Naming::Files })
}

/// A text that names a file is a job file, any other a command line.
fn read_fio(given: &SettingValue, machine: &Machine) -> Result<Foreign, Failure> {
    let path = given.path();
    let is_name = path.ends_with(".fio") && !path.contains(char::is_whitespace);
    if is_name || Path::new(&path).exists() {
        return Ok(fio::parse_job_file(&given.file(&machine.env, WRITTEN)?, &path, machine)?);
    }
    Ok(fio::parse_line(&given.text, machine)?)
}

/// A text of figures is an access specification, any other the name of a file.
fn read_iometer(given: &SettingValue, env: &Env) -> Result<Foreign, Failure> {
    let is_figures = |c: char| c.is_ascii_digit() || c.is_whitespace() || matches!(c, ',' | '.' | ';');
    if given.text.contains(',') && given.text.chars().all(is_figures) {
        return Ok(iometer::parse_access_spec(&given.text)?);
    }
    Ok(iometer::parse_icf(&given.file(env, WRITTEN)?)?)
}

/// Machine facts that job files ask for.
pub struct Machine {
    env: Env,
    /// Local paths of the workload's paths; `None` if it does not run on this machine: files of the same name have nothing
    /// to do with it.
    paths: Option<PathMap>,
}

impl Machine {
    /// This machine runs the workload, on its own files and devices.
    pub fn that_runs(env: &Env, map: &PathMap) -> Machine {
        Machine { env: env.clone(), paths: Some(map.clone()) }
    }

    /// This machine only reads the words.
    pub fn that_reads(env: &Env) -> Machine {
        Machine { env: env.clone(), paths: None }
    }
}

impl fio::Context for Machine {
    fn file(&self, name: &str) -> Option<String> {
        // fio's own word for standard input.
        let path = if name == "-" { "/dev/stdin" } else { name };
        files::read(&self.env, path, WRITTEN).ok()
    }

    fn variable(&self, name: &str) -> Option<String> {
        self.env.variable(name)?.to_str().map(str::to_string)
    }

    fn size_of(&self, path: &str) -> Option<u64> {
        let path = self.paths.as_ref()?.find(path);
        let node = Node::of(Path::new(&path)).ok()?;
        match node.kind {
            NodeKind::File => Some(node.bytes),
            NodeKind::Block(_) => std::fs::File::open(path).ok()?.seek(SeekFrom::End(0)).ok(),
            _ => None,
        }
    }

    fn page_bytes(&self) -> u64 {
        page_bytes()
    }

    fn memory_mib(&self) -> Option<u64> {
        memory(&World::real()).total_bytes.map(|bytes| bytes >> 20)
    }

    fn cpus(&self) -> Option<u32> {
        configured().or_else(|| {
            std::thread::available_parallelism().ok().and_then(|cpus| u32::try_from(cpus.get()).ok())
        })
    }
}

/// The processors that the system is configured for: what fio puts in for `$ncpus`, whatever this process may use.
fn configured() -> Option<u32> {
    let is_cpu = |name: &str| {
        name.strip_prefix("cpu").is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let entries = std::fs::read_dir(World::real().path("/sys/devices/system/cpu")).ok()?;
    let count = entries
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name().to_str().is_some_and(is_cpu)));
    u32::try_from(count.count()).ok().filter(|count| *count > 0)
}
