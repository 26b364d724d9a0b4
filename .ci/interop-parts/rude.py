"""Clients that vanish, ask for too much, or speak nonsense: an error to them, and nothing to anybody else."""

import os
import resource
import socket
import struct
import threading
import time

import nbd_wire as nbd
from common import MIB, check

CLIENTS = 1000


class Bystander(threading.Thread):
    """A client that writes and reads back all the while, and remembers the first thing that was wrong."""

    def __init__(self, path, export, at=0):
        super().__init__(daemon=True)
        self.at = at
        self.connection = nbd.Connection(path, export)
        self.wrong, self.rounds, self.ends = None, 0, threading.Event()

    def run(self):
        try:
            while not self.ends.is_set():
                data = os.urandom(16384)
                offset = self.at + self.rounds % 64 * 65536
                error = self.connection.write(offset, data)
                answer = self.connection.read(offset, len(data))
                if error or answer != (0, data):
                    self.wrong = f"round {self.rounds}: error {error} of the write, {answer[0]} of the read"
                    return
                self.rounds += 1
        except (nbd.Gone, OSError) as why:
            self.wrong = f"round {self.rounds}: {why}"

    def end(self):
        """Ends it; fails if anything was wrong."""
        self.ends.set()
        self.join(60)
        check(self.wrong is None and self.rounds > 0, f"a client beside those that vanish: {self.wrong}")
        return self.rounds


def vanish(path, export, way):
    """Connects, goes so far, and is gone."""
    if way < 4:
        with nbd.Connection(path) as client:
            # Nothing; half of the flags; a part of an option; an option that promises data that never comes.
            sent = [b"", b"\0\0", struct.pack(">I", 3) + nbd.go(export)[:11], struct.pack(">I", 3) + nbd.option(7, b"12")[:17]]
            client.socket.sendall(sent[way])
        return
    with nbd.Connection(path, export) as client:
        # High up, where nobody else writes.
        at = 1024 * MIB
        many = b"".join(nbd.request(nbd.READ, cookie, at + cookie * 65536, 65536) for cookie in range(64))
        sent = [
            # Half of a request; a read whose reply nobody takes; 64 of them; a write without its data, and with half of
            # it; a write whose reply nobody takes; a request after which the connection is reset.
            nbd.request(nbd.READ, 1, at, 4096)[:13],
            nbd.request(nbd.READ, 1, at, MIB),
            many,
            nbd.request(nbd.WRITE, 1, at, MIB),
            nbd.request(nbd.WRITE, 1, at, MIB) + bytes(MIB // 2),
            nbd.request(nbd.WRITE, 1, at, 4096) + bytes(4096),
            nbd.request(nbd.FLUSH, 1, 0, 0) + nbd.request(nbd.DISC, 2, 0, 0),
        ]
        client.socket.sendall(sent[way - 4])
        if way == 10:
            client.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


WAYS = 11


def settled(server):
    """How many descriptors the server has open, when their number has not changed for a while."""
    count, since = server.descriptors(), time.monotonic()
    while time.monotonic() < since + 0.5:
        time.sleep(0.02)
        now = server.descriptors()
        if now != count:
            count, since = now, time.monotonic()
    return count


def vanishing(server, export):
    """1,000 clients that vanish in every way, with one beside them that does not."""
    # Each way once, so that what is kept for later is there before anything is compared.
    for way in range(WAYS):
        vanish(server.socket, export, way)
    idle = settled(server)
    beside = Bystander(server.socket, export)
    before = server.resident()
    beside.start()
    for n in range(CLIENTS):
        vanish(server.socket, export, n % WAYS)
    rounds = beside.end()
    beside.connection.close()
    left = settled(server)
    check(left <= idle, f"{idle} descriptors before, {left} after {CLIENTS} clients vanished")
    grown = server.resident() - before
    # The bystander's 64 places of 16 KiB and the clients' own MiB are data; what else grows, grows by client.
    check(grown < 16 * MIB, f"{grown / MIB:.1f} MiB more after {CLIENTS} clients vanished")
    return f"{CLIENTS} clients vanished in {WAYS} ways: {rounds} writes read back beside them, {grown / MIB:+.1f} MiB"


def nonsense(server, export, size):
    """Requests that make no sense: an error each, and the connection goes on."""
    with nbd.Connection(server.socket, export) as client:
        client.write(0, b"before".ljust(512, b"\0"))
        # What, the errors that the specification lets it have; every one of them without data after it.
        asked = [
            ("a read beyond the end", nbd.request(nbd.READ, 7, size, 4096), {nbd.EINVAL}),
            ("a read across the end", nbd.request(nbd.READ, 7, size - 512, 1024), {nbd.EINVAL}),
            ("a read at the end of all offsets", nbd.request(nbd.READ, 7, 2**64 - 512, 512), {nbd.EINVAL}),
            ("a read of 64 MiB", nbd.request(nbd.READ, 7, 0, 64 * MIB), {nbd.EINVAL, nbd.EOVERFLOW}),
            ("a read of 4 GiB", nbd.request(nbd.READ, 7, 0, 2**32 - 512), {nbd.EINVAL, nbd.EOVERFLOW}),
            ("a read of half a sector", nbd.request(nbd.READ, 7, 0, 256), {nbd.EINVAL}),
            ("a read from half a sector", nbd.request(nbd.READ, 7, 256, 512), {nbd.EINVAL}),
            ("a read of nothing", nbd.request(nbd.READ, 7, 0, 0), {0, nbd.EINVAL}),
            ("a command that is none", nbd.request(999, 7, 0, 512), {nbd.EINVAL}),
            ("a trim beyond the end", nbd.request(nbd.TRIM, 7, size, 4096), {nbd.EINVAL, nbd.ENOSPC}),
            ("zeroes across the end", nbd.request(nbd.WRITE_ZEROES, 7, size - 512, 1024), {nbd.EINVAL, nbd.ENOSPC}),
        ]
        for what, words, errors in asked:
            client.socket.sendall(words)
            error, cookie = client.reply()
            check(cookie == 7 and error in errors, f"{what}: error {error} and not one of {sorted(errors)}")
        for what, offset, length in [("a write beyond the end", size, 4096), ("a write of a sector and a half", 0, 768)]:
            error = client.write(offset, b"x" * length)
            check(error in (nbd.EINVAL, nbd.ENOSPC), f"{what}: error {error}")
        check(client.read(0, 512) == (0, b"before".ljust(512, b"\0")), "the connection does not go on after errors")
    closing = {
        "a request with another magic": struct.pack(">IHHQQI", 0x25609514, 0, nbd.READ, 1, 0, 512),
        "noise": b"\xa5" * 4096,
    }
    for what, words in closing.items():
        with nbd.Connection(server.socket, export) as client:
            client.socket.sendall(words)
            try:
                client.take(1)
            except nbd.Gone:
                continue
            check(False, f"{what}: the connection goes on")
    # 4 GiB are announced: told that it is too much or hung up on, never believed.
    with nbd.Connection(server.socket, export) as client:
        before = server.resident()
        client.socket.sendall(nbd.request(nbd.WRITE, 9, 0, 2**32 - 512) + bytes(MIB))
        with nbd.Connection(server.socket, export) as other:
            check(other.read(0, 512)[0] == 0, "others wait for a write of 4 GiB that never comes")
        check(server.resident() - before < 80 * MIB, "memory is taken for a write of 4 GiB before it is there")
    return f"{len(asked) + 2} requests without sense: an error each; {len(closing)} without a protocol: hung up"


SILENT = 4096
ANNOUNCED = 500
# Liveness, not speed: a machine that does much else at once is slow.
SERVED_WITHIN = 20


class Descriptors:
    """Room for so many descriptors in this process."""

    def __init__(self, count):
        self.count = count

    def __enter__(self):
        self.before = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = self.count + 256
        if self.before[0] < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, max(wanted, self.before[1])))

    def __exit__(self, *_):
        resource.setrlimit(resource.RLIMIT_NOFILE, self.before)


def served(server, export, at):
    """Seconds until an honest client has connected, and has written and read back a megabyte."""
    since = time.monotonic()
    with nbd.Connection(server.socket, export) as client:
        data = os.urandom(MIB)
        error = client.write(at, data)
        check(error == 0 and client.read(at, MIB) == (0, data), f"an honest client beside rude ones: error {error}")
    took = time.monotonic() - since
    check(took < SERVED_WITHIN, f"an honest client beside rude ones waits for {took:.1f} s")
    return took


def silent(server, export):
    """4,096 clients that connect and say nothing: an honest one is served all the same."""
    before = server.resident()
    clients = []
    with Descriptors(SILENT):
        try:
            for _ in range(SILENT):
                client = socket.socket(socket.AF_UNIX)
                clients.append(client)
                client.connect(server.socket)
            took = served(server, export, 2048 * MIB)
            grown = server.resident() - before
        finally:
            for client in clients:
                client.close()
    check(grown < 96 * MIB, f"{grown / MIB:.1f} MiB for {SILENT} clients that say nothing")
    return f"{SILENT} silent clients: an honest one is served in {took:.2f} s, {grown / MIB:+.1f} MiB"


def announced(server, export):
    """500 clients that announce a megabyte each and keep its last byte back: memory is bounded, others are served."""
    with Descriptors(2 * ANNOUNCED):
        clients = [nbd.Connection(server.socket, export) for _ in range(ANNOUNCED)]
        before = server.resident()
        try:
            for n, client in enumerate(clients):
                client.socket.sendall(nbd.request(nbd.WRITE, 1, (3072 + n) * MIB, MIB))
            announced_only = server.resident() - before
            for client in clients:
                client.socket.setblocking(False)
                left = MIB - 1
                try:
                    while left > 0:
                        left -= client.socket.send(bytes(left))
                except (BlockingIOError, BrokenPipeError, ConnectionResetError):
                    # The server reads no more of it, or has closed it.
                    pass
            grown = server.resident() - before
            took = served(server, export, 2048 * MIB)
            grown = max(grown, server.resident() - before)
        finally:
            for client in clients:
                client.close()
    check(announced_only < 32 * MIB, f"{announced_only / MIB:.1f} MiB for {ANNOUNCED} writes that were only announced")
    check(grown < 256 * MIB, f"{grown / MIB:.1f} MiB for {ANNOUNCED} writes of a megabyte that are never whole")
    return f"{ANNOUNCED} unfinished writes of a megabyte: {announced_only / MIB:+.1f} MiB announced, {grown / MIB:+.1f} MiB sent, an honest one in {took:.2f} s"


def crowded(server):
    """More clients than the server has descriptors for: it waits without a processor, and lets them in when it has some."""
    pid = server.process.pid
    before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
    idle = settled(server)
    # The limit is on their numbers: eight that are free are below it.
    taken = set(map(int, os.listdir(f"/proc/{pid}/fd")))
    most = [number for number in range(1000) if number not in taken][8]
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (most, before[1]))
    clients = [nbd.Connection(server.socket) for _ in range(40)]
    try:
        let_in = settled(server) - idle
        check(let_in <= 8, f"{let_in} clients are let in with eight descriptors")
        busy, since = server.busy(), time.monotonic()
        time.sleep(2)
        share = (server.busy() - busy) / (time.monotonic() - since)
        check(share < 0.25, f"{share:.0%} of a processor are taken by waiting for a descriptor")
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        for client in clients:
            check(client.take(8) == b"NBDMAGIC", "a client is not let in")
    finally:
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        for client in clients:
            client.close()
    return f"{len(clients)} clients for 8 descriptors: {let_in} let in, the others when there were more, {share:.1%} of a processor while there were none"
