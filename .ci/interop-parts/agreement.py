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
# A window holds a portion more or less, by where it begins: of 150 portions that is 0.7 %.
SECONDS = 15
ROUNDS = 3
# What the medians of the rounds may differ by.
OF_IOPS, OF_LATENCY = 0.01, 0.03


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


def completed(log):
    """The I/Os a second that completed in the window of a run, by fio's log of every I/O.

    What fio reports as IOPS is another figure: the I/Os that it issued after its ramp, over a time that goes on until
    the last of them is back. The wait for these, depth / IOPS long, is in the time and adds no I/Os, so that the
    figure is low by depth / IOPS / window: 64 / 500 / 15 s is 0.9 %, and what is measured is none of it.
    """
    with open(log, encoding="ascii") as file:
        at = [int(line.split(",", 1)[0]) for line in file]
    return sum(time <= SECONDS * 1_000 for time in at) / SECONDS


def of_fio(target, prefix, depth, more, here):
    words = ["fio", "--name=j", f"--filename={target}", "--readonly", "--rw=randread", "--bs=4k", "--direct=1"]
    words += ["--ioengine=io_uring", f"--iodepth={depth}", f"--runtime={SECONDS}", "--ramp_time=1", "--time_based"]
    words += ["--randrepeat=0", "--lat_percentiles=1", "--percentile_list=50:99", "--output-format=json", *more]
    log = os.path.join(here, "fio")
    words += [f"--write_lat_log={log}"]
    read = json.loads(run([*prefix, *words]).stdout)["jobs"][0]["read"]
    percentiles = read["lat_ns"]["percentile"]
    iops = completed(f"{log}_lat.1.log")
    return iops, percentiles["50.000000"] / 1e3, percentiles["99.000000"] / 1e3, read["iops"]


def of_ours(target, prefix, depth, more):
    words = [PROGRAM, "run", target, "--random", "--block", "4KiB", "--depth", str(depth), "--engine", "io_uring", "--json"]
    words += ["--duration", f"{SECONDS}s", "--warmup", "1s", "--busy-ok", *more]
    result = json.loads(run([*prefix, *words]).stdout)
    latency = result["latency_us"]
    return result["iops"], latency["p50"], latency["p99"]


def compare(what, here, target, prefix, depth, ours_more=(), fio_more=()):
    rounds = []
    for _ in range(ROUNDS):
        rounds.append((of_ours(target, prefix, depth, ours_more), of_fio(target, prefix, depth, fio_more, here)))
    say(what)
    ratios = []
    for n, (name, unit) in enumerate((("IOPS", ""), ("p50", "µs"), ("p99", "µs"))):
        ours = statistics.median(own[n] for own, _ in rounds)
        theirs = statistics.median(fio[n] for _, fio in rounds)
        ratios.append(ours / theirs)
        say(f"  {name:<5} iobound {ours:10.1f} {unit:<3} fio {theirs:10.1f} {unit:<3} ratio {ours / theirs:.4f}")
    reported = statistics.median(fio[3] for _, fio in rounds)
    say(f"  fio reports {reported:.1f} IOPS: what it issued, until the last was back")
    agrees(what, "IOPS", ratios[0], OF_IOPS)
    return ratios


def agrees(what, name, ratio, most):
    check(abs(ratio - 1) <= most, f"{what}: {name} further apart than {most:.0%}: {ratio:.4f}")


def part():
    with folder(192 * MIB) as here:
        file = os.path.join(here, "data")
        measured(file, "--size", "64MiB", "--duration", "100ms")
        with loop_device(file, "--read-only") as device, limited(device) as prefix:
            if prefix:
                what = f"the kernel's limit of {LIMIT} IOPS, {DEEP} outstanding"
                _, p50, p99 = compare(what, here, device, prefix, DEEP)
                # Where something else limits, the latency is depth / limit, whatever the machine does beside.
                agrees(what, "p50", p50, OF_LATENCY)
                agrees(what, "p99", p99, OF_LATENCY)
            else:
                say("no block I/O controller here: only each tool's own rate is compared")
        # The latency is the target's, without a queue: the kernel's own scatter, and no claim.
        compare(
            f"each tool's own cap of {CAP} IOPS on a closed loop, {SHALLOW} outstanding",
            here,
            file,
            [],
            SHALLOW,
            ["--max-iops", str(CAP)],
            [f"--rate_iops={CAP}", "--rate_process=linear"],
        )
