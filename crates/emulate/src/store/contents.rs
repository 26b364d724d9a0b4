//! The data of all disks, addressed through the volumes.

use iobound_model::{Blueprint, Event, Stripe};
use iobound_units::Bytes;

use super::Backing;
use crate::export::ExportId;
use crate::request::Errno;

/// The data of all disks: what is written to a volume is on its disks, and the other way round.
pub struct Contents {
    volumes: Vec<Stripe>,
    disks: Vec<Box<dyn Backing>>,
}

impl Contents {
    /// The volumes of a blueprint over these disks, in its order.
    pub fn new(blueprint: &Blueprint, disks: Vec<Box<dyn Backing>>) -> Contents {
        assert_eq!(disks.len(), blueprint.disks.len(), "a backing for each disk");
        Contents { volumes: blueprint.volumes.iter().map(|v| Stripe::new(v, blueprint)).collect(), disks }
    }

    /// Appends `len` bytes of an export to `into`.
    ///
    /// # Errors
    /// What is below failed: then `into` is as it was.
    pub fn read(&mut self, export: ExportId, offset: u64, len: u32, into: &mut Vec<u8>) -> Result<(), Errno> {
        let start = into.len();
        into.resize(start + len as usize, 0);
        let (mut at, mut result) = (start, Ok(()));
        let disks = &mut self.disks;
        self.volumes[usize::from(export.0)].walk(offset, u64::from(len), |extent| {
            let part = &mut into[at..at + extent.len as usize];
            at += part.len();
            if result.is_ok() {
                result = disks[usize::from(extent.disk.0)].read(extent.offset, part);
            }
        });
        if result.is_err() {
            into.truncate(start);
        }
        result
    }

    /// Keeps `data` at `offset` of an export.
    ///
    /// # Errors
    /// No room, or what is below failed: then a part of it may have been kept.
    pub fn write(&mut self, export: ExportId, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let (mut rest, mut result) = (data, Ok(()));
        let disks = &mut self.disks;
        self.volumes[usize::from(export.0)].walk(offset, data.len() as u64, |extent| {
            let (part, after) = rest.split_at(extent.len as usize);
            rest = after;
            if result.is_ok() {
                result = disks[usize::from(extent.disk.0)].write(extent.offset, part);
            }
        });
        result
    }

    /// Makes a range zeroes and frees its place.
    ///
    /// # Errors
    /// What is below failed.
    pub fn discard(&mut self, export: ExportId, offset: u64, len: u64) -> Result<(), Errno> {
        let (disks, mut result) = (&mut self.disks, Ok(()));
        self.volumes[usize::from(export.0)].walk(offset, len, |extent| {
            if result.is_ok() {
                result = disks[usize::from(extent.disk.0)].discard(extent.offset, u64::from(extent.len));
            }
        });
        result
    }

    /// How much place all of it takes.
    pub fn held(&self) -> Bytes {
        Bytes(self.disks.iter().map(|disk| disk.held().get()).sum())
    }

    /// What the model says of dirty data.
    pub fn hear(&mut self, event: &Event) {
        let _ = event;
    }
}
