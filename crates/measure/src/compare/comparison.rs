//! Two results, figure by figure.

use super::difference::{Bounds, Means};
use crate::confidence::{LEAST_SECTIONS, Section, section_error};
use crate::result::{Direction, Figure, PhaseLabel, Point, RunResult, StandardError};

/// The share of intervals that hold the true difference.
pub const LEVEL: f64 = 0.95;

/// Beyond this probability, both sides together, an interval ends.
const TAIL: f64 = 0.05;

/// Shown figures of all I/Os.
pub const SHOWN: [Figure; 7] =
    [Figure::Iops, Figure::Throughput, Figure::Mean, Figure::P50, Figure::P90, Figure::P99, Figure::P999];

/// And of each direction, where both were used.
const OF_A_DIRECTION: [Figure; 3] = [Figure::Iops, Figure::Mean, Figure::P99];

/// The width of a bin of a percentile, as a share of it: three significant digits, 2,048 bins to a doubling.
const RESOLUTION: f64 = 1.0 / 1_024.0;

/// Relation of two results: independent or paired.
#[derive(Clone, Copy, Debug)]
pub enum Pairing<'a> {
    /// Each stands for itself.
    Independent,
    /// They took turns: the results of each round.
    Rounds(&'a [(RunResult, RunResult)]),
}

/// A figure of both.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Of reads, writes or all.
    pub operation: Direction,
    /// Figure that is compared.
    pub figure: Figure,
    /// Its value in a, in its unit.
    pub a: f64,
    /// Its value in b.
    pub b: f64,
    /// The confidence interval of the difference: 95 % for the figure alone, in a [`Comparison`] for all figures together.
    /// `None` where no series tells how the figure scatters.
    pub bounds: Option<Bounds>,
    /// True if the difference is more than chance at 95 % over all figures of the comparison together; `None` without bounds.
    pub differs: Option<bool>,
    /// A difference of this share of a would have been told from none.
    pub seen_from: Option<f64>,
    /// True if what the bounds are made of looks independent; where not, they may be too narrow.
    pub independent: bool,
}

/// The outcome of the comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// At least one figure differs by more than chance.
    Differs,
    /// None does.
    NoDifference,
    /// No figure has an interval.
    NotKnown,
}

/// Two results, figure by figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    /// Figures that both have.
    pub figures: Vec<Compared>,
    /// The outcome.
    pub verdict: Verdict,
}

impl Compared {
    /// b − a, in the figure's unit.
    pub fn difference(&self) -> f64 {
        self.b - self.a
    }

    /// b ÷ a − 1; `None` where a is zero.
    pub fn relative(&self) -> Option<f64> {
        (self.a != 0.0).then(|| self.b / self.a - 1.0)
    }

    /// One figure of two results, with its interval of 95 %; `None` where one of them has none.
    pub fn of(
        a: &RunResult,
        b: &RunResult,
        pairing: Pairing<'_>,
        operation: Direction,
        figure: Figure,
    ) -> Option<Compared> {
        let values = (a.figure(operation, figure)?, b.figure(operation, figure)?);
        let found = means(a, b, pairing, operation, figure, values);
        Some(Compared {
            operation,
            figure,
            a: values.0,
            b: values.1,
            bounds: found.map(|(means, _)| means.bounds(TAIL)),
            differs: None,
            seen_from: None,
            independent: found.is_none_or(|(_, independent)| independent),
        })
    }
}

impl Comparison {
    /// Compares all figures that both have.
    pub fn of(a: &RunResult, b: &RunResult, pairing: Pairing<'_>) -> Comparison {
        let both = |direction| {
            let did = |result: &RunResult| {
                result.figures_of(direction).is_some_and(|figures| figures.ios.is_none_or(|ios| ios > 0))
            };
            did(a) && did(b)
        };
        let mut asked: Vec<(Direction, Figure)> = SHOWN.map(|figure| (Direction::All, figure)).to_vec();
        if both(Direction::Read) && both(Direction::Write) {
            let parts = [Direction::Read, Direction::Write];
            asked.extend(parts.iter().flat_map(|of| OF_A_DIRECTION.map(|figure| (*of, figure))));
        }
        let mut figures: Vec<(Compared, Option<Means>)> = asked
            .into_iter()
            .filter_map(|(operation, figure)| {
                let compared = Compared::of(a, b, pairing, operation, figure)?;
                let found = means(a, b, pairing, operation, figure, (compared.a, compared.b));
                Some((compared, found.map(|(means, _)| means)))
            })
            .collect();
        // Bonferroni's: of so many figures of equals, with 95 % not one is beyond its share of the chance.
        let family = figures.iter().filter(|(_, means)| means.is_some()).count().max(1);
        for (compared, means) in &mut figures {
            let Some(means) = means else { continue };
            let tail = TAIL / family as f64;
            let half = means.half_width(tail);
            // The same interval decides, so that a figure differs exactly where its interval leaves 0 out.
            compared.bounds = Some(means.bounds(tail));
            compared.differs = Some(compared.difference().abs() > half);
            compared.seen_from = (compared.a > 0.0).then(|| half / compared.a);
        }
        let judged: Vec<bool> = figures.iter().filter_map(|(compared, _)| compared.differs).collect();
        let verdict = match judged.as_slice() {
            [] => Verdict::NotKnown,
            some if some.contains(&true) => Verdict::Differs,
            _ => Verdict::NoDifference,
        };
        Comparison { figures: figures.into_iter().map(|(compared, _)| compared).collect(), verdict }
    }
}

/// Both values with their errors, and whether these are made of what looks independent.
fn means(
    a: &RunResult,
    b: &RunResult,
    pairing: Pairing<'_>,
    operation: Direction,
    figure: Figure,
    values: (f64, f64),
) -> Option<(Means, bool)> {
    let (mut means, independent) = match pairing {
        Pairing::Independent => {
            let (of_a, of_b) = (error_of(a, operation, figure)?, error_of(b, operation, figure)?);
            let sections = (of_a.sections, of_b.sections);
            let means = Means::independent(values.0, values.1, (of_a.error, of_b.error), sections);
            (means, of_a.independent && of_b.independent)
        }
        Pairing::Rounds(rounds) => {
            if !Figure::WITH_ERROR.contains(&figure) {
                return None;
            }
            let rounds: Option<Vec<(f64, f64)>> = rounds
                .iter()
                .map(|(a, b)| Some((a.figure(operation, figure)?, b.figure(operation, figure)?)))
                .collect();
            (Means::paired(values.0, values.1, &rounds?)?, true)
        }
    };
    if figure.percent().is_some() {
        // A percentile is known to a bin: uniform over its width.
        let of = |value: f64| value * RESOLUTION * value * RESOLUTION / 12.0;
        means.of_a += of(values.0);
        means.of_b += of(values.1);
    }
    Some((means, independent))
}

/// Confidence in a figure of a result: as the result says, else from its series, as far as that goes.
fn error_of(result: &RunResult, operation: Direction, figure: Figure) -> Option<StandardError> {
    if !result.standard_errors.is_empty() {
        return result.standard_error(operation, figure).copied();
    }
    let usable = |point: &&Point| point.phase == PhaseLabel::Counted && !point.cut_short;
    let value = |point: &Point| match (operation, figure) {
        (Direction::All, Figure::Iops) => Some(point.iops),
        (Direction::All, Figure::Throughput) => point.throughput_bytes_per_s,
        (Direction::Read, Figure::Iops) => point.read.as_ref().map(|read| read.iops),
        (Direction::Write, Figure::Iops) => point.write.as_ref().map(|write| write.iops),
        _ => None,
    };
    let points: Vec<&Point> = result.series.iter().filter(usable).collect();
    let values: Vec<f64> = points.iter().map(|point| value(point)).collect::<Option<_>>()?;
    let length_s = points.first().map(|point| point.end_s - point.start_s)?;
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    (1..=values.len() / LEAST_SECTIONS)
        .filter_map(|length| {
            let rest = &values[values.len() % length..];
            let deviations: Vec<f64> = rest
                .chunks_exact(length)
                .map(|chunk| chunk.iter().sum::<f64>() / length as f64 - mean)
                .collect();
            section_error(&deviations, length)
        })
        .fold(None, |best: Option<Section>, next| match best {
            Some(best) if best.independent => Some(best),
            _ => Some(next),
        })
        .map(|section| StandardError {
            operation,
            figure,
            error: section.error,
            sections: section.sections as u64,
            section_s: section.length as f64 * length_s,
            independent: section.independent,
        })
}
