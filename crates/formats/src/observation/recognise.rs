//! Recognition of a file's tool by its content.

use super::{Observer, count, lines};

/// Amount of a file tells whose it is.
const LOOKED: usize = 1 << 16;

/// Program that kept this; `None` if it is unknown.
pub fn recognise(text: &str) -> Option<Observer> {
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
        let has = |key: &str| head.contains(key);
        return match () {
            () if has("\"sysstat\"") => Some(Observer::Iostat),
            () if has("\"timeSeries\"") || has("compute.googleapis.com/instance/disk") => {
                Some(Observer::CloudMonitoring)
            }
            () if has("\"timeseries\"") || has("Microsoft.Insights/metrics") => Some(Observer::AzureMonitor),
            () => None,
        };
    }
    lines(head).find_map(|(_, line)| of_line(line))
}

fn of_line(line: &str) -> Option<Observer> {
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
    match () {
        () if has("num_of_reads") || has("io_stall_read_ms") => Some(Observer::SqlServer),
        () if has("_ops_count") || has("compute.googleapis.com/instance/disk") => {
            Some(Observer::CloudMonitoring)
        }
        () if has("reads")
            && has("writes")
            && (has("backend_type") || has("op_bytes") || has("read_bytes")) =>
        {
            Some(Observer::Postgres)
        }
        () if has("consumed percentage")
            || has("operations/sec")
            || has("data disk ")
            || has("os disk ")
            || has("burst io credits")
            || has("burst bps credits") =>
        {
            Some(Observer::AzureMonitor)
        }
        () => None,
    }
}

/// `8 0 sda` and eleven counters or more.
pub(crate) fn is_diskstats(words: &[&str]) -> bool {
    let is_count = |word: &&str| count(word).is_some();
    words.len() >= 14 && words[..2].iter().all(is_count) && words[3..].iter().all(is_count)
}
