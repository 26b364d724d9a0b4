"""Programs that drive fio, DiskSpd and Iometer, with this program in their place: fio-plot, fio's own tests, everyday lines."""

import os
import re
import shutil
import sys

from common import FIO_PLOT, FIO_SOURCE, MIB, PROGRAM, check, folder, run, say
from everyday import everyday

# Tests of fio's t/run-fio-tests.py that this program passes. One that passes and is not here is printed, to be added.
# Test 3 writes blocks of 512 B, reads them in blocks of 1 MiB and expects an error: a header of fio carries the size of its
# block. Here each sector carries its own stamp, so a read of any size verifies what was written.
# Test 8 wants 16,402 to 16,734 KiB written by 8,192 I/Os of 4 KiB that are writes with a chance of one half: fio's own seed
# gives that; any other does in 43 of 100 cases (the mean is 16,384 KiB, the standard deviation 181).
# Test 12 wants nine seconds of log: its jobs are done before on a machine that ends 100 GiB of nothing sooner.
PASSED = {1, 2, 4, 5, 7, 10, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 1003, 1006, 1011}
# Tests that are not run, and why.
NOT_RUN = {
    6: "4 GiB of random writes with verification: it passes by hand, and takes too long here",
    1000: "a program of fio's own build",
    1001: "a program of fio's own build",
    1002: "a program of fio's own build",
    1004: "fio's own words of --debug=parse",
    1005: "a program of fio's own build",
    1007: "zoned devices",
    1008: "zoned devices",
    1009: "a program of fio's own build",
    1010: "priorities; the other tests of it are below",
    1012: "fio's own form of compressed logs",
}
# Tests of t/ that are programs of their own, their words, and whether they pass. Of the percentiles, those without priorities.
OTHERS = (("latency_percentiles.py", ["-f", "FIO", "-o", "2", "4", "7", "8", "9", "11", "12"], True),)


def stand_in(here):
    """An environment in which `fio` is this program."""
    place = os.path.join(here, "bin")
    os.mkdir(place)
    path = os.path.join(place, "fio")
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'#!/bin/sh\nexec "{os.path.abspath(PROGRAM)}" fio "$@"\n')
    os.chmod(path, 0o755)
    path = os.pathsep.join([place, FIO_PLOT, os.environ["PATH"]])
    return {**os.environ, "PATH": path, "IOBOUND_BUSY_OK": "true", "MPLBACKEND": "Agg"}


def fio_plot(here, env):
    """bench-fio takes any word on standard error for a failure; fio-plot draws all its graphs from the files."""
    data = os.path.join(here, "data")
    os.mkdir(data)
    words = ["--target", data, "--type", "directory", "--size", "16M", "--block-size", "4k", "--time-based"]
    words += ["--mode", "randread", "randwrite", "--iodepth", "1", "4", "--numjobs", "1", "2", "--runtime", "3"]
    for output in ("one", "two"):
        modes = words if output == "one" else [*words, "--iodepth", "1", "--numjobs", "1"]
        run(["bench-fio", *modes, "--output", output, "--destructive", "--loops", "1"], cwd=here, env=env)
    one, two = (os.path.join(here, output, "data", "4k") for output in ("one", "two"))
    graphs = {
        "2D bars by depth": ["-l", "-r", "randread"],
        "2D bars by jobs": ["-N", "-r", "randread", "-d", "1"],
        "3D bars of IOPS": ["-L", "-r", "randread", "-t", "iops"],
        "3D bars of latency": ["-L", "-r", "randwrite", "-t", "lat"],
        "histogram": ["-H", "-r", "randread", "-d", "1", "-n", "1"],
        "lines of the logs": ["-g", "-r", "randread", "-t", "iops", "lat", "bw", "-d", "1", "4", "-n", "1"],
        "processor": ["-l", "-r", "randread", "--show-cpu"],
        "comparison": ["-C", "-r", "randread", "-d", "1", "-n", "1"],
    }
    for name, words in graphs.items():
        inputs = [one, two] if name == "comparison" else [one]
        picture = os.path.join(here, "graph.png")
        run(["fio-plot", "-i", *inputs, "-T", name, "-o", picture, *words], cwd=here, env=env)
        check(os.path.exists(picture) and os.path.getsize(picture) > 10_000, f"fio-plot drew no picture of {name}")
        os.remove(picture)
    say(f"bench-fio ran 8 benchmarks and one more; fio-plot drew {len(graphs)} graphs: {', '.join(graphs)}")


def job_tests(here, env):
    """fio's t/run-fio-tests.py: its tests look at exit codes, standard error, JSON and logs."""
    root = os.path.join(here, "fio")
    needed = ("t", "tools")
    shutil.copytree(FIO_SOURCE, root, ignore=lambda path, names: [n for n in names if path == FIO_SOURCE and n not in needed])
    # Stands for the file that fio's build writes: its test program reads from it which engines there are.
    with open(os.path.join(root, "config-host.h"), "w", encoding="utf-8") as file:
        file.write("#define CONFIG_LIBAIO\n")
    program = os.path.join(root, "t", "run-fio-tests.py")
    with open(program, encoding="utf-8") as file:
        numbers = [int(number) for number in re.findall(r"'test_id': +(\d+)", file.read())]
    left_out = [str(number) for number in numbers if number in NOT_RUN]
    fio = os.path.join(here, "bin", "fio")
    words = [sys.executable, program, "-r", root, "-f", fio, "-a", os.path.join(here, "tests"), "--skip", *left_out]
    text = run(words, ends=None, within=280, cwd=here, env=env).stdout
    results = {int(n): (word, rest) for n, word, rest in re.findall(r"^Test (\d+) (PASSED|FAILED|SKIPPED)(.*)$", text, re.MULTILINE)}
    # The tests leave 7 GiB.
    shutil.rmtree(os.path.join(here, "tests"))
    check(len(results) == len(numbers), f"{len(results)} of {len(numbers)} tests have a result:\n{text}")
    passed = {number for number, (word, _) in results.items() if word == "PASSED"}
    failed = {number: rest for number, (word, rest) in results.items() if word == "FAILED"}
    for number, rest in sorted(failed.items()):
        say(f"  t{number:04} fails{rest}")
    say(f"fio's run-fio-tests.py: {len(passed)} passed, {len(failed)} failed, {len(results) - len(passed) - len(failed)} not run")
    say(f"  passed and not on the list: {sorted(passed - PASSED)}")
    check(PASSED <= passed, f"these passed before: {sorted(PASSED - passed)}")
    return root, fio


def other_tests(here, env, root, fio):
    """Tests of t/ that are programs of their own: they end with the number of failures, and those that are to pass are named."""
    place = os.path.join(here, "others")
    os.mkdir(place)
    for name, words, passes in OTHERS:
        words = [fio if word == "FIO" else word for word in words]
        done = run([sys.executable, os.path.join(root, "t", name), *words], ends=None, within=200, cwd=place, env=env)
        said = (done.stdout.strip() or done.stderr.strip() or "nothing").splitlines()[-1]
        say(f"fio's t/{name}: {said}")
        check(done.returncode == 0 or not passes, f"t/{name} passed before:\n{done.stdout}{done.stderr}")


def part():
    with folder(8192 * MIB) as here:
        env = stand_in(here)
        fio_plot(here, env)
        root, fio = job_tests(here, env)
        other_tests(here, env, root, fio)
        # Without the stand-in: fio itself is what the lines are compared with.
        everyday(here, {**os.environ, "IOBOUND_BUSY_OK": "true"})
