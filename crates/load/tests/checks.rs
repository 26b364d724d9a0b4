//! Each check of a run against an oracle: outcomes are made from recorders that were told what happened.
#![cfg(target_os = "linux")]

use std::time::SystemTime;

use iobound_drive::{EndReason, ReplayCounts, ReplayMode, Window, layout_of};
use iobound_load::checks::{Seen, checks, replay_facts, starvation};
use iobound_load::engine::{Choice, ChoiceReason, Kind};
use iobound_load::run::{Outcome, Replayed};
use iobound_measure::result::{Check, Cpu, DeviceCounters, DeviceFacts, Outcome as Verdict};
use iobound_measure::{Batches, CellId, Histogram, Recorder, ThreadMeasured, Usage};
use iobound_units::{Bytes, Instant, Op, Ppm, Rate, Span, TargetId};
use iobound_workload::{Arrivals, Job, Load, Target, Workload};

const BLOCK: u32 = 4096;

fn closed(depth: u32) -> Job {
    let mut job = Job::new("job");
    job.load = Load::Closed { depth, cap: None };
    job
}

fn open() -> Job {
    let mut job = Job::new("job");
    let rate = Rate::Ios { count: 1_000, per: Span::from_secs(1) };
    job.load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 64 };
    job
}

/// A run that is said to have happened.
struct Story {
    workload: Workload,
    outcome: Outcome,
    counters: Option<DeviceCounters>,
    devices: Vec<DeviceFacts>,
    cpu: Cpu,
    engine: Choice,
    direct: bool,
    never_written: Option<&'static str>,
    emulated: bool,
}

impl Story {
    /// Reads by a job for so many seconds: of each, when it was issued and when it completed, in ns.
    fn of(job: Job, seconds: u64, ios: impl Iterator<Item = (u64, u64)>) -> Story {
        let workload = Workload::new(vec![job], Span::from_secs(seconds));
        let targets =
            [Target { name: "disk".into(), id: TargetId(0), size: Bytes::gib(1), members_of: None }];
        let queues = workload.queues(&targets).unwrap();
        let window = Window::of(&workload, Instant::ZERO);
        let mut recorder = Recorder::new(layout_of(&workload, &queues, &targets, window, Span::from_secs(1)));
        for (issued, completed) in ios {
            let (issued, completed) = (Instant::from_ns(issued), Instant::from_ns(completed));
            recorder.record(CellId(0), Op::Read, BLOCK, issued, issued, completed, true);
        }
        let total = recorder.finish(window.until, &[]);
        let usage = Usage::default();
        let thread = ThreadMeasured {
            job: 0,
            measured: total.clone(),
            usage,
            batches: Batches::default(),
            apart: None,
        };
        let outcome = Outcome {
            total,
            threads: vec![thread],
            queues,
            reason: EndReason::Time,
            error: None,
            fault: None,
            lateness: None,
            granted: None,
            began: SystemTime::UNIX_EPOCH,
            behind: None,
            flushed: None,
            wrong: Vec::new(),
            ios: Vec::new(),
            hangs: false,
            replays: Vec::new(),
            unlogged: 0,
        };
        let engine = Choice { kind: Kind::IoUring, because: None };
        Story {
            workload,
            outcome,
            counters: None,
            devices: Vec::new(),
            cpu: Cpu::default(),
            engine,
            direct: true,
            never_written: None,
            emulated: false,
        }
    }

    fn checks(&self) -> Vec<Check> {
        checks(&Seen {
            workload: &self.workload,
            outcome: &self.outcome,
            engine: &self.engine,
            counters: self.counters.as_ref(),
            devices: &self.devices,
            cpu: &self.cpu,
            direct: self.direct,
            in_memory: None,
            never_written: self.never_written,
            emulated: self.emulated,
        })
    }

    /// What the check of this name came to; `None` where there is none.
    fn verdict(&self, name: &str) -> Option<Verdict> {
        self.checks().into_iter().find(|check| check.name == name).map(|check| check.outcome)
    }

    fn says(&self, name: &str) -> String {
        self.checks().into_iter().find(|check| check.name == name).unwrap().says
    }
}

/// `depth` slots that each issue an I/O every `period`, which takes `latency` of it, for so many seconds.
fn slots(depth: u64, period_us: u64, latency_us: u64, seconds: u64) -> impl Iterator<Item = (u64, u64)> {
    let each = seconds * 1_000_000 / period_us;
    (0..each).flat_map(move |n| {
        let at = n * period_us * 1_000;
        (0..depth).map(move |_| (at, at + latency_us * 1_000))
    })
}

fn lateness(mean_us: u64, count: u64) -> Option<Histogram> {
    let mut late = Histogram::new();
    late.record_n(mean_us * 1_000, count);
    Some(late)
}

#[test]
fn a_closed_loop_that_keeps_its_depth_obeys_littles_law() {
    // 8 slots of 1 ms, one after the other: X x R = 8,000/s x 1 ms = 8.
    let kept = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    assert_eq!(kept.verdict("littles-law"), Some(Verdict::Ok));
    assert_eq!(kept.verdict("depth"), Some(Verdict::Ok));
    assert!(kept.says("littles-law").contains("= 8.0, requested were 8"), "{}", kept.says("littles-law"));
    // Each slot idle for a tenth of the time: 7.2.
    let idle = Story::of(closed(8), 5, slots(8, 1_000, 900, 5));
    assert_eq!(idle.verdict("littles-law"), Some(Verdict::Warning));
    assert_eq!(idle.verdict("depth"), Some(Verdict::Warning));
    assert!(idle.says("depth").contains("7.2 of 8"), "{}", idle.says("depth"));
}

/// What the kernel counted in five seconds of 8,000 reads of 4 KiB a second, with this mean queue length.
fn counted(queue: f64) -> DeviceCounters {
    DeviceCounters {
        seconds: 5.0,
        reads: 40_000,
        read_bytes: 40_000 * 4096,
        queue,
        ..DeviceCounters::default()
    }
}

#[test]
fn the_depth_is_that_at_the_device() {
    // Each slot is outstanding all the time by the run's own clock; the kernel had 6.5 requests in its queue.
    let mut story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    story.counters = Some(counted(6.5));
    assert_eq!(story.verdict("depth"), Some(Verdict::Warning));
    let says = story.says("depth");
    assert!(
        says.starts_with("6.5 of 8 outstanding at the device on average, by the kernel's counters:"),
        "{says}"
    );
    assert!(says.contains("collects completed I/Os and resubmits them"), "{says}");
    story.counters = Some(counted(7.7));
    assert_eq!(story.verdict("depth"), Some(Verdict::Ok));
}

#[test]
fn counters_that_count_something_else_as_well_bound_the_depth() {
    let mut story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    let others = DeviceCounters { reads: 44_000, read_bytes: 44_000 * 4096, ..counted(6.5) };
    let split = DeviceCounters { reads: 80_000, ..counted(6.5) };
    for (counters, depth) in [
        (others, "6.5 of 8"),
        (split, "6.5 of 8"),
        // A queue of more than the run has is that of others.
        (DeviceCounters { queue: 9.0, ..others }, "8.0 of 8"),
        // Fewer requests than I/Os, and others that make up for it.
        (DeviceCounters { reads_merged: 10_000, ..others }, "8.0 of 8"),
        (DeviceCounters { reads: 30_000, ..counted(6.5) }, "8.0 of 8"),
        (DeviceCounters { seconds: 0.5, ..counted(6.5) }, "8.0 of 8"),
    ] {
        story.counters = Some(counters);
        assert!(story.says("depth").starts_with(depth), "{}", story.says("depth"));
    }
    // Buffered I/O is at the device when the page cache says so.
    (story.counters, story.direct) = (Some(counted(6.5)), false);
    assert!(story.says("depth").starts_with("8.0 of 8"), "{}", story.says("depth"));
}

#[test]
fn time_in_the_submitting_call_is_no_time_at_the_device() {
    // 8,000 I/Os a second, of which each takes 100 µs until the kernel has it: 0.8 of the 8 are not at the device.
    let mut story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    let batches = &mut story.outcome.threads[0].batches;
    (batches.timed, batches.timed_ns) = (1_000, 1_000 * 100_000);
    assert_eq!(story.verdict("depth"), Some(Verdict::Warning));
    assert!(story.says("depth").starts_with("7.2 of 8 outstanding at the device"), "{}", story.says("depth"));
}

#[test]
fn littles_law_says_nothing_of_a_few_ios_or_of_loops_that_wait_by_themselves() {
    // 100 for each slot are asked for.
    assert_eq!(Story::of(closed(8), 1, slots(8, 20_000, 18_000, 1)).verdict("littles-law"), None);
    let mut capped = closed(8);
    capped.load = Load::Closed { depth: 8, cap: Some(Rate::Ios { count: 10, per: Span::from_secs(1) }) };
    assert_eq!(Story::of(capped, 5, slots(8, 1_000, 100, 5)).verdict("littles-law"), None);
    assert_eq!(Story::of(open(), 5, slots(1, 1_000, 100, 5)).verdict("littles-law"), None);
}

#[test]
fn an_open_loop_that_goes_out_late_is_said_to() {
    // 5 % of 1 ms are 50 µs.
    let mut story = Story::of(open(), 5, slots(1, 1_000, 1_000, 5));
    for (late_us, verdict) in [(0, Verdict::Ok), (49, Verdict::Ok), (51, Verdict::Warning)] {
        story.outcome.lateness = lateness(late_us, 5_000);
        assert_eq!(story.verdict("schedule"), Some(verdict), "{late_us} µs");
    }
    assert!(story.says("schedule").contains("5.1 % of their latency"), "{}", story.says("schedule"));
    // However slow the target is, 100 µs are the most.
    let mut slow = Story::of(open(), 5, slots(1, 10_000, 10_000, 5));
    slow.outcome.lateness = lateness(99, 500);
    assert_eq!(slow.verdict("schedule"), Some(Verdict::Ok));
    slow.outcome.lateness = lateness(101, 500);
    assert_eq!(slow.verdict("schedule"), Some(Verdict::Warning));
    // The 99th percentile of 500 would be the fifth largest.
    assert!(!slow.says("schedule").contains("the latest 1 %"), "{}", slow.says("schedule"));
}

/// A replay of 4,000 I/Os recorded within 4 s, the last of which was issued after so long.
fn replayed(last_issue: Span) -> Replayed {
    let counts = ReplayCounts {
        issued: 4_000,
        recorded: Span::from_secs(4),
        last_issue,
        complete: true,
        ..ReplayCounts::default()
    };
    Replayed {
        thread: 0,
        job: "monday.trace".into(),
        mode: ReplayMode::Timed,
        speed: Ppm::ONE,
        most_outstanding: 16_384,
        counts: Some(counts),
        lasts: Span::from_secs(4),
        recorded: Histogram::new(),
    }
}

#[test]
fn the_rate_of_a_replay_is_that_of_its_issues() {
    // The IOPS are of 5 s: the last second was needed to serve what had been issued.
    let mut story = Story::of(open(), 5, slots(1, 1_000, 1_000, 4));
    for (last_issue, rate, verdict) in [
        (Span::from_secs(4), 1.0, Verdict::Ok),
        (Span::from_ms(4_030), 0.9926, Verdict::Ok),
        (Span::from_ms(4_100), 0.9756, Verdict::Warning),
    ] {
        story.outcome.replays = vec![replayed(last_issue)];
        let facts = replay_facts(&story.outcome.replays[0]).expect("facts");
        assert_eq!((facts.rate, facts.recorded_s), (Some(rate), 4.0));
        assert_eq!(story.verdict("replay"), Some(verdict), "{last_issue}");
    }
    assert!(story.says("replay").contains("the program issued late"));
    // The bound is named with the I/Os that hit it, whatever the rate.
    let mut held = replayed(Span::from_secs(4));
    held.counts = held.counts.map(|counts| ReplayCounts { held_back: 1_500, ..counts });
    story.outcome.replays = vec![held];
    assert_eq!(story.verdict("replay"), Some(Verdict::Ok));
    let says = story.says("replay");
    assert!(says.contains("1,500 I/Os waited because 16,384 others were outstanding"), "{says}");
    // A trace has no threads and no rate to change.
    story.outcome.lateness = lateness(300, 200);
    assert_eq!(story.verdict("schedule"), Some(Verdict::Warning));
    let says = story.says("schedule");
    assert!(
        says.contains("lower speed") && !says.contains("--threads") && !says.contains("--rate"),
        "{says}"
    );
}

#[test]
fn the_schedule_of_a_closed_loop_or_of_a_few_ios_is_no_finding() {
    let mut story = Story::of(open(), 1, slots(1, 10_000, 1_000, 1));
    story.outcome.lateness = lateness(10_000, 99);
    assert_eq!(story.verdict("schedule"), None);
    assert_eq!(Story::of(closed(1), 5, slots(1, 1_000, 1_000, 5)).verdict("schedule"), None);
}

#[test]
fn kernel_counters_are_compared_by_the_second() {
    // 8,000/s of 4 KiB are 32.8 MB/s; I/O goes on beyond the counted time, so that the looks need not be at its edges.
    let mut story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    story.workload.warmup = Span::from_secs(1);
    let counted = |share: f64| {
        let read_bytes = (8_000.0 * 4096.0 * 10.0 * share) as u64;
        Some(DeviceCounters {
            seconds: 10.0,
            read_bytes,
            reads: read_bytes / 4096,
            ..DeviceCounters::default()
        })
    };
    for (share, verdict) in
        [(1.0, Verdict::Ok), (0.96, Verdict::Ok), (0.5, Verdict::Failed), (1.5, Verdict::Warning)]
    {
        story.counters = counted(share);
        assert_eq!(story.verdict("kernel-counters"), Some(verdict), "{share} of it at the device");
    }
    story.counters = None;
    assert_eq!(story.verdict("kernel-counters"), Some(Verdict::Unknown));
}

#[test]
fn the_time_that_setting_up_takes_is_not_the_devices() {
    // Looked at half a second before the first I/O: 40,000 reads are 40,000 reads.
    let mut story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    let read_bytes = 40_000 * 4096;
    story.counters = Some(DeviceCounters { seconds: 5.5, read_bytes, ..DeviceCounters::default() });
    assert_eq!(story.verdict("kernel-counters"), Some(Verdict::Ok), "{}", story.says("kernel-counters"));
}

#[test]
fn an_io_larger_than_the_largest_request_is_split() {
    let device = |kib| {
        let targets = vec!["disk".into()];
        vec![DeviceFacts {
            name: "sda".into(),
            targets,
            max_request_kib: Some(kib),
            ..DeviceFacts::default()
        }]
    };
    let mut job = closed(8);
    job.mix[0].block = 1 << 20;
    let mut story = Story::of(job, 5, slots(8, 1_000, 1_000, 5));
    // 1,024 KiB in parts of 1,280, 512 and 500: 1, 2 and 3.
    story.devices = device(1_280);
    assert_eq!(story.verdict("splits"), Some(Verdict::Ok));
    for (kib, requests) in [(512, 2), (500, 3)] {
        story.devices = device(kib);
        assert_eq!(story.verdict("splits"), Some(Verdict::Warning));
        assert!(story.says("splits").contains(&format!("is {requests} requests to sda")));
    }
    // 40,000 I/Os, and 120,000 requests.
    story.counters = Some(DeviceCounters { seconds: 5.5, reads: 120_000, ..DeviceCounters::default() });
    assert!(story.says("splits").contains("counted 3.0 an I/O"), "{}", story.says("splits"));
    // The page cache makes requests of its own.
    story.direct = false;
    assert_eq!(story.verdict("splits"), None);
    story.direct = true;
    story.devices = vec![DeviceFacts { name: "sda".into(), ..DeviceFacts::default() }];
    assert_eq!(story.verdict("splits"), None, "what is not known is not said");
}

/// One slot of so many I/Os a second in each second.
fn by_second(rates: impl Iterator<Item = u64>) -> impl Iterator<Item = (u64, u64)> {
    rates.enumerate().flat_map(|(second, rate)| {
        let period = 1_000_000_000 / rate;
        let begin = second as u64 * 1_000_000_000;
        (0..rate).map(move |n| (begin + n * period, begin + (n + 1) * period))
    })
}

#[test]
fn a_run_that_settled_after_counting_began_was_not_warm() {
    // 20 s at half the rate, then 40 s: MSER-5 cuts at 20.
    let rates = || (0..60).map(|second| if second < 20 { 50 } else { 100 });
    let cold = Story::of(closed(1), 60, by_second(rates()));
    assert_eq!(cold.verdict("warm-up"), Some(Verdict::Warning));
    let says = cold.says("warm-up");
    assert!(says.contains("steady 20 s") && says.contains("50 IOPS") && says.contains("100 from"), "{says}");
    let level = Story::of(closed(1), 60, by_second((0..60).map(|_| 100)));
    assert_eq!(level.verdict("warm-up"), Some(Verdict::Ok));
    // A hundredth is no warm-up, and a short series says nothing.
    let nearly = Story::of(closed(1), 60, by_second((0..60).map(|s| if s < 20 { 99 } else { 100 })));
    assert_eq!(nearly.verdict("warm-up"), Some(Verdict::Ok));
    assert_eq!(Story::of(closed(1), 20, by_second(rates().take(20))).verdict("warm-up"), None);
}

#[test]
fn a_thread_that_is_always_on_a_processor_binds() {
    let mut story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    for (ms, verdict) in [(4_400, Verdict::Ok), (4_600, Verdict::Warning)] {
        // Nine tenths of 5 s are 4.5.
        let usage = Usage { user: Span::from_ms(ms / 2), system: Span::from_ms(ms / 2), ..Usage::default() };
        story.outcome.threads[0].usage = usage;
        assert_eq!(story.verdict("client-cpu"), Some(verdict), "{ms} ms");
    }
}

#[test]
fn a_client_without_processor_time_is_said_to_be_starved() {
    let mut story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    let usage = |waited_ms: u64| Usage {
        user: Span::from_ms(500),
        waited: Some(Span::from_ms(waited_ms)),
        ..Usage::default()
    };
    // A tenth of 5 s.
    story.outcome.threads[0].usage = usage(490);
    assert_eq!(story.verdict("client-cpu"), Some(Verdict::Ok));
    assert_eq!(story.verdict("depth"), Some(Verdict::Ok));
    assert_eq!(starvation(&story.outcome, Some(0.01)), None);
    assert_eq!(starvation(&story.outcome, Some(0.25)), Some(0.5 / 0.99 * 0.75));
    story.outcome.threads[0].usage = usage(1_500);
    assert_eq!(story.verdict("client-cpu"), Some(Verdict::Warning));
    assert!(story.says("client-cpu").starts_with("the client got 25 % of the processor time it wanted:"));
    // Outstanding I/Os may have waited for the client, and no counter says how many did.
    assert_eq!(story.verdict("depth"), None);
    assert_eq!(starvation(&story.outcome, None), Some(0.25));
}

#[test]
fn a_hypervisor_that_takes_the_processors_is_said_to() {
    let mut story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    for (steal, verdict) in
        [(None, None), (Some(0.05), Some(Verdict::Ok)), (Some(0.06), Some(Verdict::Warning))]
    {
        story.cpu.steal = steal;
        assert_eq!(story.verdict("steal"), verdict);
    }
}

#[test]
fn percentiles_end_where_ten_ios_lie_above() {
    // 40,000 I/Os: p99.9 needs 10,000, p99.99 100,000.
    let story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    assert!(story.says("percentiles").contains("40000 I/Os support percentiles up to p99.9;"));
    let few = Story::of(closed(1), 1, slots(1, 100_000, 100_000, 1));
    assert!(
        few.says("percentiles").contains("too few for any percentile: 10 I/Os"),
        "{}",
        few.says("percentiles")
    );
}

#[test]
fn an_engine_that_is_not_the_fastest_says_why() {
    let mut story = Story::of(closed(1), 1, slots(1, 1_000, 1_000, 1));
    assert_eq!(story.verdict("engine"), Some(Verdict::Ok));
    let why = "io_uring is not available".to_string();
    story.engine = Choice { kind: Kind::Sync, because: Some(ChoiceReason::LeftOver(why)) };
    assert_eq!(story.verdict("engine"), Some(Verdict::Warning));
    let why = "the disk takes no I/O without waiting".to_string();
    story.engine = Choice { kind: Kind::Libaio, because: Some(ChoiceReason::Suits(why)) };
    assert_eq!(story.verdict("engine"), Some(Verdict::Ok));
    assert!(story.says("engine").contains("through libaio: the disk takes no I/O without waiting"));
}

#[test]
fn a_depth_that_waits_in_the_call_that_submits_is_not_achieved() {
    // Eight slots of 1 ms for 5 s: 40,000 I/Os, all eight outstanding all the time.
    let mut story = Story::of(closed(8), 5, slots(8, 1_000, 1_000, 5));
    let looks = |size: usize, count: u64| {
        let mut batches = Batches::default();
        batches.completed[Batches::bucket(size)] = count;
        batches
    };
    story.engine = Choice { kind: Kind::Libaio, because: None };
    // In 10,000 looks, four at a time: the others were still on their way.
    story.outcome.threads[0].batches = looks(4, 10_000);
    assert_eq!(story.verdict("depth"), Some(Verdict::Ok));
    // In 5,000, all eight at each.
    story.outcome.threads[0].batches = looks(8, 5_000);
    assert_eq!(story.verdict("depth"), Some(Verdict::Warning));
    assert!(story.says("depth").contains("more --threads"), "{}", story.says("depth"));
    // Once asleep for each I/O.
    story.outcome.threads[0].usage.context_switches = 40_000;
    assert!(story.says("depth").contains("--engine io_uring"), "{}", story.says("depth"));
    // io_uring issues from the call too, and its workers wait elsewhere.
    story.engine.kind = Kind::IoUring;
    assert_eq!(story.verdict("depth"), Some(Verdict::Ok));
    // A device that completes all eight in one burst: submission took 10 µs of their 1,000.
    story.engine.kind = Kind::Libaio;
    let batches = &mut story.outcome.threads[0].batches;
    (batches.timed, batches.timed_ns) = (1_000, 1_000 * 10_000);
    assert_eq!(story.verdict("depth"), Some(Verdict::Ok));
}

#[test]
fn a_run_in_which_nothing_completed_has_no_figures() {
    let none = Story::of(closed(8), 1, std::iter::empty());
    assert_eq!(none.verdict("completed"), Some(Verdict::Failed));
    let one = Story::of(closed(1), 1, std::iter::once((0, 1_000)));
    assert_eq!(one.verdict("completed"), None);
}

#[test]
fn what_was_never_written_is_a_failure_unless_an_emulated_disk_takes_its_time_for_it() {
    let mut story = Story::of(closed(1), 1, std::iter::empty());
    assert_eq!(story.verdict("written"), Some(Verdict::Ok));
    story.never_written = Some("sdb: it was never written");
    assert_eq!(story.verdict("written"), Some(Verdict::Failed));
    // One real target that was not written is enough.
    story.emulated = true;
    assert_eq!(story.verdict("written"), Some(Verdict::Failed));
    story.never_written = None;
    assert_eq!(story.verdict("written"), Some(Verdict::Ok));
    assert!(
        story.says("written").contains("emulated disk") && story.says("device").contains("emulated disk")
    );
}
