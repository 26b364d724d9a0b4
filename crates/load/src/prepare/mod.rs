//! Preparation: what a run needs to be there before its first I/O, and what it may write over.
//!
//! A phase of its own, in two parts: [`survey`] looks, writes nothing, and gives a [`Plan`] in which everything is
//! allowed, or all that stands against it; [`carry_out`] does what the plan says. Done twice, the second finds
//! nothing to do; interrupted anywhere, the next one goes on.
//!
//! Every target is opened once, through links that no other user can redirect, and stays open as a [`Handle`]: the run
//! writes to the inspected file. An existing file is overwritten only if `--overwrite` names that file or device, or if
//! iobound created it: its [`Mark`], its owner, its directory and samples of its content must agree. The [`Guard`]
//! refuses targets that are in use.

mod carry_out;
mod filling;
mod guard;
mod handle;
mod locate;
mod mark;
mod payload;
mod plan;
mod recognised;
mod refusal;
mod request;
mod room;
mod sample;
mod sidecar;
mod standing;
mod survey;
mod target;
mod unsealed;
mod writer;

pub use carry_out::{Cause, Leftover, Prepared, Unprepared, carry_out};
pub use filling::{BLOCK, Filling};
pub use guard::{Backing, Guard};
pub use handle::Handle;
pub use iobound_machine::files::{Method, Unwritten, unwritten};
pub use iobound_machine::open::{Identity, Seal};
pub use mark::Mark;
pub use payload::Payload;
pub use plan::{Doubt, Plan, Room, Step, What};
pub use refusal::{Because, Refusal, Refused};
pub use request::{Pace, Request, Wanted};
pub use sample::Sample;
pub use survey::survey;
pub use unsealed::Unsealed;
pub use writer::Progress;
