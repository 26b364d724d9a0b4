//! Used devices and files: mounts, swap, and unused ones.

use super::*;

const FILES: [&str; 3] = ["/dev/sdb", "/dev/sdb1", "/dev/sdb2"];

#[test]
fn an_unused_disk_its_partitions_and_a_plain_file_may_be_written_over() {
    let machine = Machine::new();
    for path in FILES {
        assert!(machine.allowed(path).contents.is_empty());
    }
    machine.tree.file("/data/file", "something");
    assert_eq!(machine.allowed("/data/file").node.unwrap().kind, NodeKind::File);
    assert_eq!(machine.allowed("/data/new").node, None);
}

#[test]
fn a_mounted_partition_bars_itself_and_its_disk_but_not_its_neighbour() {
    let machine = Machine::new();
    machine.mount("8:17", "/data", "ext4", "/dev/root");
    let refusal = machine.refused("/dev/sdb");
    assert_eq!(refusal.because, Because::Mounted);
    assert_eq!(refusal.found, "sdb1, a partition of sdb, is mounted at /data");
    assert_eq!(refusal.help, "unmount it first (umount /data), or name a file in it");
    assert_eq!(machine.refused("/dev/sdb1").found, "sdb1 is mounted at /data");
    machine.allowed("/dev/sdb2");
    machine.allowed("/dev/sdc");
}

#[test]
fn a_disk_that_is_mounted_whole_bars_its_partitions() {
    let machine = Machine::new();
    machine.mount("8:16", "/data", "xfs", "/dev/sdb");
    assert_eq!(machine.refused("/dev/sdb2").found, "sdb, the disk of sdb2, is mounted at /data");
    for path in FILES {
        assert_eq!(machine.because(path), Because::Mounted);
    }
    machine.allowed("/dev/sdc");
}

#[test]
fn another_name_of_a_device_is_the_device() {
    let machine = Machine::new();
    machine.mount("8:17", "/data", "ext4", "/dev/disk/by-uuid/1234");
    for name in ["by-id/ata-DISK_1-part1", "by-path/pci-0-part1", "by-uuid/1234", "by-label/data"] {
        machine.tree.link(&format!("/dev/disk/{name}"), "../../sdb1");
        assert_eq!(machine.because(&format!("/dev/disk/{name}")), Because::Mounted, "{name}");
    }
    machine.tree.link("/dev/disk/by-id/ata-DISK_1-part2", "../../sdb2");
    machine.allowed("/dev/disk/by-id/ata-DISK_1-part2");
}

#[test]
fn a_mount_without_a_device_of_its_own_is_known_by_what_was_mounted() {
    let machine = Machine::new();
    // btrfs: an anonymous number, and the device as it was named.
    machine.mount("0:50", "/data", "btrfs", "/dev/sdb1");
    assert_eq!(machine.because("/dev/sdb"), Because::Mounted);
    machine.allowed("/dev/sdc");
    machine.mount("0:50", "/data", "bcachefs", "/dev/sdb2:/dev/sdc");
    assert_eq!(machine.because("/dev/sdc"), Because::Mounted);
    machine.allowed("/dev/sdb1");
}

#[test]
fn every_device_of_a_btrfs_in_use_is_barred() {
    let machine = Machine::new();
    machine.mount("0:50", "/data", "btrfs", "/dev/sdb1");
    machine.tree.link("/sys/fs/btrfs/abcd-ef/devices/sdb1", "../../../../class/block/sdb1");
    machine.tree.link("/sys/fs/btrfs/abcd-ef/devices/sdc", "../../../../class/block/sdc");
    machine.tree.file("/sys/fs/btrfs/features/raid56", "1");
    let refusal = machine.refused("/dev/sdc");
    assert_eq!(
        (refusal.because, refusal.found.as_str()),
        (Because::Mounted, "sdc belongs to a btrfs file system that is in use")
    );
    machine.allowed("/dev/sdb2");
}

#[test]
fn swap_bars_its_device_and_the_disk_around_it() {
    let machine = Machine::new();
    machine.swap_to("/dev/sdb2");
    assert_eq!(machine.refused("/dev/sdb").found, "the machine swaps to sdb2, a partition of sdb");
    assert_eq!(machine.because("/dev/sdb2"), Because::Swap);
    machine.allowed("/dev/sdb1");
}

#[test]
fn swap_is_known_by_the_kernels_name_where_its_node_is_out_of_sight() {
    let machine = Machine::new();
    std::fs::remove_file(machine.tree.path("/dev/sdb2")).unwrap();
    machine.swap_to("/dev/sdb2");
    assert_eq!(machine.because("/dev/sdb"), Because::Swap);
    machine.allowed("/dev/sdc");
}

#[test]
fn a_swap_file_in_use_is_barred_by_every_name_it_has() {
    let machine = Machine::new();
    let file = machine.tree.file("/my swap", "");
    std::fs::hard_link(&file, machine.tree.path("/other")).unwrap();
    machine.tree.file("/third", "");
    machine.swap_to("/my\\040swap");
    assert_eq!(machine.because("/my swap"), Because::Swap);
    assert_eq!(machine.because("/other"), Because::Swap);
    machine.allowed("/third");
}

#[test]
fn a_file_system_that_nobody_uses_is_told_and_left_to_consent() {
    let mut machine = Machine::new();
    machine.start_with("8:16", 512, b"EFI PART");
    machine.start_with("8:17", 1080, b"\x53\xef");
    let contents = |path: &str| -> Vec<(String, &str)> {
        machine.allowed(path).contents.into_iter().map(|found| (found.place, found.signature.what)).collect()
    };
    let ext = ("sdb1".to_string(), "an ext2 file system");
    assert_eq!(contents("/dev/sdb"), [("sdb".to_string(), "a GPT partition table"), ext.clone()]);
    // The disk's partition table outlives what is written to a partition.
    assert_eq!(contents("/dev/sdb1"), [ext]);
    assert_eq!(contents("/dev/sdb2"), []);
}
