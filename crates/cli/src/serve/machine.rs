//! This machine: its setup, and its counters second by second.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use iobound_app::doctor::{DoctorRequest, PreparedDoctor};
use iobound_app::watch::{PreparedWatch, WatchRequest};
use iobound_app::{Common, Env, Failure};
use iobound_report::{Document, doctor_document, watch_second_json};
use iobound_serve::Answer;
use serde_json::json;

use crate::interrupt;

/// Name of this machine among what runs.
pub(super) const NAME: &str = "machine";

/// Seconds without a reader after which the counters are no longer read.
const UNWATCHED: u32 = 5;

/// Variables that a page does not follow: it writes no file, and watches each second until nobody looks.
const NOT_OF_A_PAGE: [&str; 6] = [
    "IOBOUND_SAVE",
    "IOBOUND_RECORD",
    "IOBOUND_RECORD_RATE",
    "IOBOUND_OVERWRITE",
    "IOBOUND_DURATION",
    "IOBOUND_INTERVAL",
];

/// The environment of the machine's questions.
fn env() -> Env {
    let of_a_page = |name: &OsString| !NOT_OF_A_PAGE.iter().any(|other| name == other);
    Env::with_variables(std::env::vars_os().filter(|(name, _)| of_a_page(name)))
}

/// The document of `iobound doctor`.
///
/// # Errors
/// Returns an error if the configuration cannot be read.
pub(super) fn doctor(common: &Common) -> Result<Answer, Failure> {
    let env = env();
    let answer = PreparedDoctor::read(&DoctorRequest::default(), common, &env)?.answer(&env)?;
    Ok(Answer::Document(Document::from(doctor_document(&answer.doctored())).text()))
}

/// Reads the counters each second, as long as they are requested.
#[derive(Default)]
pub(super) struct Watcher(Arc<Mutex<Watched>>);

/// The last second.
#[derive(Default)]
struct Watched {
    /// As `iobound watch --json` prints it; `None` before the first.
    second: Option<String>,
    /// Seconds since the last request; `None` if nothing is read.
    unwatched: Option<u32>,
    /// Reason why nothing can be read.
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
                let ended = watch(&shared, &common);
                let mut watched = Watcher::lock(&shared);
                (watched.unwatched, watched.failure) = (None, ended.err());
            });
        }
        let first = || json!({ "schema": "iobound.watch/1", "event": "start", "disks": [], "limits": [] });
        Answer::Document(watched.second.clone().unwrap_or_else(|| first().to_string()))
    }
}

/// Watches until nobody has asked for some seconds.
fn watch(shared: &Mutex<Watched>, common: &Common) -> Result<(), Failure> {
    let is_over = Arc::new(AtomicBool::new(false));
    let stop = Arc::clone(&is_over);
    let env = env().stop(move || stop.load(Ordering::Relaxed) || interrupt::asked());
    let prepared = PreparedWatch::read(&WatchRequest::default(), common, &env)?;
    prepared.answer(&env, |passed| {
        let mut watched = Watcher::lock(shared);
        watched.second = Some(watch_second_json(passed.second).to_string());
        let unwatched = watched.unwatched.map_or(0, |seconds| seconds + 1);
        watched.unwatched = Some(unwatched);
        is_over.store(unwatched > UNWATCHED, Ordering::Relaxed);
        Ok(())
    })?;
    Ok(())
}
