use iobound_documents::{TraceDocument, TraceFitDocument};
use iobound_report::{Style, trace_document, trace_fit_document, trace_fit_text, trace_read, trace_text};
use iobound_trace::{Analysis, NotFitted, TraceError, fit as fitted};

use super::open::OpenTrace;
use super::request::{FitRequest, InfoRequest};
use crate::{Common, Env, Exit, Failure};

/// The figures of a trace.
pub struct InfoAnswer {
    document: TraceDocument,
    failed: Option<Failure>,
}

/// The closest statistical workload of a trace.
pub struct FitAnswer {
    document: TraceFitDocument,
}

/// A trace that was read to its end, or up to an interruption.
pub(crate) struct Analysed {
    pub(crate) analysis: Analysis,
    pub(crate) names: Vec<String>,
    pub(crate) interrupted: bool,
    /// The error that ended the reading, if I/Os came before it.
    pub(crate) error: Option<TraceError>,
}

impl Analysed {
    /// The figures of a whole trace.
    ///
    /// # Errors
    /// The trace can't be read to its end, or the reading was interrupted.
    pub(crate) fn whole(self, files: &[String]) -> Result<(Analysis, Vec<String>), Failure> {
        if let Some(error) = &self.error {
            return Err(unread(files, error));
        }
        if self.interrupted {
            return Err(Failure::interrupted("interrupted before the whole trace was read"));
        }
        Ok((self.analysis, self.names))
    }
}

/// A trace that can't be read further, as a failure that names its files.
pub(crate) fn unread(files: &[String], error: &TraceError) -> Failure {
    let failure = Failure::input(format!("{}: {}", files.join(", "), error.what));
    if error.help.is_empty() { failure } else { failure.help(&error.help) }
}

/// Reads a trace to its end, or as far as it can be read.
///
/// # Errors
/// Returns an error if the trace cannot be read or has no I/O.
pub(crate) fn analyse(env: &Env, trace: &mut OpenTrace) -> Result<Analysed, Failure> {
    let (mut analysis, mut batch, mut interrupted) = (Analysis::default(), Vec::new(), false);
    let mut error = None;
    loop {
        batch.clear();
        match trace.source.read(&mut batch) {
            Err(why) if analysis.ios() == 0 && batch.is_empty() => return Err(unread(&trace.files, &why)),
            Err(why) => error = Some(why),
            Ok(()) if batch.is_empty() => break,
            Ok(()) => {}
        }
        analysis.add(&batch);
        if error.is_some() {
            break;
        }
        let (done, of) = trace.reading.bytes();
        env.progress(done, of);
        if env.is_stopped() {
            interrupted = true;
            break;
        }
    }
    env.progress_ends();
    if analysis.ios() == 0 {
        let why = format!("{}: the trace has no I/O", trace.files.join(", "));
        let facts = trace.source.facts();
        let why = match &facts.malformed.first {
            Some((line, _, reason)) => format!("{why}, and line {line} cannot be read: {reason}"),
            None if facts.other_ops > 0 => format!("{why}: all of its lines are of other operations"),
            None => why,
        };
        return Err(Failure::input(why).help("name a trace with reads or writes"));
    }
    Ok(Analysed { analysis, names: trace.source.devices().to_vec(), interrupted, error })
}

/// Analyses a trace.
///
/// # Errors
/// Returns an error if a value cannot be read; it names the value and the fix.
pub fn info(request: &InfoRequest, env: &Env) -> Result<InfoAnswer, Failure> {
    let mut trace = request.read.open(env, &request.files)?;
    let Analysed { analysis, names, interrupted, error } = analyse(env, &mut trace)?;
    let read = trace_read(&trace.files, &trace.source.facts());
    let failed = error.as_ref().map(|error| unread(&trace.files, error));
    let error = error.map(|error| error.to_string());
    Ok(InfoAnswer { document: trace_document(&analysis, &names, read, interrupted, error), failed })
}

/// Fits a workload to a trace.
///
/// # Errors
/// Returns an error if the trace cannot be read or has no rate.
pub fn fit(request: &FitRequest, common: &Common, env: &Env) -> Result<FitAnswer, Failure> {
    let seed = match common.seed.as_deref() {
        None => 0,
        Some(text) => {
            iobound_units::parse_count(text).map_err(|error| Failure::input(format!("--seed: {error}")))?
        }
    };
    let mut trace = request.read.open(env, &request.files)?;
    let (analysis, names) = analyse(env, &mut trace)?.whole(&trace.files)?;
    let workload = fitted(&analysis, &names, seed).map_err(|error| {
        Failure::input(error).help(match error {
            NotFitted::NoData => "name a trace with reads or writes",
            NotFitted::NoTime => "name a trace with I/Os at different times",
        })
    })?;
    let read = trace_read(&trace.files, &trace.source.facts());
    Ok(FitAnswer { document: trace_fit_document(&workload, read) })
}

impl InfoAnswer {
    /// The document.
    pub fn document(&self) -> &TraceDocument {
        &self.document
    }

    /// The screen.
    pub fn text(&self, style: Style) -> String {
        trace_text(&self.document, style)
    }

    /// The exit code.
    ///
    /// # Errors
    /// The error that ended the reading.
    pub fn exit(self) -> Result<Exit, Failure> {
        match self.failed {
            Some(failed) => Err(failed),
            None if self.document.interrupted => Ok(Exit::Interrupted),
            None => Ok(Exit::Done),
        }
    }
}

impl FitAnswer {
    /// The document.
    pub fn document(&self) -> &TraceFitDocument {
        &self.document
    }

    /// The workload in TOML, with its errors as comments.
    pub fn text(&self) -> String {
        trace_fit_text(&self.document)
    }
}
