//! `watch`: this machine's own counters, interval by interval, against the limits that it is known to have.

mod limits;
mod map;
mod record;
mod seconds;

use iobound_drive::Clock;
use iobound_machine::block::Device;
use iobound_machine::trace::BlockTrace;
use iobound_machine::{SystemClock, World};
use iobound_measure::result::DeviceCounters;
use iobound_report::{
    Recent, WatchSecond, WatchSummary, WatchedDisk, watch_line, watch_screen, watch_second_json,
    watch_summary_json, watch_text,
};
use iobound_units::{Instant, Span};

use crate::arguments::{CommonArgs, ConfigurationArgs, MachineArgs};
use crate::commands::doctor::{Configured, configured};
use crate::doctor::here::{Look, counted, exceeded};
use crate::doctor::{Metadata, Seen, look, place_of, world_of};
use crate::live::{LiveStyle, LiveView};
use crate::outfile::Unwritten;
use crate::{interrupt, output};
use iobound_app::Exit;
use iobound_app::Failure;
use iobound_app::settings::{Given, Settings};

pub(crate) use record::Of;

use limits::Limits;
use record::Recording;
use seconds::Seconds;

/// The request.
pub(crate) struct Question<'a> {
    pub(crate) machine: &'a MachineArgs,
    pub(crate) metadata: Metadata,
    /// Until Ctrl-C where it is not said.
    pub(crate) duration: Option<Span>,
    pub(crate) interval: Span,
    pub(crate) record: Option<Given>,
    pub(crate) overwrite: Vec<Given>,
    pub(crate) rate: Of,
    /// The device that is which disk.
    pub(crate) maps: Vec<Given>,
}

/// Interval of a live page.
const SECOND: Span = Span::from_secs(1);

/// Interval at which it is asked whether to stop.
const BREATH: Span = Span::from_ms(50);

/// Watches, shows, and says in the end what it came to.
pub(crate) fn watch(
    question: &Question<'_>,
    configuration: &ConfigurationArgs,
    mut settings: Settings,
    common: &CommonArgs,
) -> Result<Exit, Failure> {
    let world = world_of(question.machine);
    let seen = look(&world, &question.metadata)?;
    let Configured { asked, names, notes: further } = configured(&seen, configuration, &mut settings)?;
    let (won, unused) = settings.finish();
    if common.show_config {
        return output::settings(&won, &unused, common);
    }
    output::unused_variables(&unused);
    // Refused now, and not after an hour.
    let record = question.record.as_ref().map(|given| place_of(given, &question.overwrite)).transpose()?;
    // What is shown of the configuration does not ask the machine for its devices.
    let names = map::names(names, &question.maps, &seen.setup, asked.as_ref().map(|asked| &asked.resolved))?;
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
    let mut trace = question.record.as_ref().and_then(|_| traced(&world, &mut notes));
    let mut recording = Recording::default();
    let mut clock = SystemClock::default();
    let mut before = Look::now(&world, &seen.setup, clock.now_of_run());
    if before.counters.is_none() {
        return Err(no_counters());
    }
    let start = clock.now_of_run();
    let (mut recent, mut seconds) = (Recent::default(), Seconds::default());
    let mut view = LiveView::new(LiveStyle::of(common));
    loop {
        let tree = question.machine.world_after.as_ref().map(World::at);
        let due = before.counters.as_ref().map_or(start, |counters| counters.at()) + question.interval;
        let after = match &tree {
            Some(tree) => Look::now(tree, &seen.setup, due),
            None => {
                sleep_until(&mut clock, due);
                Look::now(&world, &seen.setup, clock.now_of_run())
            }
        };
        let disks = counted(&world, &seen.setup, &names, &before, &after);
        if let Some(trace) = &mut trace {
            match trace.look() {
                Ok(traced) => recording.take(&world, &traced),
                Err(error) => notes.push(format!("the trace of requests ended: {error}")),
            }
        }
        let second = second_of(start, &before, &after, &disks, &names, &mut limits);
        for disk in &second.disks {
            recent.take(&disk.label(), second.at, disk.iops);
        }
        if common.json {
            output::data(&format!("{}\n", watch_second_json(&second)))?;
        } else {
            view.show(|| watch_screen(&second, &recent, &what), |style| watch_line(&second, style));
        }
        let is_over = question.duration.is_some_and(|duration| second.at >= duration);
        seconds.take(second, disks);
        before = after;
        if is_over || tree.is_some() || interrupt::asked() {
            break;
        }
    }
    view.clear();
    drop(view);
    let mut unwritten = Unwritten::default();
    if let Some(record) = &record {
        let text = recording.as_toml(&seconds, question.rate, &mut notes);
        match text {
            Some(text) => drop(unwritten.take(record.write(&text))),
            None => notes.push("nothing was recorded: no disk did any I/O".into()),
        }
    }
    let recorded = question.record.as_ref().map(Given::path);
    let recorded = recorded.filter(|_| seconds.has_any() && unwritten.is_empty());
    let summary = WatchSummary {
        what: &what,
        watched: seconds.watched(),
        disks: &seconds.disks(),
        limits: &seconds.limits(),
        exceeded: &seconds.exceeded(),
        recorded: recorded.as_deref(),
        notes: &notes,
    };
    if common.json {
        output::data(&format!("{}\n", watch_summary_json(&summary)))?;
    } else {
        output::write(&watch_text(&summary, output::style(common)))?;
    }
    if let Some(exit) = unwritten.report() {
        return Ok(exit);
    }
    // Ctrl-C is how a watch without an end ends.
    Ok(if question.duration.is_some() && interrupt::asked() { Exit::Interrupted } else { Exit::Done })
}

/// Reads this machine's counters each second and gives what `watch --json` prints, until `take` returns false.
///
/// # Errors
/// There are no counters.
pub(crate) fn each_second(
    seen: &Seen,
    configured: &Configured,
    mut take: impl FnMut(String) -> bool,
) -> Result<(), Failure> {
    let world = World::real();
    let mut limits = Limits::new(configured.asked.as_ref().map(|asked| &asked.resolved));
    let mut clock = SystemClock::default();
    let mut before = Look::now(&world, &seen.setup, clock.now_of_run());
    if before.counters.is_none() {
        return Err(no_counters());
    }
    let start = clock.now_of_run();
    loop {
        sleep_until(&mut clock, before.counters.as_ref().map_or(start, |counters| counters.at()) + SECOND);
        let after = Look::now(&world, &seen.setup, clock.now_of_run());
        let disks = counted(&world, &seen.setup, &configured.names, &before, &after);
        let second = second_of(start, &before, &after, &disks, &configured.names, &mut limits);
        if interrupt::asked() || !take(watch_second_json(&second).to_string()) {
            return Ok(());
        }
        before = after;
    }
}

/// An interval between two looks.
fn second_of(
    start: Instant,
    before: &Look,
    after: &Look,
    disks: &[(WatchedDisk, DeviceCounters)],
    names: &[(String, String)],
    limits: &mut Limits<'_>,
) -> WatchSecond {
    let of = span_between(before, after);
    let (shares, used) = limits.of(disks, of);
    let io_pressure = after.pressure.zip(before.pressure);
    WatchSecond {
        at: after.counters.as_ref().map_or(Span::ZERO, |counters| counters.at().since(start)),
        seconds: of.secs_f64(),
        shares,
        limits: used,
        io_pressure: io_pressure.map(|(after, before)| after.some.share_since(&before.some, of)),
        exceeded: limits::told(&exceeded(before, after, names)),
        disks: disks.iter().map(|(disk, _)| disk.clone()).collect(),
    }
}

fn no_counters() -> Failure {
    Failure::io("the kernel has no /proc/diskstats: nothing can be counted")
        .mend("run watch on the machine itself, not in a sandbox without /proc")
}

/// The trace of requests, where it may be used.
fn traced(world: &World, notes: &mut Vec<String>) -> Option<BlockTrace> {
    if world.is_tree() {
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

fn span_between(before: &Look, after: &Look) -> Span {
    let at = |look: &Look| look.counters.as_ref().map_or(Instant::ZERO, |counters| counters.at());
    at(after).since(at(before))
}

fn sleep_until(clock: &mut SystemClock, due: Instant) {
    while !interrupt::asked() {
        let now = clock.now_of_run();
        if now >= due {
            return;
        }
        clock.sleep_until(due.min(now + BREATH));
    }
}

/// The whole disk that a device number is of.
fn disk_of(world: &World, number: iobound_machine::DeviceNumber) -> Option<String> {
    let device = Device::find(world, number)?;
    let disk = device.disk().unwrap_or(device);
    Some(disk.name().to_string())
}
