"""fio and this program replay what the other has recorded, with fio's own options. The kernel records what fio does."""

import contextlib
import json
import os
import pathlib
import time

from common import MIB, check, end_all, finished, folder, iobound, loop_device, run, say, start


def ios_of(log):
    """Operation, offset and length of each I/O of a log of version 3, in its order."""
    with open(log, encoding="utf-8") as lines:
        check(next(lines) == "fio version 3 iolog\n", f"{log} is no log of version 3")
        fields = [line.split() for line in lines]
    return [(line[2], int(line[3]), int(line[4])) for line in fields if len(line) == 5]


def job_of(document):
    """The only job of a report in fio's JSON."""
    return json.loads(document)["jobs"][0]


def moved(job):
    """I/Os and bytes of a job, by direction."""
    return {side: (job[side]["total_ios"], job[side]["io_bytes"]) for side in ("read", "write")}


def recorded_by_fio(place):
    """A log that fio writes: 3 s of mixed I/O at a given rate."""
    file, log = place / "file", place / "fio.log"
    run(
        ["fio", "--name=a", f"--filename={file}", "--size=16m", "--rw=randrw", "--rwmixread=70", "--bsrange=4k-32k"]
        + ["--rate_iops=700,300", "--runtime=3", "--time_based", "--ioengine=libaio", "--iodepth=8", "--direct=1"]
        + [f"--write_iolog={log}"]
    )
    return file, log


def counted(place, file, log):
    """`trace info` counts what an independent count finds."""
    wanted = ios_of(log)
    told = json.loads(iobound("trace", "info", log, "--json").stdout)
    check(told["ios"] == len(wanted), f"{told['ios']} I/Os were read, and the log has {len(wanted)}")
    for name, word in (("read", "read"), ("write", "write")):
        own = [length for op, _, length in wanted if op == word]
        op = next(op for op in told["ops"] if op["op"] == name)
        check((op["ios"], op["bytes"]) == (len(own), sum(own)), f"{name}: {op['ios']} I/Os, {op['bytes']} B")
    return wanted


def replayed_by_run(file, log, wanted):
    """`run --trace` issues all I/Os at the recorded rate, within 1 %."""
    words = ["run", file, "--trace", log, "--overwrite", file, "--results", "off", "--json"]
    document = json.loads(iobound(*words).stdout)
    check(document["ios"] == len(wanted), f"{document['ios']} I/Os completed of {len(wanted)}")
    says = next(one for one in document["checks"] if one["name"] == "replay")
    check(says["outcome"] == "ok", says["says"])
    say(f"run --trace: {says['says']}")


def scaled(wanted, by, align):
    """The I/Os of a log with `replay_scale` and `replay_align`."""
    return [(op, offset // by // align * align, length) for op, offset, length in wanted]


def replayed_by_our_fio(place, file, log, wanted):
    """`iobound fio --read_iolog` issues what fio issues with the same log and options, and writes a log that fio replays."""
    env = {"IOBOUND_OVERWRITE": str(file), "IOBOUND_BUSY_OK": "true", "IOBOUND_RESULTS": "off"}
    for more, expected in (
        ([], wanted),
        (["--replay_no_stall=1"], wanted),
        (["--replay_time_scale=300"], wanted),
        (["--replay_scale=2", "--replay_align=4096"], scaled(wanted, 2, 4096)),
    ):
        words = ["--name=b", f"--read_iolog={log}", "--ioengine=libaio", "--iodepth=8", "--direct=1"] + more
        fio = job_of(run(["fio", *words, "--output-format=json"]).stdout)
        # fio writes no log beside one that it reads.
        ours = place / "ours.log"
        words += [f"--write_iolog={ours}", "--output-format=json"]
        own = job_of(iobound("fio", *words, env={**os.environ, **env}).stdout)
        check(sorted(ios_of(ours)) == sorted(expected), f"{more}: other I/Os than the log has")
        for side in ("read", "write"):
            lengths = [length for op, _, length in expected if op == side]
            check((own[side]["total_ios"], own[side]["io_bytes"]) == (len(lengths), sum(lengths)), f"{more}: {own[side]}")
            check(fio[side]["total_ios"] == len(lengths), f"{more}: fio issued {fio[side]['total_ios']} {side}s")
            # Bytes of I/Os that are outstanding at the end are not in fio's sum.
            missing = sum(lengths) - fio[side]["io_bytes"]
            check(0 <= missing <= 8 * max(lengths), f"{more}: fio moved {missing} bytes less")
        took = [one["job_runtime"] for one in (fio, own)]
        if not more or "time_scale" in more[0]:
            check(abs(took[0] - took[1]) <= 0.1 * took[0] + 50, f"{more}: fio took {took[0]} ms, we {took[1]} ms")
        again = run(["fio", "--name=c", f"--read_iolog={ours}", "--direct=1", "--output-format=json"] + ["--replay_no_stall=1"])
        check(moved(job_of(again.stdout)) == moved(own), f"{more}: fio replays our log otherwise")
    say("fio --read_iolog: the I/Os are the log's, and fio replays our logs")


def redirected(place, file, log):
    """`replay_redirect` sends all to another file."""
    other = place / "other"
    other.write_bytes(bytes(16 * MIB))
    env = {"IOBOUND_OVERWRITE": str(other), "IOBOUND_BUSY_OK": "true", "IOBOUND_RESULTS": "off"}
    before = file.read_bytes()
    words = ["--name=d", f"--read_iolog={log}", f"--replay_redirect={other}", "--replay_no_stall=1", "--direct=1"]
    iobound("fio", *words, env={**os.environ, **env})
    check(file.read_bytes() == before, "the recorded file was written to")
    check(other.read_bytes() != bytes(16 * MIB), "the other file was not written to")


def consent(file, log):
    """Writes of a trace need the same consent as those of a run."""
    before = file.read_bytes()
    refused = iobound("run", file, "--trace", log, "--results", "off", ends=3)
    check("--overwrite" in refused.stderr, refused.stderr)
    check(file.read_bytes() == before, "the file was written to without consent")


def load_on(device, log):
    """Mixed I/O of fio on a device, with its log: the I/Os and bytes of each direction."""
    run(
        ["fio", "--name=a", f"--filename={device}", "--size=16m", "--rw=randrw", "--rwmixread=70", "--bsrange=4k-64k"]
        + ["--rate_iops=700,300", "--runtime=3", "--time_based", "--ioengine=libaio", "--iodepth=8", "--direct=1"]
        + [f"--write_iolog={log}"]
    )
    ios = ios_of(log)
    lengths = {side: [length for op, _, length in ios if op == side] for side in ("read", "write")}
    return {side: (len(own), sum(own)) for side, own in lengths.items()}


def seen_in(trace):
    """I/Os and bytes of each direction that `trace info` counts."""
    told = json.loads(iobound("trace", "info", trace, "--json").stdout)
    return {op["op"]: (op["ios"], op["bytes"]) for op in told["ops"] if op["op"] in ("read", "write")}


def recorded_by_watch(place, device):
    """`watch --trace` records the requests that fio issues, all of them, and says what that took."""
    trace = place / "app.trace"
    watch = start("watch", "--trace", trace, "--for", "7s", device)
    time.sleep(2)
    wanted = load_on(device, place / "watched.log")
    out, _ = finished(watch, 0)
    seen = seen_in(trace)
    check(seen == wanted, f"watch --trace recorded {seen}, and fio did {wanted}")
    overhead = next((line.strip() for line in out.splitlines() if "of a processor" in line), None)
    check(overhead is not None, f"no overhead is printed: {out}")
    say(f"watch --trace: all I/Os of fio; {overhead}")


@contextlib.contextmanager
def kernel_tracing():
    """The kernel's tracing files, mounted where they are not."""
    at = pathlib.Path("/sys/kernel/tracing")
    mounts = not (at / "events").exists()
    if mounts:
        run(["mount", "-t", "tracefs", "tracefs", at])
    try:
        yield
    finally:
        end_all()
        if mounts:
            run(["umount", at])


def recorded_by_the_kernel(place):
    """A recording of a loop device."""
    image = place / "image"
    image.write_bytes(bytes(16 * MIB))
    with loop_device(image) as device, kernel_tracing():
        recorded_by_watch(place, device)


def part():
    """All of it on a small file."""
    with folder(128 * MIB) as path:
        place = pathlib.Path(path)
        file, log = recorded_by_fio(place)
        wanted = counted(place, file, log)
        consent(file, log)
        replayed_by_run(file, log, wanted)
        replayed_by_our_fio(place, file, log, wanted)
        redirected(place, file, log)
        recorded_by_the_kernel(place)
