//! Several hosts: what adds up, and what waits for the slowest.

mod common;

use common::{Case, near};
use iobound_drive::Flow;
use iobound_predict::{
    Age, Cluster, Counted, Effort, Host, Hosts, Prediction, Question, ROUGHLY, WhySlow, predict_cluster,
    simulate,
};
use iobound_units::{Bytes, Percent, Span};

fn of(case: &Case, hosts: u64, slow: Option<u32>) -> (Prediction, Cluster) {
    let (resolved, workload) = (case.resolved(), case.workload());
    let question = Question {
        resolved: &resolved,
        workload: &workload,
        cache: case.cache,
        age: case.age,
        counted: Counted::Lasting,
    };
    let slow = slow.map(|percent| Percent::whole(percent).unwrap());
    predict_cluster(&question, &Hosts { hosts, slow }, &mut |_| Flow::Continue).unwrap()
}

/// Ten P30 at 32 outstanding: bound by the media's latency.
fn latency_bound() -> Case {
    Case::new("DS14", &["data=10xP30"]).reads(4_096, 32)
}

/// One P30 whose limit of 5,100 lies between the rates of slow and of fast media: 12 / 2.1 ms = 5,714.
fn near_its_limit() -> Case {
    Case::new("DS14", &["data=P30"]).reads(4_096, 12)
}

/// Far above the limits: how they are enforced is all that scatters.
fn limit_bound() -> Case {
    Case::new("DS14", &["data=2xP30"]).reads(8_192, 256)
}

/// At a depth of one the media's latency is that of depth one.
fn shallow() -> Case {
    Case::new("DS14", &["data=P30"]).writes(4_096, 1)
}

/// Random numbers that have nothing to do with the model's.
struct Draws(u64);

impl Draws {
    fn uniform(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// The sum of two uniform numbers has the triangle's distribution.
    fn place(&mut self) -> i32 {
        ((self.uniform() + self.uniform() - 1.0) * 1e6) as i32
    }
}

#[test]
fn a_sum_is_so_many_times_one_host_and_one_host_is_predicted_as_ever() {
    let case = latency_bound();
    let alone = case.predict();
    let (one, cluster) = of(&case, 8, None);
    assert_eq!(format!("{one:?}"), format!("{alone:?}"));
    let sum = cluster.sum;
    assert_eq!(sum.ceiling_iops, one.ceiling.iops.map(|iops| 8.0 * iops));
    assert_eq!(sum.ceiling_bytes_per_s, one.ceiling.throughput_bytes_per_s.map(|bytes| 8.0 * bytes));
    for (all, one) in [
        (sum.expected.iops, one.expected.iops),
        (sum.expected.low_iops, one.expected.low_iops),
        (sum.expected.high_iops, one.expected.high_iops),
        (sum.expected.throughput_bytes_per_s, one.expected.throughput_bytes_per_s),
    ] {
        assert_eq!(all, 8.0 * one);
    }
}

#[test]
fn the_slowest_is_that_of_clusters_whose_every_host_is_simulated() {
    const CLUSTERS: usize = 48;
    for (case, hosts) in [
        (latency_bound(), 8),
        (near_its_limit(), 4),
        (limit_bound(), 6),
        (shallow(), 3),
        (latency_bound(), 2),
    ] {
        let (resolved, workload) = (case.resolved(), case.workload());
        let question = Question {
            resolved: &resolved,
            workload: &workload,
            cache: case.cache,
            age: case.age,
            counted: Counted::Lasting,
        };
        let (one, cluster) = of(&case, hosts, None);
        let mut draws = Draws(hosts);
        let slowest: Vec<f64> = (0..CLUSTERS)
            .map(|_| {
                let each = (0..hosts).map(|_| {
                    let host = Host { media: draws.place(), limits: draws.place() };
                    let blueprint = host.blueprint(&resolved, one.outstanding);
                    let effort =
                        Effort::Settle { most_ios: 20_000, within: ROUGHLY, warmup: Span::from_ms(300) };
                    simulate(&question, &blueprint, effort, &mut |_| Flow::Continue).unwrap().iops()
                });
                each.fold(f64::INFINITY, f64::min)
            })
            .collect();
        let mean = slowest.iter().sum::<f64>() / CLUSTERS as f64;
        let variance =
            slowest.iter().map(|iops| (iops - mean) * (iops - mean)).sum::<f64>() / (CLUSTERS - 1) as f64;
        // Three standard errors of the clusters that were drawn, and what a simulation's mean is known to.
        let within = 3.0 * (variance / CLUSTERS as f64).sqrt() + 0.01 * mean;
        let figure = cluster.slowest.iops;
        assert!((figure - mean).abs() <= within, "{hosts} hosts: {figure}, drawn {mean} +- {within}");
        // One cluster in ten lies outside; of 48 no more than twelve (five are expected, with a deviation of two).
        let (low, high) = (cluster.slowest.low_iops * 0.99, cluster.slowest.high_iops * 1.01);
        let outside = slowest.iter().filter(|iops| **iops < low || **iops > high).count();
        assert!(outside <= 12, "{outside} of {CLUSTERS} outside {low} to {high}");
    }
}

#[test]
fn more_hosts_have_a_slower_slowest_down_to_the_end_of_the_band() {
    let case = latency_bound();
    let slowest: Vec<f64> =
        [2, 8, 64, 1_000, 100_000].map(|hosts| of(&case, hosts, None).1.slowest.iops).to_vec();
    assert!(slowest.is_sorted_by(|one, other| one > other), "{slowest:?}");
    // 32 / 3.0 ms, the slowest media of Premium SSD that was seen.
    assert!(slowest[4] >= 32.0 / 0.003 && near(slowest[4], 32.0 / 0.003, 0.02), "{slowest:?}");
}

#[test]
fn hosts_that_do_not_scatter_are_all_as_expected() {
    let case = latency_bound().media(Span::from_ms(2), Span::from_ms(2)).published();
    let (one, cluster) = of(&case, 1_000, None);
    assert!(near(cluster.slowest.iops, one.expected.iops, 0.01));
    assert_eq!(cluster.slowest.low_iops, cluster.slowest.high_iops);
    assert!(near(cluster.scan.waiting_bytes_per_s, cluster.scan.equal_bytes_per_s, 0.01));
}

#[test]
fn a_scan_waits_for_the_last_and_a_query_does_not() {
    let case = latency_bound().job(4_096, 100, 32, |job| job.region.size = Some(Bytes::gib(1)));
    let mut jobs = case;
    jobs.jobs.remove(0);
    let (one, cluster) = of(&jobs, 8, Some(50));
    let scan = cluster.scan;
    // 1 GiB of each host.
    assert_eq!(scan.data_bytes, 8.0 * 1_073_741_824.0);
    let rate = one.expected.throughput_bytes_per_s;
    assert_eq!(
        (scan.equal_bytes_per_s, scan.waiting_bytes_per_s),
        (8.0 * rate, 8.0 * cluster.slowest.throughput_bytes_per_s)
    );
    // Half a host holds all eight to half: a scan loses four hosts, queries half of one.
    assert_eq!((scan.slow.share, scan.slow.why), (0.5, WhySlow::Asked));
    assert_eq!((scan.slow.lost, scan.slow.lost_independent), (0.5, 0.5 / 8.0));
    let [equal, waiting, slow] = scan.seconds.unwrap();
    assert_eq!((equal, slow), (scan.data_bytes / (8.0 * rate), scan.data_bytes / (4.0 * rate)));
    assert!(equal < waiting && waiting < slow);
    assert_eq!(scan.seconds_from_full, None);
}

#[test]
fn a_host_that_is_slow_but_not_the_slowest_costs_no_more_than_that_one() {
    let (_, cluster) = of(&latency_bound(), 64, Some(99));
    assert_eq!(cluster.scan.slow.throughput_bytes_per_s, cluster.scan.waiting_bytes_per_s);
}

#[test]
fn nobody_asked_how_slow_so_it_is_the_low_end_of_the_band() {
    let (one, cluster) = of(&latency_bound(), 8, None);
    assert_eq!(cluster.scan.slow.why, WhySlow::Band);
    assert_eq!(cluster.scan.slow.share, one.band.mechanism.low / one.expected.iops);
}

#[test]
fn data_that_two_jobs_share_is_scanned_once() {
    let part = |job: &mut iobound_workload::Job| job.region.size = Some(Bytes::gib(2));
    let case = Case::new("DS14", &["a=P30", "b=P30"]).job(65_536, 100, 4, part).job(65_536, 0, 4, |job| {
        job.region.size = Some(Bytes::gib(3));
    });
    // Both on both volumes: the larger holds the smaller.
    assert_eq!(of(&case, 2, None).1.scan.data_bytes, ((2 * 2 * 3u64) << 30) as f64);
}

#[test]
fn credits_come_first_and_a_host_without_them_is_the_slow_one() {
    // VM: 48 MB/s, at first 200; disk 150, at first 170.
    let case = || Case::new("D2s_v3", &["data=P20"]).reads(65_536, 32);
    let (one, later) = of(&case(), 10, None);
    let burst = one.burst.clone().expect("it has credits");
    let all = later.burst.expect("they have credits");
    assert_eq!((all.iops, all.seconds), (10.0 * burst.iops, burst.seconds));
    // From full credits: so long at the burst's rate, the rest at what lasts.
    let (first, data) = (all.throughput_bytes_per_s, later.scan.data_bytes);
    let seconds = burst.seconds.expect("they end");
    let oracle = seconds + (data - first * seconds) / later.scan.equal_bytes_per_s;
    assert!(near(later.scan.seconds_from_full.unwrap(), oracle, 1e-9));
    assert!(later.scan.seconds_from_full.unwrap() < later.scan.seconds.unwrap()[0]);
    let (now, first) = of(&case().age(Age::At(Span::ZERO)), 10, None);
    let slow = first.scan.slow;
    assert_eq!((slow.why, first.scan.seconds, first.scan.seconds_from_full), (WhySlow::Credits, None, None));
    assert!(near(slow.share, one.expected.iops / now.expected.iops, 0.01), "{slow:?}");
}

#[test]
fn the_same_question_has_the_same_answer() {
    let figures = || format!("{:?}", of(&near_its_limit(), 16, None).1);
    assert_eq!(figures(), figures());
}
