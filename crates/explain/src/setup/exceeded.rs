//! Limits that a device or its cloud counted as exceeded: facts, not inference.

use iobound_model::Dimension;
use iobound_units::Span;

use super::{Exceeded, listed};
use crate::finding::{Confidence, Finding, best_first};
use crate::observed::HeldLimit;

/// Less than this share of the time is the start of a burst, which every bucket has.
const MOMENT: f64 = 0.001;

/// A rule about a limit that a device or its cloud counts, the limit in words, and what to do about it.
struct CountedLimit {
    rule: &'static str,
    limit: &'static str,
    advice: &'static str,
}

impl CountedLimit {
    /// A finding of it. Nothing that is inferred is surer: the device or the cloud has counted it.
    fn finding(&self, share: f64, how_long: &str, evidence: String) -> Finding {
        let claim = format!("{} {how_long}", self.limit);
        Finding::new(self.rule, Confidence::Strong, 10.0 + share.min(1.0), claim)
            .because(evidence)
            .advise(self.advice)
    }
}

/// Exceeded limits during the watch, by the names of the disks.
pub fn exceeded_findings(watched: Span, disks: &[(String, Exceeded)]) -> Vec<Finding> {
    type Counter = fn(&Exceeded) -> u64;
    let of = |rule, limit, advice| CountedLimit { rule, limit, advice };
    const LARGER: &str = "a larger instance, or less I/O";
    let kinds: [(CountedLimit, Counter); 4] = [
        (of("disk-iops", "the volume's IOPS limit", "more IOPS on the volume"), |of| of.disk_iops_us),
        (of("disk-throughput", "the volume's throughput limit", "more throughput on the volume"), |of| {
            of.disk_throughput_us
        }),
        (of("vm-uncached-iops", "the IOPS limit of the instance", LARGER), |of| of.vm_iops_us),
        (of("vm-uncached-throughput", "the throughput limit of the instance", LARGER), |of| {
            of.vm_throughput_us
        }),
    ];
    let mut findings = Vec::new();
    for (limit, counter) in kinds {
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
        let how_long = format!("was exceeded for {most:.1} s of the {:.1} s watched", watched.secs_f64());
        let evidence = format!("counted by the device itself (NVMe log page 0xD0): {}", listed(&each));
        findings.push(limit.finding(most / watched.secs_f64().max(1e-9), &how_long, evidence));
    }
    findings
}

/// Limits that held I/Os back by the cloud's own count.
pub(crate) fn held_findings(held: &[HeldLimit]) -> Vec<Finding> {
    let share = |one: &HeldLimit| f64::from(one.intervals[0]) / f64::from(one.intervals[1].max(1));
    let mut findings = Vec::new();
    for by_vm in [Some(false), Some(true), None] {
        for dimension in Dimension::ALL {
            let is_of = |one: &&HeldLimit| (one.by_vm, one.dimension) == (by_vm, dimension);
            let hit: Vec<&HeldLimit> = held.iter().filter(is_of).collect();
            let Some(most) = hit.iter().max_by(|one, other| share(one).total_cmp(&share(other))) else {
                continue;
            };
            let [intervals, all] = most.intervals;
            let how_long = format!("held I/Os back in {intervals} of {all} intervals");
            let each: Vec<String> = hit.iter().map(|one| format!("{}, {}", one.name, one.told)).collect();
            let evidence = format!("counted by the cloud itself: {}", each.join("; "));
            let mut finding = limit_of(by_vm, dimension).finding(share(most), &how_long, evidence);
            if by_vm.is_none() {
                finding.cap(Confidence::Likely);
            }
            if share(most) <= MOMENT {
                finding.cap(Confidence::Possible);
            }
            findings.push(finding);
        }
    }
    findings
}

/// A limit of the disk or of the VM.
fn limit_of(by_vm: Option<bool>, dimension: Dimension) -> CountedLimit {
    let of = |rule, limit, advice| CountedLimit { rule, limit, advice };
    const LARGER: &str = "a larger VM, or less I/O";
    match (by_vm, dimension) {
        (Some(false), Dimension::Ios) => {
            of("disk-iops", "the disk's IOPS limit", "more IOPS on the disk: provision them, or enlarge it")
        }
        (Some(false), Dimension::Bytes) => of(
            "disk-throughput",
            "the disk's throughput limit",
            "more throughput on the disk: provision it, or enlarge it",
        ),
        (Some(true), Dimension::Ios) => of("vm-uncached-iops", "the VM's IOPS limit", LARGER),
        (Some(true), Dimension::Bytes) => of("vm-uncached-throughput", "the VM's throughput limit", LARGER),
        (None, _) => of(
            "throttled",
            "a limit of the disk or of the VM",
            "compare the rate with both limits: the metric does not tell whose limit it was",
        ),
    }
}

/// Findings with those that a device or its cloud counted: one of the same rule gets its evidence, and goes before what is
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
