//! The statistics of an EBS volume, log page 0xD0 (amazonlinux/amazon-ec2-utils, `ebsnvme`; the same layout in
//! kubernetes-sigs/aws-ebs-csi-driver, `pkg/metrics/nvme.go`). Everything is little-endian and counts since the volume
//! was attached.

/// Counters of an EBS volume since it was attached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EbsStatistics {
    /// Reads that completed.
    pub read_ios: u64,
    /// Writes that completed.
    pub write_ios: u64,
    /// Bytes read.
    pub read_bytes: u64,
    /// Bytes written.
    pub written_bytes: u64,
    /// The time that reads took, summed up, in µs.
    pub read_us: u64,
    /// The time that writes took, in µs.
    pub write_us: u64,
    /// Time that each limit was exceeded.
    pub exceeded: EbsExceeded,
    /// I/Os that wait now.
    pub queue: u64,
    /// Reads by their latency.
    pub read_histogram: Vec<Bin>,
    /// Writes by their latency.
    pub write_histogram: Vec<Bin>,
}

/// Time that each limit was exceeded, in µs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EbsExceeded {
    /// More IOPS were asked for than the volume has.
    pub volume_iops_us: u64,
    /// More throughput than the volume has.
    pub volume_throughput_us: u64,
    /// More IOPS than the instance lets through.
    pub instance_iops_us: u64,
    /// More throughput than the instance lets through.
    pub instance_throughput_us: u64,
}

/// I/Os of a range of latencies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bin {
    /// From so many µs.
    pub from_us: u64,
    /// To so many µs.
    pub to_us: u64,
    /// Number of I/Os.
    pub count: u64,
}

const LENGTH: usize = 4096;
const MAGIC: u64 = 0x3C23_B510;
/// Offset of the histograms: after eleven counters, and 416 bytes that are kept for more.
const READS: usize = 512;
const BINS: usize = 64;
const BIN: usize = 24;
const HISTOGRAM: usize = 8 + BINS * BIN;

impl EbsStatistics {
    /// Reads the page; `None` if it is not such a page.
    pub fn parse(page: &[u8]) -> Option<EbsStatistics> {
        if page.len() != LENGTH || word(page, 0) != MAGIC {
            return None;
        }
        let count = |index: usize| word(page, 8 * index);
        Some(EbsStatistics {
            read_ios: count(1),
            write_ios: count(2),
            read_bytes: count(3),
            written_bytes: count(4),
            read_us: count(5),
            write_us: count(6),
            exceeded: EbsExceeded {
                volume_iops_us: count(7),
                volume_throughput_us: count(8),
                instance_iops_us: count(9),
                instance_throughput_us: count(10),
            },
            queue: count(11),
            read_histogram: histogram(page, READS)?,
            write_histogram: histogram(page, READS + HISTOGRAM)?,
        })
    }

    /// Counters since an earlier look; `None` where it was detached in between, so that its counts began anew.
    /// The queue is the present one.
    pub fn since(&self, earlier: &EbsStatistics) -> Option<EbsStatistics> {
        let less = |new: u64, old: u64| new.checked_sub(old);
        let bins = |new: &[Bin], old: &[Bin]| -> Option<Vec<Bin>> {
            let same = |one: &Bin, other: &Bin| (one.from_us, one.to_us) == (other.from_us, other.to_us);
            let grown = new.iter().enumerate().map(|(at, bin)| {
                // At its own place, unless bins came in between.
                let before =
                    old.get(at).filter(|old| same(bin, old)).or(old.iter().find(|old| same(bin, old)));
                let before = before.map_or(0, |old| old.count);
                Some(Bin { count: less(bin.count, before)?, ..*bin })
            });
            grown.collect()
        };
        Some(EbsStatistics {
            read_ios: less(self.read_ios, earlier.read_ios)?,
            write_ios: less(self.write_ios, earlier.write_ios)?,
            read_bytes: less(self.read_bytes, earlier.read_bytes)?,
            written_bytes: less(self.written_bytes, earlier.written_bytes)?,
            read_us: less(self.read_us, earlier.read_us)?,
            write_us: less(self.write_us, earlier.write_us)?,
            exceeded: EbsExceeded {
                volume_iops_us: less(self.exceeded.volume_iops_us, earlier.exceeded.volume_iops_us)?,
                volume_throughput_us: less(
                    self.exceeded.volume_throughput_us,
                    earlier.exceeded.volume_throughput_us,
                )?,
                instance_iops_us: less(self.exceeded.instance_iops_us, earlier.exceeded.instance_iops_us)?,
                instance_throughput_us: less(
                    self.exceeded.instance_throughput_us,
                    earlier.exceeded.instance_throughput_us,
                )?,
            },
            queue: self.queue,
            read_histogram: bins(&self.read_histogram, &earlier.read_histogram)?,
            write_histogram: bins(&self.write_histogram, &earlier.write_histogram)?,
        })
    }
}

fn word(page: &[u8], at: usize) -> u64 {
    let mut bytes = [0u8; 8];
    bytes.copy_from_slice(&page[at..at + 8]);
    u64::from_le_bytes(bytes)
}

/// A count of bins, then 64 of them: from and to in 64 bits, the count in 32, and 32 that are kept free.
fn histogram(page: &[u8], at: usize) -> Option<Vec<Bin>> {
    let count = usize::try_from(word(page, at)).ok().filter(|count| *count <= BINS)?;
    let bins = (0..count).map(|index| {
        let at = at + 8 + index * BIN;
        Bin { from_us: word(page, at), to_us: word(page, at + 8), count: word(page, at + 16) & 0xffff_ffff }
    });
    Some(bins.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page with counter `n` as `n` × 1,000, and one bin in each histogram.
    fn page(times: u64) -> Vec<u8> {
        let mut page = vec![0u8; LENGTH];
        let mut put = |at: usize, value: u64| page[at..at + 8].copy_from_slice(&value.to_le_bytes());
        put(0, MAGIC);
        for index in 1..=11 {
            put(8 * index, index as u64 * 1_000 * times);
        }
        for at in [READS, READS + HISTOGRAM] {
            put(at, 1);
            put(at + 8, 256);
            put(at + 16, 512);
            put(at + 24, 7 * times);
        }
        page
    }

    #[test]
    fn counters_stand_in_their_order_and_histograms_behind_them() {
        let read = EbsStatistics::parse(&page(1)).unwrap();
        assert_eq!((read.read_ios, read.write_ios, read.read_bytes), (1_000, 2_000, 3_000));
        assert_eq!((read.written_bytes, read.read_us, read.write_us), (4_000, 5_000, 6_000));
        let exceeded = read.exceeded;
        assert_eq!((exceeded.volume_iops_us, exceeded.volume_throughput_us), (7_000, 8_000));
        assert_eq!((exceeded.instance_iops_us, exceeded.instance_throughput_us), (9_000, 10_000));
        assert_eq!(read.queue, 11_000);
        assert_eq!(read.read_histogram, [Bin { from_us: 256, to_us: 512, count: 7 }]);
        assert_eq!(read.write_histogram, read.read_histogram);
        // 512 + 2 × 1,544 + 496 = 4,096.
        assert_eq!(READS + 2 * HISTOGRAM + 496, LENGTH);
    }

    #[test]
    fn the_difference_is_that_of_each_counter_and_none_where_they_began_anew() {
        let (before, after) =
            (EbsStatistics::parse(&page(1)).unwrap(), EbsStatistics::parse(&page(3)).unwrap());
        let since = after.since(&before).unwrap();
        assert_eq!((since.read_ios, since.exceeded.instance_throughput_us), (2_000, 20_000));
        assert_eq!((since.queue, since.read_histogram[0].count), (33_000, 14));
        assert_eq!(before.since(&after), None);
    }

    #[test]
    fn bins_alike_are_told_apart_by_their_places() {
        let mut page = page(1);
        // A second bin from 256 to 512 µs, with another count.
        page[READS] = 2;
        for (at, value) in [(READS + 8 + BIN, 256u64), (READS + 16 + BIN, 512), (READS + 24 + BIN, 3)] {
            page[at..at + 8].copy_from_slice(&value.to_le_bytes());
        }
        let read = EbsStatistics::parse(&page).unwrap();
        let since = read.since(&read).expect("nothing began anew");
        assert!(since.read_histogram.iter().all(|bin| bin.count == 0), "{since:?}");
    }

    #[test]
    fn what_is_no_such_page_is_none() {
        assert_eq!(EbsStatistics::parse(&[]), None);
        assert_eq!(EbsStatistics::parse(&page(1)[1..]), None);
        assert_eq!(EbsStatistics::parse(&vec![0; LENGTH]), None);
        let mut odd = page(1);
        odd[READS] = 65;
        assert_eq!(EbsStatistics::parse(&odd), None);
    }
}
