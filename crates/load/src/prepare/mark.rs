use std::fs::File;
use std::io::{self, Read};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

use iobound_units::Percent;
use iobound_workload::{Content, Repeated};
use rustix::fs::{AtFlags, StatxFlags, XattrFlags};
use serde::{Deserialize, Serialize};

use super::filling::Filling;

/// The extended attribute that a file made here carries.
const ATTRIBUTE: &str = "user.iobound";

/// Longer than any mark.
const LONGEST: usize = 4096;

const VERSION: u32 = 1;

/// That a file was made here, may be written over, and how much of it is filled with what.
///
/// It belongs to one file of one file system (by its number and, where the file system keeps it, its time of birth):
/// a copy of the file, or another file of its name, is not ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// The file's size in bytes, as it was to be.
    pub size: u64,
    /// How far it is filled, in bytes from the start.
    pub filled: u64,
    /// With what.
    pub filling: Filling,
    /// When it was made, in seconds since 1970.
    pub created: u64,
}

/// The mark as it is written: JSON.
#[derive(Serialize, Deserialize)]
struct Written {
    version: u32,
    size_bytes: u64,
    filled_bytes: u64,
    content: String,
    compressible_ppm: u32,
    repeats_ppm: u32,
    seed: u64,
    created: u64,
    inode: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    born_ns: Option<i128>,
}

/// The file's number and its time of birth.
fn birth(file: impl AsFd) -> io::Result<(u64, Option<i128>)> {
    let inode = rustix::fs::fstat(&file)?.st_ino;
    let found = rustix::fs::statx(&file, "", AtFlags::EMPTY_PATH, StatxFlags::BTIME);
    let born = found.ok().filter(|found| found.stx_mask & StatxFlags::BTIME.bits() != 0);
    let ns =
        |time: rustix::fs::StatxTimestamp| i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
    Ok((inode, born.map(|found| ns(found.stx_btime))))
}

/// Where the mark is kept of a file whose file system has no such attributes: `NAME.iobound`, beside it.
pub fn sidecar(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".iobound");
    path.with_file_name(name)
}

/// Writes the mark beside the file, whole or not at all.
fn write_beside(text: &[u8], path: &Path) -> io::Result<()> {
    let (beside, new) = (sidecar(path), sidecar(&sidecar(path)));
    let mut file = File::create(&new)?;
    io::Write::write_all(&mut file, text)?;
    file.sync_all()?;
    std::fs::rename(new, beside)
}

fn word(content: Content) -> (String, u32) {
    let plain = |word: &str| (word.to_string(), 0);
    match content {
        Content::Incompressible => plain("incompressible"),
        Content::Zeros => plain("zeros"),
        Content::Counting => plain("counting"),
        Content::Repeated(bytes) => (bytes.to_string(), 0),
        Content::Compressible(share) => ("compressible".to_string(), share.ppm()),
    }
}

impl Mark {
    /// The mark of an open file; `None` where it has none, or another file's, or one that is not understood.
    pub fn read(file: &File, path: &Path) -> Option<Mark> {
        let mut attribute = [0; LONGEST];
        let own = rustix::fs::fgetxattr(file, ATTRIBUTE, &mut attribute[..]).ok();
        let own = own.and_then(|length| Mark::parse(attribute.get(..length)?, file));
        own.or_else(|| {
            let mut text = Vec::new();
            let beside = File::open(sidecar(path)).ok()?;
            beside.take(LONGEST as u64).read_to_end(&mut text).ok()?;
            Mark::parse(&text, file)
        })
    }

    fn parse(text: &[u8], file: &File) -> Option<Mark> {
        let written: Written = serde_json::from_slice(text).ok()?;
        let (inode, born_ns) = birth(file).ok()?;
        if written.version != VERSION || written.inode != inode || written.born_ns != born_ns {
            return None;
        }
        let content = match written.content.as_str() {
            "incompressible" => Content::Incompressible,
            "zeros" => Content::Zeros,
            "counting" => Content::Counting,
            "compressible" => Content::Compressible(Percent::from_ppm(written.compressible_ppm)?),
            other => Content::Repeated(Repeated::parse(other)?),
        };
        let repeats = Percent::from_ppm(written.repeats_ppm)?;
        Some(Mark {
            size: written.size_bytes,
            filled: written.filled_bytes,
            filling: Filling { seed: written.seed, content, repeats },
            created: written.created,
        })
    }

    /// Marks an open file: by the attribute, else beside it.
    ///
    /// # Errors
    /// Neither can be written: without a mark the file would not be known again.
    pub fn write(&self, file: &File, path: &Path) -> io::Result<()> {
        let (content, compressible_ppm) = word(self.filling.content);
        let (inode, born_ns) = birth(file)?;
        let text = serde_json::to_vec(&Written {
            version: VERSION,
            size_bytes: self.size,
            filled_bytes: self.filled,
            content,
            compressible_ppm,
            repeats_ppm: self.filling.repeats.ppm(),
            seed: self.filling.seed,
            created: self.created,
            inode,
            born_ns,
        })?;
        if rustix::fs::fsetxattr(file, ATTRIBUTE, &text, XattrFlags::empty()).is_ok() {
            return Ok(());
        }
        // One that is left from before would be believed first.
        let _ = rustix::fs::fremovexattr(file, ATTRIBUTE);
        write_beside(&text, path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark() -> Mark {
        let content = Content::Compressible(Percent::from_ppm(123_456).expect("a share"));
        let filling = Filling { content, ..Filling::incompressible(u64::MAX) };
        Mark { size: 10 << 30, filled: 3 << 20, filling, created: 1_700_000_000 }
    }

    #[test]
    fn a_mark_reads_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let file = File::create(&path).expect("a file");
        assert_eq!(Mark::read(&file, &path), None);
        mark().write(&file, &path).expect("it can be marked");
        assert_eq!(Mark::read(&file, &path), Some(mark()));
        let content = Content::Repeated(Repeated::new(&[7; Repeated::MOST]).expect("that many"));
        let repeated = Mark { filling: Filling { content, ..mark().filling }, ..mark() };
        repeated.write(&file, &path).expect("it can be marked");
        assert_eq!(Mark::read(&file, &path), Some(repeated));
    }

    #[test]
    fn a_mark_beside_the_file_is_that_of_this_file_only() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let file = File::create(&path).expect("a file");
        mark().write(&file, &path).expect("it can be marked");
        let mut text = [0; LONGEST];
        let length = rustix::fs::fgetxattr(&file, ATTRIBUTE, &mut text[..]).expect("the attribute is there");
        rustix::fs::fremovexattr(&file, ATTRIBUTE).expect("and can be removed");
        write_beside(&text[..length], &path).expect("it can be written beside");
        assert_eq!(Mark::read(&file, &path), Some(mark()), "as on a file system without attributes");
        // Somebody puts a file of their own in its place.
        std::fs::rename(&path, folder.path().join("b")).expect("it can be renamed");
        let other = File::create(&path).expect("another file");
        assert_eq!(Mark::read(&other, &path), None);
        // A copy has the attribute, and is another file.
        rustix::fs::fsetxattr(&other, ATTRIBUTE, &text[..length], XattrFlags::empty())
            .expect("it can be set");
        assert_eq!(Mark::read(&other, &path), None);
    }

    #[test]
    fn what_is_no_mark_is_none() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("a");
        let file = File::create(&path).expect("a file");
        for text in [&b""[..], b"{}", b"\xff\xfe", b"[1]", b"{\"version\":1}", &[b'{'; 3000]] {
            rustix::fs::fsetxattr(&file, ATTRIBUTE, text, XattrFlags::empty()).expect("it can be set");
            assert_eq!(Mark::read(&file, &path), None);
        }
    }
}
