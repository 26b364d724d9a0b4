//! Where the data of an emulator is kept.

use iobound_emulate::NotBuilt;
use iobound_emulate::store::{self, Pool};
use iobound_machine::World;
use iobound_machine::memory::memory;
use iobound_model::DiskSpec;
use iobound_units::Bytes;

use super::how::{Backing, How};
use crate::failure::Failure;

/// A backing for each disk, of those there are and of those to come.
pub(super) struct Backings {
    pool: Pool,
    limit: Bytes,
}

impl Backings {
    /// As was asked for. Nothing is taken yet.
    ///
    /// # Errors
    /// More memory than there is.
    pub(super) fn of(how: &How) -> Result<Backings, Failure> {
        if let Backing::Folder(folder) = &how.backing {
            return Err(Failure::input(format!("--backing {}: data is kept in memory", folder.display()))
                .mend("leave it out, or write --backing memory"));
        }
        if let Some(image) = how.images.first() {
            return Err(Failure::input(format!("--image {}: volumes begin empty", image.volume))
                .mend("leave it out, and copy the image: qemu-img convert -n -f raw FILE nbd+unix:///..."));
        }
        let available = memory(&World::real()).available_bytes.map(Bytes);
        let limit = match (how.memory, available) {
            (Some(asked), Some(available)) if asked > available => {
                return Err(Failure::refused(format!(
                    "--memory {asked}: {} can be had without swapping",
                    in_mib(available)
                ))
                .mend("ask for less, or end what uses it"));
            }
            (Some(asked), _) => asked,
            (None, Some(available)) => Pool::sensible_limit(available),
            (None, None) => {
                return Err(Failure::refused("how much memory is free is not known")
                    .mend("say how much may be taken: --memory 4GiB"));
            }
        };
        let pool = Pool::new(limit)
            .map_err(|error| Failure::refused(format!("{limit} of memory: {error}")).mend("ask for less: --memory 1GiB"))?;
        Ok(Backings { pool, limit })
    }

    /// The most that memory holds of it.
    pub(super) fn memory(&self) -> Option<Bytes> {
        Some(self.limit)
    }

    /// In words.
    pub(super) fn words(&self) -> String {
        "memory, until the end".to_string()
    }

    /// How much of the limit is taken.
    pub(super) fn held(&self) -> Bytes {
        self.pool.held()
    }

    /// The backing of a disk.
    pub(super) fn disk(&self, _spec: &DiskSpec) -> Result<Box<dyn store::Backing>, NotBuilt> {
        Ok(Box::new(self.pool.disk()))
    }
}

fn in_mib(size: Bytes) -> String {
    format!("{} MiB", size.get() >> 20)
}
