//! Conditions on figures: `p99 > +5%`, `iops < 50000`, `surely write.p99 > 5ms`.

use std::fmt;

use iobound_units::{parse_bandwidth, parse_count, parse_iops, parse_span};

use super::comparison::Compared;
use crate::confidence::t_95;
use crate::result::{Direction, Figure, RunResult};

/// Condition under which the comparison counts as failed.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// It only holds where the whole confidence interval of 95 % does.
    pub surely: bool,
    /// Of reads, writes or all.
    pub operation: Direction,
    /// Of which figure.
    pub figure: Figure,
    /// The comparison.
    pub order: Order,
    /// With what.
    pub bound: Bound,
    text: String,
}

/// Side of the bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// More than it.
    Above,
    /// It or more.
    AtLeast,
    /// Less than it.
    Below,
    /// It or less.
    AtMost,
}

/// Bound of a condition.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// A value, in the figure's unit.
    Value(f64),
    /// A difference from the first result, in the figure's unit.
    Difference(f64),
    /// A difference as a share of the first result's figure.
    Share(f64),
}

/// The outcome of a condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Judged {
    /// True if it holds.
    pub holds: bool,
    /// Compared quantity: a value, a difference or a share, as the bound is.
    pub value: f64,
    /// Its interval of 95 %; `None` where no series tells one.
    pub interval: Option<(f64, f64)>,
    /// True if the whole interval lies on that side of the bound on which the value does; `None` without an interval.
    pub significant: Option<bool>,
}

/// Reason why a condition can't be judged, in a sentence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unjudged(pub String);

impl fmt::Display for Unjudged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unjudged {}

impl fmt::Display for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

const SHAPE: &str =
    "write FIGURE < or > VALUE, such as 'p99 > +5%', 'iops < 50000' or 'surely read.p99 > 5ms'";

const ORDERS: [(&str, Order); 4] =
    [(">=", Order::AtLeast), ("<=", Order::AtMost), (">", Order::Above), ("<", Order::Below)];

impl Condition {
    /// Reads `[surely] [read.|write.]FIGURE < or > VALUE`. A value with a sign is a difference from the first result:
    /// `+5%` a share of its figure, `+2ms` in the figure's unit.
    ///
    /// # Errors
    /// Returns an error if the text cannot be read: a sentence with the expected form.
    pub fn parse(text: &str) -> Result<Condition, String> {
        let trimmed = text.trim();
        let (surely, rest) = match trimmed.strip_prefix("surely ") {
            Some(rest) => (true, rest.trim_start()),
            None => (false, trimmed),
        };
        let Some(at) = rest.find(['<', '>', '=', '≥', '≤']) else {
            return Err(format!("`{trimmed}` has no comparison: {SHAPE}"));
        };
        let (name, comparison) = (rest[..at].trim(), &rest[at..]);
        let Some((order, bound)) =
            ORDERS.iter().find_map(|(sign, order)| Some((*order, comparison.strip_prefix(sign)?.trim())))
        else {
            return Err(format!("`{trimmed}`: use <, >, <= or >=: {SHAPE}"));
        };
        let (operation, figure) = measure(name)?;
        let bound = bound_of(figure, bound).map_err(|why| format!("`{trimmed}`: {why}"))?;
        Ok(Condition { surely, operation, figure, order, bound, text: trimmed.to_string() })
    }

    /// True if it is about a difference, and so needs two results.
    pub fn needs_two(&self) -> bool {
        !matches!(self.bound, Bound::Value(_))
    }

    /// Name of the figure for people: `p99 of the reads`.
    fn subject(&self) -> String {
        match self.operation {
            Direction::All => self.figure.name().to_string(),
            Direction::Read => format!("{} of the reads", self.figure.name()),
            Direction::Write => format!("{} of the writes", self.figure.name()),
        }
    }

    /// Judges a result by itself.
    ///
    /// # Errors
    /// Returns an error if the figure is unknown, the condition is about a difference, or `surely` needs an interval
    /// that does not exist.
    pub fn judge(&self, result: &RunResult) -> Result<Judged, Unjudged> {
        let Bound::Value(bound) = self.bound else {
            return Err(Unjudged(format!(
                "the value is a difference, and there is only one result: {SHAPE_OF_ONE}"
            )));
        };
        let value = result.figure(self.operation, self.figure).ok_or_else(|| self.unknown(result, None))?;
        let interval = result.standard_error(self.operation, self.figure).map(|error| {
            let half = t_95(error.sections.saturating_sub(1).max(1) as usize) * error.error;
            (value - half, value + half)
        });
        self.decide(value, interval, bound)
    }

    /// Judges what was compared; `compared` is of this condition's figure. A value is that of the second result.
    ///
    /// # Errors
    /// As [`Condition::judge`]; also for a percentage of zero.
    pub fn judge_compared(
        &self,
        a: &RunResult,
        b: &RunResult,
        compared: Option<&Compared>,
    ) -> Result<Judged, Unjudged> {
        if let Bound::Value(_) = self.bound {
            return self.judge(b);
        }
        let compared = compared.ok_or_else(|| self.unknown(a, Some(b)))?;
        match self.bound {
            Bound::Value(_) => unreachable!("judged by itself above"),
            Bound::Difference(bound) => {
                let interval = compared.bounds.map(|bounds| (bounds.low, bounds.high));
                self.decide(compared.difference(), interval, bound)
            }
            Bound::Share(bound) => {
                let share = compared.relative().ok_or_else(|| {
                    Unjudged(format!(
                        "{} of the first result is 0: a percentage of it is undefined",
                        self.subject()
                    ))
                })?;
                self.decide(share, compared.bounds.and_then(|bounds| bounds.relative), bound)
            }
        }
    }

    fn decide(&self, value: f64, interval: Option<(f64, f64)>, bound: f64) -> Result<Judged, Unjudged> {
        let meets = |value: f64| match self.order {
            Order::Above => value > bound,
            Order::AtLeast => value >= bound,
            Order::Below => value < bound,
            Order::AtMost => value <= bound,
        };
        let significant = interval.map(|(low, high)| meets(low) == meets(high) && meets(low) == meets(value));
        let holds = match (self.surely, significant) {
            (true, None) => {
                return Err(Unjudged(format!(
                    "{} has no confidence interval: leave out `surely`, or run longer",
                    self.subject()
                )));
            }
            (true, Some(significant)) => significant && meets(value),
            (false, _) => meets(value),
        };
        Ok(Judged { holds, value, interval, significant })
    }

    /// Reason why there is no such figure.
    fn unknown(&self, a: &RunResult, b: Option<&RunResult>) -> Unjudged {
        let lacks = |result: &&RunResult| result.figure(self.operation, self.figure).is_none();
        let result = [Some(a), b].into_iter().flatten().find(lacks).unwrap_or(a);
        let ios = result.figures_of(self.operation).and_then(|figures| figures.ios);
        Unjudged(match (ios, self.figure.percent()) {
            (None | Some(0), _) if self.operation != Direction::All => {
                format!("{} is not known: no such I/O completed", self.subject())
            }
            (Some(ios), Some(percent)) => format!(
                "{} is not known: {ios} I/Os are too few (about {:.0} needed, so that ten are above it); run longer",
                self.subject(),
                10.0 / (1.0 - percent / 100.0)
            ),
            _ => format!("{} is not known", self.subject()),
        })
    }
}

const SHAPE_OF_ONE: &str = "write a value without a sign, such as 'iops < 50000' or 'p99 > 5ms'";

/// `p99`, `read.p99`.
fn measure(name: &str) -> Result<(Direction, Figure), String> {
    let lower = name.to_ascii_lowercase();
    let (operation, figure) = match lower.split_once('.') {
        Some(("read" | "reads", figure)) => (Direction::Read, figure),
        Some(("write" | "writes", figure)) => (Direction::Write, figure),
        _ => (Direction::All, lower.as_str()),
    };
    let known = Figure::ALL.into_iter().find(|known| {
        let by_key = known.key() == figure || known.key().strip_suffix("_us") == Some(figure);
        known.name() == figure || by_key || (figure == "latency" && *known == Figure::Mean)
    });
    let names = || Figure::ALL.map(Figure::name).join(", ");
    match known {
        Some(figure) => Ok((operation, figure)),
        None if name.is_empty() => Err(format!("no figure is named: {SHAPE}")),
        None => Err(format!(
            "unknown figure `{name}`: the figures are {}, of all I/Os or of one direction (read.p99)",
            names()
        )),
    }
}

/// The value behind the comparison.
fn bound_of(figure: Figure, text: &str) -> Result<Bound, String> {
    let text = text.replace('−', "-");
    let (sign, amount) = match text.strip_prefix('+') {
        Some(rest) => (Some(1.0), rest.trim_start()),
        None => match text.strip_prefix('-') {
            Some(rest) => (Some(-1.0), rest.trim_start()),
            None => (None, text.as_str()),
        },
    };
    if let Some(percent) = amount.strip_suffix('%') {
        let percent = percent.trim_end();
        let plain = !percent.is_empty() && percent.chars().all(|c| c.is_ascii_digit() || c == '.');
        let Some(share) = percent.parse::<f64>().ok().filter(|_| plain) else {
            return Err(format!("`{text}` is not a percentage: write +5%"));
        };
        return match sign {
            Some(sign) => Ok(Bound::Share(sign * share / 100.0)),
            None => Err(format!(
                "a percentage needs a sign: +{share}% is above the first result, -{share}% below"
            )),
        };
    }
    let value = value_of(figure, amount)?;
    Ok(sign.map_or(Bound::Value(value), |sign| Bound::Difference(sign * value)))
}

/// A value in the figure's unit.
fn value_of(figure: Figure, text: &str) -> Result<f64, String> {
    let said = |error: iobound_units::ParseError| error.to_string();
    match figure {
        Figure::Iops => Ok(parse_iops(text).map_err(said)?.get() as f64),
        Figure::Throughput => Ok(parse_bandwidth(text).map_err(said)?.get() as f64),
        Figure::Errors => Ok(parse_count(text).map_err(said)? as f64),
        _ => Ok(parse_span(text).map_err(said)?.us_f64()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::{Figures, Source, StandardError};

    #[test]
    fn a_signed_value_is_a_difference_and_another_is_a_value() {
        for (text, figure, order, bound) in [
            ("p99 > +5%", Figure::P99, Order::Above, Bound::Share(0.05)),
            ("iops < -2.5 %", Figure::Iops, Order::Below, Bound::Share(-0.025)),
            ("iops<50000", Figure::Iops, Order::Below, Bound::Value(50_000.0)),
            ("throughput <= 200MB/s", Figure::Throughput, Order::AtMost, Bound::Value(2e8)),
            ("p99.9 >= 5ms", Figure::P999, Order::AtLeast, Bound::Value(5_000.0)),
            ("mean > +100us", Figure::Mean, Order::Above, Bound::Difference(100.0)),
            ("errors > 0", Figure::Errors, Order::Above, Bound::Value(0.0)),
        ] {
            let read = Condition::parse(text).unwrap();
            assert_eq!(
                (read.operation, read.figure, read.order, read.bound),
                (Direction::All, figure, order, bound)
            );
            assert_eq!((read.to_string().as_str(), read.surely), (text, false));
        }
        let read = Condition::parse(" surely Write.P99 > 5ms ").unwrap();
        assert_eq!((read.surely, read.operation, read.figure), (true, Direction::Write, Figure::P99));
    }

    #[test]
    fn what_can_not_be_read_is_told_with_what_was_expected() {
        for (text, part) in [
            ("", "has no comparison"),
            ("p99", "has no comparison"),
            ("p99 = 5ms", "use <, >"),
            ("p98 > 5ms", "the figures are iops"),
            ("> 5ms", "no figure is named"),
            ("p99 > 5%", "a percentage needs a sign"),
            ("p99 > +x%", "not a percentage"),
            ("p99 > 5", "write the unit"),
            ("iops < 50q", "50000iops"),
            ("throughput < 200", "a unit is missing"),
            ("iops < ", "I/Os per second"),
        ] {
            let error = Condition::parse(text).unwrap_err();
            assert!(error.contains(part), "{text}: {error}");
        }
    }

    fn result(iops: f64, error: Option<f64>) -> RunResult {
        let mut result = RunResult::new(Source::Measured);
        result.total = Figures { iops: Some(iops), ios: Some(100), ..Figures::default() };
        result.standard_errors = error
            .map(|error| StandardError {
                operation: Direction::All,
                figure: Figure::Iops,
                error,
                sections: 10,
                section_s: 1.0,
                independent: true,
            })
            .into_iter()
            .collect();
        result
    }

    #[test]
    fn the_value_decides_and_the_interval_says_whether_it_is_chance() {
        // t of 9 degrees of freedom is 2.262: 49,000 ± 2,262 reaches to 51,262.
        let judged =
            Condition::parse("iops < 50000").unwrap().judge(&result(49_000.0, Some(1_000.0))).unwrap();
        assert_eq!((judged.holds, judged.significant), (true, Some(false)));
        let judged =
            Condition::parse("surely iops < 50000").unwrap().judge(&result(49_000.0, Some(1_000.0))).unwrap();
        assert!(!judged.holds);
        let judged =
            Condition::parse("surely iops < 50000").unwrap().judge(&result(40_000.0, Some(1_000.0))).unwrap();
        assert_eq!((judged.holds, judged.significant), (true, Some(true)));
    }

    #[test]
    fn what_can_not_be_judged_is_no_pass() {
        let says = |text: &str, result: &RunResult| {
            Condition::parse(text).unwrap().judge(result).unwrap_err().to_string()
        };
        assert!(says("p99 > 5ms", &result(1.0, None)).contains("100 I/Os are too few"));
        assert!(says("surely iops < 5", &result(1.0, None)).contains("no confidence interval"));
        assert!(says("iops < -5%", &result(1.0, None)).contains("one result"));
        assert!(says("read.p99 > 5ms", &result(1.0, None)).contains("no such I/O completed"));
    }
}
