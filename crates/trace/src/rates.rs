use iobound_measure::Histogram;

const SECOND: u64 = 1_000_000_000;
/// The short window of burst figures.
const SHORT: u64 = 10_000_000;
/// More windows than this are made half as many of twice the length: 28 hours in windows of a second.
const MOST_POINTS: usize = 100_000;

/// I/Os of one window of time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RatePoint {
    /// I/Os issued.
    pub ios: u64,
    /// Bytes read and written.
    pub bytes: u64,
}

/// Figures of the windows of one length, empty ones included.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateSummary {
    /// Length of a window in ns.
    pub window_ns: u64,
    /// Number of windows.
    pub windows: u64,
    /// Mean I/Os of a window.
    pub mean: f64,
    /// 99th percentile of the I/Os of a window.
    pub p99: u64,
    /// The most I/Os of a window.
    pub most: u64,
    /// Variance of the I/Os of a window, divided by their mean: 1 of a Poisson process, more if they come in bursts.
    pub dispersion: f64,
}

/// Windows of one length, one after the other, as figures only.
#[derive(Clone, Debug)]
struct Windows {
    window_ns: u64,
    at: u64,
    ios: u64,
    counts: Histogram<2>,
    windows: u64,
    sum: u128,
    squares: u128,
    most: u64,
}

impl Windows {
    fn new(window_ns: u64) -> Windows {
        Windows {
            window_ns,
            at: 0,
            ios: 0,
            counts: Histogram::new(),
            windows: 0,
            sum: 0,
            squares: 0,
            most: 0,
        }
    }

    #[inline]
    fn add(&mut self, since_ns: u64) {
        let at = since_ns / self.window_ns;
        if at > self.at {
            let empty = at - self.at - 1;
            self.close(1, self.ios);
            if empty > 0 {
                self.close(empty, 0);
            }
            (self.at, self.ios) = (at, 0);
        }
        self.ios += 1;
    }

    fn close(&mut self, windows: u64, ios: u64) {
        self.counts.record_n(ios, windows);
        self.windows += windows;
        self.sum += u128::from(ios) * u128::from(windows);
        self.squares += u128::from(ios) * u128::from(ios) * u128::from(windows);
        self.most = self.most.max(ios);
    }

    fn summary(&self) -> RateSummary {
        let mut whole = self.clone();
        whole.close(1, self.ios);
        let windows = whole.windows as f64;
        let mean = whole.sum as f64 / windows;
        let variance = (whole.squares as f64 / windows - mean * mean).max(0.0);
        RateSummary {
            window_ns: self.window_ns,
            windows: whole.windows,
            mean,
            p99: whole.counts.value_at_percentile(99.0).min(whole.most),
            most: whole.most,
            dispersion: if mean > 0.0 { variance / mean } else { 0.0 },
        }
    }
}

/// Rates over time.
#[derive(Clone, Debug)]
pub struct Rates {
    point_ns: u64,
    points: Vec<RatePoint>,
    second: Windows,
    short: Windows,
}

impl Default for Rates {
    fn default() -> Rates {
        Rates {
            point_ns: SECOND,
            points: Vec::new(),
            second: Windows::new(SECOND),
            short: Windows::new(SHORT),
        }
    }
}

impl Rates {
    /// Adds an I/O that was issued so long after the trace's begin.
    #[inline]
    pub fn add(&mut self, since_ns: u64, bytes: u64) {
        self.second.add(since_ns);
        self.short.add(since_ns);
        while since_ns / self.point_ns >= MOST_POINTS as u64 {
            self.coarsen();
        }
        let at = (since_ns / self.point_ns) as usize;
        if at >= self.points.len() {
            self.points.resize(at + 1, RatePoint::default());
        }
        self.points[at].ios += 1;
        self.points[at].bytes = self.points[at].bytes.saturating_add(bytes);
    }

    fn coarsen(&mut self) {
        self.point_ns *= 2;
        self.points = self
            .points
            .chunks(2)
            .map(|pair| RatePoint {
                ios: pair.iter().map(|point| point.ios).sum(),
                bytes: pair.iter().fold(0, |sum: u64, point| sum.saturating_add(point.bytes)),
            })
            .collect();
    }

    /// The windows, and the length of each in ns: a second, and more only of traces that are longer than 28 hours.
    pub fn points(&self) -> (u64, &[RatePoint]) {
        (self.point_ns, &self.points)
    }

    /// Figures of the windows of a second.
    pub fn per_second(&self) -> RateSummary {
        self.second.summary()
    }

    /// Figures of the windows of 10 ms.
    pub fn per_10_ms(&self) -> RateSummary {
        self.short.summary()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_windows_count() {
        let mut rates = Rates::default();
        for ms in [0, 1, 2, 3, 2_500] {
            rates.add(ms * 1_000_000, 4_096);
        }
        let second = rates.per_second();
        assert_eq!((second.windows, second.most), (3, 4));
        // Windows of 4, 0 and 1: mean 5/3, variance 17/3 − 25/9 = 26/9.
        assert!((second.mean - 5.0 / 3.0).abs() < 1e-9);
        assert!((second.dispersion - 26.0 / 9.0 / (5.0 / 3.0)).abs() < 1e-9);
        assert_eq!(rates.per_10_ms().windows, 251);
        assert_eq!(rates.points().1.len(), 3);
    }

    #[test]
    fn a_trace_of_centuries_has_a_bounded_number_of_points() {
        let mut rates = Rates::default();
        rates.add(0, 1);
        rates.add(u64::MAX / 2, 1);
        let (window, points) = rates.points();
        assert!(points.len() <= MOST_POINTS && window > SECOND);
        assert_eq!(points.iter().map(|point| point.ios).sum::<u64>(), 2);
    }
}
