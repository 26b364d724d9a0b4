"""A file system of one file that fails as a disk fails: FOLDER SIZE FAILS_READS_FROM FAILS_WRITES_FROM BACKING.

Reads beyond the first offset are EIO, writes beyond the second are ENOSPC, as long as the file `BACKING.failing` is
there; `-` is never. Once the file `BACKING.silent` is there, nothing is answered any more.
"""

import errno
import os
import stat
import sys
import time

import fusepy as fuse


class Disk(fuse.Operations):
    """One file, `data`."""

    def __init__(self, size, reads_from, writes_from, backing):
        self.size, self.reads_from, self.writes_from = size, reads_from, writes_from
        self.switch = f"{backing}.failing"
        self.silence = f"{backing}.silent"
        self.file = os.open(backing, os.O_RDWR | os.O_CREAT, 0o600)
        self.marks = {}

    def fails(self, end, limit):
        return limit is not None and end > limit and os.path.exists(self.switch)

    def getattr(self, path, fh=None):
        if path == "/":
            return {"st_mode": stat.S_IFDIR | 0o755, "st_nlink": 2}
        if path == "/data":
            blocks = self.size // 512
            return {"st_mode": stat.S_IFREG | 0o600, "st_nlink": 1, "st_size": self.size, "st_blocks": blocks}
        raise fuse.FuseOSError(errno.ENOENT)

    def readdir(self, path, fh):
        return [".", "..", "data"]

    def open(self, path, flags):
        return 0

    def answer(self):
        while os.path.exists(self.silence):
            time.sleep(3_600)

    def read(self, path, size, offset, fh):
        self.answer()
        if self.fails(offset + size, self.reads_from):
            raise fuse.FuseOSError(errno.EIO)
        return os.pread(self.file, size, offset).ljust(max(0, min(size, self.size - offset)), b"\0")

    def write(self, path, data, offset, fh):
        self.answer()
        if self.fails(offset + len(data), self.writes_from):
            raise fuse.FuseOSError(errno.ENOSPC)
        return os.pwrite(self.file, data, offset)

    def truncate(self, path, length, fh=None):
        if length != self.size:
            raise fuse.FuseOSError(errno.EPERM)

    def setxattr(self, path, name, value, options, position=0):
        self.marks[name] = value

    def getxattr(self, path, name, position=0):
        if name not in self.marks:
            raise fuse.FuseOSError(errno.ENODATA)
        return self.marks[name]


def main():
    folder, size, reads_from, writes_from, backing = sys.argv[1:]
    limit = lambda text: None if text == "-" else int(text)
    disk = Disk(int(size), limit(reads_from), limit(writes_from), backing)
    fuse.FUSE(disk, folder, foreground=True, nothreads=True)


main()
