//! Sum of all ranks: their reports combined, stage by stage.

use iobound_fleet::{Gathered, GatheredRank};
use iobound_measure::Measured;
use iobound_measure::first_and_last_done;
use iobound_measure::result::fleet::{MissingRank, PerHost, RanksDone, labels, stragglers};
use iobound_measure::result::{Cpu, Fleet, HostResult, Outcome, RunResult, Source, Start, round};
use iobound_report::{Ended, Prepared};
use iobound_units::Bytes;
use iobound_workload::Workload;

use super::checks::{of_fleet, of_hosts};
use super::document::RankDocument;
use super::why;
use crate::run::ToldStage;
use crate::{Exit, Failure};

/// All stages of a run on several machines.
pub(crate) struct Cluster {
    pub(crate) stages: Vec<ClusterStage>,
    /// Their number to be.
    pub(crate) of: usize,
    /// Ranks that are missing or failed, as sentences.
    pub(crate) wrong: Vec<String>,
    /// Ctrl-C at the coordinator.
    pub(crate) is_interrupted: bool,
}

/// One stage of it.
pub(crate) struct ClusterStage {
    pub(crate) workload: Workload,
    pub(crate) measured: Measured,
    pub(crate) result: RunResult,
    pub(crate) ended: Ended,
    pub(crate) prepared: Vec<Prepared>,
    /// Figures of each host, by its label, for the output formats that show parts.
    pub(crate) hosts: Vec<HostPart>,
}

/// Figures of one rank in a stage.
pub(crate) struct HostPart {
    pub(crate) label: String,
    pub(crate) measured: Measured,
    /// The bytes of its targets together.
    pub(crate) size: Bytes,
    pub(crate) began_unix_ms: u64,
    pub(crate) lasted_ms: u64,
}

/// Known facts about a run before it is over.
pub(crate) struct ClusterFacts<'a> {
    pub(crate) workloads: &'a [Workload],
    /// Launcher that started the ranks.
    pub(crate) launcher: &'a str,
    /// The machine of the coordinator.
    pub(crate) host: Option<String>,
    pub(crate) is_interrupted: bool,
    /// The command line of the coordinator.
    pub(crate) command: String,
}

impl Cluster {
    /// Of what was handed in.
    ///
    /// # Errors
    /// Returns an error if not all ranks began a stage, or the reports are of different workloads.
    pub(crate) fn of(gathered: &Gathered, of: &ClusterFacts<'_>) -> Result<Cluster, Failure> {
        let reported = |stage: usize| gathered.ranks.iter().any(|rank| report(rank, stage).is_some());
        let count = (0..of.workloads.len()).take_while(|stage| reported(*stage)).count();
        if count == 0 {
            return Err(nothing(gathered, of.is_interrupted));
        }
        let stages =
            (0..count).map(|stage| stage_of(gathered, stage, of)).collect::<Result<Vec<_>, Failure>>()?;
        let mut wrong: Vec<String> = missing_of(gathered, count - 1).iter().map(in_words).collect();
        for rank in &gathered.ranks {
            let failed = rank.reports.iter().flatten().filter_map(|report| report.failed.as_ref());
            wrong.extend(failed.take(1).map(|why| format!("{}: {why}", name_of(rank))));
        }
        Ok(Cluster { stages, of: of.workloads.len(), wrong, is_interrupted: of.is_interrupted })
    }

    /// The stages for the answer.
    pub(crate) fn told(&mut self) -> Vec<ToldStage<'_>> {
        self.stages
            .iter_mut()
            .map(|stage| ToldStage {
                workload: &stage.workload,
                result: &mut stage.result,
                measured: &stage.measured,
                ended: stage.ended.clone(),
            })
            .collect()
    }

    /// Preparation of the targets before the first stage.
    pub(crate) fn prepared(&self) -> Vec<Prepared> {
        self.stages.first().map(|stage| stage.prepared.clone()).unwrap_or_default()
    }

    /// Missing and failed ranks: the first ten, and the number of the others.
    pub(crate) fn failures(&self) -> Vec<Failure> {
        const FEW: usize = 10;
        let mut failures: Vec<Failure> = self.wrong.iter().take(FEW).map(Failure::io).collect();
        if self.wrong.len() > FEW {
            let more = format!("{} more ranks are missing or failed", self.wrong.len() - FEW);
            failures.push(Failure::io(more));
        }
        failures
    }

    /// Exit code, without the user's conditions.
    pub(crate) fn exit(&self) -> Exit {
        if self.is_interrupted {
            Exit::Interrupted
        } else if !self.wrong.is_empty() || self.stages.len() < self.of {
            Exit::Io
        } else {
            Exit::Done
        }
    }
}

fn report(rank: &GatheredRank, stage: usize) -> Option<&iobound_fleet::RankReport> {
    rank.reports.get(stage)?.as_ref()
}

fn name_of(rank: &GatheredRank) -> String {
    match &rank.host {
        Some(host) => format!("rank {} ({})", rank.rank, host.name),
        None => format!("rank {}", rank.rank),
    }
}

fn in_words(missing: &MissingRank) -> String {
    match &missing.host {
        Some(host) => format!("rank {} ({host}): {}", missing.rank, missing.why),
        None => format!("rank {}: {}", missing.rank, missing.why),
    }
}

/// Those that have not reported a stage.
fn missing_of(gathered: &Gathered, stage: usize) -> Vec<MissingRank> {
    let silent = gathered.ranks.iter().filter(|rank| report(rank, stage).is_none());
    silent
        .map(|rank| MissingRank {
            rank: rank.rank,
            host: rank.host.as_ref().map(|host| host.name.clone()),
            why: rank.missing.clone().unwrap_or_else(|| "it sent no report".into()),
        })
        .collect()
}

/// Reason why there is nothing at all: the rank that could not go on first, and not those that ended because of it.
fn nothing(gathered: &Gathered, is_interrupted: bool) -> Failure {
    let wrong: Vec<String> = gathered
        .ranks
        .iter()
        .filter_map(|rank| Some(format!("{}: {}", name_of(rank), rank.missing.as_ref()?)))
        .collect();
    let first = gathered.stopped.clone().or_else(|| wrong.first().cloned());
    let says = first.unwrap_or_else(|| "no rank sent a report".into());
    if is_interrupted {
        return Failure::interrupted(format!("nothing was measured: {says}"));
    }
    let failure = why::failure(&says);
    match gathered.refused.first() {
        Some(refused) => failure.help(format!("a connection was refused: {refused}")),
        None => failure,
    }
}

fn stage_of(gathered: &Gathered, stage: usize, of: &ClusterFacts<'_>) -> Result<ClusterStage, Failure> {
    let there: Vec<(&GatheredRank, &Measured, RankDocument)> = gathered
        .ranks
        .iter()
        .filter_map(|rank| {
            let report = report(rank, stage)?;
            Some((rank, report.measured.as_ref()?, RankDocument::parse(&report.document)?))
        })
        .collect();
    let names: Vec<(u32, &str)> = there
        .iter()
        .map(|(rank, ..)| (rank.rank, rank.host.as_ref().map_or("", |host| host.name.as_str())))
        .collect();
    let labels = labels(&names);
    let measured: Vec<(&str, &Measured)> =
        labels.iter().zip(&there).map(|(label, (_, measured, _))| (label.as_str(), *measured)).collect();
    let together = Measured::beside(&measured).map_err(Failure::input)?;
    let mut result = RunResult::from_measured(&together, Source::Measured);
    let hosts: Vec<HostResult> = there
        .iter()
        .zip(&labels)
        .map(|((rank, _, document), label)| host_of(rank, stage, document, label))
        .collect();
    let documents: Vec<(&str, &RankDocument)> =
        labels.iter().map(String::as_str).zip(there.iter().map(|(.., document)| document)).collect();
    let fleet = fleet_of(gathered, stage, &hosts, &measured, of);
    around(&mut result, &documents, &of.workloads[stage], of);
    result.checks = of_hosts(&documents);
    result.checks.extend(of_fleet(&fleet));
    let ended = ended_of(&fleet, &hosts, of.is_interrupted);
    let prepared = documents
        .iter()
        .flat_map(|(label, document)| document.files.iter().filter_map(|file| file.prepared(label)))
        .collect();
    let parts = there.iter().zip(&labels).map(|((_, measured, document), label)| HostPart {
        label: label.clone(),
        measured: (*measured).clone(),
        size: Bytes(document.files.iter().map(|file| file.size_bytes).sum()),
        began_unix_ms: document.began_unix_ms,
        lasted_ms: document.lasted_ms,
    });
    let parts = parts.collect();
    result.hosts = hosts;
    result.fleet = Some(fleet);
    Ok(ClusterStage {
        workload: of.workloads[stage].clone(),
        measured: together,
        result,
        ended,
        prepared,
        hosts: parts,
    })
}

fn host_of(rank: &GatheredRank, stage: usize, document: &RankDocument, label: &str) -> HostResult {
    let RankDocument { result, ended, error, files, .. } = document;
    let cpu = result.cpu.clone().map(|cpu| Cpu { processors: Vec::new(), ..cpu });
    HostResult {
        rank: rank.rank,
        host: rank.host.as_ref().map(|host| host.name.clone()).unwrap_or_default(),
        label: label.to_string(),
        total: result.total.clone(),
        depth: result.depth,
        start_offset_ms: rank.began_ns.get(stage).copied().flatten().map(ms),
        ended: ended.clone(),
        error: error.clone(),
        bound: None,
        engine: result.engine.clone(),
        kernel: result.kernel.clone(),
        files: files.iter().map(|file| file.path.clone()).collect(),
        cpu,
        devices: result.devices.clone(),
        checks: result.checks.iter().filter(|check| check.outcome != Outcome::Ok).cloned().collect(),
    }
}

/// Nanoseconds as milliseconds, rounded to microseconds.
fn ms(ns: i64) -> f64 {
    (ns as f64 / 1e3).round() / 1e3 + 0.0
}

fn fleet_of(
    gathered: &Gathered,
    stage: usize,
    hosts: &[HostResult],
    measured: &[(&str, &Measured)],
    of: &ClusterFacts<'_>,
) -> Fleet {
    let alone: Vec<&Measured> = measured.iter().map(|(_, measured)| *measured).collect();
    let done = |done: iobound_measure::Done| RanksDone {
        iops: round::iops(done.iops),
        throughput_bytes_per_s: round::bytes_per_s(done.bytes_per_s),
        seconds: round::seconds(done.after.ns()),
    };
    let ends = first_and_last_done(&alone);
    let start = gathered.stages.get(stage);
    let span_ms = |span: iobound_units::Span| ms(i64::try_from(span.ns()).unwrap_or(i64::MAX));
    let skew = start.and_then(|start| start.skew).map(span_ms);
    Fleet {
        launcher: of.launcher.to_string(),
        ranks: gathered.of,
        reported: u32::try_from(hosts.len()).unwrap_or(u32::MAX),
        missing: missing_of(gathered, stage),
        first_done: ends.map(|(first, _)| done(first)),
        last_done: ends.map(|(_, last)| done(last)),
        per_host: PerHost::of(hosts),
        stragglers: stragglers(hosts),
        start_skew_ms: skew,
        start_skew_uncertainty_ms: start
            .filter(|_| skew.is_some())
            .map(|start| span_ms(start.skew_uncertainty)),
        clock: clock_of(gathered),
    }
}

/// Comparison of the clocks, and their drift.
fn clock_of(gathered: &Gathered) -> String {
    let round_trip = gathered.ranks.iter().filter_map(|rank| Some(rank.offset?.round_trip)).max();
    let drift = gathered.ranks.iter().filter_map(|rank| rank.drift_ns_per_s).map(f64::abs).reduce(f64::max);
    let Some(round_trip) = round_trip else { return String::new() };
    let drift = drift
        .map_or(String::new(), |drift| format!("; clocks drift by at most {:.1} us a second", drift / 1e3));
    format!(
        "each rank's monotonic clock is compared with the coordinator's, by the shortest of many round trips: at most {round_trip}{drift}"
    )
}

/// Circumstances of the run that all hosts share.
fn around(
    result: &mut RunResult,
    documents: &[(&str, &RankDocument)],
    workload: &Workload,
    of: &ClusterFacts<'_>,
) {
    let alike = |value: fn(&RunResult) -> Option<String>| {
        let mut values: Vec<String> =
            documents.iter().filter_map(|(_, document)| value(&document.result)).collect();
        values.sort();
        values.dedup();
        (!values.is_empty()).then(|| values.join(", "))
    };
    result.engine = alike(|result| result.engine.clone());
    result.kernel = alike(|result| result.kernel.clone());
    let on = match documents.len() {
        1 => "1 host".to_string(),
        hosts => format!("{hosts} hosts"),
    };
    result.device = alike(|result| result.device.clone()).map(|device| format!("{device} on {on}"));
    let first = documents.iter().filter_map(|(_, document)| document.result.start.as_ref()?.at.clone()).min();
    result.start = Some(Start {
        at: first,
        host: of.host.clone(),
        command: Some(of.command.clone()),
        seed: Some(workload.seed),
        ..result.start.clone().unwrap_or_default()
    });
    result.cpu = cpu_of(documents);
    let mut notes: Vec<(String, Vec<&str>)> = Vec::new();
    for (label, document) in documents {
        for note in &document.result.notes {
            match notes.iter_mut().find(|(known, _)| known == note) {
                Some((_, labels)) => labels.push(label),
                None => notes.push((note.clone(), vec![label])),
            }
        }
    }
    for (note, labels) in notes.into_iter().take(MOST_NOTES) {
        let all = labels.len() == documents.len();
        result.notes.push(if all { note } else { format!("{}: {note}", some_of(&labels)) });
    }
    if documents.len() > 1 {
        result.notes.push(format!(
            "each rank draws its own random numbers from seed {} and its rank, the same in every run",
            workload.seed
        ));
    }
}

/// More notes than this say nothing more.
const MOST_NOTES: usize = 20;

/// `db1, db2 and 5 more`.
pub(super) fn some_of(labels: &[&str]) -> String {
    const FEW: usize = 3;
    match labels.len() {
        count if count <= FEW + 1 => labels.join(", "),
        count => format!("{} and {} more", labels[..FEW].join(", "), count - FEW),
    }
}

/// Cost of the run on all hosts together.
fn cpu_of(documents: &[(&str, &RankDocument)]) -> Option<Cpu> {
    let cpus: Vec<&Cpu> = documents.iter().filter_map(|(_, document)| document.result.cpu.as_ref()).collect();
    if cpus.is_empty() {
        return None;
    }
    let sum = |value: fn(&Cpu) -> Option<f64>| cpus.iter().filter_map(|cpu| value(cpu)).reduce(|a, b| a + b);
    // Each host's own figure says over how many I/Os its time was.
    let ios: f64 = cpus
        .iter()
        .filter_map(|cpu| Some((cpu.user_s? + cpu.system_s?) * 1e6 / cpu.us_per_io.filter(|us| *us > 0.0)?))
        .sum();
    let (user_s, system_s) = (sum(|cpu| cpu.user_s), sum(|cpu| cpu.system_s));
    let us_per_io =
        user_s.zip(system_s).filter(|_| ios > 0.0).map(|(user, system)| (user + system) * 1e6 / ios);
    Some(Cpu {
        online: cpus.iter().map(|cpu| cpu.online).sum(),
        user_s,
        system_s,
        us_per_io,
        steal: None,
        processors: Vec::new(),
    })
}

fn ended_of(fleet: &Fleet, hosts: &[HostResult], is_interrupted: bool) -> Ended {
    if is_interrupted {
        return Ended::Interrupted;
    }
    let failed = hosts.iter().find_map(|host| Some(format!("{}: {}", host.label, host.error.as_ref()?)));
    match failed.or_else(|| fleet.missing.first().map(in_words)) {
        Some(why) => Ended::Failed(why),
        None => Ended::Complete,
    }
}
