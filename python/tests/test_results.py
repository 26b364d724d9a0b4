"""Results and histograms, read and merged, and as pandas takes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import iobound
from iobound.answers import RunDocument


@pytest.fixture(scope="module")
def result() -> RunDocument:
    workload = {
        "duration": "5s",
        "job": [{"name": "a", "depth": 16, "read": "70%"}, {"name": "b", "rate": "500iops", "read": "0%"}],
    }
    return iobound.simulate(vm="DS14", disk="4xP30", workload=workload)


@pytest.fixture
def file(result: dict[str, Any], tmp_path: Path) -> Path:
    path = tmp_path / "result.json"
    path.write_text(json.dumps(result))
    return path


def test_a_result_is_read_as_it_was_written(result: dict[str, Any], file: Path) -> None:
    assert iobound.read_result(file) == result
    compared = iobound.compare(file, result)
    assert [side["ios"] for side in compared["sides"]] == [result["ios"], result["ios"]]
    assert compared["comparisons"][0]["figures"][0]["difference"] == 0
    with pytest.warns(UserWarning, match="fail_if"):
        asserted = iobound.compare(file, result, fail_if=["iops > -5%", "p99 > +5%"])
    assert [condition["holds"] for condition in asserted["fail_if"]] == [True, False]


def test_another_tools_output_becomes_a_result() -> None:
    fio = Path(__file__).parents[2] / "crates/cli/tests/fixtures/fio.json"
    result = iobound.read_result(fio)
    assert (result["schema"], result["source"], result["tool"]["name"]) == ("iobound.result/1", "foreign", "fio")
    assert iobound.explain(vm="DS14", disk="10xP30", result=fio)["schema"] == "iobound.explain/2"


def test_what_is_no_result_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text("{}")
    for wrong in (path, tmp_path / "missing.json", tmp_path):
        with pytest.raises(iobound.BadInput):
            iobound.read_result(wrong)
    with pytest.raises(iobound.BadInput, match="results are off"):
        iobound.results()
    with pytest.raises(iobound.BadInput, match="results are off"):
        iobound.read_result("r-1")


def test_a_result_may_be_given_as_its_document(result: dict[str, Any]) -> None:
    low = iobound.simulate(vm="DS14", disk="P30", depth=1, duration="5s")
    calibrated = iobound.predict(vm="DS14", disk="P30", depth=1, calibrate=low)
    # It is the model's own latency that it is calibrated with.
    assert calibrated["latency_us"] is not None
    assert calibrated["latency_us"]["mean"] == pytest.approx(low["latency_us"]["mean"], rel=0.05)


def test_the_bins_of_a_histogram_hold_every_io_and_its_figures_are_the_results(result: dict[str, Any]) -> None:
    for operation in ("read", "write"):
        histogram = iobound.read_histogram(result, operation=operation)
        figures = dict(result[operation]["latency_us"])
        figures.pop("loop")
        assert histogram["latency_us"] == pytest.approx(figures)
        assert histogram["count"] == result[operation]["ios"] == sum(bin_["count"] for bin_ in histogram["bins"])
        assert histogram["exact"]
    both = iobound.read_histogram(result)
    assert both["count"] == result["ios"]
    alone = iobound.read_histogram(result, job="b")
    assert alone["count"] == result["jobs"][1]["ios"]


def test_histograms_merge_bin_by_bin(result: dict[str, Any]) -> None:
    others = [iobound.simulate(vm="DS14", disk="P30", depth=8, duration="2s", seed=seed) for seed in (1, 2, 3)]
    parts = [iobound.read_histogram(other) for other in others]
    merged = iobound.merge_histograms(parts)
    counts: dict[float, int] = {}
    for part in parts:
        for bin_ in part["bins"]:
            counts[bin_["lower_us"]] = counts.get(bin_["lower_us"], 0) + bin_["count"]
    assert {bin_["lower_us"]: bin_["count"] for bin_ in merged["bins"]} == counts
    assert int(merged["raw"]["sum_ns"]) == sum(int(part["raw"]["sum_ns"]) for part in parts)
    assert merged == iobound.merge_histograms(reversed(parts))
    # What a result keeps is taken as well.
    raws = [other["jobs"][0]["histograms"]["read"] for other in others]
    assert iobound.merge_histograms(raws) == merged


def test_what_is_no_histogram_is_refused(result: dict[str, Any], tmp_path: Path) -> None:
    raw = result["jobs"][0]["histograms"]["read"]
    for wrong, says in [
        ([], "no histogram to merge"),
        ([{}], "it is no histogram"),
        ([raw, {**raw, "digits": 2}], "2 digits where one of 3"),
        ([{**raw, "count": 1}], "the count says 1"),
        ([{**raw, "digits": 9}], "9 digits"),
        ([1], "int is no histogram"),
        ([{**raw, "bins": None}], "invalid type"),
    ]:
        with pytest.raises(iobound.BadInput, match=says):
            iobound.merge_histograms(wrong)
    for keywords, says in [
        ({"operation": "erase"}, "a result has read"),
        ({"job": "c"}, "the result has a, b"),
        ({"operation": "flush"}, "has no flush"),
        ({"tag": "read"}, "only lines of a log"),
    ]:
        with pytest.raises(iobound.BadInput, match=says):
            iobound.read_histogram(result, **keywords)
    without = {**result, "jobs": [{"name": "a"}]}
    with pytest.raises(iobound.BadInput, match="has no histograms"):
        iobound.read_histogram(without)
    for text, says in [("1,2,3\n", ":2: a line"), ("0,1,2,!!\n", ":2"), ("0,1,2,AAAA\n", ":2: no histogram"), ("", "no lines")]:
        log = tmp_path / "broken.hlog"
        log.write_text("#[Histogram log format version 1.3]\n" + text)
        with pytest.raises(iobound.BadInput, match=says):
            iobound.read_histogram(log)


def test_a_log_of_hdrhistogram_is_read_by_its_tags() -> None:
    log = Path(__file__).parent / "fixtures/run.hlog"
    expected = json.loads((log.parent / "run.json").read_text())
    reads, writes = (iobound.read_histogram(log, tag=f"total.{name}") for name in ("read", "write"))
    assert reads["count"] == expected["read"]["ios"]
    assert writes["count"] == expected["write"]["ios"]
    # Three digits: percentiles are the same bins'; the mean is theirs.
    assert reads["latency_us"]["p50"] == pytest.approx(expected["read"]["latency_us"]["p50"], rel=1e-9)
    assert reads["latency_us"]["mean"] == pytest.approx(expected["read"]["latency_us"]["mean"], rel=1e-3)
    assert not reads["exact"]
    both = iobound.read_histogram(log)
    assert both["count"] == reads["count"] + writes["count"]
    assert not iobound.merge_histograms([both, reads])["exact"]
    # The intervals, to two digits, hold every I/O of the run.
    assert iobound.read_histogram(log, tag="read")["raw"]["digits"] == 2
    with pytest.raises(iobound.BadInput, match="no lines of other"):
        iobound.read_histogram(log, tag="other")
    with pytest.raises(iobound.BadInput, match="which has tags"):
        iobound.read_histogram(log, operation="read")


def test_pandas_takes_documents_as_they_are(result: dict[str, Any]) -> None:
    pandas = pytest.importorskip("pandas")
    series = pandas.DataFrame(result["series"])
    assert len(series) == 5 and series["iops"].dtype.kind in "fi"
    flat = pandas.json_normalize(result["series"])
    assert flat["read.p50_us"].notna().all()
    jobs = pandas.json_normalize(result["jobs"])
    assert list(jobs["name"]) == ["a", "b"] and jobs["latency_us.mean"].dtype.kind == "f"
    bins = pandas.DataFrame(iobound.read_histogram(result)["bins"])
    assert bins["count"].sum() == result["ios"] and (bins["lower_us"] <= bins["upper_us"]).all()
    predictions = [iobound.predict(vm="DS14", disk="10xP30", depth=depth) for depth in (1, 8, 64)]
    table = pandas.json_normalize(predictions)
    assert table["expected.iops"].is_monotonic_increasing
    vms = pandas.DataFrame(iobound.catalog.vms(premium=True)["rows"])
    assert (vms["premium"]).all() and vms["uncached_iops"].max() > 50_000
