//! `aws ec2 describe-instance-types`: its words are the table's.

use iobound_formats::clouds::AwsType;

use crate::clouds::names::Cloud;
use crate::import::entry::{ImportRow, ImportRows, Section};
use crate::import::outcome::{Import, ImportFile, NOT_LISTED, RestrictedSize};

/// Adds the instance types of a file.
pub(super) fn rows(file: &ImportFile, rows: &mut ImportRows, import: &mut Import) {
    let source = format!("aws ec2 describe-instance-types, {} [{}]", file.name, file.as_of);
    let mut elsewhere = 0;
    for of in &file.listing.aws_types {
        let mut entry = figures(of);
        entry.set("source", source.clone());
        match (of.in_region, &file.region) {
            (Some(false), Some(region)) => {
                entry.list_in(region);
                entry.say_of("restricted_in", region, Some(NOT_LISTED));
                import.restricted.push(RestrictedSize {
                    name: of.name.clone(),
                    region: region.clone(),
                    reason: NOT_LISTED.into(),
                });
            }
            (_, Some(region)) => entry.list_in(region),
            (Some(false), None) => elsewhere += 1,
            (_, None) => {}
        }
        if rows.get(Section::Vm(Cloud::Aws), &entry.key()).is_none() {
            import.sizes += 1;
        }
        rows.put(entry);
    }
    if elsewhere > 0 {
        import.notes.push(format!(
            "{elsewhere} types are not sold in the region of {}, which the file does not name: add --region to mark them as not offered there",
            file.name
        ));
    }
}

fn figures(of: &AwsType) -> ImportRow {
    let mut entry = ImportRow::new(Section::Vm(Cloud::Aws));
    entry.set("instance_type", of.name.clone());
    entry.set_if("vcpus", of.vcpus);
    entry.set_if("memory_mib", of.memory_mib);
    entry.set("arch", of.architectures.join(" "));
    let is_metal = of.name.contains(".metal");
    entry.set_if("hypervisor", of.hypervisor.clone().or(is_metal.then(|| "metal".to_string())));
    entry.set_if("ebs_optimized_support", of.ebs_optimized.clone());
    entry.set_if("ebs_nvme", of.ebs_nvme.clone());
    // A limit of nothing is a limit that is not stated.
    let stated = |figure: Option<u64>| figure.filter(|figure| *figure > 0);
    let [kept, most] = of.bandwidth_mbit.map(stated);
    entry.set_if("ebs_baseline_bandwidth_mbit", kept);
    entry.set_if("ebs_max_bandwidth_mbit", most);
    let [kept, most] = of.iops.map(stated);
    entry.set_if("ebs_baseline_iops", kept);
    entry.set_if("ebs_max_iops", most);
    entry.set_if("max_ebs_attachments", of.attachments);
    entry.set_if("attachment_limit_type", of.attachment_limit.clone());
    if let Some((disks, gb)) = of.local {
        entry.set("instance_storage_gb", gb.to_string());
        entry.set("instance_storage_disks", disks.to_string());
    }
    entry.set_if("current_generation", of.current);
    entry.set_if("burstable", of.burstable);
    entry
}
