//! Coordinator and rank of a build without the feature `net`. Neither can exist: opening and joining are errors.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use iobound_measure::Together;

use iobound_units::Problem;

use crate::error::{Ended, JoinError};
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

/// Methods of a value that never exists.
macro_rules! never {
    ($(pub fn $name:ident(&$this:ident $(, $of:ty)*) $(-> $out:ty)?;)*) => {
        $(
            /// Never called: this build has no network.
            ///
            /// # Errors
            /// Never: it is not called.
            pub fn $name(&$this $(, _: $of)*) $(-> $out)? {
                match *$this {}
            }
        )*
    };
}

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
    ) -> Result<Coordinator, Problem> {
        Err(Problem::new(WHAT).help(HELP))
    }

    /// Reports received until now.
    pub fn gathered(self) -> Gathered {
        match self {}
    }

    never! {
        pub fn address(&self) -> Meet;
        pub fn next(&self, Duration) -> Option<Event>;
        pub fn expect(&self, Duration);
        pub fn state(&self) -> FleetState;
        pub fn stop(&self, &str);
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
        Err(JoinError::Given(Problem::new(WHAT).help(HELP)))
    }

    never! {
        pub fn all_there(&self) -> Result<(), Ended>;
        pub fn works(&self);
        pub fn ready(&self, u32) -> Result<Instant, Ended>;
        pub fn began(&self, u32, Instant);
        pub fn tell(&self, u32, &Together);
        pub fn stop(&self) -> Arc<AtomicBool>;
        pub fn report(&self, u32, RankReport) -> Result<(), Ended>;
        pub fn give_up(&self, &str);
        pub fn lost(&self) -> Option<String>;
        pub fn stopped(&self) -> Option<String>;
    }
}
