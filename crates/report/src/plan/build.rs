//! How to build a candidate, and how to prove it: commands to copy. Names are variables at the top of each part.

use iobound_catalog::{Cloud, DiskType};
use iobound_plan::{Build, Law, Market, Need, Volume, VolumeNeed};

use super::Planned;

/// A part of the instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// `az`, `aws`, `terraform`, `mdadm`, `lvm`, `storage-spaces`, `diskspd`, `fio`, `iobound`.
    pub(super) name: &'static str,
    /// The commands.
    pub(super) text: String,
}

/// A volume of a build, with what it is for.
struct Piece<'a> {
    name: &'static str,
    volume: &'a Volume,
    need: &'a VolumeNeed,
    /// The first of its disks among all.
    first: u64,
}

/// All parts for a build: to create it, to make its volumes, to prove it.
pub(super) fn parts(planned: &Planned<'_>, build: &Build) -> Vec<Part> {
    let (market, need) = (planned.market, planned.need);
    let pieces = pieces(need, build);
    let vm = &market.vms[build.vm];
    let (name, interface) = match vm.name.split_once(':') {
        Some((name, interface)) => (name, Some(interface)),
        None => (vm.name.as_str(), None),
    };
    let region = planned.places.iter().find(|(region, _)| region.contains('-') == (vm.cloud == Cloud::Aws));
    let region = region.map_or("", |(region, _)| region);
    let mut parts = match vm.cloud {
        Cloud::Aws => vec![
            Part { name: "aws", text: aws(market, name, region, &pieces) },
            Part { name: "terraform", text: terraform_aws(market, name, region, &pieces) },
        ],
        _ => vec![
            Part { name: "az", text: az(market, name, interface, region, &pieces) },
            Part { name: "terraform", text: terraform_azure(market, name, region, &pieces) },
        ],
    };
    let stripe = need.interleave().get();
    parts.push(Part { name: "mdadm", text: join(&pieces, |piece| mdadm(piece, vm.cloud, stripe)) });
    parts.push(Part { name: "lvm", text: join(&pieces, |piece| lvm(piece, vm.cloud, stripe)) });
    parts.push(Part {
        name: "storage-spaces",
        text: join(&pieces, |piece| storage_spaces(piece, vm.cloud, stripe)),
    });
    parts.push(Part { name: "fio", text: join(&pieces, fio) });
    parts.push(Part { name: "diskspd", text: join(&pieces, diskspd) });
    parts.push(Part {
        name: "iobound",
        text: join(&pieces, |piece| iobound(piece, vm.name.as_str(), planned, build)),
    });
    parts
}

fn join(pieces: &[Piece<'_>], of: impl Fn(&Piece<'_>) -> String) -> String {
    pieces.iter().map(of).collect::<Vec<String>>().join("\n")
}

fn pieces<'a>(need: &'a Need, build: &'a Build) -> Vec<Piece<'a>> {
    let mut pieces = vec![Piece { name: "data", volume: &build.data, need: &need.data, first: 0 }];
    if let (Some(volume), Some(need)) = (&build.log, &need.log) {
        pieces.push(Piece { name: "log", volume, need, first: build.data.fit.count });
    }
    pieces
}

impl Piece<'_> {
    fn count(&self) -> u64 {
        self.volume.fit.count
    }

    fn last(&self) -> u64 {
        self.first + self.count() - 1
    }

    /// Where the volume is in the guest.
    fn device(&self) -> String {
        if self.count() > 1 { format!("/dev/md/{}", self.name) } else { "\"${disks[0]}\"".to_string() }
    }

    /// Outstanding I/Os that carry the rate with latency to spare (5 ms of it), and the threads that issue them.
    fn outstanding(&self) -> (u64, u64) {
        let all = self.need.iops.get().div_ceil(200).max(8);
        let threads = all.div_ceil(64).min(16);
        (all.div_ceil(threads), threads)
    }

    /// GiB of the file to prove it on: limits do not depend on it, and it has to be written first. A cached volume's working
    /// set is held whole, so that a part of it is held as well.
    fn file_gib(&self) -> u64 {
        const MOST: u64 = 64;
        ((self.need.working_set.get() / 10 * 9) >> 30).clamp(1, MOST)
    }

    fn write_percent(&self) -> u32 {
        self.need.shape.read.complement().ppm().div_ceil(10_000)
    }

    fn block_kib(&self) -> String {
        let block = self.need.shape.block;
        if block.is_multiple_of(1_024) { format!("{}K", block / 1_024) } else { block.to_string() }
    }
}

fn sku(disk: DiskType) -> &'static str {
    match disk {
        DiskType::Premium => "Premium_LRS",
        DiskType::PremiumV2 => "PremiumV2_LRS",
        DiskType::Ultra => "UltraSSD_LRS",
        DiskType::StandardSsd => "StandardSSD_LRS",
        DiskType::StandardHdd => "Standard_LRS",
        other => other.word(),
    }
}

fn caching(volume: &Volume) -> &'static str {
    if volume.cached { "ReadOnly" } else { "None" }
}

/// IOPS and megabytes a second of a disk, where they are chosen.
fn chosen(market: &Market, volume: &Volume) -> (Option<u64>, Option<u64>) {
    match &market.offers[volume.offer].law {
        Law::Tier { .. } => (None, None),
        Law::Provisioned(provision) => (
            provision.has_own_ios().then_some(volume.fit.ios),
            provision.has_own_bytes().then(|| volume.fit.bytes / provision.megabyte),
        ),
    }
}

fn az(market: &Market, vm: &str, interface: Option<&str>, region: &str, pieces: &[Piece<'_>]) -> String {
    let ultra = pieces.iter().any(|piece| piece.volume.disk == DiskType::Ultra);
    let mut text = format!(
        "RG=my-group VM=my-vm ZONE=1 IMAGE=Ubuntu2404\naz vm create -g \"$RG\" -n \"$VM\" -l {region} --zone \"$ZONE\" --image \"$IMAGE\" --size {vm}{}{}\n",
        interface.map_or(String::new(), |interface| format!(" --disk-controller-type {interface}")),
        if ultra { " --ultra-ssd-enabled true" } else { "" }
    );
    for piece in pieces {
        let (ios, megabytes) = chosen(market, piece.volume);
        let mut figures = String::new();
        if let Some(ios) = ios {
            figures.push_str(&format!(" --disk-iops-read-write {ios}"));
        }
        if let Some(megabytes) = megabytes {
            figures.push_str(&format!(" --disk-mbps-read-write {megabytes}"));
        }
        text.push_str(&format!(
            "for lun in $(seq {} {}); do\n  az disk create -g \"$RG\" -n \"$VM-{name}-$lun\" -l {region} --zone \"$ZONE\" --sku {} --size-gb {}{figures}\n  az vm disk attach -g \"$RG\" --vm-name \"$VM\" --name \"$VM-{name}-$lun\" --lun \"$lun\" --caching {}\ndone\n",
            piece.first,
            piece.last(),
            sku(piece.volume.disk),
            piece.volume.fit.gib,
            caching(piece.volume),
            name = piece.name,
        ));
    }
    text
}

fn terraform_azure(market: &Market, vm: &str, region: &str, pieces: &[Piece<'_>]) -> String {
    let mut text = format!(
        "# in azurerm_linux_virtual_machine.vm: size = \"{vm}\", location = \"{region}\", zone = \"1\"\n"
    );
    for piece in pieces {
        let (ios, megabytes) = chosen(market, piece.volume);
        let line = |key: &str, value: Option<u64>| {
            value.map_or(String::new(), |value| format!("  {key:<20} = {value}\n"))
        };
        text.push_str(&format!(
            "resource \"azurerm_managed_disk\" \"{name}\" {{\n  count                = {count}\n  name                 = \"{name}-${{count.index}}\"\n  location             = \"{region}\"\n  resource_group_name  = azurerm_resource_group.rg.name\n  zone                 = \"1\"\n  create_option        = \"Empty\"\n  storage_account_type = \"{}\"\n  disk_size_gb         = {}\n{}{}}}\nresource \"azurerm_virtual_machine_data_disk_attachment\" \"{name}\" {{\n  count              = {count}\n  managed_disk_id    = azurerm_managed_disk.{name}[count.index].id\n  virtual_machine_id = azurerm_linux_virtual_machine.vm.id\n  lun                = {} + count.index\n  caching            = \"{}\"\n}}\n",
            sku(piece.volume.disk),
            piece.volume.fit.gib,
            line("disk_iops_read_write", ios),
            line("disk_mbps_read_write", megabytes),
            piece.first,
            caching(piece.volume),
            name = piece.name,
            count = piece.count(),
        ));
    }
    text
}

/// The names of EBS volumes on the instance: `/dev/sdf` and on, as many as there are letters, then two letters.
fn aws_letters(index: u64) -> String {
    const FIRST: u64 = 5;
    let letter = |index: u64| char::from(b'a' + (index % 26) as u8);
    match index + FIRST {
        at if at < 26 => format!("/dev/sd{}", letter(at)),
        at => format!("/dev/xvd{}{}", char::from(b'a' + ((at - 26) / 26 + 1) as u8), letter(at - 26)),
    }
}

fn aws(market: &Market, vm: &str, region: &str, pieces: &[Piece<'_>]) -> String {
    let mut text = format!(
        "AMI=ami-… SUBNET=subnet-… ZONE={region}a\nID=$(aws ec2 run-instances --region {region} --instance-type {vm} --image-id \"$AMI\" --subnet-id \"$SUBNET\" --ebs-optimized --query 'Instances[0].InstanceId' --output text)\naws ec2 wait instance-running --region {region} --instance-ids \"$ID\"\n"
    );
    for piece in pieces {
        let (ios, megabytes) = chosen(market, piece.volume);
        let ios = ios.map_or(String::new(), |ios| format!(" --iops {ios}"));
        let megabytes = megabytes.map_or(String::new(), |mib| format!(" --throughput {mib}"));
        let devices: Vec<String> = (piece.first..=piece.last()).map(aws_letters).collect();
        text.push_str(&format!(
            "for device in {}; do\n  VOLUME=$(aws ec2 create-volume --region {region} --availability-zone \"$ZONE\" --volume-type {} --size {}{ios}{megabytes} --query VolumeId --output text)\n  aws ec2 wait volume-available --region {region} --volume-ids \"$VOLUME\"\n  aws ec2 attach-volume --region {region} --instance-id \"$ID\" --volume-id \"$VOLUME\" --device \"$device\"\ndone\n",
            devices.join(" "),
            piece.volume.disk.word(),
            piece.volume.fit.gib,
        ));
    }
    text
}

fn terraform_aws(market: &Market, vm: &str, region: &str, pieces: &[Piece<'_>]) -> String {
    let mut text = format!(
        "# in aws_instance.vm: instance_type = \"{vm}\", availability_zone = \"{region}a\", ebs_optimized = true\n"
    );
    for piece in pieces {
        let (ios, megabytes) = chosen(market, piece.volume);
        let line = |key: &str, value: Option<u64>| {
            value.map_or(String::new(), |value| format!("  {key:<17} = {value}\n"))
        };
        let devices: Vec<String> =
            (piece.first..=piece.last()).map(|index| format!("\"{}\"", aws_letters(index))).collect();
        text.push_str(&format!(
            "resource \"aws_ebs_volume\" \"{name}\" {{\n  count             = {count}\n  availability_zone = \"{region}a\"\n  type              = \"{}\"\n  size              = {}\n{}{}}}\nresource \"aws_volume_attachment\" \"{name}\" {{\n  count       = {count}\n  device_name = [{}][count.index]\n  volume_id   = aws_ebs_volume.{name}[count.index].id\n  instance_id = aws_instance.vm.id\n}}\n",
            piece.volume.disk.word(),
            piece.volume.fit.gib,
            line("iops", ios),
            line("throughput", megabytes),
            devices.join(", "),
            name = piece.name,
            count = piece.count(),
        ));
    }
    text
}

/// The disks of a volume in the guest, as a shell array.
fn disks_in_linux(piece: &Piece<'_>, cloud: Cloud) -> String {
    match cloud {
        Cloud::Aws => format!(
            "disks=({})  # ask: ebsnvme-id, or lsblk -o NAME,SERIAL (the serial is the volume's id)\n",
            (piece.first..=piece.last()).map(aws_letters).collect::<Vec<String>>().join(" ")
        ),
        _ => format!(
            "disks=(); for lun in $(seq {} {}); do disks+=(\"/dev/disk/azure/data/by-lun/$lun\"); done  # older images: /dev/disk/azure/scsi1/lun$lun\n",
            piece.first,
            piece.last()
        ),
    }
}

/// The file system, aligned to the stripe, and where it is mounted.
fn file_system(piece: &Piece<'_>, device: &str, stripe: u64) -> String {
    let align = if piece.count() > 1 {
        format!(" -d su={}k,sw={}", stripe >> 10, piece.count())
    } else {
        String::new()
    };
    format!(
        "mkfs.xfs{align} {device}\nmkdir -p /mnt/{name} && mount -o noatime {device} /mnt/{name}\n",
        name = piece.name
    )
}

fn mdadm(piece: &Piece<'_>, cloud: Cloud, stripe: u64) -> String {
    let mut text = disks_in_linux(piece, cloud);
    if piece.count() > 1 {
        text.push_str(&format!(
            "mdadm --create {} --level=0 --chunk={}K --raid-devices={} \"${{disks[@]}}\"\n",
            piece.device(),
            stripe >> 10,
            piece.count()
        ));
    }
    text + &file_system(piece, &piece.device(), stripe)
}

fn lvm(piece: &Piece<'_>, cloud: Cloud, stripe: u64) -> String {
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

fn storage_spaces(piece: &Piece<'_>, cloud: Cloud, stripe: u64) -> String {
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

fn fio(piece: &Piece<'_>) -> String {
    let (depth, threads) = piece.outstanding();
    let write = piece.write_percent();
    let rw = match write {
        0 => "randread".to_string(),
        100 => "randwrite".to_string(),
        write => format!("randrw --rwmixwrite={write}"),
    };
    format!(
        "fio --name={name} --filename=/mnt/{name}/io.dat --size={}G --rw={rw} --bs={} --ioengine=io_uring --direct=1 --iodepth={depth} --numjobs={threads} --group_reporting --time_based --ramp_time=30 --runtime=120\n",
        piece.file_gib(),
        piece.block_kib().to_lowercase(),
        name = piece.name,
    )
}

fn diskspd(piece: &Piece<'_>) -> String {
    let (depth, threads) = piece.outstanding();
    format!(
        "diskspd.exe -b{} -r -w{} -o{depth} -t{threads} -W30 -d120 -Sh -L -c{}G X:\\{}.dat\n",
        piece.block_kib(),
        piece.write_percent(),
        piece.file_gib(),
        piece.name,
    )
}

fn iobound(piece: &Piece<'_>, vm: &str, planned: &Planned<'_>, build: &Build) -> String {
    let specs = super::words::specs(planned.market, build);
    let run = format!(
        "iobound run /mnt/{} --block {}iB --read {read} --find-knee\n",
        piece.name,
        piece.block_kib(),
        read = piece.need.shape.read.to_string().replace(' ', ""),
    );
    if specs.len() > 1 {
        // A job in flags runs on every volume.
        return run;
    }
    let disks: Vec<String> = specs.iter().map(|spec| format!("--disk '{spec}'")).collect();
    format!(
        "iobound predict --vm {vm} {} --stripe {} --block {}iB --read {} --rate {}iops --arrivals poisson --depth 4096\n{run}",
        disks.join(" "),
        planned.need.interleave().to_string().replace(' ', ""),
        piece.block_kib(),
        piece.need.shape.read.to_string().replace(' ', ""),
        piece.need.iops.get(),
    )
}
