//! A probe's configuration predicts what the same workload does on a fresh start of the probed disk: within 2 %.

#[allow(dead_code, reason = "figures are judged by the tests of the probe")]
#[path = "../../probe/tests/common/hidden.rs"]
mod hidden;

use std::collections::BTreeMap;

use hidden::{Hidden, hidden};
use iobound_app::options::Options;
use iobound_app::predict::{PredictRequest, predict};
use iobound_app::probe::{PreparedProbe, ProbeRequest};
use iobound_app::{Common, Env};
use iobound_probe::{Disk, ModelDisk, Step};
use iobound_report::{Document, predict_document};
use iobound_units::Span;

/// Length of each run.
const TIME: Span = Span::from_secs(15);

/// The saved probe of a disk, with the default budget.
fn saved(hidden: &Hidden, seed: u64) -> String {
    let mut request = ProbeRequest::default();
    request.set("targets", vec!["data".into()]);
    let prepared = PreparedProbe::read(&request, &Common::default(), &Env::default()).expect("it is valid");
    let mut disk = ModelDisk::new(&hidden.blueprint, seed).expect("a valid blueprint");
    let answer = prepared.answer(&mut disk).expect("offers can be looked up");
    answer.configuration().expect("the latency was measured")
}

/// IOPS of random reads on a fresh start of the disk.
fn measured(hidden: &Hidden, block: u32, depth: u32) -> f64 {
    let mut disk = ModelDisk::new(&hidden.blueprint, 99).expect("a valid blueprint");
    let workload = Step::reads(0, block, depth, TIME).workload(disk.targets(), 7);
    disk.run(&workload).expect("the model does not fail").ios.len() as f64 / TIME.secs_f64()
}

/// IOPS that the saved probe predicts for the same run: credits are full at its start, and its cache is empty.
fn predicted(hidden: &Hidden, text: &str, block: u32, depth: u32) -> f64 {
    let mut request = PredictRequest::default();
    let mut set = |key: &str, value: String| request.set(key, vec![value]);
    set("block", format!("{block}B"));
    set("depth", depth.to_string());
    set("threads", "1".into());
    set("duration", TIME.to_string());
    if hidden.burst.is_some() {
        set("at", "0".into());
    }
    if hidden.cache.is_some() {
        set("cache-state", "cold".into());
    }
    let env = Env::default().texts(BTreeMap::from([("probed.toml".to_string(), text.to_string())]));
    let common = Common { config: Some("probed.toml".into()), ..Common::default() };
    let answer = predict(&request, &common, &env).unwrap_or_else(|failure| panic!("{failure:?}: {text}"));
    let document = Document::from(predict_document(&answer.predicted())).into_value();
    document["expected"]["iops"].as_f64().unwrap_or_else(|| panic!("{document:#}"))
}

/// Predictions that are more than 2 % off, of the probe of a hidden disk.
fn missed(seed: u64) -> Vec<String> {
    let hidden = hidden(seed);
    let text = saved(&hidden, seed);
    let mut missed = Vec::new();
    for (block, depth) in [(4_096, 1), (8_192, 32), (65_536, 8), (262_144, 16)] {
        let (real, expected) = (measured(&hidden, block, depth), predicted(&hidden, &text, block, depth));
        if (expected / real - 1.0).abs() > 0.02 {
            missed.push(format!(
                "seed {seed}, {}, {block} B at {depth}: {expected:.1} of {real:.1} ({:+.2} %)\n{text}",
                hidden.kind,
                (expected / real - 1.0) * 100.0
            ));
        }
    }
    missed
}

#[test]
fn a_probed_disk_with_a_cache_is_predicted_within_two_percent() {
    let missed: Vec<String> = CACHES.into_iter().flat_map(missed).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn a_probed_disk_with_credits_is_predicted_within_two_percent() {
    let missed: Vec<String> = CREDITS.into_iter().flat_map(missed).collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

/// Seeds of disks with a cache, and with credits, that have few I/Os a second.
const CACHES: [u64; 2] = [1203, 1208];
const CREDITS: [u64; 2] = [1202, 1207];
