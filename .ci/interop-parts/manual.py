"""The manual and the completions, read by those that they are for: mandoc, bash, zsh, fish."""

import glob

from common import MIB, check, folder, iobound, run, say

SHELLS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}


def part():
    with folder(MIB) as here:
        iobound("man", "--folder", here)
        pages = sorted(glob.glob(f"{here}/*.1"))
        for page in pages:
            done = run(["mandoc", "-T", "utf8", "-W", "error", page])
            text = done.stdout.replace("\b", "")
            # What has no help of its own beyond its flags is shown in its verb's examples.
            is_of_a_verb = page.rpartition("/")[2].count("-") == 1
            check("Examples:" in text or not is_of_a_verb, f"{page}: no examples")
        for shell, words in SHELLS.items():
            script = f"{here}/{shell}"
            with open(script, "w", encoding="utf-8") as file:
                file.write(iobound("completions", shell).stdout)
            run([*words, script])
        say(f"mandoc takes {len(pages)} pages; {', '.join(SHELLS)} take their completions")
