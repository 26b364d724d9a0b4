//! A VM that is changed while it runs gets what a VM gets that was bought so: over the real catalogue, in virtual time.

mod common;

use common::near;
use iobound_catalog::{Catalog, Configuration, parse_spec, resolve};
use iobound_drive::{
    Done, Engine, EngineError, Flow, Modelled, VirtualClock, Window, Worker, layout_of, run,
};
use iobound_measure::Recorder;
use iobound_model::{
    Blueprint, Change, Dimension, LimiterId, Reconciled, Stack, Start, StartCredits, VolumeSpec, reconcile,
};
use iobound_units::{Bytes, Instant, Io, Percent, Span, Tag, TargetId};
use iobound_workload::{Job, Load, Target, Targets, Workload};

fn blueprint(disks: &[&str]) -> Blueprint {
    let mut configuration = Configuration::of("DS14");
    configuration.volumes = disks.iter().map(|disk| parse_spec(disk).expect("a disk")).collect();
    let resolved = resolve(&configuration, &Catalog::shipped()).expect("a configuration that can be bought");
    resolved.blueprint
}

/// As an emulator serves them: beside each volume every disk that has none of its own.
fn with_single_disks(mut blueprint: Blueprint) -> Blueprint {
    for (n, disk) in blueprint.disks.iter().enumerate() {
        if blueprint.volumes.iter().all(|volume| volume.name != disk.name) {
            blueprint.volumes.push(VolumeSpec {
                name: disk.name.clone(),
                size: disk.size,
                disks: vec![iobound_model::DiskId(n as u16)],
                columns: 1,
                interleave: Bytes::kib(64),
                partition_offset: Bytes::ZERO,
            });
        }
    }
    blueprint
}

fn reconciled(running: &Blueprint, wanted: &Blueprint) -> Reconciled {
    reconcile(running, wanted).unwrap_or_else(|why| panic!("{why}"))
}

/// The model in virtual time; changes are made when their time has come.
struct Changing {
    model: Modelled<VirtualClock>,
    /// In order of time.
    changes: Vec<(Instant, Vec<Change>)>,
}

impl Engine for Changing {
    fn now(&mut self) -> Instant {
        self.model.now()
    }

    fn submit(&mut self, tag: Tag, io: Io) {
        self.model.submit(tag, io);
    }

    fn wait(&mut self, until: Instant, done: &mut Vec<Done>) -> Result<(), EngineError> {
        let next = self.changes.first().map_or(until, |(at, _)| (*at).min(until));
        self.model.wait(next, done)?;
        let now = self.model.now();
        while self.changes.first().is_some_and(|(at, _)| *at <= now) {
            for change in self.changes.remove(0).1 {
                self.model.stack().change(now, change).expect("a change that can be made");
            }
        }
        Ok(())
    }
}

const GIB: u64 = 1 << 30;

fn seconds(s: u64) -> Instant {
    Instant::ZERO + Span::from_secs(s)
}

/// 4 KiB, random, 70 % reads, in a closed loop, on a GiB of a volume of a stack.
fn job(target: &str, depth: u32, start_after: u64) -> Job {
    let mut job = Job::new(target);
    job.set_mix(4096, Percent::whole(70).expect("a percentage"));
    job.load = Load::Closed { depth, cap: None };
    job.region.size = Some(Bytes::gib(1));
    job.targets = Targets::Named(vec![target.to_string()]);
    job.start_after = Span::from_secs(start_after);
    job
}

/// IOPS second by second, of all jobs, while a stack of a blueprint is changed at those seconds; its volumes' ids are
/// those of `targets`, which it has by the time they are used.
fn iops(
    running: &Blueprint,
    targets: &Blueprint,
    jobs: Vec<Job>,
    changes: Vec<(u64, Vec<Change>)>,
    length: u64,
) -> Vec<f64> {
    let workload = Workload::new(jobs, Span::from_secs(length));
    let target = |(n, volume): (usize, &VolumeSpec)| Target {
        name: volume.name.clone(),
        id: TargetId(n as u16),
        size: volume.size,
        members_of: None,
    };
    let targets: Vec<Target> = targets.volumes.iter().enumerate().map(target).collect();
    let window = Window::of(&workload, Instant::ZERO);
    let mut worker = Worker::new(&workload, &targets, window).expect("the workload fits");
    let queues: Vec<_> = worker.queues().cloned().collect();
    let recorder = Recorder::new(layout_of(&workload, &queues, &targets, window, Span::from_secs(1)));
    let start = Start { seed: 1, credits: StartCredits::Spent };
    let stack = Stack::new(running, &start, worker.capacity()).expect("sound");
    let changes = changes.into_iter().map(|(at, changes)| (seconds(at), changes)).collect();
    let mut engine = Changing { model: Modelled::new(stack, VirtualClock::default()), changes };
    let mut counts = Vec::new();
    run(&mut worker, &mut engine, recorder, &mut |tick| {
        counts.push(tick.count() as f64);
        Flow::Continue
    })
    .expect("no engine fails here");
    counts
}

fn mean(counts: &[f64]) -> f64 {
    counts.iter().sum::<f64>() / counts.len() as f64
}

/// The working set, in the caches of the volume's disks.
fn warm(volume: u16) -> Change {
    Change::Warm(TargetId(volume), 0, GIB)
}

/// What a VM that was bought so gets with a warm cache, from its third second on.
fn bought(wanted: &Blueprint, depth: u32) -> f64 {
    mean(&iops(wanted, wanted, vec![job("data", depth, 0)], vec![(0, vec![warm(0)])], 8)[2..])
}

/// Each of these configurations one after the other on one stack; what each gets beside one that was bought so.
fn changed_and_bought(steps: &[&str], depth: u32) -> Vec<(f64, f64)> {
    const EACH: u64 = 10;
    let mut running = with_single_disks(blueprint(&steps[..1]));
    let first = running.clone();
    let mut changes = Vec::new();
    for (n, step) in (0u64..).zip(steps) {
        let mut to = reconciled(&running, &with_single_disks(blueprint(&[*step])));
        to.changes.push(warm(0));
        changes.push((n * EACH, to.changes));
        running = to.blueprint;
    }
    let jobs = vec![job("data", depth, 0)];
    let counts = iops(&first, &first, jobs, changes, steps.len() as u64 * EACH);
    // The first two seconds of each go to what was carried over: quota, who waited, what was dirty.
    let figures = counts.chunks(EACH as usize).map(|counts| mean(&counts[2..]));
    figures.zip(steps).map(|(changed, step)| (changed, bought(&blueprint(&[*step]), depth))).collect()
}

const SETTINGS: [&str; 4] = ["10xP30", "10xP30:readonly", "10xP30:readwrite", "10xP30"];

#[test]
fn another_cache_setting_has_the_figures_of_a_vm_that_was_bought_with_it_where_a_limiter_binds() {
    // 10 x 5,000 x 1.02; hits and acknowledgements, and with ReadOnly also writes, 64,000 x 1.02.
    let oracle = [51_000.0, 65_280.0, 65_280.0, 51_000.0];
    for ((changed, bought), oracle) in changed_and_bought(&SETTINGS, 512).into_iter().zip(oracle) {
        assert!(near(bought, oracle, 0.005) && near(changed, bought, 0.005), "{changed} {bought} {oracle}");
    }
}

#[test]
fn another_cache_setting_has_the_figures_of_a_vm_that_was_bought_with_it_where_latency_binds() {
    let figures = changed_and_bought(&SETTINGS, 8);
    for (changed, bought) in &figures {
        assert!(near(*changed, *bought, 0.02), "{figures:?}");
    }
    // Hits are faster than the media, and acknowledgements faster than writes through.
    assert!(figures[0].0 * 1.5 < figures[1].0 && figures[1].0 * 1.5 < figures[2].0, "{figures:?}");
}

#[test]
fn another_tier_has_its_limits_and_the_disks_their_sizes() {
    let (p30, p50) = (with_single_disks(blueprint(&["10xP30"])), with_single_disks(blueprint(&["10xP50"])));
    let to = reconciled(&p30, &p50);
    assert_eq!(to.blueprint.disks, p30.disks, "the same disks, by another tier's limits");
    assert!(to.kept[0].contains("data.0, data.1") && to.kept[0].contains("stays 1 TiB"), "{:?}", to.kept);
    // 75,000 of disks: the VM's 51,200 x 1.02 bind instead of the disks' 51,000.
    let figures = changed_and_bought(&["10xP30", "10xP50", "10xP30"], 512);
    for ((changed, bought), oracle) in figures.iter().zip([51_000.0, 52_224.0, 51_000.0]) {
        assert!(near(*bought, oracle, 0.005) && near(*changed, *bought, 0.005), "{figures:?}");
    }
}

/// No credits are left at any limiter.
fn drained(blueprint: &Blueprint) -> Vec<Change> {
    let mut changes = Vec::new();
    for (n, limiter) in blueprint.limiters.iter().enumerate() {
        let credits = Dimension::ALL.into_iter().filter(|of| limiter.credit(*of).is_some());
        changes.extend(credits.map(|of| Change::Credits(LimiterId(n as u16), of, 0)));
    }
    changes
}

#[test]
fn a_volume_that_is_added_gets_what_it_gets_on_a_vm_that_was_bought_with_it() {
    for log in ["log=2xP20", "log=2xP20:readonly"] {
        let running = with_single_disks(blueprint(&["4xP30"]));
        let wanted = blueprint(&["4xP30", log]);
        let to = reconciled(&running, &with_single_disks(wanted.clone()));
        let log_id = to.blueprint.volume("log").expect("it was added");
        assert_eq!(log_id, running.volumes.len(), "behind what was there");
        assert!(to.blueprint.volume("log.1").is_some());
        let mut changes = to.changes;
        changes.push(warm(log_id as u16));
        let jobs = |log_after| vec![job("data", 64, 0), job("log", 64, log_after)];
        // What the new disks earn in their idle seconds they would burst with: a VM that is bought with spent credits.
        let changes = vec![(5, changes), (10, drained(&to.blueprint))];
        let changed = iops(&running, &to.blueprint, jobs(10), changes, 20);
        let alone = mean(&changed[2..10]);
        assert!(near(alone, 20_400.0, 0.005), "4 x 5,000 x 1.02 before it is used: {alone}");
        let at = wanted.volume("log").expect("it is wanted") as u16;
        let bought = iops(&wanted, &wanted, jobs(0), vec![(0, vec![warm(at)])], 10);
        let (changed, bought) = (mean(&changed[12..]), mean(&bought[2..]));
        assert!(near(changed, bought, 0.005), "{log}: {changed} {bought}");
    }
}

#[test]
fn a_wider_stripe_is_not_had_in_place() {
    let why = reconcile(&blueprint(&["4xP30"]), &blueprint(&["5xP30"])).expect_err("a stripe stays");
    assert!(why.to_string().contains("volume data") && why.to_string().contains("add a volume"), "{why}");
}
