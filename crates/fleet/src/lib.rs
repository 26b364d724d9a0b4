//! One workload on many machines.
//!
//! A **rank** is one process that issues load. The **coordinator** is the process at which ranks meet; it gathers their
//! reports. The crate links no launcher: the environment of a process, or its user, says which rank it is ([`rank_info()`]).
//! The protocol is a state machine without I/O. Over gRPC it runs on a thread of its own, so that users of this crate
//! see no future.
#![allow(
    clippy::disallowed_methods,
    reason = "this crate touches the world: its connections, its clock, the file of a token"
)]

#[cfg(all(feature = "net", any(target_os = "linux", windows)))]
mod coordinator;
mod error;
mod event;
mod gathered;
mod hello;
mod here;
mod meet;
#[cfg(all(feature = "net", any(target_os = "linux", windows)))]
mod net;
#[cfg(all(feature = "net", any(target_os = "linux", windows)))]
pub mod protocol;
#[cfg(all(feature = "net", any(target_os = "linux", windows)))]
mod rank;
mod rank_info;
mod report;
mod rules;
mod state;
mod tls;
mod token;
#[cfg(not(all(feature = "net", any(target_os = "linux", windows))))]
mod unsupported;
#[cfg(all(feature = "net", any(target_os = "linux", windows)))]
pub mod wire;
mod wrong;

#[cfg(all(feature = "net", any(target_os = "linux", windows)))]
pub use coordinator::Coordinator;
pub use error::{Ended, JoinError};
pub use event::Event;
pub use gathered::{Gathered, GatheredRank, Offset, StageStart};
pub use hello::{Hello, Host};
pub use here::{HereStream, connect_here};
pub use meet::{Here, Meet, meet};
#[cfg(all(feature = "net", any(target_os = "linux", windows)))]
pub use rank::Rank;
pub use rank_info::{Launcher, Local, RankInfo, rank_info};
pub use report::RankReport;
pub use rules::Rules;
pub use state::{FleetState, RankPhase, RankState};
pub use tls::{CoordinatorTls, RankTls};
pub use token::{Token, TokenError};
#[cfg(not(all(feature = "net", any(target_os = "linux", windows))))]
pub use unsupported::{Coordinator, Rank};
pub use wrong::alone;

/// True if this build can open and join a meeting.
pub const HAS_NETWORK: bool = cfg!(all(feature = "net", any(target_os = "linux", windows)));
