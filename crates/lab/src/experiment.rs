//! An experiment that can be run: every run looked up and checked before the first begins.

use iobound_catalog::{Catalog, CatalogError, Os, Price, PriceList, Resolved, resolve};
use iobound_predict::{name_targets, targets_of};
use iobound_workload::{Targets, Workload};

use crate::change::{Side, changes};
use crate::configuration::{Machine, is_begun, is_whole, read_machine};
use crate::document::{self, Document, Entry};
use crate::error::{LabError, Problem, Spot, located};
use crate::planned::{OnModel, PlannedRun};
use crate::setting::{CONFIGURATION_KEYS, Setting, Settings, Value};
use crate::target::{TARGET_KEY, read_targets};
use crate::workload::{Asked, read_workload};

/// The region whose prices are shown where an experiment names none.
pub const DEFAULT_REGION: &str = "westeurope";

/// The keys that change what is bought.
const PRICED_KEYS: [&str; 4] = ["disk", "disks", "os-disk", "vm"];

/// Runs that belong together.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// Its name.
    pub name: String,
    /// Its question.
    pub about: String,
    /// Publication of its figures.
    pub source: String,
    /// The region whose prices are shown.
    pub region: String,
    /// Its runs, in the order of the file.
    pub runs: Vec<PlannedRun>,
}

impl Experiment {
    /// Reads an experiment file and looks up everything that its runs need; `file` names it in messages. Where the file
    /// has neither a configuration nor a target, its runs are [nowhere](PlannedRun::is_somewhere) yet.
    ///
    /// # Errors
    /// Returns all problems of the file, each with its line. Nothing runs before the whole file is valid.
    pub fn read(file: &str, text: &str, catalog: &Catalog) -> Result<Experiment, LabError> {
        Experiment::read_on(&[], file, text, catalog)
    }

    /// The same, all of its runs on these real targets instead of those that the file names; none leaves it those.
    ///
    /// # Errors
    /// As [`read`](Experiment::read).
    pub fn read_on(
        targets: &[String],
        file: &str,
        text: &str,
        catalog: &Catalog,
    ) -> Result<Experiment, LabError> {
        let mut problems = Vec::new();
        let Some(document) = document::read(text, &mut problems) else {
            return Err(located(file, text, problems));
        };
        let region = document.region.clone();
        let mut planner = Planner {
            catalog,
            targets,
            is_nowhere: targets.is_empty() && is_nowhere(&document),
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

/// The entry that a run starts from.
struct Start {
    name: Option<String>,
    settings: Settings,
    /// The entry, where it is whole.
    whole: Option<Whole>,
}

/// Configuration and workload of a run.
#[derive(Clone)]
struct Whole {
    machine: Option<Machine>,
    targets: Vec<String>,
    workload: Workload,
}

impl Whole {
    fn side(&self) -> Side<'_> {
        Side { machine: self.machine.as_ref(), targets: &self.targets, workload: &self.workload }
    }
}

/// True if nothing in a file says where its runs take place: then it is for targets that are given beside it.
fn is_nowhere(document: &Document) -> bool {
    !document.keys().any(|key| key == TARGET_KEY || CONFIGURATION_KEYS.contains(&key))
}

struct Planner<'a> {
    catalog: &'a Catalog,
    /// Targets of all runs, instead of their own.
    targets: &'a [String],
    /// No run has a configuration or a target.
    is_nowhere: bool,
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

    /// Settings of a run, where they are all that one needs.
    fn whole_of(&self, settings: &Settings) -> Result<Option<Whole>, Problem> {
        let targets = self.targets_of(settings)?;
        let machine = if is_whole(settings) { Some(read_machine(settings)?) } else { None };
        let is_real = !is_begun(settings) && (self.is_nowhere || !targets.is_empty());
        if machine.is_none() && !is_real {
            return Ok(None);
        }
        let Asked { mut workload, on_all, .. } = read_workload(settings)?;
        if on_all {
            on_all_volumes(&mut workload);
        }
        Ok(Some(Whole { machine, targets, workload }))
    }

    /// The real targets of settings: those that were given for all runs win.
    fn targets_of(&self, settings: &Settings) -> Result<Vec<String>, Problem> {
        let own = read_targets(settings)?;
        Ok(if self.targets.is_empty() { own } else { self.targets.to_vec() })
    }

    /// The settings that an entry starts from; `None` where that can't be planned, which is reported already.
    fn start(&self, entry: &Entry) -> Result<Option<Start>, Problem> {
        if let Some((from, spot)) = &entry.from {
            if let Some((settings, run)) = self.planned.iter().find(|(_, run)| run.name == *from) {
                return Ok(Some(Start {
                    name: Some(from.clone()),
                    settings: settings.clone(),
                    whole: Some(Whole {
                        machine: run.on_model.as_ref().map(|on_model| on_model.machine.clone()),
                        targets: run.targets.clone(),
                        workload: run.workload.clone(),
                    }),
                }));
            }
            if self.failed.contains(from) {
                return Ok(None);
            }
            let names = self.planned.iter().map(|(_, run)| run.name.as_str());
            let near = iobound_workload::nearest(from, names);
            let help = if near.is_empty() {
                "a run can only start from a run above it".to_string()
            } else {
                format!("did you mean {}?", near.join(" or "))
            };
            return Err(Problem::new(spot, format!("`from`: no run `{from}` is above: {help}")));
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
                .push(Problem::new(spot, format!("two runs are named `{name}`: rename one of them")));
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
        let targets = self.targets_of(settings)?;
        if !is_whole(settings) && (is_begun(settings) || targets.is_empty() && !self.is_nowhere) {
            let missing = if settings.has("vm") { "disk = [\"P30\"]" } else { "vm = \"DS14\"" };
            let or = if is_begun(settings) { "" } else { ", or target = \"/mnt/data\" for a real one" };
            return Err(Problem::new(
                spot,
                format!("`{name}` has no configuration: add {missing}, here or in [base]{or}"),
            ));
        }
        let Asked { mut workload, notes, on_all } = read_workload(settings)?;
        let mut notes: Vec<String> =
            notes.into_iter().map(|note| format!("{}: {}", note.about, note.says)).collect();
        if on_all {
            on_all_volumes(&mut workload);
        }
        let on_model = if is_whole(settings) {
            Some(self.on_model(settings, spot, &workload, &mut notes)?)
        } else {
            None
        };
        if workload.jobs.iter().any(|job| job.stage > 0) {
            let message = format!("`{name}` has stages, one after the other: give each a [[run]] of its own");
            return Err(Problem::new(spot, message));
        }
        let price = match &on_model {
            Some(on_model) if priced => Some(self.price(&on_model.resolved, spot)?),
            _ => None,
        };
        let machine = on_model.as_ref().map(|on_model| &on_model.machine);
        let to = Side { machine, targets: &targets, workload: &workload };
        let differing = start.whole.as_ref().map(|whole| changes(whole.side(), to));
        Ok(PlannedRun {
            name: name.to_string(),
            from: start.name.clone(),
            changes: differing.unwrap_or_default(),
            published: entry.published.clone(),
            no_figure: entry.no_figure.clone(),
            assumed: entry.assumed.clone(),
            note: entry.note.clone(),
            on_model,
            targets,
            workload,
            notes,
            price,
        })
    }

    /// Looks the configuration up, and gives the jobs its volumes.
    fn on_model(
        &self,
        settings: &Settings,
        spot: &Spot,
        asked: &Workload,
        notes: &mut Vec<String>,
    ) -> Result<OnModel, Problem> {
        let machine = read_machine(settings)?;
        let resolved = resolve(&machine.configuration, self.catalog)
            .map_err(|error| Problem { spot: spot_of(&error, settings, spot), message: said(&error) })?;
        let mut workload = asked.clone();
        let named = name_targets(&mut workload, &resolved);
        notes.extend(named.into_iter().map(|note| format!("{}: {}", note.about, note.says)));
        notes.extend(resolved.notes.iter().cloned());
        workload.queues(&targets_of(&resolved)).map_err(|error| Problem::new(spot, error.to_string()))?;
        Ok(OnModel { machine, resolved, workload })
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
