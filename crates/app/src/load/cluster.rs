//! A run on several machines in the forms of other tools, which know one: a host is a thread of each job there, and the
//! target that it went to.

use iobound_formats::{RanMachine, RanTarget};
use iobound_measure::result::HostResult;
use iobound_measure::{
    Batches, Cell, Layout, Measured, MeasuredCell, SeriesLatencies, ThreadMeasured, Usage,
};
use iobound_units::{Span, TargetId};

use super::foreign::{ForeignRun, ForeignStage};
use crate::fleet::{Cluster, ClusterStage};
use crate::results::{Keeping, ToKeep};
use crate::run::this_machine;
use crate::{Env, Exit};

/// Keeps the run, says each host's figures beside, and takes it apart as the forms have it.
pub(crate) fn into_foreign(mut cluster: Cluster, keeping: &mut Keeping, env: &Env) -> ForeignRun {
    let prepared = cluster.prepared();
    let keep: Vec<ToKeep<'_>> = cluster
        .stages
        .iter()
        .map(|stage| ToKeep {
            name: None,
            side: None,
            workload: &stage.workload,
            result: &stage.result,
            measured: Some(&stage.measured),
            ended: stage.ended.clone(),
            prediction: None,
            prepared: &prepared,
        })
        .collect();
    let ids = keeping.keep(&keep);
    drop(keep);
    if !ids.is_empty() {
        env.note(&format!("kept as {}", ids.join(", ")));
    }
    let took: f64 = prepared.iter().map(|file| file.seconds).fold(0.0, f64::max);
    cluster.stages.iter().flat_map(|stage| &stage.result.hosts).for_each(|host| say(host, env));
    let first = cluster.stages.first().map_or(&[][..], |stage| &stage.hosts);
    let targets = first
        .iter()
        .map(|host| RanTarget { path: host.label.clone(), size: host.size, files: Vec::new() })
        .collect();
    let machines = cluster.stages.iter().map(|stage| machine(stage, took, env)).collect();
    let exit = cluster.exit();
    let failures = if exit == Exit::Io { cluster.failures() } else { Vec::new() };
    let stages = std::mem::take(&mut cluster.stages).into_iter().map(stage_of).collect();
    ForeignRun { stages, targets, machines, failures, exit: Ok(exit) }
}

/// Figures of one host, which the forms have no place for by its name.
fn say(host: &HostResult, env: &Env) {
    let iops = host.total.iops.unwrap_or(0.0);
    let mb = host.total.throughput_bytes_per_s.unwrap_or(0.0) / 1e6;
    env.note(&format!("{}: {iops:.0} IOPS, {mb:.1} MB/s", host.label));
}

fn machine(stage: &ClusterStage, prepared_s: f64, env: &Env) -> RanMachine {
    let began = stage.hosts.iter().map(|host| host.began_unix_ms).min().unwrap_or(0);
    let ended = stage.hosts.iter().map(|host| host.began_unix_ms + host.lasted_ms).max().unwrap_or(began);
    RanMachine {
        began_unix_ms: began,
        ended_unix_ms: ended,
        prepared_for: (prepared_s > 0.0).then(|| Span::from_ns((prepared_s * 1e9) as u64)),
        cpu: stage.result.cpu.clone().unwrap_or_default(),
        ..this_machine(env)
    }
}

fn stage_of(stage: ClusterStage) -> ForeignStage {
    let ClusterStage { workload, measured, result, hosts, .. } = stage;
    let jobs = measured.jobs.len();
    let thread = |job: u16, host: usize| (usize::from(job) * hosts.len() + host) as u16;
    let own = |cell: Cell| Cell { thread: thread(cell.job, usize::from(cell.target.0)), ..cell };
    let cells: Vec<MeasuredCell> =
        measured.cells.iter().map(|part| MeasuredCell { cell: own(part.cell), ..part.clone() }).collect();
    let layout = Layout {
        threads: (jobs * hosts.len()) as u16,
        cells: cells.iter().map(|part| part.cell).collect(),
        ..measured.layout.clone()
    };
    let threads = (0..jobs as u16)
        .flat_map(|job| {
            let hosts = &hosts;
            (0..hosts.len()).map(move |host| ThreadMeasured {
                job,
                measured: of_thread(&hosts[host].measured, job, jobs),
                usage: Usage::default(),
                batches: Batches::default(),
                apart: None,
            })
        })
        .collect();
    let total = Measured { layout, cells, ..measured };
    ForeignStage::new(workload, (Vec::new(), total, threads), result.checks)
}

/// Figures of a host for one job. A host has one series: with several jobs, its intervals belong to none.
fn of_thread(host: &Measured, job: u16, jobs: usize) -> Measured {
    let mut own = host.clone();
    if jobs > 1 {
        (own.series, own.latencies) = (Vec::new(), SeriesLatencies::default());
    }
    own.cells.retain(|part| part.cell.job == job);
    own.cells.iter_mut().for_each(|part| (part.cell.job, part.cell.target) = (0, TargetId(0)));
    own.jobs = vec![own.jobs[usize::from(job)].clone()];
    own.layout.jobs = vec![own.layout.jobs[usize::from(job)].clone()];
    own.layout.cells = own.cells.iter().map(|part| part.cell).collect();
    own
}
