"""Results: of a file, and those that are kept."""

from __future__ import annotations

import os
from typing import Any

from ._ask import ask, keywords


@keywords
def read_result(
    result: str | os.PathLike[str], *, results: str | os.PathLike[str] | None = None
) -> dict[str, Any]:
    """A result as its document, ``iobound.result/1``.

    ``result``
        the id of a run that is kept (``"r-142"``), or a file: a document of iobound, fio's JSON, DiskSpd's
        text or XML, Iometer's CSV.
    ``results``
        where runs are kept; ``IOBOUND_RESULTS``, else the user's data, if nothing is said.

    Figures: ``iops`` are reads and writes a second, ``throughput_bytes_per_s`` bytes a second,
    ``latency_us`` microseconds; ``series`` has an interval each, for ``pandas.DataFrame(result["series"])``.
    A run that is kept has every latency of its jobs (``jobs[].histograms``). docs/definitions.md says what
    each figure means.
    """
    document: dict[str, Any] = ask(("result",), {"result": os.fspath(result), "results": results})
    return document


@keywords
def results(
    *,
    results: str | os.PathLike[str] | None = None,
    since: str | None = None,
    target: str | None = None,
    host: str | None = None,
    verb: str | None = None,
    limit: int | str | None = None,
) -> list[dict[str, Any]]:
    """The runs that are kept, the newest first: a dictionary each, for ``pandas.DataFrame``.

    ``results``
        where they are kept; ``IOBOUND_RESULTS``, else the user's data, if nothing is said.
    ``since``
        not before: ``"2026-11-22"``, ``"2026-11-22T04:00"`` (UTC), or so long ago: ``"7d"``, ``"12h"``.
    ``target``
        with this in the target's name.
    ``host``
        on this machine.
    ``verb``
        by this verb: ``run``, ``fio``, ``diskspd``, ``iometer``, ``lab``.
    ``limit``
        the newest so many; 20 if nothing is said.

    Each has its ``id``, ``at`` (UTC), ``iops`` and ``throughput_bytes_per_s``, and ``mean_us``, ``p50_us``,
    ``p99_us`` and ``max_us`` in microseconds.
    """
    document = ask(("results", "list"), locals())
    runs: list[dict[str, Any]] = document["runs"]
    return runs
