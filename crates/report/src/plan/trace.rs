//! The configurations on which a trace was replayed, as a table.

use iobound_documents::{PlanReplay, PlanTrace, Quantity};
use iobound_plan::Plan;
use iobound_units::{Counted, Grouped};

use super::words::vm_name;
use crate::number::{duration_text, money_text, time_text};
use crate::page::Page;
use crate::table::{Column, Table};
use crate::trace::remarks;

/// Rows on a screen: those around the cheapest that holds.
const ROWS: usize = 12;

/// Puts price against latency, and when each configuration fails.
pub(super) fn put_trace(trace: &PlanTrace, plan: &Plan, page: &mut Page) {
    page.gap();
    page.paragraph(&format!(
        "{} of {} replayed on {}, each with full burst credits at the start, goal {}",
        Counted(trace.ios, "I/O"),
        trace.read.files.join(", "),
        Counted(trace.replayed.len() as u64, "configuration"),
        trace.goal
    ));
    for (label, remark) in remarks(&trace.read) {
        page.labelled(label, &remark);
    }
    let mut table = Table::new(vec![
        Column::words("configuration"),
        Column::figures("a month"),
        Column::figures("latency"),
        Column::words("goal"),
        Column::words("throttled"),
    ]);
    let first = trace.replayed.iter().position(|replay| replay.holds && !replay.below_mean_rate);
    let cheaper = first.unwrap_or(trace.replayed.len());
    let last = trace.replayed.iter().rposition(|replay| replay.holds).unwrap_or(trace.replayed.len());
    let (from, to) = match page.is_wide() {
        true => (0, trace.replayed.len()),
        // What is dearer than all that hold proves nothing.
        false => ((cheaper + 4).saturating_sub(ROWS), (last + 1).min(trace.replayed.len())),
    };
    for replay in trace.replayed[..to].iter().skip(from).take(if page.is_wide() { usize::MAX } else { ROWS })
    {
        table.row(row(replay).into());
    }
    table.lines(page.width()).iter().for_each(|line| page.line(line));
    page.gap();
    page.paragraph(&proof(trace, first, plan));
}

/// The second in which the next cheaper configuration fails, or the reason why none is shown. `first` is the cheapest that holds.
fn proof(trace: &PlanTrace, first: Option<usize>, plan: &Plan) -> String {
    let interrupted = plan.interrupted;
    let cheaper = &trace.replayed[..first.unwrap_or(trace.replayed.len())];
    // A configuration of the same price is no cheaper one. One that stands for weaker ones has no price of its own.
    let price = first.and_then(|first| trace.replayed[first].month).map(|month| month.value());
    let is_cheaper =
        |replay: &&PlanReplay| replay.month.zip(price).is_none_or(|(month, price)| month.value() < price);
    let Some(next) = cheaper.iter().rev().find(is_cheaper) else {
        return match (interrupted, first) {
            (true, _) => "Interrupted: no cheaper configuration had been replayed by then.",
            (false, Some(_)) => "The terms allow no cheaper configuration.",
            (false, None) if plan.is_cut_short => {
                "No configuration that was simulated keeps the goal; others may."
            }
            (false, None) => "No configuration keeps the goal.",
        }
        .into();
    };
    let lead = match (first, interrupted) {
        (None, true) => "No configuration has kept the goal so far. The last one in the table",
        (None, false) if plan.is_cut_short => {
            "No configuration that was simulated keeps the goal; others may. The last one in the table"
        }
        (None, false) => "No configuration keeps the goal. The last one in the table",
        (Some(_), true) => "The next cheaper one that was replayed",
        (Some(_), false) if next.below_mean_rate => {
            "Nothing cheaper has published limits for the mean rate of the trace with the headroom (--headroom). The next cheaper one"
        }
        (Some(_), false) => "The next cheaper one",
    };
    let when = match next.fails_at_s {
        _ if next.holds => {
            "keeps the goal in this replay all the same, which begins with full burst credits".into()
        }
        Some(at) => format!("cannot keep the goal from second {} on", Grouped(at.value() as u64)),
        None => format!("does not keep the goal ({})", time_text(next.latency_us.value())),
    };
    let by = match (&next.bound_by, next.throttled_at_s) {
        (Some(limit), Some(at)) => {
            format!("; {limit} held I/Os back in second {}", Grouped(at.value() as u64))
        }
        _ => String::new(),
    };
    format!("{lead}, {}, {when}{by}.", configuration(next))
}

/// A configuration in words: disks without what is the default.
fn configuration(replay: &PlanReplay) -> String {
    let disks: Vec<&str> = replay
        .disks
        .iter()
        .map(|disk| {
            let disk =
                if replay.disks.len() == 1 { disk.strip_prefix("data=").unwrap_or(disk) } else { disk };
            disk.strip_suffix(":none").unwrap_or(disk)
        })
        .collect();
    let vm = if replay.weaker_fail_too { "any VM" } else { vm_name(&replay.vm) };
    format!("{vm} with {}", disks.join(" "))
}

fn row(replay: &PlanReplay) -> [String; 5] {
    let seconds = |at: f64| format!("second {}", Grouped(at as u64));
    let goal = match (replay.holds, replay.fails_at_s) {
        (true, _) => "holds".to_string(),
        (false, Some(at)) => format!("fails in {}", seconds(at.value())),
        (false, None) => "fails".to_string(),
    };
    let mut throttled: Vec<String> = Vec::new();
    if let Some(at) = replay.throttled_at_s {
        let by = replay.bound_by.as_deref().map_or(String::new(), |limit| format!(" by {limit}"));
        throttled.push(format!("{}{by}", seconds(at.value())));
    }
    throttled.extend(
        replay
            .credits
            .iter()
            .map(|credits| format!("credits spent after {}", duration_text(credits.at_s.value()))),
    );
    [
        configuration(replay),
        replay.month.map_or("-".into(), |month| money_text(month.value())),
        time_text(replay.latency_us.value()),
        goal,
        if throttled.is_empty() { "never".into() } else { throttled.join(", ") },
    ]
}
