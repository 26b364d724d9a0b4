//! Recognition of a file's tool by its content.

use super::reader::CloudMetrics;
use super::{Observer, count, lines};

/// Amount of a file tells whose it is.
const LOOKED: usize = 1 << 16;

/// Program that kept this, of the tools and `clouds` that are known; `None` if it is unknown.
pub fn recognise(text: &str, clouds: &[&'static CloudMetrics]) -> Option<Observer> {
    let mut end = text.len().min(LOOKED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let head = &text[..end];
    let start = head.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
    if head.contains("(PDH-CSV") || head.contains("(PDH-TSV") {
        return Some(Observer::Perfmon);
    }
    if start.starts_with(['{', '[']) {
        if head.contains("\"sysstat\"") {
            return Some(Observer::Iostat);
        }
        return clouds.iter().find(|metrics| (metrics.is_json)(head)).map(|metrics| Observer::Cloud(metrics));
    }
    lines(head).find_map(|(_, line)| of_line(line, clouds))
}

fn of_line(line: &str, clouds: &[&'static CloudMetrics]) -> Option<Observer> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let is_device = |word: Option<&&str>| word.is_some_and(|word| matches!(*word, "Device" | "Device:"));
    if words.first() == Some(&"avg-cpu:") || is_device(words.first()) || is_device(words.last()) {
        return Some(Observer::Iostat);
    }
    if is_diskstats(&words) {
        return Some(Observer::Diskstats);
    }
    let lower = line.to_lowercase();
    let has = |name: &str| lower.contains(name);
    if has("num_of_reads") || has("io_stall_read_ms") {
        return Some(Observer::SqlServer);
    }
    if let Some(metrics) = clouds.iter().find(|metrics| (metrics.is_line)(&lower)) {
        return Some(Observer::Cloud(metrics));
    }
    let is_postgres =
        has("reads") && has("writes") && (has("backend_type") || has("op_bytes") || has("read_bytes"));
    is_postgres.then_some(Observer::Postgres)
}

/// `8 0 sda` and eleven counters or more.
pub(crate) fn is_diskstats(words: &[&str]) -> bool {
    let is_count = |word: &&str| count(word).is_some();
    words.len() >= 14 && words[..2].iter().all(is_count) && words[3..].iter().all(is_count)
}
