"""What is raised where there is no answer."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class BadInput(ValueError):
    """Input that can't be taken: what was read and expected, and how to mend it.

    ``what`` says what is wrong; ``mend`` how to mend it, or is ``None``.
    """

    def __init__(self, what: str, mend: str | None = None) -> None:
        super().__init__(what, mend)
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        return self.what if self.mend is None else f"{self.what}\nhelp: {self.mend}"


class CannotRead(OSError):
    """A file or a results store that is there and can't be read; ``what`` and ``mend`` as of `BadInput`."""

    def __init__(self, what: str, mend: str | None = None) -> None:
        super().__init__(what, mend)
        self.what = what
        self.mend = mend

    def __str__(self) -> str:
        return self.what if self.mend is None else f"{self.what}\nhelp: {self.mend}"


def unknown(name: str, of: str, known: Iterable[str]) -> BadInput:
    """What is to be said of a keyword that a function does not have."""
    known = list(known)
    near = difflib.get_close_matches(name, known, n=3, cutoff=0.5)
    mend = f"did you mean {' or '.join(near)}?" if near else f"it takes {', '.join(known)}"
    return BadInput(f"{of} has no option `{name}`", mend)
