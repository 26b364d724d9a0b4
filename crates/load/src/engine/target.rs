//! What I/O is issued to: opened once, for all threads.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};

use iobound_units::{Bytes, TargetId};
use rustix::fs::{FileType, Mode, OFlags};

/// How the targets are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Some of the I/Os write, flush or discard.
    pub writes: bool,
    /// I/O goes past the page cache (`O_DIRECT`).
    pub direct: bool,
}

/// A file or a block device that is open.
#[derive(Debug)]
pub struct OpenFile {
    /// Its path as it was named.
    pub path: PathBuf,
    /// Its size.
    pub size: Bytes,
    /// Whether it is a block device.
    pub block_device: bool,
    /// Offsets, lengths and buffers of direct I/O are multiples of this.
    pub alignment: Bytes,
    file: File,
}

/// All targets of a run, by id. A target is a file or a device, or several files of one size laid end to end.
#[derive(Debug)]
pub struct Targets {
    files: Vec<OpenFile>,
    spans: Vec<Span>,
    open: Open,
}

/// Where a target's files are.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// The index of the first.
    first: usize,
    /// How many there are.
    count: usize,
    /// How long each is; `u64::MAX` where there is one, so that every offset is in it.
    part: u64,
}

/// A target that can't be opened.
#[derive(Debug)]
pub struct OpenError {
    /// Its path as it was named.
    pub path: PathBuf,
    /// What it was to be opened for.
    pub open: Open,
    /// What the system said.
    pub cause: io::Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, way) = (self.path.display(), if self.open.writes { "writing" } else { "reading" });
        write!(f, "{path} can't be opened for {way}: {}", self.cause)?;
        match self.cause.kind() {
            io::ErrorKind::PermissionDenied => write!(f, ": run as its owner or as root"),
            io::ErrorKind::InvalidInput if self.open.direct => {
                write!(
                    f,
                    ": its file system has no direct I/O; take --buffered, which measures the page cache too"
                )
            }
            io::ErrorKind::NotFound => write!(f, ": check the path"),
            _ => Ok(()),
        }
    }
}

impl std::error::Error for OpenError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.cause)
    }
}

impl Targets {
    /// Opens targets in order: the first has id 0. Each is one file or device, or several files of one size. Never
    /// creates, truncates or writes.
    ///
    /// # Errors
    /// The first that can't be opened, or is not as long as the others of its target.
    pub fn open(targets: &[Vec<PathBuf>], open: Open) -> Result<Targets, OpenError> {
        let (mut files, mut spans): (Vec<OpenFile>, Vec<Span>) = (Vec::new(), Vec::new());
        for paths in targets {
            let first = files.len();
            for path in paths {
                let failed = |cause| OpenError { path: path.clone(), open, cause };
                let file = OpenFile::open(path, open).map_err(failed)?;
                if let Some(size) = files.get(first).map(|first| first.size).filter(|size| *size != file.size)
                {
                    let cause =
                        format!("it is {} long, and the first file of its target is {size}", file.size);
                    return Err(failed(io::Error::other(cause)));
                }
                files.push(file);
            }
            let part = if paths.len() > 1 { files[first].size.get() } else { u64::MAX };
            spans.push(Span { first, count: paths.len(), part });
        }
        Ok(Targets { files, spans, open })
    }

    /// One target that is no file: a pipe answers when the test wants it to.
    #[cfg(test)]
    pub(super) fn of_pipe(reader: File) -> Targets {
        let file = OpenFile {
            path: "pipe".into(),
            size: Bytes::mib(1),
            block_device: false,
            alignment: Bytes(512),
            file: reader,
        };
        let spans = vec![Span { first: 0, count: 1, part: u64::MAX }];
        Targets { files: vec![file], spans, open: Open { writes: false, direct: false } }
    }

    /// How they were opened.
    pub fn how(&self) -> Open {
        self.open
    }

    /// How many targets there are.
    pub fn count(&self) -> usize {
        self.spans.len()
    }

    /// The files of a target, in order.
    pub fn files_of(&self, id: TargetId) -> &[OpenFile] {
        let span = self.spans[usize::from(id.0)];
        &self.files[span.first..span.first + span.count]
    }

    /// The size of a target: of all its files together.
    pub fn size_of(&self, id: TargetId) -> Bytes {
        Bytes(self.files_of(id).iter().map(|file| file.size.get()).sum())
    }

    /// All files, in the order of [`Targets::place`].
    pub fn files(&self) -> &[OpenFile] {
        &self.files
    }

    /// The index of the file that an I/O goes to, and the offset in it.
    #[inline]
    pub fn place(&self, target: TargetId, offset: u64) -> (usize, u64) {
        let span = self.spans[usize::from(target.0)];
        if span.part == u64::MAX {
            return (span.first, offset);
        }
        (span.first + (offset / span.part) as usize, offset % span.part)
    }

    /// The path of the file that an I/O goes to.
    pub fn path_of(&self, target: TargetId, offset: u64) -> &Path {
        let last = self.files.len() - 1;
        &self.files[self.place(target, offset).0.min(last)].path
    }

    /// The descriptors of all files.
    pub fn descriptors(&self) -> Vec<RawFd> {
        self.files.iter().map(|file| file.file.as_raw_fd()).collect()
    }
}

impl OpenFile {
    fn open(path: &Path, open: Open) -> io::Result<OpenFile> {
        let mut flags = OFlags::CLOEXEC | if open.writes { OFlags::RDWR } else { OFlags::RDONLY };
        flags.set(OFlags::DIRECT, open.direct);
        let file = File::from(rustix::fs::open(path, flags, Mode::empty())?);
        let stat = rustix::fs::fstat(&file)?;
        match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {
                let alignment = Bytes(direct_alignment(&file).unwrap_or(512));
                let size = Bytes(u64::try_from(stat.st_size).unwrap_or(0));
                Ok(OpenFile { path: path.into(), size, block_device: false, alignment, file })
            }
            FileType::BlockDevice => {
                let size = Bytes(rustix::fs::seek(&file, rustix::fs::SeekFrom::End(0))?);
                let alignment = Bytes(u64::from(rustix::fs::ioctl_blksszget(&file)?));
                Ok(OpenFile { path: path.into(), size, block_device: true, alignment, file })
            }
            other => Err(io::Error::other(format!("it is {}, not a file or a block device", word_of(other)))),
        }
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }
}

fn word_of(kind: FileType) -> &'static str {
    match kind {
        FileType::Directory => "a directory",
        FileType::CharacterDevice => "a character device",
        FileType::Fifo => "a pipe",
        FileType::Socket => "a socket",
        _ => "something else",
    }
}

/// What the file system asks of direct I/O (`STATX_DIOALIGN`, Linux 6.1); `None` where it does not tell.
fn direct_alignment(file: &File) -> Option<u64> {
    // SAFETY: a zeroed statx is a valid value of that plain C structure, which the kernel fills.
    let mut facts: libc::statx = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open, the path is an empty C string, and `facts` outlives the call.
    let done = unsafe {
        libc::statx(file.as_raw_fd(), c"".as_ptr(), libc::AT_EMPTY_PATH, libc::STATX_DIOALIGN, &raw mut facts)
    };
    let told = done == 0 && facts.stx_mask & libc::STATX_DIOALIGN != 0 && facts.stx_dio_offset_align > 0;
    told.then(|| u64::from(facts.stx_dio_offset_align.max(facts.stx_dio_mem_align)))
}
