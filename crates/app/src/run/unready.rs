//! Reasons why targets cannot be prepared, as a run and other verbs answer them.

use std::path::PathBuf;

use iobound_load::prepare::Refused;

use crate::Failure;

/// Reason why targets cannot be prepared. Verbs without a size of their own name another fix than a run.
pub(crate) enum Unready {
    /// A target is not there, and no size was given to create it.
    Missing(PathBuf),
    /// Objections to targets.
    Refused(Refused),
    /// Any other reason.
    Other(Failure),
}

impl From<Refused> for Unready {
    fn from(refused: Refused) -> Unready {
        Unready::Refused(refused)
    }
}

impl From<Failure> for Unready {
    fn from(failure: Failure) -> Unready {
        Unready::Other(failure)
    }
}

impl From<Unready> for Failure {
    fn from(unready: Unready) -> Failure {
        match unready {
            Unready::Missing(path) => Failure::input(format!("there is no {}", path.display()))
                .help("name an existing folder, file or block device, or add --size to create a file with that name"),
            Unready::Refused(refused) => refused.into(),
            Unready::Other(failure) => failure,
        }
    }
}
