"""Traces: files as tables, tables as files, and both as the workload of a question."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas
import pytest

import iobound

MSR = (
    "128166372003061629,usr,0,Read,4096,8192,12000\n"
    "128166372003066629,usr,1,Write,16384,4096,24000\n"
    "128166372003071629,usr,0,Read,12288,8192,12000\n"
)


def sample(folder: Path) -> Path:
    file = folder / "usr.csv"
    file.write_text(MSR)
    return file


def test_a_trace_has_its_figures_and_its_ios_as_a_table(tmp_path: Path) -> None:
    trace = iobound.trace(sample(tmp_path))
    assert (trace["schema"], trace["ios"]) == ("iobound.trace/1", 3)
    frame = trace.to_frame()
    assert list(frame.columns) == ["time_ns", "device", "op", "offset", "length", "latency_ns"]
    assert (frame.time_ns - frame.time_ns[0]).tolist() == [0, 500_000, 1_000_000]
    assert frame.device.tolist() == ["usr,0", "usr,1", "usr,0"]
    assert frame.op.tolist() == ["read", "write", "read"]
    assert frame.offset.tolist() == [4096, 16384, 12288] and frame.length.tolist() == [8192, 4096, 8192]
    assert frame.latency_ns.tolist() == [1_200_000, 2_400_000, 1_200_000]


@pytest.mark.parametrize("to", ["iobound", "msr"])
def test_a_table_that_is_written_reads_back_the_same(tmp_path: Path, to: str) -> None:
    frame = iobound.trace(sample(tmp_path)).to_frame()
    out = tmp_path / "again"
    written = iobound.write_trace(frame, out, to=to)
    assert (written["ios"], written["left_out"]) == (3, 0)
    again = iobound.trace(out).to_frame()
    frame["time_ns"] -= frame.time_ns[0]
    again["time_ns"] -= again.time_ns[0]
    pandas.testing.assert_frame_equal(frame, again)
    with pytest.raises(iobound.BadInput, match="exists"):
        iobound.write_trace(frame, out, to=to)


def test_a_table_without_devices_and_latencies_is_a_trace_and_rows_are_sorted(tmp_path: Path) -> None:
    frame = pandas.DataFrame(
        {"time_ns": [2_000, 1_000, 3_000], "op": ["write", "read", "flush"], "offset": [4096, 0, 0], "length": [512, 512, 0]}
    )
    iobound.write_trace(frame, tmp_path / "new.trace")
    again = iobound.trace(tmp_path / "new.trace").to_frame()
    assert again.op.tolist() == ["read", "write", "flush"]
    assert again.latency_ns.isna().all() and again.device.tolist() == ["trace"] * 3


def test_a_table_is_a_workload_as_its_file_is(tmp_path: Path) -> None:
    file = sample(tmp_path)
    frame = iobound.trace(file).to_frame()
    configuration: dict[str, Any] = {"vm": "D8s_v5", "disk": "P30"}
    of_file = iobound.predict(**configuration, trace=file)
    of_table = iobound.predict(**configuration, trace=frame)
    assert str(of_table["schema"]) == "iobound.replay/1"
    for key in ("ios", "latency", "read_latency", "recorded_latency", "series", "duration_s"):
        assert of_file.get(key) == of_table.get(key), key
    assert iobound.simulate(**configuration, trace=frame)["series"] == of_table.get("series")


def test_what_is_no_table_of_ios_is_refused(tmp_path: Path) -> None:
    frame = iobound.trace(sample(tmp_path)).to_frame()
    for bad, says in [
        (frame.drop(columns="offset"), "no column offset"),
        (frame.assign(op="erase"), "'erase' is unknown"),
        (frame.assign(time_ns=-1), "time_ns"),
        (frame.assign(length=0.5), "length"),
    ]:
        with pytest.raises(iobound.BadInput, match=says):
            iobound.write_trace(bad, tmp_path / "bad.trace")
    with pytest.raises(iobound.BadInput, match="time_unit"):
        iobound.trace(sample(tmp_path), time_unit="minutes")
    with pytest.raises(iobound.BadInput, match="none.csv"):
        iobound.trace(tmp_path / "none.csv")
