"""The questions: each keyword is a flag of the verb of the same name.

Written by python/tools/generate.py from the program's own help; not by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

from ._ask import ask, keywords
from .answers import CompareDocument, ExplainDocument, PlanDocument, PredictDocument, RunDocument

if TYPE_CHECKING:
    import pandas


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
    trace: str | PathLike[str] | Sequence[str | PathLike[str]] | pandas.DataFrame | None = None,
    replay: str | None = None,
    speed: str | None = None,
    time_unit: str | None = None,
    seed: str | int | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> PredictDocument:
    """Predict what a configuration delivers: expected figures and their band, the ceiling, the binding
    limit, and the queue depth that reaches it.

    Returns the document `iobound.predict/2`: ``expected`` with ``iops``, the band ``low_iops`` to
    ``high_iops`` and ``throughput_bytes_per_s`` (bytes a second); ``ceiling``, the most that the limits
    allow; ``latency_us`` (microseconds); ``binding``, what holds it back; ``limits``, each limit with what
    is used of it; ``volumes`` and ``disks``; ``assumed`` and ``notes``. With ``trace``, a file or a table
    as of ``trace(...).to_frame()``, the document is `iobound.replay/1`.

    What is asked:
    ``find_knee``
        Find the knee by simulation and show the curve
    ``observed``
        Measured or published figure to compare with the band: 'iops=19882 throughput=81MB/s'
    ``region``
        Region for the monthly on-demand price: westeurope, us-east-1
    ``os``
        Operating system whose licence the price includes: linux, windows [default: linux]

    Configuration:
    ``vm``
        VM size; the short name is enough: DS14 for Standard_DS14
    ``disk``
        Volume of disks, [NAME=][COUNTx]DISK[:CACHE]: P30, 10xP30:readonly, log=premium@600GiB,
        P40+performance-plus, P10+P50 (performance tier), premiumv2@1TiB+20000iops+600MB/s; repeat for
        more volumes
    ``os_disk``
        The operating system's disk, a volume named `os`
    ``stripe``
        Interleave of a stripe: bytes on one disk before the next [default: 64KiB]; SIZE
    ``columns``
        Disks that one stripe spans [default: all of the volume's]
    ``separate``
        Make each disk a volume of its own
    ``partition_offset``
        Offset of the partition on the volume [default: 0]; SIZE
    ``era``
        Date of the figures, disk counts and rules: 2016, 2018-06, 2020-08, current, or a day such as
        2026-07-01 [default: current]
    ``media``
        Media latency instead of the catalogue's: read=2.6ms,write=2ms
    ``calibrate``
        Result of a run below every limit; its latency becomes the media latency
    ``cache_state``
        Content of host caches at the start: warm, cold, second-run [default: warm]
    ``at``
        Burst credits: sustained (spent), 0 (full), or the time since they were full: 20min [default:
        sustained]; TIME
    ``accounts``
        Storage accounts of unmanaged disks, with --era 2016: one-each, shared [default: one-each]
    ``on_demand_burst``
        Let Premium SSDs above 512 GiB burst on demand, which is billed
    ``published``
        Use the limits exactly as published (factor 1), not as enforced
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Cluster:
    ``hosts``
        Number of equal hosts, each with this workload. Also shows their sum, the slowest host, and a
        scan that waits for that host
    ``slow_host``
        Share of the expected figure that the slowest host delivers [default: the low end of the band;
        with --at, its figure with spent credits]; PERCENT

    Workload (default: random 4KiB reads, 32 outstanding):
    ``random``
        Random offsets (the default)
    ``sequential``
        Sequential offsets; =shared: one stream for all threads
    ``random_share``
        Percentage of random I/Os; the others are sequential; PERCENT
    ``block``
        Block size, or a mix of sizes with weights: 8KiB, 4KiB:60,64KiB:40 [default: 4KiB]; SIZE
    ``read``
        Percentage of reads; the others are writes [default: 100%]; PERCENT
    ``depth``
        Queue depth: outstanding I/Os of each thread on each volume
    ``threads``
        Threads on each volume
    ``rate``
        Open loop at this rate in all, divided equally among volumes and threads: 5000iops, 200MB/s
    ``arrivals``
        Arrival times with --rate: fixed, poisson [default: fixed]
    ``cap``
        Closed loop with this upper limit for each thread and volume
    ``size``
        Size of the used part of each volume; SIZE
    ``offset``
        Offset of the used part [default: 0]; SIZE
    ``zipf``
        Exponent of a Zipf distribution of offsets
    ``hot``
        Hot zone: 90/10 sends 90 % of the I/Os to 10 % of the range
    ``flush_every``
        Number of writes between two flushes
    ``think``
        Pause after each I/O, or after each --burst of I/Os; TIME
    ``burst``
        I/Os between two pauses
    ``stride``
        Distance between the starts of two sequential I/Os; SIZE
    ``align``
        Alignment of offsets; SIZE
    ``diskspd``
        A DiskSpd command line: '-b4K -o8 -t4 -r'
    ``diskspd_xml``
        A DiskSpd XML profile
    ``fio``
        An fio command line ('--name=a --size=10g --rw=randread') or job file
    ``iometer``
        An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
    ``preset``
        Workload of a real system; `iobound catalog presets` lists them
    ``workload``
        Jobs in a TOML file
    ``map``
        Replacement for a path in another tool's workload: e:=data (a volume), e:=/mnt/data (a directory)
    ``duration``
        Measurement time [default: 30s]; for `predict`, of a run from idle with full burst credits; TIME
    ``warmup``
        Warm-up time, excluded from the results; TIME
    ``cooldown``
        Time that I/O continues after the measurement; TIME

    Answer:
    ``html``
        Also write the answer as one HTML page with charts, without external resources. Replaces an
        existing iobound page
    ``html_with_names``
        Keep host names, users' folders and cloud ids in the page [default: left out]

    Trace (in place of a workload):
    ``trace``
        Replay this trace; repeat for several files. `iobound trace --help` lists the formats
    ``replay``
        Issue times of the I/Os: timed (as recorded) or dependent (each after the I/Os that completed
        before it in the recording) [default: timed]
    ``speed``
        Factor on the recorded speed [default: 1]
    ``time_unit``
        Unit of the trace's times, if the format's own is wrong: s, ms, us, 100ns, ns

    Every verb:
    ``seed``
        Seed of all random choices; the same seed gives the same bytes [default: 0]
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    A PERCENT is of 100: ``70`` or ``"70%"``.
    A SIZE is a number of bytes, or has its unit: ``4096``, ``"8KiB"`` (1,024), ``"1TiB"``.
    A TIME is a number of seconds, or has its unit: ``30``, ``"500us"``, ``"2ms"``, ``"20min"``.
    A rate has its unit: ``"5000iops"``, ``"200MB/s"`` (10^6 bytes), ``"200MiB/s"`` (2^20).
    """
    document: PredictDocument = ask(('predict',), locals())
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
    trace: str | PathLike[str] | Sequence[str | PathLike[str]] | pandas.DataFrame | None = None,
    replay: str | None = None,
    speed: str | None = None,
    time_unit: str | None = None,
    seed: str | int | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> RunDocument:
    """Simulate the workload's own duration in virtual time. Returns a result with its series and every
    latency. Where the workload has stages, each begins in the state of the configuration. A trace in
    place of the workload is replayed.

    Returns the document of a result, `iobound.result/1`: ``iops``, ``throughput_bytes_per_s`` (bytes a
    second), ``latency_us`` (microseconds), ``read``, ``write``, ``jobs`` with every latency
    (``jobs[].histograms``, in ns; see `read_histogram`), ``series`` with a dictionary for each second, and
    ``model``: what bound, and what each limit held. The same seed gives the same document. It takes some
    100 ns for each I/O; Ctrl-C ends it. With ``trace``, a file or a table as of ``trace(...).to_frame()``,
    the document is `iobound.replay/1`.

    Configuration:
    ``vm``
        VM size; the short name is enough: DS14 for Standard_DS14
    ``disk``
        Volume of disks, [NAME=][COUNTx]DISK[:CACHE]: P30, 10xP30:readonly, log=premium@600GiB,
        P40+performance-plus, P10+P50 (performance tier), premiumv2@1TiB+20000iops+600MB/s; repeat for
        more volumes
    ``os_disk``
        The operating system's disk, a volume named `os`
    ``stripe``
        Interleave of a stripe: bytes on one disk before the next [default: 64KiB]; SIZE
    ``columns``
        Disks that one stripe spans [default: all of the volume's]
    ``separate``
        Make each disk a volume of its own
    ``partition_offset``
        Offset of the partition on the volume [default: 0]; SIZE
    ``era``
        Date of the figures, disk counts and rules: 2016, 2018-06, 2020-08, current, or a day such as
        2026-07-01 [default: current]
    ``media``
        Media latency instead of the catalogue's: read=2.6ms,write=2ms
    ``calibrate``
        Result of a run below every limit; its latency becomes the media latency
    ``cache_state``
        Content of host caches at the start: warm, cold, second-run [default: warm]
    ``at``
        Burst credits: sustained (spent), 0 (full), or the time since they were full: 20min [default:
        sustained]; TIME
    ``accounts``
        Storage accounts of unmanaged disks, with --era 2016: one-each, shared [default: one-each]
    ``on_demand_burst``
        Let Premium SSDs above 512 GiB burst on demand, which is billed
    ``published``
        Use the limits exactly as published (factor 1), not as enforced
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Workload (default: random 4KiB reads, 32 outstanding):
    ``random``
        Random offsets (the default)
    ``sequential``
        Sequential offsets; =shared: one stream for all threads
    ``random_share``
        Percentage of random I/Os; the others are sequential; PERCENT
    ``block``
        Block size, or a mix of sizes with weights: 8KiB, 4KiB:60,64KiB:40 [default: 4KiB]; SIZE
    ``read``
        Percentage of reads; the others are writes [default: 100%]; PERCENT
    ``depth``
        Queue depth: outstanding I/Os of each thread on each volume
    ``threads``
        Threads on each volume
    ``rate``
        Open loop at this rate in all, divided equally among volumes and threads: 5000iops, 200MB/s
    ``arrivals``
        Arrival times with --rate: fixed, poisson [default: fixed]
    ``cap``
        Closed loop with this upper limit for each thread and volume
    ``size``
        Size of the used part of each volume; SIZE
    ``offset``
        Offset of the used part [default: 0]; SIZE
    ``zipf``
        Exponent of a Zipf distribution of offsets
    ``hot``
        Hot zone: 90/10 sends 90 % of the I/Os to 10 % of the range
    ``flush_every``
        Number of writes between two flushes
    ``think``
        Pause after each I/O, or after each --burst of I/Os; TIME
    ``burst``
        I/Os between two pauses
    ``stride``
        Distance between the starts of two sequential I/Os; SIZE
    ``align``
        Alignment of offsets; SIZE
    ``diskspd``
        A DiskSpd command line: '-b4K -o8 -t4 -r'
    ``diskspd_xml``
        A DiskSpd XML profile
    ``fio``
        An fio command line ('--name=a --size=10g --rw=randread') or job file
    ``iometer``
        An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
    ``preset``
        Workload of a real system; `iobound catalog presets` lists them
    ``workload``
        Jobs in a TOML file
    ``map``
        Replacement for a path in another tool's workload: e:=data (a volume), e:=/mnt/data (a directory)
    ``duration``
        Measurement time [default: 30s]; for `predict`, of a run from idle with full burst credits; TIME
    ``warmup``
        Warm-up time, excluded from the results; TIME
    ``cooldown``
        Time that I/O continues after the measurement; TIME

    Trace (in place of a workload):
    ``trace``
        Replay this trace; repeat for several files. `iobound trace --help` lists the formats
    ``replay``
        Issue times of the I/Os: timed (as recorded) or dependent (each after the I/Os that completed
        before it in the recording) [default: timed]
    ``speed``
        Factor on the recorded speed [default: 1]
    ``time_unit``
        Unit of the trace's times, if the format's own is wrong: s, ms, us, 100ns, ns

    Every verb:
    ``seed``
        Seed of all random choices; the same seed gives the same bytes [default: 0]
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    A PERCENT is of 100: ``70`` or ``"70%"``.
    A SIZE is a number of bytes, or has its unit: ``4096``, ``"8KiB"`` (1,024), ``"1TiB"``.
    A TIME is a number of seconds, or has its unit: ``30``, ``"500us"``, ``"2ms"``, ``"20min"``.
    A rate has its unit: ``"5000iops"``, ``"200MB/s"`` (10^6 bytes), ``"200MiB/s"`` (2^20).
    """
    document: RunDocument = ask(('simulate',), locals())
    return document


@keywords
def plan(
    *,
    iops: str | int | float | None = None,
    throughput: str | None = None,
    like: bool | None = None,
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
    include_special: bool | str | None = None,
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
    trace: str | PathLike[str] | Sequence[str | PathLike[str]] | pandas.DataFrame | None = None,
    replay: str | None = None,
    speed: str | None = None,
    time_unit: str | None = None,
    seed: str | int | None = None,
    config: str | PathLike[str] | Mapping[str, Any] | None = None,
) -> PlanDocument:
    """Find the cheapest VM and disks that meet a need, and say why each cheaper choice does not.

    Returns the document `iobound.plan/1`: ``candidates``, the cheapest first, each with its
    ``configuration``, ``price`` (US dollars a month), ``binding`` and ``predicted`` figures; ``refused``,
    what is cheaper and why it fails; ``frontier``; ``assumed`` and ``notes``. With ``trace``, a file or a
    table as of ``trace(...).to_frame()``, ``trace`` has the replays.

    Need:
    ``iops``
        IOPS of the workload's block size, or a range if you do not know: 20000..60000
    ``throughput``
        Throughput; if it exceeds IOPS x block size, larger I/Os are assumed
    ``like``
        Take the need from the probed disks of --config, all together; other options of this section
        override parts of it
    ``capacity``
        Capacity of the data volume; SIZE
    ``working_set``
        Size of the data in use at a time, for the host cache [default: the capacity]; SIZE
    ``latency``
        Highest latency at the requested rate: p99:5ms, mean:1ms
    ``log``
        A log on disks of its own: 'iops=2000 block=32KiB capacity=256GiB'
    ``temp``
        Temporary data that may be lost with the VM, on its local disks: 'iops=20000 block=64KiB read=50%
        capacity=200GiB'
    ``headroom``
        Percentage of every limit to keep free, so that I/Os do not queue; 0% buys the exact rate
        [default: 10%]; PERCENT

    Cluster:
    ``hosts``
        Number of equal hosts that share the need: 8, the cheapest number of 4..16, or auto (1..16)
    ``slow_host``
        Share of its limits that the slowest host delivers; a scan waits for it [default: 100 %]; PERCENT

    Terms:
    ``region``
        Region, one for each cloud [default: westeurope, us-east-1, us-central1]
    ``cloud``
        Clouds: azure, aws, gcp [default: azure, or the region's]
    ``os``
        Operating system whose licence the price includes [default: linux]
    ``arch``
        Processor architecture [default: x64]
    ``include_old``
        Include sizes that have a later generation
    ``include_burstable``
        Include sizes whose processors run on credits
    ``include_special``
        Include GPU, HPC and confidential sizes
    ``burst``
        Count on disk and VM bursts, which last minutes
    ``vcpus``
        Range of usable vCPUs: 8, 8-16, 8-, -16
    ``memory``
        Range of memory: 64GiB-, 64GiB-128GiB
    ``max_price``
        Highest price in US dollars a month
    ``disk_types``
        Disk types to consider: premium, premiumv2, ultra, standardssd, standardhdd, gp2, gp3, io1, io2,
        st1, sc1, pd-standard, pd-balanced, pd-ssd, pd-extreme, hyperdisk-balanced,
        hyperdisk-balanced-ha, hyperdisk-extreme, hyperdisk-throughput, hyperdisk-ml;
        premium+performance-plus: only disks with that setting
    ``keep_vm``
        VM size to keep: find the disks for it
    ``keep_disks``
        Data disks to keep: find the VM for them
    ``redundancy``
        Redundancy of the disks: lrs (one datacentre) or zrs (three zones; not for every type) [default:
        lrs]
    ``per_disk``
        Value of having one disk less, in US dollars a month; it affects the choice, not the prices
        [default: 1]
    ``rank``
        Order of candidates: price, or size (fewest vCPUs, least memory) [default: price, or size if no
        price is known]
    ``no_host_cache``
        Do not use a host cache

    Answer:
    ``candidates``
        Number of candidates to show [default: 10]
    ``build``
        Show the commands that build and test candidate N: az, aws, Terraform; mdadm, LVM and fio, or
        with --os windows Storage Spaces and DiskSpd

    Terms:
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Workload (default: random 4KiB reads):
    ``block``
        Block size, or a mix of sizes with weights: 8KiB, 4KiB:60,64KiB:40 [default: 4KiB]; SIZE
    ``read``
        Percentage of reads; the others are writes [default: 100%]; PERCENT
    ``rate``
        The same as --iops or --throughput: 5000iops, 200MB/s
    ``diskspd``
        A DiskSpd command line: '-b4K -o8 -t4 -r'
    ``diskspd_xml``
        A DiskSpd XML profile
    ``fio``
        An fio command line ('--name=a --size=10g --rw=randread') or job file
    ``iometer``
        An Iometer configuration file, or an access specification: 4096,100,67,100,0,1,0,0
    ``preset``
        Workload of a real system; `iobound catalog presets` lists them
    ``workload``
        Jobs in a TOML file

    Answer:
    ``html``
        Also write the answer as one HTML page with charts, without external resources. Replaces an
        existing iobound page
    ``html_with_names``
        Keep host names, users' folders and cloud ids in the page [default: left out]

    Trace (in place of a workload):
    ``trace``
        Replay this trace; repeat for several files. `iobound trace --help` lists the formats
    ``replay``
        Issue times of the I/Os: timed (as recorded) or dependent (each after the I/Os that completed
        before it in the recording) [default: timed]
    ``speed``
        Factor on the recorded speed [default: 1]
    ``time_unit``
        Unit of the trace's times, if the format's own is wrong: s, ms, us, 100ns, ns

    Every verb:
    ``seed``
        Seed of all random choices; the same seed gives the same bytes [default: 0]
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    A PERCENT is of 100: ``70`` or ``"70%"``.
    A SIZE is a number of bytes, or has its unit: ``4096``, ``"8KiB"`` (1,024), ``"1TiB"``.
    A rate has its unit: ``"5000iops"``, ``"200MB/s"`` (10^6 bytes), ``"200MiB/s"`` (2^20).
    """
    document: PlanDocument = ask(('plan',), locals())
    return document


@keywords
def explain(
    run: str | None = None,
    *,
    observed: str | None = None,
    results: str | PathLike[str] | None = None,
    want: str | None = None,
    region: str | None = None,
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
) -> ExplainDocument:
    """Explain which limit holds the result back: the evidence in figures, and the changes that would
    move it and by how much. If two causes cannot be told apart, name the next measurement.

    Without arguments it watches this machine's own counters for ten seconds, on Linux.

    Returns the document `iobound.explain/2`: ``findings``, best first, each with its ``rule``, ``claim``,
    ``evidence``, ``remedy``, ``predicted_after`` (``iops``, ``throughput_bytes_per_s`` in bytes a second)
    and ``confidence``.

    What is asked:
    ``run``
        Kept run to explain; its configuration is used unless another is given
    ``observed``
        Measured figures: 'iops=1000 throughput=140MB/s read=30% latency=p99:5ms block=32KiB depth=16
        access=random duration=30s after=45min', or 'data.0: iops=500' for one volume or disk; depth is
        the sum over all volumes
    ``results``
        Results store [default: IOBOUND_RESULTS, else in the user's data folder]
    ``want``
        Goal against which changes are judged: 'iops=5000 latency=p99:5ms'
    ``region``
        Region of the prices of changes [default: westeurope, us-east-1, us-central1]
    ``duration``
        Time to watch this machine, if no measured figures are given [default: 10s]; TIME

    This machine:
    ``metadata``
        Metadata service of the cloud: http://HOST[:PORT], or off [default: the link-local address, if
        the firmware names a cloud]
    ``world``
        A tree of files that stands for the machine: for tests
    ``world_after``
        The same machine after the time watched: for tests

    Measurements in files:
    ``result``
        File with measurements. Results: iobound run, fio (JSON), DiskSpd (text, XML), Iometer (CSV).
        Counters: iostat -x (text, JSON), /proc/diskstats, Performance Monitor (CSV),
        sys.dm_io_virtual_file_stats, pg_stat_io, Azure Monitor and Cloud Monitoring (CSV, JSON),
        CloudWatch (JSON). The format is recognised. Repeat it if two samples are in two files
    ``from_``
        Format of the file, if it is not recognised: iobound, fio, diskspd, iometer, iostat, diskstats,
        perfmon, sqlserver, postgres, azure-monitor, cloudwatch, cloud-monitoring
    ``interval``
        Time between two samples, if the files do not state it; TIME
    ``map``
        Disk or volume of the configuration for a device: sdc=data.0, 'E:=data'; repeat for more

    Configuration:
    ``vm``
        VM size; the short name is enough: DS14 for Standard_DS14
    ``disk``
        Volume of disks, [NAME=][COUNTx]DISK[:CACHE]: P30, 10xP30:readonly, log=premium@600GiB,
        P40+performance-plus, P10+P50 (performance tier), premiumv2@1TiB+20000iops+600MB/s; repeat for
        more volumes
    ``os_disk``
        The operating system's disk, a volume named `os`
    ``stripe``
        Interleave of a stripe: bytes on one disk before the next [default: 64KiB]; SIZE
    ``columns``
        Disks that one stripe spans [default: all of the volume's]
    ``separate``
        Make each disk a volume of its own
    ``partition_offset``
        Offset of the partition on the volume [default: 0]; SIZE
    ``era``
        Date of the figures, disk counts and rules: 2016, 2018-06, 2020-08, current, or a day such as
        2026-07-01 [default: current]
    ``media``
        Media latency instead of the catalogue's: read=2.6ms,write=2ms
    ``calibrate``
        Result of a run below every limit; its latency becomes the media latency
    ``cache_state``
        Content of host caches at the start: warm, cold, second-run [default: warm]
    ``at``
        Burst credits: sustained (spent), 0 (full), or the time since they were full: 20min [default:
        sustained]; TIME
    ``accounts``
        Storage accounts of unmanaged disks, with --era 2016: one-each, shared [default: one-each]
    ``on_demand_burst``
        Let Premium SSDs above 512 GiB burst on demand, which is billed
    ``published``
        Use the limits exactly as published (factor 1), not as enforced
    ``catalog``
        Your own catalogue file (TOML or CSV); its figures override the shipped ones

    Answer:
    ``html``
        Also write the answer as one HTML page with charts, without external resources. Replaces an
        existing iobound page
    ``html_with_names``
        Keep host names, users' folders and cloud ids in the page [default: left out]

    Every verb:
    ``seed``
        Seed of all random choices; the same seed gives the same bytes [default: 0]
    ``config``
        TOML file with machine, disks and jobs

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    A SIZE is a number of bytes, or has its unit: ``4096``, ``"8KiB"`` (1,024), ``"1TiB"``.
    A TIME is a number of seconds, or has its unit: ``30``, ``"500us"``, ``"2ms"``, ``"20min"``.
    """
    document: ExplainDocument = ask(('explain',), locals())
    return document


@keywords
def compare(
    *sides: str | PathLike[str] | Mapping[str, Any],
    fail_if: str | Sequence[str] | None = None,
    results: str | PathLike[str] | None = None,
    html: str | PathLike[str] | None = None,
    html_with_names: bool | str | None = None,
) -> CompareDocument:
    """Compare results: differences with confidence intervals, latencies that moved, and other conditions
    that changed.

    Each side is a file, the id of a run that is kept, or a result document.

    Returns the document `iobound.compare/1`: ``sides``, and ``comparisons``, one for each other side,
    with its ``figures`` beside the first's: the ``difference`` and its interval, ``low`` to ``high``;
    figures that end in ``_us`` are microseconds.

    What is asked:
    ``sides``
        Kept runs (r-142), and result files: iobound run --json, fio (JSON), DiskSpd (text or XML),
        Iometer (CSV)
    ``fail_if``
        Condition that ends the program with exit code 1: 'p99 > +5%', 'iops < 50000'; repeat for more
    ``results``
        Results store [default: IOBOUND_RESULTS, else in the user's data folder]

    Answer:
    ``html``
        Also write the answer as one HTML page with charts, without external resources. Replaces an
        existing iobound page
    ``html_with_names``
        Keep host names, users' folders and cloud ids in the page [default: left out]

    A number without its unit is refused where it could have several.
    A FILE is a path; a catalogue, configuration or workload may also be given as a dictionary or as the
    text of the file, a result as a document.
    """
    document: CompareDocument = ask(('compare',), locals())
    return document
