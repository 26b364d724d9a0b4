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
    assert_eq!(document["eras"].as_array().unwrap().len(), 7);
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

#[test]
fn a_machine_of_google_is_shown_with_its_limits_by_type_of_disk() {
    let document = json(&line("catalog show n2-standard-8 --json"));
    assert_eq!((&document["kind"], &document["cloud"]), (&"VM size".into(), &"gcp".into()));
    let figures = document["figures"].as_array().unwrap();
    let read = figures.iter().find(|figure| figure["name"] == "pd-ssd max_read_iops").unwrap();
    // The row N2, 8-15 vCPUs, pd-ssd.
    assert_eq!((&read["value"], &read["unit"]), (&"15000".into(), &"IOPS".into()));
    let ran = line("predict --vm n2-standard-8 --disk P30");
    assert!(ran.code == 2 && ran.err.contains("sold by azure"), "{ran:?}");
    let rows = json(&line("catalog vms --cloud gcp --name n2-standard-8 --json"));
    assert!(rows["rows"].as_array().unwrap().iter().any(|row| row["name"] == "N2 8-15"), "{rows}");
    assert_eq!(json(&line("catalog vms --cloud gcp --json"))["count"], 319);
    // A custom machine type has the limits of its vCPUs.
    let custom = json(&line("catalog show n2-custom-16-65536 --json"));
    assert!(custom["figures"].to_string().contains("\"25000\""), "{custom}");
    // C3's limits on Hyperdisk Balanced are in no page that can be read.
    let audit = line("catalog audit --wide").out;
    assert!(audit.contains("limits on hyperdisk-balanced"), "{audit}");
}

#[test]
fn a_figure_without_a_date_says_so_and_is_counted() {
    let document = json(&line("catalog show E16bs_v5 --json"));
    let figures = document["figures"].as_array().unwrap();
    let undated = figures.iter().filter(|figure| figure["source"]["as_of"].is_null()).count();
    assert!(undated > 0);
    assert_eq!(document["figures_without_date"], undated);
    let text = line("catalog show E16bs_v5").out;
    assert!(text.contains(&format!("for {undated} of {} figures", figures.len())), "{text}");
    let overview = json(&line("catalog --json"));
    let sources = overview["sources"].as_array().unwrap();
    let undated = sources.iter().filter(|source| source["as_of"].is_null()).count();
    assert_eq!(overview["sources_without_date"], undated);
}

#[test]
fn an_unpublished_cached_limit_is_an_assumption_with_its_range() {
    let ran = line("predict --vm E16bds_v5 --disk 8xP40:readonly");
    assert_eq!(ran.code, 0, "{}", ran.err);
    let words: Vec<&str> = ran.out.split_whitespace().collect();
    let said = "cached limit of Standard_E16bds_v5 75,000 IOPS, 1,000 MB/s (from 32,000 IOPS, 255 MB/s to 154,000 IOPS";
    assert!(words.join(" ").contains(said), "{}", ran.out);
}

#[test]
fn a_cached_limit_without_similar_sizes_is_refused_with_the_lines_that_give_it() {
    let ran = line("predict --vm D160as_v7 --disk P30:readonly");
    assert_eq!(ran.code, 2);
    assert!(ran.err.contains("leave the cache setting out"), "{}", ran.err);
    // The lines that it says to write are what `--catalog` reads, once they have a figure.
    let lines: Vec<&str> = ran.err.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    let text = lines.join("\n").replacen('…', "16000", 1).replacen('…', "128", 1);
    let path = common::file("cached.toml", &text);
    let words = ["predict", "--vm", "D160as_v7", "--disk", "P30:readonly", "--json", "--catalog", &path];
    let document = json(&common::run(&words));
    assert!(document["limits"].to_string().contains("vm.cached.iops"), "{document}");
}

#[test]
fn a_list_of_prices_keeps_its_prices_and_names_the_unit_of_each() {
    let words = ["catalog", "prices", "--disks", "--region", "westeurope"];
    let narrow = common::ran(common::program().args(words).env("COLUMNS", "80").output().unwrap());
    let title = narrow.out.lines().next().unwrap_or_default();
    assert!(title.contains("unit") && title.contains("USD"), "{title}");
    // 730 hours of a GiB: the price is of a month, and so is its unit.
    let rows = json(&line("catalog prices --disks --region westeurope --name premiumv2 --json"));
    let rows = rows["rows"].as_array().unwrap().clone();
    assert!(
        !rows.is_empty() && rows.iter().all(|row| !row["unit"].as_str().unwrap().contains("Hour")),
        "{rows:?}"
    );
    let names = json(&line("catalog prices --region westeurope --name E8b --json"));
    let mut names: Vec<String> =
        names["rows"].as_array().unwrap().iter().map(|row| row["name"].to_string()).collect();
    let all = names.len();
    names.sort();
    names.dedup();
    assert!(all > 2 && names.len() == all, "{names:?}");
}

#[test]
fn an_empty_list_of_prices_says_what_is_missing() {
    for (words, part) in [
        (
            "catalog prices --region us-east-1 --os windows",
            "no Windows prices of VM sizes are known in us-east-1",
        ),
        ("catalog prices --region af-south-1", "no prices of VM sizes are known in af-south-1"),
        ("catalog prices --region af-south-1", "--disks lists the prices of disks"),
        ("catalog prices --region us-east-1 --name gp3", "whose name contains `gp3`"),
        ("catalog prices --region us-east-1 --name gp3", "--disks lists the prices of disks"),
    ] {
        let ran = line(words);
        assert!(ran.code == 0 && ran.out.contains(part), "{words}: {ran:?}");
    }
}

#[test]
fn an_option_of_a_list_that_chooses_nothing_is_refused() {
    for (words, part) in [
        ("catalog disks --type gp3 --min-iops 5", "gp3 has no tiers"),
        ("catalog disks --type gp3 --era 2016", "gp3 has no tiers"),
        ("catalog prices --region westeurope --disks --os windows", "--os"),
        ("catalog show kafka --era 2016", "--era 2016"),
        ("catalog vms --cloud gcp --min-iops 5", "--min-iops"),
        ("catalog --seed 3", "--seed 3"),
        ("lab --list --seed 3", "--seed 3"),
    ] {
        let ran = line(words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words}: {ran:?}");
        assert!(ran.err.contains(part), "{words}: {ran:?}");
    }
}
