//! A coordinator and its ranks in one process, on a network and clocks that are simulated: no time passes but the queue's, and
//! every word goes as the bytes that it has on a real wire.
#![allow(dead_code, reason = "tests and the benchmark each use a part of it")]

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use iobound_fleet::protocol::{CoordinatorBook, Greeting, Out, RankBook, Times};
use iobound_fleet::wire::{report_bytes, to_coordinator_bytes, to_coordinator_of, to_rank_bytes, to_rank_of};
use iobound_fleet::{Ended, Event, Gathered, Hello, Host, RankReport, Rules, Token};
use iobound_measure::Together;
use iobound_units::Instant;

pub(crate) const MS: u64 = 1_000_000;
pub(crate) const SECOND: u64 = 1_000 * MS;

/// Simulated parts.
pub(crate) struct Plan {
    pub(crate) ranks: Vec<RankPlan>,
    pub(crate) faults: Vec<(u64, Fault)>,
    pub(crate) rules: Rules,
    pub(crate) stages: u32,
    /// Time of a stage's load, in intervals of a second.
    pub(crate) seconds: u64,
    /// What every rank tells and hands in.
    pub(crate) told: Vec<Together>,
    pub(crate) report: RankReport,
    pub(crate) token: Option<Token>,
    pub(crate) seed: u64,
}

/// One rank, as the others do not know it.
#[derive(Clone)]
pub(crate) struct RankPlan {
    /// Time of its arrival.
    pub(crate) comes: u64,
    /// Preparation time for each stage.
    pub(crate) prepares: u64,
    /// The least that a word takes to the coordinator, and back.
    pub(crate) there: u64,
    pub(crate) back: u64,
    /// Additional time that it may take.
    pub(crate) jitter: u64,
    /// What its clock shows at the beginning of the world, and what it gains in a second.
    pub(crate) clock: u64,
    pub(crate) gains_ns_per_s: i64,
    pub(crate) greeting: Greeting,
}

impl RankPlan {
    /// A rank of so many, a millisecond away.
    pub(crate) fn plain(rank: u32, of: u32, stages: u32) -> RankPlan {
        RankPlan {
            comes: MS * u64::from(rank % 50),
            prepares: 10 * MS,
            there: MS,
            back: MS,
            jitter: MS / 10,
            clock: 17 * SECOND + u64::from(rank) * 13 * MS,
            gains_ns_per_s: 0,
            greeting: greeting(rank, of, stages),
        }
    }
}

pub(crate) fn greeting(rank: u32, of: u32, stages: u32) -> Greeting {
    let host = Host { name: format!("db{rank}"), pid: 1_000 + rank, facts: String::new() };
    let (fingerprint, version) = ("scan".to_string(), "1.0.0".to_string());
    let hello = Hello { host, fingerprint, stages, version };
    Greeting { rank, of, token: String::new(), hello }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The process is gone, and its host says so.
    Kill(u32),
    /// The process does nothing any more, its connection stays.
    Hang(u32),
    /// No word passes any more, in either direction, and nobody is told.
    Cut(u32),
    /// The coordinator's process is gone.
    KillCoordinator,
    /// The coordinator does nothing any more.
    HangCoordinator,
    /// The person at the coordinator ends it.
    Stop,
}

/// Final state.
pub(crate) struct End {
    pub(crate) gathered: Option<Gathered>,
    pub(crate) events: Vec<Event>,
    pub(crate) ranks: Vec<RankEnd>,
    /// Time of the last message in either direction.
    pub(crate) at: u64,
    /// Time at which the coordinator was done.
    pub(crate) over_at: Option<u64>,
    /// Words that the coordinator heard and said.
    pub(crate) words: u64,
}

#[derive(Default)]
pub(crate) struct RankEnd {
    /// Start of each stage, by the world's time.
    pub(crate) began: Vec<u64>,
    /// Its end: by itself, or the reason.
    pub(crate) ended: Option<Result<(), Ended>>,
    pub(crate) ended_at: u64,
    pub(crate) refused: Option<String>,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
enum Happening {
    Comes(u32),
    Wakes(u32),
    ToCoordinator(u32, Vec<u8>),
    ToRank(u32, Vec<u8>),
    ClosedAtCoordinator(u32),
    ClosedAtRank(u32),
    RankTicks(u32),
    CoordinatorTicks,
    Fault(usize),
}

/// Next action of a rank's process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doing {
    Joining,
    Preparing(u32),
    Waiting(u32),
    Running(u32, u64),
    Reporting(u32),
    Done,
}

struct Process {
    plan: RankPlan,
    book: Option<RankBook>,
    doing: Doing,
    alive: bool,
    hung: bool,
    cut: bool,
    /// Words keep their order: when the last of each direction arrives.
    last_there: u64,
    last_back: u64,
    end: RankEnd,
}

pub(crate) struct World {
    plan: Plan,
    now: u64,
    count: u64,
    queue: BinaryHeap<Reverse<(u64, u64, Happening)>>,
    coordinator: CoordinatorBook,
    coordinator_alive: bool,
    coordinator_hung: bool,
    processes: Vec<Process>,
    events: Vec<Event>,
    over_at: Option<u64>,
    words: u64,
    random: u64,
    report: Vec<u8>,
    /// Owner of each connection: peers are numbered as processes are.
    open: BTreeMap<u32, bool>,
}

/// What the coordinator's clock shows at the world's beginning.
const COORDINATOR_CLOCK: u64 = 3 * SECOND;

impl World {
    /// The coordinator waits for `of` ranks, whoever comes.
    pub(crate) fn new(plan: Plan, of: u32) -> World {
        let coordinator = CoordinatorBook::new(
            of,
            plan.token.clone(),
            Times::from(plan.rules),
            Instant::from_ns(COORDINATOR_CLOCK),
        );
        let processes = plan.ranks.iter().map(|rank| Process {
            plan: rank.clone(),
            book: None,
            doing: Doing::Joining,
            alive: true,
            hung: false,
            cut: false,
            last_there: 0,
            last_back: 0,
            end: RankEnd::default(),
        });
        let mut world = World {
            processes: processes.collect(),
            coordinator,
            coordinator_alive: true,
            coordinator_hung: false,
            now: 0,
            count: 0,
            queue: BinaryHeap::new(),
            events: Vec::new(),
            over_at: None,
            words: 0,
            random: plan.seed | 1,
            report: report_bytes(&plan.report),
            open: BTreeMap::new(),
            plan,
        };
        for rank in 0..world.processes.len() as u32 {
            let comes = world.processes[rank as usize].plan.comes;
            world.at(comes, Happening::Comes(rank));
        }
        for fault in 0..world.plan.faults.len() {
            let at = world.plan.faults[fault].0;
            world.at(at, Happening::Fault(fault));
        }
        world.at(0, Happening::CoordinatorTicks);
        world
    }

    fn at(&mut self, at: u64, what: Happening) {
        self.count += 1;
        self.queue.push(Reverse((at.max(self.now), self.count, what)));
    }

    /// Until nothing is left to happen, or that long.
    pub(crate) fn run(mut self, most: u64) -> End {
        while let Some(Reverse((at, _, what))) = self.queue.pop() {
            if at > most || self.is_settled() {
                break;
            }
            self.now = at;
            self.happens(what);
        }
        let (at, over_at, events, words) = (self.now, self.over_at, self.events, self.words);
        let ranks = self.processes.into_iter().map(|process| process.end).collect();
        let gathered = self.coordinator_alive.then(|| self.coordinator.gathered());
        End { gathered, events, ranks, at, over_at, words }
    }

    fn is_settled(&self) -> bool {
        let coordinator = self.over_at.is_some() || !self.coordinator_alive || self.coordinator_hung;
        coordinator && self.processes.iter().all(|p| p.end.ended.is_some() || !p.alive || p.hung)
    }

    fn happens(&mut self, what: Happening) {
        match what {
            Happening::Comes(rank) => self.comes(rank),
            Happening::Wakes(rank) => self.goes_on(rank),
            Happening::ToCoordinator(rank, bytes) => {
                if self.coordinator_alive && !self.coordinator_hung && !self.processes[rank as usize].cut {
                    self.words += 1;
                    let now = self.coordinator_now();
                    match to_coordinator_of(&bytes) {
                        Ok(word) => self.coordinator.heard(u64::from(rank), word, now),
                        Err(error) => self.coordinator.garbled(u64::from(rank), &error.0, now),
                    }
                    self.coordinator_says();
                }
            }
            Happening::ToRank(rank, bytes) => {
                if self.works(rank) && !self.processes[rank as usize].cut {
                    let now = self.rank_now(rank);
                    let book = self.book(rank);
                    match to_rank_of(&bytes) {
                        Ok(word) => book.heard(word, now),
                        Err(error) => book.garbled(&error.0),
                    }
                    self.goes_on(rank);
                }
            }
            Happening::ClosedAtCoordinator(rank) => {
                if self.coordinator_alive
                    && !self.coordinator_hung
                    && self.open.insert(rank, false) == Some(true)
                {
                    let now = self.coordinator_now();
                    self.coordinator.closed(u64::from(rank), "reset by peer", now);
                    self.coordinator_says();
                }
            }
            Happening::ClosedAtRank(rank) => {
                if self.works(rank) && !self.processes[rank as usize].cut {
                    self.book(rank).closed("reset by peer");
                    self.goes_on(rank);
                }
            }
            Happening::RankTicks(rank) => {
                if self.works(rank) && self.processes[rank as usize].end.ended.is_none() {
                    let now = self.rank_now(rank);
                    self.book(rank).tick(now);
                    self.goes_on(rank);
                    let next = self.now + self.beat() / 2;
                    self.at(next, Happening::RankTicks(rank));
                }
            }
            Happening::CoordinatorTicks => {
                if self.coordinator_alive && !self.coordinator_hung && self.over_at.is_none() {
                    let now = self.coordinator_now();
                    self.coordinator.tick(now);
                    self.coordinator_says();
                    let next = self.now + self.beat() / 2;
                    self.at(next, Happening::CoordinatorTicks);
                }
            }
            Happening::Fault(fault) => self.fails(self.plan.faults[fault].1),
        }
    }

    fn beat(&self) -> u64 {
        self.plan.rules.beat.as_nanos() as u64
    }

    fn fails(&mut self, fault: Fault) {
        match fault {
            Fault::Kill(rank) => {
                self.processes[rank as usize].alive = false;
                let at = self.now + self.processes[rank as usize].plan.there;
                self.at(at, Happening::ClosedAtCoordinator(rank));
            }
            Fault::Hang(rank) => self.processes[rank as usize].hung = true,
            Fault::Cut(rank) => self.processes[rank as usize].cut = true,
            Fault::KillCoordinator => {
                self.coordinator_alive = false;
                for rank in 0..self.processes.len() as u32 {
                    let at = self.now + self.processes[rank as usize].plan.back;
                    self.at(at, Happening::ClosedAtRank(rank));
                }
            }
            Fault::HangCoordinator => self.coordinator_hung = true,
            Fault::Stop => {
                let now = self.coordinator_now();
                self.coordinator.stop("its person ended it", now);
                self.coordinator_says();
            }
        }
    }

    fn comes(&mut self, rank: u32) {
        if !self.processes[rank as usize].alive {
            return;
        }
        let now = self.rank_now(rank);
        let greeting = self.processes[rank as usize].plan.greeting.clone();
        self.processes[rank as usize].book = Some(RankBook::new(greeting, Times::from(self.plan.rules), now));
        if self.coordinator_alive {
            self.open.insert(rank, true);
            self.coordinator.opened(u64::from(rank), format!("process {rank}"));
        }
        self.goes_on(rank);
        self.at(self.now, Happening::RankTicks(rank));
    }

    fn works(&self, rank: u32) -> bool {
        let process = &self.processes[rank as usize];
        process.alive && !process.hung && process.book.is_some()
    }

    fn book(&mut self, rank: u32) -> &mut RankBook {
        self.processes[rank as usize].book.as_mut().expect("it has come")
    }

    pub(crate) fn coordinator_now(&self) -> Instant {
        Instant::from_ns(COORDINATOR_CLOCK + self.now)
    }

    fn rank_now(&self, rank: u32) -> Instant {
        let plan = &self.processes[rank as usize].plan;
        let gained = i128::from(self.now) * i128::from(plan.gains_ns_per_s) / i128::from(SECOND);
        Instant::from_ns((i128::from(plan.clock) + i128::from(self.now) + gained) as u64)
    }

    /// World time at which the rank's clock will show this.
    fn world_time(&self, rank: u32, local: Instant) -> u64 {
        let plan = &self.processes[rank as usize].plan;
        let since = i128::from(local.ns()) - i128::from(plan.clock);
        let world = since * i128::from(SECOND) / i128::from(SECOND as i64 + plan.gains_ns_per_s);
        (world.max(i128::from(self.now))) as u64
    }

    fn draw(&mut self, below: u64) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        if below == 0 { 0 } else { self.random % below }
    }

    /// The rank's process does what it can, and its words go out.
    fn goes_on(&mut self, rank: u32) {
        if !self.works(rank) || self.processes[rank as usize].end.ended.is_some() {
            return;
        }
        let now = self.rank_now(rank);
        match self.processes[rank as usize].doing {
            Doing::Joining => match self.book(rank).admitted() {
                None => {}
                Some(Ok(())) => self.prepares(rank, 0),
                Some(Err(why)) => {
                    self.processes[rank as usize].end.refused = Some(why.clone());
                    self.ends(rank, Err(Ended::Stopped(why)));
                }
            },
            // Its next step has its time.
            Doing::Preparing(_) => {}
            Doing::Waiting(stage) => match self.book(rank).start(stage) {
                None => {}
                Some(Err(ended)) => self.ends(rank, Err(ended)),
                Some(Ok(at)) => {
                    self.processes[rank as usize].doing = Doing::Running(stage, 0);
                    let at = self.world_time(rank, at);
                    self.at(at, Happening::Wakes(rank));
                }
            },
            Doing::Running(..) => {}
            Doing::Reporting(stage) => match self.book(rank).has_report(stage) {
                None => {}
                Some(Err(ended)) => self.ends(rank, Err(ended)),
                Some(Ok(())) if stage + 1 < self.plan.stages => self.prepares(rank, stage + 1),
                Some(Ok(())) => self.ends(rank, Ok(())),
            },
            Doing::Done => {}
        }
        self.timed(rank, now);
        self.rank_says(rank);
    }

    /// Action of a process when its time has come.
    fn timed(&mut self, rank: u32, now: Instant) {
        match self.processes[rank as usize].doing {
            Doing::Preparing(stage) if self.due(rank) => {
                self.book(rank).ready(stage);
                self.processes[rank as usize].doing = Doing::Waiting(stage);
            }
            Doing::Running(stage, told) if self.due(rank) => {
                if told == 0 {
                    let world = self.now;
                    self.processes[rank as usize].end.began.push(world);
                    self.book(rank).began(stage, now);
                } else if let Some(together) = self.plan.told.get(told as usize - 1).cloned() {
                    self.book(rank).tell(stage, together);
                }
                let ended = self.book(rank).ended();
                if told >= self.plan.seconds || ended.is_some() {
                    self.processes[rank as usize].doing = Doing::Reporting(stage);
                    let report = self.report.clone();
                    self.book(rank).report(stage, report);
                } else {
                    self.processes[rank as usize].doing = Doing::Running(stage, told + 1);
                    let next = self.now + SECOND;
                    self.processes[rank as usize].end.ended_at = next;
                    self.at(next, Happening::Wakes(rank));
                }
            }
            _ => {}
        }
    }

    /// True if the moment is here that the process waits for.
    fn due(&self, rank: u32) -> bool {
        let process = &self.processes[rank as usize];
        match process.doing {
            Doing::Running(stage, 0) => {
                let start = process.book.as_ref().and_then(|book| book.start(stage));
                // Stopped before it began: it begins and ends at once.
                matches!(start, Some(Err(_)))
                    || matches!(start, Some(Ok(at)) if self.world_time(rank, at) <= self.now)
            }
            _ => process.end.ended_at <= self.now,
        }
    }

    fn prepares(&mut self, rank: u32, stage: u32) {
        let until = self.now + self.processes[rank as usize].plan.prepares;
        self.processes[rank as usize].doing = Doing::Preparing(stage);
        self.processes[rank as usize].end.ended_at = until;
        self.at(until, Happening::Wakes(rank));
    }

    fn ends(&mut self, rank: u32, how: Result<(), Ended>) {
        let process = &mut self.processes[rank as usize];
        process.doing = Doing::Done;
        process.end.ended = Some(how);
        process.end.ended_at = self.now;
    }

    fn rank_says(&mut self, rank: u32) {
        let now = self.rank_now(rank);
        while let Some(word) = self.book(rank).say(now) {
            let bytes = to_coordinator_bytes(&word);
            let jitter = self.processes[rank as usize].plan.jitter;
            let delay = self.processes[rank as usize].plan.there + self.draw(jitter);
            let at = (self.now + delay).max(self.processes[rank as usize].last_there);
            self.processes[rank as usize].last_there = at;
            self.at(at, Happening::ToCoordinator(rank, bytes));
        }
    }

    fn coordinator_says(&mut self) {
        while let Some((peer, out)) = self.coordinator.out() {
            let rank = peer as u32;
            let jitter = self.processes[rank as usize].plan.jitter;
            let delay = self.processes[rank as usize].plan.back + self.draw(jitter);
            let at = (self.now + delay).max(self.processes[rank as usize].last_back);
            self.processes[rank as usize].last_back = at;
            match out {
                Out::Say(word) => {
                    self.words += 1;
                    self.at(at, Happening::ToRank(rank, to_rank_bytes(&word)));
                }
                Out::Close => {
                    self.open.insert(rank, false);
                    self.at(at, Happening::ClosedAtRank(rank));
                }
            }
        }
        while let Some(event) = self.coordinator.event() {
            if matches!(event, Event::Over) {
                self.over_at = Some(self.now);
            }
            self.events.push(event);
        }
    }
}
