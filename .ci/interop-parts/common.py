"""What the parts of .ci/interop share: running the program and fio, a folder to work in, and what fails."""

import contextlib
import json
import os
import shutil
import signal
import subprocess
import tempfile

PROGRAM = os.environ["INTEROP_PROGRAM"]
EXAMPLES = os.environ.get("INTEROP_EXAMPLES", "/usr/share/doc/fio/examples")

# fio's source, and the programs of fio-plot: the part `consumers` has them.
FIO_SOURCE = os.environ.get("INTEROP_FIO_SOURCE", "")
FIO_PLOT = os.environ.get("INTEROP_FIO_PLOT", "")

# Exit codes that scripts rely on.
DONE, BAD_INPUT, REFUSED, IO_ERROR, INTERRUPTED = 0, 2, 3, 4, 5

MIB = 1 << 20


class Failed(Exception):
    """Something that has to hold does not."""


def check(holds, says):
    """Ends the part unless `holds`."""
    if not holds:
        raise Failed(says)


def say(text):
    """A line of the report."""
    print(text, flush=True)


def run(words, ends=DONE, within=120, **options):
    """A command with its output as text; fails unless it ends with the code `ends` (None: with any)."""
    words = [str(word) for word in words]
    done = subprocess.run(words, capture_output=True, text=True, timeout=within, **options)
    if ends is not None and done.returncode != ends:
        raise Failed(
            f"{' '.join(words)}\nended with {done.returncode} and not with {ends}:\n{done.stderr or done.stdout}"
        )
    return done


def iobound(*words, ends=DONE, **options):
    """The program. Other work on the machine is no reason to refuse here: nothing that is measured is a claim."""
    options.setdefault("env", {**os.environ, "IOBOUND_BUSY_OK": "true"})
    return run([PROGRAM, *words], ends=ends, **options)


def measured(*words, ends=DONE, **options):
    """The JSON document of `iobound run`."""
    return json.loads(iobound("run", *words, "--json", ends=ends, **options).stdout)


# Programs that were started and may still run.
started = []


def start(*words):
    """The program, in the background; ended with the folder that it works in, if not before."""
    process = subprocess.Popen(
        [PROGRAM, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "IOBOUND_BUSY_OK": "true"},
    )
    started.append(process)
    return process


def finished(process, ends, within=60):
    """What a program that was started has printed; fails unless it ends with `ends`."""
    try:
        out, err = process.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.communicate()
        raise Failed(f"{' '.join(process.args)}\ndid not end within {within} s") from None
    if process.returncode != ends:
        words = " ".join(process.args)
        raise Failed(f"{words}\nended with {process.returncode} and not with {ends}:\n{err or out}")
    return out, err


@contextlib.contextmanager
def folder(needs):
    """A new folder on the disk of the build, with at least `needs` bytes free; removed at the end."""
    base = os.path.abspath("target/ci")
    os.makedirs(base, exist_ok=True)
    free = shutil.disk_usage(base).free
    # A GiB is left to others.
    needs += 1024 * MIB
    check(free > needs, f"{base} has {free / MIB:.0f} MiB free, and {needs / MIB:.0f} are needed: make room")
    path = tempfile.mkdtemp(prefix="interop-", dir=base)
    try:
        yield path
    finally:
        end_all()
        shutil.rmtree(path)


def end_all():
    """Ends what was started and still runs, so that nothing it holds open is in the way."""
    while started:
        process = started.pop()
        if process.poll() is None:
            process.kill()
            process.communicate()


@contextlib.contextmanager
def loop_device(path, *options):
    """A loop device on a file; given back at the end."""
    device = run(["losetup", "--find", "--show", *options, path]).stdout.strip()
    try:
        yield device
    finally:
        end_all()
        run(["losetup", "--detach", device])


@contextlib.contextmanager
def mounted(device, at, *options):
    """A mounted file system; unmounted at the end."""
    os.makedirs(at, exist_ok=True)
    run(["mount", *options, device, at])
    try:
        yield at
    finally:
        end_all()
        run(["umount", at])
