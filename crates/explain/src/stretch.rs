//! A time at a limit among idle ones.

use iobound_units::Grouped;

/// A time for which the load ran at a limit, where the mean of the whole time is below every limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stretch {
    /// Seconds from the first value to its begin.
    pub at_s: f64,
    /// Its length in seconds.
    pub lasts_s: f64,
    /// Mean IOPS in it.
    pub iops: f64,
    /// Mean IOPS of the whole time.
    pub mean: f64,
}

impl Stretch {
    /// The stretch in a clause.
    pub fn says(&self) -> String {
        let [iops, mean] = [self.iops, self.mean].map(|iops| Grouped(iops.round() as u64));
        format!(
            "from {:.0} s on, for {:.0} s, the rate was {iops} IOPS; the mean of the whole time is {mean}",
            self.at_s, self.lasts_s
        )
    }
}
