use iobound_workload::shell_word;

use super::{FULL, WatchLimit, WatchSecond, WatchSummary};
use crate::limit::limit_title;
use crate::live::{LiveDevice, LiveLimit, LivePart, LiveScreen, Rank, Recent, devices_part, limits_part};
use crate::number::{count_text, duration_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

fn title(limit: &WatchLimit) -> String {
    limit_title(&limit.name, limit.count)
}

/// The binding limit now, in words.
fn binds(second: &WatchSecond) -> String {
    let told: Vec<String> = second
        .exceeded
        .iter()
        .map(|(what, us)| format!("{what}, for {} by the volume's own count", time_text(*us as f64)))
        .collect();
    if !told.is_empty() {
        return told.join("; ");
    }
    let full: Vec<String> = second.limits.iter().filter(|limit| limit.share() >= FULL).map(title).collect();
    match (full.is_empty(), second.limits.first()) {
        (false, _) => full.join(", "),
        (true, Some(limit)) => {
            format!("no limit; the fullest is {} at {}", title(limit), percent_text(limit.share()))
        }
        (true, None) if second.shares.iter().all(Option::is_none) => "no limit is known".into(),
        (true, None) => "no I/O".into(),
    }
}

/// The screen of a second.
pub fn watch_screen(second: &WatchSecond, recent: &Recent, what: &str) -> LiveScreen {
    let devices: Vec<LiveDevice> = second
        .disks
        .iter()
        .zip(second.shares.iter().copied())
        .chain(second.volumes.iter().map(|volume| (volume, None)))
        .map(|(disk, share)| LiveDevice {
            name: disk.label(),
            iops: disk.iops,
            throughput_bytes_per_s: disk.throughput_bytes_per_s,
            mean_us: disk.latency_us,
            depth: Some(disk.queue),
            share,
            ..LiveDevice::default()
        })
        .collect();
    let limits: Vec<LiveLimit> = second
        .limits
        .iter()
        .map(|limit| LiveLimit {
            title: title(limit),
            dimension: limit.dimension,
            enforced: limit.enforced,
            used: limit.used,
            held_ms_per_s: None,
            waiting: None,
            credits: limit.credits,
        })
        .collect();
    let figures =
        |label: &str, figures: Vec<String>, rank| LivePart::Figures { label: label.into(), figures, rank };
    let mut parts = vec![figures("machine", vec![what.to_string()], Rank::Explains), LivePart::Gap];
    parts.push(devices_part(&devices, recent));
    parts.push(LivePart::Gap);
    parts.extend(limits_part(&limits));
    parts.push(figures("binds", vec![binds(second)], Rank::Matters));
    if let Some(share) = second.io_pressure {
        parts.push(figures(
            "waited",
            vec![format!("a task waited for I/O {} of the time", percent_text(share))],
            Rank::Explains,
        ));
    }
    parts.push(figures(
        "watched",
        vec![format!("{}, until Ctrl-C", duration_text(second.at.secs_f64()))],
        Rank::Stays,
    ));
    LiveScreen::of(parts)
}

/// The line of a second, where no screen can be written over.
pub fn watch_line(second: &WatchSecond, style: Style) -> Option<String> {
    let (iops, bytes) = second
        .disks
        .iter()
        .fold((0.0, 0.0), |(ios, bytes), disk| (ios + disk.iops, bytes + disk.throughput_bytes_per_s));
    let line = format!(
        "{:>6}  {:>9} IOPS  {:>8} MB/s  {}",
        duration_text(second.at.secs_f64()),
        count_text(iops),
        count_text(bytes / 1e6),
        binds(second)
    );
    let line = if style.ascii { crate::ascii(&line) } else { line };
    Some(match style.width {
        Some(width) => line.chars().take(width).collect(),
        None => line,
    })
}

/// Summary.
pub fn watch_text(summary: &WatchSummary<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    page.paragraph(summary.what);
    page.labelled(
        "watched",
        &format!("{} of its own counters, no load", duration_text(summary.watched.secs_f64())),
    );
    page.gap();
    let mut table = Table::new(vec![
        Column::words("device"),
        Column::words("disk"),
        Column::figures("IOPS mean"),
        Column::figures("p95"),
        Column::figures("most"),
        Column::figures("MB/s mean"),
        Column::figures("most"),
        Column::figures("latency"),
        Column::figures("depth p95"),
    ]);
    for disk in summary.disks.iter().chain(summary.volumes) {
        table.row(vec![
            disk.device.clone(),
            disk.disk.clone().unwrap_or_default(),
            count_text(disk.iops[0]),
            count_text(disk.iops[2]),
            count_text(disk.iops[3]),
            count_text(disk.throughput_bytes_per_s[0] / 1e6),
            count_text(disk.throughput_bytes_per_s[3] / 1e6),
            disk.latency_us.map(time_text).unwrap_or_default(),
            count_text(disk.depth[2]),
        ]);
    }
    table.put(&mut page);
    if !summary.limits.is_empty() {
        page.gap();
        let mut table = Table::new(vec![
            Column::words("limit"),
            Column::figures("fullest second"),
            Column::figures("full for"),
        ]);
        for (name, count, share, seconds) in summary.limits {
            let full = if *seconds > 0.0 { time_text(seconds * 1e6) } else { "-".into() };
            table.row(vec![limit_title(name, *count), percent_text(*share), full]);
        }
        table.put(&mut page);
    }
    page.gap();
    for (what, us) in summary.exceeded {
        page.labelled("exceeded", &format!("{what}: {} by the volume's own count", time_text(*us as f64)));
    }
    if let Some(file) = summary.recorded {
        page.labelled("recorded", file);
        page.labelled("next", &format!("iobound plan --workload {} --capacity SIZE", shell_word(file)));
    } else {
        page.labelled("next", "iobound explain      iobound watch --record app.toml");
    }
    page.list("notes", summary.notes);
    page.text()
}
