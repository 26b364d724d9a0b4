"""Exceptions of the module."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


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


def unknown(name: str, of: str, known: Iterable[str]) -> BadInput:
    """What is to be said of a keyword that a function does not have."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    fix = f"did you mean {' or '.join(near)}?" if near else f"it takes {', '.join(known)}"
    return BadInput(f"{of} has no option `{name}`", fix)
