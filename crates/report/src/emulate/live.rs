//! The events now: as a screen that is written over, and as a line a second.

use iobound_model::Dimension;
use iobound_units::{Bytes, format_throughput};

use super::{DeviceState, DiskState, EmulatorState, FrontState, LimitState};
use crate::limit::{grouped, limit_title};
use crate::live::{LiveDevice, LiveLimit, LivePart, LiveScreen, Rank, Recent, devices_part, limits_part};
use crate::number::{count_text, duration_text, percent_text, time_text};
use crate::page::Style;

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

/// A screen of show the state, with the IOPS of the last seconds by device, and how it is ended.
pub fn emulate_screen(state: &EmulatorState, recent: &Recent, ended_by: &str) -> LiveScreen {
    let shown = state.devices.iter().filter(|device| device.is_volume || is_used(device));
    let devices: Vec<LiveDevice> = shown.map(device).collect();
    let mut parts = vec![devices_part(&devices, recent), LivePart::Gap];
    parts.extend(model_parts(state));
    let matters = |label: &str, figures| figures_part(label, figures, Rank::Matters);
    let explains = |label: &str, figures| figures_part(label, figures, Rank::Explains);
    for front in &state.fronts {
        parts.push(explains(&format!("late {}", front.name), lateness(front)));
    }
    let held = match state.memory_bytes {
        Some(most) => format!("{} of {}", bytes_text(state.held_bytes), bytes_text(most)),
        None => bytes_text(state.held_bytes),
    };
    parts.push(explains("kept", vec![held, format!("{} under way", count_text(state.under_way as f64))]));
    if !state.faults.is_empty() {
        parts.push(matters("faults", state.faults.clone()));
    }
    let runs = format!("{}, until {ended_by}", duration_text(state.at_s));
    parts.push(figures_part("runs", vec![runs], Rank::Stays));
    LiveScreen::of(parts)
}

/// The model in an interval: its limits, what binds, its caches. Shown below the screen of the load.
pub fn emulate_model_screen(state: &EmulatorState) -> LiveScreen {
    LiveScreen::of([vec![LivePart::Gap], model_parts(state)].concat())
}

fn figures_part(label: &str, figures: Vec<String>, rank: Rank) -> LivePart {
    LivePart::Figures { label: label.into(), figures, rank }
}

fn model_parts(state: &EmulatorState) -> Vec<LivePart> {
    let limits: Vec<LiveLimit> = limit_rows(&state.limits).iter().map(limit).collect();
    let mut parts: Vec<LivePart> = limits_part(&limits).into_iter().collect();
    if !limits.is_empty() {
        parts.push(figures_part("binds", vec![binds(state)], Rank::Matters));
    }
    parts.push(LivePart::Gap);
    parts.extend(kinds(&state.disks).map(|kinds| figures_part("disks", kinds, Rank::Matters)));
    for cache in &state.caches {
        let mut figures = vec![match cache.hit_rate {
            Some(rate) => format!("{} of the reads hit", percent_text(rate)),
            None => "no reads".to_string(),
        }];
        figures.push(format!("dirty {}", bytes_text(cache.dirty_bytes)));
        if cache.held_ms_per_s > 0.0 {
            figures.push(format!("writes waited {} a second", time_text(cache.held_ms_per_s * 1e3)));
        }
        parts.push(figures_part("cache", figures, Rank::Matters));
    }
    parts
}

fn device(device: &DeviceState) -> LiveDevice {
    LiveDevice {
        name: device.name.clone(),
        iops: device.iops(),
        throughput_bytes_per_s: device.throughput_bytes_per_s(),
        mean_us: device.mean_us(),
        percentiles_us: device.percentiles_us.map(|[p50, p99, _]| [p50, p99]),
        failed: Some(device.errors),
        ..LiveDevice::default()
    }
}

fn limit(row: &LimitRow) -> LiveLimit {
    LiveLimit {
        title: row.title.clone(),
        dimension: row.dimension,
        enforced: row.enforced,
        used: row.used,
        held_ms_per_s: Some(row.held_ms_per_s),
        waiting: Some(row.waiting),
        credits: row.credits.map(|(left, most)| if most > 0 { left as f64 / most as f64 } else { 0.0 }),
    }
}

/// Limits that hold I/Os back in the interval: those at 98 % or more that did so longest, ties within a factor of two, each disk
/// by itself where not all are full.
pub(super) fn binds(state: &EmulatorState) -> String {
    let full = |limit: &&LimitState| limit.share() >= FULL && limit.held_ms_per_s > 0.0;
    let mut names: Vec<String> = Vec::new();
    for limit in state.limits.iter().filter(full) {
        if !names.contains(&limit.name()) {
            names.push(limit.name());
        }
    }
    let held = |name: &String| {
        let of = state.limits.iter().filter(full).filter(|limit| limit.name() == *name);
        of.map(|limit| limit.held_ms_per_s).sum::<f64>()
    };
    let longest = names.iter().map(held).fold(0.0, f64::max);
    let words = |name: &String| {
        let alike = || state.limits.iter().filter(|limit| limit.name() == *name);
        let (all, held_by) = (alike().count(), alike().filter(full).count());
        let title = limit_title(name, held_by);
        let title = if name.ends_with(Dimension::Ios.name()) { title } else { format!("{title} throughput") };
        let disks: Vec<&str> = alike().filter(full).filter_map(|limit| limit.instance.as_deref()).collect();
        match held_by {
            _ if held_by == all => title,
            few if few <= MOST_NAMES && few == disks.len() => format!("{title} of {}", disks.join(", ")),
            some => format!("{title} of {some} of {all}"),
        }
    };
    let binding: Vec<String> = names.iter().filter(|name| held(name) * 2.0 >= longest).map(words).collect();
    if binding.is_empty() { NOTHING_FULL.to_string() } else { binding.join(", ") }
}

const NOTHING_FULL: &str = "no limit is full";
/// More disks than these are counted.
const MOST_NAMES: usize = 3;
/// A limiter whose slices end with the second is full with little less than all of it.
const FULL: f64 = 0.98;

/// The disks by what they are, where they are not all alike: `9 x P30 (cache none)`, `data.3 P40 (cache readonly)`.
fn kinds(disks: &[DiskState]) -> Option<Vec<String>> {
    let mut kinds: Vec<(String, Vec<&str>)> = Vec::new();
    for disk in disks {
        let kind = format!("{} (cache {})", disk.is, disk.cache);
        match kinds.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, names)) => names.push(&disk.name),
            None => kinds.push((kind, vec![&disk.name])),
        }
    }
    let words = |(kind, names): (String, Vec<&str>)| match names.as_slice() {
        [one] => format!("{one} {kind}"),
        names => format!("{} x {kind}", names.len()),
    };
    (kinds.len() > 1).then(|| kinds.into_iter().map(words).collect())
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

/// A second as one line, for output that is not a terminal; nothing for a second without requests.
pub fn emulate_line(state: &EmulatorState, style: Style) -> Option<String> {
    let used: Vec<&DeviceState> = state.devices.iter().filter(|device| is_used(device)).collect();
    if used.is_empty() && state.under_way == 0 {
        return None;
    }
    let mut parts = vec![format!("{} s", count_text(state.at_s))];
    if used.is_empty() {
        parts.push(format!(
            "no read or write has completed, {} are outstanding",
            count_text(state.under_way as f64)
        ));
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
    parts.extend(Some(binds(state)).filter(|it| it != NOTHING_FULL).map(|it| format!("binds: {it}")));
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
        let shown = |style| emulate_screen(&state(), &Recent::default(), "Ctrl-C").lines(style, Some(24));
        for width in [20, 40, 60, 80, 100] {
            let lines = shown(style(width, false));
            assert!(lines.iter().all(|line| line.chars().count() <= width), "{width}\n{}", lines.join("\n"));
            assert!(lines.len() <= 24, "a terminal has 24 lines");
        }
        let screen = shown(style(100, false)).join("\n");
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
        assert!(shown(style(100, true)).iter().all(|line| line.is_ascii()));
    }

    #[test]
    fn what_binds_is_said_of_the_disks_that_are_full() {
        let mut state = state();
        assert_eq!(binds(&state), "no limit is full");
        let fill = |limit: &mut LimitState| limit.used = limit.enforced;
        state.limits[..2].iter_mut().for_each(fill);
        assert_eq!(binds(&state), "disks IOPS");
        state.limits[1].used = 0.0;
        assert_eq!(binds(&state), "disk IOPS of data.0");
        // Full as well, and held nobody back, half as long, and a quarter.
        state.limits[3].used = state.limits[3].enforced;
        for (held, words) in [
            (0.0, "disk IOPS of data.0"),
            (6.25, "disk IOPS of data.0, VM uncached IOPS"),
            (3.0, "disk IOPS of data.0"),
        ] {
            state.limits[3].held_ms_per_s = held;
            assert_eq!(binds(&state), words);
        }
        fill(&mut state.limits[4]);
        state.limits[4].held_ms_per_s = 1_000.0;
        assert_eq!(binds(&state), "VM cached throughput");
    }

    #[test]
    fn disks_are_told_apart_where_they_differ() {
        let disk = |name: &str, is: &str, cache| DiskState {
            name: name.into(),
            is: is.into(),
            cache,
            ..DiskState::default()
        };
        let mut disks = vec![disk("data.0", "P30", "none"), disk("data.1", "P30", "none")];
        assert_eq!(kinds(&disks), None);
        disks.push(disk("data.2", "P40", "readonly"));
        assert_eq!(
            kinds(&disks),
            Some(vec!["2 x P30 (cache none)".to_string(), "data.2 P40 (cache readonly)".to_string()])
        );
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
        assert!(line.contains("no read or write has completed, 32 are outstanding"), "{line}");
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
