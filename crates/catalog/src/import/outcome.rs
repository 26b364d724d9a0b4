//! Input and result of an import.

use std::collections::BTreeMap;

use iobound_formats::clouds::{Listing, ListingError};

use crate::clouds::names::Cloud;
use crate::error::CatalogError;

/// A file that is imported.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportFile {
    /// Its name, for the source of its figures.
    pub name: String,
    /// Date on which it was printed: `2026-11-22`.
    pub as_of: String,
    /// The region that it is of, where it says none itself (AWS).
    pub region: Option<String>,
    /// Content of the file.
    pub listing: Listing,
}

/// Number of entries that a listing has of a cloud.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    /// VM sizes.
    pub sizes: usize,
    /// Prices.
    pub prices: usize,
}

impl ImportFile {
    /// Number of entries of a cloud.
    pub fn listed(&self, cloud: Cloud) -> Listed {
        (cloud.rules().listed)(&self.listing)
    }

    /// An entry of the file that can't be read.
    pub(crate) fn error(&self, error: &ListingError) -> CatalogError {
        CatalogError::File { file: self.name.clone(), line: 0, why: error.to_string() }
    }
}

/// Result of an import of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// The file's new text.
    pub text: String,
    /// VM sizes that were listed.
    pub sizes: u64,
    /// Prices that were taken.
    pub prices: u64,
    /// New entries, in neither the catalogue nor the file: `Standard_D8s_v7`, `P30 LRS Disk in westeurope`.
    pub added: Vec<String>,
    /// Figures that differ from what there was.
    pub changed: Vec<FigureChange>,
    /// Entries of an earlier list of the same region that this one lacks.
    pub gone: Vec<Gone>,
    /// Sizes that can't be had somewhere.
    pub restricted: Vec<RestrictedSize>,
    /// Entries left out, by the reason.
    pub left_out: BTreeMap<String, u64>,
    /// Notes for the user.
    pub notes: Vec<String>,
}

/// A figure that differs from what there was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureChange {
    /// Name of the entry: `Standard_D8s_v5`, `P30 LRS Disk in westeurope`.
    pub of: String,
    /// The column: `uncached_iops`.
    pub figure: String,
    /// Previous value.
    pub old: String,
    /// New value.
    pub new: String,
    /// The key of the old figure's source.
    pub source: Option<String>,
}

/// Entries that are no longer listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// `Standard_D8s_v5`, `P30 LRS Disk`.
    pub of: String,
    /// Region of the offer.
    pub region: String,
    /// True if it is therefore not offered there.
    pub refused: bool,
}

/// A size that can't be had in a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestrictedSize {
    /// `Standard_D8s_v5`.
    pub name: String,
    /// Region of the restriction.
    pub region: String,
    /// `NotAvailableForSubscription`.
    pub reason: String,
}

/// The reason of a size that a complete list of its region does not have.
pub(crate) const NOT_LISTED: &str = "NotListed";
