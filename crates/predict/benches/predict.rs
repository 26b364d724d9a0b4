//! Time for a prediction: a dozen questions, each the best and the median of several rounds that take turns.
//!
//! `cargo bench -p iobound-predict [NAME...]`
#![allow(clippy::disallowed_methods, reason = "a benchmark reads the clock")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::{Case, shared_sequential};
use iobound_drive::Flow;
use iobound_predict::{CacheState, Counted, Question, find_knee, predict};
use iobound_units::{Bytes, KIB, Percent, Ppm};
use iobound_workload::{Distribution, HotZone, Job, ZoneRange};

const K: u64 = KIB;
const ROUNDS: usize = 7;

fn zipf(job: &mut Job) {
    job.access.distribution = Distribution::Zipf { theta: Ppm(1_100_000) };
}

fn hot_spot(job: &mut Job) {
    let percent = |whole| Percent::whole(whole).expect("a percentage");
    let zone = |ios, range| HotZone { ios: percent(ios), range };
    let zones = vec![zone(90, ZoneRange::Share(percent(10))), zone(10, ZoneRange::Rest)];
    job.access.distribution = Distribution::Zones(zones);
}

fn sized(job: &mut Job) {
    job.region.size = Some(Bytes::gib(100));
}

fn threads(job: &mut Job) {
    job.threads = 32;
}

/// The questions; those whose name begins with `knee` search it by simulation.
fn cases() -> Vec<(&'static str, Case)> {
    let ten = || Case::new("DS14", &["10xP30"]);
    let cached = || Case::new("DS14", &["10xP30:readonly"]);
    let d8s = || Case::new("D8s_v3", &["P30:readonly"]);
    let second = || cached().cache(CacheState::SecondRun);
    vec![
        ("uncached", ten().reads(4 * K, 32)),
        ("cached", d8s().job(8 * K, 70, 32, sized)),
        ("cold", cached().cache(CacheState::Cold).job(4 * K, 100, 64, sized)),
        ("uniform", d8s().reads(4 * K, 64)),
        ("hot-spot", d8s().job(4 * K, 100, 64, hot_spot)),
        ("zipf", d8s().job(4 * K, 100, 64, zipf)),
        ("zipf-stripe", cached().job(4 * K, 100, 64, zipf)),
        (
            "second-sequential",
            second().job(4 * K, 100, 128, |job| {
                threads(job);
                shared_sequential(job);
            }),
        ),
        (
            "second-random",
            second().job(4 * K, 100, 128, |job| {
                threads(job);
                sized(job);
            }),
        ),
        ("acknowledged", Case::new("DS14", &["P30:readwrite"]).job(4 * K, 0, 32, sized)),
        ("acknowledged-stripe", Case::new("DS14", &["10xP30:readwrite"]).job(4 * K, 0, 64, sized)),
        ("deep-8192", ten().reads(4 * K, 8_192)),
        ("deep-65536", ten().job(4 * K, 100, 2_048, threads)),
        ("knee", ten().reads(4 * K, 1)),
        ("knee-cached", cached().job(4 * K, 100, 1, sized)),
        ("knee-zipf", d8s().job(4 * K, 100, 1, zipf)),
    ]
}

fn main() {
    // Cargo passes --bench.
    let only: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let cases: Vec<(&str, Case)> = cases()
        .into_iter()
        .filter(|(name, _)| only.is_empty() || only.iter().any(|word| name == word))
        .collect();
    let mut took: Vec<Vec<f64>> = vec![Vec::new(); cases.len()];
    let mut iops = vec![0.0; cases.len()];
    for _ in 0..ROUNDS {
        for (n, (name, case)) in cases.iter().enumerate() {
            let (resolved, workload) = (case.resolved(), case.workload());
            let question = Question {
                resolved: &resolved,
                workload: &workload,
                cache: case.cache,
                age: case.age,
                counted: Counted::Lasting,
            };
            let start = Instant::now();
            let prediction = predict(&question, &mut |_| Flow::Continue).expect("a prediction");
            if name.starts_with("knee") {
                find_knee(&question, &resolved.blueprint, &mut |_| Flow::Continue).expect("a knee");
            }
            took[n].push(start.elapsed().as_secs_f64() * 1e3);
            iops[n] = prediction.expected.iops;
        }
    }
    println!("{:<20} {:>10} {:>10} {:>12}", "case", "best", "median", "expected");
    for ((name, _), (took, iops)) in cases.iter().zip(took.iter_mut().zip(iops)) {
        took.sort_by(f64::total_cmp);
        println!("{name:<20} {:>7.1} ms {:>7.1} ms {iops:>7.0} IOPS", took[0], took[ROUNDS / 2]);
    }
}
