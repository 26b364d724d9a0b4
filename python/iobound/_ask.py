"""Arguments as options of a verb, answers as dictionaries that are tables too."""

from __future__ import annotations

import contextlib
import functools
import inspect
import json
import math
import os
import re
import tempfile
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import Any, ParamSpec, TypeVar

from . import _iobound
from ._answer import Answer
from ._errors import BadInput, CannotRead, in_keywords, unknown

P = ParamSpec("P")
R = TypeVar("R")

#: Flags whose value is a file that may be given as what is in it, and what a dictionary becomes there.
FILES = {
    "calibrate": "json",
    "catalog": "toml",
    "config": "toml",
    "diskspd_xml": None,
    "result": "json",
    "sides": "json",
    "workload": "toml",
}


def keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Refuses a keyword that the function does not have by its name, with the nearest that it has."""
    parameters = inspect.signature(function).parameters
    # Where it is found, and not the file that it stands in.
    name = f"{re.sub(r'[.]_[a-z]+', '', function.__module__)}.{function.__name__}"

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for keyword in kwargs:
            if keyword not in parameters:
                raise unknown(keyword, name, parameters)
        return function(*args, **kwargs)

    return call


#: The flags of each verb that was asked, which are the same for as long as the program is.
_FLAGS: dict[tuple[str, ...], dict[str, dict[str, Any]]] = {}


#: The unit of a plain number, by the kind of value that an option takes.
_UNITS = {"SIZE": "B", "SIZE|SPLIT": "B", "TIME": "s"}


def _flags(verb: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    if verb not in _FLAGS:
        _, flags = _iobound.flags(verb)
        _FLAGS[verb] = {flag["name"].replace("-", "_"): flag for flag in flags}
    return _FLAGS[verb]


def ask(verb: tuple[str, ...], arguments: Mapping[str, Any]) -> Any:
    """The document that a verb answers these arguments with; those that are ``None`` are not given.

    Notes beside the answer are warnings.
    """
    from ._trace import is_frame, written

    known = _flags(verb)
    fields: list[tuple[str, str | None]] = []
    texts: dict[str, str] = {}
    with contextlib.ExitStack() as stack:
        for keyword, value in arguments.items():
            if value is None:
                continue
            name = keyword.rstrip("_")
            if name == "trace" and is_frame(value):
                value = written(value, stack.enter_context(tempfile.TemporaryDirectory(prefix="iobound-")))
            fields.extend(_fields(known[name], name, value, texts))
        return answer(verb, fields, texts)


def answer(verb: Sequence[str], fields: Sequence[tuple[str, str | None]], texts: Mapping[str, str]) -> Any:
    """The document that a verb answers these options with."""
    is_main = threading.current_thread() is threading.main_thread()
    document, notes, why = _iobound.ask(verb, fields, texts, is_main)
    for note in notes:
        warnings.warn(in_keywords(note, _flags(tuple(verb))), stacklevel=5)
    refuse(why, verb)
    assert document is not None, "an answer has a document, or a reason why it has none"
    return Answer(json.loads(document))


def refuse(why: tuple[str, str, str | None] | None, verb: Sequence[str]) -> None:
    """Raises the reason why a verb has no answer, if there is one, with keywords in place of its flags."""
    if why is not None:
        known = _flags(tuple(verb))
        reason, what, fix = why
        what, fix = in_keywords(what, known), fix and in_keywords(fix, known)
        if reason == "interrupted":
            raise KeyboardInterrupt(what)
        raise (CannotRead if reason == "io" else BadInput)(what, fix)


def _fields(
    flag: Mapping[str, Any], name: str, value: Any, texts: dict[str, str]
) -> list[tuple[str, str | None]]:
    if flag["many"] and _is_list(value):
        values = list(value)
    elif _is_list(value) and str(flag["value"]).endswith(",..."):
        values = [",".join(str(one) for one in value)]
    elif _is_list(value):
        raise BadInput(f"{name}: it is one value, and a list was given", "give one, or ask several times")
    else:
        values = [value]
    return [(flag["name"], _value(flag, name, value, texts)) for value in values if not _is_off(flag, value)]


def _is_list(value: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def _is_off(flag: Mapping[str, Any], value: Any) -> bool:
    # A switch that is off is one that is not given; what takes true or false says so.
    return value is False and flag["alone"] and flag["value"] != "true|false"


def _value(flag: Mapping[str, Any], name: str, value: Any, texts: dict[str, str]) -> str | None:
    if hasattr(value, "item") and callable(value.item):
        # A scalar of NumPy, as a column of pandas has them.
        value = value.item()
    if isinstance(value, bool):
        if flag["alone"] and flag["value"] == "true|false":
            return str(value).lower()
        if flag["alone"] and value:
            return None
        raise BadInput(f"{name}={value}: a number or text is expected", f"{name} is {flag['help']}")
    if flag["value"] is None:
        raise BadInput(f"{name}={value!r}: it is a switch", f"write {name}=True, or leave it out")
    text = _text(name, value, texts)
    return text + _UNITS.get(flag["value"], "") if isinstance(value, (int, float)) else text


def _text(name: str, value: Any, texts: dict[str, str]) -> str:
    is_file = name in FILES
    if isinstance(value, os.PathLike):
        return str(os.fspath(value))
    if isinstance(value, str):
        # A name has one line; what has several is what would be in the file.
        return _beside(name, value, texts) if is_file and "\n" in value else value
    if isinstance(value, Mapping) and FILES.get(name) is not None:
        return _beside(name, _file(name, value), texts)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and math.isfinite(value):
        return format(Decimal(repr(value)), "f")
    if isinstance(value, Mapping):
        raise BadInput(f"{name}: a dictionary was given", "give text or a number")
    raise BadInput(f"{name}={value!r}: {type(value).__name__} is neither text nor a number")


def _beside(name: str, text: str, texts: dict[str, str]) -> str:
    named = f"<{name}>" if f"<{name}>" not in texts else f"<{name} {len(texts) + 1}>"
    texts[named] = text
    return named


def _file(name: str, value: Mapping[str, Any]) -> str:
    try:
        text = json.dumps(value, default=_plain, allow_nan=False)
        return _iobound.toml_of(text) if FILES[name] == "toml" else text
    except (TypeError, ValueError) as error:
        raise BadInput(f"{name}: the dictionary can't be written down: {error}") from None


def _plain(value: Any) -> Any:
    if hasattr(value, "item") and callable(value.item):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} is neither text, a number, a list nor a dictionary")
