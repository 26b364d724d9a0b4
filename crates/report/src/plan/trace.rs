//! The configurations on which a trace was replayed, as a table.

use iobound_documents::{PlanReplay, PlanTrace, Quantity};
use iobound_units::{Counted, Grouped};

use super::words::vm_name;
use crate::number::{duration_text, money_text, time_text};
use crate::page::Page;
use crate::table::{Column, Table};

/// Rows on a screen: those around the cheapest that holds.
const ROWS: usize = 12;

/// Puts price against latency, and when each configuration fails.
pub(super) fn put_trace(trace: &PlanTrace, page: &mut Page) {
    page.gap();
    page.paragraph(&format!(
        "{} of {} replayed on {}, goal {}",
        Counted(trace.ios, "I/O"),
        trace.read.files.join(", "),
        Counted(trace.replayed.len() as u64, "configuration"),
        trace.goal
    ));
    let mut table = Table::new(vec![
        Column::words("configuration"),
        Column::figures("a month"),
        Column::figures("latency"),
        Column::words("goal"),
        Column::words("throttled"),
    ]);
    let first = trace.replayed.iter().position(|replay| replay.holds);
    let cheaper = &trace.replayed[..first.unwrap_or(trace.replayed.len())];
    let last = trace.replayed.iter().rposition(|replay| replay.holds).unwrap_or(trace.replayed.len());
    let (from, to) = match page.is_wide() {
        true => (0, trace.replayed.len()),
        // What is dearer than all that hold proves nothing.
        false => ((cheaper.len() + 4).saturating_sub(ROWS), (last + 1).min(trace.replayed.len())),
    };
    for replay in trace.replayed[..to].iter().skip(from).take(if page.is_wide() { usize::MAX } else { ROWS })
    {
        table.row(row(replay).into());
    }
    table.lines(page.width()).iter().for_each(|line| page.line(line));
    page.gap();
    page.paragraph(&proof(cheaper));
}

/// The replays of a plan that was interrupted, one a line; `None` if none had ended.
pub fn plan_trace_so_far(trace: &PlanTrace) -> Option<String> {
    let count = Counted(trace.replayed.len() as u64, "configuration");
    let head = format!("interrupted; the trace was replayed on {count}, goal {}:", trace.goal);
    let lines = trace.replayed.iter().map(|replay| {
        let [name, month, latency, goal, throttled] = row(replay);
        let month = if replay.month.is_some() { format!(", {month} a month") } else { String::new() };
        format!("  {name}{month}: {goal}, {latency}, throttled: {throttled}")
    });
    let text = std::iter::once(head).chain(lines).collect::<Vec<String>>().join("\n");
    (!trace.replayed.is_empty()).then_some(text)
}

/// The second in which the next cheaper configuration fails.
fn proof(cheaper: &[PlanReplay]) -> String {
    let Some(next) = cheaper.last() else {
        return "Nothing cheaper keeps the mean rate of the trace.".into();
    };
    let when = match next.fails_at_s {
        Some(at) => format!("cannot keep the goal from second {} on", Grouped(at.value() as u64)),
        None => format!("does not keep the goal ({})", time_text(next.latency_us.value())),
    };
    let by = match (&next.bound_by, next.throttled_at_s) {
        (Some(limit), Some(at)) => {
            format!("; {limit} held I/Os back in second {}", Grouped(at.value() as u64))
        }
        _ => String::new(),
    };
    format!("The next cheaper one, {}, {when}{by}.", configuration(next))
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
