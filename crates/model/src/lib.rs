//! The path of an I/O through a storage stack: stripe, gates, host cache, media.
//!
//! The model knows no product names and reads no clock: a [`Blueprint`] says what is built, time is an
//! argument, and the answer is always a time. The same blueprint, start and I/Os give the same events, to the
//! nanosecond, on every machine.

mod agenda;
mod blueprint;
mod cache;
mod check;
mod gate;
mod piece;
mod plain;
mod random;
mod reconcile;
mod stack;
mod stripe;

pub use blueprint::{
    Blueprint, ByteCharge, CacheId, CacheMode, CacheSpec, CacheUse, Charge, Credit, Credits, Dimension,
    Discipline, DiskId, DiskSpec, GateId, GateName, GateSpec, Invalid, Latency, Limit, MAX_ROUTE, Media,
    Merge, Routes, VolumeSpec,
};
pub use gate::GateState;
pub use reconcile::{Reconciled, reconcile};
pub use stack::{
    BadHost, CacheState, Change, DiskState, Event, Fault, Outcome, Spent, Stack, Stalls, Start, StartCredits,
};
pub use stripe::{Extent, Stripe, stripe_capacity};
