//! Cases that nobody wrote: a configuration and a workload are drawn and simulated, what the simulation says binds is
//! the truth, the figures get noise, and some are hidden. Causes that a simulation does not know are put in by hand,
//! as what they do to latency and rate.

use iobound_catalog::{CacheSetting, Catalog, Cloud, Configuration, DiskType, Resolved, parse_spec, resolve};
use iobound_drive::Flow;
use iobound_explain::{Case, Observed, explain, findings};
use iobound_model::Dimension;
use iobound_predict::{Age, CacheState, Counted, Prediction, Question, predict};
use iobound_units::{Bytes, Percent, Span};
use iobound_workload::{Job, Load, Region, Spread, Targets, Workload};

/// SplitMix64 (Steele, Lea and Flood, 2014).
struct Draw(u64);

impl Draw {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + self.unit() * (high - low)
    }

    fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    fn one<T: Clone>(&mut self, of: &[T]) -> T {
        of[(self.next() % of.len() as u64) as usize].clone()
    }
}

const AZURE: [&str; 15] = [
    "D2s_v3",
    "D4s_v3",
    "D8s_v3",
    "D16s_v3",
    "D32s_v3",
    "E32s_v3",
    "DS14_v2",
    "F8s_v2",
    "D8s_v5",
    "D16s_v5",
    "E16ds_v5",
    "D8ds_v4",
    "E8bds_v5:nvme",
    "M64ls",
    "D64s_v3",
];
const AWS: [&str; 11] = [
    "m5.large",
    "m5.xlarge",
    "m5.2xlarge",
    "m5.4xlarge",
    "r5.large",
    "c5.2xlarge",
    "c5.9xlarge",
    "m6i.large",
    "t3.medium",
    "r5b.8xlarge",
    "r6i.16xlarge",
];
const AZURE_DISKS: [&str; 14] = [
    "P4",
    "P6",
    "P10",
    "P15",
    "P20",
    "P30",
    "P30",
    "P40",
    "P50",
    "P60",
    "E30",
    "premiumv2@1TiB+3000iops+125MB/s",
    "premiumv2@1TiB+16000iops+600MB/s",
    "ultra@512GiB+20000iops+1000MB/s",
];
const AWS_DISKS: [&str; 12] = [
    "gp2@50GiB",
    "gp2@100GiB",
    "gp2@400GiB",
    "gp2@1TiB",
    "gp2@4TiB",
    "gp3@500GiB",
    "gp3@1TiB+6000iops+250MB/s",
    "gp3@1TiB+16000iops+1000MB/s",
    "io1@500GiB+5000iops",
    "io2@500GiB+10000iops",
    "io2@2TiB+40000iops",
    "st1@4TiB",
];
const BLOCKS: [u32; 10] = [4, 4, 8, 8, 16, 32, 64, 128, 256, 1024];
const DEPTHS: [u32; 10] = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/// Drawn values.
struct Drawn {
    text: String,
    configuration: Configuration,
    resolved: Resolved,
    cache: CacheState,
    block: u32,
    depth: u32,
    read: f64,
    at: Option<u64>,
    prediction: Prediction,
}

fn draw(catalog: &Catalog, draw: &mut Draw) -> Option<Drawn> {
    let azure = draw.chance(0.6);
    let vm = if azure { draw.one(&AZURE) } else { draw.one(&AWS) };
    let disk = if azure { draw.one(&AZURE_DISKS) } else { draw.one(&AWS_DISKS) };
    let count = draw.one(&[1u16, 1, 1, 2, 3, 4, 6, 8]);
    let setting = if azure { draw.one(&["", "", "", ":readonly", ":readonly", ":readwrite"]) } else { "" };
    let text = format!("{vm} {count}x{disk}{setting}");
    let mut configuration = Configuration::of(vm);
    configuration.volumes = vec![parse_spec(&format!("{count}x{disk}{setting}")).ok()?];
    let resolved = resolve(&configuration, catalog).ok()?;
    let block = draw.one(&BLOCKS) << 10;
    let depth = draw.one(&DEPTHS);
    let read: f64 = draw.one(&[0.0, 0.3, 0.7, 1.0, 1.0]);
    let cache = if draw.chance(0.3) { CacheState::Cold } else { CacheState::Warm };
    let at = draw.chance(0.2).then(|| draw.one(&[30u64, 60, 120]));
    let mut job = Job::new("drawn");
    job.set_mix(block, Percent::from_ppm((read * 1e6) as u32)?);
    job.load = Load::Closed { depth, cap: None };
    job.spread = Spread::Dealt;
    job.targets = Targets::Named(vec!["data".into()]);
    // What is cold stays cold where there is more than a run reads.
    let size = (cache == CacheState::Warm).then_some(Bytes::gib(1));
    job.region = Region { offset: Bytes::ZERO, size };
    let workload = Workload::new(vec![job], Span::from_secs(30));
    let age = at.map_or(Age::Sustained, |seconds| Age::At(Span::from_secs(seconds)));
    let question =
        Question { resolved: &resolved, workload: &workload, cache, age, counted: Counted::Lasting };
    let prediction = predict(&question, &mut |_| Flow::Continue).ok()?;
    Some(Drawn { text, configuration, resolved, cache, block, depth, read, at, prediction })
}

/// The names that are right for a limit that binds.
fn names_of(drawn: &Drawn, group: &str, dimension: Dimension) -> Vec<&'static str> {
    let ios = dimension == Dimension::Ios;
    let limiters = drawn.resolved.blueprint.limiters.iter().zip(&drawn.prediction.shares);
    let mut of_group = limiters.filter(|(limiter, _)| limiter.name.group == group);
    let Some((limiter, share)) = of_group.next() else { return Vec::new() };
    let (Some(limit), Some(share)) = (limiter.limit(dimension), share[dimension as usize]) else {
        return Vec::new();
    };
    let credit =
        limiter.credit(dimension).filter(|credit| credit.burst as f64 > 1.1 * limit.published as f64);
    // Shares are of what is in force: with credits left, of the burst.
    let bursting = drawn.at.is_some() && credit.is_some();
    let is_cached = drawn.resolved.disks[0].cache != CacheSetting::None;
    let mut names = Vec::new();
    if bursting {
        let burst = credit.map_or(0.0, |credit| credit.burst as f64) * share;
        if burst > 1.1 * limit.published as f64 {
            return vec!["burst-measured"];
        }
    }
    let aws = drawn.resolved.vm.cloud == Cloud::Aws;
    match (group, credit.is_some() && !bursting) {
        ("disk", true) => names.push("burst-spent-disk"),
        (_, true) => names.push("burst-spent-vm"),
        _ => {}
    }
    if !(aws && credit.is_some() && !bursting) {
        names.push(match (group, ios) {
            ("disk", true) => "disk-iops",
            ("disk", false) => "disk-throughput",
            ("vm.uncached", true) => "vm-uncached-iops",
            ("vm.uncached", false) => "vm-uncached-throughput",
            ("vm.cached", true) => "vm-cached-iops",
            ("vm.cached", false) => "vm-cached-throughput",
            _ => return Vec::new(),
        });
    }
    let default = matches!(drawn.resolved.disks[0].disk, Some(DiskType::Gp3 | DiskType::PremiumV2));
    if group == "disk" && default && drawn.resolved.disks[0].ios == Some(3_000) {
        names.push("provisioned-default");
    }
    if ios && drawn.block > 262_144 {
        names.push("large-io-charge");
    }
    if is_cached && group != "vm.cached" && drawn.cache == CacheState::Cold && drawn.read > 0.0 {
        names.push("cold-cache");
    }
    if group == "vm.cached" {
        if drawn.cache == CacheState::Cold && drawn.read > 0.0 {
            names.push("cached-miss");
        }
        if drawn.read < 0.5 && drawn.resolved.disks[0].cache == CacheSetting::ReadOnly {
            names.push("write-under-read-cache");
        }
    }
    names
}

/// The names that are right, and what is observed; `None` where the truth can't be told from any figures.
fn observe(drawn: &Drawn, draw: &mut Draw) -> Option<(Vec<&'static str>, String)> {
    let prediction = &drawn.prediction;
    let binding = prediction.binding.first()?.to_string();
    let noise = draw.between(0.95, 1.05);
    let (mut iops, mut bytes) = (prediction.expected.iops, prediction.expected.throughput_bytes_per_s);
    let mut latency_ms = f64::from(drawn.depth) / iops * 1e3;
    let fullest = prediction.shares.iter().flatten().flatten().copied().fold(0.0, f64::max);
    let (mut words, mut truth) = (Vec::new(), Vec::new());
    let (mut must_bytes, mut must_depth, mut must_latency) = (false, false, false);
    if binding == "queue_depth" {
        // With credits left, what is seen may be at a base by chance.
        if fullest > 0.8 || drawn.at.is_some() {
            return None;
        }
        let uncached = drawn.resolved.disks[0].cache == CacheSetting::None;
        let which = draw.next() % 10;
        match which {
            0 if uncached && drawn.read < 0.5 => {
                latency_ms *= draw.between(4.0, 8.0);
                truth.push("bad-host");
                must_latency = true;
            }
            1 if uncached && drawn.read > 0.9 => {
                latency_ms *= draw.between(6.0, 20.0);
                truth.push("lazy-load");
                must_latency = true;
            }
            2 => {
                // The application has so little outstanding that the disks idle.
                let asked = draw.between(0.1, 0.6);
                words.push(format!("depth={}", drawn.depth));
                iops *= asked;
                bytes *= asked;
                must_latency = true;
                truth.push("not-storage");
            }
            3 => {
                words.push("cpu=100%".into());
                truth.push("client-cpu");
                must_latency = true;
            }
            4 => {
                latency_ms = draw.between(0.003, 0.02);
                truth.push("page-cache");
                must_latency = true;
            }
            5 if drawn.read > 0.9 => {
                words.push(format!("application={:.3}MB/s", bytes / draw.between(2.5, 30.0) / 1e6));
                truth.push("read-ahead");
                must_bytes = true;
            }
            _ => {
                truth.push("shallow-queue");
                must_depth = draw.chance(0.6);
                must_latency = !must_depth;
            }
        }
        if !truth.contains(&"not-storage") {
            iops = f64::from(drawn.depth) / latency_ms * 1e3;
            bytes = iops * f64::from(drawn.block);
        }
    } else {
        let (group, dimension) = binding.rsplit_once('.')?;
        let dimension = if dimension == "iops" { Dimension::Ios } else { Dimension::Bytes };
        truth.extend(names_of(drawn, group, dimension));
        if truth.is_empty() {
            return None;
        }
        must_bytes = dimension == Dimension::Bytes;
        // What the noise makes as full is as right.
        for (limiter, shares) in drawn.resolved.blueprint.limiters.iter().zip(&prediction.shares) {
            for dimension in Dimension::ALL {
                if shares[dimension as usize].is_some_and(|share| share >= 0.93) {
                    truth.extend(names_of(drawn, &limiter.name.group, dimension));
                }
            }
        }
    }
    let cached = drawn.resolved.disks[0].cache != CacheSetting::None;
    // Where an I/O counts as several, its size has to be known.
    let counts = drawn.block > 65_536 || drawn.resolved.disks[0].disk == Some(DiskType::St1);
    if must_bytes && draw.chance(0.7) {
        words.push(format!("throughput={:.3}MB/s", bytes * noise / 1e6));
        if counts || draw.chance(0.6) {
            words.push(format!("block={}KiB", drawn.block >> 10));
        }
    } else {
        words.push(format!("iops={:.1}", iops * noise));
        if must_bytes || counts || draw.chance(0.7) {
            words.push(format!("block={}KiB", drawn.block >> 10));
        }
    }
    let has_depth = words.iter().any(|word| word.starts_with("depth="));
    if !has_depth && (must_depth || !must_latency && draw.chance(0.4)) {
        words.push(format!("depth={}", drawn.depth));
    } else if must_latency || draw.chance(0.3) {
        words.push(format!("latency={:.4}ms", latency_ms / noise));
    }
    if cached || draw.chance(0.5) || must_latency {
        words.push(format!("read={}%", (drawn.read * 100.0) as u32));
    }
    match drawn.at {
        Some(seconds) => words.push(format!("duration={seconds}s")),
        None if truth.iter().any(|name| name.starts_with("burst-spent")) && draw.chance(0.4) => {
            words.push("after=90min".into());
            if truth.contains(&"burst-spent-disk") || truth.contains(&"burst-spent-vm") {
                truth.retain(|name| !name.starts_with("disk-") && !name.starts_with("vm-"));
            }
        }
        None => {}
    }
    Some((truth, words.join(" ")))
}

/// Cases of a seed: their number, and those whose first finding is not the truth.
fn judge(seed: u64, wanted: usize) -> (usize, Vec<String>) {
    let catalog = Catalog::shipped();
    let mut random = Draw(seed);
    let (mut count, mut wrong) = (0, Vec::new());
    while count < wanted {
        let Some(drawn) = draw(&catalog, &mut random) else { continue };
        let Some((truth, words)) = observe(&drawn, &mut random) else { continue };
        count += 1;
        let observed = Observed::parse(&words).unwrap_or_else(|error| panic!("{words}: {error}"));
        let case = Case::new(&drawn.configuration, &catalog, &drawn.resolved, &observed, None, drawn.cache);
        let found = findings(&case);
        if !truth.contains(&found[0].rule) {
            let names: Vec<&str> = found.iter().take(4).map(|finding| finding.rule).collect();
            wrong.push(format!(
                "{} [{}] {words}: {truth:?}, found {names:?}",
                drawn.text,
                drawn.cache.name()
            ));
        }
    }
    (count, wrong)
}

/// The share that has to be right.
const RIGHT: f64 = 0.9;

fn assert_right(seed: u64, wanted: usize) {
    let (count, wrong) = judge(seed, wanted);
    let right = 1.0 - wrong.len() as f64 / count as f64;
    assert!(right >= RIGHT, "{right:.3} of {count}\n{}", wrong.join("\n"));
}

#[test]
fn the_simulations_binding_is_the_first_finding() {
    assert_right(1, 120);
}

#[test]
fn no_observation_makes_it_panic_or_leaves_nothing_to_say() {
    const WORDS: [&str; 36] = [
        "iops=1",
        "iops=5000",
        "iops=0.001",
        "iops=4000000000",
        "throughput=1B/s",
        "throughput=200MB/s",
        "throughput=9000000MB/s",
        "block=512B",
        "block=4KiB",
        "block=1000B",
        "block=260KiB",
        "block=64MiB",
        "depth=1",
        "depth=65536",
        "read=0%",
        "read=100%",
        "read=37%",
        "access=sequential",
        "access=random",
        "latency=1ns",
        "latency=2ms",
        "latency=3h",
        "latency=p99:1s",
        "latency=p50:50us",
        "size=1B",
        "size=200TiB",
        "duration=1s",
        "duration=30d",
        "after=0s",
        "after=45min",
        "cpu=100%",
        "iowait=99%",
        "raw=1iops",
        "read-ahead=64MiB",
        "application=1MB/s",
        "data.0: iops=7 data.1: throughput=3MB/s",
    ];
    let catalog = Catalog::shipped();
    let mut random = Draw(7);
    let mut judged = 0;
    while judged < 1_000 {
        let azure = random.chance(0.5);
        let vm = if azure { random.one(&AZURE) } else { random.one(&AWS) };
        let disk = if azure { random.one(&AZURE_DISKS) } else { random.one(&AWS_DISKS) };
        let cache = if azure { random.one(&["", ":readonly", ":readwrite"]) } else { "" };
        let count = random.one(&[1, 2, 5]);
        let mut configuration = Configuration::of(vm);
        configuration.volumes = vec![parse_spec(&format!("{count}x{disk}{cache}")).unwrap()];
        configuration.separate = random.chance(0.5);
        configuration.partition_offset = random.one(&[Bytes(0), Bytes(32_256), Bytes(1 << 20)]);
        let Ok(resolved) = resolve(&configuration, &catalog) else { continue };
        let words: Vec<&str> = (0..random.one(&[1, 2, 3, 5, 8])).map(|_| random.one(&WORDS)).collect();
        let Ok(observed) = Observed::parse(&words.join(" ")) else { continue };
        judged += 1;
        let cache = random.one(&[CacheState::Warm, CacheState::Cold]);
        let case = Case::new(&configuration, &catalog, &resolved, &observed, None, cache);
        let found = findings(&case);
        assert!(
            found.iter().all(|finding| finding.weight.is_finite() && !finding.claim.is_empty()),
            "{words:?}"
        );
        assert!(!found.is_empty());
        // A few of them to the end.
        if judged % 200 == 0 {
            explain(&case, &mut |_| Flow::Continue).unwrap();
        }
    }
}
