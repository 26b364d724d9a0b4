"""The emulator's disks as files: fio's io_uring engine, plain tools, and a loop device with ext4 on it."""

import contextlib
import hashlib
import json
import os
import signal
import stat
import subprocess
import time

from common import MIB, PROGRAM, Failed, check, folder, loop_device, mounted, run, say
from emulated import PLACES, emulated, patterned, same_bytes

GIB = 1024 * MIB
CONFIGURATION = ("--vm", "DS14", "--disk", "data=P1", "--disk", "wide=3xP1", "--limits", "off", "--memory", "2GiB")
EXPORTS = {"data": 4 * GIB, "wide": 12 * GIB, "wide.0": 4 * GIB, "wide.1": 4 * GIB, "wide.2": 4 * GIB}


def listed(server, here):
    """A file for each volume and disk, of its size; nothing can be made or removed there."""
    found = {name: os.stat(server.file(name)) for name in os.listdir(server.files)}
    for name, size in EXPORTS.items():
        check(name in found, f"{name} is not among {sorted(found)}")
        check(found[name].st_size == size and stat.S_ISREG(found[name].st_mode), f"{name}: {found[name]}")
    for change in (lambda: os.unlink(server.file("data")), lambda: open(server.file("new"), "wb")):
        try:
            change()
        except OSError:
            continue
        check(False, "a file was made or removed among the disks")
    return f"{len(found)} files, of the sizes of their disks"


def verified(server, here):
    """fio's io_uring engine, past the page cache and through it, several jobs on one file; all of it verified."""
    words = ["--rw=randwrite", "--size=96M", "--iodepth=64", "--verify=crc32c", "--do_verify=1", "--verify_fatal=1", "--verify_state_save=0"]
    ways = {
        "direct": ["--ioengine=io_uring", "--direct=1", "--bsrange=4k-1m", "--blockalign=4k", "--serialize_overlap=1"],
        "sectors": ["--ioengine=io_uring", "--direct=1", "--bs=512", "--size=8M", "--iodepth=128"],
        "jobs": ["--ioengine=io_uring", "--direct=1", "--bs=16k", "--numjobs=4", "--offset_increment=96M"],
        "buffered": ["--ioengine=psync", "--bs=5000", "--iodepth=1", "--fsync=200", "--size=32M"],
    }
    for name, extra in ways.items():
        target = server.file("wide" if name != "buffered" else "data")
        done = run(["fio", f"--name={name}", f"--filename={target}", "--output-format=json", *words, *extra], within=300)
        jobs = json.loads(done.stdout[done.stdout.index("{") :])["jobs"]
        check(all(job["error"] == 0 for job in jobs), f"fio, {name}: {done.stderr}")
        check(all(job["read"]["io_bytes"] > 0 for job in jobs), f"fio, {name}: nothing was verified")
    return f"fio, io_uring and plain: {', '.join(ways)}: verified by CRC"


def copied(server, here):
    """Copied there by a tool that knows nothing of disks, and read over NBD: it is the same disk."""
    given = f"{here}/given"
    patterned(given, EXPORTS["data"], PLACES)
    run(["dd", f"if={given}", f"of={server.file('data')}", "bs=1M", "conv=notrunc,fsync,sparse", "oflag=direct"], within=300)
    same_bytes(given, server.file("data"), "dd to the file")
    same_bytes(given, server.uri("data"), "the file and the NBD export")
    # Zeroes where they are asked for, and holes.
    run(["fallocate", "--punch-hole", "--offset", 4 * MIB, "--length", MIB, server.file("data")])
    run(["fallocate", "--zero-range", "--keep-size", "--offset", 6 * MIB + 512, "--length", 5 * 512, server.file("data")])
    for offset, length in ((4 * MIB, MIB), (6 * MIB + 512, 5 * 512)):
        with open(given, "r+b") as file:
            file.seek(offset)
            file.write(bytes(length))
    same_bytes(given, server.file("data"), "fallocate of holes and zeroes")
    os.unlink(given)
    return "dd, fallocate: what is written to the file is on the disk, and on its NBD export"


def tree_sum(folder_of):
    """One hash of all files below a folder, names and contents."""
    whole = hashlib.sha256()
    for at, folders, files in sorted(os.walk(folder_of)):
        folders.sort()
        for name in sorted(files):
            path = os.path.join(at, name)
            whole.update(os.path.relpath(path, folder_of).encode())
            with open(path, "rb") as file:
                whole.update(file.read())
    return whole.hexdigest()


def file_system(server, here):
    """A loop device on a stripe, ext4 on that: files are what they were, before and after it was unmounted, and sound."""
    with loop_device(server.file("wide"), "--direct-io=on") as device:
        run(["mkfs.ext4", "-q", device])
        at = os.path.join(here, "mnt")
        with mounted(device, at, "-o", "discard") as root:
            for n in range(2000):
                os.makedirs(f"{root}/{n % 40}", exist_ok=True)
                with open(f"{root}/{n % 40}/{n}", "wb") as file:
                    file.write(os.urandom(n * 37 % 100_000))
            for n in range(0, 2000, 3):
                os.unlink(f"{root}/{n % 40}/{n}")
            before = tree_sum(root)
            run(["fstrim", root])
        run(["e2fsck", "-f", "-n", device])
        with mounted(device, at) as root:
            after = tree_sum(root)
        check(before == after, "the files are not what they were before unmounting")
        run(["e2fsck", "-f", "-n", device])
    return "ext4 on a loop device on a stripe: 1,333 files the same after unmounting, e2fsck clean"


def gone(place, within):
    """Waits until nothing is mounted at a place."""
    end = time.monotonic() + within
    while True:
        with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
            if not any(line.split()[4] == place for line in mounts):
                return
        check(time.monotonic() < end, f"{place} is still mounted")
        time.sleep(0.01)


def guarded(here):
    """The guardian of a killed server takes its mount away, also if the whole process group was killed."""
    words = ("--vm", "DS14", "--disk", "data=P1", "--limits", "off")
    for _ in range(20):
        with emulated(here, *words, fuse=True) as server:
            place = os.path.realpath(server.files)
            server.kill()
            gone(place, 5)
    return "the mount of 20 killed servers: gone at once"


def guardians_of(place):
    """The processes that guard a mount."""
    words = ["emulate", "guard", os.path.realpath(place)]
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError), open(f"/proc/{pid}/cmdline", encoding="utf-8") as file:
            if file.read().split("\0")[1:4] == words:
                found.append(int(pid))
    return found


def mended(here):
    """A server that is killed with its guardian leaves a mount that answers nothing; the next start mends it."""
    words = ("--vm", "DS14", "--disk", "data=P1", "--limits", "off")
    with emulated(here, *words, fuse=True) as server:
        pid = server.process.pid
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as children:
            guardians = [int(child) for child in children.read().split()]
        check(len(guardians) == 1, f"{guardians} guard the mount")
        os.kill(guardians[0], signal.SIGKILL)
        server.kill()
        with emulated(here, *words, fuse=True) as again:
            check(os.stat(again.file("data")).st_size == 4 * GIB, "the next start serves no file")
            # One that is alive is nobody's to take away. Nobody takes the exit code of the second start before its guardian is gone.
            second = subprocess.Popen([PROGRAM, "emulate", *words, "--fuse", again.files], stderr=subprocess.PIPE, text=True)
            os.waitid(os.P_PID, second.pid, os.WEXITED | os.WNOWAIT)
            end = time.monotonic() + 30
            while len(guardians_of(again.files)) > 1:
                check(time.monotonic() < end, "the guardian of a refused start does not end")
                time.sleep(0.01)
            _, why = second.communicate()
            check(second.returncode != 0 and again.files in why, f"a live mount was taken: {second.returncode}: {why}")
            check(os.stat(again.file("data")).st_size == 4 * GIB, "a second start took the mount away")
    return "the mount of a killed server: mended by the next start; that of a live one: refused"


def killed_early(here):
    """Killed while it measures its transport: its guardian takes the mount away, and the next start its folder."""
    words = [PROGRAM, "emulate", "--vm", "DS14", "--disk", "data=P1", "--json", "--fuse", f"{here}/early"]
    temporary = f"{here}/tmp"
    os.mkdir(temporary)
    options = {"env": {**os.environ, "TMPDIR": temporary}, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    dead, tries = [], 0
    # It measures for a fifth of a second, which a busy machine may miss.
    while not dead:
        tries += 1
        check(tries <= 50, "no start could be killed while it measured")
        process = subprocess.Popen(words, **options)
        while process.poll() is None and not dead:
            places = [f"{temporary}/{name}/files" for name in os.listdir(temporary)]
            dead = [place for place in places if os.path.exists(f"{place}/measured")]
            if os.path.exists(f"{here}/early"):
                break
        # A thread of it may wait for its own reply, and then it does not end: nobody waits for it here.
        process.kill()
        if not dead:
            process.wait()
            run(["umount", "--quiet", "--lazy", f"{here}/early"], ends=None)
    # Its guardian ends the connection, so that the program can end, and takes the mount away.
    gone(os.path.realpath(dead[0]), 10)
    done = run([*words, "--duration", "1s"], env=options["env"])
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        raise Failed("the killed program does not end") from None
    check("killed" in done.stdout, f"nothing is said of what was taken away: {done.stdout}")
    left = [name for name in os.listdir(temporary) if name.startswith("iobound-measure")]
    check(left == [], f"{left} are left in the temporary folder")
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        check(temporary not in mounts.read(), "it is mounted still")
    return f"killed while it measured (start {tries}): its mount goes at once, and its folder with the next start"


def part():
    with folder(GIB) as here:
        with emulated(here, *CONFIGURATION, fuse=True) as server:
            for client in (listed, copied, verified, file_system):
                say(client(server, here))
        say(guarded(here))
        say(mended(here))
        say(killed_early(here))
