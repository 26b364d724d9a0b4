//! Score of the probe on disks with secret parameters: `score FROM TO [unlimited | longer [SECONDS] | GIB [whole]]`. GIB is the size of the
//! disks; `whole` prints all that is true of them and all that was found. `longer` gives each probe a minute for each target (or SECONDS), and
//! then the budgets that the answers name, until nothing is open: a question that was open and stays open is printed as BROKEN.

#[path = "../tests/common/mod.rs"]
mod common;

use std::collections::BTreeMap;

use iobound_probe::{ModelDisk, Settings, probe};
use iobound_units::{Bytes, Span};

/// Probes of a disk at most, each with the budget that the one before named.
const LONGER: usize = 6;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, otherwise: u64| words.get(at).and_then(|word| word.parse().ok()).unwrap_or(otherwise);
    let seeds = number(0, 1)..=number(1, 40);
    if words.get(2).is_some_and(|word| word == "unlimited") {
        for seed in seeds {
            for noisy in [false, true] {
                let blueprint = common::hidden::unlimited(seed);
                let disk = ModelDisk::new(&blueprint, seed).expect("a valid blueprint");
                let mut disk = if noisy { disk.with_neighbour(seed) } else { disk };
                let answer = probe(&mut disk, &Settings::default());
                println!(
                    "{seed} noisy={noisy}: {} limits, {:?}, {:?}",
                    answer.limits.len(),
                    answer.ending,
                    answer.cost
                );
                for limit in &answer.limits {
                    println!("   FALSE {limit:?}");
                }
            }
        }
        return;
    }
    if words.get(2).is_some_and(|word| word == "longer") {
        for seed in seeds {
            longer(seed, number(3, 60));
        }
        return;
    }
    let mut sums: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for seed in seeds {
        let hidden = common::hidden::hidden_of_size(seed, Bytes::gib(number(2, 512)));
        let mut disk = ModelDisk::new(&hidden.blueprint, seed).expect("a valid blueprint");
        let budget = Span::from_secs(180 * hidden.blueprint.volumes.len() as u64);
        let answer = probe(&mut disk, &Settings { budget, ..Settings::default() });
        println!(
            "seed {seed}: {} {} IOPS {:.1} MB/s {:?} {:?} media {} -> {:?}, {} s, {} I/Os",
            hidden.kind,
            hidden.iops,
            hidden.bytes / 1e6,
            hidden.algorithm,
            hidden.charge,
            hidden.media.mean,
            answer.ending,
            answer.cost.time.secs_f64(),
            answer.cost.ios
        );
        if words.len() > 3 {
            println!("{hidden:#?}\n{answer:#?}");
        }
        for mark in common::marks::marks(&hidden, &answer) {
            let sum = sums.entry(mark.figure).or_default();
            sum.1 += 1;
            sum.0 += u32::from(mark.ok);
            if !mark.ok {
                println!("   {}: {}", mark.figure, mark.text);
            }
        }
    }
    for (figure, (good, all)) in sums {
        println!("{figure}: {good} of {all}");
    }
}

/// A probe of this time for each target, and then probes with the budgets that the answers name.
fn longer(seed: u64, seconds: u64) {
    let hidden = common::hidden::hidden(seed);
    let mut budget = Span::from_secs(seconds * hidden.blueprint.volumes.len() as u64);
    let mut promised: Vec<String> = Vec::new();
    for _ in 0..LONGER {
        let mut disk = ModelDisk::new(&hidden.blueprint, seed).expect("a valid blueprint");
        let answer = probe(&mut disk, &Settings { budget, ..Settings::default() });
        let broken: Vec<_> = answer.open.iter().filter(|open| promised.contains(open)).collect();
        let missed = common::marks::marks(&hidden, &answer).into_iter().filter(|mark| !mark.ok);
        let missed: Vec<String> = missed.map(|mark| format!("{}: {}", mark.figure, mark.text)).collect();
        println!(
            "seed {seed}: {} {} s: {:?} after {:.0} s, open {:?}{}, missed {missed:?}",
            hidden.kind,
            budget.secs_f64(),
            answer.ending,
            answer.cost.time.secs_f64(),
            answer.open,
            if broken.is_empty() { String::new() } else { format!(", BROKEN {broken:?}") },
        );
        let Some(longer) = answer.budget_for_open else { return };
        (budget, promised) = (longer, answer.open);
    }
}
