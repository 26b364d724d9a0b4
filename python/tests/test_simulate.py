"""The model in virtual time: a result, the same again by its seed, that Ctrl-C ends and other threads do not wait for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

import iobound
from iobound.answers import PredictDocument, RunDocument

#: A run that takes seconds: 51,000 IOPS for ten minutes of virtual time.
LONG: dict[str, Any] = {"vm": "DS14", "disk": "10xP30", "depth": 128, "duration": "600s"}


def test_a_simulation_is_a_result_of_the_workloads_own_seconds() -> None:
    result = iobound.simulate(vm="DS14", disk="2xP30", depth=64, read=70, duration="5s", warmup="1s", seed=7)
    assert (result["schema"], result["source"]) == ("iobound.result/1", "simulated")
    assert [point["phase"] for point in result["series"]] == ["warmup"] + 5 * ["counted"]
    # Two P30 let 2 x 5,000 x 1.02 I/Os a second through.
    assert result["iops"] == pytest.approx(10_200, rel=0.01)
    assert result["model"]["binding"] == "disk.iops"
    histograms = result["jobs"][0]["histograms"]
    assert result["ios"] == histograms["read"]["count"] + histograms["write"]["count"]


def test_the_seed_decides() -> None:
    def of(seed: int) -> RunDocument:
        return iobound.simulate(vm="DS14", disk="2xP30", depth=16, duration="2s", seed=seed)

    assert of(1) == of(1)
    assert of(1) != of(2)


def test_another_thread_goes_on_meanwhile() -> None:
    # The thread hands the lock back after each count, and nobody takes it from who holds it: what is counted is counted while
    # the simulation does not hold it.
    counted, over = 0, threading.Event()

    def count() -> None:
        nonlocal counted
        while not over.is_set():
            counted += 1
            time.sleep(0)

    before = sys.getswitchinterval()
    sys.setswitchinterval(100)
    thread = threading.Thread(target=count)
    try:
        thread.start()
        begin = counted
        iobound.simulate(**{**LONG, "duration": "60s"})
        during = counted - begin
    finally:
        over.set()
        sys.setswitchinterval(before)
        thread.join()
    assert during > 100, during


def test_threads_ask_at_once_and_get_what_one_gets() -> None:
    def one(depth: int) -> PredictDocument:
        return iobound.predict(vm="DS14", disk="4xP30", depth=depth, config={"machine": {"columns": 4}})

    depths = [1, 2, 4, 8] * 3
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(one, depths)) == [one(depth) for depth in depths]


def test_ctrl_c_ends_a_long_simulation_and_nothing_after_it() -> None:
    program = (
        "import iobound, sys\n"
        "try:\n"
        "    print('begins', flush=True)\n"
        "    iobound.simulate(vm='DS14', disk='10xP30', depth=128, duration='43200s')\n"
        "except KeyboardInterrupt:\n"
        "    again = iobound.predict(vm='DS14', disk='P30')\n"
        "    sys.exit(7 if again['expected']['iops'] > 0 else 8)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env={**os.environ})
    assert process.stdout is not None
    assert process.stdout.readline() == b"begins\n"
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 7


def test_a_handler_of_ones_own_may_raise_what_it_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    class Enough(Exception):
        pass

    def handler(*_: object) -> None:
        raise Enough

    before = signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(Enough):
            iobound.simulate(**{**LONG, "duration": "43200s"})
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert iobound.predict(vm="DS14", disk="P30")["expected"]["iops"] > 0


def test_nothing_is_written_where_it_is_asked(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    iobound.simulate(config={"machine": {"vm": "DS14"}, "disk": [{"disk": "P30"}]}, duration="1s")
    assert list(tmp_path.iterdir()) == []
