//! This machine: its setup, and its counters second by second.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use iobound_app::options::{ConfigurationOptions, MachineOptions};
use iobound_app::settings::Settings;
use iobound_app::{Common, Env, Failure};
use iobound_report::{Document, doctor_document};
use iobound_serve::Answer;
use serde_json::json;

use crate::commands::doctor::{Configured, configured, with_doctored};
use crate::doctor::{Seen, look, metadata_of, world_of};
use crate::watch::each_second;

/// Name of this machine among what runs.
pub(super) const NAME: &str = "machine";

/// Seconds without a reader after which the counters are no longer read.
const UNWATCHED: u32 = 5;

/// The machine and its configuration, as far as both are known.
fn setup_of(common: &Common) -> Result<(Seen, Configured), Failure> {
    let env = Env::with_variables(std::env::vars_os());
    let mut settings = Settings::load(&env, common.config.as_deref())?;
    let machine = MachineOptions::default();
    let metadata = metadata_of(&machine, &mut settings)?;
    let seen = look(&world_of(&machine), &metadata)?;
    let configured = configured(&seen, &ConfigurationOptions::default(), &mut settings)?;
    Ok((seen, configured))
}

/// The document of `iobound doctor`.
///
/// # Errors
/// A configuration that cannot be read.
pub(super) fn doctor(common: &Common) -> Result<Answer, Failure> {
    let (seen, configured) = setup_of(common)?;
    let document = with_doctored(&seen, configured, None, doctor_document);
    Ok(Answer::Document(Document::from(document).text()))
}

/// Reads the counters each second, as long as somebody asks.
#[derive(Default)]
pub(super) struct Watcher(Arc<Mutex<Watched>>);

/// The last second.
#[derive(Default)]
struct Watched {
    /// As `iobound watch --json` prints it; `None` before the first.
    second: Option<String>,
    /// Seconds since somebody asked; `None` while nothing is read.
    unwatched: Option<u32>,
    /// Why nothing can be read.
    failure: Option<Failure>,
}

impl Watcher {
    fn lock(watched: &Mutex<Watched>) -> MutexGuard<'_, Watched> {
        watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The last second of this machine. The first question begins to read, and its answer has no disks yet.
    pub(super) fn state(&self, common: &Common) -> Answer {
        let mut watched = Watcher::lock(&self.0);
        if let Some(failure) = watched.failure.take() {
            return super::told(Err(failure));
        }
        if watched.unwatched.replace(0).is_none() {
            watched.second = None;
            let (shared, common) = (Arc::clone(&self.0), common.clone());
            std::thread::spawn(move || {
                let ended = setup_of(&common).and_then(|(seen, configured)| {
                    each_second(&seen, &configured, |second| {
                        let mut watched = Watcher::lock(&shared);
                        watched.second = Some(second);
                        let unwatched = watched.unwatched.map_or(0, |seconds| seconds + 1);
                        watched.unwatched = Some(unwatched);
                        unwatched <= UNWATCHED
                    })
                });
                let mut watched = Watcher::lock(&shared);
                (watched.unwatched, watched.failure) = (None, ended.err());
            });
        }
        let first = || json!({ "schema": "iobound.watch/1", "event": "start", "disks": [], "limits": [] });
        Answer::Document(watched.second.clone().unwrap_or_else(|| first().to_string()))
    }
}
