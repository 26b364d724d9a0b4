//! One workload on several machines: what this program does as a rank, and what it does at the coordinator.
//!
//! - **As a rank** it makes its own targets ready, waits for the others, starts with them, and hands in what it measured
//!   (`standing`, `own_paths`, `company`, `rank`).
//! - **At the coordinator**, which is rank 0's process or that of `iobound fleet`, it shows all ranks while they run and answers
//!   for them together (`coordinator`, `cluster`).

mod checks;
mod cluster;
mod company;
pub(crate) mod coordinator;
mod document;
mod flags;
mod locks;
mod own_paths;
mod rank;
mod standing;
mod why;

pub(crate) use checks::alone_check;
pub(crate) use cluster::{Cluster, ClusterStage};
pub use flags::RankFlags;

pub(crate) use rank::{RankWork, as_rank};
pub(crate) use standing::{Standing, Team, standing_of};
