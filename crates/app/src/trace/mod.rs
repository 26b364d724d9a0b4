//! Traces: analysed, fitted, cut, scaled, merged and converted.

mod columns;
mod edit;
mod info;
mod kept;
mod open;
mod request;

pub use columns::{TraceColumns, read_columns, write_columns};
pub use edit::{EditAnswer, edit};
pub use info::{FitAnswer, InfoAnswer, fit, info};
pub(crate) use info::{analyse, unread};
pub(crate) use kept::{Kept, ReadAgain};
#[cfg(feature = "load")]
pub(crate) use open::not_opened;
pub(crate) use open::recorded_times;
pub use open::{DeviceOrigin, OpenTrace, Reading, STDIN, TraceMap, open_trace};
pub use request::{
    ConvertRequest, CutRequest, Edit, FileOptions, FitRequest, InfoRequest, MergeRequest, ReadOptions,
    ScaleRequest, WriteOptions,
};
pub(crate) use request::{factor_of, unit_of};
