//! Findings in a series whose mean is below every limit.

use iobound_catalog::{Catalog, Configuration, parse_spec, resolve};
use iobound_explain::{Case, Confidence, Moment, Observed, findings};
use iobound_predict::CacheState;
use iobound_units::Span;

/// The first finding of a P30 on a D16s_v5 with so many IOPS of 8 KiB in intervals of so many seconds: its rule, confidence and
/// evidence.
fn first(rates: &[f64], each_s: u64) -> (&'static str, Confidence, String) {
    let blocks: Vec<(f64, f64)> = rates.iter().map(|iops| (*iops, 8_192.0)).collect();
    first_of(&blocks, each_s)
}

/// As [`first`], of so many IOPS of so many bytes each.
fn first_of(rates: &[(f64, f64)], each_s: u64) -> (&'static str, Confidence, String) {
    let (configuration, catalog) = (
        Configuration { volumes: vec![parse_spec("P30").unwrap()], ..Configuration::of("D16s_v5") },
        Catalog::shipped(),
    );
    let resolved = resolve(&configuration, &catalog).unwrap();
    let mut observed = Observed::default();
    let mean = |of: fn(&(f64, f64)) -> f64| Some(rates.iter().map(of).sum::<f64>() / rates.len() as f64);
    observed.total.iops = mean(|(iops, _)| *iops);
    observed.total.throughput_bytes_per_s = mean(|(iops, block)| iops * block);
    observed.duration = Some(Span::from_secs(each_s * rates.len() as u64));
    let moment = |(index, (iops, block)): (usize, &(f64, f64))| Moment {
        at_s: (each_s * index as u64) as f64,
        iops: *iops,
        bytes_per_s: Some(iops * block),
    };
    observed.series = rates.iter().enumerate().map(moment).collect();
    observed.derive();
    let case = |observed: &Observed| {
        let case = Case::new(&configuration, &catalog, &resolved, observed, None, CacheState::Warm);
        let first = findings(&case).remove(0);
        (case.stretch(), (first.rule, first.confidence, first.evidence.join("; ")))
    };
    match case(&observed) {
        (Some(stretch), _) => case(&observed.during(&stretch)).1,
        (None, found) => found,
    }
}

#[test]
fn a_full_minute_among_idle_ones_is_the_limit_and_its_time_is_said() {
    // 5,100 = 5,000 x 1.02 in the fourth of ten minutes; the mean is 555.
    let mut minutes = [50.0; 10];
    minutes[3] = 5_100.0;
    let (rule, confidence, evidence) = first(&minutes, 60);
    assert_eq!((rule, confidence), ("disk-iops", Confidence::Strong));
    assert!(evidence.contains("from 180 s on, for 60 s"), "{evidence}");
    // One interval of five minutes among three.
    assert_eq!(first(&[40.0, 5_100.0, 30.0], 300).0, "disk-iops");
    // A busy minute below the limit is none.
    minutes[3] = 2_500.0;
    assert_eq!(first(&minutes, 60).1, Confidence::Possible);
}

#[test]
fn a_minute_at_a_throughput_limit_is_found_whatever_the_block_of_other_minutes() {
    // 200 MB/s x 1.02 in blocks of 128 KiB in the fourth of ten minutes.
    let mut minutes = [(50.0, 8_192.0); 10];
    minutes[3] = (204e6 / 131_072.0, 131_072.0);
    let (rule, confidence, evidence) = first_of(&minutes, 60);
    assert_eq!((rule, confidence), ("disk-throughput", Confidence::Strong));
    assert!(evidence.contains("from 180 s on, for 60 s, the rate was 1,556 IOPS, 204"), "{evidence}");
}

#[test]
fn seconds_at_a_limit_are_a_burst_and_the_first_of_them_is_said() {
    let mut seconds = [50.0; 20];
    seconds[7] = 5_100.0;
    let (rule, _, evidence) = first(&seconds, 1);
    assert_eq!(rule, "micro-burst");
    assert!(evidence.contains("begins at 7 s"), "{evidence}");
}
