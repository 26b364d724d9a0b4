//! A rank: one process that issues load, and its connection to the coordinator.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::JoinHandle;
use std::time::Instant;

use iobound_measure::Together;

use iobound_units::Problem;

use crate::error::{Ended, JoinError};
use crate::hello::Hello;
use crate::meet::Meet;
use crate::net::{Clock, Connection, Dial, Shared};
use crate::protocol::{Greeting, RankBook};
use crate::rank_info::RankInfo;
use crate::report::RankReport;
use crate::rules::Rules;
use crate::tls::RankTls;
use crate::token::Token;
use crate::wire::report_bytes;

/// One process that issues load, at the coordinator. Its connection works on a thread of its own. One that is dropped before its
/// work is done leaves, and the coordinator says so.
pub struct Rank {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Rank {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rank").finish_non_exhaustive()
    }
}

impl Rank {
    /// Joins the meeting: returns once the coordinator has let this rank in, which is before the others are all there. A coordinator
    /// that is not there yet is tried again for [`Rules::join`].
    ///
    /// # Errors
    /// Returns an error if the coordinator cannot be reached or rejects this rank.
    pub fn join(
        meet: &Meet,
        token: Option<Token>,
        tls: Option<RankTls>,
        rank_info: &RankInfo,
        hello: Hello,
        rules: Rules,
    ) -> Result<Rank, JoinError> {
        if matches!(meet, Meet::Tcp { .. }) && token.is_none() {
            return Err(JoinError::Given(
                Problem::new("a meeting over the network needs a token")
                    .help("give all ranks the coordinator's token: --token-file FILE or IOBOUND_TOKEN"),
            ));
        }
        let dial = Dial::new(meet, tls.as_ref())?;
        let clock = Clock::starting_now();
        let token = token.map(|token| token.reveal().to_string()).unwrap_or_default();
        let greeting = Greeting { rank: rank_info.rank, of: rank_info.of, token, hello };
        let shared = Arc::new(Shared::new(RankBook::new(greeting, rules.into(), clock.now()), clock));
        let connection = Connection { dial, shared: Arc::clone(&shared), join: rules.join, beat: rules.beat };
        let (tells, told) = std::sync::mpsc::channel();
        let thread = std::thread::Builder::new()
            .name("iobound-rank".into())
            .spawn(move || {
                // The waiting thread may have ended.
                let connected = |how| drop(tells.send(how));
                if let Err(error) = connection.work(&connected) {
                    connected(Err(format!("cannot start the connection's runtime: {error}")));
                }
            })
            .map_err(|error| {
                JoinError::Unreachable(format!("cannot start a thread for the connection: {error}"))
            })?;
        let rank = Rank { shared, thread: Some(thread) };
        let reached = told.recv().unwrap_or_else(|_| Err("the connection's thread ended".into()));
        reached.map_err(|why| JoinError::Unreachable(format!("no coordinator answers at {meet}: {why}")))?;
        rank.shared.wait(RankBook::admitted).map_err(JoinError::Refused)?;
        Ok(rank)
    }

    /// Blocks until all ranks are there. A rank that prepares only then writes nothing for a fleet that does not come
    /// together.
    ///
    /// # Errors
    /// Returns an error if the meeting ended before.
    pub fn all_there(&self) -> Result<(), Ended> {
        self.shared.wait(|book| match book.ended() {
            Some(ended) => Some(Err(ended)),
            None => book.all_there().then_some(Ok(())),
        })
    }

    /// Says that this rank has made progress with the preparation of its targets. To be called often: a rank that makes
    /// none for [`Rules::stuck`] counts as lost.
    pub fn works(&self) {
        self.shared.book().works();
    }

    /// Says that this rank is prepared for a stage, and blocks until all are and the start is agreed: the moment on this
    /// machine's monotonic clock, which lies ahead.
    ///
    /// # Errors
    /// Returns an error if the meeting ended before.
    pub fn ready(&self, stage: u32) -> Result<Instant, Ended> {
        self.shared.tell(|book| book.ready(stage));
        let at = self.shared.wait(|book| book.start(stage))?;
        let beyond = || Ended::Lost("the coordinator sent an invalid start time".into());
        self.shared.clock.moment(at).ok_or_else(beyond)
    }

    /// Says when its first I/O could go: what the skew of the start is made of. To be called before the report.
    pub fn began(&self, stage: u32, at: Instant) {
        let at = self.shared.clock.of(at);
        self.shared.tell(|book| book.began(stage, at));
    }

    /// Hands on an interval. Never blocks the run: where the coordinator does not take them as fast, the eldest that wait are
    /// left out.
    pub fn tell(&self, stage: u32, interval: &Together) {
        let interval = interval.clone();
        self.shared.tell(|book| book.tell(stage, interval));
    }

    /// Set when the load is to end: the coordinator said so, or is lost.
    pub fn stop(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.shared.stop)
    }

    /// Hands in the report of a stage; returns when the coordinator has it. Its threads and targets are best put together first
    /// ([`Measured::of_host`](iobound_measure::Measured::of_host)): the fleet's figures do not tell them apart.
    ///
    /// # Errors
    /// Returns an error if the coordinator is lost. The caller still has the report.
    pub fn report(&self, stage: u32, report: RankReport) -> Result<(), Ended> {
        let bytes = report_bytes(&report);
        self.shared.tell(|book| book.report(stage, bytes));
        self.shared.wait(|book| book.has_report(stage))
    }

    /// Leaves before its work is done: `why` is a sentence that the coordinator gives beside this rank's name.
    pub fn give_up(&self, why: &str) {
        self.shared.tell(|book| book.give_up(why));
    }

    /// Reason why the coordinator is lost, where it is.
    pub fn lost(&self) -> Option<String> {
        self.shared.book().lost().map(str::to_string)
    }

    /// Reason why the coordinator stopped the load, where it did.
    pub fn stopped(&self) -> Option<String> {
        self.shared.book().stopped().map(str::to_string)
    }
}

impl Drop for Rank {
    fn drop(&mut self) {
        self.give_up("it ended before its work was done");
        if let Some(thread) = self.thread.take() {
            // It has said its farewell within seconds; one that panicked has said so on stderr.
            let _ = thread.join();
        }
    }
}
