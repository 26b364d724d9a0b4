//! Other differences between two runs.

use std::collections::BTreeMap;

use crate::result::{DeviceFacts, RunResult};

/// A run that is compared.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// Figures of it.
    pub result: &'a RunResult,
    /// The request, in TOML; `None` where nobody kept it.
    pub workload: Option<&'a str>,
    /// The configuration, in TOML.
    pub configuration: Option<&'a str>,
    /// End of the run, in the document's word.
    pub ended: Option<&'a str>,
}

/// One thing that is otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Area of the difference: `workload`, `configuration`, `machine` or `run`.
    pub part: &'static str,
    /// Its kind.
    pub what: String,
    /// In a; `None` where it is not there or not known.
    pub a: Option<String>,
    /// In b.
    pub b: Option<String>,
}

type Facts = BTreeMap<String, String>;

/// Everything that is known to be otherwise, in the order workload, configuration, machine, run.
pub fn changed(a: &Subject<'_>, b: &Subject<'_>) -> Vec<Changed> {
    let mut changed = Vec::new();
    // What only one of them tells has not changed: it is not known.
    let texts = [("workload", a.workload, b.workload), ("configuration", a.configuration, b.configuration)];
    for (part, a, b) in texts {
        if let (Some(a), Some(b)) = (a, b) {
            differences(part, &lines_of(a), &lines_of(b), &mut changed);
        }
    }
    if a.workload.is_none() || b.workload.is_none() {
        known("workload", &asked(a.result), &asked(b.result), &mut changed);
    }
    known("machine", &machine(a.result), &machine(b.result), &mut changed);
    known("run", &run(a.result), &run(b.result), &mut changed);
    changed
}

/// The differences where both say something, and what only one has.
fn differences(part: &'static str, a: &Facts, b: &Facts, changed: &mut Vec<Changed>) {
    let mut names: Vec<&String> = a.keys().chain(b.keys()).collect();
    names.sort_unstable();
    names.dedup();
    for name in names.into_iter().filter(|name| a.get(*name) != b.get(*name)) {
        let (a, b) = (a.get(name).cloned(), b.get(name).cloned());
        changed.push(Changed { part, what: name.clone(), a, b });
    }
}

/// The differences of that which both tell.
fn known(part: &'static str, a: &Facts, b: &Facts, changed: &mut Vec<Changed>) {
    let both = |facts: &Facts, other: &Facts| {
        facts
            .iter()
            .filter(|(name, _)| other.contains_key(*name))
            .map(|(n, v)| (n.clone(), v.clone()))
            .collect()
    };
    let (of_a, of_b): (Facts, Facts) = (both(a, b), both(b, a));
    differences(part, &of_a, &of_b, changed);
}

/// The keys of a text in TOML by the table that they are in: `data: depth`, where a job says its name. A value that goes
/// over several lines is taken line by line.
fn lines_of(text: &str) -> Facts {
    let mut facts = Facts::new();
    let (mut table, mut number, mut name) = (String::new(), 0, None::<String>);
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if let Some(head) = line.strip_prefix('[') {
            let head = head.trim_start_matches('[').trim_end_matches(']').trim().to_string();
            number = if head == table { number + 1 } else { 1 };
            (table, name) = (head, None);
            continue;
        }
        let (key, value) = line.split_once('=').map_or((line, ""), |(key, value)| (key.trim(), value.trim()));
        let value = value.trim_matches('"').to_string();
        if key == "name" && table == "job" {
            name = Some(value.clone());
        }
        let place = match (&name, table.as_str()) {
            (_, "" | "machine") => String::new(),
            (Some(name), _) => format!("{name}: "),
            (None, table) => format!("{table} {number}: "),
        };
        facts.insert(format!("{place}{key}"), value);
    }
    facts
}

/// The request, as a result contains it.
fn asked(result: &RunResult) -> Facts {
    let mut facts = Facts::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            facts.insert(name.to_string(), value);
        }
    };
    add("depth", result.depth.and_then(|depth| depth.requested).map(|depth| depth.to_string()));
    add(
        "loop",
        result.total.latency_us.and_then(|l| l.label).map(|label| format!("{label:?}").to_lowercase()),
    );
    let sizes = result.total.bytes.zip(result.total.ios).filter(|(_, ios)| *ios > 0);
    add("mean block", sizes.map(|(bytes, ios)| format!("{:.0} B", bytes as f64 / ios as f64)));
    let reads = result.by_operation.read.as_ref().and_then(|read| read.ios);
    let share =
        result.total.ios.filter(|ios| *ios > 0).map(|ios| reads.unwrap_or(0) as f64 * 100.0 / ios as f64);
    add("reads", share.map(|share| format!("{share:.0} %")));
    facts
}

/// The machine that it ran on.
fn machine(result: &RunResult) -> Facts {
    let mut facts = Facts::new();
    let mut add = |name: String, value: Option<String>| {
        if let Some(value) = value {
            facts.insert(name, value);
        }
    };
    add("host".into(), result.start.as_ref().and_then(|start| start.host.clone()));
    add("kernel".into(), result.kernel.clone());
    add("processors".into(), result.cpu.as_ref().map(|cpu| cpu.online.to_string()));
    if !result.devices.is_empty() {
        let names: Vec<&str> = result.devices.iter().map(|device| device.name.as_str()).collect();
        add("devices".into(), Some(names.join(", ")));
    }
    for device in &result.devices {
        for (what, value) in facts_of(device) {
            add(format!("{} {what}", device.name), value);
        }
    }
    facts
}

fn facts_of(device: &DeviceFacts) -> [(&'static str, Option<String>); 12] {
    let number = |value: Option<u64>| value.map(|value| value.to_string());
    [
        ("kind", device.kind.clone()),
        ("model", device.model.clone()),
        ("size", device.size_bytes.map(|bytes| format!("{bytes} B"))),
        ("scheduler", device.scheduler.clone()),
        ("read-ahead", device.read_ahead_kib.map(|kib| format!("{kib} KiB"))),
        ("requests a queue", number(device.queue_requests)),
        ("hardware queues", number(device.hardware_queues.map(u64::from))),
        ("largest request", device.max_request_kib.map(|kib| format!("{kib} KiB"))),
        ("logical sector", device.logical_sector.map(|bytes| format!("{bytes} B"))),
        ("physical sector", device.physical_sector.map(|bytes| format!("{bytes} B"))),
        ("write cache", device.write_cache.clone()),
        ("made of", (!device.made_of.is_empty()).then(|| device.made_of.join(", "))),
    ]
}

/// Conduct of the run.
fn run(result: &RunResult) -> Facts {
    let mut facts = Facts::new();
    let mut add = |name: &str, value: Option<String>| {
        if let Some(value) = value {
            facts.insert(name.to_string(), value);
        }
    };
    add("source", Some(format!("{:?}", result.source).to_lowercase()));
    add("tool", result.tool.as_ref().map(|tool| tool.name.clone()));
    add("tool version", result.tool.as_ref().and_then(|tool| tool.version.clone()));
    add("engine", result.engine.clone());
    add("target", result.device.clone());
    let start = result.start.as_ref();
    let seconds = |value: Option<f64>| value.map(|seconds| format!("{seconds} s"));
    add("warm-up", seconds(start.and_then(|start| start.warmup_s)));
    // A run that was cut short by microseconds was not.
    let counted = start.and_then(|start| start.counted_s).map(|seconds| (seconds * 10.0).round() / 10.0);
    add("counted", seconds(counted));
    add("interval", seconds(start.and_then(|start| start.interval_s)));
    facts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::Source;

    fn subject<'a>(result: &'a RunResult, workload: Option<&'a str>) -> Subject<'a> {
        Subject { result, workload, configuration: None, ended: None }
    }

    #[test]
    fn the_one_key_of_a_job_that_differs_is_named_with_its_job() {
        let result = RunResult::new(Source::Measured);
        let of = |depth: u32| {
            format!(
                "duration = \"30s\"\n\n[[job]]\nname = \"data\"\ndepth = {depth}\n\n[[job]]\nname = \"log\"\ndepth = 1\n"
            )
        };
        let (a, b) = (of(8), of(16));
        let found = changed(&subject(&result, Some(&a)), &subject(&result, Some(&b)));
        let depth = Changed {
            part: "workload",
            what: "data: depth".into(),
            a: Some("8".into()),
            b: Some("16".into()),
        };
        assert_eq!(found, [depth]);
    }

    #[test]
    fn what_only_one_of_them_tells_is_not_known_to_have_changed() {
        let (mut a, b) = (RunResult::new(Source::Measured), RunResult::new(Source::Measured));
        a.kernel = Some("6.1".into());
        assert_eq!(changed(&subject(&a, None), &subject(&b, None)), []);
    }

    #[test]
    fn kernel_and_scheduler_belong_to_the_machine() {
        let result = |kernel: &str, scheduler: &str| {
            let mut result = RunResult::new(Source::Measured);
            result.kernel = Some(kernel.into());
            result.devices = vec![DeviceFacts {
                name: "sda".into(),
                scheduler: Some(scheduler.into()),
                ..DeviceFacts::default()
            }];
            result
        };
        let (a, b) = (result("6.1", "none"), result("6.12", "mq-deadline"));
        let found = changed(&subject(&a, None), &subject(&b, None));
        let whats: Vec<(&str, &str)> = found.iter().map(|one| (one.part, one.what.as_str())).collect();
        assert_eq!(whats, [("machine", "kernel"), ("machine", "sda scheduler")]);
    }
}
