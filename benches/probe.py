"""What benches/probe runs and prints: FOLDER [--budget TIME] [--seed N] [PART...]."""

import argparse
import collections
import os
import sys
import time

from probe_disks import PARTS, Unready
from probe_judge import Mark, judge, within
from probe_run import latency_us, predicted, probe, ran, saved

BUDGET = "3min"
# A machine is busy where tasks waited for a processor for more than this share of a case (PSI "some"). The figures of a case that is
# busy twice are counted apart.
BUSY = 0.2
# Workloads of the round trip: each runs on a fresh start of the disk, and is predicted with the saved probe.
LENGTH = ["--duration", "15s"]
WORKLOADS = {
    "4 KiB, depth 1": ["--block", "4KiB", "--depth", "1", *LENGTH],
    "8 KiB, depth 32": ["--block", "8KiB", "--depth", "32", *LENGTH],
    "64 KiB, depth 8": ["--block", "64KiB", "--depth", "8", *LENGTH],
    "256 KiB, depth 16": ["--block", "256KiB", "--depth", "16", *LENGTH],
}


def arguments():
    """The command line."""
    parser = argparse.ArgumentParser(prog="benches/probe")
    parser.add_argument("folder")
    parser.add_argument("--budget", default=BUDGET, help="budget of each target [default: %(default)s]")
    parser.add_argument("--seed", type=int, default=1, help="first seed of the secret parameters [default: %(default)s]")
    parser.add_argument("--count", type=int, help="number of disks of each part")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)} [default: all]")
    asked = parser.parse_intermixed_args()
    for part in asked.parts:
        if part not in PARTS:
            parser.error(f"{part}: the parts are {', '.join(PARTS)}")
    return asked


def round_trip(make, folder, seed, configuration):
    """Predictions with a saved probe beside runs on the disk: within 2 %."""
    for name, workload in WORKLOADS.items():
        with make(os.path.join(folder, name.replace(" ", "")), seed) as disk:
            measured = ran(disk, workload)
        mark = within("round trip", predicted(disk, configuration, workload), measured, 0.02)
        yield Mark(mark.figure, mark.ok, f"{name}: {mark.text}")


def latencies(disk, found):
    """Latencies of the probe beside fio's on the same disk: it has those of FUSE as well. Hits of a cache would be among fio's."""
    truth = disk.truth
    for part in [] if truth.cache else found["targets"][0]["latencies"]:
        block = part["block_bytes"]
        units = -(-block // truth.unit) if truth.unit else 1
        expected = latency_us(disk, block, min(truth.iops / units, truth.bytes / block))
        mark = within("latency", part["mean_us"], expected, 0.03)
        yield Mark(mark.figure, mark.ok, f"{block >> 10} KiB: {mark.text}")


PRESSURE = "/proc/pressure/cpu"


def waited_us(path=PRESSURE):
    """Time in which some task of this machine waited for a processor, in microseconds (PSI). None: the kernel does not count it."""
    try:
        with open(path, encoding="ascii") as file:
            return int(file.readline().rsplit("total=", 1)[1])
    except OSError:
        return None


def case(part, seed, folder, budget):
    """The truth, the document and the marks of one disk."""
    make, _ = PARTS[part]
    with make(folder, seed) as disk:
        found = probe(disk, budget)
        marks = judge(disk.truth, found)
        if part == "fuse":
            marks += latencies(disk, found)
    if part == "fuse":
        marks += round_trip(make, disk.folder, seed, saved(disk))
    return disk.truth, found, marks


def quiet_case(part, seed, folder, budget):
    """A case, repeated once where the machine was busy, and the share of the time in which tasks waited for a processor.

    The share is zero where the kernel does not count it."""
    for attempt in range(2):
        waited, began = waited_us(), time.monotonic()
        result = case(part, seed, os.path.join(folder, f"{part}-{seed}-{attempt}"), budget)
        busy = 0.0 if waited is None else (waited_us() - waited) / 1e6 / (time.monotonic() - began)
        if busy <= BUSY:
            break
        print(f"  {seed}: the machine was busy (PSI some {100 * busy:.0f} %){'' if attempt else ': repeated'}", flush=True)
    return *result, busy


def main():
    """Probes the disks of each part, and prints a table of each."""
    asked = arguments()
    if waited_us() is None:
        print(
            f"{PRESSURE} cannot be read: figures of a busy machine are not marked, and no case is repeated. "
            "Keep other work off this machine, or boot a kernel with PSI (psi=1).",
            flush=True,
        )
    all_right = True
    for part in asked.parts or PARTS:
        _, count = PARTS[part]
        sums = collections.defaultdict(lambda: [0, 0])
        print(f"\n{part}", flush=True)
        for seed in range(asked.seed, asked.seed + (asked.count or count)):
            try:
                truth, found, marks, busy = quiet_case(part, seed, asked.folder, asked.budget)
            except Unready as why:
                print(f"{part}: not run: {why}", flush=True)
                break
            print(f"  {seed}: {truth.said}; {found['cost']['time_s']:.0f} s, {found['ending']}", flush=True)
            for mark in marks:
                figure = f"{mark.figure}, on a busy machine" if busy > BUSY else mark.figure
                sums[figure][0] += mark.ok
                sums[figure][1] += 1
                print(f"     {'ok  ' if mark.ok else 'MISS'} {mark.figure}: {mark.text}", flush=True)
        print("\n| figure | found |\n| --- | --- |")
        for figure, (good, of) in sums.items():
            print(f"| {figure} | {good} of {of} |", flush=True)
            all_right &= good == of
    sys.exit(0 if all_right else 1)


if __name__ == "__main__":
    os.environ.setdefault("IOBOUND_RESULTS", "off")
    main()
