//! The volumes inside the VM, as root: md, LVM, Storage Spaces, file systems.

use iobound_catalog::{CloudRules, LocalDisks, VolumeDisks};

/// The file system, aligned to the stripe, and where it is mounted. Not below /mnt: there is the temporary disk on Azure.
fn file_system(disks: &VolumeDisks, device: &str, stripe: u64) -> String {
    let align =
        if disks.count > 1 { format!(" -d su={}k,sw={}", stripe >> 10, disks.count) } else { String::new() };
    format!(
        "mkfs.xfs{align} {device}\nmkdir -p /{name} && mount -o noatime {device} /{name}\necho \"UUID=$(blkid -s UUID -o value {device}) /{name} xfs noatime,nofail 0 2\" >> /etc/fstab\n",
        name = disks.name
    )
}

pub(super) fn mdadm(disks: &VolumeDisks, cloud: &CloudRules, stripe: u64) -> String {
    let mut text = (cloud.linux_disks)(disks);
    let mut device = "\"${disks[0]}\"".to_string();
    if disks.count > 1 {
        device = format!("/dev/md/{}", disks.name);
        text.push_str(&format!(
            "mdadm --create {device} --level=0 --chunk={}K --raid-devices={} \"${{disks[@]}}\"\nmdadm --detail --scan {device} >> /etc/mdadm/mdadm.conf  # of RHEL: /etc/mdadm.conf\n",
            stripe >> 10,
            disks.count
        ));
    }
    text + &file_system(disks, &device, stripe)
}

pub(super) fn lvm(disks: &VolumeDisks, cloud: &CloudRules, stripe: u64) -> String {
    let stripes = if disks.count > 1 {
        format!(" --type striped -i {} -I {}k", disks.count, stripe >> 10)
    } else {
        String::new()
    };
    let device = format!("/dev/vg_{name}/{name}", name = disks.name);
    format!(
        "{}pvcreate \"${{disks[@]}}\" && vgcreate vg_{name} \"${{disks[@]}}\"\nlvcreate{stripes} -l 100%FREE -n {name} vg_{name}\n{}",
        (cloud.linux_disks)(disks),
        file_system(disks, &device, stripe),
        name = disks.name,
    )
}

/// Drive letter of a volume in Windows.
pub(super) fn letter(name: &str) -> char {
    match name {
        "data" => 'X',
        "log" => 'Y',
        _ => 'Z',
    }
}

pub(super) fn storage_spaces(disks: &VolumeDisks, cloud: &CloudRules, stripe: u64) -> String {
    simple_space(disks.name, &(cloud.windows_disks)(disks), disks.count, stripe)
}

/// A simple space of the disks `$d`, which `which` finds.
fn simple_space(name: &str, which: &str, count: u64, stripe: u64) -> String {
    format!(
        "{which}New-StoragePool -FriendlyName {name} -StorageSubSystemFriendlyName (Get-StorageSubSystem)[0].FriendlyName -PhysicalDisks $d\nNew-VirtualDisk -StoragePoolFriendlyName {name} -FriendlyName {name} -ResiliencySettingName Simple -NumberOfColumns {count} -Interleave {stripe} -UseMaximumSize |\n  Initialize-Disk -PassThru | New-Partition -DriveLetter {} -UseMaximumSize |\n  Format-Volume -FileSystem NTFS -AllocationUnitSize 65536 -NewFileSystemLabel {name}\n",
        letter(name)
    )
}

/// Local disks are empty at each start and are set up again, so they have no line in fstab.
const EMPTY: &str =
    "# the disk is empty after the VM is stopped, moved or resized: repeat these commands each time\n";

/// The local disks of a Linux guest.
pub(super) fn linux_local(name: &str, local: LocalDisks, cloud: &CloudRules, stripe: u64) -> String {
    let disks = (cloud.local_disks)(local);
    let (make, device, align) = if local.count > 1 {
        let chunk = stripe >> 10;
        (
            format!(
                "mdadm --create /dev/md/{name} --level=0 --chunk={chunk}K --raid-devices={} --run \"${{disks[@]}}\"\n",
                local.count
            ),
            format!("/dev/md/{name}"),
            format!(" -d su={chunk}k,sw={}", local.count),
        )
    } else {
        (String::new(), "\"${disks[0]}\"".to_string(), String::new())
    };
    format!(
        "{EMPTY}{disks}{make}mkfs.xfs -f{align} {device}\nmkdir -p /{name} && mount -o noatime {device} /{name}\n"
    )
}

/// The local disks of a Windows guest.
pub(super) fn windows_local(name: &str, local: LocalDisks, cloud: &CloudRules, stripe: u64) -> String {
    match (cloud.windows_local_disks)(local) {
        Some(which) => format!("{EMPTY}{}", simple_space(name, &which, local.count, stripe)),
        None => format!(
            "# Windows formats the temporary disk as D: at each start\nsubst {}: D:\\\n",
            letter(name)
        ),
    }
}
