//! Properties of a process that a library must not read by itself.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use iobound_measure::Interval;
use iobound_report::Plan;

use crate::process::{Process, Quiet};

/// The environment of a request: variables, texts that stand for files, a way to stop, and a place for notes.
///
/// Nothing here is a global, so that requests of several threads know nothing of each other. A clone is the same
/// environment.
#[derive(Clone)]
pub struct Env {
    variables: Arc<BTreeMap<OsString, OsString>>,
    texts: Arc<BTreeMap<String, String>>,
    stop: Arc<dyn Fn() -> bool + Send + Sync>,
    note: Arc<dyn Fn(&str) + Send + Sync>,
    process: Arc<dyn Process>,
    hanging: Arc<AtomicBool>,
    progress: Arc<ProgressFunction>,
    #[cfg_attr(not(feature = "load"), expect(dead_code, reason = "only a run has intervals"))]
    intervals: Arc<IntervalFunction>,
}

/// An interval of a run that has ended.
#[derive(Debug)]
pub struct RunProgress<'a> {
    /// The targets of the run.
    pub targets: &'a str,
    /// The planned times of the stage.
    pub plan: &'a Plan,
    /// Figures of the interval.
    pub interval: &'a Interval,
}

/// Called with each interval of a run.
type IntervalFunction = dyn Fn(&RunProgress<'_>) + Send + Sync;

/// Called with what is done of what there is, `None` where that is not known; with zero of zero at the end.
type ProgressFunction = dyn Fn(u64, Option<u64>) + Send + Sync;

impl Default for Env {
    fn default() -> Env {
        Env {
            variables: Arc::default(),
            texts: Arc::default(),
            stop: Arc::new(|| false),
            note: Arc::new(|_| {}),
            process: Arc::new(Quiet),
            hanging: Arc::default(),
            progress: Arc::new(|_, _| {}),
            intervals: Arc::new(|_| {}),
        }
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env").field("texts", &self.texts.keys()).finish_non_exhaustive()
    }
}

impl Env {
    /// An environment with these variables, such as `std::env::vars_os()`. `IOBOUND_*` are settings; `HOME` and the like say
    /// where a user's results are.
    pub fn with_variables(variables: impl IntoIterator<Item = (OsString, OsString)>) -> Env {
        Env { variables: Arc::new(variables.into_iter().collect()), ..Env::default() }
    }

    /// Takes texts that stand for files, by the names that a request has for them.
    pub fn texts(self, texts: BTreeMap<String, String>) -> Env {
        Env { texts: Arc::new(texts), ..self }
    }

    /// Takes a function that is called now and then: whether the request should end without its answer.
    pub fn stop(self, stop: impl Fn() -> bool + Send + Sync + 'static) -> Env {
        Env { stop: Arc::new(stop), ..self }
    }

    /// Takes the receiver of notes. They are written while a request is answered, and are not part of the answer.
    pub fn notes(self, note: impl Fn(&str) + Send + Sync + 'static) -> Env {
        Env { note: Arc::new(note), ..self }
    }

    /// Takes the process that load runs in, or that devices are served by.
    pub fn process(self, process: impl Process + 'static) -> Env {
        Env { process: Arc::new(process), ..self }
    }

    /// The process that load runs in.
    pub fn of_process(&self) -> &dyn Process {
        &*self.process
    }

    /// A flag for work that cannot call back: it is set when the request should end. If no process sets it, code that
    /// receives intervals calls [`Env::is_stopped`].
    pub fn stop_flag(&self) -> Arc<AtomicBool> {
        let flag = Arc::new(AtomicBool::new(false));
        self.process.stops(&flag);
        flag
    }

    /// Something of a run hangs: from now on nothing of its targets is closed or removed, since that could wait for ever.
    pub fn hangs<T>(&self, held: T) {
        self.hanging.store(true, Ordering::Relaxed);
        self.process.hangs();
        std::mem::forget(held);
    }

    /// True if something hangs.
    pub fn is_hanging(&self) -> bool {
        self.hanging.load(Ordering::Relaxed)
    }

    /// Takes a place for the progress of long work: bytes that were read, and bytes of all files where that is known.
    pub fn progress_to(self, progress: impl Fn(u64, Option<u64>) + Send + Sync + 'static) -> Env {
        Env { progress: Arc::new(progress), ..self }
    }

    /// Takes a receiver of a run's progress: it gets each interval of the run as soon as it ends.
    pub fn intervals_to(self, take: impl Fn(&RunProgress<'_>) + Send + Sync + 'static) -> Env {
        Env { intervals: Arc::new(take), ..self }
    }

    /// Gives an interval of a run to its receiver.
    #[cfg(feature = "load")]
    pub(crate) fn interval(&self, progress: &RunProgress<'_>) {
        (self.intervals)(progress);
    }

    /// Says how far a long work has come.
    pub(crate) fn progress(&self, done: u64, of: Option<u64>) {
        (self.progress)(done, of);
    }

    /// Says that a long work has ended.
    pub(crate) fn progress_ends(&self) {
        (self.progress)(0, Some(0));
    }

    /// The variables.
    pub fn variables(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.variables.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }

    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<&OsStr> {
        self.variables.get(OsStr::new(name)).map(OsString::as_os_str)
    }

    /// The folder for files that are gone when the process is.
    #[cfg(feature = "load")]
    pub(crate) fn temporary_folder(&self) -> PathBuf {
        self.variable("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from)
    }

    /// The path in a variable, where it is absolute.
    pub(crate) fn folder(&self, name: &str) -> Option<PathBuf> {
        self.variable(name).map(PathBuf::from).filter(|path| path.is_absolute())
    }

    /// The text that stands for a file of this name.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.texts.get(name).map(String::as_str)
    }

    /// True if the request should end without its answer.
    pub fn is_stopped(&self) -> bool {
        (self.stop)()
    }

    /// Says something beside the answer.
    pub fn note(&self, text: &str) {
        (self.note)(text);
    }
}
