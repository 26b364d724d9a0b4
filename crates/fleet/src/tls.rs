//! Certificates, as PEM.

use std::fmt;

/// Certificate that a coordinator shows to its ranks. Its parts are PEM text.
#[derive(Clone)]
pub struct CoordinatorTls {
    /// The certificate, and those between it and the authority.
    pub cert: String,
    /// The private key.
    pub key: String,
}

/// CA certificate by which a rank verifies a coordinator.
#[derive(Clone, Debug)]
pub struct RankTls {
    /// The authority's certificate, PEM text.
    pub ca: String,
    /// The name in the coordinator's certificate, where it is not the host of the meeting.
    pub name: Option<String>,
}

impl fmt::Debug for CoordinatorTls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("CoordinatorTls(..)")
    }
}
