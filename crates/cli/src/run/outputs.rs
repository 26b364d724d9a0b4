//! Where the intervals of a run go beside the screen: lines of JSON, an interval log.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use iobound_measure::{Measured, Together};
use iobound_report::{hlog_header, hlog_interval, hlog_total, interval_json};
use iobound_units::Instant;

use crate::failure::Failure;
use crate::files;
use crate::settings::Given;

/// Files that are written while a run goes on.
#[derive(Default)]
pub(crate) struct Outputs {
    ndjson: Option<Out>,
    hlog: Option<Out>,
    /// The stages, from 1, of which the interval log has the head.
    headed: usize,
    /// The first that could not be written any more.
    failed: Option<String>,
}

struct Out {
    name: String,
    file: BufWriter<File>,
}

impl Outputs {
    /// Opens what was asked for.
    pub(crate) fn open(ndjson: Option<&Given>, hlog: Option<&Given>) -> Result<Outputs, Failure> {
        Ok(Outputs {
            ndjson: ndjson.map(Out::open).transpose()?,
            hlog: hlog.map(Out::open).transpose()?,
            ..Outputs::default()
        })
    }

    /// An interval has ended; stages count from 1.
    pub(crate) fn take(&mut self, stage: usize, interval: &Together) {
        let begin = Instant::ZERO;
        if let Some(out) = &mut self.ndjson {
            let line = interval_json(stage, interval.interval(), begin);
            self.failed = self.failed.take().or(out.write(&line).err());
        }
        self.head(stage, interval.interval().end);
        if let Some(out) = &mut self.hlog {
            let lines = hlog_interval(interval, begin);
            self.failed = self.failed.take().or(out.write(&lines).err());
        }
    }

    /// The head of a stage's part of the interval log, once: its I/O began so long before now, and times count from there.
    fn head(&mut self, stage: usize, since_beginning: Instant) {
        let Some(out) = self.hlog.as_mut().filter(|_| self.headed < stage) else { return };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        let now = Instant::from_ns(u64::try_from(now.as_nanos()).unwrap_or(u64::MAX));
        let began = now.since(since_beginning);
        self.failed = self.failed.take().or(out.write(&hlog_header(began)).err());
        self.headed = stage;
    }

    /// A stage is over; stages count from 1.
    pub(crate) fn total(&mut self, stage: usize, measured: &Measured) {
        self.head(stage, measured.end);
        if let Some(out) = &mut self.hlog {
            self.failed = self.failed.take().or(out.write(&hlog_total(measured)).err());
        }
    }

    /// The end: says what could not be written.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        self.failed.map_or(Ok(()), |why| Err(Failure::io(why)))
    }
}

/// Sees that a file can be written when there is something to write, without touching what is in it.
///
/// # Errors
/// It can't.
pub(crate) fn can_be_written(given: &Given) -> Result<(), Failure> {
    if given.text.starts_with("fd:") {
        return Ok(());
    }
    let path = given.path();
    files::can_be_written(&path)
        .map_err(|error| given.refuse(format!("{path} can't be written: {error}")).mend(files::WRITABLE))
}

/// The same of a file that another tool's words name.
///
/// # Errors
/// It can't.
pub(crate) fn answer_can_be_written(path: &str) -> Result<(), Failure> {
    files::can_be_written(path)
        .map_err(|error| Failure::input(format!("{path} can't be written: {error}")).mend(files::WRITABLE))
}

impl Out {
    fn open(given: &Given) -> Result<Out, Failure> {
        let path = given.path();
        // A descriptor that the caller left open: `fd:3`.
        let shown = match given.text.strip_prefix("fd:") {
            Some(number) if number.bytes().all(|b| b.is_ascii_digit()) && !number.is_empty() => {
                format!("/proc/self/fd/{number}")
            }
            Some(other) => return Err(given.refuse(format!("`{other}` is no descriptor: write fd:3"))),
            None => path,
        };
        let file = File::create(&shown)
            .map_err(|error| given.refuse(format!("{shown} can't be written: {error}")))?;
        Ok(Out { name: shown, file: BufWriter::new(file) })
    }

    fn write(&mut self, text: &str) -> Result<(), String> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.flush());
        written.map_err(|error| format!("{} can't be written: {error}", self.name))
    }
}
