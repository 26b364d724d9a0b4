//! Building on Azure: az and Terraform, and where the disks are in the guest.

use crate::clouds::build::{BuildPlan, LocalDisks, Script, VolumeDisks, required, resource};
use crate::clouds::names::{DiskType, Redundancy};
use crate::configuration::PerformanceSetting;
use crate::price_row::Os;

pub(super) fn scripts(plan: &BuildPlan<'_>) -> Vec<Script> {
    vec![Script { name: "az", text: az(plan) }, Script { name: "terraform", text: terraform(plan) }]
}

impl BuildPlan<'_> {
    /// The size, and the disk interface where it has two.
    fn size(&self) -> (&str, Option<&str>) {
        match self.vm.split_once(':') {
            Some((name, interface)) => (name, Some(interface)),
            None => (self.vm, None),
        }
    }

    /// The zone: the first in which the size can be had, as far as that is known; `None`: there is none.
    fn zone(&self) -> Option<&str> {
        match self.zones {
            _ if !self.has_zones => None,
            Some(zones) => zones.first().map(String::as_str),
            None => Some("1"),
        }
    }

    /// The zone of a disk: one that lies in several has none of its own.
    fn zone_of_disks(&self) -> Option<&str> {
        self.zone().filter(|_| self.redundancy == Redundancy::Lrs)
    }

    fn sku(&self, disk: DiskType) -> String {
        format!("{}_{}", disk.kind().sku, self.redundancy.name())
    }

    fn has_ultra(&self) -> bool {
        self.volumes.iter().any(|volume| volume.disk == DiskType::Ultra)
    }
}

/// The performance setting that is chosen when a disk is made.
const PLUS: &str = PerformanceSetting::PLUS[0];

fn caching(volume: &VolumeDisks) -> &'static str {
    if volume.cached { "ReadOnly" } else { "None" }
}

/// With the Azure CLI.
fn az(plan: &BuildPlan<'_>) -> String {
    let (size, interface) = plan.size();
    let region = plan.region;
    let zone = plan.zone().map_or(String::new(), |zone| format!(" ZONE={zone}"));
    let in_zone = |zone: Option<&str>| if zone.is_some() { " --zone \"$ZONE\"" } else { "" };
    let (image, who) = match plan.os {
        Os::Linux => ("Ubuntu2404", "--admin-username me --generate-ssh-keys"),
        Os::Windows => ("Win2022Datacenter", "--admin-username me --admin-password \"$PASSWORD\""),
    };
    let mut text = format!("RG=my-group VM=my-vm{zone} IMAGE={image}\n");
    if plan.os == Os::Windows {
        text.push_str(&required("PASSWORD", "the password of the administrator"));
    }
    text.push_str(&format!(
        "az vm create -g \"$RG\" -n \"$VM\" -l {region}{} --image \"$IMAGE\" --size {size}{}{} {who}\n",
        in_zone(plan.zone()),
        interface.map_or(String::new(), |interface| format!(" --disk-controller-type {interface}")),
        if plan.has_ultra() { " --ultra-ssd-enabled true" } else { "" }
    ));
    for volume in plan.volumes {
        let mut figures = String::new();
        if let Some(ios) = volume.ios {
            figures.push_str(&format!(" --disk-iops-read-write {ios}"));
        }
        if let Some(megabytes) = volume.megabytes {
            figures.push_str(&format!(" --disk-mbps-read-write {megabytes}"));
        }
        figures.push_str(&match volume.setting {
            "" => String::new(),
            PLUS => " --performance-plus true".into(),
            tier => format!(" --tier {tier}"),
        });
        text.push_str(&format!(
            "for lun in $(seq {} {}); do\n  az disk create -g \"$RG\" -n \"$VM-{name}-$lun\" -l {region}{} --sku {} --size-gb {}{figures}\n  az vm disk attach -g \"$RG\" --vm-name \"$VM\" --name \"$VM-{name}-$lun\" --lun \"$lun\" --caching {}\ndone\n",
            volume.first,
            volume.last(),
            in_zone(plan.zone_of_disks()),
            plan.sku(volume.disk),
            volume.gib,
            caching(volume),
            name = volume.name,
        ));
    }
    text
}

/// With Terraform: the disks, and what the VM that they belong to has to have.
fn terraform(plan: &BuildPlan<'_>) -> String {
    let (size, interface) = plan.size();
    let region = plan.region;
    let machine = match plan.os {
        Os::Linux => "azurerm_linux_virtual_machine",
        Os::Windows => "azurerm_windows_virtual_machine",
    };
    let mut has = vec![format!("size = \"{size}\""), format!("location = \"{region}\"")];
    has.extend(plan.zone().map(|zone| format!("zone = \"{zone}\"")));
    has.extend(interface.map(|interface| format!("disk_controller_type = \"{interface}\"")));
    if plan.has_ultra() {
        has.push("additional_capabilities { ultra_ssd_enabled = true }".into());
    }
    let mut text = format!("# {machine}.vm has: {}\n", has.join(", "));
    for volume in plan.volumes {
        let mut lines = vec![
            ("count", volume.count.to_string()),
            ("name", format!("\"{}-${{count.index}}\"", volume.name)),
            ("location", format!("\"{region}\"")),
            ("resource_group_name", "azurerm_resource_group.rg.name".into()),
        ];
        lines.extend(plan.zone_of_disks().map(|zone| ("zone", format!("\"{zone}\""))));
        lines.extend([
            ("create_option", "\"Empty\"".to_string()),
            ("storage_account_type", format!("\"{}\"", plan.sku(volume.disk))),
            ("disk_size_gb", volume.gib.to_string()),
        ]);
        lines.extend(volume.ios.map(|ios| ("disk_iops_read_write", ios.to_string())));
        lines.extend(volume.megabytes.map(|megabytes| ("disk_mbps_read_write", megabytes.to_string())));
        match volume.setting {
            "" => {}
            PLUS => lines.push(("performance_plus_enabled", "true".into())),
            tier => lines.push(("tier", format!("\"{tier}\""))),
        }
        text.push_str(&resource("azurerm_managed_disk", volume.name, &lines));
        let attached = [
            ("count", volume.count.to_string()),
            ("managed_disk_id", format!("azurerm_managed_disk.{}[count.index].id", volume.name)),
            ("virtual_machine_id", format!("{machine}.vm.id")),
            ("lun", format!("{} + count.index", volume.first)),
            ("caching", format!("\"{}\"", caching(volume))),
        ];
        text.push_str(&resource("azurerm_virtual_machine_data_disk_attachment", volume.name, &attached));
    }
    text
}

pub(super) fn linux_disks(volume: &VolumeDisks) -> String {
    // Images with azure-vm-utils have the first names, older ones the second.
    format!(
        "disks=(); for lun in $(seq {} {}); do disk=/dev/disk/azure/data/by-lun/$lun; [ -e \"$disk\" ] || disk=/dev/disk/azure/scsi1/lun$lun; disks+=(\"$disk\"); done\n",
        volume.first,
        volume.last()
    )
}

pub(super) fn windows_disks(volume: &VolumeDisks) -> String {
    format!(
        "$luns = {}..{}\n$d = Get-PhysicalDisk -CanPool $true | Where-Object {{ ($_.PhysicalLocation -replace '.*LUN ', '') -in $luns }}\n",
        volume.first,
        volume.last()
    )
}

pub(super) fn local_disks(disks: LocalDisks) -> String {
    if disks.is_nvme {
        // Sizes before v6 have /dev/disk/azure/local/by-serial only.
        format!(
            "disks=(/dev/disk/azure/local/by-index/{{{}..{}}})\n",
            disks.before + 1,
            disks.before + disks.count
        )
    } else {
        "disks=(/dev/disk/azure/resource)\numount \"${disks[0]}-part1\" || true\n".to_string()
    }
}

pub(super) fn windows_local_disks(disks: LocalDisks) -> Option<String> {
    disks.is_nvme.then(|| disks.windows("-like '*NVMe Direct Disk*'"))
}
