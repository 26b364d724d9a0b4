"""When files were first read or written, seen from outside by the kernel's inotify: an oracle for who began when that takes
no rank's word for it.
"""

import contextlib
import ctypes
import os
import select
import struct
import threading
import time

IN_ACCESS, IN_MODIFY = 0x1, 0x2
IN_NONBLOCK = os.O_NONBLOCK
HEADER = struct.Struct("iIII")


class FirstIo:
    """Watches the files of one folder while it is entered."""

    def __init__(self, folder):
        self.folder, self.seen, self.over = folder, {}, False
        libc = ctypes.CDLL(None, use_errno=True)
        self.descriptor = libc.inotify_init1(IN_NONBLOCK)
        watch = libc.inotify_add_watch(self.descriptor, os.fsencode(folder), IN_ACCESS | IN_MODIFY)
        if self.descriptor < 0 or watch < 0:
            raise OSError(ctypes.get_errno(), "inotify", folder)
        self.thread = threading.Thread(target=self.look, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over = True
        self.thread.join()
        os.close(self.descriptor)

    def look(self):
        """Notes the time of each event, as soon as it is there."""
        # What is late here would be taken for a rank that is late.
        with contextlib.suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(2))
        while not self.over:
            if not select.select([self.descriptor], [], [], 0.1)[0]:
                continue
            now = time.monotonic()
            events, at = os.read(self.descriptor, 1 << 16), 0
            while at < len(events):
                _, _, _, length = HEADER.unpack_from(events, at)
                name = events[at + HEADER.size : at + HEADER.size + length].rstrip(b"\0").decode()
                at += HEADER.size + length
                self.seen.setdefault(name, []).append(now)

    def begun(self):
        """For each file the time of its first I/O after the longest pause, in seconds: what prepared it was before that."""
        found = {}
        for name, times in self.seen.items():
            pauses = [(later - earlier, later) for earlier, later in zip(times, times[1:])]
            first = max(pauses)[1] if pauses and max(pauses)[0] > 0.1 else times[0]
            found[name] = first
        return found
