"""What benches/probe runs and prints: FOLDER [--budget TIME] [--seed N] [PART...]."""

import argparse
import collections
import os
import sys

from probe_disks import PARTS, Unready
from probe_judge import judge
from probe_run import probe

BUDGET = "3min"


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


def main():
    """Probes the disks of each part, and prints a table of each."""
    asked = arguments()
    all_right = True
    for part in asked.parts or PARTS:
        make, count = PARTS[part]
        sums = collections.defaultdict(lambda: [0, 0])
        print(f"\n{part}", flush=True)
        for seed in range(asked.seed, asked.seed + (asked.count or count)):
            try:
                with make(os.path.join(asked.folder, f"{part}-{seed}"), seed) as disk:
                    found = probe(disk, asked.budget)
            except Unready as why:
                print(f"{part}: not run: {why}", flush=True)
                break
            marks = judge(disk.truth, found)
            print(f"  {seed}: {disk.truth.said}; {found['cost']['time_s']:.0f} s, {found['ending']}", flush=True)
            for mark in marks:
                sums[mark.figure][0] += mark.ok
                sums[mark.figure][1] += 1
                print(f"     {'ok  ' if mark.ok else 'MISS'} {mark.figure}: {mark.text}", flush=True)
        print("\n| figure | found |\n| --- | --- |")
        for figure, (good, of) in sums.items():
            print(f"| {figure} | {good} of {of} |", flush=True)
            all_right &= good == of
    sys.exit(0 if all_right else 1)


if __name__ == "__main__":
    os.environ.setdefault("IOBOUND_RESULTS", "off")
    main()
