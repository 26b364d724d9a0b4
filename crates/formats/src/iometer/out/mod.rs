//! Iometer's results: the CSV of version 1.1, from a configuration and its runs.
//!
//! The layout is that of `ManagerList.cpp`, `Manager.cpp`, `Worker.cpp`, `AccessSpecList.cpp` and `PageSetup.cpp` of
//! iometer-org/iometer. A field that is not known here is empty: deferred calls, interrupts and the network. A
//! target's row has the raw times of that target, where Iometer repeats the worker's. Times are UTC.

mod bins;
mod row;

use iobound_measure::MeasuredCell;
use iobound_measure::result::{Cpu, Processor};

use super::config::{AccessSpec, Config, Manager, Record, TestType, Worker};
use super::plan::{Test, TestWorker};
use crate::Ran;
use crate::date;
use row::{ResultRow, RowSettings, RowSums, Usage};

/// The version whose form this is.
const FORM: &str = "1.1.0";

/// The whole file: `tests` of a configuration ([`super::parse_run`]) with the run of each, in their order; fewer runs
/// where the rest was not run. Empty where the configuration records nothing.
pub fn csv(config: &Config, tests: &[Test], runs: &[Ran<'_>]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let Some(first) = runs.first().filter(|_| config.setup.record != Record::None) else {
        return String::new();
    };
    let kind = TestType::ALL.iter().position(|(_, kind)| *kind == config.setup.test_type).unwrap_or(0);
    lines.push("'Test Type,Test Description".to_string());
    lines.push(format!("{kind},{}", row::name(&config.setup.description)));
    lines.push("'Version".to_string());
    lines.push(format!("{FORM} (iobound {})", first.machine.version));
    time_stamp(&mut lines, first.machine.began_unix_ms);
    let mut shown = None;
    for (test, ran) in tests.iter().zip(runs) {
        if shown != Some(test.spec) {
            shown = Some(test.spec);
            specifications(&mut lines, config, test);
        }
        lines.push("'Results".to_string());
        lines.push(row::header());
        Results { config, test, ran }.rows(&mut lines);
        time_stamp(&mut lines, ran.machine.ended_unix_ms);
    }
    if runs.len() >= tests.len() {
        lines.push("'End Test".to_string());
    }
    lines.push(String::new());
    lines.join("\n")
}

fn time_stamp(lines: &mut Vec<String>, unix_ms: u64) {
    lines.push("'Time Stamp".to_string());
    lines.push(date::iometer(unix_ms));
}

/// The access specifications that are in use.
fn specifications(lines: &mut Vec<String>, config: &Config, test: &Test) {
    lines.push("'Access specifications".to_string());
    let used = |spec: &&AccessSpec| test.workers.iter().any(|worker| worker.spec == spec.name);
    for spec in config.specs.iter().filter(used) {
        lines.push("'Access specification name,default assignment".to_string());
        lines.push(format!("{},{}", row::name(&spec.name), spec.assignment as u8));
        lines.push("'size,% of size,% reads,% random,delay,burst,align,reply".to_string());
        for line in &spec.lines {
            lines.push(format!(
                "{},{},{},{},{},{},{},{},",
                line.size,
                line.of_size,
                line.reads,
                line.random,
                line.delay_ms,
                line.burst,
                line.align,
                line.reply
            ));
        }
    }
    lines.push("'End access specifications".to_string());
}

/// The results of one test.
struct Results<'a> {
    config: &'a Config,
    test: &'a Test,
    ran: &'a Ran<'a>,
}

impl<'a> Results<'a> {
    fn rows(&self, lines: &mut Vec<String>) {
        let record = self.config.setup.record;
        let all: Vec<&TestWorker> = self.test.workers.iter().collect();
        let mut managers: Vec<usize> = all.iter().map(|worker| worker.manager).collect();
        managers.dedup();
        let usage = mean(&self.ran.machine.cpu);
        let sum = ResultRow { managers: Some(managers.len()), raw: false, ..self.row("ALL", "All", &all) };
        lines.push(ResultRow { workers: Some(all.len()), usage, ..sum }.line());
        if record >= Record::NoManagers {
            return;
        }
        for index in managers {
            let own: Vec<&TestWorker> =
                all.iter().copied().filter(|worker| worker.manager == index).collect();
            self.manager(lines, &self.config.managers[index], &own, usage);
        }
    }

    fn manager(&self, lines: &mut Vec<String>, manager: &Manager, own: &[&TestWorker], usage: Option<Usage>) {
        let record = self.config.setup.record;
        let machine = self.ran.machine;
        let name = if manager.name.is_empty() { &machine.host } else { &manager.name };
        let row = self.row("MANAGER", name, own);
        lines.push(ResultRow { workers: Some(own.len()), usage, ..row }.line());
        for processor in &machine.cpu.processors {
            lines.push(row::processor(processor.cpu, of(processor)));
        }
        if record >= Record::NoWorkers {
            return;
        }
        for worker in own {
            lines.push(self.row("WORKER", &manager.workers[worker.worker].name, &[worker]).line());
            if record >= Record::NoTargets {
                continue;
            }
            for part in self.cells(&[worker]) {
                let path = &self.ran.targets[usize::from(part.cell.target.0)].path;
                let row = self.row("DISK", path, &[worker]);
                let sums = RowSums::of(std::iter::once(part));
                lines.push(ResultRow { spec: "", disks: None, sums, ..row }.line());
            }
        }
    }

    /// The cells of these workers.
    fn cells(&self, workers: &[&TestWorker]) -> Vec<&'a MeasuredCell> {
        let own = |part: &&MeasuredCell| workers.iter().any(|worker| worker.thread == part.cell.thread);
        self.ran.total.cells.iter().filter(own).collect()
    }

    fn row<'r>(&self, kind: &'r str, name: &'r str, workers: &[&'r TestWorker]) -> ResultRow<'r> {
        let cells = self.cells(workers);
        let configured = |worker: &&TestWorker| &self.config.managers[worker.manager].workers[worker.worker];
        let setting = |of: fn(&Worker) -> u64| same(workers.iter().map(|worker| of(configured(worker))));
        ResultRow {
            kind,
            name,
            spec: same(workers.iter().map(|worker| worker.spec.as_str())).unwrap_or(""),
            managers: None,
            workers: None,
            disks: Some(cells.len()),
            sums: RowSums::of(cells.into_iter()),
            seconds: self.ran.total.window().secs_f64(),
            settings: RowSettings {
                start: setting(|worker| worker.starting_sector),
                size: setting(|worker| worker.disk_size_sectors),
                depth: same(workers.iter().map(|worker| worker.depth)),
            },
            usage: None,
            raw: true,
        }
    }
}

/// Sum of all of them.
fn same<T: PartialEq>(mut all: impl Iterator<Item = T>) -> Option<T> {
    let first = all.next()?;
    all.all(|other| other == first).then_some(first)
}

fn of(processor: &Processor) -> Usage {
    let (user, kernel) = (processor.user * 1e2, processor.system * 1e2);
    Usage { used: user + kernel, user, kernel }
}

/// The mean over all processors; `None` where they are not known.
fn mean(cpu: &Cpu) -> Option<Usage> {
    let n = cpu.processors.len() as f64;
    let mean = |part: fn(Usage) -> f64| cpu.processors.iter().map(|p| part(of(p))).sum::<f64>() / n;
    (!cpu.processors.is_empty()).then(|| Usage {
        used: mean(|usage| usage.used),
        user: mean(|usage| usage.user),
        kernel: mean(|usage| usage.kernel),
    })
}
