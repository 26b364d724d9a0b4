//! Cost of a meeting: ranks and their coordinator in one process, on a simulated network, to the merged figures.
//!
//! `cargo bench -p iobound-fleet`. Each rank tells 30 intervals and hands in the histograms of a run of 30 s with some
//! 10^5 I/Os. Time is of the processor, which other programs take nothing of, for coordinator and ranks together: every word is
//! encoded and decoded.

#[path = "../tests/simulated/run.rs"]
mod run;
#[path = "../tests/simulated/world.rs"]
mod world;

use std::time::Duration;

use iobound_fleet::{Event, Rules};
use iobound_measure::Measured;

use world::{MS, Plan, RankPlan, SECOND, World};

/// Processor time of this process.
fn processor() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), now.tv_nsec as u32)
}

fn main() {
    // A test run compiles and starts it; what it measures is for a release build.
    let sizes: &[u32] = if cfg!(debug_assertions) { &[10] } else { &[125, 250, 500, 1_000, 2_000] };
    let (measured, told) = run::recorded(30, 4_000, 3);
    let report = run::report(&measured);
    println!("ranks    words   meet to start   run and report   beside each other   in all   per rank");
    for of in sizes {
        let plan = |seconds| Plan {
            ranks: (0..*of).map(|rank| RankPlan::plain(rank, *of, 1)).collect(),
            faults: Vec::new(),
            rules: Rules::default(),
            stages: 1,
            seconds,
            told: told.clone(),
            report: report.clone(),
            token: None,
            seed: 1,
        };
        // To the start alone: the clocks of 64 ranks are measured at a time, 16 round trips of 2 ms and some; the world
        // ends before anything is told.
        let begin = (300 + u64::from(*of) * 6 / 10) * MS;
        let at = processor();
        let begun = World::new(plan(30), *of).run(begin);
        let to_start = processor() - at;
        assert!(begun.events.iter().any(|event| matches!(event, Event::Starts { .. })), "it began");
        drop(begun);

        let at = processor();
        let end = World::new(plan(30), *of).run(120 * SECOND);
        let whole = processor() - at;
        let words = end.words;
        let gathered = end.gathered.expect("the coordinator is there");
        let at = processor();
        let hosts: Vec<(String, &Measured)> = gathered
            .ranks
            .iter()
            .map(|rank| {
                let report = rank.reports[0].as_ref().expect("it reported");
                (format!("db{}", rank.rank), report.measured.as_ref().expect("it measured"))
            })
            .collect();
        let hosts: Vec<(&str, &Measured)> = hosts.iter().map(|(name, own)| (name.as_str(), *own)).collect();
        let together = Measured::beside(&hosts).expect("they are alike");
        let beside = processor() - at;
        let count: u64 = together.jobs[0].by_op.iter().map(|op| op.count()).sum();
        let own: u64 = measured.jobs[0].by_op.iter().map(|op| op.count()).sum();
        assert_eq!(count, own * u64::from(*of));
        let all = whole + beside;
        println!(
            "{of:>5} {words:>8}   {:>10.3} s   {:>12.3} s   {:>15.3} s   {:>6.3} s   {:>5.2} ms",
            to_start.as_secs_f64(),
            (whole.saturating_sub(to_start)).as_secs_f64(),
            beside.as_secs_f64(),
            all.as_secs_f64(),
            all.as_secs_f64() * 1e3 / f64::from(*of)
        );
    }
}
