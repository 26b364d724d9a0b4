//! Members of arrays that a RAID controller or a firmware keeps.
//!
//! Offsets and checksums are those of libblkid's probes (util-linux, libblkid/src/superblocks/*_raid.c). A short magic
//! number (two or four weak bytes) counts only with its checksum. A long one counts alone, because a damaged member
//! still has a user's data.

use super::signatures::Ends;

/// The last sectors in which Promise controllers keep their block (`promise_raid.c`).
const PROMISE: [u64; 13] = [63, 255, 256, 16, 399, 591, 675, 735, 911, 974, 991, 951, 3087];

/// The kinds of firmware arrays that a device is a member of.
pub(super) fn found(ends: &Ends) -> Vec<&'static str> {
    let kinds = [
        ("a member of a Promise RAID array", is_promise(ends)),
        ("a member of a VIA RAID array", is_via(ends)),
        ("a member of a Silicon Image RAID array", is_silicon(ends)),
        ("a member of a JMicron RAID array", is_jmicron(ends)),
    ];
    kinds.into_iter().filter(|(_, is)| *is).map(|(what, _)| what).collect()
}

fn is_promise(ends: &Ends) -> bool {
    let places = PROMISE.iter().filter_map(|sectors| ends.back(sectors * 512));
    places.into_iter().any(|place| ends.has(place, b"Promise Technology, Inc."))
}

/// The last sector.
fn last(ends: &Ends) -> Option<&[u8]> {
    ends.at(ends.back(512)?, 512)
}

fn sum16(bytes: &[u8]) -> u16 {
    let words = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
    words.fold(0, u16::wrapping_add)
}

/// `struct via_metadata`: 0xAA55, a version up to 2, and at byte 50 the sum of the bytes before it.
fn is_via(ends: &Ends) -> bool {
    last(ends).is_some_and(|sector| {
        let sum = sector[..50].iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
        sector[..2] == [0x55, 0xaa] && sector[2] <= 2 && sum == sector[50]
    })
}

/// `struct silicon_metadata`: the magic at 0x60, the disk's number at 0x116, the negated sum of what is before it at 0x13e.
fn is_silicon(ends: &Ends) -> bool {
    last(ends).is_some_and(|sector| {
        let sum = sum16(&sector[..0x13e]).wrapping_neg();
        sector[0x60..0x64] == [0, 0, 0, 0x2f]
            && sector[0x116] < 8
            && sector[0x13e..0x140] == sum.to_le_bytes()
    })
}

/// `struct jm_metadata`: "JM", a mode up to 5 at byte 46, and words that add up to 0 or 1.
fn is_jmicron(ends: &Ends) -> bool {
    last(ends)
        .is_some_and(|sector| sector.starts_with(b"JM") && sector[46] <= 5 && sum16(&sector[..126]) <= 1)
}
