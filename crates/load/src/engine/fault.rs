//! I/Os that failed: what is remembered of the first, and whether the run goes on.

use std::fmt;
use std::io;
use std::path::PathBuf;

use iobound_drive::EngineError;
use iobound_units::Io;

use super::target::Targets;

/// Effect of a failed I/O on the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// It ends, with what was done.
    #[default]
    Stop,
    /// The I/O is counted as an error, and the run goes on.
    Continue,
}

/// Failure of an I/O.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The system refused it, with this error number.
    Errno(i32),
    /// It moved fewer bytes than it was to.
    Short {
        /// Number of it that moved.
        moved: u32,
    },
}

/// An I/O that failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The I/O.
    pub io: Io,
    /// The path of its target.
    pub path: PathBuf,
    /// The failure.
    pub failure: Failure,
    /// True if it was direct I/O.
    pub direct: bool,
}

/// The failures of one engine.
#[derive(Debug)]
pub struct Faults {
    on_error: OnError,
    first: Option<Fault>,
}

impl Faults {
    /// None yet.
    pub fn new(on_error: OnError) -> Faults {
        Faults { on_error, first: None }
    }

    /// Takes one in.
    #[cold]
    pub fn take(&mut self, targets: &Targets, io: Io, failure: Failure) {
        if self.first.is_none() {
            let path = targets.path_of(io.target, io.offset).to_path_buf();
            self.first = Some(Fault { io, path, failure, direct: targets.how().direct });
        }
    }

    /// The first that there was.
    pub fn first(&self) -> Option<&Fault> {
        self.first.as_ref()
    }

    /// Result for the run loop.
    ///
    /// # Errors
    /// Returns the error that ends the run.
    #[inline]
    pub fn verdict(&self) -> Result<(), EngineError> {
        match &self.first {
            Some(fault) if self.on_error == OnError::Stop => Err(EngineError { why: fault.to_string() }),
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Io { op, offset, len, .. } = self.io;
        write!(f, "{}: a {}", self.path.display(), op.name())?;
        if len > 0 {
            write!(f, " of {len} B at {offset}")?;
        }
        match self.failure {
            Failure::Errno(number) => {
                let error = io::Error::from_raw_os_error(number);
                write!(f, " failed: {error}")?;
                match error.kind() {
                    io::ErrorKind::InvalidInput if self.direct => {
                        write!(
                            f,
                            ": direct I/O needs a block size that the device supports; make --block a multiple of its sector size"
                        )
                    }
                    io::ErrorKind::StorageFull => write!(f, ": free some space, or make --size smaller"),
                    io::ErrorKind::Unsupported => write!(f, ": the target does not support this operation"),
                    _ => Ok(()),
                }
            }
            Failure::Short { moved } => {
                write!(f, " moved {moved} B: the target may have become smaller during the run")
            }
        }
    }
}
