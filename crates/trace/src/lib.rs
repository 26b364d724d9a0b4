//! Recorded block I/O: records, the project's own file format, analysis, and edits of traces.
//!
//! Everything streams. A [`Source`] hands out batches of [`Record`]s, and no part of this crate keeps more of a trace than a
//! bounded window. Foreign formats are read by `iobound_formats::trace`, into the same records.

mod analysis;
mod bytes;
mod cut;
mod error;
mod fit;
mod merge;
mod order;
mod own;
mod queue;
mod rates;
mod record;
mod resolution;
mod reuse;
mod scale;
mod sizes;
mod source;
mod working_set;

pub use analysis::{Analysis, DeviceFigures, OpFigures};
pub use cut::{Cut, CutRange};
pub use error::TraceError;
pub use fit::{FitError, FittedWorkload, NotFitted, fit};
pub use merge::{MergeClock, Merged};
pub use order::Ordered;
pub use own::{MAGIC, OwnReader, OwnWriter};
pub use queue::QueueDepth;
pub use rates::{RatePoint, RateSummary, Rates};
pub use record::{LARGEST, NO_LATENCY, Record};
pub use reuse::{HitPoint, REUSE_BLOCK, Reuse};
pub use scale::{Scale, Scaled};
pub use sizes::{MOST_SIZES, Sizes};
pub use source::{BATCH, InMemory, Malformed, Source, TraceFacts};
pub use working_set::{WorkingSet, WorkingSetPoint};
