//! The path of an I/O through a storage stack: stripe, limiters, host cache, media.
//!
//! The model knows no product names and reads no clock: a [`Blueprint`] says what is built, time is an
//! argument, and the answer is always a time. The same blueprint, start and I/Os give the same events, to the
//! nanosecond, on every machine.

mod agenda;
mod blueprint;
mod cache;
mod check;
mod fragment;
mod limiter;
mod plain;
mod random;
mod reconcile;
mod stack;
mod stripe;

pub use blueprint::{
    Algorithm, Blueprint, ByteCharge, CacheId, CacheMode, CacheSpec, CacheUse, Charge, Credit, Credits,
    Dimension, DiskId, DiskSpec, Invalid, Latency, Limit, LimiterId, LimiterName, LimiterSpec, MAX_ROUTE,
    Media, Merge, Routes, VolumeSpec,
};
pub use limiter::LimiterState;
pub use reconcile::{Reconciled, reconcile};
pub use stack::{
    BadHost, CacheState, Change, DiskState, Event, Fault, Outcome, Spent, Stack, Stalls, Start, StartCredits,
};
pub use stripe::{Extent, Stripe, stripe_capacity};
