//! Distance of published figures from the model's, by what binds: `band_factors.csv`, which a program computes.

use std::sync::OnceLock;

use crate::data;
use crate::error::CatalogError;
use crate::measured::Regime;
use crate::table::Row;

/// The share of independent measurements that a calibrated band claims to contain.
///
/// 80 % and not 90 %: there are about fourteen independent sources for the best known regime, which can't support more.
pub const COVERAGE: f64 = 0.8;

/// The share of independent measurements that the factors contain.
///
/// It is larger than what is claimed: with each source left out in turn, the factors of the others then contain 80 % of its
/// measurements. A new source is in that position.
pub const CALIBRATED: f64 = 0.84;

/// The figures that have factors of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BandFigure {
    /// I/Os and bytes a second; the mean latency of a closed loop is their inverse.
    Rate,
    /// Median latency.
    P50,
    /// 99th percentile of latency.
    P99,
}

impl BandFigure {
    /// All of them.
    pub const ALL: [BandFigure; 3] = [BandFigure::Rate, BandFigure::P50, BandFigure::P99];

    /// The word of files and documents.
    pub const fn name(self) -> &'static str {
        match self {
            BandFigure::Rate => "rate",
            BandFigure::P50 => "p50",
            BandFigure::P99 => "p99",
        }
    }
}

/// Number of remote disks that a workload uses. Local disks count as one: they are alike, and none stalls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiskLayout {
    /// At most one remote disk: its limits are enforced to the percent.
    One,
    /// Several remote disks: they differ, and one that stalls holds back a stripe.
    Several,
}

impl DiskLayout {
    /// Both.
    pub const ALL: [DiskLayout; 2] = [DiskLayout::One, DiskLayout::Several];

    /// The layout of so many disks.
    pub fn of(disks: usize) -> DiskLayout {
        if disks > 1 { DiskLayout::Several } else { DiskLayout::One }
    }

    /// The word of files and documents.
    pub const fn name(self) -> &'static str {
        match self {
            DiskLayout::One => "one",
            DiskLayout::Several => "several",
        }
    }
}

/// The published runs that factors stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BandCell {
    /// The regime: what binds.
    pub regime: Regime,
    /// The figure.
    pub figure: BandFigure,
    /// The number of disks; `None`: any.
    pub layout: Option<DiskLayout>,
}

/// By how much the ends of the model's own band are moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Discrepancy {
    /// The runs that it stands for.
    pub of: BandCell,
    /// Multiplies the low end.
    pub low: f64,
    /// Multiplies the high end.
    pub high: f64,
    /// The independent sources of the runs.
    pub sources: u32,
    /// The published runs.
    pub runs: u32,
}

/// The factors that ship with the program.
///
/// # Panics
/// The file that ships with the program can't be read; the catalogue's tests prevent that.
pub fn discrepancies() -> &'static [Discrepancy] {
    static FACTORS: OnceLock<Vec<Discrepancy>> = OnceLock::new();
    FACTORS.get_or_init(|| {
        let rows = data::BAND_FACTORS.table();
        let read: Result<Vec<Discrepancy>, CatalogError> = rows.rows().map(|row| read(&row)).collect();
        read.unwrap_or_else(|error| panic!("{error}"))
    })
}

/// The factors of a figure for this number of disks, else for any: `None` if no published runs give any.
pub fn discrepancy_of(factors: &[Discrepancy], wanted: &BandCell) -> Option<Discrepancy> {
    let fits = |of: &&Discrepancy| {
        let BandCell { regime, figure, layout } = of.of;
        regime == wanted.regime && figure == wanted.figure && (layout.is_none() || layout == wanted.layout)
    };
    factors.iter().filter(fits).max_by_key(|of| of.of.layout.is_some()).copied()
}

const HEADER: &str = "regime,figure,disks,low,high,sources,runs";

/// The text of `band_factors.csv`.
pub fn write_discrepancies(factors: &[Discrepancy]) -> String {
    let mut text = format!("{HEADER}\n");
    for Discrepancy { of, low, high, sources, runs } in factors {
        let layout = of.layout.map_or("", DiskLayout::name);
        text.push_str(&format!(
            "{},{},{layout},{low:.4},{high:.4},{sources},{runs}\n",
            of.regime.name(),
            of.figure.name()
        ));
    }
    text
}

fn read(row: &Row) -> Result<Discrepancy, CatalogError> {
    let unknown = |column: &str| row.error(format!("`{column}` has an unknown word"));
    let factor = |column: &str| -> Result<f64, CatalogError> {
        let micro = row.micro(column)?.filter(|micro| *micro > 0);
        Ok(micro.ok_or_else(|| row.error(format!("`{column}`: write a number above 0")))? as f64 / 1e6)
    };
    let count = |column: &str| -> Result<u32, CatalogError> {
        let count = row.count(column)?.and_then(|count| u32::try_from(count).ok());
        count.ok_or_else(|| row.error(format!("`{column}`: write a whole number")))
    };
    let figure = row.required("figure")?;
    let layout = row.text("disks").map(|name| {
        DiskLayout::ALL.into_iter().find(|layout| layout.name() == name).ok_or_else(|| unknown("disks"))
    });
    Ok(Discrepancy {
        of: BandCell {
            regime: Regime::of(&row.required("regime")?).ok_or_else(|| unknown("regime"))?,
            figure: BandFigure::ALL
                .into_iter()
                .find(|of| of.name() == figure)
                .ok_or_else(|| unknown("figure"))?,
            layout: layout.transpose()?,
        },
        low: factor("low")?,
        high: factor("high")?,
        sources: count("sources")?,
        runs: count("runs")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_exact_factors_are_taken() {
        use DiskLayout::{One, Several};
        let cell = |layout| BandCell { regime: Regime::Limit, figure: BandFigure::Rate, layout };
        let factor = |layout, high| Discrepancy { of: cell(layout), low: 0.98, high, sources: 9, runs: 40 };
        let factors = [factor(None, 1.01), factor(Some(One), 1.02)];
        let high = |of: BandCell| discrepancy_of(&factors, &of).map(|of| of.high);
        assert_eq!(high(cell(Some(One))), Some(1.02));
        assert_eq!(high(cell(Some(Several))), Some(1.01));
        assert_eq!(high(BandCell { regime: Regime::Depth, ..cell(Some(One)) }), None);
    }

    #[test]
    fn the_shipped_factors_are_what_is_written_of_them() {
        let text = include_str!("../data/band_factors.csv");
        assert_eq!(write_discrepancies(discrepancies()), text);
        assert!(discrepancies().iter().all(|of| of.sources >= 1 && of.runs >= of.sources));
    }
}
