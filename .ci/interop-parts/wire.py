"""A network with delay between namespaces: a switch of TUN devices that holds every packet for as long as it is told.

The kernel's own netem is not in every kernel that this runs on; TUN devices are in nearly all. Of its own process, started by
`machines.py`: `wire.py PREFIX PORTS DELAY_MS`. It makes the devices PREFIX0, PREFIX1, ... and says `ready`; who has address
x.x.x.(10+N) is behind device N. Lines of standard input change it: `cut N` drops all from and to N, `mend N` ends that, and
`count` answers with the packets that were carried. It ends with its standard input, and its devices with it.
"""

import contextlib
import fcntl
import os
import select
import struct
import sys
import time
from collections import deque

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
LARGEST = 65536
# The last byte of the address of who is behind device 0.
FIRST_ADDRESS = 10


def device(name):
    """A new TUN device's descriptor."""
    port = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
    fcntl.ioctl(port, TUNSETIFF, struct.pack("16sH22x", name.encode(), IFF_TUN | IFF_NO_PI))
    return port


def carry(ports, delay):
    """Carries packets until standard input ends."""
    cut, waiting, carried = set(), deque(), 0
    by_descriptor = {port: number for number, port in enumerate(ports)}
    while True:
        timeout = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
        readable, _, _ = select.select([0, *by_descriptor], [], [], timeout)
        due = time.monotonic() + delay
        for descriptor in readable:
            if descriptor == 0:
                line = sys.stdin.readline().split()
                if not line:
                    return
                if line[0] == "cut":
                    cut.add(int(line[1]))
                elif line[0] == "mend":
                    cut.discard(int(line[1]))
                print(f"done {carried}", flush=True)
                continue
            source = by_descriptor[descriptor]
            try:
                # A few at a time, so that one sender does not hold back what is due.
                for _ in range(16):
                    packet = os.read(descriptor, LARGEST)
                    to = packet[19] - FIRST_ADDRESS if packet[0] >> 4 == 4 else -1
                    if 0 <= to < len(ports) and source not in cut:
                        waiting.append((due, to, packet))
            except BlockingIOError:
                pass
            except OSError:
                # The machine has ended, and its end of the wire with it.
                del by_descriptor[descriptor]
        now = time.monotonic()
        while waiting and waiting[0][0] <= now:
            _, to, packet = waiting.popleft()
            if to not in cut:
                carried += 1
                # A device that is down, or whose queue is full, loses the packet, as a network card does.
                with contextlib.suppress(OSError):
                    os.write(ports[to], packet)


def main(prefix, count, delay_ms):
    # A network goes on while the processors of its machines are busy.
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
    ports = [device(f"{prefix}{number}") for number in range(int(count))]
    print("ready", flush=True)
    carry(ports, float(delay_ms) / 1000)


if __name__ == "__main__":
    main(*sys.argv[1:])
