//! What was written over an existing image, which stays as it is.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom};
use std::os::unix::fs::{FileExt, FileTypeExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;

use iobound_model::{Blueprint, DiskId, Stripe};
use iobound_units::Bytes;

use super::file::{errno_of, nonblocking};
use super::memory::Memory;
use super::sectors::Sectors;
use super::{Backing, Unusable};
use crate::request::Errno;

/// A file or block device with the content of a volume, from its first byte on. Opened for reading only.
#[derive(Debug)]
pub struct Image {
    file: File,
}

impl Image {
    /// Opens an image for a volume of that size. What the volume has beyond the image's end reads as zeroes.
    ///
    /// # Errors
    /// No file or block device, one that can't be read, or one that is larger than the volume.
    pub fn open(path: &Path, volume: &str, size: Bytes) -> Result<Image, Unusable> {
        let unread =
            |error| Unusable::new(path, error, "name an image file or a block device that can be read");
        let mut file =
            OpenOptions::new().read(true).custom_flags(nonblocking()).open(path).map_err(unread)?;
        let kind = file.metadata().map_err(unread)?.file_type();
        if !kind.is_file() && !kind.is_block_device() {
            return Err(Unusable::new(path, "it is no file and no block device", "name one that is"));
        }
        // A block device has no length but its end.
        let is = file.seek(SeekFrom::End(0)).map_err(unread)?;
        if is > size.get() {
            let found = format!("it has {is} bytes, and the volume {volume} only {}", size.get());
            return Err(Unusable::new(path, found, "give the volume larger disks, or more of them"));
        }
        Ok(Image { file })
    }

    fn read(&self, offset: u64, mut into: &mut [u8]) -> Result<(), Errno> {
        let mut at = offset;
        while !into.is_empty() {
            match self.file.read_at(into, at) {
                Ok(0) => {
                    into.fill(0);
                    break;
                }
                Ok(n) => {
                    into = &mut into[n..];
                    at += n as u64;
                }
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(errno_of(&error)),
            }
        }
        Ok(())
    }
}

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

    fn read_image(&self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        let mut done = 0;
        while done < into.len() {
            let (place, run) = self.stripe.unplace(self.disk, offset + done as u64);
            let len = run.min((into.len() - done) as u64) as usize;
            let part = &mut into[done..done + len];
            match place {
                Some(at) => self.image.read(at, part)?,
                None => part.fill(0),
            }
            done += len;
        }
        Ok(())
    }
}

impl Backing for Overlay {
    fn read(&mut self, offset: u64, into: &mut [u8]) -> Result<(), Errno> {
        let end = offset + into.len() as u64;
        let part = |from: u64, to: u64| (from - offset) as usize..(to - offset) as usize;
        let mut at = offset;
        while at < end {
            let (from, to) = self.written.next_run(at, end).unwrap_or((end, end));
            self.read_image(at, &mut into[part(at, from)])?;
            self.upper.read(from, &mut into[part(from, to)])?;
            at = to;
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        self.upper.write(offset, data)?;
        self.written.insert(offset, data.len() as u64)
    }

    fn discard(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        self.written.insert(offset, len)?;
        self.upper.discard(offset, len)
    }

    fn held(&self) -> Bytes {
        self.upper.held()
    }

    fn volatile(&self) -> Memory {
        self.upper.volatile()
    }
}
