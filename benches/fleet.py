"""What benches/fleet runs and prints: [RUNS]."""

import os
import statistics
import sys

from common import MIB, Failed, folder, run
from first_io import FirstIo
from fleet_place import HOSTS, Place
from fleet_ssh import OverSsh
from machines import HERE, network
from merged import complete, document
from sshd import Ssh, installed

# Lightly, so that the skew is that of the start; and as fast as four ranks can on two processors, for whom the others are
# in the way from the first I/O on.
LOADS = {
    "200 IOPS a rank": ("--rate", "200iops"),
    "depth 1": ("--depth", "1"),
}
COMMON = ("--size", "4MiB", "--duration", "1s", "--warmup", "0", "--busy-ok")


def skews(over, here, name, flags, load, runs):
    """Of each run: the skew and its uncertainty by the document, and what the kernel saw, in ms."""
    found = []
    for number in range(runs):
        place = Place(here, f"{name}{number}")
        with FirstIo(place.data) as seen:
            done = run(over.words(place, *flags, load=(*COMMON, *load)), env=place.env())
        result = document(done.stdout, name)
        skew = complete(result, HOSTS, name, skew_ms=1000)
        begun = seen.begun().values()
        found.append((skew, result["fleet"]["start_skew_uncertainty_ms"], 1000 * (max(begun) - min(begun))))
    return found


def table(name, found):
    """A row: median and worst of each."""
    cells = [f"{statistics.median(values):.2f} | {max(values):.2f}" for values in zip(*found)]
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def main(runs=20):
    with folder(512 * MIB) as here, network(here, HOSTS) as machines:
        over = OverSsh(machines, Ssh(machines, here, installed(here)), here)
        hosts = [word for host in HOSTS for word in ("--host", host)]
        print("| | skew, ms: median | worst | known to, ms: median | worst | by the kernel, ms: median | worst |")
        print("| --- | --- | --- | --- | --- | --- | --- |")
        for said, load in LOADS.items():
            slug = load[0].strip("-")
            table(f"through ssh, {said}", skews(over, here, f"{slug}-ssh", hosts, load, runs))
            table(f"at an address, {said}", skews(over, here, f"{slug}-met", [*hosts, "--meet", f"{HERE}:0"], load, runs))


if __name__ == "__main__":
    os.environ.setdefault("IOBOUND_RESULTS", "off")
    try:
        main(*map(int, sys.argv[1:]))
    except Failed as why:
        sys.exit(f"benches/fleet: {why}")
