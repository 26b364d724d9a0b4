#!/usr/bin/env python3
"""Replays the command lines of lines.txt, to show that a change of the code's structure changes no output.

  replay.py record PROGRAM          writes recorded.json: exit code and digests of each line's output and files
  replay.py check PROGRAM           compares a program with recorded.json
  replay.py compare OLD NEW         compares two programs, and shows the differences

Each line runs in a folder of its own that holds a copy of files/, with a fixed environment. A line that ends with
`< NAME` reads standard input from that file. `--only WORD` replays the lines that contain WORD.
"""

import argparse
import concurrent.futures
import difflib
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
LINES, FILES, RECORDED = HERE / "lines.txt", HERE / "files", HERE / "recorded.json"
# A line that takes longer is a defect; the slowest takes some seconds.
SECONDS = 120


def lines(only):
    """The command lines: not empty, not a comment. `iobound` alone is the line `iobound`."""
    for line in LINES.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#") and (only is None or only in line):
            yield line


def replay(program, line):
    """Runs one line: its exit code, standard output, standard error and the files that it wrote, as bytes."""
    words, stdin = shlex.split(line)[1:], None
    if len(words) > 1 and words[-2] == "<":
        words, stdin = words[:-2], words[-1]
    with tempfile.TemporaryDirectory(prefix="replay-") as place:
        at = pathlib.Path(place) / "here"
        shutil.copytree(FILES, at)
        before = {path: path.read_bytes() for path in at.rglob("*") if path.is_file()}
        env = {"PATH": "/usr/bin:/bin", "HOME": str(at), "COLUMNS": "100", "LC_ALL": "C.UTF-8", "TZ": "UTC", "IOBOUND_RESULTS": "off"}
        with open(at / stdin if stdin else os.devnull, "rb") as source:
            try:
                done = subprocess.run(["iobound", *words], executable=program, cwd=at, env=env, stdin=source, capture_output=True, timeout=SECONDS)
                code, out, err = done.returncode, done.stdout, done.stderr
            except subprocess.TimeoutExpired:
                code, out, err = "no end", b"", b""
        after = {path: path.read_bytes() for path in at.rglob("*") if path.is_file()}
        written = {str(path.relative_to(at)): text for path, text in after.items() if before.get(path) != text}
        gone = {str(path.relative_to(at)): b"(removed)" for path in before if path not in after}
        named = str(at).encode()
        parts = {"stdout": out, "stderr": err, **{f"file {name}": text for name, text in (written | gone).items()}}
        return {"code": str(code).encode(), **{name: text.replace(named, b"HERE") for name, text in parts.items()}}


def replay_all(program, only):
    """Each line with what came of it, in order, on all processors."""
    program = os.path.abspath(program)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        asked = list(lines(only))
        return dict(zip(asked, pool.map(lambda line: replay(program, line), asked)))


def digests(result):
    """A result in the form of recorded.json: the exit code, and the start of each part's SHA-256."""
    return {
        name: text.decode() if name == "code" else hashlib.sha256(text).hexdigest()[:16] if text else ""
        for name, text in result.items()
    }


def show(line, old, new):
    """Prints the differences between two results of one line."""
    print(f"== {line}")
    for name in sorted(old.keys() | new.keys()):
        a, b = (result.get(name, b"").decode(errors="replace").splitlines() for result in (old, new))
        if a != b:
            diff = list(difflib.unified_diff(a, b, f"{name}, old", f"{name}, new", lineterm="", n=1))
            print("\n".join(text[:400] for text in diff[:40]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=("record", "check", "compare"))
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--only")
    asked = parser.parse_args()
    if len(asked.programs) != (2 if asked.verb == "compare" else 1):
        parser.error(f"{asked.verb} takes {'two programs' if asked.verb == 'compare' else 'one program'}")

    results = replay_all(asked.programs[0], asked.only)
    if asked.verb == "compare":
        others = replay_all(asked.programs[1], asked.only)
        differ = [line for line in results if results[line] != others[line]]
        for line in differ:
            show(line, results[line], others[line])
    elif asked.verb == "record":
        recorded = {line: digests(result) for line, result in results.items()}
        text = ",\n".join(f"{json.dumps(line)}: {json.dumps(digest, sort_keys=True)}" for line, digest in recorded.items())
        RECORDED.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
        differ = []
    else:
        recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
        differ = []
        for line, result in results.items():
            found, known = digests(result), recorded.get(line, {})
            if found != known:
                differ.append(line)
                parts = sorted(name for name in found.keys() | known.keys() if found.get(name) != known.get(name))
                print(f"differs in {', '.join(parts)}: {line}")
    print(f"{len(results)} lines, {len(differ)} differ")
    sys.exit(1 if differ else 0)


main()
