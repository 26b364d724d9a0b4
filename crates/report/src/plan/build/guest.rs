//! The volumes inside the VM, as root: md, LVM, Storage Spaces, file systems.

use iobound_catalog::Cloud;
use iobound_plan::{Local, LocalFit};

use super::Piece;
use super::aws::letters;

/// The disks of a volume in the guest, as a shell array.
fn disks_in_linux(piece: &Piece<'_>, cloud: Cloud) -> String {
    match cloud {
        Cloud::Aws => format!(
            "disks=({})  # where the image has no such names: the paths in /dev/disk/by-id that the part `aws` printed\n",
            (piece.first..=piece.last()).map(letters).collect::<Vec<String>>().join(" ")
        ),
        // Images with azure-vm-utils have the first names, older ones the second.
        _ => format!(
            "disks=(); for lun in $(seq {} {}); do disk=/dev/disk/azure/data/by-lun/$lun; [ -e \"$disk\" ] || disk=/dev/disk/azure/scsi1/lun$lun; disks+=(\"$disk\"); done\n",
            piece.first,
            piece.last()
        ),
    }
}

/// The file system, aligned to the stripe, and where it is mounted. Not below /mnt: there is the temporary disk on Azure.
fn file_system(piece: &Piece<'_>, device: &str, stripe: u64) -> String {
    let align = if piece.count() > 1 {
        format!(" -d su={}k,sw={}", stripe >> 10, piece.count())
    } else {
        String::new()
    };
    format!(
        "mkfs.xfs{align} {device}\nmkdir -p /{name} && mount -o noatime {device} /{name}\necho \"UUID=$(blkid -s UUID -o value {device}) /{name} xfs noatime,nofail 0 2\" >> /etc/fstab\n",
        name = piece.name
    )
}

pub(super) fn mdadm(piece: &Piece<'_>, cloud: Cloud, stripe: u64) -> String {
    let mut text = disks_in_linux(piece, cloud);
    let mut device = "\"${disks[0]}\"".to_string();
    if piece.count() > 1 {
        device = format!("/dev/md/{}", piece.name);
        text.push_str(&format!(
            "mdadm --create {device} --level=0 --chunk={}K --raid-devices={} \"${{disks[@]}}\"\nmdadm --detail --scan {device} >> /etc/mdadm/mdadm.conf  # of RHEL: /etc/mdadm.conf\n",
            stripe >> 10,
            piece.count()
        ));
    }
    text + &file_system(piece, &device, stripe)
}

pub(super) fn lvm(piece: &Piece<'_>, cloud: Cloud, stripe: u64) -> String {
    let stripes = if piece.count() > 1 {
        format!(" --type striped -i {} -I {}k", piece.count(), stripe >> 10)
    } else {
        String::new()
    };
    let device = format!("/dev/vg_{name}/{name}", name = piece.name);
    format!(
        "{}pvcreate \"${{disks[@]}}\" && vgcreate vg_{name} \"${{disks[@]}}\"\nlvcreate{stripes} -l 100%FREE -n {name} vg_{name}\n{}",
        disks_in_linux(piece, cloud),
        file_system(piece, &device, stripe),
        name = piece.name,
    )
}

pub(super) fn storage_spaces(piece: &Piece<'_>, cloud: Cloud, stripe: u64) -> String {
    let which = match cloud {
        Cloud::Aws => format!(
            "# the disks of {}: AdapterSerialNumber is the volume's id\n$d = Get-PhysicalDisk -CanPool $true\n",
            piece.name
        ),
        _ => format!(
            "$luns = {}..{}\n$d = Get-PhysicalDisk -CanPool $true | Where-Object {{ ($_.PhysicalLocation -replace '.*LUN ', '') -in $luns }}\n",
            piece.first,
            piece.last()
        ),
    };
    format!(
        "{which}New-StoragePool -FriendlyName {name} -StorageSubSystemFriendlyName (Get-StorageSubSystem)[0].FriendlyName -PhysicalDisks $d\nNew-VirtualDisk -StoragePoolFriendlyName {name} -FriendlyName {name} -ResiliencySettingName Simple -NumberOfColumns {count} -Interleave {stripe} -UseMaximumSize |\n  Initialize-Disk -PassThru | New-Partition -AssignDriveLetter -UseMaximumSize |\n  Format-Volume -FileSystem NTFS -AllocationUnitSize 65536 -NewFileSystemLabel {name}\n",
        name = piece.name,
        count = piece.count(),
    )
}

/// The local disks: made anew at each start, since they are empty then; so there is no line of fstab.
pub(super) fn local(local: &Local, fit: LocalFit, cloud: Cloud, stripe: u64) -> String {
    let warning = "# empty after the VM was stopped, moved or resized: nothing that is missed; again after each of them\n";
    let disks = match (local.is_nvme, cloud) {
        (false, _) => "disks=(/dev/disk/azure/resource)\numount \"${disks[0]}-part1\" || true\n".to_string(),
        (true, Cloud::Aws) => format!(
            "mapfile -t disks < <(lsblk -dpno NAME,MODEL | awk '/Instance Storage/ {{ print $1 }}' | head -n {})\n",
            fit.count
        ),
        // Sizes before v6 have /dev/disk/azure/local/by-serial only.
        (true, _) => format!("disks=(/dev/disk/azure/local/by-index/{{1..{}}})\n", fit.count),
    };
    let (make, device, align) = if fit.count > 1 {
        let chunk = stripe >> 10;
        (
            format!(
                "mdadm --create /dev/md/temp --level=0 --chunk={chunk}K --raid-devices={} --run \"${{disks[@]}}\"\n",
                fit.count
            ),
            "/dev/md/temp",
            format!(" -d su={chunk}k,sw={}", fit.count),
        )
    } else {
        (String::new(), "\"${disks[0]}\"", String::new())
    };
    format!(
        "{warning}{disks}{make}mkfs.xfs -f{align} {device}\nmkdir -p /temp && mount -o noatime {device} /temp\n"
    )
}
