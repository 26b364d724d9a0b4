//! The coordinator's side: the book of ranks.
//!
//! Until the first stage begins, a rank that is lost ends it all: the figure of fewer hosts is another experiment. From
//! then on the others go on, and what is missing is said.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use iobound_units::{Instant, Span};

use super::intervals::Intervals;
use super::place::{Peer, Place, Standing};
use super::{Times, ToCoordinator, ToRank};
use crate::event::Event;
use crate::gathered::{Gathered, StageStart};
use crate::state::FleetState;
use crate::token::Token;

/// Limit of refused connections that are told apart: anybody can connect.
const MOST_REFUSED: usize = 100;

/// Time for a rank to end its load and report after it was told to stop, where the length of stages is known.
const STOPS: Span = Span::from_secs(30);

/// Action on a connection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Out {
    /// Say this.
    Say(ToRank),
    /// Close it, once all is said.
    Close,
}

/// The coordinator, without its connections: words and time go in, words and events come out.
#[derive(Debug)]
pub struct CoordinatorBook {
    pub(super) of: u32,
    token: Option<Token>,
    pub(super) times: Times,
    opened: Instant,
    ticked: Instant,
    pub(super) places: Vec<Place>,
    /// Origin and rank of each connection.
    peers: BTreeMap<Peer, (String, Option<u32>)>,
    /// Fields of the first rank that all must share.
    pub(super) common: Option<Common>,
    pub(super) counts: Counts,
    pub(super) phase: Phase,
    pub(super) stage: u32,
    /// Start time of each stage that was begun.
    pub(super) starts: Vec<Instant>,
    pub(super) intervals: Intervals,
    /// Ranks whose clocks are being measured, and those that wait for it.
    pub(super) measured: BTreeSet<u32>,
    pub(super) to_measure: VecDeque<u32>,
    pub(super) stopped: Option<String>,
    stopped_at: Instant,
    /// Time from a stage's start within which every rank reports it, where it is known.
    pub(super) whole: Option<Span>,
    /// Deadline of the report of the running stage.
    pub(super) due: Option<Instant>,
    refused: Vec<String>,
    out: VecDeque<(Peer, Out)>,
    pub(super) events: VecDeque<Event>,
}

/// Fields that all ranks must share, and the first rank that sent them.
#[derive(Debug)]
pub(super) struct Common {
    pub(super) rank: u32,
    pub(super) version: String,
    pub(super) fingerprint: String,
    pub(super) stages: u32,
}

/// Number of ranks that are how far, so that a word of one costs no look at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) here: u32,
    /// Prepared for the stage.
    pub(super) ready: u32,
    /// Their load runs.
    pub(super) running: u32,
    /// They have reported the stage.
    pub(super) reported: u32,
}

/// Phase of the fleet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// Ranks come.
    Gathering,
    /// All are there and prepare the stage.
    Preparing,
    /// All are ready; their clocks are measured.
    Measuring,
    /// The stage runs.
    Running,
    /// No stage is to come: reports and farewells do.
    Ending,
    /// Nothing is to come.
    Over,
}

impl CoordinatorBook {
    /// A coordinator for so many ranks, which opens now. Without a token, every process that speaks the protocol is let
    /// in.
    pub fn new(of: u32, token: Option<Token>, times: Times, now: Instant) -> CoordinatorBook {
        CoordinatorBook {
            of,
            token,
            times,
            opened: now,
            ticked: now,
            places: (0..of).map(|rank| Place::new(rank, now)).collect(),
            peers: BTreeMap::new(),
            common: None,
            counts: Counts::default(),
            phase: Phase::Gathering,
            stage: 0,
            starts: Vec::new(),
            intervals: Intervals::default(),
            measured: BTreeSet::new(),
            to_measure: VecDeque::new(),
            stopped: None,
            stopped_at: now,
            whole: None,
            due: None,
            refused: Vec::new(),
            out: VecDeque::new(),
            events: VecDeque::new(),
        }
    }

    /// A stage's report is due this long after the stage's start. From the next start on.
    pub fn expect(&mut self, whole: Span) {
        self.whole = Some(whole);
    }

    /// Somebody has connected, from there.
    pub fn opened(&mut self, peer: Peer, from: String) {
        self.peers.insert(peer, (from, None));
    }

    /// Next action on a connection.
    pub fn out(&mut self) -> Option<(Peer, Out)> {
        self.out.pop_front()
    }

    /// The events next.
    pub fn event(&mut self) -> Option<Event> {
        self.events.pop_front()
    }

    /// True if nothing is to come any more.
    pub fn is_over(&self) -> bool {
        self.phase == Phase::Over
    }

    /// True if this connection has identified itself and was let in.
    pub fn is_let_in(&self, peer: Peer) -> bool {
        self.peers.get(&peer).is_some_and(|(_, rank)| rank.is_some())
    }

    /// A connection has said something.
    pub fn heard(&mut self, peer: Peer, word: ToCoordinator, now: Instant) {
        let Some((from, rank)) = self.peers.get(&peer) else { return };
        match (*rank, word) {
            (None, ToCoordinator::Hello(greeting)) => match self.admit(&greeting) {
                Ok(()) => self.joined(peer, *greeting, now),
                Err(why) => self.refuse(peer, &why),
            },
            (None, _) => {
                let why = "it did not identify itself".to_string();
                self.refuse(peer, &why);
            }
            (Some(rank), ToCoordinator::Hello(_)) => {
                let why = format!("it identified itself twice, from {from}");
                self.lose(rank, why, now);
            }
            (Some(rank), word) => {
                // Messages of a rank that was given up no longer concern this fleet.
                if self.place(rank).is_here() {
                    self.place_mut(rank).heard = now;
                    self.of_rank(rank, word, now);
                }
            }
        }
        self.go_on(now);
    }

    /// A connection has said what can't be read.
    pub fn garbled(&mut self, peer: Peer, what: &str, now: Instant) {
        match self.peers.get(&peer) {
            Some((_, Some(rank))) => self.lose(*rank, format!("it sent an invalid message: {what}"), now),
            Some((_, None)) => self.refuse(peer, &format!("it sent an invalid message: {what}")),
            None => {}
        }
        self.go_on(now);
    }

    /// A connection has ended, and how.
    pub fn closed(&mut self, peer: Peer, how: &str, now: Instant) {
        let Some((_, Some(rank))) = self.peers.remove(&peer) else { return };
        let place = self.place_mut(rank);
        if place.peer == Some(peer) {
            place.peer = None;
            self.lose(rank, format!("its connection ended: {how}"), now);
        }
        self.go_on(now);
    }

    /// Time has passed. To be called every [`Times::beat`] or more often.
    pub fn tick(&mut self, now: Instant) {
        let gap = now.since(self.ticked);
        self.ticked = now;
        // A coordinator that did not run itself has received nothing, and must not blame the ranks for it.
        if gap.ns() > self.times.beat.ns().saturating_mul(4) {
            for place in &mut self.places {
                (place.heard, place.progress) = (place.heard + gap, place.progress + gap);
                place.pings.excuse(gap);
            }
            self.due = self.due.map(|due| due + gap);
            self.stopped_at += gap;
        }
        if self.phase == Phase::Gathering && now.since(self.opened) >= self.times.join {
            self.time_is_up(now);
        }
        for rank in 0..self.of {
            if !self.place(rank).is_here() {
                continue;
            }
            if let Some(why) = self.overdue(rank, now) {
                self.lose(rank, why, now);
            } else if now.since(self.place(rank).said) >= self.times.beat {
                self.say(rank, ToRank::Beat, now);
            }
        }
        self.go_on(now);
    }

    /// Reason why a rank counts as lost by now, as a sentence. Beats alone keep no rank: whatever it owes next has its time.
    fn overdue(&self, rank: u32, now: Instant) -> Option<String> {
        let (place, times) = (self.place(rank), &self.times);
        let idle = now.since(place.progress);
        if now.since(place.heard) >= times.silent {
            return Some(format!(
                "it sent nothing for {}: it hangs, or its connection is broken",
                times.silent
            ));
        }
        if place.pings.open_since().is_some_and(|sent| now.since(sent) >= times.silent) {
            return Some(format!(
                "it has not answered a ping for {}, although its connection is open",
                times.silent
            ));
        }
        let runs = matches!(self.phase, Phase::Running | Phase::Ending);
        let report = place.stages.get(self.stage as usize).map(|of| (of.report.is_none(), of.reporting));
        if let (true, Some((true, reporting))) = (runs && !self.may_leave(rank), report) {
            if idle >= times.stuck {
                return Some(format!(
                    "its connection is open, but its load has reported no progress for {}: a device may hang",
                    times.stuck
                ));
            }
            // A report on its way is waited for.
            let waits = !reporting || idle >= times.silent;
            if let (Some(due), Some(whole)) = (self.due, self.whole) {
                if waits && now >= due {
                    return Some(format!(
                        "its connection is open, but its report, due {whole} after the start, is missing: its load may hang"
                    ));
                }
                if waits && self.stopped.is_some() && now.since(self.stopped_at) >= STOPS {
                    return Some(format!("it was told to stop, and has not reported within {STOPS}"));
                }
            }
            return None;
        }
        match self.phase {
            Phase::Preparing if place.ready <= self.stage && idle >= times.stuck => Some(format!(
                "its connection is open, but its preparation made no progress for {}: a device may hang",
                times.stuck
            )),
            Phase::Ending if place.asks.is_none() && idle >= times.silent => {
                Some(format!("it has not left within {}", times.silent))
            }
            _ => None,
        }
    }

    /// Ends it: all ranks end their load and report. The first reason stands.
    pub fn stop(&mut self, why: &str, now: Instant) {
        if self.stopped.is_some() || self.phase == Phase::Over {
            return;
        }
        (self.stopped, self.stopped_at) = (Some(why.to_string()), now);
        self.places.iter_mut().for_each(|place| place.progress = now);
        self.phase = Phase::Ending;
        (self.measured, self.to_measure) = (BTreeSet::new(), VecDeque::new());
        for rank in 0..self.of {
            if self.place(rank).is_here() {
                self.say(rank, ToRank::Stop { why: why.to_string() }, now);
            }
        }
        self.go_on(now);
    }

    /// State of every rank.
    pub fn state(&self) -> FleetState {
        let begun = self.starts.len() > self.stage as usize;
        FleetState {
            ranks: self.places.iter().map(|place| place.state(self.stage, begun)).collect(),
            stage: self.stage,
        }
    }

    /// All that was handed in.
    pub fn gathered(self) -> Gathered {
        let stages = (0..).zip(&self.starts).map(|(stage, start)| self.stage_start(stage, *start)).collect();
        let (starts, stopped) = (self.starts, self.stopped);
        Gathered {
            of: self.of,
            ranks: self.places.into_iter().map(|place| place.gathered(&starts, stopped.as_deref())).collect(),
            stages,
            stopped,
            refused: self.refused,
        }
    }

    /// From the first rank's beginning to the last's.
    fn stage_start(&self, stage: u32, start: Instant) -> StageStart {
        let began = self.places.iter().filter_map(|place| {
            let of = place.stages.get(stage as usize)?;
            Some((of.sample.after(of.began?, start), of.sample.offset.uncertainty))
        });
        let first = began.clone().min_by_key(|(at, _)| *at);
        let last = began.clone().max_by_key(|(at, _)| *at);
        let both = first.zip(last).filter(|_| began.count() > 1);
        let (skew, skew_uncertainty) = match both {
            Some(((first, one), (last, other))) => (Some(Span::from_ns(last.abs_diff(first))), one + other),
            None => (None, Span::ZERO),
        };
        StageStart { stage, skew, skew_uncertainty }
    }

    /// True if the peer is let in; otherwise the reason. A peer without the token learns nothing else.
    fn admit(&self, greeting: &super::Greeting) -> Result<(), String> {
        let super::Greeting { rank, of, token, hello } = greeting;
        if self.token.as_ref().is_some_and(|own| !own.is(token)) {
            return Err("its token differs from the coordinator's: give every rank the same \
                        (--token-file, IOBOUND_TOKEN)"
                .into());
        }
        if let Some(common) = self.common.as_ref().filter(|common| common.version != hello.version) {
            return Err(format!(
                "rank {rank} has version {}, and rank {} has {}: use one version on all hosts",
                hello.version, common.rank, common.version
            ));
        }
        if *of != self.of || rank >= of {
            return Err(format!(
                "it is rank {rank} of {of}, but the coordinator expects ranks 0 to {}",
                self.of - 1
            ));
        }
        let place = self.place(*rank);
        match &place.standing {
            Standing::Lost(why) => {
                return Err(format!("rank {rank} was dropped ({why}), and the others continue without it"));
            }
            Standing::Here | Standing::Left => {
                let host = place.host.clone().unwrap_or_default();
                return Err(format!(
                    "rank {rank} has already joined, as process {} on {}: two processes have the same rank",
                    host.pid, host.name
                ));
            }
            Standing::Awaited => {}
        }
        if self.phase != Phase::Gathering {
            let why = self.stopped.as_deref().unwrap_or("it is over");
            return Err(format!("rank {rank} comes too late: {why}"));
        }
        if hello.stages == 0 {
            return Err(format!("rank {rank} has a workload without stages"));
        }
        let unlike =
            |common: &&Common| common.fingerprint != hello.fingerprint || common.stages != hello.stages;
        if let Some(common) = self.common.as_ref().filter(unlike) {
            return Err(format!(
                "the workload of rank {rank} differs from that of rank {}: start all ranks with the same options",
                common.rank
            ));
        }
        Ok(())
    }

    fn joined(&mut self, peer: Peer, greeting: super::Greeting, now: Instant) {
        let super::Greeting { rank, hello, .. } = greeting;
        if let Some((_, whose)) = self.peers.get_mut(&peer) {
            *whose = Some(rank);
        }
        let (version, fingerprint, stages) = (hello.version, hello.fingerprint, hello.stages);
        self.common.get_or_insert(Common { rank, version, fingerprint, stages });
        let place = self.place_mut(rank);
        place.standing = Standing::Here;
        (place.peer, place.heard) = (Some(peer), now);
        let host = hello.host.name.clone();
        place.host = Some(hello.host);
        self.say(rank, ToRank::Welcome, now);
        self.counts.here += 1;
        self.events.push_back(Event::Joined { rank, host, there: self.counts.here, of: self.of });
    }

    fn refuse(&mut self, peer: Peer, why: &str) {
        let from = self.peers.remove(&peer).map(|(from, _)| from).unwrap_or_default();
        self.out.push_back((peer, Out::Say(ToRank::Refused { why: why.to_string() })));
        self.out.push_back((peer, Out::Close));
        if self.refused.len() < MOST_REFUSED {
            let why = format!("{from}: {why}");
            self.refused.push(why.clone());
            self.events.push_back(Event::Refused { why });
        }
    }

    fn time_is_up(&mut self, now: Instant) {
        let awaited: Vec<u32> =
            self.places.iter().filter(|place| !place.is_here()).map(|place| place.rank).collect();
        for rank in &awaited {
            let why = format!("it did not join within {}", self.times.join);
            self.place_mut(*rank).standing = Standing::Lost(why.clone());
            self.events.push_back(Event::Lost { rank: *rank, host: String::new(), why });
        }
        let why = format!("{} did not join within {}", super::ranks(&awaited), self.times.join);
        self.stop(&why, now);
    }

    /// A rank is gone before it was done.
    pub(super) fn lose(&mut self, rank: u32, why: String, now: Instant) {
        if !self.place(rank).is_here() {
            return;
        }
        // All that it owed is there: only its farewell is not.
        if self.may_leave(rank) {
            self.part(rank, Standing::Left, None);
            return;
        }
        let called = self.place(rank).called();
        self.part(
            rank,
            Standing::Lost(why.clone()),
            Some(format!("the coordinator dropped {called}: {why}")),
        );
        let host = self.place(rank).host_name().to_string();
        self.events.push_back(Event::Lost { rank, host, why: why.clone() });
        if self.starts.is_empty() && self.stopped.is_none() {
            self.stop(&format!("{called} was lost before the start: {why}"), now);
        }
    }

    /// A rank is gone, and its connection with it.
    pub(super) fn part(&mut self, rank: u32, standing: Standing, farewell: Option<String>) {
        let stage = self.stage;
        let begun = self.starts.len() > stage as usize;
        let place = self.place_mut(rank);
        if !place.is_here() {
            return;
        }
        let (ready, reported, runs) = (place.ready > stage, place.has_reported(stage), place.runs(stage));
        let told = place.last.map(|last| last.start);
        place.standing = standing;
        (place.report_bytes, place.asks) = (Vec::new(), None);
        let peer = place.peer.take();
        self.counts.here -= 1;
        self.counts.ready -= u32::from(ready);
        self.counts.reported -= u32::from(reported);
        if runs && begun {
            self.counts.running -= 1;
            self.intervals.ended(told);
        }
        self.measured.remove(&rank);
        self.to_measure.retain(|waiting| *waiting != rank);
        if let Some(peer) = peer {
            if let Some(why) = farewell {
                self.out.push_back((peer, Out::Say(ToRank::Stop { why })));
            }
            self.out.push_back((peer, Out::Close));
            self.peers.remove(&peer);
        }
    }

    /// True if a rank owes nothing that was begun, and nothing is to begin for it.
    pub(super) fn may_leave(&self, rank: u32) -> bool {
        let place = self.place(rank);
        let owes = (0..self.starts.len() as u32).any(|stage| !place.has_reported(stage));
        !owes && (self.stopped.is_some() || self.has_reported_all(rank))
    }

    pub(super) fn has_reported_all(&self, rank: u32) -> bool {
        self.common.as_ref().is_some_and(|common| self.place(rank).has_reported(common.stages - 1))
    }

    /// Counts the states of all ranks, when a stage arrives or starts.
    pub(super) fn recount(&mut self) {
        let mut counts = Counts::default();
        for place in self.places.iter().filter(|place| place.is_here()) {
            counts.here += 1;
            counts.ready += u32::from(place.ready > self.stage);
            counts.reported += u32::from(place.has_reported(self.stage));
            counts.running += u32::from(place.runs(self.stage));
        }
        self.counts = counts;
    }

    pub(super) fn say(&mut self, rank: u32, word: ToRank, now: Instant) {
        let place = self.place_mut(rank);
        place.said = now;
        if let Some(peer) = place.peer {
            self.out.push_back((peer, Out::Say(word)));
        }
    }

    pub(super) fn place(&self, rank: u32) -> &Place {
        &self.places[rank as usize]
    }

    pub(super) fn place_mut(&mut self, rank: u32) -> &mut Place {
        &mut self.places[rank as usize]
    }
}
