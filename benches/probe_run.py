"""Processes of benches/probe: the probe itself, and the file that it reads of an NBD server."""

import contextlib
import json
import os
import subprocess
import sys

from servers import running, wait_for

PROGRAM = os.path.abspath(os.environ["PROGRAM"])


def seconds(text):
    """A time such as 90s or 3min, in seconds."""
    for unit, scale in (("min", 60), ("s", 1)):
        if text.endswith(unit):
            return float(text[: -len(unit)]) * scale
    sys.exit(f"benches/probe: --budget {text}: write it like 90s or 3min")


def probe(disk, budget):
    """The document of a probe of all targets of a disk."""
    time_s = seconds(budget) * len(disk.targets)
    words = [PROGRAM, "probe", *disk.targets, "--budget", f"{time_s:.0f}s", "--busy-ok", "--json"]
    done = subprocess.run([*disk.before, *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"benches/probe: {' '.join(words)}\nended with {done.returncode}:\n{done.stderr}")
    if folder := os.environ.get("KEEP"):
        with open(os.path.join(folder, f"{os.path.basename(disk.folder)}.json"), "w", encoding="utf-8") as file:
            file.write(done.stdout)
    return json.loads(done.stdout)


@contextlib.contextmanager
def mounted(folder, name, socket, export):
    """An NBD export as a file, by nbdfuse."""
    path = os.path.join(folder, name)
    with open(path, "wb"):
        pass
    uri = f"nbd+unix:///{export}?socket={socket}"
    with running(["nbdfuse", "--readonly", path, uri], f"{path}.out") as process:
        try:
            wait_for(lambda: os.path.getsize(path) > 0, process, "nbdfuse")
            yield path
        finally:
            subprocess.run(["fusermount3", "-u", "-z", path], check=False, stderr=subprocess.DEVNULL)
