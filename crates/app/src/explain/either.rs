//! An explanation of what was seen, or of this machine now.

use iobound_report::{Document, Setting, Style, explain_document, explain_text};
use {
    crate::doctor::local::{LocalAnswer, LocalQuestion, PreparedLocal},
    crate::doctor::metadata_of,
    crate::options::Options,
    iobound_explain::Want,
    iobound_report::{watched_document, watched_text},
    iobound_units::{Span, parse_span},
};

use super::{ExplainAnswer, ExplainRequest, OpenedExplanation, PreparedExplanation};
use crate::page::PageChoice;
use crate::watch::map;
use crate::{Common, Env, Failure};

/// A request that has been read: of what was seen, or of this machine now.
pub enum PreparedExplaining {
    /// Of what was seen.
    Seen(Box<PreparedExplanation>),
    /// Of this machine.
    Here(Box<PreparedLocal>),
}

/// Its answer.
pub enum Explaining {
    /// Of what was seen.
    Seen(Box<ExplainAnswer>),
    /// Of this machine.
    Here(Box<LocalAnswer>),
}

impl PreparedExplaining {
    /// Reads a request. `is_asked`: there is to be an answer.
    ///
    /// # Errors
    /// Returns an error if an option cannot be read or the configuration cannot be built; it names the fix.
    pub fn read(
        request: &ExplainRequest,
        common: &Common,
        is_asked: bool,
        env: &Env,
    ) -> Result<PreparedExplaining, Failure> {
        let mut opened = OpenedExplanation::open(request, common, is_asked, env)?;
        if let Some(question) = here(request, &mut opened)? {
            let maps = opened.files.maps().to_vec();
            let (settings, page) = opened.into_settings();
            let mut watch = PreparedLocal::read(question, &request.configuration, page, settings)?;
            watch.map_devices(|found, setup, resolved| map::names(found, &maps, setup, resolved))?;
            return Ok(PreparedExplaining::Here(Box::new(watch)));
        }
        Ok(PreparedExplaining::Seen(Box::new(opened.prepare(request)?)))
    }

    /// The page that is asked for, and the settings that were read.
    pub fn parts(&self) -> (&PageChoice, &[Setting]) {
        match self {
            PreparedExplaining::Seen(seen) => (&seen.page, &seen.settings),
            PreparedExplaining::Here(here) => (&here.page, &here.settings),
        }
    }

    /// The page that is asked for.
    pub fn page(&self) -> &PageChoice {
        self.parts().0
    }

    /// Explains. `with_stacks`: also what each I/O meets, which the screen does not tell.
    ///
    /// # Errors
    /// Returns an error if the measurements cannot be read or explained.
    pub fn answer(self, with_stacks: bool, env: &Env) -> Result<Explaining, Failure> {
        Ok(match self {
            PreparedExplaining::Seen(seen) => Explaining::Seen(Box::new(seen.answer(with_stacks, env)?)),
            PreparedExplaining::Here(here) => Explaining::Here(Box::new(here.answer(with_stacks, env)?)),
        })
    }
}

impl Explaining {
    /// The document of the answer.
    pub fn document(&self) -> Document {
        match self {
            Explaining::Seen(answer) => explain_document(&answer.explained()).into(),
            Explaining::Here(answer) => watched_document(&answer.watched()).into(),
        }
    }

    /// The text of the answer.
    pub fn text(&self, style: Style) -> String {
        match self {
            Explaining::Seen(answer) => explain_text(&answer.explained(), style),
            Explaining::Here(answer) => watched_text(&answer.watched(), style),
        }
    }

    /// True if the answer is of a machine that was watched until `env` ended it.
    pub fn is_cut_short(&self, env: &Env) -> bool {
        match self {
            Explaining::Seen(_) => false,
            Explaining::Here(_) => env.is_stopped(),
        }
    }
}

/// Requests to this machine: neither an observation nor a VM is named, or a VM is named and an option of watching; `None`: the
/// figures are given.
///
/// # Errors
/// Returns an error if an option of watching is given beside figures.
fn here(request: &ExplainRequest, opened: &mut OpenedExplanation) -> Result<Option<LocalQuestion>, Failure> {
    let (watch, machine, files) = (&request.watch, &request.machine, &request.files);
    let watching = [
        ("--duration", watch.duration.is_some()),
        ("--metadata", machine.metadata.is_some()),
        ("--world", machine.world.is_some()),
    ];
    let option = watching.iter().find(|(_, given)| *given).map(|(flag, _)| *flag);
    if let Some(figures) = opened.figures(request) {
        return match option {
            None => Ok(None),
            Some(flag) => Err(Failure::input(format!("{flag} applies only when this machine is watched"))
                .help(format!("leave it out, or leave out {figures}"))),
        };
    }
    if opened.has_vm(request) && option.is_none() {
        return Ok(None);
    }
    let about_files = [("--from", files.from.is_some()), ("--interval", files.interval.is_some())];
    if let Some((flag, _)) = about_files.iter().find(|(_, given)| *given) {
        return Err(Failure::input(format!(
            "{flag} describes a file with measurements, and no file is given"
        ))
        .help("add --result FILE, or leave it out"));
    }
    let settings = opened.settings();
    let metadata = metadata_of(machine, settings)?;
    let duration =
        settings.parse("duration", watch.duration.as_deref(), Some("10s"), |text| {
            match parse_span(text) {
                Ok(span) if span < SHORTEST => {
                    Err(format!("{span} is too short: write 1s or more, such as 10s"))
                }
                read => read.map_err(|error| error.to_string()),
            }
        })?;
    let want = settings.parse("want", request.own.get("want"), None, Want::parse)?;
    let duration = duration.unwrap_or(Span::from_secs(10));
    Ok(Some(LocalQuestion { machine: machine.clone(), metadata, duration, want }))
}

/// The kernel's counters of waiting move every two seconds, those of time in steps of up to 10 ms.
const SHORTEST: Span = Span::from_secs(1);
