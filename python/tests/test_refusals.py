"""Refusals: the name of the keyword, the value, and the fix."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

import iobound
from iobound._errors import in_keywords


def refused(function: Any, *arguments: Any, **keywords: Any) -> iobound.BadInput:
    with pytest.raises(iobound.BadInput) as caught:
        function(*arguments, **keywords)
    return caught.value


def test_an_unknown_keyword_is_refused_with_the_nearest() -> None:
    error = refused(iobound.predict, vn="DS14", disk="P30")
    assert error.what == "iobound.predict has no option `vn`"
    assert error.help == "did you mean vm?"
    assert "partition_offset" in (refused(iobound.simulate, partition_ofset="1MiB").help or "")
    assert "iobound.catalog.vms" in refused(iobound.catalog.vms, min_iop=3).what
    error = refused(iobound.read_histogram, {}, quux=1)
    assert error.what == "iobound.read_histogram has no option `quux`"
    assert "it takes of, operation" in (error.help or "")


def test_the_programs_errors_come_with_their_help() -> None:
    error = refused(iobound.predict, vm="DS15", disk="P30")
    assert error.what == "the catalogue has no VM size `DS15`"
    assert error.help is not None and "Standard_DS11" in error.help
    assert str(error) == f"{error.what}\nhelp: {error.help}"
    assert isinstance(error, ValueError)


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"rate": 5000}, "write the unit"),
        ({"depth": True}, "a number or text is expected"),
        ({"depth": [1, 2]}, "a list was given"),
        ({"depth": {"a": 1}}, "a dictionary was given"),
        ({"depth": float("nan")}, "neither text nor a number"),
        ({"depth": object()}, "neither text nor a number"),
        ({"random": "yes"}, "it is a switch"),
        ({"block": ""}, "the value of block is empty"),
        ({"depth": 1e300}, "depth: "),
        ({"config": {"machine": {"vm": None}}}, "config: the dictionary can't be written down"),
        ({"config": {"machine": {"vn": "DS14"}}}, "<config>:2"),
        ({"config": {"machine": object()}}, "neither text, a number, a list nor a dictionary"),
        ({"config": "missing.toml"}, "there is no such file"),
        ({"workload": "[[job]]\ndepht = 3\n"}, "<workload>:2"),
    ],
)
def test_what_cannot_be_taken_is_refused(keywords: dict[str, Any], says: str) -> None:
    error = refused(iobound.predict, **{"vm": "DS14", "disk": "P30", **keywords})
    assert says in str(error), str(error)


def test_errors_name_keywords_and_not_flags() -> None:
    error = refused(iobound.predict, disk="P30")
    assert error.help is not None and error.help.startswith('add vm, such as vm="DS14"'), error.help
    error = refused(iobound.predict, vm="DS14", disk="P30", read=140)
    assert "--" not in str(error) and "read" in error.what
    error = refused(iobound.plan, capacity="1TiB")
    assert "iops=50000" in (error.help or "") and 'throughput="400MB/s"' in (error.help or ""), error.help
    error = refused(iobound.plan, iops=1000, capacity="1TiB", region="nowhere")
    assert "`iobound catalog prices`" in (error.help or "")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("--os-disk P30: too small", 'os_disk="P30": too small'),
        ("write --depth 8, or --depth 16.", "write depth=8, or depth=16."),
        ("leave out --from", "leave out from_"),
        ("see `iobound run --help`", "see `iobound run --help`"),
        ("--disk 10xP30:readonly (--per-disk)", 'disk="10xP30:readonly" (per_disk)'),
        ("--log 'iops=5' has no size", "log 'iops=5' has no size"),
    ],
)
def test_a_flag_in_a_message_becomes_a_keyword(text: str, says: str) -> None:
    assert in_keywords(text) == says


def test_a_refusal_survives_the_way_to_another_process() -> None:
    error = refused(iobound.predict, vm="DS15", disk="P30")
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), again.what, again.help) == (iobound.BadInput, error.what, error.help)


def test_a_note_beside_the_answer_is_a_warning() -> None:
    with pytest.warns(UserWarning, match="names no catalogue file"):
        iobound.catalog.presets(config={"disk": [{"disk": "P30"}]})


def test_numbers_of_numpy_are_numbers() -> None:
    numpy = pytest.importorskip("numpy")
    plain = iobound.predict(vm="DS14", disk="P30", depth=8, zipf=1.25)
    assert iobound.predict(vm="DS14", disk="P30", depth=numpy.int64(8), zipf=numpy.float64(1.25)) == plain


def test_a_plain_number_is_bytes_or_seconds() -> None:
    def ask(**keywords: Any) -> Any:
        return iobound.simulate(vm="DS14", disk="P30", **keywords)

    assert ask(block=8192, duration=2) == ask(block="8KiB", duration="2s")
    assert ask(duration=0.5) == ask(duration="500ms")
