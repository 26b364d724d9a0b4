//! Histograms: the bins that are not empty, each by its distance from the one before.

use iobound_measure::{Histogram, LatencyCount, Moments};

use super::WireError;
use super::messages::{self, Wide};

/// `None` where there is nothing in it.
pub(super) fn wire<const DIGITS: u8>(histogram: &Histogram<DIGITS>) -> Option<messages::Histogram> {
    let moments = histogram.moments();
    let (min_ns, max_ns) = moments.min_ns().zip(moments.max_ns())?;
    let mut steps = Steps::default();
    let (mut places, mut counts) = (Vec::new(), Vec::new());
    for (bin, count) in histogram.bins() {
        places.push(steps.to(bin));
        counts.push(count);
    }
    Some(messages::Histogram {
        steps: places,
        counts,
        sum_ns: Some(wide(moments.sum_ns())),
        squares_ns2: Some(wide(moments.squares_ns2())),
        min_ns,
        max_ns,
        saturated: moments.saturated(),
    })
}

pub(super) fn read<const DIGITS: u8>(
    histogram: Option<messages::Histogram>,
) -> Result<Histogram<DIGITS>, WireError> {
    let Some(wire) = histogram else { return Ok(Histogram::new()) };
    let messages::Histogram { steps, counts, sum_ns, squares_ns2, min_ns, max_ns, saturated } = wire;
    if steps.len() != counts.len() {
        return Err(WireError(format!("a histogram of {} bins with {} counts", steps.len(), counts.len())));
    }
    let count = counts.iter().try_fold(0_u64, |sum, count| sum.checked_add(*count));
    let count = count.ok_or_else(|| WireError("the counts of the bins overflow".into()))?;
    let moments =
        Moments::from_parts(count, narrow(sum_ns), narrow(squares_ns2), Some((min_ns, max_ns)), saturated)?;
    let mut at = Steps::default();
    let bins = steps.iter().map(|step| at.by(*step)).collect::<Result<Vec<u32>, _>>()?;
    Ok(Histogram::from_bins(bins.into_iter().zip(counts), moments)?)
}

/// Latencies of an interval: steps and counts.
pub(super) fn wire_latencies(latencies: &[LatencyCount]) -> (Vec<u32>, Vec<u32>) {
    let mut steps = Steps::default();
    latencies.iter().map(|latency| (steps.to(latency.index()), latency.count() as u32)).unzip()
}

pub(super) fn read_latencies(steps: &[u32], counts: &[u32]) -> Result<Vec<LatencyCount>, WireError> {
    if steps.len() != counts.len() {
        return Err(WireError(format!("latencies of {} bins with {} counts", steps.len(), counts.len())));
    }
    let mut at = Steps::default();
    let latency = |(step, count): (&u32, &u32)| {
        let bin = at.by(*step)?;
        LatencyCount::new(bin, *count).ok_or_else(|| WireError(format!("{count} latencies in bin {bin}")))
    };
    steps.iter().zip(counts).map(latency).collect()
}

pub(super) fn wide(number: u128) -> Wide {
    Wide { high: (number >> 64) as u64, low: number as u64 }
}

/// A number that is not there is zero, as with every number of protocol buffers.
pub(super) fn narrow(wide: Option<Wide>) -> u128 {
    wide.map_or(0, |Wide { high, low }| (u128::from(high) << 64) | u128::from(low))
}

/// From bin to bin. The first step is from 0, and may be none.
#[derive(Default)]
struct Steps {
    last: Option<u32>,
}

impl Steps {
    fn to(&mut self, bin: u32) -> u32 {
        let step = bin - self.last.unwrap_or(0);
        self.last = Some(bin);
        step
    }

    fn by(&mut self, step: u32) -> Result<u32, WireError> {
        let bin = match self.last {
            None => Some(step),
            Some(_) if step == 0 => return Err(WireError("a bin that comes twice".into())),
            Some(last) => last.checked_add(step),
        };
        self.last = bin;
        bin.ok_or_else(|| WireError("a bin beyond all".into()))
    }
}
