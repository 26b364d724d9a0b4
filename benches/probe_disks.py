"""Disks of benches/probe, with secret limits that a seed draws."""

import contextlib
import json
import os
import random
import subprocess
from dataclasses import dataclass, field

from probe_run import PROGRAM, mounted
from servers import has_line, running, wait_for

GIB = 1 << 30
MIB = 1 << 20
KIB = 1 << 10


class Unready(Exception):
    """A part that this machine cannot run."""


@dataclass
class Truth:
    """Limits of a disk as something else enforces them. `None`: there is none, or it is not judged."""

    said: str
    iops: float | None = None
    bytes: float | None = None
    slice_s: float | None = None
    bucket_s: float | None = None
    unit: int | None = None
    burst: tuple[float, float] | None = None
    latency_us: tuple[float, float] | None = None
    cache: tuple[int, float] | None = None
    shared: tuple[float, list[int]] | None = None

    @property
    def fresh(self):
        """The words with which an emulated disk and its prediction begin: with full credits and an empty cache."""
        return (["--at", "0"] if self.burst else []) + (["--cache-state", "cold"] if self.cache else [])


@dataclass
class Disk:
    """Files or devices to probe, and what is true of them."""

    folder: str
    truth: Truth
    targets: list[str]
    before: list[str] = field(default_factory=list)


def between(draw, low, high):
    """A value between two, evenly on a scale of ratios."""
    return low * (high / low) ** draw.random()


def secret(seed):
    """Limits of a seed, which a busy machine with two processors can serve."""
    draw = random.Random(f"probe {seed}")
    kind = ("slices", "bucket", "credits", "cache", "shared")[seed % 5]
    iops = round(between(draw, 300, 2500))
    truth = Truth(said="", iops=iops, bytes=round(iops * between(draw, 24, 96)) * KIB)
    truth.unit = draw.choice((None, None, 16 * KIB, 64 * KIB, 256 * KIB))
    if kind == "slices" or (kind != "bucket" and draw.random() < 0.5):
        truth.slice_s = round(max(between(draw, 0.010, 0.200), 3 / iops), 4)
    else:
        truth.bucket_s = round(between(draw, 0.05, 1.5), 3)
    if kind == "credits":
        rate = round(iops * between(draw, 1.6, 2.5))
        truth.burst = (rate, round((rate - iops) * between(draw, 6, 20)))
    truth.latency_us = (round(between(draw, 800, 3000)), round(between(draw, 1, 10), 1))
    if kind == "cache":
        truth.cache = (round(between(draw, 150, 400)) * MIB, round(truth.latency_us[0] / 4))
    if kind == "shared":
        truth.shared = (round(iops * between(draw, 1.2, 1.7)), [0, 1])
    truth.said = f"{kind}, {iops} IOPS, {truth.bytes / 1e6:.1f} MB/s, unit {truth.unit}"
    return truth


def enforced(truth):
    """How a limit is enforced, in the words of a saved probe."""
    if truth.slice_s is not None:
        return f"slice_ms = {truth.slice_s * 1e3}\n"
    return f"bucket_ms = {truth.bucket_s * 1e3}\n"


def limit(counts, value, truth, more=""):
    """A table of a limit."""
    text = f'\n[[probed.limit]]\ncounts = "{counts}"\nof = "all"\nper_second = {value}\nlow = {value}\nhigh = {value}\n'
    if counts == "ios" and truth.unit:
        text += f"unit = {truth.unit}\n"
    return text + enforced(truth) + more


def configuration(truth):
    """The disks as a configuration file, in the form that `probe --save` writes."""
    names = ["one", "two"] if truth.shared else ["one"]
    text = '[machine]\nvm = "probed"\n'
    for name in names:
        text += f'\n[[disk]]\nname = "{name}"\ndisk = "{name}"\n'
    mean, per_kib = truth.latency_us
    for name in names:
        text += f'\n[[probed]]\nname = "{name}"\nsize = {8 * GIB}\n'
        text += f"read = {{ mean_us = {mean}, floor = 0.8, per_kib_us = {per_kib} }}\n"
        if truth.cache:
            size, hit = truth.cache
            text += f"\n[probed.cache]\nsize = {size}\nhit = {{ mean_us = {hit}, floor = 0.8, per_kib_us = 0.0 }}\n"
        burst = ""
        if truth.burst:
            burst = "burst_per_second = {}\nburst_size = {}\n".format(*truth.burst)
        if truth.iops is not None:
            text += limit("ios", truth.iops, truth, burst) + limit("bytes", truth.bytes, truth)
        if truth.shared:
            text += limit("ios", truth.shared[0], truth, 'shared = "vm"\n')
    return text, names


@contextlib.contextmanager
def emulator(folder, truth, fronts):
    """The emulator with these limits."""
    os.makedirs(f"{folder}/fuse", exist_ok=True)
    text, names = configuration(truth)
    with open(f"{folder}/disk.toml", "w", encoding="utf-8") as file:
        file.write(text)
    words = [PROGRAM, "emulate", "--config", f"{folder}/disk.toml", *truth.fresh, "--json", "--control", f"{folder}/ctl"]
    with running([*words, *fronts], f"{folder}/out") as process:
        wait_for(lambda: has_line(f"{folder}/out"), process, "iobound emulate")
        try:
            yield names
        finally:
            subprocess.run(["umount", "--quiet", "--lazy", f"{folder}/fuse"], check=False, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def over_fuse(folder, seed):
    """The emulator's own files."""
    truth = secret(seed)
    with emulator(folder, truth, ["--fuse", f"{folder}/fuse"]) as names:
        yield Disk(folder, truth, [f"{folder}/fuse/{name}" for name in names])


@contextlib.contextmanager
def over_nbd(folder, seed):
    """The emulator's NBD exports, mounted as files. The second mount adds its latency, so that of hits is not judged."""
    truth = secret(seed)
    with emulator(folder, truth, ["--nbd", f"unix:{folder}/nbd"]) as names, contextlib.ExitStack() as stack:
        if truth.cache:
            truth.cache = (truth.cache[0], None)
        targets = [stack.enter_context(mounted(folder, name, f"{folder}/nbd", name)) for name in names]
        yield Disk(folder, truth, targets)


@contextlib.contextmanager
def throttled(folder, seed):
    """qemu's throttle groups over a null device. Without a maximum a bucket holds a tenth of a second (util/throttle.c)."""
    os.makedirs(folder, exist_ok=True)
    draw = random.Random(f"throttle {seed}")
    iops = round(between(draw, 300, 2500))
    truth = Truth(said="", iops=iops, bytes=round(iops * between(draw, 16, 96)) * KIB, bucket_s=0.1)
    limits = {"iops-total": iops, "bps-total": truth.bytes}
    kind = ("plain", "maximum", "burst", "units")[seed % 4]
    if kind == "maximum":
        # A bucket of `max` I/Os, which pass at any rate.
        limits["iops-total-max"] = round(iops * between(draw, 1.05, 2.0))
        truth.bucket_s = limits["iops-total-max"] / iops
    if kind == "burst":
        # A bucket of max x length I/Os that pass at `max` a second: it empties at the difference of the two rates.
        limits["iops-total-max"] = round(iops * between(draw, 1.6, 2.5))
        limits["iops-total-max-length"] = draw.randrange(6, 16)
        truth.bucket_s = None
        truth.burst = (limits["iops-total-max"], limits["iops-total-max"] * limits["iops-total-max-length"])
    if kind == "units":
        # A larger I/O counts size / iops-size, in fractions: the same bytes a second pass at every size from there on.
        limits["iops-size"] = 8 * KIB
        limits["bps-total"] = 100 * iops * 8 * KIB
        truth.bytes = iops * 8 * KIB
    truth.said = f"{kind}, {limits}"
    group = json.dumps({"qom-type": "throttle-group", "id": "group", "limits": limits})
    null = f"driver=null-co,node-name=null,size={8 * GIB},latency-ns={round(between(draw, 5e5, 2e6))}"
    words = ["qemu-storage-daemon", "--object", group, "--blockdev", null]
    words += ["--blockdev", "driver=throttle,node-name=disk,throttle-group=group,file=null"]
    words += ["--nbd-server", f"addr.type=unix,addr.path={folder}/nbd", "--export", "type=nbd,id=disk,node-name=disk,name=disk"]
    with running(words, f"{folder}/out") as process:
        wait_for(lambda: os.path.exists(f"{folder}/nbd"), process, "qemu-storage-daemon")
        with mounted(folder, "disk", f"{folder}/nbd", "disk") as path:
            yield Disk(folder, truth, [path])


CGROUP = "/sys/fs/cgroup"


def cgroup(device, iops, rate, name):
    """A group of processes with limits on reads of a device, as (its folder, what its limits are called)."""
    def write(path, text):
        with open(path, "w", encoding="ascii") as file:
            file.write(text)

    if os.path.exists(f"{CGROUP}/cgroup.controllers"):
        with open(f"{CGROUP}/cgroup.controllers", encoding="ascii") as file:
            if "io" not in file.read().split():
                raise Unready("the kernel has no io controller for cgroup v2")
        write(f"{CGROUP}/cgroup.subtree_control", "+io")
        folder = f"{CGROUP}/{name}"
        os.makedirs(folder, exist_ok=True)
        write(f"{folder}/io.max", f"{device} riops={iops} rbps={rate}")
        return folder, "io.max"
    if not os.path.exists(f"{CGROUP}/blkio/blkio.throttle.read_iops_device"):
        raise Unready("neither cgroup v2 nor blkio of cgroup v1 is mounted at /sys/fs/cgroup")
    folder = f"{CGROUP}/blkio/{name}"
    os.makedirs(folder, exist_ok=True)
    write(f"{folder}/blkio.throttle.read_iops_device", f"{device} {iops}")
    write(f"{folder}/blkio.throttle.read_bps_device", f"{device} {rate}")
    return folder, "blkio.throttle"


@contextlib.contextmanager
def zram():
    """A zram device that nothing else uses."""
    try:
        with open("/sys/class/zram-control/hot_add", encoding="ascii") as file:
            number = int(file.read())
    except OSError as error:
        raise Unready(f"there is no zram device: {error}") from error
    try:
        with open(f"/sys/block/zram{number}/disksize", "w", encoding="ascii") as file:
            file.write(str(8 * GIB))
        yield f"/dev/zram{number}"
    finally:
        with open("/sys/class/zram-control/hot_remove", "w", encoding="ascii") as file:
            file.write(str(number))


@contextlib.contextmanager
def loop(folder):
    """A loop device over a sparse file."""
    with open(f"{folder}/disk", "wb") as file:
        file.truncate(8 * GIB)
    made = subprocess.run(["losetup", "--show", "-f", f"{folder}/disk"], capture_output=True, text=True, check=False)
    if made.returncode != 0:
        raise Unready(f"there is no loop device: {made.stderr.strip()}")
    try:
        yield made.stdout.strip()
    finally:
        subprocess.run(["losetup", "-d", made.stdout.strip()], check=False)


@contextlib.contextmanager
def by_kernel(folder, seed):
    """A cgroup's limits on a device: windows of 100 ms, each with its quota (DFL_THROTL_SLICE, block/blk-throttle.c)."""
    os.makedirs(folder, exist_ok=True)
    draw = random.Random(f"kernel {seed}")
    iops = round(between(draw, 300, 3000))
    truth = Truth(said="", iops=iops, bytes=round(iops * between(draw, 16, 96)) * KIB, slice_s=0.1)
    with loop(folder) if seed % 2 else zram() as path:
        number = os.stat(path).st_rdev
        device = f"{os.major(number)}:{os.minor(number)}"
        group, called = cgroup(device, iops, truth.bytes, f"iobound-probe-{os.getpid()}")
        truth.said = f"{called} on {path}, {iops} IOPS, {truth.bytes / 1e6:.1f} MB/s"
        try:
            join = 'echo $$ > "$0/cgroup.procs"; exec "$@"'
            yield Disk(folder, truth, [path], ["sh", "-c", join, group])
        finally:
            os.rmdir(group)


@contextlib.contextmanager
def unlimited(folder, seed):
    """The emulator without limits; every second disk beside a neighbour that reads from it in fits. nbdfuse has few threads, which
    are a limit, so that the emulator's own files are probed."""
    draw = random.Random(f"unlimited {seed}")
    latency = round(between(draw, 3e4, 6e4))
    neighbour = ", with a noisy neighbour" if seed % 2 else ""
    truth = Truth(said=f"no limit, {latency / 1e3:.1f} ms{neighbour}", latency_us=(latency, 1.0))
    with emulator(folder, truth, ["--fuse", f"{folder}/fuse"]) as names, contextlib.ExitStack() as stack:
        path = f"{folder}/fuse/{names[0]}"
        if seed % 2:
            fits = "while sleep $((RANDOM % 3)); do timeout 0.3 dd if=\"$0\" of=/dev/null bs=64k iflag=direct 2>/dev/null; done"
            stack.enter_context(running(["bash", "-c", fits, path], f"{folder}/neighbour"))
        yield Disk(folder, truth, [path])


PARTS = {
    "fuse": (over_fuse, 10),
    "nbd": (over_nbd, 5),
    "throttle": (throttled, 4),
    "kernel": (by_kernel, 4),
    "unlimited": (unlimited, 2),
}
