"""Blocks with fio's verify=pattern: fio writes and this program reads them, and the other way round."""

import os

from common import MIB, check, folder, iobound, run, say

# Options that both sides have.
CASES = (
    ["--rw=write", "--bs=4k", "--verify_pattern=0xdeadbeef"],
    ["--rw=randwrite", "--bs=4k", "--verify_pattern=%o"],
    ["--rw=write", "--bs=12k", '--verify_pattern=0xab"string"%o-12', "--verify_interval=4k"],
    ["--rw=randwrite", "--bs=8k", "--verify_pattern=0xfe%o%o1"],
)


def part():
    with folder(64 * MIB) as here:
        for number, options in enumerate(CASES):
            rw, *rest = options
            read = rw.replace("write", "read")
            for writer, reader in (("fio", "iobound"), ("iobound", "fio")):
                words = ["--name=a", "--filename=x", "--size=768k", "--verify=pattern", *rest]
                path = os.path.join(here, "x")
                if os.path.exists(path):
                    os.remove(path)
                sides = {
                    "fio": lambda *more, ends=0: run(["fio", *words, *more], ends=ends, cwd=here),
                    "iobound": lambda *more, ends=0: iobound("fio", "--results", "off", *words, *more, ends=ends, cwd=here),
                }
                sides[writer](rw, "--do_verify=0")
                sides[reader](read)
                with open(path, "r+b") as file:
                    file.seek(300_000)
                    (byte,) = file.read(1)
                    file.seek(300_000)
                    file.write(bytes([byte ^ 1]))
                done = sides[reader](read, ends=None)
                # fio 3.33 ends with 0 where only the last part of a block (verify_interval) is as it should be.
                check(done.returncode != 0 or reader == "fio", f"{reader} took a changed byte for the pattern of {options}")
                text = done.stdout + done.stderr
                check("pattern: verify failed at file" in text, f"{reader} names no block of {options}: {text}")
            say(f"case {number}: {' '.join(options)}: written and read by both")
