//! Runs on real files and devices: what is asked, what must be ready, the run itself, and what is seen around it.

mod around;
mod foreign;
mod how;
mod live;
mod outputs;
mod ready;
mod stage;
mod targets;

pub(crate) use foreign::{how_of, line_of, run_foreign};
pub(crate) use how::How;
pub(crate) use outputs::Outputs;
pub(crate) use ready::{Ready, make_ready};
pub(crate) use stage::{Stage, run_stages};
pub(crate) use targets::Places;
