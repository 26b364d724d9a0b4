//! From a configuration to workloads, one a test.

use iobound_units::{Bytes, Op, Percent, Span};
use iobound_workload::{Access, Content, Job, Load, Region, Share, Spread, Targets, Think, Workload};

use super::config::{AccessLine, AccessSpec, Config, Record, TestType, Worker, WorkerKind, Workers};
use super::cycle::{Limits, steps};
use super::icf::ReadConfig;
use super::plan::{Planned, Test, TestWorker};
use crate::error::{At, Trouble};
use crate::nearest::nearest;
use crate::notes::Notes;
use crate::{Foreign, ForeignFile, Tool};

/// Offsets are multiples of this where a specification says no more.
const SECTOR: u64 = 512;
/// Run time of a test that gives none: Iometer would run until somebody stops it.
const RUN_TIME: Span = Span::from_secs(60);
/// The most tests of one file.
const MOST_TESTS: usize = 1000;

/// A configuration in our words.
pub(super) struct Converted {
    pub foreign: Foreign,
    /// The configuration with the workers that it left to Iometer.
    pub config: Config,
    /// Part of the file for each of the workloads.
    pub tests: Vec<Test>,
}

/// The workloads of a configuration; `None` with at least one problem.
pub(super) fn convert(read: &ReadConfig, trouble: &mut Trouble, notes: &mut Notes) -> Option<Converted> {
    let config = with_workers(&read.config, notes);
    remark(read, &config, trouble, notes);
    let steps = steps(&config, read.setup, trouble)?;
    let specs =
        config.managers.iter().flat_map(|m| &m.workers).map(|worker| worker.specs.len()).max().unwrap_or(0);
    if specs.saturating_mul(steps.len()) > MOST_TESTS {
        trouble.add(
            read.setup,
            format!("more than {MOST_TESTS} tests"),
            "use fewer specifications or larger steps",
        );
        return None;
    }
    let (mut workloads, mut tests) = (Vec::new(), Vec::new());
    for spec in 0..specs {
        for limits in &steps {
            let planned = jobs(read, &config, spec, limits, trouble, notes);
            if !planned.is_empty() {
                tests.push(Test::of(spec, &planned));
                let jobs = planned.into_iter().map(|planned| planned.job).collect();
                workloads.push(workload(&config, jobs, read.timed, notes));
            }
        }
    }
    if workloads.is_empty() && trouble.is_empty() {
        trouble.add(
            read.setup,
            "no worker has an access specification and a disk to run it on",
            "assign one under 'Assigned access specs of a DISK worker",
        );
    }
    if !trouble.is_empty() {
        return None;
    }
    let workload = workloads.remove(0);
    if !workloads.is_empty() {
        notes.add("tests", format!("{} tests, run one after the other", workloads.len() + 1));
    }
    let files = files(&config);
    let foreign = Foreign { tool: Tool::Iometer, workload, then: workloads, notes: Vec::new(), files };
    Some(Converted { foreign, config, tests })
}

/// The configuration with workers: where it has none, those that Iometer would make, with every specification.
fn with_workers(config: &Config, notes: &mut Notes) -> Config {
    let mut config = config.clone();
    if config.managers.iter().any(|manager| !manager.workers.is_empty()) {
        return config;
    }
    let specs: Vec<String> = config.specs.iter().map(|spec| spec.name.clone()).collect();
    let count = match config.setup.disk_workers {
        Workers::Count(count @ 1..=1000) => count,
        _ => 1,
    };
    notes.add(
        "workers",
        format!("none are given: {count}, with 1 outstanding I/O on every target (Iometer's default) each"),
    );
    let worker = Worker { name: "Worker".to_string(), outstanding: 1, specs, ..Worker::default() };
    let manager = super::config::Manager { workers: vec![worker; count as usize], ..Default::default() };
    config.managers = vec![manager];
    config
}

/// Notes on options without effect on the I/O, and errors on unsupported ones.
fn remark(read: &ReadConfig, config: &Config, trouble: &mut Trouble, notes: &mut Notes) {
    if !config.display.is_empty() {
        notes.add("'RESULTS DISPLAY", "the meters of Iometer's window: no effect here");
    }
    if config.setup.record != Record::All {
        notes.add("'Record Results", "leaves rows out of Iometer's own form only");
    }
    if config.managers.len() > 1 {
        notes.add(
            "'MANAGER LIST",
            format!("{} machines: all workers run on this one here", config.managers.len()),
        );
    }
    match config.setup.test_type {
        TestType::CycleTargets | TestType::CycleOutstandingAndTargets | TestType::CycleWorkersAndTargets => {
            notes.add("'Test Type", "targets are added in the order of each worker");
        }
        TestType::CycleWorkers => notes.add("'Test Type", "workers are added in the order of each manager"),
        _ => {}
    }
    for (index, manager) in config.managers.iter().enumerate() {
        for (number, worker) in manager.workers.iter().enumerate() {
            let at = read.workers.get(&(index, number)).copied().unwrap_or(read.setup);
            if worker.kind != WorkerKind::Disk && !worker.targets.is_empty() {
                let what = format!("the network worker `{}` is not carried", worker.name);
                trouble.add(at, what, "leave it out: only disk workers do I/O on disks");
            }
            if worker.test_connection_rate {
                let what = format!(
                    "`{}` opens and closes its targets all the time (test connection rate)",
                    worker.name
                );
                trouble.add(at, what, "set it to DISABLED");
            }
        }
    }
}

fn workload(config: &Config, jobs: Vec<Job>, timed: bool, notes: &mut Notes) -> Workload {
    let setup = &config.setup;
    let seconds = u64::from(setup.hours) * 3600 + u64::from(setup.minutes) * 60 + u64::from(setup.seconds);
    let duration = if seconds == 0 {
        let until = if timed { "zero, which means until it is stopped" } else { "not given" };
        notes.add("'Run Time", format!("is {until}: {RUN_TIME} here"));
        RUN_TIME
    } else {
        Span::from_secs(seconds)
    };
    let workers = config.managers.iter().flat_map(|manager| &manager.workers);
    let seed = workers.filter_map(|worker| worker.fixed_seed).next().unwrap_or(0);
    Workload {
        jobs,
        duration,
        warmup: Span::from_secs(u64::from(setup.ramp_up_s)),
        cooldown: Span::ZERO,
        seed,
    }
}

/// The jobs of one test: workers that are alike are the threads of one.
fn jobs(
    read: &ReadConfig,
    config: &Config,
    test: usize,
    limits: &Limits,
    trouble: &mut Trouble,
    notes: &mut Notes,
) -> Vec<Planned> {
    let no_targets = config.managers.iter().flat_map(|m| &m.workers).all(|worker| worker.targets.is_empty());
    let mut all: Vec<Planned> = Vec::new();
    for (index, manager) in config.managers.iter().enumerate() {
        for (number, worker) in manager.workers.iter().enumerate().take(limits.workers.unwrap_or(usize::MAX))
        {
            let at = read.workers.get(&(index, number)).copied().unwrap_or(read.setup);
            let Some(name) = worker.specs.get(test).filter(|_| worker.kind == WorkerKind::Disk) else {
                continue;
            };
            if worker.targets.is_empty() && !no_targets {
                notes.add(&worker.name, "has no target and issues no I/O");
                continue;
            }
            let Some(spec) = find(config, name, at, trouble) else { continue };
            let place =
                config.specs.iter().position(|s| s.name == spec.name).and_then(|n| read.specs.get(&n));
            let Some(mut job) = job(spec, place.copied().unwrap_or(at), worker, limits, trouble, notes)
            else {
                continue;
            };
            if no_targets {
                job.targets = Targets::All;
                if read.timed {
                    notes.add("'Target assignments", "no worker has a target: every target of the run");
                }
            }
            let depth = limits.depth.unwrap_or(worker.outstanding);
            let spec = spec.name.clone();
            let worker = TestWorker { manager: index, worker: number, thread: 0, spec, depth };
            let alike = all.iter_mut().find(|known| {
                job.threads = known.job.threads;
                known.job == job
            });
            match alike {
                Some(known) => {
                    known.job.threads += 1;
                    known.workers.push(worker);
                }
                None => all.push(Planned { job: Job { threads: 1, ..job }, workers: vec![worker] }),
            }
        }
    }
    all
}

/// The specification of a name. `Idle` is Iometer's own: the worker rests.
fn find<'a>(config: &'a Config, name: &str, at: At, trouble: &mut Trouble) -> Option<&'a AccessSpec> {
    let found = config.specs.iter().find(|spec| spec.name.eq_ignore_ascii_case(name));
    if found.is_none() && !name.eq_ignore_ascii_case("idle") {
        let known = config.specs.iter().map(|spec| spec.name.as_str());
        let help = match nearest(name, known) {
            Some(known) => format!("did you mean `{known}`?"),
            None => "name one of the file's access specifications".to_string(),
        };
        trouble.add(at, format!("the access specification `{name}` is not in the file"), help);
    }
    found
}

fn job(
    spec: &AccessSpec,
    at: At,
    worker: &Worker,
    limits: &Limits,
    trouble: &mut Trouble,
    notes: &mut Notes,
) -> Option<Job> {
    let lines: Vec<AccessLine> = spec.lines.iter().filter(|line| line.of_size > 0).copied().collect();
    let first = *lines.first()?;
    for (name, same) in [
        ("delays", lines.iter().all(|line| line.delay_ms == first.delay_ms)),
        ("bursts", first.delay_ms == 0 || lines.iter().all(|line| line.burst == first.burst)),
    ] {
        if !same {
            let what = format!("the lines of `{}` have different {name}, which is not supported", spec.name);
            trouble.add(
                at,
                what,
                "give all its lines the same value, or use one specification and worker for each",
            );
            return None;
        }
    }
    if lines.iter().any(|line| line.reply > 0) {
        notes.add(&spec.name, "the reply size counts on networks only: no effect");
    }
    let mut job = Job::new(&spec.name);
    let targets = worker.targets.iter().map(|target| target.name.clone());
    job.targets = Targets::Named(targets.take(limits.targets.unwrap_or(usize::MAX)).collect());
    job.spread = Spread::Every;
    job.load = Load::Closed { depth: limits.depth.unwrap_or(worker.outstanding), cap: None };
    job.access = Access { random: percent(first.random), ..Access::random() };
    job.mix = mix(&lines, first.random);
    if let [line] = lines.as_slice()
        && line.random < 100
        && align(line) > u64::from(line.size)
    {
        // Each I/O begins at the next multiple.
        job.access.stride = Some(Bytes(align(line)));
    }
    job.think = (first.delay_ms > 0).then(|| Think {
        burst: u64::from(first.burst.max(1)),
        time: Span::from_ms(u64::from(first.delay_ms)),
        after_completion: false,
    });
    job.region = region(worker, at, trouble)?;
    let largest = lines.iter().map(|line| u64::from(line.size)).max().unwrap_or(0);
    if job.region.size.is_some_and(|size| size.0 < largest) {
        let what = format!("{} sectors are less than an I/O of {largest} bytes", worker.disk_size_sectors);
        trouble.add(at, what, "give a larger disk maximum size (it counts 512 bytes each), or 0 for all");
        return None;
    }
    job.content = match worker.data_pattern {
        Some(0) if lines.iter().any(|line| line.reads < 100) => {
            notes.add("Data pattern", "Iometer repeats one byte: here bytes 0 to 255 repeat");
            Content::Counting
        }
        _ => Content::Incompressible,
    };
    Some(job)
}

/// Alignment of offsets.
fn align(line: &AccessLine) -> u64 {
    if line.align == 0 { SECTOR } else { u64::from(line.align) }
}

fn percent(n: u32) -> Percent {
    Percent::whole(n).expect("checked to be at most 100")
}

/// Reads and writes of each line, with its alignment, and its share of random ones where that differs from the first's.
fn mix(lines: &[AccessLine], random: u32) -> Vec<Share> {
    let mut mix = Vec::new();
    // I/Os of one size on boundaries of that size need no rounding; after others, a sequential one begins at the next.
    let plain = |line: &AccessLine| line.size == lines[0].size && align(line) == u64::from(line.size);
    let is_plain = lines.iter().all(plain);
    for line in lines {
        let own = (line.random != random).then(|| percent(line.random));
        let align = (!is_plain).then(|| Bytes(align(line)));
        for (op, share) in [(Op::Read, line.reads), (Op::Write, 100 - line.reads)] {
            if share > 0 {
                mix.push(Share { weight: line.of_size * share, op, block: line.size, random: own, align });
            }
        }
    }
    mix
}

/// The sectors that a worker uses.
fn region(worker: &Worker, at: At, trouble: &mut Trouble) -> Option<Region> {
    let bytes = |sectors: u64| sectors.checked_mul(SECTOR);
    match (bytes(worker.starting_sector), bytes(worker.disk_size_sectors)) {
        (Some(offset), Some(size)) => {
            Some(Region { offset: Bytes(offset), size: Some(Bytes(size)).filter(|size| size.0 > 0) })
        }
        _ => {
            trouble.add(
                at,
                "the disk's size or starting sector does not fit in 64 bits",
                "they count 512 bytes each",
            );
            None
        }
    }
}

/// The targets: Iometer fills `iobw.tst` on a volume, and uses a bare disk as it is.
fn files(config: &Config) -> Vec<ForeignFile> {
    let mut files: Vec<ForeignFile> = Vec::new();
    for worker in config.managers.iter().flat_map(|manager| &manager.workers) {
        for target in &worker.targets {
            if !files.iter().any(|file| file.name == target.name) {
                files.push(ForeignFile {
                    name: target.name.clone(),
                    target: target.name.clone(),
                    offset: Bytes::ZERO,
                    size: worker.disk_size_sectors.checked_mul(SECTOR).filter(|size| *size > 0).map(Bytes),
                    create: !target.name.to_ascii_uppercase().contains("PHYSICALDRIVE"),
                    unlink: false,
                });
            }
        }
    }
    files
}
