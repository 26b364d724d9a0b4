//! Files and devices that are in use under another identity: through an overlay, a mapping, a lock, common sectors.

use super::*;

/// A file in the upper folder of an overlay, and the same as the overlay shows it: two identities.
fn layered(process: &str) -> Machine {
    let machine = Machine::new();
    for path in ["/upper/image", "/merged/image", "/upper/other", "/merged/other"] {
        machine.tree.file(path, "");
    }
    machine.overlay(process);
    machine
}

#[test]
fn a_file_open_for_writing_is_barred_by_either_face_of_an_overlay() {
    for open in ["/upper/image", "/merged/image"] {
        let machine = layered("self");
        machine.process(812, "qemu", "0100002", open);
        for path in ["/upper/image", "/merged/image"] {
            assert_eq!(machine.because(path), Because::Process, "{path} while {open} is open");
        }
        machine.allowed("/upper/other");
        machine.allowed("/merged/other");
    }
}

#[test]
fn a_file_that_a_loop_device_shows_is_barred_by_either_face_of_an_overlay() {
    for shown in ["/upper/image", "/merged/image"] {
        let mut machine = layered("self");
        let device = machine.device("loop0", "7:0");
        machine.tree.value(&device, "loop/backing_file", shown);
        for path in ["/upper/image", "/merged/image"] {
            assert_eq!(machine.because(path), Because::Loop, "{path} while {shown} is a disk");
        }
        machine.allowed("/merged/other");
        // Another loop on the other face is the same disk.
        let twin = machine.device("loop1", "7:16");
        let other = if shown == "/upper/image" { "/merged/image" } else { "/upper/image" };
        machine.tree.value(&twin, "loop/backing_file", other);
        assert_eq!(machine.because("/dev/loop0"), Because::Loop);
    }
}

#[test]
fn an_overlay_whose_folders_are_out_of_sight_is_known_by_its_paths() {
    let mut machine = layered("self");
    std::fs::remove_file(machine.tree.path("/upper/image")).unwrap();
    let device = machine.device("loop0", "7:0");
    machine.tree.value(&device, "loop/backing_file", "/upper/image");
    assert_eq!(machine.because("/merged/image"), Because::Loop);
    machine.allowed("/merged/other");
}

#[test]
fn an_overlay_of_another_mount_namespace_counts_too() {
    let machine = layered("812");
    machine.tree.link("/proc/self/ns/mnt", "mnt:[1]");
    machine.tree.link("/proc/812/ns/mnt", "mnt:[2]");
    machine.tree.link("/proc/812/root", machine.tree.path("/"));
    machine.process(812, "mysqld", "02", "/merged/image");
    assert_eq!(machine.because("/upper/image"), Because::Process);
    machine.allowed("/upper/other");
}

#[test]
fn a_lower_file_that_an_upper_one_hides_is_another_file() {
    let machine = layered("self");
    machine.tree.file("/lower/image", "");
    machine.process(812, "qemu", "02", "/merged/image");
    machine.allowed("/lower/image");
    assert_eq!(machine.because("/upper/image"), Because::Process);
    // Nothing hides this one.
    machine.tree.file("/lower/base", "");
    machine.tree.file("/merged/base", "");
    machine.process(813, "qemu", "02", "/lower/base");
    assert_eq!(machine.because("/merged/base"), Because::Process);
}

#[test]
fn a_file_whose_file_system_is_mounted_without_a_loop_is_barred() {
    let machine = Machine::new();
    let image = machine.tree.file("/images/root.erofs", "");
    machine.tree.file("/images/other.erofs", "");
    machine.mount("0:60", "/app", "erofs", "/images/root.erofs");
    let refusal = machine.refused("/images/root.erofs");
    assert_eq!(refusal.because, Because::Mounted);
    assert_eq!(refusal.found, "the file system in this file is mounted at /app");
    std::fs::hard_link(image, machine.tree.path("/images/link")).unwrap();
    assert_eq!(machine.because("/images/link"), Because::Mounted);
    machine.allowed("/images/other.erofs");
}

#[test]
fn a_mounted_image_that_was_renamed_is_known_by_its_format() {
    let machine = Machine::new();
    let mut image = vec![0; 4096];
    image[1024..1028].copy_from_slice(b"\xe2\xe1\xf5\xe0");
    std::fs::write(machine.tree.file("/new name", ""), &image).unwrap();
    machine.tree.file("/other", "");
    machine.allowed("/new name");
    machine.mount("0:60", "/app", "erofs", "/old\\040name");
    assert_eq!(machine.because("/new name"), Because::Mounted);
    machine.allowed("/other");
    machine.mount("8:17", "/app", "erofs", "/dev/sdb1");
    machine.allowed("/new name");
}

#[test]
fn a_mount_in_another_namespace_is_named_with_a_process_that_sees_it() {
    let machine = Machine::new();
    machine.tree.file("/image", "");
    machine.tree.link("/proc/self/ns/mnt", "mnt:[1]");
    machine.tree.link("/proc/812/ns/mnt", "mnt:[2]");
    machine.tree.link("/proc/812/root", machine.tree.path("/"));
    machine.tree.file(
        "/proc/812/mountinfo",
        "5 1 8:17 / /data rw - ext4 /dev/x rw\n6 1 0:60 / /app rw - erofs /image rw\n",
    );
    let refusal = machine.refused("/dev/sdb");
    assert_eq!(refusal.found, "sdb1, a partition of sdb, is mounted at /data (as process 812 sees it)");
    assert_eq!(refusal.help, "unmount it first (umount /data), or name a file in it");
    assert_eq!(machine.because("/image"), Because::Mounted);
    machine.allowed("/dev/sdb2");
    // The same namespace is not another one.
    std::fs::remove_file(machine.tree.path("/proc/812/ns/mnt")).unwrap();
    machine.tree.link("/proc/812/ns/mnt", "mnt:[1]");
    machine.allowed("/dev/sdb");
}

/// A process with one mapping: its permissions and the file.
fn map(machine: &Machine, permissions: &str, flags: &str, path: &str) {
    let range = "7f0000000000-7f0000001000";
    let line = format!("{range} {permissions} 00000000 fe:00 1 {path}\n");
    machine.tree.file("/proc/812/comm", "lmdb\n");
    machine.tree.file("/proc/812/maps", &format!("1000-2000 r-xp 00000000 fe:00 7 /bin/x\n{line}"));
    machine.tree.file(
        "/proc/812/smaps",
        &format!("1000-2000 r-xp\nVmFlags: rd ex mr mw me\n{line}VmFlags: {flags}\n"),
    );
    let link = format!("/proc/812/map_files/{range}");
    std::fs::remove_file(machine.tree.path(&link)).ok();
    machine.tree.link(&link, machine.tree.path(path));
}

#[test]
fn what_a_process_has_mapped_for_writing_is_barred_without_a_descriptor() {
    let machine = Machine::new();
    machine.tree.file("/data", "");
    machine.tree.file("/other", "");
    map(&machine, "rw-s", "rd wr sh mr mw me ms", "/data");
    let refusal = machine.refused("/data");
    assert_eq!(refusal.because, Because::Process);
    assert_eq!(refusal.found, "process 812 (lmdb) has mapped it for writing");
    machine.allowed("/other");
    // It may call mprotect.
    map(&machine, "r--s", "rd sh mr mw me ms", "/data");
    assert_eq!(machine.because("/data"), Because::Process);
    map(&machine, "r--s", "rd sh mr me ms", "/data");
    machine.allowed("/data");
    map(&machine, "rw-p", "rd wr mr mw me", "/data");
    machine.allowed("/data");
    map(&machine, "rw-s", "rd wr sh mr mw me ms", "/dev/sdb1");
    assert_eq!(machine.because("/dev/sdb"), Because::Process);
    machine.allowed("/dev/sdb2");
}

#[test]
fn a_mapping_is_known_by_its_number_where_its_link_may_not_be_followed() {
    let machine = Machine::new();
    let node = Node::of(&machine.tree.file("/data", "")).unwrap();
    let DeviceNumber { major, minor } = node.filesystem;
    let line = format!("1000-2000 rw-s 00000000 {major:02x}:{minor:02x} {}  /gone (deleted)\n", node.inode);
    machine.tree.file("/proc/812/maps", &line);
    assert_eq!(machine.because("/data"), Because::Process);
}

#[test]
fn a_process_whose_first_thread_has_ended_still_has_its_files() {
    let machine = Machine::new();
    machine.tree.file("/data", "");
    machine.tree.file("/proc/812/comm", "db\n");
    machine.tree.file("/proc/812/task/815/fdinfo/5", "flags:\t0100002\n");
    machine.tree.link("/proc/812/task/815/fd/5", machine.tree.path("/data"));
    assert_eq!(machine.because("/data"), Because::Process);
}

#[test]
fn what_somebody_has_locked_is_barred() {
    let machine = Machine::new();
    let lock = |line: &str, path: &str| {
        let node = Node::of(&machine.tree.file(path, "")).unwrap();
        let DeviceNumber { major, minor } = node.filesystem;
        let place = format!("{major:02x}:{minor:02x}:{}", node.inode);
        machine.tree.file("/proc/locks", &format!("1: {line} {place} 0 EOF\n"));
    };
    machine.tree.file("/proc/812/comm", "sqlite3\n");
    machine.tree.file("/other", "");
    lock("POSIX  ADVISORY  READ  812", "/data");
    let refusal = machine.refused("/data");
    assert_eq!(refusal.because, Because::Locked);
    assert_eq!(refusal.found, "process 812 (sqlite3) has a shared lock on it (POSIX lock)");
    machine.allowed("/other");
    lock("OFDLCK ADVISORY  WRITE -1", "/data");
    assert_eq!(
        machine.refused("/data").found,
        "a process has an exclusive lock on it (open file description lock)"
    );
    lock("FLOCK  ADVISORY  WRITE 812", "/dev/sdc");
    assert_eq!(machine.because("/dev/sdc"), Because::Locked);
    // udev takes a shared lock for each look.
    lock("FLOCK  ADVISORY  READ  812", "/dev/sdc");
    machine.allowed("/dev/sdc");
    // This program's own.
    lock("FLOCK  ADVISORY  WRITE 4000", "/data");
    machine.allowed("/data");
}

#[test]
fn a_partition_is_barred_by_the_use_of_one_that_overlaps_it() {
    let mut machine = Machine::new();
    let place = |machine: &Machine, device: &Device, start: &str, sectors: &str| {
        machine.tree.value(device, "start", start);
        machine.tree.value(device, "size", sectors);
    };
    let (sdb1, sdb2) = (machine.sdb1.clone(), machine.sdb2.clone());
    place(&machine, &sdb1, "2048", "4096");
    place(&machine, &sdb2, "6143", "4096");
    machine.mount("8:18", "/data", "ext4", "/dev/sdb2");
    let refusal = machine.refused("/dev/sdb1");
    assert_eq!(refusal.because, Because::Mounted);
    assert_eq!(refusal.found, "sdb2, which overlaps sdb1, is mounted at /data");
    place(&machine, &sdb2, "6144", "4096");
    machine.allowed("/dev/sdb1");

    // Its use may be out of sight, and what is on it is lost as well.
    place(&machine, &sdb2, "0", "8192");
    machine.mount("8:32", "/other", "ext4", "/dev/sdc");
    machine.start_with("8:18", 0, b"XFSB");
    let lost = machine.allowed("/dev/sdb1").contents;
    assert_eq!(lost[0].to_string(), "sdb2 (4 MiB): an XFS file system");
    machine.answers.held.insert(number("8:18"));
    assert_eq!(machine.because("/dev/sdb1"), Because::Held);
    machine.answers.held.clear();
    machine.process(812, "oracle", "02", "/dev/sdb2");
    assert_eq!(machine.because("/dev/sdb1"), Because::Process);
}

#[test]
fn an_image_in_a_file_is_told_and_a_file_of_a_zfs_pool_is_barred() {
    let machine = Machine::new();
    let path = machine.tree.file("/image", "");
    let mut image = vec![0; 1 << 20];
    image[..4].copy_from_slice(b"XFSB");
    std::fs::write(&path, &image).unwrap();
    let contents = machine.allowed("/image").contents;
    assert_eq!(contents[0].to_string(), format!("{} (1 MiB): an XFS file system", path.display()));
    let label = 128 << 10;
    image[label..label + 4].copy_from_slice(&0x00ba_b10c_u32.to_le_bytes());
    std::fs::write(&path, &image).unwrap();
    assert_eq!(machine.because("/image"), Because::Member);
}

#[test]
fn an_open_descriptor_is_checked_itself_wherever_its_name_leads() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let open = std::fs::File::create(&path).unwrap();
    std::fs::rename(&path, folder.path().join("moved")).unwrap();
    std::fs::create_dir(&path).unwrap();
    let clearance = check_open(&World::real(), &path, &open).unwrap();
    assert!(clearance.is(&open).unwrap());
    let refusal = check_open(&World::real(), &path, &std::fs::File::open(&path).unwrap()).unwrap_err();
    assert_eq!((refusal.because, refusal.path), (Because::Directory, path));
}
