//! Runs on real files and devices: what is asked, what must be ready, the run itself, and what is seen around it.

mod around;
mod foreign;
mod how;
mod idle;
mod knee;
mod live;
mod outputs;
mod ready;
mod stage;
mod targets;
mod told;
mod uses;
mod versus;

pub(crate) use foreign::{how_of, line_of, run_foreign};
pub(crate) use how::{How, allowed};
pub(crate) use idle::refuse_idle;
pub(crate) use knee::knee;
pub(crate) use live::Live;
pub(crate) use outputs::{Outputs, answer_can_be_written, can_be_written};
pub(crate) use ready::{Ready, make_ready};
pub(crate) use stage::{Stage, is_direct, run_stages};
pub(crate) use targets::Places;
pub(crate) use told::ENDING;
pub(crate) use versus::{Contest, Side};
