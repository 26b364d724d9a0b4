//! The data of all disks, addressed through the volumes.

use std::ops::Range;

use iobound_model::{Blueprint, CacheMode, DiskId, DiskSpec, Event, Extent, Stripe, VolumeSpec};
use iobound_units::Bytes;

use super::allocation::{Allocation, Run};
use super::cold::Cold;
use super::disk::Disk;
use super::{Backing, Durability};
use crate::export::ExportId;
use crate::request::Errno;

/// The data of all disks: writes to a volume show on its disks, and the other way round. For disks with a ReadWrite
/// host cache it knows which data the media has, by the model's events.
pub struct Contents {
    volumes: Vec<Stripe>,
    disks: Vec<Disk>,
}

impl Contents {
    /// The volumes of a blueprint over these disks, in its order.
    pub fn new(blueprint: &Blueprint, backings: Vec<Box<dyn Backing>>) -> Contents {
        assert_eq!(backings.len(), blueprint.disks.len(), "a backing for each disk");
        let disks = backings.into_iter().zip(&blueprint.disks);
        Contents {
            volumes: blueprint.volumes.iter().map(|v| Stripe::new(v, blueprint)).collect(),
            disks: disks.map(|(backing, spec)| Disk::new(backing, is_write_back(spec))).collect(),
        }
    }

    /// Calls for the disks' parts of a range, in the order of the volume's bytes, up to the first that fails.
    fn walk(
        &mut self,
        export: ExportId,
        offset: u64,
        len: u64,
        mut each: impl FnMut(&mut Disk, Extent) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let (disks, mut result) = (&mut self.disks, Ok(()));
        self.volumes[usize::from(export.0)].walk(offset, len, |extent| {
            if result.is_ok() {
                result = each(&mut disks[usize::from(extent.disk.0)], extent);
            }
        });
        result
    }

    /// Calls for the disks' parts of a range that needs no data: what follows one another on a disk is one part, since each may
    /// cost a system call.
    fn clear(
        &mut self,
        export: ExportId,
        offset: u64,
        len: u64,
        each: impl Fn(&mut Disk, u64, u64) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let mut runs: Vec<(DiskId, u64, u64)> = Vec::new();
        self.volumes[usize::from(export.0)].walk(offset, len, |extent| {
            let len = u64::from(extent.len);
            match runs.iter_mut().rev().find(|run| run.0 == extent.disk) {
                Some((_, start, so_far)) if *start + *so_far == extent.offset => *so_far += len,
                _ => runs.push((extent.disk, extent.offset, len)),
            }
        });
        runs.into_iter()
            .try_for_each(|(disk, offset, len)| each(&mut self.disks[usize::from(disk.0)], offset, len))
    }

    /// Fills `into` with what is at `offset` of an export; what would have to be waited for is left to `cold`, if there is one:
    /// then what is in `into` is of no use.
    ///
    /// # Errors
    /// Returns the error of the store below.
    pub fn read(
        &mut self,
        export: ExportId,
        offset: u64,
        into: &mut [u8],
        mut cold: Option<&mut Cold>,
    ) -> Result<(), Errno> {
        let (len, mut rest) = (into.len() as u64, into);
        self.walk(export, offset, len, |disk, extent| {
            let (part, after) = std::mem::take(&mut rest).split_at_mut(extent.len as usize);
            rest = after;
            disk.read(extent.offset, part, cold.as_deref_mut())
        })
    }

    /// Keeps `data` at `offset` of an export.
    ///
    /// # Errors
    /// Returns an error if there is no room or the store below fails. A part of the data may have been kept.
    pub fn write(
        &mut self,
        export: ExportId,
        offset: u64,
        data: &[u8],
        durability: Durability,
    ) -> Result<(), Errno> {
        let mut rest = data;
        self.walk(export, offset, data.len() as u64, |disk, extent| {
            let (part, after) = rest.split_at(extent.len as usize);
            rest = after;
            disk.write(extent.offset, part, durability)
        })
    }

    /// Writes zeroes that keep their place; they take a place if they have none.
    ///
    /// # Errors
    /// As [`Contents::write`].
    pub fn zero(
        &mut self,
        export: ExportId,
        offset: u64,
        len: u64,
        durability: Durability,
    ) -> Result<(), Errno> {
        self.clear(export, offset, len, |disk, offset, len| disk.zero(offset, len, durability))
    }

    /// Makes a range zeroes and frees its place, on the media and at once.
    ///
    /// # Errors
    /// Returns the error of the store below.
    pub fn discard(&mut self, export: ExportId, offset: u64, len: u64) -> Result<(), Errno> {
        self.clear(export, offset, len, Disk::discard)
    }

    /// Content of a range of an export, run by run in its order, appended to `runs`: at most `most`, and a part of the range if
    /// that is much to look at; of a range that is not empty always something.
    ///
    /// # Errors
    /// Returns the error of the store below.
    pub fn allocation(
        &mut self,
        export: ExportId,
        offset: u64,
        len: u64,
        most: usize,
        runs: &mut Vec<Run>,
    ) -> Result<(), Errno> {
        let volume = &self.volumes[usize::from(export.0)];
        // By disk, what was found last: a run there is many units of a stripe.
        let mut known: Vec<Option<(Allocation, Range<u64>)>> = vec![None; self.disks.len()];
        let (mut at, end, first, mut looks) = (offset, offset + len, runs.len(), 0);
        while at < end {
            let (disk, place, follow) = volume.locate(at);
            let known = &mut known[usize::from(disk.0)];
            let (allocation, until) = match known {
                Some((allocation, range)) if range.contains(&place) => (*allocation, range.end),
                _ if looks == MOST_LOOKS => return Ok(()),
                _ => {
                    looks += 1;
                    // Not only this stripe unit, and no further than the requested range can lie.
                    let disk = &mut self.disks[usize::from(disk.0)];
                    let (allocation, until) = disk.allocation(place, place + (end - at))?;
                    *known = Some((allocation, place..until));
                    (allocation, until)
                }
            };
            let len = follow.min(end - at).min(until - place);
            let count = runs.len() - first;
            match runs[first..].last_mut() {
                Some(run) if run.allocation == allocation => run.len += len,
                _ if count == most => return Ok(()),
                _ => runs.push(Run { len, allocation }),
            }
            at += len;
        }
        Ok(())
    }

    /// A flush of an export is done.
    ///
    /// # Errors
    /// Returns an error if dirty data found no room on the media or the store below fails. The next flush tries again.
    /// Until then reads return the data, and a crash loses it.
    pub fn flush(&mut self, export: ExportId) -> Result<(), Errno> {
        let disks = self.volumes[usize::from(export.0)].disks();
        disks.iter().try_for_each(|disk| self.disks[usize::from(disk.0)].flush())
    }

    /// The model's events on dirty data.
    pub fn hear(&mut self, event: &Event) {
        match *event {
            Event::Done { .. } => {}
            Event::WritingBack { disk, offset, len, .. } => {
                self.disks[usize::from(disk.0)].take(offset, u64::from(len));
            }
            Event::Cleaned { disk, offset, len, .. } => {
                self.disks[usize::from(disk.0)].arrive(offset, u64::from(len));
            }
        }
    }

    /// One disk more, with the next id.
    pub fn add_disk(&mut self, spec: &DiskSpec, backing: Box<dyn Backing>) {
        self.disks.push(Disk::new(backing, is_write_back(spec)));
    }

    /// One volume more, with the next id, over disks that are there.
    pub fn add_volume(&mut self, spec: &VolumeSpec, blueprint: &Blueprint) {
        self.volumes.push(Stripe::new(spec, blueprint));
    }

    /// A disk has another setting from now on.
    pub fn change(&mut self, disk: DiskId, spec: &DiskSpec) {
        self.disks[usize::from(disk.0)].set_write_back(is_write_back(spec));
    }

    /// The host is lost: what the media does not have is gone.
    pub fn crash(&mut self) {
        self.disks.iter_mut().for_each(Disk::crash);
    }

    /// Writes all that was acknowledged to the media, at once: the end of a server that closes cleanly.
    ///
    /// # Errors
    /// Returns an error if a disk has no room or its store fails. The other disks are settled.
    pub fn settle(&mut self) -> Result<(), Errno> {
        self.disks.iter_mut().map(Disk::settle).fold(Ok(()), Result::and)
    }

    /// Space of the data on the media of all disks.
    pub fn held(&self) -> Bytes {
        Bytes(self.disks.iter().map(|disk| disk.held().get()).sum())
    }

    /// Bytes of a disk that are acknowledged, or on their way, and not on its media: a crash loses them.
    pub fn unsettled(&self, disk: DiskId) -> Bytes {
        self.disks[usize::from(disk.0)].unsettled()
    }
}

/// Number of times that disks are looked at for one answer: some milliseconds, for which everybody waits.
const MOST_LOOKS: usize = 4096;

/// True if a disk's host cache acknowledges writes before the media has them.
fn is_write_back(spec: &DiskSpec) -> bool {
    spec.cache.is_some_and(|cache| cache.mode == CacheMode::ReadWrite)
}
