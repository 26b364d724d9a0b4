"""A running `iobound emulate`: started, looked at, told what to do, and closed as a person closes it."""

import contextlib
import json
import os
import signal
import subprocess
import time

from common import DONE, MIB, PROGRAM, Failed, check, run


class Emulated:
    """A server that is ready, with the folder of its files."""

    def __init__(self, process, here, ready):
        self.process, self.here, self.ready, self.ended = process, here, ready, False
        self.socket = os.path.join(here, "nbd.sock")
        self.files = os.path.join(here, "disks")

    def uri(self, export):
        """Where NBD clients find an export."""
        return f"nbd+unix:///{export}?socket={self.socket}"

    def file(self, export):
        """Where FUSE has an export."""
        return os.path.join(self.files, export)

    def ctl(self, *words, ends=DONE):
        """Tells it something over its control socket."""
        return run([PROGRAM, "emulate", "ctl", "--control", f"{self.here}/ctl", *words], ends=ends)

    def resident(self):
        """The memory that it takes, in bytes."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGESIZE")

    def busy(self):
        """The processor time that it has taken, in seconds."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def descriptors(self):
        """How many files and sockets it has open."""
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def kill(self):
        """Ends it as a lack of memory does."""
        self.ended = True
        self.process.kill()
        self.process.wait()

    def close(self):
        """Ends it as Ctrl-C does; fails unless it closes cleanly and leaves nothing behind."""
        self.ended = True
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            raise Failed("iobound emulate did not end within a minute of SIGINT") from None
        check(self.process.returncode == DONE, f"iobound emulate ended with {self.process.returncode}: {self.errors()}")
        check(not os.path.exists(self.socket), "the socket is still there")
        check(not os.path.ismount(self.files), "the folder is still mounted")

    def errors(self):
        """What it printed for the person."""
        with open(f"{self.here}/emulate.err", encoding="utf-8") as file:
            return file.read()


@contextlib.contextmanager
def emulated(here, *words, fuse=False):
    """A server of the configuration that `words` say, over NBD, and over FUSE if asked; closed at the end."""
    here = os.path.abspath(here)
    words = [PROGRAM, "emulate", "--nbd", f"unix:{here}/nbd.sock", "--control", f"{here}/ctl", "--json", *words]
    if fuse:
        words += ["--fuse", f"{here}/disks"]
    with open(f"{here}/emulate.out", "wb") as out, open(f"{here}/emulate.err", "wb") as err:
        process = subprocess.Popen([str(word) for word in words], stdout=out, stderr=err)
    server = Emulated(process, here, ready_line(process, here))
    try:
        yield server
        if not server.ended:
            check(process.poll() is None, f"iobound emulate ended by itself: {process.returncode}: {server.errors()}")
            server.close()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        if fuse:
            # Of a server that was killed nothing can be asked, not even whether it is mounted.
            run(["umount", "--quiet", "--lazy", server.files], ends=None)


def ready_line(process, here):
    """The first line of a server, which says that it is ready and what it serves."""
    end = time.monotonic() + 60
    while True:
        with open(f"{here}/emulate.out", encoding="utf-8") as file:
            line = file.readline()
        if line.endswith("\n"):
            return json.loads(line)
        if process.poll() is not None:
            with open(f"{here}/emulate.err", encoding="utf-8") as file:
                raise Failed(f"{' '.join(process.args)}\nended with {process.returncode}: {file.read()}")
        check(time.monotonic() < end, "iobound emulate was not ready within a minute")
        time.sleep(0.01)


def patterned(path, size, filled):
    """A sparse file with noise at the places of `filled` (offset and length), and nothing else."""
    with open(path, "wb") as file:
        file.truncate(size)
        for offset, length in filled:
            file.seek(offset)
            file.write(os.urandom(length))


def same_bytes(one, other, what):
    """Fails unless two files have the same bytes, as far as the shorter one goes, and the rest of the longer is zero."""
    done = run(["qemu-img", "compare", "-f", "raw", "-F", "raw", one, other], ends=None, within=300)
    check(done.returncode == 0, f"{what}: {done.stdout}{done.stderr}")


# Whole pages, odd sectors, either side of a stripe's interleave, the first and the last sectors of 4 GiB.
PLACES = [
    (0, 512),
    (64 * 1024 - 512, 1024),
    (3 * MIB, 8 * MIB),
    (100 * MIB + 1536, 7 * 512),
    (2048 * MIB - 4096, 8192),
    (4096 * MIB - 3 * 512, 3 * 512),
]
