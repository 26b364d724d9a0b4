//! `watch`: this machine's own counters, interval by interval, against the limits that it is known to have.

mod limits;
pub(crate) mod map;
mod record;
mod request;
mod seconds;
mod traced;

use iobound_drive::Clock;
use iobound_machine::block::Device;
use iobound_machine::trace::BlockTrace;
use iobound_machine::{SystemClock, World, WorldSystem};
use iobound_report::{DiskSeconds, Recent, WatchSecond, WatchSummary};
use iobound_units::{Instant, Span};

use crate::doctor::local::{LocalLook, counted, counted_volumes, exceeded};
use crate::doctor::{Configured, place_of, world_of};
use crate::outfile::Unwritten;
use crate::settings::SettingValue;
use crate::{Env, Exit, Failure};

pub use request::{PreparedWatch, RecordOptions, WatchRequest};

use limits::Limits;
use record::{RecordedRate, Recording};
use seconds::Seconds;
use traced::TraceRecording;

/// Number of times that it is asked whether to stop.
const BREATH: Span = Span::from_ms(50);

/// An interval that has passed.
pub struct WatchedSecond<'a> {
    /// The activity in it.
    pub second: &'a WatchSecond,
    /// The IOPS of the last intervals, by device.
    pub recent: &'a Recent,
    /// The watched machine and configuration, in words.
    pub what: &'a str,
}

/// The summary of a watch.
pub struct WatchAnswer {
    what: String,
    watched: Span,
    disks: Vec<DiskSeconds>,
    volumes: Vec<DiskSeconds>,
    limits: Vec<(String, usize, f64, f64)>,
    exceeded: Vec<(String, u64)>,
    recorded: Option<String>,
    notes: Vec<String>,
    /// The recorded workload, where it could not be written.
    pub failures: Vec<Failure>,
    /// The exit code: a watch of a given time that was stopped before is interrupted, one whose file is missing failed.
    pub exit: Exit,
}

impl WatchAnswer {
    /// The answer in the form that texts and documents are made of.
    pub fn summary(&self) -> WatchSummary<'_> {
        WatchSummary {
            what: &self.what,
            watched: self.watched,
            disks: &self.disks,
            volumes: &self.volumes,
            limits: &self.limits,
            exceeded: &self.exceeded,
            recorded: self.recorded.as_deref(),
            notes: &self.notes,
        }
    }
}

impl PreparedWatch {
    /// Watches until the time is over or the request is stopped, and records. `show` is given each interval as it ends.
    ///
    /// # Errors
    /// Returns an error if a device or a disk does not exist, a file cannot be written, or the machine has no counters.
    pub fn answer(
        self,
        env: &Env,
        mut show: impl FnMut(&WatchedSecond<'_>) -> Result<(), Failure>,
    ) -> Result<WatchAnswer, Failure> {
        let world = world_of(&self.machine);
        let seen = &self.seen;
        let Configured { asked, names, notes: further } = self.configured;
        // Refused now, and not after an hour.
        let record = self.record.as_ref().map(|given| place_of(given, &self.overwrite, env)).transpose()?;
        // Showing the settings does not read the machine's devices.
        let names = map::names(names, &self.maps, &seen.setup, asked.as_ref().map(|asked| &asked.resolved))?;
        let mut notes: Vec<String> = seen.notes.iter().chain(&further).cloned().collect();
        if asked.is_some() && names.is_empty() {
            notes.push(
                "cannot match devices to the configured disks, so limits are not shown; use --map sdc=data.0"
                    .into(),
            );
        }
        let what = asked.as_ref().map_or_else(
            || "this machine, whose limits are unknown: give --vm and --disk".to_string(),
            |asked| asked.resolved.vm.full_name(),
        );
        let mut limits = Limits::new(asked.as_ref().map(|asked| &asked.resolved));
        let mut trace = self.record.as_ref().and_then(|_| traced(&world, &mut notes));
        let mut recording = Recording::default();
        let mut requests = match &self.trace {
            Some((path, devices)) => Some(TraceRecording::start(&world, path, devices)?),
            None => None,
        };
        let mut clock = SystemClock::default();
        let mut before = LocalLook::now(&world, &seen.setup, clock.now_of_run());
        if let Err(why) = &before.counters {
            return Err(Failure::io(format!("{why}: nothing can be counted")).help(match world.system() {
                WorldSystem::Windows => {
                    "see whether Performance Monitor shows PhysicalDisk; `lodctr /R` rebuilds its counters"
                }
                _ => "run watch on the machine itself, not in a sandbox without /proc",
            }));
        }
        let start = clock.now_of_run();
        let (mut recent, mut seconds) = (Recent::default(), Seconds::default());
        loop {
            let tree = self.machine.world_after.as_ref().map(World::at);
            let due = before.counters.as_ref().map_or(start, |counters| counters.at()) + self.interval;
            let after = match &tree {
                Some(tree) => LocalLook::now(tree, &seen.setup, due),
                None => {
                    sleep_until(&mut clock, due, env, || {
                        requests.as_mut().map_or(Ok(()), TraceRecording::look)
                    })?;
                    LocalLook::now(&world, &seen.setup, clock.now_of_run())
                }
            };
            let disks = counted(&world, &seen.setup, &names, &before, &after);
            let volumes = counted_volumes(&before, &after);
            let of = span_between(&before, &after);
            if let Some(trace) = &mut trace {
                match trace.look() {
                    Ok(traced) => recording.take(&world, &traced),
                    Err(error) => notes.push(format!("the trace of requests ended: {error}")),
                }
            }
            let (shares, used) = limits.of(&disks, of);
            let io_pressure = after.pressure.zip(before.pressure);
            let second = WatchSecond {
                at: after.counters.as_ref().map_or(Span::ZERO, |counters| counters.at().since(start)),
                seconds: of.secs_f64(),
                shares,
                limits: used,
                io_pressure: io_pressure.map(|(after, before)| after.some.share_since(&before.some, of)),
                exceeded: limits::told(&exceeded(&before, &after, &names)),
                disks: disks.iter().map(|(disk, _)| disk.clone()).collect(),
                volumes: volumes.iter().map(|(volume, _)| volume.clone()).collect(),
            };
            for disk in second.disks.iter().chain(&second.volumes) {
                recent.take(&disk.label(), second.at, disk.iops);
            }
            show(&WatchedSecond { second: &second, recent: &recent, what: &what })?;
            let is_over = self.duration.is_some_and(|duration| second.at >= duration);
            seconds.take(second, &disks, &volumes);
            before = after;
            if is_over || tree.is_some() || env.is_stopped() {
                break;
            }
        }
        if let Some(requests) = requests {
            notes.extend(requests.finish(seconds.watched())?);
        }
        let mut unwritten = Unwritten::default();
        if let Some(record) = &record {
            let text = recording.as_toml(&seconds, self.rate, &mut notes);
            match text {
                Some(text) => drop(unwritten.take(record.write(&text))),
                None => notes.push("nothing was recorded: no disk did any I/O".into()),
            }
        }
        let recorded = self.record.as_ref().map(SettingValue::path);
        let recorded = recorded.filter(|_| seconds.has_any() && unwritten.is_empty());
        // A stop is how a watch without an end ends.
        let exit = match self.duration {
            _ if !unwritten.is_empty() => Exit::Io,
            Some(_) if env.is_stopped() => Exit::Interrupted,
            _ => Exit::Done,
        };
        Ok(WatchAnswer {
            what,
            watched: seconds.watched(),
            disks: seconds.disks(),
            volumes: seconds.volumes(),
            limits: seconds.limits(),
            exceeded: seconds.exceeded(),
            recorded,
            notes,
            failures: unwritten.failures(),
            exit,
        })
    }
}

/// The trace of requests, where it may be used.
fn traced(world: &World, notes: &mut Vec<String>) -> Option<BlockTrace> {
    if world.is_tree() {
        return None;
    }
    if world.system() == WorldSystem::Windows {
        notes.push(
            "sizes are means and offsets are assumed random: requests are not traced on Windows".into(),
        );
        return None;
    }
    match BlockTrace::start(world) {
        Ok(trace) => Some(trace),
        Err(error) => {
            notes.push(format!(
                "sizes are means and offsets are assumed random: cannot trace requests ({error}); run as root"
            ));
            None
        }
    }
}

fn span_between(before: &LocalLook, after: &LocalLook) -> Span {
    let at = |look: &LocalLook| look.counters.as_ref().map_or(Instant::ZERO, |counters| counters.at());
    at(after).since(at(before))
}

/// Sleeps, and does `each_breath` now and then.
fn sleep_until(
    clock: &mut SystemClock,
    due: Instant,
    env: &Env,
    mut each_breath: impl FnMut() -> Result<(), Failure>,
) -> Result<(), Failure> {
    while !env.is_stopped() {
        each_breath()?;
        let now = clock.now_of_run();
        if now >= due {
            break;
        }
        clock.sleep_until(due.min(now + BREATH));
    }
    Ok(())
}

/// The whole disk that a device number is of.
fn disk_of(world: &World, number: iobound_machine::DeviceNumber) -> Option<String> {
    let device = Device::find(world, number)?;
    let disk = device.disk().unwrap_or(device);
    Some(disk.name().to_string())
}
