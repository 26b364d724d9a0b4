"""A file system that shows a folder as sshfs does, with inode numbers of its own at each lookup: FOLDER MOUNTPOINT."""

import errno
import os
import sys

import fusepy as fuse


class Mirror(fuse.Operations):
    """Everything is passed on to the folder; extended attributes there are none."""

    def __init__(self, root):
        self.root = root

    def at(self, path):
        return self.root + path

    def getattr(self, path, fh=None):
        facts = os.lstat(self.at(path))
        names = ("st_mode", "st_nlink", "st_size", "st_blocks", "st_uid", "st_gid", "st_mtime", "st_ctime", "st_atime")
        return {name: getattr(facts, name) for name in names}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(self.at(path))]

    def open(self, path, flags):
        return os.open(self.at(path), flags & ~os.O_DIRECT)

    def create(self, path, mode, fi=None):
        return os.open(self.at(path), os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def truncate(self, path, length, fh=None):
        os.truncate(self.at(path), length)

    def fsync(self, path, datasync, fh):
        os.fsync(fh)

    def release(self, path, fh):
        os.close(fh)

    def unlink(self, path):
        os.unlink(self.at(path))

    def rename(self, old, new):
        os.rename(self.at(old), self.at(new))

    def statfs(self, path):
        facts = os.statvfs(self.root)
        return {name: getattr(facts, name) for name in ("f_bsize", "f_frsize", "f_blocks", "f_bfree", "f_bavail", "f_files", "f_ffree", "f_namemax")}

    def getxattr(self, path, name, position=0):
        raise fuse.FuseOSError(errno.ENOTSUP)

    def setxattr(self, path, name, value, options, position=0):
        raise fuse.FuseOSError(errno.ENOTSUP)


fuse.FUSE(Mirror(sys.argv[1]), sys.argv[2], foreground=True, nothreads=True)
