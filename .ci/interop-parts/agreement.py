"""Agreement with fio where something else limits the I/O: the same rate, the same latencies."""

import contextlib
import json
import os
import statistics

from common import MIB, PROGRAM, check, folder, loop_device, measured, run, say

LIMIT = 500
# The kernel grants a limit in portions of a tenth of a second. With more than one portion outstanding every I/O waits
# for its own, and the median is of the limit and not of the device.
DEEP = 64
CAP = 2_000
SHALLOW = 16
# fio's runtime has the wait for its last I/Os in it, a tenth of a second: the longer, the less that weighs.
SECONDS = 8
ROUNDS = 3
# What is asked is 1 % and 3 %, on a quiet machine; here, 5 % of the rate is asserted and the rest printed.
MOST = 0.05


@contextlib.contextmanager
def limited(device):
    """A prefix for commands whose I/O on a device the kernel limits; None where it can't."""
    number = ":".join(str(part(os.stat(device).st_rdev)) for part in (os.major, os.minor))
    unified = "/sys/fs/cgroup"
    try:
        with open(f"{unified}/cgroup.controllers", encoding="ascii") as file:
            has_io = "io" in file.read().split()
    except OSError:
        has_io = False
    group, limits = None, []
    if has_io:
        with contextlib.suppress(OSError):
            with open(f"{unified}/cgroup.subtree_control", "w", encoding="ascii") as file:
                file.write("+io")
        group = f"{unified}/iobound-{os.getpid()}"
        limits = [("io.max", f"{number} riops={LIMIT}")]
    elif os.path.exists("/sys/fs/cgroup/blkio/blkio.throttle.read_iops_device"):
        group = f"/sys/fs/cgroup/blkio/iobound-{os.getpid()}"
        limits = [("blkio.throttle.read_iops_device", f"{number} {LIMIT}")]
    made = False
    try:
        if group:
            os.mkdir(group)
            made = True
            for name, value in limits:
                with open(f"{group}/{name}", "w", encoding="ascii") as file:
                    file.write(value)
    except OSError as error:
        say(f"no limit by the kernel: {error}")
        if made:
            os.rmdir(group)
        group = None
    try:
        yield group and ["sh", "-c", f'echo $$ >{group}/cgroup.procs && exec "$@"', "limited"]
    finally:
        if group:
            os.rmdir(group)


def of_fio(target, prefix, depth, more):
    words = ["fio", "--name=j", f"--filename={target}", "--readonly", "--rw=randread", "--bs=4k", "--direct=1"]
    words += ["--ioengine=io_uring", f"--iodepth={depth}", f"--runtime={SECONDS}", "--ramp_time=1", "--time_based"]
    words += ["--randrepeat=0", "--lat_percentiles=1", "--percentile_list=50:99", "--output-format=json", *more]
    read = json.loads(run([*prefix, *words]).stdout)["jobs"][0]["read"]
    percentiles = read["lat_ns"]["percentile"]
    return read["iops"], percentiles["50.000000"] / 1e3, percentiles["99.000000"] / 1e3


def of_ours(target, prefix, depth, more):
    words = [PROGRAM, "run", target, "--random", "--block", "4KiB", "--depth", str(depth), "--engine", "io_uring", "--json"]
    words += ["--duration", f"{SECONDS}s", "--warmup", "1s", "--busy-ok", *more]
    result = json.loads(run([*prefix, *words]).stdout)
    latency = result["latency_us"]
    return result["iops"], latency["p50"], latency["p99"]


def compare(what, target, prefix, depth, ours_more=(), fio_more=()):
    rounds = []
    for _ in range(ROUNDS):
        rounds.append((of_ours(target, prefix, depth, ours_more), of_fio(target, prefix, depth, fio_more)))
    say(what)
    ratios = []
    for n, (name, unit) in enumerate((("IOPS", ""), ("p50", "µs"), ("p99", "µs"))):
        ours = statistics.median(own[n] for own, _ in rounds)
        theirs = statistics.median(fio[n] for _, fio in rounds)
        ratios.append(ours / theirs)
        say(f"  {name:<5} iobound {ours:10.1f} {unit:<3} fio {theirs:10.1f} {unit:<3} ratio {ours / theirs:.4f}")
    check(abs(ratios[0] - 1) <= MOST, f"{what}: the rates are further apart than {MOST:.0%}: {ratios[0]:.4f}")
    return ratios


def part():
    with folder(192 * MIB) as here:
        file = os.path.join(here, "data")
        measured(file, "--size", "64MiB", "--duration", "100ms")
        with loop_device(file, "--read-only") as device, limited(device) as prefix:
            if prefix:
                compare(f"the kernel's limit of {LIMIT} IOPS, {DEEP} outstanding", device, prefix, DEEP)
            else:
                say("no block I/O controller here: only each tool's own rate is compared")
        # The latency is the target's, without a queue: the kernel's own scatter.
        compare(
            f"each tool's own cap of {CAP} IOPS on a closed loop, {SHALLOW} outstanding",
            file,
            [],
            SHALLOW,
            ["--max-iops", str(CAP)],
            [f"--rate_iops={CAP}", "--rate_process=linear"],
        )
