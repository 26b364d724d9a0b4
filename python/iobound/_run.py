"""Runs on real files and devices, by the program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from ._answer import Answer
from ._ask import _UNITS, _flags
from ._errors import BadInput, CannotRead, in_keywords

#: Exit codes of the program: bad input, a refusal, a failure to read or write, an interruption.
BAD_INPUT, REFUSED, IO, INTERRUPTED = 2, 3, 4, 5


def run(
    *targets: str | os.PathLike[str], program: str | os.PathLike[str] | None = None, **options: Any
) -> Answer:
    """Run a workload on real files or devices, and return its result, ``iobound.result/1``.

    ``targets``
        folders, files or devices, as of ``iobound run``. In a folder, the run makes a file of its own.
    ``program``
        the program ``iobound``; the variable ``IOBOUND_PROGRAM``, else the one on the path, if not given.
    ``options``
        flags of ``iobound run``, with underscores for dashes: ``duration=30``, ``read=70``, ``dry_run=True``. A
        list repeats a flag.

    The program's safety rules hold: an existing file is only read unless ``overwrite`` names it, and nothing is
    run beside other load unless ``busy_ok=True``. What the program refuses raises `BadInput` with its words. Its
    notes are warnings. ``latency_us`` are microseconds, ``throughput_bytes_per_s`` bytes a second. With
    ``dry_run=True`` the answer has the plan of the run, and nothing is written.
    """
    command = [_program(program), "run", *(os.fspath(target) for target in targets)]
    for keyword, value in options.items():
        command += _words(keyword, value)
    if "--json" not in command:
        command.append("--json")
    try:
        done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    except OSError as error:
        raise CannotRead(f"{command[0]}: {error.strerror}", "install the program, or give program=") from None
    notes, what, fix = _said(done.stderr)
    for note in notes:
        warnings.warn(note, stacklevel=2)
    if done.returncode == INTERRUPTED:
        raise KeyboardInterrupt(what or "the run was interrupted")
    if done.returncode == IO:
        raise CannotRead(what or "the run failed", fix)
    if done.returncode in (BAD_INPUT, REFUSED) or not done.stdout.strip():
        raise BadInput(what or f"the program ended with exit code {done.returncode}", fix)
    return Answer(json.loads(done.stdout))


def _program(program: str | os.PathLike[str] | None) -> str:
    named = os.fspath(program) if program is not None else os.environ.get("IOBOUND_PROGRAM")
    found = named or next(filter(None, map(_in_folder, os.get_exec_path())), None)
    if not found:
        raise CannotRead("run needs the program `iobound`, and it is not on the path", "install it, or set IOBOUND_PROGRAM")
    return found


def _in_folder(folder: str) -> str | None:
    """The program in a folder of the path; the command that pip installed with this module cannot run a load."""
    found = shutil.which("iobound", path=folder or os.curdir)
    if found is None:
        return None
    with open(found, "rb") as file:
        start = file.read(1024)
    return None if start.startswith(b"#!") and b"iobound.__main__" in start else found


def _words(keyword: str, value: Any) -> list[str]:
    """The words of a flag: none for ``None`` and ``False``, one for ``True``, several for a list."""
    flag = f"--{keyword.rstrip('_').replace('_', '-')}"
    if value is None or value is False:
        return []
    if value is True:
        return [flag]
    if isinstance(value, Mapping):
        raise BadInput(f"{keyword}: a dictionary was given", "give text or a number")
    if isinstance(value, Sequence) and not isinstance(value, (str, bytes)):
        return [word for one in value for word in _words(keyword, one)]
    text = str(os.fspath(value)) if isinstance(value, os.PathLike) else str(value)
    if isinstance(value, (int, float)):
        # A plain number has the unit that it has in a simulation.
        kind = _flags(("simulate",)).get(keyword.rstrip("_"), {}).get("value")
        text += _UNITS.get(str(kind), "")
    return [f"{flag}={text}"]


def _said(text: str) -> tuple[list[str], str | None, str | None]:
    """Notes, error and help among the lines of standard error; a line without a word of its own goes on."""
    found: dict[str, list[str]] = {"note": [], "error": [], "help": []}
    last: list[str] | None = None
    for line in text.splitlines():
        kind, parted, rest = line.partition(": ")
        if parted and kind in found:
            last = found[kind]
            last.append(rest.strip())
        elif last is not None and line.startswith(" "):
            last[-1] += f" {line.strip()}"
        else:
            last = None
    notes, error, fix = (list(map(in_keywords, found[kind])) for kind in ("note", "error", "help"))
    return notes, " ".join(error) or None, " ".join(fix) or None
