//! Content of files and write buffers.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::io::Write;

use flate2::Compression;
use flate2::write::DeflateEncoder;
use iobound_load::prepare::{BLOCK, Filling, Payload};
use iobound_units::Percent;
use iobound_workload::Content;

fn percent(n: u32) -> Percent {
    Percent::whole(n).expect("at most a hundred")
}

/// What deflate leaves of each block of 4 KiB by itself, as a share: storage compresses block by block.
fn left_by_deflate(data: &[u8]) -> f64 {
    let compressed: usize = data
        .chunks(BLOCK)
        .map(|block| {
            let mut encoder = DeflateEncoder::new(Vec::new(), Compression::default());
            encoder.write_all(block).expect("memory takes it");
            encoder.finish().expect("memory takes it").len()
        })
        .sum();
    compressed as f64 / data.len() as f64
}

/// The share of blocks that some block before them equals.
fn repeats(data: &[u8]) -> f64 {
    let mut seen: BTreeMap<&[u8], u32> = BTreeMap::new();
    let repeated = data.chunks(BLOCK).filter(|block| {
        let count = seen.entry(block).or_default();
        *count += 1;
        *count > 1
    });
    repeated.count() as f64 / (data.len() / BLOCK) as f64
}

fn filled(filling: Filling, bytes: usize) -> Vec<u8> {
    let mut data = vec![0; bytes];
    filling.fill(0, &mut data);
    data
}

#[test]
fn what_is_incompressible_does_not_compress_and_does_not_repeat() {
    let data = filled(Filling::incompressible(1), 8 << 20);
    assert!(left_by_deflate(&data) > 1.0, "deflate adds its headers to what it can't compress");
    assert_eq!(repeats(&data), 0.0);
}

#[test]
fn the_asked_share_compresses_away() {
    for share in [0, 10, 25, 50, 75, 90, 100] {
        let filling =
            Filling { content: Content::Compressible(percent(share)), ..Filling::incompressible(1) };
        let left = left_by_deflate(&filled(filling, 1 << 20));
        let asked = 1.0 - f64::from(share) / 100.0;
        assert!((left - asked).abs() < 0.03, "{share} %: {left} is left where {asked} was asked");
    }
}

#[test]
fn the_asked_share_of_the_blocks_repeats_earlier_ones() {
    for share in [0, 1, 20, 50, 99, 100] {
        for content in [Content::Incompressible, Content::Compressible(percent(50))] {
            let filling = Filling { content, repeats: percent(share), ..Filling::incompressible(1) };
            let counted = repeats(&filled(filling, 8 << 20));
            // 2,048 blocks: rounding down in each of two groups costs two of them at most.
            assert!((counted - f64::from(share) / 100.0).abs() <= 2.0 / 2048.0, "{share} %: {counted}");
        }
    }
}

#[test]
fn any_part_can_be_made_again_by_itself() {
    let filling = Filling {
        content: Content::Compressible(percent(30)),
        repeats: percent(40),
        ..Filling::incompressible(9)
    };
    let whole = filled(filling, 6 << 20);
    for (from, to) in [(0, 512), (4096, 8192), (5 << 20, 6 << 20), (1000, 1001), (4000, 90_000)] {
        let mut part = vec![0; to - from];
        filling.fill(from as u64, &mut part);
        assert_eq!(part, whole[from..to], "{from} to {to}");
    }
    assert_ne!(whole, filled(Filling { seed: 10, ..filling }, 6 << 20));
}

#[test]
fn zeros_and_counting_bytes_are_what_they_say() {
    let zeros = Filling { content: Content::Zeros, ..Filling::incompressible(1) };
    assert!(filled(zeros, 10_000).iter().all(|byte| *byte == 0));
    let counting = Filling { content: Content::Counting, ..Filling::incompressible(1) };
    assert!(filled(counting, 10_000).iter().enumerate().all(|(at, byte)| *byte == at as u8));
}

/// All blocks that `slots` buffers of 64 KiB write in `writes` rounds.
fn written(filling: Filling, slots: u64, writes: u64) -> Vec<u8> {
    let payload = Payload::new(filling);
    let mut all = Vec::new();
    for slot in 0..slots {
        let mut buffer = vec![0; 16 * BLOCK];
        payload.fill(slot, &mut buffer);
        for write in 0..writes {
            payload.refresh(write * 16, (write % 3) << 20, &mut buffer);
            all.extend_from_slice(&buffer);
        }
    }
    all
}

#[test]
fn no_two_writes_are_alike_and_none_compresses() {
    let all = written(Filling::incompressible(3), 4, 32);
    assert_eq!(repeats(&all), 0.0);
    assert!(left_by_deflate(&all) > 1.0);
}

#[test]
fn written_blocks_compress_and_repeat_as_the_file_does() {
    let half = Filling { content: Content::Compressible(percent(50)), ..Filling::incompressible(3) };
    let left = left_by_deflate(&written(half, 2, 16));
    assert!((left - 0.5).abs() < 0.03, "{left}");
    let repeating = Filling { repeats: percent(25), ..Filling::incompressible(3) };
    let counted = repeats(&written(repeating, 2, 400));
    // The first repeat of each place of a buffer has none before it: 32 of 12,800 blocks.
    assert!((counted - 0.25).abs() <= 33.0 / 12_800.0, "{counted}");
}

#[test]
fn zeros_stay_zeros_when_they_are_written_again() {
    let zeros = Filling { content: Content::Zeros, ..Filling::incompressible(3) };
    assert!(written(zeros, 1, 3).iter().all(|byte| *byte == 0));
}
