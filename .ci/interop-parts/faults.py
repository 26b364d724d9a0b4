"""Faults: each ends the run with the exit code of its cause, and what was measured until then is kept."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time

from common import (
    BAD_INPUT,
    INTERRUPTED,
    IO_ERROR,
    MIB,
    REFUSED,
    Failed,
    check,
    end_all,
    finished,
    folder,
    iobound,
    loop_device,
    measured,
    mounted,
    run,
    say,
    start,
)

# Long enough that nothing ends by itself before it is made to.
LONG = "60s"


def until(holds, process, what):
    """Waits until something holds while a program runs."""
    end = time.monotonic() + 60
    while not holds():
        if process.poll() is not None:
            out, err = process.communicate()
            raise Failed(f"ended with {process.returncode} before {what}:\n{err or out}")
        check(time.monotonic() < end, f"{what}: not within a minute")
        time.sleep(0.005)


def kept(out, what):
    """The result that a run printed although it did not complete."""
    check(out.strip(), f"{what}: no result was printed")
    result = json.loads(out)
    check(result["iops"] > 0, f"{what}: the result kept has no I/Os")
    return result


def lines_of(path):
    """How many whole lines a file has."""
    if not os.path.exists(path):
        return 0
    with open(path, "rb") as file:
        return file.read().count(b"\n")


def going(target, here, *words):
    """A run that is on: its first intervals are written."""
    series = os.path.join(here, "series.ndjson")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(series)
    process = start("run", target, "--duration", LONG, "--interval", "100ms", "--ndjson", series, "--json", *words)
    until(lambda: lines_of(series) >= 3, process, f"the run on {target} was on")
    return process


@contextlib.contextmanager
def failing_disk(here, reads_from="-", writes_from="-"):
    """The path of a file on a file system that fails from an offset on, the switch (while it is there), the server."""
    at = os.path.join(here, "failing")
    backing = os.path.join(here, "backing")
    switch = f"{backing}.failing"
    os.makedirs(at, exist_ok=True)
    script = os.path.join(os.path.dirname(__file__), "failing_disk.py")
    words = [sys.executable, script, at, 32 * MIB, reads_from, writes_from, backing]
    server = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        until(lambda: os.path.exists(os.path.join(at, "data")), server, "the failing file system was mounted")
        yield os.path.join(at, "data"), switch, server
    finally:
        # First of all: who waits for an answer does not end before it is sure that there will be none.
        server.kill()
        server.communicate()
        end_all()
        # Whoever still looks at it (an indexer, a monitor) must not keep it.
        run(["umount", "--lazy", at], ends=None)
        for file in (switch, f"{backing}.silent"):
            with contextlib.suppress(FileNotFoundError):
                os.unlink(file)


def touch(path):
    with open(path, "w", encoding="ascii"):
        pass


def eio(here):
    with failing_disk(here, reads_from=24 * MIB) as (file, switch, _):
        process = going(file, here, "--random")
        touch(switch)
        out, err = finished(process, IO_ERROR)
        kept(out, "EIO")
        check("Input/output error" in err, f"the cause is not named: {err}")
        check(file in err, f"the target is not named: {err}")
        # A disk that fails from the beginning is told before the run.
        done = iobound("run", file, "--random", "--duration", "1s", ends=IO_ERROR)
        check("Input/output error" in done.stderr and file in done.stderr, f"the cause is not named: {done.stderr}")
        os.unlink(switch)
        process = going(file, here, "--random", "--on-error", "continue")
        touch(switch)
        lines = lines_of(os.path.join(here, "series.ndjson"))
        until(lambda: lines_of(os.path.join(here, "series.ndjson")) > lines + 2, process, "it went on after errors")
        process.send_signal(signal.SIGINT)
        errors = kept(finished(process, INTERRUPTED)[0], "EIO")["read"]["errors"]
        check(errors > 0, "--on-error continue counted no errors")
    return f"EIO: exit {IO_ERROR}, result kept; with --on-error continue it goes on, {errors} errors counted"


def enospc(here):
    small = os.path.join(here, "small")
    with open(small, "wb") as file:
        file.truncate(32 * MIB)
    run(["mkfs.ext4", "-q", small])
    with loop_device(small) as device, mounted(device, os.path.join(here, "mnt")) as at:
        file = os.path.join(at, "data")
        done = iobound("run", file, "--size", "64MiB", "--duration", "1s", ends=None)
        check(done.returncode in (BAD_INPUT, REFUSED, IO_ERROR), f"no room ended with {done.returncode}")
        check(not os.path.exists(file), "no room, and yet the file was begun")
        check("free" in done.stderr, f"the room is not named: {done.stderr}")
        before = done.returncode
    with failing_disk(here, writes_from=16 * MIB) as (file, switch, _):
        process = going(file, here, "--random", "--read", "0%", "--overwrite", file)
        touch(switch)
        out, err = finished(process, IO_ERROR)
        kept(out, "ENOSPC")
        check("No space left" in err and file in err, f"the cause is not named: {err}")
    return f"no room: exit {before} before a byte is written; ENOSPC while running: exit {IO_ERROR}, result kept"


def vanishing(here):
    file = os.path.join(here, "vanishing")
    process = going(file, here, "--size", "64MiB", "--random")
    os.truncate(file, 4096)
    out, err = finished(process, IO_ERROR)
    kept(out, "truncated")
    check(file in err, f"truncated: the target is not named: {err}")
    os.unlink(file)
    # A file that is open stays until it is closed: its run goes on.
    process = going(file, here, "--size", "64MiB", "--random")
    os.unlink(file)
    process.send_signal(signal.SIGINT)
    kept(finished(process, INTERRUPTED)[0], "removed")
    # A device whose disk went away.
    with open(file, "wb") as made:
        made.truncate(64 * MIB)
    with loop_device(file) as device:
        process = going(device, here, "--random")
        os.truncate(file, 0)
        out, err = finished(process, IO_ERROR)
        kept(out, "device")
        check(device in err, f"device: the target is not named: {err}")
    os.unlink(file)
    return f"truncated file, device without its disk: exit {IO_ERROR}, result kept; removed file: the run goes on"


def silent(here):
    """A server that answers nothing any more, once its file system is read by a way of issuing I/O at a depth."""
    said = []
    for engine, depth in (("sync", 1), ("sync", 4), ("libaio", 4), ("io_uring", 1), ("io_uring", 8)):
        with failing_disk(here) as (file, _, server):
            series = os.path.join(here, "series.ndjson")
            words = ["--random", "--engine", engine, "--depth", depth, "--duration", "2s", "--interval", "100ms"]
            with contextlib.suppress(FileNotFoundError):
                os.unlink(series)
            process = start("run", file, *words, "--json", "--ndjson", series)
            until(lambda: lines_of(series) >= 5, process, "the run was on")
            touch(os.path.join(here, "backing.silent"))
            # The output ends although the kernel may keep the program: a call that waits for an answer can't be left.
            out, err = read_to_end(process, within=30)
            result = kept(out, f"silent, {engine}")
            check("hangs" in err and "thread" in err, f"silent, {engine}: what is missing is not said: {err}")
            series = sum(point["iops"] * (point["end_s"] - point["start_s"]) for point in result["series"])
            share = series / result["read"]["ios"]
            check(0.999 < share < 1.001, f"silent, {engine}: the series has {share:.4f} of the I/Os")
            server.kill()
            check(process.wait(timeout=30) == IO_ERROR, f"silent, {engine}: ended with {process.returncode}")
            said.append(f"{engine} at {depth}")
    return f"a target that stops answering ({', '.join(said)}): exit {IO_ERROR}, result kept"


def read_to_end(process, within):
    """What a program prints until it closes its output, be it ended or not."""
    got = {}

    def read(name):
        got[name] = getattr(process, name).read()

    readers = [threading.Thread(target=read, args=(name,), daemon=True) for name in ("stdout", "stderr")]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(within)
        check(not reader.is_alive(), f"{' '.join(process.args)}\ndid not end its output within {within} s")
    return got["stdout"], got["stderr"]


def server_killed(here):
    with failing_disk(here) as (file, _, server):
        process = going(file, here, "--random", "--depth", "4")
        server.kill()
        out, err = finished(process, IO_ERROR)
        kept(out, "killed server")
        check(file in err, f"killed server: the target is not named: {err}")
    return f"a target whose server is killed: exit {IO_ERROR}, result kept"


def signals_in_the_run(here):
    file = os.path.join(here, "signalled")
    words = ["--size", "64MiB", "--random", "--read", "70%"]
    for number in (signal.SIGINT, signal.SIGTERM):
        process = going(file, here, *words)
        process.send_signal(number)
        kept(finished(process, INTERRUPTED)[0], number.name)
    process = going(file, here, *words)
    process.send_signal(signal.SIGKILL)
    finished(process, -signal.SIGKILL)
    # What a killed run leaves is its own file still, and the series as far as it came.
    check(lines_of(os.path.join(here, "series.ndjson")) >= 3, "SIGKILL: the series is gone")
    check(measured(file, *words, "--duration", "500ms")["iops"] > 0, "after SIGKILL: a second run does nothing")
    os.unlink(file)
    return f"SIGINT, SIGTERM in the run: exit {INTERRUPTED}, result kept; SIGKILL: the series kept, a second run goes on"


def signals_in_preparation(here):
    file = os.path.join(here, "prepared")
    size = 1024 * MIB

    def blocks():
        return os.stat(file).st_blocks * 512 if os.path.exists(file) else 0

    for number, ends in ((signal.SIGINT, INTERRUPTED), (signal.SIGTERM, INTERRUPTED), (signal.SIGKILL, -signal.SIGKILL)):
        process = start("run", file, "--size", f"{size}B", "--duration", "200ms", "--json")
        until(lambda: blocks() >= 16 * MIB, process, "the preparation was on")
        process.send_signal(number)
        finished(process, ends)
        done = iobound("run", file, "--size", f"{size}B", "--duration", "200ms", "--json")
        result = json.loads(done.stdout)
        check(result["iops"] > 0, f"{number.name}: the second run does nothing")
        check(blocks() >= size, f"{number.name}: the second run left holes: {blocks()} of {size} bytes")
        os.unlink(file)
    return f"SIGINT, SIGTERM in preparation: exit {INTERRUPTED}; SIGKILL too: a second run finishes the file and runs"


def part():
    # The largest is the file whose preparation is interrupted.
    with folder(1200 * MIB) as here:
        for fault in (eio, enospc, vanishing, silent, server_killed, signals_in_the_run, signals_in_preparation):
            say(fault(here))
