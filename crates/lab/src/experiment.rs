//! An experiment that can be run: every run looked up and checked before the first begins.

use iobound_catalog::{Catalog, CatalogError, Os, Price, PriceList, Resolved, resolve};
use iobound_predict::{Question, name_targets, targets_of};
use iobound_units::Span;
use iobound_workload::{Targets, Workload};

use crate::change::{Change, Side, changes};
use crate::configuration::{Machine, is_whole, read_machine};
use crate::document::{self, Entry};
use crate::error::{LabError, Problem, Spot, located};
use crate::published::Published;
use crate::setting::{Setting, Settings, Value};
use crate::workload::{Asked, length, read_workload};

/// The region whose prices are shown where an experiment names none.
pub const DEFAULT_REGION: &str = "westeurope";

/// The keys that change what is bought.
const PRICED_KEYS: [&str; 4] = ["disk", "disks", "os-disk", "vm"];

/// Runs that belong together.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// What it asks.
    pub about: String,
    /// Where its figures were published.
    pub source: String,
    /// The region whose prices are shown.
    pub region: String,
    /// Its runs, in the order of the file.
    pub runs: Vec<PlannedRun>,
}

/// A run that can begin.
#[derive(Clone, Debug)]
pub struct PlannedRun {
    /// Its name.
    pub name: String,
    /// The run that it starts from; `base` is the experiment's own; `None` where it stands for itself.
    pub from: Option<String>,
    /// What is otherwise than there.
    pub changes: Vec<Change>,
    /// What was published of it.
    pub published: Option<Published>,
    /// The publication's words where it gives no figure.
    pub no_figure: Option<String>,
    /// What the publication does not say and was taken.
    pub assumed: Vec<String>,
    /// What else is to be known of the run.
    pub note: Option<String>,
    /// The configuration as asked for, and its state.
    pub machine: Machine,
    /// The configuration as looked up.
    pub resolved: Resolved,
    /// What is asked of it.
    pub workload: Workload,
    /// What became of the words that the workload was given in, and of the configuration's.
    pub notes: Vec<String>,
    /// What it costs a month, where that is shown.
    pub price: Option<Price>,
}

impl PlannedRun {
    /// The question that the run asks of the model.
    pub fn question(&self) -> Question<'_> {
        Question {
            resolved: &self.resolved,
            workload: &self.workload,
            cache: self.machine.cache,
            age: self.machine.age,
        }
    }

    /// How long the run takes on a real clock.
    pub fn length(&self) -> Span {
        length(&self.workload)
    }

    /// The run with another seed, or counted for another time.
    pub fn with(mut self, seed: Option<u64>, duration: Option<Span>) -> PlannedRun {
        if let Some(seed) = seed {
            self.workload.seed = seed;
        }
        if let Some(duration) = duration {
            self.workload.duration = duration;
        }
        self
    }

    /// The one thing that was changed, or all of them with their number; `None` where nothing was.
    pub fn changed(&self) -> Option<String> {
        let words = || self.changes.iter().map(Change::to_string).collect::<Vec<_>>().join(", ");
        match self.changes.len() {
            0 => None,
            1 => Some(words()),
            count => Some(format!("{count} at once: {}", words())),
        }
    }
}

impl Experiment {
    /// Reads an experiment file and looks up everything that its runs need; `file` names it in messages.
    ///
    /// # Errors
    /// Every problem of the file, each with its line: nothing runs before all of it can.
    pub fn read(file: &str, text: &str, catalog: &Catalog) -> Result<Experiment, LabError> {
        let mut problems = Vec::new();
        let Some(document) = document::read(text, &mut problems) else {
            return Err(located(file, text, problems));
        };
        let region = document.region.clone();
        let mut planner = Planner {
            catalog,
            base: Settings::default().under(&document.base),
            region: region.as_ref().map_or(DEFAULT_REGION, |(region, _)| region),
            prices: None,
            planned: Vec::new(),
            problems,
            failed: Vec::new(),
        };
        if let Some((region, spot)) = &region
            && let Err(error) = catalog.price_list(region, Os::Linux)
        {
            planner.problems.push(Problem::new(spot, format!("`region`: {error}")));
        }
        for entry in &document.entries {
            planner.entry(entry, document.price);
        }
        let Planner { planned, problems, .. } = planner;
        if !problems.is_empty() {
            return Err(located(file, text, problems));
        }
        Ok(Experiment {
            name: if document.name.is_empty() { file.to_string() } else { document.name },
            about: document.about,
            source: document.source,
            region: region.map_or(DEFAULT_REGION.to_string(), |(region, _)| region),
            runs: planned.into_iter().map(|(_, run)| run).collect(),
        })
    }
}

/// What a run starts from.
struct Start {
    name: Option<String>,
    settings: Settings,
    /// The machine and the workload there, where they are whole.
    whole: Option<(Machine, Workload)>,
}

struct Planner<'a> {
    catalog: &'a Catalog,
    base: Settings,
    region: &'a str,
    prices: Option<PriceList>,
    planned: Vec<(Settings, PlannedRun)>,
    problems: Vec<Problem>,
    /// Names of runs that can't be planned: what starts from them is not reported again.
    failed: Vec<String>,
}

impl Planner<'_> {
    fn entry(&mut self, entry: &Entry, price: bool) {
        let start = match self.start(entry) {
            Ok(Some(start)) => start,
            Ok(None) => {
                self.failed.extend(names_of(entry));
                return;
            }
            Err(problem) => {
                self.problems.push(problem);
                self.failed.extend(names_of(entry));
                return;
            }
        };
        let Some(sweep) = &entry.sweep else {
            let settings = start.settings.under(&entry.settings);
            self.add(entry, entry.name.clone(), settings, &entry.spot, &start, price);
            return;
        };
        let priced = price || sweep.keys.iter().any(|key| PRICED_KEYS.contains(key));
        // A sweep's rows differ in what it goes over, from all that it says itself.
        let ground = start.settings.under(&entry.settings);
        let start = match self.whole_of(&ground) {
            Ok(whole) => Start { name: start.name, settings: ground, whole },
            Err(problem) => {
                self.problems.push(problem);
                self.failed.extend(names_of(entry));
                return;
            }
        };
        for (row, name) in sweep.rows.iter().zip(names_of(entry)) {
            let over: Vec<Setting> = sweep
                .keys
                .iter()
                .zip(&row.values)
                .map(|(key, value)| Setting { key, value: Value::One(value.clone()), spot: row.spot.clone() })
                .collect();
            self.add(entry, name, start.settings.under(&over), &row.spot, &start, priced);
        }
    }

    /// The machine and the workload of settings that say all that these need.
    fn whole_of(&self, settings: &Settings) -> Result<Option<(Machine, Workload)>, Problem> {
        if !is_whole(settings) {
            return Ok(None);
        }
        let machine = read_machine(settings)?;
        let Asked { mut workload, on_all, .. } = read_workload(settings)?;
        if on_all {
            on_all_volumes(&mut workload);
        }
        Ok(Some((machine, workload)))
    }

    /// What an entry starts from; `None` where that can't be planned, which is reported already.
    fn start(&self, entry: &Entry) -> Result<Option<Start>, Problem> {
        if let Some((from, spot)) = &entry.from {
            if let Some((settings, run)) = self.planned.iter().find(|(_, run)| run.name == *from) {
                return Ok(Some(Start {
                    name: Some(from.clone()),
                    settings: settings.clone(),
                    whole: Some((run.machine.clone(), run.workload.clone())),
                }));
            }
            if self.failed.contains(from) {
                return Ok(None);
            }
            let names = self.planned.iter().map(|(_, run)| run.name.as_str());
            let near = iobound_workload::nearest(from, names);
            let mend = if near.is_empty() {
                "a run starts from one above it".to_string()
            } else {
                format!("did you mean {}?", near.join(" or "))
            };
            return Err(Problem::new(spot, format!("`from`: there is no run `{from}` above: {mend}")));
        }
        let whole = self.whole_of(&self.base)?;
        let name = whole.as_ref().map(|_| "base".to_string());
        Ok(Some(Start { name, settings: self.base.clone(), whole }))
    }

    /// Plans a run.
    fn add(
        &mut self,
        entry: &Entry,
        name: String,
        settings: Settings,
        spot: &Spot,
        start: &Start,
        priced: bool,
    ) {
        if self.planned.iter().any(|(_, run)| run.name == name) {
            self.problems
                .push(Problem::new(spot, format!("there are two runs `{name}`: name one of them otherwise")));
            return;
        }
        match self.plan(entry, &name, &settings, spot, start, priced) {
            Ok(run) => self.planned.push((settings, run)),
            Err(problem) => {
                self.problems.push(problem);
                self.failed.push(name);
            }
        }
    }

    fn plan(
        &mut self,
        entry: &Entry,
        name: &str,
        settings: &Settings,
        spot: &Spot,
        start: &Start,
        priced: bool,
    ) -> Result<PlannedRun, Problem> {
        if !is_whole(settings) {
            let missing = if settings.has("vm") { "disk = [\"P30\"]" } else { "vm = \"DS14\"" };
            return Err(Problem::new(
                spot,
                format!("`{name}` has no configuration: add {missing}, here or in [base]"),
            ));
        }
        let machine = read_machine(settings)?;
        let resolved = resolve(&machine.configuration, self.catalog)
            .map_err(|error| Problem { spot: spot_of(&error, settings, spot), message: said(&error) })?;
        let Asked { mut workload, notes, on_all } = read_workload(settings)?;
        let mut notes: Vec<String> =
            notes.into_iter().map(|note| format!("{}: {}", note.about, note.says)).collect();
        if on_all {
            on_all_volumes(&mut workload);
        } else {
            let named = name_targets(&mut workload, &resolved);
            notes.extend(named.into_iter().map(|note| format!("{}: {}", note.about, note.says)));
        }
        notes.extend(resolved.notes.iter().cloned());
        workload.lanes(&targets_of(&resolved)).map_err(|error| Problem::new(spot, error.to_string()))?;
        if workload.jobs.iter().any(|job| job.stage > 0) {
            let message = format!("`{name}` has stages, one after the other: give each a [[run]] of its own");
            return Err(Problem::new(spot, message));
        }
        let price = if priced { Some(self.price(&resolved, spot)?) } else { None };
        let to = Side { machine: &machine, workload: &workload };
        let differing =
            start.whole.as_ref().map(|(machine, workload)| changes(Side { machine, workload }, to));
        Ok(PlannedRun {
            name: name.to_string(),
            from: start.name.clone(),
            changes: differing.unwrap_or_default(),
            published: entry.published.clone(),
            no_figure: entry.no_figure.clone(),
            assumed: entry.assumed.clone(),
            note: entry.note.clone(),
            machine,
            resolved,
            workload,
            notes,
            price,
        })
    }

    fn price(&mut self, resolved: &Resolved, spot: &Spot) -> Result<Price, Problem> {
        if self.prices.is_none() {
            let list = self.catalog.price_list(self.region, Os::Linux);
            self.prices = Some(list.map_err(|error| Problem::new(spot, error.to_string()))?);
        }
        match &self.prices {
            Some(list) => Ok(list.price_of(resolved)),
            None => unreachable!("the list was just read"),
        }
    }
}

/// The names of an entry's runs: of a sweep, with each row's label.
fn names_of(entry: &Entry) -> Vec<String> {
    let Some(sweep) = &entry.sweep else { return vec![entry.name.clone()] };
    let named = |label: &str| {
        if entry.name.contains("{}") {
            entry.name.replace("{}", label)
        } else {
            format!("{} {label}", entry.name)
        }
    };
    sweep.rows.iter().map(|row| named(&row.label)).collect()
}

fn on_all_volumes(workload: &mut Workload) {
    for job in &mut workload.jobs {
        job.targets = Targets::All;
    }
}

/// The catalogue's words, with the names of keys instead of the program's flags.
fn said(error: &CatalogError) -> String {
    error.to_string().replace("--", "")
}

/// The key that the catalogue complains of.
fn spot_of(error: &CatalogError, settings: &Settings, header: &Spot) -> Spot {
    let words = error.to_string();
    let key = match error {
        CatalogError::Unknown { what: "VM size", .. } | CatalogError::UnknownLimit { .. } => Some("vm"),
        CatalogError::Unknown { what: "era", .. } => Some("era"),
        CatalogError::Unknown { .. } => Some("disk"),
        _ => ["stripe", "columns", "partition-offset", "separate"]
            .into_iter()
            .find(|key| words.contains(&format!("--{key}")))
            .or(if settings.has("disks") { Some("disks") } else { Some("disk") }),
    };
    key.and_then(|key| settings.get(key)).map_or_else(|| header.clone(), |setting| setting.spot.clone())
}
