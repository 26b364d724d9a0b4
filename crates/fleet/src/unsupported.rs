//! Coordinator and rank of a build without the feature `net`. Neither can exist: opening and joining are errors.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use iobound_measure::Together;

use crate::error::{Ended, JoinError, OpenError};
use crate::event::Event;
use crate::gathered::Gathered;
use crate::hello::Hello;
use crate::meet::Meet;
use crate::rank_info::RankInfo;
use crate::report::RankReport;
use crate::rules::Rules;
use crate::state::FleetState;
use crate::tls::{CoordinatorTls, RankTls};
use crate::token::Token;

const WHAT: &str = "this build has no network for ranks: gRPC and TLS are left out of the default build";
const HELP: &str = "build the full program: cargo build --release --features full";

/// Coordinator of a build without network; never exists.
#[derive(Debug)]
pub enum Coordinator {}

/// Rank of a build without network; never exists.
#[derive(Debug)]
pub enum Rank {}

impl Coordinator {
    /// Opens no coordinator.
    ///
    /// # Errors
    /// Always returns an error: this build has no network.
    pub fn open(
        _: &Meet,
        _: u32,
        _: Option<Token>,
        _: Option<CoordinatorTls>,
        _: Rules,
    ) -> Result<Coordinator, OpenError> {
        Err(OpenError { what: WHAT.into(), help: Some(HELP.into()) })
    }

    /// Address of the coordinator.
    pub fn address(&self) -> Meet {
        match *self {}
    }

    /// The next event.
    pub fn next(&self, _: Duration) -> Option<Event> {
        match *self {}
    }

    /// Bound of the time in which a rank reports a stage.
    pub fn expect(&self, _: Duration) {
        match *self {}
    }

    /// State of every rank.
    pub fn state(&self) -> FleetState {
        match *self {}
    }

    /// Tells all ranks to end their load.
    pub fn stop(&self, _: &str) {
        match *self {}
    }

    /// Reports received until now.
    pub fn gathered(self) -> Gathered {
        match self {}
    }
}

impl Rank {
    /// Joins no meeting.
    ///
    /// # Errors
    /// Always returns an error: this build has no network.
    pub fn join(
        _: &Meet,
        _: Option<Token>,
        _: Option<RankTls>,
        _: &RankInfo,
        _: Hello,
        _: Rules,
    ) -> Result<Rank, JoinError> {
        Err(JoinError::Given { what: WHAT.into(), help: Some(HELP.into()) })
    }

    /// Waits for all ranks.
    ///
    /// # Errors
    /// Never called: this build has no ranks.
    pub fn all_there(&self) -> Result<(), Ended> {
        match *self {}
    }

    /// Reports progress of the preparation.
    pub fn works(&self) {
        match *self {}
    }

    /// Moment of the agreed start.
    ///
    /// # Errors
    /// Never called: this build has no ranks.
    pub fn ready(&self, _: u32) -> Result<Instant, Ended> {
        match *self {}
    }

    /// Reports the moment of the first I/O.
    pub fn began(&self, _: u32, _: Instant) {
        match *self {}
    }

    /// Hands on an interval.
    pub fn tell(&self, _: u32, _: &Together) {
        match *self {}
    }

    /// Flag that ends the load.
    pub fn stop(&self) -> Arc<AtomicBool> {
        match *self {}
    }

    /// Hands in the report of a stage.
    ///
    /// # Errors
    /// Never called: this build has no ranks.
    pub fn report(&self, _: u32, _: RankReport) -> Result<(), Ended> {
        match *self {}
    }

    /// Leaves the meeting.
    pub fn give_up(&self, _: &str) {
        match *self {}
    }

    /// Reason why the coordinator is lost.
    pub fn lost(&self) -> Option<String> {
        match *self {}
    }

    /// Reason why the coordinator stopped the load.
    pub fn stopped(&self) -> Option<String> {
        match *self {}
    }
}
