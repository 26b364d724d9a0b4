"""Many predictions as one table."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from ._answer import figures
from ._errors import BadInput, unknown
from ._verbs import predict

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
Part = Sequence[Row]

#: Predictions that a worker makes at a time: enough that the engine's own work is small beside them.
PART = 50


def sweep(*, client: Any = None, workers: int | None = None, **axes: Any) -> pandas.DataFrame:
    """Predict every combination of the listed values, in parallel; a ``pandas.DataFrame`` with a row for each.

    ``client``
        engine of the work: a Dask ``Client``, the module ``ray`` or a Ray client, or any
        ``concurrent.futures.Executor``; threads of this process if not given.
    ``workers``
        number of threads without a client; the number of processors if not given.
    ``axes``
        keywords of `predict`. A list is an axis: ``vm=["D8s_v5", "D16s_v5"]``, ``depth=[1, 8, 64]``. A
        single value holds for all. Several volumes of one configuration are a tuple:
        ``disk=["10xP30", ("data=8xP30", "log=2xP20")]``.

    Columns are the axes, then ``iops`` with the band ``low_iops`` to ``high_iops`` (I/Os a second),
    ``throughput_bytes_per_s``, ``mean_us`` and ``p99_us`` (microseconds), ``binding``, ``ceiling_iops``,
    ``price_month`` (US dollars), and ``error``: why there is no prediction for this row, else ``None``.
    If no row can be predicted, the first error is raised. Rows are in the order of the axes, the last one
    fastest, whatever the engine.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("sweep() needs pandas: pip install pandas") from None
    names = _keywords(axes)
    if workers is not None and workers < 1:
        raise BadInput(f"workers={workers}: must be 1 or more", "leave it out for one a processor")
    listed = {name: _values(value) for name, value in axes.items()}
    for name, values in listed.items():
        if not values:
            raise BadInput(f"{name}: the list is empty", "give at least one value, or leave it out")
    questions = [dict(zip(listed, values, strict=True)) for values in itertools.product(*listed.values())]
    parts = [questions[begin : begin + PART] for begin in range(0, len(questions), PART)]
    answers = [row for part in _mapped(client, workers, parts) for row in part]
    failed = [row for row in answers if row["error"] is not None]
    if len(failed) == len(answers):
        raise BadInput(str(failed[0]["error"]))
    shown = [{name: question[name] for name in names} for question in questions]
    return pandas.DataFrame([{**question, **row} for question, row in zip(shown, answers, strict=True)])


def several(part: Part) -> list[Row]:
    """The predictions of a part: what an engine maps."""
    return [_one(question) for question in part]


def _one(question: Mapping[str, Any]) -> Row:
    keywords = {name: list(value) if isinstance(value, tuple) else value for name, value in question.items()}
    ask: Callable[..., Mapping[str, Any]] = predict
    try:
        answer = ask(**keywords)
    except BadInput as error:
        return {**dict.fromkeys(_FIGURES), "error": str(error)}
    # Of several stages the first one, as the program prints them.
    stages = answer.get("stages") or [answer]
    return {**figures({**answer, **stages[0]}), "error": None}


_FIGURES = (
    "iops",
    "low_iops",
    "high_iops",
    "throughput_bytes_per_s",
    "mean_us",
    "p99_us",
    "binding",
    "ceiling_iops",
    "price_month",
)


def _keywords(axes: Mapping[str, Any]) -> list[str]:
    """The keywords with several values; all where none has."""
    import inspect

    known = inspect.signature(predict).parameters
    for name in axes:
        if name not in known:
            raise unknown(name, "iobound.sweep", known)
    listed = [name for name, value in axes.items() if len(_values(value)) > 1]
    return listed or list(axes)


def _values(value: Any) -> list[Any]:
    """The values of an axis; a tuple is one value of several parts."""
    if isinstance(value, (str, bytes, tuple, Mapping)) or not isinstance(value, Iterable):
        return [value]
    return list(value)


def _mapped(client: Any, workers: int | None, parts: Sequence[Part]) -> Iterator[list[Row]]:
    if client is None:
        # Predictions release the interpreter's lock, so threads use all processors.
        with ThreadPoolExecutor(workers or os.cpu_count() or 1) as threads:
            yield from threads.map(several, parts)
        return
    if workers is not None:
        raise BadInput("workers: the client decides how many there are", "leave out workers, or client")
    run: Callable[[Sequence[Part]], Iterable[list[Row]]]
    if hasattr(client, "map") and hasattr(client, "gather"):
        run = lambda parts: client.gather(client.map(several, parts, pure=False))
    elif hasattr(client, "remote") and hasattr(client, "get"):
        remote = client.remote(several)
        run = lambda parts: client.get([remote.remote(part) for part in parts])
    elif hasattr(client, "map") and hasattr(client, "submit"):
        run = lambda parts: client.map(several, parts)
    else:
        what = f"client={type(client).__name__}: neither a client of Dask, nor of Ray, nor an executor"
        raise BadInput(what, "pass dask.distributed.Client(), the module ray, or an Executor of concurrent.futures")
    yield from run(parts)
