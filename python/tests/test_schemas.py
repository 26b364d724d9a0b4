"""Every document of a verb that has a JSON Schema is valid by it."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

FILES = Path(__file__).parents[2] / "tests" / "replay" / "files"

#: Lines beside the examples of the help: forms of a document that no example prints.
MORE = [
    "iobound compare fio.json iometer.csv --fail-if 'surely iops < -2%'",
    "iobound catalog vms --cloud gcp",
    "iobound catalog vms --name nothing",
    "iobound catalog prices",
    "iobound catalog prices --region westeurope --disks",
    "iobound catalog show sqlserver-oltp",
    "iobound doctor --vm D8s_v3 --disk 4xP30 --metadata off",
    "iobound results list",
    "iobound fleet --hosts segments.txt --dry-run --json -- run data",
    "iobound lab --only E6,E14-ro",
    "iobound lab --list",
    "iobound lab --measured --only aks-5485",
    "iobound lab --only E6 --trace monday.trace",
    "iobound run data --size 4MiB --duration 1s --buffered --busy-ok",
    "iobound predict --vm DS14 --disk P30 --show-config",
    "iobound trace info monday.trace",
    "iobound trace fit monday.trace",
    "iobound trace cut monday.trace --until 1s --out first.trace",
    "iobound predict --vm DS14 --disk P30 --trace monday.trace",
]

#: Verbs whose examples load a disk, run for minutes, or serve until they are stopped.
LONG = {"emulate", "lab", "run", "serve", "watch"}

#: Documents that no line here prints: they need a cloud's list, a server, counters, or some time. Tests of the program hold them.
UNSEEN = {
    "iobound.catalog-import/1",
    "iobound.emulate-ctl/2",
    "iobound.emulate/1",
    "iobound.fleet-probe/1",
    "iobound.interval/1",
    "iobound.knee/1",
    "iobound.page/1",
    "iobound.probe/1",
    "iobound.run-status/1",
    "iobound.running/1",
    "iobound.watch/1",
}

#: Runs and files that examples name, and what stands for them here.
STAND_INS = {
    "r-138": "r-1",
    "r-139": "r-2",
    "r-140": "r-1",
    "r-141": "r-1",
    "r-142": "r-2",
    "fio-before.json": "fio.json",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    here = tmp_path_factory.mktemp("schemas") / "files"
    shutil.copytree(FILES, here)
    (here / "data").mkdir()
    (here / "segments.txt").write_text("host-1\nhost-2\n")
    rows = [f"{10**17 + n * 5_000},usr,0,Read,{n % 1_000 * 8_192},8192,4000\n" for n in range(4_000)]
    (here / "monday.trace").write_text("".join(rows))
    return here


@pytest.fixture(scope="module")
def ask(binary: str, folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs the program in the folder, with a results store of its own that has two runs."""

    def asked(*words: str) -> subprocess.CompletedProcess[str]:
        environment = {"HOME": str(folder), "IOBOUND_RESULTS": str(folder / "runs.db"), "PATH": "/usr/bin:/bin"}
        return subprocess.run([binary, *words], capture_output=True, cwd=folder, env=environment, text=True)

    for name in ("before.json", "after.json"):
        run = asked("run", "data", "--size", "4MiB", "--duration", "1s", "--buffered", "--busy-ok", "--json")
        assert run.returncode == 0, run.stderr
        (folder / name).write_text(run.stdout)
    return asked


def examples(help_text: str) -> list[str]:
    """The example lines of a help text, without their comments."""
    lines = [line.strip() for line in help_text.splitlines()]
    return [line.split("  #")[0].strip() for line in lines if line.startswith("iobound ")]


# First, because an example of the help deletes the runs.
def test_a_document_with_a_wrong_figure_is_not_valid(ask: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    schema = json.loads(ask("schema", "compare").stdout)
    document = json.loads(ask("compare", "r-1", "r-2", "--json").stdout)
    jsonschema.validate(document, schema)
    document["comparisons"][0]["figures"][0]["a"] = "much"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document, schema)


def test_documents_are_valid_by_their_schemas(ask: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    listed = [line.rsplit("  ", 1) for line in ask("schema").stdout.splitlines()]
    schemas: dict[str, Any] = {}
    for verb, name in listed:
        schema = json.loads(ask("schema", *verb.split()).stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        schemas[name.strip()] = schema
    assert schemas, "there are schemas"
    verbs = {verb.split()[0] for verb, _ in listed}
    lines = MORE + [line for verb in sorted(verbs - LONG) for line in examples(ask(verb, "--help").stdout)]
    seen: dict[str, int] = dict.fromkeys(schemas, 0)
    for line in lines:
        typed = shlex.split(line)[1:]
        typed = typed[: typed.index(">")] if ">" in typed else typed
        words = [STAND_INS.get(word, word) for word in typed]
        if line not in MORE and words[0] not in verbs - LONG or "--json" in words and "show" in words:
            continue
        answer = ask(*words, *([] if "--json" in words or "--csv" in words else ["--json"]))
        # Exit code 1: a condition holds. 2: a file of the reader's is not here.
        if answer.returncode not in (0, 1) or not answer.stdout.startswith("{"):
            continue
        document = json.loads(answer.stdout)
        if document.get("schema") in schemas:
            jsonschema.validate(document, schemas[document["schema"]])
            seen[document["schema"]] += 1
    unseen = [name for name, count in seen.items() if count == 0 and name not in UNSEEN]
    assert not unseen, f"no line printed {unseen}"
