//! A time at a limit among idle ones.

use iobound_units::{Grouped, format_throughput};

/// A time for which the load ran at a limit, where the mean of the whole time is below every limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Seconds from the first value to its begin.
    pub at_s: f64,
    /// Its length in seconds.
    pub lasts_s: f64,
    /// Mean IOPS in it.
    pub iops: f64,
    /// Mean bytes a second in it, where they are known.
    pub bytes_per_s: Option<f64>,
    /// Mean IOPS of the whole time.
    pub mean: f64,
}

impl Stretch {
    /// The stretch in a clause.
    pub fn says(&self) -> String {
        let [iops, mean] = [self.iops, self.mean].map(|iops| Grouped(iops.round() as u64));
        let bytes = self.bytes_per_s.map_or(String::new(), |bytes| format!(", {}", format_throughput(bytes)));
        format!(
            "from {:.0} s on, for {:.0} s, the rate was {iops} IOPS{bytes}; the mean of the whole time is {mean} IOPS",
            self.at_s, self.lasts_s
        )
    }
}
