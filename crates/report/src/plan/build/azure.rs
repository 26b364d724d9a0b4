//! Building on Azure: az and Terraform.

use iobound_catalog::{DiskType, Os, Redundancy};
use iobound_plan::{Market, Vm, Volume};

use super::{Piece, chosen};

/// Where and with what a VM is made.
pub(super) struct Place<'a> {
    pub(super) market: &'a Market,
    pub(super) vm: &'a Vm,
    pub(super) region: &'a str,
    pub(super) has_zones: bool,
    pub(super) os: Os,
}

impl Place<'_> {
    /// The size, and the disk interface where it has two.
    fn size(&self) -> (&str, Option<&str>) {
        match self.vm.name.split_once(':') {
            Some((name, interface)) => (name, Some(interface)),
            None => (&self.vm.name, None),
        }
    }

    /// The zone: the first in which the size can be had, as far as that is known; `None`: there is none.
    fn zone(&self) -> Option<&str> {
        match &self.vm.zones {
            _ if !self.has_zones => None,
            Some(zones) => zones.first().map(String::as_str),
            None => Some("1"),
        }
    }

    /// The zone of a disk: one that lies in several has none of its own.
    fn zone_of_disks(&self) -> Option<&str> {
        self.zone().filter(|_| self.market.redundancy == Redundancy::Lrs)
    }

    fn sku(&self, disk: DiskType) -> &'static str {
        match (disk, self.market.redundancy) {
            (DiskType::Premium, Redundancy::Lrs) => "Premium_LRS",
            (DiskType::Premium, Redundancy::Zrs) => "Premium_ZRS",
            (DiskType::PremiumV2, _) => "PremiumV2_LRS",
            (DiskType::Ultra, _) => "UltraSSD_LRS",
            (DiskType::StandardSsd, Redundancy::Lrs) => "StandardSSD_LRS",
            (DiskType::StandardSsd, Redundancy::Zrs) => "StandardSSD_ZRS",
            (DiskType::StandardHdd, _) => "Standard_LRS",
            (other, _) => other.word(),
        }
    }
}

fn has_ultra(pieces: &[Piece<'_>]) -> bool {
    pieces.iter().any(|piece| piece.volume.disk == DiskType::Ultra)
}

fn caching(volume: &Volume) -> &'static str {
    if volume.cached { "ReadOnly" } else { "None" }
}

/// With the Azure CLI.
pub(super) fn az(place: &Place<'_>, pieces: &[Piece<'_>]) -> String {
    let (size, interface) = place.size();
    let region = place.region;
    let zone = place.zone().map_or(String::new(), |zone| format!(" ZONE={zone}"));
    let in_zone = |zone: Option<&str>| if zone.is_some() { " --zone \"$ZONE\"" } else { "" };
    let (image, who) = match place.os {
        Os::Linux => ("Ubuntu2404", "--admin-username me --generate-ssh-keys"),
        Os::Windows => ("Win2022Datacenter", "--admin-username me --admin-password \"$PASSWORD\""),
    };
    let mut text = format!("RG=my-group VM=my-vm{zone} IMAGE={image}\n");
    if place.os == Os::Windows {
        text.push_str("read -rs PASSWORD\n");
    }
    text.push_str(&format!(
        "az vm create -g \"$RG\" -n \"$VM\" -l {region}{} --image \"$IMAGE\" --size {size}{}{} {who}\n",
        in_zone(place.zone()),
        interface.map_or(String::new(), |interface| format!(" --disk-controller-type {interface}")),
        if has_ultra(pieces) { " --ultra-ssd-enabled true" } else { "" }
    ));
    for piece in pieces {
        let (ios, megabytes) = chosen(place.market, piece.volume);
        let mut figures = String::new();
        if let Some(ios) = ios {
            figures.push_str(&format!(" --disk-iops-read-write {ios}"));
        }
        if let Some(megabytes) = megabytes {
            figures.push_str(&format!(" --disk-mbps-read-write {megabytes}"));
        }
        text.push_str(&format!(
            "for lun in $(seq {} {}); do\n  az disk create -g \"$RG\" -n \"$VM-{name}-$lun\" -l {region}{} --sku {} --size-gb {}{figures}\n  az vm disk attach -g \"$RG\" --vm-name \"$VM\" --name \"$VM-{name}-$lun\" --lun \"$lun\" --caching {}\ndone\n",
            piece.first,
            piece.last(),
            in_zone(place.zone_of_disks()),
            place.sku(piece.volume.disk),
            piece.volume.fit.gib,
            caching(piece.volume),
            name = piece.name,
        ));
    }
    text
}

/// With Terraform: the disks, and what the VM that they belong to has to have.
pub(super) fn terraform(place: &Place<'_>, pieces: &[Piece<'_>]) -> String {
    let (size, interface) = place.size();
    let region = place.region;
    let machine = match place.os {
        Os::Linux => "azurerm_linux_virtual_machine",
        Os::Windows => "azurerm_windows_virtual_machine",
    };
    let mut has = vec![format!("size = \"{size}\""), format!("location = \"{region}\"")];
    has.extend(place.zone().map(|zone| format!("zone = \"{zone}\"")));
    has.extend(interface.map(|interface| format!("disk_controller_type = \"{interface}\"")));
    if has_ultra(pieces) {
        has.push("additional_capabilities { ultra_ssd_enabled = true }".into());
    }
    let mut text = format!("# {machine}.vm has: {}\n", has.join(", "));
    for piece in pieces {
        let (ios, megabytes) = chosen(place.market, piece.volume);
        let mut lines = vec![
            ("count", piece.count().to_string()),
            ("name", format!("\"{}-${{count.index}}\"", piece.name)),
            ("location", format!("\"{region}\"")),
            ("resource_group_name", "azurerm_resource_group.rg.name".into()),
        ];
        lines.extend(place.zone_of_disks().map(|zone| ("zone", format!("\"{zone}\""))));
        lines.extend([
            ("create_option", "\"Empty\"".to_string()),
            ("storage_account_type", format!("\"{}\"", place.sku(piece.volume.disk))),
            ("disk_size_gb", piece.volume.fit.gib.to_string()),
        ]);
        lines.extend(ios.map(|ios| ("disk_iops_read_write", ios.to_string())));
        lines.extend(megabytes.map(|megabytes| ("disk_mbps_read_write", megabytes.to_string())));
        text.push_str(&super::resource("azurerm_managed_disk", piece.name, &lines));
        let attached = [
            ("count", piece.count().to_string()),
            ("managed_disk_id", format!("azurerm_managed_disk.{}[count.index].id", piece.name)),
            ("virtual_machine_id", format!("{machine}.vm.id")),
            ("lun", format!("{} + count.index", piece.first)),
            ("caching", format!("\"{}\"", caching(piece.volume))),
        ];
        text.push_str(&super::resource(
            "azurerm_virtual_machine_data_disk_attachment",
            piece.name,
            &attached,
        ));
    }
    text
}
