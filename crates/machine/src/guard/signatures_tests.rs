use super::*;

const MIB: u64 = 1 << 20;

/// A device of zeros with bytes written at some offsets.
fn device(bytes: u64, written: &[(u64, &[u8])]) -> Ends {
    let end = bytes.min(END);
    let mut ends = (vec![0; end as usize], vec![0; end as usize]);
    for (offset, data) in written {
        for (at, byte) in (*offset..).zip(*data) {
            assert!(at < bytes, "the device has {bytes} bytes");
            if at < end {
                ends.0[at as usize] = *byte;
            }
            if at >= bytes - end {
                ends.1[(at - (bytes - end)) as usize] = *byte;
            }
        }
    }
    Ends::new(bytes, ends.0, ends.1)
}

fn names(ends: &Ends) -> Vec<&'static str> {
    found(ends).iter().map(|signature| signature.what).collect()
}

fn members(ends: &Ends) -> Vec<&'static str> {
    found(ends).iter().filter(|s| s.meaning == Meaning::Member).map(|s| s.what).collect()
}

#[test]
fn a_device_of_zeros_or_of_ones_holds_nothing() {
    for bytes in [0, 1, 511, 512, 4096, 65_535, MIB - 1, MIB, 3 * MIB + 512, 64 * MIB] {
        assert_eq!(names(&device(bytes, &[])), [""; 0], "{bytes}");
        let ones = vec![0xff; bytes.min(END) as usize];
        assert_eq!(names(&Ends::new(bytes, ones.clone(), ones)), [""; 0], "{bytes}");
    }
}

#[test]
fn every_row_of_the_table_is_found_where_it_says_and_not_a_byte_later() {
    for bytes in [5 * MIB, 8 * MIB + 512] {
        for (meaning, what, place, magic) in FIXED {
            let offset = match place {
                Start(offset) => *offset,
                End(back) => bytes / 512 * 512 - back,
            };
            let there = found(&device(bytes, &[(offset, magic)]));
            assert!(there.contains(&Signature { what, meaning: *meaning }), "{what}");
            // An OCFS2 magic of another block size is one too, but none is one byte away.
            let moved = device(bytes, &[(offset - u64::from(offset > 0), b"\0"), (offset + 1, magic)]);
            let moved = if offset + 1 + magic.len() as u64 > bytes { device(bytes, &[]) } else { moved };
            assert!(!names(&moved).contains(what), "{what}");
        }
    }
}

#[test]
fn a_physical_volume_is_found_in_each_of_the_first_four_sectors() {
    for sector in 0..4 {
        let at = sector * 512;
        let ends = device(8 * MIB, &[(at, b"LABELONE"), (at + 24, b"LVM2 001")]);
        assert_eq!(members(&ends), ["a physical volume of LVM"]);
    }
    assert_eq!(names(&device(8 * MIB, &[(4 * 512, b"LABELONE"), (4 * 512 + 24, b"LVM2 001")])), [""; 0]);
    // A label of something else.
    assert_eq!(names(&device(8 * MIB, &[(512, b"LABELONE")])), [""; 0]);
}

#[test]
fn an_md_member_is_found_by_each_version_of_its_superblock() {
    let magic = 0xa92b_4efc_u32;
    for bytes in [8 * MIB, 8 * MIB + 512 * 7, 100 * MIB + 4096 * 3] {
        // md(4): "0.90 ... at least 64K and less than 128K from the end", aligned to 64 KiB.
        let old = bytes / 65_536 * 65_536 - 65_536;
        assert!((65_536..131_072).contains(&(bytes - old)));
        assert_eq!(members(&device(bytes, &[(old, &magic.to_le_bytes())])), ["a member of an md array"]);
        assert_eq!(members(&device(bytes, &[(old, &magic.to_be_bytes())])), ["a member of an md array"]);
        // md(4): 1.0 "at least 8K, and less than 12K, from the end", 1.1 "at the start", 1.2 "4K from the start".
        let last = bytes / 4096 * 4096 - 8192;
        assert!((8192..12_288).contains(&(bytes - last)));
        for at in [last, 0, 4096] {
            let version = [magic.to_le_bytes(), 1u32.to_le_bytes()].concat();
            let place = (at / 512).to_le_bytes();
            let ends = device(bytes, &[(at, &version), (at + 144, &place)]);
            assert_eq!(members(&ends), ["a member of an md array"], "{at} of {bytes}");
            // A copy that says that it is elsewhere is a copy.
            let elsewhere = (at / 512 + 8).to_le_bytes();
            assert_eq!(members(&device(bytes, &[(at, &version), (at + 144, &elsewhere)])), [""; 0]);
        }
    }
}

#[test]
fn a_zfs_member_is_found_by_any_of_its_four_labels_in_either_byte_order() {
    let magic = 0x00ba_b10c_u64;
    let label = 256 << 10;
    let bytes = 64 * MIB + 12_800;
    let last = bytes / label * label;
    for start in [0, label, last - 2 * label, last - label] {
        // With sectors of 4 KiB every fourth slot is one.
        for slot in [0, 4, 124] {
            let at = start + 128 * 1024 + slot * 1024;
            for magic in [magic.to_le_bytes(), magic.to_be_bytes()] {
                assert_eq!(members(&device(bytes, &[(at, &magic)])), ["a member of a ZFS pool"], "{at}");
            }
        }
        assert_eq!(names(&device(bytes, &[(start + 100 * 1024, &magic.to_le_bytes())])), [""; 0]);
    }
}

#[test]
fn swap_is_found_at_the_end_of_a_page_of_any_size() {
    for page in [4096, 8192, 16_384, 65_536] {
        let ends = device(8 * MIB, &[(page - 10, b"SWAPSPACE2")]);
        assert_eq!(names(&ends), ["swap space"]);
        assert_eq!(members(&ends), [""; 0]);
    }
    assert_eq!(names(&device(8 * MIB, &[(2048 - 10, b"SWAPSPACE2")])), [""; 0]);
}

#[test]
fn a_partition_table_is_told_from_a_boot_sector() {
    // One Linux partition from sector 2,048.
    let entry = [0x80, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 8, 0, 0];
    assert_eq!(names(&device(8 * MIB, &[(446, &entry), (510, b"\x55\xaa")])), ["an MBR partition table"]);
    assert_eq!(names(&device(8 * MIB, &[(446, &entry)])), [""; 0]);
    assert_eq!(names(&device(8 * MIB, &[(510, b"\x55\xaa")])), [""; 0]);
    // FAT's boot sector has program text where the entries would be.
    let fat =
        device(8 * MIB, &[(54, b"FAT16   "), (446, b"Non-system disk\r\npress any key"), (510, b"\x55\xaa")]);
    assert_eq!(names(&fat), ["a FAT12 or FAT16 file system"]);
}

#[test]
fn members_come_first_and_each_thing_once() {
    let ends = device(
        8 * MIB,
        &[(1080, b"\x53\xef"), (512, b"LABELONE"), (512 + 24, b"LVM2 001"), (8 * MIB - 512, b"EFI PART")],
    );
    assert_eq!(
        names(&ends),
        ["a physical volume of LVM", "an ext2 file system", "a GPT partition table's copy"]
    );
    let ddf =
        device(8 * MIB, &[(8 * MIB - 512, b"\xde\x11\xde\x11"), (8 * MIB - 257 * 512, b"\xde\x11\xde\x11")]);
    assert_eq!(names(&ddf), ["a member of a DDF RAID array"]);
}

#[test]
fn members_of_firmware_arrays_are_found_where_their_controllers_put_them() {
    let bytes = 64 * MIB + 512;
    let last = bytes - 512;
    for sectors in [63, 255, 256, 16, 399, 591, 675, 735, 911, 974, 991, 951, 3087] {
        let ends = device(bytes, &[(bytes - sectors * 512, b"Promise Technology, Inc.")]);
        assert_eq!(members(&ends), ["a member of a Promise RAID array"], "{sectors}");
    }
    // Of a 4 KiB sector disk.
    let ends = device(64 * MIB, &[(64 * MIB - 8192, b"Intel Raid ISM Cfg Sig. 1.3.00")]);
    assert_eq!(members(&ends), ["a member of an Intel RAID array"]);

    let mut via = [0; 51];
    via[..3].copy_from_slice(&[0x55, 0xaa, 1]);
    via[20] = 7;
    assert_eq!(names(&device(bytes, &[(last, &via)])), [""; 0], "without its checksum");
    via[50] = via[..50].iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    assert_eq!(members(&device(bytes, &[(last, &via)])), ["a member of a VIA RAID array"]);

    let mut silicon = [0; 0x140];
    silicon[0x63] = 0x2f;
    silicon[0x116] = 3;
    assert_eq!(names(&device(bytes, &[(last, &silicon)])), [""; 0], "without its checksum");
    // The words of what stands there are 0x2f00 and 0x0003.
    silicon[0x13e..].copy_from_slice(&(0u16.wrapping_sub(0x2f03)).to_le_bytes());
    assert_eq!(members(&device(bytes, &[(last, &silicon)])), ["a member of a Silicon Image RAID array"]);

    let mut jmicron = [0; 126];
    jmicron[..2].copy_from_slice(b"JM");
    assert_eq!(names(&device(bytes, &[(last, &jmicron)])), [""; 0], "without its checksum");
    jmicron[4..6].copy_from_slice(&(0u16.wrapping_sub(0x4d4a)).to_le_bytes());
    assert_eq!(members(&device(bytes, &[(last, &jmicron)])), ["a member of a JMicron RAID array"]);
    jmicron[46] = 6;
    jmicron[4..6].copy_from_slice(&(0u16.wrapping_sub(0x4d50)).to_le_bytes());
    assert_eq!(names(&device(bytes, &[(last, &jmicron)])), [""; 0], "of a mode that there is not");
}

#[test]
fn an_ext_file_system_is_called_by_its_features() {
    let ext = |compatible: u8, incompatible: u8, read_only: u8| {
        let features = [compatible, 0, 0, 0, incompatible, 0, 0, 0, read_only, 0, 0, 0];
        device(8 * MIB, &[(1080, b"\x53\xef"), (1024 + 92, &features)])
    };
    assert_eq!(names(&ext(0, 2, 1)), ["an ext2 file system"]);
    assert_eq!(names(&ext(4, 2, 1)), ["an ext3 file system"]);
    assert_eq!(names(&ext(4, 0x42, 1)), ["an ext4 file system"]);
    assert_eq!(names(&ext(4, 2, 0x10)), ["an ext4 file system"]);
    assert_eq!(members(&ext(0, 8, 0)), ["the external journal of an ext3 or ext4 file system"]);
}

#[test]
fn a_log_of_xfs_on_a_device_of_its_own_belongs_to_a_file_system() {
    let record = [0xfe, 0xed, 0xba, 0xbe, 0, 0, 0, 1, 0, 0, 0, 2];
    for sector in [0, 1, 511] {
        let ends = device(16 * MIB, &[(sector * 512, &record)]);
        assert_eq!(members(&ends), ["the external log of an XFS file system"]);
    }
    assert_eq!(names(&device(16 * MIB, &[(512 * 512, &record)])), [""; 0]);
    assert_eq!(names(&device(16 * MIB, &[(0, b"XFSB"), (1024, &record)])), ["an XFS file system"]);
}

#[test]
fn encrypted_volumes_are_told_by_version_and_by_the_second_header() {
    assert_eq!(names(&device(8 * MIB, &[(0, b"LUKS\xba\xbe\0\x01")])), ["a LUKS encrypted volume"]);
    assert_eq!(names(&device(8 * MIB, &[(0, b"LUKS\xba\xbe\0\x02")])), ["a LUKS2 encrypted volume"]);
    assert_eq!(names(&device(8 * MIB, &[(0x4000, b"SKUL\xba\xbe")])), ["a LUKS2 encrypted volume's copy"]);
}

#[test]
fn a_btrfs_on_several_devices_is_called_so() {
    let btrfs = |devices: u8| device(8 * MIB, &[(0x1_0040, b"_BHRfS_M"), (0x1_0088, &[devices])]);
    assert_eq!(names(&btrfs(1)), ["a btrfs file system"]);
    assert_eq!(names(&btrfs(2)), ["a btrfs file system on several devices"]);
}
