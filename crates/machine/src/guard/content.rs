use std::fmt;

use iobound_units::Bytes;

use super::signatures::{Ends, Signature};

/// Something that a write would destroy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    /// The device's name (`sdb1`), or the file's path.
    pub place: String,
    /// The size of that device or file, where it is known.
    pub size: Option<Bytes>,
    /// Detected content.
    pub signature: Signature,
    /// Its label.
    pub label: Option<String>,
    /// Its UUID or serial number, as `blkid` prints it.
    pub uuid: Option<String>,
}

impl Content {
    pub(super) fn of(place: String, size: Option<u64>, ends: &Ends, signature: Signature) -> Content {
        let names = NAMES.iter().find(|(what, ..)| *what == signature.what);
        let (label, uuid) = names.map_or((None, None), |(_, label, uuid)| {
            (label.as_ref().and_then(|it| it.read(ends)), uuid.as_ref().and_then(|it| it.read(ends)))
        });
        Content { place, size: size.map(Bytes), signature, label, uuid }
    }
}

impl fmt::Display for Content {
    /// `sdb1 (40 MiB): an XFS file system, label "data", UUID 7e2a…`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.place)?;
        if let Some(size) = self.size {
            write!(f, " ({size})")?;
        }
        write!(f, ": {}", self.signature.what)?;
        if let Some(label) = &self.label {
            write!(f, ", label \"{label}\"")?;
        }
        if let Some(uuid) = &self.uuid {
            write!(f, ", UUID {uuid}")?;
        }
        Ok(())
    }
}

/// A name in a superblock: where it begins, and how it is written.
enum Name {
    /// Text of at most so many bytes.
    Text(u64, u64),
    /// Text of at most so many bytes in UTF-16, little endian.
    Wide(u64, u64),
    /// Sixteen bytes.
    Uuid(u64),
    /// Four bytes: `1A2B-3C4D`.
    Serial(u64),
    /// Eight bytes: `1A2B3C4D5E6F7081`.
    LongSerial(u64),
}
use Name::{LongSerial, Serial, Text, Uuid, Wide};

type NameRow = (&'static str, Option<Name>, Option<Name>);

const EXT_LABEL: Option<Name> = Some(Text(1024 + 120, 16));
const EXT_UUID: Option<Name> = Some(Uuid(1024 + 104));

/// Label and UUID of each kind, from the same headers as its magic number.
#[rustfmt::skip]
const NAMES: &[NameRow] = &[
    ("an ext2 file system", EXT_LABEL, EXT_UUID),
    ("an ext3 file system", EXT_LABEL, EXT_UUID),
    ("an ext4 file system", EXT_LABEL, EXT_UUID),
    ("an XFS file system", Some(Text(108, 12)), Some(Uuid(32))),
    ("a btrfs file system", Some(Text(0x1_0000 + 299, 256)), Some(Uuid(0x1_0000 + 32))),
    ("a btrfs file system on several devices", Some(Text(0x1_0000 + 299, 256)), Some(Uuid(0x1_0000 + 32))),
    ("a bcachefs file system", Some(Text(4096 + 72, 32)), Some(Uuid(4096 + 56))),
    ("an F2FS file system", Some(Wide(1024 + 124, 1024)), Some(Uuid(1024 + 108))),
    ("a JFS file system", Some(Text(32_768 + 152, 16)), Some(Uuid(32_768 + 136))),
    ("a ReiserFS file system", Some(Text(0x1_0000 + 100, 16)), Some(Uuid(0x1_0000 + 84))),
    ("an EROFS file system", Some(Text(1024 + 64, 16)), Some(Uuid(1024 + 48))),
    ("an ISO 9660 file system", Some(Text(16 * 2048 + 40, 32)), None),
    ("an APFS container", None, Some(Uuid(72))),
    ("an NTFS file system", None, Some(LongSerial(72))),
    ("an exFAT file system", None, Some(Serial(100))),
    ("a FAT12 or FAT16 file system", Some(Text(43, 11)), Some(Serial(39))),
    ("a FAT32 file system", Some(Text(71, 11)), Some(Serial(67))),
    ("a LUKS encrypted volume", None, Some(Text(168, 40))),
    ("a LUKS2 encrypted volume", Some(Text(24, 48)), Some(Text(168, 40))),
    // Linux, include/linux/swap.h: the header's fields are behind the boot block, whatever a page's size is.
    ("swap space", Some(Text(1024 + 28, 16)), Some(Uuid(1024 + 12))),
];

impl Name {
    /// The name; `None` without one.
    fn read(&self, ends: &Ends) -> Option<String> {
        match *self {
            Text(at, len) => text(&String::from_utf8_lossy(ends.at(at, len)?)),
            Wide(at, len) => {
                let pairs = ends.at(at, len)?.chunks_exact(2);
                let units: Vec<u16> = pairs.map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
                text(&String::from_utf16_lossy(&units))
            }
            Uuid(at) => {
                let bytes = ends.at(at, 16)?;
                let hex = |part: &[u8]| part.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
                let parts = [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..]];
                is_set(bytes).then(|| parts.map(hex).join("-"))
            }
            Serial(at) => {
                let serial = ends.at(at, 4)?;
                is_set(serial)
                    .then(|| format!("{:02X}{:02X}-{:02X}{:02X}", serial[3], serial[2], serial[1], serial[0]))
            }
            LongSerial(at) => {
                let serial = ends.at(at, 8)?;
                is_set(serial).then(|| serial.iter().rev().map(|byte| format!("{byte:02X}")).collect())
            }
        }
    }
}

fn is_set(bytes: &[u8]) -> bool {
    bytes.iter().any(|byte| *byte != 0)
}

/// Text up to its first NUL, without blanks around it. Characters that would do something to a terminal are replaced.
fn text(field: &str) -> Option<String> {
    let text = field.split('\0').next().unwrap_or_default().trim();
    let text: String = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
    // FAT's entry for a file system without a label.
    (!text.is_empty() && text != "NO NAME").then_some(text)
}

#[cfg(test)]
mod tests {
    use super::super::signatures::found;
    use super::*;

    fn content(written: &[(usize, &[u8])]) -> Content {
        let mut head = vec![0; 1 << 20];
        for (at, bytes) in written {
            head[*at..*at + bytes.len()].copy_from_slice(bytes);
        }
        let ends = Ends::new(head.len() as u64, head.clone(), head);
        let signature = found(&ends)[0];
        Content::of("sdb1".to_string(), Some(40 << 20), &ends, signature)
    }

    const ID: &[u8] = &[0x12, 0x34, 0x56, 0x78, 0x9a, 0xbc, 0xde, 0xf0, 1, 2, 3, 4, 5, 6, 7, 8];

    #[test]
    fn a_file_system_is_named_by_type_label_uuid_and_size() {
        let xfs = content(&[(0, b"XFSB"), (32, ID), (108, b"data")]);
        let expected =
            "sdb1 (40 MiB): an XFS file system, label \"data\", UUID 12345678-9abc-def0-0102-030405060708";
        assert_eq!(xfs.to_string(), expected);
        let bare = content(&[(0, b"XFSB")]);
        assert_eq!(bare.to_string(), "sdb1 (40 MiB): an XFS file system");
    }

    #[test]
    fn serial_numbers_are_written_as_their_systems_write_them() {
        let fat = content(&[(82, b"FAT32   "), (67, &[0x4d, 0x3c, 0x2b, 0x1a]), (71, b"NO NAME    ")]);
        assert_eq!((fat.label, fat.uuid.as_deref()), (None, Some("1A2B-3C4D")));
        let ntfs = content(&[(3, b"NTFS    "), (72, &[8, 7, 6, 5, 4, 3, 2, 0xf1])]);
        assert_eq!(ntfs.uuid.as_deref(), Some("F102030405060708"));
        let wide = content(&[(1024, b"\x10\x20\xf5\xf2"), (1024 + 124, b"h\0i\0\0\0x\0")]);
        assert_eq!(wide.label.as_deref(), Some("hi"));
    }

    #[test]
    fn a_label_sends_nothing_to_the_terminal() {
        let odd = content(&[(0, b"XFSB"), (108, b"a\x1b[2Jb")]);
        assert_eq!(odd.label.as_deref(), Some("a\u{fffd}[2Jb"));
    }
}
