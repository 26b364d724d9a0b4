//! Findings about a run on several machines: those of its hosts, each name once, and those of the fleet itself.

use iobound_measure::result::{Check, Fleet, Outcome};

use super::cluster::some_of;
use super::document::RankDocument;
use crate::Env;
use iobound_units::{Counted, Problem};

/// Ranks that start further apart than this do not load one another's neighbours for the same time: the first and the last
/// interval are not all of them.
const SKEW_MS: f64 = 5.0;
/// Number of sentences of hosts are shown with a check.
const FEW: usize = 3;

/// Facts about other runs on the same machine.
pub(crate) fn alone_check(seen: &Problem, env: &Env) -> Check {
    env.note(&format!("{}: {}", seen.what, seen.help));
    Check { name: "alone".into(), outcome: Outcome::Warning, says: seen.what.clone() }
}

/// The checks of all hosts: each by its gravest outcome, with the hosts that have it and what the first of them say.
pub(super) fn of_hosts(documents: &[(&str, &RankDocument)]) -> Vec<Check> {
    let mut names: Vec<&str> = Vec::new();
    for check in documents.iter().flat_map(|(_, document)| &document.result.checks) {
        if !names.contains(&check.name.as_str()) {
            names.push(&check.name);
        }
    }
    names.into_iter().filter_map(|name| merged(name, documents)).collect()
}

fn gravity(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Ok => 0,
        Outcome::Unknown => 1,
        Outcome::Warning => 2,
        Outcome::Failed => 3,
    }
}

fn merged(name: &str, documents: &[(&str, &RankDocument)]) -> Option<Check> {
    let found: Vec<(&str, &Check)> = documents
        .iter()
        .flat_map(|(label, document)| document.result.checks.iter().map(move |check| (*label, check)))
        .filter(|(_, check)| check.name == name)
        .collect();
    let outcome = found.iter().map(|(_, check)| check.outcome).max_by_key(|outcome| gravity(*outcome))?;
    let worst: Vec<&(&str, &Check)> = found.iter().filter(|(_, check)| check.outcome == outcome).collect();
    let says = if outcome == Outcome::Ok {
        format!("on every host that could check: {}", Counted(found.len() as u64, "host"))
    } else {
        let labels: Vec<&str> = worst.iter().map(|(label, _)| *label).collect();
        let mut says: Vec<&str> = Vec::new();
        for (_, check) in &worst {
            if !says.contains(&check.says.as_str()) && says.len() < FEW {
                says.push(&check.says);
            }
        }
        format!("{}: {}", some_of(&labels), says.join("; "))
    };
    Some(Check { name: name.to_string(), outcome, says })
}

/// True if all ranks are in the figures, began together, and were as fast as one another.
pub(super) fn of_fleet(fleet: &Fleet) -> Vec<Check> {
    let check = |name: &str, outcome: Outcome, says: String| Check { name: name.into(), outcome, says };
    let mut checks = vec![if fleet.missing.is_empty() {
        check("ranks", Outcome::Ok, format!("all {} reported", fleet.ranks))
    } else {
        let says =
            format!("{} of {} are missing: the figures cover the others", fleet.missing.len(), fleet.ranks);
        check("ranks", Outcome::Failed, says)
    }];
    if let Some(skew) = fleet.start_skew_ms {
        let says = format!("the first I/O of the last rank came {skew:.2} ms after that of the first");
        checks.push(match skew <= SKEW_MS {
            true => check("start-skew", Outcome::Ok, says),
            false => check("start-skew", Outcome::Warning, says),
        });
    }
    if let Some(slowest) = fleet.stragglers.first() {
        let count = fleet.stragglers.len();
        let says = format!(
            "{count} of {} hosts reached less than 90 % of the median; the slowest, {}, {:.0} %",
            fleet.reported,
            slowest.host,
            slowest.of_median * 100.0
        );
        checks.push(check("stragglers", Outcome::Warning, says));
    }
    checks
}
