//! The answer of `doctor`.

mod document;
mod text;
mod watched;

use iobound_catalog::{Resolved, VmSize};
use iobound_explain::Finding;
use iobound_explain::setup::{Fact, Setup, SetupLimit, limits, limits_of_vm};

pub use document::doctor_document;
pub use text::doctor_text;
pub use watched::{Watched, WatchedDisk, watched_document, watched_text};

/// Everything that is shown of a machine.
#[derive(Clone, Debug)]
pub struct Doctored<'a> {
    /// Known facts about the machine itself.
    pub facts: &'a [Fact],
    /// Its disks and volumes.
    pub setup: &'a Setup,
    /// The configuration that it is, or stands for; `None`: what it is can't be told.
    pub resolved: Option<&'a Resolved>,
    /// The VM size, where that much is known without a configuration.
    pub vm: Option<&'a VmSize>,
    /// Devices by the kernel's names, and the disks of the configuration that they are.
    pub names: &'a [(String, String)],
    /// Problems, best first.
    pub findings: &'a [Finding],
    /// Further notes.
    pub notes: &'a [String],
    /// The file that the configuration was written to.
    pub saved: Option<&'a str>,
}

impl Doctored<'_> {
    /// The limits of the configuration; else those that are the VM's own, as published.
    fn limits(&self) -> Vec<SetupLimit> {
        match (self.resolved, self.vm) {
            (Some(resolved), _) => limits(resolved),
            (None, Some(vm)) => limits_of_vm(vm),
            (None, None) => Vec::new(),
        }
    }

    /// The disk of the configuration that a device is.
    fn disk_of(&self, device: &str) -> Option<&iobound_catalog::ResolvedDisk> {
        let (_, name) = self.names.iter().find(|(own, _)| own == device)?;
        self.resolved?.disks.iter().find(|disk| &disk.name == name)
    }

    fn fact(&self, name: &str) -> Option<&Fact> {
        self.facts.iter().find(|fact| fact.name == name)
    }
}
