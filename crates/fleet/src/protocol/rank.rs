//! A rank's side.

use std::collections::{BTreeMap, VecDeque};

use iobound_measure::Together;
use iobound_units::Instant;

use super::{Greeting, Times, ToCoordinator, ToRank};
use crate::error::Ended;

/// The most intervals that wait for a coordinator that does not take them.
const MOST_WAITING: usize = 16;

/// Size of a fragment of a report: small enough that messages between two are not late.
const FRAGMENT: usize = 256 << 10;

/// A rank, without its connection: words and time go in, words and what has become known come out. Times are of this
/// rank's own clock.
#[derive(Debug)]
pub struct RankBook {
    times: Times,
    stages: u32,
    heard: Instant,
    said: Instant,
    ticked: Instant,
    /// True if it was let in, once it is known; why not.
    admitted: Option<Result<(), String>>,
    all_there: bool,
    starts: BTreeMap<u32, Instant>,
    /// Number of stages the coordinator that has the report of.
    got: u32,
    /// The stage that was started and not reported yet.
    running: Option<u32>,
    stopped: Option<String>,
    lost: Option<String>,
    /// It has said farewell: the end of the connection is not a loss then.
    left: bool,
    /// Progress of the preparation, for the coordinator: it changes while there is some.
    work: u64,
    words: VecDeque<ToCoordinator>,
    intervals: VecDeque<ToCoordinator>,
    report: Option<ReportFragments>,
}

/// A report on its way.
#[derive(Debug)]
struct ReportFragments {
    stage: u32,
    bytes: Vec<u8>,
    gone: usize,
}

impl RankBook {
    /// A rank that says hello first.
    pub fn new(greeting: Greeting, times: Times, now: Instant) -> RankBook {
        RankBook {
            times,
            stages: greeting.hello.stages,
            heard: now,
            said: now,
            ticked: now,
            admitted: None,
            all_there: false,
            starts: BTreeMap::new(),
            got: 0,
            running: None,
            stopped: None,
            lost: None,
            left: false,
            work: 0,
            words: VecDeque::from([ToCoordinator::Hello(Box::new(greeting))]),
            intervals: VecDeque::new(),
            report: None,
        }
    }

    /// There is a connection now: the coordinator could not be heard before.
    pub fn connected(&mut self, now: Instant) {
        (self.heard, self.said, self.ticked) = (now, now, now);
    }

    /// Next message; `None` if there is none now.
    pub fn say(&mut self, now: Instant) -> Option<ToCoordinator> {
        if self.lost.is_some() {
            return None;
        }
        let word =
            self.words.pop_front().or_else(|| self.intervals.pop_front()).or_else(|| self.fragment())?;
        self.said = now;
        Some(word)
    }

    fn fragment(&mut self) -> Option<ToCoordinator> {
        let ReportFragments { stage, bytes, gone } = self.report.as_mut()?;
        let end = (*gone + FRAGMENT).min(bytes.len());
        let word = ToCoordinator::Fragment {
            stage: *stage,
            bytes: bytes[*gone..end].to_vec(),
            last: end == bytes.len(),
        };
        *gone = end;
        if end == bytes.len() {
            self.report = None;
        }
        Some(word)
    }

    /// The coordinator has said something.
    pub fn heard(&mut self, word: ToRank, now: Instant) {
        self.heard = now;
        match word {
            ToRank::Welcome => self.admitted = Some(Ok(())),
            ToRank::AllThere => self.all_there = true,
            ToRank::Refused { why } => {
                self.admitted = Some(Err(why));
                self.left = true;
            }
            // At once, before what else there is to say: the coordinator measures how long it takes.
            ToRank::Ping { number } => self.words.push_front(ToCoordinator::Pong { number, at: now }),
            ToRank::Start { stage, at } => {
                self.starts.insert(stage, at);
                self.running = Some(stage);
            }
            ToRank::Stop { why } => {
                self.stopped.get_or_insert(why);
                self.leave_if_done();
            }
            ToRank::Got { stage } => {
                self.got = self.got.max(stage.saturating_add(1));
                self.running = None;
                self.leave_if_done();
            }
            ToRank::Beat => {}
        }
    }

    fn leave_if_done(&mut self) {
        let done = self.got >= self.stages || self.stopped.is_some();
        if done && self.running.is_none() && !self.left {
            self.left = true;
            self.words.push_back(ToCoordinator::Bye);
        }
    }

    /// The coordinator has said what can't be read.
    pub fn garbled(&mut self, what: &str) {
        self.lose(format!("the coordinator sent an invalid message: {what}"));
    }

    /// The connection has ended, and how.
    pub fn closed(&mut self, how: &str) {
        if !self.left {
            self.lose(format!("the connection to the coordinator ended: {how}"));
        }
        self.left = true;
    }

    /// Time has passed. To be called every [`Times::beat`] or more often.
    pub fn tick(&mut self, now: Instant) {
        let gap = now.since(self.ticked);
        self.ticked = now;
        // A process that was stopped itself has not listened.
        if gap.ns() > self.times.beat.ns().saturating_mul(4) {
            self.heard += gap;
        }
        if self.left || self.lost.is_some() {
            return;
        }
        if now.since(self.heard) >= self.times.silent {
            self.lose(format!(
                "the coordinator sent nothing for {}: it hangs, or the connection is broken",
                self.times.silent
            ));
        } else if now.since(self.said) >= self.times.beat && self.words.is_empty() {
            self.words.push_back(ToCoordinator::Beat { work: self.work });
        }
    }

    fn lose(&mut self, why: String) {
        if !self.left {
            self.lost.get_or_insert(why);
        }
    }

    /// It has made progress with the preparation of its targets.
    pub fn works(&mut self) {
        self.work = self.work.wrapping_add(1);
    }

    /// It is prepared for a stage.
    pub fn ready(&mut self, stage: u32) {
        self.words.push_back(ToCoordinator::Ready { stage });
    }

    /// Its first I/O of a stage could go.
    pub fn began(&mut self, stage: u32, at: Instant) {
        self.words.push_back(ToCoordinator::Began { stage, at });
    }

    /// An interval has ended. Where too many wait, the eldest is left out.
    pub fn tell(&mut self, stage: u32, together: Together) {
        if self.intervals.len() >= MOST_WAITING {
            self.intervals.pop_front();
        }
        self.intervals.push_back(ToCoordinator::Tick { stage, together: Box::new(together) });
    }

    /// Its report of a stage, encoded.
    pub fn report(&mut self, stage: u32, bytes: Vec<u8>) {
        self.report = Some(ReportFragments { stage, bytes, gone: 0 });
    }

    /// It leaves before its work is done.
    pub fn give_up(&mut self, why: &str) {
        if !self.left {
            self.left = true;
            self.words.push_back(ToCoordinator::GiveUp { why: why.to_string() });
        }
    }

    /// True if it was let in, once that is known; why not.
    pub fn admitted(&self) -> Option<Result<(), String>> {
        match (&self.admitted, &self.lost) {
            (None, Some(why)) => Some(Err(why.clone())),
            (admitted, _) => admitted.clone(),
        }
    }

    /// True if all ranks are there.
    pub fn all_there(&self) -> bool {
        self.all_there
    }

    /// Start time of a stage, once it is known; or the reason why it does not start. A stage that was due when the coordinator ended it
    /// starts and ends at once, because the coordinator waits for its report.
    pub fn start(&self, stage: u32) -> Option<Result<Instant, Ended>> {
        match (&self.lost, self.starts.get(&stage)) {
            (None, Some(at)) => Some(Ok(*at)),
            _ => self.ended().map(Err),
        }
    }

    /// True if the coordinator has the report of a stage, once that is known; why it never will.
    pub fn has_report(&self, stage: u32) -> Option<Result<(), Ended>> {
        if self.got > stage {
            return Some(Ok(()));
        }
        if let Some(why) = &self.lost {
            return Some(Err(Ended::Lost(why.clone())));
        }
        // The rank left before: its result would reach no one.
        let why = self.stopped.clone().unwrap_or_else(|| "the meeting is over".into());
        self.left.then_some(Err(Ended::Stopped(why)))
    }

    /// Reason why the meeting is over for this rank before its work was done, where it is.
    pub fn ended(&self) -> Option<Ended> {
        let lost = self.lost.clone().map(Ended::Lost);
        lost.or_else(|| self.stopped.clone().map(Ended::Stopped))
    }

    /// True if the coordinator is lost.
    pub fn is_lost(&self) -> bool {
        self.lost.is_some()
    }

    /// Reason why the coordinator stopped it, where it did.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// Reason why the coordinator is lost, where it is.
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// True if it has said all that it will ever say.
    pub fn is_done(&self) -> bool {
        self.lost.is_some() || (self.left && self.words.is_empty())
    }
}
