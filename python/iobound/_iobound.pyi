"""What is compiled: text in, text out."""

from collections.abc import Mapping, Sequence
from typing import Any

__all__ = [
    "__version__",
    "ask",
    "flags",
    "histogram",
    "merged",
    "of_hdr",
    "program",
    "toml_of",
    "trace_table",
    "write_trace_table",
]
__version__: str

def ask(
    verb: Sequence[str], fields: Sequence[tuple[str, str | None]], texts: Mapping[str, str], signals: bool
) -> tuple[str | None, list[str], tuple[str, str, str | None] | None]: ...
def flags(verb: Sequence[str]) -> tuple[str, list[dict[str, Any]]]: ...
def program(words: Sequence[str]) -> int: ...
def toml_of(json: str) -> str: ...
def histogram(raw: str) -> str: ...
def merged(raws: Sequence[str]) -> str: ...
def of_hdr(bytes: bytes) -> str: ...
def trace_table(
    files: Sequence[str], time_unit: str | None, map: Sequence[str], signals: bool
) -> tuple[tuple[list[str], list[bytes]] | None, tuple[str, str, str | None] | None]: ...
def write_trace_table(
    devices: Sequence[str], columns: Sequence[bytes], out: str, to: str | None, signals: bool
) -> tuple[str | None, tuple[str, str, str | None] | None]: ...
