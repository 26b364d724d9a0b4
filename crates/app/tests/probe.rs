//! A probe's configuration predicts what the probed disk does.

use std::collections::BTreeMap;

use iobound_app::options::Options;
use iobound_app::predict::{PredictRequest, predict};
use iobound_app::probe::{PreparedProbe, ProbeRequest};
use iobound_app::{Common, Env};
use iobound_catalog::{Catalog, Configuration, parse_spec, resolve};
use iobound_model::Blueprint;
use iobound_probe::{Disk, ModelDisk, Step};
use iobound_report::{Document, Names, html_page, predict_document, probe_document};
use iobound_units::Span;

/// A P30 alone on a VM that does not limit it.
fn p30() -> Blueprint {
    let mut configuration = Configuration::of("Standard_D64s_v3");
    configuration.volumes = vec![parse_spec("P30").expect("a tier")];
    resolve(&configuration, &Catalog::shipped()).expect("the catalogue has both").blueprint
}

fn probed(budget: &str) -> (iobound_app::probe::ProbeAnswer, String) {
    let mut request = ProbeRequest::default();
    request.set("targets", vec!["data".into()]);
    request.set("budget", vec![budget.into()]);
    let prepared = PreparedProbe::read(&request, &Common::default(), &Env::default()).expect("it is valid");
    let mut disk = ModelDisk::new(&p30(), 1).expect("a valid blueprint");
    let answer = prepared.answer(&mut disk).expect("offers can be looked up");
    let configuration = answer.configuration().expect("the latency was measured");
    (answer, configuration)
}

#[test]
fn the_saved_configuration_predicts_the_probed_disk_within_two_percent() {
    let (_, text) = probed("2min");
    for (block, depth) in [(4_096u32, 32u32), (4_096, 2), (65_536, 16), (262_144, 8)] {
        let mut disk = ModelDisk::new(&p30(), 2).expect("a valid blueprint");
        let step = Step::reads(0, block, depth, Span::from_secs(20));
        let workload = step.workload(disk.targets(), 7);
        let recording = disk.run(&workload).expect("the model does not fail");
        let real = recording.ios.len() as f64 / 20.0;
        let mut request = PredictRequest::default();
        request.set("block", vec![format!("{block}B")]);
        request.set("depth", vec![depth.to_string()]);
        request.set("threads", vec!["1".into()]);
        let env = Env::default().texts(BTreeMap::from([("probed.toml".to_string(), text.clone())]));
        let common = Common { config: Some("probed.toml".into()), ..Common::default() };
        let answer = predict(&request, &common, &env).unwrap_or_else(|failure| panic!("{failure:?}: {text}"));
        let document = Document::from(predict_document(&answer.predicted())).into_value();
        let expected = document.pointer("/expected/iops").or(document.pointer("/stages/0/expected/iops"));
        let expected = expected.and_then(serde_json::Value::as_f64).unwrap_or_else(|| panic!("{document:#}"));
        assert!((expected / real - 1.0).abs() < 0.02, "{block} B at {depth}: {expected} of {real}\n{text}");
    }
}

/// Answer to a question about the saved disk.
fn env_of(text: &str) -> (Env, Common) {
    let env = Env::default().texts(BTreeMap::from([("probed.toml".to_string(), text.to_string())]));
    (env, Common { config: Some("probed.toml".into()), ..Common::default() })
}

#[test]
fn a_short_probe_is_saved_with_its_assumptions_and_still_predicts_the_limit() {
    let (answer, text) = probed("25s");
    assert!(!answer.answer.open.is_empty() && answer.answer.targets[0].latencies.is_empty());
    assert!(answer.assumptions().iter().any(|text| text.contains("read latency")), "{text}");
    let mut request = PredictRequest::default();
    request.set("block", vec!["4KiB".into()]);
    request.set("depth", vec!["32".into()]);
    let (env, common) = env_of(&text);
    let document = Document::from(predict_document(
        &predict(&request, &common, &env).expect("a valid file").predicted(),
    ));
    let document = document.into_value();
    let iops = document["expected"]["iops"].as_f64().unwrap_or_default();
    assert!((iops / 5_100.0 - 1.0).abs() < 0.03, "{iops}");
    assert!(document.to_string().contains("the probe ended before it looked for one"), "{document:#}");
}

#[test]
fn a_probe_that_knows_nothing_is_not_saved() {
    let answer = {
        let mut request = ProbeRequest::default();
        request.set("targets", vec!["data".into()]);
        let prepared =
            PreparedProbe::read(&request, &Common::default(), &Env::default()).expect("it is valid");
        let disk = ModelDisk::new(&p30(), 1).expect("a valid blueprint");
        let mut disk = disk.stopped_at(iobound_units::Instant::ZERO + Span::from_secs(1));
        prepared.answer(&mut disk).expect("offers can be looked up")
    };
    assert!(answer.configuration().is_err());
}

#[test]
fn a_plan_like_the_probed_disk_needs_its_limits_and_its_size() {
    use iobound_app::plan::{PlanRequest, plan};
    let (_, text) = probed("2min");
    let (env, common) = env_of(&text);
    let mut request = PlanRequest::default();
    request.set("like", vec!["true".into()]);
    request.set("headroom", vec!["0%".into()]);
    request.set("disk-types", vec!["premium".into()]);
    let answer = plan(&request, &common, &env).unwrap_or_else(|failure| panic!("{failure:?}"));
    let document = answer.with_planned(|planned| Document::from(iobound_report::plan_document(planned)));
    let document = document.into_value();
    let need = document["need"]["data"]["iops"].as_f64().unwrap_or_default();
    assert!((need / 5_100.0 - 1.0).abs() < 0.02, "{need}: {}", document["need"]);
    let without = plan(&request, &Common::default(), &Env::default());
    assert!(without.is_err(), "there is no probed disk");
}

#[test]
fn the_offer_that_was_probed_is_found_with_its_rule() {
    let (answer, _) = probed("2min");
    let screen = answer.screen();
    let first = screen.offers.first().expect("a P30 is in the catalogue");
    assert!(screen.offers.iter().any(|offer| offer.name.starts_with("P30")), "{:?}", screen.offers);
    assert!(first.because.contains("5100 IOPS = 5000 IOPS x 1.02"), "{first:?}");
    assert!(first.because.contains("50 ms"), "{first:?}");
    assert!(screen.offers[1..].iter().all(|offer| offer.told_apart_by.is_some()));
}

#[test]
fn a_contribution_has_the_columns_of_the_shipped_file_and_no_name() {
    let (answer, _) = probed("2min");
    let rows = answer.contribution("2026-11-25");
    let shipped = include_str!("../../catalog/data/measured.csv");
    let header = |text: &str| text.lines().next().map(str::to_string);
    assert_eq!(header(&rows), header(shipped));
    assert!(rows.lines().count() > 2 && !rows.contains("data"), "{rows}");
}

#[test]
fn the_page_shows_the_evidence_of_each_limit() {
    let (answer, _) = probed("2min");
    let document = Document::from(probe_document(&answer.screen())).into_value();
    let page = html_page(&document, Names::LeftOut).expect("there is a page of it");
    assert!(page.contains("Completed I/Os under load") && page.contains("IOPS against queue depth"));
}

#[cfg(feature = "load")]
#[test]
fn a_file_that_exists_is_not_saved_to_and_overwrite_is_not_named_as_a_fix() {
    let existing = concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml");
    for option in ["save", "contribute"] {
        let mut request = ProbeRequest::default();
        request.set("targets", vec!["there is none".into()]);
        request.set(option, vec![existing.into()]);
        let prepared =
            PreparedProbe::read(&request, &Common::default(), &Env::default()).expect("it is valid");
        let failure = prepared.run(&Env::default()).err().expect("the file exists");
        // --overwrite would be the consent to write to a target.
        let help = failure.help_text().unwrap_or_default();
        assert!(help.contains("name another file") && !help.contains("--overwrite"), "{failure:?}");
    }
}
