"""fio's own example job files: each is read as fio reads it, and run, or refused by name and with what to do instead."""

import configparser
import glob
import os
import re

from common import BAD_INPUT, DONE, EXAMPLES, MIB, check, folder, iobound, run, say

# Replacements for devices, folders and amounts, so that each example file runs anywhere in a second.
SCALED = {"size": "8m", "filesize": "8m", "io_size": "8m", "runtime": "1", "loops": "1", "ramp_time": "0", "startdelay": "0"}
DROPPED = {"filename", "directory", "numjobs", "thread", "cpus_allowed", "numa_cpu_nodes", "numa_mem_policy", "nrfiles"}
# Files with more jobs than this take too long, because each job runs for more than a second.
MOST_JOBS = 6
# Files that are read, and files that run, at least.
LEAST_READ, LEAST_RUN = 70, 30
# Messages of fio where its build lacks something that a file needs. The file itself is correct.
LACKS = ("not loadable", "failed to load engine", "mem=cudamalloc", "job global dropped", "failed parsing port")


def refusal_names_its_cause(name, text, error):
    """A refusal points at a place of the file, quotes what is there, and says what to do."""
    places = re.findall(rf"{re.escape(name)}:(\d+):\d+: (.+)", error)
    check(places, f"{name}: refused without a place:\n{error}")
    lines = text.splitlines()
    for number, _ in places:
        check(1 <= int(number) <= len(lines), f"{name}: there is no line {number}")
    quoted = re.findall(r"^    (?!\s*\^)(\S.*)$", error, re.MULTILINE)
    check(any(quote.strip() in text for quote in quoted), f"{name}: nothing of the file is quoted:\n{error}")
    marked = re.split(r"^\s*\^+\s*$", error, flags=re.MULTILINE)[1:]
    check(marked and all(rest.strip() for rest in marked), f"{name}: no word of what to do:\n{error}")
    return "; ".join(dict.fromkeys(says for _, says in places))


def scaled(text):
    """The same jobs, small: `None` where there are too many."""
    # fio's files have options without a value, and the same twice.
    parser = configparser.RawConfigParser(allow_no_value=True, strict=False, delimiters=("=",), comment_prefixes=(";", "#"))
    parser.optionxform = str
    parser.read_string(text)
    jobs = [name for name in parser.sections() if name != "global"]
    if len(jobs) > MOST_JOBS:
        return None
    lines = []
    for section in ["global", *jobs]:
        lines.append(f"[{section}]")
        options = dict(parser.items(section)) if parser.has_section(section) else {}
        for option, value in options.items():
            if option in DROPPED:
                continue
            value = SCALED.get(option, value)
            lines.append(option if value is None else f"{option}={value}")
        if section == "global":
            lines += [f"{option}={SCALED[option]}" for option in ("size", "runtime") if option not in options]
            lines.append("time_based=1")
    return "\n".join(lines) + "\n"


def part():
    files = sorted(glob.glob(os.path.join(EXAMPLES, "*.fio")))
    check(len(files) >= 50, f"{len(files)} example files in {EXAMPLES}: install fio-examples")
    parsed, refused, fio_refuses = [], [], []
    for path in files:
        name = os.path.basename(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        done = iobound("fio", "--parse-only", path, ends=None)
        theirs = run(["fio", "--parse-only", path], ends=None)
        if theirs.returncode != 0:
            fio_refuses.append(name)
        check(done.returncode in (DONE, BAD_INPUT), f"{name}: ended with {done.returncode}: {done.stderr}")
        if done.returncode == DONE:
            said = theirs.stderr + theirs.stdout
            known = theirs.returncode == 0 or any(lack in said for lack in LACKS)
            check(known, f"{name}: read here, and fio itself refuses it:\n{said}")
            parsed.append((name, text))
        else:
            refused.append((name, refusal_names_its_cause(name, text, done.stderr)))
    say(f"{len(files)} example files: {len(parsed)} read, {len(refused)} refused; this fio refuses {len(fio_refuses)}")
    for name, _ in parsed:
        say(f"  read     {name}")
    for name, why in refused:
        say(f"  refused  {name}: {why[:150]}{' (fio refuses it too)' if name in fio_refuses else ''}")
    check(len(parsed) >= LEAST_READ, f"{len(parsed)} are read: at least {LEAST_READ} have to be")

    with folder(256 * MIB) as here:
        ran = []
        for name, text in parsed:
            small = scaled(text)
            if small is None:
                say(f"  not run  {name}: more than {MOST_JOBS} jobs")
                continue
            path = os.path.join(here, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(small)
            place = os.path.join(here, f"{name}.d")
            os.mkdir(place)
            done = iobound("fio", f"--directory={place}", "--output-format=json", path, cwd=place, ends=None)
            check(done.returncode in (DONE, BAD_INPUT), f"{name}: ended with {done.returncode}:\n{done.stderr}")
            if done.returncode == DONE:
                ran.append(name)
            else:
                error = done.stderr[done.stderr.index("error: "):]
                named = re.findall(r"[\w-]+", small)
                check(any(word in error for word in named if len(word) > 3), f"{name}: refused without a name:\n{error}")
                say(f"  not run  {name}: {error.splitlines()[0][:150]}")
        say(f"run for a second each: {len(ran)}: {' '.join(ran)}")
        check(len(ran) >= LEAST_RUN, f"{len(ran)} ran: at least {LEAST_RUN} have to")
