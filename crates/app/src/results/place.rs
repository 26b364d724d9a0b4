//! Place of the results store.

use std::path::{Path, PathBuf};

use iobound_results::{Store, StoreError};

use crate::Env;
use crate::failure::Failure;
use crate::settings::Settings;

/// Place of the results store.
#[derive(Clone, Debug)]
pub enum Place {
    /// In this file.
    At(PathBuf),
    /// Nowhere, as was asked.
    Off,
    /// Nowhere: nothing says where a user's data is.
    Homeless,
}

/// The place that a flag, the environment or the default names.
///
/// # Errors
/// Returns an error if the name is not valid.
pub fn place_of(flag: Option<&str>, settings: &mut Settings) -> Result<Place, Failure> {
    let default = default_path(settings.env());
    let shown = default.as_ref().map_or_else(|| "off".to_string(), |path| path.display().to_string());
    let Some(given) = settings.text("results", flag, Some(&shown)) else {
        return Ok(default.map_or(Place::Homeless, Place::At));
    };
    if given.text == "off" {
        return Ok(Place::Off);
    }
    let path = PathBuf::from(given.path());
    if path.is_dir() {
        return Err(given
            .refuse(format!("{} is a folder: a file was expected", path.display()))
            .help(format!("name a file in it: {}", path.join("results.db").display())));
    }
    // Checked before a run, so that its result can be kept. Opening the store checks again, on the open file.
    if let Err(error @ (StoreError::NotAStore { .. } | StoreError::Newer { .. })) = Store::check(&path) {
        return Err(given.refuse(error).help("name another file, or keep nothing: --results off"));
    }
    Ok(Place::At(path))
}

/// The user's data, by the XDG Base Directory Specification; on Windows, the local application data.
fn default_path(env: &Env) -> Option<PathBuf> {
    let data = env
        .folder("XDG_DATA_HOME")
        .or_else(|| if cfg!(windows) { env.folder("LOCALAPPDATA") } else { None })
        .or_else(|| env.folder("HOME").map(|home| home.join(".local/share")))?;
    Some(data.join("iobound/results.db"))
}

impl Place {
    /// The file.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn path(&self) -> Result<&Path, Failure> {
        match self {
            Place::At(path) => Ok(path),
            Place::Off => Err(Failure::input("results are off, and this verb needs them")
                .help("name the store: --results FILE, or unset IOBOUND_RESULTS")),
            Place::Homeless => Err(Failure::input("cannot locate the results store: HOME is not set")
                .help("name the store: --results FILE, or IOBOUND_RESULTS")),
        }
    }

    /// Opens the store to read.
    ///
    /// # Errors
    /// Returns an error if the store does not exist or cannot be read.
    pub fn to_read(&self) -> Result<Store, Failure> {
        Store::open_to_read(self.path()?).map_err(|error| self.failed(&error))
    }

    /// Opens the store to change what is in it.
    ///
    /// # Errors
    /// Returns an error if the store does not exist or cannot be written.
    pub fn to_change(&self) -> Result<Store, Failure> {
        Store::open_existing(self.path()?).map_err(|error| self.failed(&error))
    }

    /// The problem with the store, and its fix.
    pub fn failed(&self, error: &StoreError) -> Failure {
        let failure = match error {
            StoreError::Sqlite { .. } => Failure::io(error),
            _ => Failure::input(error),
        };
        match error {
            StoreError::Missing(_) => failure
                .help("`iobound run` creates it; name another store with --results FILE or IOBOUND_RESULTS"),
            StoreError::NotAStore { .. } => {
                failure.help("name another file: --results FILE, or IOBOUND_RESULTS")
            }
            StoreError::Newer { .. } => failure.help("use that version, or another file: --results FILE"),
            StoreError::Damaged { .. } => failure.help("other runs of the store are not affected"),
            StoreError::Sqlite { .. } => failure,
        }
    }
}
