//! Properties of bands and of the expected figure, over random configurations of random I/O on SSDs.

mod common;

use common::Case;
use iobound_catalog::Regime;
use iobound_predict::Prediction;
use iobound_units::KIB;
use proptest::prelude::*;

/// Two simulations of one question differ by no more than this. Each mean is known to 0.5 % with 95 % confidence, so this is four
/// standard errors of a difference.
const NOISE: f64 = 0.015;

/// VM sizes of a family, from small to large, and a disk that they take.
const FAMILIES: [([&str; 3], &str); 3] = [
    (["D4s_v3", "D8s_v3", "D16s_v3"], "P30"),
    (["D8s_v5", "D16s_v5", "D32s_v5"], "premiumv2@1TiB+8000iops+300MB/s"),
    (["m5.4xlarge", "m5.8xlarge", "m5.16xlarge"], "gp3@500GiB+6000iops+250MiB/s"),
];

#[derive(Clone, Debug)]
struct Drawn {
    family: usize,
    size: usize,
    disks: u32,
    block_kib: u64,
    read: u32,
    depth: u32,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let block = prop::sample::select(vec![4, 8, 16, 64, 128]);
    let read = prop::sample::select(vec![0, 50, 100]);
    (0..FAMILIES.len(), 0..2_usize, 1..4_u32, block, read, 0..8_u32).prop_map(
        |(family, size, disks, block_kib, read, depth)| Drawn {
            family,
            size,
            disks,
            block_kib,
            read,
            depth: 1 << depth,
        },
    )
}

impl Drawn {
    fn predict(&self, seed: u64) -> Prediction {
        let (sizes, disk) = FAMILIES[self.family];
        Case::new(sizes[self.size], &[&format!("{}x{disk}", self.disks)])
            .job(self.block_kib * KIB, self.read, self.depth, |_| {})
            .seed(seed)
            .predict()
    }
}

#[test]
fn a_regime_says_which_published_runs_calibrate_the_band() {
    let regime = |vm: &str, disks: &str, depth: u32| {
        Case::new(vm, &[disks]).reads(4 * KIB, depth).predict().band.regime
    };
    assert_eq!(regime("D8s_v3", "P30", 128), Regime::Limit);
    assert_eq!(regime("m5.4xlarge", "gp3@500GiB+6000iops+250MiB/s", 128), Regime::Limit);
    assert_eq!(regime("m5.4xlarge", "gp3@500GiB+6000iops+250MiB/s", 1), Regime::Depth);
    // The temporary disk of an Azure VM has a limiter, the local disks of EC2 have none.
    assert_eq!(regime("DS3_v2", "temp", 256), Regime::Limit);
    assert_eq!(regime("i3en.large", "nvme", 512), Regime::Device);
    // Microsoft publishes both directions of the v4 sizes, and what those before read at least.
    assert_eq!(regime("L8s_v4", "4xnvme", 2_048), Regime::Limit);
    assert_eq!(regime("L8s_v3", "nvme", 2_048), Regime::Minimum);
    // Google does not say how it enforces its limits.
    assert_eq!(regime("n2-standard-8", "pd-ssd@500GiB", 256), Regime::Assumed);
    // 128 / 2.1 ms are more than 51,200 x 1.02, but 128 / 3 ms are less.
    assert_eq!(regime("DS14_v2", "12xP30:none", 128), Regime::Depth);
    assert_eq!(regime("DS14_v2", "12xP30:none", 512), Regime::Limit);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn a_band_contains_its_figure_and_its_latencies(drawn in drawn()) {
        let prediction = drawn.predict(1);
        let expected = &prediction.expected;
        prop_assert!(expected.low_iops <= expected.iops && expected.iops <= expected.high_iops, "{expected:?}");
        let mechanism = prediction.band.mechanism;
        prop_assert!(mechanism.low <= expected.iops && expected.iops <= mechanism.high, "{mechanism:?}");
        let latency = prediction.latency.expect("I/Os were timed");
        let bands = prediction.latency_bands;
        for (figure, band) in [(latency.mean, bands.mean), (latency.p50, bands.p50), (latency.p99, bands.p99)] {
            let (figure, band) = (figure.expect("it was timed"), band.expect("it has a band").us);
            prop_assert!(0.0 < band.low && band.low <= figure && figure <= band.high, "{figure} {band:?}");
        }
    }

    #[test]
    fn two_seeds_agree(drawn in drawn()) {
        let [one, other] = [1, 2].map(|seed| drawn.predict(seed).expected.iops);
        prop_assert!((one / other - 1.0).abs() <= NOISE, "{one} {other}");
    }

    #[test]
    fn more_depth_one_more_disk_and_a_larger_vm_never_give_less(drawn in drawn()) {
        let base = drawn.predict(1).expected.iops;
        let mut more = vec![
            Drawn { depth: drawn.depth * 2, ..drawn.clone() },
            Drawn { size: drawn.size + 1, ..drawn.clone() },
        ];
        // A second disk splits I/Os that are larger than the stripe's 64 KiB: each waits for the slower of its parts.
        if drawn.block_kib <= 64 {
            more.push(Drawn { disks: drawn.disks + 1, ..drawn.clone() });
        }
        for more in more {
            let more_iops = more.predict(1).expected.iops;
            prop_assert!(more_iops >= base * (1.0 - NOISE), "{base} {more_iops} {more:?}");
        }
    }
}
