//! Verification that reads return the written data.
//!
//! A [`Stamper`] marks every sector of a write with its place and its generation; a [`Ledger`] keeps, for each
//! unit of a target, which generations may be there; a [`Checker`] is one thread's hand in it. Nothing here does
//! I/O or knows the time: the run tells what it submits and what completes.
//!
//! A state that the block layer leaves open is not a mismatch: the order of writes that were in flight together, the
//! result of a failed write, and a read during a write. After a loss of power, only writes that were durable when
//! acknowledged (write-through, or a flush) can be required.

mod checker;
mod fio_block;
mod ledger;
mod mismatch;
mod stamp;
mod state;

pub use checker::Checker;
pub use ledger::{Layout, Ledger, Span, TooLarge, unit_of};
pub use mismatch::{Expected, Found, Mismatch, Verdict};
pub use stamp::{SECTOR, STAMP, Sector, Stamp, Stamper, sector_of_any_run};

pub(crate) use fio_block::{check_fio_block, is_fio_block};
pub(crate) use stamp::is_stamped;
