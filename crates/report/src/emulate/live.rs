//! What happens now: as a screen that is written over, and as a line a second.

use iobound_model::Dimension;
use iobound_units::{Bytes, format_throughput};

use super::{DeviceState, EmulatorState, FrontState, LimitState};
use crate::limit::{grouped, limit_figure, limit_title};
use crate::number::{count_text, duration_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// The most devices that are shown by name.
const MOST_DEVICES: usize = 8;
/// A full limit's bar.
const BAR: usize = 10;

/// The limits of one group and dimension together: ten disks are one row.
pub(super) struct LimitRow {
    pub(super) title: String,
    pub(super) dimension: Dimension,
    pub(super) enforced: f64,
    pub(super) used: f64,
    pub(super) held_ms_per_s: f64,
    pub(super) held_total_s: f64,
    pub(super) waiting: u64,
    pub(super) credits: Option<(u64, u64)>,
}

/// The limits by group, in the order of their first.
pub(super) fn limit_rows(limits: &[LimitState]) -> Vec<LimitRow> {
    let mut names: Vec<String> = Vec::new();
    for limit in limits {
        if !names.contains(&limit.name()) {
            names.push(limit.name());
        }
    }
    let row = |name: &String| {
        let alike: Vec<&LimitState> = limits.iter().filter(|limit| limit.name() == *name).collect();
        let sum = |of: fn(&LimitState) -> f64| alike.iter().map(|limit| of(limit)).sum::<f64>();
        let credits: Vec<(u64, u64)> = alike.iter().filter_map(|limit| limit.credits).collect();
        let total = |credits: &[(u64, u64)]| {
            credits.iter().fold((0, 0), |(left, most), credit| (left + credit.0, most + credit.1))
        };
        LimitRow {
            title: limit_title(name, alike.len()),
            dimension: alike[0].dimension,
            enforced: sum(|limit| limit.enforced),
            used: sum(|limit| limit.used),
            held_ms_per_s: sum(|limit| limit.held_ms_per_s),
            held_total_s: sum(|limit| limit.held_total_s),
            waiting: alike.iter().map(|limit| u64::from(limit.waiting)).sum(),
            credits: (!credits.is_empty()).then(|| total(&credits)),
        }
    };
    names.iter().map(row).collect()
}

/// A screen of what happens now, at most as wide as the style says.
pub fn emulate_view(state: &EmulatorState, style: Style) -> Vec<String> {
    let mut page = Page::new(style);
    let shown: Vec<&DeviceState> =
        state.devices.iter().filter(|device| device.is_volume || is_used(device)).collect();
    let columns = vec![
        Column::words("device"),
        Column::figures("IOPS"),
        Column::figures("MB/s"),
        Column::figures("mean"),
        Column::figures("p50"),
        Column::figures("p99"),
        Column::figures("failed"),
    ];
    let mut table = Table::new(columns);
    for device in shown.iter().take(MOST_DEVICES) {
        let time = |us: Option<f64>| us.map_or("-".to_string(), time_text);
        table.row(vec![
            device.name.clone(),
            count_text(device.iops()),
            count_text(device.throughput_bytes_per_s() / 1e6),
            time(device.mean_us()),
            time(device.percentiles_us.map(|percentiles| percentiles[0])),
            time(device.percentiles_us.map(|percentiles| percentiles[1])),
            grouped(device.errors),
        ]);
    }
    table.lines(page.width()).iter().for_each(|line| page.line(line));
    if let Some(more) = shown.len().checked_sub(MOST_DEVICES).filter(|more| *more > 0) {
        page.labelled("", &format!("and {more} more"));
    }
    page.gap();
    limits(state, &mut page);
    page.gap();
    for cache in &state.caches {
        let mut figures = vec![match cache.hit_rate {
            Some(rate) => format!("{} of the reads hit", percent_text(rate)),
            None => "no reads".to_string(),
        }];
        figures.push(format!("dirty {}", bytes_text(cache.dirty_bytes)));
        if cache.held_ms_per_s > 0.0 {
            figures.push(format!("writes waited {} a second", time_text(cache.held_ms_per_s * 1e3)));
        }
        page.figures("cache", &figures);
    }
    for front in &state.fronts {
        page.figures(&format!("late {}", front.name), &lateness(front));
    }
    let held = match state.memory_bytes {
        Some(most) => format!("{} of {}", bytes_text(state.held_bytes), bytes_text(most)),
        None => bytes_text(state.held_bytes),
    };
    page.figures("kept", &[held, format!("{} under way", count_text(state.under_way as f64))]);
    if !state.faults.is_empty() {
        page.list("faults", &state.faults);
    }
    page.labelled("runs", &format!("{}, Ctrl-C ends", duration_text(state.at_s)));
    page.text().lines().map(String::from).collect()
}

fn limits(state: &EmulatorState, page: &mut Page) {
    let rows = limit_rows(&state.limits);
    if rows.is_empty() {
        return;
    }
    let has_credits = rows.iter().any(|row| row.credits.is_some());
    let mut columns = vec![
        Column::words("limit"),
        Column::figures("enforced"),
        Column::figures("now"),
        Column::words("used"),
        Column::figures("held"),
        Column::figures("waiting"),
    ];
    if has_credits {
        columns.push(Column::figures("credits left"));
    }
    let mut table = Table::new(columns);
    for row in &rows {
        let share = if row.enforced > 0.0 { row.used / row.enforced } else { 0.0 };
        let bar = "#".repeat(((share * BAR as f64).round() as usize).min(BAR));
        let mut cells = vec![
            row.title.clone(),
            limit_figure(row.enforced, row.dimension),
            limit_figure(row.used, row.dimension),
            // As wide when it is full, so that what follows stands still.
            format!("{:<16}", format!("{} {bar}", percent_text(share))),
            held_text(row.held_ms_per_s),
            grouped(row.waiting),
        ];
        if has_credits {
            cells.push(row.credits.map_or(String::new(), |(left, most)| {
                percent_text(if most > 0 { left as f64 / most as f64 } else { 0.0 })
            }));
        }
        table.row(cells);
    }
    table.lines(page.width()).iter().for_each(|line| page.line(line));
}

/// For how long I/Os were held in each second, all together.
fn held_text(ms_per_s: f64) -> String {
    if ms_per_s > 0.0 { format!("{}/s", time_text(ms_per_s * 1e3)) } else { "-".into() }
}

/// Lateness of the interval, else of the whole.
fn lateness(front: &FrontState) -> Vec<String> {
    match front.late_us.or(front.late_total_us) {
        Some([p50, p99, max]) => vec![
            format!("p50 {}", time_text(p50)),
            format!("p99 {}", time_text(p99)),
            format!("max {}", time_text(max)),
        ],
        None => vec!["no replies".into()],
    }
}

fn is_used(device: &DeviceState) -> bool {
    device.iops() > 0.0 || device.failed > 0
}

/// Bytes in binary units, to three digits.
pub(super) fn bytes_text(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "KiB", "MiB", "GiB"] {
        if value < 1_000.0 {
            let decimals = usize::from(unit != "B" && value < 99.95 && value.fract() != 0.0);
            return format!("{value:.decimals$} {unit}");
        }
        value /= 1_024.0;
    }
    format!("{value:.1} TiB")
}

/// A second as one line, for what is no terminal; nothing of one in which nothing was asked for.
pub fn emulate_line(state: &EmulatorState, style: Style) -> Option<String> {
    let used: Vec<&DeviceState> = state.devices.iter().filter(|device| is_used(device)).collect();
    if used.is_empty() && state.under_way == 0 {
        return None;
    }
    let mut parts = vec![format!("{} s", count_text(state.at_s))];
    if used.is_empty() {
        parts.push(format!("no read or write complete, {} under way", count_text(state.under_way as f64)));
    }
    for device in used {
        let mean = device.mean_us().map_or(String::new(), |mean| format!(" mean {}", time_text(mean)));
        let p99 =
            device.percentiles_us.map_or(String::new(), |times| format!(" p99 {}", time_text(times[1])));
        let failed = match device.failed {
            0 => String::new(),
            n => format!(" {} failed", grouped(n)),
        };
        parts.push(format!(
            "{} {} IOPS {}{failed}{mean}{p99}",
            device.name,
            count_text(device.iops()),
            format_throughput(device.throughput_bytes_per_s())
        ));
    }
    let rows = limit_rows(&state.limits);
    let fullest = rows.iter().max_by(|a, b| (a.used / a.enforced).total_cmp(&(b.used / b.enforced)));
    if let Some(row) = fullest.filter(|row| row.enforced > 0.0) {
        parts.push(format!("{} {}", row.title, percent_text(row.used / row.enforced)));
    }
    for front in &state.fronts {
        if let Some([_, p99, _]) = front.late_us {
            parts.push(format!("{} late p99 {}", front.name, time_text(p99)));
        }
    }
    let most = style.width.unwrap_or(usize::MAX);
    while parts.len() > 2 && parts.iter().map(|part| part.chars().count() + 2).sum::<usize>() - 2 > most {
        parts.pop();
    }
    Some(style.shown(&parts.join("  ")))
}

/// A limit of memory in words.
pub(super) fn size_text(size: Bytes) -> String {
    bytes_text(size.get())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulate::tests::state;

    fn style(width: usize, ascii: bool) -> Style {
        Style { width: Some(width), color: false, ascii }
    }

    #[test]
    fn the_screen_fits_and_says_what_each_limit_lets_through() {
        for width in [60, 80, 100] {
            let lines = emulate_view(&state(), style(width, false));
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}\n{}", lines.join("\n"));
            assert!(lines.len() <= 24, "a terminal has 24 lines");
        }
        let screen = emulate_view(&state(), style(100, false)).join("\n");
        for part in [
            // Two disks of 5,000 at 1.02, half of the published used.
            "disks IOPS            10,200",
            "49 % #####",
            "93 % of the reads hit   dirty 1 GiB",
            "p50 12 µs   p99 80 µs   max 1.1 ms",
            "1 MiB of 4 GiB   32 under way",
            "data.0: latency 5x",
        ] {
            assert!(screen.contains(part), "`{part}` is not in\n{screen}");
        }
        assert!(emulate_view(&state(), style(100, true)).iter().all(|line| line.is_ascii()));
    }

    #[test]
    fn a_second_is_a_line_and_an_idle_one_none() {
        let line = emulate_line(&state(), style(200, false)).expect("something happened");
        for part in ["12 s", "data 30,000 IOPS 122.9 MB/s mean 2.1 ms p99 5.0 ms"] {
            assert!(line.contains(part), "{part}: {line}");
        }
        assert!(emulate_line(&state(), style(60, false)).is_some_and(|line| line.contains("30,000 IOPS")));
        let mut idle = state();
        for device in &mut idle.devices {
            (device.read.iops, device.write.iops) = (0.0, 0.0);
        }
        let line = emulate_line(&idle, style(100, false)).expect("a stall is no idle second");
        assert!(line.contains("no read or write complete, 32 under way"), "{line}");
        idle.under_way = 0;
        assert_eq!(emulate_line(&idle, style(100, false)), None);
        idle.devices[0].failed = 2_564;
        let line = emulate_line(&idle, style(100, false)).expect("failures are no silence");
        assert!(line.contains("data 0 IOPS") && line.contains(" 2,564 failed"), "{line}");
    }

    #[test]
    fn bytes_are_read_at_a_glance() {
        for (bytes, text) in [
            (0, "0 B"),
            (512, "512 B"),
            (4096, "4 KiB"),
            (1 << 30, "1 GiB"),
            (5 << 40, "5.0 TiB"),
            (1_610_612_736, "1.5 GiB"),
        ] {
            assert_eq!(bytes_text(bytes), text);
        }
    }
}
