//! The disks of several machines, as each machine's probe found them.

use iobound_documents::{
    Amount, FleetProbeDocument, FleetProbeFigure, FleetProbeHost, ProbeDocument, Quantity, Share, Version,
};
use iobound_units::format_throughput;

use crate::number::{count_text, duration_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// Limits of two machines that differ by more than this are not the same limit.
const SAME_LIMIT: f64 = 0.02;
/// The same for latencies.
const SAME_LATENCY: f64 = 0.03;

/// A figure of a target, by its words, with its unit and the difference from which on it is another one.
struct Figure {
    words: String,
    unit: &'static str,
    same: f64,
    value: f64,
}

/// The document of all machines.
pub fn fleet_probe_document(hosts: Vec<FleetProbeHost>) -> FleetProbeDocument {
    let most = hosts.iter().filter_map(|host| host.probe.as_ref()).map(|probe| probe.targets.len()).max();
    let figures = (0..most.unwrap_or(0)).flat_map(|target| beside(&hosts, target)).collect();
    FleetProbeDocument { schema: Version::default(), hosts, figures }
}

/// Figures of one target of one machine.
fn figures(probe: &ProbeDocument, target: usize) -> Vec<Figure> {
    let Some(of) = probe.targets.get(target) else { return Vec::new() };
    let own = probe.limits.iter().filter(|limit| limit.targets == [of.name.as_str()]);
    let limits = own.map(|limit| Figure {
        words: format!("{} of {}", limit.counts, limit.of),
        unit: if limit.counts == "iops" { "IOPS" } else { "bytes/s" },
        same: SAME_LIMIT,
        value: limit.per_second.value(),
    });
    let latencies =
        of.latencies.iter().filter(|latency| latency.block_bytes == 4_096).map(|latency| Figure {
            words: format!("latency of 4KiB {}", if latency.is_write { "writes" } else { "reads" }),
            unit: "us",
            same: SAME_LATENCY,
            value: latency.mean_us.value(),
        });
    limits.chain(latencies).collect()
}

/// The figures of a target that two machines or more have.
fn beside(hosts: &[FleetProbeHost], target: usize) -> Vec<FleetProbeFigure> {
    let of =
        |host: &FleetProbeHost| host.probe.as_ref().map(|probe| figures(probe, target)).unwrap_or_default();
    let all: Vec<(&str, Figure)> = hosts
        .iter()
        .flat_map(|host| of(host).into_iter().map(|figure| (host.host.as_str(), figure)))
        .collect();
    let mut words: Vec<&str> = Vec::new();
    for (_, figure) in &all {
        if !words.contains(&figure.words.as_str()) {
            words.push(&figure.words);
        }
    }
    let figure = |words: &&str| {
        let mut values: Vec<(&str, &Figure)> = all
            .iter()
            .filter(|(_, figure)| figure.words == **words)
            .map(|(host, figure)| (*host, figure))
            .collect();
        values.sort_by(|one, other| one.1.value.total_cmp(&other.1.value));
        let ((low_host, low), (high_host, high)) = (values.first()?, values.last()?);
        if values.len() < 2 {
            return None;
        }
        let middle = values.len() / 2;
        let median = match values.len() % 2 {
            1 => values[middle].1.value,
            _ => (values[middle - 1].1.value + values[middle].1.value) / 2.0,
        };
        let differs = |figure: &Figure| (figure.value / median - 1.0).abs() > figure.same;
        let outliers = values.iter().filter(|(_, figure)| differs(figure));
        Some(FleetProbeFigure {
            figure: words.to_string(),
            target: target as u32,
            unit: low.unit.to_string(),
            low: Amount::of(low.value),
            low_host: low_host.to_string(),
            median: Amount::of(median),
            high: Amount::of(high.value),
            high_host: high_host.to_string(),
            spread: Share::of((high.value - low.value) / median),
            outliers: outliers.map(|(host, _)| host.to_string()).collect(),
        })
    };
    words.iter().filter_map(figure).collect()
}

/// A value with its unit.
pub(crate) fn value_text(unit: &str, value: f64) -> String {
    match unit {
        "bytes/s" => format_throughput(value),
        "us" => time_text(value),
        _ => format!("{} IOPS", count_text(value)),
    }
}

/// The screen of all machines.
pub fn fleet_probe_text(document: &FleetProbeDocument, style: Style) -> String {
    let mut page = Page::new(style);
    let mut table = Table::new(vec![
        Column::words("host"),
        Column::words("target"),
        Column::figures("IOPS"),
        Column::figures("MB/s"),
        Column::figures("4 KiB"),
        Column::words("enforcement"),
        Column::words("matches"),
    ]);
    for host in &document.hosts {
        let Some(probe) = &host.probe else { continue };
        for target in &probe.targets {
            let own = |counts: &str| {
                probe.limits.iter().find(|limit| {
                    limit.counts == counts
                        && limit.targets == [target.name.as_str()]
                        && limit.of != "cache hits"
                })
            };
            let (ios, bytes) = (own("iops"), own("throughput"));
            let enforcement = ios.or(bytes).map_or("-".to_string(), |limit| match limit.enforcement_s {
                Some(length) => format!("{} of {}", limit.enforcement, time_text(length.value() * 1e6)),
                None => limit.enforcement.clone(),
            });
            let latency = target.latencies.iter().find(|one| one.block_bytes == 4_096 && !one.is_write);
            table.row(vec![
                host.host.clone(),
                target.name.clone(),
                ios.map_or("-".into(), |limit| count_text(limit.per_second.value())),
                bytes.map_or("-".into(), |limit| count_text(limit.per_second.value() / 1e6)),
                latency.map_or("-".into(), |latency| time_text(latency.mean_us.value())),
                enforcement,
                probe.offers.first().map_or("-".into(), |offer| offer.name.clone()),
            ]);
        }
    }
    table.put(&mut page);
    page.gap();
    for host in &document.hosts {
        if let Some(why) = &host.failure {
            page.stressed("MISSING", &format!("{}: {why}", host.host));
        }
    }
    for figure in &document.figures {
        let value = |value: f64| value_text(&figure.unit, value);
        page.labelled(
            if figure.outliers.is_empty() { "same" } else { "differs" },
            &format!(
                "{}: {} ({}) to {} ({}), median {}, {} apart",
                figure.figure,
                value(figure.low.value()),
                figure.low_host,
                value(figure.high.value()),
                figure.high_host,
                value(figure.median.value()),
                percent_text(figure.spread.value())
            ),
        );
    }
    for host in &document.hosts {
        let Some(probe) = &host.probe else { continue };
        if !probe.open.is_empty() {
            let budget = probe.budget_for_open_s.map_or_else(String::new, |budget| {
                format!("; --budget {} would measure them", duration_text(budget.value()))
            });
            page.labelled("open", &format!("{}: {}{budget}", host.host, probe.open.join("; ")));
        }
    }
    page.text()
}
