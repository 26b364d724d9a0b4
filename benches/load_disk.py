"""Prints what `benches/load --disk` measured: FOLDER ROUNDS SECONDS."""

import json
import os
import statistics
import sys

WORK, ROUNDS, SECONDS = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
LEAST_IOPS, MOST_CPU = 0.98, 0.8


def read(depth, tool, engine, n):
    """IOPS, median latency in us, processor time of an I/O in us, and the mean depth at the device or None."""
    path = os.path.join(WORK, f"{depth}-{tool}-{engine}-{n}")
    with open(path, encoding="utf-8") as file:
        document = json.load(file)
    with open(f"{path}.cpu", encoding="utf-8") as file:
        cpu = sum(float(part) for part in file.read().split()[-2:])
    at_device = None
    if tool == "iobound":
        iops, p50 = document["iops"], document["latency_us"]["p50"]
        at_device = document["depth"].get("at_device")
    else:
        side = document["jobs"][0]["read"]
        iops, p50 = side["iops"], side["lat_ns"]["percentile"]["50.000000"] / 1e3
    # The second of warm-up costs processor time as well.
    return iops, p50, cpu / (iops * (SECONDS + 1)) * 1e6, at_device


print("| depth | engine | iobound, IOPS | fio, IOPS | ratio | at the device | CPU us an I/O | fio | ratio | asked |")
print("|" + " --- |" * 10)
missed = 0
for depth in (1, 8, 32, 128):
    for engine in ("io_uring", "libaio"):
        pairs = [(read(depth, "iobound", engine, n), read(depth, "fio", engine, n)) for n in range(ROUNDS)]
        own, its = ([statistics.median(pair[side][at] for pair in pairs) for at in (0, 2)] for side in (0, 1))
        # Ratios of runs that followed each other: a disk that slows down slows both.
        iops, cpu = (statistics.median(mine[at] / theirs[at] for mine, theirs in pairs) for at in (0, 2))
        depths = [mine[3] for mine, _ in pairs if mine[3] is not None]
        at_device = f"{statistics.median(depths):.1f}" if depths else ""
        held = iops >= LEAST_IOPS and cpu <= MOST_CPU
        missed += not held
        asked = f"{LEAST_IOPS}, {MOST_CPU}" + ("" if held else ": missed")
        print(
            f"| {depth} | {engine} | {own[0]:.0f} | {its[0]:.0f} | {iops:.3f} | {at_device} "
            f"| {own[1]:.2f} | {its[1]:.2f} | {cpu:.3f} | {asked} |"
        )
print(f"{missed} of 8 missed what is asked" if missed else "all hold what is asked")
