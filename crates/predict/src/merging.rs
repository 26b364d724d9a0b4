//! Mean charge of I/Os where contiguous ones are merged.

use iobound_model::{Charge, Merge};
use iobound_units::Op;
use iobound_workload::{Job, Share};

/// Position of the I/Os of one share of a job's mix to those before them.
///
/// Streams at places of their own are taken as one: several that share a disk break each other's runs, but how often depends on
/// the order in which they come, and a ceiling is what no order exceeds. Streams of several threads that pass the same places go
/// on from each other's I/Os.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Following<'a> {
    mix: &'a [Share],
    op: Op,
    /// The share of them that begin where the stream's last I/O ended.
    contiguous: f64,
    /// The streams that pass the same places.
    streams: u32,
}

impl Following<'_> {
    /// The I/Os of `share` on a volume of so many columns, of so many threads on the same extents.
    pub(crate) fn of<'a>(job: &'a Job, share: &Share, columns: u16, threads: u32) -> Following<'a> {
        let random = f64::from(share.random.unwrap_or(job.access.random).ppm()) / 1e6;
        // A stride leaves gaps, unless those lie on the stripe's other disks.
        let leaves_gaps = job.access.stride.is_some_and(|stride| stride.get() != u64::from(share.block));
        let contiguous = if leaves_gaps && columns == 1 { 0.0 } else { 1.0 - random };
        let apart = job.access.shared || job.access.thread_stride.is_some_and(|stride| stride.get() > 0);
        let streams = if apart { 1 } else { threads.clamp(1, MOST_STREAMS) };
        Following { mix: &job.mix, op: share.op, contiguous, streams }
    }

    /// Probability that an I/O goes on from one of its own direction that is large enough to be merged: of its own stream, or of
    /// another one at the same place.
    fn goes_on(&self, least: u64) -> f64 {
        let weight = |shares: &dyn Fn(&&Share) -> bool| -> f64 {
            self.mix.iter().filter(shares).map(|share| f64::from(share.weight)).sum()
        };
        let data = weight(&|share| share.op.moves_data());
        let alike = weight(&|share| share.op == self.op && u64::from(share.block) >= least);
        if data <= 0.0 {
            return 0.0;
        }
        let missed_by_all = (0..self.streams).fold(1.0, |missed, _| missed * (1.0 - alike / data));
        self.contiguous * (1.0 - missed_by_all)
    }
}

/// More streams than this change nothing.
const MOST_STREAMS: u32 = 64;

/// Number of I/Os of a run that are counted one by one; the rest are charged as their length, which they are on average.
const COUNTED: u32 = 1_024;

/// The units that an I/O of `len` bytes is charged on average.
///
/// A run is an I/O that does not go on from one before it and those that do: with the chance `p` of going on, the n-th is
/// there with pⁿ, and begins as many units as end within it. A run has 1 / (1 − p) I/Os.
pub(crate) fn mean_units(charge: Charge, len: u64, following: Following<'_>) -> f64 {
    let Charge::Merged(Merge { unit, least, .. }) = charge else { return charge.units(len) as f64 };
    let p = if len >= least.get() { following.goes_on(least.get()) } else { 0.0 };
    let units_to = |ios: u64| (ios * len).div_ceil(unit.get());
    let (mut units, mut there) = (0.0, 1.0);
    for n in 0..u64::from(COUNTED) {
        let chance = (1.0 - p) * there;
        if chance == 0.0 {
            break;
        }
        units += chance * (units_to(n + 1) - units_to(n)) as f64;
        there *= p;
    }
    units + there * len as f64 / unit.get() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_model::ByteCharge;
    use iobound_units::{Bytes, Percent};
    use iobound_workload::Access;

    const K: u64 = 1 << 10;

    fn job(read: u32, random: u32, block: u64) -> Job {
        let mut job = Job::new("job");
        job.set_mix((block * K) as u32, Percent::whole(read).unwrap());
        job.access = Access { random: Percent::whole(random).unwrap(), ..Access::sequential() };
        job
    }

    fn units(job: &Job, unit: u64, len: u64) -> f64 {
        units_of_threads(job, unit, len, 1)
    }

    fn units_of_threads(job: &Job, unit: u64, len: u64, threads: u32) -> f64 {
        let merge =
            Merge { unit: Bytes::kib(unit), least: Bytes::kib(32), bytes: ByteCharge::Moved, streams: 1 };
        mean_units(Charge::Merged(merge), len * K, Following::of(job, &job.mix[0], 1, threads))
    }

    fn near(figure: f64, oracle: f64) -> bool {
        (figure - oracle).abs() < 1e-9
    }

    #[test]
    fn a_stream_is_charged_its_bytes_and_random_ios_each_for_itself() {
        for (len, sequential, random) in
            [(16, 1.0, 1.0), (32, 0.125, 1.0), (64, 0.25, 1.0), (256, 1.0, 1.0), (300, 300.0 / 256.0, 2.0)]
        {
            assert!(near(units(&job(100, 0, len), 256, len), sequential), "{len} KiB sequential");
            assert!(near(units(&job(100, 100, len), 256, len), random), "{len} KiB random");
        }
    }

    #[test]
    fn what_breaks_a_run_now_and_then_begins_a_unit_each_time() {
        // 128 KiB, two a unit, one in two goes on: a unit is begun by who does not, and by every second of those that do:
        // (1 − p) (1 + p² + p⁴ + …) = (1 − p) / (1 − p²) = 1 / (1 + p).
        assert!(near(units(&job(100, 50, 128), 256, 128), 1.0 / 1.5));
        // 70 % reads go on from reads only.
        assert!(near(units(&job(70, 0, 128), 256, 128), 1.0 / 1.7));
    }

    #[test]
    fn threads_at_the_same_places_go_on_from_each_other() {
        // Half are reads: of two threads one or the other has read the place before with 3/4.
        assert!(near(units_of_threads(&job(50, 0, 128), 256, 128, 2), 1.0 / 1.75));
        // With streams of their own they do not.
        let mut apart = job(50, 0, 128);
        apart.access.thread_stride = Some(Bytes::mib(64));
        assert!(near(units_of_threads(&apart, 256, 128, 2), 1.0 / 1.5));
        apart.access = Access { shared: true, ..Access::sequential() };
        assert!(near(units_of_threads(&apart, 256, 128, 2), 1.0 / 1.5));
    }
}
