//! What coordinator and ranks promise each other, on a network and clocks that are simulated.

mod faults;
mod meetings;
mod run;
mod strangers;
mod world;

use iobound_fleet::{Event, Rules};

use run::{recorded, report};
use world::{Plan, RankPlan};

/// A number of ranks, and a workload of a number of stages of three seconds each.
fn plan(of: u32, stages: u32) -> Plan {
    let (measured, told) = recorded(3, 200, 7);
    Plan {
        ranks: (0..of).map(|rank| RankPlan::plain(rank, of, stages)).collect(),
        faults: Vec::new(),
        rules: Rules::default(),
        stages,
        seconds: 3,
        told,
        report: report(&measured),
        token: None,
        seed: 11,
    }
}

/// Ranks that the coordinator lost, in the order in which it did.
fn lost(events: &[Event]) -> Vec<u32> {
    let lost = events.iter().filter_map(|event| match event {
        Event::Lost { rank, .. } => Some(*rank),
        _ => None,
    });
    lost.collect()
}
