//! Circumstances of a run: depth, processors, devices, checks, preparation.

use iobound_measure::RunResult;
use iobound_measure::result::{DeviceCounters, DeviceFacts, Outcome, Source};
use iobound_units::{Bytes, Counted};

use super::{Prepared, Preparing};
use crate::limit::grouped;
use crate::number::{count_text, duration_text, percent_text, rounded, time_text};
use crate::page::Page;

/// More devices than this are left to `--wide`.
const FEW: usize = 4;
/// More targets than this too.
const MOST_PREPARED: usize = 8;

/// Source of the figures, if not real targets.
pub(super) fn source(result: &RunResult, page: &mut Page) {
    match result.source {
        Source::Measured => {}
        Source::Simulated => page.paragraph("simulated: the model in virtual time, no real target"),
        Source::Rehearsed => page.paragraph("rehearsed: the model in real time, no real target"),
        Source::Foreign => {
            let tool = result.tool.as_ref().map_or("another tool", |tool| tool.name.as_str());
            page.paragraph(&format!("measured by {tool}"));
        }
    }
    if page.is_wide() {
        let mut facts: Vec<String> = Vec::new();
        if let Some(start) = &result.start {
            facts.extend(start.at.iter().map(|at| format!("started {at}")));
            facts.extend(start.host.iter().map(|host| format!("on {host}")));
            facts.extend(start.warmup_s.map(|seconds| format!("warm-up {}", duration_text(seconds))));
            facts.extend(start.counted_s.map(|seconds| format!("counted {}", duration_text(seconds))));
            facts.extend(start.seed.map(|seed| format!("seed {seed}")));
        }
        facts.extend(result.kernel.iter().map(|kernel| format!("kernel {kernel}")));
        page.paragraph(&facts.join(", "));
    }
}

/// I/Os outstanding, of what was asked for; or of what may be, where the jobs' own rates hold them back.
pub(super) fn depth(result: &RunResult, is_held_back: bool, page: &mut Page) {
    let Some(depth) = result.depth else { return };
    let text = match (depth.achieved, depth.requested) {
        (Some(achieved), Some(requested)) if is_held_back => {
            format!(
                "{} outstanding on average; {} may be",
                count_text(rounded(achieved, 2)),
                grouped(requested)
            )
        }
        (Some(achieved), Some(requested)) if requested > 0 => {
            let share = percent_text(depth.at_device.unwrap_or(achieved) / requested as f64);
            let at_device = match depth.at_device {
                Some(at_device) => format!("{} of them at the device, ", count_text(rounded(at_device, 1))),
                None => String::new(),
            };
            let (achieved, requested) = (count_text(rounded(achieved, 1)), grouped(requested));
            format!("{achieved} outstanding on average, {at_device}{share} of the {requested} requested")
        }
        (Some(achieved), _) => format!("{} outstanding on average", count_text(rounded(achieved, 1))),
        (None, Some(requested)) => format!("{} asked for", grouped(requested)),
        (None, None) => return,
    };
    page.labelled("depth", &text);
}

/// Cost of an I/O in processor time, and what the hypervisor took.
pub(super) fn cpu(result: &RunResult, page: &mut Page) {
    let Some(cpu) = &result.cpu else { return };
    let mut figures: Vec<String> = Vec::new();
    figures.extend(cpu.us_per_io.map(|us| format!("{} of processor time an I/O", time_text(us))));
    if let (Some(user), Some(system)) = (cpu.user_s, cpu.system_s) {
        let seconds = |s: f64| format!("{} s", rounded(s, if s < 10.0 { 2 } else { 0 }));
        figures.push(format!("user {}, system {}", seconds(user), seconds(system)));
    }
    figures.push(Counted(u64::from(cpu.online), "processor").to_string());
    figures.extend(cpu.steal.map(|steal| format!("steal {} of their time", percent_text(steal))));
    page.figures("cpu", &figures);
    if page.is_wide() {
        let lines: Vec<String> = cpu
            .processors
            .iter()
            .map(|one| {
                let [user, system, idle, steal] =
                    [one.user, one.system, one.idle, one.steal].map(percent_text);
                format!(
                    "cpu {}: of its time user {user}, system {system}, idle {idle}, steal {steal}",
                    one.cpu
                )
            })
            .collect();
        page.list("", &lines);
    }
}

/// The kernel's counters of each device; on a wide page the kind of each.
pub(super) fn devices(result: &RunResult, page: &mut Page) {
    let shown = if page.is_wide() { result.devices.len() } else { result.devices.len().min(FEW) };
    for device in &result.devices[..shown] {
        let mut figures = vec![title(device)];
        figures.extend(device.counters.as_ref().into_iter().flat_map(counters));
        if page.is_wide() {
            figures.extend(facts(device));
        }
        page.figures("device", &figures);
    }
    if result.devices.len() > shown {
        let more = grouped((result.devices.len() - shown) as u64);
        page.labelled("", &format!("{more} more devices: --wide"));
    }
}

fn title(device: &DeviceFacts) -> String {
    let mut facts: Vec<String> = device.kind.iter().chain(&device.model).cloned().collect();
    facts.extend(device.size_bytes.map(|size| Bytes(size).to_string()));
    facts.extend(device.scheduler.as_ref().map(|scheduler| format!("scheduler {scheduler}")));
    if facts.is_empty() { device.name.clone() } else { format!("{} ({})", device.name, facts.join(", ")) }
}

fn counters(counters: &DeviceCounters) -> Vec<String> {
    let mut figures = Vec::new();
    let direction = |name: &str, requests: u64, bytes: u64, merged: u64, us: Option<f64>| {
        let mean = Bytes((bytes as f64 / requests as f64) as u64 / 512 * 512);
        let mut text = format!("{} {name}/s of {mean}", count_text(requests as f64 / counters.seconds));
        let of = percent_text(merged as f64 / (merged + requests) as f64);
        if of != percent_text(0.0) {
            text.push_str(&format!(" ({of} of them merged)"));
        }
        if let Some(us) = us {
            text.push_str(&format!(" in {}", time_text(us)));
        }
        text
    };
    if counters.seconds > 0.0 && counters.reads > 0 {
        figures.push(direction(
            "reads",
            counters.reads,
            counters.read_bytes,
            counters.reads_merged,
            counters.read_us,
        ));
    }
    if counters.seconds > 0.0 && counters.writes > 0 {
        figures.push(direction(
            "writes",
            counters.writes,
            counters.written_bytes,
            counters.writes_merged,
            counters.write_us,
        ));
    }
    figures.push(format!("queue {}", count_text(counters.queue)));
    figures.push(format!("busy {} of the time", percent_text(counters.busy)));
    figures
}

fn facts(device: &DeviceFacts) -> Vec<String> {
    let mut facts = Vec::new();
    if !device.targets.is_empty() {
        facts.push(format!("targets {}", device.targets.join(", ")));
    }
    if !device.made_of.is_empty() {
        facts.push(format!("made of {}", device.made_of.join(", ")));
    }
    facts.extend(device.read_ahead_kib.map(|kib| format!("read-ahead {kib} KiB")));
    facts.extend(
        device.hardware_queues.map(|queues| Counted(u64::from(queues), "hardware queue").to_string()),
    );
    facts.extend(device.queue_requests.map(|requests| format!("{} a queue", Counted(requests, "request"))));
    facts.extend(device.max_request_kib.map(|kib| format!("requests of at most {kib} KiB")));
    facts.extend(device.max_hardware_request_kib.map(|kib| format!("hardware takes {kib} KiB")));
    facts.extend(device.logical_sector.map(|bytes| format!("sector {bytes} B")));
    facts.extend(device.physical_sector.map(|bytes| format!("physical sector {bytes} B")));
    facts.extend(
        device.rotational.map(|turns| String::from(if turns { "it turns" } else { "no moving parts" })),
    );
    facts.extend(device.write_cache.as_ref().map(|cache| format!("write cache: {cache}")));
    facts
}

/// Failures, and I/Os that were not done.
pub(super) fn shortfall(result: &RunResult, page: &mut Page) {
    let by = &result.by_operation;
    let parts =
        [("reads", &by.read), ("writes", &by.write), ("flushes", &by.flush), ("discards", &by.discard)];
    let failed: Vec<String> = parts
        .into_iter()
        .filter_map(|(name, figures)| {
            let figures = figures.as_ref()?;
            let errors = figures.errors.filter(|errors| *errors > 0)?;
            let all = errors + figures.ios.unwrap_or(0);
            Some(format!("{} of {} {name}", grouped(errors), grouped(all)))
        })
        .collect();
    if !failed.is_empty() {
        page.stressed("FAILED", &format!("{}; no other figure includes them", failed.join(", ")));
    }
    let never = result.never_issued.filter(|never| *never > 0);
    let unfinished = result.unfinished.filter(|n| *n > 0 && (page.is_wide() || never.is_some()));
    let mut left: Vec<String> = Vec::new();
    left.extend(never.map(|n| format!("{} due and never issued (the backlog)", grouped(n))));
    left.extend(unfinished.map(|n| format!("{} issued and not completed", grouped(n))));
    if !left.is_empty() {
        page.labelled("left over", &format!("{}, when the measurement ended", left.join(", ")));
    }
}

/// All checks by name; failed checks and warnings with their sentence.
pub(super) fn checks(result: &RunResult, page: &mut Page) {
    let word = |outcome: Outcome| match outcome {
        Outcome::Ok => "ok",
        Outcome::Warning => "warning",
        Outcome::Failed => "FAILED",
        Outcome::Unknown => "not known",
    };
    let names: Vec<String> = result
        .checks
        .iter()
        .map(|check| format!("{} {}", check.name.replace('-', " "), word(check.outcome)))
        .collect();
    if !names.is_empty() {
        page.labelled("checks", &names.join(" · "));
    }
    let wide = page.is_wide();
    for check in &result.checks {
        let text = format!("{}: {}", check.name.replace('-', " "), check.says);
        match check.outcome {
            Outcome::Failed => page.stressed("FAILED", &text),
            Outcome::Warning => page.labelled("warning", &text),
            Outcome::Unknown | Outcome::Ok if wide && !check.says.is_empty() => page.labelled("", &text),
            Outcome::Unknown | Outcome::Ok => {}
        }
    }
}

/// Preparation of the targets.
pub(super) fn prepared(prepared: &[Prepared], page: &mut Page) {
    let shown = if page.is_wide() { prepared.len() } else { prepared.len().min(MOST_PREPARED) };
    let mut lines: Vec<String> = prepared[..shown]
        .iter()
        .map(|one| {
            let size = one.size;
            let did = match one.did {
                Preparing::Created => format!("{size}, created"),
                Preparing::Overwritten => format!("{size}, overwritten"),
                Preparing::Filled => format!("{size}, with its unwritten parts filled"),
                Preparing::Reused => format!("{size}, of an earlier run"),
                Preparing::Untouched => format!("{size}, as it was"),
            };
            let mut text = format!("{} {did}", one.target);
            if one.written.get() > 0 {
                let took =
                    if one.seconds < 1.0 { "less than 1 s".into() } else { duration_text(one.seconds) };
                text.push_str(&format!("; {} written in {took}", one.written));
            }
            if let Some(content) = &one.content {
                text.push_str(&format!(", {content}"));
            }
            text
        })
        .collect();
    if prepared.len() > shown {
        lines.push(format!("{} more: --wide", grouped((prepared.len() - shown) as u64)));
    }
    page.list("prepared", &lines);
}
