//! The run itself: stage after stage, each watched, checked and made a result.

use std::cell::RefCell;
use std::sync::Arc;

use iobound_drive::{EndReason, Flow, Window};
use iobound_load::checks::{Seen, at_device, checks, replay_facts};
use iobound_load::engine::{Choice, ChoiceReason, Kind, Targets, WrongBlock};
use iobound_load::prepare::Payload;
use iobound_load::run::{
    self, Blocks, MemoryNeeded, Options, Outcome, StartError, check, check_depth, check_threads, run,
    run_reporting,
};
use iobound_load::verify::{Layout, Ledger, Stamper, unit_of};
use iobound_machine::memory::memory;
use iobound_machine::{World, kernel::Kernel};
use iobound_measure::result::{Check, Outcome as Verdict, RunResult, Source, Start, round};
use iobound_measure::{Interval, Phase, ThreadMeasured, Together};
use iobound_report::Ended;
use iobound_units::{Bytes, Instant, Op, Span};
use iobound_workload::{Access, Job, Load, Queue, Workload};

use super::around::{Around, too_much_pressure};
use super::engine::{chosen, is_direct};
use super::enough::Enough;
use super::how::{JobsToVerify, RunOptions, Verify};
use super::live::Live;
use super::outputs::Outputs;
use super::ready::Ready;
use super::so_far::{Stages, make};
use super::steady::SteadyWatch;
use super::targets::does;
use crate::Failure;
use crate::process::LiveStyle;
use crate::results::ToKeep;

/// Jobs that ran together, and all that is known of them.
pub(crate) struct Stage {
    pub(crate) workload: Workload,
    pub(crate) outcome: Outcome,
    pub(crate) result: RunResult,
    pub(crate) ended: Ended,
    /// The pass that read back what the jobs wrote, in another tool's way.
    pub(crate) read_back: Option<Outcome>,
}

impl Stage {
    /// The threads that did not find what was written, each with its first such block.
    pub(crate) fn wrong(&self) -> impl Iterator<Item = &(u16, WrongBlock)> {
        self.outcome.wrong.iter().chain(self.read_back.iter().flat_map(|pass| &pass.wrong))
    }
}

impl Stage {
    /// The stage, for the store.
    pub(crate) fn to_keep<'a>(&'a self, prepared: &'a [iobound_report::Prepared]) -> ToKeep<'a> {
        ToKeep {
            name: None,
            side: None,
            workload: &self.workload,
            result: &self.result,
            measured: Some(&self.outcome.total),
            ended: self.ended.clone(),
            prediction: None,
            prepared,
        }
    }
}

/// Memory that verification may take.
const LEDGER: Bytes = Bytes::gib(4);

/// Runs stages one after the other; ends with the first that does not complete.
pub(crate) fn run_stages(
    world: &World,
    ready: &Ready,
    workloads: &[Workload],
    how: &RunOptions,
    outputs: &mut Outputs,
    style: LiveStyle,
) -> Result<Vec<Stage>, Failure> {
    run_each(world, ready, workloads, how, (outputs, style), |_, _| {})
}

/// The same; `done` is given each stage that is over, which count from 1.
pub(crate) fn run_each(
    world: &World,
    ready: &Ready,
    workloads: &[Workload],
    how: &RunOptions,
    (outputs, style): (&mut Outputs, LiveStyle),
    mut done: impl FnMut(usize, &Stage),
) -> Result<Vec<Stage>, Failure> {
    let direct = is_direct(workloads, how)?;
    let opened = if how.engine == Some(Kind::Null) {
        Targets::of_nothing(ready.names.len())
    } else {
        Targets::open_each(&ready.to_open(workloads), direct).map_err(Failure::from)?
    };
    for workload in workloads {
        check(workload, &ready.names, &opened, &how.traces).map_err(Failure::input)?;
    }
    let (choice, workloads) = chosen(workloads, how, &ready.names, opened.files())?;
    let workloads = &workloads[..];
    for workload in workloads {
        check_depth(workload, &ready.names, choice.kind).map_err(Failure::input)?;
        check_threads(workload, &ready.names, choice.kind, memory(world).mappings).map_err(Failure::input)?;
    }
    let room = Room { world, ready, how, choice, opened: Arc::new(opened), direct };
    let blocks = room.blocks(workloads)?;
    let devices = ready.devices(world);
    let mut stages = Vec::with_capacity(workloads.len());
    how.env.of_process().load_begins();
    for (n, workload) in workloads.iter().enumerate() {
        room.check_memory(workload)?;
        let stage = room.stage(workloads, &stages, &blocks, &devices, outputs, style)?;
        let complete = stage.ended == Ended::Complete;
        if stage.outcome.hangs {
            how.env.hangs(Arc::clone(&room.opened));
        }
        outputs.total(n + 1, &stage.outcome.total);
        done(n + 1, &stage);
        stages.push(stage);
        let is_over = how.company.as_ref().is_some_and(|company| company.is_over());
        if !complete || is_over || how.env.is_stopped() {
            break;
        }
    }
    Ok(stages)
}

/// State shared by all stages.
struct Room<'a> {
    world: &'a World,
    ready: &'a Ready,
    how: &'a RunOptions,
    choice: Choice,
    opened: Arc<Targets>,
    direct: bool,
}

impl Room<'_> {
    fn blocks(&self, workloads: &[Workload]) -> Result<Blocks, Failure> {
        if self.choice.kind == Kind::Null {
            return Ok(Blocks::Refreshed(Payload::new(self.ready.filling)));
        }
        match &self.how.verify {
            None => Ok(Blocks::Refreshed(Payload::new(self.ready.filling))),
            Some(Verify::Jobs(JobsToVerify { patterns, stamps, .. })) if !patterns.is_empty() => {
                let others = match stamps {
                    true => self.stamped(workloads)?,
                    false => Blocks::Refreshed(Payload::new(self.ready.filling)),
                };
                Ok(Blocks::Patterned { jobs: patterns.clone(), others: Box::new(others) })
            }
            Some(_) => self.stamped(workloads),
        }
    }

    /// Blocks with stamps, which are judged when they are read.
    fn stamped(&self, workloads: &[Workload]) -> Result<Blocks, Failure> {
        let jobs = || workloads.iter().flat_map(|workload| &workload.jobs);
        let sizes = jobs().flat_map(|job| {
            let blocks = job.mix.iter().map(|share| u64::from(share.block));
            let aligns = job.mix.iter().filter_map(|share| share.align).map(Bytes::get);
            blocks.chain(aligns).chain([job.region.offset.get()]).filter(|size| *size > 0)
        });
        if !jobs().any(|job| does(job, |op| matches!(op, Op::Write | Op::Discard))) {
            return Ok(Blocks::Checked);
        }
        let mut files: Vec<_> = self.ready.files.iter().flatten().map(|file| &file.path).collect();
        files.sort();
        if let Some(pair) = files.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(Failure::input(format!(
                "{} is opened both with direct I/O and through the page cache, and verification needs only one",
                pair[0].display()
            ))
            .help("make all jobs of the file direct or buffered, or leave verification out"));
        }
        let unit = unit_of(sizes).ok_or_else(|| {
            Failure::input("--verify needs blocks and offsets that are whole sectors of 512 B")
                .help("make --block, --align and --offset multiples of 512")
        })?;
        let layouts: Vec<Layout> =
            self.ready.names.iter().map(|target| Layout { size: target.size, unit }).collect();
        let ledger = Ledger::new(&layouts, LEDGER).map_err(Failure::input)?;
        let stamper = Stamper::drawn()
            .map_err(|error| Failure::io(format!("cannot read random numbers from the system: {error}")))?;
        let payload = Payload::new(self.ready.filling);
        Ok(Blocks::Verified { ledger: Arc::new(ledger), stamper, payload })
    }

    fn check_memory(&self, workload: &Workload) -> Result<(), Failure> {
        let needed = MemoryNeeded::of(workload, &self.ready.names, self.how.apart.is_some())
            .map_err(Failure::input)?;
        let free = memory(self.world).available_bytes.map(Bytes);
        match free {
            Some(free) if needed.total() > free => Err(Failure::input(StartError::Memory { needed, free })),
            _ => Ok(()),
        }
    }

    fn options(&self, blocks: &Blocks) -> Options {
        Options {
            engine: self.choice.kind,
            interval: self.how.interval,
            placement: self.how.placement.clone(),
            on_error: self.how.on_error,
            // Plain calls submit and complete in one: there is nothing between to time.
            apart: self.how.apart.filter(|_| !matches!(self.choice.kind, Kind::Sync | Kind::Null)),
            nops: false,
            thread_series: self.how.thread_series,
            log_ios: self.how.log_ios,
            keep_warmup: self.how.keep_warmup,
            report_every: None,
            blocks: blocks.clone(),
            traces: self.how.traces.clone(),
            start: run::Start::AtOnce,
        }
    }

    /// The same for a stage, which in a fleet begins when all ranks do.
    fn options_of(&self, blocks: &Blocks, number: usize) -> Options {
        let start =
            self.how.company.as_ref().map_or(run::Start::AtOnce, |company| Arc::clone(company).start(number));
        let report_every = self.how.status.as_ref().map(|status| status.every);
        Options { start, report_every, ..self.options(blocks) }
    }

    /// Runs the stage after those that are `done`.
    fn stage(
        &self,
        workloads: &[Workload],
        done: &[Stage],
        blocks: &Blocks,
        devices: &[(iobound_machine::block::Device, Vec<String>)],
        outputs: &mut Outputs,
        style: LiveStyle,
    ) -> Result<Stage, Failure> {
        let (number, workload) = (done.len() + 1, &workloads[done.len()]);
        let stop = self.how.stop();
        let window = Window::of(workload, Instant::ZERO);
        let ends_with_work = workload.jobs.iter().all(|job| job.stop_after.is_some());
        let names: Vec<&str> = self.ready.names.iter().map(|target| target.name.as_str()).collect();
        let what = names.join(", ");
        let mut live =
            Live::new(what, window, self.how.until.is_some() || ends_with_work, style, &self.how.env);
        let around = RefCell::new(Around::new(self.world, devices));
        let mut enough = Enough::new(self.how.until);
        let mut steady = SteadyWatch::new(&self.how.steady, workload);
        let (mut pressed, mut slow) = (None, None);
        let options = self.options_of(blocks, number);
        let mut watch = |together: &Together| {
            let interval = together.interval();
            if interval.phase == Phase::Warmup && interval.end == window.start {
                around.borrow_mut().starts();
            }
            if interval.phase == Phase::Counted && interval.end == window.end {
                around.borrow_mut().ends();
            }
            live.take(interval);
            outputs.take(number, together);
            if let Some(company) = &self.how.company {
                company.tell(number, together);
            }
            pressed = pressed.take().or_else(|| too_much_pressure(self.world, &self.how.pressure));
            slow = slow.take().or_else(|| self.too_slow(interval));
            let is_enough = enough.take(interval) | steady.take(interval);
            let is_over = pressed.is_some() || slow.is_some() || is_enough || self.how.env.is_stopped();
            if is_over { Flow::Stop } else { Flow::Continue }
        };
        let status = self.how.status.as_ref();
        let status = status.map(|it| (it, Stages::new(done, workloads, &self.ready.names, &options)));
        let mut report = |outcome: &Outcome| {
            if let Some((status, stages)) = &status {
                make(status, stages, workload, outcome, around.borrow_mut().devices_so_far());
            }
        };
        let (names, opened) = (&self.ready.names, &self.opened);
        let started = run_reporting(workload, names, opened, &options, &stop, &mut watch, &mut report);
        let mut around = around.into_inner();
        around.ends();
        live.clear();
        let mut outcome = started.map_err(|error| match (&error, &self.how.company) {
            (StartError::CalledOff, Some(company)) => company.called_off(),
            _ => Failure::input(error),
        })?;
        if let Some(why) = slow.filter(|_| outcome.error.is_none()) {
            (outcome.reason, outcome.error) = (EndReason::Failed, Some(why));
        }
        if outcome.reason == EndReason::Stopped
            && (enough.reached || steady.attained)
            && !self.how.env.is_stopped()
        {
            outcome.reason = EndReason::WorkDone;
        }
        let mut result = self.result(workload, &outcome, &around);
        let mut ended = self.ended(&outcome, pressed);
        let mut read_back = None;
        let reads_back = match (blocks, &self.how.verify) {
            (Blocks::Verified { .. } | Blocks::Patterned { .. }, Some(Verify::Jobs(jobs))) => {
                workload.jobs.iter().any(|job| job.writes() && jobs.read_back.contains(&job.name))
            }
            (blocks, _) => matches!(blocks, Blocks::Verified { .. }),
        };
        if reads_back && ended == Ended::Complete {
            let (check, failed) = match &self.how.verify {
                Some(Verify::Jobs(jobs)) => {
                    read_back = self.read_back_jobs(workload, &outcome, &jobs.read_back, blocks)?;
                    match &read_back {
                        Some(pass) => judged(pass),
                        None => (nothing_read_back(), None),
                    }
                }
                _ => judged(&self.read_back(workload, blocks)?),
            };
            result.checks.push(check);
            if let Some(why) = failed {
                ended = Ended::Failed(why);
            }
        }
        Ok(Stage { workload: workload.clone(), outcome, result, ended, read_back })
    }

    /// An I/O that took longer than is allowed, in words.
    fn too_slow(&self, interval: &Interval) -> Option<String> {
        let most = self.how.max_latency?;
        let slowest = interval.read.max.max(interval.write.max);
        (slowest > most).then(|| format!("an I/O took {slowest}, and max_latency allows {most}"))
    }

    fn ended(&self, outcome: &Outcome, pressed: Option<String>) -> Ended {
        match (&outcome.error, pressed) {
            (Some(why), _) => Ended::Failed(why.clone()),
            (None, Some(why)) => Ended::Failed(why),
            (None, None) if outcome.reason == EndReason::Stopped => Ended::Interrupted,
            (None, None) => Ended::Complete,
        }
    }

    fn result(&self, workload: &Workload, outcome: &Outcome, around: &Around<'_>) -> RunResult {
        let mut result = RunResult::from_measured(&outcome.total, Source::Measured);
        let (devices, counters) = around.devices();
        let cpu = around.cpu(outcome);
        let seen = Seen {
            workload,
            outcome,
            engine: &self.choice,
            counters: counters.as_ref(),
            devices: &devices,
            cpu: &cpu,
            direct: self.direct,
            in_memory: self.ready.in_memory.as_deref(),
            never_written: self.ready.never_written.as_deref(),
            emulated: self.ready.emulated,
        };
        result.checks = checks(&seen);
        result.replays = outcome.replays.iter().filter_map(replay_facts).collect();
        if let (Some(depth), Some(at_device)) = (&mut result.depth, at_device(&seen)) {
            depth.at_device = Some(round::depth(at_device.mean));
        }
        result.engine = Some(self.choice.kind.name().to_string());
        let named: Vec<&str> = self.ready.names.iter().map(|target| target.name.as_str()).collect();
        result.device = Some(named.join(", "));
        result.devices = devices;
        let kernel = Kernel::of(self.world);
        result.kernel = kernel.release.clone();
        // Log pages are not part of a run.
        let lost = kernel.missing.iter().filter(|missing| missing.privilege != "CAP_SYS_ADMIN");
        result.notes.extend(lost.map(|missing| format!("without {}: {}", missing.privilege, missing.lost)));
        result.start = Some(Start {
            at: Some(
                jiff::Timestamp::try_from(outcome.began).map_or_else(|_| String::new(), |at| at.to_string()),
            ),
            host: kernel.host,
            command: Some(self.how.env.of_process().command().join(" ")),
            seed: Some(workload.seed),
            ..result.start.unwrap_or_default()
        });
        let way = if self.direct { "bypassing the page cache (O_DIRECT)" } else { "through the page cache" };
        result.notes.push(format!("I/O went {way}"));
        if let Some(ChoiceReason::Suits(why)) = &self.choice.because {
            result.notes.push(format!("I/O used {}: {why}", self.choice.kind));
        }
        if let Some(took) = outcome.flushed {
            let counts = match outcome.reason {
                EndReason::WorkDone => "and the time and the flushes include it",
                _ => "and no figure includes it: figures cover the requested time",
            };
            result.notes.push(format!("the flush at the end took {took}, {counts}"));
        }
        result.cpu = Some(cpu);
        result
    }

    /// Reads back the writes of each of these jobs, in their order. As in fio, this begins when all work is done. If
    /// the time ends the jobs, there is no reading back.
    fn read_back_jobs(
        &self,
        workload: &Workload,
        written: &Outcome,
        names: &[String],
        blocks: &Blocks,
    ) -> Result<Option<Outcome>, Failure> {
        if written.reason != EndReason::WorkDone {
            return Ok(None);
        }
        let mut pass =
            Workload { warmup: Span::ZERO, duration: Span::from_secs(7 * 24 * 3_600), ..workload.clone() };
        for (number, job) in pass.jobs.iter_mut().enumerate() {
            let is_asked = names.contains(&job.name);
            let threads = written.threads.iter().filter(|thread| usize::from(thread.job) == number);
            let bytes = |thread: &ThreadMeasured| if is_asked { written_by(thread) } else { Bytes::ZERO };
            let bytes: Vec<Bytes> = threads.map(bytes).collect();
            let queues = written.queues.iter().filter(|queue| usize::from(queue.job) == number);
            let queues: Vec<Queue> = queues.cloned().collect();
            *job = job.read_back(workload.written(&queues, &bytes));
        }
        let stop = self.how.env.stop_flag();
        let options = self.options(blocks);
        let outcome = run(&pass, &self.ready.names, &self.opened, &options, &stop, &mut |_| Flow::Continue);
        outcome.map(Some).map_err(Failure::input)
    }

    /// Reads everything that may have been written.
    fn read_back(&self, workload: &Workload, blocks: &Blocks) -> Result<Outcome, Failure> {
        let mut job = Job::new("read-back");
        let largest =
            workload.jobs.iter().flat_map(|job| &job.mix).map(|share| share.block).max().unwrap_or(4096);
        job.mix = vec![iobound_workload::Share {
            weight: 1,
            op: Op::Read,
            block: largest,
            random: None,
            align: None,
        }];
        job.access = Access::sequential();
        (job.load, job.cap_of) = (Load::Closed { depth: 16, cap: None }, None);
        let smallest = self.ready.names.iter().map(|target| target.size).min().unwrap_or(Bytes::ZERO);
        job.stop_after = Some(smallest);
        let mut pass = Workload::new(vec![job], Span::from_secs(7 * 24 * 3_600));
        pass.seed = workload.seed;
        let stop = self.how.env.stop_flag();
        let options = self.options(blocks);
        run(&pass, &self.ready.names, &self.opened, &options, &stop, &mut |_| Flow::Continue)
            .map_err(Failure::input)
    }
}

/// Writes of a thread, including its warm-up.
fn written_by(thread: &ThreadMeasured) -> Bytes {
    let counted = thread.own_job().op(Op::Write).bytes;
    let all: u64 = thread.measured.series.iter().map(|interval| interval.write.bytes).sum();
    Bytes(counted.max(all))
}

/// Result of a read-back pass, and the reason for its failure.
fn judged(pass: &Outcome) -> (Check, Option<String>) {
    let read = Bytes(pass.total.jobs.iter().map(|job| job.op(Op::Read).bytes).sum());
    let check = |outcome, says: String| Check { name: "verify".into(), outcome, says };
    match &pass.error {
        Some(why) => (check(Verdict::Failed, why.clone()), Some(why.clone())),
        None if pass.reason == EndReason::Stopped => {
            (check(Verdict::Unknown, format!("reading back was stopped after {read}")), None)
        }
        None => (check(Verdict::Ok, format!("{read} read back match the written data")), None),
    }
}

fn nothing_read_back() -> Check {
    Check {
        name: "verify".into(),
        outcome: Verdict::Unknown,
        says: "the jobs' time ended before they could read back what they wrote".into(),
    }
}
