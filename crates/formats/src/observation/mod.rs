//! Other tools' measurements of a machine's disks: counters recorded while the load ran.
//!
//! Each reader is a folder beside this one, and each makes an [`Observation`]: devices as the tool names them, with
//! rates, latency and queue of the interval that was watched. What the tool does not tell is absent. The caller says
//! to which disks of a configuration the devices belong.

mod answer;
pub(crate) mod bounds;
mod clock;
pub(crate) mod counters;
mod device;
mod fold;
mod limits;
mod number;
pub mod reader;
mod recognise;
mod samples;
mod table;
mod text;

pub use answer::{Consumed, HeldBack, Measure, Observation, ObservedFile, Observer, Scope};
pub use device::{Device, DeviceKind, Direction, Role};
pub use recognise::recognise;

pub use crate::observe::read;

pub(crate) use clock::Clock;
pub(crate) use device::linux_kind;
pub(crate) use fold::{Fold, Reading};
pub(crate) use limits::{DEVICES, INTERVALS, KEPT};
pub(crate) use number::{count, figure};
pub(crate) use recognise::is_diskstats;
pub(crate) use samples::{Gone, wrapped};
pub(crate) use table::{Row, Table, tables};
pub(crate) use text::{agreed, json_place, lines, span, whole};
