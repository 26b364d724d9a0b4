use crate::reuse::Reuse;

/// Blocks that were in use at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WorkingSetPoint {
    /// End of the window, from the begin of the trace, in ns.
    pub at_ns: u64,
    /// Bytes of the distinct blocks of this window.
    pub window_bytes: f64,
    /// Bytes of the distinct blocks so far.
    pub total_bytes: f64,
}

/// The first length of a window: a second.
const SHORTEST: u64 = 1_000_000_000;
/// More windows than this are made half as many.
const MOST: usize = 512;

/// Working set over time, in at most 512 windows of equal length.
#[derive(Clone, Debug)]
pub struct WorkingSet {
    window_ns: u64,
    end_ns: u64,
    points: Vec<WorkingSetPoint>,
}

impl Default for WorkingSet {
    fn default() -> WorkingSet {
        WorkingSet { window_ns: SHORTEST, end_ns: SHORTEST, points: Vec::new() }
    }
}

impl WorkingSet {
    /// Ends the window if an I/O at this time from the begin is behind it. Called before the I/O is added to `reuse`.
    #[inline]
    pub fn advance(&mut self, since_ns: u64, reuse: &mut Reuse) {
        if since_ns >= self.end_ns {
            self.end_window(since_ns, reuse);
        }
    }

    fn end_window(&mut self, since_ns: u64, reuse: &mut Reuse) {
        let point = WorkingSetPoint {
            at_ns: self.end_ns,
            window_bytes: reuse.end_window(),
            total_bytes: reuse.distinct_bytes(),
        };
        self.points.push(point);
        if self.points.len() == MOST {
            self.window_ns = self.window_ns.saturating_mul(2);
            self.points = self.points.chunks(2).map(joined).collect();
        }
        // Windows without I/O have no point.
        let next = (since_ns / self.window_ns).saturating_add(1);
        self.end_ns = next.saturating_mul(self.window_ns);
    }

    /// The windows so far, the current one as its last. Windows without I/O are left out.
    pub fn points(&self, reuse: &Reuse) -> Vec<WorkingSetPoint> {
        let mut points = self.points.clone();
        let window_bytes = reuse.clone().end_window();
        points.push(WorkingSetPoint {
            at_ns: self.end_ns,
            window_bytes,
            total_bytes: reuse.distinct_bytes(),
        });
        points
    }
}

/// Two windows as one: it has at least the blocks of the larger one.
fn joined(pair: &[WorkingSetPoint]) -> WorkingSetPoint {
    let last = pair[pair.len() - 1];
    let window_bytes = pair.iter().map(|point| point.window_bytes).fold(0.0, f64::max);
    WorkingSetPoint { window_bytes, ..last }
}
