//! What an emulator says of itself, beside docs/definitions.md: its documents, its metrics and the labels of its screens.
#![allow(clippy::disallowed_methods, reason = "it reads the page")]

mod defined;

use std::collections::BTreeSet;

use iobound_catalog::{Catalog, Configuration, parse_spec, resolve};
use iobound_model::Dimension;
use iobound_report::{
    Device, DeviceState, DiskState, EmulatorEnd, EmulatorState, FrontState, HostCacheState, LimitState,
    OpState, Recent, Served, ServedAt, Serving, Style, emulate_end_json, emulate_metrics, emulate_ready_json,
    emulate_screen, emulate_start_text, emulate_state_json, emulate_summary_text,
};
use iobound_units::{Bytes, Span};
use serde_json::Value;

use defined::{Keys, assert_none, cells, entries, keys_of};

/// An emulator in which everything is something.
fn emulated() -> EmulatorState {
    let op = OpState { iops: 1.0, mean_us: Some(1.0), ios: 1, ..OpState::default() };
    let limit = |group: &str, dimension| LimitState {
        group: group.into(),
        instance: (group == "disk").then(|| "data".into()),
        dimension,
        published: 1.0,
        enforced: 1.0,
        used: 1.0,
        used_total: 1,
        held_ms_per_s: 1.0,
        held_total_s: 1.0,
        waiting: 1,
        credits: (group == "disk").then_some((1, 1)),
    };
    let groups = ["disk", "vm.uncached", "vm.cached"];
    let late = Some([1.0; 3]);
    EmulatorState {
        devices: vec![DeviceState {
            name: "data".into(),
            is_volume: true,
            read: op,
            write: op,
            percentiles_us: late,
            ..DeviceState::default()
        }],
        limits: groups.iter().flat_map(|group| Dimension::ALL.map(|of| limit(group, of))).collect(),
        disks: vec![DiskState { name: "data".into(), ..DiskState::default() }],
        caches: vec![HostCacheState::default()],
        fronts: ["nbd", "fuse"]
            .map(|name| FrontState {
                name: name.into(),
                late_us: late,
                late_total_us: late,
                ..FrontState::default()
            })
            .to_vec(),
        faults: vec!["data: latency 5x".into()],
        ..EmulatorState::default()
    }
}

/// Its answer at the start, as text and as a document.
fn emulator_started() -> [String; 2] {
    let mut configuration = Configuration::of("D2s_v3");
    configuration.volumes.push(parse_spec("data=2xP20:readwrite").expect("a disk"));
    let resolved = resolve(&configuration, &Catalog::shipped()).expect("it can be built");
    let device = Device { name: "data".into(), size: Bytes(1 << 30), is_volume: true, disks: 2 };
    let places = [ServedAt::NbdUnix("/a".into()), ServedAt::Fuse("/b".into())];
    let word = || Some("word".to_string());
    let serving = Serving {
        configuration: &configuration,
        resolved: &resolved,
        blueprint: &resolved.blueprint,
        devices: &[device],
        fronts: &places.map(|at| Served { at, cost: Some(Span::from_us(1)) }),
        backing: "memory",
        memory: Some(Bytes(1 << 20)),
        made_up: Some(Span::from_us(1)),
        short: &[("reads of data".into(), Span::from_us(1))],
        cache: word(),
        credits: word(),
        crash: true,
        control: "/c",
        metrics: Some("http://127.0.0.1:9464/metrics"),
        notes: &["note".into()],
    };
    let style = Style { width: Some(100), color: false, ascii: false };
    [emulate_start_text(&serving, style), emulate_ready_json(&serving)]
}

#[test]
fn every_key_of_an_emulator_is_defined_and_nothing_else_is() {
    let end = EmulatorEnd { state: emulated(), because: "ctl stop", lost: Some(vec![("data".into(), 1)]) };
    let lines = [emulator_started()[1].clone(), emulate_state_json(&emulated()), emulate_end_json(&end)];
    let mut keys = Keys::new();
    for line in lines {
        let document: Value = serde_json::from_str(&line).expect("one JSON document");
        keys_of(&document, "", &mut keys);
    }
    // By Azure's names, which are said to be Azure's.
    keys.retain(|key| !key.starts_with("limits[].azure."));
    assert_eq!(&keys, &entries()["iobound.emulate/1"]);
}

#[test]
fn every_metric_of_an_emulator_is_defined() {
    let entries = entries();
    let defined = &entries["Metrics of an emulator"];
    let page = emulate_metrics(&emulated());
    let names = page
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split(['{', ' ']).next().expect("a sample has a name").to_string());
    // Of Azure's, one of each kind stands for both dimensions.
    let undefined = names.filter(|name| !defined.contains(name) && !name.starts_with("azure_vm_")).collect();
    assert_none(undefined, "say in docs/definitions.md what these metrics are");
    let stale = defined.iter().filter(|name| !page.contains(name.as_str())).cloned().collect();
    assert_none(stale, "no page has these metrics: take them out of docs/definitions.md");
}

#[test]
fn every_label_of_an_emulator_is_defined() {
    let entries = entries();
    let labels = &entries["Labels on screens"];
    let style = Style { width: Some(100), color: false, ascii: false };
    let end = EmulatorEnd { state: emulated(), because: "ctl stop", lost: Some(vec![("data".into(), 1)]) };
    let started = emulator_started()[0].clone();
    let start = started.split("\nnbd, as root").next().expect("the page has a beginning");
    let mut recent = Recent::default();
    (1..4).for_each(|second| recent.take("data", Span::from_secs(second), 1.0));
    let screen = emulate_screen(&emulated(), &recent, "Ctrl-C").lines(style, None).join("\n");
    assert!(screen.contains("recent") && screen.contains("binds"), "{screen}");
    let pages = [start.to_string(), screen, emulate_summary_text(&end, style)];
    let mut undefined = BTreeSet::new();
    for line in pages.iter().flat_map(|page| page.lines()) {
        let Some(first) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) else { continue };
        let found = cells(first);
        let is_header = ["limit", "device"].contains(&found[0]);
        let label: String = first.chars().take(10).collect();
        let one = [if labels.contains(found[0]) { found[0] } else { label.trim() }];
        let shown = if is_header { &found[..] } else { &one[..] };
        let of_a_table = found[0] == "data";
        if !of_a_table {
            undefined.extend(
                shown.iter().filter(|label| !labels.contains(**label)).map(|label| label.to_string()),
            );
        }
    }
    assert_none(undefined.into_iter().collect(), "say in docs/definitions.md what these labels mean");
}
