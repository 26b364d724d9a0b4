//! The end of a verb that runs load: its answer as a struct, and whatever went wrong beside it.

use iobound_report::{Document, Style};

use crate::outfile::Unwritten;
use crate::{Exit, Failure};

/// An answer that can be shown: as text for people, and as a document for programs.
pub trait ShownAnswer {
    /// The answer as text.
    fn text(&self, style: Style) -> String;

    /// The answer as a document; `None` if it is text alone.
    fn document(&self) -> Option<Document>;
}

/// The answer of a verb that runs load. The caller prints it, or uses its parts.
pub enum VerbAnswer {
    /// Figures of a run.
    #[cfg(feature = "load")]
    Run(crate::run::RunAnswer),
    /// A search for the knee.
    #[cfg(feature = "load")]
    Search(crate::run::SearchAnswer),
    /// Two sides that took turns.
    #[cfg(feature = "load")]
    Turns(crate::compare::CompareAnswer),
    /// The table of an experiment.
    Lab(crate::lab::LabAnswer),
    /// The experiments that ship with the program.
    Experiments(crate::lab::ExperimentList),
    /// Published runs beside the model.
    Measured(crate::lab::MeasuredAnswers),
    /// Limits of disks.
    Probe(crate::probe::ProbeAnswer),
    /// Limits of the disks of several machines.
    #[cfg(all(feature = "load", target_os = "linux"))]
    FleetProbe(iobound_documents::FleetProbeDocument),
    /// Commands that a fleet would start.
    #[cfg(all(feature = "load", target_os = "linux"))]
    FleetPlan(crate::launch::FleetPlan),
    /// Text for people, such as the plan of a dry run.
    Text(String),
    /// Output in another tool's form, or comma-separated values: a program reads it.
    Data(String),
}

impl VerbAnswer {
    /// The answer as what is shown; `Err` has text that is shown as it is.
    pub fn shown(&self) -> Result<&dyn ShownAnswer, &str> {
        Ok(match self {
            #[cfg(feature = "load")]
            VerbAnswer::Run(answer) => answer,
            #[cfg(feature = "load")]
            VerbAnswer::Search(answer) => answer,
            #[cfg(feature = "load")]
            VerbAnswer::Turns(answer) => answer,
            VerbAnswer::Lab(answer) => answer,
            VerbAnswer::Experiments(answer) => answer,
            VerbAnswer::Measured(answer) => answer,
            VerbAnswer::Probe(answer) => answer,
            #[cfg(all(feature = "load", target_os = "linux"))]
            VerbAnswer::FleetProbe(answer) => answer,
            #[cfg(all(feature = "load", target_os = "linux"))]
            VerbAnswer::FleetPlan(answer) => answer,
            VerbAnswer::Text(text) | VerbAnswer::Data(text) => return Err(text),
        })
    }
}

/// The end of a verb that runs load.
#[must_use = "its failures and its exit code are to be reported"]
pub struct Finished {
    /// The answer; `None` if there is nothing to print, such as for a rank whose coordinator answers.
    pub answer: Option<VerbAnswer>,
    /// Failures beside the answer, in the order in which they happened.
    pub failures: Vec<Failure>,
    /// Exit code.
    pub exit: Exit,
}

impl Finished {
    /// An end without an answer.
    pub(crate) fn without_answer(exit: Exit) -> Finished {
        Finished { answer: None, failures: Vec::new(), exit }
    }

    /// An end with an answer, and nothing that failed.
    pub(crate) fn with(answer: VerbAnswer, exit: Exit) -> Finished {
        Finished { answer: Some(answer), failures: Vec::new(), exit }
    }

    /// An end with files that could not be written, and what ended the work. A file that is missing decides the exit code.
    pub(crate) fn beside(
        answer: Option<VerbAnswer>,
        unwritten: Unwritten,
        ended: Result<Exit, Failure>,
    ) -> Finished {
        let mut failures = unwritten.failures();
        let exit = match (&ended, failures.is_empty()) {
            (_, false) => Exit::Io,
            (Ok(exit), true) => *exit,
            (Err(failure), true) => failure.exit(),
        };
        failures.extend(ended.err());
        Finished { answer, failures, exit }
    }
}
