use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use iobound_units::Bytes;
use rustix::fs::{Advice, FallocateFlags, Mode, OFlags};

use super::guard::Guard;
use super::identity::Identity;
use super::mark::{Mark, sidecar};
use super::plan::{Plan, Step, What};
use super::writer::{Ended, Handles, MARKED_EVERY, Progress, write};

/// A target as a run finds it after preparation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// What the run opens.
    pub path: PathBuf,
    /// What it was.
    pub what: What,
    /// Which one it is: the run sees that it opens the same.
    pub identity: Identity,
    /// How much of it the run uses.
    pub size: Bytes,
    /// What was written now.
    pub written: Bytes,
    /// Whether that went past the page cache.
    pub direct: bool,
    /// What makes its figures doubtful.
    pub doubts: Vec<super::Doubt>,
}

/// Why preparation ended before its end.
#[derive(Debug)]
pub enum Cause {
    /// Somebody wanted it.
    Stopped,
    /// What was looked at is not there any more, or another file is.
    Changed(String),
    /// The system refused.
    Io {
        /// What was being done.
        doing: &'static str,
        /// Where in the target, in bytes.
        offset: u64,
        /// What it said.
        error: io::Error,
    },
}

/// Preparation that ended before its end.
#[derive(Debug)]
pub struct Unprepared {
    /// The target it was at.
    pub path: PathBuf,
    /// Why.
    pub cause: Cause,
    /// What was written to it.
    pub written: Bytes,
    /// What was to be written to it.
    pub wanted: Bytes,
    /// Whether the file is left, with its mark: the next preparation goes on from there.
    pub kept: bool,
}

impl fmt::Display for Unprepared {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Unprepared { path, cause, written, wanted, kept } = self;
        write!(f, "{}: ", path.display())?;
        match cause {
            Cause::Stopped => f.write_str("preparation was stopped")?,
            Cause::Changed(how) => {
                write!(f, "{how} since it was looked at; look what uses it, and run again")?
            }
            Cause::Io { doing, offset, error } => {
                write!(f, "{doing} failed at byte {offset} ({error})")?;
                let mend = match error.raw_os_error() {
                    Some(libc::ENOSPC | libc::EDQUOT) => "; make room, or give a smaller --size",
                    Some(libc::EFBIG) => "; the file system takes no file so large: give a smaller --size",
                    Some(libc::EIO) => "; the disk may be failing: look at `dmesg`",
                    _ => "",
                };
                f.write_str(mend)?;
            }
        }
        write!(f, "; {written} of {wanted} were written")?;
        f.write_str(if *kept { ", and the next run goes on from there" } else { "" })
    }
}

impl std::error::Error for Unprepared {}

impl Unprepared {
    /// Whether it was stopped, and nothing went wrong.
    pub fn is_stopped(&self) -> bool {
        matches!(self.cause, Cause::Stopped)
    }
}

/// What becomes of a new file whose preparation fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leftover {
    /// It is kept with its mark, so that the next preparation goes on.
    Keep,
    /// It is removed.
    Remove,
}

/// Writes what the plan says, target by target; tells of it about ten times a second, and ends within a second of
/// `stop`. What was written is durable at the end, and is not left in the page cache.
///
/// # Errors
/// The first thing that went wrong; targets before it are ready.
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

impl Work<'_> {
    fn carry_out(&self, tell: &mut dyn FnMut(u64), stop: &AtomicBool) -> Result<Prepared, Unprepared> {
        let step = self.step;
        if step.ranges.is_empty() && step.resize.is_none() {
            let file = File::open(&step.path).map_err(|error| self.failed("opening", error))?;
            let identity = self.same(&file)?;
            return Ok(self.prepared(identity, 0, false));
        }
        let file = self.open()?;
        let identity = self.same(&file)?;
        self.write_mark(&file, 0).map_err(|error| self.failed("marking", error))?;
        let ended = self
            .resize(&file)
            .and_then(|()| self.direct())
            .map_err(|error| Ended::failed(0, "setting space aside", step.resize_from(), error))
            .and_then(|direct| {
                let handles = Handles { buffered: &file, direct, marked_every: MARKED_EVERY };
                let mut filled = |up_to| self.write_mark(&file, up_to);
                let filling = step.mark.map_or(self.plan.filling, |mark| mark.filling);
                write(&handles, &filling, &step.ranges, &mut filled, tell, stop)
            });
        let ended = ended.and_then(|done| {
            let finish = || -> io::Result<()> {
                file.sync_all()?;
                self.write_mark(&file, step.size.get())?;
                file.sync_all()?;
                Ok(rustix::fs::fadvise(&file, 0, None, Advice::DontNeed)?)
            };
            match finish() {
                Ok(()) => Ok(done),
                Err(error) => Err(Ended::failed(done.written, "making it durable", 0, error)),
            }
        });
        match ended {
            Ok(done) => Ok(self.prepared(identity, done.written, done.direct)),
            Err(ended) => Err(self.ended(ended)),
        }
    }

    fn prepared(&self, identity: Identity, written: u64, direct: bool) -> Prepared {
        let Step { path, what, size, doubts, .. } = self.step;
        Prepared {
            path: path.clone(),
            what: *what,
            identity,
            size: *size,
            written: Bytes(written),
            direct,
            doubts: doubts.clone(),
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

    /// Opens what is to be written: a new file only if there is still none, a device only if nobody else has it.
    fn open(&self) -> Result<File, Unprepared> {
        let path = &self.step.path;
        let flags = match self.step.what {
            What::New => OFlags::CREATE | OFlags::EXCL,
            What::Device => OFlags::EXCL,
            What::Made | What::Foreign => OFlags::empty(),
        };
        // The world may have changed since the survey.
        if let Err(denied) = self.guard.check(path) {
            return Err(self.unprepared(Cause::Changed(format!("{} ({})", denied.found, denied.mend))));
        }
        let mode = Mode::from_raw_mode(0o644);
        let opened = rustix::fs::open(path, flags | OFlags::RDWR | OFlags::CLOEXEC, mode);
        opened.map(File::from).map_err(|error| match error {
            rustix::io::Errno::EXIST => {
                self.unprepared(Cause::Changed("somebody has made a file of that name".to_string()))
            }
            rustix::io::Errno::BUSY => {
                self.unprepared(Cause::Changed("somebody has taken the device for themselves".to_string()))
            }
            error => self.failed("opening", error.into()),
        })
    }

    /// That the open file is the one that was looked at.
    fn same(&self, file: &File) -> Result<Identity, Unprepared> {
        let identity = Identity::of_open(file).map_err(|error| self.failed("looking at it", error))?;
        match self.step.identity {
            Some(known) if known != identity => {
                Err(self.unprepared(Cause::Changed("another file has taken its place".to_string())))
            }
            _ => Ok(identity),
        }
    }

    /// The same file past the page cache, where its file system can.
    fn direct(&self) -> io::Result<Option<File>> {
        let flags = OFlags::RDWR | OFlags::CLOEXEC | OFlags::DIRECT;
        match rustix::fs::open(&self.step.path, flags, Mode::empty()) {
            Ok(file) => Ok(Some(File::from(file))),
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Gives the file its size, with its space where the file system can set it aside: what can't be had is then
    /// known before the first byte.
    fn resize(&self, file: &File) -> io::Result<()> {
        let Some(Bytes(size)) = self.step.resize else { return Ok(()) };
        let existing = file.metadata()?.len();
        if size > existing {
            match rustix::fs::fallocate(file, FallocateFlags::empty(), existing, size - existing) {
                Ok(()) => return Ok(()),
                Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
                Err(error) => return Err(error.into()),
            }
        }
        file.set_len(size)
    }

    /// Notes that it is filled up to there; a mark never goes back.
    fn write_mark(&self, file: &File, up_to: u64) -> io::Result<()> {
        let Some(mark) = self.step.mark else { return Ok(()) };
        Mark { filled: mark.filled.max(up_to), ..mark }.write(file, &self.step.path)
    }

    fn ended(&self, ended: Ended) -> Unprepared {
        let path = &self.step.path;
        let new = self.step.what == What::New;
        let removed = new && self.leftover == Leftover::Remove && remove(path).is_ok();
        Unprepared {
            written: Bytes(ended.written),
            kept: self.step.mark.is_some() && !removed,
            ..self.unprepared(ended.cause)
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    // There is a mark beside it on some file systems only.
    let _ = std::fs::remove_file(sidecar(path));
    std::fs::remove_file(path)
}

impl Step {
    /// Where space is set aside.
    fn resize_from(&self) -> u64 {
        self.ranges.first().map_or(0, |range| range.start)
    }
}
