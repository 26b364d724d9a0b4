"""The functions' keywords are the flags, and their help says what they are."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import iobound
from iobound import _iobound


def test_the_functions_are_those_that_are_written_from_the_flags() -> None:
    generate = Path(__file__).parents[1] / "tools" / "generate.py"
    checked = subprocess.run([sys.executable, generate, "--check"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_every_function_says_what_it_returns_and_in_which_units() -> None:
    functions = [getattr(iobound, name) for name in iobound.__all__]
    functions += [getattr(iobound.catalog, name) for name in iobound.catalog.__all__]
    functions = [function for function in functions if inspect.isfunction(function)]
    assert len(functions) == 20
    for function in functions:
        text = inspect.getdoc(function) or ""
        assert len(text.splitlines()[0]) <= 105, function
        units = ("microseconds", "a second", "US dollars", "bytes", "figure", "how much", "jobs")
        assert any(unit in text for unit in units), function
        for name in inspect.signature(function).parameters:
            assert f"``{name}``" in text, (function, name)


def test_results_take_the_flags_of_the_list() -> None:
    _, flags = _iobound.flags(["results", "list"])
    names = {flag["name"] for flag in flags} - {"seed", "config"}
    assert set(inspect.signature(iobound.results).parameters) == names
