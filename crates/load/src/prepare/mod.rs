//! Preparation: what a run needs to be there before its first I/O, and what it may write over.
//!
//! A phase of its own, in two parts: [`survey`] looks, writes nothing, and gives a [`Plan`] in which everything is
//! allowed, or all that stands against it; [`carry_out`] does what the plan says. Done twice, the second finds
//! nothing to do; interrupted anywhere, the next one goes on.
//!
//! What exists is written over only where it is named as a consent, by the same file or device whatever the name, or
//! carries the [`Mark`] of a file that was made here. What must not be written over by anybody the [`Guard`] says.

mod carry_out;
mod extents;
mod filling;
mod guard;
mod identity;
mod locate;
mod mark;
mod payload;
mod plan;
mod refusal;
mod request;
mod room;
mod sample;
mod survey;
mod target;
mod writer;

pub use carry_out::{Cause, Leftover, Prepared, Unprepared, carry_out};
pub use extents::{Method, Unwritten, unwritten};
pub use filling::{BLOCK, Filling};
pub use guard::{Backing, Denied, Guard};
pub use identity::Identity;
pub use mark::{Mark, sidecar};
pub use payload::Payload;
pub use plan::{Doubt, Plan, Room, Step, What};
pub use refusal::{Because, Refusal, Refused};
pub use request::{Pace, Request, Wanted};
pub use sample::Sample;
pub use survey::survey;
pub use writer::Progress;
