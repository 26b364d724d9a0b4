//! The one run loop, over any engine: the model in virtual time, the model in real time, nothing at all, or a
//! real device.

mod batching;
mod clock;
mod engine;
mod layout;
mod modelled;
mod null;
mod replay;
mod replay_part;
mod run;
mod timers;
mod worker;

pub use batching::Batching;
pub use clock::{Clock, VirtualClock};
pub use engine::{Done, Engine, EngineError};
pub use layout::{Window, layout_by_job, layout_of};
pub use modelled::Modelled;
pub use null::Null;
pub use replay::{ReplayCounts, ReplayError, ReplayMode, ReplayTarget, ReplayWatcher, ReplayedIo, replay};
pub use replay_part::{ReplayPart, TraceInput, replay_part};
pub use run::{End, EndReason, Flow, Part, run, run_part};
pub use worker::{MOST_OUTSTANDING, Worker, WorkerError};
