use std::path::{Path, PathBuf};

use super::*;
use crate::fixture::{Tree, number};
use crate::{Node, NodeKind};

/// A file of the tree, as if it were in a file system of that number, reached by mount 77.
fn in_filesystem(tree: &Tree, filesystem: &str) -> Node {
    let path = tree.file("/data/file", "");
    Node { filesystem: number(filesystem), mount: Some(77), ..Node::of(&path).unwrap() }
}

fn mount(tree: &Tree, filesystem: &str, source: &str, options: &str) {
    let line = format!("77 1 0:50 / /data rw,relatime shared:1 - {filesystem} {source} {options}\n");
    tree.file("/proc/self/mountinfo", &line);
}

fn why(beneath: Beneath) -> String {
    match beneath {
        Beneath::Unknown { why } => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_device_is_the_same_by_number_and_by_name() {
    let tree = Tree::new();
    let sdb = tree.disk("sdb", "8:16");
    let sdb1 = tree.partition("sdb", "sdb1", "8:17");
    assert_eq!(Device::find(&tree.world(), number("8:17")), Some(sdb1.clone()));
    assert_eq!(Device::named(&tree.world(), "sdb1"), Some(sdb1.clone()));
    assert_eq!(Device::find(&tree.world(), number("8:18")), None);
    assert_eq!((sdb1.name(), sdb1.bytes()), ("sdb1", Some(64 << 20)));
    assert_eq!(sdb1.node(&tree.world()), tree.path("/dev/sdb1"));
    assert_eq!(Device::all(&tree.world()), [sdb]);
}

#[test]
fn a_slash_in_a_name_is_an_exclamation_mark_in_sys() {
    let tree = Tree::new();
    let disk = tree.disk("cciss!c0d0", "104:0");
    tree.value(&disk, "uevent", "MAJOR=104\nDEVNAME=cciss/c0d0");
    assert_eq!(disk.node(&tree.world()), tree.path("/dev/cciss/c0d0"));
    tree.value(&disk, "uevent", "MAJOR=104");
    assert_eq!(disk.node(&tree.world()), tree.path("/dev/cciss/c0d0"));
}

#[test]
fn a_partition_knows_its_disk_and_a_disk_its_partitions() {
    let tree = Tree::new();
    let disk = tree.disk("nvme0n1", "259:0");
    let (one, two) =
        (tree.partition("nvme0n1", "nvme0n1p1", "259:1"), tree.partition("nvme0n1", "nvme0n1p2", "259:2"));
    assert_eq!(disk.partitions(), [one.clone(), two]);
    assert_eq!((one.disk(), one.whole()), (Some(disk.clone()), disk.clone()));
    assert_eq!((disk.disk(), disk.whole(), one.partitions()), (None, disk.clone(), vec![]));
    assert!(one.is_partition() && !disk.is_partition());
}

#[test]
fn holders_are_above_and_slaves_below() {
    let tree = Tree::new();
    let (sdb, sdc, md) = (tree.disk("sdb", "8:16"), tree.disk("sdc", "8:32"), tree.disk("md0", "9:0"));
    let sdb1 = tree.partition("sdb", "sdb1", "8:17");
    tree.build_on(&md, &sdb1);
    tree.build_on(&md, &sdc);
    assert_eq!(md.slaves(), [sdb1.clone(), sdc]);
    assert_eq!((sdb1.holders(), sdb.holders()), (vec![md.clone()], vec![]));
    assert_eq!(facts(&tree.world(), &md).made_of, ["sdb1", "sdc"]);
}

#[test]
fn a_file_lies_on_the_device_of_its_file_system() {
    let tree = Tree::new();
    tree.disk("sdb", "8:16");
    let sdb1 = tree.partition("sdb", "sdb1", "8:17");
    let on = |filesystem| beneath(&tree.world(), Path::new("/data/file"), &in_filesystem(&tree, filesystem));
    assert_eq!(on("8:17").devices(), std::slice::from_ref(&sdb1));
    assert_eq!(why(on("8:33")), "/sys does not show device 8:33");
    // A device lies on itself, not on the file system of its node.
    let node = Node { kind: NodeKind::Block(number("8:17")), ..in_filesystem(&tree, "0:6") };
    assert_eq!(beneath(&tree.world(), Path::new("/dev/sdb1"), &node).devices(), [sdb1]);
}

#[test]
fn a_file_system_without_a_device_says_what_it_lies_on_or_why_not() {
    let tree = Tree::new();
    let on = || beneath(&tree.world(), Path::new("/data/file"), &in_filesystem(&tree, "0:50"));
    assert_eq!(why(on()), "no mount of this process holds /data/file");
    mount(&tree, "tmpfs", "tmpfs", "rw,size=10k");
    assert_eq!(on(), Beneath::Memory { filesystem: "tmpfs".to_string() });
    mount(&tree, "nfs4", "server:/export", "rw");
    assert_eq!(why(on()), "nfs4 is served by another machine");
    mount(&tree, "zfs", "pool/data", "rw");
    assert_eq!(why(on()), "the file system belongs to the ZFS pool of pool/data");
    mount(&tree, "fuse.sshfs", "host:", "rw");
    assert_eq!(why(on()), "a file system of type fuse.sshfs names no device");
}

#[test]
fn a_btrfs_lies_on_all_its_devices() {
    let tree = Tree::new();
    let (sdb, sdc, sdd) = (tree.disk("sdb", "8:16"), tree.disk("sdc", "8:32"), tree.disk("sdd", "8:48"));
    mount(&tree, "btrfs", "/dev/sdb", "rw,subvol=/");
    let on = || beneath(&tree.world(), Path::new("/data/file"), &in_filesystem(&tree, "0:51"));
    assert_eq!(on().devices(), std::slice::from_ref(&sdb));
    for (uuid, name) in [("aaaa", "sdd"), ("bbbb", "sdb"), ("bbbb", "sdc")] {
        let device = tree.path(&format!("/sys/class/block/{name}"));
        tree.link(&format!("/sys/fs/btrfs/{uuid}/devices/{name}"), device);
    }
    assert_eq!(on().devices(), [sdb, sdc]);
    assert_eq!(btrfs_members(&tree.world())[0], [sdd]);
    mount(&tree, "btrfs", "/dev/gone", "rw");
    assert_eq!(why(on()), "the device /dev/gone of the btrfs is not visible");
}

#[test]
fn an_overlay_lies_where_its_upper_folder_does() {
    let tree = Tree::new();
    let on = || beneath(&tree.world(), Path::new("/data/file"), &in_filesystem(&tree, "0:50"));
    // The tree itself is in some file system of the machine that tests: it is made known as a disk's, or memory.
    tree.file("/upper/file", "");
    let upper = Node::of(&tree.path("/upper")).unwrap();
    let (id, below) = (upper.mount.unwrap_or(1), upper.filesystem);
    let overlay = "77 1 0:50 / /data rw - overlay overlay rw,lowerdir=/l,upperdir=/upper,workdir=/w";
    tree.file("/proc/self/mountinfo", &format!("{id} 0 {below} / / rw - tmpfs tmpfs rw\n{overlay}\n"));
    if below.is_anonymous() {
        assert_eq!(on(), Beneath::Memory { filesystem: "tmpfs".to_string() });
    } else {
        let device = tree.disk("vdz", &below.to_string());
        assert_eq!(on().devices(), [device]);
    }
    mount(&tree, "overlay", "overlay", "rw,lowerdir=/l,upperdir=/out/of/sight,workdir=/w");
    assert_eq!(why(on()), "the overlay's folder /out/of/sight is not visible, as in a container");
    mount(&tree, "overlay", "overlay", "ro,lowerdir=/l:/m");
    assert_eq!(why(on()), "the overlay has no folder to write to");
}

#[test]
fn facts_are_the_disks_queue_and_the_partitions_size() {
    let tree = Tree::new();
    let disk = tree.disk("nvme0n1", "259:0");
    let part = tree.partition("nvme0n1", "nvme0n1p1", "259:1");
    for (name, text) in [
        ("queue/scheduler", "[none] mq-deadline"),
        ("queue/read_ahead_kb", "128"),
        ("queue/nr_requests", "1023"),
        ("queue/max_sectors_kb", "1280"),
        ("queue/max_hw_sectors_kb", "2048"),
        ("queue/rotational", "0"),
        ("queue/logical_block_size", "512"),
        ("queue/physical_block_size", "4096"),
        ("queue/write_cache", "write back"),
        ("device/model", "MSFT NVMe Accelerator v1.0              "),
        ("device/vendor", "0x1414"),
    ] {
        tree.value(&disk, name, text);
    }
    for queue in ["mq/0/cpu_list", "mq/1/cpu_list", "mq/other"] {
        tree.value(&disk, queue, "0");
    }
    std::fs::write(part.folder().join("size"), "2048\n").unwrap();
    let facts = facts(&tree.world(), &part);
    assert_eq!((facts.name.as_str(), facts.size_bytes), ("nvme0n1p1", Some(1 << 20)));
    assert_eq!(facts.kind.as_deref(), Some("nvme"));
    assert_eq!(facts.model.as_deref(), Some("MSFT NVMe Accelerator v1.0"));
    assert_eq!(facts.scheduler.as_deref(), Some("none"));
    assert_eq!(
        (facts.read_ahead_kib, facts.queue_requests, facts.hardware_queues),
        (Some(128), Some(1_023), Some(2))
    );
    assert_eq!((facts.max_request_kib, facts.max_hardware_request_kib), (Some(1_280), Some(2_048)));
    assert_eq!(
        (facts.rotational, facts.logical_sector, facts.physical_sector),
        (Some(false), Some(512), Some(4_096))
    );
    assert_eq!(facts.write_cache.as_deref(), Some("write back"));
    assert_eq!(facts.made_of, ["nvme0n1"]);
}

#[test]
fn a_kind_is_the_family_or_the_bus_behind_it() {
    let tree = Tree::new();
    let kind = |device: &Device| facts(&tree.world(), device).kind.unwrap();
    for (name, number, expected) in
        [("dm-3", "252:3", "dm"), ("zram0", "253:0", "zram"), ("ram1", "1:1", "ram"), ("nbd0", "43:0", "nbd")]
    {
        assert_eq!(kind(&tree.disk(name, number)), expected);
    }
    for (name, number, bus) in [("sdb", "8:16", "scsi"), ("vdb", "254:16", "virtio")] {
        let disk = tree.disk(name, number);
        std::fs::create_dir_all(tree.path(&format!("/sys/bus/{bus}"))).unwrap();
        tree.value(&disk, "device/vendor", "Msft");
        tree.value(&disk, "device/model", "Virtual Disk");
        std::os::unix::fs::symlink(
            tree.path(&format!("/sys/bus/{bus}")),
            disk.folder().join("device/subsystem"),
        )
        .unwrap();
        assert_eq!(kind(&disk), bus);
        assert_eq!(facts(&tree.world(), &disk).model.as_deref(), Some("Msft Virtual Disk"));
    }
}

#[test]
fn what_sys_does_not_say_is_unknown() {
    let tree = Tree::new();
    let disk = tree.disk("sdb", "8:16");
    tree.value(&disk, "size", "many");
    tree.value(&disk, "queue/rotational", "");
    tree.value(&disk, "queue/nr_requests", "-1");
    let facts = facts(&tree.world(), &disk);
    assert_eq!((facts.size_bytes, facts.rotational, facts.queue_requests), (None, None, None));
    assert_eq!((facts.model, facts.scheduler, facts.hardware_queues), (None, None, None));
}

#[test]
fn zram_is_memory_and_blank_until_a_page_is_stored() {
    let tree = Tree::new();
    let zram = tree.disk("zram0", "253:0");
    let stat = |text: &str| {
        tree.value(&zram, "mm_stat", text);
        medium(&tree.world(), &zram)
    };
    let blank = stat("0 0 0 0 0 0 0 0 0");
    assert_eq!((blank.memory.as_deref(), blank.written), (Some("zram0 is memory"), Some(false)));
    assert_eq!(stat("4096 74 8192 0 8192 0 0 0 0").written, Some(true));
    // A page of one repeated word takes no memory, and was written all the same.
    assert_eq!(stat("0 0 0 0 0 1 0 0 0").written, Some(true));
    assert_eq!(stat("x").written, None);
}

#[test]
fn a_disk_is_no_memory_and_nobody_knows_whether_it_was_written() {
    let tree = Tree::new();
    assert_eq!(medium(&tree.world(), &tree.disk("nvme0n1", "259:0")), Medium::default());
}

#[test]
fn an_array_is_memory_where_all_of_it_is() {
    let tree = Tree::new();
    let (md, ram, zram) = (tree.disk("md0", "9:0"), tree.disk("ram0", "1:0"), tree.disk("zram0", "253:0"));
    tree.build_on(&md, &ram);
    tree.build_on(&md, &zram);
    assert_eq!(
        medium(&tree.world(), &md).memory.as_deref(),
        Some("md0 is made of memory: ram0 is memory, zram0 is memory")
    );
    tree.build_on(&md, &tree.disk("sdb", "8:16"));
    assert_eq!(medium(&tree.world(), &md).memory, None);
}

#[test]
fn a_loop_device_is_what_its_file_lies_on() {
    let tree = Tree::new();
    let device = tree.disk("loop0", "7:0");
    let image = tree.file("/data/image", "");
    tree.value(&device, "loop/backing_file", "/data/image");
    let node = Node::of(&image).unwrap();
    let backing = Backing::of(&tree.world(), &device).unwrap();
    assert!(backing.is(&node));
    assert_eq!(backing.path, PathBuf::from("/data/image"));
    assert_eq!(facts(&tree.world(), &device).model.as_deref(), Some("/data/image"));
    // Nothing was ever written to an empty file.
    assert_eq!(medium(&tree.world(), &device).written, Some(false));
    std::fs::write(&image, vec![1; 65_536]).unwrap();
    std::fs::File::open(&image).unwrap().sync_all().unwrap();
    assert_eq!(medium(&tree.world(), &device).written, None);
    // A name that is something else by now tells nothing.
    tree.value(&device, "loop/backing_file", "/data/image (deleted)");
    let backing = Backing::of(&tree.world(), &device).unwrap();
    assert_eq!((backing.file, backing.device), (None, None));
    assert!(!backing.is(&node));
    assert_eq!(Backing::of(&tree.world(), &tree.disk("loop1", "7:1")), None);
}

#[test]
fn every_device_of_this_machine_has_facts_and_a_number_that_finds_it() {
    let world = crate::World::real();
    for device in Device::all(&world) {
        assert_eq!(Device::find(&world, device.number()).as_ref(), Some(&device));
        assert_eq!(facts(&world, &device).name, device.name());
        medium(&world, &device);
    }
}
