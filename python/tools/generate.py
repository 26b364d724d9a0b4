"""Writes the functions whose keywords are the flags of a verb: iobound/_verbs.py and iobound/catalog.py.

    python python/tools/generate.py            writes them
    python python/tools/generate.py --check    fails where they are not what would be written

The flags are asked of the compiled module, so that names, help and values are said once, in the program. A test holds the
files beside them.
"""

from __future__ import annotations

import keyword
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iobound import _iobound

FOLDER = Path(__file__).parents[1] / "iobound"
WIDTH = 105

#: What the value of a flag is, by the program's name for it: how it is written, with its unit.
VALUES = {
    "SIZE": "a SIZE is a number of bytes, or has its unit: ``4096``, ``\"8KiB\"`` (1,024), ``\"1TiB\"``",
    "SIZE|SPLIT": "a SIZE is a number of bytes, or has its unit: ``4096``, ``\"8KiB\"`` (1,024), ``\"1TiB\"``",
    "TIME": "a TIME is a number of seconds, or has its unit: ``30``, ``\"500us\"``, ``\"2ms\"``, ``\"20min\"``",
    "IOPS|MB/s": "a rate has its unit: ``\"5000iops\"``, ``\"200MB/s\"`` (10^6 bytes), ``\"200MiB/s\"`` (2^20)",
    "PERCENT": "a PERCENT is of 100: ``70`` or ``\"70%\"``",
    "FILE": "a FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as "
    "the text of the file, a result as a document",
}

ANSWERS = {
    "predict": """
        Returns the document `iobound.predict/2`: ``expected`` with ``iops``, the band ``low_iops`` to
        ``high_iops`` and ``throughput_bytes_per_s`` (bytes a second); ``ceiling``, the most that the limits
        allow; ``latency_us`` (microseconds); ``binding``, what holds it back; ``limits``, each limit with what
        is used of it; ``volumes`` and ``disks``; ``assumed`` and ``notes``. With ``trace``, a file or a table
        as of ``trace(...).to_frame()``, the document is `iobound.replay/1`.""",
    "simulate": """
        Returns the document of a result, `iobound.result/1`: ``iops``, ``throughput_bytes_per_s`` (bytes a
        second), ``latency_us`` (microseconds), ``read``, ``write``, ``jobs`` with every latency
        (``jobs[].histograms``, in ns; see `read_histogram`), ``series`` with a dictionary for each second, and
        ``model``: what bound, and what each limit held. The same seed gives the same document. It takes some
        100 ns for each I/O; Ctrl-C ends it. With ``trace``, a file or a table as of ``trace(...).to_frame()``,
        the document is `iobound.replay/1`.""",
    "plan": """
        Returns the document `iobound.plan/1`: ``candidates``, the cheapest first, each with its
        ``configuration``, ``price`` (US dollars a month), ``binding`` and ``predicted`` figures; ``refused``,
        what is cheaper and why it fails; ``frontier``; ``assumed`` and ``notes``. With ``trace``, a file or a
        table as of ``trace(...).to_frame()``, ``trace`` has the replays.""",
    "explain": """
        Without arguments it watches this machine's own counters for ten seconds, on Linux.

        Returns the document `iobound.explain/2`: ``findings``, best first, each with its ``rule``, ``claim``,
        ``evidence``, ``remedy``, ``predicted_after`` (``iops``, ``throughput_bytes_per_s`` in bytes a second)
        and ``confidence``.""",
    "compare": """
        Each side is a file, the id of a run that is kept, or a result document.

        Returns the document `iobound.compare/1`: ``sides``, and ``comparisons``, one for each other side,
        with its ``figures`` beside the first's: the ``difference`` and its interval, ``low`` to ``high``;
        figures that end in ``_us`` are microseconds.""",
    "vms": """
        Returns the document `iobound.catalog/1`, whose ``rows`` are dictionaries: ``uncached_iops`` and
        ``cached_iops`` a second, ``uncached_bytes_per_s``, ``memory_bytes``, ``vcpus``, ``source``.""",
    "disks": """
        Returns the document `iobound.catalog/1`, whose ``rows`` are dictionaries: ``iops`` a second,
        ``bytes_per_s``, ``max_size_bytes``, ``era``, ``source``.""",
    "audit": """
        Returns the document `iobound.catalog/1`, whose ``rows`` are groups of VM sizes with a doubtful figure:
        ``doubt`` (unknown, old or contradictory), ``figure``, ``of`` (family or source), ``sizes``,
        ``example``.""",
    "prices": """
        Returns the document `iobound.catalog/1`, whose ``rows`` are dictionaries with ``usd_per_month``, US dollars
        a month.""",
    "presets": """
        Returns the document `iobound.catalog/1`, whose ``rows`` are dictionaries: ``name``, ``about``,
        ``source``, ``jobs``.""",
    "show": """
        Returns the document `iobound.catalog/1` of that one: every figure with its source and date.""",
    "overview": """
        Returns the document `iobound.catalog/1`: how much of everything there is, and of when.""",
}

#: The type of each answer, in iobound/answers.py.
TYPES = {
    "predict": "PredictDocument",
    "simulate": "RunDocument",
    "plan": "PlanDocument",
    "explain": "ExplainDocument",
    "compare": "CompareDocument",
    "vms": "CatalogListing",
    "disks": "CatalogListing",
    "audit": "CatalogListing",
    "prices": "CatalogListing",
    "presets": "CatalogPresets",
    "show": "CatalogEntry | CatalogPreset",
    "overview": "CatalogOverview",
}

#: Keywords that every function takes, and that change nothing in these.
IDLE = {
    "compare": ["config", "seed"],
    "vms": ["seed"],
    "disks": ["seed"],
    "prices": ["seed"],
    "presets": ["seed"],
    "show": ["seed"],
    "overview": ["seed"],
}

HEAD = '''"""{title}

Written by python/tools/generate.py from the program's own help; not by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import {typing}

from ._ask import ask, keywords
{types}'''


@dataclass
class Function:
    """A function to write."""

    name: str
    verb: tuple[str, ...]


VERBS = [Function(name, (name,)) for name in ("predict", "simulate", "plan", "explain", "compare")]
CATALOG = [Function(name, ("catalog", name)) for name in ("vms", "disks", "prices", "presets", "show", "audit")]
CATALOG.append(Function("overview", ("catalog",)))
FILES = {"calibrate", "catalog", "config", "diskspd_xml", "result", "sides", "workload"}


def name_of(flag: dict[str, Any]) -> str:
    name: str = flag["name"].replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def type_of(flag: dict[str, Any]) -> str:
    """The type of a keyword's values."""
    name, value = flag["name"].replace("-", "_"), flag["value"]
    if value is None:
        return "bool"
    if value == "true|false":
        return "bool | str"
    if name in FILES:
        one = "str | PathLike[str]" + ("" if name == "diskspd_xml" else " | Mapping[str, Any]")
        return f"{one} | Sequence[{one}]" if flag["many"] and not flag["positional"] else one
    if name == "trace":
        return "str | PathLike[str] | Sequence[str | PathLike[str]] | pandas.DataFrame"
    if value in ("FILE", "FOLDER"):
        return "str | PathLike[str]"
    if flag["many"]:
        return "str | Sequence[str]"
    if flag["alone"]:
        return "bool | str"
    if value.endswith(",..."):
        return "str | Sequence[str]"
    if value in ("N", "N|N-N", "PERCENT") or name in ("at", "era", "vcpus"):
        return "str | int"
    return "str | int | float" if value in ("IOPS", "IOPS|MIN..MAX", "THETA", "USD") else "str"


def wrapped(text: str, indent: str) -> str:
    return textwrap.fill(
        " ".join(text.split()), WIDTH, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )


def help_of(flag: dict[str, Any]) -> str:
    """What a keyword means, in the words of the program's help."""
    text: str = flag["help"].rstrip()
    value = flag["value"] or ""
    words = value.split("|")
    if value.islower() and len(words) > 1 and value != "true|false" and words[0] not in text:
        return f"{text}: {value.replace('|', ', ')}"
    kind = value.split("|")[0] if value in VALUES and value != "FILE" else None
    return f"{text}; {kind}" if kind in ("SIZE", "TIME", "PERCENT") else text


def written(function: Function) -> str:
    """The text of a function."""
    about, flags = _iobound.flags(function.verb)
    idle = IDLE.get(function.name, [])
    flags = [flag for flag in flags if flag["name"] not in idle]
    places = [flag for flag in flags if flag["positional"]]
    named = [flag for flag in flags if not flag["positional"]]
    lines = ["", "", "@keywords", f"def {function.name}("]
    for flag in places:
        kind = type_of(flag)
        if flag["many"]:
            lines.append(f"    *{name_of(flag)}: {kind},")
        elif function.name == "show":
            lines.append(f"    {name_of(flag)}: {kind},")
        else:
            lines.append(f"    {name_of(flag)}: {kind} | None = None,")
    if named and not any(flag["many"] for flag in places):
        lines.append("    *,")
    lines += [f"    {name_of(flag)}: {type_of(flag)} | None = None," for flag in named]
    lines.append(f") -> {TYPES[function.name]}:")
    doc = [wrapped(f'"""{about.rstrip(".")}.', "    "), "", textwrap.indent(textwrap.dedent(ANSWERS[function.name]).strip(), "    ")]
    heading = object()
    for flag in places + named:
        if flag["heading"] != heading:
            heading = flag["heading"]
            doc += ["", wrapped(f"{heading or 'What is asked'}:", "    ")]
        doc += [f"    ``{name_of(flag)}``", wrapped(help_of(flag), "        ")]
    kinds = {VALUES[flag["value"]] for flag in flags if flag["value"] in VALUES}
    if kinds:
        doc += ["", "    A number without its unit is refused where it could have several."]
        doc += [wrapped(f"{kind[:1].upper()}{kind[1:]}.", "    ") for kind in sorted(kinds)]
    doc.append('    """')
    lines += doc
    lines += [
        f"    document: {TYPES[function.name]} = ask({function.verb!r}, locals())",
        "    return document",
    ]
    return "\n".join(line.rstrip() for line in lines)


def imports(functions: list[Function]) -> str:
    """The line that imports the types of these functions' answers."""
    names = {name for function in functions for name in TYPES[function.name].split(" | ")}
    return f"from .answers import {', '.join(sorted(names))}\n"


def files() -> dict[str, str]:
    """What is to stand in each file."""
    title = "The questions: each keyword is a flag of the verb of the same name."
    verbs = HEAD.format(title=title, types=imports(VERBS), typing="TYPE_CHECKING, Any")
    verbs += "\nif TYPE_CHECKING:\n    import pandas\n"
    title = "VM sizes, disks and presets, with limits, prices and sources."
    catalog = HEAD.format(title=title, types=imports(CATALOG), typing="Any")
    catalog += '\n__all__ = ["disks", "overview", "presets", "prices", "show", "vms"]\n'
    return {
        "_verbs.py": verbs + "\n".join(map(written, VERBS)) + "\n",
        "catalog.py": catalog + "\n".join(map(written, CATALOG)) + "\n",
    }


def main(arguments: list[str]) -> int:
    """Writes the files, or compares them."""
    stale = 0
    for name, text in files().items():
        path = FOLDER / name
        if arguments == ["--check"]:
            if not path.exists() or path.read_text() != text:
                print(f"{path} is not of these flags: python python/tools/generate.py writes it", file=sys.stderr)
                stale = 1
        elif arguments:
            print(f"{arguments[0]}: --check, or nothing", file=sys.stderr)
            return 2
        else:
            path.write_text(text)
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
