use std::fmt;

use iobound_catalog::CatalogError;
use iobound_formats::FormatError;
use iobound_predict::PredictError;
use iobound_workload::{NativeError, Place, UnknownPreset};

use crate::exit::Exit;

/// Why there is no answer: what was read, what was expected, how to mend it.
#[derive(Debug)]
pub(crate) struct Failure {
    exit: Exit,
    what: String,
    mend: Option<String>,
}

impl Failure {
    /// Input that can't be taken.
    pub(crate) fn input(what: impl fmt::Display) -> Failure {
        Failure { exit: Exit::BadInput, what: what.to_string(), mend: None }
    }

    /// A file that can't be read: bad input, since the person named it.
    pub(crate) fn unreadable(path: &str, error: &std::io::Error) -> Failure {
        Failure::input(format!("{path} can't be read: {error}"))
    }

    /// An I/O error of the program's own reading and writing.
    pub(crate) fn io(what: impl fmt::Display) -> Failure {
        Failure { exit: Exit::Io, what: what.to_string(), mend: None }
    }

    /// Something in a file, with its line and a caret.
    pub(crate) fn at(place: Place, message: impl fmt::Display) -> Failure {
        Failure::input(NativeError { message: message.to_string(), place: Some(place) })
    }

    /// Adds how to mend it.
    pub(crate) fn mend(mut self, mend: impl fmt::Display) -> Failure {
        self.mend = Some(mend.to_string());
        self
    }

    /// Says it on standard error.
    pub(crate) fn report(&self) -> Exit {
        eprintln!("error: {}", self.what);
        if let Some(mend) = &self.mend {
            eprintln!("help: {mend}");
        }
        self.exit
    }
}

impl From<CatalogError> for Failure {
    fn from(error: CatalogError) -> Failure {
        match &error {
            CatalogError::Unknown { what, name, nearest } => {
                let failure = Failure::input(format!("there is no {what} `{name}` in the catalogue"));
                if nearest.is_empty() {
                    failure.mend("`iobound catalog` lists what there is")
                } else {
                    failure.mend(format!("did you mean {}?", nearest.join(", ")))
                }
            }
            CatalogError::UnknownLimit { of, missing, mend } => {
                let are = if missing.len() > 1 { "are" } else { "is" };
                Failure::input(format!("{of}: {} {are} not known", missing.join(" and "))).mend(mend)
            }
            CatalogError::Refused { what, why, mend } => Failure::input(format!("{what}: {why}")).mend(mend),
            CatalogError::Spec { .. } => Failure::input(&error)
                .mend("a disk is [NAME=][COUNTx]WHAT[:CACHE], such as log=2xP20:readonly"),
            CatalogError::File { .. } => Failure::input(&error),
        }
    }
}

impl From<NativeError> for Failure {
    fn from(error: NativeError) -> Failure {
        Failure::input(error)
    }
}

impl From<FormatError> for Failure {
    fn from(error: FormatError) -> Failure {
        Failure::input(error)
    }
}

impl From<UnknownPreset> for Failure {
    fn from(error: UnknownPreset) -> Failure {
        Failure::input(error).mend("`iobound catalog presets` lists them")
    }
}

impl From<PredictError> for Failure {
    fn from(error: PredictError) -> Failure {
        match error {
            PredictError::Workload(_) | PredictError::Nothing => Failure::input(error),
            PredictError::Interrupted => {
                Failure { exit: Exit::Interrupted, what: error.to_string(), mend: None }
            }
            // The catalogue checks its blueprints, and the model in virtual time has no I/O that could fail.
            PredictError::Blueprint(_) | PredictError::Engine(_) => {
                panic!("the simulation broke down: {error}")
            }
        }
    }
}
