"""One workload on many machines, under the launchers that others wrote: Open MPI, MPICH, Slurm, and OpenSSH between four
namespaces with a millisecond of delay; and what happens to the others when one of them goes.
"""

import os
import signal
import subprocess

import fleet_faults
from common import BAD_INPUT, IO_ERROR, MIB, PROGRAM, check, folder, iobound, run, say, started
from fleet_ssh import OverSsh, ended
from fleet_place import HOSTS, LOAD, Place
from machines import NETWORK, network
from merged import Late, document, own_results, partial
from slurm import Slurm
from sshd import Ssh, installed

# Open MPI thinks better of running as root, and of more ranks than processors.
AS_ROOT = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1"}


def launched(result, launcher, what):
    """Fails unless the document names who started the ranks."""
    check(result["fleet"]["launcher"] == launcher, f"{what}: the launcher is {result['fleet']['launcher']!r}")


def open_mpi(here):
    """`mpirun` of Open MPI, four ranks on this machine: nothing is told to them but by their environment."""
    place = Place(here, "open_mpi")
    words = ["mpirun.openmpi", "--oversubscribe", "-n", 4, PROGRAM, *place.words()]
    done = run(words, env=place.env(**AS_ROOT))
    result, says = place.judged(done.stdout, [os.uname().nodename] * 4, "Open MPI")
    launched(result, "open_mpi", "Open MPI")
    return f"Open MPI, 4 ranks on one machine: {says}"


def mpich(here):
    """`mpiexec` of MPICH, which tells ranks by PMI."""
    place = Place(here, "mpich")
    done = run(["mpiexec.hydra", "-n", 4, PROGRAM, *place.words()], env=place.env())
    result, says = place.judged(done.stdout, [os.uname().nodename] * 4, "MPICH")
    launched(result, "pmi", "MPICH")
    return f"MPICH, 4 ranks on one machine: {says}"


def lonely(here):
    """Ranks that the wrong launcher started each think that they are alone: each says so, and its result does."""
    place = Place(here, "lonely")
    hidden = [word for name in ("RANK", "SIZE", "LOCAL_RANK", "LOCAL_SIZE") for word in ("-u", f"OMPI_COMM_WORLD_{name}")]
    # The same words in a folder each: two on one file would be in each other's way, and two documents on one standard
    # output are none.
    apart = 'mkdir "$0/data/$PMIX_RANK"; cd "$0/data/$PMIX_RANK"; exec "$@" > "$0/own/$PMIX_RANK.json"'
    alone = ["sh", "-c", apart, place.here, "env", *hidden, PROGRAM, "run", ".", *LOAD, "--json"]
    done = run(["mpirun.openmpi", "--oversubscribe", "-n", 2, *alone], env=place.env(**AS_ROOT))
    check("alone" in done.stderr or "rank" in done.stderr, f"nobody says that these are no ranks: {done.stderr}")
    for rank, result in own_results(place.own, range(2)).items():
        found = [one for one in result["checks"] if one["name"] == "alone"]
        check(found and found[0]["outcome"] != "ok", f"rank {rank} alone: its checks are {result['checks']}")
    return f"ranks that think they are alone say so: {found[0]['says']}"


def srun_on_one(cluster, here):
    """`srun -N1 -n4`: four tasks of one node."""
    place = Place(here, "srun_on_one")
    done = cluster.run("srun", "-N1", "-n4", "-w", HOSTS[0], PROGRAM, *place.words(), more=[f"IOBOUND_RESULTS={place.store}"])
    result, says = place.judged(done.stdout, [HOSTS[0]] * 4, "srun on one node")
    launched(result, "slurm", "srun")
    return f"Slurm, 4 tasks on one node: {says}"


def srun_on_four(cluster, here):
    """`srun -N4`: a task on each of four nodes, which meet on the first of them. Without a token they do not."""
    place = Place(here, "srun_on_four")
    words = ("srun", "-N4", "-n4", PROGRAM, *place.words())
    refused = cluster.run(*words, more=["IOBOUND_RESULTS=off"], ends=BAD_INPUT)
    check("IOBOUND_TOKEN" in refused.stderr, f"srun on four nodes without a token: {refused.stderr}")
    done = cluster.run(*words, more=[f"IOBOUND_RESULTS={place.store}", "IOBOUND_TOKEN=3d7f0c1e5b3d7f0c1e5b"])
    result, says = place.judged(done.stdout, HOSTS, "srun on four nodes")
    launched(result, "slurm", "srun")
    return f"Slurm, a task on each of 4 nodes: {says}"


def sbatch(cluster, here):
    """The script that `iobound fleet script --slurm` prints, as it is."""
    place = Place(here, "sbatch")
    script = f"{place.here}/job.sh"
    words = ("fleet", "script", "--slurm", "--hosts", 4, "--remote-program", PROGRAM, "--", *place.words())
    with open(script, "w", encoding="utf-8") as file:
        file.write(iobound(*words).stdout)
    fields, output = cluster.batch(script, f"{place.here}/job.out", more=[f"IOBOUND_RESULTS={place.store}"])
    check((fields["JobState"], fields["ExitCode"]) == ("COMPLETED", "0:0"), f"sbatch: {fields['JobState']}, {fields['ExitCode']}: {output}")
    _, says = place.judged(output[output.index("{\n") :] if "{\n" in output else output, HOSTS, "sbatch")
    return f"Slurm, the batch script as it is printed: {says}"


def mpi_script(ssh, place, load):
    """The line that `iobound fleet script --mpi` prints, as it is: Open MPI's own daemons over ssh on four machines. Gives
    the words that run it, and its environment.
    """
    hosts = f"{place.here}/hostfile"
    with open(hosts, "w", encoding="ascii") as file:
        file.writelines(f"{name}\n" for name in HOSTS)
    words = place.words("--ndjson", f"{place.here}/series.ndjson", load=load)
    script = iobound("fleet", "script", "--mpi", "--hosts", hosts, "--remote-program", PROGRAM, "--", *words).stdout
    # MPICH's mpirun may be installed too; and the store is to be that of this part.
    script = f'mpirun() {{ mpirun.openmpi -x IOBOUND_RESULTS "$@"; }}\n{script}'
    mca = {"OMPI_MCA_plm_rsh_agent": ssh.words(), "OMPI_MCA_oob_tcp_if_include": f"{NETWORK}.0/24"}
    return ["bash", "-c", script], place.env(**AS_ROOT, **mca)


def mpi_over_ssh(ssh, machines, here):
    """Open MPI on four machines."""
    place = Place(here, "mpi_over_ssh")
    words, env = mpi_script(ssh, place, LOAD)
    done = run(words, env=env)
    result, says = place.judged(done.stdout, HOSTS, "Open MPI over ssh")
    launched(result, "open_mpi", "Open MPI over ssh")
    return f"Open MPI on 4 machines, the line as it is printed: {says}"


def mpi_loses_one(ssh, machines, here):
    """A rank of Open MPI's dies: the others finish, and the line's exit code says it, whatever mpirun's does."""
    place = Place(here, "mpi_loses_one")
    words, env = mpi_script(ssh, place, fleet_faults.FEW_SECONDS)
    process = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    started.append(process)
    fleet_faults.lines_of(f"{place.here}/series.ndjson", 1, process, "Open MPI: the load is on")
    (victim,) = [pid for pid in machines.machines[2].processes("iobound")]
    os.kill(victim, signal.SIGKILL)
    out, err, code = ended(process, 40)
    check(code == IO_ERROR, f"Open MPI without rank 2: ended with {code}: {err}")
    partial(document(out, "Open MPI without rank 2"), {2: HOSTS[2]}, "Open MPI without rank 2")
    return "Open MPI on 4 machines, one rank killed: the others finish, the exit code is not 0"


def tried(step, *given):
    """One step. Four ranks, the coordinator and the network between them share the processors of one machine with all that it does
    else: a rank that was not let run when its moment came is late for no reason of its own, so three times are given.
    Anything else that does not hold fails at once.
    """
    for more in (2, 1, 0):
        try:
            return step(*given)
        except Late as why:
            if not more:
                raise
            say(f"(once more: {why})")


def part():
    with folder(512 * MIB) as here:
        for step in (open_mpi, mpich, lonely):
            say(tried(step, here))
        with network(here, HOSTS) as machines:
            cluster = Slurm(machines, here)
            for step in (srun_on_one, srun_on_four, sbatch):
                say(tried(step, cluster, here))
            ssh = Ssh(machines, here, installed(here))
            for step in (mpi_over_ssh, mpi_loses_one):
                say(tried(step, ssh, machines, here))
            over = OverSsh(machines, ssh, here)
            for step in over.steps():
                say(tried(step))
            for step in fleet_faults.steps(over):
                say(tried(step))
