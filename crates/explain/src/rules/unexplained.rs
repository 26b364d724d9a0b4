//! Nothing known fits, which is better said than a wrong name.
//!
//! Documentation: E7 to E9 of the published experiments: 0.89 to 0.92 of the VM's limit with 4,096 outstanding.
//! Evidence: no rule finds anything.
//! Remedy: measure what is missing, or change one thing at a time.

use crate::case::Case;
use crate::finding::{Confidence, Finding};

/// Finding if no rule applies.
pub(crate) fn say(case: &Case<'_>) -> Finding {
    let fullest = case.usages.iter().max_by(|one, other| case.share(one).total_cmp(&case.share(other)));
    let claim = match fullest {
        Some(usage) => format!(
            "no known cause fits: the fullest limit, {}, is at {:.0} %",
            usage.name(),
            case.share(usage) * 100.0
        ),
        None => "the measured figures point to no limit".to_string(),
    };
    let total = &case.observed.total;
    let missing: Vec<&str> = [
        ("latency", total.latency_us.typical().is_none()),
        ("block", total.block.is_none()),
        ("depth", total.depth.or(total.queue).is_none()),
        ("read", total.read.is_none()),
    ]
    .into_iter()
    .filter_map(|(name, is_missing)| is_missing.then_some(name))
    .collect();
    let finding = Finding::new("unexplained", Confidence::Possible, 0.0, claim);
    match missing.as_slice() {
        [] => finding.to_be_sure("double the depth, then halve the block size, and compare the rates"),
        missing => finding.to_be_sure(format!("give more figures: {}", missing.join(", "))),
    }
}
