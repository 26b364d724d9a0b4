"""What a cluster's result has to be, beside what each of its ranks wrote of itself: the sum, bin for bin."""

import json
import os

from common import Failed, check, iobound

# Figures of a document that are whole numbers, and add up exactly.
SUMS = ("ios", "bytes", "errors")
# Ranks begin within this of each other.
SKEW_MS = 5.0


class Late(Failed):
    """Ranks that did not begin together."""


def document(text, what):
    """The one document on standard output."""
    try:
        found = json.loads(text)
    except json.JSONDecodeError as why:
        raise Failed(f"{what}: standard output is not one document ({why}): {text[:300]!r}") from None
    check(found.get("schema") == "iobound.result/1", f"{what}: the schema is {found.get('schema')!r}")
    return found


def own_results(folder, ranks):
    """What each of these ranks wrote of itself, by its number."""
    found = {}
    for rank in ranks:
        path = os.path.join(folder, f"{rank}.json")
        check(os.path.exists(path), f"rank {rank} wrote nothing of itself: {sorted(os.listdir(folder))}")
        with open(path, encoding="utf-8") as file:
            found[rank] = document(file.read(), f"rank {rank}")
    return found


def kept(store):
    """The newest result of a store, with its histograms."""
    env = {**os.environ, "IOBOUND_RESULTS": store}
    newest = json.loads(iobound("results", "list", "--json", env=env).stdout)["runs"][0]["id"]
    exported = json.loads(iobound("results", "export", newest, "--json", env=env).stdout)
    return exported["results"][0]


def histograms(result):
    """The raw latencies of a result, by job and operation: the sums, and how many are in each bin."""
    found = {}
    for job in result["jobs"]:
        for operation, raw in (job.get("histograms") or {}).items():
            found[job["name"], operation] = raw
    check(found, "a result without histograms")
    return found


def summed(all_of):
    """Histograms put together as they are defined: bins, counts and moments add; the least and the most of all."""
    together = {}
    for one in all_of:
        for key, raw in histograms(one).items():
            into = together.setdefault(key, {"digits": raw["digits"], "count": 0, "saturated": 0, "sums": [0, 0], "bins": {}, "range": []})
            check(into["digits"] == raw["digits"], f"{key}: histograms of {into['digits']} and {raw['digits']} digits")
            into["count"] += raw["count"]
            into["saturated"] += raw.get("saturated", 0)
            into["sums"][0] += int(raw["sum_ns"])
            into["sums"][1] += int(raw["sum_of_squares_ns2"])
            into["range"] += [raw["min_ns"], raw["max_ns"]]
            for at, count in raw["bins"]:
                into["bins"][at] = into["bins"].get(at, 0) + count
    for into in together.values():
        into["range"] = [min(into["range"]), max(into["range"])]
    return together


def is_the_sum(result, store, own, what):
    """Fails unless the cluster's figures are those of its ranks, added up; gives the number of bins that were compared."""
    for name in SUMS:
        total = sum(one[name] for one in own.values())
        check(result[name] == total, f"{what}: {name} is {result[name]}, its ranks' add up to {total}")
        of_hosts = sum(host[name] for host in result["hosts"])
        check(of_hosts == total, f"{what}: {name} of hosts[] add up to {of_hosts}, the ranks' to {total}")
    for host in result["hosts"]:
        alone = own[host["rank"]]
        for name in ("ios", "bytes", "iops", "throughput_bytes_per_s", "latency_us"):
            check(host[name] == alone[name], f"{what}: {host['host']} has {name} {host[name]} in hosts[], and {alone[name]} of its own")
    whole = kept(store)
    together, expected = summed([whole]), summed(own.values())
    check(together.keys() == expected.keys(), f"{what}: histograms of {sorted(together)}, its ranks have {sorted(expected)}")
    bins = 0
    for key, of_ranks in expected.items():
        for name, value in of_ranks.items():
            check(together[key][name] == value, f"{what}: {key}: {name} is {together[key][name]}, its ranks' together {value}")
        bins += len(of_ranks["bins"])
    # Counts of each second too, where ranks have a second in common. Rates do not add up: ranks end the last second at their own times.
    for second, point in enumerate(result["series"]):
        counts = [counted_in(one["series"][second]) for one in own.values() if second < len(one["series"])]
        total = counted_in(point)
        check(abs(total - sum(counts)) <= 0.02 * sum(counts) + len(counts), f"{what}: second {second} has {total:.1f} I/Os, its ranks {counts}")
    return bins


def counted_in(point):
    """The I/Os that completed in an interval of a series."""
    return point["iops"] * (point["end_s"] - point["start_s"])


def complete(result, hosts, what, skew_ms=SKEW_MS):
    """Fails unless every rank of a result reported, from these hosts, and began with the others. Gives the skew in ms."""
    fleet = result["fleet"]
    check(fleet["ranks"] == fleet["reported"] == len(hosts), f"{what}: {fleet['reported']} of {fleet['ranks']} ranks reported")
    check(fleet["missing"] == [], f"{what}: missing are {fleet['missing']}")
    check([host["rank"] for host in result["hosts"]] == list(range(len(hosts))), f"{what}: hosts[] of ranks {result['hosts']}")
    named = [host["host"] for host in result["hosts"]]
    check(named == list(hosts), f"{what}: ran on {named} and not on {list(hosts)}")
    for host in result["hosts"]:
        check(host["ended"] == "complete", f"{what}: {host['label']} ended {host['ended']}: {host.get('error')}")
        for key in ("label", "engine", "files", "start_offset_ms", "depth", "kernel"):
            check(host.get(key) not in (None, "", []), f"{what}: hosts[] says no {key} of {host['label']}")
    labels = [host["label"] for host in result["hosts"]]
    check(len(set(labels)) == len(hosts), f"{what}: hosts are called {labels}")
    of_hosts(result, what)
    skew = fleet["start_skew_ms"]
    offsets = [host["start_offset_ms"] for host in result["hosts"]]
    check(abs(skew - (max(offsets) - min(offsets))) < 0.01, f"{what}: a skew of {skew} ms, of starts at {offsets}")
    if skew >= skew_ms:
        raise Late(f"{what}: ranks began {skew} ms apart: {offsets}")
    return skew


def of_hosts(result, what):
    """Fails unless the least, the mean and the most of the hosts are theirs, and the ends those of the first and the last."""
    fleet = result["fleet"]
    for name in ("iops", "throughput_bytes_per_s"):
        values = {host["label"]: host[name] for host in result["hosts"]}
        spread = fleet["per_host"][name]
        check(spread["min"] == min(values.values()) == values[spread["min_host"]], f"{what}: the least {name} is {spread}, of {values}")
        check(spread["max"] == max(values.values()) == values[spread["max_host"]], f"{what}: the most {name} is {spread}, of {values}")
        mean = sum(values.values()) / len(values)
        check(abs(spread["mean"] - mean) <= 1 + 1e-4 * mean, f"{what}: the mean {name} is {spread['mean']}, of {values}")
    first, last = fleet["first_done"], fleet["last_done"]
    check(first["seconds"] <= last["seconds"], f"{what}: the first was done at {first}, the last at {last}")
    together = sum(host["iops"] for host in result["hosts"])
    check(abs(first["iops"] - together) <= 0.1 * together, f"{what}: {first['iops']} IOPS until the first was done, of hosts with {together}")


def partial(result, missing, what):
    """Fails unless exactly these ranks (number to host) are missing, with a reason each, and all others reported."""
    fleet = result["fleet"]
    named = {gone["rank"]: gone.get("host") for gone in fleet["missing"]}
    check(named == missing, f"{what}: missing are {fleet['missing']}, and not {missing}")
    check(all(gone["why"] for gone in fleet["missing"]), f"{what}: nobody says why {fleet['missing']}")
    there = [host["rank"] for host in result["hosts"]]
    check(there == [rank for rank in range(fleet["ranks"]) if rank not in missing], f"{what}: hosts[] has ranks {there}")
    ended = {host["label"]: host["ended"] for host in result["hosts"]}
    check(set(ended.values()) == {"complete"}, f"{what}: the others ended {ended}")
    check(result["ended"] != "complete", f"{what}: the whole is called {result['ended']}")
    checks = {one["name"]: one["outcome"] for one in result["checks"]}
    check(checks.get("ranks") == "failed", f"{what}: no check says that ranks are missing: {checks}")
