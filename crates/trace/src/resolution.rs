use iobound_units::{Counted, Span};

/// Resolution below which the clock of a recording does not distort latencies of disks: 1 ms in ns.
const FINE_NS: u64 = 1_000_000;

/// The resolution of a trace's times: the largest unit of which all distances between I/Os are multiples.
#[derive(Clone, Debug, Default)]
pub(crate) struct TimeResolution {
    first: Option<u64>,
    last: u64,
    /// Zero as long as all times are the same.
    divisor_ns: u64,
    /// I/Os with the same time as the one before.
    shared: u64,
    is_fine: bool,
}

fn common_divisor(mut one: u64, mut other: u64) -> u64 {
    while other > 0 {
        (one, other) = (other, one % other);
    }
    one
}

impl TimeResolution {
    /// Adds the time of the next I/O.
    #[inline]
    pub(crate) fn add(&mut self, at_ns: u64) {
        if !self.is_fine {
            self.add_coarse(at_ns);
        }
    }

    fn add_coarse(&mut self, at_ns: u64) {
        let Some(first) = self.first else {
            (self.first, self.last) = (Some(at_ns), at_ns);
            return;
        };
        self.shared += u64::from(at_ns == self.last);
        self.last = at_ns;
        self.divisor_ns = common_divisor(self.divisor_ns, at_ns.abs_diff(first));
        self.is_fine = self.divisor_ns > 0 && self.divisor_ns < FINE_NS;
    }

    /// A remark on a coarse clock, if I/Os share their times.
    pub(crate) fn note(&self) -> Option<String> {
        let times = match self.divisor_ns {
            0 => "all I/Os have the same time".to_string(),
            step => format!("all times are multiples of {} after the first", Span::from_ns(step)),
        };
        (!self.is_fine && self.shared > 0).then(|| {
            format!(
                "{times}: I/Os with the same time are issued together, in the order of the file. Latencies, percentiles and \
                 rates in shorter windows rest on that and may differ from the recorded load ({} at the time of the one before)",
                Counted(self.shared, "I/O")
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn note(times: impl IntoIterator<Item = u64>) -> Option<String> {
        let mut resolution = TimeResolution::default();
        times.into_iter().for_each(|at| resolution.add(at));
        resolution.note()
    }

    #[test]
    fn the_common_divisor_of_the_times_is_told_where_ios_share_a_time() {
        let second = 1_000_000_000;
        let seconds = note((0..100).map(|n| 7 + n / 10 * second)).expect("a coarse clock");
        // Ten I/Os at each of ten times.
        assert!(seconds.contains("multiples of 1 s") && seconds.contains("90 I/Os at"), "{seconds}");
        let tens = note([0, 0, 30, 50].map(|ms| ms * 1_000_000)).expect("a coarse clock");
        assert!(tens.contains("multiples of 10 ms") && tens.contains("1 I/O at"), "{tens}");
        assert!(note([5, 5, 5]).is_some_and(|note| note.contains("the same time")));
        // Even arrivals share no time, and a finer clock than a disk's latency distorts nothing.
        assert_eq!(note((0..100).map(|n| n * second)), None);
        assert_eq!(note([0, 0, second, second + 999_999]), None);
        assert_eq!(note([5]), None);
    }
}
