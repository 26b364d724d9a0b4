//! Limits that a device itself counted as exceeded during the watch: facts, not inference.

use iobound_units::Span;

use super::{Exceeded, listed};
use crate::finding::{Confidence, Finding, best_first};

/// Less than this share of the time is the start of a burst, which every bucket has.
const MOMENT: f64 = 0.001;

/// Exceeded limits during the watch, by the names of the disks.
pub fn exceeded_findings(watched: Span, disks: &[(String, Exceeded)]) -> Vec<Finding> {
    type Counter = fn(&Exceeded) -> u64;
    let kinds: [(&'static str, &str, &str, Counter); 4] = [
        ("disk-iops", "the volume's IOPS limit", "more IOPS on the volume", |of| of.disk_iops_us),
        ("disk-throughput", "the volume's throughput limit", "more throughput on the volume", |of| {
            of.disk_throughput_us
        }),
        ("vm-uncached-iops", "the IOPS limit of the instance", "a larger instance, or less I/O", |of| {
            of.vm_iops_us
        }),
        (
            "vm-uncached-throughput",
            "the throughput limit of the instance",
            "a larger instance, or less I/O",
            |of| of.vm_throughput_us,
        ),
    ];
    let mut findings = Vec::new();
    for (rule, limit, advice, counter) in kinds {
        let hit: Vec<(&str, f64)> = disks
            .iter()
            .map(|(name, of)| (name.as_str(), counter(of) as f64 / 1e6))
            .filter(|(_, seconds)| *seconds > MOMENT * watched.secs_f64())
            .collect();
        let most = hit.iter().map(|(_, seconds)| *seconds).fold(0.0, f64::max);
        if hit.is_empty() {
            continue;
        }
        let each: Vec<String> = hit.iter().map(|(name, seconds)| format!("{name} {seconds:.1} s")).collect();
        let claim =
            format!("{limit} was exceeded for {most:.1} s of the {:.1} s watched", watched.secs_f64());
        let share = most / watched.secs_f64().max(1e-9);
        findings.push(
            // The device has counted it: nothing that is inferred is surer.
            Finding::new(rule, Confidence::Strong, 10.0 + share.min(1.0), claim)
                .because(format!("counted by the device itself (NVMe log page 0xD0): {}", listed(&each)))
                .advise(advice),
        );
    }
    findings
}

/// Findings with those that a device itself counted: one of the same rule gets its evidence, and goes before what is
/// inferred.
pub fn with_exceeded(mut findings: Vec<Finding>, counted: Vec<Finding>) -> Vec<Finding> {
    if !counted.is_empty() {
        findings.retain(|finding| !matches!(finding.rule, "unexplained" | "not-storage"));
    }
    for one in counted {
        match findings.iter_mut().find(|finding| finding.rule == one.rule) {
            Some(same) => {
                same.evidence.insert(0, one.claim);
                same.evidence.splice(1..1, one.evidence);
                (same.confidence, same.weight) = (one.confidence, one.weight);
            }
            None => findings.push(one),
        }
    }
    best_first(&mut findings);
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_device_counted_goes_first_and_a_moment_is_nothing() {
        let of = |disk_iops_us, vm_throughput_us| Exceeded {
            disk_iops_us,
            vm_throughput_us,
            ..Exceeded::default()
        };
        let disks = [("data.0".to_string(), of(1_200_000, 0)), ("data.1".to_string(), of(0, 9_000))];
        let counted = exceeded_findings(Span::from_secs(10), &disks);
        assert_eq!(counted.len(), 1);
        assert!(counted[0].claim.contains("IOPS limit was exceeded for 1.2 s"), "{}", counted[0].claim);
        let inferred = vec![
            Finding::new("read-ahead", Confidence::Strong, 3.0, "x"),
            Finding::new("disk-iops", Confidence::Possible, 0.9, "y"),
            Finding::new("not-storage", Confidence::Strong, 1.2, "z"),
        ];
        let together = with_exceeded(inferred, counted);
        let rules: Vec<_> = together.iter().map(|finding| (finding.rule, finding.confidence)).collect();
        assert_eq!(rules, [("disk-iops", Confidence::Strong), ("read-ahead", Confidence::Strong)]);
        assert_eq!((together[0].claim.as_str(), together[0].evidence.len()), ("y", 2));
    }
}
