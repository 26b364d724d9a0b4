"""Just enough of the NBD protocol to be rude in it (NetworkBlockDevice/nbd, doc/proto.md)."""

import socket
import struct
import time

MAGIC, OPTION_MAGIC, OPTION_REPLY_MAGIC = 0x4E42444D41474943, 0x49484156454F5054, 0x0003E889045565A9
REQUEST_MAGIC, SIMPLE_REPLY_MAGIC = 0x25609513, 0x67446698
OPT_EXPORT_NAME, OPT_ABORT, OPT_LIST, OPT_INFO, OPT_GO = 1, 2, 3, 6, 7
REP_ACK, REP_INFO = 1, 3
READ, WRITE, DISC, FLUSH, TRIM, WRITE_ZEROES = 0, 1, 2, 3, 4, 6
EIO, EINVAL, ENOSPC, EOVERFLOW = 5, 22, 28, 75
NO_HOLE = 1 << 1


class Gone(Exception):
    """The server has closed the connection."""


def request(kind, cookie, offset, length, flags=0):
    """The header of a request."""
    return struct.pack(">IHHQQI", REQUEST_MAGIC, flags, kind, cookie, offset, length)


def option(kind, data=b""):
    """An option of the handshake."""
    return struct.pack(">QII", OPTION_MAGIC, kind, len(data)) + data


def go(export):
    """The option that ends the handshake, with nothing asked."""
    name = export.encode()
    return option(OPT_GO, struct.pack(">I", len(name)) + name + struct.pack(">H", 0))


def connected(path, within=60):
    """A socket to the server, also while its queue of new connections is full: a socket with a timeout then fails at once."""
    deadline = time.monotonic() + within
    client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    client.settimeout(within)
    while True:
        try:
            client.connect(path)
            return client
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


class Connection:
    """A connection in simple replies."""

    def __init__(self, path, export=None):
        self.socket = connected(path)
        if export is not None:
            self.negotiate(export)

    def negotiate(self, export):
        """Up to where requests may be sent."""
        magic, options, _flags = struct.unpack(">QQH", self.take(18))
        if (magic, options) != (MAGIC, OPTION_MAGIC):
            raise Gone(f"a greeting with the magic {magic:#x} {options:#x}")
        self.socket.sendall(struct.pack(">I", 3) + go(export))
        while True:
            _magic, _option, kind, length = struct.unpack(">QIII", self.take(20))
            self.take(length)
            if kind == REP_ACK:
                return
            if kind & 1 << 31:
                raise Gone(f"the option was refused with {kind:#x}")

    def take(self, length):
        """So many bytes, all of them."""
        parts, left = [], length
        while left > 0:
            try:
                part = self.socket.recv(min(left, 1 << 20))
            except ConnectionError:
                part = b""
            if not part:
                raise Gone("the server has closed the connection")
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def reply(self):
        """The error and the cookie of the next reply, without what a read has."""
        magic, error, cookie = struct.unpack(">IIQ", self.take(16))
        if magic != SIMPLE_REPLY_MAGIC:
            raise Gone(f"a reply with the magic {magic:#x}")
        return error, cookie

    def write(self, offset, data):
        """Writes; the error."""
        self.socket.sendall(request(WRITE, 1, offset, len(data)) + data)
        return self.reply()[0]

    def read(self, offset, length):
        """Reads; the error and the data."""
        self.socket.sendall(request(READ, 2, offset, length))
        error, _cookie = self.reply()
        return error, b"" if error else self.take(length)

    def zero(self, offset, length, flags=0):
        """Writes zeroes; the error."""
        self.socket.sendall(request(WRITE_ZEROES, 3, offset, length, flags))
        return self.reply()[0]

    def flush(self):
        """The error of a flush."""
        self.socket.sendall(request(FLUSH, 6, 0, 0))
        return self.reply()[0]

    def close(self):
        """Goes without a word."""
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
