//! Compares the search with trying everything, on random needs with and without latency goals, of Azure and AWS in turn.
//!
//! `cargo run --release -p iobound-plan --example brute_force -- 200`
#![allow(clippy::disallowed_methods, reason = "it reads the number of needs and the clock")]

#[path = "../tests/latency_oracle/mod.rs"]
mod latency_oracle;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use latency_oracle::{compare, shops};

/// Results of the needs so far.
#[derive(Default)]
struct Counts {
    drawn: u64,
    compared: u64,
    with_goal: u64,
    met: u64,
    costly: u64,
    builds: usize,
    simulations: usize,
    wrong: Vec<String>,
}

fn main() -> ExitCode {
    let needs = match std::env::args().nth(1).map(|text| text.parse::<u64>()) {
        None => 200,
        Some(Ok(needs)) => needs,
        Some(Err(_)) => {
            eprintln!("error: the number of needs must be a whole number, such as 200");
            return ExitCode::from(2);
        }
    };
    let shops = shops();
    let (start, next, counts) = (Instant::now(), AtomicU64::new(1), Mutex::new(Counts::default()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, |count| count.get()) {
            scope.spawn(|| {
                while counts.lock().expect("no thread panics").compared < needs {
                    let one = compare(&shops, next.fetch_add(1, Ordering::Relaxed));
                    let mut counts = counts.lock().expect("no thread panics");
                    counts.drawn += 1;
                    let Some(one) = one else {
                        counts.costly += 1;
                        continue;
                    };
                    counts.compared += 1;
                    counts.with_goal += u64::from(one.has_goal);
                    counts.met += u64::from(one.least.is_some());
                    counts.builds += one.effort.builds;
                    counts.simulations += one.effort.simulations;
                    if one.searched != one.least {
                        let (searched, least) = (one.searched, one.least);
                        counts.wrong.push(format!("{searched:?} instead of {least:?}: {}", one.case));
                    }
                    if counts.compared.is_multiple_of(20) {
                        eprintln!("{} compared, {:.0} s", counts.compared, start.elapsed().as_secs_f64());
                    }
                }
            });
        }
    });
    let counts = counts.into_inner().expect("no thread panics");
    println!(
        "{} needs compared in {:.0} s: {} with a latency goal, {} met; {} of {} drawn were left out as too costly",
        counts.compared,
        start.elapsed().as_secs_f64(),
        counts.with_goal,
        counts.met,
        counts.costly,
        counts.drawn,
    );
    println!("the oracle had {} builds and made {} simulations", counts.builds, counts.simulations);
    for wrong in &counts.wrong {
        println!("wrong: {wrong}");
    }
    println!("{} wrong", counts.wrong.len());
    if counts.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
