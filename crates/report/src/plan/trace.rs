//! The configurations on which a trace was replayed, as a table.

use iobound_documents::{PlanReplay, PlanTrace, Quantity};
use iobound_units::Grouped;

use crate::number::{duration_text, money_text, time_text};
use crate::page::Page;
use crate::table::{Column, Table};

/// Rows on a screen: those around the cheapest that holds.
const ROWS: usize = 12;

/// Puts price against latency, and when each configuration fails.
pub(super) fn put_trace(trace: &PlanTrace, page: &mut Page) {
    page.gap();
    page.paragraph(&format!(
        "{} I/Os of {} replayed on {} configurations, goal {}",
        Grouped(trace.ios),
        trace.read.files.join(", "),
        trace.replayed.len(),
        trace.goal
    ));
    let mut table = Table::new(vec![
        Column::words("configuration"),
        Column::figures("a month"),
        Column::figures("latency"),
        Column::words("goal"),
        Column::words("throttled"),
    ]);
    let holds = trace.replayed.iter().position(|replay| replay.holds).unwrap_or(trace.replayed.len());
    let from = if page.is_wide() { 0 } else { (holds + 4).saturating_sub(ROWS) };
    let most = if page.is_wide() { usize::MAX } else { ROWS };
    for replay in trace.replayed.iter().skip(from).take(most) {
        table.row(row(replay));
    }
    table.lines(page.width()).iter().for_each(|line| page.line(line));
}

fn row(replay: &PlanReplay) -> Vec<String> {
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
    vec![
        format!("{} {}", replay.vm, replay.disks.join(" ")),
        replay.month.map_or("-".into(), |month| money_text(month.value())),
        time_text(replay.latency_us.value()),
        goal,
        if throttled.is_empty() { "never".into() } else { throttled.join(", ") },
    ]
}
