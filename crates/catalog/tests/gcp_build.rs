//! The gcloud commands and the Terraform text that `plan --build` writes for Google Cloud.

use iobound_catalog::{BuildPlan, Cloud, DiskType, Os, Redundancy, VolumeDisks};

fn scripts(disk: DiskType, zones: Option<&[String]>, redundancy: Redundancy) -> [String; 2] {
    let volume = |name: &'static str| VolumeDisks {
        name,
        disk,
        count: 2,
        first: 0,
        gib: 100,
        ios: Some(3_000),
        megabytes: Some(140),
        setting: "",
        cached: false,
    };
    let volumes = [volume("data"), volume("log")];
    let plan = BuildPlan {
        vm: "n2-standard-8",
        region: "us-central1",
        has_zones: true,
        zones,
        os: Os::Linux,
        redundancy,
        volumes: &volumes,
        ordered_local: 0,
    };
    let mut made = (Cloud::Gcp.rules().scripts)(&plan).into_iter().map(|script| script.text);
    [made.next().unwrap(), made.next().unwrap()]
}

#[test]
fn disks_in_two_zones_name_the_second_zone_once() {
    for disk in [DiskType::PdSsd, DiskType::HyperdiskBalancedHa] {
        let [gcloud, terraform] = scripts(disk, None, Redundancy::Zrs);
        // It is required before anything is made, and nothing waits for typing.
        let required = ": \"${OTHER_ZONE:?set OTHER_ZONE to another zone of us-central1}\"\n";
        assert_eq!(gcloud.matches(required).count(), 1, "{gcloud}");
        assert!(gcloud.find(required) < gcloud.find("instances create"), "{gcloud}");
        assert!(!gcloud.contains("read -r"), "{gcloud}");
        assert_eq!(gcloud.matches("--replica-zones \"$ZONE,$OTHER_ZONE\"").count(), 2, "{gcloud}");
        assert_eq!(gcloud.matches("--disk-scope regional").count(), 2, "{gcloud}");
        assert_eq!(terraform.matches("variable \"other_zone\" {").count(), 1, "{terraform}");
        assert_eq!(terraform.matches("[\"us-central1-a\", var.other_zone]").count(), 2, "{terraform}");
        assert_eq!(terraform.matches("resource \"google_compute_region_disk\"").count(), 2, "{terraform}");
    }
    // Known zones are named.
    let zones = ["b".to_string(), "f".to_string()];
    let [gcloud, terraform] = scripts(DiskType::PdSsd, Some(&zones), Redundancy::Zrs);
    assert!(
        gcloud.contains("ZONE=us-central1-b") && gcloud.contains("OTHER_ZONE=us-central1-f\n"),
        "{gcloud}"
    );
    assert!(terraform.contains("[\"us-central1-b\", \"us-central1-f\"]"), "{terraform}");
    assert!(!gcloud.contains(":?") && !terraform.contains("variable"), "{gcloud}{terraform}");
}

#[test]
fn disks_in_one_zone_have_no_second_one_and_their_instance_leaves_them_alone() {
    let [gcloud, terraform] = scripts(DiskType::HyperdiskBalanced, None, Redundancy::Lrs);
    assert!(!gcloud.contains("OTHER_ZONE") && !terraform.contains("other_zone"), "{gcloud}{terraform}");
    assert!(gcloud.contains("--provisioned-iops 3000 --provisioned-throughput 140"), "{gcloud}");
    // hashicorp/terraform-provider-google, compute_attached_disk: without it both resources fight over the disks.
    assert!(terraform.contains("ignore_changes = [attached_disk]"), "{terraform}");
}
