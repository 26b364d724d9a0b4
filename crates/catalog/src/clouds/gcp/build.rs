//! Building on Google Cloud: gcloud and Terraform, and where the disks are in the guest.

use super::counts::is_hyperdisk;
use super::custom::MACHINES;
use super::series::takes;
use crate::clouds::build::{BuildPlan, LocalDisks, Script, VolumeDisks, required, resource};
use crate::clouds::names::{DiskType, Redundancy};
use crate::price_row::Os;

pub(super) fn scripts(plan: &BuildPlan<'_>) -> Vec<Script> {
    vec![Script { name: "gcloud", text: gcloud(plan) }, Script { name: "terraform", text: terraform(plan) }]
}

/// The zone: the first in which the machine type can be had, as far as that is known.
fn zone(plan: &BuildPlan<'_>) -> String {
    let letter = plan.zones.and_then(|zones| zones.first()).map_or("a", String::as_str);
    format!("{}-{letter}", plan.region)
}

/// Another zone of the machine type; `None` is unknown.
fn other_zone(plan: &BuildPlan<'_>) -> Option<String> {
    let letter = plan.zones.and_then(|zones| zones.get(1))?;
    Some(format!("{}-{letter}", plan.region))
}

fn is_regional(plan: &BuildPlan<'_>, volume: &VolumeDisks) -> bool {
    plan.redundancy == Redundancy::Zrs || volume.disk.word() == "hyperdisk-balanced-ha"
}

/// The image of the boot disk: its project and its family.
fn image(plan: &BuildPlan<'_>) -> (&'static str, &'static str) {
    let listed = MACHINES.table().rows_named(plan.vm);
    let is_arm = listed.first().is_some_and(|row| row.text("arch") == Some("arm64"));
    match (plan.os, is_arm) {
        (Os::Linux, false) => ("ubuntu-os-cloud", "ubuntu-2404-lts-amd64"),
        (Os::Linux, true) => ("ubuntu-os-cloud", "ubuntu-2404-lts-arm64"),
        (Os::Windows, _) => ("windows-cloud", "windows-2022"),
    }
}

/// The boot disk's type: series without Persistent Disk boot from Hyperdisk. Of a series whose types are not listed, the disks tell.
fn boot(plan: &BuildPlan<'_>) -> &'static str {
    let takes_pd = takes(plan.vm, DiskType::PdBalanced);
    match takes_pd.unwrap_or(!plan.volumes.iter().any(|volume| is_hyperdisk(volume.disk))) {
        true => DiskType::PdBalanced.word(),
        false => DiskType::HyperdiskBalanced.word(),
    }
}

/// With the gcloud CLI.
fn gcloud(plan: &BuildPlan<'_>) -> String {
    let (project, family) = image(plan);
    let mut text = format!("VM=my-vm ZONE={}\n", zone(plan));
    if plan.volumes.iter().any(|volume| is_regional(plan, volume)) {
        text.push_str("# the second zone of regional disks\n");
        text.push_str(&other_zone(plan).map_or_else(
            || required("OTHER_ZONE", &format!("another zone of {}", plan.region)),
            |zone| format!("OTHER_ZONE={zone}\n"),
        ));
    }
    text.push_str(&format!(
        "gcloud compute instances create \"$VM\" --zone \"$ZONE\" --machine-type {} --image-project {project} --image-family {family} --boot-disk-type {}{}\n",
        plan.vm,
        boot(plan),
        " --local-ssd interface=nvme".repeat(plan.ordered_local as usize)
    ));
    for volume in plan.volumes {
        let ios = volume.ios.map_or(String::new(), |ios| format!(" --provisioned-iops {ios}"));
        let mib = volume.megabytes.map_or(String::new(), |mib| format!(" --provisioned-throughput {mib}"));
        let regional = is_regional(plan, volume);
        let place = match regional {
            true => format!("--region {} --replica-zones \"$ZONE,$OTHER_ZONE\"", plan.region),
            false => "--zone \"$ZONE\"".to_string(),
        };
        let scope = if regional { " --disk-scope regional" } else { "" };
        text.push_str(&format!(
            "for n in $(seq 0 {}); do\n  gcloud compute disks create \"$VM-{name}-$n\" {place} --type {} --size {}GB{ios}{mib}\n  gcloud compute instances attach-disk \"$VM\" --zone \"$ZONE\" --disk \"$VM-{name}-$n\" --device-name {name}-$n{scope}\ndone\n",
            volume.count.saturating_sub(1),
            volume.disk.kind().sku,
            volume.gib,
            name = volume.name,
        ));
    }
    text
}

/// With Terraform: the disks, and what the instance that they belong to has to have.
fn terraform(plan: &BuildPlan<'_>) -> String {
    let zone = zone(plan);
    let mut text = format!(
        "# google_compute_instance.vm has: machine_type = \"{}\", zone = \"{zone}\", lifecycle {{ ignore_changes = [attached_disk] }}\n",
        plan.vm
    );
    if plan.ordered_local > 0 {
        text.push_str(&format!(
            "# and {} times: scratch_disk {{ interface = \"NVME\" }}\n",
            plan.ordered_local
        ));
    }
    let second = other_zone(plan).map(|zone| format!("\"{zone}\""));
    if second.is_none() && plan.volumes.iter().any(|volume| is_regional(plan, volume)) {
        text.push_str("variable \"other_zone\" {\n  type = string\n}\n");
    }
    let second = second.unwrap_or("var.other_zone".to_string());
    for volume in plan.volumes {
        let regional = is_regional(plan, volume);
        let mut lines = vec![
            ("count", volume.count.to_string()),
            ("name", format!("\"{}-${{count.index}}\"", volume.name)),
            ("type", format!("\"{}\"", volume.disk.kind().sku)),
        ];
        lines.push(match regional {
            true => ("region", format!("\"{}\"", plan.region)),
            false => ("zone", format!("\"{zone}\"")),
        });
        if regional {
            lines.push(("replica_zones", format!("[\"{zone}\", {second}]")));
        }
        lines.push(("size", volume.gib.to_string()));
        lines.extend(volume.ios.map(|ios| ("provisioned_iops", ios.to_string())));
        lines.extend(volume.megabytes.map(|mib| ("provisioned_throughput", mib.to_string())));
        let kind = if regional { "google_compute_region_disk" } else { "google_compute_disk" };
        text.push_str(&resource(kind, volume.name, &lines));
        let attached = [
            ("count", volume.count.to_string()),
            ("disk", format!("{kind}.{}[count.index].id", volume.name)),
            ("instance", "google_compute_instance.vm.id".to_string()),
            ("device_name", format!("\"{}-${{count.index}}\"", volume.name)),
        ];
        text.push_str(&resource("google_compute_attached_disk", volume.name, &attached));
    }
    text
}

pub(super) fn linux_disks(volume: &VolumeDisks) -> String {
    format!(
        "disks=(); for n in $(seq 0 {}); do disks+=(/dev/disk/by-id/google-{}-$n); done\n",
        volume.count.saturating_sub(1),
        volume.name
    )
}

pub(super) fn windows_disks(volume: &VolumeDisks) -> String {
    format!(
        "# the disks of {name}: SerialNumber is the device name\n$d = Get-PhysicalDisk -CanPool $true | Where-Object {{ $_.SerialNumber -like '{name}-*' }}\n",
        name = volume.name
    )
}

/// Titanium and local SSDs are NVMe disks with names of their own.
pub(super) fn local_disks(disks: LocalDisks) -> String {
    format!("disks=($(ls /dev/disk/by-id/google-local-nvme-ssd-* | {}))\n", disks.filter())
}

/// A Persistent Disk on NVMe is `nvme_card-pd`.
pub(super) fn windows_local_disks(disks: LocalDisks) -> Option<String> {
    Some(disks.windows("-match 'nvme_card(?!-pd)'"))
}
