"""Servers of benchmarks: they are waited for, and end with their context."""

import contextlib
import signal
import subprocess
import sys
import time


def wait_for(holds, process, what):
    """Waits until a server is ready."""
    end = time.monotonic() + 60
    while not holds():
        if process.poll() is not None or time.monotonic() > end:
            sys.exit(f"{sys.argv[0]}: {what} is not ready ({process.poll()})")
        time.sleep(0.01)


@contextlib.contextmanager
def running(words, out):
    """A process that is ended with SIGINT, with its output in a file."""
    with open(out, "wb") as file:
        process = subprocess.Popen(list(map(str, words)), stdout=file)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def has_line(path):
    """Whether a file has a whole line."""
    with open(path, "rb") as file:
        return b"\n" in file.read()
