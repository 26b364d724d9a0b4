use iobound_documents::{
    LabReplayDocument, LabReplayRun, Microseconds, Quantity, ReplayDocument, Seconds, Share, TraceLatency,
};

use crate::columns::lab_replay_table;
use crate::csv::line;
use crate::number::{count_text, duration_text, rounded, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};
use crate::trace::put_read;

/// A run of an experiment with its replay.
pub fn lab_replay_run(name: &str, replay: ReplayDocument) -> LabReplayRun {
    LabReplayRun {
        name: name.to_string(),
        interrupted: replay.interrupted,
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
        map: replay.map,
        hit_rate: replay.hit_rate,
        credits: replay.credits,
        bound_by: replay.bound_by,
    }
}

/// The whole runs as comma-separated values with a header; an empty cell is unknown.
pub fn lab_replay_csv(document: &LabReplayDocument) -> String {
    let mut text = line(lab_replay_table().names());
    for run in document.runs.iter().filter(|run| !run.interrupted) {
        text.push_str(&line(cells(run)));
    }
    text
}

fn cells(run: &LabReplayRun) -> Vec<String> {
    let figure = |value: f64, digits: usize| rounded(value, digits).to_string();
    let share = |value: Option<Share>| value.map_or(String::new(), |value| figure(value.value(), 4));
    let latency = |of: fn(&TraceLatency) -> Microseconds| {
        run.latency.as_ref().map_or(String::new(), |latency| figure(of(latency).value(), 2))
    };
    let places = run.map.iter().map(|map| {
        let file = map.file.as_ref().map_or(String::new(), |file| format!("{file}:"));
        format!("{file}{}={}", map.device, map.volume)
    });
    let spent = run.credits.iter().map(|credits| timed(&credits.limit, credits.at_s));
    let bounds = run.bound_by.iter().map(|bound| timed(&bound.limit, bound.seconds));
    vec![
        run.name.clone(),
        run.vm.clone(),
        run.disks.join(" "),
        run.ios.to_string(),
        run.left_out.to_string(),
        run.wrapped.to_string(),
        figure(run.duration_s.value(), 6),
        figure(run.iops.value(), 2),
        figure(run.throughput_bytes_per_s.value(), 2),
        latency(|latency| latency.mean_us),
        latency(|latency| latency.p50_us),
        latency(|latency| latency.p90_us),
        latency(|latency| latency.p95_us),
        latency(|latency| latency.p99_us),
        latency(|latency| latency.p999_us),
        latency(|latency| latency.max_us),
        share(run.slowdown),
        share(run.hit_rate),
        places.collect::<Vec<_>>().join("; "),
        spent.collect::<Vec<_>>().join("; "),
        bounds.collect::<Vec<_>>().join("; "),
    ]
}

/// A limit with a time in seconds.
fn timed(limit: &str, time: Seconds) -> String {
    format!("{limit}={}", rounded(time.value(), 6))
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
    let latency = |of: fn(&TraceLatency) -> f64| {
        run.latency.as_ref().map_or("-".to_string(), |latency| time_text(of(latency)))
    };
    let bound = run
        .bound_by
        .first()
        .map(|bound| format!("{} in windows of {}", bound.limit, duration_text(bound.seconds.value())));
    let spent = run
        .credits
        .first()
        .map(|credits| format!("credits spent after {}", duration_text(credits.at_s.value())));
    let held: Vec<String> = bound.into_iter().chain(spent).collect();
    vec![
        if run.interrupted { format!("{} (partial)", run.name) } else { run.name.clone() },
        count_text(run.iops.value()),
        latency(|latency| latency.p50_us.value()),
        latency(|latency| latency.p99_us.value()),
        run.slowdown.map_or("-".into(), |slowdown| format!("{:.2}", slowdown.value())),
        if held.is_empty() { "nothing".into() } else { held.join(", ") },
    ]
}
