//! Targets of the I/O: opened once, for all threads.

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use iobound_machine::block::Geometry;
use iobound_machine::files::direct_alignment;
use iobound_machine::open::{Access, Facts, FileKind};
use iobound_units::{Bytes, TargetId};

use crate::prepare::Handle;

/// Open mode of the targets.
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
    /// Its I/O goes through the page cache, whatever the others' does.
    pub buffered: bool,
}

/// A file or device that is to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileToOpen {
    /// Its path, for messages.
    pub path: PathBuf,
    /// The open file of preparation: no other is opened. Without one the path is opened.
    pub handle: Option<Handle>,
    /// Used size; all by default.
    pub size: Option<Bytes>,
}

/// A file or a block device that is open.
#[derive(Debug)]
pub struct OpenFile {
    /// Its path as given.
    pub path: PathBuf,
    /// Its size, or how much of it is used.
    pub size: Bytes,
    /// True if it is a block device.
    pub block_device: bool,
    /// Offsets and lengths of direct I/O are multiples of this. (Its buffers are page-aligned, which suits all.)
    pub alignment: Bytes,
    writes: bool,
    file: File,
}

/// All targets of a run, by id. A target is a file or a device, or several files of one size laid end to end.
#[derive(Debug)]
pub struct Targets {
    files: Vec<OpenFile>,
    spans: Vec<TargetFiles>,
    open: Open,
}

/// Files of a target.
#[derive(Clone, Copy, Debug)]
struct TargetFiles {
    /// The index of the first.
    first: usize,
    /// Their number.
    count: usize,
    /// Time that each is; `u64::MAX` where there is one, so that every offset is in it.
    part: u64,
    /// True if I/O to them goes past the page cache.
    direct: bool,
}

/// A target that can't be opened.
#[derive(Debug)]
pub struct OpenError {
    /// Its path as given.
    pub path: PathBuf,
    /// Requested access.
    pub open: Open,
    /// Error of the system.
    pub cause: io::Error,
}

impl fmt::Display for OpenError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (path, way) = (self.path.display(), if self.open.writes { "writing" } else { "reading" });
        write!(f, "cannot open {path} for {way}: {}", self.cause)?;
        match self.cause.kind() {
            io::ErrorKind::PermissionDenied if cfg!(windows) => write!(f, ": run in an elevated prompt"),
            io::ErrorKind::PermissionDenied => write!(f, ": run as its owner or as root"),
            io::ErrorKind::InvalidInput if self.open.direct => {
                write!(
                    f,
                    ": its file system has no direct I/O; use --buffered, which measures the page cache too"
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
    /// Returns an error for the first file that cannot be opened or differs in length from the others of its target.
    pub fn open(targets: &[Vec<PathBuf>], open: Open) -> Result<Targets, OpenError> {
        let file = |path: &PathBuf| FileToOpen { path: path.clone(), handle: None, size: None };
        let to_open = |paths: &Vec<PathBuf>| ToOpen {
            files: paths.iter().map(file).collect(),
            writes: open.writes,
            buffered: !open.direct,
        };
        let targets: Vec<ToOpen> = targets.iter().map(to_open).collect();
        Targets::open_each(&targets, open.direct)
    }

    /// Opens targets in order, each for what it is used for. A block device that is written to is taken for this
    /// program alone: not where it, a part of it or what it is a part of is mounted or in use.
    ///
    /// # Errors
    /// Returns an error for the first file that cannot be opened, is not the inspected one, or differs in length from
    /// the others of its target.
    pub fn open_each(targets: &[ToOpen], direct: bool) -> Result<Targets, OpenError> {
        let (mut files, mut spans): (Vec<OpenFile>, Vec<TargetFiles>) = (Vec::new(), Vec::new());
        for target in targets {
            let first = files.len();
            let direct = direct && !target.buffered;
            let open = Open { writes: target.writes, direct };
            for wanted in &target.files {
                let path = &wanted.path;
                let failed = |cause| OpenError { path: path.clone(), open, cause };
                let file = OpenFile::open(wanted, open, &files).map_err(failed)?;
                if let Some(size) = files.get(first).map(|first| first.size).filter(|size| *size != file.size)
                {
                    let cause =
                        format!("its size is {}, but the first file of its target has {size}", file.size);
                    return Err(failed(io::Error::other(cause)));
                }
                files.push(file);
            }
            let count = target.files.len();
            let part = if count > 1 { files[first].size.get() } else { u64::MAX };
            spans.push(TargetFiles { first, count, part, direct });
        }
        let open = Open { writes: targets.iter().any(|target| target.writes), direct };
        Ok(Targets { files, spans, open })
    }

    /// Number of targets of the null engine, which touches none: nothing is opened.
    pub fn of_nothing(count: usize) -> Targets {
        let span = TargetFiles { first: 0, count: 0, part: u64::MAX, direct: false };
        Targets { files: Vec::new(), spans: vec![span; count], open: Open { writes: false, direct: false } }
    }

    /// One target that a test has opened: it may be no file, or ask for more than its file system does.
    #[cfg(test)]
    pub(crate) fn of_one(file: File, alignment: Bytes, direct: bool) -> Targets {
        let file = OpenFile {
            path: "one".into(),
            size: Bytes::mib(1),
            block_device: false,
            alignment,
            writes: false,
            file,
        };
        let spans = vec![TargetFiles { first: 0, count: 1, part: u64::MAX, direct }];
        Targets { files: vec![file], spans, open: Open { writes: false, direct } }
    }

    /// Open mode.
    pub fn how(&self) -> Open {
        self.open
    }

    /// True if I/O to a target goes past the page cache.
    pub fn is_direct(&self, id: TargetId) -> bool {
        self.spans[usize::from(id.0)].direct
    }

    /// Number of targets.
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
        let last = self.files.len().saturating_sub(1);
        self.files.get(self.place(target, offset).0.min(last)).map_or(Path::new(""), |file| &file.path)
    }
}

impl OpenFile {
    fn open(wanted: &FileToOpen, open: Open, before: &[OpenFile]) -> io::Result<OpenFile> {
        let path = &wanted.path;
        let handle = match &wanted.handle {
            Some(handle) => handle.clone(),
            None => Handle::open(path)?,
        };
        let found = Facts::of(handle.file())?;
        // For a regular file, O_EXCL without O_CREAT is undefined.
        let exclusive = open.writes && found.kind == FileKind::BlockDevice;
        let access = Access { write: open.writes, direct: open.direct, exclusive, ..Access::READ };
        let file = match handle.reopen(access) {
            // It may be this run that has it, as another target or by another name.
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => {
                match before.iter().find(|file| file.takes(&found)) {
                    Some(ours) => ours.file.try_clone()?,
                    None => {
                        let why = "another program uses it: the device, a partition of it or its parent device is \
                                   mounted or in use; unmount it, or name another";
                        return Err(io::Error::new(io::ErrorKind::ResourceBusy, why));
                    }
                }
            }
            opened => opened?,
        };
        let found = Facts::of(&file)?;
        let (size, block_device, alignment) = match found.kind {
            FileKind::File => (Bytes(found.size), false, Bytes(direct_alignment(&file).unwrap_or(512))),
            FileKind::BlockDevice => {
                let geometry = Geometry::of(&file)?;
                (Bytes(geometry.bytes), true, Bytes(u64::from(geometry.logical_sector)))
            }
            _ => return Err(io::Error::other("it is neither a file nor a block device")),
        };
        let used = wanted.size.unwrap_or(size);
        if used > size {
            let why = format!("its size is {size}, and the run needs {used}; start again");
            return Err(io::Error::other(why));
        }
        Ok(OpenFile { path: path.clone(), size: used, block_device, alignment, writes: open.writes, file })
    }

    /// True if it is open for writing.
    pub fn writes(&self) -> bool {
        self.writes
    }

    /// True if this is the same device, open for writing.
    fn takes(&self, other: &Facts) -> bool {
        let own = Facts::of(&self.file);
        self.block_device && self.writes && own.is_ok_and(|own| own.identity == other.identity)
    }

    /// The device that it is, or that its file system is on.
    pub(crate) fn device(&self) -> Option<(bool, u64)> {
        let own = Facts::of(&self.file).ok()?;
        Some((self.block_device, if self.block_device { own.device } else { own.filesystem }))
    }

    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }
}
