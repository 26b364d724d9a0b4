//! The measurement on which two causes disagree.

/// What a cause says of a limit, or of none.
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
        "bad-host" | "media-latency" | "device-block" => Kind::Host,
        "not-storage" | "client-cpu" => Kind::Elsewhere,
        "linear-volume" | "hot-member" | "fewer-columns" | "stripe-misaligned" => Kind::Spread,
        "page-cache" | "unwritten" | "above-every-limit" => Kind::Memory,
        "file-system" | "cache-flush-stall" => Kind::FileSystem,
        "read-ahead" => Kind::ReadAhead,
        _ => Kind::Other,
    }
}

/// What to measure to tell two causes apart: the one on which they disagree (method: signatures and discriminating
/// experiments); `None` where no single measurement is known.
pub(crate) fn tell_apart(first: &str, second: &str) -> Option<String> {
    use Kind::*;
    let (one, other) = (kind(first), kind(second));
    let between = |a: Kind, b: Kind| (one, other) == (a, b) || (one, other) == (b, a);
    let either = |a: Kind| one == a || other == a;
    let said = match () {
        () if one == other && (first.ends_with("-iops") != second.ends_with("-iops")) => {
            "halve the block: the same IOPS say the IOPS limit, the same bytes the throughput"
        }
        () if between(Disk, Uncached) || between(Disk, Cached) => {
            "one disk alone, then all at once: a sum that grows is the disks' limit, one that stays the VM's"
        }
        () if between(Uncached, Cached) => {
            "add a disk without host cache: a total that rises says the cached limit"
        }
        () if between(Memory, Short) => {
            "with O_DIRECT on a file that is written, for longer than credits last"
        }
        () if either(Misses) => {
            "read the same 1 GiB twice: the second time it hits, and is faster if misses held it"
        }
        () if either(Credits) || either(Short) => {
            "leave it idle for some minutes and watch it for longer than the burst: a step down says credits"
        }
        () if either(FirstTouch) => {
            "read the same blocks again: a second time that is faster says the snapshot"
        }
        () if either(Memory) => "with O_DIRECT, on a file that is written",
        () if either(ReadAhead) => "the same reads with O_DIRECT: only what is asked for is read then",
        () if either(Spread) => {
            "the counters of each disk (iostat -x): one that is full and others that idle"
        }
        () if either(FileSystem) => "the same load on the raw device, or without fsync",
        () if either(Concurrency) => {
            "double the outstanding I/Os: IOPS that double say the queue, latency that doubles a limit"
        }
        () if between(Host, Elsewhere) => {
            "iobound run beside it: a latency that is high without the application says the host"
        }
        () if either(Elsewhere) => "iobound run beside it: if it gets more, the application asks for no more",
        () if either(Host) => "the same on another VM of this size",
        () => return None,
    };
    Some(said.into())
}
