//! The directory as the kernel sees it: one file for each export.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use fuser::{
    BsdFileFlags, Errno, FileAttr, FileHandle, FileType, Filesystem, FopenFlags, Generation, INodeNo,
    InitFlags, KernelConfig, LockOwner, OpenFlags, RenameFlags, ReplyAttr, ReplyCreate, ReplyData,
    ReplyDirectory, ReplyEmpty, ReplyEntry, ReplyOpen, ReplyStatfs, ReplyWrite, Request, TimeOrNow,
    WriteFlags,
};
use rustix::fs::{FallocateFlags, OFlags};

use super::server::{Access, FuseServer};
use crate::export::{Export, ExportId};

/// Names and sizes do not change, so the kernel need not ask again. It asks again for the times that a write changes.
const FOR_LONG: Duration = Duration::from_secs(3600);
/// Number of requests that the kernel sends ahead of their replies, of those that nobody sleeps for: asynchronous I/O.
const MAX_BACKGROUND: u16 = 16 * 1024;
/// Limit of one request; the kernel splits larger ones. Its own limit is 256 pages, unless
/// `fs.fuse.max_pages_limit` was raised.
const MAX_WRITE: u32 = 1 << 20;
/// Block size that `stat` and `statfs` report: a page.
const BLOCK: u32 = 4096;
/// The inode of the first export; the directory's is 1.
const FIRST: u64 = 2;

fn ino_of(n: usize) -> INodeNo {
    INodeNo(FIRST + n as u64)
}

/// The export of an inode, which need not be there.
fn export_of(ino: INodeNo) -> Option<ExportId> {
    ino.0.checked_sub(FIRST).and_then(|n| u16::try_from(n).ok()).map(ExportId)
}

fn has(flags: OpenFlags, flag: OFlags) -> bool {
    OFlags::from_bits_retain(flags.0 as u32).contains(flag)
}

pub(super) struct Files {
    server: Arc<FuseServer>,
    /// Owner of the files: the user who started the program.
    uid: u32,
    gid: u32,
    since: SystemTime,
}

impl Files {
    pub(super) fn new(server: FuseServer) -> Files {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        Files { server: Arc::new(server), uid, gid, since: SystemTime::now() }
    }

    fn attr(&self, ino: INodeNo, kind: FileType, perm: u16, size: u64) -> FileAttr {
        FileAttr {
            ino,
            size,
            blocks: size / 512,
            atime: self.since,
            mtime: self.since,
            ctime: self.since,
            crtime: self.since,
            kind,
            perm,
            nlink: 1,
            uid: self.uid,
            gid: self.gid,
            rdev: 0,
            blksize: BLOCK,
            flags: 0,
        }
    }

    fn of_export(&self, n: usize, export: &Export) -> FileAttr {
        self.attr(ino_of(n), FileType::RegularFile, 0o600, export.size.get())
    }

    fn attr_of(&self, ino: INodeNo) -> Option<FileAttr> {
        if ino == INodeNo::ROOT {
            return Some(self.attr(ino, FileType::Directory, 0o500, 0));
        }
        let n = usize::from(export_of(ino)?.0);
        self.server.shared().lock().exports().get(n).map(|export| self.of_export(n, export))
    }
}

/// Mode in which a request uses its file, and the durability of its writes.
fn usage(flags: OpenFlags) -> (Access, bool) {
    let access = if has(flags, OFlags::DIRECT) { Access::Direct } else { Access::Buffered };
    // O_SYNC contains the bit of O_DSYNC, and the kernel sets both also for one write that is to be durable (RWF_DSYNC).
    (access, has(flags, OFlags::DSYNC))
}

impl Filesystem for Files {
    fn init(&mut self, _: &Request, config: &mut KernelConfig) -> io::Result<()> {
        for wanted in [
            InitFlags::FUSE_ASYNC_DIO,
            InitFlags::FUSE_PARALLEL_DIROPS,
            InitFlags::FUSE_MAX_PAGES,
            // No file has such bits: the kernel need not look for them at each write.
            InitFlags::FUSE_HANDLE_KILLPRIV_V2,
        ] {
            // An older kernel does without, and is slower.
            let _ = config.add_capabilities(wanted);
        }
        let took = (
            config.set_max_background(MAX_BACKGROUND),
            config.set_congestion_threshold(MAX_BACKGROUND),
            config.set_max_write(MAX_WRITE),
        );
        assert!(matches!(took, (Ok(_), Ok(_), Ok(_))), "constants within the library's bounds: {took:?}");
        Ok(())
    }

    fn lookup(&self, _: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let emulator = self.server.shared().lock();
        let found = name.to_str().filter(|_| parent == INodeNo::ROOT).and_then(|name| emulator.export(name));
        let attr = found.map(|id| self.of_export(usize::from(id.0), &emulator.exports()[usize::from(id.0)]));
        drop(emulator);
        match attr {
            Some(attr) => reply.entry(&FOR_LONG, &attr, Generation(0)),
            None => reply.error(Errno::ENOENT),
        }
    }

    fn getattr(&self, _: &Request, ino: INodeNo, _: Option<FileHandle>, reply: ReplyAttr) {
        match self.attr_of(ino) {
            // The directory's are asked for each time: it is by this that a mount whose server was killed shows.
            Some(attr) if ino == INodeNo::ROOT => reply.attr(&Duration::ZERO, &attr),
            Some(attr) => reply.attr(&FOR_LONG, &attr),
            None => reply.error(Errno::ENOENT),
        }
    }

    /// Times are accepted and forgotten. A size of zero, which every `cp` and `dd` sets when it opens a file to write,
    /// leaves the file unchanged, like a disk; the reply says so. Other sizes, owners and modes are refused.
    fn setattr(
        &self,
        _: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        _: Option<TimeOrNow>,
        _: Option<TimeOrNow>,
        _: Option<SystemTime>,
        _: Option<FileHandle>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<SystemTime>,
        _: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let Some(attr) = self.attr_of(ino) else { return reply.error(Errno::ENOENT) };
        if size.is_some_and(|size| size != 0 && size != attr.size) {
            return reply.error(Errno::EINVAL);
        }
        let has_mode = mode.is_some_and(|mode| mode & 0o7777 != u32::from(attr.perm));
        if has_mode || uid.is_some_and(|uid| uid != attr.uid) || gid.is_some_and(|gid| gid != attr.gid) {
            return reply.error(Errno::EPERM);
        }
        reply.attr(&FOR_LONG, &attr);
    }

    fn open(&self, _: &Request, _: INodeNo, _: OpenFlags, reply: ReplyOpen) {
        let direct = FopenFlags::FOPEN_DIRECT_IO | FopenFlags::FOPEN_PARALLEL_DIRECT_WRITES;
        reply.opened(FileHandle(0), direct | FopenFlags::FOPEN_NOFLUSH);
    }

    fn read(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        size: u32,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match export_of(ino) {
            Some(export) => self.server.read(export, offset, size, usage(flags).0, reply),
            None => reply.error(Errno::EISDIR),
        }
    }

    fn write(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        data: &[u8],
        _: WriteFlags,
        flags: OpenFlags,
        _: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        match export_of(ino) {
            Some(export) => self.server.write(export, offset, data, usage(flags), reply),
            None => reply.error(Errno::EISDIR),
        }
    }

    /// A close: there is no withheld data to write, and a close of a disk is no flush either.
    fn flush(&self, _: &Request, _: INodeNo, _: FileHandle, _: LockOwner, reply: ReplyEmpty) {
        reply.ok();
    }

    fn fsync(&self, _: &Request, ino: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        match export_of(ino) {
            Some(export) => self.server.flush(export, reply),
            None => reply.ok(),
        }
    }

    fn fsyncdir(&self, _: &Request, _: INodeNo, _: FileHandle, _: bool, reply: ReplyEmpty) {
        reply.ok();
    }

    /// As of a block device: a hole is a trim, zeroes are written, and there is nothing to allocate.
    fn fallocate(
        &self,
        _: &Request,
        ino: INodeNo,
        _: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let Some(export) = export_of(ino) else { return reply.error(Errno::EISDIR) };
        let mode = FallocateFlags::from_bits_retain(mode as u32) - FallocateFlags::KEEP_SIZE;
        let Some(end) = offset.checked_add(length) else { return reply.error(Errno::EINVAL) };
        let is_kept = match mode {
            FallocateFlags::PUNCH_HOLE => false,
            FallocateFlags::ZERO_RANGE => true,
            _ => return reply.error(Errno::EOPNOTSUPP),
        };
        self.server.clear(export, offset..end, is_kept, reply);
    }

    fn readdir(&self, _: &Request, ino: INodeNo, _: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        if ino != INodeNo::ROOT {
            return reply.error(Errno::ENOTDIR);
        }
        let emulator = self.server.shared().lock();
        let dots = [".", ".."].map(|name| (INodeNo::ROOT, FileType::Directory, name));
        let files = emulator.exports().iter().enumerate();
        let files = files.map(|(n, export)| (ino_of(n), FileType::RegularFile, export.name.as_str()));
        let entries = dots.into_iter().chain(files).zip(1..);
        // Full: the kernel asks again, from the offset that it was told last.
        let _ = entries
            .skip(usize::try_from(offset).unwrap_or(usize::MAX))
            .any(|((ino, kind, name), next)| reply.add(ino, next, kind, name));
        drop(emulator);
        reply.ok();
    }

    fn statfs(&self, _: &Request, _: INodeNo, reply: ReplyStatfs) {
        let emulator = self.server.shared().lock();
        let bytes: u64 = emulator.blueprint().disks.iter().map(|disk| disk.size.get()).sum();
        let files = emulator.exports().len() as u64;
        drop(emulator);
        reply.statfs(bytes / u64::from(BLOCK), 0, 0, files, 0, BLOCK, 255, BLOCK);
    }

    // The blueprint decides the content of the directory. Without these replies the kernel would report an unknown call
    // instead of a refusal.

    fn create(&self, _: &Request, _: INodeNo, _: &OsStr, _: u32, _: u32, _: i32, reply: ReplyCreate) {
        reply.error(Errno::EPERM);
    }

    fn mknod(&self, _: &Request, _: INodeNo, _: &OsStr, _: u32, _: u32, _: u32, reply: ReplyEntry) {
        reply.error(Errno::EPERM);
    }

    fn mkdir(&self, _: &Request, _: INodeNo, _: &OsStr, _: u32, _: u32, reply: ReplyEntry) {
        reply.error(Errno::EPERM);
    }

    fn unlink(&self, _: &Request, _: INodeNo, _: &OsStr, reply: ReplyEmpty) {
        reply.error(Errno::EPERM);
    }

    fn rmdir(&self, _: &Request, _: INodeNo, _: &OsStr, reply: ReplyEmpty) {
        reply.error(Errno::EPERM);
    }

    fn rename(
        &self,
        _: &Request,
        _: INodeNo,
        _: &OsStr,
        _: INodeNo,
        _: &OsStr,
        _: RenameFlags,
        reply: ReplyEmpty,
    ) {
        reply.error(Errno::EPERM);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_flags_of_the_open_file_say_what_a_request_may_be_and_whether_it_is_durable() {
        // As this kernel sends them with a write, O_LARGEFILE (0x8000) and O_WRONLY among them; read off the device while a
        // file was opened so and written. A write with RWF_DSYNC to the first looks like the second, one with RWF_SYNC
        // to a direct file like the last.
        for (flags, access, is_durable) in [
            (OFlags::WRONLY, Access::Buffered, false),
            (OFlags::WRONLY | OFlags::DSYNC, Access::Buffered, true),
            (OFlags::RDWR | OFlags::DIRECT | OFlags::DSYNC, Access::Direct, true),
            (OFlags::WRONLY | OFlags::DIRECT | OFlags::SYNC, Access::Direct, true),
        ] {
            let sent = OpenFlags(flags.bits() as i32 | 0x8000);
            assert_eq!(usage(sent), (access, is_durable), "{flags:?}");
        }
    }
}
