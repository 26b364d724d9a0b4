"""The published command lines, as they were pasted: amounts and times are made small, the words stay."""

import json
import os
import re
import xml.etree.ElementTree as ElementTree

from common import MIB, check, finished, folder, iobound, say, start

# As the articles print them, typographic dashes and all (crates/lab/experiments/published.toml).
E6 = r"Diskspd.exe –b4K –d60 –h –o8 –t4 –si –c50000M e:\io.dat"
E7 = r"Diskspd.exe –b4K –d60 –h –o128 –t32 –si –c50000M e:\io.dat"
E15 = (
    "fio --rw=randread --name=/tests/disk{n}/fio --size=1g --bs=32k --direct=1 --iodepth=16 --ioengine=libaio "
    "--time_based --runtime=30 --group_reporting"
)
# E11 to E13: 512 B and 256 KiB, sequential reads, 100 and 1 outstanding, a maximum disk size of 1,000 sectors of 512 B;
# of 256 KiB blocks the same number of bytes holds one, so a larger one is taken.
ICF = [("E11", 512, 100), ("E12", 262144, 100), ("E13-512B", 512, 1), ("E13-256K", 262144, 1)]


def small(line):
    """The line with less to write and less time: nothing else differs."""
    line = re.sub(r"([-–])c50000M", r"\1c64M", line)
    line = re.sub(r"([-–])d60", r"\1d1 \1W0", line)
    return line.replace("--size=1g", "--size=32m").replace("--runtime=30", "--runtime=1")


def icf(block, outstanding, sectors):
    """A configuration as Iometer 1.1 saves one."""
    return f"""Version 1.1.0
'TEST SETUP ====================================================================
'Test Description
\t
'Run Time
'\thours      minutes    seconds
\t0          0          1
'Ramp Up Time (s)
\t0
'Default Disk Workers to Spawn
\tNUMBER_OF_CPUS
'Default Network Workers to Spawn
\t0
'Record Results
\tALL
'Worker Cycling
'\tstart      step       step type
\t1          1          LINEAR
'Disk Cycling
'\tstart      step       step type
\t1          1          LINEAR
'Queue Depth Cycling
'\tstart      end        step       step type
\t1          32         2          EXPONENTIAL
'Test Type
\tNORMAL
'END test setup
'RESULTS DISPLAY ===============================================================
'Record Last Update Results,Update Frequency,Update Type
\tDISABLED,1,WHOLE_TEST
'END results display
'ACCESS SPECIFICATIONS =========================================================
'Access specification name,default assignment
\tpublished,NONE
'size,% of size,% reads,% random,delay,burst,align,reply
\t{block},100,100,0,0,1,0,0
'END access specifications
'MANAGER LIST ==================================================================
'Manager ID, manager name
\t1,VM
'Manager network address
\t
'Worker
\tWorker 1
'Worker type
\tDISK
'Default target settings for worker
'Number of outstanding IOs,test connection rate,transactions per connection,use fixed seed,fixed seed value
\t{outstanding},DISABLED,1,DISABLED,0
'Disk maximum size,starting sector,Data pattern
\t{sectors},0,0
'End default target settings for worker
'Assigned access specs
\tpublished
'End assigned access specs
'Target assignments
'Target
\tE: "Data"
'Target type
\tDISK
'End target
'End target assignments
'End worker
'End manager
'END manager list
Version 1.1.0
"""


def diskspd(here):
    for name, line, lanes in (("E6", E6, 4 * 8), ("E7", E7, 32 * 128)):
        words = small(line).split()[1:]
        text = iobound("diskspd", "--map", f"e:={here}", *words).stdout
        total = re.search(r"^total:\s*(\d+) \|\s*(\d+) \|\s*[\d.]+ \|\s*([\d.]+)", text, re.MULTILINE)
        check(total, f"{name}: no line of totals:\n{text}")
        moved, ios, rate = int(total[1]), int(total[2]), float(total[3])
        check(moved == ios * 4096 and rate > 0, f"{name}: {ios} I/Os of 4 KiB are not {moved} bytes")
        threads = len(re.findall(r"^\s*\d+ \|\s*\d+ \|.*io\.dat", text.split("Read IO")[0], re.MULTILINE))
        check(threads == int(re.search(r"[-–]t(\d+)", line)[1]), f"{name}: {threads} threads are listed")
        xml = iobound("diskspd", "--map", f"e:={here}", *words[:-1], "-Rxml", words[-1]).stdout
        ios = sum(int(count.text) for count in ElementTree.fromstring(xml).iter("IOCount"))
        check(ios > 0, f"{name}: the XML has no I/Os")
        say(f"{name}: {' '.join(words)}: {rate:,.0f} IOPS with {lanes} outstanding; text and XML")


def fio(here):
    """One line for each of six directories, at once, as they were run."""
    processes = []
    for n in range(1, 7):
        os.mkdir(os.path.join(here, f"disk{n}"))
        words = small(E15.format(n=n)).split()
        processes.append(start(words[0], "--map", f"/tests={here}", *words[1:], "--output-format=json"))
    rates = [json.loads(finished(process, 0)[0])["jobs"][0]["read"]["iops"] for process in processes]
    check(all(rate > 0 for rate in rates), f"E15: {rates}")
    say(f"E15: six at once, {sum(rates):,.0f} IOPS of 32 KiB together")


def iometer(here):
    for name, block, outstanding in ICF:
        config = os.path.join(here, f"{name}.icf")
        with open(config, "w", encoding="ascii", newline="\r\n") as file:
            file.write(icf(block, outstanding, 1000 if block == 512 else 65536))
        csv = iobound("iometer", config, "--map", f"E:={here}").stdout
        rows = [line.split(",") for line in csv.splitlines()]
        header = next(row for row in rows if row[0] == "'Target Type")
        every = next(row for row in rows if row[0] == "ALL")
        check(len(every) == len(header), f"{name}: {len(every)} columns under {len(header)} names")
        of = dict(zip(header, every))
        check(float(of["IOps"]) > 0, f"{name}: no I/Os")
        say(f"{name}: {float(of['IOps']):,.0f} IOPS of {block} B with {outstanding} outstanding")


def part():
    with folder(768 * MIB) as here:
        diskspd(here)
        fio(here)
        iometer(here)
