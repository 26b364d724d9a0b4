//! Whatever the catalogue lists can be shown, each figure with its source and its date or the word that there is none.

use iobound_catalog::{Catalog, Cloud, DiskType, Era};
use iobound_report::{Document, Style, entry_document, entry_text};
use serde_json::Value;

const WIDE: Style = Style { width: None, color: false, ascii: false };

/// Every name that a list of the catalogue has.
fn names(catalog: &Catalog) -> Vec<String> {
    let sizes = catalog.vms().unwrap();
    let tiers = catalog.tiers().unwrap();
    let machines = Cloud::ALL.into_iter().flat_map(|cloud| (cloud.rules().machine_limits)("").unwrap());
    let mut names: Vec<String> = sizes.iter().map(|vm| vm.full_name()).collect();
    names.extend(tiers.into_iter().filter(|tier| tier.era == Era::current()).map(|tier| tier.name));
    names.extend(DiskType::ALL.iter().map(|disk| disk.word().to_string()));
    names.extend(machines.map(|limit| limit.machine));
    names.sort();
    names.dedup();
    names
}

#[test]
fn every_listed_entry_can_be_shown_with_source_and_date() {
    let catalog = Catalog::shipped();
    let names = names(&catalog);
    // 1,595 rows of Azure's, 1,373 of AWS's.
    assert!(names.len() > 2_950, "{}", names.len());
    for name in names {
        let entry = catalog.entry(&name, Era::current()).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(!entry.figures.is_empty(), "{name}");
        let document: Value = serde_json::from_str(&Document::from(entry_document(&entry)).text()).unwrap();
        let figures = document["figures"].as_array().unwrap();
        assert_eq!(figures.len(), entry.figures.len(), "{name}");
        let mut undated = 0;
        for figure in figures {
            let source = &figure["source"];
            assert!(source["title"].as_str().is_some_and(|title| !title.is_empty()), "{name} {figure}");
            // A date, or null: never an absent key, an empty text or a word in its place.
            match source.as_object().unwrap().get("as_of").unwrap() {
                Value::Null => undated += 1,
                Value::String(date) => assert!(date.starts_with("20") && date.len() >= 4, "{name} {figure}"),
                other => panic!("{name}: {other}"),
            }
        }
        assert_eq!(document["figures_without_date"], undated, "{name}");
        assert_eq!(entry_text(&entry, WIDE).contains("date not stated"), undated > 0, "{name}");
    }
}

#[test]
fn every_size_and_tier_can_be_shown_as_of_every_era_that_it_is_listed_in() {
    let catalog = Catalog::shipped();
    for tier in catalog.tiers().unwrap() {
        let entry = catalog.entry(&tier.name, tier.era).unwrap();
        assert_eq!((entry.era, entry.figures.is_empty()), (tier.era, false), "{}", tier.name);
    }
    let oldest = Era::list().next().unwrap();
    for vm in catalog.vms().unwrap().iter().step_by(7) {
        let entry = catalog.entry(&vm.full_name(), oldest).unwrap();
        // Figures of another time than asked for are said to be.
        assert!(entry.era == oldest || !entry.notes.is_empty(), "{}", vm.name);
    }
}
