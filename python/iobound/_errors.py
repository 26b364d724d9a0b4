"""Exceptions of the module."""

from __future__ import annotations

import difflib
import keyword
import re
from collections.abc import Container, Iterable


class BadInput(ValueError):
    """Invalid input: the value, the expected form, and the fix.

    ``what`` is the problem; ``help`` is the fix, or ``None``.
    """

    def __init__(self, what: str, fix: str | None = None) -> None:
        super().__init__(what, fix)
        self.what = what
        self.help = fix

    def __str__(self) -> str:
        return self.what if self.help is None else f"{self.what}\nhelp: {self.help}"


class CannotRead(OSError):
    """An existing file or results store that cannot be read; ``what`` and ``help`` as of `BadInput`."""

    def __init__(self, what: str, fix: str | None = None) -> None:
        super().__init__(what, fix)
        self.what = what
        self.help = fix

    def __str__(self) -> str:
        return self.what if self.help is None else f"{self.what}\nhelp: {self.help}"


#: A command in backticks, or a flag of the program with a value that has a digit.
_FLAG = re.compile(
    r"(?P<command>`iobound [^`]*`)"
    r"|--(?P<name>[a-z][a-z0-9-]*)(?:[ =](?P<value>(?=\S*\d)[^\s`'\"<>]+?)(?=[,;:.)?]*(?:\s|$)))?"
)


def in_keywords(text: str, known: Container[str] | None = None) -> str:
    """A message of the program with keywords in place of its flags: ``depth=8`` for ``--depth 8``.

    Flags that are not ``known`` stay; so do whole commands in backticks. ``None``: all flags are known.
    """

    def replaced(found: re.Match[str]) -> str:
        name = str(found["name"] or "").replace("-", "_")
        if found["command"] or (known is not None and name not in known):
            return found[0]
        name += "_" if keyword.iskeyword(name) else ""
        value = found["value"]
        if value is None:
            return name
        return f"{name}={value}" if value.isdecimal() else f'{name}="{value}"'

    return _FLAG.sub(replaced, text)


def unknown(name: str, of: str, known: Iterable[str]) -> BadInput:
    """Error for a keyword that a function does not have."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    fix = f"did you mean {' or '.join(near)}?" if near else f"it takes {', '.join(known)}"
    return BadInput(f"{of} has no option `{name}`", fix)
