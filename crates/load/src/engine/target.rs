//! What I/O is issued to: opened once, for all threads.

use std::fmt;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::path::{Path, PathBuf};

use iobound_units::{Bytes, TargetId};
use rustix::fs::{FileType, Mode, OFlags, Stat};

use crate::prepare::Identity;

/// How the targets are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// Some of the I/Os write, flush or discard.
    pub writes: bool,
    /// I/O goes past the page cache (`O_DIRECT`).
    pub direct: bool,
}

/// A target that is to be opened: one file or device, or several files of one size laid end to end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToOpen {
    /// Its files, in order.
    pub files: Vec<FileToOpen>,
    /// Some of the I/Os to it write, flush or discard: what is only read is opened for reading only.
    pub writes: bool,
}

/// A file or device that is to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileToOpen {
    /// Its path.
    pub path: PathBuf,
    /// Which one it is, where it was looked at before: no other is opened.
    pub identity: Option<Identity>,
    /// How much of it is used; all where nobody says.
    pub size: Option<Bytes>,
}

/// A file or a block device that is open.
#[derive(Debug)]
pub struct OpenFile {
    /// Its path as it was named.
    pub path: PathBuf,
    /// Its size, or how much of it is used.
    pub size: Bytes,
    /// Whether it is a block device.
    pub block_device: bool,
    /// Offsets and lengths of direct I/O are multiples of this. (Its buffers are page-aligned, which suits all.)
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
        let file = |path: &PathBuf| FileToOpen { path: path.clone(), identity: None, size: None };
        let to_open =
            |paths: &Vec<PathBuf>| ToOpen { files: paths.iter().map(file).collect(), writes: open.writes };
        let targets: Vec<ToOpen> = targets.iter().map(to_open).collect();
        Targets::open_each(&targets, open.direct)
    }

    /// Opens targets in order, each for what it is used for. A block device that is written to is taken for this
    /// program alone: not where it, a part of it or what it is a part of is mounted or in use.
    ///
    /// # Errors
    /// The first that can't be opened, is not the one that was looked at, or is not as long as the others of its
    /// target.
    pub fn open_each(targets: &[ToOpen], direct: bool) -> Result<Targets, OpenError> {
        let (mut files, mut spans): (Vec<OpenFile>, Vec<Span>) = (Vec::new(), Vec::new());
        for target in targets {
            let first = files.len();
            let open = Open { writes: target.writes, direct };
            for wanted in &target.files {
                let path = &wanted.path;
                let failed = |cause| OpenError { path: path.clone(), open, cause };
                let file = OpenFile::open(wanted, open, &files).map_err(failed)?;
                if let Some(size) = files.get(first).map(|first| first.size).filter(|size| *size != file.size)
                {
                    let cause =
                        format!("it is {} long, and the first file of its target is {size}", file.size);
                    return Err(failed(io::Error::other(cause)));
                }
                files.push(file);
            }
            let count = target.files.len();
            let part = if count > 1 { files[first].size.get() } else { u64::MAX };
            spans.push(Span { first, count, part });
        }
        let open = Open { writes: targets.iter().any(|target| target.writes), direct };
        Ok(Targets { files, spans, open })
    }

    /// One target that a test has opened: it may be no file, or ask for more than its file system does.
    #[cfg(test)]
    pub(super) fn of_one(file: File, alignment: Bytes, direct: bool) -> Targets {
        let file = OpenFile { path: "one".into(), size: Bytes::mib(1), block_device: false, alignment, file };
        let spans = vec![Span { first: 0, count: 1, part: u64::MAX }];
        Targets { files: vec![file], spans, open: Open { writes: false, direct } }
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
    fn open(wanted: &FileToOpen, open: Open, before: &[OpenFile]) -> io::Result<OpenFile> {
        let path = &wanted.path;
        let mut flags = OFlags::CLOEXEC | if open.writes { OFlags::RDWR } else { OFlags::RDONLY };
        flags.set(OFlags::DIRECT, open.direct);
        // Of what is no device, O_EXCL without O_CREAT means nothing that is defined.
        let is_device = |stat: &Stat| FileType::from_raw_mode(stat.st_mode) == FileType::BlockDevice;
        let named = rustix::fs::stat(path)?;
        flags.set(OFlags::EXCL, open.writes && is_device(&named));
        let file = match rustix::fs::open(path, flags, Mode::empty()) {
            // It may be this run that has it, as another target or by another name.
            Err(rustix::io::Errno::BUSY) => match before.iter().find(|file| file.takes(&named)) {
                Some(ours) => ours.file.try_clone()?,
                None => {
                    let why = "somebody else has it: it, a part of it or what it is a part of is mounted or in use; \
                               unmount it, or name another";
                    return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
                }
            },
            opened => File::from(opened?),
        };
        let stat = rustix::fs::fstat(&file)?;
        if wanted.identity.is_some_and(|identity| Some(identity) != Identity::of_open(&file).ok()) {
            let why = "something else has taken its place since it was looked at; start again";
            return Err(io::Error::other(why));
        }
        let (size, block_device, alignment) = match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => {
                let size = Bytes(u64::try_from(stat.st_size).unwrap_or(0));
                (size, false, Bytes(direct_alignment(&file).unwrap_or(512)))
            }
            FileType::BlockDevice => {
                let size = Bytes(rustix::fs::seek(&file, rustix::fs::SeekFrom::End(0))?);
                (size, true, Bytes(u64::from(rustix::fs::ioctl_blksszget(&file)?)))
            }
            other => {
                return Err(io::Error::other(format!(
                    "it is {}, not a file or a block device",
                    word_of(other)
                )));
            }
        };
        let used = wanted.size.unwrap_or(size);
        if used > size {
            let why = format!("it is {size} long, and {used} of it are to be used; start again");
            return Err(io::Error::other(why));
        }
        Ok(OpenFile { path: path.clone(), size: used, block_device, alignment, file })
    }

    /// Whether it is open for writing.
    pub fn writes(&self) -> bool {
        rustix::fs::fcntl_getfl(&self.file).is_ok_and(|flags| flags.contains(OFlags::RDWR))
    }

    /// Whether this is the same device, open for writing.
    fn takes(&self, stat: &Stat) -> bool {
        let own = rustix::fs::fstat(&self.file).ok();
        self.block_device && self.writes() && own.is_some_and(|own| own.st_rdev == stat.st_rdev)
    }

    /// The device that it is, or that its file system is on.
    pub(super) fn device(&self) -> Option<(bool, u64)> {
        let stat = rustix::fs::fstat(&self.file).ok()?;
        Some((self.block_device, if self.block_device { stat.st_rdev } else { stat.st_dev }))
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
    told.then(|| u64::from(facts.stx_dio_offset_align))
}
