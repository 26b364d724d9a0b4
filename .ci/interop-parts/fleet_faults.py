"""What becomes of a fleet when one of it goes: a network that is cut, ranks that die or hang, a coordinator that dies, Ctrl-C, and
peers that have no business there. Each time the right host is named, the others finish, and no process is left anywhere.
"""

import contextlib
import json
import os
import signal
import subprocess
import time

from common import BAD_INPUT, DONE, INTERRUPTED, IO_ERROR, PROGRAM, Failed, check, iobound, started
from fleet_place import HOSTS, Place
from fleet_ssh import command, ended
from machines import address
from merged import SUMS, complete, document, is_the_sum, own_results, partial

# Long enough that it is on when something happens, and for those that stay to be seen going on after it.
FEW_SECONDS = ("--size", "4MiB", "--rate", "400iops", "--read", "70%", "--duration", "4s", "--warmup", "0", "--busy-ok")
# Longer than it takes to lose a coordinator.
SECONDS = ("--size", "4MiB", "--rate", "400iops", "--read", "70%", "--duration", "8s", "--warmup", "0", "--busy-ok")
# Nothing of this ends by itself while it is looked at.
LONG = ("--size", "4MiB", "--rate", "400iops", "--read", "70%", "--duration", "60s", "--warmup", "0", "--busy-ok")
# A silence that is nobody's turn: five seconds, and some for a machine that is busy with other things.
SILENCE = 12
# How long a fleet waits for ssh of a host from which nothing comes, after it has answered.
FAREWELL = 20


class Faults:
    """Fleets that are disturbed."""

    def __init__(self, over):
        self.over, self.machines = over, over.machines

    def on(self, name, load):
        """A fleet over ssh whose load is on, and where it is."""
        place = Place(self.over.here, name)
        series = f"{place.here}/series.ndjson"
        hosts = [word for host in HOSTS for word in ("--host", host)]
        process = self.over.start(place, *hosts, load=load, more=("--ndjson", series))
        lines_of(series, 1, process, f"{name}: the load is on")
        return process, place, series

    def rank(self, number):
        """The process on a host that issues the load, by its number here."""
        machine = self.machines.machines[number]
        found = [pid for pid in machine.processes("iobound") if " run " in command(pid)]
        check(len(found) == 1, f"{machine.name} has ranks {[command(pid) for pid in machine.processes('iobound')]}")
        return found[0]

    def without(self, name, lost, process, place, within):
        """Waits for a fleet that has lost one rank, and judges what it leaves. Gives what it says of that rank."""
        out, err, code = ended(process, within)
        check(code == IO_ERROR, f"{name}: ended with {code}: {err}")
        result = document(out, name)
        partial(result, {lost: HOSTS[lost]}, name)
        check(HOSTS[lost] in err, f"{name}: {HOSTS[lost]} is not named: {err}")
        others = [rank for rank in range(len(HOSTS)) if rank != lost]
        is_the_sum(result, place.store, own_results(place.own, others), name)
        return result["fleet"]["missing"][0]["why"]

    def partition(self):
        """The network of one host is cut in the middle of the run, without a word to anybody; it has ended by itself."""
        process, place, _ = self.on("partition", SECONDS)
        self.machines.cut(3)
        why = self.without("partition", 2, process, place, 8 + SILENCE + FAREWELL)
        # Nobody can tell it to end: it has lost the coordinator.
        since = time.monotonic()
        self.nothing_runs_on(2, "partition", SILENCE)
        self.machines.mend(3)
        self.over.nothing_left("partition", within=30)
        self.kept_its_own(2, "partition")
        return f"a host that is cut off: {why}; it ends {time.monotonic() - since:.1f} s after the others, with its own result"

    def killed(self):
        """A rank dies."""
        process, place, _ = self.on("killed", FEW_SECONDS)
        os.kill(self.rank(1), signal.SIGKILL)
        why = self.without("killed", 1, process, place, 4 + SILENCE)
        self.over.nothing_left("killed")
        return f"a rank that is killed: {why}"

    def hangs(self):
        """A rank stops in the middle of what it does, and does not end when it is asked to."""
        process, place, _ = self.on("hangs", FEW_SECONDS)
        os.kill(self.rank(3), signal.SIGSTOP)
        why = self.without("hangs", 3, process, place, 4 + SILENCE + FAREWELL)
        self.over.nothing_left("hangs", within=30)
        return f"a rank that hangs: {why}; nothing of it is left"

    def coordinator_killed(self):
        """The coordinator dies: all ranks end within seconds, and keep what they have."""
        process, _, _ = self.on("coordinator_killed", LONG)
        process.kill()
        since = time.monotonic()
        ended(process, 5)
        self.over.nothing_left("coordinator killed", within=SILENCE)
        took = time.monotonic() - since
        for number in range(len(HOSTS)):
            self.kept_its_own(number, "coordinator killed")
        return f"a coordinator that is killed: its ranks are gone {took:.1f} s later, each has kept its own result"

    def interrupted(self):
        """Ctrl-C at the coordinator: all end, and what was measured is told."""
        process, place, _ = self.on("interrupted", LONG)
        since = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err, code = ended(process, SILENCE)
        took = time.monotonic() - since
        check(code == INTERRUPTED, f"Ctrl-C: ended with {code}: {err}")
        result = document(out, "Ctrl-C")
        check(result["ended"] == "interrupted", f"Ctrl-C: the document says {result['ended']}")
        check(result["fleet"]["missing"] == [], f"Ctrl-C: missing are {result['fleet']['missing']}")
        is_the_sum(result, place.store, own_results(place.own, range(len(HOSTS))), "Ctrl-C")
        self.over.nothing_left("Ctrl-C")
        return f"Ctrl-C: over in {took:.1f} s, all four have reported"

    def nothing_runs_on(self, number, what, within):
        """Waits until no rank runs on one host: looked at from here, since nobody reaches it."""
        machine = self.machines.machines[number]
        end = time.monotonic() + within
        while any(" run " in command(pid) for pid in machine.processes("iobound")):
            check(time.monotonic() < end, f"{what}: {within} s later the rank on {machine.name} still runs")
            time.sleep(0.02)

    def kept_its_own(self, number, what):
        """Fails unless the store of a host has the result of a run that did not complete."""
        machine = self.machines.machines[number]
        env = {**os.environ, "IOBOUND_RESULTS": f"{machine.here}/results.db"}
        runs = json.loads(iobound("results", "list", "--json", env=env).stdout)["runs"]
        check(runs, f"{what}: {machine.name} has kept nothing")
        check(runs[0]["ended"] != "complete" and runs[0]["iops"] > 0, f"{what}: {machine.name} has kept {runs[0]}")
        iobound("results", "delete", *[one["id"] for one in runs], env=env)

    def steps(self):
        return [self.partition, self.killed, self.hangs, self.coordinator_killed, self.interrupted, self.strangers, self.coordinator_of_a_rank_killed]

    # Ranks that a person starts one by one, which meet at the first host.

    def by_hand(self, place, number, *more, load=FEW_SECONDS):
        """Rank `number`, on its host."""
        machine = self.machines.machines[number % len(HOSTS)]
        words = [*place.words(*more, load=load), "--of", len(HOSTS), "--meet", f"{address(1)}:7711"]
        words += [] if "--rank" in more else ["--rank", number]
        env = ["env", f"IOBOUND_RESULTS={machine.here}/results.db" if number else f"IOBOUND_RESULTS={place.store}"]
        process = subprocess.Popen(
            machine.words(*env, PROGRAM, *words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    def secret(self, place, name, text):
        """A token's file."""
        path = self.over.file(place, name, f"{text}\n")
        os.chmod(path, 0o600)
        return "--token-file", path

    def strangers(self):
        """At the coordinator's port: a wrong token, another one's rank, one too late, and what is no rank at all."""
        place = Place(self.over.here, "strangers")
        token = self.secret(place, "token", "a61c0c1f4ea61c0c1f4e")
        wrong = self.secret(place, "wrong", "b61c0c1f4eb61c0c1f4e")
        series = f"{place.here}/series.ndjson"
        ranks = [self.by_hand(place, 0, *token, "--ndjson", series)]
        noise = [nonsense(self.machines, text) for text in NONSENSE]
        ranks += [self.by_hand(place, number, *token) for number in (1, 2)]
        out, err, code = ended(self.by_hand(place, 3, *wrong), 20)
        check(code not in (DONE, None) and "token" in err + out, f"a wrong token: ended with {code}: {err}")
        # Who brings no secret at all does not get so far.
        out, err, code = ended(self.by_hand(place, 3), 20)
        check(code == BAD_INPUT and "token" in err, f"no token: ended with {code}: {err}")
        ranks.append(self.by_hand(place, 3, *token))
        lines_of(series, 1, ranks[0], "strangers: the load is on")
        out, err, code = ended(self.by_hand(place, 3, *token), 20)
        check(code not in (DONE, None) and err.strip(), f"a second rank 3, too late: ended with {code}: {err}")
        noise += [nonsense(self.machines, text) for text in NONSENSE]
        results = [ended(process, 30) for process in ranks]
        for process in noise:
            process.kill()
            process.wait()
        codes = [code for _, _, code in results]
        check(codes == [DONE] * 4, f"beside strangers the ranks ended with {codes}: {[err for _, err, _ in results]}")
        check(not any(out for out, _, _ in results[1:]), "a rank that is no coordinator printed something")
        result = document(results[0][0], "strangers")
        complete(result, HOSTS, "strangers")
        is_the_sum(result, place.store, own_results(place.own, range(4)), "strangers")
        turned_away = [line for line in results[0][1].splitlines() if "token" in line]
        check(turned_away, f"the coordinator does not say that somebody came with a wrong token: {results[0][1]}")
        check(any(at in " ".join(turned_away) for at in (address(4), "db4")), f"who it was is not said: {turned_away}")
        return f"a wrong token, a second rank, {len(NONSENSE)} kinds of noise: turned away, and four ranks complete"

    def coordinator_of_a_rank_killed(self):
        """The same as `coordinator_killed` where the coordinator is in rank 0: the others lose it, and end with their own results."""
        place = Place(self.over.here, "coordinator_of_a_rank")
        token = self.secret(place, "token", "c61c0c1f4ec61c0c1f4e")
        series = f"{place.here}/series.ndjson"
        ranks = [self.by_hand(place, 0, *token, "--ndjson", series, load=LONG)]
        ranks += [self.by_hand(place, number, *token, load=LONG) for number in (1, 2, 3)]
        lines_of(series, 1, ranks[0], "rank 0: the load is on")
        since = time.monotonic()
        os.kill(self.rank(0), signal.SIGKILL)
        results = [ended(process, 5 + SILENCE) for process in ranks]
        took = time.monotonic() - since
        for number, (out, err, code) in enumerate(results[1:], start=1):
            check(code == IO_ERROR, f"rank {number}, whose coordinator is gone, ended with {code}: {err}")
            check("coordinator" in err, f"rank {number} does not say that the coordinator is gone: {err}")
            own = document(out, f"rank {number}")
            check(all(own[name] is not None for name in SUMS) and own["ios"] > 0, f"rank {number} has no figures of its own")
            self.kept_its_own(number, "rank 0 killed")
        return f"rank 0 is killed: the others end {took:.1f} s later with their own results"


# Who speaks something else, and who says nothing: web browsers, TLS, HTTP/2 of something else, bytes of chance.
NONSENSE = {
    "http": b"GET / HTTP/1.1\r\nHost: db1\r\n\r\n",
    "tls": bytes.fromhex("16030100c8010000c40303") + bytes(range(200)),
    "http2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]) + bytes([255]) * 4096,
    "chance": bytes((n * 7919 + 13) % 256 for n in range(65536)),
    "silence": b"",
}


def nonsense(machines, name):
    """Somebody on the fourth host who connects to the coordinator, says this, and stays."""
    speak = (
        "import socket, sys, time\n"
        "text = bytes.fromhex(sys.stdin.read())\n"
        "end = time.monotonic() + 20\n"
        "while True:\n"
        "    try:\n"
        "        peer = socket.create_connection((sys.argv[1], 7711), timeout=10)\n"
        "        break\n"
        "    except ConnectionRefusedError:\n"
        "        if time.monotonic() > end:\n"
        "            raise\n"
        "        time.sleep(0.02)\n"
        "try:\n"
        "    peer.sendall(text)\n"
        "    time.sleep(60)\n"
        "except OSError:\n"
        "    pass\n"
    )
    process = machines.machines[3].start("/usr/bin/python3", "-c", speak, address(1), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
    process.stdin.write(NONSENSE[name].hex().encode())
    process.stdin.close()
    return process


def lines_of(path, count, process, what, within=40):
    """Waits until a file has so many lines while a process runs."""
    end = time.monotonic() + within
    while True:
        with contextlib.suppress(FileNotFoundError), open(path, "rb") as file:
            if file.read().count(b"\n") >= count:
                return
        if process.poll() is not None:
            out, err = process.communicate()
            raise Failed(f"{what}: ended with {process.returncode} before:\n{err or out}")
        if time.monotonic() > end:
            process.kill()
            _, err = process.communicate()
            raise Failed(f"{what}: not within {within} s:\n{err}")
        time.sleep(0.01)


def steps(over):
    """What has to hold, in order."""
    return Faults(over).steps()
