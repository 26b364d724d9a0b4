"""Figures of a probe beside the true ones, with the precision that each must have."""

from dataclasses import dataclass

LARGE = 256 << 10
MIB = 1 << 20


@dataclass
class Mark:
    """One figure, judged."""

    figure: str
    ok: bool
    text: str


def within(figure, found, truth, share):
    """A figure that may differ by a share."""
    if found is None:
        return Mark(figure, False, f"nothing of {truth:g}")
    error = found / truth - 1
    return Mark(figure, abs(error) <= share, f"{found:g} of {truth:g} ({100 * error:+.2f} %)")


def absent(figure, found):
    """A figure that there must not be."""
    return Mark(figure, found is None, "none, and there is none" if found is None else f"{found} where there is none")


def limit_of(found, counts, of="reads", shared=False):
    """The limit of the first target, or the one that several share."""
    for limit in found["limits"]:
        if limit["counts"] == counts and limit["of"] == of and (len(limit["targets"]) > 1) == shared:
            return limit
    return None


def value(limit, key):
    """A figure of a limit, where there is one."""
    return limit and limit[key]


def judge(truth, found):
    """Every figure that a disk has."""
    ios, rate = limit_of(found, "iops"), limit_of(found, "throughput")
    if truth.iops is None:
        return [absent("IOPS limit", value(ios, "per_second")), absent("throughput limit", value(rate, "per_second"))]
    own = min(truth.iops, truth.shared[0]) if truth.shared else truth.iops
    marks = [within("IOPS limit", value(ios, "per_second"), own, 0.02)]
    # Large I/Os of a burst pass at its rate, in units.
    fastest = truth.burst[0] if truth.burst else own
    most = max(fastest / -(-size // truth.unit) * size if truth.unit else fastest * size for size in (LARGE, MIB))
    lasting = most * own / fastest
    if truth.bytes < 0.9 * lasting:
        marks.append(within("throughput limit", value(rate, "per_second"), truth.bytes, 0.02))
    elif truth.bytes > 1.1 * most:
        marks.append(absent("throughput limit", value(rate, "per_second")))
    crossing = truth.bytes / own
    unit = found["targets"][0]["unit_bytes"]
    if truth.unit is None or truth.unit > 2.2 * crossing:
        marks.append(absent("unit", unit))
    elif truth.unit < 1.6 * crossing:
        marks.append(Mark("unit", unit == truth.unit, f"{unit} of {truth.unit}"))
    kind, length = value(ios, "enforcement"), value(ios, "enforcement_s")
    if truth.slice_s is not None:
        marks.append(within("slice length", length if kind == "slice" else None, truth.slice_s, 0.05))
    elif truth.burst:
        marks.append(Mark("enforcement under a burst", kind != "slice", f"{kind}"))
    elif truth.bucket_s is not None:
        marks.append(within("bucket depth", length if kind == "bucket" else None, truth.bucket_s, 0.10))
    if truth.burst:
        marks.append(within("burst rate", value(ios, "burst_per_second"), truth.burst[0], 0.02))
        # The disk begins with full credits: what is seen is all of them, also where the probe cannot know that.
        proven = value(ios, "burst_size_is_at_least") is False
        figure = "burst size" if proven else "burst size, at least"
        marks.append(within(figure, value(ios, "burst_size"), truth.burst[1], 0.10))
    else:
        marks.append(absent("burst", value(ios, "burst_per_second")))
    target = found["targets"][0]
    cache = target["cache"]
    if not truth.cache:
        marks.append(absent("cache", cache))
    elif cache is None or cache["size_bytes"] is not None:
        marks.append(within("cache size", cache and cache["size_bytes"], truth.cache[0], 0.15))
    else:
        least = cache["at_least_bytes"]
        marks.append(Mark("cache size, at least", least <= 1.15 * truth.cache[0], f"{least} of {truth.cache[0]}"))
    if truth.cache and cache and truth.cache[1] is not None:
        marks.append(within("latency of hits", cache["hit_us"], truth.cache[1], 0.03))
    together = [limit for limit in found["limits"] if len(limit["targets"]) > 1 and limit["counts"] == "iops"]
    if truth.shared:
        marks.append(within("shared limit", together[0]["per_second"] if together else None, truth.shared[0], 0.02))
    else:
        marks.append(absent("shared limit", together[0]["per_second"] if together else None))
    marks.append(Mark("bytes written", found["cost"]["written_bytes"] == 0, f"{found['cost']['written_bytes']}"))
    return marks
