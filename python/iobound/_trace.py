"""Traces as tables, and tables as traces."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from . import _iobound
from ._answer import Answer
from ._ask import ask, keywords, refuse
from ._errors import BadInput

if TYPE_CHECKING:
    import pandas

#: Operations, by their number in a table.
OPERATIONS = ("read", "write", "flush", "discard")
#: The latency of an I/O whose latency is unknown.
UNKNOWN = 2**64 - 1
#: Types of the columns that are compiled, which are little-endian.
TYPES = ("<u8", "<u2", "u1", "<u8", "<u8", "<u8")
COLUMNS = ("time_ns", "device", "op", "offset", "length", "latency_ns")
#: Columns that a table need not have.
OPTIONAL = ("device", "latency_ns")


class Trace(Answer):
    """The figures of a trace, ``iobound.trace/1``; `to_frame` has its I/Os."""

    def __init__(self, document: Mapping[str, Any], files: list[str], unit: str | None, map: list[str]) -> None:
        super().__init__(document)
        self._files, self._unit, self._map = files, unit, map

    def to_frame(self) -> pandas.DataFrame:
        """The I/Os as a ``pandas.DataFrame``, in order of time.

        Columns: ``time_ns`` (issue, on the trace's own clock), ``device`` (its name), ``op`` (``read``,
        ``write``, ``flush`` or ``discard``), ``offset`` and ``length`` (bytes), ``latency_ns`` (``<NA>`` if it
        is unknown). An I/O takes about 40 bytes.
        """
        numpy, pandas = _tables()
        table, why = _iobound.trace_table(self._files, self._unit, self._map, _is_main())
        refuse(why, ("trace", "info"))
        assert table is not None, "a trace has a table, or a reason why it has none"
        devices, raw = table
        time, device, op, offset, length, latency = (
            numpy.frombuffer(column, dtype=kind) for column, kind in zip(raw, TYPES)
        )
        unknown = latency == UNKNOWN
        latency_ns = pandas.array(numpy.where(unknown, 0, latency).astype("int64"), dtype="Int64")
        latency_ns[unknown] = pandas.NA
        columns = {
            # The format has 64 bits for it.
            "time_ns": time.astype("uint64"),
            "device": pandas.Categorical.from_codes(device.astype("int32"), devices),
            "op": pandas.Categorical.from_codes(op.astype("int8"), OPERATIONS),
            "offset": offset.astype("int64"),
            "length": length.astype("int64"),
            "latency_ns": latency_ns,
        }
        return pandas.DataFrame(columns)


@keywords
def trace(
    files: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    time_unit: str | None = None,
    map: str | Sequence[str] | None = None,
) -> Trace:
    """Read a trace, and return its figures, ``iobound.trace/1``; ``to_frame()`` has its I/Os.

    ``files``
        trace files, in any format that ``iobound trace info`` reads; several are merged by time.
    ``time_unit``
        unit of the files' times, if the format's own is wrong: ``s``, ``ms``, ``us``, ``100ns``, ``ns``.
    ``map``
        ``FILE=NAME`` or ``DEVICE=NAME``: another name for the devices of a file, or for one device.
    """
    paths = [os.fspath(file) for file in ([files] if isinstance(files, (str, os.PathLike)) else files)]
    maps = [map] if isinstance(map, str) else list(map or ())
    document = ask(("trace", "info"), {"files": paths, "time_unit": time_unit, "map": maps or None})
    return Trace(document, paths, time_unit, maps)


@keywords
def write_trace(
    frame: pandas.DataFrame, out: str | os.PathLike[str], *, to: str | None = None
) -> Answer:
    """Write a table of I/Os as a new trace file, and return what was written, ``iobound.trace-edit/1``.

    ``frame``
        a ``pandas.DataFrame`` with the columns of `Trace.to_frame`; ``device`` and ``latency_ns`` may be
        missing. Times and latencies are in ns, offsets and lengths in bytes. Rows are put in order of
        ``time_ns``.
    ``out``
        the file; it must not exist.
    ``to``
        format: ``iobound`` (the default, which keeps everything), ``fio``, ``msr``, ``alibaba``, ``tencent``.
    """
    devices, columns = _columns(frame)
    document, why = _iobound.write_trace_table(devices, columns, os.fspath(out), to, _is_main())
    refuse(why, ("trace", "convert"))
    assert document is not None, "a file was written, or there is a reason why it was not"
    return Answer(json.loads(document))


def is_frame(value: Any) -> bool:
    """True if a value is a table of pandas. Pandas is not imported to find out."""
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def written(frame: Any, folder: str) -> str:
    """A new file of the folder with a table of I/Os."""
    path = tempfile.mktemp(suffix=".trace", dir=folder)
    write_trace(frame, path)
    return path


def _columns(frame: Any) -> tuple[list[str], list[bytes]]:
    numpy, pandas = _tables()
    if not is_frame(frame):
        raise BadInput(f"{type(frame).__name__} is no pandas.DataFrame", "give the table of trace(...).to_frame()")
    missing = [name for name in COLUMNS if name not in frame.columns and name not in OPTIONAL]
    if missing:
        raise BadInput(f"the table has no column {', '.join(missing)}", f"its columns are {', '.join(COLUMNS)}")
    for name in ("time_ns", "offset", "length"):
        column = frame[name]
        if column.isna().any() or not pandas.api.types.is_integer_dtype(column.dtype) or (column < 0).any():
            raise BadInput(f"column {name} has values that are no whole numbers from 0", "give ns and bytes as integers")
    named = frame["device"].astype(str) if "device" in frame else pandas.Series("trace", index=frame.index)
    codes, devices = pandas.factorize(named)
    if len(devices) > 2**16:
        raise BadInput(f"the table has {len(devices):,} devices, and a trace has at most 65,536", "write several traces")
    op = frame["op"].map({name: number for number, name in enumerate(OPERATIONS)})
    if op.isna().any():
        wrong = frame["op"][op.isna()].iloc[0]
        raise BadInput(f"op {wrong!r} is unknown", f"write one of {', '.join(OPERATIONS)}")
    if "latency_ns" in frame:
        latency = frame["latency_ns"]
        known = latency.notna()
        if (latency[known] < 0).any():
            raise BadInput("column latency_ns has values below 0", "leave out latencies that are unknown")
        latency_ns = numpy.full(len(frame), UNKNOWN, dtype="<u8")
        latency_ns[known.to_numpy()] = latency[known].astype("int64").to_numpy()
    else:
        latency_ns = numpy.full(len(frame), UNKNOWN, dtype="<u8")
    values = (frame["time_ns"], codes, op, frame["offset"], frame["length"], latency_ns)
    return [str(name) for name in devices], [
        numpy.asarray(column).astype(kind).tobytes() for column, kind in zip(values, TYPES)
    ]


def _is_main() -> bool:
    return threading.current_thread() is threading.main_thread()


def _tables() -> tuple[Any, Any]:
    try:
        import numpy
        import pandas
    except ImportError:
        raise ImportError("traces as tables need pandas: pip install pandas") from None
    return numpy, pandas
