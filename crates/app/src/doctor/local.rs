//! The events on this machine now: its own counters, looked at twice, and what they say of its configuration.

use std::collections::BTreeMap;
use std::time::Duration;

use iobound_catalog::Resolved;
use iobound_drive::{Clock, Flow};
use iobound_explain::setup::{Exceeded, Setup, exceeded_findings, with_exceeded};
use iobound_explain::setup_findings;
use iobound_explain::{
    Case, Confidence, Explanation, Figures, Finding, Latency, Observed, Part, StackUse, Want, busy_processor,
    explain,
};
use iobound_machine::block::Device;
use iobound_machine::counters::Counters;
use iobound_machine::cpu::{Processors, Topology};
use iobound_machine::nvme::EbsStatistics;
use iobound_machine::pressure::{Pressure, Resource, pressure};
use iobound_machine::{SystemClock, World};
use iobound_measure::Interval;
use iobound_measure::result::DeviceCounters;
use iobound_report::{Setting, Watched, WatchedDisk};
use iobound_units::{Instant, Span};

use super::{Configured, Metadata, SeenMachine, configured, disks, look};
use crate::observed::disks_of;
use crate::options::{ConfigurationOptions, MachineOptions};
use crate::page::PageChoice;
use crate::settings::Settings;
use crate::{Env, Failure};

/// Number of times that it is asked whether to stop.
const BREATH: Duration = Duration::from_millis(100);
/// Less than this, of all disks together, is what every system does on its own.
const IDLE_IOPS: f64 = 10.0;
const IDLE_BYTES_PER_S: f64 = 1e6;
const IDLE_PRESSURE: f64 = 0.01;

/// Devices, and the disks of the configuration that they are.
type Names = Vec<(String, String)>;

/// The request.
pub(crate) struct LocalQuestion {
    pub machine: MachineOptions,
    pub metadata: Metadata,
    pub duration: Span,
    pub want: Option<Want>,
}

/// A question that has been read, with the machine before it is watched.
pub struct PreparedLocal {
    question: LocalQuestion,
    world: World,
    seen: SeenMachine,
    configured: Configured,
    /// The page that is asked for.
    pub page: PageChoice,
    /// The settings that were read, in order.
    pub settings: Vec<Setting>,
}

/// The answer.
pub struct LocalAnswer {
    configured: Configured,
    explanation: Explanation,
    stacks: Vec<StackUse>,
    seconds: f64,
    is_idle: bool,
    disks: Vec<WatchedDisk>,
    volumes: Vec<WatchedDisk>,
    io_pressure: Option<f64>,
    busiest_cpu: Option<f64>,
    notes: Vec<String>,
}

/// One look at everything that counts.
pub(crate) struct LocalLook {
    /// The counters, or the reason for their absence.
    pub counters: Result<Counters, String>,
    processors: Processors,
    pub pressure: Option<Pressure>,
    volumes: BTreeMap<String, EbsStatistics>,
}

impl LocalLook {
    pub(crate) fn now(world: &World, setup: &Setup, at: Instant) -> LocalLook {
        let volumes = setup.disks.iter().filter(|disk| disk.exceeded.is_some()).filter_map(|disk| {
            let device = Device::named(world, disk.device())?;
            Some((disk.device().to_string(), disks::statistics(world, &device).ok()?))
        });
        LocalLook {
            counters: Counters::look_at(world, at),
            processors: Processors::look(world),
            pressure: pressure(world, Resource::Io),
            volumes: volumes.collect(),
        }
    }
}

impl PreparedLocal {
    /// Looks at the machine, and reads its configuration.
    ///
    /// # Errors
    /// Returns an error if the configuration cannot be read or built, or the metadata service does not answer.
    pub(crate) fn read(
        question: LocalQuestion,
        configuration: &ConfigurationOptions,
        page: PageChoice,
        mut settings: Settings,
    ) -> Result<PreparedLocal, Failure> {
        let world = super::world_of(&question.machine);
        let seen = look(&world, &question.metadata)?;
        let configured = configured(&seen, configuration, &mut settings)?;
        let settings = settings.finish();
        Ok(PreparedLocal { question, world, seen, configured, page, settings })
    }

    /// Replaces the disks that devices are by those that a person names.
    ///
    /// # Errors
    /// Returns an error of `names`, which gets the disks that were found, the setup and the configuration.
    pub(crate) fn map_devices(
        &mut self,
        names: impl FnOnce(Names, &Setup, Option<&Resolved>) -> Result<Names, Failure>,
    ) -> Result<(), Failure> {
        let resolved = self.configured.asked.as_ref().map(|asked| &asked.resolved);
        self.configured.names =
            names(std::mem::take(&mut self.configured.names), &self.seen.setup, resolved)?;
        Ok(())
    }

    /// Watches the machine, and explains what it gives. `with_stacks`: also what each I/O meets.
    ///
    /// # Errors
    /// Returns an error if the measurements cannot be explained.
    pub fn answer(self, with_stacks: bool, env: &Env) -> Result<LocalAnswer, Failure> {
        let PreparedLocal { question, world, seen, configured, .. } = self;
        let Configured { asked, names, notes: configured_notes } = &configured;
        let setup = &seen.setup;
        let mut clock = SystemClock::default();
        let before = LocalLook::now(&world, setup, clock.now_of_run());
        let after = match &question.machine.world_after {
            Some(folder) => LocalLook::now(&World::at(folder), setup, Instant::ZERO + question.duration),
            None => {
                env.note(&format!("watching this machine's counters for {}", question.duration));
                wait(&mut clock, question.duration, env);
                LocalLook::now(&world, setup, clock.now_of_run())
            }
        };
        let watched_for = match (&question.machine.world_after, &after.counters, &before.counters) {
            (None, Ok(after), Ok(before)) => after.at().since(before.at()),
            _ => question.duration,
        };
        let mut counted = counted(&world, setup, names, &before, &after);
        let busiest_cpu = {
            let seen = after.processors.since(&before.processors, &Topology::of(&world));
            let used = seen.processors.iter().map(|processor| processor.user + processor.system);
            used.max_by(f64::total_cmp)
        };
        let io_pressure = after
            .pressure
            .zip(before.pressure)
            .map(|(after, before)| after.some.share_since(&before.some, watched_for));
        let mut notes: Vec<String> = seen.notes.iter().chain(configured_notes).cloned().collect();
        if let Err(why) = &after.counters {
            notes.push(format!("{why}: nothing was counted"));
        }
        let total: f64 = counted.iter().map(|(disk, _)| disk.iops).sum();
        let total_bytes: f64 = counted.iter().map(|(disk, _)| disk.throughput_bytes_per_s).sum();
        let truth = exceeded_findings(watched_for, &exceeded(&before, &after, names));
        let is_idle = total < IDLE_IOPS
            && total_bytes < IDLE_BYTES_PER_S
            && io_pressure.is_none_or(|share| share < IDLE_PRESSURE)
            && truth.is_empty();
        // Of given disks, the machine tells at most which device is the operating system's.
        let is_os = |resolved: &Resolved, name: &str| {
            resolved.disks.iter().any(|disk| disk.is_os && disk.name == name)
        };
        let are_unnamed = |resolved: &Resolved| names.iter().all(|(_, name)| is_os(resolved, name));
        if let Some(asked) = asked.as_ref().filter(|asked| !is_idle && are_unnamed(&asked.resolved)) {
            notes.extend(place_by_rate(&mut counted, &asked.resolved)?);
        }
        let shipped = iobound_catalog::Catalog::shipped();
        let catalog = asked.as_ref().map_or(&shipped, |asked| &asked.catalog);
        let standing = setup_findings(setup, asked.as_ref().map(|asked| &asked.resolved), catalog);
        let nothing = |findings| Explanation { findings, ..Explanation::default() };
        let mut stacks = Vec::new();
        let explanation = match asked {
            Some(asked) if !is_idle => {
                let mut observed = observed(&counted, watched_for);
                (observed.cpu, observed.iowait) = (busiest_cpu, io_pressure);
                if !observed.total.has_any() {
                    notes.push("the I/O went to disks that are not in the configuration".to_string());
                    nothing(with_exceeded(standing, truth))
                } else {
                    let case = Case::new(
                        &asked.configuration,
                        &asked.catalog,
                        &asked.resolved,
                        &observed,
                        question.want,
                        asked.cache,
                    )
                    .aged(asked.age);
                    let mut watch = |_: &Interval| if env.is_stopped() { Flow::Stop } else { Flow::Continue };
                    let mut explanation = explain(&case, &mut watch)?;
                    if with_stacks {
                        stacks = iobound_explain::stacks(&case, &explanation, &mut watch)?;
                    }
                    let findings = std::mem::take(&mut explanation.findings);
                    let findings = with_standing(findings, standing, &counted);
                    explanation.findings = with_exceeded(findings, truth);
                    explanation
                }
            }
            _ if is_idle => nothing(with_exceeded(standing, truth)),
            // Without limits, a full processor is what the counters show.
            _ => {
                let busy = busiest_cpu.and_then(busy_processor).into_iter().collect();
                nothing(with_exceeded(with_standing(busy, standing, &counted), truth))
            }
        };
        let disks = counted.into_iter().map(|(disk, _)| disk).collect();
        let volumes = counted_volumes(&before, &after).into_iter().map(|(volume, _)| volume).collect();
        let seconds = watched_for.secs_f64();
        Ok(LocalAnswer {
            configured,
            explanation,
            stacks,
            seconds,
            is_idle,
            disks,
            volumes,
            io_pressure,
            busiest_cpu,
            notes,
        })
    }
}

impl LocalAnswer {
    /// The answer in the form that texts and documents are made of.
    pub fn watched(&self) -> Watched<'_> {
        Watched {
            resolved: self.configured.asked.as_ref().map(|asked| &asked.resolved),
            explanation: &self.explanation,
            stacks: &self.stacks,
            seconds: self.seconds,
            is_idle: self.is_idle,
            disks: &self.disks,
            volumes: &self.volumes,
            io_pressure: self.io_pressure,
            busiest_cpu: self.busiest_cpu,
            notes: &self.notes,
        }
    }
}

/// Names the disks that devices are by what they do, where the configuration was given and no device of this machine tells it.
/// Returns the source of the names, in sentences.
fn place_by_rate(
    counted: &mut [(WatchedDisk, DeviceCounters)],
    resolved: &Resolved,
) -> Result<Vec<String>, Failure> {
    let mut unnamed: Vec<&mut WatchedDisk> =
        counted.iter_mut().map(|(disk, _)| disk).filter(|disk| disk.disk.is_none()).collect();
    let devices: Vec<(String, f64)> = unnamed.iter().map(|disk| (disk.device.clone(), disk.iops)).collect();
    let (names, notes) = disks_of(&devices, resolved)?;
    for (disk, name) in unnamed.iter_mut().zip(names) {
        disk.disk = name;
    }
    Ok(notes)
}

/// Waits, until the time is over or the request is stopped.
fn wait(clock: &mut SystemClock, span: Span, env: &Env) {
    let end = clock.now_of_run() + span;
    while !env.is_stopped() {
        let now = clock.now_of_run();
        if now >= end {
            return;
        }
        let breath = now + Span::from_ns(u64::try_from(BREATH.as_nanos()).unwrap_or(u64::MAX));
        clock.sleep_until(breath.min(end));
    }
}

/// I/O of each disk, in the order of the setup; then that of Windows' disks that are no single disks, such as spaces.
pub(crate) fn counted(
    world: &World,
    setup: &Setup,
    names: &[(String, String)],
    before: &LocalLook,
    after: &LocalLook,
) -> Vec<(WatchedDisk, DeviceCounters)> {
    let (Ok(old), Ok(new)) = (&before.counters, &after.counters) else { return Vec::new() };
    let one = |name: &str| {
        let counters = new.since(old, Counters::number_of(world, name)?)?;
        let own = names.iter().find(|(device, _)| device == name).map(|(_, disk)| disk.clone());
        Some((watched(name, own, &counters), counters))
    };
    let listed = setup.disks.iter().map(|disk| disk.device().to_string());
    let others = new.drives().filter(|name| !setup.disks.iter().any(|disk| disk.device() == name));
    listed.chain(others).filter_map(|name| one(&name)).collect()
}

/// I/O of each volume of Windows, whose I/Os are those of the disks once more; none on other systems.
pub(crate) fn counted_volumes(before: &LocalLook, after: &LocalLook) -> Vec<(WatchedDisk, DeviceCounters)> {
    let (Ok(old), Ok(new)) = (&before.counters, &after.counters) else { return Vec::new() };
    let one = |name: &str| {
        let counters = new.of_volume_since(old, name)?;
        Some((watched(name, None, &counters), counters))
    };
    new.volumes().filter_map(one).collect()
}

/// Counters of a disk or a volume, a second.
fn watched(name: &str, disk: Option<String>, counters: &DeviceCounters) -> WatchedDisk {
    let ios = (counters.reads + counters.writes) as f64;
    let bytes = (counters.read_bytes + counters.written_bytes) as f64;
    let time = counters.read_us.unwrap_or(0.0) * counters.reads as f64
        + counters.write_us.unwrap_or(0.0) * counters.writes as f64;
    WatchedDisk {
        device: name.to_string(),
        disk,
        iops: ios / counters.seconds,
        throughput_bytes_per_s: bytes / counters.seconds,
        read: (ios > 0.0).then(|| counters.reads as f64 / ios),
        latency_us: (ios > 0.0 && time > 0.0).then(|| time / ios),
        queue: counters.queue,
    }
}

/// The counters, as an observation of the configuration's disks.
pub(crate) fn observed(counted: &[(WatchedDisk, DeviceCounters)], span: Span) -> Observed {
    let known: Vec<&(WatchedDisk, DeviceCounters)> =
        counted.iter().filter(|(disk, _)| disk.disk.is_some()).collect();
    let (mut ios, mut reads, mut bytes, mut time_us, mut queue) = (0.0, 0.0, 0.0, 0.0, 0.0);
    let mut flushes = 0.0;
    let mut parts = Vec::new();
    for (disk, counters) in &known {
        ios += disk.iops;
        reads += counters.reads as f64 / counters.seconds;
        bytes += disk.throughput_bytes_per_s;
        time_us += disk.iops * disk.latency_us.unwrap_or(0.0);
        queue += disk.queue;
        flushes = f64::max(flushes, counters.flushes as f64 / counters.seconds);
        let positive = |value: f64| (value > 0.0).then_some(value);
        parts.push(Part {
            name: disk.disk.clone().unwrap_or_default(),
            figures: Figures {
                iops: Some(disk.iops),
                throughput_bytes_per_s: Some(disk.throughput_bytes_per_s),
                latency_us: Latency { mean: disk.latency_us, ..Latency::default() },
                block: positive(disk.iops).map(|iops| disk.throughput_bytes_per_s / iops),
                depth: None,
                queue: positive(disk.queue),
                read: disk.read,
                access: None,
            },
        });
    }
    let some = ios > 0.0;
    let total = Figures {
        iops: some.then_some(ios),
        throughput_bytes_per_s: (bytes > 0.0).then_some(bytes),
        latency_us: Latency { mean: (some && time_us > 0.0).then(|| time_us / ios), ..Latency::default() },
        block: (some && bytes > 0.0).then(|| bytes / ios),
        depth: None,
        queue: (queue > 0.0).then_some(queue),
        read: some.then(|| reads / ios),
        access: None,
    };
    // Kernels before 5.5 do not count flushes.
    let flushes_per_s = (flushes > 0.0).then_some(flushes);
    Observed { total, parts, duration: Some(span), flushes_per_s, ..Observed::default() }
}

/// Time that each limit was exceeded while it was watched, by the volumes' own counts.
pub(crate) fn exceeded(
    before: &LocalLook,
    after: &LocalLook,
    names: &[(String, String)],
) -> Vec<(String, Exceeded)> {
    let since = |(device, new): (&String, &EbsStatistics)| {
        let grown = new.since(before.volumes.get(device)?)?;
        let name = names.iter().find(|(own, _)| own == device).map_or(device, |(_, name)| name);
        Some((name.clone(), disks::counted(&grown)))
    };
    after.volumes.iter().filter_map(since).collect()
}

/// Findings about the load, and about the setup before it. Findings about the setup are possibilities only. Read-ahead
/// is an exception if the observed reads have its size.
fn with_standing(
    mut findings: Vec<Finding>,
    standing: Vec<Finding>,
    counted: &[(WatchedDisk, DeviceCounters)],
) -> Vec<Finding> {
    /// Reads that random access does not make by itself.
    const LARGE: f64 = 65_536.0;
    let sum =
        |of: fn(&DeviceCounters) -> u64| counted.iter().map(|(_, counters)| of(counters)).sum::<u64>() as f64;
    let (reads, read_bytes, written) =
        (sum(|of| of.reads), sum(|of| of.read_bytes), sum(|of| of.written_bytes));
    let reads_ahead = reads > 0.0 && read_bytes / reads >= LARGE && read_bytes > written;
    for mut one in standing {
        // Small reads reach the disks: the kernel reads nothing ahead of them.
        if one.rule == "read-ahead" && reads > 0.0 && !reads_ahead {
            continue;
        }
        let holds = one.rule == "read-ahead" && reads_ahead;
        if holds {
            one = one.because(format!(
                "reads of {:.0} KiB on average reach the disks",
                read_bytes / reads / 1024.0
            ));
            findings.retain(|finding| finding.rule != one.rule);
        } else if findings.iter().any(|finding| finding.rule == one.rule) {
            continue;
        } else {
            (one.confidence, one.weight) = (Confidence::Possible, one.weight / 10.0);
        }
        findings.push(one);
    }
    with_exceeded(findings, Vec::new())
}
