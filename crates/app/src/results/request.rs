//! Results that are kept.

use iobound_documents::ResultsDocument;
use iobound_report::{
    Document, Ended, RunScreen, RunStage, Setting, Style, kept_csv, kept_series_csv, kept_text, run_text,
};
use iobound_results::{Kept, Query, RunId};
use iobound_units::Span;
use iobound_workload::Workload;
use serde_json::Value;

use super::since::since_of;
use super::stored::{id_of, kept_of, limit_of, missing, rows, whole_document, with_latencies};
use super::{Place, place_of, refuse_idle};
use crate::files::{self, RESULT};
use crate::observed::result_of;
use crate::options::{StoreOptions, options};
use crate::settings::Settings;
use crate::{Common, Env, Failure};

options! {
    /// The runs.
    pub struct WhichOptions {
        /// Only runs since this time: 2026-11-22, 2026-11-22T04:00 (UTC), 7d, 12h
        since: Option<String> = Form::One, "WHEN";
        /// Only runs whose target's name contains this text
        target: Option<String> = Form::One, "TEXT";
        /// Only runs of this machine
        host: Option<String> = Form::One, "NAME";
        /// Only runs of this verb: run, fio, diskspd, iometer, lab
        verb: Option<String> = Form::One, "VERB";
    }
}

options! {
    /// Number of runs that are listed, and how.
    pub struct ListedOptions {
        /// Number of runs, the newest first
        limit: Option<String> = Form::Default(NEWEST), "N";
        /// Print comma-separated values
        csv: bool = Form::Switch, "", not with "json";
    }
}

options! {
    /// Asks for runs, the newest first.
    pub struct ListRequest {
    }
    which: WhichOptions;
    listed: ListedOptions;
}

options! {
    /// Asks for a run.
    pub struct ShowRequest {
        /// Id of the run: r-142
        run: Option<String> = Form::Word, "RUN";
    }
}

options! {
    /// Asks for a run as a page.
    pub struct HtmlRequest {
        /// Id of the run: r-142
        run: Option<String> = Form::Word, "RUN";
        /// File for the page; an existing file is replaced
        file: Option<String> = Form::Word, "PAGE";
        /// Keep host names, users' folders and cloud ids in the page
        html_with_names: bool = Form::Switch;
    }
}

options! {
    /// The runs that are written out by name.
    pub struct NamedOptions {
        /// Ids of the runs to export: r-141 r-142
        runs: Vec<String> = Form::MaybeWords, "RUN";
    }
}

options! {
    /// Format of exported runs.
    pub struct ExportedOptions {
        /// Number of runs, the newest first [default: all]
        limit: Option<String> = Form::One, "N";
        /// Export the intervals of each run, instead of one row for each run
        series: bool = Form::Switch, "", not with "json";
        /// Print comma-separated values
        csv: bool = Form::Switch, "", not with "json";
    }
}

options! {
    /// Asks for all of what is kept.
    pub struct ExportRequest {
    }
    named: NamedOptions;
    which: WhichOptions;
    exported: ExportedOptions;
}

options! {
    /// Asks for runs to be deleted.
    pub struct DeleteRequest {
        /// Ids of the runs to delete: r-141 r-142
        runs: Vec<String> = Form::Words, "RUN";
    }
}

options! {
    /// Asks for a result as its document: from a file, in any supported format, or from the store.
    pub struct ReadResultRequest {
        /// Result file (iobound, fio's JSON, DiskSpd's text or XML, Iometer's CSV), or the id of a kept run: r-142
        result: Option<String> = Form::Word, "RESULT";
        /// Results store [default: IOBOUND_RESULTS, else in the user's data folder]
        results: Option<String> = Form::One, "FILE";
    }
}

/// Number of runs that are listed unless a request says it.
const NEWEST: &str = "20";

/// A request whose store has been found.
pub struct PreparedResults {
    place: Place,
    common: Common,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// Answers about the store.
pub enum ResultsAnswer {
    /// Runs of a store.
    Runs(ResultsDocument),
    /// A run.
    Run(Box<Kept>),
    /// The complete documents of runs.
    Exported(ResultsDocument),
    /// Comma-separated values.
    Csv(String),
    /// The runs that were deleted from a store.
    Deleted(ResultsDocument),
}

impl PreparedResults {
    /// Finds the store: by the option, then the variable, then the user's data.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn read(store: &StoreOptions, common: &Common, env: &Env) -> Result<PreparedResults, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let place = place_of(store.results.as_deref(), &mut settings)?;
        let settings = settings.finish();
        Ok(PreparedResults { place, common: common.clone(), settings })
    }

    /// Checks what can be checked before the work.
    ///
    /// # Errors
    /// Returns an error if an option has no effect here.
    pub fn check(&self) -> Result<(), Failure> {
        refuse_idle(&self.common)
    }

    /// Lists runs.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn list(&self, request: &ListRequest) -> Result<ResultsAnswer, Failure> {
        let limit = limit_of(request.listed.limit.as_deref().unwrap_or(NEWEST))?;
        let query = Query { limit: Some(limit), ..request.which.query()? };
        let store = self.place.to_read()?;
        let runs = rows(&store, &query, &self.place)?;
        let at = store.path().display().to_string();
        Ok(match request.listed.csv {
            true => ResultsAnswer::Csv(kept_csv(&runs)),
            false => ResultsAnswer::Runs(ResultsDocument::of_runs(&at, runs)),
        })
    }

    /// A run.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn show(&self, request: &ShowRequest) -> Result<ResultsAnswer, Failure> {
        let run = request.run.as_deref().unwrap_or_default();
        Ok(ResultsAnswer::Run(Box::new(kept_of(&self.place, run)?)))
    }

    /// The document of a run with everything that a page shows.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn page_document(&self, request: &HtmlRequest) -> Result<Value, Failure> {
        kept_of(&self.place, request.run.as_deref().unwrap_or_default()).map(with_latencies)
    }

    /// Everything that is kept of runs.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn export(&self, request: &ExportRequest) -> Result<ResultsAnswer, Failure> {
        let ExportRequest { named, which, exported } = request;
        let place = &self.place;
        let ids = named.runs.iter().map(|word| id_of(word)).collect::<Result<Vec<_>, _>>()?;
        let limit = exported.limit.as_deref().map(limit_of).transpose()?;
        let query = Query { ids: ids.clone(), limit, ..which.query()? };
        let store = place.to_read()?;
        let mut runs = rows(&store, &query, place)?;
        // Tables are read from their beginning.
        runs.reverse();
        let lost: Vec<RunId> =
            ids.into_iter().filter(|id| !runs.iter().any(|run| run.id == id.to_string())).collect();
        if !lost.is_empty() {
            return Err(missing(&store, &lost));
        }
        if exported.csv && !exported.series {
            return Ok(ResultsAnswer::Csv(kept_csv(&runs)));
        }
        let mut whole = Vec::with_capacity(runs.len());
        for run in &runs {
            let id = id_of(&run.id)?;
            whole.extend(store.get(id).map_err(|error| place.failed(&error))?);
        }
        if exported.series {
            let results: Vec<_> = whole.into_iter().map(|kept| (kept.id.to_string(), kept.result)).collect();
            return Ok(ResultsAnswer::Csv(kept_series_csv(&results)));
        }
        let documents = whole.into_iter().map(whole_document).collect();
        let at = store.path().display().to_string();
        Ok(ResultsAnswer::Exported(ResultsDocument::of_results(&at, documents)))
    }

    /// Deletes runs.
    ///
    /// # Errors
    /// Returns an error if one of the runs does not exist; none is deleted then.
    pub fn delete(&self, request: &DeleteRequest) -> Result<ResultsAnswer, Failure> {
        let place = &self.place;
        let ids = request.runs.iter().map(|word| id_of(word)).collect::<Result<Vec<_>, _>>()?;
        let mut store = place.to_change()?;
        let lost: Vec<RunId> = {
            let there = rows(&store, &Query { ids: ids.clone(), ..Query::default() }, place)?;
            ids.iter().copied().filter(|id| !there.iter().any(|run| run.id == id.to_string())).collect()
        };
        if !lost.is_empty() {
            return Err(missing(&store, &lost));
        }
        let deleted = store.delete(&ids).map_err(|error| place.failed(&error))?;
        let at = store.path().display().to_string();
        let ids = deleted.iter().map(RunId::to_string).collect();
        Ok(ResultsAnswer::Deleted(ResultsDocument::of_deleted(&at, ids)))
    }
}

impl ResultsAnswer {
    /// The text of the document; `None` of comma-separated values.
    pub fn document(&self) -> Option<String> {
        match self {
            ResultsAnswer::Runs(document)
            | ResultsAnswer::Exported(document)
            | ResultsAnswer::Deleted(document) => Some(Document::from(document.clone()).text()),
            ResultsAnswer::Run(kept) => {
                let document = iobound_documents::whole(Value::Object(kept.document.clone()));
                Some(format!("{document:#}\n"))
            }
            ResultsAnswer::Csv(_) => None,
        }
    }

    /// The text for a terminal: the values, if there is no document.
    ///
    /// # Errors
    /// Returns an error if the workload of a run cannot be read.
    pub fn text(&self, style: Style) -> Result<String, Failure> {
        Ok(match self {
            ResultsAnswer::Runs(document) => {
                kept_text(document.runs.as_deref().unwrap_or_default(), &document.place, style)
            }
            ResultsAnswer::Run(kept) => text_of_run(kept, style)?,
            ResultsAnswer::Exported(document) => Document::from(document.clone()).text(),
            ResultsAnswer::Csv(text) => text.clone(),
            ResultsAnswer::Deleted(document) => {
                format!("deleted {}\n", document.deleted.as_deref().unwrap_or_default().join(", "))
            }
        })
    }
}

/// The screen of a run again.
fn text_of_run(kept: &Kept, style: Style) -> Result<String, Failure> {
    let word = |key: &str| kept.document.get(key).and_then(Value::as_str).unwrap_or_default().to_string();
    let ended = match word("ended").as_str() {
        "interrupted" => Ended::Interrupted,
        "failed" => Ended::Failed(word("error")),
        _ => Ended::Complete,
    };
    let id = kept.id.to_string();
    let workload = kept.workload.as_deref().map(|toml| Workload::from_toml(&id, toml)).transpose()?.flatten();
    let workload = workload.unwrap_or_else(|| Workload::new(Vec::new(), Span::ZERO));
    let stage = RunStage { workload: &workload, result: &kept.result, prediction: None, ended };
    let screen = RunScreen { stages: &[stage], prepared: &[], next: &[], conditions: &[] };
    Ok(run_text(&screen, style))
}

impl WhichOptions {
    fn query(&self) -> Result<Query, Failure> {
        Ok(Query {
            ids: Vec::new(),
            since: self.since.as_deref().map(since_of).transpose()?,
            target: self.target.clone(),
            host: self.host.clone(),
            verb: self.verb.clone(),
            limit: None,
        })
    }
}

/// The document of a result: of a run that is kept, or of a file in anybody's form.
///
/// # Errors
/// Returns an error if a value cannot be read; it names the value and the fix.
pub fn read_result(request: &ReadResultRequest, common: &Common, env: &Env) -> Result<Value, Failure> {
    let mut settings = Settings::load(env, common.config.as_deref())?;
    let place = place_of(request.results.as_deref(), &mut settings)?;
    refuse_idle(common)?;
    let word = request.result.as_deref().unwrap_or_default();
    match RunId::of(word) {
        Some(_) => kept_of(&place, word).map(whole_document),
        None => document_of_file(env, word),
    }
}

/// A document of ours is given back with all that it says; what is another tool's becomes one.
fn document_of_file(env: &Env, path: &str) -> Result<Value, Failure> {
    let text = files::read_foreign(env, path, RESULT).map_err(|why| Failure::unreadable(path, &why))?;
    let result = result_of(&text).map_err(|why| Failure::input(format!("{path}: {why}")))?;
    let own = serde_json::from_str::<Value>(&text).ok().filter(|value| value.get("schema").is_some());
    match own {
        Some(document) => Ok(document),
        None => serde_json::to_value(result)
            .map(iobound_documents::whole)
            .map_err(|error| Failure::input(format!("{path}: {error}"))),
    }
}
