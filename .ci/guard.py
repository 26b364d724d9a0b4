"""What `.ci/guard` needs of the system and bash cannot do: mappings, locks, mounts without a loop device, signatures.

READY and DONE are pipes: the first is written when the file is in use, the second is read before it is released.
"""

import ctypes
import fcntl
import mmap
import os
import sqlite3
import struct
import sys
import zlib


def wait():
    """Tells the script that all is in place, and waits for its word."""
    with open(os.environ["READY"], "w") as ready:
        ready.write("\n")
    with open(os.environ["DONE"]) as done:
        done.read()


def hold_mapping(path, how):
    """Maps a page and closes the descriptor."""
    descriptor = os.open(path, os.O_RDONLY if how == "read" else os.O_RDWR)
    protection = mmap.PROT_READ | (mmap.PROT_WRITE if how == "write" else 0)
    # Python's own mmap keeps a descriptor.
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
    if libc.mmap(None, 4096, protection, mmap.MAP_SHARED, descriptor, 0) == ctypes.c_void_p(-1).value:
        sys.exit(f"mmap of {path}: {os.strerror(ctypes.get_errno())}")
    os.close(descriptor)
    wait()


def hold_lock(path, kind):
    """Locks a file that is open for reading only, which allows no exclusive POSIX lock."""
    descriptor = os.open(path, os.O_RDONLY)
    if kind == "flock":
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    else:
        command = fcntl.F_SETLK if kind == "posix" else fcntl.F_OFD_SETLK
        fcntl.fcntl(descriptor, command, struct.pack("hhqqi4x", fcntl.F_RDLCK, os.SEEK_SET, 0, 0, 0))
    wait()


def hold_sqlite(path):
    """Reads in a transaction from a database that is open for reading only."""
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE IF NOT EXISTS rows (number INTEGER)")
        made.executemany("INSERT INTO rows VALUES (?)", [(1,), (2,)])
    made.close()
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    database.execute("BEGIN")
    database.execute("SELECT number FROM rows").fetchone()
    wait()


def mount(source, point, filesystem):
    """mount(2) itself, read-only."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.mount(source.encode(), point.encode(), filesystem.encode(), 1, None):
        sys.exit(f"mount of {source}: {os.strerror(ctypes.get_errno())}")


def last_sector(size):
    """A sector of zeros, to be filled."""
    return bytearray(512), size - 512


def via(size):
    sector, place = last_sector(size)
    sector[:3] = b"\x55\xaa\x01"
    sector[50] = sum(sector[:50]) & 0xFF
    return place, sector


def silicon(size):
    sector, place = last_sector(size)
    sector[0x60:0x64] = struct.pack("<I", 0x2F000000)
    words = struct.unpack("<159H", sector[:0x13E])
    sector[0x13E:0x140] = struct.pack("<H", -sum(words) & 0xFFFF)
    return place, sector


def jmicron(size):
    sector, place = last_sector(size)
    sector[:2] = b"JM"
    sector[4:6] = struct.pack("<H", -sum(struct.unpack("<64H", sector[:128])) & 0xFFFF)
    return place, sector


def nvidia(size):
    block = bytearray(120)
    block[:8] = b"NVIDIA  "
    block[8:12] = struct.pack("<I", 30)
    block[12:16] = struct.pack("<I", -sum(struct.unpack("<30I", block)) & 0xFFFFFFFF)
    return size - 1024, block


def adaptec(size):
    sector, place = last_sector(size)
    sector[:4], sector[256:260] = b"\x37\xfc\x4d\x1e", b"DPTM"
    return place, sector


def ubi(_):
    header = bytearray(64)
    header[:5] = b"UBI#\x01"
    header[60:] = struct.pack(">I", zlib.crc32(header[:60]) ^ 0xFFFFFFFF)
    return 0, header


# By blkid's names for them: what stands where on a device of so many bytes.
SIGNATURES = {
    "isw_raid_member": lambda size: (size - 1024, b"Intel Raid ISM Cfg Sig. 1.3.00"),
    "nvidia_raid_member": nvidia,
    "via_raid_member": via,
    "silicon_medley_raid_member": silicon,
    "jmicron_raid_member": jmicron,
    "adaptec_raid_member": adaptec,
    "lsi_mega_raid_member": lambda size: (size - 512, b"$XIDE$"),
    "promise_fasttrack_raid_member": lambda size: (size - 3087 * 512, b"Promise Technology, Inc."),
    "hpt45x_raid_member": lambda size: (size - 11 * 512, struct.pack("<I", 0x5A7816F3)),
    "hpt37x_raid_member": lambda _: (4608 + 32, b"\xf0\x16\x78\x5a"),
    "VMFS_volume_member": lambda _: (1 << 20, b"\x0d\xd0\x01\xc0"),
    "VMFS": lambda _: (2 << 20, b"\x5e\xf1\xab\x2f"),
    "ubi": ubi,
    "LVM1_member": lambda _: (0, b"HM\x01\x00"),
    "DM_snapshot_cow": lambda _: (0, b"SnAp"),
    "DM_verity_hash": lambda _: (0, b"verity\0\0" + struct.pack("<I", 1)),
    "drbdproxy_datalog": lambda _: (0, b"DRBDdlh*"),
    "jbd": lambda _: (1024 + 56, b"\x53\xef" + bytes(96 - 58) + b"\x08"),
}


def write_signature(path, name):
    """Leaves one signature on a device and nothing else; none with the name `none`."""
    with open(path, "r+b", buffering=0) as device:
        size = device.seek(0, os.SEEK_END)
        for place in (0, size - (4 << 20)):
            device.seek(place)
            device.write(bytes(4 << 20))
        if name != "none":
            place, magic = SIGNATURES[name](size)
            device.seek(place)
            device.write(magic)
        os.fsync(device.fileno())


match sys.argv[1:]:
    case ["map", path, how]:
        hold_mapping(path, how)
    case ["lock", path, kind]:
        hold_lock(path, kind)
    case ["sqlite", path]:
        hold_sqlite(path)
    case ["mount", source, point, filesystem]:
        mount(source, point, filesystem)
    case ["signatures"]:
        print("\n".join(SIGNATURES))
    case ["signature", path, name]:
        write_signature(path, name)
    case other:
        sys.exit(f"unknown words: {other}")
