//! The disk type cannot be that fast.
//!
//! Documentation: Premium SSD answers in 1.6 to 3.2 ms, Premium SSD v2 in 0.7, Ultra in 0.4 (tkubica12/cloud-storage-tests).
//! Evidence: the wish is below the fastest that was seen of this type.
//! Remedy: another disk type, or Write Accelerator (azure-docs#46036: logs on M sizes need it, Ultra or Premium SSD v2).

use crate::case::Case;
use crate::change;
use crate::finding::{Confidence, Finding};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let want = case.want?.latency_us;
    let wish_ms = want.mean.or(want.p50).or(want.p95).or(want.p99)? / 1e3;
    // Where a host cache may answer, nothing is known to be too fast.
    let [fast, typical, _] = case.media_ms()?;
    if wish_ms >= of::FASTEST * fast {
        return None;
    }
    let disk = change::data_disk(case)?;
    let claim = format!(
        "the goal is {wish_ms:.2} ms on {}, and the fastest measured ones take {fast:.2} ms",
        disk.described
    );
    let mut finding = Finding::new("media-latency", Confidence::Strong, 2.6, claim)
        .because(format!("typical {typical:.2} ms at this block size and mix"));
    if let Some(us) = case.observed.total.latency_us.typical() {
        finding = finding.because(format!("seen {:.2} ms", us / 1e3));
    }
    let faster = disk.disk.map_or(&[][..], |kind| kind.kind().faster).iter().map(|kind| kind.title());
    let faster: Vec<&str> = faster.chain(["a local disk"]).collect();
    let log = match case.resolved.vm.cloud.rules().has_host_cache {
        true => "; for logs on M sizes Write Accelerator with cache none",
        false => "",
    };
    let finding = finding
        .advise(format!("{}{log}", faster.join(" or ")))
        .to_be_sure("one I/O at a time on an idle disk: it is no faster");
    Some(Finding { remedies: change::faster_media(case), ..finding })
}
