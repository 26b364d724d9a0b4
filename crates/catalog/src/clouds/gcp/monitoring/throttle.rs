//! I/Os that the cloud held back: `throttled_read_ops_count` and its like, by disk and reason.

use std::collections::BTreeMap;

use iobound_formats::observation::{HeldBack, Measure};

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

    /// The limits that held I/Os back, by disk, metric and reason.
    pub(super) fn held(&self) -> Vec<HeldBack> {
        let counts = self.0.iter().filter(|(_, count)| count.held > 0);
        counts
            .map(|((disk, metric, reason), count)| {
                let (end, unit) = COUNTS[*metric];
                let is_bytes = end.ends_with("bytes_count");
                let most = if is_bytes { count.most / 1e6 } else { count.most };
                let most = if most < 10.0 { format!("{most:.1}") } else { format!("{most:.0}") };
                HeldBack {
                    device: disk.clone(),
                    by_vm: by_vm(reason),
                    measure: if is_bytes { Measure::Bytes } else { Measure::Ios },
                    intervals: [count.held, count.intervals],
                    told: format!("up to {most} {unit} ({})", named(end, reason)),
                }
            })
            .collect()
    }

    /// A sentence for each disk, metric and reason by which nothing was held back.
    pub(super) fn notes(&self) -> impl Iterator<Item = String> {
        let none = self.0.iter().filter(|(_, count)| count.held == 0);
        none.map(|((disk, metric, reason), count)| {
            let what = format!("{disk}: nothing was throttled in {} intervals", count.intervals);
            format!("{what} ({})", named(COUNTS[*metric].0, reason))
        })
    }
}

/// A metric by its name and the reason that it has: `throttled_read_ops_count, PER_VM`.
fn named(end: &str, reason: &str) -> String {
    if reason.is_empty() { format!("{NAME}{end}") } else { format!("{NAME}{end}, {reason}") }
}

/// True if a reason for throttling is a limit of the VM, false if it is one of the disk; `None`: it tells neither.
fn by_vm(reason: &str) -> Option<bool> {
    let reason = reason.to_ascii_uppercase();
    let has = |words: &[&str]| words.iter().any(|word| reason.contains(word));
    match () {
        () if has(&["VM", "INSTANCE"]) => Some(true),
        () if has(&["DISK", "GB"]) => Some(false),
        () => None,
    }
}
