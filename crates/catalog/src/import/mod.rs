//! Import of the clouds' own listings into a user's catalogue file: [`merge`].
//!
//! Imported rows are at the top of the file, between two marker lines. Each import replaces them. The user's own rows are
//! below: an import keeps them, and they override imported ones. Nothing is deleted: an entry that a later list no longer
//! has keeps its figure and its date.

pub(crate) mod before;
pub(crate) mod entry;
mod file;
pub(crate) mod outcome;

use std::collections::{BTreeMap, BTreeSet};

use iobound_formats::clouds::{self, Listing, ListingError};

use crate::catalog::Catalog;
use crate::clouds::names::Cloud;
use crate::error::CatalogError;
use crate::source::Source;
use before::Before;
use entry::{ImportRow, ImportRows, Section, is_figure};
use outcome::{FigureChange, Gone, Import, ImportFile, NOT_LISTED};

/// Reads the text of a listing that a cloud's own tools print.
///
/// # Errors
/// Returns an error if the text is no listing, or an entry is unknown.
pub fn read_listing(text: &str) -> Result<Listing, ListingError> {
    let own = Cloud::ALL.into_iter().find_map(|cloud| (cloud.rules().reads)(text));
    own.unwrap_or_else(|| clouds::read(text))
}

/// Merges files into the text of a catalogue file, which may be empty. `name` is that file's name, for messages. With `complete`
/// each list has all that is sold in its regions: what it lacks is not offered there.
///
/// # Errors
/// Returns an error if a figure or a catalogue file cannot be read, or prices are not in US dollars.
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
    let mut before = Before::of(&earlier);
    let mut fresh = ImportRows::default();
    for file in files {
        for cloud in Cloud::ALL {
            (cloud.rules().import)(file, &before, &mut fresh, &mut import)?;
        }
    }
    if fresh.iter().next().is_none() {
        // A list of disk types adds no rows: what of them differs is in a note.
        if !import.notes.is_empty() {
            import.text = existing.to_string();
            return Ok(import);
        }
        let left: Vec<String> =
            import.left_out.iter().map(|(what, count)| format!("{count} {what}")).collect();
        return Err(CatalogError::File {
            file: files.first().map_or(name, |file| file.name.as_str()).to_string(),
            line: 0,
            why: format!("the file adds nothing: it has {}", left.join(", ")),
        });
    }
    if let Some(nameless) = fresh.iter().find(|entry| !entry.is_named()) {
        return Err(CatalogError::File {
            file: files.first().map_or(name, |file| file.name.as_str()).to_string(),
            line: 0,
            why: format!("an entry has no name, or `-`, which stands for none: {}", nameless.title()),
        });
    }
    before.add_prices(&fresh);
    gone(&earlier, &before, &mut fresh, complete, &mut import);
    differences(&before, &fresh, &mut import);
    older(files, &mut import);
    let mine = fresh.iter().filter(|entry| is_own(&own, entry)).count();
    if mine > 0 {
        import.notes.push(format!(
            "{mine} of them have your own figures in {name}, which are kept and override the imported ones"
        ));
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
            "{count} of the changed figures replace figures newer than {newest}: import a newer list if you have one"
        ));
    }
}

/// True if the person wrote a row of their own for it.
fn is_own(own: &Catalog, entry: &ImportRow) -> bool {
    let Section::Vm(cloud) = entry.table else { return false };
    let column = cloud.rules().vm_columns.name;
    let name = entry.text(column).unwrap_or_default();
    own.own_vms(cloud).iter().any(|row| row.text(column).is_some_and(|have| have.eq_ignore_ascii_case(name)))
}

/// Other facts in a list, besides the figures.
const BESIDES: [&str; 4] = ["disk_controllers", "hyperv_generations", "encryption_at_host", "burstable"];

/// New and changed entries.
fn differences(before: &Before, fresh: &ImportRows, import: &mut Import) {
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

/// Entries of earlier lists of the same regions that the new lists lack.
fn gone(earlier: &ImportRows, before: &Before, fresh: &mut ImportRows, complete: bool, import: &mut Import) {
    let mut regions: BTreeMap<Section, BTreeSet<String>> = BTreeMap::new();
    for entry in fresh.iter() {
        regions.entry(entry.table).or_default().extend(entry.regions());
    }
    for (table, regions) in regions {
        for region in &regions {
            let listed: BTreeSet<String> = fresh
                .iter()
                .filter(|entry| entry.table == table && entry.is_in(region))
                .map(ImportRow::key)
                .collect();
            let was = earlier.iter().filter(|entry| entry.table == table && entry.is_in(region));
            let mut missing: BTreeMap<String, ImportRow> = was
                .map(|entry| (entry.key(), entry.clone()))
                .filter(|(key, _)| !listed.contains(key))
                .collect();
            let refused = complete && matches!(table, Section::Vm(_));
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
