//! Limits that several targets share: all together, each left out, and pairs.

use iobound_units::Span;

use crate::answer::{Counts, Enforcement, Estimate, Evidence, FoundLimit, Scope};
use crate::session::{Halt, Session};
use crate::wanted::Wanted;

const TIME: Span = Span::from_ms(2_500);
/// Least time for which all targets together are loaded to empty a bucket that they share.
const EMPTYING: f64 = 8.0;
/// Most time for it.
const MOST_EMPTYING: f64 = 20.0;
/// A bucket that is shared is as deep as those of the targets: it is empty after this many times its depth where its limit is 10 %
/// below the sum of theirs.
const DEPTHS: f64 = 10.0;
/// Experiments at most until what another experiment left in a bucket is used.
const EMPTYING_AGAIN: usize = 4;
/// A rate that exceeds the sustained one by more than this share comes from a bucket.
const SURPLUS: f64 = 0.015;
/// A sum that lacks more than this share of its parts is limited.
const LACKS: f64 = 0.04;

/// A target, and what is known of its own limit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alone {
    pub(crate) target: usize,
    /// Depth that reaches its own rate.
    pub(crate) depth: u32,
    /// Limit that it has alone, in I/Os or bytes a second; `None` where none was found.
    pub(crate) limit: Option<f64>,
    /// Depth of its token bucket in seconds; zero where it has none.
    pub(crate) bucket: f64,
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
    for Alone { target, depth, limit, .. } in alone {
        let one = [Own { target: *target, rate: 0.0, depth: *depth }];
        let mut measured = rate(session, &one, &[0], counts, scope, block)?;
        // What its own bucket holds passes first.
        for _ in 1..EMPTYING_AGAIN {
            if limit.is_none_or(|limit| measured < (1.0 + SURPLUS) * limit) {
                break;
            }
            measured = rate(session, &one, &[0], counts, scope, block)?;
        }
        own.push(Own { rate: measured, ..one[0] });
    }
    let own = own.as_slice();
    let all: Vec<usize> = (0..own.len()).collect();
    let sum = |of: &[usize]| of.iter().map(|at| own[*at].rate).sum::<f64>();
    // A shared bucket that is full hides its limit until it is empty.
    let bucket = alone.iter().map(|one| one.bucket).fold(0.0, f64::max);
    let mut left = (DEPTHS * bucket).clamp(EMPTYING, MOST_EMPTYING);
    let mut together = f64::MAX;
    while left > 0.0 && together > (1.0 - LACKS) * sum(&all) {
        together = rate(session, own, &all, counts, scope, block)?;
        left -= TIME.secs_f64();
    }
    if together > (1.0 - LACKS) * sum(&all) {
        return Ok(Vec::new());
    }
    let together = emptied(session, own, counts, scope, block, None)?;
    let mut members = Vec::new();
    for at in &all {
        let others: Vec<usize> = all.iter().copied().filter(|other| other != at).collect();
        emptied(session, own, counts, scope, block, Some(together))?;
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
            emptied(session, own, counts, scope, block, Some(together))?;
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
        emptied(session, own, counts, scope, block, Some(together))?;
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

/// Rate of all targets together, loaded until it no longer falls. Earlier experiments leave tokens in the buckets of the targets that they
/// left out. `known`: that rate, if it was measured before.
fn emptied(
    session: &mut Session<'_>,
    own: &[Own],
    counts: Counts,
    scope: Scope,
    block: u32,
    known: Option<f64>,
) -> Result<f64, Halt> {
    let all: Vec<usize> = (0..own.len()).collect();
    let mut last = rate(session, own, &all, counts, scope, block)?;
    for _ in 1..EMPTYING_AGAIN {
        if known.is_some_and(|known| last < (1.0 + SURPLUS) * known) {
            break;
        }
        let now = rate(session, own, &all, counts, scope, block)?;
        let falls = now < (1.0 - SURPLUS) * last;
        last = now;
        if known.is_none() && !falls {
            break;
        }
    }
    Ok(last)
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
