//! Part of its files that a job uses: `size`, `filesize`, `offset`, `offset_increment`, in bytes or in percent.
//! The rules are those of `setup_files` in `filesetup.c`.

use super::asked::Asked;
use super::pattern::Pattern;
use super::units::{Amount, parse_bytes};

/// The sizes that a job gives, or that its files have.
pub(super) struct Sizes {
    /// Bytes of one pass of a clone over all its files; `None` if unknown.
    pub all: Option<u64>,
    /// The part of each file that is used, from the offset; `None`: to its end.
    pub part: Option<u64>,
    /// End of each file, if the job does not decide it: as `filesize` says, or a device's end.
    pub end: Option<u64>,
    /// Size of each created file; `None`: as large as the parts of all clones need.
    pub file: Option<u64>,
    /// The size that all files have before the job, where it is known and the same.
    pub there: Option<u64>,
    pub offset: u64,
    pub increment: u64,
}

/// The files of a clone.
pub(super) struct Files<'a> {
    /// Their names, as far as it is looked at them.
    pub names: &'a [String],
    /// Their number.
    pub count: u32,
}

/// The sizes of a job that uses these files; `None` with a problem.
pub(super) fn sizes(asked: &mut Asked<'_>, files: &Files<'_>, pattern: &Pattern) -> Option<Sizes> {
    let before = asked.trouble.count();
    let blocks = || pattern.mix.iter().map(|share| u64::from(share.block));
    let (smallest, largest) = (blocks().min().unwrap_or(1), blocks().max().unwrap_or(1));
    let align = asked.number("offset_align").filter(|align| *align > 0).unwrap_or(smallest);
    let names = files.names;
    let there = Existing::of(asked, names);
    let filesize = filesize(asked);
    let offset = there.share(asked, "offset", filesize, align).unwrap_or(0);
    let increment = there.share(asked, "offset_increment", filesize, align).unwrap_or(0);
    let amount = asked.amount("size");
    let size = match amount {
        Some(Amount::Bytes(bytes)) => Some(bytes).filter(|bytes| *bytes > 0),
        _ => None,
    };
    let percent = match amount {
        Some(Amount::Percent(percent @ 1..=99)) => Some(percent),
        Some(Amount::Percent(0 | 100) | Amount::Bytes(_)) | None => None,
        Some(Amount::Percent(_) | Amount::Zones(_)) => {
            let value = asked.text("size").unwrap_or("");
            asked.cannot(
                "size",
                format!("size={value}: zones and more than 100% are not supported"),
                "write size=10g",
            );
            None
        }
    };
    let n = u64::from(files.count);
    let mut part = match (filesize, size) {
        (Some(file), _) if file <= offset => {
            let what = format!("the offset {offset} is not inside a file of {file} bytes");
            asked.refuse("offset", what, "give a smaller offset, or a larger filesize");
            None
        }
        (Some(file), _) => Some(file - offset),
        (None, Some(size)) => Some(size / n),
        (None, None) => None,
    };
    if let Some(percent) = percent {
        // fio takes the share of the whole file, and what fits from the offset on, in whole blocks.
        let whole = filesize.or_else(|| there.same(asked, "size"));
        if let Some(whole) = whole.filter(|whole| *whole > offset) {
            let share = (u128::from(whole) * u128::from(percent) / 100) as u64;
            let share = share.min(whole - offset);
            part = Some(share - share % smallest);
        }
    }
    let whole =
        there.all.as_ref().map(|sizes| sizes.iter().map(|size| size.saturating_sub(offset)).sum::<u64>());
    let sum = part.and_then(|part| part.checked_mul(n)).or(whole);
    let all = match (size, sum) {
        (Some(size), Some(sum)) => Some(size.min(sum)),
        (size, sum) => sum.or(size),
    };
    if let Some(part) = part.filter(|part| *part < largest) {
        let name = if asked.get("filesize").is_some() { "filesize" } else { "size" };
        let what = format!("a file of {part} bytes is smaller than a block of {largest}");
        asked.refuse(name, what, "make it larger");
    }
    // A file grows with the clones' parts; a device, and a file whose size is given or is there, does not.
    let least = || there.all.as_ref()?.iter().min().copied();
    let fixed = there.devices || (size.is_none() && percent.is_none());
    (asked.trouble.count() == before).then_some(Sizes {
        all,
        part,
        end: filesize.or_else(|| if fixed { least() } else { None }),
        file: filesize,
        there: there
            .all
            .as_deref()
            .filter(|sizes| sizes.iter().all(|size| *size == sizes[0]))
            .map(|sizes| sizes[0]),
        offset,
        increment,
    })
}

/// `filesize`, where it is one size.
fn filesize(asked: &mut Asked<'_>) -> Option<u64> {
    let text = asked.text("filesize")?;
    if text.contains('-') {
        asked.cannot("filesize", "files of random sizes are not supported", "give one size");
        return None;
    }
    match parse_bytes(text, asked.kb_base) {
        Ok(size) => Some(size).filter(|size| *size > 0),
        Err((what, help)) => {
            asked.refuse("filesize", format!("filesize: {what}"), help);
            None
        }
    }
}

/// The named files as they are before the job.
struct Existing {
    /// The sizes of all; `None` where one is not known.
    all: Option<Vec<u64>>,
    /// All of them are devices.
    devices: bool,
}

impl Existing {
    fn of(asked: &Asked<'_>, names: &[String]) -> Existing {
        let all: Option<Vec<u64>> = names.iter().map(|name| asked.size_of(name)).collect();
        let devices = !names.is_empty() && names.iter().all(|name| super::layout::is_device(name));
        Existing { all: all.filter(|sizes| !sizes.is_empty()), devices }
    }

    /// The size that all files have; a problem where it is not known, or differs.
    fn same(&self, asked: &mut Asked<'_>, name: &str) -> Option<u64> {
        let value = asked.text(name).unwrap_or("").to_string();
        let help = format!("write it in bytes: {name}=10g");
        match self.all.as_deref() {
            Some([first, rest @ ..]) if rest.iter().all(|size| size == first) => Some(*first),
            Some(_) => {
                let what = format!("{name}={value} is not supported for files with different sizes");
                asked.cannot(name, what, help);
                None
            }
            None => {
                let what = format!("{name}={value} is a share of a file or device of unknown size");
                asked.cannot(name, what, help);
                None
            }
        }
    }

    /// An offset in bytes or in percent of each file: fio rounds the latter up to whole blocks.
    fn share(&self, asked: &mut Asked<'_>, name: &str, filesize: Option<u64>, block: u64) -> Option<u64> {
        let percent = match asked.amount(name)? {
            Amount::Bytes(bytes) => return Some(bytes).filter(|bytes| *bytes > 0),
            Amount::Percent(0) => return None,
            Amount::Percent(percent) => percent,
            Amount::Zones(_) => {
                asked.cannot(
                    name,
                    format!("{name}: zoned devices are not supported"),
                    format!("write {name}=1g"),
                );
                return None;
            }
        };
        let whole = match (&self.all, filesize) {
            (None, Some(file)) => file,
            _ => self.same(asked, name)?,
        };
        let bytes = (u128::from(whole) * u128::from(percent) / 100) as u64;
        Some(bytes.div_ceil(block.max(1)) * block.max(1))
    }
}
