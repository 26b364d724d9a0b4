//! Report options of a command line or job file: options that do not change the I/O.
//!
//! Those that ask for what a run does not keep are refused by name. Semantics from HOWTO of fio 3.42.

mod bins_log;
mod goals;
mod read_log;
mod refused;

use iobound_units::Span;

use super::asked::Asked;
use super::jobfile::{JobFile, ProgramSetting, Section};
use super::units::{Bare, parse_time};
use crate::error::Trouble;
use crate::notes::Notes;
pub use bins_log::BinsLog;
pub use goals::{LatencyGoal, SteadyGoal};
pub use read_log::ReadLog;
use refused::{OPTIONS, PROGRAM};

/// Options of fio's report.
#[derive(Clone, Debug, PartialEq)]
pub struct Reporting {
    /// The forms asked for, each once, in the order in which fio prints them; never empty.
    pub formats: Vec<Format>,
    /// The version of the terse line: 3, 4 or 5.
    pub terse_version: u8,
    /// The file for the report; standard output where there is none.
    pub output: Option<String>,
    /// The directory for log files (`--aux-path`).
    pub log_directory: Option<String>,
    /// True if progress is shown while I/O runs.
    pub eta: Eta,
    /// The time between two reports while the run goes on (`--status-interval`).
    pub status_every: Option<Span>,
    /// The seeds are printed before the report (`--debug=random`).
    pub seeds: bool,
    /// The jobs, in the order of [`JobFile::jobs`].
    pub jobs: Vec<JobReporting>,
}

/// A form of fio's report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Format {
    /// A line of semicolons for each job.
    Terse,
    /// JSON.
    Json,
    /// JSON with the bins of every latency.
    JsonPlus,
    /// Text for people.
    Normal,
}

/// Condition under which progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eta {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// True if reads, writes and trims are reported together (`unified_rw_reporting`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unified {
    /// Apart.
    None,
    /// Together.
    Mixed,
    /// Apart, and together as well.
    Both,
}

/// Requests to one job's report.
#[derive(Clone, Debug, PartialEq)]
pub struct JobReporting {
    /// Its text, as the user wrote it.
    pub description: Option<String>,
    /// Clones and neighbours of one group are one entry.
    pub group_reporting: bool,
    /// A group of the report begins with it.
    pub new_group: bool,
    /// True if it is in the report at all (`stats`).
    pub stats: bool,
    /// Reads, writes and trims together or apart.
    pub unified: Unified,
    /// Percentiles of the time from submission to completion.
    pub clat_percentiles: bool,
    /// Percentiles of the time from issue to completion.
    pub lat_percentiles: bool,
    /// Percentiles of the time that submission took.
    pub slat_percentiles: bool,
    /// Percentiles in percent, ascending; at most 20.
    pub percentiles: Vec<f64>,
    /// With how many decimals the text shows them.
    pub percentile_decimals: usize,
    /// Number of digits that figures with a prefix have in the text.
    pub significant_figures: usize,
    /// 1,024 or 1,000: which prefixes come first.
    pub kb_base: u64,
    /// Bandwidth in bits rather than bytes.
    pub bits: bool,
    /// Latency from issue is left out.
    pub disable_lat: bool,
    /// Latency from submission is left out.
    pub disable_clat: bool,
    /// Time of submission is left out.
    pub disable_slat: bool,
    /// Samples of bandwidth and IOPS are left out.
    pub disable_bw: bool,
    /// The shortest time that a sample of bandwidth covers.
    pub bw_sample: Span,
    /// The shortest time that a sample of IOPS covers.
    pub iops_sample: Span,
    /// The devices below are reported (`disk_util`).
    pub disk_util: bool,
    /// The log of bandwidth: what its files' names begin with.
    pub bw_log: Option<String>,
    /// The logs of latency.
    pub lat_log: Option<String>,
    /// The log of IOPS.
    pub iops_log: Option<String>,
    /// The log of latencies as bins.
    pub bins_log: Option<BinsLog>,
    /// Goal that ends the job.
    pub steady: Option<SteadyGoal>,
    /// The latency that its depth is searched for.
    pub latency: Option<LatencyGoal>,
    /// The file that every I/O is recorded in, to be replayed.
    pub iolog: Option<String>,
    /// The log that the job replays.
    pub read_log: Option<ReadLog>,
    /// Time that a line of the other logs covers; whole milliseconds. `None` without a log, or for a line for each I/O.
    pub log_every: Option<Span>,
    /// A line of a log ends with the offset of its I/O.
    pub log_offset: bool,
    /// Every clone writes files of its own.
    pub per_job_logs: bool,
    /// Times in logs count from 1970 rather than from the start.
    pub log_unix_epoch: bool,
}

/// Percentiles that fio reports without `percentile_list`.
const PERCENTILES: [f64; 17] =
    [1.0, 5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0, 99.5, 99.9, 99.95, 99.99];
/// The most that fio takes.
const MOST_PERCENTILES: usize = 20;
/// fio's own sampling time of bandwidth and IOPS.
const SAMPLE: Span = Span::from_ms(500);

impl Reporting {
    /// Request of `file`; problems go to `trouble`.
    pub(super) fn read(file: &JobFile, trouble: &mut Trouble) -> Reporting {
        let mut reporting = Reporting {
            formats: Vec::new(),
            terse_version: 3,
            output: None,
            log_directory: None,
            eta: Eta::Auto,
            status_every: None,
            seeds: false,
            jobs: Vec::new(),
        };
        for setting in &file.program {
            reporting.take(setting, trouble);
        }
        // JSON with bins is JSON and more: fio prints one document.
        if reporting.formats.contains(&Format::JsonPlus) {
            reporting.formats.retain(|format| *format != Format::Json);
        }
        if reporting.formats.is_empty() {
            reporting.formats.push(Format::Normal);
        }
        reporting.formats.sort_unstable();
        reporting.formats.dedup();
        let mut unused = Notes::default();
        reporting.jobs = file.jobs.iter().map(|section| job(section, trouble, &mut unused)).collect();
        reporting
    }

    /// The interval that the series of the run must have: the longest of at most 500 ms, or of the shortest sample, of
    /// which the lines of every log and the times of `--status-interval` are multiples.
    pub fn interval(&self) -> Span {
        let ms = |span: Span| span.ns() / 1_000_000;
        let samples = self.jobs.iter().flat_map(|job| [job.bw_sample, job.iops_sample]);
        let longest = samples.map(ms).chain([ms(SAMPLE)]).min().unwrap_or(1);
        let bins = |job: &JobReporting| job.bins_log.as_ref().map(|log| log.every);
        let lines = self.jobs.iter().flat_map(|job| [job.log_every, bins(job)]);
        // A sample of steadiness is a second.
        let seconds = self.jobs.iter().filter_map(|job| job.steady).map(|_| Span::from_secs(1));
        let lines = lines.flatten().chain(seconds).chain(self.status_every).map(ms).reduce(divisor);
        let fits = |interval: &u64| lines.is_none_or(|lines| lines.is_multiple_of(*interval));
        Span::from_ms((1..=longest).rev().find(fits).unwrap_or(1))
    }

    /// True if a log has a line for each I/O, so that all of them have to be recorded.
    pub fn logs_ios(&self) -> bool {
        self.jobs.iter().any(|job| job.logs_ios() || job.iolog.is_some())
    }

    fn take(&mut self, setting: &ProgramSetting, trouble: &mut Trouble) {
        let value = setting.value.as_deref().unwrap_or("");
        match setting.name {
            "output" => self.output = Some(value.to_string()),
            "aux-path" => self.log_directory = Some(value.to_string()),
            "minimal" => self.formats = vec![Format::Terse],
            "append-terse" => {
                // fio adds it to the text, or to what is asked for instead.
                if self.formats.is_empty() {
                    self.formats.push(Format::Normal);
                }
                self.formats.push(Format::Terse);
            }
            "output-format" => {
                self.formats.clear();
                for name in value.split(',').filter(|name| !name.is_empty()) {
                    match name {
                        "normal" => self.formats.push(Format::Normal),
                        "terse" | "minimal" => self.formats.push(Format::Terse),
                        "json" => self.formats.push(Format::Json),
                        "json+" => self.formats.push(Format::JsonPlus),
                        _ => trouble.add(
                            setting.at,
                            format!("--output-format: `{name}` is not a form of fio's"),
                            "write normal, terse, json or json+, separated by commas",
                        ),
                    }
                }
            }
            "terse-version" => match value.parse() {
                Ok(version @ 3..=5) => self.terse_version = version,
                _ => trouble.add(
                    setting.at,
                    format!("--terse-version: `{value}` is not written here"),
                    "3, 4 and 5 are",
                ),
            },
            "eta" => match value {
                "auto" => self.eta = Eta::Auto,
                "always" => self.eta = Eta::Always,
                "never" => self.eta = Eta::Never,
                _ => trouble.add(
                    setting.at,
                    format!("--eta: `{value}` is neither auto, always nor never"),
                    "write --eta=auto",
                ),
            },
            "debug" if value == "random" => self.seeds = true,
            "status-interval" => match parse_time(value, Bare::Seconds) {
                Ok(every) if every >= Span::from_ms(1) => {
                    // Whole milliseconds, of which the intervals of the run are made.
                    self.status_every = Some(Span::from_ms(every.ns() / 1_000_000));
                }
                Ok(_) => trouble.add(
                    setting.at,
                    format!("--status-interval: `{value}` is too short"),
                    "give 1ms or more",
                ),
                Err((what, help)) => trouble.add(setting.at, format!("--status-interval: {what}"), help),
            },
            "eta-newline" | "eta-interval" => {
                if let Err((what, help)) = parse_time(value, Bare::Seconds) {
                    trouble.add(setting.at, format!("--{}: {what}", setting.name), help);
                }
            }
            name => {
                if let Some((_, why, help)) = PROGRAM.iter().find(|(refused, ..)| *refused == name) {
                    trouble.add(setting.at, format!("--{name}: {why}"), *help);
                }
            }
        }
    }
}

impl JobReporting {
    /// True if its logs have a line for each I/O.
    pub fn logs_ios(&self) -> bool {
        let logs = [&self.bw_log, &self.lat_log, &self.iops_log];
        self.log_every.is_none() && logs.into_iter().any(Option::is_some)
    }
}

fn divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { divisor(b, a % b) }
}

fn job(section: &Section, trouble: &mut Trouble, notes: &mut Notes) -> JobReporting {
    let mut asked = Asked::bare(section, trouble, notes);
    // What else it could be is refused where the workload is made.
    if asked.text("kb_base") == Some("1000") {
        asked.kb_base = 1000;
    }
    for (name, harmless, why, help) in OPTIONS {
        let Some(setting) = asked.get(name) else { continue };
        if setting.value.as_deref().is_none_or(|value| !harmless.contains(&value)) {
            asked.cannot(name, format!("{}: {why}", setting.written), *help);
        }
    }
    let (percentiles, percentile_decimals) = percentiles(&mut asked);
    let reduced = asked.truth("gtod_reduce");
    let off = |asked: &Asked<'_>, name: &str| reduced || asked.truth(name);
    let disable_clat = off(&asked, "disable_clat");
    let disable_lat = off(&asked, "disable_lat");
    let disable_slat = off(&asked, "disable_slat");
    let default_on = |asked: &Asked<'_>, name: &str| asked.get(name).is_none() || asked.truth(name);
    let lat_percentiles = asked.truth("lat_percentiles");
    let log = |asked: &Asked<'_>, name: &str| {
        let setting = asked.get(name)?;
        Some(setting.value.clone().unwrap_or_else(|| asked.text("name").unwrap_or(&section.name).to_string()))
    };
    let (bw_log, lat_log) = (log(&asked, "write_bw_log"), log(&asked, "write_lat_log"));
    let iops_log = log(&asked, "write_iops_log");
    let bins_prefix = log(&asked, "write_hist_log");
    let bins_log = BinsLog::read(&mut asked, bins_prefix);
    let is_logged = [&bw_log, &lat_log, &iops_log].into_iter().any(Option::is_some);
    let log_every = whole_ms(&mut asked, "log_avg_msec").filter(|_| is_logged);
    JobReporting {
        description: asked.text("description").map(str::to_string),
        group_reporting: asked.truth("group_reporting"),
        new_group: asked.truth("new_group"),
        stats: default_on(&asked, "stats"),
        unified: unified(&mut asked),
        // fio turns percentiles off with what they are of.
        clat_percentiles: !disable_clat && default_on(&asked, "clat_percentiles"),
        lat_percentiles: !disable_lat && lat_percentiles,
        slat_percentiles: !disable_slat && asked.truth("slat_percentiles"),
        percentiles,
        percentile_decimals,
        significant_figures: asked.count("significant_figures", 4, 1, 10) as usize,
        kb_base: asked.kb_base,
        bits: unit_base(&mut asked),
        disable_lat,
        disable_clat,
        disable_slat,
        disable_bw: off(&asked, "disable_bw_measurement"),
        bw_sample: sample(&mut asked, "bwavgtime"),
        iops_sample: sample(&mut asked, "iopsavgtime"),
        disk_util: default_on(&asked, "disk_util"),
        bw_log,
        lat_log,
        iops_log,
        bins_log,
        steady: SteadyGoal::read(&mut asked),
        latency: LatencyGoal::read(&mut asked),
        iolog: asked.text("write_iolog").map(str::to_string),
        read_log: ReadLog::read(&mut asked),
        log_every,
        log_offset: asked.truth("log_offset"),
        per_job_logs: default_on(&asked, "per_job_logs"),
        log_unix_epoch: asked.truth("log_unix_epoch"),
    }
}

/// `percentile_list`, and the most decimals that one of them is written with.
fn percentiles(asked: &mut Asked<'_>) -> (Vec<f64>, usize) {
    let Some(text) = asked.text("percentile_list") else { return (PERCENTILES.to_vec(), 2) };
    let (mut list, mut decimals) = (Vec::new(), 0);
    for word in text.split(':').map(str::trim) {
        let digits = word.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        match word.parse::<f64>().ok().filter(|percent| digits && *percent > 0.0 && *percent <= 100.0) {
            Some(percent) => list.push(percent),
            None => {
                let what = format!("percentile_list: `{word}` is not a percentile");
                asked.refuse("percentile_list", what, "write numbers above 0 and up to 100: 50:99:99.9");
            }
        }
        decimals = decimals.max(word.split_once('.').map_or(0, |(_, fraction)| fraction.len()));
    }
    if list.len() > MOST_PERCENTILES || decimals > 6 {
        asked.refuse(
            "percentile_list",
            format!("percentile_list has {} percentiles with {decimals} decimals", list.len()),
            format!("{MOST_PERCENTILES} with 6 decimals are the most"),
        );
    }
    list.sort_by(f64::total_cmp);
    (list, decimals)
}

fn unified(asked: &mut Asked<'_>) -> Unified {
    match asked.text("unified_rw_reporting") {
        None | Some("none" | "0") => Unified::None,
        Some("mixed" | "1") => Unified::Mixed,
        Some("both" | "2") => Unified::Both,
        Some(other) => {
            let what = format!("unified_rw_reporting is `{other}`");
            asked.refuse("unified_rw_reporting", what, "it is none, mixed or both");
            Unified::None
        }
    }
}

/// True if bandwidth is in bits: `unit_base=1`.
fn unit_base(asked: &mut Asked<'_>) -> bool {
    match asked.text("unit_base") {
        None | Some("0" | "8") => false,
        Some("1") => true,
        Some(other) => {
            asked.refuse("unit_base", format!("unit_base is `{other}`"), "it is 0, 8 (bytes) or 1 (bits)");
            false
        }
    }
}

fn sample(asked: &mut Asked<'_>, name: &str) -> Span {
    whole_ms(asked, name).unwrap_or(SAMPLE)
}

/// A time above zero in whole milliseconds; `None` where it is not set, zero, or with a problem.
fn whole_ms(asked: &mut Asked<'_>, name: &str) -> Option<Span> {
    let span = asked.time(name, Bare::Milliseconds).filter(|span| !span.is_zero())?;
    if span.ns() % 1_000_000 != 0 {
        asked.refuse(name, format!("{name} is {span}"), "give whole milliseconds");
        return None;
    }
    Some(span)
}
