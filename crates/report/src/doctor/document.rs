//! The document of `doctor`, from what was found.

use iobound_documents::{
    Amount, CertaintyWord, DiskExceeded, DiskPartition, DiskQueue, DoctorDocument, FactPart, LimitUnit,
    MachineDisk, MachineLimit, MachinePart, MachineVolume, SetupFinding, Version, VolumeMount,
};
use iobound_explain::Finding;
use iobound_explain::setup::{
    Certainty, Exceeded, Fact, Layout, Mounted, Partition, SetupDisk, SetupLimit, SetupVolume, Use,
};
use iobound_model::Dimension;

use super::Doctored;

/// The document of `doctor`.
pub fn doctor_document(doctored: &Doctored<'_>) -> DoctorDocument {
    let vm = doctored.resolved.map(|resolved| &resolved.vm).or(doctored.vm);
    DoctorDocument {
        schema: Version::default(),
        machine: machine(doctored),
        vm: vm.map(iobound_catalog::VmSize::full_name),
        limits: doctored.limits().iter().map(limit).collect(),
        disks: doctored.setup.disks.iter().map(|one| disk(doctored, one)).collect(),
        volumes: doctored.setup.volumes.iter().map(volume).collect(),
        findings: doctored.findings.iter().map(finding).collect(),
        saved: doctored.saved.map(str::to_string),
        notes: doctored.notes.to_vec(),
    }
}

fn machine(doctored: &Doctored<'_>) -> MachinePart {
    let fact = |name: &str| {
        let unasked =
            || FactPart { value: None, certainty: CertaintyWord::Unknown, source: "not read".to_string() };
        doctored.fact(name).map_or_else(unasked, |fact: &Fact| FactPart {
            value: fact.value.clone(),
            certainty: certainty(fact.certainty),
            source: fact.source.clone(),
        })
    };
    MachinePart {
        cloud: fact("cloud"),
        vm: fact("vm"),
        region: fact("region"),
        zone: fact("zone"),
        vcpus: fact("vcpus"),
        numa_nodes: fact("numa_nodes"),
        memory_bytes: fact("memory_bytes"),
        kernel: fact("kernel"),
        io_pressure: fact("io_pressure"),
    }
}

fn certainty(certainty: Certainty) -> CertaintyWord {
    match certainty {
        Certainty::Known => CertaintyWord::Known,
        Certainty::Assumed => CertaintyWord::Assumed,
        Certainty::Unknown => CertaintyWord::Unknown,
    }
}

fn limit(limit: &SetupLimit) -> MachineLimit {
    let whole = |figure: f64| Amount::with_decimals(figure, 0);
    MachineLimit {
        name: limit.name.clone(),
        of: limit.of.clone(),
        count: limit.count as u64,
        unit: match limit.dimension {
            Dimension::Ios => LimitUnit::Iops,
            Dimension::Bytes => LimitUnit::BytesPerS,
        },
        published: whole(limit.published),
        enforced: limit.enforced.map(whole),
        burst: limit.burst.map(whole),
    }
}

fn disk(doctored: &Doctored<'_>, disk: &SetupDisk) -> MachineDisk {
    let known = doctored.disk_of(disk.device());
    let facts = &disk.facts;
    let (figures, why) = &disk.figures;
    MachineDisk {
        device: disk.is_seen.then(|| disk.device().to_string()),
        used_for: disk.used_for.map(|used| Use::name(used).to_string()),
        lun: disk.lun,
        name: disk.name.clone(),
        told_by: disk.told_by.clone(),
        disk: known.map(|disk| disk.described.clone()).or_else(|| disk.spec.clone()),
        kind_of_disk: disk.disk.map(|disk| disk.word().to_string()),
        configured_as: known.map(|disk| disk.name.clone()),
        cache: disk.cache.map(|cache| cache.name().to_string()),
        write_accelerator: disk.write_accelerator,
        iops: known.and_then(|disk| disk.ios),
        throughput_bytes_per_s: known.and_then(|disk| disk.bytes),
        figures: certainty(*figures),
        figures_source: why.clone(),
        model: facts.model.clone(),
        kind: facts.kind.clone(),
        size_bytes: facts.size_bytes,
        queue: DiskQueue {
            scheduler: facts.scheduler.clone(),
            requests: facts.queue_requests,
            hardware_queues: facts.hardware_queues,
            max_request_kib: facts.max_request_kib,
            optimal_io_bytes: disk.optimal_io_bytes,
            read_ahead_kib: facts.read_ahead_kib,
            rotational: facts.rotational,
            write_cache: facts.write_cache.clone(),
            logical_sector: facts.logical_sector,
            physical_sector: facts.physical_sector,
        },
        partitions: disk.partitions.iter().map(partition).collect(),
        exceeded: disk.exceeded.map(exceeded),
    }
}

fn partition(partition: &Partition) -> DiskPartition {
    DiskPartition { device: partition.device.clone(), start_bytes: partition.start_bytes }
}

fn exceeded(exceeded: Exceeded) -> DiskExceeded {
    DiskExceeded {
        disk_iops_us: exceeded.disk_iops_us,
        disk_throughput_us: exceeded.disk_throughput_us,
        vm_iops_us: exceeded.vm_iops_us,
        vm_throughput_us: exceeded.vm_throughput_us,
    }
}

fn volume(volume: &SetupVolume) -> MachineVolume {
    let (columns, interleave_bytes) = match volume.layout {
        Layout::Striped { columns, interleave } => (Some(u64::from(columns)), Some(interleave)),
        _ => (None, None),
    };
    MachineVolume {
        name: volume.name.clone(),
        device: volume.device.clone(),
        kind: volume.kind.clone(),
        layout: volume.layout.name().to_string(),
        columns,
        interleave_bytes,
        told_by: volume.told_by.clone(),
        disks: volume.disks.clone(),
        read_ahead_kib: volume.read_ahead_kib,
        mounts: volume.mounts.iter().map(mounted).collect(),
    }
}

fn mounted(mount: &Mounted) -> VolumeMount {
    VolumeMount {
        point: mount.point.clone(),
        filesystem: mount.filesystem.clone(),
        options: mount.options.clone(),
        start_bytes: mount.start_bytes,
        allocation_unit_bytes: mount.allocation_unit,
    }
}

fn finding(finding: &Finding) -> SetupFinding {
    SetupFinding {
        rule: finding.rule.to_string(),
        confidence: finding.confidence.name().to_string(),
        claim: finding.claim.clone(),
        evidence: finding.evidence.clone(),
        remedy: finding.advice.clone(),
        to_be_sure: finding.to_be_sure.clone(),
    }
}
