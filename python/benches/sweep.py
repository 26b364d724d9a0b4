"""The sweep of ten thousand configurations on one worker and on two of Dask's local cluster, in turns.

    python python/benches/sweep.py [--turns 1,2,2,1] [--configurations N] [--at-most SHARE]

The turns are one, two, two, one workers if nothing is said, so that what drifts hits both alike. Printed are every turn, the
medians, and the time of two as a share of the time of one; with --at-most the exit code is 1 where the share is larger. Asked
are 0.6 on two idle processors.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

SWEEP = Path(__file__).parents[1] / "examples" / "sweep.py"


def turn(workers: int, configurations: int, folder: Path) -> tuple[float, Any]:
    """How long the sweep takes on so many workers, in seconds, and what it says."""
    answer = folder / f"{workers}.json"
    words = ["--engine", "dask", "--workers", str(workers), "--configurations", str(configurations)]
    # Dask says on standard error that its workers lost each other while they end.
    run = subprocess.run([sys.executable, SWEEP, *words, "--json", answer], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"the sweep ended with {run.returncode}:\n{run.stderr}")
    said = json.loads(answer.read_text())
    return said["seconds"], said["rows"]


def main() -> int:
    """Measures, prints, judges."""
    parser = argparse.ArgumentParser(description="The sweep on one worker of Dask and on two, in turns.")
    parser.add_argument("--turns", default="1,2,2,1", metavar="WORKERS,...", help="1,2,2,1")
    parser.add_argument("--configurations", type=int, default=10_000, metavar="N", help="10,000")
    parser.add_argument("--at-most", type=float, metavar="SHARE", help="fail where two take a larger share")
    asked = parser.parse_args()
    turns = asked.turns.split(",")
    if set(turns) != {"1", "2"}:
        parser.error(f"--turns {asked.turns}: both 1 and 2 are needed, such as 1,2,2,1")
    took: dict[int, list[float]] = {1: [], 2: []}
    rows: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        for workers in map(int, turns):
            load = os.getloadavg()[0]
            seconds, said = turn(workers, asked.configurations, Path(folder))
            rows.append(said)
            took[workers].append(seconds)
            print(f"{workers} of dask: {seconds:6.1f} s   load before {load:.1f}", flush=True)
    if any(said != rows[0] for said in rows):
        print("the same configurations gave other figures", file=sys.stderr)
        return 1
    one, two = (statistics.median(took[workers]) for workers in (1, 2))
    share = two / one
    print(f"{asked.configurations:,} configurations, medians: {one:.1f} s on one, {two:.1f} s on two: {share:.2f} of the time")
    if asked.at_most is not None and share > asked.at_most:
        print(f"two workers are to take at most {asked.at_most} of the time of one", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
