//! One workload on many machines.
//!
//! A **rank** is one process that issues load; the **desk** is where the ranks meet and where their reports are put beside
//! each other. Nothing of a launcher is linked: which rank a process is, its environment or its person says ([`seat()`]).
//! What desk and ranks say to each other is a state machine without I/O; over gRPC it runs on a thread of its own, so that
//! nobody who uses this crate sees a future.
#![allow(
    clippy::disallowed_methods,
    reason = "this crate touches the world: its connections, its clock, the file of a token"
)]

#[cfg(feature = "net")]
mod desk;
mod error;
mod event;
mod gathered;
mod hello;
mod meet;
#[cfg(feature = "net")]
mod net;
#[cfg(not(feature = "net"))]
mod offline;
#[cfg(feature = "net")]
pub mod protocol;
#[cfg(feature = "net")]
mod rank;
mod report;
mod rules;
mod seat;
mod state;
mod tls;
mod token;
#[cfg(feature = "net")]
pub mod wire;
mod wrong;

#[cfg(feature = "net")]
pub use desk::Desk;
pub use error::{Ended, JoinError, OpenError};
pub use event::Event;
pub use gathered::{Gathered, GatheredRank, Offset, StageStart};
pub use hello::{Hello, Host};
pub use meet::{Here, Meet, PlaceError, meet};
#[cfg(not(feature = "net"))]
pub use offline::{Desk, Rank};
#[cfg(feature = "net")]
pub use rank::Rank;
pub use report::RankReport;
pub use rules::Rules;
pub use seat::{Launcher, Local, Seat, SeatError, seat};
pub use state::{FleetState, RankPhase, RankState};
pub use tls::{DeskTls, RankTls};
pub use token::{Token, TokenError};
pub use wrong::{Alone, alone};
