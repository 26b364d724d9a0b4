//! The search for the least concurrency that reaches the most.

use iobound_load::run::Outcome;
use iobound_load::saturate::{self, Bounds, Concurrency, Probe, search};
use iobound_machine::World;
use iobound_report::{Curve, CurvePoint, Document, Ended, Style, curve_document, curve_text};
use iobound_units::{Op, Span};
use iobound_workload::{Load, Workload};

use super::how::RunOptions;
use super::load_goal::KNEE_PROBE;
use super::outputs::Outputs;
use super::ready::Ready;
use super::stage::run_stages;
use crate::process::LiveStyle;
use crate::{Failure, ShownAnswer};

/// Measurements at rising concurrency, and the knee among them.
pub struct SearchAnswer {
    /// The measurements.
    pub curve: Curve,
}

impl ShownAnswer for SearchAnswer {
    fn text(&self, style: Style) -> String {
        curve_text(&self.curve, style)
    }

    fn document(&self) -> Option<Document> {
        Some(curve_document(&self.curve).into())
    }
}

/// Searches the knee of the first stage's first job. `None` if the user interrupts.
pub(crate) fn knee(
    world: &World,
    ready: &Ready,
    workloads: &[Workload],
    how: &RunOptions,
) -> Result<Option<SearchAnswer>, Failure> {
    let [workload] = workloads else {
        return Err(Failure::input("--find-knee needs one stage of jobs").help("run the stages one by one"));
    };
    let [job] = &workload.jobs[..] else {
        return Err(Failure::input("--find-knee needs one job").help("name one job, or use flags"));
    };
    let Load::Closed { depth, cap: None } = job.load else {
        return Err(Failure::input("--find-knee raises the concurrency, and a rate or a cap limits it")
            .help("drop --rate and --cap"));
    };
    // Where nothing was said of depth or threads, the search goes as far as it helps.
    let said = |value: u32, default: u32, most: u32| if value == default { most } else { value };
    let online = u32::try_from(iobound_load::run::processors().len()).unwrap_or(1);
    let bounds = Bounds {
        depth: said(depth, iobound_workload::DEFAULT_DEPTH, 1_024),
        threads: said(job.threads, 1, online.max(1)),
    };
    let mut outputs = Outputs::default();
    let style = LiveStyle::default();
    let found = search(bounds, |at: Concurrency| -> Result<Option<Probe>, Failure> {
        if how.env.is_stopped() {
            return Ok(None);
        }
        let mut probe = workload.clone();
        (probe.duration, probe.warmup, probe.cooldown) = (KNEE_PROBE.0, KNEE_PROBE.1, Span::ZERO);
        probe.jobs[0].threads = at.threads;
        probe.jobs[0].load = Load::Closed { depth: at.depth, cap: None };
        let mut stages = run_stages(world, ready, &[probe], how, &mut outputs, style)?;
        let Some(stage) = stages.pop() else { return Ok(None) };
        if let Ended::Failed(why) = &stage.ended {
            return Err(Failure::io(why));
        }
        if stage.ended == Ended::Interrupted {
            return Ok(None);
        }
        Ok(Some(probe_of(at, &stage.outcome)))
    })?;
    let Some(found) = found else { return Ok(None) };
    let title = format!("{} on {}", iobound_workload::describe(job), ready.names[0].name);
    Ok(Some(SearchAnswer { curve: curve_of(title, &found) }))
}

fn probe_of(at: Concurrency, outcome: &Outcome) -> Probe {
    let seconds = outcome.total.window().secs_f64().max(1e-9);
    let mut all = iobound_measure::Histogram::<3>::new();
    let mut bytes = 0;
    for job in &outcome.total.jobs {
        for op in [Op::Read, Op::Write] {
            all.merge(&job.op(op).response);
            bytes += job.op(op).bytes;
        }
    }
    let p99 = iobound_measure::percentile::supported(99.0, all.count());
    Probe {
        at,
        iops: all.count() as f64 / seconds,
        bytes_per_s: bytes as f64 / seconds,
        mean_us: all.moments().mean_ns().unwrap_or(0.0) / 1e3,
        p99_us: p99.then(|| all.percentile_ns(99.0) as f64 / 1e3),
        client_bound: iobound_load::checks::is_client_bound(outcome),
    }
}

fn curve_of(title: String, found: &saturate::Curve) -> Curve {
    let point = |probe: &Probe| CurvePoint {
        depth: u64::from(probe.at.depth),
        threads: u64::from(probe.at.threads),
        outstanding: probe.at.outstanding(),
        iops: probe.iops,
        throughput_bytes_per_s: probe.bytes_per_s,
        mean_us: Some(probe.mean_us),
        p99_us: probe.p99_us,
    };
    let because = if found.open_end {
        "the search ended at its bounds while IOPS still grew: raise --depth or --threads".to_string()
    } else {
        format!(
            "the lowest concurrency that reaches {:.0} % of the highest IOPS; beyond it, doubling gains less than {:.0} % while latency grows",
            saturate::REACHED * 100.0,
            saturate::GAIN * 100.0
        )
    };
    Curve {
        title,
        points: found.probes.iter().map(point).collect(),
        knee: found.probes.iter().position(|probe| probe.at == found.knee.at),
        because,
    }
}
