//! The two tables of a live screen: what is done on each device, and how full each limit is.

use iobound_model::Dimension;

use super::{LivePart, Rank, Recent};
use crate::limit::{grouped, limit_figure};
use crate::number::{count_text, percent_text, time_text};
use crate::spark::sparkline;
use crate::table::Column;

/// A full limit's bar.
const BAR: usize = 10;
/// Number of seconds that a row shows.
const SECONDS: usize = 20;

/// Activity of one device in an interval: an emulated disk, a device of this machine, a target. Unknown values are left
/// out, together with their column if no device has them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LiveDevice {
    /// Its name.
    pub name: String,
    /// Reads and writes a second.
    pub iops: f64,
    /// Bytes a second.
    pub throughput_bytes_per_s: f64,
    /// Mean latency in µs; `None` without I/O.
    pub mean_us: Option<f64>,
    /// Median and 99th percentile in µs.
    pub percentiles_us: Option<[f64; 2]>,
    /// Mean of outstanding I/Os.
    pub depth: Option<f64>,
    /// Used share of its fullest limit, from 0 to 1.
    pub share: Option<f64>,
    /// Its limit now, in words; empty without one.
    pub binds: Option<String>,
    /// I/Os that failed, where that is counted.
    pub failed: Option<u64>,
}

/// A limit, or alike ones together, and what passes.
#[derive(Clone, Debug, PartialEq)]
pub struct LiveLimit {
    /// Its title: `disks IOPS`.
    pub title: String,
    /// Its unit of count.
    pub dimension: Dimension,
    /// Enforced limit, a second.
    pub enforced: f64,
    /// Rate, a second.
    pub used: f64,
    /// For how many ms a second it held I/Os back, where that is known.
    pub held_ms_per_s: Option<f64>,
    /// I/Os that wait at it now, where that is known.
    pub waiting: Option<u64>,
    /// The share of burst credits that is left, where it has any.
    pub credits: Option<f64>,
}

impl LiveLimit {
    fn share(&self) -> f64 {
        if self.enforced > 0.0 { self.used / self.enforced } else { 0.0 }
    }
}

/// The devices as rows, in their order, with the IOPS of their last seconds.
pub fn devices_part(devices: &[LiveDevice], recent: &Recent) -> LivePart {
    rows_part("device", devices, recent)
}

/// The same of what is called otherwise: hosts.
pub(crate) fn rows_part(what: &str, devices: &[LiveDevice], recent: &Recent) -> LivePart {
    type Cell<'a> = Box<dyn Fn(&LiveDevice) -> String + 'a>;
    let time = |us: Option<f64>| us.map_or("-".to_string(), time_text);
    let has = |is: fn(&LiveDevice) -> bool| devices.iter().any(is);
    let mut cells: Vec<(Column, Cell<'_>)> = vec![
        (Column::words(what), Box::new(|it| it.name.clone())),
        (Column::figures("IOPS"), Box::new(|it| count_text(it.iops))),
        (Column::figures("MB/s"), Box::new(|it| count_text(it.throughput_bytes_per_s / 1e6))),
        (Column::figures("mean"), Box::new(move |it| time(it.mean_us))),
    ];
    if has(|it| it.share.is_some()) {
        cells.push((Column::words("used"), Box::new(|it| it.share.map_or(String::new(), share_text))));
    }
    if has(|it| it.binds.is_some()) {
        cells.push((Column::words("binds"), Box::new(|it| it.binds.clone().unwrap_or_default())));
    }
    if has(|it| it.percentiles_us.is_some()) {
        for (n, title) in ["p50", "p99"].into_iter().enumerate() {
            let at = move |it: &LiveDevice| time(it.percentiles_us.map(|percentiles| percentiles[n]));
            cells.push((Column::figures(title), Box::new(at)));
        }
    }
    if has(|it| it.depth.is_some()) {
        cells.push((Column::figures("depth"), Box::new(|it| it.depth.map_or("-".into(), count_text))));
    }
    if has(|it| it.failed.is_some()) {
        cells.push((Column::figures("failed"), Box::new(|it| it.failed.map_or("-".into(), grouped))));
    }
    if devices.iter().any(|it| recent.of(&it.name).len() > 1) {
        // On the right of its column, so that now is at the edge, and a row that begins later begins further right.
        cells.push((Column::figures("recent"), Box::new(|it| recent_text(&recent.of(&it.name)))));
    }
    LivePart::Rows {
        rows: devices.iter().map(|device| cells.iter().map(|(_, cell)| cell(device)).collect()).collect(),
        columns: cells.into_iter().map(|(column, _)| column).collect(),
        rank: Rank::Stays,
    }
}

/// The limits as rows, in their order; nothing without limits.
pub fn limits_part(limits: &[LiveLimit]) -> Option<LivePart> {
    if limits.is_empty() {
        return None;
    }
    let has = |is: fn(&LiveLimit) -> bool| limits.iter().any(is);
    let mut columns = vec![
        Column::words("limit"),
        Column::figures("enforced"),
        Column::figures("now"),
        Column::words("used"),
    ];
    let (held, waiting, credits) = (
        has(|it| it.held_ms_per_s.is_some()),
        has(|it| it.waiting.is_some()),
        has(|it| it.credits.is_some()),
    );
    columns.extend(held.then(|| Column::figures("held")));
    columns.extend(waiting.then(|| Column::figures("waiting")));
    columns.extend(credits.then(|| Column::figures("credits left")));
    let row = |limit: &LiveLimit| {
        let mut cells = vec![
            limit.title.clone(),
            limit_figure(limit.enforced, limit.dimension),
            limit_figure(limit.used, limit.dimension),
            share_text(limit.share()),
        ];
        cells.extend(held.then(|| limit.held_ms_per_s.map_or(String::new(), held_text)));
        cells.extend(waiting.then(|| limit.waiting.map_or(String::new(), grouped)));
        cells.extend(credits.then(|| limit.credits.map_or(String::new(), percent_text)));
        cells
    };
    Some(LivePart::Rows { rows: limits.iter().map(row).collect(), columns, rank: Rank::Matters })
}

/// A share and its bar, always of the width of a full bar, so that the text after it does not move.
fn share_text(share: f64) -> String {
    let bar = "#".repeat(((share * BAR as f64).round() as usize).min(BAR));
    format!("{:<16}", format!("{} {bar}", percent_text(share)))
}

/// For how long I/Os were held in each second, all together.
fn held_text(ms_per_s: f64) -> String {
    if ms_per_s > 0.0 { format!("{}/s", time_text(ms_per_s * 1e3)) } else { "-".into() }
}

/// The last seconds between nothing and their most: rows that are side by side are compared by their heights.
fn recent_text(values: &[f64]) -> String {
    let last = &values[values.len().saturating_sub(SECONDS)..];
    let most = last.iter().fold(0.0, |most: f64, value| most.max(*value));
    sparkline(last, 0.0, most, SECONDS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::live::LiveScreen;
    use crate::page::Style;
    use iobound_units::Span;

    fn lines(part: LivePart, width: usize) -> Vec<String> {
        LiveScreen::of(vec![part]).lines(Style { width: Some(width), color: false, ascii: false }, None)
    }

    /// As `watch` has them: a share of the limit and what binds, and no percentiles.
    fn sda() -> LiveDevice {
        LiveDevice {
            name: "sda".into(),
            iops: 5_100.0,
            throughput_bytes_per_s: 20.9e6,
            mean_us: Some(6_300.0),
            depth: Some(32.0),
            share: Some(1.0),
            binds: Some("disk IOPS".into()),
            ..LiveDevice::default()
        }
    }

    #[test]
    fn a_device_shows_what_is_known_of_it_and_its_last_seconds() {
        let mut recent = Recent::default();
        for (second, iops) in [0.0, 2_550.0, 5_100.0, 5_100.0].into_iter().enumerate() {
            recent.take("sda", Span::from_secs(second as u64 + 1), iops);
        }
        let idle = LiveDevice { name: "sdb".into(), ..LiveDevice::default() };
        let shown = lines(devices_part(&[sda(), idle], &recent), 100);
        assert_eq!(
            shown,
            [
                "  device   IOPS  MB/s    mean  used              binds      depth  recent",
                "  sda     5,100  20.9  6.3 ms  100 % ##########  disk IOPS     32    ▁▅██",
                "  sdb         0     0       -                                   -",
            ]
        );
        // Figures go before words do, from the right.
        assert_eq!(lines(devices_part(&[sda()], &recent), 30)[1], "  sda     5,100  20.9  6.3 ms");
    }

    #[test]
    fn rows_of_bars_share_their_zero() {
        assert_eq!(recent_text(&[10.0, 10.0]), "██");
        assert_eq!(recent_text(&[0.0, 0.0]), "▁▁");
        assert_eq!(recent_text(&(0..100).map(f64::from).collect::<Vec<_>>()).chars().count(), SECONDS);
    }

    #[test]
    fn a_limit_of_which_less_is_known_has_fewer_columns() {
        let limit = LiveLimit {
            title: "VM uncached".into(),
            dimension: Dimension::Bytes,
            enforced: 522e6,
            used: 261e6,
            held_ms_per_s: None,
            waiting: None,
            credits: None,
        };
        let part = limits_part(&[limit]).expect("a limit");
        assert_eq!(
            lines(part, 100),
            ["  limit        enforced       now  used", "  VM uncached  522 MB/s  261 MB/s  50 % #####",]
        );
        assert!(limits_part(&[]).is_none());
    }
}
