//! The lanes of one real thread, and what each has outstanding. In virtual time: all of them.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use iobound_measure::{CellId, Completion, Histogram, Outstanding, Recorder};
use iobound_units::{Bytes, Instant, Io, Op, Span, Tag, TargetId};
use iobound_workload::{
    Cursors, FlowMember, Generator, Lane, LaneError, LaneLoad, Pacer, Share, Target, Workload,
};

use crate::engine::{Done, Engine};
use crate::layout::Window;
use crate::timers::Timers;

/// A workload that no crew can issue.
#[derive(Clone, Debug)]
pub enum CrewError {
    /// The jobs and the targets do not fit.
    Lanes(LaneError),
    /// More outstanding I/Os than there are tags.
    TooDeep {
        /// Request of the jobs.
        depth: u64,
        /// The targets.
        most: u64,
    },
}

/// The most outstanding I/Os of one crew: a million, sixteen times what any queue of a real device takes.
pub const MOST_OUTSTANDING: u64 = 1 << 20;

impl fmt::Display for CrewError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CrewError::Lanes(error) => error.fmt(f),
            CrewError::TooDeep { depth, most } => write!(
                f,
                "the jobs ask for {depth} outstanding I/Os, at most {most} are possible: lower the queue depth or \
                 the number of threads"
            ),
        }
    }
}

impl std::error::Error for CrewError {}

impl From<LaneError> for CrewError {
    fn from(error: LaneError) -> CrewError {
        CrewError::Lanes(error)
    }
}

/// Known facts about an outstanding I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Slot {
    intended: Instant,
    issued: Instant,
    lane: u32,
    cell: u32,
    len: u32,
    op: Op,
    busy: bool,
}

const FREE: Slot = Slot {
    intended: Instant::ZERO,
    issued: Instant::ZERO,
    lane: 0,
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
struct LaneState {
    generator: Generator,
    pacer: Pacer,
    /// Neither cap nor pause nor schedule: a completion is followed by the next I/O, whatever the time.
    unpaced: bool,
    /// Unpaced, and with no end but its time: a slot that comes back goes out again.
    endless: bool,
    open: bool,
    /// Its place among the lanes that it shares I/Os with.
    flow: Option<FlowMember>,
    state: State,
    depth: u32,
    outstanding: u32,
    first_cell: u32,
    /// By target id, for lanes of several targets.
    cells: Vec<u32>,
    free: Vec<Tag>,
    /// When a slot came back, where all had been outstanding.
    free_since: Instant,
    /// When it issues no more.
    until: Instant,
    /// Number of bytes that it may still move.
    bytes_left: u64,
    /// Set while a timer is.
    timed: bool,
    lane: Lane,
}

impl LaneState {
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

/// The lanes of one thread with their outstanding I/Os.
#[derive(Debug)]
pub struct Crew {
    lanes: Vec<LaneState>,
    slots: Vec<Slot>,
    pub(crate) timers: Timers,
    workload: Arc<Workload>,
    window: Window,
    stage: u16,
    last_stage: u16,
    /// Lanes of the current stage that are not over, or have I/Os outstanding.
    active: usize,
    outstanding: usize,
    late: Option<Box<Histogram>>,
}

impl Crew {
    /// A crew of all lanes of a workload on these targets.
    ///
    /// # Errors
    /// Returns an error if the targets cannot hold the jobs, or there are more outstanding I/Os than tags.
    pub fn new(workload: &Workload, targets: &[Target], window: Window) -> Result<Crew, CrewError> {
        let lanes = workload.lanes(targets)?;
        Crew::of_lanes(workload, lanes, window)
    }

    /// A crew of all of a run's lanes.
    ///
    /// # Errors
    /// Returns an error if there are more outstanding I/Os than tags.
    pub fn of_lanes(workload: &Workload, lanes: Vec<Lane>, window: Window) -> Result<Crew, CrewError> {
        let cursors = Cursors::new(&lanes);
        Crew::gather(&Arc::new(workload.clone()), lanes, &cursors, window)
    }

    /// The crew of one real thread: its lanes of all the run's, `lanes`. Its cells are numbered from zero, as those of
    /// the thread's recorder ([`Recorder::of_thread`]); `cursors` are made of all lanes, so that shared streams are shared.
    ///
    /// # Errors
    /// Returns an error if there are more outstanding I/Os than tags.
    pub fn of_thread(
        workload: &Arc<Workload>,
        lanes: &[Lane],
        thread: u16,
        cursors: &Cursors,
        window: Window,
    ) -> Result<Crew, CrewError> {
        let own = lanes.iter().filter(|lane| lane.thread == thread).cloned().collect();
        Crew::gather(workload, own, cursors, window)
    }

    /// A crew of lanes that follow each other in the run.
    fn gather(
        workload: &Arc<Workload>,
        lanes: Vec<Lane>,
        cursors: &Cursors,
        window: Window,
    ) -> Result<Crew, CrewError> {
        let depth: u64 = lanes.iter().map(|lane| u64::from(lane.depth)).sum();
        if depth > MOST_OUTSTANDING {
            return Err(CrewError::TooDeep { depth, most: MOST_OUTSTANDING });
        }
        let generators = workload.generators_on(&lanes, cursors);
        let (mut next_tag, mut next_cell) = (0, 0);
        let count = lanes.len();
        let lanes: Vec<LaneState> = lanes
            .into_iter()
            .zip(generators)
            .map(|(lane, generator)| {
                let first_cell = next_cell;
                let mut cells = Vec::new();
                let targets: Vec<TargetId> = lane.targets().collect();
                if targets.len() > 1 {
                    let most = targets.iter().map(|target| target.0).max().unwrap_or(0);
                    cells.resize(usize::from(most) + 1, 0);
                    for (n, target) in targets.iter().enumerate() {
                        cells[usize::from(target.0)] = first_cell + n as u32;
                    }
                }
                next_cell += targets.len() as u32;
                let free = (next_tag..next_tag + lane.depth).rev().map(Tag).collect();
                next_tag += lane.depth;
                let uncapped = lane.load == LaneLoad::Closed { cap: None };
                let unpaced = uncapped && lane.think.is_none() && lane.flow.is_none();
                LaneState {
                    generator,
                    pacer: workload.pacer(&lane, window.begin),
                    unpaced,
                    endless: unpaced && lane.stop_after.is_none(),
                    open: matches!(lane.load, LaneLoad::Open { .. }),
                    flow: cursors.flow_of(&lane),
                    state: State::Waiting,
                    depth: lane.depth,
                    outstanding: 0,
                    first_cell,
                    cells,
                    free,
                    free_since: window.begin,
                    until: window.until,
                    bytes_left: lane.stop_after.map_or(u64::MAX, Bytes::get),
                    timed: false,
                    lane,
                }
            })
            .collect();
        Ok(Crew {
            slots: vec![FREE; next_tag as usize],
            timers: Timers::with_capacity(count),
            workload: Arc::clone(workload),
            window,
            stage: 0,
            last_stage: lanes.iter().map(|lane| lane.lane.stage).max().unwrap_or(0),
            active: 0,
            outstanding: 0,
            late: None,
            lanes,
        })
    }

    /// Passes over the first `ios` I/Os of every lane, in the lanes' order: a run that begins where another has come to.
    pub fn pass_over(&mut self, ios: &[u64]) {
        assert_eq!(ios.len(), self.lanes.len(), "a number for each lane");
        for (lane, ios) in self.lanes.iter_mut().zip(ios) {
            for _ in 0..*ios {
                let _ = lane.generator.next();
            }
        }
    }

    /// Counts all threads of a job together, in the cells of [`crate::layout_by_job`].
    pub fn count_by_job(&mut self) {
        let mut numbers = BTreeMap::new();
        for lane in &mut self.lanes {
            for (n, target) in lane.lane.targets().enumerate() {
                let next = numbers.len() as u32;
                let cell = *numbers.entry((lane.lane.job, target)).or_insert(next);
                if n == 0 {
                    lane.first_cell = cell;
                }
                if let Some(of_target) = lane.cells.get_mut(usize::from(target.0)) {
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

    /// The lanes, in order: what [`crate::layout_of`] makes the recorder's cells from.
    pub fn lanes(&self) -> impl Iterator<Item = &Lane> {
        self.lanes.iter().map(|lane| &lane.lane)
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

    /// Starts the lanes of the current stage at `now`, each at its own delay. A stage has the workload's duration,
    /// whenever it begins; the first has the warm-up before it, the last the cool-down behind it.
    pub(crate) fn begin_stage<E: Engine>(&mut self, engine: &mut E, now: Instant) {
        let first = self.lanes.iter().all(|lane| lane.lane.stage >= self.stage);
        let warmup = if first { self.workload.warmup } else { Span::ZERO };
        let cooldown = if self.stage == self.last_stage { self.workload.cooldown } else { Span::ZERO };
        let stage_until = now + warmup + self.workload.duration + cooldown;
        for index in 0..self.lanes.len() {
            if self.lanes[index].lane.stage != self.stage {
                continue;
            }
            self.active += 1;
            let lane = &mut self.lanes[index];
            let begins = now + lane.lane.start_after;
            let until = lane.lane.runtime.map_or(stage_until, |own| begins + own + warmup);
            lane.until = until.min(self.window.until);
            lane.pacer = self.workload.pacer(&lane.lane, begins);
            if begins > now {
                lane.timed = true;
                self.timers.set(begins, index as u32);
            } else {
                lane.begin();
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

    /// A lane's time has come.
    pub(crate) fn wake<E: Engine>(&mut self, engine: &mut E, lane: u32, now: Instant) {
        let state = &mut self.lanes[lane as usize];
        state.timed = false;
        if state.state == State::Waiting {
            state.begin();
        }
        self.fill(engine, lane as usize, now);
    }

    /// Issues what a lane may issue now; sets a timer where it waits for a time. Returns the time of the last issue.
    fn fill<E: Engine>(&mut self, engine: &mut E, index: usize, mut now: Instant) -> Instant {
        loop {
            let lane = &mut self.lanes[index];
            if lane.state != State::Running {
                return now;
            }
            if now >= lane.until || lane.bytes_left == 0 {
                self.end_lane(index);
                return now;
            }
            let Some(tag) = lane.free.last().copied() else { return now };
            // A flush or a read of what was written follows its writes at once: no rate and no schedule counts it.
            let allowed = if lane.generator.follows() { now } else { lane.next_allowed(now) };
            if allowed > now {
                if !lane.timed && allowed < Instant::MAX {
                    lane.timed = true;
                    // Also when it ends before: then it is over then.
                    self.timers.set(allowed.min(lane.until), index as u32);
                }
                return now;
            }
            lane.free.pop();
            now = self.issue(engine, index, tag, now);
        }
    }

    fn end_lane(&mut self, index: usize) {
        let lane = &mut self.lanes[index];
        if lane.state == State::Running {
            lane.state = State::Over;
            if let Some(flow) = &mut lane.flow {
                flow.leave();
            }
            if lane.outstanding == 0 {
                self.active -= 1;
            }
        }
    }

    /// Issues a lane's next I/O with this tag. Returns when it was issued.
    #[inline]
    fn issue<E: Engine>(&mut self, engine: &mut E, index: usize, tag: Tag, now: Instant) -> Instant {
        let lane = &mut self.lanes[index];
        let follows = lane.generator.follows();
        let scheduled = (lane.open && !follows).then(|| lane.pacer.next_allowed());
        let held_back = if lane.unpaced { None } else { lane.pacer.held_back(now) };
        let io = match held_back {
            None => lane.generator.next(),
            Some(op) => lane.generator.next_other_than(op),
        };
        lane.outstanding += 1;
        self.outstanding += 1;
        let work = if follows { 0 } else { u64::from(io.len) };
        lane.bytes_left = lane.bytes_left.saturating_sub(work);
        let cell = lane.cell(io.target);
        engine.submit(tag, io);
        let now = engine.issued_at(now);
        if let (Some(intended), Some(late)) = (scheduled, &mut self.late) {
            late.record(now.since(intended.max(lane.free_since)).ns());
        }
        if !lane.unpaced {
            lane.pacer.issued(now, if follows { &NOT_PACED } else { &io });
            if let Some(flow) = lane.flow.as_mut().filter(|_| work > 0) {
                flow.issued();
            }
        }
        let intended = scheduled.unwrap_or(now);
        self.slots[tag.0 as usize] =
            Slot { intended, issued: now, lane: index as u32, cell, len: io.len, op: io.op, busy: true };
        now
    }

    /// Takes back slots, refills their lanes, then records, so that the device waits least. Equal completions in a row (same
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
            let lane = &mut self.lanes[slot.lane as usize];
            let count = if lane.endless && now < lane.until {
                refill(lane, &mut self.slots, engine, done, &slot, &mut now)
            } else {
                now = self.complete_bounded(engine, slot.lane as usize, Done { tag, at, ok }, now);
                1
            };
            let Slot { intended, issued, cell, len, op, .. } = slot;
            let completion = Completion { issued, completed: at, intended, cell: CellId(cell), len, op, ok };
            recorder.record_alike(completion, count as u64);
            done = &done[count..];
        }
    }

    /// Takes back the slot of a lane that has something to count. Returns the time of the last issue.
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
        let lane = &mut self.lanes[index];
        lane.outstanding -= 1;
        if lane.unpaced && now < lane.until && lane.bytes_left > 0 {
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
        let lane = &mut self.lanes[index];
        if lane.free.is_empty() {
            lane.free_since = done.at;
        }
        lane.free.push(done.tag);
        lane.pacer.completed(done.at);
        if lane.state == State::Over {
            if lane.outstanding == 0 {
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

    /// The I/Os of open loops whose time had come by `at` and that were never issued, by the lane's first cell.
    /// The backlog of an overloaded open loop is this number and no queue.
    pub(crate) fn never_issued(&self, at: Instant) -> impl Iterator<Item = (CellId, u64)> {
        let begun = self.lanes.iter().filter(|lane| lane.open && lane.state != State::Waiting);
        begun.map(move |lane| {
            let mean = mean_len(&self.workload.jobs[usize::from(lane.lane.job)].mix);
            let due = lane.pacer.intended_before(at.min(lane.until), mean);
            // A job that may move so many bytes intends no more I/Os than they take.
            let most = lane.lane.stop_after.map_or(u64::MAX, |_| lane.bytes_left.div_ceil(u64::from(mean)));
            (CellId(lane.first_cell), due.min(most))
        })
    }

    /// Greatest depth of all lanes together.
    pub fn depth(&self) -> u64 {
        self.lanes.iter().map(|lane| u64::from(lane.depth)).sum()
    }
}

/// Issues the next I/Os of an endless lane in the slots of the completions at the front of `done` that equal the first,
/// which had the slot `first`. Returns how many there were; `now` becomes the time of the last issue. The number of
/// outstanding I/Os does not change.
#[inline]
fn refill<E: Engine>(
    lane: &mut LaneState,
    slots: &mut [Slot],
    engine: &mut E,
    done: &[Done],
    first: &Slot,
    now: &mut Instant,
) -> usize {
    let Done { at, ok, .. } = done[0];
    let (mut count, mut issued) = (0, *now);
    for &Done { tag, at: other_at, ok: other_ok } in done {
        let slot = &mut slots[tag.0 as usize];
        if other_at != at || other_ok != ok || *slot != *first {
            break;
        }
        let io = lane.generator.next();
        // Before the I/O is handed over, so that nothing of it has to be kept in registers.
        slot.cell = lane.cell(io.target);
        slot.len = io.len;
        slot.op = io.op;
        engine.submit(tag, io);
        issued = engine.issued_at(issued);
        slot.intended = issued;
        slot.issued = issued;
        count += 1;
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
