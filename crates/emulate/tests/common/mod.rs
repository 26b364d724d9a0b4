//! Steps on a backing, and the plain bytes beside it.
#![allow(dead_code, reason = "each test uses a part")]

pub(crate) mod player;

use iobound_emulate::Errno;
use iobound_emulate::store::{Allocation, Backing};
use proptest::prelude::*;

/// This number of cases, and no files beside the tests.
pub(crate) fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Offset and length, in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step {
    Write(u64, u64),
    Read(u64, u64),
    Discard(u64, u64),
    Zero(u64, u64),
    Reserve(u64, u64),
}

/// Sectors and pages, near each other and apart, some of a MiB.
pub(crate) fn step(size: u64) -> impl Strategy<Value = Step> {
    let sectors = size / 512;
    let len = prop_oneof![4 => 1u64..17, 2 => Just(8u64), 1 => 1u64..2_049, 1 => Just(2_048u64)];
    let place = prop_oneof![2 => 0..64u64, 1 => 0..sectors, 1 => (0..sectors / 8).prop_map(|page| page * 8)];
    (place, len, 0..12u32).prop_map(move |(at, len, kind)| {
        let at = at.min(sectors - 1);
        let (offset, len) = (at * 512, len.min(sectors - at) * 512);
        match kind {
            0..5 => Step::Write(offset, len),
            5..8 => Step::Read(offset, len),
            8..10 => Step::Discard(offset, len),
            10 => Step::Zero(offset, len),
            _ => Step::Reserve(offset, len),
        }
    })
}

pub(crate) fn steps(size: u64, most: usize) -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(size), 1..most)
}

/// What write `n` writes there: no two writes and no two sectors are alike.
pub(crate) fn pattern(n: usize, offset: u64, len: u64) -> Vec<u8> {
    let sector = |at: u64| {
        let key = (at / 512).wrapping_mul(0x9e37_79b9_7f4a_7c15)
            ^ (n as u64 + 1).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        key.to_le_bytes().repeat(64)
    };
    (0..len / 512).flat_map(|n| sector(offset + n * 512)).collect()
}

/// Does a step on a backing and on the plain bytes; what is read is compared.
pub(crate) fn apply(disk: &mut impl Backing, kept: &mut [u8], n: usize, step: Step) -> Result<(), Errno> {
    let range = |offset: u64, len: u64| offset as usize..(offset + len) as usize;
    match step {
        Step::Write(offset, len) => {
            let data = pattern(n, offset, len);
            disk.write(offset, &data)?;
            kept[range(offset, len)].copy_from_slice(&data);
        }
        Step::Discard(offset, len) => {
            disk.discard(offset, len)?;
            kept[range(offset, len)].fill(0);
        }
        Step::Zero(offset, len) => {
            disk.zero(offset, len)?;
            kept[range(offset, len)].fill(0);
        }
        Step::Reserve(offset, len) => disk.reserve(offset, len)?,
        Step::Read(offset, len) => {
            let mut read = vec![0xff; len as usize];
            disk.read(offset, &mut read)?;
            assert!(read == kept[range(offset, len)], "step {n}: {step:?} reads something else");
        }
    }
    Ok(())
}

/// All of it is as it should be.
pub(crate) fn compare(disk: &mut impl Backing, kept: &[u8]) {
    let mut read = vec![0xff; kept.len()];
    disk.read(0, &mut read).expect("it can be read");
    let differs = read.chunks(512).zip(kept.chunks(512)).position(|(read, kept)| read != kept);
    assert_eq!(differs, None, "the first sector that differs");
}

/// What is said to be a hole or zeroes is, run after run without a gap; how much is data, in bytes.
pub(crate) fn compare_allocation(disk: &mut impl Backing, kept: &[u8]) -> u64 {
    let (mut at, mut data, end) = (0, 0, kept.len() as u64);
    while at < end {
        let (allocation, until) = disk.allocation(at, end).expect("it can be looked at");
        assert!(until > at && until <= end && until.is_multiple_of(512), "{at}..{until}");
        match allocation {
            Allocation::Data => data += until - at,
            Allocation::Hole | Allocation::Zero => {
                assert!(kept[at as usize..until as usize].iter().all(|byte| *byte == 0), "{at}..{until}");
            }
        }
        at = until;
    }
    data
}

/// Does all steps on an empty disk, none of which fails, and compares all at the end; what there is then.
pub(crate) fn play(disk: &mut impl Backing, size: u64, steps: &[Step]) -> Vec<u8> {
    let mut kept = vec![0; size as usize];
    play_from(disk, &mut kept, steps);
    kept
}

/// The same on a disk that has these bytes.
pub(crate) fn play_from(disk: &mut impl Backing, kept: &mut [u8], steps: &[Step]) {
    for (n, step) in steps.iter().enumerate() {
        apply(disk, kept, n, *step).expect("there is room");
    }
    compare(disk, kept);
    compare_allocation(disk, kept);
}
