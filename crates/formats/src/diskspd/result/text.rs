//! The text form.

use iobound_measure::result::{Processor, Start};

use super::found::{Amounts, Found, FoundLatency, FoundRow, READ, TOTAL, WRITE};
use super::number::{count, figure, known};
use super::table::{Cells, ColumnNames, PlacedLine, after, lines};
use crate::date::rfc3339;
use crate::error::{At, Trouble};

/// Request of a time span.
#[derive(Default)]
struct SpanRequest {
    warmup_s: Option<f64>,
    seed: Option<u64>,
    bucket_ms: Option<f64>,
    pool: Option<(u64, u64)>,
    /// Outstanding I/Os and threads of each target.
    targets: Vec<(u64, u64)>,
}

impl SpanRequest {
    fn requested(&self) -> Option<u64> {
        let sum =
            |each: &dyn Fn(&(u64, u64)) -> u64| self.targets.iter().map(each).fold(0u64, u64::saturating_add);
        let requested = match self.pool {
            Some((threads, requests)) if requests > 0 => threads.saturating_mul(requests),
            Some((threads, _)) => threads.saturating_mul(sum(&|target| target.0)),
            None => sum(&|target| target.0.saturating_mul(target.1)),
        };
        Some(requested).filter(|n| *n > 0)
    }
}

/// Section being read.
enum Inside {
    Nothing,
    /// A table of I/O: which of the three, and its columns.
    Table(usize, ColumnNames),
    Cpu(ColumnNames),
    /// A distribution: of a target, or of all.
    Latency(Option<String>, ColumnNames),
}

struct TextReader<'t> {
    trouble: &'t mut Trouble,
    asked: Vec<SpanRequest>,
    start: Start,
    online: Option<u32>,
    found: Vec<Found>,
    inside: Inside,
    section: Option<usize>,
    /// The last line that said something: the title of a distribution stands above it.
    title: String,
    done: bool,
}

/// Reads a text; `None` with at least one problem.
pub(super) fn read(text: &str, source: usize, trouble: &mut Trouble) -> Option<Vec<Found>> {
    let start = Start::default();
    let mut reader = TextReader {
        trouble,
        asked: Vec::new(),
        start,
        online: None,
        found: Vec::new(),
        inside: Inside::Nothing,
        section: None,
        title: String::new(),
        done: false,
    };
    for line in lines(text, source) {
        if !reader.done && !reader.trouble.is_full() {
            reader.line(line);
        }
    }
    reader.finish(At { source, at: 0, len: 1 })
}

impl TextReader<'_> {
    fn line(&mut self, line: PlacedLine<'_>) {
        if line.text.is_empty() {
            self.inside = Inside::Nothing;
            return;
        }
        if line.text.bytes().all(|b| b == b'-' || b == b'*') {
            return;
        }
        if line.text == "Totals:" {
            // The sums over all time spans, which each has for itself.
            self.done = true;
        } else if line.text.starts_with("Results for timespan") {
            self.found.push(Found::default());
            self.section = None;
        } else if line.text.contains("%-ile") {
            let target = self.title.strip_suffix(':').map_or(Some(self.title.as_str()), |title| {
                (!matches!(title, "total" | "Total latency distribution")).then_some(title)
            });
            let target =
                target.map(|t| t.strip_prefix("Latency distribution:").unwrap_or(t).trim().to_string());
            self.inside = Inside::Latency(target, ColumnNames::of(line.text));
        } else if line.text.contains("CPU |") && line.text.contains("Usage") {
            self.inside = Inside::Cpu(ColumnNames::of(line.text));
        } else if let (Some(section), true) = (self.section, line.text.starts_with("thread |")) {
            self.inside = Inside::Table(section, ColumnNames::of(line.text));
        } else if matches!(self.inside, Inside::Nothing) {
            self.statement(line);
        } else {
            self.row(line);
        }
        self.title = line.text.to_string();
    }

    /// A line outside of the tables.
    fn statement(&mut self, line: PlacedLine<'_>) {
        let PlacedLine { text, at } = line;
        match text {
            "Total IO" => self.section = Some(TOTAL),
            "Read IO" => self.section = Some(READ),
            "Write IO" => self.section = Some(WRITE),
            _ => {}
        }
        if let Some(found) = self.found.last_mut() {
            if let Some(seconds) = after(text, "actual test time:") {
                found.seconds = figure(seconds.trim_end_matches('s'), "actual test time", at, self.trouble);
            } else if let Some(count) = after(text, "proc count:") {
                self.online = self.online.or(count.parse().ok());
            }
            found.interrupted |= text.contains("was interrupted before the measurements");
            return;
        }
        if let Some(command) = after(text, "Command Line:") {
            self.start.command = Some(command.to_string()).filter(|command| !command.is_empty());
        } else if let Some(host) = after(text, "computer name:") {
            self.start.host = Some(host.to_string()).filter(|host| !host.is_empty());
        } else if let Some(at) = after(text, "start time:") {
            self.start.at = rfc3339(at, "Z");
        } else if let Some(count) = after(text, "cpu count:") {
            self.online = count.parse().ok();
        } else {
            self.parameter(line);
        }
    }

    /// A line of the input parameters.
    fn parameter(&mut self, line: PlacedLine<'_>) {
        let PlacedLine { text, at } = line;
        if after(text, "timespan:").is_some() {
            self.asked.push(SpanRequest::default());
        }
        let Some(asked) = self.asked.last_mut() else { return };
        let trouble = &mut *self.trouble;
        if let Some(seconds) = after(text, "warm up time:") {
            asked.warmup_s = figure(seconds.trim_end_matches('s'), "warm up time", at, trouble);
        } else if let Some(seed) = after(text, "random seed:") {
            asked.seed = count(seed, "random seed", at, trouble);
        } else if let Some(ms) = after(text, "gathering IOPS at intervals of") {
            asked.bucket_ms = figure(ms.trim_end_matches("ms"), "interval", at, trouble);
        } else if let Some(threads) = after(text, "thread pool with") {
            let threads = count(threads.trim_end_matches("threads").trim(), "threads", at, trouble);
            asked.pool = threads.map(|threads| (threads, 0));
        } else if text.starts_with("path:") {
            asked.targets.push((0, 1));
        } else if let Some(threads) = after(text, "threads per file:") {
            if let (Some(threads), Some(target)) =
                (count(threads, "threads per file", at, trouble), asked.targets.last_mut())
            {
                target.1 = threads;
            }
        } else if let Some((_, requests)) = text
            .split_once(':')
            .filter(|(label, _)| label.starts_with("number of outstanding I/O operations"))
        {
            let Some(requests) = count(requests.trim(), "outstanding I/O operations", at, trouble) else {
                return;
            };
            match (asked.targets.last_mut(), &mut asked.pool) {
                (Some(target), _) => target.0 = requests,
                (None, Some(pool)) => pool.1 = requests,
                (None, None) => {}
            }
        }
    }

    /// A line of the table that is open.
    fn row(&mut self, line: PlacedLine<'_>) {
        let Some(found) = self.found.last_mut() else { return };
        match &self.inside {
            Inside::Nothing => {}
            Inside::Table(section, columns) => {
                io_row(found, *section, columns, line, self.trouble);
            }
            Inside::Cpu(columns) => {
                if let Some(processor) = processor(&columns.row(line.text), line.at, self.trouble) {
                    found.cpu.get_or_insert_default().processors.push(processor);
                }
            }
            Inside::Latency(target, columns) => {
                let cells = columns.row(line.text);
                let Some(percentile) = cells.get("%-ile").and_then(percentile) else { return };
                let ms = ["Total (ms)", "Read (ms)", "Write (ms)"]
                    .map(|name| cells.get(name).and_then(|text| known(text, name, line.at, self.trouble)));
                let distribution = match target {
                    None => &mut found.latencies,
                    Some(target) => match found.by_target.iter().position(|(known, _)| known == target) {
                        Some(index) => &mut found.by_target[index].1,
                        None => {
                            found.by_target.push((target.clone(), FoundLatency::default()));
                            &mut found.by_target.last_mut().expect("just pushed").1
                        }
                    },
                };
                distribution.0.push((percentile, ms));
            }
        }
    }

    fn finish(self, whole: At) -> Option<Vec<Found>> {
        let TextReader { trouble, asked, start, online, mut found, .. } = self;
        let help = "give the complete output of `diskspd -Rtext` or `diskspd -Rxml`";
        if found.is_empty() {
            trouble.add(whole, "not a result of DiskSpd: `Results for timespan` is missing", help);
            return None;
        }
        for (index, found) in found.iter_mut().enumerate() {
            found.start = start.clone();
            if let Some(asked) = asked.get(index) {
                found.start.warmup_s = asked.warmup_s;
                found.start.seed = asked.seed;
                found.start.interval_s = asked.bucket_ms.map(|ms| ms / 1e3);
                found.requested = asked.requested();
            }
            if let Some(cpu) = &mut found.cpu {
                cpu.online = online.unwrap_or(cpu.processors.len() as u32);
            }
            if !found.interrupted && found.totals[TOTAL].is_none() {
                let what = format!("time span {} has no table `Total IO` with a total", index + 1);
                trouble.add(whole, what, help);
            }
        }
        trouble.is_empty().then_some(found)
    }
}

/// A row of a table of I/O, or its sum.
fn io_row(
    found: &mut Found,
    section: usize,
    columns: &ColumnNames,
    line: PlacedLine<'_>,
    trouble: &mut Trouble,
) {
    // The sum has no bar after its label, so it is put where the thread's number would be.
    let sum = line.text.strip_prefix("total:").map(|rest| format!("total |{rest}"));
    let text = sum.as_deref().unwrap_or(line.text);
    let cells = columns.row(text);
    let Some(amounts) = amounts(&cells, line.at, trouble) else { return };
    if sum.is_some() {
        found.totals[section] = Some(amounts);
        return;
    }
    let number = cells.get("thread").unwrap_or_default();
    let Ok(thread) = number.parse::<u16>() else {
        trouble.add(
            line.at,
            format!("`{number}` is not a thread's number"),
            "give DiskSpd's unchanged output",
        );
        return;
    };
    // The path, without the size in brackets behind it.
    let file = cells.get("file").unwrap_or_default();
    let path = file.rsplit_once(" (").map_or(file, |(path, _)| path);
    if section == TOTAL {
        let mut row = FoundRow { thread, target: path.to_string(), amounts: Default::default() };
        row.amounts[TOTAL] = amounts;
        found.rows.push(row);
        return;
    }
    // The tables have the same rows in the same order.
    let next = found.next[section];
    found.next[section] += 1;
    match found.rows.get_mut(next).filter(|row| row.thread == thread && row.target == path) {
        Some(row) => row.amounts[section] = amounts,
        None => trouble.add(
            line.at,
            "the table of all I/O has no such row at this position",
            "give DiskSpd's unchanged output",
        ),
    }
}

fn amounts(cells: &Cells<'_>, at: At, trouble: &mut Trouble) -> Option<Amounts> {
    let needed = |name: &str| cells.get(name).unwrap_or_default();
    let bytes = count(needed("bytes"), "bytes", at, trouble)?;
    let ios = count(needed("I/Os"), "I/Os", at, trouble)?;
    let iops = figure(needed("I/O per s"), "I/O per s", at, trouble)?;
    let mut optional = |name: &str| cells.get(name).and_then(|text| known(text, name, at, trouble));
    let (mean_ms, stdev_ms) = (optional("AvgLat"), optional("LatStdDev"));
    Some(Amounts { bytes, ios, iops: Some(iops), mean_ms, stdev_ms })
}

/// A processor; `None` for the average.
fn processor(cells: &Cells<'_>, at: At, trouble: &mut Trouble) -> Option<Processor> {
    let number = |name: &str| cells.get(name).and_then(|text| text.parse::<u32>().ok());
    let cpu = number("CPU")?;
    let mut share = |name: &str| {
        let text = cells.get(name).unwrap_or_default().trim_end_matches('%');
        figure(text, name, at, trouble).map(|percent| percent / 1e2)
    };
    Some(Processor {
        // Windows numbers processors within groups of up to 64.
        cpu: number("Group").unwrap_or(0).saturating_mul(64).saturating_add(cpu),
        core: number("Core"),
        socket: number("Socket"),
        node: number("Node"),
        // A `P` marks the fastest class.
        efficiency_class: cells.get("Class").and_then(|text| text.trim_end_matches('P').parse().ok()),
        user: share("User")?,
        system: share("Kernel")?,
        idle: share("Idle")?,
        steal: 0.0,
    })
}

/// `25th`, `3-nines`, `min`, `max` in percent.
fn percentile(name: &str) -> Option<f64> {
    match name {
        "min" => Some(0.0),
        "max" => Some(100.0),
        _ => {
            if let Some(nines) = name.strip_suffix("-nines") {
                let nines: usize = nines.parse().ok().filter(|n| (3..=12).contains(n))?;
                return format!("99.{}", "9".repeat(nines - 2)).parse().ok();
            }
            name.strip_suffix("th")?.parse().ok().filter(|percent| (0.0..=100.0).contains(percent))
        }
    }
}
