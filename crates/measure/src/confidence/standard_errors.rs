//! How far each figure of a run can be trusted: rates, mean latency and percentiles, of all I/Os and of each direction.

use iobound_units::Op;

use super::sections::{LEAST_SECTIONS, Section, section_error};
use crate::histogram::Bins;
use crate::percentile::supported;
use crate::recorder::{Interval, LatencyCount, Measured, Phase};
use crate::result::{Direction, Figure, StandardError, round};

/// More pieces of time than this are joined first: another doubling would tell the errors hardly better.
const MOST_PIECES: usize = 200;

/// What completed in a piece of the counted time; reads, then writes.
#[derive(Clone, Debug, Default)]
struct Piece {
    seconds: f64,
    sides: [Side; 2],
}

#[derive(Clone, Debug, Default)]
struct Side {
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
    let pieces = pieces(measured);
    let Some(first) = pieces.first() else { return Vec::new() };
    let piece_s = first.seconds;
    let directions: &[Direction] = match [0, 1].map(|side| pieces.iter().any(|p| p.sides[side].count > 0)) {
        [true, true] => &Direction::ALL,
        [true, false] | [false, true] => &[Direction::All],
        [false, false] => return Vec::new(),
    };
    let whole = join(&pieces);
    let mut errors = Vec::new();
    for direction in directions {
        for figure in Figure::WITH_ERROR {
            let best = (1..=pieces.len() / LEAST_SECTIONS)
                .filter_map(|length| sectioned(&pieces, &whole, length, *direction, figure))
                .fold(None, |best: Option<Section>, next| match best {
                    Some(best) if best.independent => Some(best),
                    _ => Some(next),
                });
            errors.extend(best.map(|best| StandardError {
                operation: *direction,
                figure,
                error: round::error(best.error),
                sections: best.sections as u64,
                section_s: round::seconds((best.length as f64 * piece_s * 1e9) as u64),
                independent: best.independent,
            }));
        }
    }
    errors
}

/// The error of a figure by sections of so many pieces; `None` where a section has too few I/Os for it.
fn sectioned(
    pieces: &[Piece],
    whole: &Piece,
    length: usize,
    direction: Direction,
    figure: Figure,
) -> Option<Section> {
    let of = of_direction(whole, direction);
    let rest = &pieces[pieces.len() % length..];
    let deviations: Option<Vec<f64>> = rest
        .chunks_exact(length)
        .map(|chunk| {
            let section = join(chunk);
            let own = of_direction(&section, direction);
            deviation(&own, &of, whole.seconds / section.seconds, figure, (section.seconds, whole.seconds))
        })
        .collect();
    section_error(&deviations?, length)
}

/// How far a section's figure lies from the whole's. A mean is a ratio: sections with more I/Os weigh more.
fn deviation(own: &Side, whole: &Side, parts: f64, figure: Figure, seconds: (f64, f64)) -> Option<f64> {
    match figure {
        Figure::Iops => Some(own.count as f64 / seconds.0 - whole.count as f64 / seconds.1),
        Figure::Throughput => Some(own.bytes as f64 / seconds.0 - whole.bytes as f64 / seconds.1),
        Figure::Mean => {
            let mean = whole.sum_ns / whole.count as f64;
            (whole.count > 0)
                .then(|| (own.sum_ns - mean * own.count as f64) / (whole.count as f64 / parts) / 1e3)
        }
        figure => {
            let percent = figure.percent()?;
            Some((percentile_ns(own, percent)? - percentile_ns(whole, percent)?) / 1e3)
        }
    }
}

/// A percentile between the bounds of its bin, by its rank among the bin's I/Os: bins are 0.8 % wide, and sections would
/// seem to agree by it. `None` where there are too few I/Os.
fn percentile_ns(side: &Side, percent: f64) -> Option<f64> {
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

fn of_direction(piece: &Piece, direction: Direction) -> Side {
    match direction {
        Direction::Read => piece.sides[0].clone(),
        Direction::Write => piece.sides[1].clone(),
        Direction::All => {
            let mut all = piece.sides[0].clone();
            all.add(&piece.sides[1]);
            all
        }
    }
}

impl Side {
    fn add(&mut self, other: &Side) {
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

/// All pieces together.
fn join(pieces: &[Piece]) -> Piece {
    let mut all = Piece::empty();
    for piece in pieces {
        all.seconds += piece.seconds;
        for (own, more) in all.sides.iter_mut().zip(&piece.sides) {
            own.add(more);
        }
    }
    all
}

impl Piece {
    fn empty() -> Piece {
        let side = || Side { bins: Some(Vec::new()), ..Side::default() };
        Piece { seconds: 0.0, sides: [side(), side()] }
    }
}

/// The counted, whole intervals; neighbours joined where there are many, and the first left out where they do not
/// divide, nearest to the warm-up.
fn pieces(measured: &Measured) -> Vec<Piece> {
    let usable = |interval: &Interval| interval.phase == Phase::Counted && interval.whole;
    let first = measured.series.iter().position(usable).unwrap_or(measured.series.len());
    let count = measured.series[first..].iter().take_while(|interval| usable(interval)).count();
    let each = count.div_ceil(MOST_PIECES).max(1);
    let first = first + count % each;
    (first..first + count / each * each)
        .step_by(each)
        .map(|from| {
            let mut piece = Piece::empty();
            for at in from..from + each {
                let interval = &measured.series[at];
                piece.seconds += interval.length().secs_f64();
                for (side, (tally, op)) in
                    piece.sides.iter_mut().zip([(&interval.read, Op::Read), (&interval.write, Op::Write)])
                {
                    side.count += tally.count;
                    side.bytes += tally.bytes;
                    side.sum_ns += tally.sum_ns as f64;
                    side.count_in(measured.latencies.of(at, op));
                }
            }
            piece
        })
        .collect()
}
