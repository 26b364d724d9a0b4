use std::fmt;

use iobound_catalog::CatalogError;
use iobound_formats::FormatError;
use iobound_predict::PredictError;
use iobound_units::Problem;
use iobound_workload::{NativeError, Place, UnknownPreset};

use crate::exit::Exit;
use crate::settings::{Origin, SettingValue};

/// Reason why there is no answer: the text, the expected form, and the fix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    exit: Exit,
    what: String,
    help: Option<String>,
}

impl Failure {
    /// Help for a file that cannot be read.
    pub(crate) const NAME_A_FILE: &str =
        "name an existing, readable file; relative paths start in the current folder";

    /// Input that can't be taken.
    pub fn input(what: impl fmt::Display) -> Failure {
        Failure { exit: Exit::BadInput, what: what.to_string(), help: None }
    }

    /// A file that can't be read: bad input, since the person named it.
    pub fn unreadable(path: &str, why: &str) -> Failure {
        Failure::input(format!("cannot read {path}: {why}")).help(Failure::NAME_A_FILE)
    }

    /// Part of the full program that this build lacks, with the command that builds it. `what` has no verb: `FUSE`.
    pub fn not_built(what: &str) -> Failure {
        Failure::input(format!("this build has no {what}: it is left out of the default build"))
            .help("build the full program: cargo build --release --features full")
    }

    /// An I/O error of the program's own reading and writing.
    pub fn io(what: impl fmt::Display) -> Failure {
        Failure { exit: Exit::Io, what: what.to_string(), help: None }
    }

    /// Action refused so that no data is lost and nobody is disturbed.
    pub fn refused(what: impl fmt::Display) -> Failure {
        Failure { exit: Exit::Refused, what: what.to_string(), help: None }
    }

    /// Ended by its user before there was an answer.
    pub fn interrupted(what: impl fmt::Display) -> Failure {
        Failure { exit: Exit::Interrupted, what: what.to_string(), help: None }
    }

    /// Something in a file, with its line and a caret.
    pub fn at(place: Place, message: impl fmt::Display) -> Failure {
        Failure::input(NativeError { message: message.to_string(), place: Some(place) })
    }

    /// Adds the origin of a value: a line of a file, or a variable. A flag is named by the message itself.
    pub fn written(mut self, given: &SettingValue) -> Failure {
        match &given.from {
            Origin::Flag(_) => {}
            Origin::Machine => self.what = format!("this machine: {}", self.what),
            Origin::Environment(name) => self.what = format!("{name} (environment): {}", self.what),
            Origin::File(place) => {
                let place = Some(Place::clone(place));
                self.what = NativeError { message: self.what, place }.to_string();
            }
        }
        self
    }

    /// The same with the exit code of a refusal: something would be lost.
    pub fn into_refused(self) -> Failure {
        Failure { exit: Exit::Refused, ..self }
    }

    /// Adds the fix.
    pub fn help(mut self, help: impl fmt::Display) -> Failure {
        self.help = Some(help.to_string());
        self
    }

    /// Puts it in other words, what is wrong and how to fix it.
    pub fn reworded(self, words: impl Fn(&str) -> String) -> Failure {
        Failure { exit: self.exit, what: words(&self.what), help: self.help.as_deref().map(words) }
    }

    /// Says which part of the work it is about.
    pub fn of(mut self, part: &str) -> Failure {
        self.what = format!("{part}: {}", self.what);
        self
    }

    /// Exit code of the failure.
    pub fn exit(&self) -> Exit {
        self.exit
    }

    /// The problem, without the fix.
    pub fn what(&self) -> &str {
        &self.what
    }

    /// The fix, as far as it is known.
    pub fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }
}

impl From<Problem> for Failure {
    fn from(problem: Problem) -> Failure {
        let Problem { what, help } = problem;
        Failure { exit: Exit::BadInput, what, help: Some(help).filter(|help| !help.is_empty()) }
    }
}

impl From<CatalogError> for Failure {
    fn from(error: CatalogError) -> Failure {
        match &error {
            CatalogError::Unknown { what, name, nearest } => {
                let fix = iobound_catalog::instead_of(what, nearest);
                Failure::input(format!("the catalogue has no {what} `{name}`")).help(fix)
            }
            CatalogError::UnknownLimit { of, missing, help } => {
                let are = if missing.len() > 1 { "are" } else { "is" };
                Failure::input(format!("{of}: {} {are} not known", missing.join(" and "))).help(help)
            }
            CatalogError::Refused { what, why, help } => Failure::input(format!("{what}: {why}")).help(help),
            CatalogError::Spec { .. } => Failure::input(&error)
                .help("a disk is [NAME=][COUNTx]WHAT[:CACHE], such as log=2xP20:readonly"),
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
        Failure::input(error).help("`iobound catalog presets` lists them")
    }
}

impl From<PredictError> for Failure {
    fn from(error: PredictError) -> Failure {
        match error {
            PredictError::Workload(_) | PredictError::Nothing | PredictError::TooManyIos { .. } => {
                Failure::input(error)
            }
            PredictError::Interrupted => {
                Failure { exit: Exit::Interrupted, what: error.to_string(), help: None }
            }
            // The catalogue checks its blueprints, and the model in virtual time has no I/O that could fail.
            PredictError::Blueprint(_) | PredictError::Engine(_) => {
                panic!("the simulation broke down: {error}")
            }
        }
    }
}

#[cfg(feature = "load")]
mod of_load {
    use iobound_load::engine::OpenError;
    use iobound_load::prepare::{Refused, Unprepared};

    use super::Failure;

    impl From<Refused> for Failure {
        fn from(refused: Refused) -> Failure {
            if refused.is_safety() {
                Failure::refused(refused)
            } else if refused.is_failing() {
                Failure::io(refused)
            } else {
                Failure::input(refused)
            }
        }
    }

    impl From<Unprepared> for Failure {
        fn from(unprepared: Unprepared) -> Failure {
            if unprepared.is_stopped() { Failure::interrupted(unprepared) } else { Failure::io(unprepared) }
        }
    }

    impl From<OpenError> for Failure {
        fn from(error: OpenError) -> Failure {
            match error.cause.kind() {
                std::io::ErrorKind::NotFound | std::io::ErrorKind::InvalidInput => Failure::input(error),
                _ => Failure::io(error),
            }
        }
    }
}
