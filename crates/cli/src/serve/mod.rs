//! Questions of the page, by verb and options: the same requests, the same documents.

#[cfg(all(feature = "load", target_os = "linux"))]
mod running;
#[cfg(not(all(feature = "load", target_os = "linux")))]
#[path = "nothing_runs.rs"]
mod running;
mod words;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use iobound_app::catalog::{DisksRequest, EntryRequest, VmsRequest};
use iobound_app::compare::CompareRequest;
use iobound_app::explain::ExplainRequest;
use iobound_app::options::{Field, OptionSpec, Options};
use iobound_app::plan::PlanRequest;
use iobound_app::predict::PredictRequest;
use iobound_app::results::ListRequest;
use iobound_app::{Common, Env, Exit, Failure};
use iobound_serve::{Answer, Desk, Server, Word};

use crate::arguments::CommonArgs;
use crate::ask::answer_of;
use crate::{interrupt, output};

/// Questions that a page may ask, and the program's question for each.
const QUESTIONS: [(&str, &[&str]); 11] = [
    ("predict", &["predict"]),
    ("knee", &["predict"]),
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

/// The options of a question.
fn specs_of(verb: &[&str]) -> Vec<OptionSpec> {
    match verb {
        ["predict"] => PredictRequest::specs(),
        ["plan"] => PlanRequest::specs(),
        ["explain"] => ExplainRequest::specs(),
        ["compare"] => CompareRequest::specs(),
        ["results", "list"] => ListRequest::specs(),
        ["catalog", "vms"] => VmsRequest::specs(),
        ["catalog", "disks"] => DisksRequest::specs(),
        ["catalog", "show"] => EntryRequest::specs(),
        _ => Vec::new(),
    }
}

/// Serves the page at a loopback address until Ctrl-C.
///
/// # Errors
/// The address is taken, or a socket fails.
pub(crate) fn until_interrupted(at: SocketAddr, common: &CommonArgs) -> Result<Exit, Failure> {
    let taken = |error| {
        Failure::input(format!("--at {at}: {error}"))
            .mend("choose another port, or --at 127.0.0.1:0 for any free port")
    };
    let server = Server::listen(at).map_err(taken)?;
    let address = server.address().map_err(|error| Failure::io(format!("the page's address: {error}")))?;
    output::write(&format!("http://{address}/\nonly for this machine, until Ctrl-C\n"))?;
    let (stop, asked) = (server.stop(), interrupt::flag());
    std::thread::spawn(move || {
        while !asked.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        stop.stop();
    });
    let answers = Arc::new(Answers::new(common));
    server.serve(answers).map_err(|error| Failure::io(format!("cannot serve the page: {error}")))?;
    Ok(Exit::Done)
}

/// Answers a page's questions.
pub(crate) struct Answers {
    common: Common,
}

impl Answers {
    /// With what the person said of every answer: a seed, a configuration file.
    pub(crate) fn new(common: &CommonArgs) -> Answers {
        Answers { common: common.common() }
    }

    /// Asks, until the answer is there or nobody wants it.
    fn answer(
        &self,
        question: &str,
        verb: &[&str],
        words: &[Word],
        stop: &Arc<AtomicBool>,
    ) -> Result<Answer, Failure> {
        let mut fields = words::fields(verb, &specs_of(verb), words)?;
        if question == "knee" {
            fields.push(Field { name: "find-knee".into(), value: None });
        }
        let stop = Arc::clone(stop);
        let env = Env::with_variables(std::env::vars_os())
            .stop(move || stop.load(Ordering::Relaxed) || interrupt::asked());
        let answer = answer_of(verb, &fields, &self.common, &env, None);
        if env.is_stopped() {
            return Err(Failure::input("the question was stopped"));
        }
        answer.map(|(document, _)| Answer::Document(document))
    }
}

impl Desk for Answers {
    fn ask(&self, question: &str, words: &[Word], stop: &Arc<AtomicBool>) -> Answer {
        match QUESTIONS.iter().find(|(name, _)| *name == question) {
            Some((_, verb)) => told(self.answer(question, verb, words, stop)),
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
