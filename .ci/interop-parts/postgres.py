"""PostgreSQL on the emulator: a benchmark, a restart, checksums; and a host that dies with its cache."""

import contextlib
import glob
import os
import pwd
import re
import subprocess
import time

import nbd_wire as wire
from common import MIB, Failed, check, folder, loop_device, mounted, run, say
from emulated import emulated

WRITERS = 4


class Postgres:
    """A cluster in a folder, run by the user `postgres`: as root it refuses."""

    def __init__(self, root, sockets):
        self.data, self.sockets = os.path.join(root, "pg"), sockets
        found = sorted(glob.glob("/usr/lib/postgresql/*/bin"), key=lambda path: float(path.split("/")[4]))
        check(found, "PostgreSQL is not installed below /usr/lib/postgresql")
        self.programs = found[-1]
        user = pwd.getpwnam("postgres")
        os.makedirs(self.data, mode=0o700, exist_ok=True)
        for path in (self.data, sockets):
            os.chown(path, user.pw_uid, user.pw_gid)

    def words(self, program, *words):
        """A command line of one of its programs, as its user."""
        return ["runuser", "-u", "postgres", "--", f"{self.programs}/{program}", *map(str, words)]

    def run(self, program, *words, **options):
        """Runs one of its programs."""
        return run(self.words(program, *words), cwd="/", within=300, **options)

    def client(self, program, *words, **options):
        """Runs one of its programs that speak to the server."""
        return self.run(program, "-h", self.sockets, *words, **options)

    def start(self):
        """Starts the server, and waits until it takes connections."""
        settings = f"-k {self.sockets} -c listen_addresses='' -c fsync=on -c full_page_writes=on -c shared_buffers=64MB"
        log = os.path.join(self.sockets, "log")
        self.run("pg_ctl", "-D", self.data, "-l", log, "-w", "-t", 120, "-o", settings, "start")

    def stop(self, mode="fast", ends=0):
        """Stops the server."""
        return self.run("pg_ctl", "-D", self.data, "-w", "-m", mode, "stop", ends=ends)

    def ask(self, words):
        """The answer to one question."""
        return self.client("psql", "-X", "-A", "-t", "-c", words, "bench").stdout.strip()

    def sound(self):
        """Fails unless indexes and heaps agree (amcheck), while the server is up."""
        self.ask("CREATE EXTENSION IF NOT EXISTS amcheck")
        self.client("pg_amcheck", "--heapallindexed", "--parent-check", "bench")


@contextlib.contextmanager
def on_disk(server, here, is_new=True, ends_sound=True):
    """The file system of the disk, mounted, and a folder for the database's socket and logs."""
    sockets = os.path.join(here, "pg")
    os.makedirs(sockets, exist_ok=True)
    with loop_device(server.file("data"), "--direct-io=on") as device:
        if is_new:
            run(["mkfs.ext4", "-q", device])
        else:
            # Puts in place what the journal has, which is no repair, or repairs without asking, which it may not need.
            done = run(["e2fsck", "-p", device], ends=None)
            check(done.returncode in (0, 1), f"e2fsck after the crash: {done.stdout}{done.stderr}")
        with mounted(device, os.path.join(here, "mnt")) as root:
            yield root, sockets
        if ends_sound:
            run(["e2fsck", "-f", "-n", device])


def at_work(here):
    """initdb, pgbench, a restart, pgbench again; then checksums, amcheck and e2fsck find nothing."""
    with emulated(here, "--vm", "DS14", "--disk", "data=P20", "--memory", "4GiB", fuse=True) as server:
        with on_disk(server, here) as (root, sockets):
            postgres = Postgres(root, sockets)
            postgres.run("initdb", "-k", "-D", postgres.data, "--no-instructions")
            postgres.start()
            postgres.client("createdb", "bench")
            postgres.client("pgbench", "-i", "-q", "-s", 5, "bench")
            counts = []
            for _ in range(2):
                done = postgres.client("pgbench", "-n", "-c", 8, "-j", 2, "-T", 8, "bench")
                counts.append(int(re.search(r"actually processed: (\d+)", done.stdout).group(1)))
                check(re.search(r"failed transactions: 0 ", done.stdout), f"pgbench: {done.stdout}")
                postgres.stop()
                postgres.start()
            # The benchmark's own books: every transaction adds the same to a branch, a teller, an account, the history.
            sums = [postgres.ask(f"SELECT sum({column}) FROM pgbench_{table}") for table, column in
                    (("branches", "bbalance"), ("tellers", "tbalance"), ("accounts", "abalance"), ("history", "delta"))]
            check(len(set(sums)) == 1, f"the balances differ: {sums}")
            check(int(postgres.ask("SELECT count(*) FROM pgbench_history")) == sum(counts), "transactions are missing")
            postgres.sound()
            postgres.stop()
            postgres.run("pg_checksums", "--check", "-D", postgres.data)
    return f"pgbench on ext4 on a P20: {counts[0]} and {counts[1]} transactions in 8 s each, books, checksums and indexes sound"


def writer(postgres, number, log):
    """A client that commits one row after another, and prints each that is acknowledged."""
    statements = f"{log}.sql"
    with open(statements, "w", encoding="ascii") as file:
        for n in range(1, 200_000):
            file.write(f"INSERT INTO acknowledged VALUES ({number}, {n}) RETURNING n;\n")
    os.chmod(statements, 0o644)
    words = postgres.words("psql", "-h", postgres.sockets, "-X", "-A", "-t", "-q", "-v", "ON_ERROR_STOP=1", "-f", statements, "bench")
    with open(log, "wb") as out, open(f"{log}.err", "wb") as err:
        return subprocess.Popen(words, stdout=out, stderr=err, cwd="/")


def acknowledged(log):
    """The last row that a writer was told of."""
    with open(log, encoding="ascii") as file:
        lines = file.read().split("\n")[:-1]
    return int(lines[-1]) if lines else 0


def until_told(logs, rows, writers):
    """Waits until every writer was told of so many rows."""
    end = time.monotonic() + 120
    while min(acknowledged(log) for log in logs) < rows:
        for process, log in zip(writers, logs):
            if process.poll() is not None:
                with open(f"{log}.err", encoding="utf-8") as file:
                    raise Failed(f"a writer ended before the crash: {file.read()}")
        check(time.monotonic() < end, f"{rows} rows by each writer: not within two minutes")
        time.sleep(0.05)


# Blocks of 4 KiB, far enough apart that no write-back takes two of them.
APART = 1 * MIB
FLUSHED, UNFLUSHED = 200, 2000


def block(n):
    """What is written to the block n."""
    return n.to_bytes(8, "little") * 512


def fill_cache(server):
    """Blocks that were flushed, and many more that were only acknowledged."""
    with wire.Connection(server.socket, "raw") as client:
        for first, last in ((0, FLUSHED), (FLUSHED, FLUSHED + UNFLUSHED)):
            for at in range(first, last, 100):
                for n in range(at, at + 100):
                    client.socket.sendall(wire.request(wire.WRITE, n, n * APART, 4096) + block(n))
                for _ in range(100):
                    error, cookie = client.reply()
                    check(error == 0, f"block {cookie} was not written: error {error}")
            if first == 0:
                client.socket.sendall(wire.request(wire.FLUSH, 1, 0, 0))
                check(client.reply()[0] == 0, "the flush failed")


def lost_blocks(server):
    """Which blocks are not there; nothing but their zeroes may be in their place."""
    lost = []
    with wire.Connection(server.socket, "raw") as client:
        for n in range(FLUSHED + UNFLUSHED):
            error, data = client.read(n * APART, 4096)
            check(error == 0 and data in (block(n), bytes(4096)), f"block {n} has neither what was written nor zeroes")
            if data != block(n):
                lost.append(n)
    return lost


def crashed(here):
    """The host dies while clients commit: every transaction that was acknowledged is there after recovery."""
    words = ("--vm", "DS14", "--disk", "data=P20:readwrite", "--disk", "raw=P20:readwrite", "--memory", "4GiB")
    with emulated(here, *words, fuse=True) as server:
        with on_disk(server, here, ends_sound=False) as (root, sockets):
            postgres = Postgres(root, sockets)
            postgres.run("initdb", "-k", "-D", postgres.data, "--no-instructions")
            postgres.start()
            postgres.client("createdb", "bench")
            postgres.ask("CREATE TABLE acknowledged (writer int, n int, PRIMARY KEY (writer, n))")
            logs = [os.path.join(sockets, f"writer{number}") for number in range(WRITERS)]
            writers = [writer(postgres, number, log) for number, log in enumerate(logs)]
            until_told(logs, 100, writers)
            fill_cache(server)
            # A host that is gone answers nothing: without this the kernel here would write on, as no VM can.
            server.ctl("fault", "data", "errors=100%")
            server.ctl("crash")
            for process in writers:
                process.wait(timeout=120)
            told = [acknowledged(log) for log in logs]
            postgres.stop("immediate", ends=None)
        server.ctl("fault", "data", "off")
        with on_disk(server, here, is_new=False) as (root, sockets):
            postgres = Postgres(root, sockets)
            # Of a machine that was turned off no process is left; here that of another may have its number.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(os.path.join(postgres.data, "postmaster.pid"))
            postgres.start()
            for number, last in enumerate(told):
                there = int(postgres.ask(f"SELECT count(*) FROM acknowledged WHERE writer = {number} AND n <= {last}"))
                check(there == last, f"writer {number} was told of {last} rows, and {there} of them are there")
            postgres.sound()
            postgres.stop()
            postgres.run("pg_checksums", "--check", "-D", postgres.data)
        lost = lost_blocks(server)
    check(not lost or lost[0] >= FLUSHED, f"block {lost[:1]} was flushed, and is lost")
    check(lost, "nothing of what was never flushed is lost: 2,000 blocks take a P20 the better part of a second")
    return f"the host died: {sum(told)} acknowledged transactions are there; of {UNFLUSHED} unflushed blocks {len(lost)} are lost"


def part():
    # What the disks hold is in memory; the folder has sockets and logs.
    with folder(256 * MIB) as here:
        os.chmod(here, 0o755)
        # PostgreSQL's user has to reach its socket.
        at = here
        while at not in ("/", "/tmp"):
            check(os.stat(at).st_mode & 0o001, f"{at} is closed to the user postgres")
            at = os.path.dirname(at)
        for case in (at_work, crashed):
            say(case(here))
