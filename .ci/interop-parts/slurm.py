"""Slurm on the machines of a network: munge and a daemon on each, and the controller on the first. They take no port and no
folder of the machine that all of it runs on, and end with theirs.
"""

import contextlib
import os
import shutil
import subprocess
import time

from common import Failed, check

# Private to each machine: munge wants folders that nobody else writes to, and sockets have short names.
RUN = "/run/interop"

CONFIGURATION = f"""
ClusterName=interop
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={RUN}/munge.sock
CryptoType=crypto/munge
StateSaveLocation={RUN}/state
SlurmdSpoolDir={RUN}/spool
SlurmctldPidFile={RUN}/slurmctld.pid
SlurmdPidFile={RUN}/slurmd.pid
# Neither control groups nor plugins that need them: the namespaces hold what is started.
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
ReturnToService=2
# Four processors each, whatever there are.
SlurmdParameters=config_overrides
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_interval=1,sched_min_interval=0
"""


class Slurm:
    """A cluster of nodes with four processors each."""

    def __init__(self, network, here):
        self.machines, self.here = network.machines, os.path.join(here, "slurm")
        os.makedirs(self.here)
        self.configuration, self.key = f"{self.here}/slurm.conf", f"{self.here}/munge.key"
        with open(self.key, "wb") as file:
            os.fchmod(file.fileno(), 0o600)
            file.write(os.urandom(128))
        first = self.machines[0]
        with open(self.configuration, "w", encoding="ascii") as file:
            file.write(f"SlurmctldHost={first.name}({first.at}){CONFIGURATION}")
            for machine in self.machines:
                shape = "CPUs=4 Boards=1 SocketsPerBoard=1 CoresPerSocket=4 ThreadsPerCore=1 State=UNKNOWN"
                file.write(f"NodeName={machine.name} NodeAddr={machine.at} {shape}\n")
            file.write("PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP\n")
        for machine in self.machines:
            self.authenticated(machine)
        self.daemon(first, "slurmctld", "-D", "-f", self.configuration)
        for machine in self.machines:
            self.daemon(machine, "slurmd", "-D", "-f", self.configuration, "-N", machine.name)
        states = ["idle"] * len(self.machines)
        self.until(lambda: self.run("sinfo", "-h", "-N", "-o", "%t", ends=None).stdout.split() == states, "every node is idle")

    def authenticated(self, machine):
        """Starts munge on one machine, with the key of all."""
        machine.run("mkdir", "-m", "755", "-p", f"{RUN}/state", f"{RUN}/spool")
        machine.run("cp", "--preserve=mode", self.key, f"{RUN}/munge.key")
        files = [f"--{what}-file={RUN}/munge.{what}" for what in ("key", "seed", "pid", "log")]
        self.daemon(machine, "munged", "--foreground", "--force", f"--socket={RUN}/munge.sock", *files)
        self.until(lambda: machine.run("test", "-S", f"{RUN}/munge.sock", ends=None).returncode == 0, "munge listens")

    def daemon(self, machine, name, *words):
        """Starts a daemon in the foreground of its own log."""
        program = shutil.which(name, path="/usr/sbin:/usr/bin")
        check(program, f"{name} is not installed")
        with open(f"{self.here}/{name}.{machine.name}.log", "wb") as log:
            machine.start(program, *words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def until(self, holds, what, within=30):
        """Waits until something holds; fails with what the daemons have said."""
        end = time.monotonic() + within
        while not holds():
            if time.monotonic() > end:
                raise Failed(f"not within {within} s: {what}\n{self.said()}")
            time.sleep(0.02)

    def said(self):
        """The last lines of what the daemons have said."""
        lines = []
        for name in sorted(os.listdir(self.here)):
            if name.endswith(".log"):
                with contextlib.suppress(OSError), open(f"{self.here}/{name}", encoding="utf-8", errors="replace") as file:
                    lines += [f"{name}: {line}" for line in file.read().splitlines()[-6:]]
        return "\n".join(lines)

    def run(self, *words, more=(), **options):
        """Runs one of its programs on the first machine; `more`: NAME=VALUE of its environment."""
        return self.machines[0].run("env", f"SLURM_CONF={self.configuration}", *more, *words, **options)

    def batch(self, script, output, more=(), within=60):
        """Submits a script, waits for its end, and gives its state and its output. `sbatch --wait` looks every ten seconds."""
        done = self.run("sbatch", "--parsable", f"--output={output}", script, more=more)
        job = done.stdout.strip().split(";")[0]
        fields = {}

        def ended():
            shown = self.run("scontrol", "show", "job", job, "--oneliner").stdout
            fields.update(word.split("=", 1) for word in shown.split() if "=" in word)
            return fields["JobState"] not in ("PENDING", "CONFIGURING", "RUNNING", "COMPLETING")

        self.until(ended, f"job {job} ends", within)
        with open(output, encoding="utf-8") as file:
            return fields, file.read()
