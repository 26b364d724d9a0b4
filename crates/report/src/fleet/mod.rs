//! A run on several machines: the part of its screen that is about hosts, and the run while it goes on.

mod bound;
mod live;
mod probe;
mod text;

pub use bound::host_bound;
pub use live::{FleetLive, LiveRank, fleet_line};
pub(crate) use probe::value_text;
pub use probe::{fleet_probe_document, fleet_probe_text};
pub(crate) use text::hosts;
