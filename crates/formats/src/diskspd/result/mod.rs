//! DiskSpd's output, text or XML, as result documents.
//!
//! Read is what versions 2.0.15 to 2.2 write: the tables are read by the names of their columns, and what a version
//! does not say is absent. DiskSpd ends with the first error, so that errors are not counted.

mod found;
mod number;
mod table;
mod text;
mod xml;

use iobound_measure::RunResult;

use crate::error::Trouble;
use crate::{FormatError, Tool};

/// The results in DiskSpd's text or XML (`-Rxml`), one a time span, at least one.
///
/// # Errors
/// Returns an error if the text is not a DiskSpd result or a figure cannot be read.
pub fn read(text: &str) -> Result<Vec<RunResult>, FormatError> {
    let mut trouble = Trouble::new(Tool::DiskSpd);
    let source = trouble.source(None, text);
    let is_xml = text.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}').starts_with('<');
    let found =
        if is_xml { xml::read(text, source, &mut trouble) } else { text::read(text, source, &mut trouble) };
    let results: Option<Vec<RunResult>> = found.filter(|_| trouble.is_empty()).map(|found| {
        found
            .into_iter()
            .map(|mut found| {
                if found.interrupted {
                    found
                        .notes
                        .push("interrupted before the measurement began: there are no figures".to_string());
                } else if found.latencies.0.is_empty() {
                    found.notes.push("latency was not measured (-L)".to_string());
                }
                found.result()
            })
            .collect()
    });
    trouble.or(results)
}
