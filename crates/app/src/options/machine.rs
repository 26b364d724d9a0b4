//! Options about this machine.

use super::options;

options! {
    /// Sources of facts about this machine. Each but those for tests is also a variable `IOBOUND_...`.
    pub struct MachineOptions in "This machine" {
        /// Metadata service of the cloud: http://HOST[:PORT], or off [default: the link-local address, if the firmware
        /// names a cloud]
        metadata: Option<String> = Form::One, "URL|off";
        /// A tree of files that stands for the machine: for tests
        world: Option<String> = Form::ForTests, "FOLDER";
        /// The same machine after the time watched: for tests
        world_after: Option<String> = Form::ForTests, "FOLDER", with "world";
    }
}

options! {
    /// Options of watching this machine for an explanation.
    pub struct WatchOptions {
        /// Time to watch this machine, if no measured figures are given [default: 10s]
        duration: Option<String> = Form::One, "TIME";
    }
}
