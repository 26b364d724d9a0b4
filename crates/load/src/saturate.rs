//! The smallest concurrency that reaches the most: queue depth is raised until it stops helping, threads where
//! the client is what binds, and the edge is found by halving.

/// Outstanding I/Os in one probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Concurrency {
    /// Threads on each target.
    pub threads: u32,
    /// Outstanding I/Os of each thread on each target.
    pub depth: u32,
}

impl Concurrency {
    /// All that is outstanding on a target.
    pub fn outstanding(self) -> u64 {
        u64::from(self.threads) * u64::from(self.depth)
    }
}

/// Findings of a probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Probe {
    /// At which concurrency.
    pub at: Concurrency,
    /// I/Os completed a second.
    pub iops: f64,
    /// Bytes moved a second.
    pub bytes_per_s: f64,
    /// Mean latency in µs.
    pub mean_us: f64,
    /// The 99th percentile in µs, where the probe supports one.
    pub p99_us: Option<f64>,
    /// The busiest thread had no processor time left.
    pub client_bound: bool,
}

/// All probes, by what was outstanding, and the knee.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The probes in ascending order of what was outstanding.
    pub probes: Vec<Probe>,
    /// The smallest concurrency that reached the most.
    pub knee: Probe,
    /// The search ended at the deepest it was allowed, and more may help.
    pub open_end: bool,
}

/// A step that gains less than this, while latency grows, gains nothing.
pub const GAIN: f64 = 0.05;
/// Share of the highest IOPS that counts as reached.
pub const REACHED: f64 = 0.95;

/// Bounds of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The deepest of one thread.
    pub depth: u32,
    /// The most threads on each target.
    pub threads: u32,
}

/// The highest depth, up to `most`, at which `holds` says yes: found by doubling, then by halving what lies between the last
/// yes and the first no, to a sixteenth. `None` where depth 1 is a no, or where `holds` ended the search by `None` before.
///
/// # Errors
/// Returns the error of `holds`.
pub fn deepest<E>(
    most: u32,
    mut holds: impl FnMut(u32) -> Result<Option<bool>, E>,
) -> Result<Option<u32>, E> {
    let (mut best, mut first_no, mut depth) = (None, None, 1);
    loop {
        match holds(depth)? {
            None => return Ok(best),
            Some(true) => best = Some(depth),
            Some(false) => {
                first_no = Some(depth);
                break;
            }
        }
        if depth == most {
            break;
        }
        depth = depth.saturating_mul(2).min(most);
    }
    let (Some(mut low), Some(mut high)) = (best, first_no) else { return Ok(best) };
    while high - low > (low / 16).max(1) {
        let middle = low.midpoint(high);
        match holds(middle)? {
            None => break,
            Some(true) => low = middle,
            Some(false) => high = middle,
        }
    }
    Ok(Some(low))
}

/// Searches with `probe`, which runs a while at a concurrency. `None` from it ends the search with what there is.
///
/// # Errors
/// Returns the error of `probe`.
pub fn search<E>(
    bounds: Bounds,
    mut probe: impl FnMut(Concurrency) -> Result<Option<Probe>, E>,
) -> Result<Option<Curve>, E> {
    let mut probes: Vec<Probe> = Vec::new();
    let mut at = Concurrency { threads: 1, depth: 1 };
    let mut open_end = false;
    // Up: by doubling, until two steps in a row gain nothing: one may be an unlucky second.
    let mut idle_steps = 0;
    loop {
        let Some(found) = probe(at)? else { break };
        if let Some(before) = probes.last() {
            let gains = found.iops > before.iops * (1.0 + GAIN);
            let grows = found.mean_us > before.mean_us;
            idle_steps = if gains || !grows { 0 } else { idle_steps + 1 };
        }
        probes.push(found);
        if idle_steps >= 2 {
            break;
        }
        let deeper = Concurrency { depth: at.depth * 2, ..at };
        let wider = Concurrency { threads: at.threads * 2, ..at };
        at = if found.client_bound && wider.threads <= bounds.threads {
            wider
        } else if deeper.depth <= bounds.depth {
            deeper
        } else if wider.threads <= bounds.threads {
            wider
        } else {
            open_end = idle_steps == 0;
            break;
        };
    }
    if probes.is_empty() {
        return Ok(None);
    }
    // Between the last probe that fell short and the first that reached: halve.
    loop {
        let most = probes.iter().map(|probe| probe.iops).fold(0.0, f64::max);
        let reaches = |probe: &Probe| probe.iops >= REACHED * most;
        let first = probes.iter().position(reaches).unwrap_or(0);
        let Some(below) = first.checked_sub(1) else { break };
        let (low, high) = (probes[below].at, probes[first].at);
        // Only the depth is halved: a step in threads is as fine as threads are.
        if low.threads != high.threads || high.depth - low.depth <= (high.depth / 16).max(1) {
            break;
        }
        let middle = Concurrency { depth: low.depth.midpoint(high.depth), ..low };
        let Some(found) = probe(middle)? else { break };
        probes.insert(first, found);
    }
    let most = probes.iter().map(|probe| probe.iops).fold(0.0, f64::max);
    let knee = probes.iter().find(|probe| probe.iops >= REACHED * most).copied();
    Ok(knee.map(|knee| Curve { probes, knee, open_end }))
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    /// A search with probes that can't fail.
    fn search_surely(bounds: Bounds, mut probe: impl FnMut(Concurrency) -> Probe) -> Option<Curve> {
        let Ok(curve) = search(bounds, |at| Ok::<_, Infallible>(Some(probe(at))));
        curve
    }

    /// A device of 100 µs that serves at most `most` I/Os a second: X = min(N / L, most).
    fn device(most: f64, client: f64) -> impl Fn(Concurrency) -> Probe {
        move |at| {
            let outstanding = at.outstanding() as f64;
            let client = client * f64::from(at.threads);
            let iops = (outstanding / 100e-6).min(most).min(client);
            Probe {
                at,
                iops,
                bytes_per_s: iops * 4096.0,
                mean_us: outstanding / iops * 1e6,
                p99_us: None,
                client_bound: client <= (outstanding / 100e-6).min(most),
            }
        }
    }

    const BOUNDS: Bounds = Bounds { depth: 1024, threads: 64 };

    #[test]
    fn the_knee_is_where_littles_law_has_it() {
        // 5,000 IOPS x 100 µs is half an I/O; 200,000 x 100 µs are 20, of which 95 % are 19.
        for (most, knee) in [(5_000.0, 1), (200_000.0, 19), (330_000.0, 32)] {
            let curve = search_surely(BOUNDS, device(most, f64::INFINITY)).unwrap();
            let found = curve.knee.at.outstanding();
            assert!(found.abs_diff(knee) <= (knee / 16).max(1), "{most}: {found}, not {knee}");
            assert!(!curve.open_end);
            assert!(curve.probes.is_sorted_by_key(|probe| probe.at.outstanding()));
        }
    }

    #[test]
    fn a_client_that_binds_gets_threads() {
        let curve = search_surely(BOUNDS, device(1_000_000.0, 300_000.0)).unwrap();
        assert_eq!(curve.knee.at.threads, 4);
        assert!(curve.knee.iops >= 950_000.0);
    }

    #[test]
    fn a_search_that_ends_at_its_bounds_says_so() {
        let curve = search_surely(Bounds { depth: 8, threads: 1 }, device(1e9, f64::INFINITY)).unwrap();
        assert!(curve.open_end);
        assert_eq!(curve.knee.at, Concurrency { threads: 1, depth: 8 });
    }

    #[test]
    fn the_deepest_is_the_last_that_holds() {
        let within = |bound: u32| move |depth: u32| Ok::<_, ()>(Some(depth <= bound));
        for bound in [1, 2, 3, 7, 8, 15] {
            assert_eq!(deepest(64, within(bound)), Ok(Some(bound)), "{bound}");
        }
        assert_eq!(deepest(64, within(1_000)), Ok(Some(64)));
        assert_eq!(deepest(48, within(1_000)), Ok(Some(48)));
        assert_eq!(deepest(64, within(0)), Ok(None));
        // To a sixteenth: 600 is between 563 and 600.
        let found = deepest(1_024, within(600)).unwrap().unwrap();
        assert!((563..=600).contains(&found), "{found}");
        let mut left = 3;
        let ended = deepest(64, |_| {
            left -= 1;
            Ok::<_, ()>((left >= 0).then_some(true))
        });
        assert_eq!(ended, Ok(Some(4)));
        assert_eq!(deepest(64, |_| Err("no")), Err("no"));
    }

    #[test]
    fn a_search_that_is_ended_early_keeps_what_it_has() {
        let mut left = 3;
        let device = device(1e9, f64::INFINITY);
        let curve = search(BOUNDS, |at| {
            left -= 1;
            Ok::<_, ()>((left >= 0).then(|| device(at)))
        });
        assert_eq!(curve.unwrap().unwrap().probes.len(), 3);
        assert_eq!(search(BOUNDS, |_| Ok::<_, ()>(None)), Ok(None));
        assert_eq!(search(BOUNDS, |_| Err("no")), Err("no"));
    }
}
