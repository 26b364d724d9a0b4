//! I/Os that the cloud held back: `throttled_read_ops_count` and its like, by disk and reason.

use std::collections::BTreeMap;

/// Beginning of the names of these metrics.
const NAME: &str = "throttled_";

/// Ends of their names, and the unit of each.
const COUNTS: [(&str, &str); 4] = [
    ("read_ops_count", "reads a second"),
    ("write_ops_count", "writes a second"),
    ("read_bytes_count", "MB/s read"),
    ("write_bytes_count", "MB/s written"),
];

/// The intervals of one metric of a disk.
#[derive(Clone, Copy, Debug, Default)]
struct ThrottleCount {
    intervals: u32,
    held: u32,
    /// A second.
    most: f64,
}

/// The throttled I/Os of all disks.
#[derive(Debug, Default)]
pub(super) struct Throttles(BTreeMap<(String, usize, String), ThrottleCount>);

impl Throttles {
    /// The metric that a name is of.
    pub(super) fn find(name: &str) -> Option<usize> {
        let (_, rest) = name.split_once(NAME)?;
        COUNTS.iter().position(|(end, _)| rest.starts_with(end))
    }

    /// Adds what was held back of a disk in an interval, a second.
    pub(super) fn add(&mut self, disk: &str, metric: usize, reason: &str, rate: f64) {
        let count = self.0.entry((disk.to_string(), metric, reason.to_string())).or_default();
        count.intervals += 1;
        count.held += u32::from(rate > 0.0);
        count.most = count.most.max(rate);
    }

    /// A sentence for each disk, metric and reason.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        self.0.iter().map(|((disk, metric, reason), count)| {
            let (end, unit) = COUNTS[*metric];
            let reason = if reason.is_empty() { String::new() } else { format!(", {reason}") };
            let what =
                format!("{disk}: Google throttled it in {} of {} intervals", count.held, count.intervals);
            let most = if end.ends_with("bytes_count") { count.most / 1e6 } else { count.most };
            match count.held {
                0 => format!("{what} ({NAME}{end}{reason})"),
                _ if most < 10.0 => format!("{what}, up to {most:.1} {unit} ({NAME}{end}{reason})"),
                _ => format!("{what}, up to {most:.0} {unit} ({NAME}{end}{reason})"),
            }
        })
    }
}
