//! Answers of `explain`.

mod either;

use iobound_catalog::{Os, PriceList, Resolved, UnknownLimits};
use iobound_drive::Flow;
use iobound_explain::{Case, Explanation, Observed, StackUse, Want, explain as judge, stacks};
use iobound_measure::Interval;
use iobound_report::{Explained, PricesUsed, Setting};
use iobound_results::RunId;

use crate::observed::{self, Seen};
use crate::options::{ConfigurationOptions, ObservedOptions, Options, PageOptions, options};
use crate::options::{MachineOptions, WatchOptions};
use crate::page::PageChoice;
use crate::results::{Place, configuration_of_id, place_of};
use crate::settings::{ConfigurationRequest, Settings, configuration_with};
use crate::{Common, Env, Failure};

pub use either::{Explaining, PreparedExplaining};

options! {
    /// Options of an explanation alone.
    pub struct ExplainOptions {
        /// Measured figures: 'iops=1000 throughput=140MB/s read=30% latency=p99:5ms block=32KiB depth=16 access=random
        /// duration=30s after=45min', or 'data.0: iops=500' for one volume or disk; depth is the sum over all volumes
        observed: Option<String> = Form::One, "FIGURES";
        /// Kept run to explain; its configuration is used unless another is given
        run: Option<String> = Form::MaybeWord, "RUN", not with "result";
        /// Results store [default: IOBOUND_RESULTS, else in the user's data folder]
        results: Option<String> = Form::One, "FILE";
        /// Goal against which changes are judged: 'iops=5000 latency=p99:5ms'
        want: Option<String> = Form::One, "FIGURES";
        /// Region of the prices of changes [default: westeurope, us-east-1, us-central1]
        region: Option<String> = Form::One, "REGION";
    }
}

options! {
    /// Asks why a machine reaches what it reaches.
    pub struct ExplainRequest {
    }
    own: ExplainOptions;
    watch: WatchOptions;
    machine: MachineOptions;
    files: ObservedOptions;
    configuration: ConfigurationOptions;
    page: PageOptions;
}

/// A request whose first options have been read: whether it says what was seen, or asks for a machine to be watched.
pub struct OpenedExplanation {
    settings: Settings,
    /// The page that is asked for.
    pub page: PageChoice,
    place: Place,
    files: observed::ObservedRequest,
}

/// A request that has been read.
pub struct PreparedExplanation {
    asked: ConfigurationRequest,
    want: Option<Want>,
    prices: Option<PriceList>,
    words: Result<Option<Observed>, Failure>,
    place: Place,
    files: observed::ObservedRequest,
    /// The page that is asked for.
    pub page: PageChoice,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// The answer.
pub struct ExplainAnswer {
    asked: ConfigurationRequest,
    observed: Observed,
    explanation: Explanation,
    stacks: Vec<StackUse>,
    prices: Option<PricesUsed>,
    notes: Vec<String>,
}

/// Reads a request and explains what was seen.
///
/// # Errors
/// Returns an error if the request cannot be read, built or explained; it names the fix.
pub fn explain(request: &ExplainRequest, common: &Common, env: &Env) -> Result<ExplainAnswer, Failure> {
    OpenedExplanation::open(request, common, true, env)?.prepare(request)?.answer(true, env)
}

impl OpenedExplanation {
    /// Reads what says where the answer is to come from. `is_asked`: there is to be an answer, so that the run that is named
    /// has to be there.
    ///
    /// # Errors
    /// Returns an error if an input cannot be read or a kept run does not exist.
    pub fn open(
        request: &ExplainRequest,
        common: &Common,
        is_asked: bool,
        env: &Env,
    ) -> Result<OpenedExplanation, Failure> {
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let page = PageChoice::of(&request.page, &mut settings)?;
        let place = place_of(request.own.get("results"), &mut settings)?;
        let mut named = request.files.clone();
        named.result.extend(request.own.run.clone());
        let files = observed::ObservedRequest::read(&named, &mut settings);
        if let Some(run) = request.own.run.as_deref().filter(|run| names_no_run(run)) {
            return Err(Failure::input(format!("{run} is not a kept run")).help(
                "leave it out to watch this machine; write r-142 for a kept run, or --result FILE for a file",
            ));
        }
        if let Some(given) = files.first().filter(|_| is_asked)
            && let Some(kept) = configuration_of_id(given, &place)?
        {
            let of = &request.configuration;
            settings.unless_given(kept, of.vm.is_some() || !of.disk.is_empty() || of.os_disk.is_some());
        }
        Ok(OpenedExplanation { settings, page, place, files })
    }

    /// The option that gives measured figures; `None`: none does.
    pub fn figures(&mut self, request: &ExplainRequest) -> Option<&'static str> {
        if self.settings.has("observed", request.own.get("observed")) {
            return Some("--observed");
        }
        let run = request.own.get("run");
        let result = run.or(request.files.get("result"));
        self.settings.has("result", result).then_some(if run.is_some() { "the run" } else { "--result" })
    }

    /// True if the request names a VM.
    pub fn has_vm(&mut self, request: &ExplainRequest) -> bool {
        self.settings.has("vm", request.configuration.get("vm"))
    }

    /// The settings, for a machine that is watched instead.
    pub fn settings(&mut self) -> &mut Settings {
        &mut self.settings
    }

    /// The settings and the page alone.
    pub fn into_settings(self) -> (Settings, PageChoice) {
        (self.settings, self.page)
    }

    /// Reads the rest.
    ///
    /// # Errors
    /// Returns an error if an option cannot be read or the configuration cannot be built; it names the fix.
    pub fn prepare(self, request: &ExplainRequest) -> Result<PreparedExplanation, Failure> {
        let OpenedExplanation { mut settings, page, place, files } = self;
        let asked = configuration_with(&request.configuration, &mut settings, UnknownLimits::LeftOut)?;
        let want = settings.parse("want", request.own.get("want"), None, Want::parse)?;
        let prices = prices_of(&request.own, &asked, &mut settings)?;
        let words = settings.parse("observed", request.own.get("observed"), None, Observed::parse);
        let settings = settings.finish();
        Ok(PreparedExplanation { asked, want, prices, words, place, files, page, settings })
    }
}

impl PreparedExplanation {
    /// Explains. `with_stacks`: also what each I/O meets, before and after the first change that helps, which documents and
    /// pages tell.
    ///
    /// # Errors
    /// Returns an error if the measurements cannot be read, name an unknown disk, or cannot be explained.
    pub fn answer(self, with_stacks: bool, env: &Env) -> Result<ExplainAnswer, Failure> {
        let PreparedExplanation { asked, want, prices, words, place, files, .. } = self;
        let Seen { observed, notes: seen } = seen_of(words?, &files, &place, &asked.resolved, env)?;
        let whole = case_of(&asked, &observed, want, None);
        let (step, stretch) = (whole.step(), whole.stretch());
        let (observed, stepped) = match (step, stretch) {
            (Some(step), _) => (
                observed.after_step(&step),
                Some(format!("{}: the figures after the step are explained", step.says())),
            ),
            (None, Some(stretch)) => (
                observed.during(&stretch),
                Some(format!("{}: the figures of that time are explained", stretch.says())),
            ),
            (None, None) => (observed, None),
        };
        let case = case_of(&asked, &observed, want, prices.as_ref());
        if let Some(name) = case.unknown_parts().first() {
            let names: Vec<&str> = asked.resolved.disks.iter().map(|disk| disk.name.as_str()).collect();
            return Err(Failure::input(format!("--observed: there is no volume or disk `{name}`"))
                .help(format!("the disks are {}", names.join(", "))));
        }
        let mut watch = |_: &Interval| if env.is_stopped() { Flow::Stop } else { Flow::Continue };
        let explanation = judge(&case, &mut watch)?;
        let stacks = match with_stacks {
            true => stacks(&case, &explanation, &mut watch)?,
            false => Vec::new(),
        };
        let mut notes: Vec<String> =
            asked.notes.iter().chain(&asked.resolved.notes).chain(&seen).chain(&stepped).cloned().collect();
        let prices = match &prices {
            None => {
                notes.push(
                    "no prices: the catalogue has none of this cloud's usual region (set --region)".into(),
                );
                None
            }
            Some(list) => {
                let price = list.price_of(&asked.resolved);
                if price.per_month.is_none() {
                    let unknown = price.unknown.join(", ");
                    notes.push(format!("no prices of changes: the price of {unknown} is unknown"));
                }
                let used = PricesUsed { region: list.region().to_string(), as_of: list.as_of() };
                price.per_month.map(|_| used)
            }
        };
        Ok(ExplainAnswer { asked, observed, explanation, stacks, prices, notes })
    }
}

impl ExplainAnswer {
    /// The answer in the form that texts and documents are made of.
    pub fn explained(&self) -> Explained<'_> {
        Explained {
            resolved: &self.asked.resolved,
            observed: &self.observed,
            explanation: &self.explanation,
            stacks: &self.stacks,
            prices: self.prices.as_ref(),
            notes: &self.notes,
        }
    }
}

/// True for what is neither the id of a run nor a file that can be read: a device, a folder, or nothing.
fn names_no_run(text: &str) -> bool {
    RunId::of(text).is_none() && !std::path::Path::new(text).is_file()
}

/// The prices of the region that is asked for, or of the cloud's usual one; none where no price is known there.
fn prices_of(
    own: &ExplainOptions,
    asked: &ConfigurationRequest,
    settings: &mut Settings,
) -> Result<Option<PriceList>, Failure> {
    let usual = asked.resolved.vm.cloud.rules().default_region;
    match settings.text("region", own.get("region"), Some(usual)) {
        Some(region) => {
            let list = asked.catalog.price_list(&region.text, Os::default());
            list.map(Some).map_err(|error| Failure::from(error).written(&region))
        }
        None => Ok(asked.catalog.price_list(usual, Os::default()).ok()),
    }
}

/// The case of a configuration and of what was seen there.
fn case_of<'a>(
    asked: &'a ConfigurationRequest,
    observed: &'a Observed,
    want: Option<Want>,
    prices: Option<&'a PriceList>,
) -> Case<'a> {
    Case::new(&asked.configuration, &asked.catalog, &asked.resolved, observed, want, asked.cache)
        .aged(asked.age)
        .priced(prices)
}

/// The measurements, from `--observed` or from files.
fn seen_of(
    words: Option<Observed>,
    files: &observed::ObservedRequest,
    place: &Place,
    resolved: &Resolved,
    env: &Env,
) -> Result<Seen, Failure> {
    match (words, files.has_files()) {
        (Some(observed), false) => match files.about_files() {
            None => Ok(Seen { observed, notes: Vec::new() }),
            Some(given) => Err(given
                .refuse("it describes a file with measurements, and no file is given")
                .help("add --result FILE, or leave it out")),
        },
        (None, true) => files.seen(env, place, resolved),
        (Some(_), true) => Err(Failure::input("--observed and --result both give measured figures")
            .help("leave one of the two out")),
        (None, false) => Err(Failure::input("no measured figures are given")
            .help(
                "add --observed 'iops=1000 throughput=140MB/s' or --result FILE; to watch this machine against these limits, add --duration 10s",
            )),
    }
}
