"""Discards on a block device: they reach it as such, and what they covered is given back."""

import json
import os

from common import MIB, check, folder, iobound, loop_device, say

SIZE = 16 * MIB
BLOCK = 65536


def discards_of(device):
    """How many discards the kernel has sent to a device: the field of /sys/block/*/stat after those of time."""
    with open(f"/sys/block/{os.path.basename(device)}/stat", encoding="ascii") as stat:
        return int(stat.read().split()[11])


def part():
    with folder(SIZE) as here:
        backing = os.path.join(here, "disk")
        with open(backing, "wb") as file:
            file.write(os.urandom(SIZE))
        before = os.stat(backing).st_blocks
        with loop_device(backing) as device:
            environment = {**os.environ, "IOBOUND_BUSY_OK": "true", "IOBOUND_OVERWRITE": device}
            # fio trims whatever its asynchronous engine.
            for engine in ("psync", "libaio", "io_uring"):
                since = discards_of(device)
                words = ["--name=trims", f"--filename={device}", "--rw=trim", f"--bs={BLOCK}", f"--size={SIZE // 2}"]
                words += [f"--ioengine={engine}", "--output-format=json"]
                report = json.loads(iobound("fio", *words, env=environment).stdout)
                trims = report["jobs"][0]["trim"]["total_ios"]
                check(trims == SIZE // 2 // BLOCK, f"{engine}: {trims} trims of {BLOCK} bytes in {SIZE // 2}")
                sent = discards_of(device) - since
                check(sent == trims, f"{engine}: {trims} trims, and the kernel sent {sent} discards to {device}")
        after = os.stat(backing).st_blocks
        check(after * 512 <= before * 512 - SIZE // 2, f"{before} sectors before the discards, {after} after")
        with open(backing, "rb") as file:
            check(file.read(SIZE // 2) == bytes(SIZE // 2), "what was discarded reads as something else than zeroes")
            check(any(file.read()), "what was not discarded is gone")
        say(f"{trims} discards of each engine reached {os.path.basename(device)}, and gave back {(before - after) // 2} KiB")
