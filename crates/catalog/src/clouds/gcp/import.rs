//! `gcloud compute machine-types list` and `disk-types list`.

use std::collections::{BTreeMap, BTreeSet};

use iobound_formats::clouds::Listing;

use super::listing::{DISKS, GcpDisk, GcpMachine, MACHINES};
use super::resource::{Resource, ResourceKind};
use crate::catalog::Catalog;
use crate::clouds::names::{Cloud, DiskType};
use crate::error::CatalogError;
use crate::import::entry::{ImportRow, ImportRows, Section};
use crate::import::outcome::{Import, ImportFile};

/// Number of machine types in a listing.
pub(super) fn sizes(listing: &Listing) -> usize {
    of_kind(listing, &MACHINES).count()
}

fn of_kind<'a>(listing: &'a Listing, kind: &'static ResourceKind) -> impl Iterator<Item = Resource<'a>> {
    Resource::all(listing).filter(|entry| entry.is(kind))
}

/// Adds the machine types of a file, and says what of its disk types the catalogue has otherwise.
pub(super) fn rows(
    file: &ImportFile,
    rows: &mut ImportRows,
    import: &mut Import,
) -> Result<(), CatalogError> {
    for kind in Resource::all(&file.listing).filter_map(Resource::other_kind) {
        *import.left_out.entry(kind.to_string()).or_default() += 1;
    }
    let source = format!("gcloud compute machine-types list, {} [{}]", file.name, file.as_of);
    let mut zones: BTreeMap<(String, String), BTreeSet<String>> = BTreeMap::new();
    for of in of_kind(&file.listing, &MACHINES) {
        let of = GcpMachine::of(of).map_err(|error| file.error(&error))?;
        let mut entry = figures(&of);
        entry.set("source", source.clone());
        if let Some((region, letter)) = of.zone.as_deref().and_then(|zone| zone.rsplit_once('-')) {
            let letters = zones.entry((of.name.clone(), region.to_string())).or_default();
            letters.insert(letter.to_string());
            let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
            entry.list_in(region);
            entry.say_of("zones_in", region, Some(&letters.join("/")));
        }
        if rows.get(Section::Vm(Cloud::Gcp), &entry.key()).is_none() {
            import.sizes += 1;
        }
        rows.put(entry);
    }
    disks(file, import)
}

/// Disk types add no rows: a type that is unknown, or sold in other sizes than the catalogue has, is told.
fn disks(file: &ImportFile, import: &mut Import) -> Result<(), CatalogError> {
    let catalog = Catalog::shipped();
    let mut told = BTreeSet::new();
    for of in of_kind(&file.listing, &DISKS) {
        let of = GcpDisk::of(of).map_err(|error| file.error(&error))?;
        let known = DiskType::from_word(&of.name).filter(|disk| disk.cloud() == Cloud::Gcp);
        let bounds = known.map(|disk| catalog.bounds(disk)).transpose()?.flatten();
        told.extend(match (bounds, of.gib) {
            (Some(bounds), Some(gib)) if bounds.gib != gib => Some(format!(
                "{} is sold with {} to {} GiB by {}, and with {} to {} by the catalogue: give [[rule]] size_min and size_max",
                of.name, gib[0], gib[1], file.name, bounds.gib[0], bounds.gib[1]
            )),
            (None, _) if of.name != "local-ssd" => {
                Some(format!("{} is a disk type that the catalogue does not have", of.name))
            }
            _ => None,
        });
        *import.left_out.entry("disk types, which the catalogue has rules of".into()).or_default() += 1;
    }
    if told.is_empty() && of_kind(&file.listing, &DISKS).next().is_some() {
        told.insert(format!("{}: the catalogue has these disk types with the same sizes", file.name));
    }
    import.notes.extend(told);
    Ok(())
}

fn figures(of: &GcpMachine) -> ImportRow {
    let mut entry = ImportRow::new(Section::Vm(Cloud::Gcp));
    entry.set("machine_type", of.name.clone());
    entry.set_if("vcpus", of.vcpus);
    entry.set_if("memory_mib", of.memory_mib);
    entry.set_if("arch", of.architecture.as_ref().map(|arch| arch.to_ascii_lowercase()));
    entry.set_if("max_disks", of.disks);
    entry.set_if("max_disks_gib", of.disks_gib);
    entry.set_if("burstable", of.shared.filter(|shared| *shared));
    entry.set_if("local_ssds", of.local);
    entry
}
