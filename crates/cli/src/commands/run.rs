use clap::Args;
use iobound_load::run::Outcome;
use iobound_load::saturate::{self, Bounds, Concurrency, Probe, search};
use iobound_machine::World;
use iobound_predict::{Prediction, Question, predict};
use iobound_report::{
    Curve, CurvePoint, Ended, RunScreen, RunStage, curve_json, curve_text, run_json, run_text, series_csv,
};
use iobound_units::{Op, Rate, Span};
use iobound_workload::{Load, Note, Workload};

use crate::arguments::{CommonArgs, ConfigurationArgs, RunArgs, WorkloadArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::run::{How, Outputs, Places, Ready, Stage, make_ready, run_stages};
use crate::settings::{Settings, configuration_of};
use crate::workload::{AskedWorkload, workload_of};
use crate::{interrupt, output};

const EXAMPLES: &str = "\
Examples:
  iobound run /mnt/data                        30 s of 4 KiB random reads on a file of its own
  iobound run /mnt/data --sequential=shared --block 64KiB --threads 4 --depth 32 --duration 60s
  iobound run /mnt/data --random --read 70% --rate 5000iops --arrivals poisson
  iobound run /mnt/data --find-knee            the least outstanding that reaches the most
  iobound run /dev/sdc --duration 60s --json   a device is only read
  iobound run /dev/sdc --read 0% --overwrite /dev/sdc --dry-run
  iobound run /mnt/data --vm DS14 --disk 10xP30    with what was to be expected beside";

/// What do I really get: I/O on real files and devices, measured.
///
/// A file or device that exists is only read, unless --overwrite names it as well. In a folder, the run makes a file
/// of its own and keeps it for the next.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct RunVerbArgs {
    /// Files, folders (a file of their own) and block devices; NAME=PATH names one for jobs
    #[arg(value_name = "TARGET")]
    targets: Vec<String>,
    #[command(flatten)]
    run: RunArgs,
    #[command(flatten)]
    workload: WorkloadArgs,
    #[command(flatten)]
    configuration: ConfigurationArgs,
}

/// Runs every stage, and shows what it reached.
pub(crate) fn run(args: &RunVerbArgs, common: &CommonArgs) -> Result<Exit, Failure> {
    let mut settings = Settings::load(common)?;
    let how = How::of(&args.run, &mut settings)?;
    let ndjson = settings.text("ndjson", args.run.ndjson.as_deref(), None);
    let csv = settings.text("csv", args.run.csv.as_deref(), None);
    let hlog = settings.text("hlog", args.run.hlog.as_deref(), None);
    let asked = workload_of(&args.workload, common, &mut settings)?;
    let is_configured =
        args.configuration.vm.is_some() || settings.file().is_some_and(|file| file.has_machine());
    let configuration =
        is_configured.then(|| configuration_of(&args.configuration, &mut settings)).transpose()?;
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    let places = places(&args.targets, &asked)?;
    let (workloads, notes) = fit(asked, &places, &how)?;
    notes.iter().for_each(|note| output::note(note));

    let world = World::real();
    let Some(ready) = make_ready(&world, &places, &workloads, &how)? else { return Ok(Exit::Done) };
    if how.find_knee {
        return knee(&world, &ready, &workloads, &how, common);
    }
    let mut outputs = Outputs::open(ndjson.as_ref(), hlog.as_ref())?;
    let stages = run_stages(&world, &ready, &workloads, &how, &mut outputs, output::style(common))?;
    outputs.finish()?;
    let predictions: Vec<Option<Prediction>> = stages
        .iter()
        .map(|stage| {
            let asked = configuration.as_ref()?;
            let mut workload = stage.workload.clone();
            iobound_predict::name_targets(&mut workload, &asked.resolved);
            let question = Question {
                resolved: &asked.resolved,
                workload: &workload,
                cache: asked.cache,
                age: asked.age,
            };
            predict(&question, &mut |_| {
                if interrupt::asked() { iobound_drive::Flow::Stop } else { iobound_drive::Flow::Continue }
            })
            .ok()
        })
        .collect();
    let shown: Vec<RunStage<'_>> = stages
        .iter()
        .zip(&predictions)
        .map(|(stage, prediction)| RunStage {
            workload: &stage.workload,
            result: &stage.result,
            prediction: prediction.as_ref(),
            ended: stage.ended.clone(),
        })
        .collect();
    let next = next(&args.targets, &how);
    let screen = RunScreen { stages: &shown, prepared: &ready.prepared, next: &next };
    if let Some(csv) = &csv {
        let path = csv.path();
        std::fs::write(&path, series_csv(&screen))
            .map_err(|error| csv.refuse(format!("{path} can't be written: {error}")))?;
    }
    output::page(common, |style| run_text(&screen, style), || run_json(&screen))?;
    if how.remove {
        ready.remove_made()?;
    }
    Ok(exit_of(&stages, workloads.len()))
}

/// How the program ends after these stages of so many.
pub(crate) fn exit_of(stages: &[Stage], of: usize) -> Exit {
    for stage in stages {
        match &stage.ended {
            Ended::Complete => {}
            Ended::Interrupted => return Exit::Interrupted,
            Ended::Failed(why) => return failure_of(stage, why).report(),
        }
    }
    if stages.len() < of || interrupt::asked() { Exit::Interrupted } else { Exit::Done }
}

/// Why a stage failed, with the exit code of the cause.
pub(crate) fn failure_of(stage: &Stage, why: &str) -> Failure {
    // What was ended for the sake of others is no error of the target.
    let of_target =
        stage.outcome.error.is_some() || stage.outcome.reason != iobound_drive::EndReason::Stopped;
    if of_target { Failure::io(why) } else { Failure::refused(why) }
}

/// The targets of the command line, else the files of another tool's words.
fn places(targets: &[String], asked: &AskedWorkload) -> Result<Places, Failure> {
    if !targets.is_empty() {
        return Places::named(targets);
    }
    if asked.files.is_empty() {
        return Err(Failure::input("no target is given")
            .mend("name a folder, a file or a block device: iobound run /mnt/data"));
    }
    Ok(Places::of_files(&asked.files, true))
}

/// The stages as they will run on these targets, and what is to be said of them.
fn fit(asked: AskedWorkload, places: &Places, how: &How) -> Result<(Vec<Workload>, Vec<String>), Failure> {
    let by_jobs = asked.is_named_by_jobs();
    let mut notes: Vec<String> =
        asked.notes.iter().map(|note| format!("{}: {}", note.about, note.says)).collect();
    let mut workloads = asked.taken_apart();
    if by_jobs {
        let names = || places.targets.iter().map(|target| target.name.as_str());
        workloads.iter_mut().for_each(|workload| workload.place_by_name(names()));
    }
    let adopted = fit_to(&mut workloads, places, how)?;
    notes.extend(adopted.iter().map(|note| format!("{}: {}", note.about, note.says)));
    Ok((workloads, notes))
}

/// Makes stages such as run on these targets in this way; the notes say which names stand for which target.
pub(crate) fn fit_to(workloads: &mut [Workload], places: &Places, how: &How) -> Result<Vec<Note>, Failure> {
    let notes = places.adopt(workloads);
    for workload in workloads {
        for job in &mut workload.jobs {
            job.buffered |= how.buffered;
            job.durable |= how.write_through;
        }
        bound_rate(workload, how, places.targets.len())?;
        let buffered = workload.jobs.iter().filter(|job| job.buffered).count();
        if buffered > 0 && buffered < workload.jobs.len() {
            return Err(Failure::input("some jobs go through the page cache and some past it")
                .mend("run them apart: the same file can't be opened both ways at once here"));
        }
    }
    Ok(notes)
}

/// Holds all jobs together below a number of I/Os a second.
fn bound_rate(workload: &mut Workload, how: &How, targets: usize) -> Result<(), Failure> {
    let Some(most) = how.max_iops else { return Ok(()) };
    let lanes: u64 = workload.jobs.iter().map(|job| u64::from(job.threads) * targets as u64).sum();
    for job in &mut workload.jobs {
        let block = job.mean_block();
        match &mut job.load {
            Load::Closed { cap, .. } => {
                // So many a second of all lanes: each has its share, exactly.
                let share = Rate::Ios { count: most, per: Span::from_secs(lanes.max(1)) };
                let tighter = cap.is_none_or(|cap| cap.iops_f64(block) > share.iops_f64(block));
                if tighter {
                    *cap = Some(share);
                }
            }
            Load::Open { rate, .. } => {
                let asked = rate.iops_f64(block);
                if asked > most as f64 {
                    return Err(Failure::input(format!(
                        "job {} asks for {asked:.0} IOPS and --max-iops allows {most}",
                        job.name
                    ))
                    .mend("lower --rate, or raise --max-iops"));
                }
            }
        }
    }
    Ok(())
}

fn next(targets: &[String], how: &How) -> Vec<String> {
    let Some(first) = targets.first() else { return Vec::new() };
    let mut next = Vec::new();
    if !how.find_knee {
        next.push(format!("iobound run {first} --find-knee"));
    }
    next
}

/// How long a probe of the knee lasts, and how long it warms up.
const PROBE: (Span, Span) = (Span::from_secs(2), Span::from_ms(500));

/// Searches the knee of the first stage's first job.
fn knee(
    world: &World,
    ready: &Ready,
    workloads: &[Workload],
    how: &How,
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    let [workload] = workloads else {
        return Err(Failure::input("--find-knee needs one stage of jobs").mend("run the stages one by one"));
    };
    let [job] = &workload.jobs[..] else {
        return Err(Failure::input("--find-knee needs one job").mend("name one job, or use flags"));
    };
    let Load::Closed { depth, cap: None } = job.load else {
        return Err(Failure::input(
            "--find-knee raises what is outstanding, and a rate or a cap holds it down",
        )
        .mend("drop --rate and --cap"));
    };
    // Where nothing was said of depth or threads, the search goes as far as it helps.
    let said = |value: u32, default: u32, most: u32| if value == default { most } else { value };
    let online = u32::try_from(iobound_load::run::processors().len()).unwrap_or(1);
    let bounds = Bounds {
        depth: said(depth, iobound_workload::DEFAULT_DEPTH, 1_024),
        threads: said(job.threads, 1, online.max(1)),
    };
    let mut outputs = Outputs::default();
    let style = output::style(common);
    let found = search(bounds, |at: Concurrency| -> Result<Option<Probe>, Failure> {
        if interrupt::asked() {
            return Ok(None);
        }
        let mut probe = workload.clone();
        (probe.duration, probe.warmup, probe.cooldown) = (PROBE.0, PROBE.1, Span::ZERO);
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
    let Some(found) = found else { return Ok(Exit::Interrupted) };
    let title = format!("{} on {}", iobound_workload::describe(job), ready.names[0].name);
    let curve = curve_of(title, &found);
    let exit = output::page(common, |style| curve_text(&curve, style), || curve_json(&curve))?;
    Ok(if interrupt::asked() { Exit::Interrupted } else { exit })
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
        p99_us: p99.then(|| all.value_at_percentile(99.0) as f64 / 1e3),
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
        "the search ended at its bounds, and more may help: raise --depth or --threads".to_string()
    } else {
        format!(
            "the least that reaches {:.0} % of the most; beyond it a doubling gains less than {:.0} % while latency grows",
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
