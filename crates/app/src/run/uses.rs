//! Expected use of a disk by a run, printed before it starts.

use iobound_units::{Grouped, Op, Span};
use iobound_workload::{CapOf, Job, Load, Workload};

use super::how::RunOptions;
use super::load_goal::KNEE_PROBE;
use super::targets::does;

/// Data that the run will move, as far as it is known before it; a line for each kind of stage.
pub(crate) fn will_use(workloads: &[Workload], how: &RunOptions) -> String {
    if how.find_knee {
        let probe = KNEE_PROBE.0 + KNEE_PROBE.1;
        return format!(
            "the search: {}, in probes of {probe}, each as fast as the target allows",
            workloads.first().map_or("nothing", verbs)
        );
    }
    let mut lines: Vec<String> = workloads.iter().map(|workload| of_stage(workload, how)).collect();
    lines.dedup();
    if let Some(goal) = how.load_goal {
        lines.insert(0, format!("the search: probes of {}, each as fast as the target allows", goal.probe));
    }
    lines.join("\n")
}

fn of_stage(workload: &Workload, how: &RunOptions) -> String {
    if workload.jobs.iter().all(|job| job.stop_after.is_some()) {
        let each: Vec<String> =
            workload.jobs.iter().filter_map(|job| Some(job.stop_after?.to_string())).collect();
        return format!("the run: {} by each thread, without a time limit", each.join(", "));
    }
    let lasts = workload.warmup + workload.duration + workload.cooldown;
    let block = workload.jobs.iter().map(Job::mean_block).fold(0.0, f64::max);
    let amount = |iops: f64| {
        let ios = iops * lasts.secs_f64();
        format!("{} I/Os, {}", Grouped(ios.round() as u64), moved(ios * block))
    };
    // A disk's credits are I/Os, so data without a number of I/Os cannot be compared with them.
    let most = match (how.max_iops, asked_rate(workload)) {
        (Some(most), _) => format!("at most {} IOPS: {}", Grouped(most), amount(most as f64)),
        (None, Some(AskedRate::Rate(rate))) => {
            format!("{} IOPS: {}", Grouped(rate.round() as u64), amount(rate))
        }
        (None, Some(AskedRate::AtMost(rate))) => {
            format!("at most {} IOPS: {}", Grouped(rate.round() as u64), amount(rate))
        }
        (None, None) => format!("as fast as the target allows (1,000 IOPS would be {})", amount(1_000.0)),
    };
    format!("the run: {} for up to {}, {most}", verbs(workload), seconds(lasts))
}

/// The rate of all jobs together, in I/Os a second.
enum AskedRate {
    /// All are open loops.
    Rate(f64),
    /// Some are closed loops with caps on all their I/Os.
    AtMost(f64),
}

/// `None` where a job has neither a rate nor a cap on all its I/Os.
fn asked_rate(workload: &Workload) -> Option<AskedRate> {
    let rate = |job: &Job| match job.load {
        Load::Open { rate, .. } => Some(rate.iops_f64(job.mean_block())),
        Load::Closed { cap: Some(_), .. } if matches!(job.cap_of, Some(CapOf::One(_))) => None,
        // Each thread has the cap of its own.
        Load::Closed { cap, .. } => Some(cap?.iops_f64(job.mean_block()) * f64::from(job.threads)),
    };
    let rate = workload.jobs.iter().map(rate).sum::<Option<f64>>()?;
    let is_open = |job: &Job| matches!(job.load, Load::Open { .. });
    Some(if workload.jobs.iter().all(is_open) { AskedRate::Rate(rate) } else { AskedRate::AtMost(rate) })
}

fn verbs(workload: &Workload) -> &'static str {
    let any = |wanted: fn(Op) -> bool| workload.jobs.iter().any(|job| does(job, wanted));
    match (any(|op| op == Op::Read), any(|op| matches!(op, Op::Write | Op::Discard))) {
        (true, true) => "reads and writes",
        (false, true) => "writes only",
        (_, false) => "reads only",
    }
}

/// Whole seconds; shorter times unchanged.
fn seconds(span: Span) -> String {
    if span < Span::from_secs(10) { span.to_string() } else { format!("{:.0} s", span.secs_f64()) }
}

/// Bytes in units of 10^n.
fn moved(bytes: f64) -> String {
    let (value, unit) = match bytes {
        b if b < 1e6 => (b / 1e3, "kB"),
        b if b < 1e9 => (b / 1e6, "MB"),
        b if b < 1e12 => (b / 1e9, "GB"),
        b => (b / 1e12, "TB"),
    };
    if value < 10.0 { format!("{value:.1} {unit}") } else { format!("{value:.0} {unit}") }
}

#[cfg(test)]
mod tests {
    use iobound_units::{Percent, Rate};

    use super::*;

    fn stage(read: u32) -> Workload {
        let mut job = Job::new("job");
        job.set_mix(4096, Percent::from_ppm(read).unwrap());
        Workload::new(vec![job], Span::from_secs(2))
    }

    #[test]
    fn what_is_moved_is_said_in_a_unit_that_shows_it() {
        // 1,000 x 2 s x 4,096 B = 8.192 MB.
        let said = will_use(&[stage(1_000_000)], &RunOptions::default());
        assert!(said.contains("reads only") && said.contains("2,000 I/Os, 8.2 MB"), "{said}");
        assert_eq!(moved(4096.0), "4.1 kB");
        assert_eq!(moved(737e9), "737 GB");
    }

    #[test]
    fn a_cap_bounds_what_is_moved() {
        let mut workload = stage(1_000_000);
        let second = Span::from_secs(1);
        workload.jobs[0].threads = 2;
        workload.jobs[0].load = Load::Closed { depth: 4, cap: Some(Rate::Ios { count: 500, per: second }) };
        let said = will_use(&[workload.clone()], &RunOptions::default());
        assert!(said.contains("at most 1,000 IOPS: 2,000 I/Os, 8.2 MB"), "{said}");
        // Reads go on without a cap.
        workload.jobs[0].cap_of = Some(CapOf::One(Op::Write));
        assert!(will_use(&[workload], &RunOptions::default()).contains("as fast as the target allows"));
    }

    #[test]
    fn a_run_that_only_writes_reads_nothing() {
        assert!(will_use(&[stage(0)], &RunOptions::default()).contains("writes only"));
        assert!(will_use(&[stage(500_000)], &RunOptions::default()).contains("reads and writes"));
    }

    #[test]
    fn a_bound_says_all_that_is_used() {
        let how = RunOptions { max_iops: Some(500), ..RunOptions::default() };
        assert!(will_use(&[stage(1_000_000)], &how).contains("at most 500 IOPS: 1,000 I/Os, 4.1 MB"));
    }
}
