//! No printed figure without a definition: every key of every document, and every label of the screens, has an entry
//! in docs/definitions.md, and no entry there stands for nothing.
#![allow(clippy::disallowed_methods, reason = "it reads the page")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use iobound_catalog::{Catalog, Configuration, parse_spec, resolve};
use iobound_drive::Flow;
use iobound_measure::RunResult;
use iobound_measure::result::Source;
use iobound_predict::{Age, CacheState, Effort, Question, simulate};
use iobound_units::{Percent, Rate, Span};
use iobound_workload::{Arrivals, Job, Load, Workload};
use serde_json::Value;

type Keys = BTreeSet<String>;

/// Commands that show everything there is. A new verb gets its own here.
const COMMANDS: [&str; 19] = [
    "predict --vm D2s_v3 --disk P20:readwrite --random --read 70% --find-knee --size 10GiB",
    "predict --vm D2s_v3 --disk P20 --at 0",
    "predict --vm DS14 --disk 10xP30 --published iops=19882",
    "predict --vm m5.large --disk gp3@500GiB --rate 900iops --arrivals poisson",
    "predict --vm DS14 --disk data=2xP30 --disk log=P20 --preset sqlserver-oltp --wide",
    "predict --vm DS14_v2 --disk 3xP30:readonly --separate --block 32KiB --size 1GiB --wide",
    "predict --vm DS14 --disk P30 --show-config",
    "lab --only E6,E7,E10-DS2,E14-ro",
    "lab --only E6,E7,E10-DS2,E14-ro --wide",
    "lab --list",
    "catalog",
    "catalog vms --premium --min-iops 50000",
    "catalog disks --type premium",
    "catalog vms --cloud gcp",
    "catalog prices --region westeurope --name D8",
    "catalog presets",
    "catalog show DS14 --era 2016",
    "catalog show P30",
    "catalog show sqlserver-oltp",
];

fn run(command: &str, json: bool) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_iobound"));
    program
        .args(command.split(' '))
        .args(json.then_some("--json"))
        .env("COLUMNS", "100")
        .env("NO_COLOR", "1");
    let output = program.output().expect("the program runs");
    assert!(output.status.success(), "iobound {command}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the program speaks UTF-8")
}

/// The paths of all keys below a value: `gates[].held_us`.
fn keys_of(value: &Value, path: &str, keys: &mut Keys) {
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                let path = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                keys_of(value, &path, keys);
                keys.insert(path);
            }
        }
        Value::Array(values) => {
            for value in values {
                keys_of(value, &format!("{path}[]"), keys);
            }
        }
        _ => {}
    }
}

/// The entries of the page: what stands in backquotes in the first cell of a row, by the schema in the heading above.
fn entries() -> BTreeMap<String, Keys> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/definitions.md");
    let text = std::fs::read_to_string(page).expect("the page is there");
    let mut entries: BTreeMap<String, Keys> = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines() {
        let quoted =
            |text: &str| text.split('`').skip(1).step_by(2).map(str::to_string).collect::<Vec<String>>();
        if line.starts_with("## ") || line.starts_with("`iobound ") {
            section = quoted(line).pop().unwrap_or_else(|| line.trim_start_matches("## ").to_string());
        } else if let Some(row) = line.strip_prefix("| `") {
            let first = format!("`{}", row.split(" | ").next().unwrap_or_default());
            entries.entry(section.clone()).or_default().extend(quoted(&first));
        }
    }
    entries
}

/// The keys of the documents that the program prints, by schema.
fn documents() -> BTreeMap<String, Keys> {
    let mut documents: BTreeMap<String, Keys> = BTreeMap::new();
    for command in COMMANDS {
        let document: Value = serde_json::from_str(&run(command, true)).expect("one JSON document");
        let schema = document["schema"].as_str().expect("a document has a schema").to_string();
        keys_of(&document, "", documents.entry(schema).or_default());
    }
    documents
}

#[track_caller]
fn assert_none(wrong: Vec<String>, mend: &str) {
    assert!(wrong.is_empty(), "{mend}:\n  {}", wrong.join("\n  "));
}

/// Keys that repeat those of another entry: a run of the lab has those of a prediction, a stage too, real runs those of
/// the simulated one.
fn plain(schema: &str, key: &str) -> String {
    let same = [("runs[].real_time", "runs[].simulated"), ("runs[].measured", "runs[].simulated")];
    for (other, own) in same {
        if let Some(rest) = key.strip_prefix(other).filter(|rest| rest.starts_with('.')) {
            return format!("{own}{rest}");
        }
    }
    match schema {
        "iobound.predict/1" => key.strip_prefix("stages[].").unwrap_or(key).to_string(),
        _ => key.to_string(),
    }
}

#[test]
fn every_key_of_every_document_is_defined_and_nothing_else_is() {
    let (entries, documents) = (entries(), documents());
    let none = Keys::new();
    let predict = entries.get("iobound.predict/1").unwrap_or(&none);
    let (mut undefined, mut unused) = (Vec::new(), Vec::new());
    for (schema, keys) in &documents {
        let own = entries.get(schema).unwrap_or(&none);
        for key in keys.iter().map(|key| plain(schema, key)) {
            let of_a_prediction = schema == "iobound.lab/1"
                && key.strip_prefix("runs[].").is_some_and(|key| predict.contains(key));
            if !own.contains(&key) && !of_a_prediction {
                undefined.push(format!("{schema}: {key}"));
            }
        }
        // What only an interrupted or a staged run has is not shown by these commands.
        let rare = ["stages"];
        let stale = own.iter().filter(|key| !keys.contains(*key) && !rare.contains(&key.as_str()));
        unused.extend(stale.map(|key| format!("{schema}: {key}")));
    }
    assert_none(undefined, "say in docs/definitions.md what these are");
    assert_none(unused, "no document has these keys: take them out of docs/definitions.md");
}

/// A simulated run with everything that a result can hold of one.
fn result() -> RunResult {
    let catalog = Catalog::shipped();
    let mut configuration = Configuration::of("DS14");
    configuration.volumes.push(parse_spec("data=2xP30").expect("a disk"));
    let resolved = resolve(&configuration, &catalog).expect("it can be built");
    let mut open = Job::new("open");
    let rate = Rate::Ios { count: 3_000, per: Span::from_secs(1) };
    open.load = Load::Open { rate, arrivals: Arrivals::Poisson, depth: 64 };
    let mut mixed = Job::new("mixed");
    mixed.load = Load::Closed { depth: 8, cap: None };
    mixed.set_mix(4096, Percent::whole(50).expect("a share"));
    mixed.flush_every = Some(10);
    let mut workload = Workload::new(vec![open, mixed], Span::from_ms(30_500));
    workload.warmup = Span::from_secs(1);
    let question =
        Question { resolved: &resolved, workload: &workload, cache: CacheState::Warm, age: Age::Sustained };
    let simulated =
        simulate(&question, &resolved.blueprint, Effort::Full, &mut |_| Flow::Continue).expect("it runs");
    let mut result = RunResult::from_measured(&simulated.measured, Source::Simulated);
    result.attach_histograms(&simulated.measured);
    result
}

#[test]
fn every_key_of_a_result_is_defined() {
    let mut keys = Keys::new();
    keys_of(&serde_json::to_value(result()).expect("a result is JSON"), "", &mut keys);
    let entries = entries();
    let own = &entries["iobound.result/1"];
    let mut undefined = Vec::new();
    for key in &keys {
        if !is_of_a_result(key, own) {
            undefined.push(key.clone());
        }
    }
    assert_none(undefined, "say in docs/definitions.md what these are");
}

/// Parts of a result have the keys of the whole, operations those of all I/Os, service times those of latencies.
fn is_of_a_result(key: &str, own: &Keys) -> bool {
    if own.contains(key) || key.contains(".histograms.") {
        return true;
    }
    let parts = ["jobs[].", "threads[].", "targets[].", "cells[].", "read.", "write.", "flush.", "discard."];
    let shorter = parts.iter().find_map(|part| key.strip_prefix(part));
    let alike = [("service_us.", "latency_us."), ("series[].write.", "series[].read.")];
    let renamed = alike.iter().find_map(|(other, same)| Some(format!("{same}{}", key.strip_prefix(other)?)));
    shorter.is_some_and(|key| is_of_a_result(key, own))
        || renamed.is_some_and(|key| is_of_a_result(&key, own))
}

/// The cells of a line: what two spaces or more part.
fn cells(line: &str) -> Vec<&str> {
    line.split("  ").map(str::trim).filter(|cell| !cell.is_empty()).collect()
}

#[test]
fn every_label_of_a_screen_is_defined() {
    let entries = entries();
    let labels = &entries["Labels on screens"];
    let mut undefined = BTreeSet::new();
    for command in
        COMMANDS.iter().filter(|command| command.starts_with("predict") && !command.contains("show-config"))
    {
        for line in run(command, false).lines() {
            let Some(first) = line.strip_prefix("  ").filter(|rest| !rest.starts_with(' ')) else { continue };
            if first.starts_with(|c: char| c.is_ascii_digit()) {
                continue;
            }
            let cells = cells(first);
            let is_header = ["limit", "outstanding"].contains(&cells[0]);
            let shown = if is_header { &cells[..] } else { &cells[..1] };
            undefined.extend(
                shown.iter().filter(|label| !labels.contains(**label)).map(|label| label.to_string()),
            );
        }
    }
    for command in COMMANDS.iter().filter(|command| command.starts_with("lab --only")) {
        let screen = run(command, false);
        let header = screen.lines().find(|line| line.starts_with("row ")).expect("the table has a header");
        let words =
            |cell: &&str| cell.split(' ').any(|word| !labels.contains(word)) && !labels.contains(*cell);
        undefined.extend(cells(header).into_iter().filter(words).map(str::to_string));
    }
    assert_none(undefined.into_iter().collect(), "say in docs/definitions.md what these labels mean");
}
