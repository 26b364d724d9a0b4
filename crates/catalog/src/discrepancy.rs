//! How far published figures lie from the model's, by what binds: `band_factors.csv`, which a program computes.

use std::sync::OnceLock;

use iobound_units::Span;

use crate::clouds::names::Cloud;
use crate::data;
use crate::error::CatalogError;
use crate::measured::Regime;
use crate::table::Row;

/// The share of independent measurements that a calibrated band claims to contain.
///
/// 80 % and not 90 %: there are about fourteen independent sources for the best known regime, which can't support more.
pub const COVERAGE: f64 = 0.8;

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

/// The length of a run, warm-up included.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunLength {
    /// Up to 45 s: full buckets at the start and a late stop of the clock weigh more.
    Short,
    /// Longer, or not stated.
    Long,
}

impl RunLength {
    /// Both.
    pub const ALL: [RunLength; 2] = [RunLength::Short, RunLength::Long];

    /// The longest short run.
    pub const SHORT: Span = Span::from_secs(45);

    /// The class of a run.
    pub fn of(run: Span) -> RunLength {
        if run <= RunLength::SHORT { RunLength::Short } else { RunLength::Long }
    }

    /// The word of files and documents.
    pub const fn name(self) -> &'static str {
        match self {
            RunLength::Short => "short",
            RunLength::Long => "long",
        }
    }
}

/// Where the disks of a configuration are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DiskPlace {
    /// Beyond the network: managed disks, EBS volumes.
    Remote,
    /// In the host: temporary and NVMe disks, whose limits are measured and not sold.
    Local,
}

impl DiskPlace {
    /// Both.
    pub const ALL: [DiskPlace; 2] = [DiskPlace::Remote, DiskPlace::Local];

    /// The word of files and documents.
    pub const fn name(self) -> &'static str {
        match self {
            DiskPlace::Remote => "remote",
            DiskPlace::Local => "local",
        }
    }
}

/// The published runs that factors stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BandCell {
    /// What binds.
    pub regime: Regime,
    /// The figure.
    pub figure: BandFigure,
    /// Where the disks are; `None`: everywhere.
    pub place: Option<DiskPlace>,
    /// The cloud; `None`: all clouds together.
    pub cloud: Option<Cloud>,
    /// The length of the runs; `None`: all lengths together.
    pub length: Option<RunLength>,
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

/// The factors of a figure where everything is known of a cell; else those of the cell that says the most: `None` if no published
/// runs give any. The place counts most, then the cloud, then the length.
pub fn discrepancy_of(factors: &[Discrepancy], wanted: &BandCell) -> Option<Discrepancy> {
    let fits = |of: &&Discrepancy| {
        let BandCell { regime, figure, place, cloud, length } = of.of;
        regime == wanted.regime
            && figure == wanted.figure
            && (place.is_none() || place == wanted.place)
            && (cloud.is_none() || cloud == wanted.cloud)
            && (length.is_none() || length == wanted.length)
    };
    let exactness =
        |of: &&Discrepancy| (of.of.place.is_some(), of.of.cloud.is_some(), of.of.length.is_some());
    factors.iter().filter(fits).max_by_key(exactness).copied()
}

const HEADER: &str = "regime,figure,place,cloud,length,low,high,sources,runs";

/// The text of `band_factors.csv`.
pub fn write_discrepancies(factors: &[Discrepancy]) -> String {
    let mut text = format!("{HEADER}\n");
    for Discrepancy { of, low, high, sources, runs } in factors {
        let place = of.place.map_or("", DiskPlace::name);
        let cloud = of.cloud.map_or("", Cloud::name);
        let length = of.length.map_or("", RunLength::name);
        text.push_str(&format!(
            "{},{},{place},{cloud},{length},{low:.4},{high:.4},{sources},{runs}\n",
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
    let named = |name: Option<&str>, column: &str| -> Result<Option<Cloud>, CatalogError> {
        let find = |name: &str| Cloud::ALL.into_iter().find(|cloud| cloud.name() == name);
        name.map(|name| find(name).ok_or_else(|| unknown(column))).transpose()
    };
    let figure = row.required("figure")?;
    let length = row.text("length").map(|name| {
        RunLength::ALL.into_iter().find(|length| length.name() == name).ok_or_else(|| unknown("length"))
    });
    let place = row.text("place").map(|name| {
        DiskPlace::ALL.into_iter().find(|place| place.name() == name).ok_or_else(|| unknown("place"))
    });
    Ok(Discrepancy {
        of: BandCell {
            regime: Regime::of(&row.required("regime")?).ok_or_else(|| unknown("regime"))?,
            figure: BandFigure::ALL
                .into_iter()
                .find(|of| of.name() == figure)
                .ok_or_else(|| unknown("figure"))?,
            place: place.transpose()?,
            cloud: named(row.text("cloud"), "cloud")?,
            length: length.transpose()?,
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

    fn cell(place: Option<DiskPlace>, cloud: Option<Cloud>, length: Option<RunLength>) -> BandCell {
        BandCell { regime: Regime::Limit, figure: BandFigure::Rate, place, cloud, length }
    }

    #[test]
    fn the_most_exact_factors_are_taken() {
        use RunLength::{Long, Short};
        let (azure, aws) = (Some(Cloud::Azure), Some(Cloud::Aws));
        let (remote, local) = (Some(DiskPlace::Remote), Some(DiskPlace::Local));
        let factor = |of: BandCell, high: f64| Discrepancy { of, low: 0.98, high, sources: 9, runs: 40 };
        let factors = [
            factor(cell(None, None, None), 1.01),
            factor(cell(None, azure, Some(Short)), 1.02),
            factor(cell(remote, None, None), 1.03),
            factor(cell(remote, azure, None), 1.04),
        ];
        let high = |of: BandCell| discrepancy_of(&factors, &of).map(|of| of.high);
        assert_eq!(high(cell(remote, azure, Some(Short))), Some(1.04));
        assert_eq!(high(cell(remote, aws, Some(Short))), Some(1.03));
        assert_eq!(high(cell(local, azure, Some(Short))), Some(1.02));
        assert_eq!(high(cell(local, azure, Some(Long))), Some(1.01));
        assert_eq!(high(BandCell { regime: Regime::Depth, ..cell(local, azure, Some(Long)) }), None);
    }

    #[test]
    fn the_shipped_factors_are_what_is_written_of_them() {
        let text = include_str!("../data/band_factors.csv");
        assert_eq!(write_discrepancies(discrepancies()), text);
        assert!(discrepancies().iter().all(|of| of.sources >= 1 && of.runs >= of.sources));
    }

    #[test]
    fn a_run_of_45_seconds_is_short() {
        assert_eq!(RunLength::of(Span::from_secs(45)), RunLength::Short);
        assert_eq!(RunLength::of(Span::from_secs(60)), RunLength::Long);
    }
}
