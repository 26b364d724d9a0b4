//! The table of a device-mapper device: which part of it is made of what (Documentation/admin-guide/device-mapper).

use std::fs::{self, OpenOptions};
use std::io;

use super::Device;
use crate::{World, sys};

/// A part of a device and how it is made, as `dmsetup table` prints it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Start in units of 512 bytes.
    pub start: u64,
    /// Time that it is.
    pub length: u64,
    /// `linear`, `striped`, `crypt`.
    pub kind: String,
    /// Further parameters.
    pub parameters: String,
}

impl Target {
    /// Columns and bytes on each before the next, where it is striped: `N CHUNK DEVICE OFFSET ...`.
    pub fn stripe(&self) -> Option<(u32, u64)> {
        if self.kind != "striped" {
            return None;
        }
        let mut words = self.parameters.split_whitespace();
        let columns: u32 = words.next()?.parse().ok()?;
        let chunk: u64 = words.next()?.parse().ok()?;
        (columns > 0 && chunk > 0).then_some((columns, chunk.checked_mul(512)?))
    }
}

/// Reads the lines of `dmsetup table`; one that can't be understood is left out.
pub fn parse_table(text: &str) -> Vec<Target> {
    let line = |line: &str| {
        let mut words = line.splitn(4, ' ');
        let (start, length) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let kind = words.next()?.to_string();
        Some(Target { start, length, kind, parameters: words.next().unwrap_or_default().trim().to_string() })
    };
    text.lines().filter_map(|text| line(text.trim())).collect()
}

/// `struct dm_target_spec`: start, length, status, offset of the next one, and 16 bytes of its kind.
const SPEC: usize = 40;

/// The table of a device: asked of the kernel as root; where a tree of files stands for the machine, the file
/// `/dev/mapper/NAME.table` in the words of `dmsetup table`.
///
/// # Errors
/// Returns an error without permission, or if there is no such device.
pub(super) fn table(world: &World, device: &Device) -> io::Result<Vec<Target>> {
    if world.is_tree() {
        let name = device.value("dm/name").ok_or(io::ErrorKind::NotFound)?;
        return Ok(parse_table(&fs::read_to_string(world.path(format!("/dev/mapper/{name}.table")))?));
    }
    let control = OpenOptions::new().read(true).write(true).open(world.path("/dev/mapper/control"))?;
    let (specs_of_targets, count) = sys::dm_status(&control, device.number())?;
    specs(&specs_of_targets, count).ok_or_else(|| io::ErrorKind::InvalidData.into())
}

/// The targets in the answer's data, one after the other; each says where the next one is.
fn specs(data: &[u8], count: u32) -> Option<Vec<Target>> {
    let mut targets = Vec::new();
    let mut at = 0usize;
    for _ in 0..count {
        let spec = data.get(at..at.checked_add(SPEC)?)?;
        let long = |at: usize| Some(u64::from_le_bytes(spec.get(at..at + 8)?.try_into().ok()?));
        let next = u32::from_le_bytes(spec.get(20..24)?.try_into().ok()?);
        let text = |bytes: &[u8]| {
            let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
            String::from_utf8_lossy(text).trim().to_string()
        };
        let parameters = data.get(at + SPEC..)?;
        targets.push(Target {
            start: long(0)?,
            length: long(8)?,
            kind: text(&spec[24..40]),
            parameters: text(parameters),
        });
        // From the start of all data, not of this one; the last one's points behind it.
        at = usize::try_from(next).ok().filter(|next| *next > at)?;
    }
    Some(targets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stripe_has_columns_and_a_chunk_in_sectors() {
        let table =
            parse_table("0 8388608 striped 2 128 8:16 2048 8:32 2048\n8388608 100 linear 8:48 2048\nodd\n");
        assert_eq!(table.len(), 2);
        // 128 × 512 = 65,536.
        assert_eq!((table[0].stripe(), table[1].stripe()), (Some((2, 65_536)), None));
        assert_eq!(parse_table("0 8 striped 0 128")[0].stripe(), None);
        assert_eq!(parse_table("0 8 striped 2 99999999999999999999")[0].stripe(), None);
    }

    #[test]
    fn the_kernels_answer_is_read_target_by_target() {
        let mut data = vec![0u8; 160];
        let mut put = |at: usize, start: u64, next: u32, kind: &str, parameters: &str| {
            data[at..at + 8].copy_from_slice(&start.to_le_bytes());
            data[at + 8..at + 16].copy_from_slice(&8u64.to_le_bytes());
            data[at + 20..at + 24].copy_from_slice(&next.to_le_bytes());
            data[at + 24..at + 24 + kind.len()].copy_from_slice(kind.as_bytes());
            data[at + 40..at + 40 + parameters.len()].copy_from_slice(parameters.as_bytes());
        };
        put(0, 0, 64, "linear", "8:16 2048");
        put(64, 8, 128, "striped", "2 128 8:16 0 8:32 0");
        let targets = specs(&data, 2).unwrap();
        assert_eq!((targets[0].kind.as_str(), targets[0].parameters.as_str()), ("linear", "8:16 2048"));
        assert_eq!((targets[1].start, targets[1].stripe()), (8, Some((2, 65_536))));
        // A table that refers back, or beyond the data, is not valid.
        assert_eq!(specs(&data, 3).map(|targets| targets.len()), None);
        assert_eq!(specs(&data[..30], 1), None);
    }
}
