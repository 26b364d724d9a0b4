#!/usr/bin/env python3
"""A trace on an emulated disk in real time, beside the same trace on the model in virtual time.

    benches/replay_emulated.py PROGRAM [SECONDS [ROUNDS]]     as root; needs FUSE

The trace has Poisson arrivals of 8 KiB, three reads for each write, and bursts that exceed the disk's limit. It is replayed by
`run --trace` on a disk of `emulate --fuse`, and by `predict --trace` on the same configuration. The latencies from p50 to p99
should be within 5 %, and the rate within 1 % of the recorded one.
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


def write_trace(path, seconds, lead=0.0):
    """MSR's format: 100 ns since 1601, host, disk, operation, offset, length, response time. Returns the number of I/Os.

    The bursts begin `lead` seconds after a first read.
    """
    rng, at, ios, is_burst, until = random.Random(7), 0.0, 0, False, 0.0
    begin = 132_223_104_000_000_000
    with open(path, "w", encoding="ascii") as out:
        out.write(f"{begin},data,0,Read,0,8192,10000\n")
        while at < seconds:
            # At random times: the slices of the limits begin at other times than the trace.
            while at >= until:
                is_burst = not is_burst
                until += rng.expovariate(1 / (0.1 if is_burst else 0.9))
            at += rng.expovariate(BURST if is_burst else RATE)
            ticks = begin + int((lead + at) * 1e7)
            op = "Write" if rng.random() < 0.25 else "Read"
            out.write(f"{ticks},data,0,{op},{rng.randrange(1 << 17) * 8_192},8192,10000\n")
            ios += 1
    return ios


def answer(command):
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if not ran.stdout:
        sys.exit(f"{' '.join(command)}: {ran.stderr}")
    return json.loads(ran.stdout)


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
        # In the model, slices begin with the trace; on the emulated disk they began before. So the model has several begins.
        models = []
        for phase in range(PHASES):
            write_trace(trace, seconds, phase * SLICE / PHASES)
            models.append(answer([program, "predict", *CONFIGURATION, "--trace", str(trace), "--json"]))
        ios = write_trace(trace, seconds)
        took = {name: [] for name in PERCENTILES}
        rates = []
        for _ in range(rounds):
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
                run = [program, "run", f"data={target}", "--overwrite", str(target), "--trace", str(trace)]
                result = answer([*run, "--busy-ok", "--results", "off", "--json"])
            finally:
                server.terminate()
                server.wait()
            latency = result["latency_us"]
            for name in PERCENTILES:
                took[name].append(latency[name])
            rates.append(result["iops"])
    recorded = models[0]["ios"] / models[0]["recorded_s"]
    print(f"{ios:,} I/Os; recorded {recorded:,.1f} IOPS; replayed {', '.join(f'{rate:,.1f}' for rate in rates)} IOPS")
    for name in PERCENTILES:
        phases = sorted(model["latency"][f"{name}_us"] / 1e3 for model in models)
        expected, real = statistics.median(phases), statistics.median(took[name]) / 1e3
        rounds_text = ", ".join(f"{us / 1e3:.2f}" for us in took[name])
        print(
            f"{name}: model {expected:.2f} ms ({phases[0]:.2f} to {phases[-1]:.2f}), "
            f"emulated {real:.2f} ms ({rounds_text}): {real / expected - 1:+.1%}"
        )


if __name__ == "__main__":
    main()
