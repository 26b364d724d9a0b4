//! The words of other load generators: DiskSpd, fio and Iometer, their command lines and files, read into
//! [`iobound_workload::Workload`]. Foreign syntax lives here and nowhere else.
//!
//! Reading has two levels. The first is each tool's own option structure, complete and lossless
//! ([`diskspd::Profile`], [`fio::JobFile`], [`iometer::Config`]). The second turns that into a [`Foreign`]:
//! the workload, a note for everything that is expressed otherwise or has no effect here, and the files that
//! the tool would lay out. Nothing is ignored in silence: what would change the I/O and can't be carried is
//! a [`FormatError`], and so is what is not known.
//!
//! A run that was asked for in a tool's words is reported in its forms, from a [`Ran`] ([`fio::out`]), and what the
//! tool itself reported is read as a result ([`fio::result`]).
//!
//! Output of tools that only watch disks (`iostat`, Performance Monitor, a database's own counters) is read as an
//! [`observation::Observation`]; readers of the clouds' metrics are made of [`observation::reader`]. Traces of I/O are read and written by [`trace`], as streams.
//!
//! The crate reads no files and no environment; what a job file includes comes through [`fio::Context`].

pub mod clouds;
pub mod diskspd;
pub mod fio;
pub mod hosts;
pub mod iometer;
pub mod kubernetes;
pub mod observation;
pub mod trace;
pub mod windows;

mod date;
mod diskstats;
mod error;
mod foreign;
mod iostat;
mod nearest;
mod notes;
mod observe;
mod paste;
mod perfmon;
mod postgres;
mod ran;
mod sqlserver;

pub use error::{FormatError, Place, Problem};
pub use foreign::{Foreign, ForeignFile, Tool};
pub use ran::{Ran, RanIo, RanMachine, RanTarget};
