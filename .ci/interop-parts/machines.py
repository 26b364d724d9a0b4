"""Machines of their own on this one: namespaces with a name, an address, private /tmp and /run, and a network with delay.

Nothing of it has a name outside of the processes that hold it: when they end, all of it is gone, however they ended.
"""

import contextlib
import os
import subprocess
import sys
import uuid

from common import Failed, check, run

NETWORK = "198.18.77"
# The machine that the part itself runs on is in the network too, in front of the others.
HERE = f"{NETWORK}.10"


def address(number):
    """Where machine `number` is, from 1."""
    return f"{NETWORK}.{10 + number}"


class Machine:
    """A namespace of network, name, mounts and processes. Its first process waits; others enter it."""

    # Its own /tmp, /run and shared memory: what is made there is not seen by others, and goes with it. The folder of the
    # part stays in sight wherever it is.
    FIRST = """
        set -e
        hostname "$1"
        exec 9<"$3"
        mount --bind "$2/boot_id" /proc/sys/kernel/random/boot_id
        if [ -e /etc/machine-id ]; then mount --bind "$2/machine-id" /etc/machine-id; fi
        mount --bind "$3/hosts" /etc/hosts
        mount -t tmpfs -o mode=1777 tmpfs /tmp
        mount -t tmpfs -o mode=755 tmpfs /run
        mount -t tmpfs -o mode=1777 tmpfs /dev/shm
        mkdir -p /run/sshd "$3"
        mount --no-canonicalize --bind /proc/self/fd/9 "$3"
        exec 9<&-
        ip link set lo up
        echo ready
        read -r end || true
    """

    def __init__(self, name, here, since):
        """A machine whose files are below `here`, and whose monotonic clock is `since` seconds ahead of this one's."""
        self.name, self.at, self.here = name, None, os.path.join(here, name)
        os.makedirs(self.here)
        identity(self.here)
        apart = ["--net", "--uts", "--ipc", "--mount", "--time", f"--monotonic={since}", f"--boottime={since}"]
        apart += ["--pid", "--fork", "--kill-child=KILL", "--mount-proc"]
        self.first = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", *apart, "sh", "-c", self.FIRST, "sh", name, self.here, here],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        check(self.first.stdout.readline() == "ready\n", f"the namespaces of {name} could not be made")
        with open(f"/proc/{self.first.pid}/task/{self.first.pid}/children", encoding="ascii") as file:
            self.inside = file.read().split()[0]

    def words(self, *words):
        """A command line that runs `words` on it."""
        enter = ["nsenter", "--target", self.inside, "--net", "--uts", "--ipc", "--mount", "--time", "--pid"]
        return [*enter, "--", *map(str, words)]

    def run(self, *words, **options):
        """Runs a command on it."""
        return run(self.words(*words), **options)

    def start(self, *words, **options):
        """Starts a command on it, which ends with it."""
        return subprocess.Popen(self.words(*words), **options)

    def connect(self, device, at):
        """Gives it a network device and an address."""
        self.at = at
        run(["ip", "link", "set", device, "netns", str(self.first.pid)])
        up(["nsenter", "--target", str(self.first.pid), "--net", "--"], device, at)

    def processes(self, program=None):
        """The processes on it but the first, by their numbers on the machine that it is on; of a program if it is named."""
        space = os.readlink(f"/proc/{self.inside}/ns/pid")
        found = []
        for entry in filter(str.isdigit, os.listdir("/proc")):
            # One that has ended in the meantime, or is no more than an entry until its parent asks, has no such links.
            with contextlib.suppress(OSError):
                if os.readlink(f"/proc/{entry}/ns/pid") == space and entry != self.inside:
                    path = os.readlink(f"/proc/{entry}/exe").removesuffix(" (deleted)")
                    if program in (None, os.path.basename(path)):
                        found.append(int(entry))
        return sorted(found)

    def end(self):
        """Ends it with all that runs there."""
        self.first.kill()
        self.first.wait()


def up(prefix, device, at):
    """Brings up a device of the wire with an address."""
    run([*prefix, "ip", "address", "add", f"{at}/24", "dev", device])
    run([*prefix, "ip", "link", "set", device, "mtu", "9000", "txqueuelen", "5000", "up"])


def identity(here):
    """Files with a boot's and a machine's identity of its own: by these two a machine is known from its copies."""
    with open(f"{here}/boot_id", "w", encoding="ascii") as file:
        file.write(f"{uuid.uuid4()}\n")
    with open(f"{here}/machine-id", "w", encoding="ascii") as file:
        file.write(f"{uuid.uuid4().hex}\n")


class Network:
    """Machines and the wire between them."""

    def __init__(self, machines, wire):
        self.machines, self.wire = machines, wire

    def tell(self, line):
        """Tells the wire something."""
        self.wire.stdin.write(f"{line}\n")
        self.wire.stdin.flush()
        check(self.wire.stdout.readline().startswith("done"), "the wire has ended")

    def cut(self, number):
        """Machine `number` (from 1) hears and is heard no more, without a word to anybody."""
        self.tell(f"cut {number}")

    def mend(self, number):
        """It is back."""
        self.tell(f"mend {number}")


@contextlib.contextmanager
def network(here, names, delay_ms=1.0):
    """Machines with these names, `delay_ms` of delay for each packet between any two, and this machine in front of them."""
    script = os.path.join(os.path.dirname(__file__), "wire.py")
    # No name that another run on this machine may have.
    prefix = f"iob{os.getpid() % 100000}w"
    wire = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", sys.executable, "-B", script, prefix, str(len(names) + 1), str(delay_ms)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with open(f"{here}/hosts", "w", encoding="ascii") as file:
        file.write("127.0.0.1 localhost\n")
        file.writelines(f"{address(number)} {name}\n" for number, name in enumerate(names, start=1))
    machines = []
    try:
        if wire.stdout.readline() != "ready\n":
            raise Failed("no TUN devices could be made: /dev/net/tun is needed")
        up([], f"{prefix}0", HERE)
        for number, name in enumerate(names, start=1):
            machines.append(Machine(name, here, since=1000 * number))
            machines[-1].connect(f"{prefix}{number}", address(number))
        yield Network(machines, wire)
    finally:
        for machine in machines:
            machine.end()
        wire.kill()
        wire.wait()
