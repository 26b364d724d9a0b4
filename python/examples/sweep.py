"""Predicts ten thousand configurations on the engine that is there: Dask, Ray, or none.

    python sweep.py                                  here, one after the other
    python sweep.py --engine dask --workers 2        on two processes of Dask's local cluster
    python sweep.py --engine ray --workers 2         the same lines on Ray

`one` is a pure function of a configuration: it is all that an engine needs, and on a cluster of your own the same `one` is
mapped by the same line. Each configuration is a VM size, disks, a depth and a block size, drawn from the catalogue; what is
computed of it is what it will deliver, what binds, and what that costs a month.
"""

from __future__ import annotations

import argparse
import itertools
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import iobound

Configuration = dict[str, Any]
Row = dict[str, Any]

DISKS = ["P10", "P15", "P20", "P30", "P40", "P50"]
COUNTS = [1, 2, 3, 4, 6, 8]
DEPTHS = [1, 2, 4, 8, 16, 32, 64, 128]
BLOCKS = ["4KiB", "8KiB", "16KiB", "32KiB", "64KiB", "128KiB", "256KiB"]


def one(configuration: Configuration) -> Row:
    """Predict a configuration."""
    answer = iobound.predict(**configuration, random=True)
    latency = answer["latency_us"]
    return {
        **configuration,
        "iops": answer["expected"]["iops"],
        "throughput_bytes_per_s": answer["expected"]["throughput_bytes_per_s"],
        "p99_us": latency["p99"] if latency else None,
        "binding": answer["binding"],
        "limits": len(answer["limits"]),
    }


def configurations(count: int, seed: int) -> list[Configuration]:
    """A number of different ones, drawn from all that the catalogue allows."""
    sizes = iobound.catalog.vms(premium=True, known=True, cloud="azure", min_disks=max(COUNTS))["rows"]
    names = [size["name"] for size in sizes]
    every = len(names) * len(DISKS) * len(COUNTS) * len(DEPTHS) * len(BLOCKS)
    drawn = random.Random(seed).sample(range(every), min(count, every))

    def number(index: int) -> Configuration:
        index, block = divmod(index, len(BLOCKS))
        index, depth = divmod(index, len(DEPTHS))
        index, disks = divmod(index, len(COUNTS))
        vm, disk = divmod(index, len(DISKS))
        return {
            "vm": names[vm],
            "disk": f"{COUNTS[disks]}x{DISKS[disk]}",
            "depth": DEPTHS[depth],
            "block": BLOCKS[block],
        }

    return [number(index) for index in drawn]


def several(configurations: Sequence[Configuration]) -> list[Row]:
    """Part of the work for one task of an engine: large enough that the engine's own work is small beside it."""
    return [one(configuration) for configuration in configurations]


def parts(configurations: Sequence[Configuration], size: int) -> list[Sequence[Configuration]]:
    """The configurations in parts of so many."""
    return [configurations[begin : begin + size] for begin in range(0, len(configurations), size)]


Map = Callable[[Sequence[Sequence[Configuration]]], Iterator[list[Row]]]


def on_none(workers: int) -> tuple[Map, Callable[[], None]]:
    """In this process."""
    return lambda parts: map(several, parts), lambda: None


def on_dask(workers: int) -> tuple[Map, Callable[[], None]]:
    """On Dask: a local cluster here; `Client("scheduler:8786")` is one of your own."""
    from distributed import Client, LocalCluster

    cluster = LocalCluster(
        n_workers=workers, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None
    )
    client = Client(cluster)

    def end() -> None:
        client.close()
        cluster.close()

    return lambda parts: iter(client.gather(client.map(several, parts, pure=False))), end


def on_ray(workers: int) -> tuple[Map, Callable[[], None]]:
    """On Ray: here; `ray.init(address="auto")` is a cluster of your own."""
    import ray

    ray.init(
        num_cpus=workers, include_dashboard=False, log_to_driver=False, _node_ip_address="127.0.0.1"
    )
    remote = ray.remote(several)
    return lambda parts: iter(ray.get([remote.remote(part) for part in parts])), ray.shutdown


ENGINES = {"none": on_none, "dask": on_dask, "ray": on_ray}


def table(rows: Sequence[Row]) -> str:
    """By what binds: how many, and how fast they are."""
    lines = [f"{'bound by':<24}{'configurations':>15}{'median IOPS':>13}{'median MB/s':>13}"]
    ordered = sorted(rows, key=lambda row: str(row["binding"]))
    for binding, group in itertools.groupby(ordered, key=lambda row: str(row["binding"])):
        bound = list(group)
        iops, rates = (
            sorted(row[key] for row in bound)[len(bound) // 2] for key in ("iops", "throughput_bytes_per_s")
        )
        lines.append(f"{binding:<24}{len(bound):>15,}{iops:>13,.0f}{rates / 1e6:>13,.1f}")
    return "\n".join(lines)


def main() -> int:
    """Draws, maps, prints."""
    parser = argparse.ArgumentParser(description="Predicts many configurations on the engine that is there.")
    parser.add_argument("--engine", choices=ENGINES, default="none")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="processes of the engine (2)")
    parser.add_argument("--configurations", type=int, default=10_000, metavar="N", help="how many (10,000)")
    parser.add_argument("--part", type=int, default=50, metavar="N", help="so many at a time (50)")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="draws them (1)")
    parser.add_argument("--json", metavar="FILE", help="all rows, as JSON")
    asked = parser.parse_args()
    for name in ("workers", "configurations", "part"):
        if getattr(asked, name) < 1:
            parser.error(f"--{name}: 1 or more")
    drawn = configurations(asked.configurations, asked.seed)
    mapped, end = ENGINES[asked.engine](asked.workers)
    try:
        # Once, so that every process has begun and read the catalogue before the clock starts.
        list(mapped(parts(drawn[: asked.workers], 1)))
        begin = time.perf_counter()
        rows = [row for part in mapped(parts(drawn, asked.part)) for row in part]
        took = time.perf_counter() - begin
    finally:
        end()
    where = "in this process" if asked.engine == "none" else f"on {asked.workers} of {asked.engine}"
    print(table(rows))
    print(f"\n{len(rows):,} configurations {where}: {took:.1f} s, {took / len(rows) * 1e3:.2f} ms each")
    if asked.json:
        with open(asked.json, "w") as file:
            json.dump({"seconds": took, "rows": rows}, file)
    return 0


if __name__ == "__main__":
    sys.exit(main())
