"""`iobound fleet` over OpenSSH's own client and servers: hosts from files, the program copied, the ranks meeting through ssh
or by themselves; and what a person is told whose hosts are not what they seem.
"""

import os
import signal
import subprocess
import time

from common import BAD_INPUT, INTERRUPTED, IO_ERROR, PROGRAM, Failed, check, run, started
from first_io import FirstIo
from fleet_place import HOSTS, LOAD, Place
from machines import HERE
from merged import SKEW_MS

# What a person has: comments, blanks, the ends of lines of another system, and one host twice.
PLAIN = "# segments\n\n  db1  \ndb2\t# the second\r\n\r\ndb3\r\n   \ndb4\n"
# Two groups, one of groups, a range, and an alias with an address.
INVENTORY = """
[front]
web1

[segments]
db[1:3]
last ansible_host=db4 ansible_user=root

[database:children]
segments

[database:vars]
ansible_python_interpreter=/usr/bin/python3
"""


class OverSsh:
    """The program as a person starts it who has an ssh configuration."""

    def __init__(self, machines, ssh, here):
        self.machines, self.ssh, self.here = machines, ssh, here

    def words(self, place, *flags, load=LOAD, more=()):
        """The command line of a fleet."""
        return [PROGRAM, "fleet", "--ssh", self.ssh.words(), *map(str, flags), "--", *place.words(*more, load=load)]

    def file(self, place, name, text):
        """A file of a person."""
        path = os.path.join(place.here, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    def start(self, place, *flags, load=LOAD, more=()):
        """A fleet in the background."""
        words = self.words(place, *flags, load=load, more=more)
        process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=place.env())
        started.append(process)
        return process

    def runs(self, name, *flags, hosts=HOSTS, program="iobound", more=()):
        """A fleet that has to complete, judged by its document and by what it leaves: nothing."""
        place = Place(self.here, name)
        files = [self.file(place, flag.removeprefix("text:").split("\n")[0], flag.split("\n", 1)[1]) if str(flag).startswith("text:") else flag for flag in flags]
        with FirstIo(place.data) as seen:
            done = run(self.words(place, *files, more=more), env=place.env())
        result, says = place.judged(done.stdout, hosts, name)
        check(result["fleet"]["launcher"] == "ssh", f"{name}: the launcher is {result['fleet']['launcher']!r}")
        self.nothing_left(name, program)
        return result, f"{says}; seen from outside {apart(seen, result, name):.2f} ms"

    def nothing_left(self, what, program="iobound", within=10):
        """Fails unless no process of the program and no session of ssh is on any host, nor a file in /tmp, shortly after."""
        end = time.monotonic() + within
        while True:
            left = [f"{machine.name}: {pid} {command(pid)}" for machine in self.machines.machines for pid in machine.processes(program)]
            if not left:
                break
            check(time.monotonic() < end, f"{what}: {within} s later there still are {left}")
            time.sleep(0.02)
        # The folder of the user's own stays, as that of a session does; nothing is in it.
        for machine in self.machines.machines:
            files = machine.run("find", "/tmp", "-path", "/tmp/*iobound*", "-not", "-path", f"{self.here}*").stdout.split()
            check(set(files) <= {"/tmp/iobound-0"}, f"{what}: {machine.name} has {files}")

    def refused(self, name, says, *flags, ends=BAD_INPUT, more=()):
        """A fleet that has to be refused before anything starts, in words that have all of `says`."""
        place = Place(self.here, name)
        done = run(self.words(place, *flags, more=more), env=place.env(), ends=ends)
        for word in says:
            check(word in done.stderr, f"{name}: {word!r} is not in what is said:\n{done.stderr}")
        check(done.stdout == "", f"{name}: standard output has {done.stdout[:200]!r}")
        made = os.listdir(place.data) + os.listdir(place.own)
        check(not made, f"{name}: was refused, and made {made}")
        self.nothing_left(name)
        return done.stderr

    def plain(self):
        """A host a line, with what people leave in such files."""
        _, says = self.runs("plain", "--hosts", f"text:segments\n{PLAIN}")
        return f"fleet over ssh, a host a line: {says}"

    def inventory(self):
        """An Ansible inventory: a group of a group, a range, an alias."""
        _, says = self.runs("inventory", "--hosts", f"text:inventory.ini\n{INVENTORY}", "--group", "database")
        return f"fleet over ssh, an Ansible inventory: {says}"

    def copied(self):
        """The program is not there: it is copied, and gone after."""
        names = [word for host in HOSTS for word in ("--host", host)]
        _, says = self.runs("copied", *names, "--copy")
        return f"fleet over ssh, the program copied: {says}"

    def direct(self):
        """Ranks that reach the coordinator by themselves, with a token in a file."""
        place = Place(self.here, "direct_secret")
        secret = self.file(place, "token", "5f0e7c2a915f0e7c2a91\n")
        os.chmod(secret, 0o600)
        flags = [word for host in HOSTS for word in ("--host", host)]
        _, says = self.runs("direct", *flags, "--meet", f"{HERE}:0", "--token-file", secret)
        return f"fleet over ssh, met at an address with a token: {says}"

    def certificates(self, place):
        """An authority, and a certificate of it for this machine's address."""
        at = place.here
        run(["openssl", "req", "-x509", "-newkey", "ed25519", "-nodes", "-days", 2, "-subj", "/CN=interop", "-keyout", f"{at}/ca.key", "-out", f"{at}/ca.pem"])
        run(["openssl", "req", "-newkey", "ed25519", "-nodes", "-subj", "/CN=coordinator", "-keyout", f"{at}/coordinator.key", "-out", f"{at}/coordinator.csr"])
        self.file(place, "san", f"subjectAltName=IP:{HERE}\n")
        sign = ["openssl", "x509", "-req", "-days", 2, "-CA", f"{at}/ca.pem", "-CAkey", f"{at}/ca.key", "-CAcreateserial"]
        run([*sign, "-in", f"{at}/coordinator.csr", "-out", f"{at}/coordinator.pem", "-extfile", f"{at}/san"])
        return f"{at}/ca.pem", f"{at}/coordinator.pem", f"{at}/coordinator.key"

    def tls(self):
        """The same with TLS; and a certificate of another authority is not believed."""
        ca, cert, key = self.certificates(Place(self.here, "authority"))
        other, _, _ = self.certificates(Place(self.here, "stranger"))
        flags = [word for host in HOSTS for word in ("--host", host)]
        flags += ["--meet", f"{HERE}:0", "--tls-cert", cert, "--tls-key", key]
        _, says = self.runs("tls", *flags, "--tls-ca", ca)
        place = Place(self.here, "tls_of_others")
        done = run(self.words(place, *flags, "--tls-ca", other), env=place.env(), ends=None)
        check(done.returncode in (BAD_INPUT, IO_ERROR), f"with another authority's certificate it ended with {done.returncode}")
        check("certificate" in done.stderr.lower(), f"of another authority's certificate nothing is said: {done.stderr}")
        self.nothing_left("tls of others")
        return f"fleet over ssh, met with TLS: {says}"

    def unreached(self):
        """Hosts that are not there: each is named, with ssh's own words, and nothing runs on the others."""
        self.refused("unknown", ("db9", "resolve"), "--host", "db1", "--host", "db9", ends=IO_ERROR)
        self.refused("closed", ("closed", "refused"), "--host", "db1", "--host", "closed", ends=IO_ERROR)
        self.refused("taken", ("taken", "verification failed"), "--host", "db1", "--host", "taken", ends=IO_ERROR)
        began = time.monotonic()
        self.refused("nobody", ("nobody",), "--host", "db1", "--host", "nobody", "--connect-timeout", "2s", ends=IO_ERROR)
        took = time.monotonic() - began
        check(took < 8, f"a host that does not answer within 2 s: refused after {took:.1f} s")
        self.refused("absent", ("db1", "/nowhere/iobound"), "--host", "db1", "--remote-program", "/nowhere/iobound", ends=IO_ERROR)
        return "fleet over ssh, unknown, closed, taken and silent hosts: each named, nothing started"

    def misread(self):
        """Files of hosts that are none."""
        place = Place(self.here, "misread")
        self.refused("no_file", ("nowhere",), "--hosts", f"{place.here}/nowhere")
        self.refused("empty", ("empty",), "--hosts", self.file(place, "empty", "\n# nobody\n\n"))
        self.refused("nonsense", ("nonsense", "2"), "--hosts", self.file(place, "nonsense", "db1\ndb2 db3 ; rm -rf\n"))
        self.refused("no_group", ("nobodys", "segments"), "--hosts", self.file(place, "inventory.ini", INVENTORY), "--group", "nobodys")
        return "fleet over ssh, files that name no hosts: refused by line"

    def called_off(self):
        """Ctrl-C while hosts are still connected to."""
        place = Place(self.here, "called_off")
        process = self.start(place, "--host", "db1", "--host", "nobody")
        end = time.monotonic() + 20
        # The one that answers is greeted; the other takes ten seconds to be given up.
        while not self.machines.machines[0].processes("iobound"):
            check(time.monotonic() < end and process.poll() is None, "called off: nothing has started on db1")
            time.sleep(0.01)
        since = time.monotonic()
        process.send_signal(signal.SIGINT)
        out, err, code = ended(process, 8)
        check(code == INTERRUPTED, f"called off while connecting: ended with {code}: {err}")
        check(out == "", f"called off while connecting: printed {out[:200]}")
        self.nothing_left("called off")
        return f"fleet over ssh, Ctrl-C while connecting: over in {time.monotonic() - since:.1f} s"

    def steps(self):
        """What has to hold, in order."""
        return [self.plain, self.inventory, self.copied, self.direct, self.tls, self.unreached, self.misread, self.called_off]


def apart(seen, result, what):
    """How many ms lie between the first I/Os of the hosts by what the kernel saw; fails where the document has it otherwise.

    The kernel tells the end of an I/O: how long the disk took for it is in what is seen, and not in the document's skew.
    """
    begun = {os.path.basename(path): at for path, at in seen.begun().items()}
    at = {}
    for host in result["hosts"]:
        names = {os.path.basename(path) for path in host["files"]}
        check(names <= begun.keys(), f"{what}: of {host['label']} the kernel saw no I/O on {names}: {begun}")
        at[host["label"]] = 1000 * min(begun[name] for name in names)
    # All of it is on one kernel, whose hosts have clocks that are a thousand seconds apart: were these compared wrongly,
    # the document's starts and the kernel's would have nothing to do with each other.
    first = result["hosts"][0]
    for host in result["hosts"]:
        off = (at[host["label"]] - at[first["label"]]) - (host["start_offset_ms"] - first["start_offset_ms"])
        slowest = max(one["latency_us"]["max"] for one in (host, first)) / 1000
        check(
            abs(off) < SKEW_MS + slowest,
            f"{what}: {host['label']} began {off:.2f} ms off what the document says beside {first['label']}, and no I/O took more than {slowest:.2f} ms",
        )
    return max(at.values()) - min(at.values())


def ended(process, within):
    """What a process has printed, and its code; fails unless it ends within so many seconds."""
    try:
        out, err = process.communicate(timeout=within)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise Failed(f"{' '.join(process.args)}\ndid not end within {within} s:\n{err}") from None
    started.remove(process)
    return out, err, process.returncode


def command(pid):
    """The words that a process was started with."""
    try:
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return file.read().replace(b"\0", b" ").decode(errors="replace").strip()
    except OSError:
        return ""
