//! The XML form.

use iobound_measure::result::{Cpu, PhaseLabel, Point, PointFigures, Processor, Start, round};

use super::super::element::{self, Element, Wanted};
use super::super::options::{Profile, TimeSpan};
use super::super::xml;
use super::found::{Amounts, Found, FoundLatency, FoundRow, READ, TOTAL, WRITE};
use super::number::{count, figure};
use crate::Tool;
use crate::date::rfc3339;
use crate::error::Trouble;

/// The figures of a result: not its profile, the topology, or the intervals of each target.
const RESULTS: Wanted = Wanted {
    root: "Results",
    pass: |parent, name| {
        matches!(
            (parent, name),
            ("Results", "Profile") | ("System", "ProcessorTopology") | ("Target", "Iops")
        )
    },
    help: "give a result of DiskSpd's (-Rxml)",
};

/// Reads a result; `None` with at least one problem.
pub(super) fn read(text: &str, source: usize, trouble: &mut Trouble) -> Option<Vec<Found>> {
    let root = element::read(text, source, RESULTS, trouble)?;
    let profile = profile(text);
    let spans: Vec<&Element> = root.all("TimeSpan").collect();
    if spans.is_empty() {
        trouble.add(root.at, "the result has no TimeSpan", RESULTS.help);
        return None;
    }
    let system = root.child("System");
    let said = |path: &[&str]| {
        let element = path.iter().try_fold(system?, |element, name| element.child(name))?;
        Some(element.text.clone()).filter(|text| !text.is_empty())
    };
    let start = Start {
        at: said(&["RunTime"]).and_then(|at| rfc3339(&at, "Z")),
        host: said(&["ComputerName"]),
        ..Start::default()
    };
    let found = spans.iter().enumerate().map(|(index, span)| {
        let asked = profile.as_ref().and_then(|profile| profile.time_spans.get(index));
        let mut found = time_span(span, asked, trouble);
        found.version = said(&["Tool", "Version"]);
        found.start = Start { at: start.at.clone(), host: start.host.clone(), ..found.start };
        if asked.is_none() {
            found.notes.push("the result has no readable Profile".to_string());
        }
        found
    });
    Some(found.collect())
}

/// The request, where it can be read.
fn profile(text: &str) -> Option<Profile> {
    let mut trouble = Trouble::new(Tool::DiskSpd);
    let source = trouble.source(None, text);
    xml::read(text, source, &mut trouble).map(|read| read.profile)
}

fn time_span(root: &Element, asked: Option<&TimeSpan>, trouble: &mut Trouble) -> Found {
    let mut found = Found::default();
    if let Some(asked) = asked {
        found.start.warmup_s = Some(f64::from(asked.warmup_s));
        found.start.seed = asked.seed;
        found.start.interval_s = asked.interval().map(|interval| interval.secs_f64());
        found.requested = requested(asked);
    }
    found.interrupted = root.child("Error").is_some();
    if found.interrupted {
        return found;
    }
    found.seconds = match root.child("TestTimeSeconds") {
        Some(element) => figure(&element.text, "TestTimeSeconds", element.at, trouble),
        None => {
            trouble.add(root.at, "the time span has no TestTimeSeconds", RESULTS.help);
            None
        }
    };
    found.cpu = root.child("CpuUtilization").map(|element| cpu(element, root, trouble));
    if let Some(latency) = root.child("Latency") {
        found.latencies = distribution(latency, trouble);
    }
    if let Some(iops) = root.child("Iops") {
        let bucket_s = asked.and_then(TimeSpan::interval).map_or(1.0, |interval| interval.secs_f64());
        let warmup_s = found.start.warmup_s.unwrap_or(0.0);
        let mut point = |bucket| point(bucket, bucket_s, warmup_s, trouble);
        found.series = iops.all("Bucket").filter_map(&mut point).collect();
    }
    for thread in root.all("Thread") {
        let Some(id) = thread.child("Id") else {
            trouble.add(thread.at, "a Thread has no Id", RESULTS.help);
            continue;
        };
        let Some(number) = id.text.parse().ok() else {
            trouble.add(id.at, format!("Id: `{}` is not a thread's number", id.text), RESULTS.help);
            continue;
        };
        let rows = thread.all("Target").filter_map(|target| row(number, target, trouble));
        found.rows.extend(rows);
    }
    found
}

/// The outstanding I/Os that a time span asks for.
fn requested(span: &TimeSpan) -> Option<u64> {
    let threads = u64::from(span.thread_count);
    let sum = |each: fn(u64, u64) -> u64| {
        span.targets
            .iter()
            .map(|target| each(u64::from(target.requests), u64::from(target.threads())))
            .fold(0u64, u64::saturating_add)
    };
    let requested = match (threads, u64::from(span.request_count)) {
        (0, _) => sum(|requests, threads| requests * threads),
        (_, 0) => threads.saturating_mul(sum(|requests, _| requests)),
        (_, requests) => threads * requests,
    };
    Some(requested).filter(|n| *n > 0)
}

/// A child's figure; `None` where it is not there, and with a problem where it is none.
fn optional(root: &Element, name: &str, trouble: &mut Trouble) -> Option<f64> {
    let element = root.child(name)?;
    figure(&element.text, name, element.at, trouble)
}

fn cpu(root: &Element, span: &Element, trouble: &mut Trouble) -> Cpu {
    let number = |cpu: &Element, name: &str| cpu.child(name).and_then(|n| n.text.parse::<u32>().ok());
    let mut processors = Vec::new();
    for (index, cpu) in root.all("CPU").enumerate() {
        let mut share = |name: &str| optional(cpu, name, trouble).map(|percent| percent / 1e2);
        let (user, system, idle) = (share("UserPercent"), share("KernelPercent"), share("IdlePercent"));
        let (Some(user), Some(system), Some(idle)) = (user, system, idle) else { continue };
        let group = number(cpu, "Group").unwrap_or(0);
        processors.push(Processor {
            cpu: group.saturating_mul(64).saturating_add(number(cpu, "Id").unwrap_or(index as u32)),
            core: number(cpu, "Core"),
            socket: number(cpu, "Socket"),
            node: number(cpu, "Node"),
            efficiency_class: number(cpu, "EfficiencyClass"),
            user,
            system,
            idle,
            steal: 0.0,
        });
    }
    let online = number(span, "ProcCount").unwrap_or(processors.len() as u32);
    Cpu { online, processors, ..Cpu::default() }
}

fn distribution(root: &Element, trouble: &mut Trouble) -> FoundLatency {
    let mut rows = Vec::new();
    for bucket in root.all("Bucket") {
        let Some(percentile) = optional(bucket, "Percentile", trouble) else { continue };
        let ms = ["TotalMilliseconds", "ReadMilliseconds", "WriteMilliseconds"]
            .map(|name| optional(bucket, name, trouble));
        rows.push((percentile, ms));
    }
    FoundLatency(rows)
}

/// An interval of `-D`, which counts from the end of the warm-up. A latency of zero is none.
fn point(bucket: &Element, bucket_s: f64, warmup_s: f64, trouble: &mut Trouble) -> Option<Point> {
    let mut attribute =
        |name: &str| bucket.attribute(name).and_then(|text| figure(text, name, bucket.at, trouble));
    let end_s = warmup_s + attribute("SampleMillisecond")? / 1e3;
    let mut direction = |name: &str| {
        let iops = attribute(name)?;
        let mut us = |what: &str| {
            attribute(&format!("{name}{what}LatencyMilliseconds"))
                .filter(|ms| *ms > 0.0)
                .map(|ms| round::us(ms * 1e6))
        };
        let (mean_us, min_us, max_us) = (us("Avg"), us("Min"), us("Max"));
        (iops > 0.0).then(|| PointFigures { iops, mean_us, min_us, max_us, ..PointFigures::default() })
    };
    let (read, write) = (direction("Read"), direction("Write"));
    Some(Point {
        start_s: round::seconds(((end_s - bucket_s).max(0.0) * 1e9) as u64),
        end_s: round::seconds((end_s * 1e9) as u64),
        phase: PhaseLabel::Counted,
        cut_short: false,
        iops: attribute("Total")?,
        throughput_bytes_per_s: None,
        read,
        write,
    })
}

fn row(thread: u16, root: &Element, trouble: &mut Trouble) -> Option<FoundRow> {
    let mut whole = |name: &str| match root.child(name) {
        Some(element) => count(&element.text, name, element.at, trouble),
        None => {
            trouble.add(root.at, format!("a Target has no {name}"), RESULTS.help);
            None
        }
    };
    let mut sides = [Amounts::default(); 3];
    let names = [
        (TOTAL, "BytesCount", "IOCount"),
        (READ, "ReadBytes", "ReadCount"),
        (WRITE, "WriteBytes", "WriteCount"),
    ];
    for (column, bytes, ios) in names {
        let (bytes, ios) = (whole(bytes), whole(ios));
        (sides[column].bytes, sides[column].ios) = (bytes?, ios?);
    }
    let latencies = [
        (TOTAL, "AverageLatencyMilliseconds", "LatencyStdev"),
        (READ, "AverageReadLatencyMilliseconds", "ReadLatencyStdev"),
        (WRITE, "AverageWriteLatencyMilliseconds", "WriteLatencyStdev"),
    ];
    for (column, mean, stdev) in latencies {
        sides[column].mean_ms = optional(root, mean, trouble);
        sides[column].stdev_ms = optional(root, stdev, trouble);
    }
    let target = root.child("Path").map_or(String::new(), |path| path.text.clone());
    Some(FoundRow { thread, target, amounts: sides })
}
