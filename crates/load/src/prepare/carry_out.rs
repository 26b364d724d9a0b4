use std::fmt;
use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use iobound_machine::files::{is_media_error, leave_page_cache, set_space_aside};
use iobound_machine::open::{Access, Identity, reopen};
use iobound_units::Bytes;

use super::guard::Guard;
use super::handle::Handle;
use super::mark::Mark;
use super::plan::{Plan, Step, What};
use super::unsealed::Unsealed;
use super::writer::{Handles, MARKED_EVERY, Progress, WriteEnded, write};

/// A target as a run finds it after preparation.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// Its path, for messages.
    pub path: PathBuf,
    /// The open file or device: the run opens the same from it.
    pub handle: Handle,
    /// The mark of a file of ours that the run writes to: it is completed when the last of these is dropped, which is
    /// to be after the last write.
    pub unsealed: Option<Arc<Unsealed>>,
    /// The previous value.
    pub what: What,
    /// Its identity.
    pub identity: Identity,
    /// Used size.
    pub size: Bytes,
    /// Written bytes.
    pub written: Bytes,
    /// True if that went past the page cache.
    pub direct: bool,
    /// Doubts about its figures.
    pub doubts: Vec<super::Doubt>,
}

/// Reason why preparation ended before its end.
#[derive(Debug)]
pub enum Cause {
    /// Somebody wanted it.
    Stopped,
    /// The checked file is missing or was replaced.
    Changed(String),
    /// The system refused.
    Io {
        /// Current action.
        doing: &'static str,
        /// Offset in the target, in bytes.
        offset: u64,
        /// Error of the system.
        error: io::Error,
    },
}

/// Preparation that ended before its end.
#[derive(Debug)]
pub struct Unprepared {
    /// The target it was at.
    pub path: PathBuf,
    /// Reason.
    pub cause: Cause,
    /// Written bytes.
    pub written: Bytes,
    /// Bytes to write.
    pub wanted: Bytes,
    /// True if the file is left, with its mark: the next preparation goes on from there.
    pub kept: bool,
}

impl fmt::Display for Unprepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unprepared { path, cause, written, wanted, kept } = self;
        write!(f, "{}: ", path.display())?;
        match cause {
            Cause::Stopped => f.write_str("preparation was stopped")?,
            Cause::Changed(how) => write!(f, "{how} since it was checked; find what uses it, and run again")?,
            Cause::Io { doing, offset, error } => {
                write!(f, "{doing} failed at byte {offset} ({error})")?;
                let help = match error.kind() {
                    io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                        "; free some space, or give a smaller --size"
                    }
                    io::ErrorKind::FileTooLarge => {
                        "; the file system does not support files of this size: give a smaller --size"
                    }
                    _ if is_media_error(error) => "; the disk may be failing: look at `dmesg`",
                    _ => "",
                };
                f.write_str(help)?;
            }
        }
        write!(f, "; {written} of {wanted} were written")?;
        f.write_str(if *kept { ", and the next run goes on from there" } else { "" })
    }
}

impl std::error::Error for Unprepared {}

impl Unprepared {
    /// True if it was stopped, and nothing went wrong.
    pub fn is_stopped(&self) -> bool {
        matches!(self.cause, Cause::Stopped)
    }
}

/// The outcome of a new file whose preparation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// It is kept with its mark, so that the next preparation goes on.
    Keep,
    /// It is removed.
    Remove,
}

/// Writes the plan target by target, reports progress about ten times a second, and ends within a second of `stop`. The
/// written data is durable at the end, and is not left in the page cache.
///
/// # Errors
/// Returns the first error. The targets before it are ready.
pub fn carry_out(
    plan: &Plan,
    guard: &dyn Guard,
    leftover: Leftover,
    progress: &mut dyn FnMut(&Progress),
    stop: &AtomicBool,
) -> Result<Vec<Prepared>, Unprepared> {
    let mut prepared: Vec<Prepared> = Vec::new();
    let mut before = 0;
    for step in &plan.steps {
        if let Some(first) = step.same_as {
            let same = Prepared { path: step.path.clone(), written: Bytes::ZERO, ..prepared[first].clone() };
            prepared.push(same);
            continue;
        }
        let bytes = step.bytes().get();
        let mut tell = |done: u64| {
            progress(&Progress {
                path: step.path.clone(),
                done: Bytes(done),
                of: Bytes(bytes),
                done_in_all: Bytes(before + done),
                of_all: plan.bytes(),
            });
        };
        let done = Work { plan, step, guard, leftover }.carry_out(&mut tell, stop)?;
        prepared.push(done);
        before += bytes;
    }
    Ok(prepared)
}

struct Work<'a> {
    plan: &'a Plan,
    step: &'a Step,
    guard: &'a dyn Guard,
    leftover: Leftover,
}

/// The mark of the file that is being prepared.
struct Marking<'a> {
    handle: &'a Handle,
    mark: Option<Mark>,
    /// A later run can rely on it.
    counts: bool,
}

impl Marking<'_> {
    fn change(&mut self, change: impl FnOnce(&mut Mark)) -> io::Result<()> {
        if let Some(mark) = &mut self.mark {
            change(mark);
            self.counts = mark.write(self.handle)?;
        }
        Ok(())
    }

    /// Everything before `up_to` is filled; a mark never goes back.
    fn filled(&mut self, up_to: u64) -> io::Result<()> {
        self.change(|mark| mark.filled = mark.filled.max(up_to))
    }

    /// The mark for the time after preparation, which is complete when it is dropped.
    fn unsealed(self) -> io::Result<Option<Unsealed>> {
        self.mark.map_or(Ok(None), |mark| Unsealed::begin(self.handle, mark))
    }
}

impl Work<'_> {
    fn carry_out(&self, tell: &mut dyn FnMut(u64), stop: &AtomicBool) -> Result<Prepared, Unprepared> {
        let step = self.step;
        if let Some(handle) = step.handle.as_ref().filter(|_| step.ranges.is_empty() && step.resize.is_none())
        {
            let mark = step.mark.filter(|_| step.writes);
            let unsealed = mark.map_or(Ok(None), |mark| Unsealed::begin(handle, mark));
            let unsealed = unsealed.map_err(|error| self.failed("marking", error))?;
            return Ok(self.prepared(handle.clone(), 0, false, unsealed));
        }
        let (file, handle) = self.open()?;
        let mut marking = Marking { handle: &handle, mark: step.mark, counts: false };
        let existing = file.metadata().map_or(0, |facts| facts.len());
        let marked = marking.change(|mark| {
            mark.seal = None;
            mark.resized_from = step.resize.map(|_| existing);
        });
        if let Err(error) = marked {
            if step.what == What::New {
                // Empty, and without a mark nobody would know whose it is.
                let _ = handle.remove();
            }
            return Err(self.failed("marking", error));
        }
        let ended = self
            .resize(&file)
            .and_then(|()| marking.change(|mark| mark.resized_from = None))
            .and_then(|()| direct(&handle))
            .map_err(|error| WriteEnded::failed(0, "reserving space", step.resize_from(), error))
            .and_then(|direct| {
                let handles = Handles { buffered: &file, direct, marked_every: MARKED_EVERY };
                let filling = step.mark.map_or(self.plan.filling, |mark| mark.filling);
                let mut filled = |up_to| marking.filled(up_to);
                write(&handles, &filling, &step.ranges, &mut filled, tell, stop)
            });
        let ended = ended.and_then(|done| {
            let mut finish = || -> io::Result<()> {
                file.sync_all()?;
                marking.change(|mark| {
                    mark.filled = mark.filled.max(step.size.get());
                    mark.refilled = None;
                })?;
                file.sync_all()?;
                leave_page_cache(&file)
            };
            match finish() {
                Ok(()) => Ok(done),
                Err(error) => Err(WriteEnded::failed(done.written, "flushing it", 0, error)),
            }
        });
        // A device that was taken for this program alone is given back before the run takes it.
        drop(file);
        let kept = marking.counts;
        let unsealed = marking.unsealed();
        match ended {
            Ok(done) => match unsealed {
                Ok(unsealed) => Ok(self.prepared(handle, done.written, done.direct, unsealed)),
                Err(error) => Err(self.failed("marking", error)),
            },
            Err(ended) => {
                drop(unsealed);
                Err(self.ended(ended, &handle, kept))
            }
        }
    }

    fn prepared(&self, handle: Handle, written: u64, direct: bool, unsealed: Option<Unsealed>) -> Prepared {
        let Step { path, what, size, doubts, .. } = self.step;
        Prepared {
            path: path.clone(),
            what: *what,
            identity: handle.identity(),
            size: *size,
            written: Bytes(written),
            direct,
            doubts: doubts.clone(),
            handle,
            // Of what is only read the mark is complete now.
            unsealed: unsealed.filter(|_| self.step.writes).map(Arc::new),
        }
    }

    fn unprepared(&self, cause: Cause) -> Unprepared {
        Unprepared {
            path: self.step.path.clone(),
            cause,
            written: Bytes::ZERO,
            wanted: self.step.bytes(),
            kept: false,
        }
    }

    fn failed(&self, doing: &'static str, error: io::Error) -> Unprepared {
        self.unprepared(Cause::Io { doing, offset: 0, error })
    }

    /// Opens the target to write: a new file only if it still does not exist, a device only if no other process has it.
    /// Returns the handle for all further steps.
    fn open(&self) -> Result<(File, Handle), Unprepared> {
        let step = self.step;
        let open = step.handle.as_ref().map(Handle::file);
        // The world may have changed since the survey.
        if let Err(denied) = self.guard.check(&step.path, open) {
            return Err(self.unprepared(Cause::Changed(format!("{} ({})", denied.what, denied.help))));
        }
        let opened = match &step.handle {
            None => self.create(),
            Some(handle) => self.open_existing(handle),
        };
        opened.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                self.unprepared(Cause::Changed("another process created a file with that name".to_string()))
            }
            io::ErrorKind::ResourceBusy => {
                self.unprepared(Cause::Changed("another process opened the device exclusively".to_string()))
            }
            io::ErrorKind::StaleNetworkFileHandle => {
                self.unprepared(Cause::Changed("another file has replaced it".to_string()))
            }
            _ => self.failed("opening", error),
        })
    }

    fn create(&self) -> io::Result<(File, Handle)> {
        let Step { directory, name, .. } = self.step;
        let file = directory.create_new(name, 0o644)?;
        let reading = reopen(&file, Access::READ, directory, name)?;
        Ok((file, Handle::new(Arc::clone(directory), name.clone(), reading)?))
    }

    fn open_existing(&self, handle: &Handle) -> io::Result<(File, Handle)> {
        let named = self.step.directory.entry(&self.step.name)?;
        // The name leads elsewhere by now: the open file is safe to write, and not the one that the user would find.
        if named.map(|facts| facts.identity) != Some(handle.identity()) {
            return Err(io::ErrorKind::StaleNetworkFileHandle.into());
        }
        let exclusive = self.step.what == What::Device;
        Ok((handle.reopen(Access { exclusive, ..Access::READ_WRITE })?, handle.clone()))
    }

    /// Gives the file its size, with its space where the file system can set it aside: what can't be had is then
    /// known before the first byte.
    fn resize(&self, file: &File) -> io::Result<()> {
        let Some(Bytes(size)) = self.step.resize else { return Ok(()) };
        let existing = file.metadata()?.len();
        if size > existing && set_space_aside(file, existing, size - existing)? {
            return Ok(());
        }
        file.set_len(size)
    }

    fn ended(&self, ended: WriteEnded, handle: &Handle, counts: bool) -> Unprepared {
        let new = self.step.what == What::New;
        let removed = new && self.leftover == Leftover::Remove && handle.remove().unwrap_or(false);
        Unprepared { written: Bytes(ended.written), kept: counts && !removed, ..self.unprepared(ended.cause) }
    }
}

/// The same file past the page cache, where its file system can.
fn direct(handle: &Handle) -> io::Result<Option<File>> {
    match handle.reopen(Access { direct: true, ..Access::READ_WRITE }) {
        Ok(file) => Ok(Some(file)),
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

impl Step {
    /// Start of the space that is set aside.
    fn resize_from(&self) -> u64 {
        self.ranges.first().map_or(0, |range| range.start)
    }
}
