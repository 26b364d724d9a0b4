//! Questions, by a verb and its options.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use iobound::{Beside, Exit, Failure, Field, Flag};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Python is asked for signals no more often than this.
const OFTEN: Duration = Duration::from_millis(50);

/// Reason why there is no answer: the kind of the error, the problem, and the fix.
pub(crate) type Why = (&'static str, String, Option<String>);

/// Asks a verb with options by name, `None` for one that stands alone, and with texts that stand for files. `signals`: this is the thread that signals are for, and one of them may
/// end it. The interpreter lock is released until there is an answer.
///
/// The document, what was said beside it, and, where there is no document, why.
///
/// # Errors
/// Returns the exception that a signal raised.
#[pyfunction]
pub(crate) fn ask(
    py: Python<'_>,
    verb: Vec<String>,
    fields: Vec<(String, Option<String>)>,
    texts: BTreeMap<String, String>,
    signals: bool,
) -> PyResult<(Option<String>, Vec<String>, Option<Why>)> {
    let (answer, raised) = py.detach(|| {
        let raised = Arc::new(Mutex::new(None));
        let stop = signals.then(|| stopping(Arc::clone(&raised)));
        let verb: Vec<&str> = verb.iter().map(String::as_str).collect();
        let fields: Vec<Field> = fields.into_iter().map(|(name, value)| Field { name, value }).collect();
        let answer = iobound::ask(&verb, &fields, Beside { texts, stop });
        let raised = raised.lock().unwrap_or_else(PoisonError::into_inner).take();
        (answer, raised)
    });
    match (raised, answer) {
        (Some(error), _) => Err(error),
        (None, Ok(answer)) => Ok((Some(answer.document), answer.notes, None)),
        (None, Err(failure)) => Ok((None, Vec::new(), Some(why(&failure)))),
    }
}

/// The reason of a failure.
pub(crate) fn why(failure: &Failure) -> Why {
    (name(failure.exit()), failure.what().to_string(), failure.help_text().map(String::from))
}

fn name(exit: Exit) -> &'static str {
    match exit {
        Exit::Refused => "refused",
        Exit::Io => "io",
        Exit::Interrupted => "interrupted",
        Exit::Done | Exit::Asserted | Exit::BadInput => "bad input",
    }
}

/// Lets Python handle its signals now and then; what a handler raises, as Ctrl-C does, ends the question.
// The wall clock decides when to look, and nothing of the answer.
#[allow(clippy::disallowed_methods)]
pub(crate) fn stopping(raised: Arc<Mutex<Option<PyErr>>>) -> Arc<dyn Fn() -> bool + Send + Sync> {
    let last = Mutex::new(Instant::now());
    Arc::new(move || {
        let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
        if last.elapsed() < OFTEN {
            return false;
        }
        let error = Python::attach(|py| py.check_signals()).err();
        *last = Instant::now();
        let is_over = error.is_some();
        *raised.lock().unwrap_or_else(PoisonError::into_inner) = error;
        is_over
    })
}

/// Purpose of a verb, and its flags in the order of its help.
///
/// # Errors
/// `ValueError`: there is no such verb.
#[pyfunction]
pub(crate) fn flags<'py>(py: Python<'py>, verb: Vec<String>) -> PyResult<(String, Vec<Bound<'py, PyDict>>)> {
    let verb: Vec<&str> = verb.iter().map(String::as_str).collect();
    let (about, flags) = iobound::flags(&verb)
        .ok_or_else(|| PyValueError::new_err(format!("unknown verb `{}`", verb.join(" "))))?;
    let flags = flags.into_iter().map(|Flag { name, value, help, heading, many, alone, positional }| {
        let flag = PyDict::new(py);
        flag.set_item("name", name)?;
        flag.set_item("value", value)?;
        flag.set_item("help", help)?;
        flag.set_item("heading", heading)?;
        flag.set_item("many", many)?;
        flag.set_item("alone", alone)?;
        flag.set_item("positional", positional)?;
        Ok(flag)
    });
    Ok((about, flags.collect::<PyResult<Vec<_>>>()?))
}

/// A JSON object as TOML.
///
/// # Errors
/// `ValueError`: TOML can't say it, in a sentence.
#[pyfunction]
pub(crate) fn toml_of(json: &str) -> PyResult<String> {
    let value: toml::Table = serde_json::from_str(json)
        .map_err(|error| PyValueError::new_err(format!("TOML has no words for it: {error}")))?;
    toml::to_string(&value).map_err(|error| PyValueError::new_err(error.to_string()))
}
