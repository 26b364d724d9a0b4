//! The plainest blueprints: disks without limiters and caches, alone or as one stripe. What else there is, is added to them.

use iobound_units::{Bytes, Span};

use crate::blueprint::{Blueprint, DiskId, DiskSpec, Latency, Media, Routes, VolumeSpec};

impl DiskSpec {
    /// A disk that is held back by nothing and takes this long for reads and writes alike, in transfers of 256 KiB at most.
    pub fn plain(name: impl Into<String>, size: Bytes, latency: Latency) -> DiskSpec {
        DiskSpec {
            name: name.into(),
            size,
            media: Media { read: latency, write: latency },
            routes: Routes::default(),
            cache: None,
            max_transfer: Bytes::kib(256),
        }
    }
}

impl VolumeSpec {
    /// Disks of this size as one stripe, aligned, at 64 KiB; one of them is a volume without a stripe.
    pub fn striped(
        name: impl Into<String>,
        disks: impl IntoIterator<Item = u16>,
        disk_size: Bytes,
    ) -> VolumeSpec {
        let disks: Vec<DiskId> = disks.into_iter().map(DiskId).collect();
        VolumeSpec {
            name: name.into(),
            size: Bytes(disk_size.get() * disks.len() as u64),
            columns: disks.len() as u16,
            disks,
            interleave: Bytes::kib(64),
            partition_offset: Bytes::ZERO,
        }
    }
}

impl Blueprint {
    /// One volume of so many plain disks, `NAME.0` and on, each of this size.
    pub fn striped(name: &str, disks: u16, disk_size: Bytes, latency: Latency) -> Blueprint {
        let disk = |n| DiskSpec::plain(format!("{name}.{n}"), disk_size, latency);
        Blueprint {
            volumes: vec![VolumeSpec::striped(name, 0..disks, disk_size)],
            disks: (0..disks).map(disk).collect(),
            ..Blueprint::default()
        }
    }

    /// The same of disks that take no time at all.
    pub fn instant(name: &str, disks: u16, disk_size: Bytes) -> Blueprint {
        Blueprint::striped(name, disks, disk_size, Latency::constant(Span::ZERO))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stack::{Event, Outcome, Stack, Start, StartCredits};
    use iobound_units::{Instant, Io, Tag, TargetId};

    #[test]
    fn a_plain_stripe_is_all_of_its_disks_and_nothing_holds_it_back() {
        for disks in [1, 3] {
            let took = Latency::constant(Span::from_ms(2));
            let blueprint = Blueprint::striped("data", disks, Bytes::mib(8), took);
            assert_eq!(blueprint.volumes[0].size, Bytes::mib(8 * u64::from(disks)));
            let start = Start { seed: 1, credits: StartCredits::Full };
            let mut stack = Stack::new(&blueprint, &start, 64).expect("a valid blueprint");
            for n in 0..64u32 {
                stack.submit(Instant::ZERO, Tag(n), Io::read(TargetId(0), u64::from(n) << 16, 65_536));
            }
            let (end, mut events) = (Instant::ZERO + Span::from_ms(2), Vec::new());
            stack.poll(end, &mut events);
            let is_done =
                |event: &Event| matches!(event, Event::Done { at, outcome: Outcome::Ok, .. } if *at == end);
            assert!(events.len() == 64 && events.iter().all(is_done), "{events:?}");
        }
    }
}
