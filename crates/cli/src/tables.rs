//! Traces as tables, for callers in this process.

use iobound_app::Failure;
use iobound_app::trace::{FileOptions, ReadOptions, TraceColumns, WriteOptions, read_columns, write_columns};
use iobound_report::Document;

use crate::ask::Beside;

/// Reads the I/Os of trace files. `time_unit` and `map` are those of `iobound trace info`.
///
/// # Errors
/// Returns the error that the program would print.
pub fn trace_table(
    files: Vec<String>,
    time_unit: Option<String>,
    map: Vec<String>,
    beside: Beside,
) -> Result<TraceColumns, Failure> {
    read_columns(&ReadOptions { time_unit, map }, &FileOptions { files }, &beside.env(|_| ()))
}

/// Writes I/Os to a new file in the format of `--to`. Returns the document of `iobound trace convert`.
///
/// # Errors
/// Returns an error if a row is no I/O, or the file exists or cannot be written.
pub fn write_trace_table(
    columns: &TraceColumns,
    out: String,
    to: Option<String>,
    beside: Beside,
) -> Result<String, Failure> {
    let answer = write_columns(columns, &WriteOptions { out: Some(out), to }, &beside.env(|_| ()))?;
    Ok(Document::from(answer.document().clone()).text())
}
