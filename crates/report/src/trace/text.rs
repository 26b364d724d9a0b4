use iobound_documents::{
    Quantity, TraceDocument, TraceEditDocument, TraceFitDocument, TraceLatency, TraceRate, TraceRead,
};
use iobound_units::{Bytes, Counted, Grouped};

use crate::number::{both_throughputs_text, count_text, duration_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::spark::sparkline;
use crate::table::{Column, Table};

/// Devices that are shown on a screen.
const DEVICES: usize = 20;
/// Columns of a sparkline.
const SPARKS: usize = 60;

/// Puts a table and an empty line.
fn put(page: &mut Page, table: &Table) {
    table.lines(page.width()).iter().for_each(|line| page.line(line));
    page.gap();
}

/// Counts and remarks from the reading of the files, each with its label.
pub(crate) fn remarks(read: &TraceRead) -> Vec<(&'static str, String)> {
    let mut remarks = Vec::new();
    if let Some(first) = &read.first_malformed {
        let lines = Counted(read.malformed, "line");
        remarks.push(("malformed", format!("{lines} left out; the first is {first}")));
    }
    let counts = [
        (read.other_ops, "left out: operations other than read, write, flush and discard", "line"),
        (read.zero_length, "reads, writes and discards of length zero", "I/O"),
        (read.unsorted, "out of order: they stand more than 65,536 I/Os behind their place in time", "I/O"),
    ];
    for (count, what, unit) in counts.into_iter().filter(|(count, ..)| *count > 0) {
        remarks.push(("note", format!("{what} ({})", Counted(count, unit))));
    }
    remarks.extend(read.notes.iter().map(|note| ("note", note.clone())));
    remarks
}

/// Files that were read, with their format and what was counted.
pub(crate) fn put_read(page: &mut Page, read: &TraceRead, interrupted: bool) {
    let unit =
        if read.time_unit.is_empty() { String::new() } else { format!(", time unit {}", read.time_unit) };
    page.labelled("trace", &format!("{} ({}{unit})", read.files.join(", "), read.format));
    if interrupted {
        page.labelled("stopped", "interrupted: the figures are of the I/Os up to then");
    }
    for (label, remark) in remarks(read) {
        page.labelled(label, &remark);
    }
}

fn latency_columns(latency: Option<&TraceLatency>) -> Vec<String> {
    let Some(latency) = latency else { return vec!["-".into(); 4] };
    let all = [latency.mean_us, latency.p50_us, latency.p99_us, latency.max_us];
    all.iter().map(|us| time_text(us.value())).collect()
}

/// The screen of `trace info`.
pub fn trace_text(document: &TraceDocument, style: Style) -> String {
    let mut page = Page::new(style);
    put_read(&mut page, &document.read, document.interrupted);
    if let Some(error) = &document.error {
        page.labelled("error", &format!("{error}; figures are of the I/Os before it"));
    }
    page.labelled(
        "I/Os",
        &format!("{} in {}", Grouped(document.ios), duration_text(document.duration_s.value())),
    );
    if let (Some(iops), Some(moved)) = (document.iops, document.throughput_bytes_per_s) {
        let both = both_throughputs_text(moved.value());
        page.labelled("rate", &format!("{} IOPS, {both} on average", count_text(iops.value())));
    }
    page.labelled(
        "pattern",
        &format!(
            "{} reads, {} sequential",
            document.reads.map_or("no".into(), |reads| percent_text(reads.value())),
            percent_text(document.sequential.value())
        ),
    );
    put_bursts(&mut page, "per s", &document.per_second);
    put_bursts(&mut page, "per 10 ms", &document.per_10ms);
    if let Some(depth) = &document.depth {
        page.labelled(
            "depth",
            &format!(
                "{} outstanding on average; at issue {} (median), {} (p99), {} (max)",
                count_text(depth.mean.value()),
                depth.p50,
                depth.p99,
                Grouped(depth.max)
            ),
        );
    }
    let rates: Vec<f64> = document.series.iter().map(|point| point.iops.value()).collect();
    if rates.len() > 1 {
        let high = rates.iter().copied().fold(0.0, f64::max);
        page.labelled("over time", &sparkline(&squeezed(&rates), 0.0, high, SPARKS));
    }
    page.gap();
    put_ops(&mut page, document);
    put_devices(&mut page, document);
    put_reuse(&mut page, document);
    page.text()
}

/// At most so many values, each the most of those that it stands for.
fn squeezed(values: &[f64]) -> Vec<f64> {
    let together = values.len().div_ceil(SPARKS).max(1);
    values.chunks(together).map(|values| values.iter().copied().fold(0.0, f64::max)).collect()
}

fn put_bursts(page: &mut Page, label: &str, rate: &TraceRate) {
    page.labelled(
        label,
        &format!(
            "p99 {} IOPS, peak {} IOPS, dispersion {}",
            count_text(rate.p99_iops.value()),
            count_text(rate.peak_iops.value()),
            count_text(rate.dispersion.value())
        ),
    );
}

fn put_ops(page: &mut Page, document: &TraceDocument) {
    let mut table = Table::new(vec![
        Column::words("operation"),
        Column::figures("I/Os"),
        Column::figures("bytes"),
        Column::figures("mean latency"),
        Column::figures("p50"),
        Column::figures("p99"),
        Column::figures("max"),
        Column::words("sizes"),
    ]);
    for op in &document.ops {
        let sizes: Vec<String> = op
            .sizes
            .iter()
            .take(4)
            .map(|size| {
                format!("{} {}", Bytes(size.bytes), percent_text(size.ios as f64 / op.ios.max(1) as f64))
            })
            .collect();
        let mut row = vec![op.op.clone(), Grouped(op.ios).to_string(), Bytes(op.bytes).to_string()];
        row.extend(latency_columns(op.latency.as_ref()));
        row.push(if op.op == "flush" { String::new() } else { sizes.join(", ") });
        table.row(row);
    }
    put(page, &table);
}

fn put_devices(page: &mut Page, document: &TraceDocument) {
    let mut table = Table::new(vec![
        Column::words("device"),
        Column::figures("I/Os"),
        Column::figures("reads"),
        Column::figures("writes"),
        Column::figures("read"),
        Column::figures("written"),
        Column::figures("up to"),
        Column::figures("p99 read"),
        Column::figures("p99 write"),
    ]);
    let shown = if page.is_wide() { usize::MAX } else { DEVICES };
    let p99 = |latency: Option<&TraceLatency>| {
        latency.map_or_else(|| "-".into(), |latency| time_text(latency.p99_us.value()))
    };
    for device in document.devices.iter().take(shown) {
        table.row(vec![
            device.name.clone(),
            Grouped(device.ios).to_string(),
            Grouped(device.reads).to_string(),
            Grouped(device.writes).to_string(),
            Bytes(device.read_bytes).to_string(),
            Bytes(device.written_bytes).to_string(),
            Bytes(device.end_byte).to_string(),
            p99(device.read_latency.as_ref()),
            p99(device.write_latency.as_ref()),
        ]);
    }
    put(page, &table);
    let more = document.devices.len().saturating_sub(shown);
    if more > 0 {
        page.paragraph(&format!("{more} more devices: --wide shows them"));
        page.gap();
    }
}

fn put_reuse(page: &mut Page, document: &TraceDocument) {
    let reuse = &document.reuse;
    let exact = if reuse.sampled.value() < 1.0 { ", estimated from a sample" } else { "" };
    page.labelled(
        "distinct",
        &format!("{} in different blocks of 4 KiB: the working set{exact}", Bytes(reuse.working_set_bytes)),
    );
    let mut table = Table::new(vec![
        Column::figures("cache (LRU)"),
        Column::figures("hits of all"),
        Column::figures("hits of reads"),
    ]);
    for hit in &reuse.hits {
        table.row(vec![
            Bytes(hit.cache_bytes).to_string(),
            percent_text(hit.all.value()),
            percent_text(hit.reads.value()),
        ]);
    }
    put(page, &table);
}

/// The screen of `trace fit`: the workload in TOML, with its errors as comments.
pub fn trace_fit_text(document: &TraceFitDocument) -> String {
    let mut text = format!(
        "# The closest statistical workload of {} ({}).\n# The mix has the operations and lengths of {} of its reads and writes.\n",
        document.read.files.join(", ").replace(['\n', '\r'], " "),
        document.read.format,
        percent_text(document.covered.value())
    );
    for error in &document.errors {
        let off = error.error.map_or_else(String::new, |error| {
            let off = percent_text(error.value().abs());
            let sign = match error.value() {
                _ if off == "0 %" => "",
                below if below < 0.0 => "-",
                _ => "+",
            };
            format!(" ({sign}{off})")
        });
        let unit = if error.unit.is_empty() { String::new() } else { format!(" {}", error.unit) };
        text.push_str(&format!(
            "# {}: {}{unit} in the trace, {}{unit} in the workload{off}\n",
            error.figure,
            figure(error.trace.value()),
            figure(error.workload.value()),
        ));
    }
    for (label, remark) in remarks(&document.read) {
        text.push_str(&format!("# {label}: {}\n", remark.replace(['\n', '\r'], " ")));
    }
    text.push('\n');
    text.push_str(&document.workload);
    text
}

fn figure(value: f64) -> String {
    if value < 10.0 { format!("{value:.3}") } else { count_text(value) }
}

/// The screen of `trace cut`, `scale`, `merge` and `convert`; `format` is the name of the written format.
pub fn trace_edit_text(document: &TraceEditDocument, format: &str, style: Style) -> String {
    let mut page = Page::new(style);
    put_read(&mut page, &document.read, document.interrupted);
    page.labelled("written", &format!("{} to {} ({format})", Counted(document.ios, "I/O"), document.file));
    if document.left_out > 0 {
        page.labelled(
            "left out",
            &format!("{}: {format} has no flushes and no discards", Counted(document.left_out, "I/O")),
        );
    }
    page.text()
}
