//! The limits of a replay: their use, and the one that held I/Os back longest.

use iobound_documents::{LimitUnit, Quantity, ReplayDocument, ReplayLimit, Share};
use iobound_model::Dimension;
use iobound_predict::ReplayLimit as SimulatedLimit;

use crate::limit::{family_title, limit_figure};
use crate::number::{duration_text, percent_text, time_text};
use crate::page::Page;
use crate::predict::limiter_part;
use crate::table::{Column, Table};

/// A limit that is used less than this in its busiest second is left to `--wide`, unless few are left.
const LITTLE: f64 = 0.05;
/// Further limits that held I/Os back.
const OTHERS: usize = 4;

/// A limit as a part of the document.
pub(super) fn limit_part(of: &SimulatedLimit) -> ReplayLimit {
    ReplayLimit { limiter: limiter_part(&of.limit), peak_share: Share::with_decimals(of.peak, 4) }
}

/// The limit that held I/Os back longest, the others, and the table of all limits.
pub(super) fn put_limits(page: &mut Page, document: &ReplayDocument) {
    let of = duration_text(document.duration_s.value());
    let mut bounds = document.bound_by.iter().map(|bound| {
        format!("{} in windows that add up to {} of {of}", bound.limit, duration_text(bound.seconds.value()))
    });
    page.stressed("BOUND BY", &bounds.next().unwrap_or_else(|| "nothing: no limit held I/Os back".into()));
    bounds.take(OTHERS).for_each(|bound| page.labelled("", &bound));
    let mut limits: Vec<&ReplayLimit> = document.limits.iter().collect();
    if !page.is_wide() {
        let used = limits.iter().filter(|limit| limit.peak_share.value() >= LITTLE).count();
        limits.truncate(used.max(2));
    }
    if limits.is_empty() {
        return;
    }
    page.gap();
    let mut columns = vec![Column::words("limit")];
    columns.extend(["published", "enforced", "used", "busiest second"].map(Column::figures));
    if page.is_wide() {
        columns.push(Column::figures("held an I/O"));
    }
    let mut table = Table::new(columns);
    for ReplayLimit { limiter, peak_share } in &limits {
        let dimension = match limiter.unit {
            LimitUnit::Iops => Dimension::Ios,
            LimitUnit::BytesPerS => Dimension::Bytes,
        };
        let mut cells = vec![
            family_title(&limiter.name, limiter.of.as_deref(), limiter.count as usize),
            limit_figure(limiter.burst.unwrap_or(limiter.limit).value(), dimension),
            limit_figure(limiter.enforced.value(), dimension),
            percent_text(limiter.share.value()),
            percent_text(peak_share.value()),
        ];
        if page.is_wide() {
            cells.push(time_text(limiter.held_us.value()));
        }
        table.row(cells);
    }
    table.put(page);
    let left = document.limits.len() - limits.len();
    if left > 0 {
        let are = if left == 1 { "limit is" } else { "limits are" };
        page.line(&format!(
            "  {left} more {are} used less than {} in any second: --wide",
            percent_text(LITTLE)
        ));
    }
}
