//! `fleet`: it reaches the hosts of a file and starts a rank on each (`hosts`, `ssh`, `over_ssh`), or a probe
//! (`probe_hosts`); for other launchers it
//! writes what they take (`script`).

mod hosts;
mod over_ssh;
mod probe_hosts;
mod request;
mod script;
mod ssh;

pub use over_ssh::{FleetPlan, HostCommand, MeetFlags, RankWords};
pub use request::{FleetRequest, PreparedFleet, PreparedScript};
pub use script::{ClaimFlags, LauncherFlags, ScriptRequest};
pub use ssh::{RankExit, serve_rank};
