//! The columns of a report.

use crate::observation::figure;

/// Quantity of a column: rates a second, bytes a second, latencies in µs, a number of I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Reads,
    Writes,
    Discards,
    Flushes,
    Both,
    ReadBytes,
    WriteBytes,
    BothBytes,
    ReadLatency,
    WriteLatency,
    DiscardLatency,
    FlushLatency,
    Latency,
    Queue,
}

/// Their number.
const KNOWN: usize = Column::Queue as usize + 1;

/// The name of a column, what it tells, and what one of it is of our units.
const COLUMNS: [(&str, Column, f64); 21] = [
    ("r/s", Column::Reads, 1.0),
    ("w/s", Column::Writes, 1.0),
    ("d/s", Column::Discards, 1.0),
    ("f/s", Column::Flushes, 1.0),
    ("tps", Column::Both, 1.0),
    ("rkB/s", Column::ReadBytes, 1_024.0),
    ("wkB/s", Column::WriteBytes, 1_024.0),
    ("kB/s", Column::BothBytes, 1_024.0),
    ("rMB/s", Column::ReadBytes, 1_048_576.0),
    ("wMB/s", Column::WriteBytes, 1_048_576.0),
    ("MB/s", Column::BothBytes, 1_048_576.0),
    // Sectors are of 512 bytes, whatever the device's are.
    ("rsec/s", Column::ReadBytes, 512.0),
    ("wsec/s", Column::WriteBytes, 512.0),
    ("sec/s", Column::BothBytes, 512.0),
    ("r_await", Column::ReadLatency, 1e3),
    ("w_await", Column::WriteLatency, 1e3),
    ("d_await", Column::DiscardLatency, 1e3),
    ("f_await", Column::FlushLatency, 1e3),
    ("await", Column::Latency, 1e3),
    ("avgqu-sz", Column::Queue, 1.0),
    ("aqu-sz", Column::Queue, 1.0),
];

/// Columns that tell what follows from the others, or what is not asked here.
const OTHERS: [&str; 24] = [
    "rrqm/s",
    "wrqm/s",
    "drqm/s",
    "rqm/s",
    "%rrqm",
    "%wrqm",
    "%drqm",
    "rrqm",
    "wrqm",
    "drqm",
    "avgrq-sz",
    "areq-sz",
    "rareq-sz",
    "wareq-sz",
    "dareq-sz",
    "dkB/s",
    "dMB/s",
    "dsec/s",
    "svctm",
    "%util",
    "util",
    "Device",
    "Device:",
    "disk_device",
];

/// Quantity of a column with this name, and its scale.
pub(super) fn known(name: &str) -> Option<(Column, f64)> {
    let found = COLUMNS.iter().find(|(own, ..)| *own == name);
    found.map(|(_, column, scale)| (*column, *scale))
}

/// True if a column of this name is one of iostat's.
pub(super) fn is_iostats(name: &str) -> bool {
    known(name).is_some() || OTHERS.contains(&name)
}

/// The figures of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Figures([Option<f64>; KNOWN]);

impl Figures {
    pub(super) fn get(&self, column: Column) -> Option<f64> {
        self.0[column as usize]
    }

    pub(super) fn set(&mut self, column: Column, figure: f64) {
        self.0[column as usize] = Some(figure);
    }

    /// Common quantity of both.
    pub(super) fn merge(&mut self, other: &Figures) {
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own = own.or(*other);
        }
    }

    /// True if both tell the same column.
    pub(super) fn overlaps(&self, other: &Figures) -> bool {
        self.0.iter().zip(&other.0).any(|(one, other)| one.is_some() && other.is_some())
    }

    /// True if there is a rate.
    pub(super) fn has_rate(&self) -> bool {
        [Column::Reads, Column::Writes, Column::Both].into_iter().any(|column| self.get(column).is_some())
    }
}

/// A figure of a column; with `-h`, bytes end in the unit that they are counted in.
pub(super) fn read(text: &str, scale: f64) -> Option<f64> {
    let text = text.strip_suffix('%').unwrap_or(text);
    let unit = |suffix: char| match suffix {
        'k' => Some(1_024.0),
        'M' => Some(1_048_576.0),
        'G' => Some(1_073_741_824.0),
        'T' => Some(1_099_511_627_776.0),
        _ => None,
    };
    match text.chars().next_back().and_then(unit) {
        // Only what counts bytes has units, and their column says another.
        Some(unit) if scale > 1e3 || scale == 512.0 => {
            figure(&text[..text.len() - 1]).map(|figure| figure * unit)
        }
        Some(_) => None,
        None => figure(text).map(|figure| figure * scale),
    }
}
