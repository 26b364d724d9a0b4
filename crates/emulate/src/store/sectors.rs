//! A set of a disk's sectors, in a bit for each.

use super::pool::Pool;
use crate::request::Errno;

/// Smallest unit: an I/O begins and ends at one.
pub(super) const SECTOR: u64 = crate::export::Export::SECTOR as u64;

const WORDS: usize = 512;
const CHUNK: u64 = WORDS as u64 * 64;
const CHUNK_BYTES: u64 = WORDS as u64 * 8;

#[derive(Debug, Clone)]
enum Chunk {
    None,
    All,
    Some(Box<[u64; WORDS]>),
}

/// A set of sectors. Its bits count towards the limit of a pool: four KiB for each 16 MiB of the disk that has some. They stay
/// when they are all zero, so that a disk that is written and cleaned all the time allocates nothing.
#[derive(Debug)]
pub(super) struct Sectors {
    pool: Pool,
    chunks: Vec<Chunk>,
    count: u64,
}

/// The words of a chunk that hold sectors `from..to` of it, each with a mask.
fn words(from: u64, to: u64) -> impl Iterator<Item = (usize, u64)> {
    (from / 64..to.div_ceil(64)).map(move |word| {
        let low = from.max(word * 64) - word * 64;
        let high = to.min((word + 1) * 64) - word * 64;
        (word as usize, (u64::MAX >> (64 - (high - low))) << low)
    })
}

/// The chunks of a range of bytes: which, and which sectors of it.
fn parts(offset: u64, len: u64) -> impl Iterator<Item = (usize, u64, u64)> {
    let (from, to) = (offset / SECTOR, (offset + len).div_ceil(SECTOR));
    (from / CHUNK..to.div_ceil(CHUNK)).map(move |chunk| {
        let start = chunk * CHUNK;
        (chunk as usize, from.max(start) - start, to.min(start + CHUNK) - start)
    })
}

impl Sectors {
    pub(super) fn new(pool: Pool) -> Sectors {
        Sectors { pool, chunks: Vec::new(), count: 0 }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Their number.
    pub(super) fn count(&self) -> u64 {
        self.count
    }

    /// Takes the room that those of a range of bytes need, and says which chunks have it now.
    ///
    /// # Errors
    /// Returns an error if there is no room. Nothing is reserved then.
    pub(super) fn reserve(&mut self, offset: u64, len: u64) -> Result<Vec<usize>, Errno> {
        let mut taken = Vec::new();
        for (n, from, to) in parts(offset, len) {
            if n >= self.chunks.len() {
                self.chunks.resize(n + 1, Chunk::None);
            }
            if to - from == CHUNK || !matches!(self.chunks[n], Chunk::None) {
                continue;
            }
            if !self.pool.lock().charge(CHUNK_BYTES) {
                self.give_back(&taken);
                return Err(Errno::NoSpace);
            }
            self.chunks[n] = Chunk::Some(Box::new([0; WORDS]));
            taken.push(n);
        }
        Ok(taken)
    }

    /// Gives back the room of chunks that [`Sectors::reserve`] has taken, and nothing was added to since.
    pub(super) fn give_back(&mut self, taken: &[usize]) {
        for n in taken {
            debug_assert_eq!(count_of(&self.chunks[*n]), 0, "it is empty");
            self.chunks[*n] = Chunk::None;
        }
        self.pool.lock().refund(taken.len() as u64 * CHUNK_BYTES);
    }

    /// Adds those of a range of bytes.
    ///
    /// # Errors
    /// Returns an error if there is no room for their bits. A part may have been added.
    pub(super) fn insert(&mut self, offset: u64, len: u64) -> Result<(), Errno> {
        for (n, from, to) in parts(offset, len) {
            if n >= self.chunks.len() {
                self.chunks.resize(n + 1, Chunk::None);
            }
            let chunk = &mut self.chunks[n];
            if to - from == CHUNK {
                self.count += CHUNK - count_of(chunk);
                if matches!(chunk, Chunk::Some(_)) {
                    self.pool.lock().refund(CHUNK_BYTES);
                }
                *chunk = Chunk::All;
                continue;
            }
            if matches!(chunk, Chunk::None) {
                if !self.pool.lock().charge(CHUNK_BYTES) {
                    return Err(Errno::NoSpace);
                }
                *chunk = Chunk::Some(Box::new([0; WORDS]));
            }
            if let Chunk::Some(bits) = chunk {
                for (word, mask) in words(from, to) {
                    self.count += u64::from((mask & !bits[word]).count_ones());
                    bits[word] |= mask;
                }
            }
        }
        Ok(())
    }

    /// Takes out those of a range of bytes.
    pub(super) fn remove(&mut self, offset: u64, len: u64) {
        if self.count == 0 {
            return;
        }
        for (n, from, to) in parts(offset, len) {
            let Some(chunk) = self.chunks.get_mut(n) else { return };
            if matches!(chunk, Chunk::All) {
                if to - from == CHUNK {
                    *chunk = Chunk::None;
                    self.count -= CHUNK;
                    continue;
                }
                // A complete chunk needs bits now. Without room, the limit is exceeded by that much: the removed
                // sectors must not stay.
                *chunk = Chunk::Some(Box::new([u64::MAX; WORDS]));
                self.pool.lock().charge_in_any_case(CHUNK_BYTES);
            }
            if let Chunk::Some(bits) = chunk {
                for (word, mask) in words(from, to) {
                    self.count -= u64::from((mask & bits[word]).count_ones());
                    bits[word] &= !mask;
                }
            }
        }
    }

    pub(super) fn clear(&mut self) {
        let some = self.chunks.iter().filter(|chunk| matches!(chunk, Chunk::Some(_))).count();
        self.pool.lock().refund(some as u64 * CHUNK_BYTES);
        self.chunks.clear();
        self.count = 0;
    }

    /// The next run of sectors that are in, at or after `at` and before `end`: where it begins and where it ends, in bytes.
    pub(super) fn next_run(&self, at: u64, end: u64) -> Option<(u64, u64)> {
        if self.count == 0 {
            return None;
        }
        let start = self.next_that(at / SECTOR, end / SECTOR, true)?;
        let until = self.next_that(start, end / SECTOR, false).unwrap_or(end / SECTOR);
        Some((start * SECTOR, until * SECTOR))
    }

    /// The first sector from `at` that is in, or is not.
    fn next_that(&self, mut at: u64, end: u64, is_in: bool) -> Option<u64> {
        while at < end {
            let chunk_end = (at / CHUNK + 1) * CHUNK;
            match self.chunks.get((at / CHUNK) as usize) {
                Option::None => return (!is_in).then_some(at),
                Some(Chunk::None) if !is_in => return Some(at),
                Some(Chunk::All) if is_in => return Some(at),
                Some(Chunk::None | Chunk::All) => at = chunk_end,
                Some(Chunk::Some(bits)) => {
                    while at < chunk_end.min(end) {
                        let word = bits[(at % CHUNK / 64) as usize];
                        let rest = if is_in { word } else { !word } >> (at % 64);
                        if rest != 0 {
                            let found = at + u64::from(rest.trailing_zeros());
                            return (found < end).then_some(found);
                        }
                        at = (at / 64 + 1) * 64;
                    }
                }
            }
        }
        None
    }
}

fn count_of(chunk: &Chunk) -> u64 {
    match chunk {
        Chunk::None => 0,
        Chunk::All => CHUNK,
        Chunk::Some(bits) => bits.iter().map(|word| u64::from(word.count_ones())).sum(),
    }
}

impl Drop for Sectors {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use iobound_units::Bytes;
    use proptest::prelude::*;

    const SPACE: u64 = 3 * CHUNK;

    /// Small ranges, and ranges of whole chunks and more.
    fn range() -> impl Strategy<Value = (u64, u64)> {
        let small = (0..SPACE, 1..200u64);
        let large = (0..4 * 64u64, 1..4 * 64u64).prop_map(|(at, len)| (at * CHUNK / 64, len * CHUNK / 64));
        prop_oneof![small, large]
            .prop_map(|(at, len)| (at.min(SPACE - 1), len))
            .prop_map(|(at, len)| (at, len.min(SPACE - at)))
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

        /// Beside a flag for each sector.
        #[test]
        fn the_runs_are_those_that_were_put_in_and_not_taken_out(
            steps in prop::collection::vec((any::<bool>(), range()), 1..20), look in range(),
        ) {
            let pool = Pool::new(Bytes::mib(1)).expect("so much");
            let mut sectors = Sectors::new(pool.clone());
            let mut flags = vec![false; SPACE as usize];
            for (is_in, (at, len)) in steps {
                if is_in {
                    sectors.insert(at * SECTOR, len * SECTOR).expect("there is room");
                } else {
                    sectors.remove(at * SECTOR, len * SECTOR);
                }
                flags[at as usize..(at + len) as usize].fill(is_in);
                prop_assert_eq!(sectors.count(), flags.iter().filter(|flag| **flag).count() as u64);
            }
            let (mut at, end) = (look.0 * SECTOR, (look.0 + look.1) * SECTOR);
            let mut found = vec![false; SPACE as usize];
            while let Some((from, to)) = sectors.next_run(at, end) {
                prop_assert!(at <= from && from < to && to <= end);
                found[(from / SECTOR) as usize..(to / SECTOR) as usize].fill(true);
                at = to;
            }
            let looked = look.0 as usize..(look.0 + look.1) as usize;
            prop_assert!(found[looked.clone()] == flags[looked]);
            drop(sectors);
            prop_assert_eq!(pool.held(), Bytes::ZERO);
        }
    }

    #[test]
    fn bits_without_room_are_refused_and_whole_chunks_take_none() {
        let pool = Pool::new(Bytes::ZERO).expect("nothing");
        let mut sectors = Sectors::new(pool.clone());
        assert_eq!(sectors.insert(0, SECTOR), Err(Errno::NoSpace));
        sectors.insert(0, 100 * CHUNK * SECTOR).expect("none is needed");
        assert_eq!((sectors.count(), pool.held()), (100 * CHUNK, Bytes::ZERO));
        assert_eq!(sectors.next_run(SECTOR, u64::MAX), Some((SECTOR, 100 * CHUNK * SECTOR)));
    }
}
