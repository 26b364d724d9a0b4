//! `catalog import`: `iobound.catalog-import/1`.

use schemars::JsonSchema;
use serde::Serialize;

use crate::contract::{Contract, Version};

/// The changes that an import makes to a catalogue file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportDocument {
    /// Name and version of the document. The version changes when a key changes its meaning.
    pub schema: Version<ImportDocument>,
    /// Files that were read.
    pub files: Vec<ImportFile>,
    /// VM sizes that were imported.
    #[schemars(extend("x-unit" = "sizes"))]
    pub sizes: u64,
    /// Prices that were imported: list prices on demand, in US dollars.
    #[schemars(extend("x-unit" = "prices"))]
    pub prices: u64,
    /// VM sizes and prices that neither the catalogue nor the file had.
    pub added: Vec<String>,
    /// Figures that differ from the catalogue and the file.
    pub changed: Vec<ImportChange>,
    /// Entries that an earlier list of the region had and this list does not have.
    pub gone: Vec<ImportGone>,
    /// VM sizes that are not offered in a region. No plan uses them there.
    pub restricted: Vec<ImportRestricted>,
    /// Entries that were not imported, by kind.
    pub left_out: Vec<ImportLeftOut>,
    /// Catalogue file that was named (`--into`); otherwise `null`.
    pub into: Option<String>,
    /// True if the file was written. It is not written if nothing changed, or if no file was named.
    pub written: bool,
    /// Other facts to know.
    pub notes: Vec<String>,
}

impl Contract for ImportDocument {
    const ID: &'static str = "iobound.catalog-import/1";
}

/// A file that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportFile {
    /// Name of the file.
    pub name: String,
    /// Date of its figures: `--as-of`, otherwise the day of the file.
    pub as_of: String,
    /// Entries that are VM sizes.
    #[schemars(extend("x-unit" = "entries"))]
    pub sizes: u64,
    /// Entries that are prices.
    #[schemars(extend("x-unit" = "entries"))]
    pub prices: u64,
    /// True if `as_of` is the day of the file, because no other date was given.
    #[serde(skip)]
    pub is_own_date: bool,
}

/// A figure that changed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportChange {
    /// VM size or price.
    pub of: String,
    /// Column of the catalogue.
    pub figure: String,
    /// Value before, in the unit of the column; `unknown` if there was none.
    pub old: String,
    /// Value after, in the unit of the column.
    pub new: String,
    /// Key of the source of the old value; `null` if unknown.
    pub old_source: Option<String>,
    /// Date of the old value; `null` if unknown.
    pub old_as_of: Option<String>,
}

/// An entry that is not in the list any more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportGone {
    /// VM size or price.
    pub of: String,
    /// Region of the list.
    pub region: String,
    /// True if the entry still counts as offered, with its older date. With `--complete` it does not.
    pub offered: bool,
}

/// A VM size that is not offered in a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportRestricted {
    /// Name of the VM size.
    pub name: String,
    /// The region.
    pub region: String,
    /// Reason, in the words of the seller.
    pub reason: String,
}

/// Entries that were not imported.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ImportLeftOut {
    /// Kind of entry.
    pub what: String,
    /// Entries of this kind.
    #[schemars(extend("x-unit" = "entries"))]
    pub entries: u64,
}
