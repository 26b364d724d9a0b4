//! Limits that several targets share: all together, each left out, and pairs.

use iobound_units::Span;

use crate::answer::{Counts, Enforcement, Estimate, Evidence, FoundLimit, Scope};
use crate::session::{Halt, Session};
use crate::wanted::Wanted;

const TIME: Span = Span::from_ms(2_500);
/// Time in which all targets together empty a bucket that they share.
const EMPTYING: Span = Span::from_secs(8);
/// A sum that lacks more than this share of its parts is limited.
const LACKS: f64 = 0.04;

/// A target, and the depth that reaches its own rate.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alone {
    pub(crate) target: usize,
    pub(crate) depth: u32,
}

/// A target with the rate that it has alone.
#[derive(Clone, Copy, Debug)]
struct Own {
    target: usize,
    rate: f64,
    depth: u32,
}

/// The shared limits of targets.
///
/// A target that shares a limit adds less than its own rate to the others. Those that do form one group, unless two of them
/// reach their own rates together while their groups are full.
pub(crate) fn shared(
    session: &mut Session<'_>,
    alone: &[Alone],
    counts: Counts,
    scope: Scope,
    block: u32,
) -> Result<Vec<FoundLimit>, Halt> {
    let mut own = Vec::with_capacity(alone.len());
    for Alone { target, depth } in alone {
        let one = [Own { target: *target, rate: 0.0, depth: *depth }];
        own.push(Own { rate: rate(session, &one, &[0], counts, scope, block)?, ..one[0] });
    }
    let own = own.as_slice();
    let all: Vec<usize> = (0..own.len()).collect();
    // A shared bucket that is full hides its limit until it is empty; it stays empty in the experiments that follow.
    let emptying = wanted_of(own, &all, counts, scope, block);
    session.run(&emptying.step(deepest(own, &all), EMPTYING))?;
    let together = rate(session, own, &all, counts, scope, block)?;
    let sum = |of: &[usize]| of.iter().map(|at| own[*at].rate).sum::<f64>();
    if together > (1.0 - LACKS) * sum(&all) {
        return Ok(Vec::new());
    }
    let mut members = Vec::new();
    for at in &all {
        let others: Vec<usize> = all.iter().copied().filter(|other| other != at).collect();
        let without =
            if others.is_empty() { 0.0 } else { rate(session, own, &others, counts, scope, block)? };
        if together - without < (1.0 - LACKS) * own[*at].rate {
            members.push(*at);
        }
    }
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for at in members {
        let mut home = None;
        for (index, group) in groups.iter().enumerate() {
            let with = [group.as_slice(), &[at]].concat();
            let rate = rate(session, own, &with, counts, scope, block)?;
            // A larger group that is not limited yet may be by the next member: it is one group until it is shown not to be.
            if rate < (1.0 - LACKS) * sum(&with) || !is_full(group, &groups, own, together) {
                home = Some(index);
                break;
            }
        }
        match home {
            Some(index) => groups[index].push(at),
            None => groups.push(vec![at]),
        }
    }
    let mut found = Vec::new();
    for group in groups.iter().filter(|group| group.len() > 1) {
        let rate = rate(session, own, group, counts, scope, block)?;
        if rate > (1.0 - LACKS) * sum(group) {
            continue;
        }
        found.push(FoundLimit {
            counts,
            scope,
            targets: group.iter().map(|at| own[*at].target).collect(),
            per_second: Estimate::around(rate, 0.005 * rate),
            enforcement: Enforcement::Unresolved,
            burst: None,
            watched: TIME,
            evidence: Evidence::default(),
        });
    }
    Ok(found)
}

/// True if a group alone explains what all targets lack together: nothing else may join it without being shown to.
fn is_full(group: &[usize], groups: &[Vec<usize>], own: &[Own], together: f64) -> bool {
    let of = |group: &[usize]| group.iter().map(|at| own[*at].rate).sum::<f64>();
    groups.len() > 1 || of(group) > together
}

/// I/Os of some of the targets together.
fn wanted_of(own: &[Own], of: &[usize], counts: Counts, scope: Scope, block: u32) -> Wanted {
    Wanted { targets: of.iter().map(|at| own[*at].target).collect(), counts, scope, block, region: None }
}

/// The depth that reaches the own rate of each.
fn deepest(own: &[Own], of: &[usize]) -> u32 {
    of.iter().map(|at| own[*at].depth).max().unwrap_or(1)
}

/// Rate of some of the targets together.
fn rate(
    session: &mut Session<'_>,
    own: &[Own],
    of: &[usize],
    counts: Counts,
    scope: Scope,
    block: u32,
) -> Result<f64, Halt> {
    let wanted = wanted_of(own, of, counts, scope, block);
    let recording = session.run(&wanted.step(deepest(own, of), TIME))?;
    let sums = wanted.cumulative(&recording, 0.005);
    Ok(sums.rate(0.4 * sums.length(), sums.length()))
}
