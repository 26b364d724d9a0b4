//! Summary of an emulator that has ended.

use iobound_units::Counted;

use super::live::{bytes_text, limit_rows};
use super::{DeviceState, EmulatorEnd};
use crate::limit::grouped;
use crate::number::{duration_text, time_text};
use crate::page::{Page, Style};

/// The page of the end.
pub fn emulate_summary_text(end: &EmulatorEnd, style: Style) -> String {
    let mut page = Page::new(style);
    let state = &end.state;
    page.gap();
    page.labelled("ended", &format!("by {} after {}", end.because, duration_text(state.at_s)));
    let served: Vec<String> = state.devices.iter().filter(|device| total(device) > 0).map(served).collect();
    match served.is_empty() {
        true => page.labelled("served", "nothing"),
        false => page.list("served", &served),
    }
    let held: Vec<String> = limit_rows(&state.limits)
        .iter()
        .filter(|row| row.held_total_s > 0.0)
        .map(|row| format!("{} {}", row.title, time_text(row.held_total_s * 1e6)))
        .collect();
    if !held.is_empty() {
        page.labelled("held", &format!("{} (summed over I/Os)", held.join(", ")));
    }
    for front in &state.fronts {
        if let Some([p50, p99, max]) = front.late_total_us {
            let figures = [
                format!("p50 {}", time_text(p50)),
                format!("p99 {}", time_text(p99)),
                format!("max {}", time_text(max)),
                format!(
                    "of {} {}",
                    grouped(front.replies),
                    if front.replies == 1 { "reply" } else { "replies" }
                ),
            ];
            page.figures(&format!("late {}", front.name), &figures);
        }
    }
    if let Some(lost) = &end.lost {
        let lost: Vec<String> = lost
            .iter()
            .filter(|(_, bytes)| *bytes > 0)
            .map(|(disk, bytes)| format!("{disk} {}", bytes_text(*bytes)))
            .collect();
        let text = match lost.is_empty() {
            true => "nothing: everything acknowledged was written back".to_string(),
            false => format!("{} acknowledged but not written back", lost.join(", ")),
        };
        page.labelled("lost", &text);
    }
    page.text()
}

fn total(device: &DeviceState) -> u64 {
    device.read.ios + device.write.ios + device.other_ios + device.errors
}

fn served(device: &DeviceState) -> String {
    let mut parts = Vec::new();
    for (word, op) in [("read", &device.read), ("write", &device.write)] {
        if op.ios > 0 {
            let mean = op.latency_s / op.ios as f64 * 1e6;
            parts.push(format!(
                "{} of {}, mean {}",
                Counted(op.ios, word),
                bytes_text(op.bytes),
                time_text(mean)
            ));
        }
    }
    if device.other_ios > 0 {
        parts.push(Counted(device.other_ios, "flush or trim request").to_string());
    }
    if device.errors > 0 {
        parts.push(format!("{} failed", grouped(device.errors)));
    }
    format!("{}: {}", device.name, parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::emulate::tests::state;

    #[test]
    fn the_end_says_what_was_served_held_late_and_lost() {
        let end = EmulatorEnd {
            state: state(),
            because: "Ctrl-C",
            lost: Some(vec![("data.0".into(), 8192), ("data.1".into(), 0)]),
        };
        let page = emulate_summary_text(&end, Style { width: Some(100), color: false, ascii: false });
        for part in [
            "by Ctrl-C after 12 s",
            // 63 s over 30,000 reads.
            "data: 30,000 reads of 117 MiB, mean 2.1 ms",
            "disks IOPS 1.00 s",
            "p50 12 µs   p99 90 µs   max 2.1 ms   of 60,000 replies",
            "data.0 8 KiB acknowledged but not written back",
        ] {
            assert!(page.contains(part), "`{part}` is not in\n{page}");
        }
        assert!(page.lines().all(|line| line.chars().count() <= 100));
    }
}
