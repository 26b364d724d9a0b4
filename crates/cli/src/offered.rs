//! Names that a shell completes for a flag: VM sizes, disks, presets, kept runs.

mod scripts;

use std::collections::BTreeSet;

use clap::ValueEnum;
use iobound_catalog::{Catalog, CatalogError, DiskType, Era};
use iobound_results::Query;
use iobound_workload::preset_names;

use iobound_app::results::Place;

pub(crate) use scripts::script;

/// Number of the newest runs that are offered: a screenful.
const MOST_RUNS: u64 = 40;

/// Kind of name of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Kind {
    /// A VM size.
    Vm,
    /// A disk as `--disk` takes it.
    Disk,
    /// A workload of a real system.
    Preset,
    /// A run that is kept.
    Run,
    /// An era of the catalogue.
    Era,
    /// A region with prices.
    Region,
}

/// The flags that take which names, whatever the verb.
const FLAGS: [(&str, Kind); 10] = [
    ("vm", Kind::Vm),
    ("keep-vm", Kind::Vm),
    ("disk", Kind::Disk),
    ("os-disk", Kind::Disk),
    ("keep-disks", Kind::Disk),
    ("preset", Kind::Preset),
    ("result", Kind::Run),
    ("calibrate", Kind::Run),
    ("era", Kind::Era),
    ("region", Kind::Region),
];

impl Kind {
    /// Its word in the scripts.
    fn word(self) -> &'static str {
        match self {
            Kind::Vm => "vm",
            Kind::Disk => "disk",
            Kind::Preset => "preset",
            Kind::Run => "run",
            Kind::Era => "era",
            Kind::Region => "region",
        }
    }
}

/// VM sizes that begin with this text, in any case: `DS14`, and `Standard_DS14` if the user writes it out.
///
/// # Errors
/// Returns an error if a row of the catalogue cannot be read.
pub(crate) fn vms(catalog: &Catalog, typed: &str) -> Result<Vec<String>, CatalogError> {
    let typed = typed.to_ascii_lowercase();
    let names: BTreeSet<String> = catalog.vms()?.iter().map(iobound_catalog::VmSize::full_name).collect();
    let found = names.iter().filter_map(|name| {
        let short = name.strip_prefix("Standard_").unwrap_or(name);
        let begins = |name: &str| name.to_ascii_lowercase().starts_with(&typed);
        if begins(short) { Some(short) } else { Some(name.as_str()).filter(|name| begins(name)) }
    });
    Ok(found.map(str::to_string).collect())
}

/// Completions of a disk: tiers for `log=4xP3`, host caches for `4xP30:`.
///
/// # Errors
/// Returns an error if a row of the catalogue cannot be read.
pub(crate) fn disks(catalog: &Catalog, typed: &str) -> Result<Vec<String>, CatalogError> {
    let (kept, rest) = match typed.rfind('=') {
        Some(at) => typed.split_at(at + 1),
        None => ("", typed),
    };
    if let Some((disk, cache)) = rest.rsplit_once(':') {
        let caches = ["none", "readonly", "readwrite"].into_iter().filter(|word| word.starts_with(cache));
        return Ok(caches.map(|word| format!("{kept}{disk}:{word}")).collect());
    }
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let times = rest[digits..].starts_with(['x', 'X']) && digits > 0;
    let (count, what) = rest.split_at(if times { digits + 1 } else { 0 });
    let what = what.to_ascii_lowercase();
    let mut seen = BTreeSet::new();
    let tiers = catalog.tiers()?.into_iter().map(|tier| tier.name);
    // A disk that has no tiers is bought by its size.
    let types = DiskType::ALL.into_iter().map(|of| format!("{}@", of.word()));
    let begins = |name: &String| name.to_ascii_lowercase().starts_with(&what);
    let found = tiers.chain(types).filter(begins).filter(|name| seen.insert(name.clone()));
    Ok(found.map(|name| format!("{kept}{count}{name}")).collect())
}

/// Presets that begin so.
pub(crate) fn presets(typed: &str) -> Vec<String> {
    preset_names().filter(|name| name.starts_with(typed)).map(str::to_string).collect()
}

/// Eras that begin so, the newest first.
pub(crate) fn eras(typed: &str) -> Vec<String> {
    let names = Era::list().rev().map(|era| era.facts().name.clone());
    names.filter(|name| name.starts_with(typed)).collect()
}

/// Regions with prices, the last of a list: `westeurope,us-e`.
pub(crate) fn regions(catalog: &Catalog, typed: &str) -> Vec<String> {
    let (before, last) = typed.split_at(typed.rfind(',').map_or(0, |comma| comma + 1));
    let found = catalog.regions().into_iter().filter(|region| region.starts_with(last));
    found.map(|region| format!("{before}{region}")).collect()
}

/// The newest kept runs that begin with this text, each with its description after a tabulator. A store that does not
/// exist or cannot be read offers none: completion has no place for an error.
pub(crate) fn runs(place: &Place, typed: &str) -> Vec<String> {
    let Ok(store) = place.to_read() else { return Vec::new() };
    let Ok(rows) = store.list(&Query { limit: Some(MOST_RUNS), ..Query::default() }) else {
        return Vec::new();
    };
    let found = rows.iter().filter(|row| row.id.to_string().starts_with(typed));
    found
        .map(|row| {
            let at = row.at.get(..16).unwrap_or(&row.at).replace('T', " ");
            let iops = row.iops.map_or(String::new(), |iops| format!(", {iops:.0} IOPS"));
            let what = format!("{at}, {} {}{iops}", row.verb, row.target.as_deref().unwrap_or_default());
            // A name may hold anything; a line is a run.
            format!("{}\t{}", row.id, what.replace(char::is_control, " "))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_is_offered_by_its_short_name_whatever_the_case() {
        let catalog = Catalog::shipped();
        let short = vms(&catalog, "ds14").unwrap();
        assert!(short.contains(&"DS14".to_string()) && short.contains(&"DS14_v2".to_string()), "{short:?}");
        assert!(short.iter().all(|name| name.starts_with("DS14")), "{short:?}");
        assert_eq!(vms(&catalog, "standard_DS14_v2").unwrap()[0], "Standard_DS14_v2");
        assert!(vms(&catalog, "m5.l").unwrap().contains(&"m5.large".to_string()));
        assert!(vms(&catalog, "nothing").unwrap().is_empty());
    }

    #[test]
    fn a_disk_goes_on_from_what_is_there() {
        let catalog = Catalog::shipped();
        let of = |typed: &str| disks(&catalog, typed).unwrap();
        // In the catalogue's order, which has P3 of a later year.
        assert_eq!(of("P3"), ["P30", "P3"]);
        assert_eq!(of("log=4xp30"), ["log=4xP30"]);
        assert_eq!(of("10xP30:read"), ["10xP30:readonly", "10xP30:readwrite"]);
        assert_eq!(of("2xgp3"), ["2xgp3@"]);
        assert!(of("").contains(&"premiumv2@".to_string()));
        // Digits alone are not a count.
        assert!(of("10").is_empty());
    }

    #[test]
    fn a_region_goes_on_after_a_comma() {
        let catalog = Catalog::shipped();
        assert!(regions(&catalog, "west").contains(&"westeurope".to_string()));
        assert_eq!(regions(&catalog, "westeurope,us-east-1"), ["westeurope,us-east-1"]);
    }

    #[test]
    fn presets_are_those_of_the_catalogue() {
        assert_eq!(presets("").len(), preset_names().count());
        assert!(presets("sqlserver-o").contains(&"sqlserver-oltp".to_string()));
    }
}
