//! A device as somebody saw it.

use std::cmp::Ordering;

/// Purpose of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Tables and indexes.
    Data,
    /// The log that is written before them.
    Log,
}

/// Kind of device, as far as its tool shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceKind {
    /// A disk.
    Disk,
    /// A data disk of a VM, by its LUN.
    Lun(u32),
    /// All data disks of a VM; the tool averages over them.
    DataDisks,
    /// The disk that holds the operating system, for certain.
    SystemDisk,
    /// The VM's local disk.
    TemporaryDisk,
    /// A part of a disk that is told by itself: its I/O is counted there as well.
    Partition,
    /// Made of other devices: md, LVM, a partition of the file system; its I/O is counted there as well.
    Stacked,
    /// In memory or behind a file: no disk.
    Pseudo,
    /// All disks of the machine together.
    Total,
    /// A database's files.
    Files(Role),
    /// A database's files of both kinds.
    AnyFiles,
}

/// I/O of one direction; what is not told is absent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Direction {
    /// I/Os a second.
    pub ios_per_s: Option<f64>,
    /// Bytes a second.
    pub bytes_per_s: Option<f64>,
    /// Mean latency in µs.
    pub latency_us: Option<f64>,
}

/// A device, and what was seen of it on average over the interval.
#[derive(Clone, Debug, PartialEq)]
pub struct Device {
    /// The tool's name of it.
    pub name: String,
    /// Its kind.
    pub kind: DeviceKind,
    /// Its reads.
    pub read: Direction,
    /// Its writes.
    pub write: Direction,
    /// Reads and writes where they are not told apart; else what [`Device::ios_per_s`] and its like make of them.
    pub both: Direction,
    /// Outstanding I/Os on average, of every kind, as the tool told.
    pub queue: Option<f64>,
    /// Number of those that are neither reads nor writes, by rate × latency.
    pub others_queue: f64,
    /// Flushes a second, where they are counted.
    pub flushes_per_s: Option<f64>,
    /// By how much `queue` may be off because figures are printed with few digits.
    pub rounding: f64,
    /// I/Os a second of each interval, in order of time.
    pub series: Vec<f64>,
    /// Bytes a second of each interval; all zero where bytes are not told.
    pub bytes_series: Vec<f64>,
}

fn sum(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    match (one, other) {
        (None, None) => None,
        (one, other) => Some(one.unwrap_or(0.0) + other.unwrap_or(0.0)),
    }
}

impl Device {
    /// Of which nothing was seen yet.
    pub(crate) fn new(name: impl Into<String>, kind: DeviceKind) -> Device {
        Device {
            name: name.into(),
            kind,
            read: Direction::default(),
            write: Direction::default(),
            both: Direction::default(),
            queue: None,
            others_queue: 0.0,
            flushes_per_s: None,
            rounding: 0.0,
            series: Vec::new(),
            bytes_series: Vec::new(),
        }
    }

    /// Reads and writes a second.
    pub fn ios_per_s(&self) -> Option<f64> {
        sum(self.read.ios_per_s, self.write.ios_per_s).or(self.both.ios_per_s)
    }

    /// Bytes a second of both.
    pub fn bytes_per_s(&self) -> Option<f64> {
        sum(self.read.bytes_per_s, self.write.bytes_per_s).or(self.both.bytes_per_s)
    }

    /// Mean latency of both in µs, each weighted by its I/Os.
    pub fn latency_us(&self) -> Option<f64> {
        let held = |side: Direction| Some((side.ios_per_s?, side.latency_us?));
        let sides = [self.read, self.write];
        let told: Vec<(f64, f64)> =
            sides.into_iter().filter_map(held).filter(|(ios, _)| *ios > 0.0).collect();
        let ios: f64 = told.iter().map(|(ios, _)| ios).sum();
        let untold =
            sides.iter().any(|side| side.ios_per_s.is_some_and(|ios| ios > 0.0) && side.latency_us.is_none());
        if ios > 0.0 && !untold {
            return Some(told.iter().map(|(ios, us)| ios * us).sum::<f64>() / ios);
        }
        self.both.latency_us
    }

    /// The share of the I/Os that read.
    pub fn read_share(&self) -> Option<f64> {
        let (read, write) = (self.read.ios_per_s?, self.write.ios_per_s?);
        (read + write > 0.0).then(|| read / (read + write))
    }

    /// Reads and writes that are outstanding on average: what the tool told, else by Little's law.
    pub fn outstanding(&self) -> Option<f64> {
        let told = self.queue.map(|queue| (queue - self.others_queue).max(0.0));
        told.or_else(|| Some(self.ios_per_s()? * self.latency_us()? / 1e6))
    }

    /// True if anything went on there.
    pub fn is_active(&self) -> bool {
        self.ios_per_s().or(self.bytes_per_s()).is_some_and(|rate| rate > 0.0)
    }

    /// Sentence about a reported queue that differs from rate x latency by more than a twentieth and the rounding of the
    /// printed figures; `None` if it does not.
    pub fn off_littles_law(&self) -> Option<String> {
        const OFF: f64 = 0.05;
        let queue = self.queue?;
        let law = self.ios_per_s()? * self.latency_us()? / 1e6 + self.others_queue;
        let apart = (queue - law).abs();
        if apart <= OFF * queue.max(law) + self.rounding {
            return None;
        }
        Some(format!(
            "{}: {queue:.2} I/Os were outstanding on average, and IOPS x latency are {law:.2}: by Little's law they should be \
             equal, but they differ by {:.0} %, so one of them covers other I/Os or another time",
            self.name,
            100.0 * apart / queue.max(law)
        ))
    }
}

/// Kind of a Linux block device, by its name and the other names in the file.
pub(crate) fn linux_kind(name: &str, names: &[&str]) -> DeviceKind {
    const PSEUDO: [&str; 5] = ["loop", "ram", "zram", "sr", "fd"];
    const DISKS: [&str; 9] = ["sd", "hd", "vd", "xvd", "nvme", "mmcblk", "nbd", "dasd", "pmem"];
    let numbered = |prefix: &&str| {
        name.strip_prefix(*prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if PSEUDO.iter().any(numbered) {
        return DeviceKind::Pseudo;
    }
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() < name.len() {
        // `sda1` of `sda`; where a disk's name ends in a digit, a `p` stands between: `nvme0n1p1`, `md0p1`.
        let parent = match stem.strip_suffix('p') {
            Some(parent) if parent.ends_with(|c: char| c.is_ascii_digit()) => parent,
            _ => stem,
        };
        if parent != name && names.contains(&parent) {
            return DeviceKind::Partition;
        }
    }
    match DISKS.iter().any(|prefix| name.starts_with(prefix)) {
        true => DeviceKind::Disk,
        // dm-0, md0, and the names of volumes that `iostat -N` prints.
        false => DeviceKind::Stacked,
    }
}

/// The order of names that people expect: `sdb` before `sdaa`, `nvme2n1` before `nvme10n1`.
pub(crate) fn by_name(one: &str, other: &str) -> Ordering {
    let key = |name: &str| -> Vec<(u8, usize, String)> {
        let mut parts: Vec<(u8, usize, String)> = Vec::new();
        for c in name.chars() {
            let class = u8::from(!c.is_ascii_digit());
            match parts.last_mut() {
                Some((last, len, text)) if *last == class => {
                    text.push(c);
                    *len += 1;
                }
                _ => parts.push((class, 1, c.to_string())),
            }
        }
        // Shorter runs first: of digits that is the smaller number, of letters what Linux counts by.
        for (class, len, text) in &mut parts {
            if *class == 0 {
                *text = text.trim_start_matches('0').to_string();
                *len = text.len();
            }
        }
        parts
    };
    key(one).cmp(&key(other)).then_with(|| one.cmp(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn device(read: (f64, f64), write: (f64, f64)) -> Device {
        let side = |(ios, us): (f64, f64)| Direction {
            ios_per_s: Some(ios),
            bytes_per_s: Some(ios * 4096.0),
            latency_us: Some(us),
        };
        Device { read: side(read), write: side(write), ..Device::new("sda", DeviceKind::Disk) }
    }

    #[test]
    fn latency_is_weighted_by_the_ios_of_each_direction() {
        // (300 x 1 ms + 100 x 5 ms) / 400
        assert_eq!(device((300.0, 1_000.0), (100.0, 5_000.0)).latency_us(), Some(2_000.0));
        assert_eq!(device((300.0, 1_000.0), (100.0, 5_000.0)).read_share(), Some(0.75));
        assert_eq!(device((0.0, 0.0), (100.0, 5_000.0)).latency_us(), Some(5_000.0));
        assert_eq!(device((0.0, 0.0), (0.0, 0.0)).latency_us(), None);
    }

    #[test]
    fn a_queue_that_rate_and_latency_do_not_make_is_said() {
        // 1,000 x 2 ms = 2
        let lawful = Device { queue: Some(2.05), ..device((1_000.0, 2_000.0), (0.0, 0.0)) };
        assert_eq!(lawful.off_littles_law(), None);
        let off = Device { queue: Some(4.0), ..lawful };
        assert!(off.off_littles_law().unwrap().contains("differ by 50 %"), "{:?}", off.off_littles_law());
        // Of 0.004, iostat prints 0.00.
        let small = Device { queue: Some(0.0), rounding: 0.005, ..device((2.0, 2_000.0), (0.0, 0.0)) };
        assert_eq!(small.off_littles_law(), None);
    }

    #[test]
    fn devices_of_linux_are_known_by_their_names() {
        let names =
            ["sda", "sda1", "nvme0n1", "nvme0n1p1", "md0", "md0p1", "xvda1", "loop3", "zram0", "dm-0"];
        let kinds: Vec<DeviceKind> = names.iter().map(|name| linux_kind(name, &names)).collect();
        use DeviceKind::{Disk, Partition, Pseudo, Stacked};
        // xvda1 without xvda is how old EC2 instances name a disk.
        let expected = [Disk, Partition, Disk, Partition, Stacked, Partition, Disk, Pseudo, Pseudo, Stacked];
        assert_eq!(kinds, expected);
    }

    #[test]
    fn names_are_ordered_as_people_count() {
        let mut names = ["sdaa", "sdb", "nvme10n1", "nvme2n1", "sda", "2 F:", "10 G:"];
        names.sort_by(|one, other| by_name(one, other));
        assert_eq!(names, ["2 F:", "10 G:", "sda", "sdb", "nvme2n1", "nvme10n1", "sdaa"]);
    }
}
