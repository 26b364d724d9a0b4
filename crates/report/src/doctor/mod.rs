//! The answer of `doctor`.

mod json;
mod text;
mod watched;

use iobound_catalog::Resolved;
use iobound_explain::Finding;
use iobound_explain::setup::{Fact, Setup};

pub use json::doctor_json;
pub use text::doctor_text;
pub use watched::{Watched, WatchedDisk, watched_json, watched_text};

/// Everything that is shown of a machine.
#[derive(Clone, Debug)]
pub struct Doctored<'a> {
    /// What is known of the machine itself.
    pub facts: &'a [Fact],
    /// Its disks and volumes.
    pub setup: &'a Setup,
    /// The configuration that it is, or stands for; `None`: what it is can't be told.
    pub resolved: Option<&'a Resolved>,
    /// Devices by the kernel's names, and the disks of the configuration that they are.
    pub names: &'a [(String, String)],
    /// What looks wrong, best first.
    pub findings: &'a [Finding],
    /// What else is to be known.
    pub notes: &'a [String],
    /// The file that the configuration was written to.
    pub saved: Option<&'a str>,
}

impl Doctored<'_> {
    /// The disk of the configuration that a device is.
    fn disk_of(&self, device: &str) -> Option<&iobound_catalog::ResolvedDisk> {
        let (_, name) = self.names.iter().find(|(own, _)| own == device)?;
        self.resolved?.disks.iter().find(|disk| &disk.name == name)
    }

    fn fact(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.name == name)
    }
}
