//! The hosts of a run on the screen: all of a few, the slowest and the fastest of many.

use iobound_measure::RunResult;
use iobound_measure::result::fleet::{MissingRank, RanksDone, Spread, Straggler};
use iobound_measure::result::{Fleet, HostResult};
use iobound_units::format_throughput;

use crate::limit::{binding_words, grouped};
use crate::number::{count_text, duration_text, percent_text, rounded, time_text};
use crate::page::Page;
use crate::table::{Column, Table};

/// Largest number of hosts that are all shown.
const FEW: usize = 8;
/// Of more, so many of the slowest and of the fastest.
const SLOWEST: usize = 4;
const FASTEST: usize = 2;

/// The ranks, the result and the spread of each host, and missing ranks.
pub(crate) fn hosts(result: &RunResult, page: &mut Page) {
    let Some(fleet) = &result.fleet else { return };
    page.figures("ranks", &ranks(fleet));
    let missing: Vec<String> = fleet.missing.iter().map(missing_words).collect();
    let shown = if page.is_wide() { missing.len() } else { missing.len().min(FEW) };
    for (n, words) in missing[..shown].iter().enumerate() {
        page.stressed(if n == 0 { "MISSING" } else { "" }, words);
    }
    if missing.len() > shown {
        page.labelled("", &format!("{} more missing: --wide", grouped((missing.len() - shown) as u64)));
    }
    page.gap();
    table(&result.hosts, page);
    if let Some(per_host) = &fleet.per_host {
        page.figures("per host", &spread(&per_host.iops, count_text, " IOPS"));
        page.figures("", &spread(&per_host.throughput_bytes_per_s, format_throughput, ""));
    }
    let slow: Vec<String> = fleet.stragglers.iter().take(FEW).map(straggler).collect();
    if !slow.is_empty() {
        let more = fleet.stragglers.len() - slow.len();
        let more = if more > 0 { format!(", {} more", grouped(more as u64)) } else { String::new() };
        page.stressed("SLOW", &format!("{}{more}", slow.join(", ")));
    }
    let ends = [("first done", fleet.first_done), ("last done", fleet.last_done)];
    let ends = ends.iter().filter_map(|(what, done)| Some(done_words(what, (*done)?)));
    page.figures("done", &ends.collect::<Vec<_>>());
}

fn ranks(fleet: &Fleet) -> Vec<String> {
    let reported = match fleet.reported {
        all if all == fleet.ranks => "all reported".to_string(),
        some => format!("{} reported", grouped(u64::from(some))),
    };
    let mut figures = vec![format!("{} by {}", grouped(u64::from(fleet.ranks)), fleet.launcher), reported];
    figures.extend(fleet.start_skew_ms.map(|skew| {
        let known = fleet.start_skew_uncertainty_ms.map(|ms| format!(" ± {}", time_text(ms * 1e3)));
        format!("started within {}{}", time_text(skew * 1e3), known.unwrap_or_default())
    }));
    figures
}

/// `rank 2 (db3): said nothing for 5 s`.
pub(crate) fn missing_words(missing: &MissingRank) -> String {
    match &missing.host {
        Some(host) => format!("rank {} ({host}): {}", missing.rank, missing.why),
        None => format!("rank {}: {}", missing.rank, missing.why),
    }
}

fn straggler(straggler: &Straggler) -> String {
    format!("{} at {} of the median", straggler.host, percent_text(straggler.of_median))
}

fn spread(spread: &Spread, words: impl Fn(f64) -> String, unit: &str) -> Vec<String> {
    vec![
        format!("min {}{unit} ({})", words(spread.min), spread.min_host),
        format!("mean {}{unit}", words(spread.mean)),
        format!("max {}{unit} ({})", words(spread.max), spread.max_host),
    ]
}

fn done_words(what: &str, done: RanksDone) -> String {
    let rate = format_throughput(done.throughput_bytes_per_s);
    format!("{what} after {}: {} IOPS, {rate}", duration_text(done.seconds), count_text(done.iops))
}

fn table(hosts: &[HostResult], page: &mut Page) {
    let mut rows: Vec<&HostResult> = hosts.iter().collect();
    let mut left_out = None;
    if !page.is_wide() && hosts.len() > FEW {
        rows.sort_by(|a, b| {
            let iops = |host: &HostResult| host.total.iops.unwrap_or(0.0);
            iops(a).total_cmp(&iops(b)).then(a.rank.cmp(&b.rank))
        });
        rows.drain(SLOWEST..hosts.len() - FASTEST);
        left_out = Some(hosts.len() - rows.len());
    }
    if rows.is_empty() {
        return;
    }
    let failed = hosts.iter().any(|host| host.total.errors.is_some_and(|errors| errors > 0));
    let mut columns = vec![Column::words("host")];
    columns.extend(["IOPS", "MB/s", "mean", "p99"].map(Column::figures));
    columns.extend(failed.then(|| Column::figures("failed")));
    columns.extend([Column::figures("start"), Column::words("bound by")]);
    let mut table = Table::new(columns);
    for host in &rows {
        let time = |value: Option<f64>| value.map_or("-".into(), time_text);
        let latency = host.total.latency_us.unwrap_or_default();
        let mut cells = vec![
            host.label.clone(),
            host.total.iops.map_or("-".into(), count_text),
            host.total.throughput_bytes_per_s.map_or("-".into(), |rate| count_text(rate / 1e6)),
            time(latency.mean),
            time(latency.p99),
        ];
        cells.extend(failed.then(|| host.total.errors.map_or("-".into(), grouped)));
        cells.push(host.start_offset_ms.map_or("-".into(), offset_text));
        cells.push(state(host));
        table.row(cells);
    }
    let lines = table.lines(page.width());
    // The titles are a line; each host is one or, where what bound it wraps, several.
    let head = lines.len().saturating_sub(rows.len());
    for (n, line) in lines.iter().enumerate() {
        if let Some(count) = left_out.filter(|_| head == 1 && n == head + SLOWEST) {
            page.line(&format!("  {} between: --wide", grouped(count as u64)));
        }
        page.line(line);
    }
    if let Some(count) = left_out.filter(|_| head != 1) {
        page.line(&format!("  {} more hosts between: --wide", grouped(count as u64)));
    }
}

/// `+0.12 ms` after the agreed start.
fn offset_text(ms: f64) -> String {
    format!("{}{} ms", if ms < 0.0 { "" } else { "+" }, rounded(ms, 2))
}

/// Limit of a host, or its end if that was not as planned.
fn state(host: &HostResult) -> String {
    match (host.ended.as_str(), &host.bound) {
        ("failed", _) => format!("FAILED: {}", host.error.as_deref().unwrap_or("no reason given")),
        ("interrupted", _) => "interrupted".into(),
        (_, Some(bound)) => binding_words(&bound.by),
        (_, None) => "-".into(),
    }
}
