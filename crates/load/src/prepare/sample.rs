use std::fs::File;
use std::io;

use iobound_machine::files::read_exact_at;
use iobound_workload::Random;

use super::filling::BLOCK;

/// Blocks that are looked at: of a target of which one in a hundred is written, 92 of 100 looks find one.
const LOOKS: u64 = 256;

/// Findings of a look at a few blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Blocks of 4 KiB that were read, spread evenly over the target.
    pub blocks: u64,
    /// Number of them that hold nothing but zeros.
    pub zeros: u64,
}

impl Sample {
    /// Looks at up to 256 blocks of the first `size` bytes: the first, the last and one in each part between.
    ///
    /// # Errors
    /// Returns an error if the target cannot be read.
    pub fn take(file: &File, size: u64) -> io::Result<Sample> {
        let blocks = size / BLOCK as u64;
        let looks = blocks.min(LOOKS);
        let mut sample = Sample { blocks: looks, zeros: 0 };
        let mut buffer = [0; BLOCK];
        for look in 0..looks {
            let part = |n: u64| (u128::from(n) * u128::from(blocks) / u128::from(looks)) as u64;
            let (from, to) = (part(look), part(look + 1));
            let block = match look {
                0 => 0,
                _ if look + 1 == looks => blocks - 1,
                // Not at even distances: structures of file systems lie there.
                _ => from + Random::keyed(&[blocks, look]).below(to - from),
            };
            read_exact_at(file, &mut buffer, block * BLOCK as u64)?;
            sample.zeros += u64::from(buffer.iter().all(|byte| *byte == 0));
        }
        Ok(sample)
    }

    /// True if enough of it is zeros that figures are of a storage that has nothing to read: one in twenty.
    pub fn is_doubtful(&self) -> bool {
        self.zeros * 20 >= self.blocks && self.zeros > 0
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    #[test]
    fn zeros_are_counted_among_what_is_looked_at() {
        let file = tempfile::tempfile().expect("a file");
        file.set_len(8 << 20).expect("it is sparse");
        assert_eq!(Sample::take(&file, 8 << 20).expect("zeros"), Sample { blocks: 256, zeros: 256 });
        file.write_all_at(&vec![1; 4 << 20], 0).expect("it takes data");
        let half = Sample::take(&file, 8 << 20).expect("it can be read");
        assert_eq!(half, Sample { blocks: 256, zeros: 128 });
        assert!(half.is_doubtful());
        let written = Sample::take(&file, 4 << 20).expect("it can be read");
        assert_eq!(written.zeros, 0);
        assert!(!written.is_doubtful());
        assert_eq!(Sample::take(&file, 100).expect("no block"), Sample { blocks: 0, zeros: 0 });
    }
}
