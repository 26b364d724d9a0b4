"""SIGTERM at a random moment ends every verb: how long that takes, and what it leaves."""

import os
import random
import signal
import subprocess
import threading
import time
import urllib.request

from common import PROGRAM, check, folder, say

# Random moments of each case.
TIMES = int(os.environ.get("SIGNALS_TIMES", "3"))
# A machine that does much else is no failure: the longest time is printed, and this is far beyond it.
LONGEST = 10
MIB = 1 << 20

MODEL = ("--vm", "DS14", "--disk", "10xP30")
# The command line of each case, and the longest time in seconds before the signal. {} is a folder.
CASES = {
    "predict": (("predict", *MODEL, "--depth", "256", "--threads", "8"), 0.3),
    "predict --find-knee, 65,535 threads": (("predict", *MODEL, "--threads", "65535", "--depth", "8", "--find-knee"), 3),
    "predict --cache-state second-run": (("predict", "--vm", "DS14", "--disk", "32xP30:readonly", "--depth", "64", "--cache-state", "second-run"), 3),
    "lab": (("lab",), 3),
    "lab --real-time": (("lab", "--real-time", "--only", "E6,E11", "--duration", "5s"), 5),
    "lab --live": (("lab", "--live", "--only", "E6", "--duration", "5s"), 5),
    "lab --target": (("lab", "real-depth", "--target", "{}", "--duration", "2s", "--busy-ok"), 5),
    "plan": (("plan", "--iops", "100000", "--throughput", "1GB/s", "--capacity", "20TiB", "--hosts", "1..16"), 3),
    "explain": (("explain", *MODEL, "--observed", "iops=15000 block=4KiB depth=32"), 1),
    "explain, input a pipe that nobody writes": (("explain", *MODEL, "--result", "{}/input"), 1),
    "run, reads": (("run", "{}", "--size", "64MiB", "--duration", "60s", "--warmup", "1s"), 4),
    "run, while it prepares": (("run", "{}/new", "--size", "2GiB", "--duration", "60s"), 3),
    "run, writes and --verify": (("run", "{}", "--size", "64MiB", "--read", "50%", "--verify", "--duration", "60s"), 4),
    "run, 1,000 threads": (("run", "{}", "--size", "64MiB", "--threads", "1000", "--duration", "60s"), 4),
    "run --find-knee": (("run", "{}", "--size", "64MiB", "--find-knee"), 5),
    "run --vs": (("run", "{}", "--size", "64MiB", "--vs", "--depth 8", "--duration", "60s"), 5),
    "run --json, output a pipe that nobody reads": (("run", "{}", "--size", "64MiB", "--duration", "1s", "--interval", "10ms", "--json"), 4),
    "run --ndjson, to a pipe that nobody opens": (("run", "{}", "--size", "64MiB", "--duration", "2s", "--ndjson", "{}/output"), 4),
    "run --csv, to a pipe that nobody opens": (("run", "{}", "--size", "64MiB", "--duration", "1s", "--csv", "{}/output"), 4),
    "fio": (("fio", "--name=a", "--rw=randrw", "--size=64m", "--directory={}", "--numjobs=16", "--thread", "--runtime=60", "--time_based"), 4),
    "diskspd": (("diskspd", "-c64M", "-d60", "-o8", "-t4", "-r", "-w30", "{}/diskspd.dat"), 4),
    "emulate --nbd": (("emulate", *MODEL, "--nbd", "unix:{}/nbd.sock", "--control", "{}/control"), 3),
    "emulate --fuse": (("emulate", *MODEL, "--fuse", "{}/fuse", "--control", "{}/control"), 3),
    "emulate --backing": (("emulate", *MODEL, "--backing", "{}/backing", "--nbd", "unix:{}/nbd.sock", "--control", "{}/control"), 3),
    "emulate, a warm cache": (("emulate", "--vm", "DS14", "--disk", "32xP30:readonly", "--cache-state", "second-run", "--nbd", "unix:{}/nbd.sock", "--control", "{}/control"), 4),
    "emulate ctl, to a socket that says nothing": (("emulate", "ctl", "--control", "{}/silent", "state"), 2),
    "watch": (("watch", "--json"), 3),
    "watch --record": (("watch", "--record", "{}/record.toml"), 3),
    "fleet, waiting for a host": (("fleet", "--hosts", "{}/hosts", "--", "run", "{}", "--size", "1MiB"), 3),
    "run, a rank that waits for another": (("run", "{}", "--size", "1MiB", "--rank", "0", "--of", "2", "--meet", "{}/meet.sock"), 3),
    "serve": (("serve", "--at", "127.0.0.1:0"), 2),
    "serve, with a question": (("serve", "--at", "127.0.0.1:0"), 3),
    "results list": (("results", "list"), 0.3),
    "compare": (("compare", "{}/one.json", "{}/one.json"), 0.3),
    "compare, input a pipe that nobody writes": (("compare", "{}/input", "{}/input"), 1),
    "doctor": (("doctor",), 1.5),
    "catalog": (("catalog", "vms"), 0.3),
    "catalog, output a pipe that nobody reads": (("catalog", "vms", "--json"), 2),
    "lab, output a pipe that nobody reads": (("lab", "--json"), 5),
}


def asks(process):
    """Asks a server for something that takes long."""
    line = process.stdout.readline()
    at = next((word for word in line.split() if word.startswith("http://")), None)
    if not at:
        return
    question = "api/knee?vm=DS14&disk=32xP30&depth=64&threads=2000"
    try:
        urllib.request.urlopen(f"{at.rstrip('/')}/{question}", timeout=60).read()
    except OSError:
        pass


def ended(name, words, moment, here):
    """How long after SIGTERM a program ended, and its exit code; None where it had ended before."""
    words = [word.replace("{}", here) for word in words]
    # The smallest pipe that the kernel gives is filled soonest.
    read_end, write_end = os.pipe()
    out = write_end if "nobody reads" in name else subprocess.DEVNULL
    if "with a question" in name:
        out = subprocess.PIPE
    environment = {**os.environ, "IOBOUND_BUSY_OK": "true", "IOBOUND_RESULTS": f"{here}/results.db", "XDG_RUNTIME_DIR": here}
    if "nobody reads" in name:
        import fcntl
        fcntl.fcntl(write_end, fcntl.F_SETPIPE_SZ, 4096)
    process = subprocess.Popen([PROGRAM, *words], stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.DEVNULL, text=True, env=environment)
    os.close(write_end)
    asker = threading.Thread(target=asks, args=(process,), daemon=True) if "with a question" in name else None
    if asker:
        asker.start()
    try:
        process.wait(moment)
        return None
    except subprocess.TimeoutExpired:
        pass
    sent = time.monotonic()
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(LONGEST)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
        check(False, f"{name} has not ended {LONGEST} s after SIGTERM at {moment:.3f} s")
    finally:
        os.close(read_end)
    return time.monotonic() - sent, process.returncode


def prepared(here):
    """Files and sockets that the cases name."""
    for name in ("input", "output"):
        os.mkfifo(f"{here}/{name}")
    os.mkdir(f"{here}/new")
    with open(f"{here}/hosts", "w", encoding="utf-8") as hosts:
        # TEST-NET-1 of RFC 5737: nobody answers.
        hosts.write("192.0.2.1\n")
    import socket
    silent = socket.socket(socket.AF_UNIX)
    silent.bind(f"{here}/silent")
    silent.listen(64)
    words = [PROGRAM, "run", here, "--size", "64MiB", "--duration", "200ms", "--warmup", "0s", "--own-result", f"{here}/one.json"]
    subprocess.run(words, check=True, capture_output=True, env={**os.environ, "IOBOUND_BUSY_OK": "true", "IOBOUND_RESULTS": f"{here}/results.db"})
    return silent


def part():
    dice = random.Random(13)
    only = os.environ.get("SIGNALS_ONLY", "")
    slow = []
    say(f"{'':44}   ended  median  longest  exit codes")
    with folder(4096 * MIB) as here:
        silent = prepared(here)
        for name, (words, within) in CASES.items():
            if only not in name:
                continue
            times, codes, before = [], {}, 0
            for _ in range(TIMES):
                result = ended(name, words, dice.random() * within, here)
                if result is None:
                    before += 1
                    continue
                times.append(result[0])
                codes[result[1]] = codes.get(result[1], 0) + 1
            if not times:
                say(f"{name:44}  it was over before each signal")
                continue
            times.sort()
            say(f"{name:44} {len(times):4}/{TIMES} {times[len(times) // 2] * 1e3:5.0f} ms {times[-1] * 1e3:5.0f} ms  {dict(sorted(codes.items()))}")
            if times[-1] > 1:
                slow.append(f"{name}: {times[-1]:.2f} s")
            with open("/proc/mounts", encoding="utf-8") as mounts:
                check(f"{here}/fuse" not in mounts.read(), f"{name} has left its mount")
        silent.close()
    if slow:
        say("longer than a second: " + "; ".join(slow))
