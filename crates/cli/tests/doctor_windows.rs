//! `doctor --setup`: a Windows machine, checked from the file that its script printed.
#![allow(clippy::disallowed_methods, reason = "it makes files")]

mod common;

use common::{Ran, json, run};
use serde_json::Value;

fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

fn checked(path: &str, words: &[&str]) -> Ran {
    run(&[&["doctor", "--setup", path], words].concat())
}

fn finding<'a>(document: &'a Value, rule: &str) -> &'a Value {
    let findings = document["findings"].as_array().unwrap();
    let names: Vec<&Value> = findings.iter().map(|finding| &finding["rule"]).collect();
    findings.iter().find(|finding| finding["rule"] == rule).unwrap_or_else(|| panic!("{rule}: {names:?}"))
}

#[test]
fn a_sql_server_of_azure_with_every_usual_mistake_gets_a_finding_for_each() {
    let document = json(&checked(&fixture("windows-sqlvm.json"), &["--json"]));
    assert_eq!(
        (&document["vm"], &document["machine"]["cloud"]["value"]),
        (&"Standard_DS14_v2".into(), &"azure".into())
    );
    let told: Vec<(&str, &str, Option<u64>)> = document["disks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|disk| {
            (disk["device"].as_str().unwrap(), disk["used_for"].as_str().unwrap(), disk["lun"].as_u64())
        })
        .collect();
    assert_eq!(
        told[..3],
        [
            ("PhysicalDrive0", "os", None),
            ("PhysicalDrive1", "local", None),
            // The disks of the pool, which Get-Disk does not list, begin at LUN 0.
            ("PhysicalDrive2", "data", Some(0)),
        ]
    );
    assert_eq!((told.len(), told[13]), (14, ("PhysicalDrive13", "data", Some(11))));
    let volume = &document["volumes"][0];
    assert_eq!(
        (&volume["name"], volume["columns"].as_u64(), volume["interleave_bytes"].as_u64()),
        (&"SQLVMDATA1".into(), Some(8), Some(262_144))
    );
    let mount = &volume["mounts"][0];
    assert_eq!((&mount["point"], mount["allocation_unit_bytes"].as_u64()), (&"F:\\".into(), Some(4_096)));
    // Ten disks, and Server Manager makes no more than eight columns.
    let claim = |rule: &str| finding(&document, rule)["claim"].as_str().unwrap().to_string();
    assert!(claim("fewer-columns").contains("8 columns on 10 disks"), "{}", claim("fewer-columns"));
    assert!(finding(&document, "fewer-columns")["remedy"].as_str().unwrap().contains("-NumberOfColumns 10"));
    // 32,256 bytes is sector 63. The reserved partitions at 17 KiB hold no data, and are no problem.
    assert!(
        claim("stripe-misaligned").starts_with("E: of PhysicalDrive13 starts at"),
        "{}",
        claim("stripe-misaligned")
    );
    assert!(claim("allocation-unit").contains("allocates 4 KiB"), "{}", claim("allocation-unit"));
    assert!(
        claim("write-under-read-cache").contains("PhysicalDrive12"),
        "{}",
        claim("write-under-read-cache")
    );
    assert!(claim("filter-driver").contains("WdFilter"), "{}", claim("filter-driver"));
}

#[test]
fn values_as_windows_powershell_writes_them_are_read() {
    let done = checked(&fixture("windows-one.json"), &["--json"]);
    let document = json(&done);
    assert_eq!((&document["vm"], &document["machine"]["vcpus"]["value"]), (&Value::Null, &"8".into()));
    let disks = document["disks"].as_array().unwrap();
    assert_eq!(
        (disks.len(), disks[1]["lun"].as_u64(), disks[0]["size_bytes"].as_u64()),
        (2, Some(1), Some(1 << 40))
    );
    let volume = &document["volumes"][0];
    assert_eq!((&volume["layout"], &volume["kind"]), (&"mirrored".into(), &"mirror space".into()));
    assert_eq!(volume["mounts"][0]["filesystem"], "NTFS");
    assert!(finding(&document, "redundant-volume")["remedy"].as_str().unwrap().contains("Simple"));
    let notes = document["notes"].to_string();
    assert!(notes.contains("elevated"), "{notes}");
}

#[test]
fn a_file_in_utf_16_gives_the_same_document() {
    let path = fixture("windows-sqlvm.json");
    let text = std::fs::read_to_string(&path).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let wide = folder.path().join("wide.json");
    let bytes = |units: &mut dyn Iterator<Item = u16>| units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>();
    std::fs::write(&wide, bytes(&mut std::iter::once(0xfeff).chain(text.encode_utf16()))).unwrap();
    let marked = folder.path().join("marked.json");
    std::fs::write(&marked, format!("\u{feff}{text}")).unwrap();
    let whole = checked(&path, &["--json"]).out;
    for other in [wide, marked] {
        assert_eq!(checked(other.to_str().unwrap(), &["--json"]).out, whole, "{}", other.display());
    }
}

#[test]
fn the_saved_configuration_is_one_that_other_verbs_read() {
    let folder = tempfile::tempdir().unwrap();
    let saved = folder.path().join("vm.toml");
    let saved = saved.to_str().unwrap();
    let done = checked(&fixture("windows-sqlvm.json"), &["--save", saved]);
    assert_eq!(done.code, 0, "{}", done.err);
    assert!(done.out.contains("8 columns of 256 KiB"), "{}", done.out);
    let document = json(&run(&["predict", "--config", saved, "--json"]));
    assert!(document.to_string().contains("Standard_DS14_v2"), "{document}");
}

#[test]
fn the_script_asks_every_cmdlet_that_the_file_is_read_for() {
    let script = run(&["doctor", "--windows-script"]);
    assert_eq!((script.code, script.err.as_str()), (0, ""));
    for part in [
        "Get-PhysicalDisk",
        "Get-VirtualDisk",
        "Get-StoragePool",
        "Get-Disk",
        "Get-Partition",
        "Get-Volume",
        "fltmc",
        "NumberOfColumns",
        "Interleave",
        "ResiliencySettingName",
        "AllocationUnitSize",
        "Offset",
        "Location",
        "ConvertTo-Json",
    ] {
        assert!(script.out.contains(part), "{part}");
    }
}

#[test]
fn a_file_that_is_no_setup_is_refused_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.json");
    let path = path.to_str().unwrap();
    for (text, why) in [
        ("", "it is not JSON"),
        ("[]", "is not an object"),
        ("{\"Get-Volume\": []}", "it has no disks"),
        ("{\"Get-Disk\": [5]}", "Get-Disk[0]: 5 is not an object"),
        ("{\"Get-Disk\": {\"Number\": -1}}", "Get-Disk[0].Number: -1 is not a whole number"),
        ("{\"Get-Disk\": {\"Number\": 1, \"IsBoot\": \"maybe\"}}", "is not true or false"),
        ("{\"Get-Disk\": {\"Number\": 1}, \"Instance\": {\"x\": 1}}", "Instance: "),
    ] {
        std::fs::write(path, text).unwrap();
        let refused = checked(path, &[]);
        assert_eq!(refused.code, 2, "{text}: {}", refused.err);
        assert!(
            refused.err.contains(why) && refused.err.contains("--windows-script"),
            "{text}: {}",
            refused.err
        );
    }
    let both = checked(&fixture("windows-one.json"), &["--metadata", "off"]);
    assert_eq!(both.code, 2);
    assert!(both.err.contains("leave out --metadata or --setup"), "{}", both.err);
    assert_eq!(checked("missing.json", &[]).code, 2);
    assert_eq!(run(&["doctor", "--windows-script", "--setup", "x"]).code, 2);
}
