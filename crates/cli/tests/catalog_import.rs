//! `iobound catalog import`: what the clouds' tools print becomes a catalogue file that every verb takes.
#![allow(clippy::disallowed_methods)]

mod common;

use common::{file, json, run};

const SKUS: &str = r#"[
  { "resourceType": "virtualMachines", "name": "Standard_F16als_v6", "locations": ["westeurope"],
    "capabilities": [{ "name": "vCPUs", "value": "16" }],
    "restrictions": [{ "type": "Location", "values": ["westeurope"], "reasonCode": "NotAvailableForSubscription" }] },
  { "resourceType": "virtualMachines", "name": "Standard_D8s_v5", "locations": ["westeurope"],
    "capabilities": [{ "name": "UncachedDiskIOPS", "value": "13000" }], "restrictions": [] }
]"#;

fn fresh(name: &str) -> String {
    let path = file(name, "");
    std::fs::remove_file(&path).unwrap();
    path
}

#[test]
fn without_a_named_file_nothing_is_written() {
    let skus = file("import-skus-0.json", SKUS);
    let document = json(&run(&["catalog", "import", &skus, "--as-of", "2026-11-20", "--json"]));
    assert_eq!(
        (&document["schema"], &document["written"]),
        (&"iobound.catalog-import/1".into(), &false.into())
    );
    assert_eq!(document["files"][0]["as_of"], "2026-11-20");
    let change = document["changed"]
        .as_array()
        .unwrap()
        .iter()
        .find(|change| change["of"] == "Standard_D8s_v5")
        .unwrap();
    // 12,800 in azure_vm_sizes.csv.
    assert_eq!((&change["old"], &change["new"]), (&"12800".into(), &"13000".into()));
    assert!(change["old_source"].is_string());
    assert!(run(&["catalog", "import", &skus]).out.contains("nothing: add --into FILE"));
}

#[test]
fn the_file_that_is_written_is_used_by_every_verb() {
    let (skus, mine) = (file("import-skus-1.json", SKUS), fresh("import-mine-1.toml"));
    let document =
        json(&run(&["catalog", "import", &skus, "--as-of", "2026-11-20", "--into", &mine, "--json"]));
    assert_eq!((&document["into"], &document["written"]), (&mine.as_str().into(), &true.into()));
    let again = json(&run(&["catalog", "import", &skus, "--as-of", "2026-11-20", "--into", &mine, "--json"]));
    assert_eq!(again["written"], false);
    let shown = run(&["catalog", "show", "D8s_v5", "--catalog", &mine]);
    assert!(
        shown.out.lines().any(|line| line.contains("uncached_iops")
            && line.contains("13000")
            && line.contains("2026-11-20")),
        "{}",
        shown.out
    );
    let predicted =
        run(&["predict", "--vm", "D8s_v5", "--disk", "4xP30", "--depth", "256", "--catalog", &mine]);
    assert!(predicted.out.contains("13,000"), "{}", predicted.out);
}

#[test]
fn a_size_that_the_subscription_may_not_have_is_not_planned_with() {
    let (skus, mine) = (file("import-skus-2.json", SKUS), fresh("import-mine-2.toml"));
    json(&run(&["catalog", "import", &skus, "--into", &mine, "--json"]));
    let need =
        ["plan", "--iops", "50000", "--block", "8KiB", "--read", "70%", "--capacity", "4TiB", "--json"];
    let plan = |more: &[&str]| json(&run(&[&need[..], more].concat()));
    let first =
        |plan: &serde_json::Value| plan["candidates"][0]["configuration"]["vm"].as_str().unwrap().to_string();
    assert_eq!(first(&plan(&[])), "Standard_F16als_v6");
    let without = plan(&["--catalog", &mine]);
    let vms = without["candidates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|of| of["configuration"]["vm"].as_str().unwrap());
    assert!(vms.into_iter().all(|vm| vm != "Standard_F16als_v6"));
    let counts = without["refused_counts"].as_array().unwrap();
    assert!(counts.iter().any(|count| count["rule"] == "restricted"), "{counts:?}");
    // Elsewhere nothing is said of it.
    let elsewhere = plan(&["--catalog", &mine, "--region", "eastus"]);
    assert!(
        elsewhere["refused_counts"].as_array().unwrap().iter().all(|count| count["rule"] != "restricted")
    );
}

#[test]
fn old_figures_are_warned_of() {
    let skus = file("import-skus-3.json", SKUS);
    let old = json(&run(&["catalog", "import", &skus, "--as-of", "2024-05-01", "--json"]));
    assert!(old["notes"].to_string().contains("more than a year old"), "{}", old["notes"]);
    let fresh = json(&run(&["catalog", "import", &skus, "--json"]));
    assert!(!fresh["notes"].to_string().contains("more than a year old"), "{}", fresh["notes"]);
}

#[test]
fn a_file_of_another_kind_is_neither_read_nor_written_over() {
    let skus = file("import-skus-4.json", SKUS);
    let letter = file("import-letter.txt", "Dear sir,\n");
    let types = file("import-types-4.json", "{\"InstanceTypes\": [{\"InstanceType\": \"m5.large\"}]}");
    let broken = file("import-broken.json", "[{\"resourceType\": \"virtualMachines\",\n \"name\": }]");
    for (words, part) in [
        (vec!["catalog", "import", &broken], "line 2, column"),
        (vec!["catalog", "import", &letter], "not JSON"),
        (vec!["catalog", "import", "missing.json"], "there is no such file"),
        (vec!["catalog", "import", &skus, "--into", &letter], "not a catalogue file"),
        (vec!["catalog", "import", &skus, "--as-of", "yesterday"], "2026-11-22"),
        (vec!["catalog", "import", &skus, "--as-of", "2999-01-01"], "in the future"),
        (vec!["catalog", "import", &skus, "--region", "eastus"], "these files name their regions"),
        (vec!["catalog", "import", &types, "--complete"], "such as --region us-east-1"),
        (vec!["catalog", "import", &skus, "--seed", "3"], "--seed 3"),
        (vec!["catalog", "import", &skus, "--catalog", &letter], "--into"),
    ] {
        let ran = run(&words);
        assert_eq!((ran.code, ran.out.as_str()), (2, ""), "{words:?}: {ran:?}");
        assert!(ran.err.contains(part), "{words:?}: {}", ran.err);
    }
    assert_eq!(std::fs::read_to_string(&letter).unwrap(), "Dear sir,\n");
}
