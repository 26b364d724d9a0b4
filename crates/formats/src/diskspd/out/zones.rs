//! Offsets under `-rd`: the zones as they lie on each target.

use iobound_units::{Percent, TargetId};
use iobound_workload::{Distribution, ZoneExtent, lay_zones};

use super::page::{Markup, Page, size_in_column};
use crate::Ran;

/// The zones with I/Os of one thread on one target, in bytes from where the I/Os may begin; empty where the I/Os
/// are spread evenly.
pub(super) fn effective(ran: &Ran<'_>, thread: u16, target: TargetId) -> Vec<ZoneExtent> {
    let queues = ran.queues.iter().filter(|queue| queue.thread == thread);
    for queue in queues {
        let job = &ran.workload.jobs[usize::from(queue.job)];
        let extent = queue.extents.iter().find(|extent| extent.target == target);
        if let (Some(extent), Distribution::Zones(zones)) = (extent, &job.access.distribution) {
            // A queue whose zones do not fit is refused before the run.
            let laid = lay_zones(zones, extent.len).unwrap_or_default();
            return laid.into_iter().filter(|zone| zone.ios > Percent::ZERO).collect();
        }
    }
    Vec::new()
}

/// A target, and the threads that use it in one way.
type User<'a> = (&'a str, Vec<u16>);

/// `Effective IO Distributions`: each with the threads and targets that it was used for.
pub(super) fn distributions(page: &mut Page, ran: &Ran<'_>) {
    let mut known: Vec<(Vec<ZoneExtent>, Vec<User<'_>>)> = Vec::new();
    for part in &ran.total.cells {
        let zones = effective(ran, part.cell.thread, part.cell.target);
        if zones.is_empty() {
            continue;
        }
        let path = ran.targets[usize::from(part.cell.target.0)].path.as_str();
        let index = known.iter().position(|(other, _)| *other == zones).unwrap_or_else(|| {
            known.push((zones, Vec::new()));
            known.len() - 1
        });
        let users = &mut known[index].1;
        match users.iter_mut().find(|(other, _)| *other == path) {
            Some((_, threads)) => threads.push(part.cell.thread),
            None => users.push((path, vec![part.cell.thread])),
        }
    }
    if known.is_empty() {
        return;
    }
    page.line(format_args!("\nEffective IO Distributions\n--------------------------"));
    for (zones, users) in &known {
        for (path, threads) in users {
            page.line(format_args!("target: {path} [thread:{}]", runs(threads)));
        }
        for zone in zones {
            let start = if zone.start == 0 { "     0   ".to_string() } else { size_in_column(zone.start) };
            let end = size_in_column(zone.end);
            page.line(format_args!("   {:>3}% of IO => [{start} - {end})", percent(zone)));
        }
    }
}

/// The zones of a target as elements, with the gaps between them.
pub(super) fn element(markup: &mut Markup, zones: &[ZoneExtent]) {
    if zones.is_empty() {
        return;
    }
    markup.open("Distribution", &[]);
    markup.open("Absolute", &[]);
    let mut at = 0;
    for zone in zones {
        if zone.start > at {
            markup.marked("Range", &[("IO", &0)], zone.start - at);
        }
        markup.marked("Range", &[("IO", &percent(zone))], zone.end - zone.start);
        at = zone.end;
    }
    markup.close("Absolute");
    markup.close("Distribution");
}

/// Whole percent: `-rd` knows no others.
fn percent(zone: &ZoneExtent) -> u32 {
    zone.ios.ppm() / 10_000
}

/// Numbers with a dash for what lies between: ` 0 - 3 5`.
fn runs(threads: &[u16]) -> String {
    let mut threads = threads.to_vec();
    threads.sort_unstable();
    threads.dedup();
    threads
        .chunk_by(|a, b| a + 1 == *b)
        .map(|run| match run {
            [first, .., last] if run.len() > 2 => format!(" {first} - {last}"),
            run => run.iter().map(|thread| format!(" {thread}")).collect(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_in_a_row_are_written_as_one() {
        assert_eq!(runs(&[0]), " 0");
        assert_eq!(runs(&[1, 0]), " 0 1");
        assert_eq!(runs(&[0, 1, 2, 3, 5, 7, 8, 9]), " 0 - 3 5 7 - 9");
    }
}
