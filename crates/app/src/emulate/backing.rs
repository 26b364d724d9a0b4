//! Storage of an emulator's data.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use iobound_emulate::NotBuilt;
use iobound_emulate::store::{self, Image, Overlay, Pool, SparseFile, file_name};
use iobound_machine::World;
use iobound_machine::memory::memory;
use iobound_machine::open::{Directory, Identity, PathError, resolve};
use iobound_machine::space::space;
use iobound_model::{Blueprint, DiskSpec};
use iobound_units::{Bytes, Problem};

use super::how::{Backing, EmulateOptions};
use crate::Failure;

/// A backing for each disk, of those there are and of those to come.
pub(super) struct Backings {
    /// Data kept in memory: all of it, or the caches of files.
    pool: Pool,
    at: Backing,
    limit: Bytes,
    /// The folder of the files: opened once, for all disks.
    folder: Option<Directory>,
    /// Existing files that may be used as disks.
    overwrite: Vec<Identity>,
    made: Option<MadeFolder>,
}

/// A folder that was created for the files. It is removed at the end if it is empty.
struct MadeFolder {
    parent: Arc<Directory>,
    name: OsString,
}

impl Drop for MadeFolder {
    fn drop(&mut self) {
        // It stays if there are files in it.
        let _ = self.parent.remove_directory(&self.name);
    }
}

impl Backings {
    /// As was asked for. Nothing is taken yet.
    ///
    /// # Errors
    /// Returns an error if it takes more memory than the machine has.
    pub(super) fn of(how: &EmulateOptions) -> Result<Backings, Failure> {
        let available = memory(&World::real()).available_bytes.map(Bytes);
        let limit = match (how.memory, available) {
            (Some(asked), Some(available)) if asked > available => {
                let mib = available.get() >> 20;
                return Err(Failure::refused(format!(
                    "--memory {asked}: only {mib} MiB are available without swapping"
                ))
                .help("lower --memory, or end programs that use memory"));
            }
            (Some(asked), _) => asked,
            (None, Some(available)) => Pool::sensible_limit(available),
            (None, None) => {
                return Err(Failure::refused("cannot determine the free memory")
                    .help("give the limit: --memory 4GiB"));
            }
        };
        let refused =
            |error| Failure::refused(format!("{limit} of memory: {error}")).help("lower it: --memory 1GiB");
        let pool = Pool::new(limit).map_err(refused)?;
        let (folder, made) = match &how.backing {
            Backing::Memory => (None, None),
            Backing::Folder(folder) => {
                let (folder, made) = open_or_create(folder)?;
                (Some(folder), made)
            }
        };
        Ok(Backings { pool, at: how.backing.clone(), limit, folder, overwrite: Vec::new(), made })
    }

    /// The most that memory holds of it.
    pub(super) fn memory(&self) -> Bytes {
        self.limit
    }

    /// In words.
    pub(super) fn words(&self, how: &EmulateOptions) -> String {
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
                "; over {}, which is opened read-only ({})",
                image.file.display(),
                image.volume
            ));
        }
        words
    }

    /// Used part of the memory limit.
    pub(super) fn held(&self) -> Bytes {
        self.pool.held()
    }

    /// The backings of all disks, the volumes that begin with an image over it.
    ///
    /// # Errors
    /// Returns an error if a file cannot be used or an image names no volume.
    pub(super) fn all(
        &mut self,
        blueprint: &Blueprint,
        how: &EmulateOptions,
    ) -> Result<Vec<Box<dyn store::Backing>>, Failure> {
        if let Some(folder) = &self.folder {
            self.overwrite = consents(folder, blueprint, &how.overwrite)?;
        }
        let mut over: Vec<usize> = Vec::new();
        for image in &how.images {
            let volume = blueprint.volume(&image.volume).ok_or_else(|| {
                let known: Vec<&str> = blueprint.volumes.iter().map(|volume| volume.name.as_str()).collect();
                Failure::input(format!("--image {}: no volume has this name", image.volume))
                    .help(format!("there are {}", known.join(", ")))
            })?;
            if over.contains(&volume) {
                return Err(Failure::input(format!("--image {}: it is given twice", image.volume))
                    .help("leave one of them out"));
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

    /// Data over an image is useless afterwards: it then has no name.
    fn backing(&self, disk: &DiskSpec, is_over_image: bool) -> Result<Box<dyn store::Backing>, Problem> {
        Ok(match &self.folder {
            None => Box::new(self.pool.disk()),
            Some(folder) if is_over_image => Box::new(SparseFile::scratch(folder, disk.size, &self.pool)?),
            Some(folder) => {
                Box::new(SparseFile::open(folder, &disk.name, disk.size, &self.overwrite, &self.pool)?)
            }
        })
    }
}

/// The identities of the files that --overwrite names.
///
/// # Errors
/// Returns an error if a path is not the file of a disk: it is more likely a mistake than consent.
fn consents(
    folder: &Directory,
    blueprint: &Blueprint,
    overwrite: &[std::path::PathBuf],
) -> Result<Vec<Identity>, Failure> {
    let place = folder.identity().ok();
    let names: Vec<OsString> = blueprint.disks.iter().filter_map(|disk| file_name(&disk.name).ok()).collect();
    let mut consents = Vec::new();
    for path in overwrite {
        let words = |why: &str| Failure::input(format!("--overwrite {}: {why}", path.display()));
        let named = match resolve(path) {
            Ok(named) => named,
            Err(error @ PathError::Untrusted { .. }) => {
                return Err(Failure::refused(format!("--overwrite {error}")));
            }
            Err(error) => return Err(words(&io::Error::from(error).to_string()).help("check the path")),
        };
        if named.directory.identity().ok() != place || !names.contains(&named.name) {
            let files: Vec<String> =
                names.iter().map(|name| folder.path_of(name).display().to_string()).collect();
            return Err(words("no disk uses that file").help(format!("name one of: {}", files.join(", "))));
        }
        consents.extend(named.identity());
    }
    Ok(consents)
}

/// Opens the folder of the files, or creates it in one that exists: a longer path that does not exist is most likely a
/// disk that is not mounted.
fn open_or_create(folder: &Path) -> Result<(Directory, Option<MadeFolder>), Failure> {
    let failed = |error: io::Error| {
        Failure::refused(format!(
            "--backing {}: the folder cannot be opened or created: {error}",
            folder.display()
        ))
        .help("name an existing folder, or a new one in a folder that you can write to")
    };
    let found = resolve(folder).map_err(|error| failed(error.into()))?;
    if let Some(directory) = found.as_directory(folder).map_err(failed)? {
        return Ok((directory, None));
    }
    if found.exists() || found.is_link {
        return Err(failed(ErrorKind::NotADirectory.into()));
    }
    let directory = found.directory.create_directory(&found.name).map_err(failed)?;
    Ok((directory, Some(MadeFolder { parent: found.directory, name: found.name })))
}

fn unusable(problem: Problem) -> Failure {
    Failure::from(problem).into_refused()
}
