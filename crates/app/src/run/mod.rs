//! Runs on real files and devices: the request, the preparation, the run itself, and the observations around it.

mod answer;
mod around;
mod company;
mod consents;
mod engine;
mod enough;
mod find_load;
mod fit;
mod flags;
mod how;
mod idle;
mod knee;
mod live;
mod load_goal;
mod machine;
mod memory;
mod nothing;
mod others;
mod outputs;
mod ready;
mod record;
mod room;
mod search;
mod so_far;
mod stage;
mod status;
#[cfg(target_os = "linux")]
mod status_file;
#[cfg(not(target_os = "linux"))]
#[path = "unsupported/status_file.rs"]
mod status_file;
mod steady;
mod targets;
mod traced;
mod unlink;
mod unready;
mod uses;
mod versus;

pub(crate) use answer::{AnswerParts, ToldStage, exit_of, exit_of_stages, failure_of, own_result, told_of};
pub use answer::{AnsweredStage, RunAnswer};
pub(crate) use company::FleetMember;
pub(crate) use consents::consents;
pub(crate) use engine::engine_for;
pub(crate) use find_load::{at_goal, check_goal};
pub(crate) use fit::{fit, fit_to, places};
pub use flags::RunFlags;
pub(crate) use how::{JobsToVerify, RunOptions, Verify, allowed};
pub(crate) use idle::refuse_idle;
pub use knee::SearchAnswer;
pub(crate) use knee::knee;
pub(crate) use live::Live;
pub(crate) use load_goal::{LoadGoal, Then};
pub(crate) use machine::this_machine;
pub(crate) use memory::settle;
pub(crate) use nothing::check_needs;
pub(crate) use outputs::Outputs;
#[cfg(test)]
pub(crate) use ready::Marks;
pub(crate) use ready::{Readiness, Ready, Surveyed, make_ready, writes_to};
pub(crate) use record::write_trace;
pub(crate) use search::next_search;
pub(crate) use stage::{Stage, run_each, run_stages};
pub(crate) use status::{ReportInParts, StatusReports};
pub(crate) use status_file::StatusFile;
pub(crate) use targets::{AskedFile, AskedTarget, RunTargets};
pub(crate) use traced::{TraceRun, opener, scaled, trace_job};
pub(crate) use unready::Unready;
pub(crate) use uses::will_use;
pub(crate) use versus::{Contest, Side};
