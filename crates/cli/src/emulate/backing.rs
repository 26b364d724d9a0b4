//! Where the data of an emulator is kept.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use iobound_emulate::NotBuilt;
use iobound_emulate::store::{self, Image, Overlay, Pool, SparseFile, Unusable};
use iobound_machine::World;
use iobound_machine::memory::memory;
use iobound_machine::space::space;
use iobound_model::{Blueprint, DiskSpec};
use iobound_units::Bytes;

use super::how::{Backing, How};
use crate::failure::Failure;

/// A backing for each disk, of those there are and of those to come.
pub(super) struct Backings {
    /// What is kept in memory: all of it, or what the caches of files hold.
    pool: Pool,
    at: Backing,
    limit: Bytes,
    made: Option<MadeFolder>,
}

/// A folder that was made for the files: it is taken away again if there are none in the end.
struct MadeFolder(PathBuf);

impl Drop for MadeFolder {
    fn drop(&mut self) {
        // Files in it are the answer to whether it goes.
        let _ = std::fs::remove_dir(&self.0);
    }
}

impl Backings {
    /// As was asked for. Nothing is taken yet.
    ///
    /// # Errors
    /// More memory than there is.
    pub(super) fn of(how: &How) -> Result<Backings, Failure> {
        let available = memory(&World::real()).available_bytes.map(Bytes);
        let limit = match (how.memory, available) {
            (Some(asked), Some(available)) if asked > available => {
                let mib = available.get() >> 20;
                return Err(Failure::refused(format!(
                    "--memory {asked}: {mib} MiB can be had without swapping"
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
        let refused = |error| {
            Failure::refused(format!("{limit} of memory: {error}")).mend("ask for less: --memory 1GiB")
        };
        let pool = Pool::new(limit).map_err(refused)?;
        let made = match &how.backing {
            Backing::Memory => None,
            Backing::Folder(folder) => made_if_missing(folder)?,
        };
        Ok(Backings { pool, at: how.backing.clone(), limit, made })
    }

    /// The most that memory holds of it.
    pub(super) fn memory(&self) -> Bytes {
        self.limit
    }

    /// In words.
    pub(super) fn words(&self, how: &How) -> String {
        let mut words = match &self.at {
            Backing::Memory => "memory, until the end".to_string(),
            Backing::Folder(folder) => {
                let free = space(&World::real(), folder).map_or(String::new(), |found| {
                    format!(", with {} MiB free", found.available_bytes >> 20)
                });
                let made = if self.made.is_some() { ", which was made" } else { "" };
                format!("sparse files in {}{made}{free}", folder.display())
            }
        };
        for image in &how.images {
            words.push_str(&format!(
                "; over {}, which is only read ({})",
                image.file.display(),
                image.volume
            ));
        }
        words
    }

    /// How much of memory's limit is taken.
    pub(super) fn held(&self) -> Bytes {
        self.pool.held()
    }

    /// The backings of all disks, the volumes that begin with an image over it.
    ///
    /// # Errors
    /// Files that can't be used, an image of no volume.
    pub(super) fn all(
        &self,
        blueprint: &Blueprint,
        how: &How,
    ) -> Result<Vec<Box<dyn store::Backing>>, Failure> {
        let mut over: Vec<usize> = Vec::new();
        for image in &how.images {
            let volume = blueprint.volume(&image.volume).ok_or_else(|| {
                let known: Vec<&str> = blueprint.volumes.iter().map(|volume| volume.name.as_str()).collect();
                Failure::input(format!("--image {}: no volume is called so", image.volume))
                    .mend(format!("there are {}", known.join(", ")))
            })?;
            if over.contains(&volume) {
                return Err(Failure::input(format!("--image {}: it is given twice", image.volume))
                    .mend("leave one of them out"));
            }
            over.push(volume);
        }
        let mut backings = Vec::with_capacity(blueprint.disks.len());
        for (n, disk) in blueprint.disks.iter().enumerate() {
            let is_over = over
                .iter()
                .any(|volume| blueprint.volumes[*volume].disks.iter().any(|id| usize::from(id.0) == n));
            backings.push(self.backing(disk, is_over).map_err(unusable)?);
        }
        for (image, volume) in how.images.iter().zip(over) {
            let size = blueprint.volumes[volume].size;
            let opened = Image::open(&image.file, &image.volume, size).map_err(unusable)?;
            backings = Overlay::over_image(blueprint, volume, opened, backings);
        }
        Ok(backings)
    }

    /// The backing of a disk that is added.
    pub(super) fn disk(&self, spec: &DiskSpec) -> Result<Box<dyn store::Backing>, NotBuilt> {
        self.backing(spec, false).map_err(|unusable| NotBuilt(unusable.to_string()))
    }

    /// What lies over an image is of no use later: then it has no name.
    fn backing(&self, disk: &DiskSpec, is_over_image: bool) -> Result<Box<dyn store::Backing>, Unusable> {
        Ok(match &self.at {
            Backing::Memory => Box::new(self.pool.disk()),
            Backing::Folder(folder) if is_over_image => {
                Box::new(SparseFile::scratch(folder, disk.size, &self.pool)?)
            }
            Backing::Folder(folder) => Box::new(SparseFile::open(folder, &disk.name, disk.size, &self.pool)?),
        })
    }
}

/// Makes a folder in one that is there: a longer path that is not there is most likely a disk that is not mounted.
fn made_if_missing(folder: &Path) -> Result<Option<MadeFolder>, Failure> {
    match std::fs::create_dir(folder) {
        Ok(()) => Ok(Some(MadeFolder(folder.to_path_buf()))),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
        Err(error) => Err(Failure::refused(format!(
            "--backing {}: the folder can't be made: {error}",
            folder.display()
        ))
        .mend("name a folder that is there, or a new one in a folder that you may write to")),
    }
}

fn unusable(unusable: Unusable) -> Failure {
    Failure::refused(format!("{}: {}", unusable.path.display(), unusable.found)).mend(unusable.mend)
}
