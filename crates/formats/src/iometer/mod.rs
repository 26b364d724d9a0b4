//! Iometer 1.1 and older: its configuration file.

use crate::{Foreign, FormatError};

/// Reads a configuration file (`.icf`), or only its access specifications.
pub fn parse_icf(text: &str) -> Result<Foreign, FormatError> {
    {
        let mut trouble = crate::error::Trouble::new(crate::Tool::Iometer);
        let source = trouble.source(None, text);
        trouble.add(crate::error::At { source, at: 0, len: 1 }, "it can't be read yet", "");
        trouble.or(None)
    }
}

/// Reads bare access specification lines, `size,% of size,% reads,% random,delay,burst,align,reply`, as one job.
pub fn parse_access_spec(text: &str) -> Result<Foreign, FormatError> {
    {
        let mut trouble = crate::error::Trouble::new(crate::Tool::Iometer);
        let source = trouble.source(None, text);
        trouble.add(crate::error::At { source, at: 0, len: 1 }, "it can't be read yet", "");
        trouble.or(None)
    }
}
