//! The batching rule on a scripted device in virtual time: the device runs at the requested depth while it is slower than the
//! loop, and the loop saves its calls while the device is faster.

mod common;

use std::collections::VecDeque;

use common::build::{closed, for_seconds, of, run_on, target};
use iobound_drive::{Batching, Done, Engine, EngineError, Flow};
use iobound_units::{Bytes, Instant, Io, Op, Span, Tag};
use proptest::prelude::*;

/// Costs in ns.
#[derive(Clone, Copy, Debug)]
struct Costs {
    /// A call to the kernel.
    call: u64,
    /// Each I/O of a call, in the kernel.
    io: u64,
    /// Each I/O in the program.
    draw: u64,
}

const COSTS: Costs = Costs { call: 300, io: 2_000, draw: 100 };

/// Way in which a device completes I/Os.
#[derive(Clone, Copy, Debug)]
enum Service {
    /// A number of I/Os at a time, each in a number of ns.
    Parallel { channels: usize, ns: u64 },
    /// In the call that submits them.
    InCall,
}

/// An I/O at the device.
#[derive(Clone, Copy, Debug)]
struct AtDevice {
    tag: Tag,
    completes: Instant,
}

/// A device and the clock of the thread that drives it.
struct Scripted {
    costs: Costs,
    service: Service,
    /// Completions are delivered together, once so many are complete or nothing else is outstanding.
    burst: usize,
    /// `None`: all that is queued goes out in one call with the wait.
    batching: Option<Batching>,
    now: Instant,
    queued: Vec<Tag>,
    /// In order of completion.
    device: Vec<AtDevice>,
    channels: Vec<Instant>,
    /// Time at which the completions of the current batch were taken.
    taken: Instant,
    /// Number of I/Os of this batch that the kernel has accepted.
    accepted_of_batch: u64,
    calls: u64,
    accepted: u64,
    /// The integral of the number of I/Os at the device.
    at_device_ns: u128,
    /// The longest time from taking completions until the n-th I/O of the batch was accepted, divided by the time that n
    /// calls of one I/O each take.
    worst_delay: f64,
    issued: VecDeque<Instant>,
    times: Vec<(Instant, Instant)>,
}

impl Scripted {
    fn new(service: Service, burst: usize, batching: Option<Batching>) -> Scripted {
        let channels = match service {
            Service::Parallel { channels, .. } => channels,
            Service::InCall => 0,
        };
        Scripted {
            costs: COSTS,
            service,
            burst,
            batching,
            now: Instant::ZERO,
            queued: Vec::new(),
            device: Vec::new(),
            channels: vec![Instant::ZERO; channels],
            taken: Instant::ZERO,
            accepted_of_batch: 0,
            calls: 0,
            accepted: 0,
            at_device_ns: 0,
            worst_delay: 0.0,
            issued: VecDeque::new(),
            times: Vec::new(),
        }
    }

    fn spend(&mut self, ns: u64) {
        self.now += Span::from_ns(ns);
    }

    /// Times at which completions are delivered: those that are complete by then can be taken.
    fn delivery(&self) -> Option<Instant> {
        let nth = self.burst.min(self.device.len());
        self.device.get(nth.checked_sub(1)?).map(|io| io.completes)
    }

    fn waiting(&self) -> bool {
        self.delivery().is_some_and(|at| at <= self.now)
    }

    /// One call with all that is queued. The kernel gathers them and hands them to the device at its end.
    fn send(&mut self) {
        self.spend(self.costs.call + self.costs.io * self.queued.len() as u64);
        self.calls += 1;
        for tag in std::mem::take(&mut self.queued) {
            let completes = match self.service {
                Service::InCall => self.now,
                Service::Parallel { ns, .. } => {
                    let free = self.channels.iter_mut().min().expect("a device has a channel");
                    *free = (*free).max(self.now) + Span::from_ns(ns);
                    *free
                }
            };
            self.at_device_ns += u128::from(completes.since(self.now).ns());
            let place = self.device.partition_point(|io| io.completes <= completes);
            self.device.insert(place, AtDevice { tag, completes });
            self.accepted += 1;
            self.accepted_of_batch += 1;
            let alone = (self.costs.draw + self.costs.call + self.costs.io) * self.accepted_of_batch;
            self.worst_delay = self.worst_delay.max(self.now.since(self.taken).ns() as f64 / alone as f64);
        }
        for issued in self.issued.drain(..) {
            self.times.push((issued, self.now));
        }
    }

    fn send_group(&mut self) {
        let count = self.queued.len();
        self.send();
        let waiting = self.waiting();
        if let Some(batching) = &mut self.batching {
            batching.sent(count, waiting);
        }
    }
}

impl Engine for Scripted {
    fn now(&mut self) -> Instant {
        self.now
    }

    fn submit(&mut self, tag: Tag, _io: Io) {
        if self.batching.as_ref().is_some_and(|batching| self.queued.len() >= batching.group()) {
            self.send_group();
        }
        self.issued.push_back(self.now);
        self.spend(self.costs.draw);
        self.queued.push(tag);
    }

    fn issued_at(&self, _now: Instant) -> Instant {
        *self.issued.back().expect("an I/O was queued")
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        if !self.queued.is_empty() {
            if self.batching.as_ref().is_some_and(Batching::times_rest) {
                self.send_group()
            } else {
                self.send()
            }
        }
        if let Some(batching) = &mut self.batching {
            batching.next_batch();
        }
        let delivery = self.delivery().map_or(until, |at| at.min(until));
        self.now = self.now.max(delivery);
        while self.device.first().is_some_and(|io| io.completes <= self.now) {
            done.push(Done { tag: self.device.remove(0).tag, at: self.now, ok: true });
        }
        (self.taken, self.accepted_of_batch) = (self.now, 0);
        Ok(())
    }
}

/// Runs a closed loop for a second; returns the engine, the mean depth at the device, and IOPS.
fn run(depth: u32, service: Service, burst: usize, batching: Option<Batching>) -> (Scripted, f64, f64) {
    let targets = target(Bytes::gib(1));
    let make = |_| Scripted::new(service, burst, batching);
    let (end, engine) =
        run_on(&for_seconds(vec![closed(1, depth)], 1), &targets, make, &mut |_| Flow::Continue);
    let seconds = end.measured.window().secs_f64();
    let at_device = engine.at_device_ns as f64 / 1e9 / seconds;
    (engine, at_device, of(&end, Op::Read).count() as f64 / seconds)
}

fn adaptive(depth: u32) -> Option<Batching> {
    Some(Batching::adaptive(depth as usize))
}

#[test]
fn a_slow_device_runs_at_the_requested_depth() {
    // 32 at a time of 2 ms each. In one call, 32 I/Os are at the device for 2,000 of every 2,067 µs: 31.0.
    let slow = Service::Parallel { channels: 32, ns: 2_000_000 };
    let (_, whole, _) = run(32, slow, 1, None);
    assert!((30.5..31.2).contains(&whole), "{whole}");
    // Groups of eight at most: what came back together stays apart from then on.
    let (engine, depth, _) = run(32, slow, 1, adaptive(32));
    assert!(depth > 0.99 * 32.0, "{depth}");
    assert!(engine.calls < engine.accepted, "{} calls for {}", engine.calls, engine.accepted);
}

#[test]
fn a_device_that_serves_one_at_a_time_is_not_kept_waiting_for_a_batch() {
    // 10 µs an I/O, delivered 32 at a time: in one call, the device would be idle for 67 µs of every 387.
    let serial = Service::Parallel { channels: 1, ns: 10_000 };
    let (_, _, iops) = run(32, serial, 32, adaptive(32));
    let (_, _, whole) = run(32, serial, 32, None);
    // The first I/O of a batch takes 2.4 µs to the device: 32 take 322.4 µs, or 99,256 a second.
    assert!(iops > 0.98 * 99_256.0, "{iops}");
    assert!(whole < 0.88 * iops, "{whole} beside {iops}");
}

#[test]
fn a_loop_that_is_the_bottleneck_saves_its_calls() {
    for depth in [2_u32, 32, 128] {
        let (engine, _, iops) = run(depth, Service::InCall, 1, adaptive(depth));
        let a_call = engine.accepted as f64 / engine.calls as f64;
        assert!(a_call > 0.97 * f64::from(depth), "{a_call} I/Os a call at depth {depth}");
        let (_, _, best) = run(depth, Service::InCall, 1, None);
        assert!(iops > 0.99 * best, "{iops} beside {best}");
    }
}

#[test]
fn batches_become_small_again_when_the_device_becomes_slower() {
    let mut batching = Batching::adaptive(8);
    // Completions were always waiting: the loop was the bottleneck.
    batching.sent(4 * 8, true);
    batching.next_batch();
    assert!(batching.group() > 8);
    let (mut first, mut groups) = (None, 0);
    // Nothing waits any more: the next batch that is timed shows it.
    for batch in 0..256 {
        if batching.times_rest() || batching.group() == 1 {
            batching.sent(8, false);
            first.get_or_insert(batch);
        }
        batching.next_batch();
        groups += usize::from(batching.group() == 1);
    }
    assert!(first.is_some_and(|batch| batch <= 128), "{first:?}");
    assert!(groups >= 127, "{groups}");
}

#[test]
fn one_outstanding_io_is_always_a_whole_batch() {
    let mut batching = Batching::adaptive(1);
    let mut timed = 0;
    for _ in 0..1_280 {
        if batching.times_rest() {
            timed += 1;
            // The device is slower than the loop.
            batching.sent(1, false);
        }
        batching.next_batch();
    }
    assert_eq!(timed, 10, "every 128th is timed");
}

#[test]
fn one_by_one_is_one_by_one() {
    let (engine, ..) = run(16, Service::InCall, 1, Some(Batching::one_by_one()));
    assert_eq!(engine.calls, engine.accepted);
    // Each is issued when the one before was accepted, and accepted by a call of its own: 0.1 + 0.3 + 2 µs.
    assert!(engine.times.iter().all(|(issued, accepted)| accepted.since(*issued).ns() == 2_400));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// While the device is slower than the loop, an I/O is accepted at most about twice as long after its completion as a
    /// call for each I/O would take, whatever the burst. The program's latencies are those of the device.
    #[test]
    fn the_time_from_completion_to_resubmission_is_bounded(
        depth in 1u32..128, channels in 1usize..64, us in 5u64..3_000, burst in 1usize..128,
    ) {
        let burst = burst.min(depth as usize);
        // Slower than the loop, which takes 2.4 µs an I/O.
        prop_assume!(us as f64 / channels.min(depth as usize) as f64 > 4.0);
        let service = Service::Parallel { channels, ns: us * 1_000 };
        let (engine, at_device, iops) = run(depth, service, burst, adaptive(depth));
        prop_assert!(engine.worst_delay <= 2.0, "{}", engine.worst_delay);
        // Little's law: what is not at the device is between completion and acceptance, or waits for its delivery.
        if burst == 1 {
            let between = f64::from(depth) - at_device;
            let most = iops * 2.0 * 2.4e-6 * f64::from(depth);
            prop_assert!(between <= most + 0.05 * f64::from(depth), "{at_device} of {depth}");
        }
    }
}
