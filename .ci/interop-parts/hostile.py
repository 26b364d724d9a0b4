"""Directories that another user controls: no byte of anybody else's is written, however names are swapped."""

import ctypes
import hashlib
import multiprocessing
import os
import random
import select
import signal
import struct
import subprocess
import sys
import time

from common import BAD_INPUT, DONE, MIB, PROGRAM, REFUSED, Failed, check, folder, iobound, loop_device, mounted, run, say, start

# A user that owns nothing else here.
OTHER = 65_534
# Starts of the program under attack, of `run` and of `emulate` together.
TRIES = 1_000
WORKERS = 8
# Time limit of one program on a slow machine. All tries are made, however long they take.
WITHIN = 600

SWAPPED = ("iobound.0.data", "iobound.0.data.iobound", "data.img", "data.img.iobound")
WRITES = ("--read", "0%", "--block", "4KiB", "--depth", "1", "--warmup", "0s", "--duration", "10ms", "--max-iops", "500")
IN_CREATE, IN_OPEN, IN_MOVED_TO, IN_ATTRIB = 0x100, 0x20, 0x80, 0x4


def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


class Watch:
    """inotify on one directory."""

    def __init__(self, path):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        events = IN_CREATE | IN_OPEN | IN_MOVED_TO | IN_ATTRIB
        if self.fd < 0 or libc.inotify_add_watch(self.fd, path.encode(), events) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def names(self, within):
        """The names of which something happened within so many seconds."""
        if not select.select([self.fd], [], [], within)[0]:
            return []
        data, at, names = os.read(self.fd, 65_536), 0, []
        while at < len(data):
            length = struct.unpack_from("iIII", data, at)[3]
            names.append(data[at + 16 : at + 16 + length].rstrip(b"\0").decode())
            at += 16 + length
        return names


def swap(directory, name, victims, dice):
    """Puts a link to a victim, or nothing, where the program is about to find its file."""
    path = f"{directory}/{name}"
    try:
        way = dice.randrange(6)
        if way == 0:
            os.unlink(path)
        elif way == 1:
            os.rename(path, f"{directory}/moved.{dice.randrange(8)}")
        else:
            link = f"{directory}/link"
            os.symlink(dice.choice(victims), link)
            if way == 2 and os.path.lexists(path):
                os.rename(path, f"{directory}/moved.{dice.randrange(8)}")
            os.rename(link, path)
        return 1
    except OSError:
        return 0


def attack(directory, victims, seed, ends, swaps):
    """As the other user: swaps at each event, and now and then without one."""
    # The way to the directory may be closed to that user: what it is about lies in it.
    os.chdir(directory)
    directory = "."
    os.setgroups([])
    os.setgid(OTHER)
    os.setuid(OTHER)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    dice = random.Random(seed)
    watch = Watch(directory)
    while not ends.value:
        names = [name for name in watch.names(0.002) if name in SWAPPED]
        if not names and dice.randrange(8) == 0:
            names = [dice.choice(SWAPPED)]
        done = 0
        for name in names:
            done += swap(directory, name, victims, dice)
        with swaps.get_lock():
            swaps.value += done
        # At times nothing stands in the way, so that the program gets its file, and is attacked after that.
        if dice.randrange(20) == 0:
            for name in SWAPPED:
                try:
                    os.unlink(f"{directory}/{name}")
                except OSError:
                    pass


def tried(directory, number):
    """One start of the program on the directory, by turns of each kind; its exit code."""
    if number % 4 == 3:
        words = ["emulate", "--vm", "DS14", "--disk", "P1", "--backing", directory, "--nbd", f"unix:{directory}.sock", "--transport-cost", "0us", "--duration", "20ms"]
    elif number % 4 == 2:
        words = ["run", directory, "--size", "256KiB", "--duration", "10ms", "--warmup", "0s"]
    else:
        words = ["run", directory, "--size", "256KiB", *WRITES, *(["--remove"] if number % 4 else [])]
    done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=60, env={**os.environ, "IOBOUND_BUSY_OK": "true"})
    check(done.returncode in (DONE, BAD_INPUT, REFUSED, 4), f"{words} ended with {done.returncode}: {done.stderr}")
    check("panicked" not in done.stderr, done.stderr)
    return done.returncode


def worker(directory, victims, tries, seed, out):
    ends, swaps = multiprocessing.Value("b", 0), multiprocessing.Value("q", 0)
    attacker = multiprocessing.Process(target=attack, args=(directory, victims, seed, ends, swaps))
    attacker.start()
    codes, wrong = [], None
    try:
        for number in range(tries):
            codes.append(tried(directory, number))
        check(attacker.is_alive(), "the attacker has ended before the program")
    except (Failed, subprocess.TimeoutExpired) as why:
        wrong = str(why)
    ends.value = 1
    attacker.join(10)
    out.put((codes, swaps.value, wrong))


def raced(here):
    """So many starts while another user swaps the names: the victims keep every byte."""
    precious = f"{here}/precious"
    os.mkdir(precious, 0o755)
    image = f"{here}/victim.img"
    with open(image, "wb") as file:
        file.write(os.urandom(8 * MIB))
    with loop_device(image) as device:
        run(["mkfs.ext4", "-q", "-F", device])
        with mounted(device, f"{here}/mounted"):
            victims = [f"{precious}/file", f"{here}/mounted/file"]
            for path in victims:
                with open(path, "wb") as file:
                    file.write(os.urandom(256 << 10))
                os.chmod(path, 0o644)
            run(["sync", "--file-system", f"{here}/mounted"])
            before = {path: digest(path) for path in [*victims, device]}
            out, workers = multiprocessing.Queue(), []
            for number in range(WORKERS):
                directory = f"{here}/hostile.{number}"
                os.mkdir(directory)
                os.chown(directory, OTHER, OTHER)
                arguments = (directory, [*victims, device], TRIES // WORKERS, number, out)
                workers.append(multiprocessing.Process(target=worker, args=arguments))
            began = time.monotonic()
            for process in workers:
                process.start()
            answers = [out.get(timeout=WITHIN) for _ in workers]
            for process in workers:
                process.join(30)
            took = time.monotonic() - began
            for path in victims:
                check(digest(path) == before[path], f"{path} was written to")
                check("user.iobound" not in os.listxattr(path), f"{path} was marked")
            # The mounted file system is its own owner's to change; its image is compared after unmounting.
            run(["sync", "--file-system", f"{here}/mounted"])
        run(["e2fsck", "-f", "-n", device])
        with mounted(device, f"{here}/mounted", "-o", "ro"):
            check(digest(f"{here}/mounted/file") == before[f"{here}/mounted/file"], "the mounted device was written to")
    wrong = [why for _, _, why in answers if why]
    check(not wrong, "\n".join(wrong))
    codes = [code for codes, _, _ in answers for code in codes]
    swaps = sum(swapped for _, swapped, _ in answers)
    check(len(codes) == TRIES, f"{len(codes)} tries and not {TRIES}")
    got = codes.count(DONE)
    check(got >= TRIES // 50 and TRIES - got >= TRIES // 50, f"no race: {got} of {TRIES} got their file")
    check(swaps >= TRIES, f"the attacker has swapped {swaps} times only")
    return f"{TRIES} starts, {swaps} swaps: {got} got a file of their own, {TRIES - got} did not; 0 foreign bytes ({took:.0f} s)"


def forged(here):
    """Links and marks that another user has placed before the program starts."""
    directory = f"{here}/theirs"
    os.mkdir(directory)
    victim = f"{here}/victim"
    with open(victim, "wb") as file:
        file.write(os.urandom(MIB))
    before, facts = digest(victim), os.stat(victim)
    for name in ("iobound.0.data", "data.img"):
        os.symlink(victim, f"{directory}/{name}")
        with open(f"{directory}/{name}.iobound", "w", encoding="utf-8") as mark:
            mark.write(f'{{"version":1,"size_bytes":{facts.st_size},"filled_bytes":0,"content":"incompressible","compressible_ppm":0,"repeats_ppm":0,"seed":0,"created":1,"inode":{facts.st_ino}}}')
    os.chown(directory, OTHER, OTHER)
    for words in (("run", directory), ("run", directory, *WRITES), ("run", f"{directory}/iobound.0.data", *WRITES, "--overwrite", f"{directory}/iobound.0.data")):
        said = iobound(*words, ends=REFUSED).stderr
        check("symbolic link that another user can redirect" in said, said)
    emulator = ("emulate", "--vm", "DS14", "--disk", "P1", "--backing", directory, "--nbd", f"unix:{here}/sock", "--transport-cost", "0us", "--duration", "20ms")
    iobound(*emulator, ends=REFUSED)
    # A link may lead anywhere; a file of theirs is used when it is named, and only then.
    os.unlink(f"{directory}/iobound.0.data")
    with open(f"{directory}/iobound.0.data", "wb") as file:
        file.write(os.urandom(MIB))
    os.chown(f"{directory}/iobound.0.data", OTHER, OTHER)
    iobound("run", directory, *WRITES, ends=REFUSED)
    iobound("run", directory, *WRITES, "--overwrite", f"{directory}/iobound.0.data")
    check(digest(victim) == before, "the victim was written to")
    # Root's own file, in a directory of somebody else: it was made here, and still it is asked about.
    os.unlink(f"{directory}/iobound.0.data")
    os.unlink(f"{directory}/iobound.0.data.iobound")
    iobound("run", directory, "--size", "1MiB", *WRITES)
    said = iobound("run", directory, "--size", "1MiB", *WRITES, ends=REFUSED).stderr
    check("it belongs to user" in said and "--overwrite" in said, said)
    return "forged marks and links: refused; a file of theirs takes --overwrite"


def changed(here):
    """What others put into a file that was made here."""
    directory = f"{here}/ours"
    os.mkdir(directory, 0o755)
    path = f"{directory}/iobound.0.data"
    fresh = lambda: (os.path.exists(path) and os.unlink(path), iobound("run", directory, "--size", "16MiB", *WRITES))
    ways = {
        "cp": ["cp", f"{here}/database", path],
        "mkfs.ext4": ["mkfs.ext4", "-q", "-F", path],
        "grown": ["truncate", "--size=32M", path],
        "cut": ["truncate", "--size=8M", path],
        "dd": ["dd", f"if={here}/database", f"of={path}", "bs=4k", "count=1", "seek=2000", "conv=notrunc", "status=none"],
    }
    with open(f"{here}/database", "wb") as file:
        file.write(os.urandom(16 * MIB))
    for name, words in ways.items():
        fresh()
        # Run after run of the program itself takes no consent.
        iobound("run", directory, *WRITES)
        run(words)
        was = digest(path)
        said = iobound("run", directory, *WRITES, ends=REFUSED).stderr
        check("it carries this program's mark, but" in said, f"{name}: {said}")
        iobound("run", directory, "--duration", "10ms", "--warmup", "0s", ends=None)
        check(digest(path) == was, f"{name}: it was written to")
        iobound("run", directory, *WRITES, "--overwrite", path)
    # Ended while it writes: by Ctrl-C and SIGTERM the mark is completed, whatever the blocks. After a kill its own blocks
    # are recognised if they are of 1 KiB and more; else it asks.
    for block, how, ends in (("4KiB", signal.SIGKILL, DONE), ("512B", signal.SIGINT, DONE), ("512B", signal.SIGTERM, DONE), ("512B", signal.SIGKILL, REFUSED)):
        fresh()
        ended_while_writing(path, block, how)
        iobound("run", directory, *WRITES, ends=ends)
    return f"{', '.join(ways)}: asked about; runs that were ended go on without a question"


def ended_while_writing(path, block, how):
    """A run that a signal ends once it has written."""
    # Not by opening it: a file that another process opens while a run writes to it is asked about.
    before, began = os.stat(path).st_mtime_ns, time.monotonic()
    process = start("run", os.path.dirname(path), "--read", "0%", "--block", block, "--duration", "60s", "--warmup", "0s")
    while os.stat(path).st_mtime_ns == before:
        check(process.poll() is None and time.monotonic() - began < 30, "the run has written nothing")
        time.sleep(0.05)
    process.send_signal(how)
    process.communicate(timeout=30)


def unstable(here):
    """A file system that numbers its files as it likes, as sshfs does."""
    directory, behind = f"{here}/mirror", f"{here}/behind"
    os.mkdir(directory)
    os.mkdir(behind)
    server = subprocess.Popen([sys.executable, "-B", os.path.join(os.path.dirname(__file__), "mirror_disk.py"), behind, directory])
    try:
        began = time.monotonic()
        while not os.path.ismount(directory):
            check(server.poll() is None and time.monotonic() - began < 30, "the mirror is not mounted")
            time.sleep(0.05)
        words = ("run", directory, "--size", "1MiB", "--buffered", *WRITES)
        iobound(*words)
        said = iobound(*words, ends=REFUSED).stderr
        check("--overwrite" in said, said)
        # Somebody's file of the same name.
        with open(f"{behind}/iobound.0.data", "wb") as file:
            file.write(os.urandom(MIB))
        was = digest(f"{behind}/iobound.0.data")
        with open(f"{behind}/iobound.0.data.iobound", "w", encoding="utf-8") as notes:
            notes.write("notes")
        iobound(*words, ends=REFUSED)
        check(digest(f"{behind}/iobound.0.data") == was, "it was overwritten")
        iobound(*words, "--overwrite", f"{directory}/iobound.0.data")
        with open(f"{behind}/iobound.0.data.iobound", encoding="utf-8") as notes:
            check(notes.read() == "notes", "somebody's file beside it was replaced")
    finally:
        run(["fusermount3", "-u", "-z", directory], ends=None)
        server.wait(30)
    return "a file system without stable inodes: every existing file is asked about"


def disks(here):
    """Files of the emulator."""
    directory = f"{here}/disks"
    os.mkdir(directory, 0o755)
    words = ("emulate", "--vm", "DS14", "--disk", "P1", "--backing", directory, "--nbd", f"unix:{here}/sock", "--transport-cost", "0us", "--duration", "20ms")
    iobound(*words)
    image = [name for name in os.listdir(directory) if name.endswith(".img")]
    check(len(image) == 1, f"{image}")
    path = f"{directory}/{image[0]}"
    iobound(*words)
    size = os.stat(path).st_size
    os.unlink(path)
    with open(path, "wb") as file:
        file.truncate(size)
        file.write(b"somebody's")
    said = iobound(*words, ends=REFUSED).stderr
    check(f"--overwrite {path}" in said, said)
    iobound(*words, "--overwrite", path)
    iobound(*words, "--overwrite", f"{directory}/other.img", ends=BAD_INPUT)
    os.setxattr(path, "user.iobound.disk", b"iobound disk, version 1")
    os.chown(path, OTHER, OTHER)
    check("it belongs to user" in iobound(*words, ends=REFUSED).stderr, "another user's file was used")
    with open(path, "rb") as file:
        check(file.read(10) == b"somebody's", "it was overwritten")
    return "emulate: a disk of another user takes --overwrite, whatever its mark"


def outputs(here):
    """Files beside the answer, and the results store, while another user swaps their names."""
    place = f"{here}/outputs"
    os.mkdir(place, 0o755)
    script = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "hostile.py")
    done = run([sys.executable, "-B", script, PROGRAM, place, TRIES], within=WITHIN)
    return f"outputs: {done.stdout.strip()}"


def part():
    with folder(512 * MIB) as here:
        os.chmod(here, 0o755)
        for case in (forged, changed, unstable, disks, raced, outputs):
            say(case(here))
