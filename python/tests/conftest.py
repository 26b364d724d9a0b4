"""What the tests share."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def no_results(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody's own results, and none of the caller's settings."""
    for name in list(os.environ):
        if name.startswith("IOBOUND_") and name != "IOBOUND_PROGRAM":
            monkeypatch.delenv(name)
    monkeypatch.setenv("IOBOUND_RESULTS", "off")


@pytest.fixture(scope="session")
def binary() -> str:
    """The program beside: IOBOUND_PROGRAM, else the newest of target/."""
    built = [ROOT / "target" / kind / "iobound" for kind in ("release", "debug")]
    there = [os.environ.get("IOBOUND_PROGRAM") or "", *map(str, built), shutil.which("iobound") or ""]
    found = next((path for path in there if path and Path(path).exists()), None)
    assert found is not None, "build the program: cargo build -p iobound, or set IOBOUND_PROGRAM"
    return found


@pytest.fixture(scope="session")
def program(binary: str) -> Callable[..., Any]:
    """The program beside, asked for ``--json``."""

    def ask(*words: str) -> Any:
        environment = {**os.environ, "IOBOUND_RESULTS": "off"}
        environment.pop("IOBOUND_PROGRAM", None)
        printed = subprocess.run(
            [binary, *words, "--json"], capture_output=True, check=True, env=environment, text=True
        )
        return json.loads(printed.stdout)

    return ask
