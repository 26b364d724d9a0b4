use iobound_explain::Finding;
use iobound_explain::setup::{Certainty, Layout, SetupDisk, SetupLimit, SetupVolume, Use};
use iobound_units::{Bytes, Counted, format_throughput};

use super::Doctored;
use crate::limit::{grouped, limit_figure, limit_title};
use crate::page::{Page, Style};
use crate::table::{Column, Table};

/// Findings with all that is said of them, on a page that is not wide.
const SHOWN: usize = 4;
/// Rows of a table, on a page that is not wide.
const ROWS: usize = 20;

/// The screen of `doctor`.
pub fn doctor_text(doctored: &Doctored<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    head(doctored, &mut page);
    limits_of(doctored, &mut page);
    disks(doctored, &mut page);
    volumes(doctored, &mut page);
    wrong(doctored.findings, &mut page);
    page.gap();
    assumed(doctored, &mut page);
    page.list("notes", doctored.notes);
    match doctored.saved {
        Some(path) => page.labelled("saved", &format!("{path}; every verb reads it with --config {path}")),
        None if doctored.resolved.is_some() => page.labelled(
            "next",
            "iobound doctor --save vm.toml   iobound explain (ten seconds of its counters, no load)",
        ),
        None => page.labelled("next", "give the size and disks: iobound doctor --vm D8s_v3 --disk 4xP30"),
    }
    page.text()
}

/// Its kind, in one line; then the source.
fn head(doctored: &Doctored<'_>, page: &mut Page) {
    let value = |name: &str| doctored.fact(name).and_then(|fact| fact.value.clone());
    let mut words = Vec::new();
    match (doctored.resolved, value("vm")) {
        (Some(resolved), _) => words.push(resolved.vm.full_name()),
        (None, Some(vm)) => words.push(vm),
        (None, None) if value("cloud").is_some() => words.push("a VM of unknown size".to_string()),
        (None, None) => words.push("not a known cloud VM".to_string()),
    }
    if let Some(cloud) = value("cloud") {
        let place = value("region").map_or(cloud.clone(), |region| format!("{cloud} {region}"));
        words.push(value("zone").map_or(place.clone(), |zone| format!("{place}, zone {zone}")));
    }
    page.paragraph(&words.join("   "));
    let mut size = Vec::new();
    size.extend(value("vcpus").map(|vcpus| format!("{vcpus} vCPU{}", if vcpus == "1" { "" } else { "s" })));
    size.extend(
        value("numa_nodes").map(|nodes| {
            if nodes == "1" { "1 NUMA node".to_string() } else { format!("{nodes} NUMA nodes") }
        }),
    );
    let bytes = value("memory_bytes").and_then(|bytes| bytes.parse::<u64>().ok());
    size.extend(bytes.map(|bytes| format!("{:.1} GiB memory", bytes as f64 / (1u64 << 30) as f64)));
    size.extend(value("kernel").map(|kernel| format!("kernel {kernel}")));
    page.labelled("machine", &size.join(", "));
    // Facts that are unknown for the same reason share a line.
    let mut unknown: Vec<(&str, Vec<String>)> = Vec::new();
    for fact in doctored.facts.iter().filter(|fact| fact.certainty == Certainty::Unknown) {
        let name = fact.name.replace('_', " ");
        match unknown.iter_mut().find(|(why, _)| *why == fact.source) {
            Some((_, names)) => names.push(name),
            None => unknown.push((&fact.source, vec![name])),
        }
    }
    let lines: Vec<String> =
        unknown.iter().map(|(why, names)| format!("{}: {why}", names.join(", "))).collect();
    page.list("unknown", &lines);
}

fn limits_of(doctored: &Doctored<'_>, page: &mut Page) {
    let found = doctored.limits();
    if found.is_empty() {
        return;
    }
    let bursts = found.iter().any(|limit| limit.burst.is_some());
    let mut columns = vec![Column::words("limit"), Column::figures("published"), Column::figures("enforced")];
    columns.extend(bursts.then(|| Column::figures("burst")));
    let mut table = Table::new(columns);
    for limit in &found {
        let figure = |value: f64| limit_figure(value, limit.dimension);
        let enforced = limit.enforced.map(figure).unwrap_or_default();
        let mut row = vec![title(limit), figure(limit.published), enforced];
        row.extend(bursts.then(|| limit.burst.map(figure).unwrap_or_default()));
        table.row(row);
    }
    show(&table, page);
}

/// A limit that holds for some disks only says for which.
fn title(limit: &SetupLimit) -> String {
    let title = limit_title(&limit.name, limit.count);
    limit.of.as_ref().map_or(title.clone(), |of| format!("{title} ({of})"))
}

fn show(table: &Table, page: &mut Page) {
    page.gap();
    table.put(page);
}

fn disks(doctored: &Doctored<'_>, page: &mut Page) {
    let disks = &doctored.setup.disks;
    if disks.is_empty() {
        page.gap();
        page.paragraph("  /sys/block shows no disks.");
        return;
    }
    let has_luns = disks.iter().any(|disk| disk.lun.is_some());
    let has_caches = disks.iter().any(|disk| disk.cache.is_some());
    let mut columns = vec![Column::words("device"), Column::words("disk"), Column::figures("size")];
    columns.extend(has_luns.then(|| Column::figures("LUN")));
    columns.extend(has_caches.then(|| Column::words("cache")));
    columns.extend(["IOPS", "throughput"].map(Column::figures));
    columns.extend(["figures", "used by", "read-ahead"].map(Column::words));
    let mut table = Table::new(columns);
    let shown = if page.is_wide() { disks.len() } else { ROWS };
    for disk in disks.iter().take(shown) {
        let known = doctored.disk_of(disk.device());
        let device = if disk.is_seen { disk.device() } else { "-" };
        let mut row = vec![device.to_string(), what(disk, known), size(disk.facts.size_bytes)];
        row.extend(has_luns.then(|| disk.lun.map(|lun| lun.to_string()).unwrap_or_default()));
        row.extend(has_caches.then(|| disk.cache.map_or("", |cache| cache.name()).to_string()));
        row.push(known.and_then(|disk| disk.ios).map(grouped).unwrap_or_default());
        let bytes = known.and_then(|disk| disk.bytes);
        row.push(bytes.map(|bytes| format_throughput(bytes as f64)).unwrap_or_default());
        row.push(disk.used_for.map_or("", |_| disk.figures.0.name()).to_string());
        row.push(used_by(doctored, disk));
        row.push(read_ahead(disk.facts.read_ahead_kib));
        table.row(row);
    }
    show(&table, page);
    if let Some(more) = disks.len().checked_sub(shown).filter(|more| *more > 0) {
        page.line(&format!("  and {more} more: --wide"));
    }
}

/// Shortest description of a disk.
fn what(disk: &SetupDisk, known: Option<&iobound_catalog::ResolvedDisk>) -> String {
    let described = match known {
        // Provisioned figures have columns of their own.
        Some(known) => known.described.split('+').next().unwrap_or_default().to_string(),
        None => disk
            .spec
            .as_deref()
            .map(|spec| spec.split('+').next().unwrap_or_default().to_string())
            .or_else(|| disk.facts.model.clone())
            .or_else(|| disk.facts.kind.clone())
            .unwrap_or_default(),
    };
    match disk.used_for {
        // A local disk's model is its host's, and says nothing of it.
        Some(Use::Local) => "local disk".to_string(),
        Some(Use::Os) => format!("{described} (os)"),
        Some(Use::Data) | None => described,
    }
}

fn size(bytes: Option<u64>) -> String {
    bytes.map(|bytes| Bytes(bytes).to_string()).filter(|text| text.len() <= 12).unwrap_or_else(|| {
        bytes.map_or_else(String::new, |bytes| format!("{:.1} GiB", bytes as f64 / (1u64 << 30) as f64))
    })
}

fn read_ahead(kib: Option<u64>) -> String {
    kib.map(|kib| Bytes::kib(kib).to_string()).unwrap_or_default()
}

/// The volume that a disk is part of, or where it is mounted itself.
fn used_by(doctored: &Doctored<'_>, disk: &SetupDisk) -> String {
    let names = doctored.setup.volumes_on(disk.device()).flat_map(|volume| {
        if volume.device == disk.device() {
            volume.mounts.iter().map(|mount| mount.point.clone()).collect::<Vec<String>>()
        } else {
            vec![volume.name.clone()]
        }
    });
    names.collect::<Vec<String>>().join(", ")
}

fn volumes(doctored: &Doctored<'_>, page: &mut Page) {
    let built: Vec<&SetupVolume> = doctored
        .setup
        .volumes
        .iter()
        .filter(|volume| doctored.setup.disk(&volume.device).is_none())
        .collect();
    if built.is_empty() {
        return;
    }
    let mut table = Table::new(vec![
        Column::words("volume"),
        Column::words("kind"),
        Column::words("layout"),
        Column::figures("disks"),
        Column::words("read-ahead"),
        Column::words("mounted"),
    ]);
    let shown = if page.is_wide() { built.len() } else { ROWS };
    for volume in built.iter().take(shown) {
        let mounted: Vec<String> =
            volume.mounts.iter().map(|mount| format!("{} ({})", mount.point, mount.filesystem)).collect();
        table.row(vec![
            volume.name.clone(),
            volume.kind.clone(),
            layout(&volume.layout),
            volume.disks.len().to_string(),
            read_ahead(volume.read_ahead_kib),
            mounted.join(", "),
        ]);
    }
    show(&table, page);
    if let Some(more) = built.len().checked_sub(shown).filter(|more| *more > 0) {
        page.line(&format!("  and {more} more: --wide"));
    }
}

fn layout(layout: &Layout) -> String {
    match layout {
        Layout::Striped { columns, interleave } => {
            format!("{} of {}", Counted(u64::from(*columns), "column"), Bytes(*interleave))
        }
        other => other.name().to_string(),
    }
}

fn wrong(findings: &[Finding], page: &mut Page) {
    page.gap();
    if findings.is_empty() {
        page.paragraph("Without a load, no known problem was found.");
        return;
    }
    let shown = if page.is_wide() { findings.len() } else { SHOWN };
    page.stressed("WRONG", "settings that are or may be wrong; no load was needed to find them");
    for (index, finding) in findings.iter().take(shown).enumerate() {
        page.stressed(
            &format!("{}", index + 1),
            &format!("{}   {}", finding.rule, finding.confidence.name()),
        );
        page.labelled("", &finding.claim);
        for evidence in &finding.evidence {
            page.labelled("", &format!("- {evidence}"));
        }
        if !finding.advice.is_empty() {
            page.labelled("do", &finding.advice);
        }
        if let Some(measure) = finding.to_be_sure.as_ref().filter(|_| page.is_wide()) {
            page.labelled("measure", measure);
        }
    }
    let left: Vec<&str> = findings.iter().skip(shown).map(|finding| finding.rule).collect();
    if !left.is_empty() {
        page.labelled("others", &format!("less likely: {} (--wide shows them)", left.join(", ")));
    }
}

/// Reason why figures are assumed: each reason once, with its devices.
fn assumed(doctored: &Doctored<'_>, page: &mut Page) {
    let mut reasons: Vec<(&str, Vec<&str>)> = Vec::new();
    let assumed = doctored.setup.disks.iter().filter(|disk| disk.figures.0 == Certainty::Assumed);
    for disk in assumed {
        let why = disk.figures.1.as_str();
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, devices)) => devices.push(disk.device()),
            None => reasons.push((why, vec![disk.device()])),
        }
    }
    let lines: Vec<String> =
        reasons.iter().map(|(why, devices)| format!("{}: {why}", devices.join(", "))).collect();
    page.list("assumed", &lines);
}
