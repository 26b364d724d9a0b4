//! The latency is arithmetic: more is outstanding than the limit needs.
//!
//! Documentation: Little's law: at a full limit, latency = outstanding / IOPS.
//! Evidence: a limit is full and the latency many times that of the media.
//! Remedy: fewer outstanding I/Os: the same IOPS at less latency.

use iobound_units::Grouped;

use crate::case::Case;
use crate::finding::{Confidence, Finding};
use crate::remedy::{Change, Remedy};
use crate::rules::contradiction;
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    if contradiction::of_case(case).is_some() {
        return None;
    }
    let full = case.full().next()?;
    let total = &case.observed.total;
    let latency_ms = total.latency_us.typical()? / 1e3;
    let [_, typical, _] = case.media_ms()?;
    if latency_ms < of::WAITING * typical {
        return None;
    }
    let held = case.outstanding()?;
    // Who wishes for latency and for no more than there is.
    let more = |want: Option<f64>, seen: Option<f64>| {
        want.zip(seen).is_some_and(|(want, seen)| want > of::HELPS * seen)
    };
    let wished = case.want.is_some_and(|want| {
        want.latency_us != Default::default()
            && !more(want.iops, total.iops)
            && !more(want.throughput_bytes_per_s, total.throughput_bytes_per_s)
    });
    let (confidence, weight) = if wished { (Confidence::Strong, 2.5) } else { (Confidence::Likely, 0.2) };
    let iops = total.iops?;
    // Of a median, or of rounded figures, the equation holds only about.
    let is_equal = (held / iops * 1e3 / latency_ms - 1.0).abs() < of::ROUNDED;
    let claim = format!(
        "{latency_ms:.1} ms {} {held:.0} outstanding / {} IOPS: the I/Os wait at {}, not at the disks",
        if is_equal { "=" } else { "is about" },
        Grouped(iops.round() as u64),
        full.name()
    );
    let enough = (held * of::DEEPER * typical / latency_ms).ceil().max(1.0) as u32;
    let finding = Finding::new("deep-queue", confidence, weight, claim)
        .because(format!("an I/O alone takes about {typical:.2} ms"))
        .advise(format!("about {enough} outstanding give the same IOPS"))
        .to_be_sure("halve the depth: IOPS stay, latency halves");
    // A goal that this depth misses may be met with one I/O at a time.
    let one = (wished && enough > 1).then(|| Remedy::of(Change::Depth(1)));
    let remedies = std::iter::once(Remedy::of(Change::Depth(enough))).chain(one).collect();
    Some(Finding { remedies, ..finding })
}
