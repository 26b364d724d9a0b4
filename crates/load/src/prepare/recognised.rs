//! Recognising our own blocks, for a file whose last run was killed: no seal says what it holds.

use std::fs::File;
use std::io;
use std::ops::Range;

use iobound_machine::files::{Unwritten, read_exact_at, unwritten};
use iobound_workload::{Content, Random};

use super::filling::{BLOCK, Filling};
use super::mark::Mark;
use super::payload::{SECTOR, follows};
use crate::verify::is_stamped;

/// Blocks that are looked at.
const LOOKS: u64 = 256;

/// True if every block that is looked at holds what preparation or a run writes: the filling that belongs at its
/// offset, a write buffer's content, a verification stamp, or zeros. Looks only at what was ever written, so that the
/// few blocks of a new file system in a sparse file are seen.
///
/// # Errors
/// Returns an error if the file cannot be read.
pub(super) fn is_recognised(file: &File, size: u64, mark: &Mark) -> io::Result<bool> {
    let (holes, _) = unwritten(file, size)?;
    let data = written(&holes, size);
    let fillings: Vec<Filling> = std::iter::once(mark.filling).chain(mark.refilled).collect();
    let mut is_ours = false;
    for block in looked_at(&data) {
        match look(file, size, block, &fillings)? {
            Origin::Ours => is_ours = true,
            Origin::Zeros => {}
            Origin::Unknown => return Ok(false),
        }
    }
    // Nothing but zeros: our own only if nothing else was written yet.
    Ok(is_ours || mark.filled == 0 || mark.filling.content == Content::Zeros || data.is_empty())
}

/// The complement of the holes.
fn written(holes: &[Unwritten], size: u64) -> Vec<Range<u64>> {
    let (mut data, mut at) = (Vec::new(), 0);
    let end = Unwritten { range: size..size, allocated: false };
    for hole in holes.iter().chain([&end]) {
        if hole.range.start > at {
            data.push(at..hole.range.start);
        }
        at = at.max(hole.range.end);
    }
    data
}

/// Numbers of blocks in what was written: the first and the last of all, and one in each of equal parts between.
fn looked_at(data: &[Range<u64>]) -> Vec<u64> {
    let block = BLOCK as u64;
    let blocks = |range: &Range<u64>| range.end.div_ceil(block) - range.start / block;
    let total: u64 = data.iter().map(blocks).sum();
    let looks = total.min(LOOKS);
    let nth = |n: u64| {
        let mut before = 0;
        for range in data {
            let here = blocks(range);
            if n < before + here {
                return range.start / block + n - before;
            }
            before += here;
        }
        0
    };
    let part = |n: u64| (u128::from(n) * u128::from(total) / u128::from(looks)) as u64;
    (0..looks)
        .map(|look| match look {
            0 => nth(0),
            _ if look + 1 == looks => nth(total - 1),
            _ => nth(part(look) + Random::keyed(&[total, look, 11]).below(part(look + 1) - part(look))),
        })
        .collect()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Ours,
    Zeros,
    Unknown,
}

/// Judges a block by its sectors; a write buffer's are known by their neighbours, which may be in the next block.
fn look(file: &File, size: u64, block: u64, fillings: &[Filling]) -> io::Result<Origin> {
    let start = block * BLOCK as u64;
    let end = (start + BLOCK as u64).min(size);
    let margin = SECTOR as u64;
    let (from, to) = (start.saturating_sub(margin), (end + margin).min(size));
    let mut around = vec![0; (to - from) as usize];
    read_exact_at(file, &mut around, from)?;
    let mut verdict = Origin::Zeros;
    let mut at = start;
    while at < end {
        let own = (at - from) as usize..((at + margin).min(end) - from) as usize;
        match sector(&around, own, at, fillings) {
            Origin::Ours => verdict = Origin::Ours,
            Origin::Zeros => {}
            Origin::Unknown => return Ok(Origin::Unknown),
        }
        at += margin;
    }
    Ok(verdict)
}

fn sector(around: &[u8], own: Range<usize>, offset: u64, fillings: &[Filling]) -> Origin {
    let bytes = &around[own.clone()];
    if bytes.iter().all(|byte| *byte == 0) {
        return Origin::Zeros;
    }
    let before = own.start.checked_sub(SECTOR).map(|start| &around[start..own.start]);
    let after = around.get(own.end..).filter(|after| !after.is_empty());
    let is_ours = fillings.iter().any(|filling| belongs(filling, offset, bytes))
        || is_stamped(bytes)
        || before.is_some_and(|before| follows(before, bytes))
        || after.is_some_and(|after| follows(bytes, after));
    if is_ours { Origin::Ours } else { Origin::Unknown }
}

/// True if these bytes are what the filling has at their offset, or what a write buffer of that content has anywhere.
fn belongs(filling: &Filling, offset: u64, bytes: &[u8]) -> bool {
    let mut expected = vec![0; bytes.len()];
    let mut begins = |at: u64| {
        filling.fill(at, &mut expected);
        expected == bytes
    };
    if begins(offset) {
        return true;
    }
    match filling.content {
        // A write begins with the first of them, wherever it goes.
        Content::Repeated(repeated) => (0..repeated.bytes().len() as u64).any(begins),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use iobound_units::Percent;

    use super::*;
    use crate::prepare::Payload;

    const SIZE: u64 = 4 << 20;

    fn mark(filling: Filling) -> Mark {
        Mark {
            size: SIZE,
            resized_from: None,
            filled: SIZE,
            filling,
            refilled: None,
            created: 0,
            seal: None,
            opened_by_others: false,
        }
    }

    fn filled(filling: Filling) -> File {
        let file = tempfile::tempfile().expect("a file");
        let mut data = vec![0; SIZE as usize];
        filling.fill(0, &mut data);
        file.write_all_at(&data, 0).and_then(|()| file.sync_all()).expect("it takes data");
        file
    }

    fn contents() -> [Filling; 4] {
        let with = |content| Filling { content, ..Filling::incompressible(3) };
        let half = Percent::whole(50).expect("a share");
        let bytes = iobound_workload::Repeated::new(b"abcdefg").expect("a few");
        [
            Filling { repeats: half, ..Filling::incompressible(3) },
            with(Content::Compressible(half)),
            with(Content::Counting),
            with(Content::Repeated(bytes)),
        ]
    }

    #[test]
    fn what_preparation_and_runs_write_is_recognised() {
        for filling in contents() {
            let file = filled(filling);
            let known = |file: &File| is_recognised(file, SIZE, &mark(filling)).expect("it can be read");
            assert!(known(&file), "{filling:?}");
            let payload = Payload::new(filling);
            // Blocks of 1 KiB to 64 KiB, at multiples of a sector, as a run of any seed writes them.
            let mut random = Random::keyed(&[1]);
            for n in 0..2000u64 {
                let mut buffer = vec![0; 1024 << random.below(7)];
                payload.fill(n % 32, &mut buffer);
                let at = random.below((SIZE - buffer.len() as u64) / 512) * 512;
                payload.refresh(n, at, &mut buffer);
                file.write_all_at(&buffer, at / 1024 * 1024).expect("it takes data");
            }
            assert!(known(&file), "{filling:?}");
            // A few foreign sectors, spread over the file.
            for n in 0..1024 {
                file.write_all_at(&[0xa5; 4096], n * 4096).expect("it takes data");
            }
            assert!(!known(&file), "{filling:?}");
        }
    }

    #[test]
    fn a_file_system_in_it_is_not_recognised_even_among_holes() {
        let filling = Filling::incompressible(3);
        let file = filled(filling);
        file.write_all_at(&[0x53; 200], 1024).expect("a superblock");
        assert!(!is_recognised(&file, SIZE, &mark(filling)).expect("it can be read"));
        // As mkfs does it: everything is discarded first, and little is written.
        let file = tempfile::tempfile().expect("a file");
        file.set_len(1 << 30).expect("it is sparse");
        file.write_all_at(&[0x53; 200], (64 << 20) + 1024)
            .and_then(|()| file.sync_all())
            .expect("a superblock");
        assert!(!is_recognised(&file, 1 << 30, &mark(filling)).expect("it can be read"));
    }

    #[test]
    fn an_empty_file_is_ours_and_zeros_in_place_of_content_are_not() {
        let filling = Filling::incompressible(3);
        let file = tempfile::tempfile().expect("a file");
        file.set_len(SIZE).expect("it is sparse");
        assert!(is_recognised(&file, SIZE, &mark(filling)).expect("it can be read"));
        file.write_all_at(&vec![0; SIZE as usize], 0).and_then(|()| file.sync_all()).expect("zeros");
        assert!(!is_recognised(&file, SIZE, &mark(filling)).expect("it can be read"));
    }
}
