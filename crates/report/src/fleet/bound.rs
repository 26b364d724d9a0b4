//! Limit of one host of a run, as far as it is known.

use iobound_measure::result::{HostLimit, HostResult, Outcome};
use iobound_predict::Prediction;
use iobound_workload::{Job, Load, Workload};

use crate::number::{count_text, percent_text, rounded};

/// A device that has something to do for this share of the time may have no more to give.
const BUSY: f64 = 0.95;
/// With fewer requests than this in its queue a device is busy by what it was given, and not at its end.
const QUEUED: f64 = 4.0;
/// A rate is reached at this share of it: its last second is not quite one.
const REACHED: f64 = 0.98;

/// Limit of a host that reached this: by the prediction of its configuration, where there is one, else by what its
/// checks and counters say.
pub fn host_bound(
    workload: &Workload,
    host: &HostResult,
    prediction: Option<&Prediction>,
) -> Option<HostLimit> {
    let iops = host.total.iops?;
    if let Some(prediction) = prediction {
        let mean = host.total.latency_us.and_then(|latency| latency.mean);
        return Some(crate::run::bound_by(prediction, iops, mean));
    }
    let bound = |by: &str, says: String| Some(HostLimit { by: by.to_string(), says });
    let client = host.checks.iter().find(|check| check.name == "client-cpu");
    if let Some(check) = client.filter(|check| check.outcome == Outcome::Warning) {
        return bound("client", check.says.clone());
    }
    if let Some(asked) = asked_iops(workload).filter(|asked| iops >= REACHED * asked) {
        return bound("rate", format!("{} of the {} requested IOPS", count_text(iops), count_text(asked)));
    }
    let counted = host.devices.iter().filter_map(|device| Some((&device.name, device.counters?)));
    let busiest = counted.max_by(|(_, one), (_, other)| one.busy.total_cmp(&other.busy));
    match busiest {
        Some((name, counters)) if counters.busy >= BUSY && counters.queue >= QUEUED => bound(
            "device",
            format!(
                "{name} is busy {} of the time, with {} requests on average",
                percent_text(counters.busy),
                count_text(rounded(counters.queue, 1))
            ),
        ),
        Some((name, counters)) => bound(
            "queue_depth",
            format!(
                "{name} has {} requests on average, and nothing for {} of the time",
                count_text(rounded(counters.queue, 1)),
                percent_text((1.0 - counters.busy).max(0.0))
            ),
        ),
        None => bound("unknown", "the kernel has no counters for the devices of the targets".into()),
    }
}

/// Request of all jobs together, where each has a rate or a cap.
fn asked_iops(workload: &Workload) -> Option<f64> {
    let of = |job: &Job| match job.load {
        Load::Open { rate, .. } => Some(rate.iops_f64(job.mean_block())),
        // A cap is of a queue, whose number is not known here.
        Load::Closed { .. } => None,
    };
    workload.jobs.iter().map(of).sum()
}

#[cfg(test)]
mod tests {
    use iobound_measure::result::{Check, DeviceCounters, DeviceFacts, Figures};
    use iobound_units::{Rate, Span};
    use iobound_workload::Arrivals;

    use super::*;

    fn reached(iops: f64, busy: f64, queue: f64) -> HostResult {
        let counters = Some(DeviceCounters { busy, queue, seconds: 1.0, ..DeviceCounters::default() });
        HostResult {
            total: Figures { iops: Some(iops), ..Figures::default() },
            devices: vec![DeviceFacts { name: "sda".into(), counters, ..DeviceFacts::default() }],
            ..HostResult::default()
        }
    }

    fn closed() -> Workload {
        Workload::new(vec![Job::new("a")], Span::from_secs(1))
    }

    fn by(workload: &Workload, host: &HostResult) -> String {
        host_bound(workload, host, None).expect("there are IOPS").by
    }

    #[test]
    fn a_device_binds_where_it_is_never_idle_and_requests_wait() {
        assert_eq!(by(&closed(), &reached(5_000.0, 0.99, 32.0)), "device");
        assert_eq!(by(&closed(), &reached(5_000.0, 0.99, 1.0)), "queue_depth", "one at a time is no end");
        assert_eq!(by(&closed(), &reached(5_000.0, 0.6, 32.0)), "queue_depth");
    }

    #[test]
    fn a_rate_binds_where_it_is_reached_and_a_client_before_everything() {
        let mut workload = closed();
        let rate = Rate::Ios { count: 1_000, per: Span::from_secs(1) };
        workload.jobs[0].load = Load::Open { rate, arrivals: Arrivals::Fixed, depth: 8 };
        assert_eq!(by(&workload, &reached(990.0, 0.5, 1.0)), "rate");
        assert_eq!(by(&workload, &reached(500.0, 1.0, 64.0)), "device");
        let mut host = reached(990.0, 0.5, 1.0);
        let (name, says) = ("client-cpu".to_string(), "busy".to_string());
        host.checks.push(Check { name, outcome: Outcome::Warning, says });
        assert_eq!(by(&workload, &host), "client");
    }

    #[test]
    fn what_reached_nothing_was_bound_by_nothing() {
        assert_eq!(host_bound(&closed(), &HostResult::default(), None), None);
    }
}
