use std::fs::File;
use std::io;

use super::facts::birth;

/// File systems on which inode number and birth time do not identify a file: a server, another program or the moment
/// of the lookup decides on them. (`statfs(2)` and the kernel's `magic.h`.)
const UNSTABLE: [(u32, &str); 18] = [
    // sshfs, s3fs, gcsfuse, blobfuse, virtiofs, glusterfs.
    (0x6573_5546, "FUSE"),
    (0x6969, "NFS"),
    (0xff53_4d42, "CIFS"),
    (0xfe53_4d42, "SMB"),
    (0x517b, "SMB"),
    (0x564c, "NCP"),
    (0x0102_1997, "9p"),
    (0x00c3_6400, "Ceph"),
    (0x5346_414f, "AFS"),
    (0x6b41_4653, "AFS"),
    (0x7375_7245, "Coda"),
    (0x0bd0_0bd0, "Lustre"),
    (0x1983_0326, "BeeGFS"),
    (0x4750_4653, "GPFS"),
    (0x786f_4256, "VirtualBox shared folders"),
    (0xbacb_acbc, "VMware shared folders"),
    // They number their files anew at each lookup.
    (0x4d44, "FAT"),
    (0x2011_bab0, "exFAT"),
];

/// `PROC_SUPER_MAGIC` of the kernel's `magic.h`.
pub(super) const PROC: u32 = 0x9fa0;

/// File systems whose files are calls to the kernel: sysfs, debugfs, tracefs, cgroup, cgroup2, securityfs, configfs, bpf,
/// efivarfs, selinuxfs, pstore, binfmt_misc, fusectl, proc.
const OF_THE_KERNEL: [u32; 14] = [
    0x6265_6572,
    0x6462_6720,
    0x7472_6163,
    0x0027_e0eb,
    0x6367_7270,
    0x7363_6673,
    0x6265_6570,
    0xcafe_4a11,
    0xde5e_81e4,
    0xf97c_ff8c,
    0x6165_676c,
    0x4249_4e4d,
    0x6573_5543,
    PROC,
];

/// True if the files of a file system with this number are calls to the kernel: to write to one changes a setting.
pub(super) fn is_of_the_kernel(magic: u32) -> bool {
    OF_THE_KERNEL.contains(&magic)
}

/// Reason why inode number and birth time do not identify this file later; `None` if they do.
///
/// # Errors
/// As `fstat` and `fstatfs`.
pub fn unstable_identity(file: &File) -> io::Result<Option<String>> {
    let magic = rustix::fs::fstatfs(file)?.f_type;
    Ok(reason(magic as u32, birth(file)?.born_ns))
}

fn reason(magic: u32, born_ns: Option<i128>) -> Option<String> {
    match UNSTABLE.iter().find(|(known, _)| *known == magic) {
        Some((_, name)) => Some(format!("its file system ({name}) gives files no stable identity")),
        None if born_ns.is_none() => {
            Some("its file system keeps no birth times, so that a file has no stable identity".to_string())
        }
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn network_file_systems_and_those_without_birth_times_do_not_identify_files() {
        const EXT4: u32 = 0xef53;
        assert_eq!(reason(EXT4, Some(1)), None);
        assert!(reason(EXT4, None).is_some_and(|why| why.contains("birth")));
        // sshfs invents inode numbers, and reports a birth time on no server; even if it did, it is not believed.
        for magic in [0x6573_5546, 0x6969, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997, 0x4d44] {
            assert!(reason(magic, Some(1)).is_some_and(|why| why.contains("stable identity")), "{magic:#x}");
        }
    }
}
