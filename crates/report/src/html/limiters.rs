//! The limits of a document: as a stack, as a table, and as levels of IOPS and throughput.

use serde_json::Value;

use super::markup::Markup;
use super::picture::{Limiter, stack};
use super::table::{HtmlTable, TableOf};
use super::unit::{Cell, Unit};
use super::value::{at, list, number, text};
use crate::limit::family_title;
pub(super) use crate::limit::{binding_words, with_names};

/// Share at which a limit counts as full in an interval: as `explain` has it.
pub(super) const FULL: f64 = 0.95;

/// A limit's title: `disks IOPS`, `VM uncached MB/s`.
pub(super) fn title(limiter: &Value) -> String {
    let count = at(limiter, "count").as_u64().unwrap_or(1) as usize;
    let title = family_title(text(limiter, "name"), at(limiter, "of").as_str(), count);
    if is_bytes(limiter) { format!("{title} MB/s") } else { title }
}

fn is_bytes(limiter: &Value) -> bool {
    text(limiter, "unit") == "bytes_per_s"
}

fn unit(limiter: &Value) -> Unit {
    if is_bytes(limiter) { Unit::Throughput } else { Unit::Count }
}

/// The bindings of a list, in words.
pub(super) fn bindings_words(value: &Value, path: &str) -> String {
    let words: Vec<String> = list(value, path).iter().filter_map(Value::as_str).map(binding_words).collect();
    words.join(" and ")
}

/// The limiters of a prediction as a picture, where there are any.
pub(super) fn stack_of(prediction: &Value, top: &str, bottom: &str) -> Option<Markup> {
    let of_document = list(prediction, "limits");
    let binding: Vec<&str> = list(prediction, "bindings").iter().filter_map(Value::as_str).collect();
    let limiters: Vec<Limiter> = of_document
        .iter()
        .map(|limiter| Limiter {
            title: title(limiter),
            enforced: number(limiter, "enforced")
                .map_or_else(String::new, |value| unit(limiter).shown(value)),
            share: number(limiter, "share").unwrap_or(0.0),
            held_us: number(limiter, "held_us").unwrap_or(0.0),
            seen: number(limiter, "seen"),
            binds: binding.contains(&text(limiter, "name")),
        })
        .collect();
    let waits = limiters.iter().max_by(|one, other| one.held_us.total_cmp(&other.held_us))?;
    let label = format!(
        "The stack: {}. I/Os wait longest at {}, {} on average.",
        limiters
            .iter()
            .map(|limiter| format!("{} {} used", limiter.title, Unit::Share.shown(limiter.share)))
            .collect::<Vec<String>>()
            .join(", "),
        waits.title,
        Unit::Us.shown(waits.held_us)
    );
    Some(stack(top, &limiters, bottom, &label))
}

/// The keys of a table of limiters, where they stand in the document.
pub(super) struct LimiterKeys {
    pub(super) name: &'static str,
    pub(super) count: &'static str,
    pub(super) limit: &'static str,
    pub(super) enforced: &'static str,
    pub(super) used: &'static str,
    pub(super) share: &'static str,
    pub(super) held: &'static str,
    /// Of documents that say what was seen.
    pub(super) seen: Option<&'static str>,
}

/// Keys of limiters below a part of a document.
macro_rules! limiter_keys {
    ($part:literal, $seen:expr) => {
        LimiterKeys {
            name: concat!($part, "limits[].name"),
            count: concat!($part, "limits[].count"),
            limit: concat!($part, "limits[].limit"),
            enforced: concat!($part, "limits[].enforced"),
            used: concat!($part, "limits[].used"),
            share: concat!($part, "limits[].share"),
            held: concat!($part, "limits[].held_us"),
            seen: $seen,
        }
    };
}

/// Those of a prediction.
pub(super) const OF_PREDICT: LimiterKeys = limiter_keys!("", None);
/// Those of the prediction beside a run.
pub(super) const OF_RUN: LimiterKeys = limiter_keys!("predicted.", None);
/// Those of the stacks of an explanation.
pub(super) const OF_EXPLAIN: LimiterKeys = limiter_keys!("stacks[].", Some("stacks[].limits[].seen"));
/// Those of a row of the lab.
pub(super) const OF_LAB: LimiterKeys = limiter_keys!("runs[].", None);

/// The table of the limiters.
pub(super) fn table_of(prediction: &Value, schema: &'static str, keys: &LimiterKeys) -> HtmlTable {
    let amount = |limiter: &Value, key: &str| Cell::figure(at(limiter, key), unit(limiter));
    let caption = "Limits, their use, and the time that they delay an I/O";
    let table = TableOf::new(schema, caption, list(prediction, "limits"))
        .cell("limit", keys.name, |limiter| Cell::Text(title(limiter)))
        .figure("limiters", keys.count, Unit::Count)
        .cell("published", keys.limit, |limiter| amount(limiter, "limit"))
        .cell("enforced", keys.enforced, |limiter| amount(limiter, "enforced"))
        .cell("used", keys.used, |limiter| amount(limiter, "used"))
        .figure("share", keys.share, Unit::Share)
        .figure("held an I/O", keys.held, Unit::Us);
    let table = match keys.seen {
        Some(seen) => table.figure("observed share", seen, Unit::Share),
        None => table,
    };
    table.done()
}

/// A limit as a level of the whole: the IOPS and throughput at which it is full with these I/Os.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Level {
    pub(super) title: String,
    /// True if it counts bytes.
    pub(super) is_bytes: bool,
    pub(super) iops: f64,
    pub(super) throughput: f64,
}

/// The levels of a prediction's limits: what was expected, ÷ the share of the limit that it took. A limit that counts an
/// I/O several times, that only some of the I/Os pass, or that one of several disks fills first is so at its true place.
pub(super) fn levels(prediction: &Value) -> Vec<Level> {
    let iops = number(prediction, "expected.iops").filter(|iops| *iops > 0.0);
    let throughput = number(prediction, "expected.throughput_bytes_per_s");
    let (Some(iops), Some(throughput)) = (iops, throughput) else { return Vec::new() };
    list(prediction, "limits")
        .iter()
        .filter_map(|limiter| {
            let share = number(limiter, "share").filter(|share| *share > 0.001)?;
            // The document rounds shares; where all limiters of the kind are alike, the quotient is exact.
            let exact = number(limiter, "used")
                .zip(number(limiter, "enforced"))
                .map(|(used, enforced)| used / enforced);
            let share = exact.filter(|exact| (exact - share).abs() < 1e-4).unwrap_or(share);
            Some(Level {
                title: title(limiter),
                is_bytes: is_bytes(limiter),
                iops: iops / share,
                throughput: throughput / share,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_limit_is_full_where_what_passes_it_fills_it() {
        // 32 KiB reads, half of which a cache holds: 1,000 expected, 500 reach the disk, whose limit is 5,000.
        let prediction = json!({
            "expected": { "iops": 1_000, "throughput_bytes_per_s": 32_768_000 },
            "limits": [
                { "name": "disk.iops", "count": 1, "unit": "iops", "enforced": 5_000, "used": 500, "share": 0.1 },
                { "name": "vm.cached.throughput", "count": 1, "unit": "bytes_per_s", "share": 0 },
            ],
        });
        let levels = levels(&prediction);
        assert_eq!(levels.len(), 1);
        assert_eq!((levels[0].title.as_str(), levels[0].iops), ("disk IOPS", 10_000.0));
        assert!(!levels[0].is_bytes);
    }

    #[test]
    fn bindings_are_words() {
        for (binding, words) in [
            ("disk.iops", "disk IOPS"),
            ("vm.cached.throughput", "VM cached throughput"),
            ("queue_depth", "queue depth"),
            ("unknown", "nothing known"),
        ] {
            assert_eq!(binding_words(binding), words);
        }
    }
}
