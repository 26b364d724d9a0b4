"""What the README and docs/python.md show is run as it stands, and prints what it says."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def blocks(name: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.DOTALL)


@pytest.mark.parametrize("name", ["README.md", "docs/python.md"])
def test_every_block_runs(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas")
    shown = blocks(name)
    assert shown, f"{name} shows nothing in Python"
    together: dict[str, object] = {}
    for block in shown:
        exec(compile(block, name, "exec"), together)
        printed = capsys.readouterr().out
        for line in re.findall(r"print\(.*?\)\s+# (.*)", block):
            assert line in printed, f"{name} says `{line}`, and it prints {printed}"


def test_the_readme_says_what_is_printed() -> None:
    assert "# 15250 queue_depth" in blocks("README.md")[0]
