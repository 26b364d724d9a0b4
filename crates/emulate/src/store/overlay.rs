//! Writes over an existing image, which stays unchanged.

use std::cell::RefCell;
use std::io::{Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use iobound_model::{Blueprint, DiskId, Stripe};
use iobound_units::{Bytes, Problem};

use super::allocation::{Allocation, in_file};
use super::cached::{Beyond, Cached};
use super::cold::Cold;
use super::memory::Memory;
use super::sectors::Sectors;
use super::{Backing, unusable};
use crate::request::Errno;
use crate::sys::open_image;

/// A file or block device with the content of a volume, from its first byte on. Opened for reading only.
#[derive(Debug)]
pub struct Image {
    cached: Cached,
    /// Last found extent of data: it does not change, and the units of a stripe ask for the same again and again.
    known: Mutex<(Allocation, Range<u64>)>,
}

impl Image {
    /// Opens an image for a volume of that size. The volume beyond the image's end reads as zeroes.
    ///
    /// # Errors
    /// Returns an error if it is not a file or block device, cannot be read, or is larger than the volume.
    pub fn open(path: &Path, volume: &str, size: Bytes) -> Result<Image, Problem> {
        let unread = |error| unusable(path, error, "name an image file or a block device that can be read");
        let Some(mut file) = open_image(path).map_err(unread)? else {
            return Err(unusable(path, "it is neither a file nor a block device", "name one that is"));
        };
        // A block device has no length but its end.
        let is = file.seek(SeekFrom::End(0)).map_err(unread)?;
        if is > size.get() {
            let found = format!("it has {is} bytes, and the volume {volume} has only {}", size.get());
            return Err(unusable(path, found, "give the volume larger disks, or more of them"));
        }
        Ok(Image { cached: Cached::new(file, Beyond::Zeroes), known: Mutex::new((Allocation::Data, 0..0)) })
    }

    /// Content at `at`, and its extent, at most to `end`.
    fn allocation(&self, at: u64, end: u64) -> (Allocation, u64) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if !known.1.contains(&at) {
            let (allocation, until) = in_file(self.cached.file(), at, FOREVER);
            *known = (allocation, at..until);
        }
        (known.0, known.1.end.min(end))
    }
}

/// Beyond the end of every image, in whole sectors.
const FOREVER: u64 = 1 << 62;

/// One disk of a volume whose content is an image's, with what was written since. Which sectors were written or discarded
/// since is known in memory only, so what lies over the image is of no use to a later run.
pub struct Overlay {
    upper: Box<dyn Backing>,
    /// Written or discarded: the image has nothing to say of them.
    written: Sectors,
    image: Arc<Image>,
    stripe: Arc<Stripe>,
    disk: DiskId,
}

impl Overlay {
    /// Puts the disks of a volume over its image. `backings` are those of all disks, in their order; those of the volume hold
    /// nothing yet.
    pub fn over_image(
        blueprint: &Blueprint,
        volume: usize,
        image: Image,
        backings: Vec<Box<dyn Backing>>,
    ) -> Vec<Box<dyn Backing>> {
        let stripe = Arc::new(Stripe::new(&blueprint.volumes[volume], blueprint));
        let image = Arc::new(image);
        let over = |(n, upper): (usize, Box<dyn Backing>)| -> Box<dyn Backing> {
            let disk = DiskId(n as u16);
            if !stripe.disks().contains(&disk) {
                return upper;
            }
            let written = Sectors::new(upper.volatile().pool().clone());
            Box::new(Overlay { upper, written, image: Arc::clone(&image), stripe: Arc::clone(&stripe), disk })
        };
        backings.into_iter().enumerate().map(over).collect()
    }

    /// Calls for the parts of a range that the image has: which of the bytes of `into`, and where they are in the image.
    fn of_image(
        &self,
        offset: u64,
        into: &mut [u8],
        mut read: impl FnMut(&Cached, u64, &mut [u8]) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let mut done = 0;
        while done < into.len() {
            let (place, run) = self.stripe.unplace(self.disk, offset + done as u64);
            let len = run.min((into.len() - done) as u64) as usize;
            let part = &mut into[done..done + len];
            match place {
                Some(at) => read(&self.image.cached, at, part)?,
                None => part.fill(0),
            }
            done += len;
        }
        Ok(())
    }

    /// Does something to `upper` that hides the image. The room for the bits is had before anything is done, and given back if it
    /// is not done: what fails has taken nothing, and shows what was there.
    fn hide(
        &mut self,
        offset: u64,
        len: u64,
        act: impl FnOnce(&mut dyn Backing) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let taken = self.written.reserve(offset, len)?;
        match act(&mut *self.upper) {
            Ok(()) => self.written.insert(offset, len),
            Err(errno) => {
                self.written.give_back(&taken);
                Err(errno)
            }
        }
    }

    /// Written data is read by `upper`, other data by `image`.
    fn read_with(
        &mut self,
        offset: u64,
        into: &mut [u8],
        mut upper: impl FnMut(&mut dyn Backing, u64, &mut [u8]) -> Result<(), Errno>,
        mut image: impl FnMut(&Overlay, u64, &mut [u8]) -> Result<(), Errno>,
    ) -> Result<(), Errno> {
        let end = offset + into.len() as u64;
        let part = |from: u64, to: u64| (from - offset) as usize..(to - offset) as usize;
        let mut at = offset;
        while at < end {
            let (from, to) = self.written.next_run(at, end).unwrap_or((end, end));
            image(self, at, &mut into[part(at, from)])?;
            upper(&mut *self.upper, from, &mut into[part(from, to)])?;
            at = to;
        }
        Ok(())
    }
}

impl Backing for Overlay {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        self.read_with(
            offset,
            into,
            |upper, at, into| upper.read(at, into),
            |overlay, at, into| overlay.of_image(at, into, Cached::read),
        )
    }

    fn read_cached(&mut self, offset: u64, into: &mut [u8], cold: &mut Cold) -> Result<(), Errno> {
        // Both leave what they have to wait for to the same.
        let cold = RefCell::new(cold);
        self.read_with(
            offset,
            into,
            |upper, at, into| upper.read_cached(at, into, &mut cold.borrow_mut()),
            |overlay, at, into| {
                overlay
                    .of_image(at, into, |image, at, into| image.read_cached(at, into, &mut cold.borrow_mut()))
            },
        )
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        self.hide(offset, data.len() as u64, |upper| upper.write(offset, data))
    }

    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.hide(offset, len, |upper| upper.discard(offset, len))
    }

    fn zero(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.hide(offset, len, |upper| upper.zero(offset, len))
    }

    fn reserve(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.upper.reserve(offset, len)
    }

    fn allocation(&mut self, offset: u64, end: u64) -> Result<(Allocation, u64), Errno> {
        match self.written.next_run(offset, end) {
            Some((from, to)) if from == offset => self.upper.allocation(offset, to),
            run => {
                let end = run.map_or(end, |(from, _)| from);
                let (place, most) = self.stripe.unplace(self.disk, offset);
                let len = most.min(end - offset);
                let Some(at) = place else { return Ok((Allocation::Hole, offset + len)) };
                let (allocation, until) = self.image.allocation(at, at + len);
                Ok((allocation, offset + (until - at)))
            }
        }
    }

    fn held(&self) -> Bytes {
        self.upper.held()
    }

    fn volatile(&self) -> Memory {
        self.upper.volatile()
    }
}
