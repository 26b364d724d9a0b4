//! The measurement on which two causes disagree.

/// Claim of a cause about a limit, or about none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Disk,
    Uncached,
    Cached,
    Misses,
    Credits,
    Short,
    Concurrency,
    FirstTouch,
    Host,
    Elsewhere,
    Spread,
    Memory,
    FileSystem,
    ReadAhead,
    Moments,
    Other,
}

fn kind(rule: &str) -> Kind {
    match rule {
        "disk-iops" | "disk-throughput" | "provisioned-default" | "large-io-charge" | "vm-unused" => {
            Kind::Disk
        }
        "vm-uncached-iops" | "vm-uncached-throughput" | "unreachable" => Kind::Uncached,
        "vm-cached-iops" | "vm-cached-throughput" | "write-under-read-cache" => Kind::Cached,
        "cached-miss" | "cold-cache" => Kind::Misses,
        "burst-spent-disk" | "burst-spent-vm" => Kind::Credits,
        "burst-measured" | "too-short" => Kind::Short,
        "shallow-queue" | "deep-queue" => Kind::Concurrency,
        "lazy-load" => Kind::FirstTouch,
        "bad-host" | "media-latency" | "device-block" | "stalled-volume" => Kind::Host,
        "micro-burst" => Kind::Moments,
        "not-storage" | "client-cpu" => Kind::Elsewhere,
        "linear-volume" | "hot-member" | "fewer-columns" | "stripe-misaligned" => Kind::Spread,
        "page-cache" | "unwritten" | "above-every-limit" => Kind::Memory,
        "file-system" | "cache-flush-stall" | "no-write-cache" => Kind::FileSystem,
        "read-ahead" => Kind::ReadAhead,
        _ => Kind::Other,
    }
}

/// Measurement that separates two causes: one on which they disagree (method: signatures and discriminating
/// experiments); `None` where no single measurement is known.
pub(crate) fn tell_apart(first: &str, second: &str) -> Option<String> {
    use Kind::*;
    let (one, other) = (kind(first), kind(second));
    let between = |a: Kind, b: Kind| (one, other) == (a, b) || (one, other) == (b, a);
    let either = |a: Kind| one == a || other == a;
    let said = match () {
        () if one == other && (first.ends_with("-iops") != second.ends_with("-iops")) => {
            "halve the block size: constant IOPS indicate the IOPS limit, constant bytes the throughput limit"
        }
        () if between(Disk, Uncached) || between(Disk, Cached) => {
            "read one disk alone, then all at once: a growing sum indicates the disks' limit, a constant sum the VM's"
        }
        () if between(Uncached, Cached) => {
            "add a disk without host cache: a rising total indicates the cached limit"
        }
        () if between(Memory, Short) => {
            "with O_DIRECT on a file that is written, for longer than credits last"
        }
        () if either(Moments) => {
            "the same second by second (iostat -x 1): seconds at a limit indicate bursts, a constant rate the host"
        }
        () if either(Misses) => {
            "read the same 1 GiB twice: the second pass hits the cache, and is faster if misses were the limit"
        }
        () if either(Credits) || either(Short) => {
            "leave it idle for some minutes, then measure for longer than the burst: a step down indicates credits"
        }
        () if either(FirstTouch) => "read the same blocks again: a faster second pass indicates the snapshot",
        () if either(Memory) => "with O_DIRECT, on a file that is written",
        () if either(ReadAhead) => "the same reads with O_DIRECT, which reads only the requested bytes",
        () if either(Spread) => "the counters of each disk (iostat -x): one busy disk among idle ones",
        () if either(FileSystem) => "the same load on the raw device, or without fsync",
        () if either(Concurrency) => {
            "double the outstanding I/Os: doubled IOPS indicate the queue depth, doubled latency a limit"
        }
        () if between(Host, Elsewhere) => {
            "iobound run without the application: a high latency indicates the host"
        }
        () if either(Elsewhere) => {
            "iobound run at the same time: if the rate rises, the application does not issue more"
        }
        () if either(Host) => "the same on another VM of this size",
        () => return None,
    };
    Some(said.into())
}
