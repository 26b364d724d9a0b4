use clap::Args;
use iobound_app::explain::{ExplainAnswer, ExplainRequest, OpenedExplanation, PreparedExplanation};
use iobound_app::page::PageChoice;
use iobound_app::{Common, Env, Exit, Failure};
use iobound_report::{Document, Setting, Style, explain_json, explain_text};
#[cfg(target_os = "linux")]
use {
    crate::doctor::here::{PreparedWatch, Question, WatchAnswer},
    iobound_app::options::Options,
    iobound_explain::Want,
    iobound_report::{watched_json, watched_text},
    iobound_units::{Span, parse_span},
};

use crate::arguments::{CommonArgs, Typed};
use crate::output;
use crate::page::WritePage;

const EXAMPLES: &str = "\
Examples:
  iobound explain                       # this machine: ten seconds of counters, no load
  iobound explain --vm D8s_v3 --disk P30:readonly --observed 'iops=1000 throughput=140MB/s read=30%'
  iobound explain --vm DS14_v2 --disk 6xP30:readonly --separate --observed 'throughput=555MB/s'
  iobound explain --vm DS14 --disk 10xP30 --result fio.json --want 'iops=50000'
  iobound explain --vm DS14 --disk 4xP30 --result iostat.txt --map md0=data
  iobound explain --vm DS14 --disk P30 --result 1.txt --result 2.txt --interval 10s --map sdc=data
  iobound explain --vm DS14 --disk 2xP30 --disk log=P20 --result a.csv --result b.csv
  iobound explain r-142 --vm DS14 --disk 10xP30    # a kept run
  iobound explain --vm m5.large --disk gp3@500GiB --observed 'throughput=81MB/s after=45min'
  iobound explain --vm DS14 --disk 4xP30 --separate --observed 'data.0: iops=5100 data.1: iops=20'";

/// Explain which limit holds the result back: the evidence in figures, and the changes that would move it and by how
/// much.
/// If two causes cannot be told apart, name the next measurement.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ExplainArgs {
    #[command(flatten)]
    request: Typed<ExplainRequest>,
}

/// A request that has been read: of what was seen, or of this machine now.
pub(crate) enum Prepared {
    Seen(Box<PreparedExplanation>),
    #[cfg(target_os = "linux")]
    Here(Box<PreparedWatch>),
}

/// Its answer.
pub(crate) enum Explaining {
    Seen(Box<ExplainAnswer>),
    #[cfg(target_os = "linux")]
    Here(Box<WatchAnswer>),
}

impl Prepared {
    /// Reads a request. `is_asked`: there is to be an answer.
    ///
    /// # Errors
    /// What can't be read or built, and how to mend it.
    pub(crate) fn read(
        request: &ExplainRequest,
        common: &Common,
        is_asked: bool,
        env: &Env,
    ) -> Result<Prepared, Failure> {
        #[cfg_attr(not(target_os = "linux"), allow(unused_mut))]
        let mut opened = OpenedExplanation::open(request, common, is_asked, env)?;
        #[cfg(target_os = "linux")]
        if let Some(question) = here(request, &mut opened)? {
            let (settings, page) = opened.into_settings();
            let watch = PreparedWatch::read(question, &request.configuration, page, settings)?;
            return Ok(Prepared::Here(Box::new(watch)));
        }
        Ok(Prepared::Seen(Box::new(opened.prepare(request)?)))
    }

    /// The page that is asked for, and the settings that were read.
    fn parts(&self) -> (&PageChoice, &[Setting]) {
        match self {
            Prepared::Seen(seen) => (&seen.page, &seen.settings),
            #[cfg(target_os = "linux")]
            Prepared::Here(here) => (&here.page, &here.settings),
        }
    }

    /// The page that is asked for.
    pub(crate) fn page(&self) -> &PageChoice {
        self.parts().0
    }

    fn note_unused(&mut self, env: &Env) {
        match self {
            Prepared::Seen(seen) => seen.note_unused(env),
            #[cfg(target_os = "linux")]
            Prepared::Here(here) => here.note_unused(env),
        }
    }

    /// Explains. `with_stacks`: also what each I/O meets, which the screen does not tell.
    ///
    /// # Errors
    /// What can't be read or explained.
    pub(crate) fn answer(self, with_stacks: bool, env: &Env) -> Result<Explaining, Failure> {
        Ok(match self {
            Prepared::Seen(seen) => Explaining::Seen(Box::new(seen.answer(with_stacks, env)?)),
            #[cfg(target_os = "linux")]
            Prepared::Here(here) => Explaining::Here(Box::new(here.answer(with_stacks, env)?)),
        })
    }
}

impl Explaining {
    pub(crate) fn document(&self) -> Document {
        match self {
            Explaining::Seen(answer) => explain_json(&answer.explained()),
            #[cfg(target_os = "linux")]
            Explaining::Here(answer) => watched_json(&answer.watched()),
        }
    }

    pub(crate) fn text(&self, style: Style) -> String {
        match self {
            Explaining::Seen(answer) => explain_text(&answer.explained(), style),
            #[cfg(target_os = "linux")]
            Explaining::Here(answer) => watched_text(&answer.watched(), style),
        }
    }

    /// True if the answer is of a machine that was watched until `env` ended it.
    #[cfg_attr(not(target_os = "linux"), allow(unused_variables, reason = "only Linux is watched"))]
    fn is_cut_short(&self, env: &Env) -> bool {
        match self {
            Explaining::Seen(_) => false,
            #[cfg(target_os = "linux")]
            Explaining::Here(_) => env.is_stopped(),
        }
    }
}

/// Requests to this machine, where neither an observation nor a VM is named; `None`: one is.
///
/// # Errors
/// Options of watching, where nothing is watched.
#[cfg(target_os = "linux")]
fn here(request: &ExplainRequest, opened: &mut OpenedExplanation) -> Result<Option<Question>, Failure> {
    let (watch, machine, files) = (&request.watch, &request.machine, &request.files);
    if opened.is_given(request) {
        let given = [
            ("--duration", watch.duration.is_some()),
            ("--metadata", machine.metadata.is_some()),
            ("--world", machine.world.is_some()),
        ];
        return match given.iter().find(|(_, given)| *given) {
            None => Ok(None),
            Some((flag, _)) => {
                Err(Failure::input(format!("{flag} applies only when this machine is watched"))
                    .mend("leave it out, or leave out --vm, --observed and --result"))
            }
        };
    }
    let about_files = [
        ("--from", files.from.is_some()),
        ("--interval", files.interval.is_some()),
        ("--map", !files.map.is_empty()),
    ];
    if let Some((flag, _)) = about_files.iter().find(|(_, given)| *given) {
        return Err(Failure::input(format!(
            "{flag} describes a file with measurements, and no file is given"
        ))
        .mend("add --result FILE, or leave it out"));
    }
    let settings = opened.settings();
    let metadata = crate::doctor::metadata_of(machine, settings)?;
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
    Ok(Some(Question { machine: machine.clone(), metadata, duration, want }))
}

/// The kernel's counters of waiting move every two seconds, those of time in steps of up to 10 ms.
#[cfg(target_os = "linux")]
const SHORTEST: Span = Span::from_secs(1);

/// Explains what was seen.
pub(crate) fn run(args: &ExplainArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let env = common.env();
    let mut prepared = Prepared::read(&args.request, &common.common(), !common.show_config, &env)?;
    prepared.note_unused(&env);
    if common.show_config {
        return output::settings(prepared.parts().1, &[], common);
    }
    let page = prepared.page().clone();
    page.can_be_written()?;
    let answer = prepared.answer(common.json || page.is_asked(), &env)?;
    let exit = output::page(common, |style| answer.text(style), || answer.document())?;
    page.write(|| answer.document())?;
    Ok(if answer.is_cut_short(&env) { Exit::Interrupted } else { exit })
}
