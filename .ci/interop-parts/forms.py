"""Our fio output beside fio's own of the same job: the same keys, the same shapes, read by others' rules."""

import json
import os
import re

from common import MIB, check, folder, iobound, run, say

# Since fio 3.33, which is the oldest that this is run against (fio's NEWS and stat.c): an older one has none of them.
NEWER = {
    "/jobs[]/job_start",
    "/jobs[]/latency_target_ns",
    "/jobs[]/latency_window_us",
    "/disk_util[]/read_sectors",
    "/disk_util[]/write_sectors",
}
# What an output says that names its own bins: those are values, not keys.
BINS = re.compile(r"/bins/\d+$")


# Submission and completion are counted apart over the whole run, not by time: there is nothing to write.
NOT_BY_TIME = r"_[cs]lat\."


def paths(value, at=""):
    """Every key of a document by its path, with the kind of what is there."""
    if isinstance(value, dict):
        for key, inner in value.items():
            path = BINS.sub("/bins/N", f"{at}/{key}")
            yield from paths(inner, path)
            if not isinstance(inner, (dict, list)):
                continue
            yield path, type(inner).__name__
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, f"{at}[]")
    else:
        yield at, "number" if isinstance(value, (int, float)) else "text"


def same_keys(ours, theirs):
    """Whether two documents have the same keys with the same kinds of values, but for what is newer."""
    ours, theirs = set(paths(ours)), set(paths(theirs))
    lacking = sorted(path for path, _ in theirs - ours)
    # One key holds the program's own checks and notes.
    own = {path for path, _ in ours if path == "/iobound" or path.startswith("/iobound/")}
    check(own, "the program's own checks and notes are missing")
    added = sorted(path for path, _ in ours - theirs if path not in NEWER and path not in own)
    check(not lacking, f"keys of fio's that ours lacks, or has otherwise: {lacking}")
    check(not added, f"keys of ours that fio's lacks: {added}")
    return len(theirs)


def read_as_perfkit(document):
    """PerfKitBenchmarker's rules: what it takes of each job and direction that moved anything."""
    taken = 0
    for job in document["jobs"]:
        check(isinstance(job["jobname"], str), "a job has no name")
        for mode in ("read", "write", "trim"):
            side = job[mode]
            if not side["io_bytes"]:
                continue
            for key in ("bw", "bw_min", "bw_max", "bw_dev", "bw_agg", "bw_mean", "iops"):
                check(float(side[key]) >= 0, f"{mode}.{key} is {side[key]}")
            for section in ("clat_ns", "lat_ns"):
                for key in ("min", "max", "mean", "stddev"):
                    check(float(side[section][key]) >= 0, f"{mode}.{section}.{key} is {side[section][key]}")
            percentiles = side["clat_ns"]["percentile"]
            wanted = [1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99]
            values = [percentiles[f"{share:.6f}"] for share in wanted]
            check(values == sorted(values), f"percentiles go down: {values}")
            taken += 1
    return taken


def read_as_fio_plot(document):
    """fio-plot's rules: options of the job as text, IOPS and latencies of a direction as numbers."""
    first = document["jobs"][0]
    # Without a section of that name there are none.
    options = {**document.get("global options", {}), **first["job options"]}
    for key in ("rw", "bs", "iodepth"):
        check(isinstance(options[key], str) and options[key], f"the option {key} is not there as text")
    for mode in ("read", "write"):
        side = first[mode]
        row = [side["iops"], side["bw"], side["lat_ns"]["mean"], side["lat_ns"]["stddev"], side["total_ios"]]
        check(all(isinstance(value, (int, float)) for value in row), f"not all of {row} are numbers")
    for key in ("usr_cpu", "sys_cpu", "ctx"):
        check(first[key] >= 0, f"{key} is {first[key]}")
    check(re.fullmatch(r"fio-3\.\d+.*", document["fio version"]), document["fio version"])


def bins_agree(side):
    """json+: the bins hold every I/O of the direction."""
    held = sum(side["clat_ns"]["bins"].values())
    check(held == side["total_ios"] == side["clat_ns"]["N"], f"{held} in bins, {side['total_ios']} I/Os")


def shape(field):
    """What a terse field looks like, its digits aside."""
    return re.sub(r"[\d.]+", "0", field)


def terse(line):
    fields = line.strip().split(";")
    check(fields[0] == "3", f"version {fields[0]} of the terse lines")
    return fields


# Terse version 3 (fio's HOWTO): where a number of I/Os or of KiB has to be one that the others make.
READ, WRITE = 5, 46


def terse_agrees(fields):
    for at in (READ, WRITE):
        total, bandwidth, iops, runtime = (int(field) for field in fields[at : at + 4])
        check(runtime > 0, "it lasted no time")
        check(abs(bandwidth - total * 1000 / runtime) <= 2, f"{total} KiB in {runtime} ms are not {bandwidth} KiB/s")
        check(abs(iops - bandwidth / 4) <= 2, f"{bandwidth} KiB/s of 4 KiB are not {iops} IOPS")


def logs_of(directory):
    """The log files by name, with the number of columns of each."""
    found = {}
    for name in sorted(os.listdir(directory)):
        if name.endswith(".log"):
            with open(os.path.join(directory, name), encoding="utf-8") as log:
                columns = {len(line.split(",")) for line in log}
            check(len(columns) == 1, f"{name}: lines of {sorted(columns)} columns")
            found[name] = columns.pop()
    return found


def part():
    with folder(256 * MIB) as here:
        job = ["--name=job", "--size=48M", "--rw=randrw", "--bs=4k", "--iodepth=8", "--ioengine=libaio"]
        job += ["--direct=1", "--runtime=1", "--time_based", "--group_reporting"]

        def both(form, *more):
            ours = iobound("fio", *job, f"--filename={here}/ours", f"--output-format={form}", *more).stdout
            theirs = run(["fio", *job, f"--filename={here}/theirs", f"--output-format={form}", *more]).stdout
            return ours, theirs

        for form in ("json", "json+"):
            ours, theirs = map(json.loads, both(form))
            keys = same_keys(ours, theirs)
            for document in (ours, theirs):
                check(read_as_perfkit(document) == 2, "reads and writes are to be taken")
                read_as_fio_plot(document)
            if form == "json+":
                for mode in ("read", "write"):
                    bins_agree(ours["jobs"][0][mode])
            say(f"{form}: {keys} keys as fio has them; read by the rules of PerfKitBenchmarker and fio-plot")

        ours, theirs = map(terse, both("terse", "--terse-version=3"))
        check(len(ours) == len(theirs), f"terse: {len(ours)} fields, and fio has {len(theirs)}")
        differ = [n for n, (a, b) in enumerate(zip(ours, theirs)) if n > 1 and shape(a) != shape(b)]
        check(not differ, f"terse: fields {differ} look otherwise: {[(ours[n], theirs[n]) for n in differ]}")
        terse_agrees(ours)
        terse_agrees(theirs)
        say(f"terse v3: {len(ours)} fields as fio has them")

        logs = {}
        for whose, command in (("ours", lambda words: iobound("fio", *words)), ("theirs", lambda words: run(["fio", *words]))):
            place = os.path.join(here, f"logs-{whose}")
            os.mkdir(place)
            words = [f"--write_{kind}_log={place}/x" for kind in ("bw", "lat", "iops", "hist")]
            words += ["--log_avg_msec=250", "--log_hist_msec=250"]
            command([*job, f"--filename={here}/{whose}", *words])
            logs[whose] = logs_of(place)
        ours, theirs = logs["ours"], logs["theirs"]
        lacking = sorted(set(theirs) - set(ours))
        check(set(ours) <= set(theirs), f"log files: {sorted(ours)}, and fio writes {sorted(theirs)}")
        check(all(re.search(NOT_BY_TIME, name) for name in lacking), f"fio writes {lacking} as well")
        # Columns grew with fio 3.36 and later; the first five are what is read.
        check(min(ours.values()) >= 5, f"columns of the logs: {ours}")
        for name in (name for name in ours if "_hist" in name):
            check(ours[name] == theirs[name], f"{name}: {ours[name]} columns, and fio has {theirs[name]}")
        say(f"logs: {', '.join(ours)} as fio names them; {sorted(set(ours.values()))} columns, fio {sorted(set(theirs.values()))}")
        say(f"      not written: {', '.join(lacking)}")
