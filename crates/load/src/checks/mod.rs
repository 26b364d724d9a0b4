//! Findings about a run itself: whether its figures mean what they seem to. One function a check, each with its
//! bound.

mod replay;
mod schedule;
mod splits;

pub use replay::replay_facts;

use iobound_measure::percentile::{SHOWN, supported};
use iobound_measure::result::{Check, Cpu, DeviceCounters, DeviceFacts, Outcome as Verdict};
use iobound_measure::{Measured, ThreadMeasured};
use iobound_measure::{MeasuredJob, MeasuredOp};
use iobound_units::{Counted, Instant, Op, Span};
use iobound_workload::{Load, Workload};

use crate::engine::{Choice, ChoiceReason, Kind};
use crate::run::Outcome;

/// Input of the checks.
#[derive(Clone, Copy)]
pub struct Seen<'a> {
    /// The request.
    pub workload: &'a Workload,
    /// The events.
    pub outcome: &'a Outcome,
    /// The engine, and why it is not the fastest.
    pub engine: &'a Choice,
    /// The kernel's counters of all devices below the targets together; `None` if it has none.
    pub counters: Option<&'a DeviceCounters>,
    /// Known facts about each of these devices.
    pub devices: &'a [DeviceFacts],
    /// Processor time.
    pub cpu: &'a Cpu,
    /// I/O goes past the page cache.
    pub direct: bool,
    /// Some target lies in memory, and why that is known.
    pub in_memory: Option<&'a str>,
    /// Some target has parts that were never written, and why that is known.
    pub never_written: Option<&'a str>,
    /// Some target is an emulated disk: its reads take their time whatever was written.
    pub emulated: bool,
}

/// N = X × R may be off by this share.
const LITTLE: f64 = 0.05;
/// The kernel's counters and ours may differ by this share.
const COUNTERS: f64 = 0.05;
/// A thread that runs for this share of the time cannot issue more I/Os.
const CPU_BOUND: f64 = 0.90;
/// A thread that waits for a processor for this share of the time issues its I/Os late.
const STARVED: f64 = 0.10;
/// The hypervisor may take this share of the processors' time.
const STEAL: f64 = 0.05;

/// All checks, in the order in which they are shown.
pub fn checks(seen: &Seen) -> Vec<Check> {
    let mut checks = vec![engine(seen)];
    checks.extend(completed(seen));
    checks.extend(little(seen));
    checks.extend(depth(seen));
    checks.extend(schedule::schedule(seen));
    checks.extend(replay::replay(seen));
    checks.extend(kernel_counters(seen));
    checks.extend(splits::splits(seen));
    checks.extend(client_cpu(seen));
    checks.extend(steal(seen));
    // The rate of a trace changes by itself.
    if seen.outcome.replays.is_empty() {
        checks.extend(schedule::warm_up(seen));
    }
    checks.push(written(seen));
    checks.push(memory(seen));
    checks.extend(errors(seen));
    checks.extend(percentiles(seen));
    checks
}

fn check(name: &str, outcome: Verdict, says: impl Into<String>) -> Check {
    Check { name: name.into(), outcome, says: says.into() }
}

fn engine(seen: &Seen) -> Check {
    let went = format!("I/O was submitted through {}", seen.engine.kind);
    match &seen.engine.because {
        None => check("engine", Verdict::Ok, went),
        Some(ChoiceReason::Suits(why)) => check("engine", Verdict::Ok, format!("{went}: {why}")),
        Some(ChoiceReason::LeftOver(why)) => {
            check("engine", Verdict::Warning, format!("{went}, which costs more of the processor: {why}"))
        }
    }
}

/// Nothing completed in the counted time: figures of zero say nothing about the target.
fn completed(seen: &Seen) -> Option<Check> {
    let any = seen.outcome.total.jobs.iter().flat_map(|job| &job.by_op).any(|op| op.count() + op.errors > 0);
    let says =
        "no I/O completed during the measurement: use a longer --duration, or a smaller --depth or --block";
    (!any).then(|| check("completed", Verdict::Failed, says))
}

/// The jobs are all closed loops without cap, pause or flush: as many I/Os as asked are always outstanding.
fn is_unthrottled(workload: &Workload) -> bool {
    workload.jobs.iter().all(|job| {
        matches!(job.load, Load::Closed { cap: None, .. })
            && job.think.is_none()
            && job.flush_every.is_none()
            && job.start_after.is_zero()
            && job.runtime.is_none()
            && job.stop_after.is_none()
    })
}

/// The latencies from issue of all operations: how many, and their sum.
struct Latencies {
    count: f64,
    ns: f64,
}

impl Latencies {
    fn mean_ns(&self) -> f64 {
        self.ns / self.count.max(1.0)
    }
}

fn latency_of(seen: &Seen) -> Latencies {
    let mut all = Latencies { count: 0.0, ns: 0.0 };
    for op in seen.outcome.total.jobs.iter().flat_map(|job| &job.by_op) {
        let latency = op.service.as_ref().unwrap_or(&op.response);
        all.count += latency.count() as f64;
        all.ns += latency.moments().sum_ns() as f64;
    }
    all
}

/// Requested depth, I/Os a second × mean latency.
fn little_of(seen: &Seen) -> Option<(f64, f64)> {
    if !is_unthrottled(seen.workload) {
        return None;
    }
    let window = seen.outcome.total.window();
    let requested: u64 =
        seen.outcome.total.layout.jobs.iter().map(|job| job.requested_depth.unwrap_or(0)).sum();
    let Latencies { count, ns } = latency_of(seen);
    // With fewer than a hundred for each outstanding I/O, those at the edges weigh too much.
    let enough = count >= 100.0 * requested as f64 && window > Span::ZERO;
    enough.then(|| (requested as f64, ns / window.ns() as f64))
}

fn little(seen: &Seen) -> Option<Check> {
    let (requested, found) = little_of(seen)?;
    let off = (found - requested).abs() / requested;
    let product = format!("IOPS x mean latency = {found:.1}, requested were {requested:.0} outstanding");
    Some(if off <= LITTLE {
        check("littles-law", Verdict::Ok, product)
    } else {
        let says = format!(
            "{product}: {:.0} % apart, so for some of the time fewer I/Os were outstanding than requested",
            off * 100.0
        );
        check("littles-law", Verdict::Warning, says)
    })
}

/// Mean number of I/Os at the device, weighted by time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AtDevice {
    /// I/Os at the device.
    pub mean: f64,
    /// I/Os between issue and completion.
    pub outstanding: f64,
    /// True if the kernel counted `mean`.
    pub by_kernel: bool,
}

/// Number of I/Os that were at the device on average; `None` if nothing was counted, or if the jobs hold I/Os back themselves.
///
/// The kernel counts from the request's allocation to its completion. Where it does not count, or counts something else as
/// well, the time that submission took is subtracted from the run's own latencies; completions that wait to be taken then
/// still count as being at the device. Where other work kept processors from the client, these are too many to say.
pub fn at_device(seen: &Seen) -> Option<AtDevice> {
    let total = &seen.outcome.total;
    let window = total.window().ns();
    if window == 0 || !is_unthrottled(seen.workload) {
        return None;
    }
    let outstanding = total.jobs.iter().map(|job| job.outstanding_ns).sum::<u128>() as f64 / window as f64;
    let kernel = kernel_queue(seen);
    if let Some(KernelQueue { mean, is_own: true }) = kernel {
        return Some(AtDevice { mean, outstanding, by_kernel: true });
    }
    let ios: u64 = total.jobs.iter().flat_map(|job| &job.by_op).map(|op| op.count()).sum();
    let rate = ios as f64 / window as f64;
    let submission = seen.outcome.batches().submission_ns().unwrap_or(0.0);
    let own = (outstanding - rate * submission).max(0.0);
    // The run's part of a queue that others use too is no longer than all of it.
    if let Some(KernelQueue { mean, .. }) = kernel.filter(|kernel| kernel.mean < own) {
        return Some(AtDevice { mean, outstanding, by_kernel: true });
    }
    // Completions waited for the client; how many is not known.
    let is_starved = starvation(seen.outcome, None).is_some();
    (!is_starved).then_some(AtDevice { mean: own, outstanding, by_kernel: false })
}

/// The mean queue length by the kernel's counters.
#[derive(Clone, Copy)]
struct KernelQueue {
    mean: f64,
    /// The kernel counted the run's I/Os, each as one request, and nothing else.
    is_own: bool,
}

/// The kernel's queue if it counts all the run's I/Os, each as one request or as several.
fn kernel_queue(seen: &Seen) -> Option<KernelQueue> {
    let counters = seen.counters.filter(|_| seen.direct)?;
    let total = &seen.outcome.total;
    let seconds = total.window().secs_f64();
    if seconds < 1.0 || counters.seconds < 1.0 {
        return None;
    }
    let kernel_seconds = counted_seconds(seen, counters);
    let sum = |of: fn(&MeasuredOp) -> u64| {
        let moved = |job: &MeasuredJob| of(job.op(Op::Read)) + of(job.op(Op::Write));
        total.jobs.iter().map(moved).sum::<u64>() as f64 / seconds
    };
    let pairs = [
        (sum(|op| op.bytes), counters.read_bytes + counters.written_bytes),
        (sum(MeasuredOp::count), counters.reads + counters.writes),
    ]
    .map(|(own, kernel)| (own, kernel as f64 / kernel_seconds));
    let has_all = pairs.iter().all(|(own, kernel)| *own > 0.0 && *kernel >= (1.0 - COUNTERS) * own);
    let is_own = pairs.iter().all(|(own, kernel)| *kernel <= (1.0 + COUNTERS) * own);
    // A request of several I/Os counts once in the queue.
    let merged = (counters.reads_merged + counters.writes_merged) as f64 / kernel_seconds;
    let is_merged = merged > COUNTERS * sum(MeasuredOp::count);
    (has_all && !is_merged)
        .then(|| KernelQueue { mean: counters.queue * counters.seconds / kernel_seconds, is_own })
}

/// The time in which the kernel counted. Where I/O begins and ends with the counting, the kernel was looked at before the
/// first and after the last: all that it counted lies within, and the time that setting up took does not.
fn counted_seconds(seen: &Seen, counters: &DeviceCounters) -> f64 {
    let quiet_edges = seen.workload.warmup.is_zero() && seen.workload.cooldown.is_zero();
    if quiet_edges { seen.outcome.total.window().secs_f64() } else { counters.seconds }
}

fn depth(seen: &Seen) -> Option<Check> {
    let requested: u64 =
        seen.outcome.total.layout.jobs.iter().map(|job| job.requested_depth.unwrap_or(0)).sum();
    let AtDevice { mean, outstanding, by_kernel } = at_device(seen)?;
    let by = if by_kernel { ", by the kernel's counters" } else { "" };
    let says = format!("{mean:.1} of {requested} outstanding at the device on average{by}");
    if let Some(one_by_one) = one_by_one(seen, requested) {
        return Some(check("depth", Verdict::Warning, format!("{says}, but {one_by_one}")));
    }
    let enough = (1.0 - LITTLE) * requested as f64;
    if mean >= enough {
        return Some(check("depth", Verdict::Ok, says));
    }
    let starved = starvation(seen.outcome, None).map(starved_words);
    let because = if let Some(starved) = &starved {
        starved.as_str()
    } else if !seen.direct {
        "buffered I/O blocks in the call that submits it, whatever the depth"
    } else if busiest(seen.outcome) >= CPU_BOUND {
        "the run's own threads had no processor time left: use more threads (--threads, fio's numjobs)"
    } else if outstanding >= enough {
        "each thread collects completed I/Os and resubmits them one after the other; use more threads (--threads, fio's \
         numjobs), each with a smaller depth"
    } else {
        "I/Os completed before the next were submitted: the target is faster than the system call"
    };
    Some(check("depth", Verdict::Warning, format!("{says}: {because}")))
}

/// Reason if the target has one I/O at a time: all I/Os of a thread have completed whenever it polls, because `io_submit`
/// returns only after they are done. Some drivers work so (mostly memory). Some sleep in that call, and give up the
/// processor at least once an I/O.
fn one_by_one(seen: &Seen, requested: u64) -> Option<String> {
    let threads = seen.outcome.threads.len().max(1) as u64;
    let each = requested as f64 / threads as f64;
    if seen.engine.kind != Kind::Libaio || each < 2.0 {
        return None;
    }
    let looks: u64 = seen.outcome.batches().completed[1..].iter().sum();
    let ios = seen.outcome.ios();
    if ios < 10 * requested || (ios as f64) < (1.0 - LITTLE) * each * looks as f64 {
        return None;
    }
    // A device that completes all its I/Os in one burst shows as many at each look, long after they were submitted.
    let mean_ns = latency_of(seen).mean_ns();
    if seen.outcome.batches().submission_ns().is_some_and(|submission| submission < 0.5 * mean_ns) {
        return None;
    }
    let sleeps = seen.outcome.usage().context_switches * 2 >= ios;
    let help = if sleeps {
        "because the call sleeps: use --engine io_uring, whose workers sleep instead"
    } else {
        "by the calling processor: use more --threads"
    };
    let of = if threads > 1 { "each of a thread's" } else { "each" };
    Some(format!("{of} was done in the call that submits it, one after the other, {help}"))
}

fn kernel_counters(seen: &Seen) -> Option<Check> {
    const NAME: &str = "kernel-counters";
    let Some(counters) = seen.counters else {
        let says = "the kernel has no counters for the device of the target";
        return Some(check(NAME, Verdict::Unknown, says));
    };
    let seconds = seen.outcome.total.window().secs_f64();
    if seconds < 1.0 || counters.seconds < 1.0 {
        return Some(check(NAME, Verdict::Unknown, "the measurement time is too short to compare them"));
    }
    let kernel_seconds = counted_seconds(seen, counters);
    let moved = |op: Op| -> u64 { seen.outcome.total.jobs.iter().map(|job| job.op(op).bytes).sum() };
    let all = (moved(Op::Read) + moved(Op::Write)) as f64 / seconds;
    // The direction that is off by the largest share of what it moved, and whether the device moved less.
    let mut worst: Option<(f64, bool, String)> = None;
    for (op, kernel) in [(Op::Read, counters.read_bytes), (Op::Write, counters.written_bytes)] {
        let (own, kernel) = (moved(op) as f64 / seconds, kernel as f64 / kernel_seconds);
        // Of a direction that the run does not use, only what could slow the other is worth a word.
        if own == 0.0 && kernel <= COUNTERS * all {
            continue;
        }
        let off = (kernel - own) / own.max(kernel);
        let figures =
            format!("{}: {:.1} MB/s here, {:.1} MB/s at the device", op.name(), own / 1e6, kernel / 1e6);
        let because = match (off > 0.0, seen.direct) {
            (true, _) => "another process uses the device, or the file system adds I/O",
            (false, true) => "a layer above the device answers some of the I/O",
            (false, false) => "the page cache answers some of the I/O",
        };
        if worst.as_ref().is_none_or(|(most, ..)| off.abs() > *most) {
            let says = if off.abs() <= COUNTERS { figures } else { format!("{figures}: {because}") };
            worst = Some((off.abs(), off < 0.0, says));
        }
    }
    let (off, less, says) = worst?;
    let verdict = match (off <= COUNTERS, less) {
        (true, _) => Verdict::Ok,
        // Figures that no device delivered.
        (false, true) => Verdict::Failed,
        (false, false) => Verdict::Warning,
    };
    Some(check(NAME, verdict, says))
}

/// True if a thread of the run had no processor time left to issue more.
pub fn is_client_bound(outcome: &Outcome) -> bool {
    busiest(outcome) >= CPU_BOUND
}

/// Time of a thread from the start of the run to its end.
fn whole_of(thread: &ThreadMeasured) -> Instant {
    // The series of a thread may have its last interval only, or nothing where it ended with an interval.
    let Measured { series, end, .. } = &thread.measured;
    series.last().map_or(*end, |last| last.end.max(*end))
}

/// The largest share of its time that a thread of the run was on a processor.
fn busiest(outcome: &Outcome) -> f64 {
    let shares = outcome.threads.iter().map(|thread| {
        let whole = whole_of(thread).ns();
        if whole == 0 { 0.0 } else { (thread.usage.user + thread.usage.system).ns() as f64 / whole as f64 }
    });
    shares.fold(0.0, f64::max)
}

/// Advice where the client is the limit. A trace is replayed by one thread, and has its own I/Os.
fn relief(seen: &Seen, of_workload: &'static str) -> &'static str {
    if seen.outcome.replays.is_empty() { of_workload } else { "replay the trace at a lower speed" }
}

/// The share of the processor time that the client wanted and got, where other work kept processors from it; `None` where it
/// had enough, or the system does not count the waits. `steal` is the hypervisor's share of the processors' time.
pub fn starvation(outcome: &Outcome, steal: Option<f64>) -> Option<f64> {
    let shares = outcome.threads.iter().filter_map(|thread| {
        let whole = whole_of(thread).ns();
        let waited = thread.usage.waited.filter(|_| whole > 0)?.ns() as f64;
        let used = (thread.usage.user + thread.usage.system).ns() as f64;
        let got = if waited > 0.0 { used / (used + waited) } else { 1.0 };
        Some((waited / whole as f64, got))
    });
    // The hypervisor takes its share of what the threads got.
    let (stolen, left) = steal.map_or((0.0, 1.0), |steal| (steal, 1.0 - steal));
    let worst = shares.max_by(|one, other| one.0.total_cmp(&other.0));
    let (waited, got) = worst.unwrap_or((0.0, 1.0));
    (waited > STARVED || stolen > STEAL).then_some((got * left).clamp(0.0, 1.0))
}

fn starved_words(got: f64) -> String {
    format!("the client got {:.0} % of the processor time it wanted", got * 100.0)
}

fn client_cpu(seen: &Seen) -> Option<Check> {
    let whole = seen.outcome.total.series.last()?.end;
    if whole.ns() < 100_000_000 {
        return None;
    }
    if let Some(got) = starvation(seen.outcome, None) {
        let says = format!(
            "{}: other processes use the processors, and latencies include waits for one; keep other work off this machine",
            starved_words(got)
        );
        return Some(check("client-cpu", Verdict::Warning, says));
    }
    let busiest = busiest(seen.outcome);
    let says = format!("the busiest thread used a processor for {:.0} % of the time", busiest * 100.0);
    Some(if busiest < CPU_BOUND {
        check("client-cpu", Verdict::Ok, says)
    } else {
        let relief = relief(seen, "use more --threads, or a larger --block");
        let says = format!("{says}: the client is the limit, not the target; {relief}");
        check("client-cpu", Verdict::Warning, says)
    })
}

fn steal(seen: &Seen) -> Option<Check> {
    let steal = seen.cpu.steal?;
    let says = format!("the hypervisor took {:.1} % of the processors' time", steal * 100.0);
    Some(if steal <= STEAL {
        check("steal", Verdict::Ok, says)
    } else {
        check("steal", Verdict::Warning, format!("{says}: latencies include waits for a processor"))
    })
}

fn written(seen: &Seen) -> Check {
    match seen.never_written {
        None if seen.emulated => {
            check("written", Verdict::Ok, "an emulated disk applies its latency to unwritten blocks too")
        }
        None => check("written", Verdict::Ok, "all blocks that are read were written before"),
        Some(why) => {
            let says =
                format!("the run reads unwritten blocks ({why}), which need no device; write them first");
            check("written", Verdict::Failed, says)
        }
    }
}

fn memory(seen: &Seen) -> Check {
    match seen.in_memory {
        None if seen.emulated => {
            check("device", Verdict::Ok, "the device is an emulated disk: its figures come from the model")
        }
        None => check("device", Verdict::Ok, "the target is on a device"),
        Some(why) => {
            let says = format!("{why}: this measures memory and the kernel, not a disk");
            check("device", Verdict::Warning, says)
        }
    }
}

fn errors(seen: &Seen) -> Option<Check> {
    let errors: u64 = seen.outcome.total.jobs.iter().flat_map(|job| &job.by_op).map(|op| op.errors).sum();
    let first = seen.outcome.fault.as_ref().map(|fault| format!("; the first: {fault}")).unwrap_or_default();
    (errors > 0 || seen.outcome.fault.is_some()).then(|| {
        check(
            "errors",
            Verdict::Failed,
            format!("{} failed during the measurement{first}", Counted(errors, "I/O")),
        )
    })
}

/// Percentiles that are not printed because too few I/Os exceed them.
fn percentiles(seen: &Seen) -> Option<Check> {
    let fewest = seen
        .outcome
        .total
        .jobs
        .iter()
        .flat_map(|job| [job.op(Op::Read), job.op(Op::Write)])
        .map(|op| op.count())
        .filter(|count| *count > 0)
        .min()?;
    let highest = SHOWN.into_iter().rfind(|percent| supported(*percent, fewest));
    let says = match highest {
        None => format!("too few for any percentile: {}", Counted(fewest, "I/O")),
        Some(percent) => {
            format!(
                "{fewest} I/Os support percentiles up to p{percent}; above a higher one lie fewer than ten"
            )
        }
    };
    Some(check("percentiles", Verdict::Ok, says))
}
