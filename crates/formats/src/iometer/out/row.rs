//! A row of results: eighty columns.

use iobound_measure::{Histogram, MeasuredCell};
use iobound_units::Op;

use super::bins::{BINS, counts};

/// The columns before the bins, in order.
pub(super) const COLUMNS: &str = "Target Type,Target Name,Access Specification Name,# Managers,# Workers,# Disks,IOps,Read IOps,\
Write IOps,MiBps (Binary),Read MiBps (Binary),Write MiBps (Binary),MBps (Decimal),Read MBps (Decimal),\
Write MBps (Decimal),Transactions per Second,Connections per Second,Average Response Time,\
Average Read Response Time,Average Write Response Time,Average Transaction Time,Average Connection Time,\
Maximum Response Time,Maximum Read Response Time,Maximum Write Response Time,Maximum Transaction Time,\
Maximum Connection Time,Errors,Read Errors,Write Errors,Bytes Read,Bytes Written,Read I/Os,Write I/Os,\
Connections,Transactions per Connection,Total Raw Read Response Time,Total Raw Write Response Time,\
Total Raw Transaction Time,Total Raw Connection Time,Maximum Raw Read Response Time,\
Maximum Raw Write Response Time,Maximum Raw Transaction Time,Maximum Raw Connection Time,Total Raw Run Time,\
Starting Sector,Maximum Size,Queue Depth,% CPU Utilization,% User Time,% Privileged Time,% DPC Time,\
% Interrupt Time,Processor Speed,Interrupts per Second,CPU Effectiveness,Packets/Second,Packet Errors,\
Segments Retransmitted/Second";

/// Raw times count ns: this many a second, in the column `Processor Speed`.
const TICKS_PER_S: &str = "1000000000.000000";

/// Common parts of several workers do not (Iometer's `AMBIGUOUS_VALUE`), and what is not used.
const AMBIGUOUS: &str = "-1";

/// I/O figures of a row.
#[derive(Default)]
pub(super) struct RowSums {
    read: Histogram<2>,
    write: Histogram<2>,
    read_bytes: u64,
    written_bytes: u64,
    read_errors: u64,
    write_errors: u64,
}

impl RowSums {
    /// Of these cells together. Flushes and discards are in no column: Iometer issues none.
    pub(super) fn of<'a>(cells: impl Iterator<Item = &'a MeasuredCell>) -> RowSums {
        let mut sums = RowSums::default();
        for part in cells {
            let (read, write) = (&part.by_op[Op::Read as usize], &part.by_op[Op::Write as usize]);
            sums.read.merge(&read.response);
            sums.write.merge(&write.response);
            sums.read_bytes += read.bytes;
            sums.written_bytes += write.bytes;
            sums.read_errors += read.errors;
            sums.write_errors += write.errors;
        }
        sums
    }

    fn both(&self) -> Histogram<2> {
        let mut both = self.read.clone();
        both.merge(&self.write);
        both
    }
}

/// Shares of the processors' time, in percent; interrupts are among the kernel's.
#[derive(Clone, Copy)]
pub(super) struct Usage {
    pub used: f64,
    pub user: f64,
    pub kernel: f64,
}

/// Sectors and number of outstanding I/Os, if all workers of the row have the same.
#[derive(Clone, Copy, Default)]
pub(super) struct RowSettings {
    pub start: Option<u64>,
    pub size: Option<u64>,
    pub depth: Option<u32>,
}

/// A row.
pub(super) struct ResultRow<'a> {
    pub kind: &'a str,
    pub name: &'a str,
    pub spec: &'a str,
    pub managers: Option<usize>,
    pub workers: Option<usize>,
    pub disks: Option<usize>,
    pub sums: RowSums,
    /// Time that counting was on, in seconds.
    pub seconds: f64,
    pub settings: RowSettings,
    /// Of rows about machines, where it is known.
    pub usage: Option<Usage>,
    /// True if it has raw times: the sum over all managers has none.
    pub raw: bool,
}

/// Names stand without quotes: what would break a row is a space, as Iometer has it for targets.
pub(super) fn name(text: &str) -> String {
    text.chars().map(|c| if matches!(c, ',' | '\n' | '\r') { ' ' } else { c }).collect()
}

impl ResultRow<'_> {
    /// The line. What is not known is empty.
    pub(super) fn line(&self) -> String {
        let mut cells: Vec<String> = vec![self.kind.to_string(), name(self.name), name(self.spec)];
        let optional = |count: Option<usize>| count.map_or(String::new(), |count| count.to_string());
        cells.extend([self.managers, self.workers, self.disks].map(optional));
        self.rates(&mut cells);
        self.times(&mut cells);
        let sums = &self.sums;
        cells.extend(
            [
                sums.read_errors + sums.write_errors,
                sums.read_errors,
                sums.write_errors,
                sums.read_bytes,
                sums.written_bytes,
                sums.read.count(),
                sums.write.count(),
                0,
            ]
            .map(|count| count.to_string()),
        );
        cells.push(AMBIGUOUS.to_string());
        self.raw_times(&mut cells);
        let RowSettings { start, size, depth } = self.settings;
        for setting in [start, size, depth.map(u64::from)] {
            cells.push(setting.map_or(AMBIGUOUS.to_string(), |setting| setting.to_string()));
        }
        self.machine(&mut cells);
        cells.extend(counts(&sums.both()).map(|count| count.to_string()));
        cells.join(",")
    }

    fn per_second(&self, count: u64) -> f64 {
        if self.seconds > 0.0 { count as f64 / self.seconds } else { 0.0 }
    }

    fn rates(&self, cells: &mut Vec<String>) {
        let sums = &self.sums;
        let ios = [sums.read.count() + sums.write.count(), sums.read.count(), sums.write.count()];
        let bytes = [sums.read_bytes + sums.written_bytes, sums.read_bytes, sums.written_bytes];
        cells.extend(ios.map(|ios| decimal(self.per_second(ios))));
        cells.extend(bytes.map(|bytes| decimal(self.per_second(bytes) / 1_048_576.0)));
        cells.extend(bytes.map(|bytes| decimal(self.per_second(bytes) / 1e6)));
        // On disks a transaction is an I/O, and nothing is connected.
        cells.extend([decimal(self.per_second(ios[0])), decimal(0.0)]);
    }

    fn times(&self, cells: &mut Vec<String>) {
        let all = [&self.sums.both(), &self.sums.read, &self.sums.write];
        let ms = |ns: Option<f64>| decimal(ns.unwrap_or(0.0) / 1e6);
        let mean = all.map(|histogram| ms(histogram.moments().mean_ns()));
        let max = all.map(|histogram| ms(histogram.moments().max_ns().map(|ns| ns as f64)));
        for [both, read, write] in [mean, max] {
            cells.extend([both.clone(), read, write, both, decimal(0.0)]);
        }
    }

    fn raw_times(&self, cells: &mut Vec<String>) {
        if !self.raw {
            cells.extend(std::iter::repeat_n(String::new(), 9));
            return;
        }
        let both = self.sums.both();
        let all = [self.sums.read.moments(), self.sums.write.moments(), both.moments()];
        cells.extend(all.map(|moments| moments.sum_ns().to_string()));
        cells.push("0".to_string());
        cells.extend(all.map(|moments| moments.max_ns().unwrap_or(0).to_string()));
        cells.push("0".to_string());
        cells.push(((self.seconds * 1e9) as u64).to_string());
    }

    /// From `% CPU Utilization` to the network. Interrupts and the network are not looked at here.
    fn machine(&self, cells: &mut Vec<String>) {
        cells.extend(usage_cells(self.usage));
        cells.push(if self.raw { TICKS_PER_S.to_string() } else { String::new() });
        cells.push(String::new());
        let ios = self.per_second(self.sums.read.count() + self.sums.write.count());
        let used = self.usage.map(|usage| usage.used).filter(|used| *used > 0.0);
        cells.push(used.map_or(String::new(), |used| decimal(ios / used)));
        cells.extend(std::iter::repeat_n(String::new(), 3));
    }
}

/// Six decimals, as Iometer writes every figure that is not a count.
fn decimal(value: f64) -> String {
    format!("{value:.6}")
}

/// Five cells: deferred calls and interrupts are not told apart here.
fn usage_cells(usage: Option<Usage>) -> [String; 5] {
    let [used, user, kernel] = match usage {
        Some(usage) => [usage.used, usage.user, usage.kernel].map(decimal),
        None => Default::default(),
    };
    [used, user, kernel, String::new(), String::new()]
}

/// The row of a processor: its usage, and nothing else.
pub(super) fn processor(number: u32, usage: Usage) -> String {
    let mut cells = vec![String::new(); 80];
    cells[0] = "PROCESSOR".to_string();
    cells[1] = format!("CPU {number}");
    let at =
        COLUMNS.split(',').position(|column| column == "% CPU Utilization").expect("a column of the row");
    cells[at..at + 5].clone_from_slice(&usage_cells(Some(usage)));
    cells[at + 5] = TICKS_PER_S.to_string();
    cells.join(",")
}

/// The line that names the columns.
pub(super) fn header() -> String {
    let bins: Vec<&str> = BINS.iter().map(|(name, _)| *name).collect();
    format!("'{COLUMNS},{}", bins.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_has_a_cell_for_each_of_the_eighty_columns() {
        let row = ResultRow {
            kind: "ALL",
            name: "a, b",
            spec: "",
            managers: None,
            workers: None,
            disks: None,
            sums: RowSums::default(),
            seconds: 0.0,
            settings: RowSettings::default(),
            usage: None,
            raw: false,
        };
        let columns = header().split(',').count();
        assert_eq!(columns, 80);
        assert_eq!(row.line().split(',').count(), columns);
        assert_eq!(ResultRow { raw: true, ..row }.line().split(',').count(), columns);
        let usage = Usage { used: 1.0, user: 0.5, kernel: 0.5 };
        assert_eq!(processor(3, usage).split(',').count(), columns);
    }
}
