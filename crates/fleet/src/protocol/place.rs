//! The coordinator's state of one rank.

use iobound_measure::Interval;
use iobound_units::Instant;

use super::clocks::{Pings, Sample};
use crate::gathered::GatheredRank;
use crate::hello::Host;
use crate::report::RankReport;
use crate::state::{RankPhase, RankState};

/// A connection, by the number that the network gives it.
pub type Peer = u64;

/// The coordinator's state of one rank.
#[derive(Debug)]
pub(super) struct Place {
    pub(super) rank: u32,
    pub(super) host: Option<Host>,
    pub(super) peer: Option<Peer>,
    pub(super) standing: Standing,
    /// Times of the last message from it, and of the last message to it.
    pub(super) heard: Instant,
    pub(super) said: Instant,
    /// Time of its last progress: with its preparation, then with its load, then with its farewell.
    pub(super) progress: Instant,
    /// Progress of its preparation, by its last beats.
    pub(super) work: u64,
    /// Number of stages that it is or was prepared for.
    pub(super) ready: u32,
    pub(super) pings: Pings,
    /// Purpose of the pings that are under way.
    pub(super) asks: Option<Asks>,
    pub(super) stages: Vec<OfStage>,
    pub(super) last_sample: Option<Sample>,
    pub(super) report_bytes: Vec<u8>,
    pub(super) last: Option<Interval>,
}

/// The coordinator's state of one stage of a rank, once its clock was measured for it.
#[derive(Debug)]
pub(super) struct OfStage {
    pub(super) sample: Sample,
    /// By the rank's own clock.
    pub(super) began: Option<Instant>,
    pub(super) report: Option<RankReport>,
    /// A fragment of the report has come: its load has ended.
    pub(super) reporting: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    Awaited,
    Here,
    Left,
    Lost(String),
}

/// Purpose of a measurement of a rank's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asks {
    /// To start a stage.
    Start,
    /// To know its drift, once its last report, of this stage, is there.
    End(u32),
}

impl Place {
    pub(super) fn new(rank: u32, now: Instant) -> Place {
        Place {
            rank,
            host: None,
            peer: None,
            standing: Standing::Awaited,
            heard: now,
            said: now,
            progress: now,
            work: 0,
            ready: 0,
            pings: Pings::default(),
            asks: None,
            stages: Vec::new(),
            last_sample: None,
            report_bytes: Vec::new(),
            last: None,
        }
    }

    pub(super) fn is_here(&self) -> bool {
        self.standing == Standing::Here
    }

    pub(super) fn host_name(&self) -> &str {
        self.host.as_ref().map_or("", |host| &host.name)
    }

    /// Rank and host, for a sentence.
    pub(super) fn called(&self) -> String {
        match &self.host {
            Some(host) => format!("rank {} ({})", self.rank, host.name),
            None => format!("rank {}", self.rank),
        }
    }

    /// True if its load runs in this stage.
    pub(super) fn runs(&self, stage: u32) -> bool {
        self.is_here() && self.stages.get(stage as usize).is_some_and(|of| !of.reporting)
    }

    pub(super) fn has_reported(&self, stage: u32) -> bool {
        self.stages.get(stage as usize).is_some_and(|of| of.report.is_some())
    }

    pub(super) fn state(&self, stage: u32, begun: bool) -> RankState {
        let phase = match &self.standing {
            Standing::Awaited => RankPhase::Awaited,
            Standing::Left => RankPhase::Left,
            Standing::Lost(why) => RankPhase::Lost(why.clone()),
            Standing::Here if self.has_reported(stage) => RankPhase::Reported,
            Standing::Here if begun => RankPhase::Running,
            Standing::Here if self.ready > stage => RankPhase::Ready,
            Standing::Here => RankPhase::Preparing,
        };
        RankState {
            rank: self.rank,
            host: self.host_name().to_string(),
            phase,
            last: self.last,
            offset: self.stages.last().map(|of| of.sample.offset),
        }
    }

    /// Final result; `starts` are the stages' by the coordinator's clock.
    pub(super) fn gathered(self, starts: &[Instant], stopped: Option<&str>) -> GatheredRank {
        let began = |(of, start): (&OfStage, &Instant)| of.began.map(|at| of.sample.after(at, *start));
        let reported = self.stages.iter().filter(|of| of.report.is_some()).count();
        let owes = reported < starts.len() || starts.is_empty();
        let missing = match (&self.standing, stopped) {
            (Standing::Lost(why), _) => Some(why.clone()),
            (Standing::Awaited, _) => Some("it never joined".to_string()),
            (Standing::Here, _) if owes => {
                Some("it was still running when the coordinator closed".to_string())
            }
            (Standing::Left, Some(why)) if owes => Some(why.to_string()),
            _ => None,
        };
        let first = self.stages.first().map(|of| of.sample);
        GatheredRank {
            rank: self.rank,
            offset: first.map(|sample| sample.offset),
            drift_ns_per_s: first.zip(self.last_sample).and_then(|(first, last)| first.drift_to(&last)),
            began_ns: of_each(starts, self.stages.iter().zip(starts).map(began)),
            reports: of_each(starts, self.stages.into_iter().map(|of| of.report)),
            host: self.host,
            missing,
        }
    }
}

/// One for each stage that was begun, whatever this rank had of it.
fn of_each<T>(starts: &[Instant], own: impl Iterator<Item = Option<T>>) -> Vec<Option<T>> {
    own.chain(std::iter::repeat_with(|| None)).take(starts.len()).collect()
}
