//! FlowGroups of queues that keep the ratio of their weights, whatever each of them could do (fio's `flow`).
//!
//! Each queue compares its I/Os with those of the others, each by their weight. A queue that is ahead waits. At least one queue
//! of a group is never ahead, so that the group goes on. A queue may be ahead by a small part, so that they need not wait for
//! each other at every I/O.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use iobound_units::Span;

use crate::{Flow, Queue};

/// I/Os issued by the queues of a group, and the weight of the running queues.
#[derive(Debug, Default)]
struct FlowGroup {
    ios: AtomicU64,
    weight: AtomicU64,
}

/// The groups of all queues of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct FlowGroups(BTreeMap<u32, Arc<FlowGroup>>);

/// A queue may be ahead of the others by this part of what they have done, and by one I/O.
const SLACK: u128 = 32;

impl FlowGroups {
    /// The groups, with the weights of all queues that begin at once: none of them is to issue before the others are there.
    pub(crate) fn new(queues: &[Queue]) -> FlowGroups {
        let mut groups: BTreeMap<u32, FlowGroup> = BTreeMap::new();
        for (queue, flow) in queues.iter().filter_map(|queue| Some((queue, queue.flow?))) {
            let group = groups.entry(flow.group).or_default();
            let weight = if begins_at_once(queue) { u64::from(flow.weight) } else { 0 };
            *group.weight.get_mut() += weight;
        }
        FlowGroups(groups.into_iter().map(|(number, group)| (number, Arc::new(group))).collect())
    }

    pub(crate) fn member(&self, queue: &Queue) -> Option<FlowMember> {
        let Flow { group, weight, pause } = queue.flow?;
        let group = Arc::clone(self.0.get(&group).expect("groups were made for all queues of the run"));
        Some(FlowMember { group, weight: u64::from(weight), pause, own: 0, is_in: begins_at_once(queue) })
    }
}

fn begins_at_once(queue: &Queue) -> bool {
    queue.stage == 0 && queue.start_after.is_zero()
}

/// A queue's place in its group.
#[derive(Debug)]
pub struct FlowMember {
    group: Arc<FlowGroup>,
    weight: u64,
    /// Time that the queue waits before it looks again.
    pub pause: Span,
    /// The I/Os that count as the queue's.
    own: u64,
    /// Its weight is the group's already.
    is_in: bool,
}

// Relaxed: counts alone are shared, and nothing else is published with them. A queue that sees an old count waits once
// too often or once too little.
impl FlowMember {
    /// The queue begins. One that joins later begins level with the others.
    pub fn join(&mut self) {
        if std::mem::replace(&mut self.is_in, true) {
            return;
        }
        let before = self.group.weight.fetch_add(self.weight, Ordering::Relaxed);
        let ios = u128::from(self.group.ios.load(Ordering::Relaxed));
        self.own = (ios * u128::from(self.weight)).checked_div(u128::from(before)).unwrap_or(0) as u64;
        self.group.ios.fetch_add(self.own, Ordering::Relaxed);
    }

    /// The queue issues no more: the others share what is left.
    pub fn leave(&mut self) {
        self.group.weight.fetch_sub(self.weight, Ordering::Relaxed);
        self.group.ios.fetch_sub(self.own, Ordering::Relaxed);
        self.own = 0;
    }

    /// True if the queue has issued more than its share.
    pub fn is_ahead(&self) -> bool {
        let ios = u128::from(self.group.ios.load(Ordering::Relaxed));
        let weight = u128::from(self.group.weight.load(Ordering::Relaxed));
        let others = weight.saturating_sub(u128::from(self.weight));
        let own = u128::from(self.own) * others;
        let level = u128::from(self.weight) * ios.saturating_sub(u128::from(self.own));
        own > level + level / SLACK + others
    }

    /// The queue issued an I/O.
    pub fn issued(&mut self) {
        self.own += 1;
        self.group.ios.fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Job, Workload, queue::Target};
    use iobound_units::{Bytes, TargetId};

    fn members(weights: &[u32], start_after: &[Span]) -> Vec<FlowMember> {
        let jobs = weights.iter().zip(start_after).map(|(weight, start_after)| {
            let flow = Some(Flow { group: 3, weight: *weight, pause: Span::from_us(1) });
            Job { flow, start_after: *start_after, ..Job::new("job") }
        });
        let workload = Workload::new(jobs.collect(), Span::from_secs(1));
        let target = Target { name: "data".into(), id: TargetId(0), size: Bytes::gib(1), members_of: None };
        let queues = workload.queues(&[target]).expect("a gibibyte holds 4 KiB");
        let groups = FlowGroups::new(&queues);
        queues.iter().filter_map(|queue| groups.member(queue)).collect()
    }

    /// Each member in turn issues what it may, up to `burst` I/Os at a time.
    fn issue(members: &mut [FlowMember], rounds: u32, burst: u32) -> Vec<u64> {
        let mut issued = vec![0; members.len()];
        for _ in 0..rounds {
            for (member, issued) in members.iter_mut().zip(&mut issued) {
                for _ in 0..burst {
                    if member.is_ahead() {
                        break;
                    }
                    member.issued();
                    *issued += 1;
                }
            }
        }
        issued
    }

    fn in_ratio(issued: &[u64], weights: &[u64]) {
        let each = issued[0] as f64 / weights[0] as f64;
        for (issued, weight) in issued.iter().zip(weights) {
            let share = *issued as f64 / *weight as f64 / each;
            assert!((0.93..1.07).contains(&share), "{issued} for {weight}: {share}");
        }
    }

    #[test]
    fn the_members_keep_the_ratio_of_their_weights() {
        let mut members = members(&[1, 5, 10], &[Span::ZERO; 3]);
        members.iter_mut().for_each(FlowMember::join);
        in_ratio(&issue(&mut members, 20_000, 100), &[1, 5, 10]);
        let mut two = self::members(&[1, 8], &[Span::ZERO; 2]);
        in_ratio(&issue(&mut two, 20_000, 100), &[1, 8]);
    }

    #[test]
    fn who_joins_late_begins_level_and_who_leaves_frees_the_others() {
        let late = Span::from_secs(1);
        let mut members = members(&[1, 2, 3], &[Span::ZERO, Span::ZERO, late]);
        members[0].join();
        members[1].join();
        in_ratio(&issue(&mut members[..2], 100, 100), &[1, 2]);
        members[2].join();
        issue(&mut members, 100, 100);
        members.remove(1).leave();
        in_ratio(&issue(&mut members, 20_000, 100), &[1, 3]);
    }
}
