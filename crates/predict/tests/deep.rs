//! Deep queues are simulated in small: with limits and depths divided by the same number.

mod common;

use common::{Case, near};
use iobound_drive::Flow;
use iobound_predict::{Counted, Effort, Question, simulate};
use iobound_units::{KIB, Span};

#[test]
fn a_deep_queue_in_small_reaches_what_the_whole_one_does_and_waits_as_long() {
    for (disk, block, depth, threads) in
        [("10xP30", 4, 1_024, 64), ("P30", 8, 4_096, 1), ("4xP40", 64, 2_048, 4)]
    {
        let case = Case::new("DS14_v2", &[disk]).job(block * KIB, 70, depth, |job| job.threads = threads);
        let prediction = case.predict();
        let (resolved, mut workload) = (case.resolved(), case.workload());
        let outstanding = f64::from(depth) * f64::from(threads);
        workload.warmup = Span::from_secs((2.0 * outstanding / prediction.expected.iops).ceil() as u64 + 1);
        workload.duration = Span::from_secs(20);
        let question = Question {
            resolved: &resolved,
            workload: &workload,
            cache: case.cache,
            age: case.age,
            counted: Counted::Lasting,
        };
        let whole =
            simulate(&question, &resolved.blueprint, Effort::Full, &mut |_| Flow::Continue).expect("a run");
        assert_eq!(prediction.outstanding as f64, outstanding);
        let (expected, iops) = (prediction.expected.iops, whole.iops());
        assert!(near(expected, iops, 0.01), "{disk}: {expected:.0} in small, {iops:.0} whole");
        // Little's law on both sides.
        let mean = prediction.latency.and_then(|latency| latency.mean).expect("I/Os");
        assert!(near(mean, outstanding / iops * 1e6, 0.02), "{disk}: {mean} us");
        let used: f64 = prediction
            .limiters
            .iter()
            .filter(|limiter| limiter.name == "disk.iops")
            .map(|limiter| limiter.used)
            .sum();
        let asked: u64 = whole.disks.iter().map(|disk| disk.ios).sum();
        assert!(near(used, asked as f64 / 20.0, 0.02), "{disk}: {used} at the disks");
    }
}
