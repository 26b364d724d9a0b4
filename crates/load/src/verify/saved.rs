use std::fmt;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use iobound_machine::open::{Access, resolve};
use iobound_units::Bytes;
use serde::{Deserialize, Serialize};

use super::ledger::{Layout, Ledger};

/// The first line of the file.
const MAGIC: &[u8] = b"iobound.verify/1\n";

/// A longer header is not valid.
const LONGEST_HEADER: u32 = 1 << 20;

/// A ledger with what it is about, so that another process, after a restart of the machine, can ask the targets
/// for what was acknowledged.
///
/// In the file: a first line, the length of the header (4 bytes), the header as JSON, 8 bytes a unit in the order
/// of the targets, CRC-32C of all that; little endian.
pub struct Saved {
    /// The run whose stamps are on the targets.
    pub run: u64,
    /// The targets, in the order of their numbers.
    pub targets: Vec<PathBuf>,
    /// Permitted content.
    pub ledger: Ledger,
}

#[derive(Serialize, Deserialize)]
struct Header {
    run: u64,
    /// No write was in flight, and none followed.
    complete: bool,
    targets: Vec<SavedTarget>,
}

#[derive(Serialize, Deserialize)]
struct SavedTarget {
    path: PathBuf,
    size_bytes: u64,
    unit_bytes: u32,
}

/// A saved ledger that can't be read.
#[derive(Debug)]
pub enum SavedError {
    /// The file can't be read.
    Io(io::Error),
    /// It is not what was written.
    Malformed(&'static str),
    /// It is of more units than memory is allowed.
    TooLarge(super::TooLarge),
}

impl fmt::Display for SavedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SavedError::Io(error) => write!(f, "{error}"),
            SavedError::Malformed(what) => {
                write!(f, "not a complete verify state of this program: {what}; write and save it again")
            }
            SavedError::TooLarge(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for SavedError {}

impl From<io::Error> for SavedError {
    fn from(error: io::Error) -> SavedError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => SavedError::Malformed("it ends too early"),
            _ => SavedError::Io(error),
        }
    }
}

/// Stream of reads or writes, with its checksum so far.
struct Summed<T> {
    inner: T,
    crc: u32,
}

impl<W: Write> Summed<W> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc = crc32c::crc32c_append(self.crc, bytes);
        self.inner.write_all(bytes)
    }
}

impl<R: Read> Summed<R> {
    fn take(&mut self, bytes: &mut [u8]) -> io::Result<()> {
        self.inner.read_exact(bytes)?;
        self.crc = crc32c::crc32c_append(self.crc, bytes);
        Ok(())
    }
}

impl Saved {
    /// Writes the present ledger. `complete`: the run is over and every write has completed. A ledger that is saved
    /// during writes has the acknowledgements up to now.
    ///
    /// # Errors
    /// Returns the error of the writer.
    pub fn write(
        run: u64,
        targets: &[PathBuf],
        ledger: &Ledger,
        complete: bool,
        to: impl Write,
    ) -> io::Result<()> {
        let complete = complete && ledger.settled() && !ledger.open_ended();
        let targets = targets
            .iter()
            .zip(ledger.layouts())
            .map(|(path, layout)| SavedTarget {
                path: path.clone(),
                size_bytes: layout.size.get(),
                unit_bytes: layout.unit,
            })
            .collect();
        let header = serde_json::to_vec(&Header { run, complete, targets })?;
        let mut out = Summed { inner: io::BufWriter::new(to), crc: 0 };
        out.put(MAGIC)?;
        out.put(&(header.len() as u32).to_le_bytes())?;
        out.put(&header)?;
        for state in ledger.states() {
            out.put(&state.0.to_le_bytes())?;
        }
        let crc = out.crc.to_le_bytes();
        out.inner.write_all(&crc)?;
        out.inner.flush()
    }

    /// Writes it to a file, whole or not at all: beside the path first, then in its place, and durable.
    ///
    /// # Errors
    /// Returns the error of the file system.
    pub fn write_file(
        run: u64,
        targets: &[PathBuf],
        ledger: &Ledger,
        complete: bool,
        path: &Path,
    ) -> io::Result<()> {
        let found = resolve(path)?;
        let (directory, name) = (&found.directory, found.name.as_os_str());
        let old = directory.replaceable(name)?;
        if old.is_some() {
            let mut magic = [0; MAGIC.len()];
            let mut there = directory.open_existing(name, Access::READ)?;
            if there.metadata()?.len() > 0 && (there.read_exact(&mut magic).is_err() || magic != MAGIC) {
                let why = format!("{} exists, and is not a verify state of this program", path.display());
                return Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
            }
        }
        let mut new = directory.temporary(0o666)?;
        Saved::write(run, targets, ledger, complete, new.file())?;
        new.commit(name, old)
    }

    /// Reads a ledger of at most `limit` of memory. Writes that were in flight when it was saved are unknown.
    ///
    /// # Errors
    /// Returns the error of the reader; also an error if the data is not a saved ledger, is truncated, or is too large.
    pub fn read(from: impl Read, limit: Bytes) -> Result<Saved, SavedError> {
        let mut source = Summed { inner: io::BufReader::new(from), crc: 0 };
        let mut magic = [0; MAGIC.len()];
        source.take(&mut magic)?;
        if magic != MAGIC {
            return Err(SavedError::Malformed("its first line is another"));
        }
        let mut length = [0; 4];
        source.take(&mut length)?;
        let length = u32::from_le_bytes(length);
        if length > LONGEST_HEADER {
            return Err(SavedError::Malformed("its header is too long"));
        }
        let mut header = vec![0; length as usize];
        source.take(&mut header)?;
        let header: Header =
            serde_json::from_slice(&header).map_err(|_| SavedError::Malformed("its header is incomplete"))?;
        let layouts: Vec<Layout> = header
            .targets
            .iter()
            .map(|target| Layout { size: Bytes(target.size_bytes), unit: target.unit_bytes })
            .collect();
        if layouts.iter().any(|layout| layout.unit == 0 || !layout.unit.is_multiple_of(512)) {
            return Err(SavedError::Malformed("its block size is not a multiple of 512 bytes"));
        }
        let units = layouts.iter().map(|layout| u128::from(layout.size.get() / u64::from(layout.unit)));
        let units = u64::try_from(units.sum::<u128>()).unwrap_or(u64::MAX);
        let needed = Bytes(units.saturating_mul(8));
        if needed > limit {
            return Err(SavedError::TooLarge(super::TooLarge { needed, limit, units }));
        }
        let mut states = Vec::new();
        for _ in 0..units {
            let mut state = [0; 8];
            source.take(&mut state)?;
            states.push(u64::from_le_bytes(state));
        }
        let (computed, mut crc) = (source.crc, [0; 4]);
        source.inner.read_exact(&mut crc)?;
        if u32::from_le_bytes(crc) != computed {
            return Err(SavedError::Malformed("its checksum does not match its content"));
        }
        let ledger = Ledger::taken_up(&layouts, states.into_iter(), !header.complete);
        let targets = header.targets.into_iter().map(|target| target.path).collect();
        Ok(Saved { run: header.run, targets, ledger })
    }
}
