//! DiskSpd 2.2: its command line and its XML profile.

use crate::{Foreign, FormatError};

/// Reads a DiskSpd command line, with or without the program's name, as people paste it.
pub fn parse_line(text: &str) -> Result<Foreign, FormatError> {
    Err(crate::error::whole(crate::Tool::DiskSpd, text))
}

/// Reads a command line that may name an XML profile (`-X<file>`), which `profile` is asked for.
pub fn parse_line_with_profile(
    text: &str,
    _profile: &dyn Fn(&str) -> Option<String>,
) -> Result<Foreign, FormatError> {
    Err(crate::error::whole(crate::Tool::DiskSpd, text))
}

/// Reads an XML profile (`-X<file>`, `-Rp`), or the profile in an XML result (`-Rxml`).
pub fn parse_xml(text: &str) -> Result<Foreign, FormatError> {
    Err(crate::error::whole(crate::Tool::DiskSpd, text))
}
