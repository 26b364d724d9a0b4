"""The documents are those of the command line."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import iobound

README = Path(__file__).parents[2] / "README.md"

#: The README's commands, as they are asked here.
COMMANDS: dict[str, Callable[[], Any]] = {
    "predict --vm DS14 --disk 10xP30 --diskspd '-b4K -d60 -h -o8 -t4 -si -c50000M'": lambda: iobound.predict(
        vm="DS14", disk="10xP30", diskspd="-b4K -d60 -h -o8 -t4 -si -c50000M"
    ),
    "explain --vm DS14 --disk 10xP30 --observed 'iops=15000 block=4KiB depth=32'": lambda: iobound.explain(
        vm="DS14", disk="10xP30", observed="iops=15000 block=4KiB depth=32"
    ),
    "plan --throughput 1000MB/s --block 32KiB --capacity 6TiB --cloud azure,aws --candidates 4": lambda: iobound.plan(
        throughput="1000MB/s", block="32KiB", capacity="6TiB", cloud=["azure", "aws"], candidates=4
    ),
}


@pytest.mark.filterwarnings("ignore:prices of")
@pytest.mark.parametrize("command", COMMANDS)
def test_the_readmes_commands_have_the_same_document(program: Callable[..., Any], command: str) -> None:
    assert f"$ iobound {command}\n" in README.read_text(), "the README has other commands"
    assert COMMANDS[command]() == program(*shlex.split(command))


def test_every_command_of_the_readme_that_can_be_asked_is_compared() -> None:
    shown = [line[10:] for line in README.read_text().splitlines() if line.startswith("$ iobound ")]
    assert [command for command in shown if command.split()[0] != "lab"] == list(COMMANDS)


def test_flags_of_every_form_have_the_same_document(program: Callable[..., Any]) -> None:
    asked = iobound.predict(
        vm="D2s_v3",
        disk=["data=2xP20:readwrite", "log=P10"],
        separate=True,
        random=True,
        read=70,
        depth=4,
        zipf=1.1,
        size="10GiB",
        find_knee=True,
        seed=3,
    )
    line = (
        "predict --vm D2s_v3 --disk data=2xP20:readwrite --disk log=P10 --separate --random --read 70 --depth 4 "
        "--zipf 1.1 --size 10GiB --find-knee --seed 3"
    )
    assert asked == program(*line.split())


def test_explanations_and_the_catalogue_are_the_same(program: Callable[..., Any]) -> None:
    asked = iobound.explain(vm="DS14_v2", disk="6xP30:readonly", separate=True, observed="throughput=555MB/s")
    line = "explain --vm DS14_v2 --disk 6xP30:readonly --separate --observed throughput=555MB/s"
    assert asked == program(*line.split())
    pairs: list[tuple[Any, str]] = [
        (iobound.catalog.overview(), "catalog"),
        (iobound.catalog.vms(premium=True, min_iops=50000, vcpus="8-32"), "catalog vms --premium --min-iops 50000 --vcpus 8-32"),
        (iobound.catalog.disks(type="premium", era=2016), "catalog disks --type premium --era 2016"),
        (iobound.catalog.prices(region="westeurope", name="D8"), "catalog prices --region westeurope --name D8"),
        (iobound.catalog.presets(), "catalog presets"),
        (iobound.catalog.show("gp3"), "catalog show gp3"),
    ]
    for asked, line in pairs:
        assert asked == program(*line.split()), line


def test_a_configuration_may_be_a_dictionary_the_text_of_a_file_or_a_file(tmp_path: Path) -> None:
    of_flags = iobound.predict(vm="DS14", disk="10xP30", read="0%", block="8KiB")
    text = '[machine]\nvm = "DS14"\n[[disk]]\ndisk = "10xP30"\n[[job]]\nread = "0%"\nblock = "8KiB"\ndepth = 32\n'
    file = tmp_path / "vm.toml"
    file.write_text(text)
    as_dict = {
        "machine": {"vm": "DS14"},
        "disk": [{"disk": "10xP30"}],
        "job": [{"read": "0%", "block": "8KiB", "depth": 32}],
    }
    answers = [iobound.predict(config=given) for given in (text, file, str(file), as_dict)]
    assert all(answer == answers[0] for answer in answers)
    assert answers[0]["expected"] == of_flags["expected"]


def test_a_workload_and_a_catalogue_may_be_dictionaries() -> None:
    workload = {"job": [{"name": "a", "rate": "100iops", "read": "50%"}]}
    answer = iobound.predict(vm="DS14", disk="P30", workload=workload)
    assert answer["expected"]["iops"] == pytest.approx(100, rel=0.02)
    catalog = {"vm": [{"name": "Standard_D8s_v3", "uncached_iops": 3000}]}
    limits = iobound.predict(vm="D8s_v3", disk="2xP30", catalog=catalog)["limits"]
    published = {limit["name"]: limit["limit"] for limit in limits}
    assert published["vm.uncached.iops"] == 3000


def test_the_environment_holds_as_it_does_for_the_program(
    monkeypatch: pytest.MonkeyPatch, program: Callable[..., Any]
) -> None:
    monkeypatch.setenv("IOBOUND_VM", "DS14")
    assert iobound.predict(disk="P30") == program("predict", "--disk", "P30")
