//! The configuration file: its sections.

use std::collections::BTreeMap;

use iobound_units::Span;

use super::access;
use super::config::{
    Config, Cycling, Manager, Record, Step, TargetAssignment, TestSetup, TestType, Worker, WorkerKind,
    Workers,
};
use super::lines::{IcfLine, IcfLines, numbers, small};
use crate::error::{At, Trouble};
use crate::nearest::nearest;
use crate::notes::Notes;

/// A configuration as it was read, and where its parts stand.
pub(super) struct ReadConfig {
    pub config: Config,
    /// Place of each access specification, by its index.
    pub specs: BTreeMap<usize, At>,
    /// Place of each worker, by the indices of its manager and its own.
    pub workers: BTreeMap<(usize, usize), At>,
    /// Place of the test setup.
    pub setup: At,
    /// True if there is a test setup at all.
    pub timed: bool,
}

/// The most workers: a bound on what is kept, far above what any machine runs.
const MOST_WORKERS: usize = 1000;

/// Reads a file; `None` with at least one problem.
pub(super) fn read(
    text: &str,
    source: usize,
    trouble: &mut Trouble,
    notes: &mut Notes,
) -> Option<ReadConfig> {
    let mut lines = IcfLines::new(text, source);
    let mut read = ReadConfig {
        config: Config::default(),
        specs: BTreeMap::new(),
        workers: BTreeMap::new(),
        setup: At { source, at: 0, len: 1 },
        timed: false,
    };
    let mut sections = 0;
    while let Some(line) = lines.take_said() {
        if !trouble.is_empty() {
            return None;
        }
        if !line.is_label() {
            match line.text.split_whitespace().collect::<Vec<_>>().as_slice() {
                [word, version] if word.eq_ignore_ascii_case("version") => {
                    read.config.version = (*version).to_string();
                    if is_too_old(version) {
                        let what = format!("version {version} is older than named access specifications");
                        trouble.add(line.at, what, "open it in Iometer 1998.05.21 or later and save it");
                    }
                }
                _ => trouble.add(
                    line.at,
                    format!("unexpected `{}`", line.text),
                    "a file starts with Version 1.1.0, and its sections with lines such as 'TEST SETUP",
                ),
            }
            continue;
        }
        sections += 1;
        if line.begins("TEST SETUP") {
            read.setup = line.at;
            read.timed = true;
            read.config.setup = setup(&mut lines, trouble);
        } else if line.begins("RESULTS DISPLAY") {
            display(&mut lines, &mut read.config, trouble);
        } else if line.begins("ACCESS SPECIFICATIONS") {
            access::read_section(&mut lines, &mut read.config, &mut read.specs, trouble);
        } else if line.begins("MANAGER LIST") {
            managers(&mut lines, &mut read, trouble);
        } else {
            let known = ["TEST SETUP", "RESULTS DISPLAY", "ACCESS SPECIFICATIONS", "MANAGER LIST"];
            let help = match nearest(&line.label().to_ascii_uppercase(), known) {
                Some(name) => format!("did you mean '{name}?"),
                None => format!("the sections are {}", known.join(", ")),
            };
            trouble.add(line.at, format!("`{}` does not start a section", line.text), help);
        }
    }
    if sections == 0 && trouble.is_empty() {
        trouble.add(
            read.setup,
            "this is not a configuration file of Iometer",
            "its sections begin with 'TEST SETUP",
        );
    }
    if read.config.version.is_empty() {
        notes.add("Version", "the file has no version line: read as 1.1.0");
    }
    trouble.is_empty().then_some(read)
}

/// Versions were dates before 1.1; the format of access specifications changed in 1998.
fn is_too_old(version: &str) -> bool {
    let mut parts = version.split('.').map(|part| part.parse::<u32>().unwrap_or(0));
    let (year, month, day) =
        (parts.next().unwrap_or(0), parts.next().unwrap_or(0), parts.next().unwrap_or(0));
    year > 1900 && (year, month, day) < (1998, 5, 21)
}

/// The labels of a test setup besides its description and its end.
const SETUP: [&str; 10] = [
    "Run Time",
    "Ramp Up Time",
    "Default Disk Workers to Spawn",
    "Default Workers to Spawn",
    "Default Network Workers to Spawn",
    "Record Results",
    "Worker Cycling",
    "Disk Cycling",
    "Target Cycling",
    "Queue Depth Cycling",
];

/// Refuses a time that no run lasts.
fn check_time(seconds: u64, value: IcfLine<'_>, trouble: &mut Trouble) {
    if seconds > Span::LONGEST.ns() / 1_000_000_000 {
        trouble.add(value.at, format!("{seconds} s are more than ten years"), "write a shorter time");
    }
}

fn setup(lines: &mut IcfLines<'_>, trouble: &mut Trouble) -> TestSetup {
    let mut setup = TestSetup::default();
    while let Some(label) = next_label(lines, "test setup", trouble) {
        if label.is("END test setup") {
            return setup;
        }
        if label.is("Test Description") {
            setup.description = lines.value().map_or(String::new(), |value| value.text.to_string());
            continue;
        }
        if !label.is("Test Type") && !SETUP.iter().any(|known| label.begins(known)) {
            unknown(label, "TEST SETUP", trouble);
            return setup;
        }
        let Some(value) = lines.expected(label, trouble) else { return setup };
        if label.is("Run Time") {
            if let Some([hours, minutes, seconds]) = numbers(value, "Run Time", trouble) {
                setup.hours = small(hours, value, trouble).unwrap_or(0);
                setup.minutes = small(minutes, value, trouble).unwrap_or(0);
                setup.seconds = small(seconds, value, trouble).unwrap_or(0);
                let [hours, minutes, seconds] = [setup.hours, setup.minutes, setup.seconds].map(u64::from);
                check_time(hours * 3_600 + minutes * 60 + seconds, value, trouble);
            }
        } else if label.begins("Ramp Up Time") {
            if let Some([seconds]) = numbers(value, "Ramp Up Time", trouble) {
                setup.ramp_up_s = small(seconds, value, trouble).unwrap_or(0);
                check_time(setup.ramp_up_s.into(), value, trouble);
            }
        } else if label.is("Default Disk Workers to Spawn") || label.is("Default Workers to Spawn") {
            setup.disk_workers = workers(value, trouble);
        } else if label.is("Default Network Workers to Spawn") {
            setup.network_workers = workers(value, trouble);
        } else if label.is("Record Results") {
            setup.record = named(value, &Record::ALL, "choice of results", trouble);
        } else if label.is("Worker Cycling") {
            setup.worker_cycling = cycling(value, false, trouble);
        } else if label.is("Disk Cycling") || label.is("Target Cycling") {
            setup.target_cycling = cycling(value, false, trouble);
        } else if label.is("Queue Depth Cycling") {
            setup.depth_cycling = cycling(value, true, trouble);
        } else {
            setup.test_type = named(value, &TestType::ALL, "test type", trouble);
        }
    }
    setup
}

fn workers(value: IcfLine<'_>, trouble: &mut Trouble) -> Workers {
    if value.text.eq_ignore_ascii_case("NUMBER_OF_CPUS") {
        return Workers::PerProcessor;
    }
    match value.text.parse() {
        Ok(count) => Workers::Count(count),
        Err(_) => {
            let what = format!("`{}` is not a number of workers", value.text);
            trouble.add(value.at, what, "write a number or NUMBER_OF_CPUS");
            Workers::PerProcessor
        }
    }
}

fn cycling(value: IcfLine<'_>, has_end: bool, trouble: &mut Trouble) -> Option<Cycling> {
    let kind = match value.text.split_whitespace().last()? {
        word if word.eq_ignore_ascii_case("LINEAR") || word == "0" => Step::Linear,
        word if word.eq_ignore_ascii_case("EXPONENTIAL") || word == "1" => Step::Exponential,
        word => {
            trouble.add(value.at, format!("`{word}` is not a kind of step"), "write LINEAR or EXPONENTIAL");
            return None;
        }
    };
    let (start, end, step) = if has_end {
        let [start, end, step] = numbers(value, "Queue Depth Cycling", trouble)?;
        (start, Some(small(end, value, trouble)?), step)
    } else {
        let [start, step] = numbers(value, "cycling", trouble)?;
        (start, None, step)
    };
    Some(Cycling { start: small(start, value, trouble)?, end, step: small(step, value, trouble)?, kind })
}

/// One of these by its word, or by the number that old files have for it.
fn named<T: Copy + Default>(value: IcfLine<'_>, all: &[(&str, T)], what: &str, trouble: &mut Trouble) -> T {
    let word = value.text.to_ascii_uppercase();
    let by_number = || word.parse::<usize>().ok().and_then(|number| all.get(number));
    if let Some((_, kind)) = all.iter().find(|(name, _)| *name == word).or_else(by_number) {
        return *kind;
    }
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let help = match nearest(&word, names.iter().copied()) {
        Some(name) => format!("did you mean {name}?"),
        None => format!("it is one of {}", names.join(", ")),
    };
    trouble.add(value.at, format!("`{}` is no {what}", value.text), help);
    T::default()
}

fn display(lines: &mut IcfLines<'_>, config: &mut Config, trouble: &mut Trouble) {
    while let Some(label) = next_label(lines, "results display", trouble) {
        if label.is("END results display") {
            return;
        }
        let value = lines.value().map_or(String::new(), |value| value.text.to_string());
        config.display.push((label.label().to_string(), value));
    }
}

/// The next label of a section; a problem where there is none.
fn next_label<'a>(lines: &mut IcfLines<'a>, section: &str, trouble: &mut Trouble) -> Option<IcfLine<'a>> {
    if !trouble.is_empty() {
        return None;
    }
    let here = lines.here();
    match lines.take_said() {
        Some(line) if line.is_label() => Some(line),
        Some(line) => {
            let what = format!("`{}` has no label", line.text);
            trouble.add(line.at, what, "write a label that starts with an apostrophe above each value");
            None
        }
        None => {
            let what = format!("the file ends in the middle of the {section}");
            trouble.add(here, what, format!("it ends with 'END {section}"));
            None
        }
    }
}

fn unknown(label: IcfLine<'_>, section: &str, trouble: &mut Trouble) {
    let what = format!("{section} has no `{}`", label.text);
    trouble.add(label.at, what, "save the file with Iometer 1.1 or leave the line and its value out");
}

fn managers(lines: &mut IcfLines<'_>, read: &mut ReadConfig, trouble: &mut Trouble) {
    while let Some(label) = next_label(lines, "manager list", trouble) {
        if label.is("END manager list") {
            return;
        }
        if !label.is("Manager ID, manager name") {
            unknown(label, "MANAGER LIST", trouble);
            return;
        }
        let Some(value) = lines.expected(label, trouble) else { return };
        let (id, name) = value.text.split_once(',').unwrap_or((value.text, ""));
        let Ok(id) = id.trim().parse() else {
            trouble.add(value.at, format!("`{id}` is not a manager's number"), "write 1,NAME");
            return;
        };
        let mut manager = Manager { id, name: name.trim().to_string(), ..Manager::default() };
        let index = read.config.managers.len();
        while let Some(label) = next_label(lines, "manager", trouble) {
            if label.is("End manager") {
                break;
            }
            if label.is("Manager network address") {
                manager.address = lines.value().map_or(String::new(), |value| value.text.to_string());
            } else if label.is("Worker") && read.workers.len() < MOST_WORKERS {
                let Some(name) = lines.expected(label, trouble) else { return };
                read.workers.insert((index, manager.workers.len()), name.at);
                manager.workers.push(worker(lines, name.text, trouble));
            } else {
                unknown(label, "a manager", trouble);
                return;
            }
        }
        read.config.managers.push(manager);
    }
}

fn worker(lines: &mut IcfLines<'_>, name: &str, trouble: &mut Trouble) -> Worker {
    let mut worker = Worker { name: name.to_string(), outstanding: 1, ..Worker::default() };
    while let Some(label) = next_label(lines, "worker", trouble) {
        if label.is("End worker") {
            return worker;
        }
        if label.is("Worker type") {
            let Some(value) = lines.expected(label, trouble) else { return worker };
            worker.kind = kind(value, trouble);
        } else if label.is("Default target settings for worker") {
            settings(lines, &mut worker, trouble);
        } else if label.is("Assigned access specs") {
            while let Some(line) = lines.take_said() {
                if line.is_label() {
                    break;
                }
                worker.specs.push(line.text.to_string());
            }
        } else if label.is("Target assignments") {
            targets(lines, &mut worker, trouble);
        } else {
            unknown(label, "a worker", trouble);
        }
    }
    worker
}

fn kind(value: IcfLine<'_>, trouble: &mut Trouble) -> WorkerKind {
    let (word, rest) = value.text.split_once([',', ' ', '\t']).unwrap_or((value.text, ""));
    match word.to_ascii_uppercase().as_str() {
        "DISK" => WorkerKind::Disk,
        "NETWORK" => WorkerKind::Network(rest.trim().to_string()),
        _ => {
            trouble.add(
                value.at,
                format!("`{}` is not a kind of worker", value.text),
                "write DISK or NETWORK,TCP",
            );
            WorkerKind::Disk
        }
    }
}

fn settings(lines: &mut IcfLines<'_>, worker: &mut Worker, trouble: &mut Trouble) {
    while let Some(label) = next_label(lines, "worker's settings", trouble) {
        if label.is("End default target settings for worker") {
            return;
        }
        let Some(value) = lines.expected(label, trouble) else { return };
        if label.begins("Number of outstanding IOs") {
            outstanding(value, worker, trouble);
        } else if label.begins("Disk maximum size,starting sector") {
            if let Some([size, start]) = numbers(value, "disk size and starting sector", trouble) {
                (worker.disk_size_sectors, worker.starting_sector) = (size, start);
            }
            worker.data_pattern = value.text.split(',').nth(2).and_then(|field| field.trim().parse().ok());
        } else if label.is("Local network interface") || label.is("VI outstanding IOs") {
            worker.network.push((label.label().to_string(), value.text.to_string()));
        } else {
            unknown(label, "a worker's settings", trouble);
        }
    }
}

/// Outstanding I/Os, test connection rate, transactions, and since 1.1 a seed.
fn outstanding(value: IcfLine<'_>, worker: &mut Worker, trouble: &mut Trouble) {
    let fields: Vec<&str> = value.text.split(',').map(str::trim).collect();
    let help = "write 16,DISABLED,1,DISABLED,0";
    let number = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
    let enabled = |index: usize| match fields.get(index).map(|field| field.to_ascii_uppercase()).as_deref() {
        Some("ENABLED") => Some(true),
        Some("DISABLED") | None => Some(false),
        Some(_) => None,
    };
    let depth = number(0).and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    let (Some(depth), Some(rate), Some(seeded)) = (depth, enabled(1), enabled(3)) else {
        trouble.add(value.at, format!("`{}` cannot be read", value.text), help);
        return;
    };
    worker.outstanding = depth;
    worker.test_connection_rate = rate;
    worker.transactions_per_connection = number(2).and_then(|n| u32::try_from(n).ok()).unwrap_or(1);
    worker.fixed_seed = if seeded { number(4) } else { None };
    if seeded && worker.fixed_seed.is_none() {
        trouble.add(value.at, "the fixed seed is missing", help);
    }
}

fn targets(lines: &mut IcfLines<'_>, worker: &mut Worker, trouble: &mut Trouble) {
    while let Some(label) = next_label(lines, "target assignments", trouble) {
        if label.is("End target assignments") {
            return;
        }
        if !label.is("Target") {
            unknown(label, "the target assignments", trouble);
            return;
        }
        let Some(name) = lines.expected(label, trouble) else { return };
        let mut target = TargetAssignment { name: name.text.to_string(), kind: WorkerKind::Disk };
        while let Some(label) = next_label(lines, "target", trouble) {
            if label.is("End target") {
                break;
            }
            let Some(value) = lines.expected(label, trouble) else { return };
            if label.is("Target type") {
                target.kind = kind(value, trouble);
            } else if !label.is("Target manager ID, manager name") {
                unknown(label, "a target", trouble);
            }
        }
        worker.targets.push(target);
    }
}
