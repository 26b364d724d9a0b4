"""Outputs of root in a directory of another user, who swaps the names in it all the time: no file elsewhere changes.

Usage: python3 .ci/hostile.py IOBOUND FOLDER [TRIES]. Run as root. The directory belongs to user 65534.
"""

import hashlib
import os
import signal
import subprocess
import sys
import time

USER = 65534
NAMES = ("out", "data.db", "data.db-wal", "data.db-shm", "data.db-journal")


def attack(place, victim):
    """Swaps each name among a link, a file of its own, a file that looks like an output, and nothing; until killed."""
    # The way to the directory may be closed to that user.
    os.chdir(place)
    os.setgid(USER)
    os.setuid(USER)
    looks = b"stage,start_s,end_s,phase,cut_short,iops,throughput_bytes_per_s\n"
    with open("like", "wb") as like:
        like.write(looks)
    turn = 0
    while True:
        for name in NAMES:
            turn += 1
            spare = f"spare{turn % 7}"
            try:
                if turn % 4 == 0:
                    os.symlink(victim, spare)
                elif turn % 4 == 1:
                    with open(spare, "wb") as file:
                        file.write(looks)
                elif turn % 4 == 2:
                    open(spare, "wb").close()
                else:
                    os.unlink(name)
                    continue
                os.rename(spare, name)
            except OSError:
                pass


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def main():
    program, folder = sys.argv[1:3]
    tries = int(sys.argv[3]) if len(sys.argv) > 3 else 1000
    victim = f"{folder}/victim"
    with open(victim, "wb") as file:
        file.write(os.urandom(1 << 20))
    os.chmod(victim, 0o644)
    before = (digest(victim), os.stat(victim).st_ino, os.stat(victim).st_mtime_ns)
    place = f"{folder}/theirs"
    os.mkdir(place)
    os.chown(place, USER, USER)
    attacker = os.fork()
    if attacker == 0:
        attack(place, victim)
    codes = {}
    began = time.monotonic()
    try:
        for n in range(tries):
            kind = ("--csv", "--ndjson", "--hlog", "--html")[n % 4]
            words = [program, "run", f"{folder}/target", "--size", "1MiB", "--buffered", "--duration", "20ms", "--warmup", "0s",
                     "--busy-ok", kind, f"{place}/out", "--results", f"{place}/data.db"]
            done = subprocess.run(words, capture_output=True, timeout=120, check=False)
            codes[done.returncode] = codes.get(done.returncode, 0) + 1
            if done.returncode not in (0, 2, 3, 4):
                sys.exit(f"ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
            after = (digest(victim), os.stat(victim).st_ino, os.stat(victim).st_mtime_ns)
            if after != before:
                sys.exit(f"try {n}: {victim} was changed by {kind}")
    finally:
        os.kill(attacker, signal.SIGKILL)
        os.waitpid(attacker, 0)
    seconds = time.monotonic() - began
    print(f"{tries} runs in {seconds:.0f} s, exit codes {dict(sorted(codes.items()))}: no byte of {victim} changed")


main()
