//! Confidence in each figure of a run: rates, mean latency and percentiles, of all I/Os and of each direction.

use iobound_units::Op;

use super::sections::{LEAST_SECTIONS, Section, section_error};
use crate::histogram::Bins;
use crate::percentile::supported;
use crate::recorder::{Interval, LatencyCount, Measured, Phase};
use crate::result::{Direction, Figure, StandardError, round};

/// More segments of time than this are joined first: another doubling would tell the errors hardly better.
const MOST_PIECES: usize = 200;

/// I/Os completed in a segment of the counted time; reads, then writes.
#[derive(Clone, Debug, Default)]
struct Segment {
    seconds: f64,
    sides: [DirectionSums; 2],
}

#[derive(Clone, Debug, Default)]
struct DirectionSums {
    count: u64,
    bytes: u64,
    sum_ns: f64,
    /// The latencies by bin; `None` where there was no room to keep those of an interval.
    bins: Option<Vec<u64>>,
}

/// The standard errors of the figures of a run by sectioning: with the shortest sections of the counted time that look
/// independent and hold enough I/Os for the figure, or, where none look so, with the longest. A figure for which there
/// are no [`LEAST_SECTIONS`] such sections has none.
pub fn standard_errors(measured: &Measured) -> Vec<StandardError> {
    let segments = segments(measured);
    let Some(first) = segments.first() else { return Vec::new() };
    let piece_s = first.seconds;
    let directions: &[Direction] = match [0, 1].map(|side| segments.iter().any(|p| p.sides[side].count > 0)) {
        [true, true] => &Direction::ALL,
        [true, false] | [false, true] => &[Direction::All],
        [false, false] => return Vec::new(),
    };
    let whole = join(&segments);
    let mut searches: Vec<Search> = directions
        .iter()
        .flat_map(|direction| Figure::WITH_ERROR.map(|figure| Search::new(&whole, *direction, figure)))
        .collect();
    for length in 1..=segments.len() / LEAST_SECTIONS {
        if searches.iter().all(Search::is_over) {
            break;
        }
        let rest = &segments[segments.len() % length..];
        let sections: Vec<Segment> = rest.chunks_exact(length).map(join).collect();
        for direction in directions {
            let sides: Vec<(DirectionSums, f64)> =
                sections.iter().map(|section| (of_direction(section, *direction), section.seconds)).collect();
            let of_this = |search: &&mut Search| search.direction == *direction && !search.is_over();
            searches.iter_mut().filter(of_this).for_each(|search| search.look(&sides, length));
        }
    }
    let found = searches.iter().filter_map(|search| {
        search.best.map(|best| StandardError {
            operation: search.direction,
            figure: search.figure,
            error: round::error(best.error),
            sections: best.sections as u64,
            section_s: round::seconds((best.length as f64 * piece_s * 1e9) as u64),
            independent: best.independent,
        })
    });
    found.collect()
}

/// The search for the sections that tell a figure's error.
struct Search {
    direction: Direction,
    figure: Figure,
    /// The figure of all counted time, in its unit; `None` where it has none, and so no error.
    whole: Option<f64>,
    /// I/Os of all counted time, and their time.
    ios: f64,
    seconds: f64,
    best: Option<Section>,
}

impl Search {
    fn new(whole: &Segment, direction: Direction, figure: Figure) -> Search {
        let side = of_direction(whole, direction);
        let value = value_of(&side, whole.seconds, figure);
        Search { direction, figure, whole: value, ios: side.count as f64, seconds: whole.seconds, best: None }
    }

    fn is_over(&self) -> bool {
        self.whole.is_none() || self.best.is_some_and(|best| best.independent)
    }

    /// Takes the error by sections of this length, unless one of them has too few I/Os for the figure.
    fn look(&mut self, sections: &[(DirectionSums, f64)], length: usize) {
        let Some(whole) = self.whole else { return };
        let deviations: Option<Vec<f64>> = sections
            .iter()
            .map(|(side, seconds)| match self.figure {
                // A mean is a ratio: sections with more I/Os weigh more.
                Figure::Mean => {
                    let expected = self.ios * seconds / self.seconds;
                    Some((side.sum_ns / 1e3 - whole * side.count as f64) / expected)
                }
                figure => Some(value_of(side, *seconds, figure)? - whole),
            })
            .collect();
        self.best = deviations.and_then(|deviations| section_error(&deviations, length)).or(self.best);
    }
}

/// A figure of what completed in so much time, in its unit.
fn value_of(side: &DirectionSums, seconds: f64, figure: Figure) -> Option<f64> {
    match figure {
        Figure::Iops => Some(side.count as f64 / seconds),
        Figure::Throughput => Some(side.bytes as f64 / seconds),
        Figure::Mean => (side.count > 0).then(|| side.sum_ns / side.count as f64 / 1e3),
        figure => Some(percentile_ns(side, figure.percent()?)? / 1e3),
    }
}

/// A percentile between the bounds of its bin, by its rank among the bin's I/Os: bins are 0.8 % wide, and sections would
/// seem to agree by it. `None` where there are too few I/Os.
fn percentile_ns(side: &DirectionSums, percent: f64) -> Option<f64> {
    let bins = side.bins.as_ref()?;
    let count: u64 = bins.iter().sum();
    if !supported(percent, count) {
        return None;
    }
    let wanted = percent / 100.0 * count as f64;
    let mut seen = 0.0;
    for (index, n) in bins.iter().enumerate().filter(|(_, n)| **n > 0) {
        let n = *n as f64;
        if seen + n >= wanted {
            let (low, high) = (Bins::<2>::lowest(index) as f64, Bins::<2>::highest(index) as f64 + 1.0);
            return Some(low + (high - low) * (wanted - seen) / n);
        }
        seen += n;
    }
    None
}

fn of_direction(segment: &Segment, direction: Direction) -> DirectionSums {
    match direction {
        Direction::Read => segment.sides[0].clone(),
        Direction::Write => segment.sides[1].clone(),
        Direction::All => {
            let mut all = segment.sides[0].clone();
            all.add(&segment.sides[1]);
            all
        }
    }
}

impl DirectionSums {
    fn add(&mut self, other: &DirectionSums) {
        self.count += other.count;
        self.bytes += other.bytes;
        self.sum_ns += other.sum_ns;
        match (&mut self.bins, &other.bins) {
            (Some(_), Some(more)) if more.is_empty() => {}
            (Some(own), Some(more)) if own.is_empty() => own.clone_from(more),
            (Some(own), Some(more)) => own.iter_mut().zip(more).for_each(|(own, more)| *own += more),
            _ => self.bins = None,
        }
    }

    fn count_in(&mut self, latencies: Option<&[LatencyCount]>) {
        let (Some(latencies), Some(bins)) = (latencies, &mut self.bins) else {
            self.bins = None;
            return;
        };
        if !latencies.is_empty() {
            bins.resize(Bins::<2>::COUNT, 0);
        }
        for latency in latencies {
            bins[latency.index as usize] += u64::from(latency.count);
        }
    }
}

/// All segments together.
fn join(segments: &[Segment]) -> Segment {
    let mut all = Segment::empty();
    for segment in segments {
        all.seconds += segment.seconds;
        for (own, more) in all.sides.iter_mut().zip(&segment.sides) {
            own.add(more);
        }
    }
    all
}

impl Segment {
    fn empty() -> Segment {
        let side = || DirectionSums { bins: Some(Vec::new()), ..DirectionSums::default() };
        Segment { seconds: 0.0, sides: [side(), side()] }
    }
}

/// The counted, whole intervals; neighbours joined where there are many, and the first left out where they do not
/// divide, nearest to the warm-up.
fn segments(measured: &Measured) -> Vec<Segment> {
    let usable = |interval: &Interval| interval.phase == Phase::Counted && interval.whole;
    let first = measured.series.iter().position(usable).unwrap_or(measured.series.len());
    let count = measured.series[first..].iter().take_while(|interval| usable(interval)).count();
    let each = count.div_ceil(MOST_PIECES).max(1);
    let first = first + count % each;
    (first..first + count / each * each)
        .step_by(each)
        .map(|from| {
            let mut segment = Segment::empty();
            for at in from..from + each {
                let interval = &measured.series[at];
                segment.seconds += interval.length().secs_f64();
                for (side, (tally, op)) in
                    segment.sides.iter_mut().zip([(&interval.read, Op::Read), (&interval.write, Op::Write)])
                {
                    side.count += tally.count;
                    side.bytes += tally.bytes;
                    side.sum_ns += tally.sum_ns as f64;
                    side.count_in(measured.latencies.of(at, op));
                }
            }
            segment
        })
        .collect()
}
