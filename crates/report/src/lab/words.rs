//! Configurations, workloads and bindings, short enough for a column.

use iobound_catalog::CacheSetting;
use iobound_lab::{OnModel, PlannedRun};
use iobound_model::Dimension;
use iobound_predict::{Binding, CacheState};
use iobound_units::Op;
use iobound_workload::{Job, Load};

use crate::limit::grouped;
use crate::predict::disks::disks_text;

/// `DS14 10xP30 ro`: the VM size, its disks alike together, and their cache where they have one.
pub(super) fn configuration_cell(run: &OnModel) -> String {
    let mut kinds: Vec<(String, usize)> = Vec::new();
    for disk in &run.resolved.disks {
        let cache = match disk.cache {
            CacheSetting::None => "",
            CacheSetting::ReadOnly => " ro",
            CacheSetting::ReadWrite => " rw",
        };
        let kind = format!("{}{cache}", disk.described);
        match kinds.iter_mut().find(|(other, _)| *other == kind) {
            Some((_, count)) => *count += 1,
            None => kinds.push((kind, 1)),
        }
    }
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(kind, count)| if count == 1 { kind } else { format!("{count}x{kind}") })
        .collect();
    format!("{} {}", vm_name(run), kinds.join("+"))
}

fn vm_name(run: &OnModel) -> String {
    let name = run.resolved.vm.full_name();
    name.strip_prefix("Standard_").unwrap_or(&name).to_string()
}

/// The configuration in full.
pub(super) fn configuration_words(run: &OnModel) -> String {
    let mut words = format!("{}, {}", vm_name(run), disks_text(&run.resolved.disks, true));
    let configuration = &run.machine.configuration;
    if configuration.separate {
        words.push_str(", separate volumes");
    } else if run.resolved.blueprint.volumes.iter().any(|volume| volume.disks.len() > 1) {
        words.push_str(&format!(", {} interleave", configuration.interleave));
    }
    if run.resolved.disks.iter().any(|disk| disk.cache != CacheSetting::None) {
        words.push_str(match run.machine.cache {
            CacheState::Warm => ", cache warm",
            CacheState::Cold => ", cache cold",
            CacheState::SecondRun => ", cache as a first run left it",
        });
    }
    if let Some(era) = &configuration.era {
        words.push_str(&format!(", era {era}"));
    }
    words
}

/// `4K seq 4x8`, `8K rand 70r 32`: block, access, share of reads where it is not all, threads x depth.
pub(super) fn workload_cell(run: &PlannedRun) -> String {
    let Some(job) = run.workload.jobs.first() else { return String::new() };
    let more = match run.workload.jobs.len() {
        1 => String::new(),
        count => format!(" +{}", count - 1),
    };
    format!("{} {}{} {}{more}", block(job), access(job), reads(job), outstanding(job))
}

fn block(job: &Job) -> String {
    let blocks = || job.mix.iter().filter(|s| s.weight > 0 && s.op != Op::Flush).map(|s| u64::from(s.block));
    let size = |bytes: u64| match bytes {
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 20) => format!("{}M", bytes >> 20),
        bytes if bytes > 0 && bytes.is_multiple_of(1 << 10) => format!("{}K", bytes >> 10),
        bytes => format!("{bytes}B"),
    };
    match (blocks().min(), blocks().max()) {
        (Some(least), Some(most)) if least < most => format!("{}-{}", size(least), size(most)),
        (Some(one), _) => size(one),
        _ => "-".into(),
    }
}

fn access(job: &Job) -> &'static str {
    match (job.any_random(), job.any_sequential()) {
        (true, true) => "mix",
        (true, false) => "rand",
        (false, _) => "seq",
    }
}

fn reads(job: &Job) -> String {
    match job.read_fraction() {
        all if all > 0.999_999 => String::new(),
        none if none < 0.000_001 => " w".into(),
        part => format!(" {:.0}r", part * 100.0),
    }
}

fn outstanding(job: &Job) -> String {
    let (Load::Closed { depth, .. } | Load::Open { depth, .. }) = job.load;
    let open = if matches!(job.load, Load::Open { .. }) { "<=" } else { "" };
    match job.threads {
        1 => format!("{open}{}", grouped(u64::from(depth))),
        threads => format!("{open}{threads}x{depth}"),
    }
}

/// The binding limit first, in few letters.
pub(super) fn binding_cell(bindings: &[Binding]) -> String {
    let Some(first) = bindings.first() else { return String::new() };
    let unit = |dimension: &Dimension| match dimension {
        Dimension::Ios => "IOPS",
        Dimension::Bytes => "MB/s",
    };
    match first {
        Binding::Limit(group, dimension) => {
            let short = match group.strip_prefix("vm.") {
                // A VM's limit on its disks is not the limit of a disk.
                Some(part) if part.starts_with("disk") => format!("VM {part}"),
                Some(part) => part.to_string(),
                None => group.clone(),
            };
            format!("{short} {}", unit(dimension))
        }
        Binding::CacheDirty => "dirty limit".into(),
        Binding::QueueDepth => "queue depth".into(),
        Binding::Rate => "rate".into(),
        Binding::Client => "client".into(),
        Binding::Unknown => "unknown".into(),
    }
}
