"""OpenSSH's server on every machine of a network, and the configuration of a client that knows them: nobody's own keys,
hosts or agents take part.
"""

import os
import shutil
import subprocess
import time

from common import PROGRAM, Failed, check, run
from machines import address


class Ssh:
    """Servers that listen, and what a client needs to reach them by the names of their machines."""

    def __init__(self, network, here, path=None):
        """`path`: the folder in which machines have the program; none have it without."""
        self.network, self.here = network, os.path.join(here, "ssh")
        os.makedirs(self.here, mode=0o700)
        for key in ("client", "stranger"):
            run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", key, "-f", f"{self.here}/{key}"])
        self.servers = [self.server(machine, path) for machine in network.machines]
        self.config = f"{self.here}/config"
        self.configured()
        for machine in network.machines:
            self.reached(machine.name)

    def server(self, machine, path):
        """Starts the server of one machine."""
        where = f"{self.here}/{machine.name}"
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", machine.name, "-f", f"{where}.key"])
        with open(f"{where}.conf", "w", encoding="ascii") as file:
            file.write(
                f"""
HostKey {where}.key
AuthorizedKeysFile {self.here}/client.pub
PidFile none
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
# Whatever this machine's sessions do else has no place in namespaces.
UsePAM no
StrictModes no
# Of the four that are stopped and cut off here, some are slow to answer.
ClientAliveInterval 15
MaxStartups 100
PrintMotd no
SetEnv PATH={path + ":" if path else ""}/usr/local/bin:/usr/bin:/bin IOBOUND_RESULTS={machine.here}/results.db
"""
            )
        log = open(f"{where}.log", "wb")
        return machine.start("/usr/sbin/sshd", "-D", "-e", "-f", f"{where}.conf", stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def configured(self):
        """The client's configuration: names, addresses, keys, and hosts that are known."""
        with open(f"{self.here}/known_hosts", "w", encoding="ascii") as known, open(self.config, "w", encoding="ascii") as file:
            for number, machine in enumerate(self.network.machines, start=1):
                known.write(f"{machine.name} {self.public(machine.name)}")
                file.write(f"Host {machine.name}\n  HostName {address(number)}\n  HostKeyAlias {machine.name}\n")
            # An address of the same network that nobody has, one where nobody listens, and one that another has taken.
            file.write(f"Host nobody\n  HostName {address(99)}\nHost closed\n  HostName {address(1)}\n  Port 9\n")
            file.write(f"Host taken\n  HostName {address(1)}\n  HostKeyAlias taken\n")
            known.write(f"taken {self.public(self.network.machines[1].name)}")
            file.write(
                f"""
Host *
  User root
  IdentityFile {self.here}/client
  IdentitiesOnly yes
  IdentityAgent none
  UserKnownHostsFile {self.here}/known_hosts
  GlobalKnownHostsFile none
  StrictHostKeyChecking yes
  ConnectTimeout 10
"""
            )

    def public(self, name):
        """The line of a machine's public key."""
        with open(f"{self.here}/{name}.key.pub", encoding="ascii") as key:
            return key.read()

    def words(self, *more):
        """The client's command line, for who starts ssh by himself."""
        return " ".join(["ssh", "-F", self.config, *more])

    def run(self, host, *words, **options):
        """Runs a command on a host as a person does."""
        return run(["ssh", "-F", self.config, "-o", "BatchMode=yes", host, *words], **options)

    def reached(self, host):
        """Waits until a host answers with its name."""
        end = time.monotonic() + 20
        while True:
            done = self.run(host, "hostname", ends=None)
            if done.returncode == 0:
                check(done.stdout.strip() == host, f"{host} calls itself {done.stdout!r}")
                return
            if time.monotonic() > end:
                with open(f"{self.here}/{host}.log", encoding="utf-8", errors="replace") as file:
                    raise Failed(f"sshd of {host} does not answer: {done.stderr}{file.read()[-500:]}")
            time.sleep(0.02)


def installed(here):
    """A folder with the program alone, to be on the path of machines."""
    folder = os.path.join(here, "bin")
    os.makedirs(folder, exist_ok=True)
    shutil.copy(PROGRAM, os.path.join(folder, "iobound"))
    return folder
