//! `--observed` and `--want`: no words are a panic, what is read is what was written, and whatever is read can be judged.

use iobound_catalog::{Catalog, Configuration, Resolved, parse_spec, resolve};
use iobound_explain::{Case, Figures, Observed, Want, findings};
use iobound_predict::CacheState;
use proptest::prelude::*;

type Configured = (Catalog, Configuration, Resolved);

/// A configuration of one stripe, and one of a cached disk with a log beside it.
fn configurations() -> Vec<Configured> {
    let catalog = Catalog::shipped();
    let of = |vm: &str, disks: &[&str]| {
        let mut configuration = Configuration::of(vm);
        configuration.volumes = disks.iter().map(|disk| parse_spec(disk).unwrap()).collect();
        let resolved = resolve(&configuration, &catalog).unwrap();
        (catalog.clone(), configuration, resolved)
    };
    vec![
        of("DS14", &["data=4xP30"]),
        of("D8s_v3", &["data=P20:readonly", "log=P10"]),
        of("m5.large", &["data=gp3@500GiB"]),
    ]
}

/// The figures of a part, all that there are.
fn figures(figures: &Figures) -> Vec<f64> {
    let latency = figures.latency_us;
    let all = [
        figures.iops,
        figures.throughput_bytes_per_s,
        figures.block,
        figures.depth,
        figures.read,
        latency.mean,
        latency.p50,
        latency.p95,
        latency.p99,
    ];
    all.into_iter().flatten().collect()
}

/// What can be read is finite, and the rules find something in it.
fn judged(text: &str, configurations: &[Configured]) {
    let Ok(observed) = Observed::parse(text) else { return };
    let parts = observed.parts.iter().map(|part| &part.figures);
    for figure in parts.chain([&observed.total]).flat_map(figures) {
        assert!(figure.is_finite() && figure >= 0.0, "{text}: {observed:?}");
    }
    for (catalog, configuration, resolved) in configurations {
        let want = Want::parse("iops=5000 latency=p99:5ms").ok();
        let case = Case::new(configuration, catalog, resolved, &observed, want, CacheState::Warm);
        for finding in findings(&case) {
            assert!(!finding.claim.contains("NaN") && !finding.claim.contains("inf"), "{text}: {finding:?}");
        }
    }
}

/// Words that are right, near it, or nothing.
fn words() -> impl Strategy<Value = String> {
    let key = prop::sample::select(vec![
        "iops",
        "throughput",
        "latency",
        "block",
        "depth",
        "read",
        "access",
        "duration",
        "after",
        "cpu",
        "iowait",
        "raw",
        "read-ahead",
        "application",
        "colour",
        "",
    ]);
    let value = prop_oneof![
        "[0-9]{1,20}(\\.[0-9]{1,3})?(MB/s|KiB|GiB|ms|us|s|min|%|k)?",
        "(mean|p50|p95|p99):[0-9]{1,6}(ns|us|ms|s)",
        Just("random".to_string()),
        Just("0".to_string()),
        "\\PC{0,8}",
    ];
    let word = prop_oneof![
        6 => (key, value).prop_map(|(key, value)| format!("{key}={value}")),
        1 => prop::sample::select(vec!["data:", "data.0:", "data.1:", "log:", "nobody:", "=", ":"]).prop_map(String::from),
    ];
    prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_words_are_a_panic_and_what_is_read_can_be_judged(text in words()) {
        thread_local! {
            static CONFIGURATIONS: Vec<Configured> = configurations();
        }
        CONFIGURATIONS.with(|configurations| judged(&text, configurations));
        let _ = Want::parse(&text).map_err(|error| assert!(!error.is_empty()));
    }

    #[test]
    fn random_text_is_no_panic(text in "\\PC{0,200}") {
        let _ = Observed::parse(&text).map_err(|error| assert!(!error.is_empty()));
        let _ = Want::parse(&text).map_err(|error| assert!(!error.is_empty()));
    }

    /// What was written is what is read, in any order of the words; what follows is arithmetic.
    #[test]
    fn what_is_written_is_what_is_read(
        iops in 1u32..200_000,
        kib in 1u32..4_096,
        us in 1u32..10_000_000,
        read in 0u32..=100,
        backwards: bool,
    ) {
        let mut words =
            [format!("iops={iops}"), format!("block={kib}KiB"), format!("latency={us}us"), format!("read={read}%")];
        if backwards {
            words.reverse();
        }
        let total = Observed::parse(&words.join("; ")).unwrap().total;
        prop_assert_eq!(total.iops, Some(f64::from(iops)));
        prop_assert_eq!(total.block, Some(f64::from(kib) * 1_024.0));
        prop_assert_eq!(total.latency_us.mean, Some(f64::from(us)));
        prop_assert!((total.read.unwrap() - f64::from(read) / 100.0).abs() < 1e-9);
        prop_assert_eq!(total.throughput_bytes_per_s, Some(f64::from(iops) * f64::from(kib) * 1_024.0));
        let held = f64::from(iops) * f64::from(us) / 1e6;
        prop_assert!((total.held().unwrap() - held).abs() <= 1e-9 * held);
    }
}
