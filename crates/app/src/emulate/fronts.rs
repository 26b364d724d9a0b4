//! The fronts of an emulator: their addresses, and the lateness of their replies.

use std::path::PathBuf;
use std::sync::Arc;

use iobound_emulate::fuse::{MountOptions, Mounted, Unmounted, Users};
use iobound_emulate::nbd::{Door, Listen};
use iobound_emulate::{FrontId, Lateness, Pacer, Shared, Spin};
use iobound_report::ServedAt;
use iobound_workload::shell_word;

use super::guardian::Guardian;
use crate::{Env, Failure};

/// Addresses and folders of the fronts.
#[derive(Clone, Debug)]
pub(super) struct ServePlaces {
    pub(super) nbd: Vec<Listen>,
    pub(super) fuse: Option<PathBuf>,
    pub(super) allow_other: bool,
    pub(super) spin: Spin,
}

/// Servers of the devices. Fields are dropped in order: first the listeners, then the clock.
pub(super) struct Fronts {
    mounted: Option<Mounted>,
    /// Ends after the mount does.
    _guardian: Option<Guardian>,
    pacer: Option<Pacer>,
    served: Vec<ServedAt>,
    lateness: Vec<(&'static str, Arc<Lateness>)>,
    notes: Vec<String>,
}

const NBD: FrontId = FrontId(0);
const FUSE: FrontId = FrontId(1);

impl Fronts {
    /// Begins to serve.
    ///
    /// # Errors
    /// Returns an error if an address is in use or not valid.
    pub(super) fn start(shared: &Arc<Shared>, places: &ServePlaces, env: &Env) -> Result<Fronts, Failure> {
        let mut fronts = Fronts {
            mounted: None,
            _guardian: None,
            pacer: None,
            served: Vec::new(),
            lateness: Vec::new(),
            notes: Vec::new(),
        };
        let failed = |error: std::io::Error| Failure::io(error).help("choose another place for --nbd");
        let door = Door::listen(NBD, &places.nbd).map_err(failed)?;
        for at in door.addresses().map_err(failed)? {
            fronts.served.push(match at {
                Listen::Unix(path) => {
                    let path = std::path::absolute(&path).unwrap_or(path);
                    ServedAt::NbdUnix(path.display().to_string())
                }
                Listen::Tcp(at) => ServedAt::NbdTcp(at.ip().to_string(), at.port()),
            });
        }
        if !places.nbd.is_empty() {
            fronts.lateness.push(("nbd", door.lateness()));
        }
        // This comes before the files: the mounting process may be asked for them at once, and their replies need it.
        fronts.pacer = Some(Pacer::serve(shared, door, places.spin).map_err(failed)?);
        if let Some(folder) = &places.fuse {
            let users = if places.allow_other { Users::OwnerAndRoot } else { Users::Owner };
            let options = MountOptions { users, ..MountOptions::of(folder) };
            match Guardian::over(folder, env) {
                Ok(guardian) => fronts._guardian = guardian,
                Err(error) => fronts.notes.push(format!(
                    "the guardian process did not start ({error}): if this program is killed, its mount stays until the next start"
                )),
            }
            let mounted = Mounted::start(shared, FUSE, &options).map_err(Failure::io)?;
            fronts.notes.extend(mounted.help_text().map(String::from));
            fronts.served.push(ServedAt::Fuse(mounted.directory().display().to_string()));
            fronts.lateness.push(("fuse", Arc::clone(mounted.lateness())));
            fronts.mounted = Some(mounted);
        }
        Ok(fronts)
    }

    /// Addresses with the ports in use.
    pub(super) fn served(&self) -> &[ServedAt] {
        &self.served
    }

    /// The delay with which replies go out, by front.
    pub(super) fn lateness(&self) -> &[(&'static str, Arc<Lateness>)] {
        &self.lateness
    }

    /// Actions taken to serve it.
    pub(super) fn notes(&self) -> &[String] {
        &self.notes
    }

    /// Takes the files away; says what is to be known of that.
    pub(super) fn unmount(&mut self) -> Option<String> {
        let mounted = self.mounted.take()?;
        let folder = mounted.directory().display().to_string();
        match mounted.unmount() {
            Ok(Unmounted::Clean) => None,
            Ok(Unmounted::InUse) => Some(format!(
                "{folder} was in use and is unmounted: programs with an open file of it get errors"
            )),
            Err(error) => Some(format!(
                "{folder} is still mounted ({error}): unmount it with `umount -l {}`",
                shell_word(&folder)
            )),
        }
    }

    /// Lets nobody in, replies to what is under way as far as that takes no longer than a moment, ends all connections, and
    /// removes the sockets.
    pub(super) fn close(&mut self) {
        self.pacer = None;
    }
}
