"""Everyday command lines of .ci/everyday-lines.tsv, small: each runs with the meaning that the tool itself gives it, or is refused
by the name of what is in the way."""

import concurrent.futures
import json
import os
import re
import shlex
import shutil

from common import BAD_INPUT, DONE, MIB, PROGRAM, Failed, check, run, say
from published import icf

# The lines that run, in percent: fewer is a failure.
LEAST = 98
# Replacements for amounts and times, so that a line runs in a second. A size in percent and an offset stay.
SIZES = ("size", "filesize", "io_size")
SMALL = 8 * MIB
SHORT = {"runtime": "1s", "ramp_time": "100ms", "startdelay": "0"}
MOST_JOBS = 2
# Paths of the line that are folders of their own here.
PLACES = ("filename", "directory", "output")


def small_fio(line, place):
    """The words of a line of fio's: amounts and times are small, paths are below `place`."""
    words = shlex.split(line)[1:]
    joined = []
    while words:
        word = words.pop(0)
        # An option and its value may be two words.
        name = word.lstrip("-")
        if word.startswith("-") and "=" not in word and words and not words[0].startswith("-") and name not in ("thread", "time_based"):
            word = f"{word}={words.pop(0)}"
        joined.append(word)
    block = max([size_of(word.split("=", 1)[1]) for word in joined if re.match(r"-+(bs|blocksize)=", word)], default=4096)
    return [small_word(word, place, block) for word in joined]


def size_of(text):
    """Bytes of fio's 4k, 1M, 2300."""
    number, letter = re.match(r"(\d+)([kKmMgG]?)", text).groups()
    return int(number) << {"": 0, "k": 10, "m": 20, "g": 30}[letter.lower()]


def small_word(word, place, block):
    name, _, value = word.lstrip("-").partition("=")
    if name in SIZES and not value.endswith("%"):
        value = str(min(size_of(value), max(SMALL, 4 * block)))
    elif name in SHORT:
        value = SHORT[name]
    elif name == "numjobs":
        value = str(min(int(value), MOST_JOBS))
    elif name == "offset_increment":
        value = "1m"
    elif name in PLACES:
        value = path_of(value, place, name)
    else:
        return word
    return f"--{name}={value}"


def path_of(path, place, option):
    """A path below `place`. A device is a file that is there already."""
    inside = os.path.join(place, path.lstrip("/").replace("/", "_"))
    if option == "directory":
        os.makedirs(inside, exist_ok=True)
    elif path.startswith("/dev/") and not os.path.exists(inside):
        with open(inside, "wb") as file:
            file.write(os.urandom(1 << 20) * (2 * SMALL >> 20))
    return inside


def meaning(document):
    """What a result says of the jobs: the same for both programs, whatever the speed."""
    jobs = []
    for job in document["jobs"]:
        of = {}
        for direction in ("read", "write", "trim"):
            one = job[direction]
            # Time, and not the amount of work, may end a job after any number of I/Os.
            of[direction] = round(one["io_bytes"] / one["total_ios"]) if one["total_ios"] else 0
        jobs.append((job["jobname"], of))
    return jobs


def mix(document):
    """The share of reads among each job's reads and writes."""
    counts = [(job["read"]["total_ios"], job["write"]["total_ios"]) for job in document["jobs"]]
    return [(reads / (reads + writes), reads + writes) for reads, writes in counts if reads + writes]


def work(document):
    return [sum(job[direction]["io_bytes"] for direction in ("read", "write", "trim")) for job in document["jobs"]]


def json_of(program, words, place, name, env):
    """Runs the words in a folder of their own, and reads the JSON."""
    output = os.path.join(place, f"{name}.json")
    words = [word for word in words if not re.match(r"-+(output|output-format|minimal)\b", word)]
    done = run([*program, *words, "--output-format=json", f"--output={output}"], ends=None, within=60, cwd=place, env=env)
    if done.returncode != DONE:
        return done, None
    with open(output, encoding="utf-8") as file:
        text = file.read()
    # fio's notes stand before its document.
    return done, json.loads(text[re.search(r"^\{", text, re.MULTILINE).start():])


def fio(line, place, env):
    """What is wrong with the line here; `None` where it means what it means to fio, and the refusal where it is refused."""
    ours, theirs = os.path.join(place, "ours"), os.path.join(place, "theirs")
    os.makedirs(ours), os.makedirs(theirs)
    words = small_fio(line, ours)
    devices = [word.split("=", 1)[1] for word in words if word.startswith("--filename=") and os.path.exists(word.split("=", 1)[1])]
    env = {**env, "IOBOUND_OVERWRITE": ",".join(devices)} if devices else env
    done, own = json_of([PROGRAM, "fio"], words, ours, "own", env)
    if own is None:
        check(done.returncode == BAD_INPUT, f"{line}\nended with {done.returncode}:\n{done.stderr}")
        return done.stderr.strip()
    check(done.stderr == "", f"{line}\nwrote to standard error:\n{done.stderr}")
    # Bytes of the ramp time are in fio's sums, and its I/Os are not.
    others = [word for word in small_fio(line, theirs) if not re.match(r"-+ramp_time=", word)]
    _, reference = json_of(["fio"], others, theirs, "their", env)
    if reference is None:
        # fio itself fails on this machine: there is nothing to compare with.
        return None
    check(meaning(own) == meaning(reference), f"{line}\nmeans something else:\n{meaning(own)}\nfio: {meaning(reference)}")
    for (here, count), (there, others) in zip(mix(own), mix(reference)):
        if min(count, others) > 1_000:
            check(abs(here - there) < 0.05, f"{line}\nreads {here:.2f} of the I/Os, fio {there:.2f}")
    if not any(re.match(r"-+(runtime|timeout)=", word) for word in words):
        check(work(own) == work(reference), f"{line}\nmoves {work(own)} bytes, fio {work(reference)}")
    return None


def diskspd(line, place, env):
    words = shlex.split(line.split(" > ")[0].replace("\\", "/"))[1:]
    short = {"c": f"{SMALL >> 20}M", "d": "1", "W": "0", "C": "0"}
    target = os.path.join(place, re.split("[/:]", words[-1])[-1])
    words = [f"-{word[1]}{short[word[1]]}" if word[1] in short else word for word in words[:-1]]
    done = run([PROGRAM, "diskspd", *words, target], ends=None, within=60, cwd=place, env=env)
    if done.returncode != DONE:
        check(done.returncode == BAD_INPUT, f"{line}\nended with {done.returncode}:\n{done.stderr}")
        return done.stderr.strip()
    check(done.stderr == "", f"{line}\nwrote to standard error:\n{done.stderr}")
    if "-Rxml" in words:
        check("<Results>" in done.stdout, f"{line}\nhas no XML:\n{done.stdout}")
        return None
    moved, ios = map(int, re.search(r"^total:\s*(\d+) \|\s*(\d+)", done.stdout, re.MULTILINE).groups())
    block = size_of(next(word[2:] for word in words if word.startswith("-b")))
    check(ios > 0 and moved == ios * block, f"{line}\n{ios} I/Os of {block} bytes are not {moved} bytes")
    return None


def iometer(line, place, env):
    size, share, reads, random, delay, burst, align, reply = line.split(",")
    check((share, delay, burst, align, reply) == ("100", "0", "1", "0", "0"), f"{line}: not of one line")
    config, results = os.path.join(place, "test.icf"), os.path.join(place, "results.csv")
    text = icf(int(size), 16, SMALL // 512).replace(f"\t{size},100,100,0,", f"\t{size},100,{reads},{random},")
    with open(config, "w", encoding="ascii", newline="\r\n") as file:
        file.write(text)
    done = run([PROGRAM, "iometer", "/c", config, "/r", results, "--map", f"E:={place}"], ends=None, within=60, cwd=place, env=env)
    check(done.returncode == DONE and done.stderr == "", f"{line}\nended with {done.returncode}:\n{done.stderr}")
    with open(results, encoding="utf-8") as file:
        rows = [row.split(",") for row in file.read().splitlines()]
    header = next(row for row in rows if row[0] == "'Target Type")
    of = dict(zip(header, next(row for row in rows if row[0] == "ALL")))
    read_share = float(of["Read IOps"]) / float(of["IOps"]) * 100
    check(abs(read_share - int(reads)) < 10, f"{line}\nreads {read_share:.0f} %")
    return None


def everyday(here, env):
    """Every line of the list."""
    with open(".ci/everyday-lines.tsv", encoding="utf-8") as file:
        rows = [row.split("\t") for row in file.read().splitlines() if row and not row.startswith("#")]
    tools = {"fio": fio, "diskspd": diskspd, "iometer": iometer}

    def one(numbered):
        """The refusal of a line, and what is wrong with it, as far as there is one of them."""
        number, (tool, _, line) = numbered
        place = os.path.join(here, f"line-{number}")
        os.makedirs(place)
        try:
            return tools[tool](line, place, env), None
        except Failed as why:
            return None, why
        finally:
            shutil.rmtree(place)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = list(zip(rows, pool.map(one, enumerate(rows))))
    wrong = [str(why) for _, (_, why) in answers if why is not None]
    refused = [(row, why) for row, (why, _) in answers if why is not None]
    for (_, source, line), why in refused:
        error = next(text for text in why.splitlines() if text.startswith("error: "))
        say(f"  refused ({source}): {line}\n    {error}")
        # It names what is in the way.
        named = {word.lstrip("-").split("=")[0] for word in line.split()}
        check(any(name and name in why for name in named), f"{line}\nis refused without a name:\n{why}")
    ran = len(rows) - len(refused) - len(wrong)
    say(f"everyday lines: {ran} of {len(rows)} run with the tool's meaning, {len(refused)} refused by name")
    check(not wrong, "\n".join(wrong))
    check(ran * 100 >= LEAST * len(rows), f"{ran} of {len(rows)} lines run: at least {LEAST} % have to")
