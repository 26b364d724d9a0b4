"""Discards on a block device: they reach it as such, and what they covered is given back."""

import json
import os

from common import BAD_INPUT, MIB, check, folder, iobound, loop_device, say

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
            since = discards_of(device)
            environment = {**os.environ, "IOBOUND_BUSY_OK": "true", "IOBOUND_OVERWRITE": device}
            words = ["--name=trims", f"--filename={device}", "--rw=trim", f"--bs={BLOCK}", f"--size={SIZE // 2}"]
            report = json.loads(iobound("fio", *words, "--output-format=json", env=environment).stdout)
            trims = report["jobs"][0]["trim"]["total_ios"]
            check(trims == SIZE // 2 // BLOCK, f"{trims} trims of {BLOCK} bytes in {SIZE // 2}")
            sent = discards_of(device) - since
            check(sent == trims, f"{trims} trims, and the kernel sent {sent} discards to {device}")
            refused = iobound("fio", *words, "--ioengine=io_uring", env=environment, ends=BAD_INPUT)
            check("IOBOUND_ENGINE=sync" in refused.stderr, f"io_uring: {refused.stderr}")
        after = os.stat(backing).st_blocks
        check(after * 512 <= before * 512 - SIZE // 2, f"{before} sectors before the discards, {after} after")
        with open(backing, "rb") as file:
            check(file.read(SIZE // 2) == bytes(SIZE // 2), "what was discarded reads as something else than zeroes")
            check(any(file.read()), "what was not discarded is gone")
        say(f"{trims} discards reached {os.path.basename(device)}, and gave back {(before - after) // 2} KiB")
