//! Limits of an unknown disk: the request, and what is made of the answer.

mod contribution;
mod offers;
#[cfg(feature = "load")]
mod real_disk;
#[cfg(feature = "load")]
mod run;
mod saved;

use iobound_probe::{Answer, Disk, Settings as ProbeSettings, probe};
use iobound_report::{
    DeviceWrites, Document, MatchingOffer, ProbeScreen, Setting, Style, probe_document, probe_text,
};
use iobound_units::{Span, parse_count, parse_span};

use crate::options::{PageOptions, options};
use crate::page::PageChoice;
use crate::settings::{SettingValue, Settings, catalog_of};
use crate::{Common, Env, Failure, ShownAnswer};

/// Shortest budget that one experiment fits into.
const LEAST: Span = Span::from_secs(5);

options! {
    /// Options of a probe alone.
    pub struct ProbeOptions in "Probe" {
        /// Files or block devices to probe, or folders with --overwrite; several show which limits they share
        targets: Vec<String> = Form::Words, "[NAME=]PATH";
        /// Time limit for all experiments together [default: 3min for each target]
        budget: Option<String> = Form::One, "TIME";
        /// Target that may be overwritten, to measure writes; without it nothing is written; repeat for more
        overwrite: Vec<String> = Form::Many, "PATH";
        /// Probe although other processes use the device
        busy_ok: bool = Form::Switch;
        /// File for the configuration that was found; every verb accepts it as --config
        save: Option<String> = Form::One, "FILE";
        /// File for anonymous rows of measured.csv, to review and send
        contribute: Option<String> = Form::One, "FILE";
        /// Your own catalogue file (TOML or CSV), for offers that match
        catalog: Option<String> = Form::One, "FILE";
    }
}

options! {
    /// Asks for the limits of disks.
    pub struct ProbeRequest {
    }
    own: ProbeOptions;
    page: PageOptions;
}

/// A request whose settings have been read.
pub struct PreparedProbe {
    /// Files, folders or devices, `[NAME=]PATH` each.
    pub targets: Vec<String>,
    /// Targets that may be overwritten.
    pub overwrite: Vec<String>,
    /// True if other processes may use the devices.
    pub busy_ok: bool,
    /// File for the configuration.
    pub save: Option<SettingValue>,
    /// File for rows of `measured.csv`.
    pub contribute: Option<SettingValue>,
    /// The page that is asked for.
    pub page: PageChoice,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
    catalog: iobound_catalog::Catalog,
    budget: Span,
    seed: u64,
}

/// The answer, with the offers that match it.
pub struct ProbeAnswer {
    /// All that was found.
    pub answer: Answer,
    offers: Vec<MatchingOffer>,
    device_writes: Option<DeviceWrites>,
}

impl PreparedProbe {
    /// Reads a request: options, then variables, then the configuration file.
    ///
    /// # Errors
    /// Returns an error if a value cannot be read; it names the value and the fix.
    pub fn read(request: &ProbeRequest, common: &Common, env: &Env) -> Result<PreparedProbe, Failure> {
        let own = &request.own;
        let mut settings = Settings::load(env, common.config.as_deref())?;
        let catalog = catalog_of(own.catalog.as_deref(), &mut settings)?;
        let each = Span::from_ns(ProbeSettings::EACH.ns() * own.targets.len().max(1) as u64);
        let budget = settings.parse("budget", own.budget.as_deref(), None, |text| {
            let budget = parse_span(text).map_err(|error| error.to_string())?;
            match budget {
                budget if budget < LEAST => {
                    Err(format!("{budget} holds no experiment: write {LEAST} or more"))
                }
                budget if budget > Span::from_secs(86_400) => {
                    Err(format!("{budget} is above a day: write 24h or less"))
                }
                budget => Ok(budget),
            }
        })?;
        let seed = settings.parse("seed", common.seed.as_deref(), Some("0"), |text| {
            parse_count(text).map_err(|error| error.to_string())
        })?;
        let overwrite = settings.texts("overwrite", &own.overwrite);
        let busy_ok = settings.switch("busy-ok", own.busy_ok.then_some("true"))?;
        let save = settings.text("save", own.save.as_deref(), None);
        let contribute = settings.text("contribute", own.contribute.as_deref(), None);
        let page = PageChoice::of(&request.page, &mut settings)?;
        let settings = settings.finish();
        Ok(PreparedProbe {
            targets: own.targets.clone(),
            overwrite: overwrite.iter().map(SettingValue::path).collect(),
            busy_ok,
            save,
            contribute,
            page,
            settings,
            catalog,
            budget: budget.unwrap_or(each),
            seed: seed.unwrap_or_default(),
        })
    }

    /// Probes the disks.
    pub fn answer(&self, disk: &mut dyn Disk) -> Result<ProbeAnswer, Failure> {
        let settings = ProbeSettings {
            budget: self.budget,
            may_write: !self.overwrite.is_empty(),
            seed: self.seed,
            ..ProbeSettings::default()
        };
        let answer = probe(disk, &settings);
        let offers = offers::offers(&answer, &self.catalog)?;
        Ok(ProbeAnswer { answer, offers, device_writes: None })
    }
}

impl ShownAnswer for ProbeAnswer {
    fn text(&self, style: Style) -> String {
        probe_text(&self.screen(), style)
    }

    fn document(&self) -> Option<Document> {
        Some(probe_document(&self.screen()).into())
    }
}

impl ProbeAnswer {
    /// The form that texts and documents are made of.
    pub fn screen(&self) -> ProbeScreen<'_> {
        ProbeScreen { answer: &self.answer, offers: &self.offers, device_writes: self.device_writes.as_ref() }
    }

    /// The configuration of the disks, which every verb reads as `--config`.
    ///
    /// # Errors
    /// Returns an error if too little is known about a target.
    pub fn configuration(&self) -> Result<String, Failure> {
        saved::configuration(&self.answer)
    }

    /// Assumptions of that file in place of what was not measured, a sentence each.
    pub fn assumptions(&self) -> Vec<String> {
        saved::assumptions(&self.answer)
    }

    /// Rows of `measured.csv` without names of hosts, paths or devices; `day` is the date of the probe.
    pub fn contribution(&self, day: &str) -> String {
        contribution::rows(&self.answer, &self.offers, day)
    }
}
