use iobound_documents::{TraceDocument, TraceFitDocument};
use iobound_report::{Style, trace_document, trace_fit_document, trace_fit_text, trace_read, trace_text};
use iobound_trace::{Analysis, TraceError, fit as fitted};

use super::open::OpenTrace;
use super::request::{FitRequest, InfoRequest};
use crate::{Common, Env, Exit, Failure};

/// The figures of a trace.
pub struct InfoAnswer {
    document: TraceDocument,
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
}

/// A trace that can't be read further, as a failure that names its files.
pub(crate) fn unread(files: &[String], error: &TraceError) -> Failure {
    let failure = Failure::input(format!("{}: {}", files.join(", "), error.what));
    if error.mend.is_empty() { failure } else { failure.mend(&error.mend) }
}

/// Reads a trace to its end.
///
/// # Errors
/// Returns an error if the trace cannot be read or has no I/O.
pub(crate) fn analyse(env: &Env, trace: &mut OpenTrace) -> Result<Analysed, Failure> {
    let (mut analysis, mut batch, mut interrupted) = (Analysis::default(), Vec::new(), false);
    loop {
        batch.clear();
        trace.source.read(&mut batch).map_err(|error| unread(&trace.files, &error))?;
        if batch.is_empty() {
            break;
        }
        analysis.add(&batch);
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
        let mend = if facts.other_ops > 0 {
            format!("all of its {} lines are of other operations", facts.other_ops)
        } else {
            "name a trace with reads or writes".to_string()
        };
        return Err(Failure::input(why).mend(mend));
    }
    Ok(Analysed { analysis, names: trace.source.devices().to_vec(), interrupted })
}

/// Analyses a trace.
///
/// # Errors
/// Returns an error if a value cannot be read; it names the value and the fix.
pub fn info(request: &InfoRequest, env: &Env) -> Result<InfoAnswer, Failure> {
    let mut trace = request.read.open(env, &request.files, false)?;
    let Analysed { analysis, names, interrupted } = analyse(env, &mut trace)?;
    let read = trace_read(&trace.files, &trace.source.facts());
    Ok(InfoAnswer { document: trace_document(&analysis, &names, read, interrupted) })
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
    let mut trace = request.read.open(env, &request.files, false)?;
    let Analysed { analysis, names, interrupted } = analyse(env, &mut trace)?;
    if interrupted {
        return Err(Failure::interrupted("interrupted before the whole trace was read"));
    }
    let workload = fitted(&analysis, &names, seed)
        .map_err(|error| Failure::input(error).mend("name a trace with I/Os at different times"))?;
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
    pub fn exit(&self) -> Exit {
        if self.document.interrupted { Exit::Interrupted } else { Exit::Done }
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
