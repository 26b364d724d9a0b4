//! The answer of `explain` about this machine: what its counters counted while it was watched, and what that says.

use iobound_catalog::Resolved;
use iobound_documents::{
    Amount, BytesPerSecond, ExplainDocument, ExplainWatched, Iops, Microseconds, Seconds, Share, Version,
    WatchedDiskPart, WatchedPart,
};
use iobound_explain::{Explanation, StackUse};
use iobound_units::format_throughput;

use crate::explain::{finding_parts, findings_screen, ruled_out_parts, stack_parts};
use crate::number::{count_text, percent_text, time_text};
use crate::page::{Page, Style};
use crate::predict::disks::disks_text;
use crate::table::{Column, Table};

/// Counters of a disk or a volume, a second.
#[derive(Clone, Debug, PartialEq)]
pub struct WatchedDisk {
    /// The kernel's name.
    pub device: String,
    /// The disk of the configuration that it is.
    pub disk: Option<String>,
    /// Reads and writes.
    pub iops: f64,
    /// Bytes read and written.
    pub throughput_bytes_per_s: f64,
    /// The share of the I/Os that read; `None`: there was none.
    pub read: Option<f64>,
    /// Mean latency of an I/O in µs.
    pub latency_us: Option<f64>,
    /// Mean outstanding I/Os.
    pub queue: f64,
}

impl WatchedDisk {
    /// Its name as the configuration has it, with the kernel's.
    pub fn label(&self) -> String {
        match &self.disk {
            Some(own) => format!("{own} ({})", self.device),
            None => self.device.clone(),
        }
    }
}

/// Counters of a machine while it was watched.
#[derive(Clone, Debug)]
pub struct Watched<'a> {
    /// The configuration; `None`: what it is can't be told.
    pub resolved: Option<&'a Resolved>,
    /// The findings.
    pub explanation: &'a Explanation,
    /// Waiting time of the I/O in each limiter, as the document and the page tell it.
    pub stacks: &'a [StackUse],
    /// For how long.
    pub seconds: f64,
    /// True if there was next to no I/O.
    pub is_idle: bool,
    /// Each disk.
    pub disks: &'a [WatchedDisk],
    /// Each volume of Windows, whose I/Os are those of the disks once more.
    pub volumes: &'a [WatchedDisk],
    /// Share of the time in which a task waited for I/O; `None` if the kernel does not tell.
    pub io_pressure: Option<f64>,
    /// The share of its time that the busiest processor was in use.
    pub busiest_cpu: Option<f64>,
    /// Further notes.
    pub notes: &'a [String],
}

impl From<&WatchedDisk> for WatchedDiskPart {
    fn from(disk: &WatchedDisk) -> WatchedDiskPart {
        WatchedDiskPart {
            device: disk.device.clone(),
            disk: disk.disk.clone(),
            iops: Iops::of(disk.iops),
            throughput_bytes_per_s: BytesPerSecond::of(disk.throughput_bytes_per_s),
            read: disk.read.map(|read| Share::with_decimals(read, 4)),
            latency_us: disk.latency_us.map(Microseconds::of),
            queue: Amount::with_decimals(disk.queue, 2),
        }
    }
}

/// The document of `explain` about this machine.
pub fn watched_document(watched: &Watched<'_>) -> ExplainDocument {
    let share = |share: f64| Share::with_decimals(share, 4);
    ExplainDocument::Watched(Box::new(ExplainWatched {
        schema: Version::default(),
        vm: watched.resolved.map(|resolved| resolved.vm.full_name()),
        disks: watched.resolved.map(|resolved| disks_text(&resolved.disks, true)),
        findings: finding_parts(watched.explanation),
        stacks: stack_parts(watched.stacks),
        ruled_out: ruled_out_parts(watched.explanation),
        assumed: watched.explanation.assumed.clone(),
        watched: WatchedPart {
            seconds: Seconds::with_decimals(watched.seconds, 3),
            idle: watched.is_idle,
            disks: watched.disks.iter().map(WatchedDiskPart::from).collect(),
            volumes: watched.volumes.iter().map(WatchedDiskPart::from).collect(),
            io_pressure: watched.io_pressure.map(share),
            busiest_cpu: watched.busiest_cpu.map(share),
        },
        notes: watched.notes.to_vec(),
    }))
}

/// The screen of `explain` about this machine.
pub fn watched_text(watched: &Watched<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    let what = watched.resolved.map_or_else(
        || "this machine, with unknown limits".to_string(),
        |resolved| format!("{}, {}", resolved.vm.full_name(), disks_text(&resolved.disks, page.is_wide())),
    );
    page.paragraph(&what);
    let mut said = vec![format!("{:.1} s of its own counters, no load", watched.seconds)];
    said.extend(watched.io_pressure.map(|share| format!("a task waited for I/O {}", percent_text(share))));
    said.extend(watched.busiest_cpu.map(|share| format!("busiest processor {}", percent_text(share))));
    page.figures("watched", &said);
    let mut table = Table::new(vec![
        Column::words("device"),
        Column::words("disk"),
        Column::figures("IOPS"),
        Column::figures("throughput"),
        Column::figures("reads"),
        Column::figures("latency"),
        Column::figures("outstanding"),
    ]);
    for disk in watched.disks.iter().chain(watched.volumes) {
        table.row(vec![
            disk.device.clone(),
            disk.disk.clone().unwrap_or_default(),
            count_text(disk.iops),
            format_throughput(disk.throughput_bytes_per_s),
            disk.read.map(percent_text).unwrap_or_default(),
            disk.latency_us.map(time_text).unwrap_or_default(),
            count_text(disk.queue),
        ]);
    }
    page.gap();
    table.put(&mut page);
    page.gap();
    if watched.is_idle {
        page.stressed("idle", "there was almost no I/O to explain");
        page.labelled(
            "do",
            "ask again while the load runs, or longer: --duration 60s; to see what it could do: iobound run . --dry-run",
        );
        if !watched.explanation.findings.is_empty() {
            page.gap();
            page.paragraph("Possible problems, found without a load:");
        }
    }
    findings_screen(watched.explanation, &mut page);
    page.list("notes", watched.notes);
    page.text()
}
