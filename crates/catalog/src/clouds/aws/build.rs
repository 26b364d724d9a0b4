//! Building on AWS: its CLI and Terraform, and where the disks are in the guest.

use crate::clouds::build::{BuildPlan, LocalDisks, Script, VolumeDisks, resource};

pub(super) fn scripts(plan: &BuildPlan<'_>) -> Vec<Script> {
    vec![Script { name: "aws", text: cli(plan) }, Script { name: "terraform", text: terraform(plan) }]
}

fn devices(volume: &VolumeDisks) -> impl Iterator<Item = String> {
    (volume.first..=volume.last()).map(letters)
}

/// The names of EBS volumes on the instance: `/dev/sdf` and on, as many as there are letters, then two letters.
fn letters(index: u64) -> String {
    const FIRST: u64 = 5;
    let letter = |index: u64| char::from(b'a' + (index % 26) as u8);
    match index + FIRST {
        at if at < 26 => format!("/dev/sd{}", letter(at)),
        at => format!("/dev/xvd{}{}", char::from(b'a' + ((at - 26) / 26 + 1) as u8), letter(at - 26)),
    }
}

/// The instance type, and the bandwidth weighting where one is chosen.
fn weighting<'a>(plan: &BuildPlan<'a>) -> (&'a str, Option<&'a str>) {
    plan.vm.split_once(':').map_or((plan.vm, None), |(vm, chosen)| (vm, Some(chosen)))
}

/// With the AWS CLI.
fn cli(plan: &BuildPlan<'_>) -> String {
    let region = plan.region;
    let (vm, chosen) = weighting(plan);
    let chosen = chosen.map_or(String::new(), |chosen| {
        format!(" --network-performance-options BandwidthWeighting={chosen}")
    });
    let mut text = format!(
        "AMI=ami-… SUBNET=subnet-… ZONE={region}a\nID=$(aws ec2 run-instances --region {region} --instance-type {vm} --image-id \"$AMI\" --subnet-id \"$SUBNET\" --ebs-optimized{chosen} --query 'Instances[0].InstanceId' --output text)\naws ec2 wait instance-running --region {region} --instance-ids \"$ID\"\n"
    );
    for volume in plan.volumes {
        let ios = volume.ios.map_or(String::new(), |ios| format!(" --iops {ios}"));
        let megabytes = volume.megabytes.map_or(String::new(), |mib| format!(" --throughput {mib}"));
        let devices: Vec<String> = devices(volume).collect();
        text.push_str(&format!(
            "for device in {}; do\n  VOLUME=$(aws ec2 create-volume --region {region} --availability-zone \"$ZONE\" --volume-type {} --size {}{ios}{megabytes} --query VolumeId --output text)\n  aws ec2 wait volume-available --region {region} --volume-ids \"$VOLUME\"\n  aws ec2 attach-volume --region {region} --instance-id \"$ID\" --volume-id \"$VOLUME\" --device \"$device\"\n  echo \"{} $device /dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${{VOLUME/-/}}\"\ndone\n",
            devices.join(" "),
            volume.disk.kind().sku,
            volume.gib,
            volume.name,
        ));
    }
    text
}

/// With Terraform: the volumes, and what the instance that they belong to has to have.
fn terraform(plan: &BuildPlan<'_>) -> String {
    let region = plan.region;
    let (vm, chosen) = weighting(plan);
    let chosen = chosen.map_or(String::new(), |chosen| {
        format!(", network_performance_options {{ bandwidth_weighting = \"{chosen}\" }}")
    });
    let mut text = format!(
        "# aws_instance.vm has: instance_type = \"{vm}\", availability_zone = \"{region}a\", ebs_optimized = true{chosen}\n"
    );
    for volume in plan.volumes {
        let mut lines = vec![
            ("count", volume.count.to_string()),
            ("availability_zone", format!("\"{region}a\"")),
            ("type", format!("\"{}\"", volume.disk.kind().sku)),
            ("size", volume.gib.to_string()),
        ];
        lines.extend(volume.ios.map(|ios| ("iops", ios.to_string())));
        lines.extend(volume.megabytes.map(|megabytes| ("throughput", megabytes.to_string())));
        text.push_str(&resource("aws_ebs_volume", volume.name, &lines));
        let devices: Vec<String> = devices(volume).map(|device| format!("\"{device}\"")).collect();
        let attached = [
            ("count", volume.count.to_string()),
            ("device_name", format!("[{}][count.index]", devices.join(", "))),
            ("volume_id", format!("aws_ebs_volume.{}[count.index].id", volume.name)),
            ("instance_id", "aws_instance.vm.id".to_string()),
        ];
        text.push_str(&resource("aws_volume_attachment", volume.name, &attached));
    }
    text
}

pub(super) fn linux_disks(volume: &VolumeDisks) -> String {
    format!(
        "disks=({})  # where the image has no such names: the paths in /dev/disk/by-id that the part `aws` printed\n",
        devices(volume).collect::<Vec<String>>().join(" ")
    )
}

pub(super) fn windows_disks(volume: &VolumeDisks) -> String {
    format!(
        "# the disks of {}: AdapterSerialNumber is the volume's id\n$d = Get-PhysicalDisk -CanPool $true\n",
        volume.name
    )
}

/// An instance has no local disks but instance storage.
pub(super) fn local_disks(disks: LocalDisks) -> String {
    format!(
        "mapfile -t disks < <(lsblk -dpno NAME,MODEL | awk '/Instance Storage/ {{ print $1 }}' | {})\n",
        disks.filter()
    )
}

pub(super) fn windows_local_disks(disks: LocalDisks) -> Option<String> {
    Some(disks.windows("-like '*Amazon EC2 NVMe*'"))
}
