"""Answers: dictionaries that are also tables."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas

Row = dict[str, Any]
Document = Mapping[str, Any]

#: Rows of a table that a notebook shows.
SHOWN = 20


class Answer(dict[str, Any]):
    """The document of an answer, with its main table: `to_frame`, and a view in notebooks."""

    def to_frame(self) -> pandas.DataFrame:
        """The main table of the answer as a ``pandas.DataFrame``; see `to_frame`."""
        return to_frame(self)

    def _repr_html_(self) -> str:
        """The answer in a sentence and its main table, for notebooks."""
        said = f"<p><strong>{html.escape(sentence(self))}</strong></p>"
        return said + _table(rows(self))


def to_frame(answer: Document) -> pandas.DataFrame:
    """The main table of an answer as a ``pandas.DataFrame``.

    ``answer``
        a document: of a prediction, a row of figures for each stage; of a result, a row for each interval; of a
        plan, a row for each candidate; of an explanation, a row for each change; of a comparison, a row for each
        figure; of the catalogue, its rows.

    Columns have the names of the document's keys, with dots between levels (``read.p99_us``), so units are those
    of the document: ``_us`` are microseconds, ``bytes_per_s`` bytes a second, prices US dollars a month.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("to_frame() needs pandas: pip install pandas") from None
    return pandas.DataFrame(rows(answer))


def rows(document: Document) -> list[Row]:
    """The main table of a document, one dictionary for each row."""
    schema = str(document.get("schema", "")).partition("/")[0]
    return list(_ROWS.get(schema, _one)(document))


def sentence(document: Document) -> str:
    """The answer in a sentence."""
    schema = str(document.get("schema", "")).partition("/")[0]
    table = rows(document)
    say = _SENTENCES.get(schema)
    return say(document, table) if say and table else f"{schema or 'An answer'}: {len(table)} rows"


def flat(value: Document, before: str = "") -> Row:
    """Figures and texts of a dictionary, with dots between levels; lists are left out."""
    row: Row = {}
    for key, part in value.items():
        if isinstance(part, Mapping):
            row.update(flat(part, f"{before}{key}."))
        elif not isinstance(part, list):
            row[f"{before}{key}"] = part
    return row


def figures(stage: Document) -> Row:
    """The figures of a prediction in one row."""
    expected, ceiling = stage["expected"], stage["ceiling"]
    latency, price = stage.get("latency_us") or {}, stage.get("price") or {}
    return {
        "iops": expected["iops"],
        "low_iops": expected["low_iops"],
        "high_iops": expected["high_iops"],
        "throughput_bytes_per_s": expected["throughput_bytes_per_s"],
        "mean_us": latency.get("mean"),
        "p99_us": latency.get("p99"),
        "binding": stage["binding"],
        "ceiling_iops": ceiling["iops"],
        "price_month": price.get("month"),
    }


def _predictions(document: Document) -> Iterator[Row]:
    configuration = document["configuration"]
    named = {"vm": configuration["vm"], "disks": ", ".join(configuration["disks"])}
    for stage in document.get("stages") or [document]:
        yield {**named, **figures({**document, **stage})}


def _candidates(document: Document) -> Iterator[Row]:
    for of in document["candidates"]:
        yield {
            "vm": of["configuration"]["vm"],
            "disks": ", ".join(of["configuration"]["disks"]),
            "price_month": (of.get("price") or {}).get("month"),
            **flat(of["predicted"]["delivers"]),
            "binding": of["binding"],
        }


def _changes(document: Document) -> Iterator[Row]:
    for finding in document["findings"]:
        of = {key: finding.get(key) for key in ("rule", "confidence", "claim")}
        for remedy in finding.get("remedies") or [{"change": finding.get("remedy")}]:
            yield {**of, "change": remedy["change"], **flat(remedy.get("predicted_after") or {})}


def _figures(document: Document) -> Iterator[Row]:
    for comparison in document["comparisons"]:
        for figure in comparison["figures"]:
            yield {"of": comparison["of"], "against": comparison["against"], **flat(figure)}


def _of(key: str) -> Callable[[Document], Iterator[Row]]:
    return lambda document: (flat(row) for row in document.get(key) or [])


def _one(document: Document) -> Iterator[Row]:
    yield flat(document)


_ROWS: dict[str, Callable[[Document], Iterator[Row]]] = {
    "iobound.predict": _predictions,
    "iobound.result": _of("series"),
    "iobound.plan": _candidates,
    "iobound.explain": _changes,
    "iobound.compare": _figures,
    "iobound.catalog": _of("rows"),
}


def _predicted(document: Document, table: Sequence[Row]) -> str:
    row = table[0]
    if row["iops"] is None:
        return "No I/O completes."
    band = f"{row['low_iops']:,.0f} to {row['high_iops']:,.0f}"
    return f"Expect {row['iops']:,.0f} IOPS ({band}), bound by {row['binding']}."


def _measured(document: Document, table: Sequence[Row]) -> str:
    mean = (document.get("latency_us") or {}).get("mean")
    latency = "" if mean is None else f" at a mean latency of {mean / 1e3:.2f} ms"
    return f"{document['iops']:,.0f} IOPS{latency}."


def _planned(document: Document, table: Sequence[Row]) -> str:
    row = table[0]
    price = "at an unknown price" if row["price_month"] is None else f"for {row['price_month']:,.2f} USD a month"
    return f"Cheapest: {row['vm']} with {row['disks']}, {price}."


def _explained(document: Document, table: Sequence[Row]) -> str:
    claim = str(table[0]["claim"])
    return f"{claim[:1].upper()}{claim[1:]}."


def _compared(document: Document, table: Sequence[Row]) -> str:
    return "; ".join(str(comparison["says"]) for comparison in document["comparisons"]) + "."


_SENTENCES: dict[str, Callable[[Document, Sequence[Row]], str]] = {
    "iobound.predict": _predicted,
    "iobound.result": _measured,
    "iobound.plan": _planned,
    "iobound.explain": _explained,
    "iobound.compare": _compared,
}


def _table(table: Sequence[Row]) -> str:
    if not table:
        return ""
    columns = [key for key in table[0] if any(row.get(key) is not None for row in table)]
    head = "".join(f"<th>{html.escape(column)}</th>" for column in columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{html.escape(_shown(row.get(column)))}</td>" for column in columns) + "</tr>"
        for row in table[:SHOWN]
    )
    more = f"<p>{len(table) - SHOWN:,} more rows: to_frame() has all.</p>" if len(table) > SHOWN else ""
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"


def _shown(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:,.4g}"
    return str(value)
