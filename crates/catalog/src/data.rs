//! The tables that are of no single cloud; `data/README.md` says what their columns mean and how to add a line.

use crate::table::{Csv, csv};

pub(crate) const SOURCES: Csv = csv!("sources.csv");
pub(crate) const ERAS: Csv = csv!("eras.csv");
pub(crate) const RULES: Csv = csv!("rules.csv");
pub(crate) const DISK_RULES: Csv = csv!("disk_rules.csv");
pub(crate) const REGIONS: Csv = csv!("regions.csv");
pub(crate) const SERIES: Csv = csv!("series.csv");
pub(crate) const MEASURED: Csv = csv!("measured.csv");
pub(crate) const BAND_FACTORS: Csv = csv!("band_factors.csv");
