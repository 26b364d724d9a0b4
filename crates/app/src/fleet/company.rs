//! A run among others: it starts when all start, tells the coordinator what it does, and ends when the coordinator says so.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use iobound_fleet::{Ended, Rank, RankReport};
use iobound_load::run::Start;
use iobound_measure::Together;
use iobound_report as report;

use super::document::RankDocument;
use super::why;
use crate::run::{FleetMember, Ready, Stage};
use crate::{Env, Failure};

/// The others that a run is among. It is shared with the run's threads, which ask it when to start.
#[derive(Debug)]
pub(crate) struct RankCompany {
    rank: Rank,
    /// Number of ranks that are on this machine.
    here: u32,
    /// Start of the running stage.
    begins: Mutex<Option<Instant>>,
    /// Reason why the meeting is over for this rank, where it is.
    over: Mutex<Option<Ended>>,
    env: Env,
}

impl RankCompany {
    pub(super) fn new(rank: Rank, here: u32, env: &Env) -> RankCompany {
        env.of_process().stops(&rank.stop());
        RankCompany { rank, here, begins: Mutex::new(None), over: Mutex::new(None), env: env.clone() }
    }

    /// Hands in a stage that is over, counted from 1.
    pub(crate) fn hand_in(&self, stage: usize, done: &Stage, ready: &Ready) {
        if let (Some(at), Some(behind)) = (*lock(&self.begins), done.outcome.behind) {
            self.rank.began(number(stage), at + Duration::from_nanos(behind.ns()));
        }
        let stopped_here = done.ended == report::Ended::Interrupted && self.rank.stopped().is_none();
        let failed = match &done.ended {
            report::Ended::Failed(why) => Some(why.clone()),
            // A user who ends this rank alone has changed the experiment.
            report::Ended::Interrupted if stopped_here && self.env.is_stopped() => {
                Some("it was interrupted on its own machine".to_string())
            }
            report::Ended::Interrupted | report::Ended::Complete => None,
        };
        let document = RankDocument::of(done, ready, failed.as_deref()).text();
        // The coordinator tells no threads apart, and calls the host as it likes.
        let measured = Some(done.outcome.total.of_host(""));
        let report = RankReport { measured, document, failed };
        if let Err(ended) = self.rank.report(number(stage), report) {
            self.is_over_by(ended);
        }
    }

    /// Waits until all ranks are there: a rank writes nothing for a fleet that does not come together.
    ///
    /// # Errors
    /// Returns an error if not all ranks join.
    pub(super) fn all_there(&self) -> Result<(), Failure> {
        self.rank.all_there().map_err(|ended| {
            self.is_over_by(ended);
            self.called_off()
        })
    }

    /// True if its load has begun: from then on Ctrl-C ends the load, and before that the wait.
    fn has_begun(&self) -> bool {
        lock(&self.begins).is_some()
    }

    /// Leaves at Ctrl-C, as long as it only waits for others.
    pub(super) fn watch_interrupts(self: &Arc<RankCompany>) {
        const LOOK: Duration = Duration::from_millis(100);
        let own = Arc::downgrade(self);
        std::thread::spawn(move || {
            while let Some(company) = own.upgrade().filter(|company| !company.has_begun()) {
                if company.env.is_stopped() {
                    company.give_up(&Failure::interrupted("a user stopped it on its own machine"));
                    return;
                }
                drop(company);
                std::thread::sleep(LOOK);
            }
        });
    }

    /// Leaves because of a failure of its own.
    pub(super) fn give_up(&self, failure: &Failure) {
        self.rank.give_up(&why::sentence(failure));
    }

    /// Reason why the coordinator is lost, where it is.
    pub(super) fn lost(&self) -> Option<String> {
        match &*lock(&self.over) {
            Some(Ended::Lost(why)) => Some(why.clone()),
            Some(Ended::Stopped(_)) => None,
            None => self.rank.lost(),
        }
    }

    /// Reason why the others ended it, where they did: what this rank was at then failed because of that.
    pub(super) fn ended_by_others(&self) -> Option<Failure> {
        let lost = || self.rank.lost().map(|says| Failure::io(format!("the coordinator is lost: {says}")));
        self.rank.stopped().map(|says| why::failure(&says)).or_else(lost)
    }

    fn is_over_by(&self, ended: Ended) {
        lock(&self.over).get_or_insert(ended);
    }
}

impl FleetMember for RankCompany {
    fn here(&self) -> u32 {
        self.here
    }

    fn stop(&self) -> Arc<AtomicBool> {
        self.rank.stop()
    }

    fn start(self: Arc<RankCompany>, stage: usize) -> Start {
        let own = self;
        Start::Agreed(Arc::new(move || match own.rank.ready(number(stage)) {
            Ok(at) => {
                *lock(&own.begins) = Some(at);
                Some(at)
            }
            Err(ended) => {
                own.is_over_by(ended);
                None
            }
        }))
    }

    fn works(&self) {
        self.rank.works();
    }

    fn tell(&self, stage: usize, interval: &Together) {
        self.rank.tell(number(stage), interval);
    }

    fn is_over(&self) -> bool {
        lock(&self.over).is_some() || self.rank.lost().is_some()
    }

    fn called_off(&self) -> Failure {
        match &*lock(&self.over) {
            Some(Ended::Stopped(says)) => why::failure(says),
            Some(Ended::Lost(says)) => Failure::io(format!("the coordinator is lost: {says}")),
            None => Failure::io("the run was cancelled before its first I/O"),
        }
    }
}

/// Stages count from 1 in a run and from 0 among ranks.
fn number(stage: usize) -> u32 {
    u32::try_from(stage.saturating_sub(1)).unwrap_or(u32::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
