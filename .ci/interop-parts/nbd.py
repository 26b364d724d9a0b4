"""NBD clients that others wrote, on the emulator: what they copy, convert and verify is there, byte by byte."""

import json
import os

import nbd_wire as wire
import rude
from common import MIB, check, folder, mounted, run, say
from emulated import PLACES, emulated, patterned, same_bytes

GIB = 1024 * MIB
# Small disks, whose limits are not what is tried here.
DISKS = ("--disk", "data=P1", "--disk", "copy=P1", "--disk", "wide=3xP1")
CONFIGURATION = ("--vm", "DS14", *DISKS, "--limits", "off", "--memory", "2GiB")
EXPORTS = {"data": 4 * GIB, "copy": 4 * GIB, "wide": 12 * GIB, "wide.0": 4 * GIB, "wide.1": 4 * GIB, "wide.2": 4 * GIB}


def listed(server, here):
    """nbdinfo sees every volume and disk, with its size and what can be done with it."""
    found = json.loads(run(["nbdinfo", "--json", "--list", server.uri("")]).stdout)
    check(found["protocol"] == "newstyle-fixed" and found["structured"], f"nbdinfo: {found['protocol']}")
    sizes = {export["export-name"]: export["export-size"] for export in found["exports"]}
    for name, size in EXPORTS.items():
        check(sizes.get(name) == size, f"nbdinfo: {name} is {sizes.get(name)} bytes and not {size}: {sorted(sizes)}")
    for name in EXPORTS:
        done = json.loads(run(["nbdinfo", "--json", server.uri(name)]).stdout)["exports"][0]
        for flag in ("can_flush", "can_fua", "can_trim", "can_zero", "can_multi_conn"):
            check(done[flag] is True, f"nbdinfo: {name}: {flag} is {done[flag]}")
        check(done["is_read_only"] is False, f"nbdinfo: {name} is read-only")
        blocks = [done[f"block_size_{which}"] for which in ("minimum", "preferred", "maximum")]
        check(blocks == [512, 4096, 32 * MIB], f"nbdinfo: {name}: block sizes {blocks}")
        check("base:allocation" in done["contexts"], f"nbdinfo: {name}: contexts {done['contexts']}")
    run(["nbdinfo", "--size", server.uri("nowhere")], ends=1)
    # Without the kernel's driver it can list, which is its half of the handshake.
    names = run(["nbd-client", "-l", "-unix", server.socket]).stdout.split("\n")
    check(set(EXPORTS) <= set(names), f"nbd-client -l: {names}")
    return f"nbdinfo, nbd-client: {len(sizes)} exports, with sizes, flags and block sizes"


def pages(places):
    """The ranges of whole pages that these places lie in, put together where they touch."""
    ranges = []
    for offset, length in sorted(places):
        start, end = offset // 4096 * 4096, -(-(offset + length) // 4096) * 4096
        if ranges and start <= ranges[-1][1]:
            ranges[-1] = (ranges[-1][0], max(end, ranges[-1][1]))
        else:
            ranges.append((start, end))
    return ranges


def data_of(uri):
    """Where nbdinfo finds data, checked against what qemu-img finds; everything else reads as zeroes and takes no place."""
    runs = json.loads(run(["nbdinfo", "--map", "--json", uri]).stdout)
    end = 0
    for found in runs:
        check(found["offset"] == end and found["type"] in (0, 3), f"nbdinfo --map: {found} after {end}")
        end += found["length"]
    size = int(run(["nbdinfo", "--size", uri]).stdout)
    check(end == size, f"nbdinfo --map ends at {end} of {size}")
    ranges = [(found["offset"], found["offset"] + found["length"]) for found in runs if found["type"] == 0]
    others = json.loads(run(["qemu-img", "map", "--output=json", "-f", "raw", uri]).stdout)
    seen = [(found["start"], found["start"] + found["length"]) for found in others if found["data"]]
    check(merged(seen) == merged(ranges), f"qemu-img map finds {seen}, nbdinfo {ranges}")
    return merged(ranges)


def merged(ranges):
    """The same ranges, those that touch put together: an answer may end anywhere."""
    together = []
    for start, end in ranges:
        if together and together[-1][1] == start:
            together[-1] = (together[-1][0], end)
        else:
            together.append((start, end))
    return together


def mapped(server, here):
    """What has data, by nbdinfo and qemu-img: what was copied there, page by page, on a disk, a stripe, and a disk of it."""
    given, taken = f"{here}/given", f"{here}/taken"
    expected = pages(PLACES)
    # Over what others have written there: its holes are made.
    run(["nbdcopy", "--flush", given, server.uri("wide")], within=300)
    for name in ("data", "copy", "wide"):
        found = data_of(server.uri(name))
        check(found == expected, f"{name} has data at {found} and not at {expected}")
    # Disk n of the stripe has units n, n + 3, ...
    on_disks = sum(end - start for n in range(3) for start, end in data_of(server.uri(f"wide.{n}")))
    held = sum(end - start for start, end in expected)
    check(on_disks == held, f"the disks of the stripe have {on_disks} bytes, the stripe {held}")
    # A copy of what is sparse is sparse, and reads nothing else: 4 GiB would take longer than this is given.
    run(["nbdcopy", server.uri("wide"), taken], within=60)
    taken_bytes = os.stat(taken).st_blocks * 512
    check(taken_bytes <= held + MIB, f"nbdcopy: the copy takes {taken_bytes} bytes of disk for {held} of data")
    same_bytes(given, taken, "nbdcopy of a sparse stripe")
    os.unlink(taken)
    return f"nbdinfo --map, qemu-img map: {held} bytes of data where they are; a sparse copy is sparse"


def proxied(server, here):
    """nbdkit as a client, whose own clients reach our exports through it, with all that it asks for on their behalf."""
    given, taken = f"{here}/given", f"{here}/taken"

    def through(export, line):
        """A line of the shell with $uri, which is the export as nbdkit serves it."""
        run(["nbdkit", "-U", "-", "nbd", f"socket={server.socket}", f"export={export}", "--run", line], within=300)

    through("wide", f'qemu-io -f raw -c "discard 0 1G" "$uri" && nbdcopy --flush {given} "$uri"')
    same_bytes(given, server.uri("wide"), "nbdcopy to nbdkit")
    through("wide", f'nbdcopy "$uri" {taken}')
    same_bytes(given, taken, "nbdcopy from nbdkit")
    through("wide", f'nbdinfo --map --json "$uri" > {here}/map && qemu-img compare -f raw -F raw {given} "$uri"')
    with open(f"{here}/map", encoding="ascii") as file:
        runs = [(found["offset"], found["offset"] + found["length"]) for found in json.load(file) if found["type"] == 0]
    check(merged(runs) == pages(PLACES), f"through nbdkit the stripe has data at {runs}")
    patterns = "write -P 0x5a 1G 4M", "write -z 1025M 1M", "flush", "read -P 0x5a 1G 1M", "read -P 0 1025M 1M", "discard 1G 4M"
    through("wide", "qemu-io -f raw " + " ".join(f'-c "{step}"' for step in patterns) + ' "$uri"')
    same_bytes(given, server.uri("wide"), "qemu-io through nbdkit")
    os.unlink(taken)
    return "nbdkit: 4 GiB there and back through it, with the same holes"


def provisioned(here):
    """Zeroes that keep their place, longer than any data: no memory is taken for them, and room is."""
    with emulated(here, "--vm", "DS14", "--disk", "data=P1", "--limits", "off", "--memory", "1GiB") as server:
        with wire.Connection(server.socket, "data") as client:
            before = server.resident()
            check(client.zero(0, 960 * MIB, wire.NO_HOLE) == 0, "960 MiB of 1 GiB are refused")
            grown = server.resident() - before
            check(grown < 64 * MIB, f"{grown / MIB:.1f} MiB more for zeroes")
            error = client.zero(960 * MIB, 1024 * MIB, wire.NO_HOLE)
            check(error == wire.ENOSPC, f"more than there is room for: error {error}")
            check(client.write(959 * MIB, b"\x11" * MIB) == 0, "where room was taken there is none")
            check(client.read(100 * MIB, MIB) == (0, bytes(MIB)), "they are no zeroes")
    return f"960 MiB of zeroes that keep their place: {grown / MIB:+.1f} MiB of memory, and room for what is written there"


def from_files(here):
    """Sparse files whose pages the kernel has put out of memory: reads that wait, beside one that does not."""
    disks = f"{here}/files"
    os.makedirs(disks)
    given = f"{here}/given"
    words = ("--vm", "DS14", "--disk", "data=P1", "--limits", "off", "--backing", disks)
    with emulated(here, *words) as server:
        run(["nbdcopy", "--flush", given, server.uri("data")], within=300)
        check(data_of(server.uri("data")) == pages(PLACES), "a file has data elsewhere than what was copied there")
        with open(f"{disks}/data.img", "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        beside = rude.Bystander(server.socket, "data", at=3072 * MIB)
        beside.start()
        run(["nbdcopy", "--connections=4", "--requests=32", server.uri("data"), f"{here}/taken"], within=300)
        rounds = beside.end()
        with wire.Connection(server.socket, "data") as client:
            client.zero(3072 * MIB, 64 * MIB)
        same_bytes(given, server.uri("data"), "nbdcopy from files")
    os.unlink(f"{here}/taken")
    return f"sparse files: the same bytes from the machine's own disk, the same holes; {rounds} writes read back beside it"


def copied(server, here):
    """nbdcopy in both directions and between two exports, over several connections."""
    given, taken = f"{here}/given", f"{here}/taken"
    patterned(given, EXPORTS["data"], PLACES)
    many = ["--connections=4", "--requests=32", "--threads=2"]
    run(["nbdcopy", *many, "--flush", given, server.uri("data")], within=300)
    # All of it is read, whatever is said to be holes.
    run(["nbdcopy", *many, "--no-extents", server.uri("data"), taken], within=300)
    same_bytes(given, taken, "nbdcopy there and back")
    run(["nbdcopy", *many, server.uri("data"), server.uri("copy")], within=300)
    same_bytes(given, server.uri("copy"), "nbdcopy between exports")
    os.unlink(taken)
    return "nbdcopy: 4 GiB there, back and across with four connections: no byte differs"


def converted(server, here):
    """qemu-img: convert, compare, bench, on a stripe; and its disks have what the stripe says."""
    given, taken = f"{here}/given", f"{here}/taken.qcow2"
    wide = server.uri("wide")
    run(["qemu-img", "convert", "-n", "-m", 8, "-W", "-f", "raw", "-O", "raw", given, wide], within=300)
    same_bytes(given, wide, "qemu-img convert to a stripe")
    run(["qemu-img", "convert", "-f", "raw", "-O", "qcow2", wide, taken], within=300)
    run(["qemu-img", "compare", "-f", "raw", "-F", "qcow2", wide, taken], within=300)
    os.unlink(taken)
    # The interleave is 64 KiB: of the volume's first 192 KiB the middle is the second disk's first.
    with wire.Connection(server.socket, "wide") as volume, wire.Connection(server.socket, "wide.1") as disk:
        check(volume.read(65536, 65536) == disk.read(0, 65536), "the stripe and its second disk differ")
        disk.write(0, b"\x5a" * 65536)
        check(volume.read(65536, 65536)[1] == b"\x5a" * 65536, "what is written to a disk is not in its volume")
    for way in ([], ["-w", "--flush-interval=64"]):
        run(["qemu-img", "bench", *way, "-f", "raw", "-c", 20_000, "-d", 64, "-s", 4096, "-S", 8192, server.uri("data")])
    return "qemu-img: converted to a stripe and back, compared, 40,000 I/Os by bench"


def patterns(server, here):
    """qemu-io: patterns written and read with -P, and what discard and zeroes leave."""
    steps = [
        "write -P 0xa5 64k 192k",
        "write -P 0x3c -f 512 1536",
        "aio_write -P 0x77 1M 8M",
        "aio_write -P 0x78 9M 8M",
        "aio_flush",
        "flush",
        "read -P 0xa5 64k 192k",
        "read -P 0x3c 512 1536",
        "read -P 0x77 1M 8M",
        "read -P 0x78 9M 8M",
        # Halfway into pages, on both sides.
        "write -z 66048 65536",
        "read -P 0xa5 64k 512",
        "read -P 0 66048 65536",
        "read -P 0xa5 131584 130560",
        "write -z -u 2M 1M",
        "read -P 0 2M 1M",
        "discard 4M 2M",
        "read -P 0 4M 2M",
        "read -P 0x77 6M 3M",
        "write -P 0x11 4095k 3k",
        "read -P 0x11 4095k 3k",
        "read -P 0 4098k 1022k",
    ]
    done = run(["qemu-io", "-f", "raw", *[part for step in steps for part in ("-c", step)], server.uri("data")])
    for word in ("failed", "rror"):
        check(word not in done.stdout + done.stderr, f"qemu-io: {done.stdout}{done.stderr}")
    return f"qemu-io: {len(steps)} steps, patterns and zeroes where they belong"


def verified(server, here):
    """fio's nbd engine, which remembers what it wrote: random sizes, mixed with trims, then all of it read again."""
    words = ["fio", "--ioengine=nbd", f"--uri={server.uri('wide')}", "--output-format=json", "--randseed=3"]
    written = [*words, "--name=v", "--rw=randwrite", "--bsrange=512-256k", "--blockalign=512", "--serialize_overlap=1"]
    for verify, extra in (("crc32c", written), ("crc32c", [*words, "--name=q", "--rw=randwrite", "--bs=4k"])):
        done = run(
            [*extra, "--size=192M", "--iodepth=64", f"--verify={verify}", "--do_verify=1", "--verify_fatal=1", "--verify_state_save=0", "--fsync=500"],
            within=300,
        )
        job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
        check(job["error"] == 0, f"fio: error {job['error']}: {done.stderr}")
        check(job["read"]["io_bytes"] >= 190 * MIB, f"fio verified {job['read']['io_bytes']} bytes")
    return "fio, nbd engine: 2 x 192 MiB of random writes, verified by CRC"


def full(here):
    """Past the limit of its memory the disk is full, and everything that was there is."""
    with emulated(here, "--vm", "DS14", "--disk", "data=P1", "--limits", "off", "--memory", "64MiB") as server:
        with wire.Connection(server.socket, "data") as client:
            errors = [client.write(n * MIB, bytes([n + 1]) * MIB) for n in range(96)]
            kept = errors.index(wire.ENOSPC) if wire.ENOSPC in errors else len(errors)
            check(0 < kept < 96, f"of 64 MiB, {kept} MiB are kept")
            check(set(errors[:kept]) == {0} and set(errors[kept:]) == {wire.ENOSPC}, f"errors {sorted(set(errors))}")
            for n in range(kept):
                check(client.read(n * MIB, MIB) == (0, bytes([n + 1]) * MIB), f"MiB {n} is not what was written")
        check(server.resident() < 128 * MIB, f"{server.resident() / MIB:.0f} MiB resident of a limit of 64")
    return f"a limit of 64 MiB: {kept} kept, then ENOSPC, and nothing lost"


def full_disk(here):
    """The machine's own disk is full under an image: the write that finds no room is told so, and nothing else is wrong."""
    image, small = f"{here}/golden", f"{here}/small"
    patterned(image, 64 * MIB, [(0, 64 * MIB)])
    with open(image, "rb") as file:
        golden = file.read()
    with mounted("none", small, "-t", "tmpfs", "-o", "size=24m"):
        with open(f"{small}/filler", "wb") as file:
            file.write(bytes(8 * MIB))
        words = ("--vm", "DS14", "--disk", "data=P1", "--image", f"data={image}", "--memory", "256MiB")
        with emulated(here, *words, "--limits", "off", "--backing", small) as server:
            with wire.Connection(server.socket, "data") as client:
                kept, refused = {}, []
                # Half of each MiB, so that what was written and what is the image's lie beside one another.
                for n in range(48):
                    data = bytes([n + 1]) * (MIB // 2)
                    error = client.write(n * MIB, data)
                    check(error in (0, wire.ENOSPC), f"a write to a full disk: error {error}")
                    if error:
                        refused.append(n)
                    else:
                        kept[n] = data
                flushed = client.flush()
                check(flushed in (0, wire.ENOSPC), f"a flush to a full disk: error {flushed}")
                check(refused or flushed, "48 half MiB found room where there are 16 MiB")
                for n in range(48):
                    error, data = client.read(n * MIB, MIB)
                    check(error == 0 and data[MIB // 2 :] == golden[n * MIB + MIB // 2 : (n + 1) * MIB], f"MiB {n} of the image")
                    if n in kept:
                        check(data[: MIB // 2] == kept[n], f"what was acknowledged at MiB {n} is lost")
                # With room again it goes on, and what was stuck arrives.
                os.unlink(f"{small}/filler")
                check(client.flush() == 0, "there is room, and a flush fails")
                check(client.write(60 * MIB, b"z" * 65536) == 0, "there is room, and a write fails")
                for n, data in kept.items():
                    check(client.read(n * MIB, MIB // 2) == (0, data), f"MiB {n} is not what was acknowledged")
    return f"a full tmpfs under an image: {len(kept)} writes kept, {len(refused)} told ENOSPC, nothing lost"


def held(here):
    """With its limiters a disk gives what it is let have, to a client that asks for all there is."""
    with emulated(here, "--vm", "DS14", "--disk", "data=P30") as server:
        words = ["--ioengine=nbd", f"--uri={server.uri('data')}", "--rw=randread", "--bs=4k", "--iodepth=128", "--size=1G"]
        done = run(["fio", "--name=g", *words, "--time_based", "--runtime=6", "--ramp_time=2", "--output-format=json"])
        job = json.loads(done.stdout[done.stdout.index("{") :])["jobs"][0]
    iops = job["read"]["iops"]
    # 5,000 published, enforced with a factor of 1.02 in slices of 50 ms: a window of 6 s has at most 121 of them and
    # one carried. How much less a busy machine makes of it is printed and not judged.
    most = 5_000 * 1.02 * 0.05 * 122 / 6
    check(iops <= most, f"{iops:.0f} IOPS of a P30, which lets {most:.0f} through")
    return f"a P30 behind its limiters: {iops:.0f} IOPS of 5,100 enforced"


def part():
    with folder(GIB) as here:
        with emulated(here, *CONFIGURATION) as server:
            for client in (listed, copied, converted, mapped, proxied, patterns, verified):
                say(client(server, here))
            say(rude.nonsense(server, "data", EXPORTS["data"]))
            say(rude.vanishing(server, "wide"))
            say(rude.silent(server, "wide"))
            say(rude.announced(server, "wide"))
            say(rude.crowded(server))
        say(full(here))
        say(provisioned(here))
        say(from_files(here))
        say(full_disk(here))
        say(held(here))
