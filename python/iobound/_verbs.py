"""The questions: each keyword is a flag of the verb of the same name.

Written by python/tools/generate.py from the program's own help; not by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

from ._ask import ask, keywords


@keywords
def predict(
    *,
    find_knee: bool | None = None,
    observed: str | None = None,
    region: str | None = None,
    os: str | None = None,
    vm: str | None = None,
    disk: str | Sequence[str] | None = None,
    os_disk: str | None = None,
    stripe: str | None = None,
    columns: str | int | None = None,
    separate: bool | str | None = None,
    partition_offset: str | None = None,
    era: str | int | None = None,
    media: str | None = None,
    calibrate: str | PathLike[str] | Mapping[str, Any] | None = None,
    cache_state: str | None = None,
    at: str | int | None = None,
    accounts: str | None = None,
    on_demand_burst: bool | str | None = None,
    published: bool | str | None = None,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    hosts: str | int | None = None,
    slow_host: str | int | None = None,
    random: bool | None = None,
    sequential: bool | str | None = None,
    random_share: str | int | None = None,
    block: str | None = None,
    read: str | int | None = None,
    depth: str | int | None = None,
    threads: str | int | None = None,
    rate: str | None = None,
    arrivals: str | None = None,
    cap: str | None = None,
    size: str | None = None,
    offset: str | None = None,
    zipf: str | int | float | None = None,
    hot: str | None = None,
    flush_every: str | int | None = None,
    think: str | None = None,
    burst: str | int | None = None,
    stride: str | None = None,
    align: str | None = None,
    diskspd: str | None = None,
    diskspd_xml: str | PathLike[str] | None = None,
    fio: str | None = None,
    iometer: str | None = None,
    preset: str | None = None,
    workload: str | PathLike[str] | Mapping[str, Any] | None = None,
    map: str | Sequence[str] | None = None,
    duration: str | None = None,
    warmup: str | None = None,
    cooldown: str | None = None,
    html: str | PathLike[str] | None = None,
    html_with_names: bool | str | None = None,
    seed: str | int | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What will this configuration deliver: expected figures and their band, the ceiling, what binds,
    and the depth that reaches it.

    Returns the document `iobound.predict/1`: ``expected`` with ``iops``, the band ``low_iops`` to
    ``high_iops`` and ``throughput_bytes_per_s`` (bytes a second); ``ceiling``, the most that the limits
    allow; ``latency_us`` (microseconds); ``binding``, what holds it back; ``gates``, each limit with what
    is used of it; ``volumes`` and ``disks``; ``assumed`` and ``notes``.

    What is asked:
    ``find_knee``
        Search the knee by simulation, and show the curve
    ``observed``
        A figure that was measured or published, to see whether the band holds it: 'iops=19882
        throughput=81MB/s'
    ``region``
        What it costs there a month, on demand: westeurope, us-east-1
    ``os``
        Whose licence that price includes: linux, windows [default: linux]

    Configuration:
    ``vm``
        The VM size: DS14 is enough for Standard_DS14
    ``disk``
        A volume of disks, [NAME=][COUNTx]WHAT[:CACHE]: P30, 10xP30:readonly, log=premium@600GiB,
        premiumv2@1TiB+20000iops+600MB/s; repeat for more volumes
    ``os_disk``
        The operating system's disk, a volume named `os`
    ``stripe``
        Bytes on one disk of a stripe before the next [default: 64KiB]; SIZE
    ``columns``
        Disks that one stripe spans [default: all of the volume's]
    ``separate``
        Each disk is a volume of its own
    ``partition_offset``
        Where the file system starts on the volume [default: 0]; SIZE
    ``era``
        The figures, disk counts and rules then in force: 2016, 2018-06, 2020-08, current
    ``media``
        Latency of the media in place of the catalogue's: read=2.6ms,write=2ms
    ``calibrate``
        Latency of the media from a result that was measured below every limit
    ``cache_state``
        What host caches hold: warm, cold, second-run [default: warm]
    ``at``
        Burst credits: sustained (spent), 0 (full), or how long after they were full, 20min; TIME
    ``accounts``
        Unmanaged disks of 2016 in storage accounts: one-each, shared [default: one-each]
    ``on_demand_burst``
        Premium SSDs above 512 GiB burst on demand, which is billed
    ``published``
        Limits exactly as published, factor 1, not as they are enforced
    ``catalog``
        Your own catalogue file, TOML or CSV: its figures win

    Cluster:
    ``hosts``
        So many of these hosts, each under the same workload: their sum, the slowest of them, and a scan
        that waits for it
    ``slow_host``
        One of them delivers so much of what is expected [default: the low end of the band; with --at,
        its credits spent]; PERCENT

    Workload (default: random 4KiB reads, 32 outstanding):
    ``random``
        Random offsets (the default)
    ``sequential``
        Sequential; =shared: one stream for all threads
    ``random_share``
        So many of the I/Os random, the others sequential; PERCENT
    ``block``
        Size of an I/O, or a split: 8KiB, 4KiB:60,64KiB:40; SIZE
    ``read``
        So many of the I/Os read, the others write; PERCENT
    ``depth``
        Outstanding I/Os of each thread on each volume
    ``threads``
        Threads on each volume
    ``rate``
        Open loop at this rate: 5000iops, 200MB/s
    ``arrivals``
        How the I/Os of a rate arrive: fixed, poisson
    ``cap``
        Closed loop no faster than this, by thread and volume
    ``size``
        The part of each volume that is used; SIZE
    ``offset``
        Where that part begins; SIZE
    ``zipf``
        Hot blocks by Zipf's law
    ``hot``
        Hot zone: 90/10 is 90 % of the I/Os on 10 % of the range
    ``flush_every``
        A flush after so many writes
    ``think``
        A pause after each I/O, or after each --burst of them; TIME
    ``burst``
        I/Os between two pauses
    ``stride``
        The step from one sequential I/O to the next; SIZE
    ``align``
        Offsets are multiples of this; SIZE
    ``diskspd``
        A DiskSpd command line, as pasted
    ``diskspd_xml``
        A DiskSpd XML profile
    ``fio``
        An fio command line, or the name of a job file
    ``iometer``
        An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
    ``preset``
        The workload of a real system: `iobound catalog presets` lists them
    ``workload``
        Jobs in TOML
    ``map``
        Windows paths of a foreign workload: e:=data is the volume data, e:=/mnt/data a directory
    ``duration``
        How long figures are counted; 30s where a run is told nothing else; TIME
    ``warmup``
        How long I/O runs before; TIME
    ``cooldown``
        How long it goes on after; TIME

    Answer:
    ``html``
        The answer as a page with pictures as well: one file that loads nothing; a page that is there is
        written over
    ``html_with_names``
        The page keeps host names, users' folders and cloud ids [default: left out]

    Every verb:
    ``seed``
        Draws every random choice (default 0): the same seed gives the same bytes
    ``config``
        Machine, disks and jobs from a TOML file

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    A PERCENT is of 100: ``70`` or ``"70%"``.
    A SIZE has its unit: ``"4096B"``, ``"8KiB"`` (1,024), ``"1TiB"``.
    A TIME has its unit: ``"500us"``, ``"2ms"``, ``"30s"``, ``"20min"``.
    A rate has its unit: ``"5000iops"``, ``"200MB/s"`` (10^6 bytes), ``"200MiB/s"`` (2^20).
    """
    document: dict[str, Any] = ask(('predict',), locals())
    return document


@keywords
def simulate(
    *,
    vm: str | None = None,
    disk: str | Sequence[str] | None = None,
    os_disk: str | None = None,
    stripe: str | None = None,
    columns: str | int | None = None,
    separate: bool | str | None = None,
    partition_offset: str | None = None,
    era: str | int | None = None,
    media: str | None = None,
    calibrate: str | PathLike[str] | Mapping[str, Any] | None = None,
    cache_state: str | None = None,
    at: str | int | None = None,
    accounts: str | None = None,
    on_demand_burst: bool | str | None = None,
    published: bool | str | None = None,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    random: bool | None = None,
    sequential: bool | str | None = None,
    random_share: str | int | None = None,
    block: str | None = None,
    read: str | int | None = None,
    depth: str | int | None = None,
    threads: str | int | None = None,
    rate: str | None = None,
    arrivals: str | None = None,
    cap: str | None = None,
    size: str | None = None,
    offset: str | None = None,
    zipf: str | int | float | None = None,
    hot: str | None = None,
    flush_every: str | int | None = None,
    think: str | None = None,
    burst: str | int | None = None,
    stride: str | None = None,
    align: str | None = None,
    diskspd: str | None = None,
    diskspd_xml: str | PathLike[str] | None = None,
    fio: str | None = None,
    iometer: str | None = None,
    preset: str | None = None,
    workload: str | PathLike[str] | Mapping[str, Any] | None = None,
    map: str | Sequence[str] | None = None,
    duration: str | None = None,
    warmup: str | None = None,
    cooldown: str | None = None,
    seed: str | int | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The workload's own seconds on the model, in virtual time: a result with its series and every
    latency. Where the workload has stages, each begins in the state that the configuration is in.

    Returns the document of a result, `iobound.result/1`: ``iops``, ``throughput_bytes_per_s`` (bytes a
    second), ``latency_us`` (microseconds), ``read``, ``write``, ``jobs`` with every latency
    (``jobs[].histograms``, in ns; see `read_histogram`), ``series`` with a dictionary for each second, and
    ``model``: what bound, and what each limit held. The same seed gives the same document. It takes some
    100 ns for each I/O; Ctrl-C ends it.

    Configuration:
    ``vm``
        The VM size: DS14 is enough for Standard_DS14
    ``disk``
        A volume of disks, [NAME=][COUNTx]WHAT[:CACHE]: P30, 10xP30:readonly, log=premium@600GiB,
        premiumv2@1TiB+20000iops+600MB/s; repeat for more volumes
    ``os_disk``
        The operating system's disk, a volume named `os`
    ``stripe``
        Bytes on one disk of a stripe before the next [default: 64KiB]; SIZE
    ``columns``
        Disks that one stripe spans [default: all of the volume's]
    ``separate``
        Each disk is a volume of its own
    ``partition_offset``
        Where the file system starts on the volume [default: 0]; SIZE
    ``era``
        The figures, disk counts and rules then in force: 2016, 2018-06, 2020-08, current
    ``media``
        Latency of the media in place of the catalogue's: read=2.6ms,write=2ms
    ``calibrate``
        Latency of the media from a result that was measured below every limit
    ``cache_state``
        What host caches hold: warm, cold, second-run [default: warm]
    ``at``
        Burst credits: sustained (spent), 0 (full), or how long after they were full, 20min; TIME
    ``accounts``
        Unmanaged disks of 2016 in storage accounts: one-each, shared [default: one-each]
    ``on_demand_burst``
        Premium SSDs above 512 GiB burst on demand, which is billed
    ``published``
        Limits exactly as published, factor 1, not as they are enforced
    ``catalog``
        Your own catalogue file, TOML or CSV: its figures win

    Workload (default: random 4KiB reads, 32 outstanding):
    ``random``
        Random offsets (the default)
    ``sequential``
        Sequential; =shared: one stream for all threads
    ``random_share``
        So many of the I/Os random, the others sequential; PERCENT
    ``block``
        Size of an I/O, or a split: 8KiB, 4KiB:60,64KiB:40; SIZE
    ``read``
        So many of the I/Os read, the others write; PERCENT
    ``depth``
        Outstanding I/Os of each thread on each volume
    ``threads``
        Threads on each volume
    ``rate``
        Open loop at this rate: 5000iops, 200MB/s
    ``arrivals``
        How the I/Os of a rate arrive: fixed, poisson
    ``cap``
        Closed loop no faster than this, by thread and volume
    ``size``
        The part of each volume that is used; SIZE
    ``offset``
        Where that part begins; SIZE
    ``zipf``
        Hot blocks by Zipf's law
    ``hot``
        Hot zone: 90/10 is 90 % of the I/Os on 10 % of the range
    ``flush_every``
        A flush after so many writes
    ``think``
        A pause after each I/O, or after each --burst of them; TIME
    ``burst``
        I/Os between two pauses
    ``stride``
        The step from one sequential I/O to the next; SIZE
    ``align``
        Offsets are multiples of this; SIZE
    ``diskspd``
        A DiskSpd command line, as pasted
    ``diskspd_xml``
        A DiskSpd XML profile
    ``fio``
        An fio command line, or the name of a job file
    ``iometer``
        An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
    ``preset``
        The workload of a real system: `iobound catalog presets` lists them
    ``workload``
        Jobs in TOML
    ``map``
        Windows paths of a foreign workload: e:=data is the volume data, e:=/mnt/data a directory
    ``duration``
        How long figures are counted; 30s where a run is told nothing else; TIME
    ``warmup``
        How long I/O runs before; TIME
    ``cooldown``
        How long it goes on after; TIME

    Every verb:
    ``seed``
        Draws every random choice (default 0): the same seed gives the same bytes
    ``config``
        Machine, disks and jobs from a TOML file

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    A PERCENT is of 100: ``70`` or ``"70%"``.
    A SIZE has its unit: ``"4096B"``, ``"8KiB"`` (1,024), ``"1TiB"``.
    A TIME has its unit: ``"500us"``, ``"2ms"``, ``"30s"``, ``"20min"``.
    A rate has its unit: ``"5000iops"``, ``"200MB/s"`` (10^6 bytes), ``"200MiB/s"`` (2^20).
    """
    document: dict[str, Any] = ask(('simulate',), locals())
    return document


@keywords
def plan(
    *,
    iops: str | int | float | None = None,
    throughput: str | None = None,
    capacity: str | None = None,
    working_set: str | None = None,
    latency: str | None = None,
    log: str | None = None,
    temp: str | None = None,
    headroom: str | int | None = None,
    hosts: str | None = None,
    slow_host: str | int | None = None,
    region: str | Sequence[str] | None = None,
    cloud: str | Sequence[str] | None = None,
    os: str | None = None,
    arch: str | None = None,
    include_old: bool | str | None = None,
    include_burstable: bool | str | None = None,
    burst: bool | None = None,
    vcpus: str | int | None = None,
    memory: str | None = None,
    max_price: str | int | float | None = None,
    disk_types: str | Sequence[str] | None = None,
    keep_vm: str | None = None,
    keep_disks: str | None = None,
    redundancy: str | None = None,
    per_disk: str | int | float | None = None,
    rank: str | None = None,
    no_host_cache: bool | str | None = None,
    candidates: str | int | None = None,
    build: str | int | None = None,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    block: str | None = None,
    read: str | int | None = None,
    rate: str | None = None,
    diskspd: str | None = None,
    diskspd_xml: str | PathLike[str] | None = None,
    fio: str | None = None,
    iometer: str | None = None,
    preset: str | None = None,
    workload: str | PathLike[str] | Mapping[str, Any] | None = None,
    html: str | PathLike[str] | None = None,
    html_with_names: bool | str | None = None,
    seed: str | int | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """What should I buy: the cheapest VM and disks that meet a need, and why each cheaper one does not.

    Returns the document `iobound.plan/1`: ``candidates``, the cheapest first, each with its
    ``configuration``, ``price`` (US dollars a month), ``binding`` and ``predicted`` figures; ``refused``,
    what is cheaper and why it fails; ``frontier``; ``assumed`` and ``notes``.

    Need:
    ``iops``
        I/Os a second, of the workload's block size; 20000..60000 where nobody knows better
    ``throughput``
        Throughput; beyond what the I/Os move, in larger ones
    ``capacity``
        How much the data volume holds; SIZE
    ``working_set``
        The part of it that is in use at a time, for the host cache [default: all of it]; SIZE
    ``latency``
        How fast, at the asked rate: p99:5ms, mean:1ms
    ``log``
        A log on disks of its own: 'iops=2000 block=32KiB capacity=256GiB'
    ``temp``
        What may be lost with the VM, on its local disks: 'iops=20000 block=64KiB read=50%
        capacity=200GiB'
    ``headroom``
        So much of every limit stays free [default: 0 %]; PERCENT

    Cluster:
    ``hosts``
        The need is of so many equal hosts together: 8, or the cheapest number of 4..16, or auto (1..16)
    ``slow_host``
        The need is met by a scan that waits for a host that delivers so much of its limits [default: 100
        %]; PERCENT

    Terms:
    ``region``
        Where: the region of the prices, one for each cloud [default: westeurope, us-east-1]
    ``cloud``
        Whose: azure, aws, or both [default: azure, or the region's]
    ``os``
        Whose licence the price includes [default: linux]
    ``arch``
        Which processor [default: x64]
    ``include_old``
        Also sizes that have a later generation
    ``include_burstable``
        Also sizes whose processors run on credits
    ``burst``
        Count on disk and VM bursts, which last minutes
    ``vcpus``
        Usable vCPUs: 8, 8-16, 8-, -16
    ``memory``
        Memory: 64GiB-, 64GiB-128GiB
    ``max_price``
        US dollars a month, at most
    ``disk_types``
        Only these types of disk: premium,premiumv2,ultra,gp3
    ``keep_vm``
        The VM size that is there: what disks it needs
    ``keep_disks``
        The data disks that are there: which VM they need
    ``redundancy``
        How many datacentres hold the disks: lrs, one; zrs, three, of Premium and Standard SSDs [default:
        lrs]
    ``per_disk``
        US dollars a month that a disk less is worth: it chooses among disks, and is in no price
        [default: 1]
    ``rank``
        What comes first: price, or size (fewest vCPUs, least memory, least provided) [default: price,
        size where none is known]
    ``no_host_cache``
        No host cache

    Answer:
    ``candidates``
        So many candidates
    ``build``
        How to build candidate N, and to prove it: az, aws, Terraform, mdadm, LVM, Storage Spaces, fio,
        DiskSpd

    Terms:
    ``catalog``
        Your own catalogue file, TOML or CSV: its figures win

    Workload (default: random 4KiB reads):
    ``block``
        Size of an I/O, or a split: 8KiB, 4KiB:60,64KiB:40; SIZE
    ``read``
        So many of the I/Os read, the others write; PERCENT
    ``rate``
        The same as --iops or --throughput: 5000iops, 200MB/s
    ``diskspd``
        A DiskSpd command line, as pasted
    ``diskspd_xml``
        A DiskSpd XML profile
    ``fio``
        An fio command line, or the name of a job file
    ``iometer``
        An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
    ``preset``
        The workload of a real system: `iobound catalog presets` lists them
    ``workload``
        Jobs in TOML

    Answer:
    ``html``
        The answer as a page with pictures as well: one file that loads nothing; a page that is there is
        written over
    ``html_with_names``
        The page keeps host names, users' folders and cloud ids [default: left out]

    Every verb:
    ``seed``
        Draws every random choice (default 0): the same seed gives the same bytes
    ``config``
        Machine, disks and jobs from a TOML file

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    A PERCENT is of 100: ``70`` or ``"70%"``.
    A SIZE has its unit: ``"4096B"``, ``"8KiB"`` (1,024), ``"1TiB"``.
    A rate has its unit: ``"5000iops"``, ``"200MB/s"`` (10^6 bytes), ``"200MiB/s"`` (2^20).
    """
    document: dict[str, Any] = ask(('plan',), locals())
    return document


@keywords
def explain(
    run: str | None = None,
    *,
    observed: str | None = None,
    results: str | PathLike[str] | None = None,
    want: str | None = None,
    duration: str | None = None,
    metadata: str | None = None,
    world: str | PathLike[str] | None = None,
    world_after: str | PathLike[str] | None = None,
    result: str | PathLike[str] | Mapping[str, Any] | Sequence[str | PathLike[str] | Mapping[str, Any]] | None = None,
    from_: str | None = None,
    interval: str | None = None,
    map: str | Sequence[str] | None = None,
    vm: str | None = None,
    disk: str | Sequence[str] | None = None,
    os_disk: str | None = None,
    stripe: str | None = None,
    columns: str | int | None = None,
    separate: bool | str | None = None,
    partition_offset: str | None = None,
    era: str | int | None = None,
    media: str | None = None,
    calibrate: str | PathLike[str] | Mapping[str, Any] | None = None,
    cache_state: str | None = None,
    at: str | int | None = None,
    accounts: str | None = None,
    on_demand_burst: bool | str | None = None,
    published: bool | str | None = None,
    catalog: str | PathLike[str] | Mapping[str, Any] | None = None,
    html: str | PathLike[str] | None = None,
    html_with_names: bool | str | None = None,
    seed: str | int | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Why this and not more: what binds, the evidence in figures, what would move it and by how much,
    and what to measure next when two causes can't be told apart.

    Without arguments it watches this machine's own counters for ten seconds, on Linux.

    Returns the document `iobound.explain/1`: ``findings``, best first, each with its ``rule``, ``claim``,
    ``evidence``, ``remedy``, ``predicted_after`` (``iops``, ``throughput_bytes_per_s`` in bytes a second)
    and ``confidence``.

    What is asked:
    ``run``
        A run that is kept, as --result; its configuration holds where none is given
    ``observed``
        What was seen: 'iops=1000 throughput=140MB/s read=30% latency=p99:5ms block=32KiB depth=16
        access=random duration=30s after=45min', and 'data.0: iops=500' for a volume or disk; depth is of
        all together
    ``results``
        Where runs are kept [default: IOBOUND_RESULTS, else in the user's data]
    ``want``
        What is wished for, to judge the changes by: 'iops=5000 latency=p99:5ms'
    ``duration``
        How long this machine is watched, where nothing else says what was seen [default: 10s]; TIME

    This machine:
    ``metadata``
        The cloud's metadata service: http://HOST[:PORT], or off [default: the link-local address, where
        the firmware names a cloud]
    ``world``
        A tree of files that stands for the machine: for tests
    ``world_after``
        The same machine after the time watched: for tests

    What was seen, in files:
    ``result``
        A result of iobound run, fio (JSON), DiskSpd (text, XML) or Iometer (CSV); or counters that were
        kept: iostat -x (text, JSON), /proc/diskstats, Performance Monitor (CSV),
        sys.dm_io_virtual_file_stats, pg_stat_io, Azure Monitor (CSV, JSON). Known by what is in it;
        repeat for two samples
    ``from_``
        What the file is, where that isn't plain: iobound, fio, diskspd, iometer, iostat, diskstats,
        perfmon, sqlserver, postgres, azure-monitor
    ``interval``
        The time between two samples, where the files do not tell it; TIME
    ``map``
        Which disk or volume of the configuration a device is: sdc=data.0, 'E:=data'; repeat for more

    Configuration:
    ``vm``
        The VM size: DS14 is enough for Standard_DS14
    ``disk``
        A volume of disks, [NAME=][COUNTx]WHAT[:CACHE]: P30, 10xP30:readonly, log=premium@600GiB,
        premiumv2@1TiB+20000iops+600MB/s; repeat for more volumes
    ``os_disk``
        The operating system's disk, a volume named `os`
    ``stripe``
        Bytes on one disk of a stripe before the next [default: 64KiB]; SIZE
    ``columns``
        Disks that one stripe spans [default: all of the volume's]
    ``separate``
        Each disk is a volume of its own
    ``partition_offset``
        Where the file system starts on the volume [default: 0]; SIZE
    ``era``
        The figures, disk counts and rules then in force: 2016, 2018-06, 2020-08, current
    ``media``
        Latency of the media in place of the catalogue's: read=2.6ms,write=2ms
    ``calibrate``
        Latency of the media from a result that was measured below every limit
    ``cache_state``
        What host caches hold: warm, cold, second-run [default: warm]
    ``at``
        Burst credits: sustained (spent), 0 (full), or how long after they were full, 20min; TIME
    ``accounts``
        Unmanaged disks of 2016 in storage accounts: one-each, shared [default: one-each]
    ``on_demand_burst``
        Premium SSDs above 512 GiB burst on demand, which is billed
    ``published``
        Limits exactly as published, factor 1, not as they are enforced
    ``catalog``
        Your own catalogue file, TOML or CSV: its figures win

    Answer:
    ``html``
        The answer as a page with pictures as well: one file that loads nothing; a page that is there is
        written over
    ``html_with_names``
        The page keeps host names, users' folders and cloud ids [default: left out]

    Every verb:
    ``seed``
        Draws every random choice (default 0): the same seed gives the same bytes
    ``config``
        Machine, disks and jobs from a TOML file

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    A SIZE has its unit: ``"4096B"``, ``"8KiB"`` (1,024), ``"1TiB"``.
    A TIME has its unit: ``"500us"``, ``"2ms"``, ``"30s"``, ``"20min"``.
    """
    document: dict[str, Any] = ask(('explain',), locals())
    return document


@keywords
def compare(
    *sides: str | PathLike[str] | Mapping[str, Any],
    fail_if: str | Sequence[str] | None = None,
    results: str | PathLike[str] | None = None,
    html: str | PathLike[str] | None = None,
    html_with_names: bool | str | None = None,
) -> dict[str, Any]:
    """What is different between results: each figure with its confidence interval, where in the
    distribution latencies moved, and what else changed.

    Each side is a file, the id of a run that is kept, or a result document.

    Returns the document `iobound.compare/1`: ``sides``, and ``comparisons``, one for each other side,
    with its ``figures`` beside the first's: the ``difference`` and its interval, ``low`` to ``high``;
    figures that end in ``_us`` are microseconds.

    What is asked:
    ``sides``
        Runs that are kept (r-142), and files: of iobound run --json, fio (JSON), DiskSpd (text or XML),
        Iometer (CSV)
    ``fail_if``
        Ends with exit code 1 where this holds: 'p99 > +5%', 'iops < 50000'; repeat for more
    ``results``
        The store [default: IOBOUND_RESULTS, else in the user's data]

    Answer:
    ``html``
        The answer as a page with pictures as well: one file that loads nothing; a page that is there is
        written over
    ``html_with_names``
        The page keeps host names, users' folders and cloud ids [default: left out]

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    """
    document: dict[str, Any] = ask(('compare',), locals())
    return document
