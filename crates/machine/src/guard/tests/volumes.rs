//! Arrays, volumes, loop devices and their members.

use super::*;

#[test]
fn a_member_of_an_active_array_is_barred_and_the_array_is_not() {
    let mut machine = Machine::new();
    let md = machine.device("md0", "9:0");
    machine.tree.build_on(&md, &machine.sdb1);
    machine.tree.build_on(&md, &machine.sdc);
    let refusal = machine.refused("/dev/sdb");
    assert_eq!(refusal.because, Because::BuiltOn);
    assert_eq!(refusal.found, "md0, which is built on sdb1, is an active md array");
    assert!(refusal.help.contains("mdadm --stop"), "{}", refusal.help);
    assert_eq!(machine.because("/dev/sdc"), Because::BuiltOn);
    machine.allowed("/dev/sdb2");
    machine.allowed("/dev/md0");
    machine.mount("9:0", "/data", "ext4", "/dev/md0");
    assert_eq!(machine.refused("/dev/md0").found, "md0 is mounted at /data");
    assert_eq!(machine.refused("/dev/sdb").found, "md0, which is built on sdb1, is mounted at /data");
}

#[test]
fn whose_volume_it_is_decides_how_it_is_taken_apart() {
    for (uuid, named, help) in [
        ("LVM-abc", "active LVM volume vg-data", "lvchange -an"),
        ("CRYPT-LUKS2-abc", "open encrypted volume vg-data", "cryptsetup close vg-data"),
        ("mpath-3600", "multipath device vg-data", "/dev/mapper/vg-data"),
        ("", "device-mapper volume vg-data", "dmsetup remove vg-data"),
    ] {
        let mut machine = Machine::new();
        let volume = machine.device("dm-0", "252:0");
        machine.tree.value(&volume, "dm/name", "vg-data");
        machine.tree.value(&volume, "dm/uuid", uuid);
        machine.tree.build_on(&volume, &machine.sdb2);
        let refusal = machine.refused("/dev/sdb2");
        assert_eq!(refusal.because, Because::BuiltOn);
        assert!(refusal.found.contains(named), "{}", refusal.found);
        assert!(refusal.help.contains(help), "{}", refusal.help);
        machine.allowed("/dev/sdb1");
        machine.allowed("/dev/dm-0");
    }
}

#[test]
fn a_file_that_a_loop_device_shows_is_barred() {
    let mut machine = Machine::new();
    machine.tree.file("/image", "");
    machine.tree.file("/other", "");
    let device = machine.device("loop0", "7:0");
    machine.tree.value(&device, "loop/backing_file", "/image");
    let refusal = machine.refused("/image");
    assert_eq!(refusal.because, Because::Loop);
    assert_eq!(refusal.found, "the loop device loop0 shows this file as a disk");
    machine.allowed("/other");
    machine.allowed("/dev/loop0");
}

#[test]
fn a_second_loop_on_the_same_file_bars_the_first() {
    let mut machine = Machine::new();
    machine.tree.file("/image", "");
    for (name, number) in [("loop0", "7:0"), ("loop1", "7:1")] {
        let device = machine.device(name, number);
        machine.tree.value(&device, "loop/backing_file", "/image");
    }
    let refusal = machine.refused("/dev/loop0");
    assert_eq!(refusal.because, Because::Loop);
    assert_eq!(refusal.found, "loop1, which shows the same data as loop0, is a loop device in use");
    let other = machine.device("loop2", "7:2");
    machine.tree.file("/another", "");
    machine.tree.value(&other, "loop/backing_file", "/another");
    machine.allowed("/dev/loop2");
}

#[test]
fn a_loop_on_a_device_bars_that_device_and_is_barred_by_its_other_uses() {
    let mut machine = Machine::new();
    let device = machine.device("loop0", "7:0");
    machine.tree.value(&device, "loop/backing_file", "/dev/sdb1");
    assert_eq!(machine.because("/dev/sdb1"), Because::Loop);
    assert_eq!(machine.because("/dev/sdb"), Because::Loop);
    machine.allowed("/dev/loop0");
    machine.mount("8:16", "/data", "ext4", "/dev/sdb");
    assert_eq!(machine.refused("/dev/loop0").found, "sdb, the disk of sdb1, is mounted at /data");
}

#[test]
fn a_loop_on_a_swap_file_is_barred() {
    let mut machine = Machine::new();
    machine.tree.file("/image", "");
    let device = machine.device("loop0", "7:0");
    machine.tree.value(&device, "loop/backing_file", "/image");
    machine.swap_to("/image");
    assert_eq!(machine.because("/dev/loop0"), Because::Swap);
}

#[test]
fn a_member_of_something_larger_is_barred_although_it_is_not_active() {
    let members: [(usize, &[u8], &str); 4] = [
        (512, b"LABELONE\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0LVM2 001", "a physical volume of LVM"),
        (
            4096 + 24,
            b"\xc6\x85\x73\xf6\x4e\x1a\x45\xca\x82\x65\xf5\x7f\x48\xba\x6d\x81",
            "a member of a bcache",
        ),
        (132 << 10, b"\x0c\xb1\xba\0\0\0\0\0", "a member of a ZFS pool"),
        (32, b"ORCLDISK", "a disk of Oracle ASM"),
    ];
    for (offset, magic, what) in members {
        let mut machine = Machine::new();
        machine.start_with("8:17", offset, magic);
        let refusal = machine.refused("/dev/sdb");
        assert_eq!(refusal.because, Because::Member, "{what}");
        assert_eq!(refusal.found, format!("sdb1, a partition of sdb, is {what}"));
        assert!(refusal.help.contains("wipefs -a") && refusal.help.contains("dev/sdb1"), "{}", refusal.help);
        assert_eq!(machine.because("/dev/sdb1"), Because::Member);
        machine.allowed("/dev/sdb2");
    }
}

#[test]
fn a_member_disk_bars_the_partitions_that_are_left_on_it() {
    let mut machine = Machine::new();
    machine.start_with("8:16", 0, b"bluestore block device");
    assert_eq!(machine.because("/dev/sdb1"), Because::Member);
    machine.allowed("/dev/sdc");
}
