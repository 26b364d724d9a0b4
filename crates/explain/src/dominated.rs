//! Changes that another change makes pointless: it costs no more, and gains at least as much.

use crate::finding::Finding;
use crate::remedy::{Outcome, Remedy};
use crate::thresholds as of;

/// Prices that differ by less are equal: half a cent.
const CENT: f64 = 0.005;

/// Removes every change that costs more than another one of the answer and gains no more. A change that meets the goal gives way
/// only to one that meets it too.
pub(crate) fn drop_dominated(findings: &mut [Finding]) {
    let shown: Vec<Remedy> = findings.iter().flat_map(|finding| &finding.remedies).cloned().collect();
    for finding in findings {
        finding.remedies.retain(|remedy| !shown.iter().any(|other| beats(other, remedy)));
    }
}

/// True if `one` is less money for at least as much.
fn beats(one: &Remedy, other: &Remedy) -> bool {
    let figures = |remedy: &Remedy| -> Option<(Outcome, f64)> {
        let outcome = remedy.outcome.clone().filter(|_| remedy.is_change())?;
        let price = outcome.price_change?;
        Some((outcome, price))
    };
    let (Some((first, price)), Some((second, more))) = (figures(one), figures(other)) else { return false };
    let as_much = |one: f64, other: f64| one >= of::ALIKE_RATES * other;
    more > price + CENT
        && as_much(first.iops, second.iops)
        && as_much(first.throughput_bytes_per_s, second.throughput_bytes_per_s)
        && (second.meets_want != Some(true) || first.meets_want == Some(true))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Confidence;
    use crate::observed::Latency;
    use crate::remedy::Change;

    fn remedy(vm: &str, iops: f64, usd: f64, meets: Option<bool>) -> Remedy {
        let outcome = Outcome {
            iops,
            low_iops: iops,
            high_iops: iops,
            throughput_bytes_per_s: iops * 4096.0,
            latency_us: Latency::default(),
            binding: Vec::new(),
            needs_outstanding: None,
            effect: None,
            meets_want: meets,
            price_change: Some(usd),
        };
        Remedy { outcome: Some(outcome), ..Remedy::of(Change::Vm(vm.into())) }
    }

    #[test]
    fn a_change_with_no_more_iops_for_more_money_is_dropped() {
        let finding = |remedies: Vec<Remedy>| Finding {
            remedies,
            ..Finding::new("vm-uncached-iops", Confidence::Strong, 1.0, "full")
        };
        let mut findings = vec![
            finding(vec![remedy("small", 6_000.0, 70.0, None), remedy("huge", 8_000.0, 490.0, None)]),
            finding(vec![remedy("large", 8_000.0, 210.0, None)]),
        ];
        drop_dominated(&mut findings);
        let left: Vec<String> =
            findings.iter().flat_map(|finding| &finding.remedies).map(Remedy::says).collect();
        assert_eq!(left, ["VM small", "VM large"]);
        // The cheaper one misses the goal, so the one that meets it stays.
        let goal =
            vec![remedy("small", 8_000.0, 70.0, Some(false)), remedy("huge", 8_000.0, 490.0, Some(true))];
        let mut findings = vec![finding(goal)];
        drop_dominated(&mut findings);
        assert_eq!(findings[0].remedies.len(), 2);
    }
}
