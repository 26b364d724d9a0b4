//! The quantities of disk I/O and the I/O itself: what every other crate speaks in.
//!
//! A type here makes a wrong sum impossible: bytes are not I/Os, an instant is not a span, a rate is not an
//! amount. Everything is an integer, so that the same inputs give the same bytes out on every machine.

mod io;
mod parse;
mod print;
mod problem;
mod rate;
mod share;
mod size;
mod time;

pub use io::{Io, Op, Tag, TargetId};
pub use parse::{
    ParseError, parse_bandwidth, parse_bytes, parse_count, parse_iops, parse_percent, parse_rate, parse_span,
    size_note,
};
pub use print::{Counted, Grouped, format_throughput};
pub use problem::Problem;
pub use rate::{Bandwidth, Iops, Rate};
pub use share::{Percent, Ppm};
pub use size::{Bytes, GIB, KIB, MIB, TIB};
pub use time::{Instant, Span};
