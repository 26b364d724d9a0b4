//! Formats of the files, and their content.

use iobound_catalog::Cloud;
use iobound_formats::observation::{self, Observation, ObservedFile, Observer};
use iobound_formats::{diskspd, fio, iometer};
use iobound_measure::RunResult;
use iobound_units::Span;

use super::replayed::result_of_replay;

/// Format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A result document of this program.
    Iobound,
    /// The document of `predict --trace`.
    Replay,
    /// fio's JSON.
    Fio,
    /// DiskSpd's text or XML.
    Diskspd,
    /// Iometer's CSV.
    Iometer,
    /// Counters of a tool that only watches.
    Observer(Observer),
}

/// The words of `--from`, in the order of the help.
pub(super) const WORDS: &str = "iobound, fio, diskspd, iometer, iostat, diskstats, perfmon, sqlserver, postgres, azure-monitor, cloudwatch, cloud-monitoring";

impl Kind {
    /// The kind of a word.
    pub(super) fn parse(word: &str) -> Result<Kind, String> {
        match word {
            "iobound" => Ok(Kind::Iobound),
            "fio" => Ok(Kind::Fio),
            "diskspd" => Ok(Kind::Diskspd),
            "iometer" => Ok(Kind::Iometer),
            other => Cloud::metrics()
                .into_iter()
                .map(Observer::Cloud)
                .chain(Observer::ALL)
                .find(|observer| observer.word() == other)
                .map(Kind::Observer)
                .ok_or_else(|| format!("unknown format `{other}`: write one of {WORDS}")),
        }
    }

    /// Its name for people.
    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Iobound => "iobound's result",
            Kind::Replay => "the document of predict --trace",
            Kind::Fio => "fio's JSON",
            Kind::Diskspd => "DiskSpd's output",
            Kind::Iometer => "Iometer's CSV",
            Kind::Observer(observer) => observer.name(),
        }
    }

    /// Format of a text, recognised by its content.
    pub(super) fn of(text: &str) -> Option<Kind> {
        let start = text.trim_start();
        match () {
            () if start.starts_with('{') && text.contains("\"iobound.result/") => Some(Kind::Iobound),
            () if start.starts_with('{') && text.contains("\"iobound.replay/") => Some(Kind::Replay),
            () if text.contains("\"fio version\"") => Some(Kind::Fio),
            () if start.starts_with('\'') || start.starts_with("\"'") => Some(Kind::Iometer),
            () if start.starts_with('<') || text.contains("Command Line:") => Some(Kind::Diskspd),
            () => match observation::recognise(text, &Cloud::metrics()) {
                Some(observer) => Some(Kind::Observer(observer)),
                None if start.starts_with('{') || start.starts_with("fio:") => Some(Kind::Fio),
                None => None,
            },
        }
    }
}

/// Content of files.
pub(super) enum Read {
    /// A run.
    Result(Box<RunResult>),
    /// Recorded counters.
    Observation(Box<Observation>),
}

/// Reads files of one kind.
pub(super) fn read(kind: Kind, files: &[ObservedFile<'_>], interval: Option<Span>) -> Result<Read, String> {
    let one_of = |results: Vec<RunResult>| -> Result<RunResult, String> {
        let count = results.len();
        let mut results = results.into_iter();
        match (results.next(), count) {
            (Some(result), 1) => Ok(result),
            _ => Err(format!("the file holds {count} runs: give a file with one run")),
        }
    };
    let observer = match kind {
        Kind::Observer(observer) => observer,
        result => {
            let [file] = files else {
                return Err(format!(
                    "{} is the result of one run, and {} files are given",
                    result.name(),
                    files.len()
                ));
            };
            if interval.is_some() {
                return Err(format!("{} contains its own times: leave --interval out", result.name()));
            }
            let said = |error: &dyn std::fmt::Display| format!("{}: {error}", file.name);
            let read = match result {
                Kind::Iobound => serde_json::from_str(file.text).map_err(|error| said(&error)),
                Kind::Replay => result_of_replay(file.text).map_err(|error| said(&error)),
                Kind::Fio => fio::result::read(file.text).map_err(|error| said(&error)),
                Kind::Diskspd => {
                    diskspd::result::read(file.text).map_err(|error| said(&error)).and_then(one_of)
                }
                _ => iometer::result::read(file.text).map_err(|error| said(&error)).and_then(one_of),
            };
            let read: RunResult = read?;
            read.check_figures().map_err(|why| said(&why))?;
            return Ok(Read::Result(Box::new(read)));
        }
    };
    let read = observation::read(observer, files, interval).map_err(|error| error.to_string());
    read.map(|observation| Read::Observation(Box::new(observation)))
}

/// The single result of a file, of any tool.
///
/// # Errors
/// Returns an error if the file is not a result or has several runs.
pub fn result_of(text: &str) -> Result<RunResult, String> {
    let none = "the file is not a result: give a document of iobound run or of predict --trace, fio's JSON, DiskSpd's text or XML, or Iometer's CSV";
    let kind = Kind::of(text).ok_or(none)?;
    match read(kind, &[ObservedFile { name: "result", text }], None)? {
        Read::Result(result) => Ok(*result),
        Read::Observation(_) => Err(none.to_string()),
    }
}
