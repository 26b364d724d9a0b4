"""Measures files with the program for Windows under Wine, and with this machine's own: the same checks for both.

python3 .ci/windows.py OWN WINE PROGRAM.EXE FOLDER full|default BRIDGE.EXE
"""

import hashlib
import json
import os
import pathlib
import pty
import shutil
import socket
import subprocess
import sys
import threading
import time

DONE, BAD_INPUT, REFUSED, IO_ERROR, INTERRUPTED = 0, 2, 3, 4, 5
MIB = 1 << 20


def fail(text):
    sys.exit(f".ci/windows.py: {text}")


class Program:
    """A program and how it names the files of a folder."""

    def __init__(self, name, words, folder, drive):
        self.name, self.words, self.folder, self.drive = name, words, folder, drive

    def path(self, name):
        """The path of a file as the program's users write it."""
        return f"{self.drive}\\{name}" if self.drive else str(self.folder / name)

    def here(self):
        """The folder as the program's users write it."""
        return f"{self.drive}\\" if self.drive else str(self.folder)

    def run(self, *words, code=DONE, says=""):
        """Runs it and returns its standard output. Its exit code and a part of what it says are as expected."""
        line = [*self.words, *words]
        ended = subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL, timeout=240, check=False)
        out = ended.stdout.decode("utf-8").replace("\r\n", "\n")
        err = ended.stderr.decode("utf-8")
        # Long messages are folded at the width of the terminal.
        flat = " ".join((out + err).split())
        if ended.returncode != code or " ".join(says.split()) not in flat:
            fail(f"{self.name}: {' '.join(words)} ended with {ended.returncode}, not {code} and `{says}`:\n{out}{err}")
        return out

    def measured(self, *words, **expected):
        """The document of a run."""
        return json.loads(self.run("run", *words, "--json", **expected))


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def measures(program):
    """A folder gets a file of its own, which is filled, read past the cache, and recognised by the next run."""
    size, short = ["--size", "8MiB"], ["--duration", "1s", "--depth", "4"]
    first = program.measured(program.here(), *size, *short)
    assert first["prepared"][0]["did"] == "created", first["prepared"]
    assert first["iops"] > 0, first["iops"]
    assert (program.folder / "iobound.0.data").stat().st_size == 8 * MIB
    written = program.measured(program.here(), *size, *short, "--read", "50%", "--verify")
    assert written["prepared"][0]["did"] == "reused", written["prepared"]
    assert written["iops"] > 0, written["iops"]
    again = program.measured(program.here(), *size, *short)
    assert again["prepared"][0]["did"] == "reused", again["prepared"]
    return first


def verifies(program):
    """A block that something else wrote over is found: here by fio's own checks, whose reads need no memory of the writes."""
    filename = program.path("checked.dat").replace(":", "\\:")
    line = ["fio", "--name=v", f"--filename={filename}", "--size=1m", "--bs=4k", "--verify=crc32c", "--direct=1"]
    program.run(*line, "--rw=write")
    program.run(*line, "--rw=read")
    path = program.folder / "checked.dat"
    content = bytearray(path.read_bytes())
    content[40960 + 100] ^= 0xFF
    path.write_bytes(content)
    program.run(*line, "--rw=read", code=IO_ERROR, says="40960")


def refuses(program):
    """Data of others is not written over without its name, and a missing path is no wish for a file."""
    theirs = program.folder / "theirs.dat"
    theirs.write_bytes(b"\x5a" * (4 * MIB))
    before = digest(theirs)
    path = program.path("theirs.dat")
    short = ["--duration", "1s"]
    program.measured(path, *short)
    program.run("run", path, "--read", "0%", *short, code=REFUSED, says="--overwrite")
    program.run("diskspd", "-b4K", "-d1", "-W0", "-w100", "-c4M", path, code=REFUSED, says="would be overwritten")
    assert digest(theirs) == before, "the file has changed"
    program.run("run", program.path("missing.dat"), *short, code=BAD_INPUT, says="--size")
    assert not (program.folder / "missing.dat").exists()
    program.run("run", path, "--size", "4KiB", "--read", "0%", "--dry-run", code=REFUSED)
    program.measured(path, "--read", "0%", "--overwrite", path, *short)
    assert digest(theirs) != before, "the file is unchanged"


def guards(program):
    """A file that another program has open for writing is not written over, whatever was consented to."""
    path = program.path("io.dat")
    line = [*program.words, "run", path, "--read", "0%", "--duration", "120s"]
    with subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as child:
        # Its first line about an interval comes when it writes.
        seen = b""
        while b"counted" not in seen:
            part = os.read(child.stderr.fileno(), 4096)
            if not part:
                fail(f"{program.name}: {' '.join(line)} ended by itself: {seen.decode()}")
            seen += part
        again = ["run", path, "--read", "0%", "--duration", "1s", "--overwrite", path]
        program.run(*again, code=REFUSED, says="open for writing")
        child.kill()
    # It was killed, so its file is known by its blocks.
    program.measured(path, "--read", "50%", "--duration", "1s", "--verify")


def diskspd(program):
    """A script of DiskSpd runs unchanged, twice, and is answered in its words."""
    line = ["diskspd", "-b4K", "-d1", "-h", "-o8", "-t4", "-si", "-W0", "-c8M", program.path("io.dat")]
    for _ in range(2):
        out = program.run(*line)
        for part in ["diskspd -b4K -d1 -h", "Total IO", "block size: 4KiB", "threads per file: 4"]:
            assert part in out, f"`{part}` is not in:\n{out}"
    assert (program.folder / "io.dat").stat().st_size == 8 * MIB
    program.run("diskspd", "-b64K", "-d1", "-w30", "-Sh", "-L", "-r", "-W0", "-c8M", program.path("mixed.dat"))


# An Iometer configuration: 4 KiB random reads for a second on the drive E: with a label.
ICF = r"""Version 1.1.0
'TEST SETUP ====================================================================
'Test Description
	small
'Run Time
'	hours      minutes    seconds
	0          0          1
'Ramp Up Time (s)
	0
'Default Disk Workers to Spawn
	1
'Record Results
	ALL
'Test Type
	NORMAL
'END test setup
'ACCESS SPECIFICATIONS =========================================================
'Access specification name,default assignment
	4K read,NONE
'size,% of size,% reads,% random,delay,burst,align,reply
	4096,100,100,100,0,1,0,0
'END access specifications
'MANAGER LIST ==================================================================
'Manager ID, manager name
	1,HERE
'Manager network address
	
'Worker
	Worker 1
'Worker type
	DISK
'Default target settings for worker
'Number of outstanding IOs,test connection rate,transactions per connection,use fixed seed,fixed seed value
	4,DISABLED,1,DISABLED,0
'Disk maximum size,starting sector,Data pattern
	8192,0,0
'End default target settings for worker
'Assigned access specs
	4K read
'End assigned access specs
'Target assignments
'Target
	E: "data"
'Target type
	DISK
'End target
'End target assignments
'End worker
'End manager
'END manager list
Version 1.1.0
"""


def iometer(program):
    """An Iometer configuration is answered in its CSV; its drive is a folder."""
    (program.folder / "test.icf").write_text(ICF.replace("\n", "\r\n"), newline="")
    mapping = [] if program.drive else ["--map", f"E:={program.folder}"]
    out = program.run("iometer", program.path("test.icf"), *mapping)
    assert "'Target Type,Target Name" in out and "ALL,All" in out, out


def devices(program):
    """Volumes are refused with the reason. Wine has no disks: each name of one is told as the disk that is missing."""
    for path in ["#77", r"\\.\PhysicalDrive77", r"\\?\PhysicalDrive77"]:
        program.run("run", path, "--duration", "1s", code=BAD_INPUT, says="Windows has no disk 77")
        program.run("diskspd", "-b4K", "-d1", "-W0", path, code=BAD_INPUT, says="Windows has no disk 77")
    for path in [r"\\.\E:", r"\\?\Volume{0}"]:
        program.run("run", path, "--duration", "1s", code=REFUSED, says="does not open on Windows")
        program.run("diskspd", "-b4K", "-d1", "-W0", path, code=REFUSED, says="does not open on Windows")
    program.run("diskspd", "-b4K", "-d1", "E:", code=REFUSED, says="does not open on Windows")
    program.run("run", r"E:\io.dat:stream", "--size", "1MiB", code=REFUSED, says="stream of another file")
    # A drive without a path is a folder with a file of its own; long and verbatim paths are paths.
    program.measured("E:", "--size", "8MiB", "--duration", "1s")
    program.measured(r"\\?\E:\io.dat", "--duration", "1s")
    deep = program.folder / ("d" * 120) / ("e" * 120)
    deep.mkdir(parents=True, exist_ok=True)
    program.measured("\\\\?\\E:\\" + "d" * 120 + "\\" + "e" * 120 + r"\io.dat", "--size", "1MiB", "--duration", "1s")


def counters(program):
    """Wine has no counters of disks: the program says so, and which counter it asked for."""
    for line in (["watch", "--duration", "1s"], ["explain", "--duration", "1s"]):
        program.run(*line, "--metadata", "off", code=IO_ERROR, says=r"\PhysicalDisk(*)\Disk Reads/sec returns 0x")


def emulates(program):
    """Emulated disks are served over NBD: a client of Linux reads and writes them, `ctl` asks and ends the emulator."""
    image, control = program.folder / "image.raw", program.folder / "ctl"
    image.write_bytes(b"\xa5" * MIB)
    line = ["emulate", "--vm", "DS14", "--disk", "2xP30:readonly", "--nbd", "tcp:127.0.0.1:0", "--memory", "64MiB"]
    line += ["--image", f"data={program.path('image.raw')}", "--control", program.path("ctl"), "--json"]
    line += ["--metrics", "127.0.0.1:0"]
    with subprocess.Popen(
        [*program.words, *line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        first = child.stdout.readline()
        if not first:
            fail(f"{program.name}: {' '.join(line)} ended by itself: {child.stderr.read().decode()}")
        ready = json.loads(first)
        volume = next(device for device in ready["devices"] if device["kind"] == "volume")
        address = volume["at"][0]
        shown = subprocess.run(["nbdinfo", "--json", address], capture_output=True, check=True, timeout=60)
        assert json.loads(shown.stdout)["exports"][0]["export-size"] == volume["size_bytes"], shown.stdout
        # A read of the image, a write over it, zeroes where nothing was written and where it was discarded.
        commands = ["read -P 0xa5 0 512k", "write -P 0x5a 4k 64k", "read -P 0x5a 4k 64k", "read -P 0xa5 68k 4k",
                    "read -P 0 1G 1M", "discard 4k 64k", "read -P 0 4k 64k", "flush"]
        client = ["qemu-io", "-f", "raw", "-d", "unmap", address]
        done = subprocess.run([*client, *[word for command in commands for word in ("-c", command)]],
                              capture_output=True, check=False, timeout=120)
        said = (done.stdout + done.stderr).decode()
        if done.returncode != 0 or "verification failed" in said or "error" in said.lower():
            fail(f"{program.name}: qemu-io at {address}: {said}")
        # Several clients at once.
        readers = [subprocess.Popen([*client, "-c", f"read -P 0xa5 {128 + n}k 256k"], stdout=subprocess.PIPE,
                                    stderr=subprocess.STDOUT) for n in range(8)]
        for reader in readers:
            out = reader.communicate(timeout=120)[0].decode()
            assert reader.returncode == 0 and "verification failed" not in out, out
        state = json.loads(program.run("emulate", "ctl", "--control", program.path("ctl"), "state", "--json"))
        assert state["state"]["devices"], state
        host, port = ready["metrics"].removeprefix("http://").removesuffix("/metrics").split(":")
        with socket.create_connection((host, int(port)), timeout=30) as client:
            client.sendall(f"GET /metrics HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n".encode())
            page = b"".join(iter(lambda: client.recv(65536), b""))
        counted = 'iobound_device_ios_total{device="data",op="write"} '
        lines = [text for text in page.decode().splitlines() if text.startswith(counted)]
        assert lines and int(lines[0].removeprefix(counted)) > 0, page
        program.run("emulate", "ctl", "--control", program.path("ctl"), "stop")
        rest, err = child.communicate(timeout=60)
    if child.returncode != DONE or control.exists():
        fail(f"{program.name}: the emulator ended with {child.returncode}: {err.decode()}")
    assert json.loads(rest.decode().splitlines()[-1])["because"] == "ctl stop", rest
    assert image.read_bytes() == b"\xa5" * MIB, "the image was written to"


def emulates_on_windows(program):
    """`ctl` finds the emulator that runs; what only Linux has is refused with what there is instead."""
    disks = ["emulate", "--vm", "DS14", "--disk", "P30"]
    program.run("emulate", "ctl", "state", code=BAD_INPUT, says="no running emulator")
    # The only one is found without its control file.
    line = [*disks, "--nbd", "tcp:127.0.0.1:0", "--memory", "16MiB", "--limits", "off", "--json"]
    with subprocess.Popen([*program.words, *line], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as child:
        assert json.loads(child.stdout.readline())["event"] == "ready"
        program.run("emulate", "ctl", "stop", says="it ends")
        child.communicate(timeout=60)
    assert child.returncode == DONE, child.returncode
    program.run("emulate", "ctl", "stop", code=BAD_INPUT, says="no running emulator")
    for words, says in [
        (["--fuse", "disks"], "FUSE is Linux's"),
        (["--nbd", "unix:a.sock"], "no unix sockets on Windows"),
        (["--nbd", "tcp:127.0.0.1:0", "--backing", "folder"], "disks in files are Linux's"),
        ([], "no --nbd address is given"),
    ]:
        program.run(*disks, *words, code=BAD_INPUT, says=says)


def helps(program):
    """Help has the paths of Windows, and leaves out what only Linux has."""
    emulate = program.run("emulate", "--help")
    assert "--nbd tcp:127.0.0.1:10809" in emulate and "--fuse" not in emulate, emulate
    run = program.run("run", "--help")
    assert r"iobound run E:\ " in run and "/mnt" not in run, run
    # A path with a blank is one word of cmd and of PowerShell, and a backslash is no escape.
    path = program.path("my data.dat")
    (program.folder / "my data.dat").write_bytes(b"\x5a" * MIB)
    program.run("run", path, "--read", "0%", "--duration", "1s", code=REFUSED, says=f'--overwrite "{path}"')


def fleet(own, windows, bridge):
    """The coordinator is on Windows and its ranks on Linux: a stand-in for ssh.exe carries each rank's streams to this script."""
    listener = socket.create_server(("127.0.0.1", 0))
    started = []

    def serve():
        while len(started) < 2:
            link, _ = listener.accept()
            command = b""
            while not command.endswith(b"\n"):
                command += link.recv(1)
            started.append(subprocess.Popen(["sh", "-c", command.decode()], stdin=link, stdout=link))
            link.close()

    threading.Thread(target=serve, daemon=True).start()
    line = [*windows.words, "fleet", "--ssh", bridge, "--host", "db1", "--host", "db2"]
    line += ["--remote-program", os.path.abspath(own.words[0]), "--json", "--"]
    line += ["run", str(own.folder / "fleet-{rank}.dat"), "--size", "8MiB", "--duration", "2s"]
    port = str(listener.getsockname()[1])
    ended = subprocess.run(line, capture_output=True, stdin=subprocess.DEVNULL, timeout=240, check=False,
                           env={**os.environ, "IOBOUND_TEST_SSH_PORT": port})
    if ended.returncode != DONE:
        fail(f"fleet ended with {ended.returncode}: {ended.stdout.decode()}{ended.stderr.decode()}")
    document = json.loads(ended.stdout)
    assert len(document["hosts"]) == 2 and document["iops"] > 0, document["hosts"]
    for child in started:
        assert child.wait(timeout=60) == 0, child.returncode
    windows.run("fleet", "--host", "db1", "--copy", "--", "run", "/data", code=BAD_INPUT, says="not a program for")
    script = windows.run("fleet", "script", "--slurm", "--hosts", "4", "--", "run", "/scratch")
    assert "srun" in script, script


def ranks(programs):
    """A rank on each system, which meet over TCP, start together and have one result."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    children = []
    for number, program in enumerate(programs):
        # All ranks have one command line: its path is relative to the folder of each.
        words = [os.path.abspath(word) for word in program.words]
        line = [*words, "run", "rank.dat", "--size", "8MiB", "--duration", "2s", "--json"]
        line += ["--rank", str(number), "--of", str(len(programs)), "--meet", f"127.0.0.1:{port}"]
        child = subprocess.Popen(
            line,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=program.folder,
            env={**os.environ, "IOBOUND_TOKEN": "0123456789abcdef0123456789abcdef"},
        )
        children.append(child)
    ended = [(*child.communicate(timeout=240), child.returncode) for child in children]
    if any(code != DONE for _, _, code in ended):
        fail(f"ranks ended with {ended}")
    document = json.loads(ended[0][0])
    assert len(document["hosts"]) == len(programs) and document["iops"] > 0, document["hosts"]


def interrupt(program):
    """Ctrl-C on the console ends a run, which prints what it has."""
    leader, follower = pty.openpty()
    line = [*program.words, "run", program.path("io.dat"), "--duration", "120s", "--json"]
    answer = program.folder / "interrupted.json"
    with open(answer, "wb") as out:
        child = subprocess.Popen(line, stdin=follower, stdout=out, stderr=follower, start_new_session=True,
                                 preexec_fn=lambda: __import__("fcntl").ioctl(0, __import__("termios").TIOCSCTTY, 0))
    os.close(follower)
    seen, sent, until = b"", False, time.monotonic() + 120
    while child.poll() is None and time.monotonic() < until:
        try:
            seen += os.read(leader, 4096)
        except OSError:
            break
        # The live line comes with the first interval.
        if not sent and b"counted" in seen:
            os.write(leader, b"\x03")
            sent = True
    code = child.wait(timeout=60)
    document = json.loads(answer.read_bytes() or b"null")
    if not sent or code != INTERRUPTED or not document or not document["iops"] > 0:
        fail(f"{program.name}: Ctrl-C ended a run with {code}:\n{seen.decode('utf-8', 'replace')}")


def main():
    own, wine, exe, folder, full, bridge = sys.argv[1:]
    # Others may use the disk: what is measured here is not looked at.
    os.environ["IOBOUND_BUSY_OK"] = "true"
    root = pathlib.Path(folder).resolve()
    shutil.rmtree(root, ignore_errors=True)
    (root / "linux").mkdir(parents=True)
    (root / "windows").mkdir()
    drives = pathlib.Path(os.environ["WINEPREFIX"]) / "dosdevices"
    if not drives.exists():
        subprocess.run([wine, exe, "--version"], check=True, stdout=subprocess.DEVNULL)
    (drives / "e:").unlink(missing_ok=True)
    (drives / "e:").symlink_to(root / "windows")
    programs = [
        Program("Linux", [own], root / "linux", ""),
        Program("Windows", [wine, exe], root / "windows", "e:"),
    ]
    for program in programs:
        for check in [measures, verifies, refuses, diskspd, guards, iometer, emulates, interrupt]:
            begin = time.monotonic()
            check(program)
            print(f"{program.name}: {check.__name__} ({time.monotonic() - begin:.0f} s)", flush=True)
    devices(programs[1])
    counters(programs[1])
    emulates_on_windows(programs[1])
    helps(programs[1])
    print("Windows: devices, counters, refusals of emulate, help")
    # The network of ranks is in the full build.
    if full == "full":
        ranks(programs)
        ranks(programs[::-1])
        print("Windows and Linux: ranks that meet over TCP")
        fleet(*programs, bridge)
        print("Windows: a coordinator of ranks on Linux")
    shutil.rmtree(root)


main()
