//! Iometer 1.1 and older: its configuration file.

use crate::{Foreign, FormatError};

/// Reads a configuration file (`.icf`), or only its access specifications.
pub fn parse_icf(text: &str) -> Result<Foreign, FormatError> {
    Err(crate::error::whole(crate::Tool::Iometer, text))
}

/// Reads bare access specification lines, `size,% of size,% reads,% random,delay,burst,align,reply`, as one job.
pub fn parse_access_spec(text: &str) -> Result<Foreign, FormatError> {
    Err(crate::error::whole(crate::Tool::Iometer, text))
}
