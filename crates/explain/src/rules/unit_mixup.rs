//! MB and MiB are mixed up.
//!
//! Documentation: limits are published in MB/s (10^6); tools print MiB/s (2^20), often as MB/s.
//! Evidence: what was seen or wished for is 4.9 % off a limit. It comes first only if these 4.9 % are all that there is to explain: where
//! I/Os wait, or the figure has the limit's own number, the limit is what binds. Where more is wished for, the unit explains too little.
//! Remedy: none: it is the limit.

use iobound_model::Dimension;
use iobound_units::format_throughput;

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let bytes =
        case.usages.iter().filter(|usage| usage.dimension == Dimension::Bytes && case.is_certain(usage));
    let has_other_goal =
        case.want.is_some_and(|want| want.iops.is_some() || want.latency_us != Default::default());
    for usage in bytes {
        let seen = usage.used;
        let wished = case.want.and_then(|want| want.throughput_bytes_per_s).is_some_and(|want| {
            case.level(usage) == Level::Full
                && of::UNIT_APART.contains(&(want / seen))
                && (want / usage.published / of::MIB_PER_MB - 1.0).abs() < 0.02
        });
        // Where a limit is full as the figure stands, nothing has to be read otherwise.
        let read_wrong = case.is_in_other_unit(usage) && case.full().next().is_none();
        if !(wished || read_wrong) {
            continue;
        }
        let (confidence, weight) = match () {
            () if has_other_goal || read_wrong && case.ios_queue() => (Confidence::Possible, 0.5),
            () if wished || case.observed.is_other_unit_by_ios() == Some(true) => (Confidence::Strong, 2.2),
            () if case.has_number_of_limit(usage) => (Confidence::Possible, 0.5),
            () => (Confidence::Likely, 1.5),
        };
        let claim = format!(
            "{:.1} MiB/s is {}: the limit {}, in the other unit",
            seen / 1e6,
            format_throughput(seen * of::MIB_PER_MB),
            usage.name()
        );
        return Some(
            Finding::new("unit-mixup", confidence, weight, claim)
                .because(format!("the limit is {}", format_throughput(usage.published)))
                .because("the I/Os are not known to wait: where they do, the limit holds them at the stated figure")
                .advise(
                    "compare in bytes a second: 1 MiB/s is 1.049 MB/s; it is the limit, and nothing is lost",
                )
                .to_be_sure(
                    "IOPS x block size, which has no such unit (iostat -x 1: r/s x rareq-sz): the limit's own figure indicates the unit, 95 % of it the limit",
                ),
        );
    }
    None
}
