//! The data of one disk behind a host cache: what the media has, and what it will have.

use iobound_units::Bytes;

use super::Backing;
use super::allocation::Allocation;
use super::cold::Cold;
use super::layer::Layer;
use crate::request::Errno;

/// Requested durability of a write at its acknowledgement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// As durable as the disk's host cache makes it.
    AsCached,
    /// On the media (force unit access).
    OnMedia,
}

/// The data of one disk. Behind a ReadWrite host cache it lies in three places, and a read gets the newest: what was
/// acknowledged, what the flusher has taken and is on its way, what the media has. A crash leaves the last.
///
/// Data that the flusher takes is moved, not copied. Data that is written again meanwhile is in the first place only.
/// No byte is on its way twice, so the media gets exactly what the model says.
pub(super) struct Disk {
    media: Box<dyn Backing>,
    volatile: Layer,
    under_way: Layer,
    is_write_back: bool,
    /// Reason why what was to arrive on the media is not there: it is still in one of the layers, and no flush may succeed.
    stuck: Option<Errno>,
}

impl Disk {
    pub(super) fn new(media: Box<dyn Backing>, is_write_back: bool) -> Disk {
        let layer = || Layer::new(media.volatile());
        Disk { volatile: layer(), under_way: layer(), media, is_write_back, stuck: None }
    }

    /// True if its host cache acknowledges writes from now on. Data that is not on the media yet stays where it is.
    pub(super) fn set_write_back(&mut self, is_write_back: bool) {
        self.is_write_back = is_write_back;
    }

    /// Reads; what would have to be waited for is left to `cold`, if there is one.
    pub(super) fn read(
        &mut self,
        offset: u64,
        into: &mut [u8],
        mut cold: Option<&mut Cold>,
    ) -> Result<(), Errno> {
        let media = &mut self.media;
        let mut from_media = |offset, into: &mut [u8]| match &mut cold {
            None => media.read(offset, into),
            Some(cold) => media.read_cached(offset, into, cold),
        };
        if self.volatile.is_empty() && self.under_way.is_empty() {
            return from_media(offset, into);
        }
        let under_way = &mut self.under_way;
        self.volatile.read(offset, into, |offset, into| under_way.read(offset, into, &mut from_media))
    }

    /// Content at `offset`, and its extent, at most to `end`.
    pub(super) fn allocation(&mut self, offset: u64, end: u64) -> Result<(Allocation, u64), Errno> {
        let (newest, until) = self.volatile.allocation(offset, end);
        if let Some(newest) = newest {
            return Ok((newest, until));
        }
        let (newer, until) = self.under_way.allocation(offset, until);
        newer.map_or_else(|| self.media.allocation(offset, until), |newer| Ok((newer, until)))
    }

    pub(super) fn write(&mut self, offset: u64, data: &[u8], durability: Durability) -> Result<(), Errno> {
        if self.is_write_back
            && durability == Durability::AsCached
            && self.volatile.write(offset, data).is_ok()
        {
            return Ok(());
        }
        // If there is no room for both, the media gets the data early: no flush promised otherwise.
        self.media.write(offset, data)?;
        self.supersede(offset, data.len() as u64);
        Ok(())
    }

    /// Written zeroes that keep their place: unlike a discard, they wait for the flusher like other data. They take the
    /// place on the media at once, so that they and later writes find it.
    pub(super) fn zero(&mut self, offset: u64, len: u64, durability: Durability) -> Result<(), Errno> {
        if self.is_write_back && durability == Durability::AsCached {
            self.media.reserve(offset, len)?;
            if self.volatile.zero(offset, len).is_ok() {
                return Ok(());
            }
        }
        // In this order what had no place is not written: of memory it takes none.
        self.media.zero(offset, len)?;
        self.supersede(offset, len);
        self.media.reserve(offset, len)
    }

    pub(super) fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.media.discard(offset, len)?;
        self.supersede(offset, len);
        Ok(())
    }

    /// The media's content is newer than data on its way there.
    fn supersede(&mut self, offset: u64, len: u64) {
        self.volatile.remove(offset, len);
        self.under_way.remove(offset, len);
    }

    /// The flusher takes the present content of a range.
    pub(super) fn take(&mut self, offset: u64, len: u64) {
        let (under_way, media) = (&mut self.under_way, &mut self.media);
        let taken = self.volatile.move_to(offset, len, |offset, part| {
            under_way.put(offset, &part).or_else(|_| {
                // No room on the way: it arrives early.
                part.write_to(&mut **media, offset)?;
                under_way.remove(offset, part.len());
                Ok(())
            })
        });
        self.stuck = self.stuck.or(taken.err());
    }

    /// Data that the flusher took has reached the media.
    pub(super) fn arrive(&mut self, offset: u64, len: u64) {
        let media = &mut self.media;
        let arrived = self.under_way.move_to(offset, len, |offset, part| part.write_to(&mut **media, offset));
        self.stuck = self.stuck.or(arrived.err());
    }

    /// A flush is done: what the model says is on the media has to be there.
    pub(super) fn flush(&mut self) -> Result<(), Errno> {
        if self.stuck.is_some() { self.settle() } else { Ok(()) }
    }

    /// Writes everything to the media.
    pub(super) fn settle(&mut self) -> Result<(), Errno> {
        self.stuck = None;
        for layer in [&mut self.under_way, &mut self.volatile] {
            let media = &mut self.media;
            let moved = layer.move_to(0, ALL, |offset, part| part.write_to(&mut **media, offset));
            if let Err(errno) = moved {
                self.stuck = Some(errno);
                return Err(errno);
            }
        }
        Ok(())
    }

    /// Forgets what the media does not have.
    pub(super) fn crash(&mut self) {
        self.volatile.clear();
        self.under_way.clear();
        self.stuck = None;
    }

    pub(super) fn held(&self) -> Bytes {
        self.media.held()
    }

    /// Data that a crash loses.
    pub(super) fn unsettled(&self) -> Bytes {
        Bytes(self.volatile.bytes() + self.under_way.bytes())
    }
}

/// Beyond the end of every disk.
const ALL: u64 = 1 << 62;
