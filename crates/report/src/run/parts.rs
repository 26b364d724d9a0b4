//! Figures of each operation, job, target and thread.

use iobound_measure::RunResult;
use iobound_measure::result::{Figures, PartResult};

use crate::limit::grouped;
use crate::number::{count_text, rounded, time_text};
use crate::page::Page;
use crate::table::{Column, Table};

/// More rows than this are left to `--wide`.
const FEW: usize = 8;

/// Reads, writes, flushes and discards apart, where there are several.
pub(super) fn operations(result: &RunResult, page: &mut Page) {
    let by = &result.by_operation;
    let rows: Vec<(&str, &Figures)> =
        [("read", &by.read), ("write", &by.write), ("flush", &by.flush), ("discard", &by.discard)]
            .into_iter()
            .filter_map(|(name, figures)| Some((name, figures.as_ref()?)))
            .collect();
    if rows.len() > 1 {
        table("operation", &rows, page);
    }
}

/// The jobs, where there are several.
pub(super) fn jobs(result: &RunResult, page: &mut Page) {
    if result.jobs.len() < 2 {
        return;
    }
    page.gap();
    let shown = shown(result.jobs.len(), page);
    let rows: Vec<(&str, &Figures)> =
        result.jobs[..shown].iter().map(|job| (job.name.as_str(), &job.total)).collect();
    table("job", &rows, page);
    left_out(result.jobs.len() - shown, "jobs", page);
    for job in &result.jobs[..shown] {
        if let (Some(asked), Some(iops)) = (job.requested_iops, job.total.iops) {
            let text = format!("{} IOPS requested, {} reached", count_text(asked), count_text(iops));
            page.labelled("", &format!("{}: {text}", job.name));
        }
    }
}

/// Targets and threads, where there are several: all of them on a wide page, else how far they lie apart.
pub(super) fn threads_and_targets(result: &RunResult, page: &mut Page) {
    // The targets of several machines are the machines, and stand in a table of their own.
    let of_hosts = !result.hosts.is_empty();
    for (name, parts) in [("target", &result.targets), ("thread", &result.threads)] {
        if parts.len() < 2 || of_hosts {
            continue;
        }
        if page.is_wide() || (name == "target" && parts.len() <= FEW) {
            page.gap();
            let rows: Vec<(&str, &Figures)> =
                parts.iter().map(|part| (part.name.as_str(), &part.total)).collect();
            table(name, &rows, page);
        } else {
            page.labelled(&format!("{name}s"), &spread(parts));
        }
    }
}

/// `32, each 1,380-1,440 IOPS`.
fn spread(parts: &[PartResult]) -> String {
    let iops: Vec<f64> = parts.iter().filter_map(|part| part.total.iops).collect();
    let (low, high) = iops.iter().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(*v), h.max(*v)));
    let count = grouped(parts.len() as u64);
    match iops.is_empty() {
        true => count,
        false => format!("{count}, each {}-{} IOPS (--wide has all)", count_text(low), count_text(high)),
    }
}

fn shown(all: usize, page: &Page) -> usize {
    if page.is_wide() { all } else { all.min(FEW) }
}

fn left_out(count: usize, what: &str, page: &mut Page) {
    if count > 0 {
        page.line(&format!("  {} more {what}: --wide", grouped(count as u64)));
    }
}

fn table(head: &str, rows: &[(&str, &Figures)], page: &mut Page) {
    let wide = page.is_wide();
    let mut columns = vec![Column::words(head)];
    let plain = ["IOPS", "MB/s", "mean", "p50", "p99", "p99.9", "max"];
    columns.extend(plain.map(Column::figures));
    if wide {
        columns.extend(["p90", "p95", "p99.99", "min", "stdev"].map(Column::figures));
    }
    let errors = rows.iter().any(|(_, figures)| figures.errors.is_some_and(|errors| errors > 0));
    if errors {
        columns.insert(2, Column::figures("failed"));
    }
    let mut table = Table::new(columns);
    // A name may be a path: its end tells more than its beginning.
    let most = if wide { usize::MAX } else { page.width().saturating_sub(36).max(16) };
    for (name, figures) in rows {
        let time = |value: Option<f64>| value.map_or("-".into(), time_text);
        let latency = figures.latency_us.unwrap_or_default();
        let mut cells = vec![end_of(name, most), figures.iops.map_or("-".into(), count_text)];
        if errors {
            cells.push(figures.errors.map_or("-".into(), grouped));
        }
        cells.push(figures.throughput_bytes_per_s.filter(|rate| *rate > 0.0).map_or("-".into(), mb_text));
        cells.extend([latency.mean, latency.p50, latency.p99, latency.p99_9, latency.max].map(time));
        if wide {
            cells.extend([latency.p90, latency.p95, latency.p99_99, latency.min, latency.stdev].map(time));
        }
        table.row(cells);
    }
    table.put(page);
}

fn end_of(name: &str, most: usize) -> String {
    let count = name.chars().count();
    if count <= most {
        name.into()
    } else {
        format!("...{}", name.chars().skip(count + 3 - most).collect::<String>())
    }
}

/// MB/s under a head that says so.
fn mb_text(bytes_per_s: f64) -> String {
    let mb = bytes_per_s / 1e6;
    if mb >= 999.95 {
        grouped(rounded(mb, 0) as u64)
    } else {
        rounded(mb, if mb < 1.0 { 2 } else { 1 }).to_string()
    }
}
