//! The charts of a run over time.

use iobound_measure::result::classes::{class_of, highest_of};
use serde_json::{Value, json};

use super::super::chart::{Axis, Chart, Heat, Limit, Stretch, Stroke};
use super::super::limiters::{FULL, Level};
use super::super::page::DEEPER;
use super::super::series::Interval;
use super::super::table::HtmlTable;
use super::super::unit::{Cell, Unit};
use super::super::value::{list, number};
use crate::number::{bytes_per_s, figure, iops, us};

const SCHEMA: &str = "iobound.result/1";

/// Limits above this many times what was reached are named, and not drawn: they would press everything else down.
const IN_SIGHT: f64 = 1.6;

/// Limit that is full in an interval: the fullest of at least 95 %, by its place among the levels, and its share.
pub(super) fn fullest(interval: &Interval<'_>, levels: &[Level]) -> Option<(usize, f64)> {
    let (iops, throughput) = (interval.rate("iops")?, interval.rate("throughput_bytes_per_s"));
    let share = |level: &Level| match throughput.filter(|_| level.is_bytes) {
        Some(throughput) => throughput / level.throughput,
        None => iops / level.iops,
    };
    let shares = levels.iter().map(share).enumerate();
    shares.max_by(|one, other| one.1.total_cmp(&other.1))
}

fn stretches(intervals: &[Interval<'_>], levels: &[Level]) -> Vec<Stretch> {
    let mut stretches: Vec<Stretch> = Vec::new();
    for interval in intervals {
        let full = fullest(interval, levels).filter(|(_, share)| *share >= FULL);
        let (color, label) = match full {
            Some((index, _)) => (index as u8 % 6 + 1, format!("full: {}", levels[index].title)),
            None => (0, "no limit is full".to_string()),
        };
        match stretches.last_mut() {
            Some(last) if last.label == label && last.to == interval.from => last.to = interval.to,
            _ => stretches.push(Stretch { from: interval.from, to: interval.to, color, label }),
        }
    }
    stretches
}

/// IOPS or throughput over time, with the limits as lines and what was full below.
pub(super) fn rate(intervals: &[Interval<'_>], levels: &[Level], of_bytes: bool, together: usize) -> Chart {
    let (title, unit, key) = match of_bytes {
        true => ("Throughput over time", Unit::Throughput, "throughput_bytes_per_s"),
        false => ("IOPS over time", Unit::Count, "iops"),
    };
    let (all, read, write) = match of_bytes {
        true => (
            "series[].throughput_bytes_per_s",
            "series[].read.throughput_bytes_per_s",
            "series[].write.throughput_bytes_per_s",
        ),
        false => ("series[].iops", "series[].read.iops", "series[].write.iops"),
    };
    let caption = format!("{title}{}", of_several(together));
    let mut table = HtmlTable::new(SCHEMA, &caption)
        .column("from", "series[].start_s")
        .column("to", "series[].end_s")
        .column("phase", "series[].phase")
        .column("all", all)
        .column("reads", read)
        .column("writes", write);
    if !levels.is_empty() {
        table = table.own_column("fullest", "fullest").own_column("share", "fullest.share");
    }
    for interval in intervals {
        let cell = |path: &str| {
            let mean = interval.rate(path);
            Cell::figure(&interval.exact(path, mean, if of_bytes { 0 } else { 2 }), unit)
        };
        let mut cells = vec![
            Cell::figure(&figure(interval.from, 3), Unit::Seconds),
            Cell::figure(&figure(interval.to, 3), Unit::Seconds),
            Cell::words(interval.phase()),
            cell(key),
            cell(&format!("read.{key}")),
            cell(&format!("write.{key}")),
        ];
        if !levels.is_empty() {
            match fullest(interval, levels) {
                Some((index, share)) => cells.extend([
                    Cell::words(&levels[index].title),
                    Cell::figure(&figure(share, 4), Unit::Share),
                ]),
                None => cells.extend([Cell::Unknown, Cell::Unknown]),
            }
        }
        table.row(cells);
    }
    let y = Axis::linear(if of_bytes { "throughput" } else { "IOPS" }, unit);
    let mut chart = Chart::new(title, Axis::linear("time", Unit::Seconds), y, table);
    let line = |path: &str| -> Vec<(f64, f64)> {
        intervals.iter().filter_map(|of| Some((f64::midpoint(of.from, of.to), of.rate(path)?))).collect()
    };
    let (reads, writes) = (line(&format!("read.{key}")), line(&format!("write.{key}")));
    let moves = |points: &[(f64, f64)]| points.iter().any(|point| point.1 > 0.0);
    chart.line("all", 1, Stroke::Solid, line(key));
    if moves(&reads) && moves(&writes) {
        chart.line("reads", 3, Stroke::Dashed, reads);
        chart.line("writes", 2, Stroke::Dotted, writes);
    }
    chart.stretches = if levels.is_empty() { Vec::new() } else { stretches(intervals, levels) };
    let reached = chart.lines.iter().flat_map(|line| &line.points).map(|point| point.1).fold(0.0, f64::max);
    let mut above = Vec::new();
    for level in levels.iter().filter(|level| level.is_bytes == of_bytes) {
        let value = if of_bytes { level.throughput } else { level.iops };
        if value <= reached * IN_SIGHT {
            chart.limits.push(Limit { label: level.title.clone(), value });
        } else {
            above.push(format!("{} at {}", level.title, unit.shown(value)));
        }
    }
    chart.about = about(levels, &above, together);
    chart
}

fn about(levels: &[Level], above: &[String], together: usize) -> String {
    let mut about = match levels.is_empty() {
        true => "Limits are unknown: add --vm and --disk to draw them.".into(),
        false => "Dashed lines are enforced limits for these I/Os; the strip shows when one was used to 95 % or more.".to_string(),
    };
    if !above.is_empty() {
        about.push_str(&format!(" Outside the chart: {}.", above.join(", ")));
    }
    about.push_str(&of_several(together));
    about
}

fn of_several(together: usize) -> String {
    if together < 2 { String::new() } else { format!(" Each point covers {together} intervals.") }
}

/// Latency over time: the median, the 99th percentile and the maximum of each direction.
pub(super) fn latency(intervals: &[Interval<'_>], together: usize) -> Chart {
    let mut table = HtmlTable::new(SCHEMA, "Latency over time")
        .column("from", "series[].start_s")
        .column("to", "series[].end_s")
        .column("reads, mean", "series[].read.mean_us")
        .column("reads, p50", "series[].read.p50_us")
        .column("reads, p99", "series[].read.p99_us")
        .column("reads, max", "series[].read.max_us")
        .column("writes, mean", "series[].write.mean_us")
        .column("writes, p50", "series[].write.p50_us")
        .column("writes, p99", "series[].write.p99_us")
        .column("writes, max", "series[].write.max_us");
    // Of several intervals: the mean of means and of medians, the largest of the others.
    let value = |interval: &Interval<'_>, direction: &str, of: &str| {
        let key = format!("{direction}.{of}_us");
        match of {
            "mean" | "p50" => interval.mean(&key, &format!("{direction}.iops")),
            _ => interval.largest(&key),
        }
    };
    for interval in intervals {
        let mut cells = vec![
            Cell::figure(&figure(interval.from, 3), Unit::Seconds),
            Cell::figure(&figure(interval.to, 3), Unit::Seconds),
        ];
        for direction in ["read", "write"] {
            for of in ["mean", "p50", "p99", "max"] {
                let exact =
                    interval.exact(&format!("{direction}.{of}_us"), value(interval, direction, of), 3);
                cells.push(Cell::figure(&exact, Unit::Us));
            }
        }
        table.row(cells);
    }
    let (x, y) = (Axis::linear("time", Unit::Seconds), Axis::log("latency", Unit::Us));
    let mut chart = Chart::new("Latency over time", x, y, table);
    for (direction, label, color) in [("read", "reads", 1), ("write", "writes", 2)] {
        for (of, stroke) in [("p50", Stroke::Solid), ("p99", Stroke::Dashed), ("max", Stroke::Dotted)] {
            let points = intervals.iter().filter_map(|interval| {
                let us = value(interval, direction, of).filter(|us| *us > 0.0)?;
                Some((f64::midpoint(interval.from, interval.to), us))
            });
            chart.line(&format!("{label}, {of}"), color, stroke, points.collect());
        }
    }
    chart.about = format!(
        "On a logarithmic axis. A percentile that fewer than ten I/Os of an interval exceed is not drawn.{}",
        of_several(together)
    );
    chart
}

/// Number of I/Os that had which latency, and when; nothing where latencies were not kept.
pub(super) fn heat(intervals: &[Interval<'_>], together: usize) -> Chart {
    let classes = |interval: &Interval<'_>| -> Vec<(u32, u64)> {
        let of = interval.of().iter().flat_map(|one| {
            ["read.latencies", "write.latencies"]
                .iter()
                .flat_map(|key| list(one, key))
                .filter_map(|pair| Some((class_of(pair.get(0)?.as_u64()?), pair.get(1)?.as_u64()?)))
        });
        of.collect()
    };
    let columns: Vec<Vec<(u32, u64)>> = intervals.iter().map(classes).collect();
    let known = || columns.iter().flatten().map(|class| class.0);
    let table = HtmlTable::new(SCHEMA, "Latencies by class, over all intervals")
        .own_column("above", "latency.class")
        .own_column("up to", "latency.class")
        .own_column("I/Os", "latency.class.ios");
    let (x, y) = (Axis::linear("time", Unit::Seconds), Axis::log("latency", Unit::Us));
    let mut chart = Chart::new("Latency heat map", x, y, table);
    let (Some(low), Some(high)) = (known().min(), known().max()) else { return chart };
    let edge = |class: u32| highest_of(class) as f64 / 1e3;
    let mut heat = Heat {
        x: intervals
            .iter()
            .map(|interval| interval.from)
            .chain(intervals.last().map(|last| last.to))
            .collect(),
        y: (low - 1..=high).map(edge).collect(),
        counts: Vec::new(),
    };
    for column in &columns {
        let mut counts = vec![0; (high - low + 1) as usize];
        column.iter().for_each(|(class, ios)| {
            let count: &mut u64 = &mut counts[(class - low) as usize];
            *count = count.saturating_add(*ios);
        });
        heat.counts.push(counts);
    }
    for (row, class) in (low..=high).enumerate() {
        let ios = heat.counts.iter().fold(0u64, |sum, column| sum.saturating_add(column[row]));
        let cell = |value: &Value, unit| Cell::figure(value, unit);
        chart.table.row(vec![
            cell(&us(edge(class - 1)), Unit::Us),
            cell(&us(edge(class)), Unit::Us),
            cell(&json!(ios), Unit::Count),
        ]);
    }
    chart.heat = Some(heat);
    chart.about = format!(
        "The {DEEPER}, the more I/Os of an interval had that latency; each shade is four times the one before. Lines across are caches and media, rising bands are queues.{}",
        of_several(together)
    );
    chart
}

/// A part of those that I/Os are spread over.
pub(super) struct Share {
    pub(super) name: String,
    pub(super) iops: f64,
    /// Its IOPS ÷ the mean of all.
    pub(super) of_mean: f64,
}

/// Distribution of the I/Os over disks or targets, as a table and one by one; `None` if there are fewer than two.
pub(super) fn evenness(
    parts: &[Value],
    schema: &'static str,
    keys: [&'static str; 3],
) -> Option<(HtmlTable, Vec<Share>)> {
    let rates: Vec<f64> = parts.iter().filter_map(|part| number(part, "iops")).collect();
    let mean = rates.iter().sum::<f64>() / rates.len().max(1) as f64;
    if rates.len() < 2 || rates.len() != parts.len() || mean <= 0.0 {
        return None;
    }
    let mut table = HtmlTable::new(schema, "Distribution of I/Os over the disks")
        .column("name", keys[0])
        .column("IOPS", keys[1])
        .column("throughput", keys[2])
        .own_column("of the mean", "evenness");
    let mut rows = Vec::new();
    for (part, rate) in parts.iter().zip(&rates) {
        let name = part.get("name").and_then(Value::as_str).unwrap_or_default();
        let throughput = number(part, "throughput_bytes_per_s").map_or(Value::Null, bytes_per_s);
        table.row(vec![
            Cell::words(name),
            Cell::figure(&iops(*rate), Unit::Count),
            Cell::figure(&throughput, Unit::Throughput),
            Cell::figure(&figure(rate / mean, 4), Unit::Share),
        ]);
        rows.push(Share { name: name.to_string(), iops: *rate, of_mean: rate / mean });
    }
    Some((table, rows))
}

#[cfg(test)]
mod tests {
    use super::super::super::series::intervals;
    use super::*;

    fn level(title: &str, is_bytes: bool, iops: f64, throughput: f64) -> Level {
        Level { title: title.into(), is_bytes, iops, throughput }
    }

    #[test]
    fn what_is_full_is_told_for_each_interval() {
        let run = json!({ "series": [
            { "start_s": 0, "end_s": 1, "iops": 4_900, "throughput_bytes_per_s": 20e6 },
            { "start_s": 1, "end_s": 2, "iops": 4_990, "throughput_bytes_per_s": 20e6 },
            { "start_s": 2, "end_s": 3, "iops": 1_000, "throughput_bytes_per_s": 198e6 },
            { "start_s": 3, "end_s": 4, "iops": 1_000, "throughput_bytes_per_s": 20e6 },
        ]});
        let levels = [level("disk IOPS", false, 5_000.0, 20e6), level("disk MB/s", true, 50_000.0, 200e6)];
        let (intervals, together) = intervals(&run);
        let chart = rate(&intervals, &levels, false, together);
        let told: Vec<_> = chart.stretches.iter().map(|of| (of.from, of.to, of.label.as_str())).collect();
        assert_eq!(
            told,
            [(0.0, 2.0, "full: disk IOPS"), (2.0, 3.0, "full: disk MB/s"), (3.0, 4.0, "no limit is full")]
        );
        // The disk's limit is in sight; on the other chart its throughput is.
        assert_eq!(chart.limits, [Limit { label: "disk IOPS".into(), value: 5_000.0 }]);
        let bytes = rate(&intervals, &levels, true, together);
        assert_eq!(bytes.limits, [Limit { label: "disk MB/s".into(), value: 200e6 }]);
    }

    #[test]
    fn a_limit_out_of_sight_is_named_and_not_drawn() {
        let point =
            |n: usize| json!({ "start_s": n, "end_s": n + 1, "iops": 100, "throughput_bytes_per_s": 1e6 });
        let run = json!({ "series": [point(0), point(1)] });
        let (intervals, together) = intervals(&run);
        let chart = rate(&intervals, &[level("disk IOPS", false, 5_000.0, 20e6)], false, together);
        assert!(chart.limits.is_empty());
        assert!(chart.about.contains("Outside the chart: disk IOPS at 5,000"), "{}", chart.about);
    }

    #[test]
    fn the_heat_map_holds_every_io_that_was_kept() {
        let latencies = json!([[1_279, 10], [2_047, 5]]);
        let point = |n: usize| json!({ "start_s": n, "end_s": n + 1, "read": { "latencies": latencies } });
        let run = json!({ "series": [point(0), point(1), point(2)] });
        let (intervals, together) = intervals(&run);
        let heat = heat(&intervals, together).heat.unwrap();
        assert_eq!(heat.counts.iter().flatten().sum::<u64>(), 45);
        assert_eq!((heat.x.len(), heat.y.len()), (4, heat.counts[0].len() + 1));
        // From above 1,023 ns to 2,047 ns in four classes.
        assert_eq!((heat.y[0], heat.y[4]), (1.023, 2.047));
    }
}
