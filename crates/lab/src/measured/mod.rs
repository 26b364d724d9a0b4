//! Published measurements beside the model's bands, and the factors that calibrate the bands.

mod calibrate;
mod coverage;
mod point;
mod question;

pub use calibrate::{LEAST_SOURCES, calibrate};
pub use coverage::{ComparedPoint, CoverageRow, MeasuredLab, RefusedRun, SlowReached, all_points};
pub use point::MeasuredPoint;
pub use question::{MeasuredAnswer, ask_measured};
