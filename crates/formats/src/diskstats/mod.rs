//! Samples of Linux' `/proc/diskstats`, of 14, 18 and 20 fields (Documentation/admin-guide/iostats.rst of the kernel).
//!
//! A sample has each device once. What tells the time stands in a line before each sample, or after each: `date`,
//! `date +%s`, `cat /proc/uptime`; else the caller says the interval.

use std::collections::BTreeMap;

use iobound_units::{Counted, Span};

use crate::error::{At, Trouble};
use crate::observation::{
    Clock, DEVICES, Direction, Fold, Gone, INTERVALS, KEPT, Observation, ObservedFile, Observer, Reading,
    agreed, count, is_diskstats, lines, linux_kind, span, whole, wrapped,
};

/// The counters of a line after its name, by their place.
const COUNTERS: usize = 17;
const READS: usize = 0;
const SECTORS_READ: usize = 2;
const MS_READ: usize = 3;
const WRITES: usize = 4;
const SECTORS_WRITTEN: usize = 6;
const MS_WRITE: usize = 7;
/// The one that is no counter: I/Os under way.
const IN_FLIGHT: usize = 8;
const MS_BUSY: usize = 9;
const MS_WEIGHTED: usize = 10;
const MS_DISCARD: usize = 14;
const FLUSHES: usize = 15;
const MS_FLUSH: usize = 16;
/// A sector of the counters, whatever the device's own are.
const SECTOR: f64 = 512.0;
/// More I/Os a second than any device does: a counter that seems to have wrapped was reset.
const MOST_IOS_PER_S: f64 = 1e8;

const TWO: &str = "take two samples: `date +%s; cat /proc/diskstats; sleep 60; date +%s; cat /proc/diskstats`, in one file or two";

#[derive(Clone, Copy, Debug)]
struct StatLine {
    at: At,
    counters: [u64; COUNTERS],
}

#[derive(Clone, Debug, Default)]
struct DiskSample {
    at: At,
    clock: Option<Clock>,
    devices: BTreeMap<String, StatLine>,
}

/// Reads the samples of all files, in order.
pub(crate) fn read(
    files: &[ObservedFile<'_>],
    interval: Option<Span>,
    trouble: &mut Trouble,
) -> Option<Observation> {
    let mut samples: Vec<DiskSample> = Vec::new();
    let mut notes = Vec::new();
    for (source, file) in files.iter().enumerate() {
        samples.extend(samples_of(file.text, source, &mut notes, trouble)?);
    }
    if samples.len() < 2 {
        let what = match samples.len() {
            0 => "the file has no line of /proc/diskstats".to_string(),
            _ => "there is only one sample, and its counters cover the time since the machine started"
                .to_string(),
        };
        trouble.add(whole(0), what, TWO);
        return None;
    }
    let mut fold = Fold::new(true);
    let mut added = Vec::new();
    for pair in samples.windows(2) {
        let [before, after] = pair else { continue };
        let told = before.clock.zip(after.clock).and_then(|(before, after)| before.until(after));
        let Some(seconds) = agreed(interval, told, after.at, trouble) else {
            if trouble.is_empty() {
                trouble.add(
                    after.at,
                    "the time since the previous sample is unknown",
                    "add --interval 60s, or put `date +%s` before each sample",
                );
            }
            return None;
        };
        let readings = readings(before, after, seconds, &mut added, &mut notes, trouble)?;
        fold.interval(seconds, readings);
        if fold.devices() > DEVICES || fold.intervals() > INTERVALS || fold.kept() > KEPT {
            let help = "cut the file to the time to explain";
            trouble.add(after.at, "the file has too many devices or samples", help);
            return None;
        }
    }
    added.sort();
    added.dedup();
    if !added.is_empty() {
        notes.push(format!(
            "left out because they appeared or disappeared between two samples: {}",
            added.join(", ")
        ));
    }
    let (duration, starts_s) = (fold.seconds().and_then(span), fold.starts_s());
    let of = duration.map_or(String::new(), |duration| format!(", {duration} from the first to the last"));
    notes.push(format!("{}{of}", Counted(samples.len() as u64, "sample")));
    Some(Observation {
        observer: Observer::Diskstats,
        devices: fold.finish(true, linux_kind),
        duration,
        starts_s,
        cpu: None,
        iowait: None,
        buffered: None,
        consumed: Vec::new(),
        held: Vec::new(),
        notes,
    })
}

/// The samples of a text: a device that is there already begins another one, and so does a time.
fn samples_of(
    text: &str,
    source: usize,
    notes: &mut Vec<String>,
    trouble: &mut Trouble,
) -> Option<Vec<DiskSample>> {
    let mut samples: Vec<DiskSample> = Vec::new();
    // Times in the order they stand in, each with how many samples came before.
    let mut clocks: Vec<(usize, Clock)> = Vec::new();
    let (mut begins, mut short) = (true, 0u64);
    for (offset, line) in lines(text) {
        let words: Vec<&str> = line.trim_start_matches('\u{feff}').split_whitespace().collect();
        let at = At { source, at: offset, len: line.len().max(1) };
        if !is_diskstats(&words) {
            if let Some(clock) = Clock::read(line) {
                clocks.push((samples.len(), clock));
                begins = true;
            } else if words.len() > 3 && words[..2].iter().all(|word| count(word).is_some()) {
                // Kernels before 2.6.25 told four counters of a partition.
                if words.len() == 7 {
                    short += 1;
                    continue;
                }
                let what = format!("the line has {} fields instead of 14, 18 or 20", words.len());
                trouble.add(at, what, "give /proc/diskstats completely");
            }
            continue;
        }
        let mut counters = [0; COUNTERS];
        for (counter, word) in counters.iter_mut().zip(&words[3..]) {
            *counter = count(word)?;
        }
        let repeats = samples.last().is_some_and(|sample| sample.devices.contains_key(words[2]));
        if begins || repeats {
            samples.push(DiskSample { at, ..DiskSample::default() });
            begins = false;
        }
        let Some(sample) = samples.last_mut() else { continue };
        sample.devices.insert(words[2].to_string(), StatLine { at, counters });
        if sample.devices.len() > DEVICES || samples.len() > INTERVALS + 1 {
            let help = "cut the file to the time to explain";
            trouble.add(at, "the file has too many devices or samples", help);
            return None;
        }
    }
    if short > 0 {
        notes.push(format!("lines of partitions skipped, because they have only four counters: {short}"));
    }
    // A time that nothing follows is told after its sample, as all of them are then.
    let is_after = clocks.first().is_some_and(|(before, _)| *before > 0);
    for (before, clock) in clocks {
        let index = if is_after { before.checked_sub(1) } else { Some(before) };
        if let Some(sample) = index.and_then(|index| samples.get_mut(index)) {
            sample.clock = Some(clock);
        }
    }
    trouble.is_empty().then_some(samples)
}

/// Differences between two samples.
fn readings(
    before: &DiskSample,
    after: &DiskSample,
    seconds: f64,
    added: &mut Vec<String>,
    notes: &mut Vec<String>,
    trouble: &mut Trouble,
) -> Option<Vec<Reading>> {
    let gone = before.devices.keys().filter(|name| !after.devices.contains_key(*name));
    added.extend(gone.cloned());
    let mut readings = Vec::new();
    for (name, line) in &after.devices {
        let Some(earlier) = before.devices.get(name) else {
            added.push(name.clone());
            continue;
        };
        let mut delta = [0u64; COUNTERS];
        let mut has_wrapped = false;
        for index in (0..COUNTERS).filter(|index| *index != IN_FLIGHT) {
            match wrapped(earlier.counters[index], line.counters[index]) {
                Ok(difference) => {
                    delta[index] = difference.count;
                    has_wrapped |= difference.wrapped;
                }
                Err(Gone::Down) => {
                    restarted(name, line.at, trouble);
                    return None;
                }
            }
        }
        if (delta[READS] as f64).max(delta[WRITES] as f64) / seconds > MOST_IOS_PER_S {
            restarted(name, line.at, trouble);
            return None;
        }
        if has_wrapped {
            notes.push(format!("{name}: a counter wrapped around between two samples; this is corrected"));
        }
        let busy = delta[MS_BUSY] as f64 / 1e3;
        // What is counted in ticks of up to 10 ms may be off by some of them.
        if busy > 1.02 * seconds + 0.1 {
            trouble.add(
                line.at,
                format!(
                    "{name} was busy for {busy:.1} s, but only {seconds:.1} s are given between the samples"
                ),
                "give the real time between the samples",
            );
            return None;
        }
        readings.push(reading(name, &delta, seconds));
    }
    Some(readings)
}

fn restarted(name: &str, at: At, trouble: &mut Trouble) {
    trouble.add(
        at,
        format!("{name}: a counter is smaller than in the previous sample"),
        "give the samples in order of time, both since the last start of the machine",
    );
}

fn reading(name: &str, delta: &[u64; COUNTERS], seconds: f64) -> Reading {
    let side = |ios: usize, sectors: usize, ms: usize| Direction {
        ios_per_s: Some(delta[ios] as f64 / seconds),
        bytes_per_s: Some(delta[sectors] as f64 * SECTOR / seconds),
        latency_us: (delta[ios] > 0).then(|| delta[ms] as f64 * 1e3 / delta[ios] as f64),
    };
    let held = |ms: usize| delta[ms] as f64 / (seconds * 1e3);
    Reading {
        read: side(READS, SECTORS_READ, MS_READ),
        write: side(WRITES, SECTORS_WRITTEN, MS_WRITE),
        queue: Some(held(MS_WEIGHTED)),
        others_queue: held(MS_DISCARD) + held(MS_FLUSH),
        // Kernels before 5.5 do not count them.
        flushes_per_s: (delta[FLUSHES] > 0).then(|| delta[FLUSHES] as f64 / seconds),
        // Each counter of time is rounded to a ms.
        rounding: 5e-3 / seconds,
        ..Reading::new(name)
    }
}
