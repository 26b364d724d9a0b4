use iobound_documents::{Quantity, ReplayDocument, TraceLatency};
use iobound_units::{Counted, Grouped};

use super::limits::put_limits;
use crate::number::{both_throughputs_text, count_text, duration_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::spark::sparkline;
use crate::table::{Column, Table};
use crate::trace::put_read;

/// Columns of a sparkline.
const SPARKS: usize = 60;

/// The screen of `predict --trace`.
pub fn replay_text(document: &ReplayDocument, style: Style) -> String {
    let mut page = Page::new(style);
    put_read(&mut page, &document.read, document.interrupted);
    page.labelled("on", &format!("{} with {}", document.vm, document.disks.join(" ")));
    let speed = document.speed.value();
    let faster = if speed == 1.0 { String::new() } else { format!(" at {speed} times the speed") };
    page.labelled("replay", &format!("{}{faster}, in virtual time", document.mode));
    page.labelled(
        "I/Os",
        &format!(
            "{} in {} (recorded: {})",
            Grouped(document.ios),
            duration_text(document.duration_s.value()),
            duration_text(document.recorded_s.value())
        ),
    );
    page.labelled(
        "rate",
        &format!(
            "{} IOPS, {} on average",
            count_text(document.iops.value()),
            both_throughputs_text(document.throughput_bytes_per_s.value())
        ),
    );
    if let Some(slowdown) = document.slowdown {
        page.labelled("slowdown", &format!("{:.2} times the recorded mean latency", slowdown.value()));
    }
    if let Some(hits) = document.hit_rate {
        page.labelled("cache", &format!("{} of the reads are hits", percent_text(hits.value())));
    }
    for credits in &document.credits {
        page.labelled(
            "credits",
            &format!("of {} spent after {}", credits.limit, duration_text(credits.at_s.value())),
        );
    }
    let ios = |count: u64| Counted(count, "I/O");
    if document.left_out > 0 {
        let left = ios(document.left_out);
        page.labelled("note", &format!("left out: {left} of length zero, or longer than 4 GiB"));
    }
    if document.held_back > 0 {
        let held = ios(document.held_back);
        page.labelled(
            "note",
            &format!("{held} waited because as many others were outstanding as a replay keeps"),
        );
    }
    put_limits(&mut page, document);
    page.gap();
    let p99: Vec<f64> = document
        .series
        .iter()
        .map(|point| point.latency.as_ref().map_or(0.0, |latency| latency.p99_us.value()))
        .collect();
    if p99.len() > 1 {
        let together = p99.len().div_ceil(SPARKS).max(1);
        let worst: Vec<f64> =
            p99.chunks(together).map(|p99| p99.iter().copied().fold(0.0, f64::max)).collect();
        let high = worst.iter().copied().fold(0.0, f64::max);
        page.labelled("p99", &format!("{} up to {}", sparkline(&worst, 0.0, high, SPARKS), time_text(high)));
    }
    let mut table = Table::new(vec![
        Column::words("latency"),
        Column::figures("I/Os"),
        Column::figures("mean"),
        Column::figures("p50"),
        Column::figures("p95"),
        Column::figures("p99"),
        Column::figures("p99.9"),
        Column::figures("max"),
    ]);
    for (name, latency) in [
        ("reads and writes", &document.latency),
        ("reads", &document.read_latency),
        ("writes", &document.write_latency),
        ("recorded", &document.recorded_latency),
    ] {
        if let Some(latency) = latency {
            table.row(row(name, latency));
        }
    }
    if document.latency.is_some() {
        page.gap();
        table.lines(page.width()).iter().for_each(|line| page.line(line));
    } else {
        page.labelled("note", "no read or write completed: there are no latencies");
    }
    if !document.notes.is_empty() {
        page.gap();
        page.list("notes", &document.notes);
    }
    page.text()
}

fn row(name: &str, latency: &TraceLatency) -> Vec<String> {
    let times =
        [latency.mean_us, latency.p50_us, latency.p95_us, latency.p99_us, latency.p999_us, latency.max_us];
    let mut row = vec![name.to_string(), Grouped(latency.ios).to_string()];
    row.extend(times.iter().map(|time| time_text(time.value())));
    row
}
