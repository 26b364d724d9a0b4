//! Parts that a reader of counters is made of, for readers outside this crate: those of the clouds' own metrics.

use std::fmt;

use iobound_units::Span;

use super::{Observation, ObservedFile};

pub use super::clock::Clock;
pub use super::fold::{Fold, Reading};
pub use super::limits::{DEVICES, INTERVALS, KEPT};
pub use super::number::figure;
pub use super::table::{Cell, Row, Table, tables};
pub use super::text::{agreed, json_place, lines, span, whole};
pub use crate::error::{At, Trouble};

/// The metrics that a cloud keeps of a VM's disks, and their reader.
#[derive(Debug)]
pub struct CloudMetrics {
    /// The word of the command line: `azure-monitor`.
    pub word: &'static str,
    /// Its name for people.
    pub name: &'static str,
    /// True if the beginning of a JSON text is of it.
    pub is_json: fn(&str) -> bool,
    /// True if a line of a table, in lower case, is of it.
    pub is_line: fn(&str) -> bool,
    /// Reads the metrics of all files together: a chart is exported by itself.
    pub read: ReadMetrics,
}

/// Reads files, with the interval that the user gave; adds what is wrong with them.
pub type ReadMetrics = fn(&[ObservedFile<'_>], Option<Span>, &mut Trouble) -> Option<Observation>;

impl PartialEq for CloudMetrics {
    fn eq(&self, other: &CloudMetrics) -> bool {
        self.word == other.word
    }
}

impl Eq for CloudMetrics {}

impl fmt::Display for CloudMetrics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}
