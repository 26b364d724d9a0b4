"""Answers as tables, sweeps, and runs on real files."""

from __future__ import annotations

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import iobound

pandas = pytest.importorskip("pandas")

VM: dict[str, Any] = {"vm": "DS14", "disk": "10xP30"}

# The types of the documents do not have the methods of an answer.
predict: Any = iobound.predict
simulate: Any = iobound.simulate
explain: Any = iobound.explain
compare: Any = iobound.compare
sizes_of: Any = iobound.catalog.vms
sweep: Any = iobound.sweep


def test_an_answer_is_still_the_dictionary_of_its_document() -> None:
    answer: Any = predict(**VM)
    assert json.loads(json.dumps(answer)) == answer and "expected" in answer
    assert pickle.loads(pickle.dumps(answer)).to_frame().equals(answer.to_frame())


def test_each_document_has_its_main_table() -> None:
    prediction = predict(**VM)
    frame = prediction.to_frame()
    assert list(frame["iops"]) == [prediction["expected"]["iops"]] and frame["binding"][0] == prediction["binding"]
    result = simulate(**VM, depth=8, duration="3s", seed=1)
    frame = result.to_frame()
    assert list(frame["iops"]) == [interval["iops"] for interval in result["series"]]
    assert "read.p99_us" in frame
    explanation = explain(vm="DS14", disk="P30", observed="iops=5000 block=4KiB depth=64")
    frame = explanation.to_frame()
    changes = [remedy["change"] for finding in explanation["findings"] for remedy in finding["remedies"]]
    assert [change for change in frame["change"] if change in changes] == changes
    sizes = sizes_of(premium=True)
    assert len(sizes.to_frame()) == len(sizes["rows"])
    compared = compare(result, simulate(**VM, depth=16, duration="3s", seed=1))
    assert set(compared.to_frame()["figure"]) >= {"iops"}


@pytest.mark.filterwarnings("ignore:prices of")
def test_a_plan_has_a_row_for_each_candidate() -> None:
    plan = iobound.plan(iops=20000, block="8KiB", capacity="1TiB", candidates=3)
    frame = iobound.to_frame(plan)
    prices = [candidate["price"] for candidate in plan["candidates"]]
    assert list(frame["price_month"]) == [price and price["month"] for price in prices]


def test_a_notebook_shows_a_sentence_and_a_table_and_no_markup_of_others() -> None:
    answer = predict(**VM)
    shown = answer._repr_html_()
    assert "Expect 15,250 IOPS" in shown and "<th>iops</th>" in shown and "queue_depth" in shown
    hostile = iobound.Answer(answer, configuration={"vm": "<img src=x>", "disks": []})
    assert "<img" not in hostile._repr_html_()
    assert "0 rows" in iobound.Answer(schema="iobound.catalog/1", rows=[])._repr_html_()


def test_a_sweep_has_a_row_for_each_combination_in_order() -> None:
    frame = sweep(vm=["DS13", "DS14"], disk="10xP30", depth=[1, 32])
    assert list(zip(frame["vm"], frame["depth"])) == [("DS13", 1), ("DS13", 32), ("DS14", 1), ("DS14", 32)]
    alone = [predict(vm=vm, disk="10xP30", depth=depth) for vm in ("DS13", "DS14") for depth in (1, 32)]
    assert list(frame["iops"]) == [answer["expected"]["iops"] for answer in alone]
    assert frame["error"].isna().all() and "disk" not in frame


def test_a_sweep_is_the_same_on_an_executor_and_takes_several_volumes() -> None:
    axes: dict[str, Any] = {"vm": "DS14", "disk": ["10xP30", ("data=8xP30", "log=2xP20")], "depth": [8]}
    with ThreadPoolExecutor(2) as executor:
        assert sweep(client=executor, **axes).equals(sweep(**axes))


class Dask:
    """As a client of Dask maps: futures first, results when they are gathered."""

    def map(self, function: Any, parts: Any, pure: bool) -> list[Any]:
        assert pure is False
        return [(function, pickle.dumps(part)) for part in parts]

    def gather(self, futures: list[Any]) -> list[Any]:
        return [function(pickle.loads(part)) for function, part in futures]


def test_a_client_of_dask_gets_parts_and_keeps_their_order() -> None:
    axes = {"vm": "DS14", "disk": "10xP30", "depth": list(range(1, 121))}
    assert sweep(client=Dask(), **axes).equals(sweep(**axes))


def test_a_configuration_that_is_refused_has_its_reason_in_its_row() -> None:
    frame = sweep(vm=["DS14", "DS99"], disk="P30")
    assert pandas.isna(frame["error"][0]) and frame["iops"][0] > 0
    assert "DS99" in frame["error"][1] and pandas.isna(frame["iops"][1])
    with pytest.raises(iobound.BadInput, match="DS99"):
        sweep(vm="DS99", disk="P30")


def test_what_a_sweep_cannot_do_is_refused() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"vmm": ["DS14"]}, "did you mean vm"),
        ({"vm": []}, "the list is empty"),
        ({"vm": "DS14", "disk": "P30", "workers": 0}, "must be 1 or more"),
        ({"vm": "DS14", "disk": "P30", "client": object()}, "neither a client of Dask"),
        ({"vm": "DS14", "disk": "P30", "client": Dask(), "workers": 2}, "the client decides"),
    ]
    for arguments, says in cases:
        with pytest.raises(iobound.BadInput, match=says):
            sweep(**arguments)


def test_a_run_on_a_folder_is_a_result(binary: str, tmp_path: Path) -> None:
    words: dict[str, Any] = {"size": "4MiB", "duration": 1, "warmup": "0s", "busy_ok": True, "results": "off"}
    with pytest.warns(UserWarning):
        answer = iobound.run(tmp_path, program=binary, **words)
    assert answer["schema"] == "iobound.result/1" and answer["iops"] > 0
    assert len(answer.to_frame()) == len(answer["series"])


def test_a_run_that_is_refused_says_why(binary: str, tmp_path: Path) -> None:
    with pytest.raises(iobound.BadInput, match="140"):
        iobound.run(tmp_path, program=binary, read="140%", busy_ok=True)
    with pytest.raises(iobound.CannotRead, match="no/such"):
        iobound.run(tmp_path, program="/no/such/program")
