use iobound_explain::Finding;
use iobound_explain::setup::{Exceeded, Fact, Layout, Mounted, SetupDisk, SetupLimit, SetupVolume, limits};
use iobound_model::Dimension;
use serde_json::{Map, Value, json};

use super::Doctored;
use crate::document::Document;
use crate::number::figure;

/// The document of `doctor`.
pub fn doctor_json(doctored: &Doctored<'_>) -> Document {
    let limits = doctored.resolved.map(limits).unwrap_or_default();
    let machine: Map<String, Value> =
        doctored.facts.iter().map(|fact| (fact.name.to_string(), said(fact))).collect();
    Document::new("iobound.doctor/1")
        .with("machine", machine)
        .with("vm", doctored.resolved.map(|resolved| resolved.vm.full_name()))
        .with("limits", limits.iter().map(limit).collect::<Vec<Value>>())
        .with("disks", doctored.setup.disks.iter().map(|one| disk(doctored, one)).collect::<Vec<Value>>())
        .with("volumes", doctored.setup.volumes.iter().map(volume).collect::<Vec<Value>>())
        .with("findings", doctored.findings.iter().map(finding).collect::<Vec<Value>>())
        .with("saved", doctored.saved)
        .with("notes", doctored.notes.to_vec())
}

fn said(fact: &Fact) -> Value {
    json!({ "value": fact.value, "certainty": fact.certainty.name(), "source": fact.source })
}

fn limit(limit: &SetupLimit) -> Value {
    let unit = match limit.dimension {
        Dimension::Ios => "iops",
        Dimension::Bytes => "bytes_per_s",
    };
    json!({
        "name": limit.name,
        "count": limit.count,
        "unit": unit,
        "published": figure(limit.published, 0),
        "enforced": figure(limit.enforced, 0),
        "burst": limit.burst.map(|burst| figure(burst, 0)),
    })
}

fn disk(doctored: &Doctored<'_>, disk: &SetupDisk) -> Value {
    let known = doctored.disk_of(disk.device());
    let facts = &disk.facts;
    let (certainty, why) = &disk.figures;
    json!({
        "device": disk.device(),
        "used_for": disk.used_for.map(iobound_explain::setup::Use::name),
        "lun": disk.lun,
        "name": disk.name,
        "told_by": disk.told_by,
        "disk": known.map(|disk| disk.described.clone()).or_else(|| disk.spec.clone()),
        "type": disk.disk.map(iobound_catalog::DiskType::word),
        "configured_as": known.map(|disk| disk.name.clone()),
        "cache": disk.cache.map(iobound_catalog::CacheSetting::name),
        "write_accelerator": disk.write_accelerator,
        "iops": known.and_then(|disk| disk.ios),
        "throughput_bytes_per_s": known.and_then(|disk| disk.bytes),
        "figures": certainty.name(),
        "figures_source": why,
        "model": facts.model,
        "kind": facts.kind,
        "size_bytes": facts.size_bytes,
        "queue": {
            "scheduler": facts.scheduler,
            "requests": facts.queue_requests,
            "hardware_queues": facts.hardware_queues,
            "max_request_kib": facts.max_request_kib,
            "optimal_io_bytes": disk.optimal_io_bytes,
            "read_ahead_kib": facts.read_ahead_kib,
            "rotational": facts.rotational,
            "write_cache": facts.write_cache,
            "logical_sector": facts.logical_sector,
            "physical_sector": facts.physical_sector,
        },
        "partitions": disk
            .partitions
            .iter()
            .map(|partition| json!({ "device": partition.device, "start_bytes": partition.start_bytes }))
            .collect::<Vec<Value>>(),
        "exceeded": disk.exceeded.map(exceeded),
    })
}

fn exceeded(exceeded: Exceeded) -> Value {
    json!({
        "disk_iops_us": exceeded.disk_iops_us,
        "disk_throughput_us": exceeded.disk_throughput_us,
        "vm_iops_us": exceeded.vm_iops_us,
        "vm_throughput_us": exceeded.vm_throughput_us,
    })
}

fn volume(volume: &SetupVolume) -> Value {
    let (columns, interleave) = match volume.layout {
        Layout::Striped { columns, interleave } => (Some(columns), Some(interleave)),
        _ => (None, None),
    };
    json!({
        "name": volume.name,
        "device": volume.device,
        "kind": volume.kind,
        "layout": volume.layout.name(),
        "columns": columns,
        "interleave_bytes": interleave,
        "told_by": volume.told_by,
        "disks": volume.disks,
        "read_ahead_kib": volume.read_ahead_kib,
        "mounts": volume.mounts.iter().map(mounted).collect::<Vec<Value>>(),
    })
}

fn mounted(mount: &Mounted) -> Value {
    json!({
        "point": mount.point,
        "filesystem": mount.filesystem,
        "options": mount.options,
        "start_bytes": mount.start_bytes,
    })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "rule": finding.rule,
        "confidence": finding.confidence.name(),
        "claim": finding.claim,
        "evidence": finding.evidence,
        "remedy": finding.advice,
        "to_be_sure": finding.to_be_sure,
    })
}
