//! The queues of one real thread, and what each has outstanding. In virtual time: all of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use iobound_measure::{CellId, Completion, Histogram, Outstanding, Recorder};
use iobound_units::{Bytes, Instant, Io, Op, Span, Tag, TargetId};
use iobound_workload::{
    Cursors, FlowMember, Generator, HeldBack, Pacer, Queue, QueueError, QueueLoad, Share, Target, Workload,
};

use crate::engine::{Done, Engine};
use crate::layout::Window;
use crate::timers::Timers;

/// A workload that no worker can issue.
#[derive(Clone, Debug)]
pub enum WorkerError {
    /// The jobs and the targets do not fit.
    Queues(QueueError),
    /// More outstanding I/Os than there are tags.
    TooDeep {
        /// Request of the jobs.
        depth: u64,
        /// The targets.
        most: u64,
    },
}

/// The most outstanding I/Os of one worker: a million, sixteen times what any queue of a real device takes.
pub const MOST_OUTSTANDING: u64 = 1 << 20;

impl fmt::Display for WorkerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WorkerError::Queues(error) => error.fmt(f),
            WorkerError::TooDeep { depth, most } => write!(
                f,
                "the jobs ask for {depth} outstanding I/Os, at most {most} are possible: lower the queue depth or \
                 the number of threads"
            ),
        }
    }
}

impl std::error::Error for WorkerError {}

impl From<QueueError> for WorkerError {
    fn from(error: QueueError) -> WorkerError {
        WorkerError::Queues(error)
    }
}

/// Known facts about an outstanding I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    intended: Instant,
    issued: Instant,
    queue: u32,
    cell: u32,
    len: u32,
    op: Op,
    busy: bool,
}

const FREE: Slot = Slot {
    intended: Instant::ZERO,
    issued: Instant::ZERO,
    queue: 0,
    cell: 0,
    len: 0,
    op: Op::Read,
    busy: false,
};

/// Effect of writes that the pacer is told.
const NOT_PACED: Io = Io::flush(TargetId(0));

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Its stage, or its own start, has not come.
    Waiting,
    Running,
    /// It issues no more.
    Over,
}

#[derive(Debug)]
struct QueueState {
    generator: Generator,
    pacer: Pacer,
    /// Neither cap nor pause nor schedule: a completion is followed by the next I/O, whatever the time.
    unpaced: bool,
    /// Unpaced, and with no end but its time: a slot that comes back goes out again.
    endless: bool,
    open: bool,
    /// Its place among the queues that it shares I/Os with.
    flow: Option<FlowMember>,
    state: State,
    depth: u32,
    outstanding: u32,
    first_cell: u32,
    /// By target id, for queues of several targets.
    cells: Vec<u32>,
    free: Vec<Tag>,
    /// Time at which a slot became free, where all had been in use.
    free_since: Instant,
    /// Time after which it issues no more I/O.
    until: Instant,
    /// Number of bytes that it may still move.
    bytes_left: u64,
    /// Set while a timer is.
    timed: bool,
    queue: Queue,
}

impl QueueState {
    fn begin(&mut self) {
        self.state = State::Running;
        if let Some(flow) = &mut self.flow {
            flow.join();
        }
    }

    /// The earliest time of the next I/O: its pacer's, and later where it is ahead of those it shares with.
    #[inline]
    fn next_allowed(&self, now: Instant) -> Instant {
        let paced = self.pacer.next_allowed();
        match &self.flow {
            Some(flow) if paced <= now && flow.is_ahead() => now + flow.pause,
            _ => paced,
        }
    }

    #[inline]
    fn cell(&self, target: TargetId) -> u32 {
        if self.cells.is_empty() { self.first_cell } else { self.cells[usize::from(target.0)] }
    }
}

/// The queues of one thread with their outstanding I/Os.
#[derive(Debug)]
pub struct Worker {
    queues: Vec<QueueState>,
    slots: Vec<Slot>,
    pub(crate) timers: Timers,
    workload: Arc<Workload>,
    window: Window,
    stage: u16,
    last_stage: u16,
    /// Queues of the current stage that are not over, or have I/Os outstanding.
    active: usize,
    outstanding: usize,
    late: Option<Box<Histogram>>,
}

impl Worker {
    /// A worker of all queues of a workload on these targets.
    ///
    /// # Errors
    /// Returns an error if the targets cannot hold the jobs, or there are more outstanding I/Os than tags.
    pub fn new(workload: &Workload, targets: &[Target], window: Window) -> Result<Worker, WorkerError> {
        let queues = workload.queues(targets)?;
        Worker::of_queues(workload, queues, window)
    }

    /// A worker of all of a run's queues.
    ///
    /// # Errors
    /// Returns an error if there are more outstanding I/Os than tags.
    pub fn of_queues(workload: &Workload, queues: Vec<Queue>, window: Window) -> Result<Worker, WorkerError> {
        let cursors = Cursors::new(&queues);
        Worker::gather(&Arc::new(workload.clone()), queues, &cursors, window)
    }

    /// The worker of one real thread: its queues of all the run's, `queues`. Its cells are numbered from zero, as those of
    /// the thread's recorder ([`Recorder::of_thread`]); `cursors` are made of all queues, so that shared streams are shared.
    ///
    /// # Errors
    /// Returns an error if there are more outstanding I/Os than tags.
    pub fn of_thread(
        workload: &Arc<Workload>,
        queues: &[Queue],
        thread: u16,
        cursors: &Cursors,
        window: Window,
    ) -> Result<Worker, WorkerError> {
        let own = queues.iter().filter(|queue| queue.thread == thread).cloned().collect();
        Worker::gather(workload, own, cursors, window)
    }

    /// A worker of queues that follow each other in the run.
    fn gather(
        workload: &Arc<Workload>,
        queues: Vec<Queue>,
        cursors: &Cursors,
        window: Window,
    ) -> Result<Worker, WorkerError> {
        let depth: u64 = queues.iter().map(|queue| u64::from(queue.depth)).sum();
        if depth > MOST_OUTSTANDING {
            return Err(WorkerError::TooDeep { depth, most: MOST_OUTSTANDING });
        }
        let generators = workload.generators_on(&queues, cursors);
        let (mut next_tag, mut next_cell) = (0, 0);
        let count = queues.len();
        let queues: Vec<QueueState> = queues
            .into_iter()
            .zip(generators)
            .map(|(queue, generator)| {
                let first_cell = next_cell;
                let mut cells = Vec::new();
                let targets: Vec<TargetId> = queue.targets().collect();
                if targets.len() > 1 {
                    let most = targets.iter().map(|target| target.0).max().unwrap_or(0);
                    cells.resize(usize::from(most) + 1, 0);
                    for (n, target) in targets.iter().enumerate() {
                        cells[usize::from(target.0)] = first_cell + n as u32;
                    }
                }
                next_cell += targets.len() as u32;
                let free = (next_tag..next_tag + queue.depth).rev().map(Tag).collect();
                next_tag += queue.depth;
                let uncapped = queue.load == QueueLoad::Closed { cap: None };
                let unpaced = uncapped && queue.think.is_none() && queue.flow.is_none();
                QueueState {
                    generator,
                    pacer: workload.pacer(&queue, window.begin),
                    unpaced,
                    endless: unpaced && queue.stop_after.is_none(),
                    open: matches!(queue.load, QueueLoad::Open { .. }),
                    flow: cursors.flow_of(&queue),
                    state: State::Waiting,
                    depth: queue.depth,
                    outstanding: 0,
                    first_cell,
                    cells,
                    free,
                    free_since: window.begin,
                    until: window.until,
                    bytes_left: queue.stop_after.map_or(u64::MAX, Bytes::get),
                    timed: false,
                    queue,
                }
            })
            .collect();
        Ok(Worker {
            slots: vec![FREE; next_tag as usize],
            timers: Timers::with_capacity(count),
            workload: Arc::clone(workload),
            window,
            stage: 0,
            last_stage: queues.iter().map(|queue| queue.queue.stage).max().unwrap_or(0),
            active: 0,
            outstanding: 0,
            late: None,
            queues,
        })
    }

    /// Passes over the first `ios` I/Os of every queue, in the queues' order: a run that begins where another has come to.
    pub fn pass_over(&mut self, ios: &[u64]) {
        assert_eq!(ios.len(), self.queues.len(), "a number for each queue");
        for (queue, ios) in self.queues.iter_mut().zip(ios) {
            for _ in 0..*ios {
                let _ = queue.generator.next();
            }
        }
    }

    /// Counts all threads of a job together, in the cells of [`crate::layout_by_job`].
    pub fn count_by_job(&mut self) {
        let mut numbers = BTreeMap::new();
        for queue in &mut self.queues {
            for (n, target) in queue.queue.targets().enumerate() {
                let next = numbers.len() as u32;
                let cell = *numbers.entry((queue.queue.job, target)).or_insert(next);
                if n == 0 {
                    queue.first_cell = cell;
                }
                if let Some(of_target) = queue.cells.get_mut(usize::from(target.0)) {
                    *of_target = cell;
                }
            }
        }
    }

    /// From now on counts how late I/Os of open loops go out, where that is not the target's doing: from when an I/O
    /// could have been issued, which is its intended time or when a slot came back for it, to when it was. On a clock
    /// that jumps it is always zero.
    pub fn time_lateness(&mut self) {
        self.late = Some(Box::default());
    }

    /// The delay with which I/Os of open loops went out, in ns, warm-up and cool-down included; `None` where it was not asked for.
    pub fn lateness(&self) -> Option<&Histogram> {
        self.late.as_deref()
    }

    /// The queues, in order: what [`crate::layout_of`] makes the recorder's cells from.
    pub fn queues(&self) -> impl Iterator<Item = &Queue> {
        self.queues.iter().map(|queue| &queue.queue)
    }

    /// The most I/Os that can be outstanding: tags are below it.
    pub fn capacity(&self) -> usize {
        self.slots.len()
    }

    /// The times of the run.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Number of I/Os that are outstanding now.
    pub fn outstanding(&self) -> usize {
        self.outstanding
    }

    /// Starts the queues of the current stage at `now`, each at its own delay. A stage has the workload's duration,
    /// whenever it begins; the first has the warm-up before it, the last the cool-down behind it.
    pub(crate) fn begin_stage<E: Engine>(&mut self, engine: &mut E, now: Instant) {
        let first = self.queues.iter().all(|queue| queue.queue.stage >= self.stage);
        let warmup = if first { self.workload.warmup } else { Span::ZERO };
        let cooldown = if self.stage == self.last_stage { self.workload.cooldown } else { Span::ZERO };
        let stage_until = now + warmup + self.workload.duration + cooldown;
        for index in 0..self.queues.len() {
            if self.queues[index].queue.stage != self.stage {
                continue;
            }
            self.active += 1;
            let queue = &mut self.queues[index];
            let begins = now + queue.queue.start_after;
            let until = queue.queue.runtime.map_or(stage_until, |own| begins + own + warmup);
            queue.until = until.min(self.window.until);
            queue.pacer = self.workload.pacer(&queue.queue, begins);
            if begins > now {
                queue.timed = true;
                self.timers.set(begins, index as u32);
            } else {
                queue.begin();
                self.fill(engine, index, now);
            }
        }
    }

    /// Moves on to the next stage when the current one is over; says whether there is one.
    pub(crate) fn next_stage<E: Engine>(&mut self, engine: &mut E, now: Instant) -> bool {
        while self.active == 0 {
            if self.stage == self.last_stage {
                return false;
            }
            self.stage += 1;
            self.begin_stage(engine, now);
        }
        true
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.active == 0
    }

    /// A queue's time has come.
    pub(crate) fn wake<E: Engine>(&mut self, engine: &mut E, queue: u32, now: Instant) {
        let state = &mut self.queues[queue as usize];
        state.timed = false;
        if state.state == State::Waiting {
            state.begin();
        }
        self.fill(engine, queue as usize, now);
    }

    /// Issues what a queue may issue now; sets a timer where it waits for a time. Returns the time of the last issue.
    fn fill<E: Engine>(&mut self, engine: &mut E, index: usize, mut now: Instant) -> Instant {
        loop {
            let queue = &mut self.queues[index];
            if queue.state != State::Running {
                return now;
            }
            if now >= queue.until || queue.bytes_left == 0 {
                self.end_queue(index);
                return now;
            }
            let Some(tag) = queue.free.last().copied() else { return now };
            // A flush or a read of what was written follows its writes at once: no rate and no schedule counts it.
            let allowed = if queue.generator.follows() { now } else { queue.next_allowed(now) };
            if allowed > now {
                if !queue.timed && allowed < Instant::MAX {
                    queue.timed = true;
                    // Also when it ends before: then it is over then.
                    self.timers.set(allowed.min(queue.until), index as u32);
                }
                return now;
            }
            queue.free.pop();
            now = self.issue(engine, index, tag, now);
        }
    }

    fn end_queue(&mut self, index: usize) {
        let queue = &mut self.queues[index];
        if queue.state == State::Running {
            queue.state = State::Over;
            if let Some(flow) = &mut queue.flow {
                flow.leave();
            }
            if queue.outstanding == 0 {
                self.active -= 1;
            }
        }
    }

    /// Issues a queue's next I/O with this tag. Returns when it was issued.
    #[inline]
    fn issue<E: Engine>(&mut self, engine: &mut E, index: usize, tag: Tag, now: Instant) -> Instant {
        let queue = &mut self.queues[index];
        let follows = queue.generator.follows();
        let scheduled = (queue.open && !follows).then(|| queue.pacer.next_allowed());
        let held_back = if queue.unpaced { HeldBack::default() } else { queue.pacer.held_back(now) };
        let io = match held_back.is_empty() {
            true => queue.generator.next(),
            false => queue.generator.next_other_than(held_back),
        };
        queue.outstanding += 1;
        self.outstanding += 1;
        let work = if follows { 0 } else { u64::from(io.len) };
        queue.bytes_left = queue.bytes_left.saturating_sub(work);
        let cell = queue.cell(io.target);
        engine.submit(tag, io);
        let now = engine.issued_at(now);
        if let (Some(intended), Some(late)) = (scheduled, &mut self.late) {
            late.record(now.since(intended.max(queue.free_since)).ns());
        }
        if !queue.unpaced {
            queue.pacer.issued(now, if follows { &NOT_PACED } else { &io });
            if let Some(flow) = queue.flow.as_mut().filter(|_| work > 0) {
                flow.issued();
            }
        }
        let intended = scheduled.unwrap_or(now);
        self.slots[tag.0 as usize] =
            Slot { intended, issued: now, queue: index as u32, cell, len: io.len, op: io.op, busy: true };
        now
    }

    /// Takes back slots, refills their queues, then records, so that the device waits least. Equal completions in a row (same
    /// issue and completion time, same cell and size) are recorded at once.
    #[inline]
    pub(crate) fn complete<E: Engine>(
        &mut self,
        engine: &mut E,
        recorder: &mut Recorder,
        mut done: &[Done],
        mut now: Instant,
    ) {
        while let Some(&Done { tag, at, ok }) = done.first() {
            let slot = self.slots[tag.0 as usize];
            assert!(slot.busy, "tag {} completed twice", tag.0);
            let queue = &mut self.queues[slot.queue as usize];
            let count = if queue.endless && now < queue.until {
                refill(queue, &mut self.slots, engine, done, &slot, &mut now)
            } else {
                now = self.complete_bounded(engine, slot.queue as usize, Done { tag, at, ok }, now);
                1
            };
            let Slot { intended, issued, cell, len, op, .. } = slot;
            let completion = Completion { issued, completed: at, intended, cell: CellId(cell), len, op, ok };
            recorder.record_alike(completion, count as u64);
            done = &done[count..];
        }
    }

    /// Takes back the slot of a queue that has something to count. Returns the time of the last issue.
    #[inline(never)]
    fn complete_bounded<E: Engine>(
        &mut self,
        engine: &mut E,
        index: usize,
        done: Done,
        now: Instant,
    ) -> Instant {
        self.slots[done.tag.0 as usize].busy = false;
        self.outstanding -= 1;
        let queue = &mut self.queues[index];
        queue.outstanding -= 1;
        if queue.unpaced && now < queue.until && queue.bytes_left > 0 {
            self.issue(engine, index, done.tag, now)
        } else {
            self.complete_paced(engine, index, done, now)
        }
    }

    #[inline(never)]
    fn complete_paced<E: Engine>(
        &mut self,
        engine: &mut E,
        index: usize,
        done: Done,
        now: Instant,
    ) -> Instant {
        let queue = &mut self.queues[index];
        if queue.free.is_empty() {
            queue.free_since = done.at;
        }
        queue.free.push(done.tag);
        queue.pacer.completed(done.at);
        if queue.state == State::Over {
            if queue.outstanding == 0 {
                self.active -= 1;
            }
            return now;
        }
        self.fill(engine, index, now)
    }

    /// I/Os outstanding at the end.
    pub(crate) fn left_over(&self) -> Vec<Outstanding> {
        let mut left = Vec::with_capacity(self.outstanding);
        let busy = self.slots.iter().filter(|slot| slot.busy);
        left.extend(busy.map(|slot| Outstanding { cell: CellId(slot.cell), issued: slot.issued }));
        left
    }

    /// The I/Os of open loops whose time had come by `at` and that were never issued, by the queue's first cell.
    /// The backlog of an overloaded open loop is this number and no queue.
    pub(crate) fn never_issued(&self, at: Instant) -> impl Iterator<Item = (CellId, u64)> {
        let begun = self.queues.iter().filter(|queue| queue.open && queue.state != State::Waiting);
        begun.map(move |queue| {
            let mean = mean_len(&self.workload.jobs[usize::from(queue.queue.job)].mix);
            let due = queue.pacer.intended_before(at.min(queue.until), mean);
            // A job that may move so many bytes intends no more I/Os than they take.
            let most =
                queue.queue.stop_after.map_or(u64::MAX, |_| queue.bytes_left.div_ceil(u64::from(mean)));
            (CellId(queue.first_cell), due.min(most))
        })
    }

    /// Greatest depth of all queues together.
    pub fn depth(&self) -> u64 {
        self.queues.iter().map(|queue| u64::from(queue.depth)).sum()
    }
}

/// Issues the next I/Os of an endless queue in the slots of the completions at the front of `done` that equal the first,
/// which had the slot `first`. Returns how many there were; `now` becomes the time of the last issue. The number of
/// outstanding I/Os does not change.
#[inline]
fn refill<E: Engine>(
    queue: &mut QueueState,
    slots: &mut [Slot],
    engine: &mut E,
    done: &[Done],
    first: &Slot,
    now: &mut Instant,
) -> usize {
    let Done { mut tag, at, ok } = done[0];
    let (mut count, mut issued) = (0, *now);
    loop {
        let slot = &mut slots[tag.0 as usize];
        let io = queue.generator.next();
        // Before the I/O is handed over, so that nothing of it has to be kept in registers.
        slot.cell = queue.cell(io.target);
        slot.len = io.len;
        slot.op = io.op;
        engine.submit(tag, io);
        issued = engine.issued_at(issued);
        slot.intended = issued;
        slot.issued = issued;
        count += 1;
        match done.get(count) {
            Some(next) if next.at == at && next.ok == ok && slots[next.tag.0 as usize] == *first => {
                tag = next.tag
            }
            _ => break,
        }
    }
    *now = issued;
    count
}

/// The mean length of what a rate counts: all but flushes.
fn mean_len(mix: &[Share]) -> u32 {
    let counted = || mix.iter().filter(|share| share.op != Op::Flush);
    let weight: u64 = counted().map(|share| u64::from(share.weight)).sum();
    let bytes: u128 = counted().map(|share| u128::from(share.weight) * u128::from(share.block)).sum();
    (bytes / u128::from(weight.max(1))).max(1) as u32
}
