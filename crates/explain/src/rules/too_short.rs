//! The run was too short to tell.
//!
//! Documentation: credits, caches and slices: a limit shows itself after seconds.
//! Evidence: a few seconds of figures.
//! Remedy: run for a minute or more.

use crate::case::{Case, Level};
use crate::finding::{Confidence, Finding};
use crate::remedy::{Circumstance, Remedy};
use crate::thresholds as of;

pub(super) fn judge(case: &Case<'_>) -> Option<Finding> {
    let seconds = case.observed.duration?.secs_f64();
    if seconds >= of::TOO_SHORT_S {
        return None;
    }
    let odd = case.usages.iter().any(|usage| case.level(usage) == Level::Above);
    let (confidence, weight) = if odd { (Confidence::Strong, 2.1) } else { (Confidence::Possible, 0.8) };
    let claim = format!("{seconds:.1} s are too short to reach a limit");
    let finding = Finding::new("too-short", confidence, weight, claim)
        .because("short runs exceed enforced limits by 2 to 7 %, and more with credits")
        .advise("run for 60 s or more, beyond the burst")
        .to_be_sure("the same for 60 s");
    Some(Finding { remedies: vec![Remedy::again("for 60 s or more", Circumstance::Lasting)], ..finding })
}
