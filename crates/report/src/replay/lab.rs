use iobound_documents::{LabReplayDocument, LabReplayRun, Quantity, ReplayDocument};

use crate::number::{count_text, duration_text, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};
use crate::trace::put_read;

/// A run of an experiment with its replay.
pub fn lab_replay_run(name: &str, replay: ReplayDocument) -> LabReplayRun {
    LabReplayRun {
        name: name.to_string(),
        vm: replay.vm,
        disks: replay.disks,
        ios: replay.ios,
        left_out: replay.left_out,
        wrapped: replay.wrapped,
        duration_s: replay.duration_s,
        iops: replay.iops,
        throughput_bytes_per_s: replay.throughput_bytes_per_s,
        latency: replay.latency,
        slowdown: replay.slowdown,
        hit_rate: replay.hit_rate,
        credits: replay.credits,
        bound_by: replay.bound_by,
    }
}

/// The screen of `lab --trace`.
pub fn lab_replay_text(document: &LabReplayDocument, style: Style) -> String {
    let mut page = Page::new(style);
    page.labelled("lab", &document.name);
    put_read(&mut page, &document.read, document.interrupted);
    let speed = document.speed.value();
    let faster = if speed == 1.0 { String::new() } else { format!(" at {speed} times the speed") };
    page.labelled("replay", &format!("{}{faster}, in virtual time", document.mode));
    page.gap();
    let mut table = Table::new(vec![
        Column::words("run"),
        Column::figures("IOPS"),
        Column::figures("p50"),
        Column::figures("p99"),
        Column::figures("slowdown"),
        Column::words("held by"),
    ]);
    document.runs.iter().for_each(|run| table.row(row(run)));
    table.lines(page.width()).iter().for_each(|line| page.line(line));
    if !document.notes.is_empty() {
        page.gap();
        page.list("notes", &document.notes);
    }
    page.text()
}

fn row(run: &LabReplayRun) -> Vec<String> {
    let latency = |of: fn(&iobound_documents::TraceLatency) -> f64| {
        run.latency.as_ref().map_or("-".to_string(), |latency| time_text(of(latency)))
    };
    let bound = run
        .bound_by
        .first()
        .map(|bound| format!("{} for {}", bound.limit, duration_text(bound.seconds.value())));
    let spent = run
        .credits
        .first()
        .map(|credits| format!("credits spent after {}", duration_text(credits.at_s.value())));
    let held: Vec<String> = bound.into_iter().chain(spent).collect();
    vec![
        run.name.clone(),
        count_text(run.iops.value()),
        latency(|latency| latency.p50_us.value()),
        latency(|latency| latency.p99_us.value()),
        run.slowdown.map_or("-".into(), |slowdown| format!("{:.2}", slowdown.value())),
        if held.is_empty() { "nothing".into() } else { held.join(", ") },
    ]
}
