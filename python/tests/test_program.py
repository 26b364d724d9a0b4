"""The command ``iobound`` that is installed with the module."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import iobound
from iobound._run import _in_folder

QUESTION = ["predict", "--vm", "DS14", "--disk", "10xP30", "--block", "4KiB", "--depth", "32", "--json"]


def asked(*words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([sys.executable, "-m", "iobound", *words], capture_output=True, check=False)


def test_the_command_prints_what_the_program_prints(binary: str) -> None:
    ours = asked(*QUESTION)
    theirs = subprocess.run([binary, *QUESTION], capture_output=True, check=True)
    assert (ours.returncode, ours.stdout) == (0, theirs.stdout)


def test_exit_codes_are_those_of_the_program() -> None:
    assert asked("predict", "--vm", "NoSuchSize").returncode == 2
    run = asked("run", "/tmp")
    assert run.returncode == 2
    assert b"no load generator" in run.stderr


def test_run_does_not_take_the_modules_own_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = tmp_path / "iobound"
    own.write_text(f"#!{sys.executable}\nfrom iobound.__main__ import main\n")
    own.chmod(0o755)
    assert _in_folder(str(tmp_path)) is None
    own.write_text("#!/bin/sh\nexec /opt/iobound/iobound \"$@\"\n")
    assert _in_folder(str(tmp_path)) == str(own)
    own.write_text(f"#!{sys.executable}\nfrom iobound.__main__ import main\n")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("IOBOUND_PROGRAM", raising=False)
    with pytest.raises(iobound.CannotRead, match="not on the path"):
        iobound.run(os.fspath(tmp_path))
