//! A VM of Google Cloud from inside: its firmware, its NVMe controllers and its metadata server, which has machine type, zone
//! and the disks' names (GoogleCloudPlatform/guest-configs). The disks' `type` names the type of most of them:
//! `PERSISTENT-SSD`, `HYPERDISK-BALANCED`.

use serde_json::Value;

use crate::clouds::guest::{
    CloudDisk, DeviceNaming, FirmwareMark, GuestRules, Instance, MetadataRules, Slot,
};
use crate::clouds::names::Cloud;

pub(super) const RULES: GuestRules = GuestRules {
    firmware: &[FirmwareMark::without_size("product_name", |text| text == "Google Compute Engine")],
    nvme: &[("nvme_card-pd", false), ("nvme_card", true)],
    naming: DeviceNaming::Link,
    metadata: Some(MetadataRules {
        header: ("Metadata-Flavor", "Google"),
        paths: &[
            "/computeMetadata/v1/instance/machine-type",
            "/computeMetadata/v1/instance/zone",
            "/computeMetadata/v1/instance/disks/?recursive=true",
        ],
        read: instance,
    }),
};

fn instance(texts: &[String]) -> Result<Instance, String> {
    let [size, zone, disks] = texts else { return Err("not all of its answers are here".to_string()) };
    // `projects/123456/machineTypes/n2-standard-8`.
    let Some(size) = last_of(size, "/machineTypes/") else {
        return Err("the answer has no machineTypes: it is not Google's metadata".to_string());
    };
    let zone = last_of(zone, "/zones/");
    // `us-central1-a`: the zone is the region and a letter.
    let region = zone.as_deref().and_then(|zone| Some(zone.rsplit_once('-')?.0.to_string()));
    let disks = parse_disks(disks)?;
    Ok(Instance { size: Some(size), region, zone, disks, ..Instance::of(Cloud::Gcp) })
}

fn last_of(text: &str, folder: &str) -> Option<String> {
    let (_, last) = text.trim().rsplit_once(folder)?;
    (!last.is_empty() && !last.contains('/')).then(|| last.to_string())
}

/// The type by the name of the Compute Engine API: `pd-ssd` for `PERSISTENT-SSD`. `PERSISTENT` alone stays unchanged,
/// because it names no type.
fn kind_of(told: &str) -> String {
    match told.strip_prefix("PERSISTENT-") {
        Some(kind) => format!("pd-{}", kind.to_ascii_lowercase()),
        None if told.starts_with("HYPERDISK-") => told.to_ascii_lowercase(),
        None => told.to_string(),
    }
}

/// Reads the list of disks.
///
/// # Errors
/// Returns an error if the text is not such a list.
fn parse_disks(text: &str) -> Result<Vec<CloudDisk>, String> {
    let document: Value =
        serde_json::from_str(text).map_err(|error| format!("its disks are not JSON: {error}"))?;
    let list = document.as_array().ok_or("its disks are not a list")?;
    let disks = list.iter().filter_map(|disk| {
        let name = disk["deviceName"].as_str()?;
        let told = disk["type"].as_str();
        Some(CloudDisk {
            name: Some(name.to_string()),
            is_ephemeral: told == Some("LOCAL-SSD"),
            kind: told.map(kind_of),
            ..CloudDisk::at(Slot::Link(format!("google-{name}")))
        })
    });
    Ok(disks.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disks_have_names_and_local_ones_are_told() {
        let text = r#"[{"deviceName": "boot", "index": 0, "interface": "SCSI", "mode": "READ_WRITE", "type": "PERSISTENT"},
            {"deviceName": "local-nvme-ssd-0", "index": 1, "interface": "NVME", "mode": "READ_WRITE", "type": "LOCAL-SSD"},
            {"deviceName": "data", "index": 2, "type": "PERSISTENT-BALANCED"},
            {"deviceName": "log", "index": 3, "type": "HYPERDISK-BALANCED"},
            {"index": 4}]"#;
        let disks = parse_disks(text).unwrap();
        let kinds: Vec<&str> = disks.iter().filter_map(|disk| disk.kind.as_deref()).collect();
        assert_eq!(kinds, ["PERSISTENT", "LOCAL-SSD", "pd-balanced", "hyperdisk-balanced"]);
        assert_eq!(disks[0].slot, Slot::Link("google-boot".into()));
        assert!(disks[1].is_ephemeral && !disks[0].is_ephemeral);
        assert!(parse_disks("{}").is_err() && parse_disks("x").is_err());
    }

    #[test]
    fn names_are_what_follows_the_last_folder() {
        assert_eq!(
            last_of("projects/1/machineTypes/n2-standard-8\n", "/machineTypes/"),
            Some("n2-standard-8".into())
        );
        assert_eq!(last_of("<html>", "/machineTypes/"), None);
    }
}
