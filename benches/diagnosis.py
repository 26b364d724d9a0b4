"""Runs `iobound explain` on every case of crates/explain/tests/cases/open.csv and prints the tables of docs/diagnosis.md.

Usage: PROGRAM=target/release/iobound python3 benches/diagnosis.py [--check] [CASES]

A case with enough figures is right when its first finding is one of the expected rules. A case without enough figures is
right when no finding is `likely` or `strong`. `--check` compares the tables with docs/diagnosis.md and fails on a
difference.
"""

import collections
import csv
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
CASES = os.path.join(HERE, "../crates/explain/tests/cases/open.csv")
PAGE = os.path.join(HERE, "../docs/diagnosis.md")
PROGRAM = os.environ.get("PROGRAM", os.path.join(HERE, "../target/release/iobound"))
CLAIMS = ("likely", "strong")
GROUPS = {
    "limit": "a limit of the storage binds",
    "elsewhere": "the cause is not the storage",
    "unknown": "too little is known",
}
BEGIN, END = "<!-- tables of benches/diagnosis.py -->\n", "<!-- end of the tables -->\n"


def command(case, folder):
    """The command line of a case."""
    words = [PROGRAM, "explain", "--vm", case["vm"], "--json", "--observed", case["observed"]]
    for disk in case["disk"].split():
        words += ["--os-disk", disk[3:]] if disk.startswith("os=") else ["--disk", disk]
    for word in case["options"].split():
        words.append(os.path.join(folder, word) if word.endswith(".toml") else word)
    return words


def findings(case, folder):
    """(rule, confidence) of every finding, best first; an error is the rule `refused`."""
    done = subprocess.run(command(case, folder), capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{case['id']}: {done.stderr.splitlines()[0]}", file=sys.stderr)
        return [("refused", "strong")]
    return [(found["rule"], found["confidence"]) for found in json.loads(done.stdout)["findings"]]


class Judged:
    """A case, what the program finds in it, and whether that is right."""

    def __init__(self, case, found):
        self.case, self.found = case, found
        self.expected = case["expected"].split("|")
        self.first, self.confidence = found[0]
        self.enough = case["enough"] == "yes"
        self.claims = [rule for rule, confidence in found if confidence in CLAIMS]
        self.right = self.first in self.expected if self.enough else not self.claims
        self.listed = any(rule in self.expected for rule, _ in found)

    def reason(self):
        """What is wrong, in one clause."""
        if self.first == "refused":
            return "the program refuses the configuration"
        if not self.enough:
            return f"claims `{self.claims[0]}`, where too little is known"
        if self.listed:
            return f"`{self.first}` ({self.confidence}) comes before the expected rule"
        return f"`{self.first}` ({self.confidence}); the expected rule is absent"


def part(right, all_of):
    """A share with its counts."""
    return f"{right} of {all_of}" + (f" ({100 * right / all_of:.0f} %)" if all_of else "")


def table(heads, rows):
    """A Markdown table."""
    lines = ["| " + " | ".join(heads) + " |", "| " + " | ".join("---" for _ in heads) + " |"]
    return "\n".join(lines + ["| " + " | ".join(map(str, row)) + " |" for row in rows]) + "\n"


def by_group(judged):
    """Right cases by group, of all and of those that no other test of the rules has."""
    rows = []
    for group, words in [*GROUPS.items(), (None, "all")]:
        mine = [one for one in judged if group in (None, one.case["group"])]
        new = [one for one in mine if one.case["seen"] == "no"]
        right = sum(one.right for one in mine), sum(one.right for one in new)
        listed = [one for one in mine if one.enough]
        rows.append(
            (words, part(right[0], len(mine)), part(right[1], len(new)), part(sum(one.listed for one in listed), len(listed)))
        )
    return table(("cases where", "right", "right, of new cases", "expected rule anywhere in the answer"), rows)


def by_rule(judged):
    """Precision: right ÷ claimed first. Recall: right ÷ cases that expect it, by the first name of `expected`."""
    claimed, correct = collections.Counter(), collections.Counter()
    wanted, met = collections.Counter(), collections.Counter()
    for one in judged:
        # A `possible` finding where too little is known claims nothing.
        if one.enough or one.confidence in CLAIMS:
            claimed[one.first] += 1
            correct[one.first] += one.enough and one.right
        wanted[one.expected[0]] += 1
        met[one.expected[0]] += one.right
    rules = sorted(set(claimed) | set(wanted))
    rows = [
        (
            f"`{rule}`",
            part(correct[rule], claimed[rule]) if claimed[rule] else "never first",
            part(met[rule], wanted[rule]) if wanted[rule] else "no case",
        )
        for rule in rules
    ]
    return table(("rule", "precision", "recall"), rows)


def wrong(judged):
    """Every wrong case with what is wrong."""
    rows = [
        (
            f"[{one.case['id']}]({one.case['url']})",
            f"`{one.case['vm']} {one.case['disk']}`: `{one.case['observed']}`",
            " or ".join(f"`{rule}`" for rule in one.expected),
            one.reason(),
        )
        for one in judged
        if not one.right
    ]
    return table(("case", "observed", "expected", "the program says"), rows)


def main():
    """Prints the tables, or compares them with the page."""
    words = sys.argv[1:]
    check = "--check" in words
    paths = [word for word in words if word != "--check"]
    path = paths[0] if paths else CASES
    folder = os.path.dirname(os.path.abspath(path))
    with open(path, encoding="utf-8", newline="") as file:
        cases = list(csv.DictReader(file))
    judged = [Judged(case, findings(case, folder)) for case in cases]
    sources = len({case["url"] for case in cases})
    text = f"{len(cases)} cases of {sources} pages.\n\n{by_group(judged)}\n{by_rule(judged)}\n{wrong(judged)}"
    if not check:
        print(text, end="")
        return
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    if BEGIN + "\n" + text + "\n" + END not in page:
        sys.exit("docs/diagnosis.md has other tables: put the output of benches/diagnosis.py between its two markers")


main()
