//! Where results are kept.

use std::path::{Path, PathBuf};

use iobound_results::{Store, StoreError};

use crate::arguments::CommonArgs;
use crate::failure::Failure;
use crate::settings::Settings;

/// Where results are kept.
#[derive(Clone, Debug)]
pub(crate) enum Place {
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
/// A name that can't be one.
pub(crate) fn place_of(flag: Option<&str>, settings: &mut Settings) -> Result<Place, Failure> {
    let default = default_path();
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
            .mend(format!("name a file in it: {}", path.join("results.db").display())));
    }
    Ok(Place::At(path))
}

/// Refuses what changes nothing where nothing runs and nothing is predicted.
///
/// # Errors
/// A seed or a configuration was typed.
pub(crate) fn refuse_idle(common: &CommonArgs) -> Result<(), Failure> {
    let idle = [
        ("seed", &common.seed, "nothing is drawn at random here"),
        ("config", &common.config, "what is kept has its own configuration"),
    ];
    match idle.into_iter().find_map(|(name, given, why)| Some((name, given.as_ref()?, why))) {
        Some((name, given, why)) => {
            Err(Failure::input(format!("--{name} {given} changes nothing here: {why}")).mend("leave it out"))
        }
        None => Ok(()),
    }
}

/// The user's data, by the XDG Base Directory Specification; on Windows, the local application data.
fn default_path() -> Option<PathBuf> {
    let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let data = absolute("XDG_DATA_HOME")
        .or_else(|| if cfg!(windows) { absolute("LOCALAPPDATA") } else { None })
        .or_else(|| absolute("HOME").map(|home| home.join(".local/share")))?;
    Some(data.join("iobound/results.db"))
}

impl Place {
    /// The file.
    ///
    /// # Errors
    /// There is none.
    pub(crate) fn path(&self) -> Result<&Path, Failure> {
        match self {
            Place::At(path) => Ok(path),
            Place::Off => Err(Failure::input("results are off, and this asks for them")
                .mend("name the store: --results FILE, or unset IOBOUND_RESULTS")),
            Place::Homeless => Err(Failure::input("nothing says where results are: HOME is not set")
                .mend("name the store: --results FILE, or IOBOUND_RESULTS")),
        }
    }

    /// Opens the store to read.
    ///
    /// # Errors
    /// There is none, or it can't be read.
    pub(crate) fn to_read(&self) -> Result<Store, Failure> {
        Store::open_to_read(self.path()?).map_err(|error| self.failed(&error))
    }

    /// Opens the store to change what is in it.
    ///
    /// # Errors
    /// There is none, or it can't be written.
    pub(crate) fn to_change(&self) -> Result<Store, Failure> {
        let path = self.path()?;
        if !path.exists() {
            return Err(self.failed(&StoreError::Missing(path.to_path_buf())));
        }
        Store::open(path).map_err(|error| self.failed(&error))
    }

    /// What is wrong with the store, and how to mend it.
    pub(crate) fn failed(&self, error: &StoreError) -> Failure {
        let failure = match error {
            StoreError::Sqlite { .. } => Failure::io(error),
            _ => Failure::input(error),
        };
        match error {
            StoreError::Missing(_) => failure.mend(
                "`iobound run` keeps its results there; another store is named by --results FILE or IOBOUND_RESULTS",
            ),
            StoreError::NotAStore { .. } => failure.mend("name another file: --results FILE, or IOBOUND_RESULTS"),
            StoreError::Newer { .. } => failure.mend("take that version, or another file: --results FILE"),
            StoreError::Damaged { .. } => failure.mend("other runs of the store are not touched by it"),
            StoreError::Sqlite { .. } => failure,
        }
    }
}
