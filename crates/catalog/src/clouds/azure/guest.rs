//! Azure's Instance Metadata Service (MicrosoftDocs/azure-docs, `instance-metadata-service.md`): one document. Every
//! primitive in it is a string, and an empty one is missing.

use serde_json::Value;

use crate::clouds::guest::{
    CloudDisk, DeviceNaming, FirmwareMark, GuestRules, Instance, MetadataRules, Slot,
};
use crate::clouds::names::Cloud;

/// The tag of every VM of Azure's; Hyper-V elsewhere has another (cloud-init, `ds-identify`; Microsoft's "Azure Instance
/// Metadata Service" names it).
const TAG: &str = "7783-7084-3265-9085-8269-3286-77";

/// Models of controllers: Azure/azure-vm-utils. All remote disks have one controller, and a namespace each.
pub(super) const RULES: GuestRules = GuestRules {
    firmware: &[FirmwareMark::without_size("chassis_asset_tag", |text| text == TAG)],
    nvme: &[("MSFT NVMe Accelerator v1.0", false), ("Microsoft NVMe Direct Disk", true)],
    naming: DeviceNaming::Lun,
    metadata: Some(MetadataRules {
        header: ("Metadata", "true"),
        // The first version with the throttles of Ultra disks and encryption at host.
        paths: &["/metadata/instance?api-version=2021-11-01&format=json"],
        read: |texts| parse(&texts.concat()),
    }),
};

/// Reads the document.
///
/// # Errors
/// Returns an error if the text is not such a document.
pub fn parse(text: &str) -> Result<Instance, String> {
    let document: Value = serde_json::from_str(text)
        .map_err(|error| format!("its answer is not JSON of Azure's metadata: {error}"))?;
    let compute = &document["compute"];
    if !compute.is_object() {
        return Err("its answer has no `compute`: it is not Azure's metadata".to_string());
    }
    let mut instance = Instance {
        size: string(compute, "vmSize"),
        region: string(compute, "location"),
        zone: string(compute, "zone"),
        ..Instance::of(Cloud::Azure)
    };
    let storage = &compute["storageProfile"];
    let os = &storage["osDisk"];
    if os.is_object() {
        let disk = disk(os, Slot::Os, &mut instance.notes);
        instance.disks.push(disk);
    }
    let empty = Vec::new();
    for data in storage["dataDisks"].as_array().unwrap_or(&empty) {
        let Some(lun) = number(data, "lun").and_then(|lun| u32::try_from(lun).ok()) else {
            let name = string(data, "name").unwrap_or_default();
            instance.notes.push(format!("the data disk {name} has no LUN in the metadata, and is left out"));
            continue;
        };
        let disk = disk(data, Slot::Lun(lun), &mut instance.notes);
        instance.disks.push(disk);
    }
    instance.disks.sort_by(|one, other| one.slot.cmp(&other.slot));
    Ok(instance)
}

fn disk(value: &Value, slot: Slot, notes: &mut Vec<String>) -> CloudDisk {
    let name = string(value, "name");
    let called = name.clone().unwrap_or_else(|| "a disk".to_string());
    let mut disk = CloudDisk {
        kind: string(&value["managedDisk"], "storageAccountType"),
        bytes: number(value, "diskSizeGB")
            .and_then(|gib| gib.checked_mul(1 << 30))
            .filter(|bytes| *bytes > 0),
        cache: string(value, "caching"),
        iops: number(value, "opsPerSecondThrottle").filter(|iops| *iops > 0),
        bytes_per_s: number(value, "bytesPerSecondThrottle").filter(|bytes| *bytes > 0),
        write_accelerator: is_true(value, "writeAcceleratorEnabled"),
        // `Local`: the operating system lies on the host's own disk.
        is_ephemeral: string(&value["diffDiskSettings"], "option").is_some(),
        name,
        ..CloudDisk::at(slot)
    };
    if let Some(bytes) = number(value, "diskCapacityBytes").filter(|bytes| *bytes > 0)
        && disk.bytes.replace(bytes).is_some_and(|stated| stated != bytes)
    {
        notes.push(format!(
            "{called}: the metadata gives {} GiB and {} GiB: the capacity in bytes is used",
            number(value, "diskSizeGB").unwrap_or_default(),
            bytes >> 30
        ));
    }
    let is_named_ultra = disk.kind.as_deref().is_some_and(|kind| kind.starts_with("Ultra"));
    if is_true(value, "isUltraDisk") && !is_named_ultra {
        if let Some(kind) = &disk.kind {
            notes.push(format!(
                "{called}: the metadata names both {kind} and Ultra: Ultra is used, because only its figures are present"
            ));
        }
        disk.kind = Some("UltraSSD_LRS".to_string());
    }
    disk
}

fn string(value: &Value, key: &str) -> Option<String> {
    value[key].as_str().map(str::trim).filter(|text| !text.is_empty()).map(str::to_string)
}

/// A number in a string, as they all are; one that is a number is taken as well.
fn number(value: &Value, key: &str) -> Option<u64> {
    value[key].as_u64().or_else(|| string(value, key)?.parse().ok())
}

fn is_true(value: &Value, key: &str) -> bool {
    value[key].as_bool() == Some(true)
        || string(value, key).is_some_and(|text| text.eq_ignore_ascii_case("true"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_primitive_is_a_string_and_an_empty_one_is_missing() {
        let text = r#"{"compute": {"vmSize": "Standard_D8s_v3", "location": "westeurope", "zone": "",
            "storageProfile": {
                "osDisk": {"name": "os", "caching": "ReadWrite", "diskSizeGB": "30", "writeAcceleratorEnabled": "false",
                    "diffDiskSettings": {"option": ""}, "managedDisk": {"storageAccountType": "Premium_LRS"}},
                "dataDisks": [
                    {"lun": "1", "name": "b", "caching": "None", "diskSizeGB": "1024", "opsPerSecondThrottle": "",
                        "bytesPerSecondThrottle": "", "isUltraDisk": "false", "diskCapacityBytes": "",
                        "managedDisk": {"storageAccountType": "PremiumV2_LRS"}},
                    {"lun": "0", "name": "a", "caching": "ReadOnly", "diskSizeGB": "1024",
                        "writeAcceleratorEnabled": "true", "managedDisk": {"storageAccountType": "Premium_LRS"}}]}}}"#;
        let instance = parse(text).unwrap();
        assert_eq!((instance.size.as_deref(), instance.zone), (Some("Standard_D8s_v3"), None));
        let slots: Vec<_> = instance.disks.iter().map(|disk| disk.slot.clone()).collect();
        assert_eq!(slots, [Slot::Os, Slot::Lun(0), Slot::Lun(1)]);
        assert!(!instance.disks[0].is_ephemeral && instance.disks[1].write_accelerator);
        assert_eq!(instance.disks[2].kind.as_deref(), Some("PremiumV2_LRS"));
        assert_eq!((instance.disks[2].iops, instance.disks[2].bytes), (None, Some(1 << 40)));
        assert!(instance.notes.is_empty(), "{:?}", instance.notes);
    }

    #[test]
    fn figures_that_only_ultra_disks_have_are_read_and_contradictions_told() {
        let text = r#"{"compute": {"vmSize": "x", "storageProfile": {"dataDisks": [{"lun": "0", "name": "u",
            "diskSizeGB": "1024", "diskCapacityBytes": "274877906944", "isUltraDisk": "true",
            "opsPerSecondThrottle": "65280", "bytesPerSecondThrottle": "979202048",
            "managedDisk": {"storageAccountType": "StandardSSD_LRS"}}]}}}"#;
        let instance = parse(text).unwrap();
        let disk = &instance.disks[0];
        assert_eq!((disk.iops, disk.bytes_per_s), (Some(65_280), Some(979_202_048)));
        assert_eq!((disk.kind.as_deref(), disk.bytes), (Some("UltraSSD_LRS"), Some(256 << 30)));
        assert_eq!(instance.notes.len(), 2, "{:?}", instance.notes);
    }

    #[test]
    fn older_answers_have_no_disks_and_others_are_none() {
        let instance = parse(r#"{"compute": {"vmSize": "Standard_D2_V2", "location": "westus"}}"#).unwrap();
        assert_eq!((instance.size.as_deref(), instance.disks.len()), (Some("Standard_D2_V2"), 0));
        for odd in ["", "null", "[]", "{}", r#"{"compute": "x"}"#, "<html>"] {
            assert!(parse(odd).is_err(), "{odd}");
        }
        // A data disk without a number can't be told from the others.
        let odd = r#"{"compute": {"storageProfile": {"dataDisks": [{"lun": "", "name": "x"}, 5]}}}"#;
        assert_eq!(parse(odd).unwrap().notes.len(), 2);
    }
}
