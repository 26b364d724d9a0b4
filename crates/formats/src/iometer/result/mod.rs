//! Iometer's CSV, as result documents.
//!
//! Read is what 2003 to 1.1 write: columns are found by their names, and what a version does not have is absent.
//! Iometer keeps mean and maximum of the latencies; its bins are too wide for percentiles.

mod sheet;

use std::collections::BTreeMap;

use iobound_measure::RunResult;
use iobound_measure::result::{
    ByOperation, CellResult, Cpu, Depth, Figures, JobResult, Latency, LoopLabel, PartResult, Processor,
    Source, Start, Tool as ToolName, round,
};

use crate::date::rfc3339;
use crate::error::{At, Trouble};
use crate::{FormatError, Tool};
use sheet::{Block, Sheet, SheetRow};

/// The results in Iometer's CSV, one a test, at least one.
///
/// # Errors
/// Returns an error if the text is not an Iometer result or a figure cannot be read.
pub fn read(text: &str) -> Result<Vec<RunResult>, FormatError> {
    let mut trouble = Trouble::new(Tool::Iometer);
    let source = trouble.source(None, text);
    let sheet = Sheet::read(text, source, &mut trouble);
    if sheet.blocks.is_empty() && trouble.is_empty() {
        trouble.add(
            At { source, at: 0, len: 1 },
            "not a result of Iometer: `'Results` with its columns is missing",
            "give the CSV file that Iometer wrote (/r results.csv)",
        );
    }
    let results: Vec<RunResult> =
        sheet.blocks.iter().filter_map(|block| result(&sheet, block, &mut trouble)).collect();
    trouble.or(Some(results).filter(|results| !results.is_empty()))
}

/// One direction of a row.
#[derive(Clone, Copy, Default)]
struct RowSide {
    ios: u64,
    bytes: u64,
    errors: u64,
    iops: f64,
    mean_ms: f64,
    max_ms: f64,
}

impl RowSide {
    fn plus(self, other: RowSide) -> RowSide {
        let ios = self.ios.saturating_add(other.ios);
        let weighted = self.mean_ms * self.ios as f64 + other.mean_ms * other.ios as f64;
        RowSide {
            ios,
            bytes: self.bytes.saturating_add(other.bytes),
            errors: self.errors.saturating_add(other.errors),
            iops: self.iops + other.iops,
            mean_ms: if ios > 0 { weighted / ios as f64 } else { 0.0 },
            max_ms: self.max_ms.max(other.max_ms),
        }
    }

    fn figures(self) -> Figures {
        let RowSide { ios, bytes, errors, iops, mean_ms, max_ms } = self;
        // The rate tells the throughput: the time is only kept in ticks of an unknown clock.
        let throughput = if ios > 0 { bytes as f64 * (iops / ios as f64) } else { 0.0 };
        Figures {
            ios: Some(ios),
            bytes: Some(bytes),
            errors: Some(errors),
            iops: Some(round::iops(iops)),
            throughput_bytes_per_s: Some(round::bytes_per_s(throughput)),
            latency_us: (ios > 0).then(|| Latency {
                label: Some(LoopLabel::Closed),
                mean: Some(round::us(mean_ms * 1e6)),
                max: Some(round::us(max_ms * 1e6)),
                ..Latency::default()
            }),
            service_us: None,
        }
    }
}

/// Reads and writes of one or more rows.
#[derive(Clone, Copy, Default)]
struct Sides {
    read: RowSide,
    write: RowSide,
}

impl Sides {
    fn of(row: &SheetRow<'_>, trouble: &mut Trouble) -> Option<Sides> {
        let mut side = |ios: &str, bytes: &str, errors: &str, iops: &str, mean: &str, max: &str| {
            let (ios, bytes) = (row.count(ios, trouble), row.count(bytes, trouble));
            let (errors, iops) = (row.count(errors, trouble), row.figure(iops, trouble));
            let (mean_ms, max_ms) = (row.figure(mean, trouble), row.figure(max, trouble));
            Some(RowSide {
                ios: ios?,
                bytes: bytes?,
                errors: errors?,
                iops: iops?,
                mean_ms: mean_ms?,
                max_ms: max_ms?,
            })
        };
        let read = side(
            "Read I/Os",
            "Bytes Read",
            "Read Errors",
            "Read IOps",
            "Average Read Response Time",
            "Maximum Read Response Time",
        );
        let write = side(
            "Write I/Os",
            "Bytes Written",
            "Write Errors",
            "Write IOps",
            "Average Write Response Time",
            "Maximum Write Response Time",
        );
        Some(Sides { read: read?, write: write? })
    }

    fn plus(self, other: Sides) -> Sides {
        Sides { read: self.read.plus(other.read), write: self.write.plus(other.write) }
    }

    fn figures(self) -> (Figures, ByOperation) {
        let used = |side: RowSide| (side.ios > 0 || side.errors > 0).then(|| side.figures());
        let by_operation =
            ByOperation { read: used(self.read), write: used(self.write), ..ByOperation::default() };
        (self.read.plus(self.write).figures(), by_operation)
    }
}

/// The document of one test; `None` with a problem.
fn result(sheet: &Sheet<'_>, block: &Block<'_>, trouble: &mut Trouble) -> Option<RunResult> {
    let Some(all) = block.of("ALL").next() else {
        trouble.add(block.at, "the results have no row ALL", "give Iometer's unchanged CSV file");
        return None;
    };
    let (total, by_operation) = Sides::of(all, trouble)?.figures();
    let mut jobs = NamedRows::default();
    let mut targets = NamedRows::default();
    let (mut threads, mut cells) = (Vec::new(), Vec::new());
    let mut requested = Some(0u64);
    for row in &block.rows {
        match row.kind() {
            "WORKER" => {
                let sides = Sides::of(row, trouble)?;
                jobs.add(row.spec(), sides);
                let (total, by_operation) = sides.figures();
                threads.push(PartResult { name: row.name().to_string(), total, by_operation });
                requested = requested.zip(outstanding(row)).map(|(sum, own)| sum.saturating_add(own));
            }
            "DISK" => {
                let sides = Sides::of(row, trouble)?;
                targets.add(row.name(), sides);
                let (total, by_operation) = sides.figures();
                cells.push(CellResult {
                    job: jobs.last.clone(),
                    thread: u16::try_from(threads.len().saturating_sub(1)).unwrap_or(u16::MAX),
                    target: row.name().to_string(),
                    total,
                    by_operation,
                });
            }
            _ => {}
        }
    }
    let requested = if threads.is_empty() { outstanding(all) } else { requested };
    if threads.is_empty() {
        jobs.add(if all.spec().is_empty() { "iometer" } else { all.spec() }, Sides::of(all, trouble)?);
    }
    let depth =
        requested.filter(|n| *n > 0).map(|n| Depth { requested: Some(n), achieved: None, at_device: None });
    let mut notes = Vec::new();
    // Its own forms have UTC; Iometer writes the local time of a place that nobody knows.
    let is_utc = sheet.version.contains("iobound");
    match sheet.began {
        Some(began) if !is_utc => notes.push(format!("it began at {began}, local time")),
        _ => {}
    }
    let described = Some(sheet.description).filter(|text| !text.is_empty());
    notes.extend(described.map(|text| format!("its description: {text}")));
    Some(RunResult {
        tool: Some(ToolName {
            name: "iometer".to_string(),
            version: Some(sheet.version.to_string()).filter(|version| !version.is_empty()),
        }),
        start: Some(Start {
            at: sheet.began.filter(|_| is_utc).and_then(|began| rfc3339(began, "Z")),
            counted_s: counted_s(block),
            ..Start::default()
        }),
        cpu: cpu(block, trouble),
        total,
        by_operation,
        depth,
        notes,
        jobs: jobs
            .parts()
            .map(|(name, total, by_operation)| JobResult {
                name,
                label: Some(LoopLabel::Closed),
                total,
                by_operation,
                ..JobResult::default()
            })
            .collect(),
        threads,
        targets: targets
            .parts()
            .map(|(name, total, by_operation)| PartResult { name, total, by_operation })
            .collect(),
        cells,
        ..RunResult::new(Source::Foreign)
    })
}

/// Rows of one name together, in the order of first mention.
#[derive(Default)]
struct NamedRows {
    groups: Vec<(String, Sides)>,
    index: BTreeMap<String, usize>,
    last: String,
}

impl NamedRows {
    fn add(&mut self, name: &str, sides: Sides) {
        self.last = name.to_string();
        match self.index.get(name) {
            Some(index) => self.groups[*index].1 = self.groups[*index].1.plus(sides),
            None => {
                self.index.insert(name.to_string(), self.groups.len());
                self.groups.push((name.to_string(), sides));
            }
        }
    }

    fn parts(self) -> impl Iterator<Item = (String, Figures, ByOperation)> {
        self.groups.into_iter().map(|(name, sides)| {
            let (total, by_operation) = sides.figures();
            (name, total, by_operation)
        })
    }
}

/// The outstanding I/Os that a row asks for: on each of its targets.
fn outstanding(row: &SheetRow<'_>) -> Option<u64> {
    let depth = row.get("Queue Depth")?.parse::<u64>().ok()?;
    let disks = row.get("# Disks")?.parse::<u64>().ok()?;
    Some(depth.saturating_mul(disks))
}

/// Time that counting was on: raw ticks ÷ ticks a second, or I/Os ÷ their rate.
fn counted_s(block: &Block<'_>) -> Option<f64> {
    let number = |row: &SheetRow<'_>, name: &str| -> Option<f64> {
        row.get(name)?.parse().ok().filter(|value: &f64| *value > 0.0 && value.is_finite())
    };
    let ticks = ["MANAGER", "WORKER"]
        .into_iter()
        .flat_map(|kind| block.of(kind))
        .find_map(|row| Some(number(row, "Total Raw Run Time")? / number(row, "Processor Speed")?));
    let rate = || {
        let all = block.of("ALL").next()?;
        let ios = number(all, "Read I/Os").unwrap_or(0.0) + number(all, "Write I/Os").unwrap_or(0.0);
        Some(ios / number(all, "IOps")?)
    };
    let seconds = ticks.or_else(rate)?;
    (seconds > 0.0 && seconds < 1e9).then(|| round::seconds((seconds * 1e9) as u64))
}

/// The processors, by their rows.
fn cpu(block: &Block<'_>, trouble: &mut Trouble) -> Option<Cpu> {
    let mut processors = Vec::new();
    for row in block.of("PROCESSOR") {
        let number = row.name().trim_start_matches(|c: char| !c.is_ascii_digit()).parse().ok()?;
        let mut share = |name: &str| row.figure(name, trouble).map(|percent| percent / 1e2);
        let (used, user, system) =
            (share("% CPU Utilization"), share("% User Time"), share("% Privileged Time"));
        processors.push(Processor {
            cpu: number,
            user: user?,
            system: system?,
            idle: (1.0 - used?).max(0.0),
            ..Processor::default()
        });
    }
    let online = processors.len() as u32;
    (online > 0).then(|| Cpu { online, processors, ..Cpu::default() })
}
