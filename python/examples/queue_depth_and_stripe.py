# %% [markdown]
# # How deep, and over how many disks?
#
# A DS14 with P30 disks: each disk gives 5,000 IOPS, the VM 51,200. How many outstanding I/Os reach that, and what do ten
# disks give whose owner asks for one I/O at a time? The cells are run by any editor that knows `# %%`, or all of it by
# `python queue_depth_and_stripe.py`.

# %%
from __future__ import annotations

from typing import Any

import pandas

import iobound

DEPTHS = [1, 2, 4, 8, 16, 32, 64, 128, 256]
COLUMNS = [1, 2, 4, 8, 10]


# %% [markdown]
# One prediction for each depth and number of columns: 4 KiB random reads on a stripe. `depth` is of all disks together.


# %%
def one(depth: int, columns: int) -> dict[str, Any]:
    answer = iobound.predict(vm="DS14", disk=f"{columns}xP30", block="4KiB", random=True, depth=depth)
    latency = answer["latency_us"]
    return {
        "columns": columns,
        "depth": depth,
        "iops": answer["expected"]["iops"],
        "p99_us": latency["p99"] if latency else None,
        "ceiling": answer["ceiling"]["iops"],
        "binding": answer["binding"],
    }


study = pandas.DataFrame([one(depth, columns) for columns in COLUMNS for depth in DEPTHS])

# %% [markdown]
# IOPS by depth and columns. Down a column the queue gets deeper until the disks' limit is met; along a row more disks
# help only those who ask for enough at a time.

# %%
iops = study.pivot(index="depth", columns="columns", values="iops").round().astype(int)
print("IOPS, 4 KiB random reads\n")
print(iops.to_string(), "\n")

# %% [markdown]
# What holds each of them back, and what 99 of 100 I/Os wait for at most.

# %%
print("bound by\n")
print(study.pivot(index="depth", columns="columns", values="binding").to_string(), "\n")
print("99th percentile in ms\n")
print((study.pivot(index="depth", columns="columns", values="p99_us") / 1000).round(1).to_string(), "\n")

# %% [markdown]
# The least depth that reaches 95 % of what the limits allow: beyond it only the latency grows.

# %%
enough = study[study["iops"] >= 0.95 * study["ceiling"]].groupby("columns")["depth"].min()
for columns in COLUMNS:
    reached = f"{enough[columns]} outstanding" if columns in enough else f"more than {DEPTHS[-1]} outstanding"
    print(f"{columns:>2} x P30: {reached}")

# %% [markdown]
# The same second by second for one of them, in the model's own time: every latency is kept, so that any percentile can be
# asked afterwards.

# %%
run = iobound.simulate(vm="DS14", disk="10xP30", block="4KiB", random=True, depth=32, duration="10s", seed=1)
seconds = pandas.DataFrame(run["series"])
latencies = pandas.DataFrame(iobound.read_histogram(run)["bins"])
print(f"\n32 outstanding on 10 x P30: {run['iops']:,.0f} IOPS, {seconds['iops'].min():,.0f} in the slowest second")
print(f"slower than 5 ms: {latencies.loc[latencies['lower_us'] > 5000, 'count'].sum() / run['ios']:.2%} of the I/Os")


# %% [markdown]
# A picture, where matplotlib is there.


# %%
def draw(path: str) -> None:
    try:
        import matplotlib
    except ImportError:
        print("\nno picture: pip install matplotlib")
        return
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4))
    for columns, line in iops.items():
        axes.plot(iops.index, line, marker="o", label=f"{columns} x P30")
    axes.set(xscale="log", yscale="log", xlabel="outstanding I/Os", ylabel="IOPS", title="4 KiB random reads, DS14")
    axes.set_xticks(DEPTHS, [str(depth) for depth in DEPTHS])
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)
    print(f"\n{path}: the picture")


if __name__ == "__main__":
    import sys

    if len(sys.argv) > 1:
        draw(sys.argv[1])
