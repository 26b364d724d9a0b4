"""The manual and the completions, read by those that they are for: mandoc, bash, zsh, fish."""

import glob
import os
import shutil

from common import MIB, PROGRAM, check, folder, iobound, run, say

SHELLS = {"bash": ["bash", "-n"], "zsh": ["zsh", "-n"], "fish": ["fish", "--no-execute"]}

# A line that is typed, and what stands there after the tabulator, which one candidate goes on to.
TYPED = (
    ("iobound predict --vm m5.lar", "iobound predict --vm m5.large"),
    ("iobound predict --vm ds14_v2_", "iobound predict --vm DS14_v2_Promo"),
    ("iobound predict --disk log=4xpremiumv", "iobound predict --disk log=4xpremiumv2@"),
    ("iobound predict --disk=10xP30:reado", "iobound predict --disk=10xP30:readonly"),
    ("iobound predict --preset sqlserver-ol", "iobound predict --preset sqlserver-oltp"),
    ("iobound results show ", "iobound results show r-1"),
    ("iobound explain r-", "iobound explain r-1"),
    ("iobound pred", "iobound predict"),
)

# As readline does: the word behind the last sign that parts words is replaced.
BASH = """source "$1"
COMP_LINE="$2" COMP_POINT=${#2}
read -ra COMP_WORDS <<<"$2"
[[ "$2" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_iobound_offered iobound "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
word="${2##*[[:space:]:=@]}"
for offered in "${COMPREPLY[@]}"; do printf '%s%s\n' "${2%"$word"}" "$offered"; done"""

# A shell of its own on a terminal, whose line is put into a file by a key.
ZSH = """zmodload zsh/zpty
zpty -b shell zsh -f -i
zpty -w shell "PS1='>'; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D; bindkey '^I' complete-word
told() { print -r -- \"\$BUFFER\" > $1/line; BUFFER= }; zle -N told; bindkey '^G' told; print rea''dy"
zpty -r shell out "*ready*"
for typed in "${@:2}"; do
  zpty -w -n shell "$typed"$'\t'$'\a'
  for n in {1..200}; do
    [[ -s $1/line ]] && break
    zpty -r -t shell out
    sleep 0.05
  done
  cat $1/line
  : > $1/line
done
zpty -d shell"""


def offered(here):
    """Names that are typed in part are gone on with, in bash and in zsh."""
    os.mkdir(f"{here}/bin")
    os.symlink(os.path.abspath(PROGRAM), f"{here}/bin/iobound")
    env = {**os.environ, "PATH": f"{here}/bin:{os.environ['PATH']}", "IOBOUND_RESULTS": f"{here}/kept.db"}
    iobound("run", here, "--size", "64KiB", "--duration", "1s", "--buffered", env={**env, "IOBOUND_BUSY_OK": "true"})
    shutil.copy(f"{here}/zsh", f"{here}/_iobound")
    lines = [typed for typed, _ in TYPED]
    of_zsh = run(["zsh", "-f", "-c", ZSH, "zsh", here, *lines], env=env, cwd=here).stdout.splitlines()
    check(len(of_zsh) == len(TYPED), f"zsh went on with {of_zsh}")
    for (typed, wanted), told in zip(TYPED, of_zsh):
        check(told.rstrip() == wanted, f"zsh goes on with {told!r} from {typed!r}, and not with {wanted!r}")
        told = run(["bash", "--norc", "-c", BASH, "bash", f"{here}/bash", typed], env=env, cwd=here).stdout.splitlines()
        check(told == [wanted], f"bash goes on with {told} from {typed!r}, and not with {wanted!r}")
    return f"bash and zsh go on with {len(TYPED)} lines"


def part():
    with folder(8 * MIB) as here:
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
        say(offered(here))
