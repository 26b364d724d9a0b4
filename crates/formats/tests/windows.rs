//! The setup of a Windows machine, as PowerShell writes it.

use iobound_formats::windows::{COLLECT, parse_windows_setup};
use proptest::prelude::*;
use serde_json::{Value, json};

/// The parts that the script prints.
fn parts() -> Vec<&'static str> {
    let named = |line: &'static str| line.trim().strip_prefix('\'')?.split_once("' = ").map(|(name, _)| name);
    COLLECT.lines().filter_map(named).collect()
}

#[test]
fn every_part_that_the_script_prints_is_known() {
    let parts = parts();
    assert_eq!(parts.len(), 9, "{parts:?}");
    let mut document: serde_json::Map<String, Value> =
        parts.iter().map(|name| ((*name).to_string(), Value::Null)).collect();
    document.insert("Get-Disk".to_string(), json!({ "Number": 0 }));
    assert!(parse_windows_setup(&Value::Object(document).to_string()).unwrap().unknown.is_empty());
    let other = parse_windows_setup(r#"{"disks": {"Number": 0}, "Get-Tape": []}"#).unwrap();
    assert_eq!((other.disks.len(), other.unknown), (1, vec!["Get-Tape".to_string()]));
}

#[test]
fn a_filters_altitude_says_what_it_is_in_any_language() {
    // Allocated altitudes: MsSecFlt 385600 is an activity monitor; WdFilter 328010 scans for viruses.
    let lines = "\r\nFiltername      Anzahl Instanzen    Höhe    Frame\r\n-----  ---  ---  --\r\n\
                 WdFilter  6  328010  0\r\nMsSecFlt  5  385600  0\r\nan av  1  329998.99  0\r\nold  <Legacy>\r\n";
    let text = json!({ "Get-Disk": { "Number": 0 }, "fltmc": lines }).to_string();
    let filters = parse_windows_setup(&text).unwrap().filters.unwrap();
    let scanners: Vec<&str> =
        filters.iter().filter(|filter| filter.is_antivirus()).map(|filter| filter.name.as_str()).collect();
    assert_eq!((filters.len(), scanners), (3, vec!["WdFilter", "an av"]));
    let denied = json!({ "Get-Disk": { "Number": 0 }, "fltmc": "Access is denied." }).to_string();
    assert_eq!(parse_windows_setup(&denied).unwrap().filters, None);
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        prop_oneof![
            Just("Simple".to_string()),
            Just("F".to_string()),
            Just("LUN 99999999999".to_string()),
            "\\PC{0,8}"
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        let keys = prop_oneof![
            Just("Number"),
            Just("DeviceId"),
            Just("Size"),
            Just("DriveLetter"),
            Just("AccessPaths"),
            Just("PhysicalDisks"),
            Just("value"),
            Just("Count"),
            Just("Offset"),
            Just("DiskNumber"),
        ];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys, inner), 0..5).prop_map(|pairs| {
                Value::Object(pairs.into_iter().map(|(key, value)| (key.to_string(), value)).collect())
            }),
        ]
    })
}

proptest! {
    #[test]
    fn no_document_is_a_panic(values in prop::collection::vec(any_value(), 9), text in "\\PC{0,40}") {
        let document: serde_json::Map<String, Value> =
            parts().into_iter().zip(values).map(|(name, value)| (name.to_string(), value)).collect();
        for text in [Value::Object(document).to_string(), text] {
            if let Err(error) = parse_windows_setup(&text) {
                prop_assert!(!error.to_string().is_empty());
            }
        }
    }
}
