//! The measurement on which two causes disagree.

use crate::rules::{Claim, claim_of};

/// Measurement that separates two causes: one on which they disagree (method: signatures and discriminating
/// experiments); `None` where no single measurement is known.
pub(crate) fn tell_apart(first: &str, second: &str) -> Option<String> {
    use Claim::*;
    let (one, other) = (claim_of(first), claim_of(second));
    let between = |a: Claim, b: Claim| (one, other) == (a, b) || (one, other) == (b, a);
    let either = |a: Claim| one == a || other == a;
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
        () if either(FileSystem) => {
            "the same load without fsync; or without a file system, on a spare volume of the same kind, because it overwrites the data"
        }
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
