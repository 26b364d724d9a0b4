#!/usr/bin/env python3
"""Traces on an emulated disk in real time, beside the same traces on the model in virtual time.

    benches/replay_emulated.py PROGRAM [SECONDS [ROUNDS]]     as root; needs FUSE

The emulated disk is a file of `emulate --fuse`; nothing else is between it and the run. In each round:

1. `run --trace` replays a trace with Poisson arrivals of 8 KiB, three reads for each write, and bursts that exceed the disk's
   limit. `predict --trace` replays it on the same configuration.
2. `run --trace-out` records that run. `predict --trace` replays the recording: the recorded latencies should be the model's.
3. `run --trace-out` records a closed loop with pauses, and `predict --trace --replay dependent` replays it.

The latencies from p50 to p99 should be within 5 %, and the issue rate within 1 % of the recorded one. Each model is replayed with
several begins within a slice of the limits, and its figure is their median.
"""

import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

CONFIGURATION = ["--vm", "D8s_v5", "--disk", "data=P30", "--at", "0"]
PERCENTILES = ["p50", "p90", "p95", "p99"]
RATE = 3_000  # I/Os a second, of the 5,000 that a P30 does
PHASES = 8
SLICE = 0.05  # seconds, of a P30
BURST = 12_000  # I/Os a second in a tenth of the time, 0.1 s on average
BEGIN = 132_223_104_000_000_000  # 2020, in 100 ns since 1601
CLOSED = ["--block", "8KiB", "--read", "75%", "--depth", "8", "--think", "3ms", "--burst", "8", "--size", "1GiB", "--duration", "10s"]


def write_trace(path, seconds):
    """MSR's format: 100 ns since 1601, host, disk, operation, offset, length, response time. Returns the number of I/Os."""
    rng, at, ios, is_burst, until = random.Random(7), 0.0, 0, False, 0.0
    with open(path, "w", encoding="ascii") as out:
        while at < seconds:
            # At random times: the slices of the limits begin at other times than the trace.
            while at >= until:
                is_burst = not is_burst
                until += rng.expovariate(1 / (0.1 if is_burst else 0.9))
            at += rng.expovariate(BURST if is_burst else RATE)
            ticks = BEGIN + int(at * 1e7)
            op = "Write" if rng.random() < 0.25 else "Read"
            out.write(f"{ticks},data,0,{op},{rng.randrange(1 << 17) * 8_192},8192,10000\n")
            ios += 1
    return ios


def with_lead(source, path, lead):
    """Writes a copy of a trace in MSR's format behind a read so many seconds before its first I/O."""
    with open(source, encoding="ascii") as lines, open(path, "w", encoding="ascii") as out:
        first = None
        for line in lines:
            ticks, host, disk, rest = line.split(",", 3)
            if first is None:
                first = int(ticks)
                out.write(f"{BEGIN},{host},{disk},Read,0,8192,10000\n")
            out.write(f"{BEGIN + int(lead * 1e7) + int(ticks) - first},{host},{disk},{rest}")


def ran(command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if not result.stdout:
        sys.exit(f"{' '.join(command)}: {result.stderr}")
    return result.stdout


def answer(command):
    return json.loads(ran([*command, "--json"]))


def models(program, trace, folder, mode="timed"):
    """The replays of a trace in MSR's format with several begins within a slice."""
    shifted, found = folder / "shifted.csv", []
    for phase in range(PHASES):
        with_lead(trace, shifted, phase * SLICE / PHASES)
        command = [program, "predict", *CONFIGURATION, "--trace", str(shifted), "--replay", mode]
        found.append(answer(command))
    return found


def compare(title, models, real):
    """Prints percentiles of several models beside those of rounds, in ms; each with keys as `p50_us`."""
    print(title)
    for name in PERCENTILES:
        phases = sorted(model["latency"][f"{name}_us"] / 1e3 for model in models)
        expected, measured = statistics.median(phases), statistics.median(took[f"{name}_us"] for took in real) / 1e3
        rounds = ", ".join(f"{took[f'{name}_us'] / 1e3:.2f}" for took in real)
        print(
            f"  {name}: model {expected:.2f} ms ({phases[0]:.2f} to {phases[-1]:.2f}), "
            f"emulated {measured:.2f} ms ({rounds}): {measured / expected - 1:+.1%}"
        )


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 20.0
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        trace, served = folder / "burst.csv", folder / "disks"
        served.mkdir()
        ios = write_trace(trace, seconds)
        took, replays, recordings = [], [], {"open": [], "closed": []}
        for number in range(rounds):
            # Credits are full at the start of each round, as in the model.
            server = subprocess.Popen(
                [program, "emulate", "--fuse", str(served), *CONFIGURATION], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
            )
            try:
                target = served / "data"
                for _ in range(100):
                    if target.exists():
                        break
                    time.sleep(0.1)
                for name, words in [("open", ["--trace", str(trace)]), ("closed", CLOSED)]:
                    out = folder / f"{name}{number}.trace"
                    run = [program, "run", f"data={target}", "--overwrite", str(target), *words, "--trace-out", str(out)]
                    result = answer([*run, "--busy-ok", "--results", "off"])
                    recordings[name].append(out)
                    if name == "open":
                        took.append({f"{at}_us": result["latency_us"][at] for at in PERCENTILES})
                        replays.append(result["replays"][0])
            finally:
                server.terminate()
                server.wait()
        # Models are simulated when nothing is measured.
        rates = ", ".join(f"{replay['rate']:.2%}" for replay in replays)
        print(f"{ios:,} I/Os; issue rates of the replays: {rates} of the recorded one")
        compare("a trace, on the emulated disk and on the model", models(program, trace, folder), took)
        for name, mode in [("open", "timed"), ("closed", "dependent")]:
            for recording in recordings[name]:
                text = folder / "recorded.csv"
                text.unlink(missing_ok=True)
                ran([program, "trace", "convert", str(recording), "--to", "msr", "--out", str(text)])
                of_model = models(program, text, folder, mode)
                compare(f"a recording ({name}, replayed {mode})", of_model, [of_model[0]["recorded_latency"]])


if __name__ == "__main__":
    main()
