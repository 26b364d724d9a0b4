//! Requests of another program in its own process: the same options, the same answers, the same documents.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use clap::{Arg, ArgAction, Args, Command};
use iobound_app::catalog::{CatalogAnswer, CatalogOptions, ImportRequest, PreparedCatalog};
use iobound_app::compare::{CompareRequest, PreparedComparison};
use iobound_app::explain::{ExplainRequest, PreparedExplaining};
use iobound_app::options::{Field, Options, PageOptions, StoreOptions, request_of};
use iobound_app::plan::{PlanRequest, PreparedPlan};
use iobound_app::predict::{PredictRequest, PreparedPrediction};
use iobound_app::replay::{PreparedReplay, ReplayOptions};
use iobound_app::results::{PreparedResults, ReadResultRequest, ResultsAnswer, read_result};
use iobound_app::simulate::{SimulateRequest, simulate};
use iobound_app::trace::{InfoRequest, info};
use iobound_app::{Common, Env, Failure};
use iobound_report::{
    Document, Style, compare_document, compare_text, import_text, plan_document, plan_text, predict_document,
    predict_text,
};

use crate::arguments::{CommonArgs, Typed};
use crate::commands;
use iobound_app::import::import;

/// Simulate the workload's own duration in virtual time. Returns a result with its series and every latency. Where the
/// workload has stages, each begins in the state of the configuration. A trace in place of the workload is replayed.
#[derive(Debug, Args)]
struct SimulateArgs {
    #[command(flatten)]
    request: Typed<SimulateRequest>,
    #[command(flatten)]
    replay: Typed<ReplayOptions>,
}

/// Result document, read from a file in any supported format or from the store.
#[derive(Debug, Args)]
struct ReadResultArgs {
    #[command(flatten)]
    request: Typed<ReadResultRequest>,
}

/// The verbs with a document for an answer that need no load on anything, as commands.
fn program() -> Command {
    type Augment = fn(Command) -> Command;
    let verbs: [(&str, Augment); 9] = [
        ("predict", commands::predict::PredictArgs::augment_args),
        ("simulate", SimulateArgs::augment_args),
        ("plan", commands::plan::PlanArgs::augment_args),
        ("explain", commands::explain::ExplainArgs::augment_args),
        ("compare", commands::compare::CompareArgs::augment_args),
        ("results", commands::results::ResultsArgs::augment_args),
        ("result", ReadResultArgs::augment_args),
        ("catalog", commands::catalog::CatalogArgs::augment_args),
        ("trace", commands::trace::TraceArgs::augment_args),
    ];
    let program = CommonArgs::augment_args(Command::new("iobound"));
    verbs.into_iter().fold(program, |program, (name, of)| program.subcommand(of(Command::new(name))))
}

/// Context of a question, besides its options.
#[derive(Default)]
pub struct Beside {
    /// Texts that stand for files, by the names that the options have for them.
    pub texts: BTreeMap<String, String>,
    /// Called now and then, on the calling thread: whether the request should end without its answer.
    pub stop: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

impl Beside {
    /// The environment of the question, which is this process's where the question says nothing else.
    pub(crate) fn env(self, note: impl Fn(&str) + Send + Sync + 'static) -> Env {
        let Beside { texts, stop } = self;
        let stop = move || stop.as_ref().is_some_and(|stop| stop());
        Env::with_variables(std::env::vars_os()).texts(texts).stop(stop).notes(note)
    }
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The document, as `--json` prints it.
    pub document: String,
    /// Notes that the program would print on standard error, one sentence each.
    pub notes: Vec<String>,
}

/// Answers a verb with these options. The answer is the document of `--json`.
///
/// The verbs are `predict`, `plan`, `explain`, `compare`, `results` and `catalog` of the program, and two that are asked
/// here only: `simulate`, the workload's own seconds on the model, and `result`, a result from a file or the store.
///
/// It takes over no signal, ends no process, prints nothing, and may be asked by several threads at once. The
/// environment (`IOBOUND_*`) holds as it does for the program.
///
/// # Errors
/// Returns the error that the program would print.
pub fn ask(verb: &[&str], fields: &[Field], beside: Beside) -> Result<Answer, Failure> {
    ask_with_text(verb, fields, beside, None).map(|(answer, _)| answer)
}

/// As [`ask`], with the text that a terminal of that style would show beside the document.
///
/// # Errors
/// As [`ask`].
pub fn ask_with_text(
    verb: &[&str],
    fields: &[Field],
    beside: Beside,
    style: Option<Style>,
) -> Result<(Answer, Option<String>), Failure> {
    let notes = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&notes);
    let env =
        beside.env(move |note| kept.lock().unwrap_or_else(PoisonError::into_inner).push(note.to_string()));
    let answer = answer_of(verb, fields, &Common::default(), &env, style);
    if env.is_stopped() {
        // An incomplete answer counts as no answer, because a program might not notice.
        return Err(Failure::interrupted("interrupted before there was an answer"));
    }
    let (document, text) = answer?;
    let notes = std::mem::take(&mut *notes.lock().unwrap_or_else(PoisonError::into_inner));
    Ok((Answer { document, notes }, text))
}

/// The document of an answer, and its text where a style is given. What `common` says holds where the fields do not say it.
///
/// # Errors
/// Returns an error if the request cannot be answered; it names the fix.
pub(crate) fn answer_of(
    verb: &[&str],
    fields: &[Field],
    common: &Common,
    env: &Env,
    style: Option<Style>,
) -> Result<(String, Option<String>), Failure> {
    let over = |own: Common| Common {
        seed: own.seed.or_else(|| common.seed.clone()),
        config: own.config.or_else(|| common.config.clone()),
    };
    match verb {
        ["predict"] => {
            let ((request, replay), own) = asked::<(PredictRequest, ReplayOptions)>("predict", fields)?;
            if !replay.trace.is_empty() {
                let prepared = commands::predict::prepared_replay(&request, &replay, &over(own), env)?;
                let page = prepared.page.clone();
                page.can_be_written()?;
                let answer = prepared.answer(env)?;
                let document = || Document::from(answer.document().clone());
                page.write(document)?;
                return Ok((document().text(), style.map(|style| answer.text(style))));
            }
            replay.refuse_without_trace()?;
            let mut prepared = PreparedPrediction::read(&request, &over(own), env)?;
            prepared.check()?;
            let page = prepared.page.clone();
            page.can_be_written()?;
            let answer = prepared.answer(env)?;
            let predicted = answer.predicted();
            page.write(|| predict_document(&predicted))?;
            Ok((
                Document::from(predict_document(&predicted)).text(),
                style.map(|style| predict_text(&predicted, style)),
            ))
        }
        ["simulate"] => {
            let ((request, replay), own) = asked::<(SimulateRequest, ReplayOptions)>("simulate", fields)?;
            if !replay.trace.is_empty() {
                let SimulateRequest { configuration, workload } = &request;
                let page = PageOptions::default();
                let prepared =
                    PreparedReplay::read(&replay, configuration, workload, &page, &over(own), env)?;
                return Ok((Document::from(prepared.answer(env)?.document().clone()).text(), None));
            }
            replay.refuse_without_trace()?;
            Ok((simulate(&request, &over(own), env)?.document().text(), None))
        }
        ["plan"] => {
            let ((request, replay), own) = asked::<(PlanRequest, ReplayOptions)>("plan", fields)?;
            let prepared = if replay.trace.is_empty() {
                replay.refuse_without_trace()?;
                PreparedPlan::read(&request, &over(own), env)?
            } else {
                PreparedPlan::of_trace(&request, &replay, &over(own), env)?
            };
            let page = prepared.page.clone();
            page.can_be_written()?;
            let answer = prepared.answer(env)?;
            page.write(|| answer.with_planned(plan_document))?;
            let text = style.map(|style| answer.with_planned(|planned| plan_text(planned, style)));
            Ok((Document::from(answer.with_planned(plan_document)).text(), text))
        }
        ["trace", "info"] => {
            let (request, _) = asked::<InfoRequest>("trace info", fields)?;
            let page = iobound_app::page::PageChoice::plain(&request.page, env)?;
            page.can_be_written()?;
            let answer = info(&request, env)?;
            let document = || Document::from(answer.document().clone());
            page.write(document)?;
            let (document, text) = (document().text(), style.map(|style| answer.text(style)));
            answer.exit()?;
            Ok((document, text))
        }
        ["explain"] => {
            let (request, own) = asked::<ExplainRequest>("explain", fields)?;
            let prepared = PreparedExplaining::read(&request, &over(own), true, env)?;
            let page = prepared.page().clone();
            page.can_be_written()?;
            let answer = prepared.answer(true, env)?;
            page.write(|| answer.document())?;
            Ok((answer.document().text(), style.map(|style| answer.text(style))))
        }
        ["compare"] => {
            let (request, own) = asked::<CompareRequest>("compare", fields)?;
            let prepared = PreparedComparison::read(&request, &over(own), env)?;
            prepared.check()?;
            let page = prepared.page.clone();
            page.can_be_written()?;
            let answer = prepared.answer(env)?;
            page.write(|| answer.with_screen(compare_document))?;
            answer.exit(env);
            let text = style.map(|style| answer.with_screen(|screen| compare_text(screen, style)));
            Ok((Document::from(answer.with_screen(compare_document)).text(), text))
        }
        ["results", "list"] => of_store(verb, fields, over, env, style, PreparedResults::list),
        ["results", "show"] => of_store(verb, fields, over, env, style, PreparedResults::show),
        ["results", "export"] => of_store(verb, fields, over, env, style, PreparedResults::export),
        ["results", "delete"] => of_store(verb, fields, over, env, style, PreparedResults::delete),
        ["result"] => {
            let (request, own) = asked::<ReadResultRequest>("result", fields)?;
            Ok((format!("{:#}\n", read_result(&request, &over(own), env)?), None))
        }
        ["catalog", "import"] => {
            let ((request, options), own) =
                asked::<(ImportRequest, CatalogOptions)>("catalog import", fields)?;
            let answer = import(&request, &options, &over(own), env)?;
            let text = style.map(|style| import_text(&answer, style));
            Ok((Document::from(answer).text(), text))
        }
        ["catalog"] => of_catalog(verb, fields, over, env, style, PreparedCatalog::overview),
        ["catalog", "audit"] => of_catalog(verb, fields, over, env, style, PreparedCatalog::audit),
        ["catalog", "presets"] => of_catalog(verb, fields, over, env, style, PreparedCatalog::presets),
        ["catalog", "vms"] => of_catalog(verb, fields, over, env, style, PreparedCatalog::vms),
        ["catalog", "disks"] => of_catalog(verb, fields, over, env, style, PreparedCatalog::disks),
        ["catalog", "prices"] => of_catalog(verb, fields, over, env, style, PreparedCatalog::prices),
        ["catalog", "show"] => of_catalog(verb, fields, over, env, style, PreparedCatalog::show),
        _ => Err(Failure::input(format!("unknown verb `{}`", verb.join(" ")))),
    }
}

/// The same of a question about the store.
fn of_store<T: Options>(
    verb: &[&str],
    fields: &[Field],
    over: impl Fn(Common) -> Common,
    env: &Env,
    style: Option<Style>,
    ask: impl Fn(&PreparedResults, &T) -> Result<ResultsAnswer, Failure>,
) -> Result<(String, Option<String>), Failure> {
    let ((request, store), own) = asked::<(T, StoreOptions)>(&verb.join(" "), fields)?;
    let prepared = PreparedResults::read(&store, &over(own), env)?;
    prepared.check()?;
    let answer = ask(&prepared, &request)?;
    let document = answer.document().expect("every form but comma-separated values has a document");
    Ok((document, style.map(|style| answer.text(style)).transpose()?))
}

/// The same of a question about the catalogue.
fn of_catalog<T: Options>(
    verb: &[&str],
    fields: &[Field],
    over: impl Fn(Common) -> Common,
    env: &Env,
    style: Option<Style>,
    ask: impl Fn(&PreparedCatalog, &T) -> Result<CatalogAnswer, Failure>,
) -> Result<(String, Option<String>), Failure> {
    let ((request, options), own) = asked::<(T, CatalogOptions)>(&verb.join(" "), fields)?;
    let prepared = PreparedCatalog::read(&options, &over(own), env)?;
    prepared.check()?;
    let answer = ask(&prepared, &request)?;
    let document = answer.document().expect("every form but comma-separated values has a document");
    Ok((document.text(), style.map(|style| answer.text(style))))
}

/// The request that these fields make. The answer is always the document, so an option that does not go with `--json` is
/// refused: it prints another form.
fn asked<T: Options>(verb: &str, fields: &[Field]) -> Result<(T, Common), Failure> {
    let other_forms = T::specs().into_iter().filter(|spec| spec.conflicts.contains(&"json"));
    let given = other_forms.map(|spec| spec.name).find(|name| fields.iter().any(|field| field.name == *name));
    match given {
        Some(name) => Err(Failure::input(format!("--{name} does not produce a document"))
            .help(format!("leave out --{name}"))),
        None => request_of(verb, fields),
    }
}

/// A flag, or a word in its place, of a verb that can be asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flag {
    /// Its name without dashes: `os-disk`; the name of a word that has no flag: `run`.
    pub name: String,
    /// Name of its value: `SIZE`, `IOPS|MB/s`; `None` for a switch without a value.
    pub value: Option<String>,
    /// Its help, in one line.
    pub help: String,
    /// Its group: `Configuration`.
    pub heading: Option<String>,
    /// True if it may be repeated.
    pub many: bool,
    /// True if it may stand without its value.
    pub alone: bool,
    /// True if it is a word in its place, and no flag.
    pub positional: bool,
}

/// Options of every verb of the program that a question has as well.
const SHARED: [&str; 2] = ["seed", "config"];

/// The flags of a verb, in the order of its help, with the purpose of the verb; `None` if there is no such verb. Flags
/// about the terminal's layout are left out.
pub fn flags(verb: &[&str]) -> Option<(String, Vec<Flag>)> {
    let mut program = program();
    program.build();
    let mut command: &Command = &program;
    for word in verb {
        command = command.find_subcommand(word)?;
    }
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let common = CommonArgs::augment_args(Command::new("iobound"));
    let is_of_terminal = |arg: &Arg| {
        let is_common = common.get_arguments().any(|of| of.get_id() == arg.get_id());
        is_common && !SHARED.contains(&arg.get_id().as_str())
    };
    // The answer is the document: there is no other form of it, no help and no version.
    let is_other_form = |arg: &Arg| {
        matches!(
            arg.get_action(),
            ArgAction::Help | ArgAction::HelpShort | ArgAction::HelpLong | ArgAction::Version
        ) || command.get_arg_conflicts_with(arg).iter().any(|other| other.get_id() == "json")
    };
    let flags = command.get_arguments().filter(|arg| !is_of_terminal(arg) && !is_other_form(arg)).map(flag);
    Some((about, flags.collect()))
}

fn flag(arg: &Arg) -> Flag {
    let is_switch = matches!(arg.get_action(), ArgAction::SetTrue);
    let names = arg.get_value_names().unwrap_or_default();
    let possible: Vec<String> =
        arg.get_possible_values().iter().map(|value| value.get_name().to_string()).collect();
    let value = match (is_switch, possible.is_empty()) {
        (true, _) => None,
        (false, true) => Some(names.first().map(ToString::to_string).unwrap_or_default()),
        (false, false) => Some(possible.join("|")),
    };
    Flag {
        name: arg.get_long().unwrap_or(arg.get_id().as_str()).to_string(),
        value,
        help: arg.get_help().map(|help| help.to_string().replace('\n', " ")).unwrap_or_default(),
        heading: arg.get_help_heading().map(String::from),
        many: matches!(arg.get_action(), ArgAction::Append)
            || arg.get_num_args().is_some_and(|many| many.max_values() > 1),
        alone: is_switch || arg.get_num_args().is_some_and(|many| many.min_values() == 0),
        positional: arg.is_positional(),
    }
}
