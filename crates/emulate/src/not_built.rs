use std::fmt;

use iobound_model::Invalid;

/// A configuration that can't be emulated, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotBuilt(pub String);

impl fmt::Display for NotBuilt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotBuilt {}

impl From<Invalid> for NotBuilt {
    fn from(invalid: Invalid) -> NotBuilt {
        NotBuilt(invalid.0)
    }
}
