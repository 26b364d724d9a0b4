//! Questions of the page, by verb and options: the same requests, the same documents.

mod lab;
#[cfg(feature = "load")]
mod machine;
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
use iobound_app::compare::{CompareRequest, PreparedComparison};
use iobound_app::explain::ExplainRequest;
use iobound_app::options::{Field, OptionSpec, Options, request_of};
use iobound_app::plan::PlanRequest;
use iobound_app::predict::PredictRequest;
use iobound_app::results::{ListRequest, ReadResultRequest};
use iobound_app::{Common, Env, Exit, Failure};
use iobound_serve::{Answer, Backend, Server, Word};

use iobound_report::{Document, Names, compare_document, html_page};

use crate::arguments::CommonArgs;
use crate::ask::answer_of;
use crate::{interrupt, output};

/// Questions that a page may ask, and the program's question for each.
const QUESTIONS: [(&str, &[&str]); 12] = [
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
    ("result", &["result"]),
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
        ["result"] => ReadResultRequest::specs(),
        ["catalog", "vms"] => VmsRequest::specs(),
        ["catalog", "disks"] => DisksRequest::specs(),
        ["catalog", "show"] => EntryRequest::specs(),
        _ => Vec::new(),
    }
}

/// Serves the page at a loopback address until Ctrl-C.
///
/// # Errors
/// Returns an error if the address is in use or a socket fails.
pub(crate) fn until_interrupted(at: SocketAddr, common: &CommonArgs) -> Result<Exit, Failure> {
    let taken = |error| {
        Failure::input(format!("--at {at}: {error}"))
            .help("choose another port, or --at 127.0.0.1:0 for any free port")
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
    #[cfg(feature = "load")]
    watcher: machine::Watcher,
}

impl Answers {
    /// With what the person said of every answer: a seed, a configuration file.
    pub(crate) fn new(common: &CommonArgs) -> Answers {
        Answers {
            common: common.common(),
            #[cfg(feature = "load")]
            watcher: machine::Watcher::default(),
        }
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
        let document = match question {
            "compare" => self.compared(&fields, &env),
            _ => answer_of(verb, &fields, &self.common, &env, None).map(|(document, _)| document),
        };
        if env.is_stopped() {
            return Err(Failure::input("the question was stopped"));
        }
        document.map(Answer::Document)
    }

    /// The document of a comparison with what its charts are drawn from.
    fn compared(&self, fields: &[Field], env: &Env) -> Result<String, Failure> {
        let (request, _) = request_of::<CompareRequest>("compare", fields)?;
        let prepared = PreparedComparison::read(&request, &self.common, env)?;
        prepared.check()?;
        let answer = prepared.answer(env)?.with_results();
        Ok(Document::from(answer.with_screen(compare_document)).text())
    }
}

impl Backend for Answers {
    fn ask(&self, question: &str, words: &[Word], stop: &Arc<AtomicBool>) -> Answer {
        match question {
            "experiments" => return told(lab::list()),
            "lab" => return told(lab::answer(words, stop)),
            #[cfg(feature = "load")]
            "doctor" => return told(machine::doctor(&self.common)),
            _ => {}
        }
        match QUESTIONS.iter().find(|(name, _)| *name == question) {
            Some((_, verb)) => told(self.answer(question, verb, words, stop)),
            None => Answer::Unknown,
        }
    }

    fn page(&self, question: &str, words: &[Word], stop: &Arc<AtomicBool>) -> Answer {
        let document = match self.ask(question, words, stop) {
            Answer::Document(document) => document,
            other => return other,
        };
        let page = serde_json::from_str(&document)
            .map_err(|error| error.to_string())
            .and_then(|document| html_page(&document, Names::Kept));
        told(page.map(Answer::Document).map_err(Failure::input))
    }

    fn running(&self) -> Answer {
        running::list()
    }

    fn state(&self, of: &str) -> Answer {
        #[cfg(feature = "load")]
        if of == machine::NAME {
            return self.watcher.state(&self.common);
        }
        running::state(of)
    }
}

/// A failure is an answer too.
fn told(answer: Result<Answer, Failure>) -> Answer {
    answer.unwrap_or_else(|failure| Answer::Refused {
        what: failure.what().to_string(),
        help: failure.help_text().map(String::from),
    })
}
