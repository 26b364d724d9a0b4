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


def answer(words):
    """The JSON document of a command."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"benches/probe: {' '.join(words)}\nended with {done.returncode}:\n{done.stderr}")
    return json.loads(done.stdout)


def probe(disk, budget):
    """The document of a probe of all targets of a disk, which it also saves as a configuration."""
    time_s = seconds(budget) * len(disk.targets)
    words = [PROGRAM, "probe", *disk.targets, "--budget", f"{time_s:.0f}s", "--busy-ok", "--save", saved(disk), "--json"]
    found = answer([*disk.before, *words])
    if folder := os.environ.get("KEEP"):
        with open(os.path.join(folder, f"{os.path.basename(disk.folder)}.json"), "w", encoding="utf-8") as file:
            json.dump(found, file)
    return found


def latency_us(disk, block, per_second):
    """Mean latency of single reads of a size on the first target, in microseconds, by fio.

    They follow each other at once where that is far below every limit, as in the probe.
    """
    words = ["fio", "--name=latency", f"--filename={disk.targets[0]}", "--readonly", "--rw=randread", "--direct=1", f"--bs={block}"]
    words += ["--time_based", "--runtime=8", "--output-format=json"]
    mean, per_kib = disk.truth.latency_us
    if 1e6 / (mean + per_kib * (block >> 10)) > 0.35 * per_second:
        words += [f"--rate_iops={max(4, round(0.3 * per_second))}"]
    return answer([*disk.before, *words])["jobs"][0]["read"]["lat_ns"]["mean"] / 1e3


def saved(disk):
    """The configuration that a probe of a disk saves."""
    return os.path.join(disk.folder, "saved.toml")


def predicted(disk, configuration, workload):
    """IOPS that a saved probe predicts for a workload."""
    return answer([PROGRAM, "predict", "--config", configuration, *disk.truth.fresh, *workload, "--json"])["expected"]["iops"]


def ran(disk, workload):
    """IOPS of a workload on a disk."""
    words = [PROGRAM, "run", *disk.targets, *workload, "--warmup", "0s", "--busy-ok", "--json"]
    return answer([*disk.before, *words])["iops"]


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
