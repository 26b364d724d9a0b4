use std::fs::File;
use std::io;

use iobound_workload::Random;

use super::Facts;
use crate::sys;

/// Bytes of a block.
const BLOCK: usize = 4096;
/// Blocks in the digest.
const LOOKS: u64 = 64;

/// The content of a file at a moment: its modification time and a digest of samples.
///
/// The time changes with every write through the file system, unless a user resets it. The samples change with every
/// replacement of the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seal {
    /// Modification time in ns since 1970.
    pub modified_ns: i128,
    /// FNV-1a (64 bits) of up to 64 blocks of 4 KiB: the first, the last and one in each part between.
    pub samples: u64,
}

impl Seal {
    /// The seal of the file's present content.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read.
    pub fn of(file: &File) -> io::Result<Seal> {
        let facts = Facts::of(file)?;
        Ok(Seal { modified_ns: facts.modified_ns, samples: digest(file, facts.size)? })
    }
}

/// The numbers of the blocks that are looked at, in order. Not at even distances: structures of file systems lie there.
fn looked_at(blocks: u64) -> impl Iterator<Item = u64> {
    let looks = blocks.min(LOOKS);
    (0..looks).map(move |look| {
        let part = |n: u64| (u128::from(n) * u128::from(blocks) / u128::from(looks)) as u64;
        match look {
            0 => 0,
            _ if look + 1 == looks => blocks - 1,
            _ => part(look) + Random::keyed(&[blocks, look, 7]).below(part(look + 1) - part(look)),
        }
    })
}

fn digest(file: &File, size: u64) -> io::Result<u64> {
    let mut digest = 0xcbf2_9ce4_8422_2325_u64 ^ size;
    let mut buffer = [0; BLOCK];
    for block in looked_at(size.div_ceil(BLOCK as u64)) {
        let at = block * BLOCK as u64;
        let length = (size - at).min(BLOCK as u64) as usize;
        sys::files::read_exact_at(file, &mut buffer[..length], at)?;
        for byte in &buffer[..length] {
            digest = (digest ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    Ok(digest)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn a_seal_changes_with_the_size_the_first_the_last_and_the_whole_content() {
        let file = tempfile::tempfile().expect("a file");
        let size = (1 << 20) + 77;
        file.set_len(size).expect("it is sparse");
        let first = digest(&file, size).expect("it can be read");
        assert_eq!(digest(&file, size).expect("it can be read"), first);
        file.write_all_at(b"x", 0).expect("it takes data");
        let second = digest(&file, size).expect("it can be read");
        file.write_all_at(b"x", size - 1).expect("it takes data");
        let third = digest(&file, size).expect("it can be read");
        assert!(first != second && second != third);
        assert_ne!(digest(&file, size - 1).expect("it can be read"), third);
        assert_eq!(Seal::of(&file).expect("it can be read").samples, third);
    }

    #[test]
    fn each_part_of_a_file_is_looked_at_once() {
        for blocks in [1, 2, 63, 64, 65, 1000, 1 << 40] {
            let looked: Vec<u64> = looked_at(blocks).collect();
            assert_eq!(looked.len() as u64, blocks.min(LOOKS));
            assert!(looked[0] == 0 && looked[looked.len() - 1] == blocks - 1);
            assert!(looked.windows(2).all(|two| two[0] < two[1]), "{blocks}");
        }
        assert_eq!(looked_at(0).count(), 0);
    }
}
