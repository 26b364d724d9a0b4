//! A result by its id or its file, wherever one is taken.

use iobound_measure::RunResult;
use iobound_results::{Kept, RunId};
use serde_json::{Map, Value};

use super::Place;
use crate::Env;
use crate::failure::Failure;
use crate::files::{self, RESULT};
use crate::observed::kind::result_of;
use crate::settings::{ConfigFile, SettingValue};

/// A result that the user named.
#[derive(Clone, Debug)]
pub struct Named {
    /// As it was named.
    pub word: String,
    /// Figures of it.
    pub result: RunResult,
    /// The request, in a line.
    pub asked: Option<String>,
    /// The same in TOML.
    pub workload: Option<String>,
    /// The configuration in TOML.
    pub configuration: Option<String>,
    /// End of the run: complete, interrupted or failed.
    pub ended: Option<String>,
    /// Number of stages its file that has.
    pub stages: usize,
}

/// The result of an id or a file.
///
/// # Errors
/// Returns an error if it does not exist or is not a result.
pub fn named(env: &Env, word: &str, place: &Place) -> Result<Named, Failure> {
    if let Some(id) = RunId::of(word) {
        let kept = kept(id, place)?;
        let configuration = kept.configuration.clone();
        return Ok(of_document(word, kept.result, &kept.document, configuration));
    }
    let text = files::read(env, word, RESULT).map_err(|why| {
        let failure = Failure::unreadable(word, &why);
        if word.contains(['/', '.']) {
            failure
        } else {
            failure.help("name a file, or a kept run such as r-142 (`iobound results list`)")
        }
    })?;
    let result = result_of(&text).map_err(|why| Failure::input(format!("{word}: {why}")))?;
    let document: Value = serde_json::from_str(&text).unwrap_or_default();
    let none = Map::new();
    Ok(of_document(word, result, document.as_object().unwrap_or(&none), None))
}

fn of_document(
    word: &str,
    result: RunResult,
    document: &Map<String, Value>,
    configuration: Option<String>,
) -> Named {
    let workload = document.get("workload");
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_string);
    let jobs = workload.and_then(|workload| workload.get("jobs")).and_then(Value::as_array);
    let asked = jobs.map(|jobs| {
        let each = jobs.iter().filter_map(|job| job.get("description").and_then(Value::as_str));
        each.collect::<Vec<_>>().join("; ")
    });
    Named {
        word: word.to_string(),
        asked: asked.filter(|asked| !asked.is_empty()),
        workload: text(workload.and_then(|workload| workload.get("toml"))),
        configuration,
        ended: text(document.get("ended")),
        stages: document.get("stages").and_then(Value::as_array).map_or(1, Vec::len),
        result,
    }
}

/// The run of an id.
fn kept(id: RunId, place: &Place) -> Result<Kept, Failure> {
    let store = place.to_read()?;
    let found = store.get(id).map_err(|error| place.failed(&error))?;
    found.ok_or_else(|| {
        Failure::input(format!("there is no run {id} in {}", store.path().display()))
            .help("`iobound results list` lists the kept runs; write ./r-142 for a file with that name")
    })
}

/// The text of a result: that of the file that a value names, or the document of the run whose id it is.
///
/// # Errors
/// Returns an error if there is none.
pub fn text_of(env: &Env, given: &SettingValue, place: &Place) -> Result<String, Failure> {
    match RunId::of(&given.text) {
        Some(id) => Ok(Value::Object(kept(id, place)?.document).to_string()),
        None => given.file(env, RESULT),
    }
}

/// The configuration of the run with this id; `None` if the value is not an id, or no configuration is kept.
///
/// # Errors
/// Returns an error if no such run is kept.
pub fn configuration_of_id(given: &SettingValue, place: &Place) -> Result<Option<ConfigFile>, Failure> {
    let Some(id) = RunId::of(&given.text) else { return Ok(None) };
    match kept(id, place)?.configuration {
        Some(text) => ConfigFile::of_text(&id.to_string(), &text).map(Some),
        None => Ok(None),
    }
}
