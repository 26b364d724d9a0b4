"""Live views on a terminal: of any size, changed while they run, ended by Ctrl-C; what is left is what was there before."""

import codecs
import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time

from common import DONE, INTERRUPTED, MIB, PROGRAM, Failed, check, folder, iobound, say
from screen import Screen

ABOVE = "what was there before"
# What is said on standard error beside a live view, and stays.
STAYS = (ABOVE, "note:", "warning:", "error:", "help:", "^C")


class Terminal:
    """The program on a terminal of its own, its answer apart."""

    def __init__(self, here, words, columns, rows, term="xterm"):
        self.words, self.raw = words, ""
        self.master, slave = pty.openpty()
        self.slave = slave
        self.screen = Screen(columns, rows)
        self.screen.feed(f"{ABOVE}\r\n")
        self.set_size(columns, rows)
        self.modes = termios.tcgetattr(slave)
        self.decode = codecs.getincrementaldecoder("utf-8")()
        environment = {**os.environ, "TERM": term, "LC_ALL": "C.UTF-8", "IOBOUND_BUSY_OK": "true"}
        for name in ("NO_COLOR", "COLUMNS", "LINES"):
            environment.pop(name, None)

        def own_terminal():
            os.setsid()
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

        self.out = open(f"{here}/terminal.out", "w+b")
        self.process = subprocess.Popen(
            [PROGRAM, *map(str, words)], stdin=slave, stdout=self.out, stderr=slave, env=environment, preexec_fn=own_terminal
        )

    def set_size(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def resize(self, columns, rows):
        """Between two screens, as a person's hand is never faster."""
        self.settle()
        self.screen.resize(columns, rows)
        self.set_size(columns, rows)

    def read(self, within):
        """Takes what comes within so many seconds; whether anything came."""
        if not select.select([self.master], [], [], within)[0]:
            return False
        text = self.decode.decode(os.read(self.master, 65536))
        self.raw += text
        self.screen.feed(text)
        return True

    def settle(self):
        """Until nothing has come for a moment."""
        while self.read(0.15):
            pass

    def live(self):
        """The lines of the screen that are neither older than the program nor notes. A folded note goes on with an indent of six."""
        live, stays = [], False
        for line in self.screen.lines():
            stays = line.startswith(STAYS) or (stays and line.startswith("      "))
            if not stays:
                live.append(line)
        return live

    def frames(self, count, within=30):
        """Waits for so many screens more, and looks at each."""
        end = time.monotonic() + within
        for _ in range(count):
            while not self.read(0.5):
                check(self.process.poll() is None and time.monotonic() < end, f"{self.words}: no live view: {self.raw!r}")
            self.settle()
            for line in self.screen.shown():
                check(len(line) <= self.screen.columns, f"{self.words}: a line of {len(line)}")
            check(not self.screen.hidden or self.process.poll() is None, f"{self.words}: the cursor is hidden")

    def until_live(self, within=40):
        """Waits until something is shown that does not stay."""
        end = time.monotonic() + within
        while not self.live():
            self.read(0.5)
            ended = self.process.poll() is not None
            check(not ended and time.monotonic() < end, f"{self.words}: no live view: {self.raw!r}")
        self.settle()
        return self.live()

    def interrupt(self):
        os.write(self.master, b"\x03")

    def end(self, code, whole=True):
        """Waits for its end: the code, the terminal as it was, and nothing of the live view on it."""
        end = time.monotonic() + 60
        while self.process.poll() is None:
            self.read(0.1)
            if time.monotonic() > end:
                self.process.kill()
                self.process.wait()
                raise Failed(f"{self.words}: did not end: {self.raw[-500:]!r}")
        self.settle()
        check(self.process.returncode == code, f"{self.words}: ended with {self.process.returncode}: {self.screen.lines()}")
        check(termios.tcgetattr(self.slave) == self.modes, f"{self.words}: the terminal's modes are not what they were")
        check(not self.screen.hidden, f"{self.words}: the cursor stays hidden")
        if whole:
            check(self.screen.lines()[0] == ABOVE, f"{self.words}: what was there before is gone: {self.screen.lines()}")
            check(self.live() == [], f"{self.words}: left on the terminal: {self.live()}")
        self.out.seek(0)
        answer = self.out.read().decode()
        check("\x1b" not in answer, f"{self.words}: the answer, which goes to a file, has sequences of a terminal")
        os.close(self.master)
        os.close(self.slave)
        self.out.close()
        return answer


def cases(here):
    """Each verb with a live view: its words for a run that goes on until it is ended, and the code of an end by Ctrl-C."""
    run = ("run", f"{here}/file", "--random", "--block", "4KiB", "--depth", 4, "--duration", "60s", "--size", "16MiB")
    emulate = ("emulate", "--vm", "DS14", "--disk", "2xP30:readonly", "--nbd", f"unix:{here}/nbd.sock", "--duration", "60s")
    return {
        "run": (run, INTERRUPTED),
        "emulate": (emulate, DONE),
        "watch": (("watch",), DONE),
        "lab": (("lab", "--live", "--only", "E6", "--duration", "30s"), INTERRUPTED),
    }


def sized(here, name, words, code):
    """Narrow, low, both, and of a common size; ended by Ctrl-C."""
    seen = []
    for columns, rows in ((80, 24), (30, 24), (80, 5), (20, 3)):
        terminal = Terminal(here, words, columns, rows)
        live = terminal.until_live()
        terminal.frames(2)
        live = terminal.live()
        check(len(live) < rows or rows > 20, f"{name}: {len(live)} lines on a terminal of {rows}: {live}")
        check(all(len(line) <= columns for line in live), f"{name}: wider than {columns}: {live}")
        seen.append(len(live))
        terminal.interrupt()
        terminal.end(code)
    return f"{name}: {seen} lines on 80x24, 30x24, 80x5 and 20x3, and none after Ctrl-C"


def resized(here, name, words, code):
    """Made wider, narrower, lower and higher while it runs: each time the next screen takes the place of the last."""
    terminal = Terminal(here, words, 80, 24)
    terminal.until_live()
    # High enough for what its lines become when they are broken: what leaves a terminal at the top nobody can take back.
    for columns, rows in ((100, 30), (40, 40), (30, 44), (90, 24)):
        terminal.resize(columns, rows)
        terminal.frames(2)
        live = terminal.live()
        check(len(set(live)) == len(live) or name == "lab", f"{name}: a screen twice, at {columns}x{rows}: {live}")
        check(len(live) < rows, f"{name}: {len(live)} lines at {columns}x{rows}: {live}")
    terminal.interrupt()
    terminal.end(code)
    return f"{name}: resized four times while it ran, and nothing left"


def dumb(here, name, words, code):
    """A terminal that can't move its cursor has a line for each second in which there is something to say."""
    terminal = Terminal(here, words, 80, 24, term="dumb")
    if name == "emulate":
        # Nobody uses it: it has nothing to say, for two seconds at least.
        end = time.monotonic() + 3
        while time.monotonic() < end:
            terminal.read(0.2)
    else:
        terminal.until_live()
        terminal.frames(2)
    check("\x1b" not in terminal.raw, f"{name}: sequences on a dumb terminal: {terminal.raw!r}")
    terminal.interrupt()
    terminal.end(code, whole=False)
    check("\x1b" not in terminal.raw, f"{name}: sequences on a dumb terminal: {terminal.raw!r}")
    return f"{name}: TERM=dumb has lines"


def part():
    with folder(64 * MIB) as here:
        # Written once, so that no run has to.
        iobound("run", f"{here}/file", "--size", "16MiB", "--duration", "1s", "--block", "64KiB")
        for name, (words, code) in cases(here).items():
            for scene in (sized, resized, dumb):
                say(scene(here, name, words, code))
