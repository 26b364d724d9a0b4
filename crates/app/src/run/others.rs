//! Other programs that are at work on the devices of a run.

use std::path::Path;
use std::time::Duration;

use crate::Failure;
use iobound_load::prepare::Plan;
use iobound_machine::block::{Device, beneath};
use iobound_machine::busy::{Activity, Look};
use iobound_machine::{Node, SystemClock, World};

/// Time that others are watched before a run.
const WATCHED: Duration = Duration::from_millis(300);
/// IOPS of other processes that are ignored: a journal, a log.
const OTHERS: f64 = 50.0;

/// The devices below what a plan names, or below the folders of files that are not there yet.
pub(super) fn devices_of_plan(world: &World, plan: &Plan) -> Vec<Device> {
    let mut devices: Vec<Device> = Vec::new();
    for step in plan.steps() {
        let there = step.path.canonicalize().ok().or_else(|| {
            let folder = step.path.parent().filter(|folder| !folder.as_os_str().is_empty());
            folder.unwrap_or(Path::new(".")).canonicalize().ok()
        });
        let found = there.and_then(|path| Some((Node::of(&path).ok()?, path)));
        if let Some((node, path)) = found {
            devices.extend(beneath(world, &path, &node).devices().iter().cloned());
        }
    }
    devices
}

/// Watches whether others are at work on the devices.
///
/// # Errors
/// Returns an error if another process uses a device and `--busy-ok` is not given.
pub(super) fn others(world: &World, devices: &[Device], busy_ok: bool) -> Result<Option<String>, Failure> {
    let mut clock = SystemClock::default();
    let first = Look::now(world, clock.now_of_run());
    std::thread::sleep(WATCHED);
    let activity = Look::now(world, clock.now_of_run()).since(&first, devices, std::process::id());
    if !activity.exceeds(OTHERS) {
        return Ok(None);
    }
    let words = in_words(&activity);
    if busy_ok {
        return Ok(Some(words));
    }
    Err(Failure::refused(format!(
        "{words}: the figures would include their I/O, and the run would slow them down"
    ))
    .help("stop the process that uses it, or add --busy-ok"))
}

/// The activity in words: which devices are busy, and by which processes.
fn in_words(activity: &Activity) -> String {
    let devices: Vec<String> = activity
        .devices
        .iter()
        .filter(|device| device.iops() > OTHERS)
        .map(|device| {
            let mb = (device.read_bytes_per_s + device.written_bytes_per_s) / 1e6;
            format!("{} is busy: {:.0} IOPS, {mb:.1} MB/s", device.name, device.iops())
        })
        .collect();
    let by: Vec<String> = activity
        .processes
        .iter()
        .take(3)
        .map(|process| format!("{} ({})", process.name, process.process))
        .collect();
    let by = if by.is_empty() { String::new() } else { format!(", by {}", by.join(", ")) };
    format!("{}{by}", devices.join("; "))
}
