//! Runs on real files and devices: what is asked, what must be ready, the run itself, and what is seen around it.

mod answer;
mod around;
mod fit;
mod foreign;
mod how;
mod idle;
mod knee;
mod live;
mod memory;
mod outputs;
mod ready;
mod stage;
mod targets;
mod told;
mod uses;
mod versus;

pub(crate) use answer::{
    Answer, Told as ToldStage, exit_of, exit_of_stages, failure_of, own_result, told_of,
};
pub(crate) use fit::{fit, fit_to, places};
pub(crate) use foreign::{
    At, ForeignRun, ForeignStage, Foreigns, how_of, line_of, run_foreign, this_machine,
};
pub(crate) use how::{How, allowed};
pub(crate) use idle::refuse_idle;
pub(crate) use knee::knee;
pub(crate) use live::Live;
pub(crate) use memory::settle;
pub(crate) use outputs::{Outputs, answer_can_be_written, can_be_written};
pub(crate) use ready::{Ready, Surveyed, make_ready, writes_to};
pub(crate) use stage::{Stage, engine_for, run_stages};
pub(crate) use targets::{AskedFile, AskedTarget, Places};
pub(crate) use told::{ENDING, Told};
pub(crate) use uses::will_use;
pub(crate) use versus::{Contest, Side};
