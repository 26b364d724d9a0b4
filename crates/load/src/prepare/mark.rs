use std::io;

use iobound_machine::files::{attribute, remove_attribute, set_attribute};
use iobound_machine::open::{Birth, Seal, unstable_identity};
use iobound_units::Percent;
use iobound_workload::{Content, Repeated};
use serde::{Deserialize, Serialize};

use super::filling::Filling;
use super::handle::Handle;
use super::sidecar;

/// The extended attribute that holds the mark.
const ATTRIBUTE: &str = "user.iobound";

/// Longer than any mark.
pub(super) const LONGEST: usize = 4096;

/// Version 1 said nothing about the content.
const VERSION: u32 = 2;

/// The record of a file that was made here: which file it is, and what was written to it.
///
/// It belongs to one file of one file system (inode and birth time): a copy of the file, or another file of its name,
/// is foreign. Whether the file still holds what was written is decided when the file is surveyed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Size of the file in bytes.
    pub size: u64,
    /// Size before a resize that has not been completed.
    pub resized_from: Option<u64>,
    /// Filled part, in bytes from the start.
    pub filled: u64,
    /// Content of that part.
    pub filling: Filling,
    /// Previous content of the rest.
    pub refilled: Option<Filling>,
    /// Time of its creation, in seconds since 1970.
    pub created: u64,
    /// The content when this program last stopped writing; `None` while it writes, and after it was killed.
    pub seal: Option<Seal>,
    /// Another process opened the file while a run wrote to it.
    pub opened_by_others: bool,
}

/// The serialised form of a filling.
#[derive(Serialize, Deserialize)]
struct WrittenFilling {
    content: String,
    compressible_ppm: u32,
    repeats_ppm: u32,
    seed: u64,
}

/// The serialised form of the mark: JSON.
#[derive(Serialize, Deserialize)]
struct Written {
    version: u32,
    size_bytes: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resized_from_bytes: Option<u64>,
    filled_bytes: u64,
    filling: WrittenFilling,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refilled: Option<WrittenFilling>,
    created: u64,
    filesystem: u64,
    inode: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    born_ns: Option<i128>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    modified_ns: Option<i128>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    samples: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    opened_by_others: bool,
}

impl WrittenFilling {
    fn of(filling: Filling) -> WrittenFilling {
        let (content, compressible_ppm) = match filling.content {
            Content::Incompressible => ("incompressible".to_string(), 0),
            Content::Zeros => ("zeros".to_string(), 0),
            Content::Counting => ("counting".to_string(), 0),
            Content::Repeated(bytes) => (bytes.to_string(), 0),
            Content::Compressible(share) => ("compressible".to_string(), share.ppm()),
        };
        WrittenFilling { content, compressible_ppm, repeats_ppm: filling.repeats.ppm(), seed: filling.seed }
    }

    fn filling(&self) -> Option<Filling> {
        let content = match self.content.as_str() {
            "incompressible" => Content::Incompressible,
            "zeros" => Content::Zeros,
            "counting" => Content::Counting,
            "compressible" => Content::Compressible(Percent::from_ppm(self.compressible_ppm)?),
            other => Content::Repeated(Repeated::parse(other)?),
        };
        Some(Filling { seed: self.seed, content, repeats: Percent::from_ppm(self.repeats_ppm)? })
    }
}

impl Mark {
    /// The mark of an open file; `None` without one, with one of another file, or with an unreadable one.
    pub fn read(handle: &Handle) -> Option<Mark> {
        let mut text = [0; LONGEST];
        let own = attribute(handle.file(), ATTRIBUTE, &mut text);
        let own = own.and_then(|length| Mark::parse(text.get(..length)?, handle));
        own.or_else(|| Mark::parse(&sidecar::read(handle)?, handle))
    }

    fn parse(text: &[u8], handle: &Handle) -> Option<Mark> {
        let written: Written = serde_json::from_slice(text).ok()?;
        let birth =
            Birth { filesystem: written.filesystem, inode: written.inode, born_ns: Some(written.born_ns?) };
        if written.version != VERSION || Birth::of(handle.file()).ok()? != birth {
            return None;
        }
        let seal = written.modified_ns.zip(written.samples);
        let refilled = match &written.refilled {
            Some(filling) => Some(filling.filling()?),
            None => None,
        };
        Some(Mark {
            size: written.size_bytes,
            resized_from: written.resized_from_bytes,
            filled: written.filled_bytes,
            filling: written.filling.filling()?,
            refilled,
            created: written.created,
            seal: seal.map(|(modified_ns, samples)| Seal { modified_ns, samples }),
            opened_by_others: written.opened_by_others,
        })
    }

    /// Marks an open file: in an extended attribute, else in a sidecar file. Whether a later run can rely on it: not
    /// where files have no stable identity, or other users can write to the directory. There nothing is put beside it.
    ///
    /// # Errors
    /// Returns an error if neither can be written.
    pub fn write(&self, handle: &Handle) -> io::Result<bool> {
        let birth = Birth::of(handle.file())?;
        let text = serde_json::to_vec(&Written {
            version: VERSION,
            size_bytes: self.size,
            resized_from_bytes: self.resized_from,
            filled_bytes: self.filled,
            filling: WrittenFilling::of(self.filling),
            refilled: self.refilled.map(WrittenFilling::of),
            created: self.created,
            filesystem: birth.filesystem,
            inode: birth.inode,
            born_ns: birth.born_ns,
            modified_ns: self.seal.map(|seal| seal.modified_ns),
            samples: self.seal.map(|seal| seal.samples),
            opened_by_others: self.opened_by_others,
        })?;
        let counts =
            unstable_identity(handle.file())?.is_none() && handle.directory().others_can_plant()?.is_none();
        if set_attribute(handle.file(), ATTRIBUTE, &text).is_ok() {
            return Ok(counts);
        }
        // An old attribute would be believed first.
        let _ = remove_attribute(handle.file(), ATTRIBUTE);
        if counts {
            sidecar::write(handle, &text)?;
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests;
