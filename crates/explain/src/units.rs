//! A stated throughput that is a limit's figure once it is read in the other unit: MiB/s for MB/s.

use iobound_model::Dimension;

use crate::case::Case;
use crate::observed::Observed;
use crate::thresholds as of;
use crate::usage::Usage;

/// True if two figures are the same to three digits.
fn is_same(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < of::SAME_FIGURE
}

impl Observed {
    /// True if IOPS × block is the stated throughput in the other unit, false if it is the stated one; `None`: the I/Os do not say.
    /// If no block is known, one of a power of two bytes is taken.
    pub(crate) fn is_other_unit_by_ios(&self) -> Option<bool> {
        let total = &self.total;
        let (iops, block, bytes) = (total.iops?, total.block?, total.throughput_bytes_per_s?);
        if self.are_ios_derived {
            return None;
        }
        let moved = |times: f64| match self.is_block_derived {
            true => is_power(block * times),
            false => is_same(iops * block, times * bytes),
        };
        match (moved(1.0), moved(of::MIB_PER_MB)) {
            (true, _) => Some(false),
            (_, true) => Some(true),
            _ => None,
        }
    }
}

/// True if a size is a power of two.
fn is_power(bytes: f64) -> bool {
    let below = 1u64 << (bytes.max(1.0) as u64).ilog2();
    [below, 2 * below].into_iter().any(|power| is_same(bytes, power as f64))
}

impl Case<'_> {
    /// True if a stated throughput is a limit's figure in the other unit, and the I/Os do not contradict.
    pub(crate) fn is_in_other_unit(&self, usage: &Usage) -> bool {
        let seen = self.share(usage) * usage.enforced * of::MIB_PER_MB;
        usage.dimension == Dimension::Bytes
            && self.observed.is_throughput_stated
            && self.observed.is_other_unit_by_ios() != Some(false)
            && is_same(seen, usage.published)
    }

    /// True if a person wrote the limit's own number with the other unit: 125 MB/s of a limit of 125 MiB/s, or 128 MB/s where the cloud
    /// publishes 128 MB/s and means MiB. The limit is then full, and the unit is a slip.
    pub(crate) fn has_number_of_limit(&self, usage: &Usage) -> bool {
        let is_of_whole_mib = usage.published % f64::from(1 << 20) == 0.0;
        let has_it =
            is_same(usage.used, usage.published) || is_of_whole_mib && !self.observed.is_throughput_in_mib;
        has_it && self.is_in_other_unit(usage)
    }

    /// True if I/Os are known to queue: their latency is above that of the media, or processors wait for I/O.
    pub(crate) fn ios_queue(&self) -> bool {
        self.is_slow() == Some(true) || self.observed.iowait.is_some_and(|share| share >= of::WAITS)
    }

    /// True if the unit explains a figure better than the limit as it stands: nothing shows that the limit is full.
    pub(crate) fn may_be_unit(&self, usage: &Usage) -> bool {
        self.is_in_other_unit(usage) && !self.ios_queue() && !self.has_number_of_limit(usage)
    }
}
