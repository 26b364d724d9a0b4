"""What benches/emulate runs and prints: FOLDER [SECONDS [ROUNDS [PART...]]], with the binaries in the environment."""

import contextlib
import json
import os
import statistics
import subprocess
import sys
import time

from servers import has_line, running, wait_for

GIB = 1 << 30
SERVER, CLIENT = "0", "1"
PROGRAM = os.path.abspath(os.environ["PROGRAM"])
TICK = 1 / os.sysconf("SC_CLK_TCK")


def pinned(processor, words):
    """A command line bound to a processor, or to none."""
    return (["taskset", "-c", processor] if processor else []) + [str(word) for word in words]


def answer(words, processor=CLIENT):
    """What a command prints."""
    done = subprocess.run(pinned(processor, words), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"benches/emulate: {' '.join(map(str, words))}\nended with {done.returncode}:\n{done.stderr or done.stdout}")
    return done.stdout


class Server:
    """A server that runs, with what clients need of it."""

    def __init__(self, process, here, export, file, size):
        self.process, self.here, self.export, self.file, self.size = process, here, export, file, size
        self.socket = os.path.join(here, "nbd.sock")
        self.uri = f"nbd+unix:///{export}?socket={self.socket}"

    def processor_s(self):
        """The processor time that it has taken, in seconds."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) * TICK


@contextlib.contextmanager
def bound(words, here, processor):
    """A server on a processor, with its output in `here`; its mount is removed after it."""
    try:
        with running(pinned(processor, words), f"{here}/out") as process:
            yield process
    finally:
        subprocess.run(["umount", "--quiet", "--lazy", f"{here}/fuse"], check=False, stderr=subprocess.DEVNULL)


@contextlib.contextmanager
def ours(work, *words, fuse=False, processor=SERVER, name="ours"):
    """`iobound emulate`, ready."""
    here = os.path.join(work, name)
    os.makedirs(f"{here}/fuse", exist_ok=True)
    fronts = ["--fuse", f"{here}/fuse"] if fuse else ["--nbd", f"unix:{here}/nbd.sock"]
    line = [PROGRAM, "emulate", "--json", "--control", f"{here}/ctl", *fronts, *words]
    # Not bound before it is ready: on one processor its own client would measure a transport without a wake across them.
    with bound(line, here, None) as process:
        wait_for(lambda: has_line(f"{here}/out"), process, "iobound emulate")
        if processor:
            answer(["taskset", "-a", "-p", "-c", processor, process.pid], None)
        yield Server(process, here, "data", f"{here}/fuse/data", GIB)


@contextlib.contextmanager
def theirs(work, fuse=False):
    """qemu-storage-daemon with a null block device, ready."""
    here = os.path.join(work, "qemu")
    os.makedirs(here, exist_ok=True)
    device = ["--blockdev", f"driver=null-co,node-name=data,size={GIB},read-zeroes=on"]
    if fuse:
        with open(f"{here}/fuse", "wb"):
            pass
        export = [f"type=fuse,id=data,node-name=data,mountpoint={here}/fuse,writable=off"]
    else:
        device += ["--nbd-server", f"addr.type=unix,addr.path={here}/nbd.sock"]
        export = ["type=nbd,id=data,node-name=data,name=data"]
    with bound(["qemu-storage-daemon", *device, "--export", *export], here, SERVER) as process:
        ready = (lambda: os.path.getsize(f"{here}/fuse") == GIB) if fuse else (lambda: os.path.exists(f"{here}/nbd.sock"))
        wait_for(ready, process, "qemu-storage-daemon")
        yield Server(process, here, "data", f"{here}/fuse", GIB)


def fio_job(server, engine, depth, seconds, processor=CLIENT, connections=1):
    """fio's own figures of 4 KiB random reads, `depth` of them outstanding on each connection."""
    target = [f"--uri={server.uri}"] if engine == "nbd" else [f"--filename={server.file}", "--direct=1"]
    words = ["fio", "--name=j", f"--ioengine={engine}", *target, "--rw=randread", "--bs=4k", f"--iodepth={depth}"]
    words += [f"--size={server.size}", "--time_based", f"--runtime={seconds}", "--norandommap", "--output-format=json"]
    words += [f"--numjobs={connections}", "--thread", "--group_reporting"]
    out = answer(words, processor)
    return json.loads(out[out.index("{") :])["jobs"][0]


def fio(server, engine, depth, seconds):
    """IOPS, median latency in microseconds, and the server's processor time an I/O, of 4 KiB random reads."""
    before = server.processor_s()
    job = fio_job(server, engine, depth, seconds)["read"]
    took = server.processor_s() - before
    return job["iops"], job["clat_ns"]["percentile"]["50.000000"] / 1e3, took / job["total_ios"] * 1e6


def batch(server, seconds):
    """The same of the client that sends 32 requests at once; the latency is a batch's."""
    before = server.processor_s()
    iops, p50 = map(float, answer([os.environ["batch"], server.socket, server.export, server.size, seconds]).split())
    # The second of warm-up is served as the others are.
    return iops, p50, (server.processor_s() - before) / (iops * (seconds + 1)) * 1e6


UNITS = ("thousand IOPS", "median latency, us", "server's processor time an I/O, us")


def beside(what, own, other, measure, rounds, asked):
    """Lines of a table: medians of interleaved runs, and the median of their ratios."""
    pairs = []
    for _ in range(rounds):
        pairs.append((measure(own), measure(other)))
    for n, unit in enumerate(UNITS):
        if asked[n] is None:
            continue
        scale = 1e-3 if n == 0 else 1
        first, second = (statistics.median(pair[side][n] for pair in pairs) * scale for side in (0, 1))
        ratio = statistics.median(mine[n] / its[n] for mine, its in pairs)
        print(f"| {what} | {unit} | {first:.2f} | {second:.2f} | {ratio:.2f} | {asked[n]} |", flush=True)


def heading(*columns):
    """The head of a table."""
    print(f"\n| {' | '.join(columns)} |\n|{' --- |' * len(columns)}", flush=True)


BESIDE = ("client", "", "iobound", "qemu", "ratio", "asked")
OFF = ("--vm", "DS14", "--disk", "data=P10", "--limits", "off", "--memory", "1GiB")


def nbd(work, seconds, rounds):
    """fio's nbd engine, 32 outstanding and 1."""
    heading(*BESIDE)
    with ours(work, *OFF) as own, theirs(work) as other:
        deep, shallow = (lambda server: fio(server, "nbd", 32, seconds)), (lambda server: fio(server, "nbd", 1, seconds))
        beside("NBD, fio, depth 32", own, other, deep, rounds, ("at least 1.05", "", "at most 0.75"))
        beside("NBD, fio, depth 1", own, other, shallow, rounds, (None, "at most 1.05", ""))


def batches(work, seconds, rounds):
    """32 requests at once."""
    heading(*BESIDE)
    with ours(work, *OFF) as own, theirs(work) as other:
        measure = lambda server: batch(server, seconds)
        beside("NBD, 32 at once", own, other, measure, rounds, ("at least 4", "", "at most 0.3"))


def fuse(work, seconds, rounds):
    """fio's io_uring engine on the files."""
    heading(*BESIDE)
    with ours(work, *OFF, fuse=True) as own, theirs(work, fuse=True) as other:
        for depth, asked in ((32, ("at least 1.5", "", "")), (1, (None, "", ""))):
            measure = lambda server, depth=depth: fio(server, "io_uring", depth, seconds)
            beside(f"FUSE, fio, depth {depth}", own, other, measure, rounds, asked)


def limiters(work, seconds, rounds):
    """A GS5's 80,000 IOPS, with the client on the same two processors."""
    words = ("--vm", "GS5", "--disk", "data=32xP30", "--memory", "1GiB")
    columns = ("of 81,600 enforced", "client's processor", "late p50, us", "late p99, us", "asked")
    heading("GS5, 32 P30, two processors for all", "IOPS", *columns)
    # libnbd searches a list of all that is outstanding on a connection, so one connection with 1,024 measures the client.
    for connections, depth in ((1, 256), (4, 256), (8, 128), (1, 1024)):
        runs = []
        for _ in range(rounds):
            with ours(work, *words, processor=None) as server:
                fio_job(server, "nbd", depth, 2, None, connections)
                job = fio_job(server, "nbd", depth, max(seconds, 4), None, connections)
                busy = (job["usr_cpu"] + job["sys_cpu"]) * connections
                runs.append((job["read"]["iops"], busy, *seconds_of(server, 3)[:2]))
        iops, busy, p50, p99 = (statistics.median(run[n] for run in runs) for n in range(4))
        name = f"fio, {connections} x {depth}"
        print(f"| {name} | {iops:.0f} | {iops / 81600:.4f} | {busy:.0f} % | {p50:.1f} | {p99:.1f} | 80,000 held |", flush=True)


def seconds_of(server, skipped):
    """Lateness (p50 and p99 in microseconds) and IOPS of the median second with replies, past the first ones and but for the
    last, which may be a part."""
    end = time.monotonic() + 10
    while time.monotonic() < end:
        with open(f"{server.here}/out", encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.endswith("\n")]
        states = [line for line in lines if line["event"] == "state" and line["fronts"][0]["late_us"]][skipped:-1]
        if states:
            late = [state["fronts"][0]["late_us"] for state in states]
            iops = statistics.median(state["devices"][0]["iops"] for state in states)
            return tuple(statistics.median(second[which] for second in late) for which in ("p50", "p99")) + (iops,)
        time.sleep(0.1)
    sys.exit("benches/emulate: no state with a lateness was printed within ten seconds")


def lateness(work, seconds, rounds):
    """20,000 IOPS by token buckets beside a sleep to 20,000 times a second, on the same processor."""
    words = ("--vm", "m5.24xlarge", "--disk", "data=io2@1000GiB+20000iops", "--memory", "1GiB")
    ways = {"as it is": (), "--spin=0": ("--spin=0",), "--spin": ("--spin",)}
    found = {name: [] for name in ("bare sleep", *ways)}
    for _ in range(rounds):
        p50, p99 = map(float, answer([os.environ["sleep"], 20_000, seconds], SERVER).split())
        found["bare sleep"].append((p50, p99, 20_000))
        for name, further in ways.items():
            with ours(work, *words, *further) as server:
                # A bucket is full at the start: what it lets through at once is over within the first seconds.
                fio(server, "nbd", 64, seconds + 3)
                found[name].append(seconds_of(server, 2))
    heading("20,000 IOPS by buckets", "IOPS", "late p50, us", "late p99, us", "p99 / bare", "asked")
    asked = {"bare sleep": "", "as it is": "at most 1.5", "--spin=0": "", "--spin": "p99 at most 50 us"}
    for name, runs in found.items():
        p50, p99, iops = (statistics.median(run[n] for run in runs) for n in range(3))
        ratio = statistics.median(run[1] / bare[1] for run, bare in zip(runs, found["bare sleep"]))
        print(f"| {name} | {iops:.0f} | {p50:.1f} | {p99:.1f} | {ratio:.2f} | {asked[name]} |", flush=True)


def fidelity(_work, _seconds, _rounds):
    """The same draws in virtual time and through the devices."""
    print("", flush=True)
    subprocess.run(pinned(CLIENT, [os.environ["fidelity"], PROGRAM]), check=True)


def long(_work, _seconds, _rounds):
    """A limiter's rate over 100 s."""
    print("", flush=True)
    subprocess.run(pinned(CLIENT, [os.environ["fidelity"], PROGRAM, "--long"]), check=True)


PARTS = {
    "nbd": nbd,
    "batch": batches,
    "fuse": fuse,
    "limiters": limiters,
    "lateness": lateness,
    "fidelity": fidelity,
    "long": long,
}


def main():
    """Runs the parts that are named, or all."""
    work, *rest = sys.argv[1:]
    seconds, rounds = (int(rest[n]) if len(rest) > n else default for n, default in ((0, 4), (1, 5)))
    for name in rest[2:] or PARTS:
        if name not in PARTS:
            sys.exit(f"benches/emulate: there is no part {name}: {' '.join(PARTS)}")
        PARTS[name](work, seconds, rounds)


main()
