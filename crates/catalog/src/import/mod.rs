//! What the clouds' own tools list, merged into a person's catalogue file: [`merge`].
//!
//! What was imported stands between two lines of the file, at its top, and is replaced from import to import; what the
//! person wrote stands below, is kept as it is, and wins. Nothing is deleted: what a later list no longer has keeps its
//! figure and its date.

mod aws;
mod azure_prices;
mod azure_sizes;
mod before;
mod entry;
mod file;

use std::collections::{BTreeMap, BTreeSet};

use iobound_formats::clouds::Listing;

use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::source::Source;
use before::Before;
pub(crate) use entry::by_region;
use entry::{Entries, Entry, Table};

/// A file that is imported.
#[derive(Clone, Debug, PartialEq)]
pub struct ImportFile {
    /// Its name, for the source of its figures.
    pub name: String,
    /// When it was printed: `2026-11-22`.
    pub as_of: String,
    /// The region that it is of, where it says none itself (AWS).
    pub region: Option<String>,
    /// What is in it.
    pub listing: Listing,
}

/// What an import makes of a file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Import {
    /// The file's new text.
    pub text: String,
    /// VM sizes that were listed.
    pub sizes: u64,
    /// Prices that were taken.
    pub prices: u64,
    /// What neither the catalogue nor the file had: `Standard_D8s_v7`, `P30 LRS Disk in westeurope`.
    pub added: Vec<String>,
    /// Figures that differ from what there was.
    pub changed: Vec<FigureChange>,
    /// What an earlier list of the same region had and this one has not.
    pub gone: Vec<Gone>,
    /// Sizes that can't be had somewhere.
    pub restricted: Vec<RestrictedSize>,
    /// What was left out, by the reason.
    pub left_out: BTreeMap<String, u64>,
    /// What the person should know.
    pub notes: Vec<String>,
}

/// A figure that differs from what there was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FigureChange {
    /// Whose: `Standard_D8s_v5`, `P30 LRS Disk in westeurope`.
    pub of: String,
    /// The column: `uncached_iops`.
    pub figure: String,
    /// What there was.
    pub old: String,
    /// What is there now.
    pub new: String,
    /// The key of the old figure's source.
    pub source: Option<String>,
}

/// What is no longer listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gone {
    /// `Standard_D8s_v5`, `P30 LRS Disk`.
    pub of: String,
    /// Where.
    pub region: String,
    /// Whether it is therefore not offered there.
    pub refused: bool,
}

/// A size that can't be had in a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestrictedSize {
    /// `Standard_D8s_v5`.
    pub name: String,
    /// Where.
    pub region: String,
    /// `NotAvailableForSubscription`.
    pub reason: String,
}

/// The reason of a size that a complete list of its region does not have.
const NOT_LISTED: &str = "NotListed";

/// Merges files into the text of a catalogue file, which may be empty. `name` is that file's name, for messages. With `complete`
/// each list has all that is sold in its regions: what it lacks is not offered there.
///
/// # Errors
/// A figure that can't be read, prices in another currency than US dollars, a catalogue file that can't be read.
pub fn merge(
    name: &str,
    existing: &str,
    files: &[ImportFile],
    complete: bool,
) -> Result<Import, CatalogError> {
    let parts = file::Parts::of(name, existing)?;
    let earlier = parts.imported;
    let own = Catalog::shipped();
    let own = if parts.own.trim().is_empty() { own } else { own.with_user(name, &parts.own)? };
    let mut import = Import::default();
    let before = Before::of(&earlier);
    let mut fresh = Entries::default();
    for file in files {
        azure_sizes::rows(file, &before, &mut fresh, &mut import)?;
        azure_prices::rows(file, &mut fresh, &mut import)?;
        aws::rows(file, &mut fresh, &mut import)?;
    }
    if fresh.iter().next().is_none() {
        let left: Vec<String> =
            import.left_out.iter().map(|(what, count)| format!("{count} {what}")).collect();
        return Err(CatalogError::File {
            file: files.first().map_or(name, |file| file.name.as_str()).to_string(),
            line: 0,
            why: format!("nothing of it is taken: it has {}", left.join(", ")),
        });
    }
    if let Some(nameless) = fresh.iter().find(|entry| !entry.is_named()) {
        return Err(CatalogError::File {
            file: files.first().map_or(name, |file| file.name.as_str()).to_string(),
            line: 0,
            why: format!("an entry has no name, or `-`, which stands for none: {}", nameless.title()),
        });
    }
    gone(&earlier, &before, &mut fresh, complete, &mut import);
    differences(&before, &fresh, &mut import);
    older(files, &mut import);
    let mine = fresh.iter().filter(|entry| is_own(&own, entry)).count();
    if mine > 0 {
        import.notes.push(format!("{mine} of them have figures of your own in {name}, which stay and win"));
    }
    let mut all = earlier;
    for entry in fresh.into_iter() {
        all.put(entry);
    }
    import.text = file::text(&all, &parts.own);
    // What is written is what every verb reads: a defect shows here and not there.
    Catalog::shipped().with_user(name, &import.text)?;
    import.added.sort();
    import.restricted.sort_by(|one, other| (&one.name, &one.region).cmp(&(&other.name, &other.region)));
    Ok(import)
}

/// Says where figures replace those of a later date.
fn older(files: &[ImportFile], import: &mut Import) {
    let Some(newest) = files.iter().map(|file| file.as_of.as_str()).max() else { return };
    let later = |change: &&FigureChange| {
        let was = change.source.as_deref().and_then(|key| Source::of(key).as_of);
        was.is_some_and(|was| was.as_str() > newest)
    };
    let count = import.changed.iter().filter(later).count();
    if count > 0 {
        import.notes.push(format!(
            "{count} of the changed figures replace ones of a later date than {newest}: is there a newer list?"
        ));
    }
}

/// Whether the person wrote a row of their own for it.
fn is_own(own: &Catalog, entry: &Entry) -> bool {
    let (rows, column) = match entry.table {
        Table::AzureVm => (&own.azure_vms, "name"),
        Table::AwsVm => (&own.aws_vms, "instance_type"),
        Table::VmPrice | Table::DiskPrice => return false,
    };
    let name = entry.text(column).unwrap_or_default();
    rows.iter().any(|row| row.text(column).is_some_and(|have| have.eq_ignore_ascii_case(name)))
}

/// Figures of an entry that are no figure: where it is listed, and who says so.
fn is_figure(column: &str) -> bool {
    !column.ends_with("source") && !column.ends_with("_in")
}

/// What a list says beside the figures.
const BESIDES: [&str; 4] = ["disk_controllers", "hyperv_generations", "encryption_at_host", "burstable"];

/// What is new, and what differs.
fn differences(before: &Before, fresh: &Entries, import: &mut Import) {
    for entry in fresh.iter() {
        let Some(old) = before.get(entry) else {
            // A size of which only its absence is known is none that was added.
            if entry.cells().any(|(column, _)| is_figure(column) && !entry.is_key(column)) {
                import.added.push(entry.title());
            }
            continue;
        };
        for (column, new) in entry.cells().filter(|(column, _)| is_figure(column) && !entry.is_key(column)) {
            let was = old.text(column);
            // What no shipped table has a column for is no change of a figure, the first time.
            if was.map_or(BESIDES.contains(&column), |was| entry::is_same(was, new)) {
                continue;
            }
            import.changed.push(FigureChange {
                of: entry.title(),
                figure: column.to_string(),
                old: was.unwrap_or("unknown").to_string(),
                new: new.to_string(),
                source: was.and_then(|_| old.source(column)),
            });
        }
    }
}

/// What earlier lists had of the regions that these lists are of, and these have not.
fn gone(earlier: &Entries, before: &Before, fresh: &mut Entries, complete: bool, import: &mut Import) {
    let mut regions: BTreeMap<Table, BTreeSet<String>> = BTreeMap::new();
    for entry in fresh.iter() {
        regions.entry(entry.table).or_default().extend(entry.regions());
    }
    for (table, regions) in regions {
        for region in &regions {
            let listed: BTreeSet<String> = fresh
                .iter()
                .filter(|entry| entry.table == table && entry.is_in(region))
                .map(Entry::key)
                .collect();
            let was = earlier.iter().filter(|entry| entry.table == table && entry.is_in(region));
            let mut missing: BTreeMap<String, Entry> = was
                .map(|entry| (entry.key(), entry.clone()))
                .filter(|(key, _)| !listed.contains(key))
                .collect();
            let refused = complete && matches!(table, Table::AzureVm | Table::AwsVm);
            if refused {
                let of_table = before.names(table).filter(|entry| !listed.contains(&entry.key()));
                missing.extend(of_table.map(|entry| (entry.key(), entry)));
            }
            for (_, entry) in missing {
                import.gone.push(Gone { of: entry.title(), region: region.clone(), refused });
                if refused {
                    fresh.restrict(&entry, region, NOT_LISTED);
                }
            }
        }
    }
}
