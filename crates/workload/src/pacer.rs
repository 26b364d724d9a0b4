//! Issue times of a queue's I/Os: caps, pauses and the intended times of an open loop.

use iobound_units::{Instant, Io, Op, Rate, Span};

use crate::arrivals::Schedule;
use crate::cap::{CapOf, HeldBack};
use crate::queue::{Queue, QueueLoad};
use crate::random::Random;
use crate::{Arrivals, Job, Think, Workload};

/// A cap makes up for what was missed in this time and for no more (fio's `rate_cycle`).
const CATCH_UP: Span = Span::from_secs(1);

/// Beyond so many, the intended times of a Poisson process are counted by their mean: within 0.1 %.
const MOST_DRAWN: u64 = 1 << 20;

/// Marks the keys of arrivals, so that they differ from those of offsets.
const ARRIVALS: u64 = 0xa441_7a15;

/// Tells a queue when it may issue.
#[derive(Clone, Debug)]
pub struct Pacer {
    pace: Pace,
    pauses: Option<Pauses>,
}

#[derive(Clone, Debug)]
enum Pace {
    Free,
    Capped {
        schedule: Schedule,
        next: Instant,
    },
    /// Operations have caps of their own; what has none is never held back.
    CappedOps {
        caps: Box<[OpCap]>,
        all: bool,
    },
    Even {
        schedule: Schedule,
        next: Instant,
    },
    Poisson {
        schedule: Schedule,
        next: Instant,
        random: Random,
    },
}

/// The cap of one operation.
#[derive(Clone, Debug)]
struct OpCap {
    op: Op,
    schedule: Schedule,
    next: Instant,
}

#[derive(Clone, Copy, Debug)]
struct Pauses {
    think: Think,
    /// I/Os of the burst that are still to be issued.
    left: u64,
    outstanding: u64,
    /// End of the pause; [`Instant::MAX`] while completions are awaited.
    until: Instant,
}

impl Workload {
    /// The pacer of a queue that begins at `start` (its stage's start and [`Queue::start_after`]).
    pub fn pacer(&self, queue: &Queue, start: Instant) -> Pacer {
        Pacer::new(&self.jobs[usize::from(queue.job)], queue, self.seed, start)
    }
}

impl Pacer {
    fn new(job: &Job, queue: &Queue, seed: u64, start: Instant) -> Pacer {
        let pace = match queue.load {
            QueueLoad::Closed { cap: None } => Pace::Free,
            QueueLoad::Closed { cap: Some(rate) } => match queue.cap_of {
                None => Pace::Capped { schedule: Schedule::new(rate, 1), next: start },
                Some(CapOf::One(op)) => {
                    let cap = OpCap { op, schedule: Schedule::new(rate, 1), next: start };
                    Pace::CappedOps { caps: Box::new([cap]), all: false }
                }
                Some(CapOf::Each) => {
                    let cap = |(op, part, whole)| OpCap {
                        op,
                        schedule: Schedule::of_part(rate, part, whole),
                        next: start,
                    };
                    Pace::CappedOps { caps: job.parts_of(rate).into_iter().map(cap).collect(), all: true }
                }
            },
            QueueLoad::Open { rate, arrivals: Arrivals::Fixed, turn, of } => {
                // The queues' times interleave: together they are those of one queue with the whole rate.
                let mut schedule = Schedule::new(rate, of);
                let next = start + schedule.delay(turn, of, job.mean_block() as u32);
                Pace::Even { schedule, next }
            }
            QueueLoad::Open { rate, arrivals: Arrivals::Poisson, of, .. } => {
                let target = queue.extents[0].target;
                let of_queue =
                    [seed, u64::from(queue.job), u64::from(queue.thread), u64::from(target.0), ARRIVALS];
                let mut random = Random::keyed(&of_queue);
                let mut schedule = Schedule::new(rate, of);
                let next = start + schedule.exponential_step(job.mean_block() as u32, &mut random);
                Pace::Poisson { schedule, next, random }
            }
        };
        let pauses =
            queue.think.map(|think| Pauses { think, left: think.burst, outstanding: 0, until: start });
        Pacer { pace, pauses }
    }

    /// The earliest time of the next I/O. In an open loop it is the intended time, from which its latency counts,
    /// and may long be past. [`Instant::MAX`]: not before a completion.
    #[inline]
    pub fn next_allowed(&self) -> Instant {
        let paced = match &self.pace {
            Pace::Free | Pace::CappedOps { all: false, .. } => Instant::ZERO,
            Pace::CappedOps { caps, .. } => caps.iter().map(|cap| cap.next).min().unwrap_or(Instant::ZERO),
            Pace::Capped { next, .. } | Pace::Even { next, .. } | Pace::Poisson { next, .. } => *next,
        };
        self.pauses.map_or(paced, |pauses| paced.max(pauses.until))
    }

    /// Operations that may not be issued at `now`, never all of the mix.
    #[inline]
    pub fn held_back(&self, now: Instant) -> HeldBack {
        let Pace::CappedOps { caps, all } = &self.pace else { return HeldBack::default() };
        // The operation whose turn comes first may always go, so that a caller that is early issues it.
        let first = caps.iter().map(|cap| cap.next).min().filter(|_| *all);
        let held = caps.iter().filter(|cap| cap.next > now && Some(cap.next) != first);
        held.fold(HeldBack::default(), |held, cap| held.and(cap.op))
    }

    /// An I/O was issued at `at`. Flushes cost no time at any rate and are in no burst.
    #[inline]
    pub fn issued(&mut self, at: Instant, io: &Io) {
        let counts = io.len > 0;
        if let Some(pauses) = &mut self.pauses {
            pauses.issued(at, counts);
        }
        if !counts {
            return;
        }
        match &mut self.pace {
            Pace::Free => {}
            Pace::Capped { schedule, next } => *next = caught_up(*next, at) + schedule.step(io.len),
            Pace::CappedOps { caps, .. } => {
                if let Some(cap) = caps.iter_mut().find(|cap| cap.op == io.op) {
                    cap.next = caught_up(cap.next, at) + cap.schedule.step(io.len);
                }
            }
            Pace::Even { schedule, next } => *next += schedule.step(io.len),
            Pace::Poisson { schedule, next, random } => *next += schedule.exponential_step(io.len, random),
        }
    }

    /// Number of I/Os of `len` bytes that an open loop will issue between now and `until`; none in a closed loop.
    pub fn intended_before(&self, until: Instant, len: u32) -> u64 {
        match &self.pace {
            Pace::Free | Pace::Capped { .. } | Pace::CappedOps { .. } => 0,
            Pace::Even { schedule, next } => schedule.times_before(until.since(*next), len),
            Pace::Poisson { schedule, next, random } => {
                let (mut schedule, mut next, mut random) = (schedule.clone(), *next, random.clone());
                let mut count = 0;
                while next < until && count < MOST_DRAWN {
                    next += schedule.exponential_step(len, &mut random);
                    count += 1;
                }
                schedule.times_before(until.since(next), len).saturating_add(count)
            }
        }
    }

    /// An I/O of the queue completed at `at`.
    #[inline]
    pub fn completed(&mut self, at: Instant) {
        if let Some(pauses) = &mut self.pauses {
            pauses.completed(at);
        }
    }
}

/// The next time of a cap at `at`, where not more than [`CATCH_UP`] is made up for.
#[inline]
fn caught_up(next: Instant, at: Instant) -> Instant {
    next.max(Instant::from_ns(at.ns().saturating_sub(CATCH_UP.ns())))
}

impl Job {
    /// The operations of the mix but flushes, each with its part of a rate: the numerator and the denominator. Parts of
    /// a rate of bytes are parts of the bytes.
    pub(crate) fn parts_of(&self, rate: Rate) -> Vec<(Op, u32, u32)> {
        let amount = |op: Op| -> u128 {
            let own = self.mix.iter().filter(|share| share.op == op);
            own.map(|share| match rate {
                Rate::Ios { .. } => u128::from(share.weight),
                Rate::Bytes { .. } => u128::from(share.weight) * u128::from(share.block),
            })
            .sum()
        };
        let moves_data = Op::ALL.into_iter().filter(|op| *op != Op::Flush);
        let amounts: Vec<(Op, u128)> =
            moves_data.map(|op| (op, amount(op))).filter(|(_, amount)| *amount > 0).collect();
        let sum: u128 = amounts.iter().map(|(_, amount)| amount).sum();
        // 32 bits keep a rate to a thousand-millionth.
        let dropped = (128 - sum.leading_zeros()).saturating_sub(32);
        let part = |amount: u128| ((amount >> dropped) as u32).max(1);
        amounts.iter().map(|(op, amount)| (*op, part(*amount), part(sum))).collect()
    }
}

impl Pauses {
    fn issued(&mut self, at: Instant, counts: bool) {
        self.outstanding += 1;
        self.left -= u64::from(counts);
        if self.left == 0 && self.until != Instant::MAX {
            if self.think.after_completion {
                self.until = Instant::MAX;
            } else {
                self.until = at + self.think.time;
                self.left = self.think.burst;
            }
        }
    }

    fn completed(&mut self, at: Instant) {
        self.outstanding -= 1;
        if self.outstanding == 0 && self.until == Instant::MAX {
            self.until = at + self.think.time;
            self.left = self.think.burst;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Load, Share, Target};
    use iobound_units::{Bytes, TargetId};

    fn pacers(job: Job) -> Vec<Pacer> {
        let workload = Workload::new(vec![job], Span::from_secs(1));
        let target = Target { name: "data".into(), id: TargetId(0), size: Bytes::gib(1), members_of: None };
        let queues = workload.queues(&[target]).unwrap();
        queues.iter().map(|queue| workload.pacer(queue, Instant::ZERO)).collect()
    }

    fn iops(count: u64) -> Rate {
        Rate::Ios { count, per: Span::from_secs(1) }
    }

    fn read(len: u32) -> Io {
        Io::read(TargetId(0), 0, len)
    }

    fn ms(n: u64) -> Instant {
        Instant::ZERO + Span::from_ms(n)
    }

    fn open(rate: Rate, arrivals: Arrivals, threads: u32) -> Job {
        let mut job = Job::new("open");
        job.threads = threads;
        job.load = Load::Open { rate, arrivals, depth: 8 };
        job
    }

    #[test]
    fn fixed_arrivals_of_several_threads_interleave_as_those_of_one() {
        let mut times: Vec<u64> = Vec::new();
        for mut pacer in pacers(open(iops(7_500), Arrivals::Fixed, 3)) {
            for _ in 0..100 {
                times.push(pacer.next_allowed().ns());
                pacer.issued(Instant::ZERO, &read(4_096));
            }
        }
        times.sort_unstable();
        let exact: Vec<u64> = (0..300).map(|n| n * 1_000_000_000 / 7_500).collect();
        assert_eq!(times, exact);
    }

    #[test]
    fn each_operation_of_a_mix_keeps_its_own_cap() {
        let share = |op: Op, weight: u32| Share { weight, op, block: 4_096, random: None, align: None };
        for weights in [(7, 3), (1, 3), (1, 1), (99, 1)] {
            let mut job = Job::new("mixed");
            job.mix = vec![share(Op::Read, weights.0), share(Op::Write, weights.1)];
            let sum = u64::from(weights.0 + weights.1);
            job.load = Load::Closed { depth: 1, cap: Some(iops(100 * sum)) };
            job.cap_of = Some(CapOf::Each);
            let workload = Workload::new(vec![job], Span::from_secs(1));
            let target =
                Target { name: "data".into(), id: TargetId(0), size: Bytes::gib(1), members_of: None };
            let queue = workload.queues(&[target]).unwrap().remove(0);
            let mut pacer = workload.pacer(&queue, Instant::ZERO);
            let mut generator = workload.generators(&[queue]).remove(0);
            let mut counts = [0_u64; 4];
            loop {
                let now = pacer.next_allowed();
                if now >= ms(10_000) {
                    break;
                }
                let io = generator.next_other_than(pacer.held_back(now));
                pacer.issued(now, &io);
                counts[io.op as usize] += 1;
                let most = |weight: u32| (u64::from(weight) * 100 * now.ns()).div_ceil(1_000_000_000) + 1;
                assert!(
                    counts[0] <= most(weights.0) && counts[1] <= most(weights.1),
                    "{counts:?} at {now:?}"
                );
            }
            assert_eq!(counts[..2], [u64::from(weights.0) * 1_000, u64::from(weights.1) * 1_000]);
        }
    }

    #[test]
    fn what_is_still_intended_is_counted_as_if_gone_through() {
        for arrivals in [Arrivals::Fixed, Arrivals::Poisson] {
            for mut pacer in pacers(open(iops(7_500), arrivals, 3)) {
                let counted = pacer.intended_before(ms(1_000), 4_096);
                let mut gone_through = 0;
                while pacer.next_allowed() < ms(1_000) {
                    pacer.issued(ms(1_000), &read(4_096));
                    gone_through += 1;
                }
                assert_eq!(counted, gone_through);
                assert_eq!(pacer.intended_before(ms(1_000), 4_096), 0);
            }
        }
    }

    #[test]
    fn what_is_intended_at_any_rate_is_counted_at_once() {
        for arrivals in [Arrivals::Fixed, Arrivals::Poisson] {
            let pacer = pacers(open(iops(1_000_000_000_000), arrivals, 1)).remove(0);
            let counted = pacer.intended_before(ms(1_000), 4_096);
            assert!(counted.abs_diff(1_000_000_000_000) < 2_000_000_000, "{counted}");
        }
    }

    #[test]
    fn an_open_loop_in_bytes_takes_the_length_of_each_io() {
        let rate = Rate::Bytes { count: 1_000_000, per: Span::from_secs(1) };
        let mut pacer = pacers(open(rate, Arrivals::Fixed, 1)).remove(0);
        pacer.issued(Instant::ZERO, &read(4_000));
        assert_eq!(pacer.next_allowed(), ms(4));
        pacer.issued(Instant::ZERO, &read(64_000));
        assert_eq!(pacer.next_allowed(), ms(68));
    }

    #[test]
    fn poisson_arrivals_of_all_threads_add_up_to_the_rate() {
        let second = Instant::ZERO + Span::from_secs(10);
        let mut count = 0u32;
        for mut pacer in pacers(open(iops(5_000), Arrivals::Poisson, 4)) {
            while pacer.next_allowed() < second {
                pacer.issued(Instant::ZERO, &read(4_096));
                count += 1;
            }
        }
        // 50,000 with a deviation of 224.
        assert!(count.abs_diff(50_000) < 1_120, "{count}");
    }

    #[test]
    fn a_cap_makes_up_for_a_second_and_no_more() {
        let mut job = Job::new("capped");
        job.load = Load::Closed { depth: 1, cap: Some(iops(100)) };
        let mut pacer = pacers(job).remove(0);
        pacer.issued(ms(0), &read(4_096));
        assert_eq!(pacer.next_allowed(), ms(10));
        // Five milliseconds late, the next is where it would have been.
        pacer.issued(ms(15), &read(4_096));
        assert_eq!(pacer.next_allowed(), ms(20));
        // An hour late, a hundred may follow at once, as in the last second.
        let late = ms(3_600_000);
        let mut at_once = 0;
        while pacer.next_allowed() <= late {
            pacer.issued(late, &read(4_096));
            at_once += 1;
        }
        assert_eq!(at_once, 101);
    }

    #[test]
    fn a_pause_begins_at_the_issue_of_the_last_of_a_burst() {
        let mut job = Job::new("iometer");
        job.think = Some(Think { burst: 2, time: Span::from_ms(50), after_completion: false });
        let mut pacer = pacers(job).remove(0);
        pacer.issued(ms(1), &read(4_096));
        assert!(pacer.next_allowed() <= ms(1));
        pacer.issued(ms(2), &read(4_096));
        assert_eq!(pacer.next_allowed(), ms(52));
        pacer.completed(ms(3));
        pacer.issued(ms(52), &read(4_096));
        assert!(pacer.next_allowed() <= ms(52));
    }

    #[test]
    fn a_pause_after_completion_waits_for_all_of_the_burst() {
        let mut job = Job::new("fio");
        job.think = Some(Think { burst: 2, time: Span::from_ms(50), after_completion: true });
        let mut pacer = pacers(job).remove(0);
        pacer.issued(ms(1), &read(4_096));
        pacer.issued(ms(2), &read(4_096));
        assert_eq!(pacer.next_allowed(), Instant::MAX);
        pacer.completed(ms(7));
        assert_eq!(pacer.next_allowed(), Instant::MAX);
        pacer.completed(ms(9));
        assert_eq!(pacer.next_allowed(), ms(59));
    }

    #[test]
    fn a_flush_costs_nothing_at_a_cap() {
        let mut job = Job::new("log");
        job.load = Load::Closed { depth: 1, cap: Some(iops(100)) };
        let mut pacer = pacers(job).remove(0);
        pacer.issued(ms(0), &Io::flush(TargetId(0)));
        assert_eq!(pacer.next_allowed(), ms(0));
    }
}
