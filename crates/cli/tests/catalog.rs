//! `iobound catalog`: what there is, and who says so.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{json, line};

#[test]
fn the_overview_counts_what_there_is() {
    let document = json(&line("catalog --json"));
    assert_eq!((&document["schema"], &document["kind"]), (&"iobound.catalog/1".into(), &"overview".into()));
    // The rows of azure_vm_sizes.csv; 631 of them without uncached limits or with one of two.
    assert!(document["azure"]["vm_sizes"].as_u64().unwrap() > 1_500);
    assert!(document["azure"]["limits_known"].as_u64() < document["azure"]["vm_sizes"].as_u64());
    assert_eq!(document["eras"].as_array().unwrap().len(), 4);
    assert!(document["as_of"].is_string());
    assert!(line("catalog").out.contains("iobound catalog vms"));
}

#[test]
fn sizes_are_filtered_by_their_figures() {
    let document = json(&line("catalog vms --cloud azure --premium --min-iops 50000 --vcpus 8-16 --json"));
    let rows = document["rows"].as_array().unwrap();
    assert_eq!(document["count"].as_u64(), Some(rows.len() as u64));
    assert!(rows.iter().any(|row| row["name"] == "Standard_DS14_v2"));
    for row in rows {
        assert!(row["uncached_iops"].as_u64().unwrap() >= 50_000 && row["premium"] == true, "{row}");
        assert!((8..=16).contains(&row["vcpus"].as_u64().unwrap()), "{row}");
    }
}

#[test]
fn what_is_unknown_is_printed_as_unknown() {
    let all = line("catalog vms --name E192ids_v6");
    assert!(all.out.contains("unknown"), "{}", all.out);
    assert!(line("catalog vms --name E192ids_v6 --csv").out.contains(",unknown,"));
    let entry = line("catalog show Standard_E192ids_v6");
    assert!(
        entry.out.lines().any(|line| line.contains("uncached_mbps") && line.contains("unknown")),
        "{}",
        entry.out
    );
    let document = json(&line("catalog show Standard_E192ids_v6 --json"));
    assert!(document["unknown"].as_array().unwrap().contains(&"uncached_mbps".into()));
}

#[test]
fn an_entry_has_every_figure_with_its_source_and_date() {
    for name in ["DS14", "P30", "m5.large", "gp3", "premiumv2"] {
        let document = json(&line(&format!("catalog show {name} --json")));
        let figures = document["figures"].as_array().unwrap();
        assert!(figures.len() > 5, "{name}");
        assert!(figures.iter().all(|figure| figure["source"]["title"].is_string()), "{name}");
    }
    let text = line("catalog show P30").out;
    assert!(text.contains("5000") && text.contains("sources"), "{text}");
    // Of its own era, as the documentation of February 2017 has it.
    let text = line("catalog show DS14 --era 2016").out;
    assert!(
        text.lines()
            .any(|line| line.contains("max_data_disks") && line.contains(" 32 ") && line.contains("2017-02")),
        "{text}"
    );
}

#[test]
fn disks_are_listed_by_era_and_type() {
    let rows = |words: &str| {
        json(&line(&format!("catalog disks {words} --json")))["rows"].as_array().unwrap().clone()
    };
    let premium = rows("--type premium");
    assert!(
        premium.iter().any(|row| row["name"] == "P80")
            && premium.iter().all(|row| row["type"] == "Premium SSD")
    );
    // P10, P20 and P30 were all there was.
    assert_eq!(rows("--type premium --era 2016").len(), 3);
    assert!(rows("--min-iops 16000").iter().all(|row| row["iops"].as_u64() >= Some(16_000)));
}

#[test]
fn prices_are_of_a_region_and_a_date() {
    let regions = json(&line("catalog prices --json"));
    assert!(regions["rows"].as_array().unwrap().iter().any(|row| row["region"] == "westeurope"));
    let sizes = json(&line("catalog prices --region westeurope --name Standard_DS14_v2 --json"));
    let row = &sizes["rows"][0];
    assert!(row["usd_per_month"].as_f64() > Some(100.0) && row["as_of"].is_string(), "{row}");
    let disks = json(&line("catalog prices --region westeurope --disks --name P30 --json"));
    assert!(
        disks["rows"].as_array().unwrap().iter().any(|row| row["name"] == "P30" && row["meter"] == "Disk")
    );
}

#[test]
fn presets_have_their_source() {
    let document = json(&line("catalog presets --json"));
    let rows = document["rows"].as_array().unwrap();
    assert!(rows.len() >= 20);
    assert!(rows.iter().all(|row| row["source"].as_str().is_some_and(|source| source.len() > 10)));
    let text = line("catalog show sqlserver-oltp").out;
    assert!(text.contains("VM Fleet") && text.contains("[[job]]"), "{text}");
}

#[test]
fn a_table_of_values_has_its_keys_first() {
    let text = line("catalog disks --type premium --csv").out;
    let mut lines = text.lines();
    assert_eq!(lines.next().unwrap().split(',').next(), Some("name"));
    let columns = text.lines().next().unwrap().split(',').count();
    assert!(lines.all(|line| line.split(',').count() == columns), "{text}");
}
