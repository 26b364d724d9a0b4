//! Rows of `measured.csv`: figures without names of hosts, paths or devices.

use iobound_probe::{Answer, Counts, Enforcement, Estimate};
use iobound_report::MatchingOffer;

const HEADER: &str = "id,source,url,published,measured,cloud,vm,disks,stripe,random,block,read,depth,threads,direct,duration_s,warmup_s,after_idle,figure,value,tool,unstated,regime,quote,note";

/// A row for each limit and for the latency of small reads of each target.
pub(super) fn rows(answer: &Answer, offers: &[MatchingOffer], day: &str) -> String {
    let mut text = format!("{HEADER}\n");
    let like = offers.first().map_or_else(String::new, |offer| format!("; limits like {}", offer.name));
    let mut number = 0;
    let mut add = |block: &str, depth: u32, figure: &str, value: f64, regime: &str, note: String| {
        number += 1;
        let cells = [
            format!("probe-{number:03}-{figure}"),
            "probe".into(),
            String::new(),
            String::new(),
            day.to_string(),
            String::new(),
            String::new(),
            String::new(),
            String::new(),
            "random".into(),
            block.to_string(),
            "100".into(),
            depth.to_string(),
            "1".into(),
            "yes".into(),
            format!("{:.0}", answer.cost.time.secs_f64()),
            String::new(),
            "unstated".into(),
            figure.to_string(),
            format!("{value:.0}"),
            "iobound probe".into(),
            "cloud;VM size;disk".into(),
            regime.to_string(),
            String::new(),
            note,
        ];
        text.push_str(&cells.map(|cell| quoted(&cell)).join(","));
        text.push('\n');
    };
    for limit in answer.limits.iter().filter(|limit| limit.targets.len() == 1) {
        let enforcement = match limit.enforcement {
            Enforcement::Slice { length, .. } => format!("slices of {:.1} ms", length.value * 1e3),
            Enforcement::Bucket { depth } if depth.low <= 0.0 => {
                format!("a bucket of less than {:.1} ms", depth.high * 1e3)
            }
            Enforcement::Bucket { depth } => format!("a bucket of {:.1} ms", depth.value * 1e3),
            Enforcement::Unresolved => "enforcement not resolved".into(),
        };
        let bounded = |figure: Estimate| {
            let at_least = figure.is_at_least();
            format!(
                "{}{:.0}",
                if at_least { "at least " } else { "" },
                if at_least { figure.low } else { figure.value }
            )
        };
        let burst = limit.burst.map_or_else(String::new, |burst| {
            format!("; burst of {} a second with {} credits", bounded(burst.per_second), bounded(burst.size))
        });
        let note = format!("{}; {enforcement}{burst}{like}", limit.scope.name());
        let depth = limit.evidence.ramp.last().map_or(0, |point| point.depth);
        let (block, figure) = match limit.counts {
            Counts::Ios => ("4KiB", "iops"),
            Counts::Bytes => ("256KiB", "throughput"),
        };
        add(block, depth, figure, limit.per_second.value, "limit", note);
    }
    for latency in answer.targets.iter().flat_map(|target| &target.latencies) {
        if latency.block == 4_096 && !latency.is_write {
            let note = format!("mean in ns of {} I/Os below every limit{like}", latency.count);
            add("4KiB", 1, "mean_latency", latency.mean.value * 1e9, "latency", note);
        }
    }
    text
}

/// A cell of CSV.
fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}
