//! One workload on several machines: what this program does as a rank, and what it does at the desk.
//!
//! - **As a rank** it makes its own targets ready, waits for the others, starts with them, and hands in what it measured
//!   (`standing`, `own_paths`, `company`, `rank`).
//! - **At the desk**, which is rank 0's process or that of `iobound fleet`, it shows all ranks while they run and answers
//!   for them together (`desk`, `cluster`).
//! - **Over ssh** it reaches the hosts of a file and starts a rank on each (`hosts`, `words`, `ssh`, `over_ssh`); for other
//!   launchers it prints what they take (`script`).

mod checks;
mod cluster;
mod company;
pub(crate) mod desk;
mod document;
mod foreign;
#[cfg(target_os = "linux")]
pub(crate) mod hosts;
mod locks;
#[cfg(target_os = "linux")]
pub(crate) mod over_ssh;
mod own_paths;
mod rank;
mod room;
#[cfg(target_os = "linux")]
pub(crate) mod script;
#[cfg(target_os = "linux")]
pub(crate) mod ssh;
mod standing;
mod why;
#[cfg(target_os = "linux")]
pub(crate) mod words;

pub(crate) use checks::alone_check;
pub(crate) use cluster::Cluster;
pub(crate) use company::Company;

pub(crate) use rank::{RankWork, as_rank};
pub(crate) use room::check_room;
pub(crate) use standing::{Standing, Team, standing_of};
