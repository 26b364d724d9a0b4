#!/usr/bin/env python3
"""Writes a long trace in the project's own format (docs/trace-format.md) to standard output.

    benches/long_trace.py [IOS [PER_SECOND]] > long.trace     [default: 100,000,000 I/Os, 20,000 a second]

Two devices, three reads for each write, 4 to 64 KiB, random offsets below 64 GiB, latencies of 0.2 to 2 ms. A block of 8,192
records is one of a few templates at a random place, so that the script writes some millions of I/Os a second.
"""

import random
import struct
import sys

BLOCK = 8_192
TEMPLATES = 64
REACH = 1 << 25  # offsets, in units of 4 KiB, of two devices: 64 GiB each with the place of the block
LAST = 4_096  # length of the last I/O of a device in a block, which is at offset 0


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def signed(value):
    return varint(value << 1 if value >= 0 else (-value << 1) - 1)


def records(count, columns):
    parts = [b"R", struct.pack("<I", count)]
    for column in columns:
        parts += [struct.pack("<I", len(column)), column]
    return b"".join(parts)


class Template:
    """The columns of a block but the offsets, and the offsets between the first and the last I/O of a device."""

    def __init__(self, rng, step):
        times, kinds, lengths, latencies = bytearray(), bytearray(), bytearray(), bytearray()
        # A block has the I/Os of the first device, then those of the second.
        self.first, self.middle, self.end = [0, 0], [bytearray(), bytearray()], [0, 0]
        for device in range(2):
            length = end = LAST
            count = BLOCK // 2
            for n in range(count):
                times += signed(rng.randrange(2 * step + 1))
                kinds += varint(device * 4 + (rng.random() < 0.25))
                latencies += varint(rng.randrange(200_000, 2_000_000) + 1)
                size = LAST if n == count - 1 else rng.choice((4_096, 8_192, 8_192, 65_536))
                lengths += signed(size - length)
                length = size
                if n == count - 1:
                    break
                offset = rng.randrange(REACH // 2) * 4_096
                if n == 0:
                    self.first[device] = offset - LAST
                else:
                    self.middle[device] += signed(offset - end)
                end = offset + size
            self.end[device] = end
        self.columns = [times, kinds, lengths, latencies]

    def block(self, place):
        offsets = b"".join(
            signed(self.first[device] + place) + self.middle[device] + signed(-self.end[device] - place)
            for device in range(2)
        )
        times, kinds, lengths, latencies = self.columns
        return records(BLOCK, [times, kinds, offsets, lengths, latencies])


def main():
    ios = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000_000
    per_second = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
    rng = random.Random(1)
    out = sys.stdout.buffer
    out.write(b"iobtrc\x01\n")
    for name in (b"data", b"log"):
        out.write(b"D" + struct.pack("<I", len(name)) + name)
    templates = [Template(rng, 1_000_000_000 // per_second) for _ in range(TEMPLATES)]
    # Two I/Os at offset 0, as those that end a block.
    first = [signed(0) * 2, varint(0) + varint(4), signed(0) * 2, signed(LAST) * 2, varint(0) * 2]
    out.write(records(2, first))
    blocks = max(ios // BLOCK, 1)
    for number in range(blocks):
        out.write(templates[number % TEMPLATES].block(rng.randrange(REACH // 2) * 4_096))
    out.write(b"E" + struct.pack("<Q", blocks * BLOCK + 2))


if __name__ == "__main__":
    main()
