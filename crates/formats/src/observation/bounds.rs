//! Bounds of what was seen: a figure beyond them is no measurement, and what follows from it would overflow.

use super::{Device, Observation};

/// The most I/Os a second: a million times what the largest arrays do.
const MOST_IOPS: f64 = 1e12;
/// The most bytes a second.
const MOST_BYTES_PER_S: f64 = 1e18;
/// The longest latency, in µs: three years.
const MOST_US: f64 = 1e14;
/// The most outstanding I/Os.
const MOST_OUTSTANDING: f64 = 1e12;
/// The latest time, in seconds.
const MOST_S: f64 = 1e12;
/// The most of a share: a million times the whole.
const MOST_SHARE: f64 = 1e6;

/// Sees that every figure can be reckoned with.
///
/// # Errors
/// Returns the first figure outside of its bounds, with its value and the bound.
pub(crate) fn check(observation: &Observation) -> Result<(), String> {
    for device in &observation.devices {
        check_device(device).map_err(|why| format!("{}: {why}", device.name))?;
    }
    let times = observation.starts_s.iter().map(|at| ("the time of an interval", Some(*at), MOST_S, "s"));
    let shares = [("processors in use", observation.cpu), ("processors that wait", observation.iowait)];
    let shares = shares.into_iter().map(|(name, share)| (name, share, MOST_SHARE, "times all"));
    times.chain(shares).try_for_each(|(name, value, most, unit)| within(name, value, most, unit))
}

fn check_device(device: &Device) -> Result<(), String> {
    for (name, side) in [("reads", device.read), ("writes", device.write), ("I/Os", device.both)] {
        within(name, side.ios_per_s, MOST_IOPS, "a second")?;
        within(&format!("bytes of {name}"), side.bytes_per_s, MOST_BYTES_PER_S, "a second")?;
        within(&format!("latency of {name}"), side.latency_us, MOST_US, "µs")?;
    }
    within("outstanding I/Os", device.queue, MOST_OUTSTANDING, "")?;
    within("outstanding I/Os of other kinds", Some(device.others_queue), MOST_OUTSTANDING, "")?;
    within("outstanding I/Os", device.outstanding(), MOST_OUTSTANDING, "")?;
    let within_all = |name: &str, series: &[f64], most: f64| {
        series.iter().try_for_each(|rate| within(name, Some(*rate), most, "a second"))
    };
    within_all("I/Os of an interval", &device.series, MOST_IOPS)?;
    within_all("bytes of an interval", &device.bytes_series, MOST_BYTES_PER_S)
}

fn within(name: &str, value: Option<f64>, most: f64, unit: &str) -> Result<(), String> {
    match value {
        Some(value) if !(0.0..=most).contains(&value) => {
            Err(format!("{name}: {value:e} {unit}: the plausible maximum is {most:e} {unit}"))
        }
        _ => Ok(()),
    }
}
