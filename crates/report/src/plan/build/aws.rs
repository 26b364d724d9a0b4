//! Building on AWS: its CLI and Terraform.

use iobound_plan::Market;

use super::{Piece, chosen};

/// The names of EBS volumes on the instance: `/dev/sdf` and on, as many as there are letters, then two letters.
pub(super) fn letters(index: u64) -> String {
    const FIRST: u64 = 5;
    let letter = |index: u64| char::from(b'a' + (index % 26) as u8);
    match index + FIRST {
        at if at < 26 => format!("/dev/sd{}", letter(at)),
        at => format!("/dev/xvd{}{}", char::from(b'a' + ((at - 26) / 26 + 1) as u8), letter(at - 26)),
    }
}

/// With the AWS CLI.
pub(super) fn cli(market: &Market, vm: &str, region: &str, pieces: &[Piece<'_>]) -> String {
    let mut text = format!(
        "AMI=ami-… SUBNET=subnet-… ZONE={region}a\nID=$(aws ec2 run-instances --region {region} --instance-type {vm} --image-id \"$AMI\" --subnet-id \"$SUBNET\" --ebs-optimized --query 'Instances[0].InstanceId' --output text)\naws ec2 wait instance-running --region {region} --instance-ids \"$ID\"\n"
    );
    for piece in pieces {
        let (ios, megabytes) = chosen(market, piece.volume);
        let ios = ios.map_or(String::new(), |ios| format!(" --iops {ios}"));
        let megabytes = megabytes.map_or(String::new(), |mib| format!(" --throughput {mib}"));
        let devices: Vec<String> = (piece.first..=piece.last()).map(letters).collect();
        text.push_str(&format!(
            "for device in {}; do\n  VOLUME=$(aws ec2 create-volume --region {region} --availability-zone \"$ZONE\" --volume-type {} --size {}{ios}{megabytes} --query VolumeId --output text)\n  aws ec2 wait volume-available --region {region} --volume-ids \"$VOLUME\"\n  aws ec2 attach-volume --region {region} --instance-id \"$ID\" --volume-id \"$VOLUME\" --device \"$device\"\n  echo \"{} $device /dev/disk/by-id/nvme-Amazon_Elastic_Block_Store_${{VOLUME/-/}}\"\ndone\n",
            devices.join(" "),
            piece.volume.disk.word(),
            piece.volume.fit.gib,
            piece.name,
        ));
    }
    text
}

/// With Terraform: the volumes, and what the instance that they belong to has to have.
pub(super) fn terraform(market: &Market, vm: &str, region: &str, pieces: &[Piece<'_>]) -> String {
    let mut text = format!(
        "# aws_instance.vm has: instance_type = \"{vm}\", availability_zone = \"{region}a\", ebs_optimized = true\n"
    );
    for piece in pieces {
        let (ios, megabytes) = chosen(market, piece.volume);
        let mut lines = vec![
            ("count", piece.count().to_string()),
            ("availability_zone", format!("\"{region}a\"")),
            ("type", format!("\"{}\"", piece.volume.disk.word())),
            ("size", piece.volume.fit.gib.to_string()),
        ];
        lines.extend(ios.map(|ios| ("iops", ios.to_string())));
        lines.extend(megabytes.map(|megabytes| ("throughput", megabytes.to_string())));
        text.push_str(&super::resource("aws_ebs_volume", piece.name, &lines));
        let devices: Vec<String> =
            (piece.first..=piece.last()).map(|index| format!("\"{}\"", letters(index))).collect();
        let attached = [
            ("count", piece.count().to_string()),
            ("device_name", format!("[{}][count.index]", devices.join(", "))),
            ("volume_id", format!("aws_ebs_volume.{}[count.index].id", piece.name)),
            ("instance_id", "aws_instance.vm.id".to_string()),
        ];
        text.push_str(&super::resource("aws_volume_attachment", piece.name, &attached));
    }
    text
}
