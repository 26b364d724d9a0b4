//! What the page asks, in the program's own words: the same parser, the same verbs, the same documents.

#[cfg(all(feature = "load", target_os = "linux"))]
mod running;
#[cfg(not(all(feature = "load", target_os = "linux")))]
#[path = "nothing_runs.rs"]
mod running;
mod words;

use std::sync::{Arc, Mutex, PoisonError};

use clap::{CommandFactory, FromArgMatches};
use iobound_serve::{Answer, Desk, Word};

use crate::arguments::{AnswerTo, CommonArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::{Program, words as typed};

pub(crate) use words::plain;

/// What a page may ask, and what is asked of the program for it.
const QUESTIONS: [(&str, &[&str]); 11] = [
    ("predict", &["predict"]),
    ("knee", &["predict", "--find-knee"]),
    ("plan", &["plan"]),
    ("explain", &["explain"]),
    ("vms", &["catalog", "vms"]),
    ("disks", &["catalog", "disks"]),
    ("presets", &["catalog", "presets"]),
    ("catalog", &["catalog"]),
    ("show", &["catalog", "show"]),
    ("results", &["results", "list"]),
    ("compare", &["compare"]),
];

/// Answers a page's questions.
pub(crate) struct Answers {
    common: CommonArgs,
}

impl Answers {
    /// With what the person said of every answer: a seed, a configuration file.
    pub(crate) fn new(common: CommonArgs) -> Answers {
        Answers { common }
    }

    fn answer(&self, verb: &[&str], words: &[Word]) -> Result<Answer, Failure> {
        let line = words::line(&Program::command(), verb, words)?;
        let (line, _) = typed::read(&Program::command(), line.into_iter())?;
        let parsed = Program::command().try_get_matches_from(line);
        let mut program =
            parsed.and_then(|matches| Program::from_arg_matches(&matches)).map_err(|usage| {
                Failure::input(words::plain(&usage)).mend("the form above has what can be asked")
            })?;
        let kept = Arc::new(Mutex::new(None));
        let common = &mut program.common;
        common.json = true;
        common.to = AnswerTo::Program(Arc::clone(&kept));
        common.config.clone_from(&self.common.config);
        if common.seed.is_none() {
            common.seed.clone_from(&self.common.seed);
        }
        match program.carry_out()? {
            Exit::Interrupted => return Err(Failure::input("the server ends")),
            Exit::Done | Exit::Asserted | Exit::BadInput | Exit::Refused | Exit::Io => {}
        }
        let text = kept.lock().unwrap_or_else(PoisonError::into_inner).take();
        text.map(Answer::Document).ok_or_else(|| Failure::input("there is no document of that answer"))
    }
}

impl Desk for Answers {
    fn ask(&self, question: &str, words: &[Word]) -> Answer {
        match QUESTIONS.iter().find(|(name, _)| *name == question) {
            Some((_, verb)) => told(self.answer(verb, words)),
            None => Answer::Unknown,
        }
    }

    fn running(&self) -> Answer {
        running::list()
    }

    fn state(&self, of: &str) -> Answer {
        running::state(of)
    }
}

/// A failure is an answer too.
fn told(answer: Result<Answer, Failure>) -> Answer {
    answer.unwrap_or_else(|failure| Answer::Refused {
        what: failure.what().to_string(),
        mend: failure.mended().map(String::from),
    })
}
