"""Histograms of latencies: read from results and logs, merged exactly."""

from __future__ import annotations

import base64
import binascii
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from . import _iobound
from ._ask import keywords
from ._errors import BadInput, CannotRead
from ._results import read_result

#: The operations that a result counts.
OPERATIONS = ("read", "write", "flush", "discard")


@keywords
def read_histogram(
    of: str | os.PathLike[str] | Mapping[str, Any],
    *,
    operation: str | None = None,
    job: str | None = None,
    tag: str | None = None,
    results: str | os.PathLike[str] | None = None,
) -> dict[str, Any]:
    """Every latency of a result, or of a log of HdrHistogram.

    ``of``
        a result document (as `simulate` and `read_result` give it), the id of a run that is kept
        (``"r-142"``), the file of a result, an HdrHistogram log (``run --hlog``), or what stands under
        ``jobs[].histograms.read`` of a result.
    ``operation``
        of a result: ``"read"``, ``"write"``, ``"flush"`` or ``"discard"``; reads and writes together if
        nothing is said.
    ``job``
        of a result: the job of that name alone; all of them if nothing is said.
    ``tag``
        of a log: the lines of that tag, merged; those of the counted time (``"total.read"`` and
        ``"total.write"``) if nothing is said, or all lines of a log that has none.
    ``results``
        where runs are kept, with an id.

    Returns a dictionary:

    ``count``
        how many I/Os.
    ``latency_us``
        ``mean``, ``stdev``, ``min``, ``max`` and the percentiles ``p50`` to ``p99_9999``, in microseconds;
        a percentile that fewer than ten I/Os exceed is absent. ``None`` without I/Os.
    ``exact``
        whether mean, deviation and extremes are exact. A log has none, and they are those of the bins.
    ``bins``
        a list of ``lower_us``, ``upper_us`` (microseconds, both within the bin) and ``count``, in order;
        ``pandas.DataFrame(histogram["bins"])``.
    ``raw``
        the same in ns as a result keeps it, for `merge_histograms`.
    """
    if isinstance(of, Mapping):
        if "raw" in of:
            return _shown([of["raw"]], [bool(of.get("exact", True))])
        if "digits" in of:
            return _shown([of], [True])
        return _of_result(of, operation, job, tag)
    path = Path(os.fspath(of))
    text = _log(path)
    if text is None:
        return _of_result(read_result(of, results=results), operation, job, tag)
    for name, given in (("operation", operation), ("job", job), ("results", results)):
        if given is not None:
            raise BadInput(f"{name}: {path} is a log, which has tags", "leave it out, or say tag=")
    return _of_log(path, text, tag)


@keywords
def merge_histograms(histograms: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Sum of several histograms: the counts of each bin added up, and the exact sums.

    ``histograms``
        those that `read_histogram` returns, or what a result has under ``jobs[].histograms.read``.
        Percentiles are those of all I/Os together, which no mean of percentiles is.

    Returns a dictionary like that of `read_histogram`.
    """
    given = list(histograms)
    wrong = next((one for one in given if not isinstance(one, Mapping)), None)
    if wrong is not None:
        raise BadInput(f"{type(wrong).__name__} is no histogram", "give what read_histogram returns")
    return _shown([one.get("raw", one) for one in given], [bool(one.get("exact", True)) for one in given])


def _shown(raws: Sequence[Mapping[str, Any]], exact: Sequence[bool]) -> dict[str, Any]:
    try:
        merged = _iobound.merged([json.dumps(raw) for raw in raws])
        shown: dict[str, Any] = json.loads(_iobound.histogram(merged))
    except (TypeError, ValueError) as error:
        raise BadInput(str(error)) from None
    return {
        "count": shown["count"],
        "latency_us": shown["latency_us"],
        "exact": all(exact),
        "bins": shown["bins"],
        "raw": shown["raw"],
    }


def _of_result(
    result: Mapping[str, Any], operation: str | None, job: str | None, tag: str | None
) -> dict[str, Any]:
    if tag is not None:
        raise BadInput("tag: only lines of a log have tags", "say operation=, or leave it out")
    if operation is not None and operation not in OPERATIONS:
        raise BadInput(f"operation={operation!r}: a result has {', '.join(OPERATIONS)}")
    jobs = result.get("jobs") or []
    names = [one.get("name") for one in jobs]
    if job is not None and job not in names:
        raise BadInput(f"job={job!r}: the result has {', '.join(map(str, names)) or 'no jobs'}")
    chosen = [one for one in jobs if job is None or one.get("name") == job]
    kept = [one["histograms"] for one in chosen if one.get("histograms") is not None]
    if not kept:
        raise BadInput(
            "the result has no histograms",
            "give one of simulate, a run that is kept (r-142), or one of `iobound run --html ... --json`",
        )
    wanted = [operation] if operation is not None else ["read", "write"]
    raws = [one[name] for one in kept for name in wanted if one.get(name) is not None]
    if not raws:
        raise BadInput(f"the result has no {' and no '.join(wanted)}", "say another operation=")
    return _shown(raws, [True])


def _log(path: Path) -> str | None:
    """The text of a log; ``None`` of what is none."""
    try:
        with path.open("rb") as file:
            head = file.read(4096)
            if b"Histogram log format" not in head and b'"StartTimestamp"' not in head:
                return None
            return (head + file.read()).decode("utf-8")
    except UnicodeDecodeError:
        raise BadInput(f"{path}: it is no text") from None
    except FileNotFoundError:
        return None
    except OSError as error:
        raise CannotRead(f"cannot read {path}: {error.strerror}") from None


def _of_log(path: Path, text: str, tag: str | None) -> dict[str, Any]:
    lines: dict[str, list[str]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith(("#", '"')):
            continue
        named, _, rest = line.partition(",") if line.startswith("Tag=") else ("", "", line)
        cells = rest.split(",")
        if len(cells) != 4:
            raise BadInput(f"{path}:{number}: a line of a log has start, length, maximum and histogram")
        try:
            bytes_ = base64.b64decode(cells[3], validate=True)
            lines.setdefault(named.removeprefix("Tag="), []).append(_iobound.of_hdr(bytes_))
        except (binascii.Error, ValueError) as error:
            raise BadInput(f"{path}:{number}: {error}") from None
    if tag is not None:
        wanted = [tag]
    else:
        wanted = [name for name in ("total.read", "total.write") if name in lines] or list(lines)
    raws = [json.loads(raw) for name in wanted for raw in lines.get(name, [])]
    if not raws:
        tags = ", ".join(name or "no tag" for name in lines)
        raise BadInput(f"{path} has no lines of {tag or 'any tag'}", f"it has those of {tags}" if tags else None)
    return _shown(raws, [False])
